// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/model/model.h"

namespace thenar {

/// Builds a Model body by body; a parent is added before its children, so a cycle cannot be written.
///
///     ModelBuilder builder;
///     const BodyIndex link = builder.add_body({.name = "link", .mass = rod}, kWorld,
///                                             {.name = "hinge", .kind = JointKind::revolute});
///     const Model pendulum = std::move(builder).finalize();
///
/// Bad arguments throw std::invalid_argument with a message that names the element.
class ModelBuilder {
 public:
  struct BodySpec {
    std::string name;
    MassProperties mass{};
  };

  /// Adds a body that hangs on `parent` by `joint`. Names of bodies and of moving joints must be new.
  BodyIndex add_body(const BodySpec& body, BodyIndex parent, const JointSpec& joint);

  /// Adds a spring over several joints: K is Σ nv square, rest has Σ nq entries.
  void add_spring(const std::vector<JointIndex>& joints, const MatrixX<double>& stiffness, const VectorX<double>& rest);

  /// Adds a stop; at most one per degree of freedom and side. All bodies it speaks of must have been added.
  void add_stop(const Stop& stop);

  /// Adds a coupling; its name must be new among couplings.
  void add_coupling(const Coupling& coupling);

  void set_gravity(const Vector3<double>& gravity) { model_.gravity_ = gravity; }

  /// Joint of a body added before; not for the world.
  JointIndex joint_of(BodyIndex body) const { return model_.body(body).joint; }

  Model finalize() &&;

 private:
  void check_names(const BodySpec& body, const JointSpec& joint) const;
  void add_links(Body& body, Joint& joint);
  int add_link(LinkKind kind, int parent, const Pose<double>& X_PF, const Joint& joint, int dof_offset, int dof_count);
  void weld(Body& body, const Joint& joint);
  void check_coordinate(int dof, const std::string& what) const;
  void check_function(const CoordinateFunction& function, const std::string& what) const;

  Model model_;
  std::vector<MassProperties> link_mass_{MassProperties{}};  ///< per link, in L
};

}  // namespace thenar
