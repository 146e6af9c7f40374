// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/instant_assembly_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thenar/contact/no_instant_error.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/instant/joint_rest.h"
#include "thenar/instant/row_assembly_internal.h"

namespace thenar::internal {
namespace {

/// Mean normals shorter than this belong to a patch that looks all around.
constexpr double kNoNormal = 1e-6;

/// Collects the rows of a scenario at one state.
class InstantBuilder {
 public:
  InstantBuilder(AssemblyContext& context, const State& state, double time)
      : context_(context),
        scenario_(context.scenario()),
        model_(scenario_.model),
        q_(state.q),
        v_(state.v),
        time_(time),
        workspace_(model_) {}

  AssembledInstant build() {
    add_joint_rows();
    add_contacts();
    add_patches();
    calc_response();
    out_.cone = to_string(context_.rules().cone);
    out_.proof = proof_;
    return {std::move(out_), std::move(proof_), std::move(contact_rows_)};
  }

 private:
  void add_joint_rows() {
    ConstrainedMotion& motion = context_.motion();
    const Tolerances& tolerances = context_.tolerances();
    JointRest& joints = context_.joints();
    joints.find_touching(q_, v_);
    proof_->vdot_free.setZero(model_.velocity_count());
    for (const int i : joints.find_rows_at_rest(time_, q_, v_, proof_->vdot_free)) {
      JointRow& row = motion.rows()[static_cast<std::size_t>(i)];
      row.update(q_.data(), v_.data());
      if (row.kind() == JointRowKind::stop && row.multiply(v_.data()) < -tolerances.speed_rounding(row.dof())) {
        throw NoInstantError(fmt::format("the {} stop of '{}' is struck: an impact comes first", row.side(),
                                         model_.dof_name(row.dof())));
      }
      AssembledRow out{make_problem_row(row, static_cast<std::uint64_t>(i)),
                       VectorX<double>::Zero(model_.velocity_count()), row.bias()};
      row.add_transposed(1, out.J.data());
      part_count_ += out.row.kind == RowKind::unilateral;
      rows_.push_back(std::move(out));
      out_.joint_rows.push_back(i);
    }
  }

  void add_contacts() {
    update_positions(model_, q_.data(), workspace_);
    update_velocities(model_, v_.data(), workspace_);
    std::vector<TouchingContact> found = find_touching_contacts(context_, workspace_);
    rest_ = calc_rest_speed(scenario_, found, v_);
    for (TouchingContact& touching : found) {
      InstantContact contact{.name = touching.name, .place = touching.place, .law = touching.law};
      std::copy_n(touching.rows.velocity.data(), 3, contact.velocity.begin());
      contact.spin = touching.rows.velocity(3);
      out_.contacts.push_back(std::move(contact));
      contact_rows_.push_back(std::move(touching.rows));
    }
    for (std::size_t i = 0; i < out_.contacts.size(); ++i)
      add_contact(out_.contacts[i], contact_rows_[i], found[i].slip);
  }

  void add_contact(InstantContact& contact, const ContactRows& rows, const std::array<double, 3>& lasting_slip) {
    const double v_N = rows.velocity(0);
    if (v_N < -rest_) {
      throw NoInstantError(
          fmt::format("'{}' are approaching at {:.3g} m/s: an impact comes first", contact.name, -v_N));
    }
    if (v_N > rest_) return;
    const ContactLaw& law = contact.law;
    const std::array<double, 3> slip_ratio = find_sliding(contact, rows, lasting_slip);
    if (law.fingertip != Fingertip::frictionless) {
      contact.friction = contact.slides ? law.friction : law.static_friction;
    }
    contact.row = static_cast<int>(rows_.size());
    contact.part = part_count_++;
    rows_.push_back({{.kind = RowKind::unilateral, .id = make_row_id(contact.place, 0)}, rows.J.row(0), rows.drift(0)});
    if (!(contact.friction > 0)) return;
    const std::array<double, 3> mu{contact.friction, contact.friction, law.torsion};
    constexpr std::array<int, 3> kRowOf{1, 2, 3};  // T, U, rotation about N
    for (std::size_t k = 0; k < (law.fingertip == Fingertip::soft ? 3 : 2); ++k) {
      if (is_immovable(rows, kRowOf[k])) continue;
      contact.tangent_rows[k] = static_cast<int>(rows_.size());
      const RowKind kind = contact.slides ? RowKind::sliding : RowKind::tangent;
      rows_.push_back(
          {{.kind = kind, .limit = contact.slides ? slip_ratio[k] : mu[k], .id = make_row_id(contact.place, k + 1)},
           rows.J.row(kRowOf[k]),
           rows.drift(kRowOf[k])});
    }
    ConstraintRow& head = rows_[static_cast<std::size_t>(contact.row)].row;
    if (!contact.has_friction()) return;  // no direction to slip in
    head.kind = RowKind::normal;
    head.faces = contact.slides ? 0 : count_faces(context_.rules().cone);
  }

  /// Friction forces per normal force of a contact that slides: those that take most power from the slip, −μₖ² uₖ / |μ
  /// u| on the ellipsoid Σ (sₖ/μₖ)² = 1, which is YY (5) for a point; less on a k-gon. Sets contact.slides.
  std::array<double, 3> find_sliding(InstantContact& contact, const ContactRows& rows,
                                     const std::array<double, 3>& lasting_slip) {
    const ContactLaw& law = contact.law;
    const std::array<double, 3> mu{law.friction, law.friction, law.torsion};
    std::array<double, 3> slip{rows.velocity(1), rows.velocity(2), rows.velocity(3)};
    const bool turns = law.fingertip == Fingertip::soft && mu[0] > 0;
    const double speed = std::hypot(slip[0], slip[1], turns ? slip[2] * mu[2] / mu[0] : 0);
    contact.slides = speed > rest_;
    if (contact.slides && lasting_slip != std::array<double, 3>{}) slip = lasting_slip;
    const DeclaredMode declared = context_.obeys_declared ? law.mode : DeclaredMode::automatic;
    if (declared == DeclaredMode::roll) contact.slides = false;
    if (declared == DeclaredMode::slide) {
      const bool names_direction = law.slip[0] != 0 || law.slip[1] != 0;
      if (names_direction) slip = {law.slip[0], law.slip[1], 0};
      if (!names_direction && !contact.slides && law.static_friction > 0) {
        throw NoInstantError(fmt::format(
            "'{}' is declared to slide but is at rest: 'slip' has to say in which direction", contact.name));
      }
      contact.slides = contact.slides || names_direction;
    }
    std::array<double, 3> out{};
    const double power = std::hypot(mu[0] * slip[0], mu[1] * slip[1], mu[2] * slip[2]);
    if (!contact.slides || !(power > 0)) return out;
    for (std::size_t k = 0; k < 3; ++k) out[k] = -mu[k] * slip[k] / power;
    const double share = calc_sliding_share(context_.rules().cone, out);
    for (std::size_t k = 0; k < 3; ++k) out[k] *= mu[k] * share;
    return out;
  }

  /// Neighbours in the list that are points of the same two shapes.
  void add_patches() {
    const std::vector<InstantContact>& contacts = out_.contacts;
    for (std::size_t first = 0, end = 0; first < contacts.size(); first = end) {
      const FoundContact& place = contacts[first].place;
      for (end = first + 1; end < contacts.size(); ++end) {
        const FoundContact& next = contacts[end].place;
        if (next.shape_A != place.shape_A || next.shape_B != place.shape_B) break;
      }
      if (place.patch != PatchKind::points && end - first > 1)
        add_patch(static_cast<int>(first), static_cast<int>(end));
    }
  }

  void add_patch(int first, int end) {
    InstantPatch patch;
    Vec3<double> normal = Vec3<double>::zero();
    for (int i = first; i < end; ++i) {
      const FoundContact& place = out_.contacts[static_cast<std::size_t>(i)].place;
      patch.contacts.push_back(i);
      patch.middle += (place.p_A + place.p_B) * (0.5 / (end - first));
      normal += place.N * (1.0 / (end - first));
    }
    const FoundContact& place = out_.contacts[static_cast<std::size_t>(first)].place;
    patch.frame = {place.N, place.T, place.U};
    if (dot(normal, normal) > kNoNormal * kNoNormal)
      patch.frame = make_contact_frame(normalized(normal), is_planar(model_));
    patch.name = fmt::format("{}/{}", model_.body(place.body_A).name, model_.body(place.body_B).name);
    if (place.count > end - first) patch.name += fmt::format("#{}-{}", place.number, place.number + end - first - 1);
    out_.patches.push_back(std::move(patch));
  }

  void calc_response() {
    const RowSystem system = assemble_rows(model_, workspace_, rows_, proof_->problem);
    proof_->X = system.X;
    proof_->problem.b() = system.J * proof_->vdot_free;
    for (int i = 0; i < proof_->problem.size(); ++i) proof_->problem.b()(i) += rows_[static_cast<std::size_t>(i)].drift;
    if (!proof_->problem.A().allFinite() || !proof_->problem.b().allFinite()) {
      throw NoInstantError("forces or velocities are not finite");
    }
  }

  AssemblyContext& context_;
  const Scenario& scenario_;
  const Model& model_;
  VectorX<double> q_, v_;
  double time_;
  Workspace<double> workspace_;
  std::vector<AssembledRow> rows_;
  int part_count_ = 0;  ///< rows with z ≥ 0 so far
  std::vector<ContactRows> contact_rows_;
  double rest_ = 0;  ///< m/s
  Instant out_;
  std::shared_ptr<InstantProof> proof_ = std::make_shared<InstantProof>();
};

}  // namespace

AssembledInstant assemble_instant(AssemblyContext& context, const State& state, double time) {
  return InstantBuilder(context, state, time).build();
}

}  // namespace thenar::internal
