// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/cone_local_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

/// (1) for T tangents.
template <int T>
class SlidingContact {
 public:
  using Vector = Eigen::Matrix<double, T, 1>;
  using Matrix = Eigen::Matrix<double, T, T>;

  SlidingContact(const BlockMatrix& B, const BlockVector& q)
      : normal_(B(0, 0)), load_(q[0]), coupling_(B.template block<1, T>(0, 1).transpose()) {
    const Vector column = B.template block<T, 1>(1, 0) / normal_;
    S_ = B.template block<T, T>(1, 1) - column * coupling_.transpose();
    c_ = column * load_ - q.template segment<T>(1);
    // A floor of rounding keeps S + α I regular where the contact cannot be moved in some direction.
    unit_ = std::max(S_.trace() / T, std::numeric_limits<double>::min());
    S_.diagonal().array() += 4 * std::numeric_limits<double>::epsilon() * B.diagonal().maxCoeff();
  }

  /// Sets the force for α = unit s / (1 − s), 0 ≤ s < 1, and returns g.
  double evaluate(double s) {
    Matrix shifted = S_;
    shifted.diagonal().array() += unit_ * s / (1 - s);
    tangential_ = shifted.inverse() * c_;
    normal_force_ = -(load_ + coupling_.dot(tangential_)) / normal_;
    return tangential_.norm() - normal_force_;
  }

  BlockVector force() const {
    BlockVector z = BlockVector::Zero();
    z[0] = normal_force_;
    z.template segment<T>(1) = tangential_;
    return z;
  }

  /// Regula falsi with the Illinois rule: the value kept for two steps is halved.
  BlockVector solve() {
    double low = 0, at_low = evaluate(0);
    if (at_low <= 0) return force();  // no slip
    double high = 1, at_high = load_ / normal_;
    int kept = 0;
    for (int i = 0; i < kSteps && high - low > std::numeric_limits<double>::epsilon() * high; ++i) {
      double middle = (low * at_high - high * at_low) / (at_high - at_low);
      if (!(middle > low && middle < high)) middle = 0.5 * (low + high);
      const double at_middle = evaluate(middle);
      if (std::abs(at_middle) <= kRounding * std::abs(normal_force_)) break;
      if (at_middle > 0) {
        low = middle, at_low = at_middle;
        if (kept > 0) at_high *= 0.5;
        kept = 1;
      } else {
        high = middle, at_high = at_middle;
        if (kept < 0) at_low *= 0.5;
        kept = -1;
      }
    }
    return force();
  }

 private:
  static constexpr int kSteps = 60;
  static constexpr double kRounding = 2e-16;

  double normal_, load_;
  Vector coupling_, c_, tangential_;
  Matrix S_;
  double unit_, normal_force_ = 0;
};

/// A face of the section of a polyhedral cone: z_t = zₙ `center` + a combination of the columns of `free`, along which
/// there is no slip.
struct Face {
  Tangent center = Tangent::Zero();
  TangentMatrix free = TangentMatrix::Zero();
  int free_count = 0;

  void add_free(const Tangent& direction) { free.col(free_count++) = direction; }
};

/// Part 0, 1, 2 of the interval of direction k: inside, −, +.
void add_interval_part(int k, int part, Face& face) {
  if (part == 0) {
    face.add_free(Tangent::Unit(k));
  } else {
    face.center[k] = part == 1 ? -1 : 1;
  }
}

/// Part of the k-gon: inside, k vertices, k edges.
void add_polygon_part(int k, int part, Face& face) {
  if (part == 0) {
    face.add_free(Tangent::UnitX());
    face.add_free(Tangent::UnitY());
    return;
  }
  const bool is_vertex = part <= k;
  const double angle =
      is_vertex ? 2 * std::numbers::pi * (part - 1) / k : std::numbers::pi * (2 * (part - k - 1) + 1) / k;
  const double reach = is_vertex ? 1 : std::cos(std::numbers::pi / k);
  face.center.head<2>() << reach * std::cos(angle), reach * std::sin(angle);
  if (!is_vertex) face.add_free({-std::sin(angle), std::cos(angle), 0});
}

/// Parts of a section in its first two directions: of the k-gon, or of the box's two intervals.
int plane_part_count(const ConeSection& section) { return section.is_box() ? 3 * 3 : 1 + 2 * section.faces; }

/// A face is a part in the plane, and one of the torsion interval if there is one.
Face make_face(const ConeSection& section, int plane, int torsion) {
  Face face;
  if (section.is_box()) {
    add_interval_part(0, plane % 3, face);
    add_interval_part(1, plane / 3, face);
  } else {
    add_polygon_part(section.faces, plane, face);
  }
  if (section.tangents > 2) add_interval_part(2, torsion, face);
  return face;
}

/// wₙ = 0 and no slip along the face.
BlockVector solve_face(const Face& face, const BlockMatrix& B, const BlockVector& q) {
  // Columns: the directions in which the force may change; rows: those in which the contact may not move. Unused ones
  // are filled up with the identity.
  BlockMatrix change = BlockMatrix::Zero(), hold = BlockMatrix::Zero();
  change(0, 0) = hold(0, 0) = 1;
  change.block<3, 1>(1, 0) = face.center;
  change.block<3, 3>(1, 1) = face.free;
  hold.block<3, 3>(1, 1) = face.free.transpose();
  BlockMatrix equations = hold * B * change;
  for (int k = face.free_count + 1; k < 4; ++k) equations(k, k) = 1;
  return change * equations.partialPivLu().solve(-(hold * q));
}

BlockVector solve_polyhedral(const ConeBlock& block, const BlockMatrix& B, const BlockVector& q) {
  BlockVector best = BlockVector::Zero();
  double least = std::numeric_limits<double>::infinity();
  const double rounding = 1e-15 * q.lpNorm<Eigen::Infinity>();
  for (int torsion = 0; torsion < (block.section.tangents > 2 ? 3 : 1); ++torsion) {
    for (int plane = 0; plane < plane_part_count(block.section); ++plane) {
      const BlockVector z = solve_face(make_face(block.section, plane, torsion), B, q);
      const double violation = block_residual(block, z, B * z + q);
      if (!(violation < least)) continue;
      least = violation;
      best = z;
      if (least <= rounding) return best;
    }
  }
  return best;
}

}  // namespace

BlockVector solve_block(const ConeBlock& block, const BlockMatrix& B, const BlockVector& q) {
  // No force moves it, or the wrong way. Of rows that do not slide, B is near 1 or 0.
  if (!(B(0, 0) > std::numeric_limits<double>::epsilon())) return BlockVector::Zero();
  if (!block.is_contact()) {
    BlockVector z = BlockVector::Zero();
    z[0] = -q[0] / B(0, 0);
    if (block.kind == BlockKind::unilateral) z[0] = std::max(z[0], 0.0);
    if (block.kind == BlockKind::boxed) z[0] = std::clamp(z[0], -block.limit, block.limit);
    return z;
  }
  if (q[0] >= 0) return BlockVector::Zero();
  if (!block.section.is_smooth()) return solve_polyhedral(block, B, q);
  switch (block.tangents()) {
    case 1:
      return SlidingContact<1>(B, q).solve();
    case 2:
      return SlidingContact<2>(B, q).solve();
    default:
      return SlidingContact<3>(B, q).solve();
  }
}

}  // namespace thenar::internal
