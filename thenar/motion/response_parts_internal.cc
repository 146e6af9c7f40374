// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/response_parts_internal.h"

#include <algorithm>

#include "thenar/complementarity/p_matrix.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

/// A of some rows where the others hold in both directions.
MatrixX<double> eliminate(const MatrixX<double>& A, const std::vector<Eigen::Index>& kept,
                          const std::vector<Eigen::Index>& others) {
  const MatrixX<double> own = A(kept, kept);
  if (others.empty()) return own;
  return own - A(kept, others) * MatrixX<double>(A(others, others)).fullPivLu().solve(MatrixX<double>(A(others, kept)));
}

}  // namespace

bool ContactResponse::is_P() const {
  constexpr std::size_t kMostRows = 14;
  std::vector<Eigen::Index> normals, others;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    (rows[k].row == 0 ? normals : others).push_back(static_cast<Eigen::Index>(k));
  }
  return normals.size() > kMostRows || test_p_matrix(eliminate(A, normals, others)).is_P;
}

/// Which rows act on each other. Whether a part is to be watched.
bool ResponseParts::find(const MatrixX<double>& A, Eigen::Index joint_count,
                         std::span<const ContactResponse::Row> contact_rows, std::span<const HeldContact> contacts,
                         std::span<const Eigen::Index> redundant_rows) {
  joint_count_ = joint_count;
  contact_rows_ = contact_rows;
  const auto count = static_cast<std::size_t>(A.rows());
  part_of_.resize(count);
  is_watched_.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    part_of_[i] = row;
    for (std::size_t j = 0; j < i; ++j) {
      const auto other = static_cast<Eigen::Index>(j);
      if (part_of_[j] == part_of_[i] || (A(row, other) == 0 && A(other, row) == 0)) continue;
      const auto [first, later] = std::minmax(part_of_[i], part_of_[j]);
      std::replace(part_of_.begin(), part_of_.begin() + static_cast<std::ptrdiff_t>(i) + 1, Eigen::Index(later),
                   Eigen::Index(first));
    }
  }
  for (std::size_t k = 0; k < contact_rows.size(); ++k) {
    if (contacts[contact_rows[k].contact].hold() != ContactHold::sliding) continue;
    is_watched_[static_cast<std::size_t>(part_of_[static_cast<std::size_t>(joint_count) + k])] = 1;
  }
  for (const Eigen::Index row : redundant_rows) {
    is_watched_[static_cast<std::size_t>(part_of_[static_cast<std::size_t>(row)])] = 0;
  }
  return std::find(is_watched_.begin(), is_watched_.end(), 1) != is_watched_.end();
}

bool ResponseParts::are_determinate(const MatrixX<double>& A) {
  // The usual case, without the heap: parts that are watched are definite.
  symmetric_ = 0.5 * (A + A.transpose());
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    if (is_watched_[static_cast<std::size_t>(part_of_[static_cast<std::size_t>(i)])] != 0) continue;
    symmetric_.row(i).setZero();
    symmetric_.col(i).setZero();
    symmetric_(i, i) = 1;
  }
  definite_.compute(symmetric_);
  if (definite_.info() == Eigen::Success) return true;
  const std::vector<ContactResponse> parts = list(A);
  return std::all_of(parts.begin(), parts.end(), [](const ContactResponse& part) { return part.is_P(); });
}

std::vector<ContactResponse> ResponseParts::list(const MatrixX<double>& A) const {
  std::vector<ContactResponse> out;
  for (std::size_t part = 0; part < part_of_.size(); ++part) {
    if (is_watched_[part] == 0) continue;
    std::vector<Eigen::Index> kept, joints;
    ContactResponse response;
    for (std::size_t i = 0; i < part_of_.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      if (part_of_[i] != static_cast<Eigen::Index>(part)) continue;
      (row < joint_count_ ? joints : kept).push_back(row);
      if (row >= joint_count_) response.rows.push_back(contact_rows_[static_cast<std::size_t>(row - joint_count_)]);
    }
    response.A = eliminate(A, kept, joints);
    out.push_back(std::move(response));
  }
  return out;
}

}  // namespace thenar::internal
