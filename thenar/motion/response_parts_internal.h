// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "thenar/motion/held_contact.h"

namespace thenar::internal {

/// How contacts that act on each other answer to forces along the rows that hold, with the friction of what slides and
/// with joint rows holding on whatever happens.
struct ContactResponse {
  struct Row {
    std::size_t contact;
    int row;  ///< of HeldContact::J
  };
  std::vector<Row> rows;
  MatrixX<double> A;

  /// Whether changes of forces are answered in one way only: A of the normals, where tangents of what sticks hold on,
  /// is a P-matrix (SYK). Not looked at where there are many.
  bool is_P() const;
};

/// The parts into which contacts that hold fall: contacts of different parts do not act on each other. A part is
/// watched if something slides in it and nothing in it is redundant: its forces may then be determinate or not.
class ResponseParts {
 public:
  /// Finds the parts of A, whose first rows are those of joints and whose others are `contact_rows`, of these contacts.
  /// The rows must outlive the next two calls. Whether a part is watched.
  bool find(const MatrixX<double>& A, Eigen::Index joint_count, std::span<const ContactResponse::Row> contact_rows,
            std::span<const HeldContact> contacts, std::span<const Eigen::Index> redundant_rows);
  /// Whether each part that is watched has one answer to small changes of its forces (ContactResponse::is_P).
  bool are_determinate(const MatrixX<double>& A);
  /// The parts that are watched.
  std::vector<ContactResponse> list(const MatrixX<double>& A) const;

 private:
  Eigen::Index joint_count_ = 0;
  std::span<const ContactResponse::Row> contact_rows_;
  std::vector<Eigen::Index> part_of_;  ///< by row: the first row that acts on it, by others in between
  std::vector<char> is_watched_;       ///< by first row of a part
  MatrixX<double> symmetric_;          ///< part of A
  Eigen::LLT<MatrixX<double>> definite_;
};

}  // namespace thenar::internal
