// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulation/scenario_fingerprint_internal.h"

#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "thenar/geometry/core.h"

namespace thenar::internal {

std::uint64_t hash_bytes(const void* from, std::size_t count, std::uint64_t start) {
  constexpr std::uint64_t kPrime = 1099511628211u;
  const auto* bytes = static_cast<const unsigned char*>(from);
  std::uint64_t hash = start;
  for (; count >= sizeof(std::uint64_t); count -= sizeof(std::uint64_t), bytes += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 29;
  }
  for (; count > 0; --count, ++bytes) hash = (hash ^ *bytes) * kPrime;
  return hash;
}

namespace {

class Fingerprint {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void add(T value) { hash_ = hash_bytes(&value, sizeof value, hash_); }
  void add(std::string_view text) {
    add(text.size());
    hash_ = hash_bytes(text.data(), text.size(), hash_);
  }
  template <class Derived>
  void add(const Eigen::MatrixBase<Derived>& matrix) {
    add(matrix.rows());
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      for (Eigen::Index i = 0; i < matrix.rows(); ++i) add(matrix(i, j));
    }
  }
  void add(const Vec3<double>& v) { add(v.eigen()); }
  void add(const std::array<Expression, 3>& three) {
    for (const Expression& e : three) add(e.text());
  }
  void add(const std::optional<double>& number) { add(number.has_value()), add(number.value_or(0)); }
  void add(const std::vector<BodyIndex>& bodies) {
    add(bodies.size());
    for (const BodyIndex body : bodies) add(body.value());
  }
  void add(const CoordinateFunction& function) {
    add(function.value.text());
    add(function.dofs.size());
    for (const int dof : function.dofs) add(dof);
  }
  void add(const Model& model);
  void add(const ContactLaw& law);
  void add(const ContactRules& rules);
  void add(const ImpactOptions& impact);
  void add(const RunOptions& run);

  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = kHashStart;
};

void Fingerprint::add(const Model& model) {
  for (const Body& body : model.bodies()) {
    add(body.name);
    add(body.mass.mass);
    add(body.mass.com);
    const Symmetric3<double>& I = body.mass.inertia;
    for (const double moment : {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}) add(moment);
  }
  for (const Joint& joint : model.joints()) {
    add(joint.spec.name);
    add(joint.spec.kind);
    add(joint.spec.X_PF.p);
    add(joint.spec.X_PF.R);
    add(joint.spec.X_BM.p);
    add(joint.spec.X_BM.R);
    add(joint.spec.axis);
    add(joint.spec.second_axis);
    add(joint.spec.offset);
    add(joint.spec.locked);
  }
  for (const VectorX<double>* per_dof :
       {&model.damping(), &model.armature(), &model.dry_friction(), &model.effort_limit()}) {
    add(*per_dof);
  }
  add(model.gravity());
  add(model.springs().size());
  for (const Spring& spring : model.springs()) {
    for (const JointIndex joint : spring.joints) add(joint.value());
    add(spring.stiffness);
    add(spring.rest);
  }
  add(model.stops().size());
  for (const Stop& stop : model.stops()) {
    add(stop.dof);
    add(stop.side);
    add(stop.bound);
    add(stop.restitution);
  }
  add(model.couplings().size());
  for (const Coupling& coupling : model.couplings()) {
    add(coupling.dof);
    add(coupling.value);
  }
}

void Fingerprint::add(const ContactLaw& law) {
  add(law.fingertip);
  add(law.friction);
  add(law.static_friction);
  add(law.torsion);
  add(law.restitution.is_constant() ? law.restitution.value() : 0.0);
  add(law.restitution.text());
  add(law.mode);
  for (const double direction : law.slip) add(direction);
  add(law.model);
  add(law.starts_loaded);
  add(law.layer.kind);
  add(law.layer.scale);
  add(law.layer.mass);
  add(law.layer.time);
  const LayerConstants& layer = law.layer.constants;
  for (const double number : {layer.stiffness, layer.damping, layer.shear_stiffness, layer.shear_damping,
                              law.layer.exponent, law.layer.dissipation}) {
    add(number);
  }
}

void Fingerprint::add(const ContactRules& rules) {
  add(rules.law);
  add(rules.cone.kind);
  add(rules.cone.faces);
  add(rules.all_pairs);
  add(rules.pairs.size());
  for (const PairRule& rule : rules.pairs) {
    add(rule.a);
    add(rule.b);
    add(rule.law);
  }
  for (const BodyGroups& groups : rules.excluded) {
    add(groups.a);
    add(groups.b);
  }
  add(rules.margin);
}

void Fingerprint::add(const ImpactOptions& impact) {
  add(impact.law);
  add(impact.treatment);
  add(impact.cap_energy);
  add(impact.tolerance);
  add(impact.most_impacts);
}

void Fingerprint::add(const RunOptions& run) {
  add(run.engine);
  add(run.until);
  add(run.sample);
  add(run.integrator);
  add(run.tolerance);
  add(run.step.value_or(0));
  add(run.on_indeterminate);
  add(run.baumgarte.value_or(0));
}

}  // namespace

std::uint64_t calc_fingerprint(const Scenario& scenario) {
  Fingerprint out;
  out.add(scenario.model);
  out.add(scenario.initial.q);
  out.add(scenario.initial.v);
  for (const TorqueProfile& torque : scenario.torques) {
    out.add(torque.dof);
    out.add(torque.value.text());
  }
  for (const ControlEntry& entry : scenario.controls) {
    out.add(entry.law->kind());
    out.add(entry.rate.value_or(0));
  }
  for (const WrenchProfile& wrench : scenario.wrenches) {
    out.add(wrench.body.value());
    out.add(wrench.point_B);
    out.add(wrench.in_world_axes);
    out.add(wrench.force);
    out.add(wrench.torque);
  }
  for (const BodyShape& shape : scenario.shapes) {
    const GrownCore core = make_core(shape.shape);
    out.add(shape.body.value());
    out.add(core.core.kind);
    out.add(core.core.size);
    out.add(core.radius);
    out.add(shape.X_BS.p);
    out.add(shape.X_BS.R);
  }
  out.add(scenario.contacts.has_value());
  if (scenario.contacts) out.add(*scenario.contacts);
  out.add(scenario.impact);
  out.add(scenario.run);
  if (scenario.source) out.add(scenario.source->fingerprint());
  return out.value();
}

}  // namespace thenar::internal
