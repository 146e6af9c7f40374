// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The answer of an instant for people and for machines. The JSON form (docs/formats.md) carries the constraint
/// problem, the response of the model to its forces, and the proof, so that `thenar verify` needs nothing else.
///
/// A constraint problem by itself, without bodies, is read from the text form of problem_text.h or out of such an
/// answer, and answered in terms of its rows.

#include <optional>
#include <string>
#include <vector>

#include "thenar/instant/contact_instant.h"
#include "thenar/instant/instant_proof.h"

namespace thenar {

std::string instant_json(const Scenario& scenario, const Instant& instant);
std::string instant_text(const Scenario& scenario, const Instant& instant);

/// The same for a problem by itself; `name` stands for the file.
std::string problem_answer_json(const std::string& name, const ConstraintProblem& problem, const ModeAnswer& answer);
std::string problem_answer_text(const std::string& name, const ConstraintProblem& problem, const ModeAnswer& answer);

/// The problem in a text that is a constraint problem or an answer in JSON; nothing for any other text, such as a
/// scenario. Throws InputError if it is faulty; `name` stands for the file.
std::optional<ConstraintProblem> find_problem(const std::string& text, const std::string& name);

/// Whether a JSON text looks like the answer of an instant rather than of an LCP.
bool is_instant_json(const std::string& text);

/// One claim of an answer, and what became of it.
struct CheckedVerdict {
  std::string claim;
  ModeVerification check;
};

/// Checks all claims of an answer in JSON, by mode_verify.h. Throws InputError for text that is no such answer; `name`
/// stands for the file.
std::vector<CheckedVerdict> verify_instant_json(const std::string& text, const std::string& name);

}  // namespace thenar
