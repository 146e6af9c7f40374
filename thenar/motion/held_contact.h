// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A contact that holds while the motion goes on: its bodies stay in touch, and roll on each other or slide. Its place
/// is followed over both surfaces (gap_function.h); the rows that hold are
///
///     smooth    the normal                                   no friction
///     rolling   the normal, both tangents                    and the rotation about N of a soft fingertip
///     sliding   the normal, with friction rₖ per unit of normal force in the tangents, rₖ = −μₖ² uₖ / |μ u| (YY 5),
///               or less on a k-gon (calc_sliding_share)
///
/// A row without any joint that could move it is left out. Rows have J, velocity = J v and acceleration = J v̇ + drift.
///
/// **Slip.** Friction follows the slip u, whose direction is not defined where slip comes to rest, which is an event.
/// So that a step can reach beyond it, the direction is taken on the side of the slip at the last anchor: with its
/// direction d, friction acts along u sign(u · d) + ε d, the second term as long as u is not much larger than ε. Where
/// slip goes through 0 in a straight line this continues it smoothly, and `slip_along()` = u · d changes sign. ε, a
/// speed that counts as none, keeps rounding from turning friction about where slip begins.

#include <array>
#include <string>

#include "thenar/contact/contact_rows.h"

namespace thenar {

enum class ContactHold : std::uint8_t { smooth, rolling, sliding };

/// The word used in files and messages.
const char* to_string(ContactHold hold);

class HeldContact {
 public:
  /// The contact as the finder has it at its last update; `no_slip` is ε, m/s. A frictionless law is smooth whatever
  /// `hold` says. The model must outlive it; positions in the workspace are those of the finder's update. Throws
  /// std::runtime_error if its features do not face each other.
  HeldContact(const Model& model, const Workspace<double>& workspace, const ContactFinder& finder,
              const FoundContact& contact, const ContactLaw& law, ContactHold hold, double no_slip);

  /// One that a snapshot holds.
  HeldContact(const Model& model, const LawTable& laws, StateReader& reader);
  template <class Archive>
  void archive(Archive& a);

  const std::string& name() const { return name_; }
  const FoundContact& found() const { return found_; }  ///< where it began
  const ContactLaw& law() const { return law_; }
  ContactHold hold() const { return hold_; }

  /// Goes on in another way, from where it is.
  void set_hold(ContactHold hold);
  void set_name(std::string name) { name_ = std::move(name); }
  /// How friction is bounded; a circle at first.
  void set_cone(const FrictionCone& cone) { cone_ = cone; }

  /// Place, rows and velocities at the positions and velocities of the workspace. False if the surfaces do not face
  /// each other there. The place is followed from that of the last update, or from the anchor where that was led
  /// astray: a rim has a second place, across it, whose normals look inward, and meets an edge in two.
  bool update(const Workspace<double>& workspace);
  /// Of a contact that begins to slide from rest: the direction of its slip along T, U and about N (m/s², rad/s²).
  void begin_slip(const std::array<double, 3>& direction);
  /// The place, frame and slip of the last update() are where the next step begins.
  void anchor();
  /// The next update follows the contact from there, wherever the last one has led.
  void return_to_anchor() { gap_ = anchor_gap_; }

  /// How far the place is beyond the limits of its features, of a length `size` (m) and in rad; 0 within.
  double calc_exit(const Workspace<double>& workspace, double size) const;

  /// Whether no joint can press its bodies together (a planar body on its plane).
  bool is_immovable() const;

  double gap() const { return gap_.gap(); }  ///< m
  const ContactFrame<double>& frame() const { return frame_; }
  const GapFunction<double>& kinematics() const { return gap_; }

  /// Linear N, T, U, then angular N, T, U: J (6 × nv), J v, and the acceleration without v̇.
  const MatrixX<double>& J() const { return motion_.J; }
  const Eigen::Matrix<double, 6, 1>& velocity() const { return motion_.velocity; }
  const Eigen::Matrix<double, 6, 1>& drift() const { return motion_.drift; }

  /// Rows of J that hold, the normal first.
  int row_count() const { return row_count_; }
  int row(int k) const { return rows_[static_cast<std::size_t>(k)]; }
  /// Rows of J along which it could slip, whether it does or not: 1, 2 and 3 (about N).
  int tangent_count() const { return tangent_count_; }
  int tangent(int k) const { return tangents_[static_cast<std::size_t>(k)]; }
  /// The largest friction along that row per unit of normal force, at rest.
  double calc_friction_limit(int row) const { return row == 3 ? law_.torsion : law_.static_friction; }
  /// Friction along T, U and about N per unit of normal force of a contact that slides; else 0.
  const std::array<double, 3>& friction_ratio() const { return ratio_; }
  /// The slip along T, U and about N that this friction opposes, m/s and rad/s.
  std::array<double, 3> calc_opposed_slip() const;
  /// How that changes with the slip along T, U and about N; it is large where slip is slow, 1/|u|.
  Matrix3<double> calc_friction_slope() const;
  /// Slip as friction sees it, spin of a soft fingertip included, m/s.
  double calc_slip_speed() const;
  /// Slip along its direction at the last anchor, m/s; negative where it has turned round since.
  double slip_along() const { return slip_along_; }
  /// And across it, m/s.
  double calc_slip_across() const;
  /// That direction, of μ u, a unit vector; 0 of what does not slide.
  const std::array<double, 3>& slip_direction() const { return slip_direction_; }
  double no_slip() const { return no_slip_; }

 private:
  /// A feature on a shape of a body.
  struct Side {
    BodyIndex body;
    GrownCore core;
    Pose<double> X_BS;
    int feature = 0;
    bool is_pinned = false, is_rim = false;
  };
  Outside calc_outside(const Workspace<double>& workspace, const Side& side,
                       const ContactElement<double>& element) const;
  double find_place(const Workspace<double>& workspace);
  bool find_best_place(const Workspace<double>& workspace);
  /// The contact normal in the axes of either body.
  struct BodyNormals {
    Vec3<double> A, B;
  };
  BodyNormals calc_body_normals(const Workspace<double>& workspace, const Vec3<double>& N) const;
  double calc_travel() const;
  void find_tangents();
  void choose_rows();
  std::array<double, 3> calc_friction_power(const std::array<double, 3>& slip) const;
  Vector3<double> calc_friction_direction() const;
  std::array<double, 3> slip() const { return {velocity()(1), velocity()(2), velocity()(3)}; }
  void update_friction();

  const Model* model_;
  std::string name_;
  FoundContact found_;
  ContactLaw law_;
  FrictionCone cone_;
  ContactHold hold_;
  GapFunction<double> gap_, anchor_gap_;  ///< as it is, and at the anchor
  Side A_, B_;
  ContactFrame<double> frame_, anchor_frame_;
  BodyNormals normals_{}, anchor_normals_{};  ///< of rims
  ContactRows motion_;
  int row_count_ = 1, tangent_count_ = 0;
  std::array<int, 4> rows_{};
  std::array<int, 3> tangents_{};
  std::array<double, 3> ratio_{};
  std::array<double, 3> slip_direction_{};  ///< of μ u at the anchor, a unit vector
  double slip_along_ = 0;
  double no_slip_ = 0;
  bool is_rim_on_face_ = false;
};

}  // namespace thenar
