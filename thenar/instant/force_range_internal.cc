// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/force_range_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/base/numbers.h"

namespace thenar::internal {
namespace {

using Question = ForceSet::Question;
using Optimum = ForceSet::Optimum;
using Vector = VectorX<double>;

/// Newton's method mostly ends within these; after them every other step halves the bracket.
constexpr int kQuickRounds = 6;
/// Least shares of polyhedral cones are told to this.
constexpr double kResolution = 1e-10;
/// Forces below this part of the largest are none.
constexpr double kLoaded = 1e-9;
/// Of shares.
constexpr int kMostShareRounds = 100;

}  // namespace

/// The least (side = 1) or largest (−1) sum of normal forces.
ForceSet::Question ForceRange::ask_sum(std::span<const int> normals, double side) const {
  Question out{
      .cost = set_.zero(), .norm = Vector::Unit(set_.size() + 1, set_.size()), .start = set_.point(), .shared = {}};
  for (const int i : normals) out.cost(i) = side;
  return out;
}

std::optional<ForceBracket> ForceRange::calc_bracket(std::span<const int> normals) {
  ForceBracket out;
  for (const double side : {1.0, -1.0}) {
    const Question question = ask_sum(normals, side);
    const std::optional<Optimum> optimum = set_.minimize(question);
    if (!optimum) return std::nullopt;
    const double sum = optimum->is_ray ? kInfinity : std::max(side * question.cost.dot(optimum->x), 0.0);
    (side > 0 ? out.least : out.most) = sum;
  }
  return out;
}

/// A point (y, s) of the motion at which these rows carry a force, with Σ yₙ = 1.
std::optional<Vector> ForceRange::find_loaded(std::span<const int> normals) {
  const Question question = ask_sum(normals, -1);
  const auto sum = [&](const Vector& x) { return -question.cost.dot(x); };
  Vector out = set_.point();
  if (!(sum(out) > kLoaded * set_.point().head(set_.size()).lpNorm<Eigen::Infinity>())) {
    const std::optional<Optimum> most = set_.minimize(question);
    if (!most) return std::nullopt;
    out = most->is_ray ? Vector(set_.point() + most->x) : most->x;
    if (!(sum(out) > kLoaded * out.head(set_.size()).lpNorm<Eigen::Infinity>())) return std::nullopt;
  }
  return out / sum(out);
}

std::optional<LeastShare> ForceRange::calc_least_share(std::span<const int> normals) {
  Question question{.cost = set_.zero(), .delta_cost = 1, .norm = set_.zero(), .start = {}, .shared = {}};
  for (const int i : normals) question.norm(i) = 1;
  for (std::size_t k = 0; k < set_.sections().size(); ++k) {
    if (std::find(normals.begin(), normals.end(), set_.sections()[k].normal) != normals.end())
      question.shared.push_back(k);
  }
  std::optional<Vector> start = find_loaded(normals);
  if (question.shared.empty() || !start) return std::nullopt;
  question.start = std::move(*start);
  const bool is_smooth = std::any_of(question.shared.begin(), question.shared.end(),
                                     [&](std::size_t k) { return set_.sections()[k].is_smooth; });
  const double resolution = is_smooth ? kSectionError : kResolution;
  LeastShare out{1, question.start.head(set_.size()), Vector::Zero(set_.size())};
  double low = -1;  // nothing is known to be too little
  question.t = 1;
  for (int round = 0; round < kMostShareRounds; ++round) {
    const std::optional<Optimum> optimum = set_.minimize(question);
    if (!optimum || optimum->is_ray) return std::nullopt;
    if (optimum->delta > resolution) {
      low = question.t;
    } else {
      out = {question.t, optimum->x.head(set_.size()), optimum->slip};
      question.start = optimum->x;
    }
    if (std::abs(optimum->delta) <= resolution || out.share - low <= resolution) return out;
    double next = question.t + optimum->delta / optimum->fall;  // Newton's step
    const bool is_slow = round >= kQuickRounds && round % 2 == 0;
    if (is_slow || !(next > low && next < out.share)) next = std::max(0.0, 0.5 * (low + out.share));
    question.t = next;
    question.start_delta = std::max(0.0, calc_excess(question));
  }
  return std::nullopt;
}

/// The δ that the start needs.
double ForceRange::calc_excess(const Question& question) const {
  double out = -kInfinity;
  for (const std::size_t k : question.shared) {
    const Section& section = set_.sections()[k];
    const double gauge = section.calc_gauge(section.friction(question.start));
    out = std::max(out, gauge - question.t * question.start(section.normal));
  }
  return out;
}

}  // namespace thenar::internal
