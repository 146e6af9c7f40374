// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace_writer.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "thenar/spatial/rotation.h"

namespace thenar {
namespace {

/// Rows are handed to the system in groups of this many, always whole ones.
constexpr int kRowsPerWrite = 64;

constexpr std::array<const char*, 7> kFreePosition{"x", "y", "z", "qw", "qx", "qy", "qz"};
constexpr std::array<const char*, 6> kFreeVelocity{"wx", "wy", "wz", "vx", "vy", "vz"};
constexpr std::array<const char*, 3> kPlanar{"x", "y", "yaw"};

/// Adds the columns of one joint: "q.wrist", or "q.wrist.0", "q.wrist.1", …, or "q.box.x", ….
void add_columns(const Scenario& scenario, const Joint& joint, char quantity, int count,
                 std::vector<std::string>& out) {
  const std::string prefix = quantity == 't' ? "tau" : std::string(1, quantity);
  const std::string& body = scenario.model.body(joint.child).name;
  for (int i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (joint.spec.kind == JointKind::free) {
      out.push_back(fmt::format("{}.{}.{}", prefix, body, quantity == 'q' ? kFreePosition[k] : kFreeVelocity[k]));
    } else if (joint.spec.kind == JointKind::planar) {
      out.push_back(fmt::format("{}.{}.{}", prefix, body, kPlanar[k]));
    } else {
      out.push_back(count == 1 ? fmt::format("{}.{}", prefix, joint.spec.name)
                               : fmt::format("{}.{}.{}", prefix, joint.spec.name, i));
    }
  }
}

/// Per joint: whether the trace has columns for the efforts of its actuators.
std::vector<bool> find_joints_with_effort(const Scenario& scenario) {
  std::vector<bool> has_effort;
  for (const Joint& joint : scenario.model.joints()) {
    const bool floats = joint.spec.kind == JointKind::free || joint.spec.kind == JointKind::planar;
    has_effort.push_back(joint.nv > 0 && !floats);
  }
  for (const TorqueProfile& torque : scenario.torques) {
    has_effort[static_cast<std::size_t>(scenario.model.dof_joint(torque.dof))] = true;
  }
  return has_effort;
}

/// A free joint whose coordinates are not already those of the body in world axes.
bool is_offset_free_joint(const Joint& joint) {
  return joint.spec.kind == JointKind::free &&
         (joint.parent != kWorld || !joint.spec.X_PF.R.isIdentity(0) || !joint.spec.X_PF.p.isZero(0) ||
          !joint.spec.X_BM.R.isIdentity(0) || !joint.spec.X_BM.p.isZero(0));
}

}  // namespace

std::vector<std::string> trace_columns(const Scenario& scenario) {
  const std::vector<bool> has_effort = find_joints_with_effort(scenario);
  std::vector<std::string> out{"t"};
  for (const Joint& joint : scenario.model.joints()) add_columns(scenario, joint, 'q', joint.nq, out);
  for (const Joint& joint : scenario.model.joints()) add_columns(scenario, joint, 'v', joint.nv, out);
  for (int i = 0; i < scenario.model.joint_count(); ++i) {
    const Joint& joint = scenario.model.joint(JointIndex(i));
    if (has_effort[static_cast<std::size_t>(i)]) add_columns(scenario, joint, 't', joint.nv, out);
  }
  return out;
}

TraceWriter::TraceWriter(const Scenario& scenario, const std::filesystem::path& folder)
    : scenario_(&scenario),
      file_(folder, "states.csv"),
      workspace_(scenario.model),
      has_effort_(find_joints_with_effort(scenario)) {
  for (const Joint& joint : scenario.model.joints()) needs_kinematics_ |= is_offset_free_joint(joint);
  buffer_ = fmt::format("{}\n", fmt::join(trace_columns(scenario), ","));
  if (!flush()) throw std::runtime_error(error());
}

bool TraceWriter::write(const Sample& sample) {
  const Model& model = scenario_->model;
  if (needs_kinematics_) {
    update_positions(model, sample.state.q.data(), workspace_);
    update_velocities(model, sample.state.v.data(), workspace_);
  }
  append(sample.state.t);
  append_positions(sample);
  append_velocities(sample);
  append_efforts(sample);
  buffer_.back() = '\n';
  ++buffered_rows_;
  return buffered_rows_ < kRowsPerWrite || flush();
}

bool TraceWriter::finish() { return flush(); }

void TraceWriter::append_positions(const Sample& sample) {
  const Model& model = scenario_->model;
  for (const Joint& joint : model.joints()) {
    if (is_offset_free_joint(joint)) {
      const Placement<double> X_WB = calc_body_pose(model, workspace_, joint.child);
      for (const double p : {X_WB.p.x, X_WB.p.y, X_WB.p.z}) append(p);
      for (const double q : quaternion_from_rotation(X_WB.R.eigen())) append(q);
      continue;
    }
    for (int i = joint.q_start; i < joint.q_start + joint.nq; ++i) append(sample.state.q(i));
  }
}

void TraceWriter::append_velocities(const Sample& sample) {
  const Model& model = scenario_->model;
  for (const Joint& joint : model.joints()) {
    if (is_offset_free_joint(joint)) {
      const Motion<double> V = calc_point_velocity(model, workspace_, joint.child, Vec3<double>::zero());
      for (const double x : {V.angular.x, V.angular.y, V.angular.z, V.linear.x, V.linear.y, V.linear.z}) append(x);
      continue;
    }
    for (int i = joint.v_start; i < joint.v_start + joint.nv; ++i) append(sample.state.v(i));
  }
}

void TraceWriter::append_efforts(const Sample& sample) {
  for (int k = 0; k < scenario_->model.joint_count(); ++k) {
    if (!has_effort_[static_cast<std::size_t>(k)]) continue;
    const Joint& joint = scenario_->model.joint(JointIndex(k));
    for (int i = joint.v_start; i < joint.v_start + joint.nv; ++i) append(sample.tau(i));
  }
}

void TraceWriter::append(double value) {
  append_number(value, buffer_);
  buffer_ += ',';
}

bool TraceWriter::flush() {
  if (!file_.write(buffer_)) return false;
  buffer_.clear();
  buffered_rows_ = 0;
  return true;
}

}  // namespace thenar
