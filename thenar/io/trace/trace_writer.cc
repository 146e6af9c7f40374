// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/trace_writer.h"

#include <fmt/format.h>

#include <array>
#include <system_error>

#include "thenar/io/text/text_file.h"
#include "thenar/io/trace/trace_scene.h"
#include "thenar/spatial/rotation.h"

namespace thenar {
namespace {

constexpr std::array<const char*, 7> kFreePosition{"x", "y", "z", "qw", "qx", "qy", "qz"};
constexpr std::array<const char*, 6> kFreeVelocity{"wx", "wy", "wz", "vx", "vy", "vz"};
constexpr std::array<const char*, 3> kPlanar{"x", "y", "yaw"};

/// Adds the columns of one joint: "q.wrist", or "q.wrist.0", "q.wrist.1", …, or "q.box.x", ….
void add_columns(const Model& model, const Joint& joint, char quantity, int count, std::vector<std::string>& out) {
  const std::string prefix = quantity == 't' ? "tau" : std::string(1, quantity);
  const std::string& body = model.body(joint.child).name;
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

std::vector<std::string> position_columns(const Model& model) {
  std::vector<std::string> out;
  for (const Joint& joint : model.joints()) add_columns(model, joint, 'q', joint.nq, out);
  return out;
}

std::vector<std::string> trace_columns(const Scenario& scenario) {
  const Model& model = scenario.model;
  const std::vector<bool> has_effort = find_joints_with_effort(scenario);
  std::vector<std::string> out{"t"};
  for (std::string& column : position_columns(model)) out.push_back(std::move(column));
  for (const Joint& joint : model.joints()) add_columns(model, joint, 'v', joint.nv, out);
  for (int i = 0; i < model.joint_count(); ++i) {
    const Joint& joint = model.joint(JointIndex(i));
    if (has_effort[static_cast<std::size_t>(i)]) add_columns(model, joint, 't', joint.nv, out);
  }
  return out;
}

TraceWriter::TraceWriter(const Scenario& scenario, const std::filesystem::path& folder, const FileSizes& kept)
    : scenario_(&scenario),
      states_(folder, "states.csv", fmt::format("{}", fmt::join(trace_columns(scenario), ",")),
              find_size(kept, "states.csv")),
      energy_(folder, "energy.csv", kEnergyHeader, find_size(kept, "energy.csv")),
      scene_path_(folder / "scene.json"),
      workspace_(scenario.model),
      has_effort_(find_joints_with_effort(scenario)) {
  for (const Joint& joint : scenario.model.joints()) needs_kinematics_ |= is_offset_free_joint(joint);
  if (scenario.contacts) {
    contacts_.emplace(folder, "contacts.csv", kContactHeader, find_size(kept, "contacts.csv"));
    frames_.emplace(folder, "contact_frames.csv", kContactFrameHeader, find_size(kept, "contact_frames.csv"));
  } else {
    std::error_code ignored;
    std::filesystem::remove(folder / "contacts.csv", ignored);
    std::filesystem::remove(folder / "contact_frames.csv", ignored);
  }
  write_file(scene_path_, scene_json(scenario));
}

bool TraceWriter::write(const Sample& sample) {
  append_state(sample);
  append_energy(sample);
  if (contacts_) append_contacts(sample);
  bool is_good = states_.end_row();
  is_good &= energy_.end_row();
  if (contacts_) is_good &= contacts_->end_row();
  if (frames_) is_good &= frames_->end_row();
  return is_good;
}

bool TraceWriter::finish() {
  bool is_good = states_.flush();
  is_good &= energy_.flush();
  if (contacts_) is_good &= contacts_->flush();
  if (frames_) is_good &= frames_->flush();
  return is_good;
}

void TraceWriter::add_sizes(FileSizes& sizes) {
  finish();
  for (const RowFile* file : {&states_, &energy_}) sizes[file->path().filename().string()] = file->size();
  for (const std::optional<RowFile>* file : {&contacts_, &frames_}) {
    if (*file) sizes[(*file)->path().filename().string()] = (*file)->size();
  }
}

const std::string& TraceWriter::error() const {
  if (!states_.error().empty()) return states_.error();
  for (const std::optional<RowFile>* file : {&contacts_, &frames_}) {
    if (*file && !(*file)->error().empty()) return (*file)->error();
  }
  return energy_.error();
}

std::optional<std::filesystem::path> TraceWriter::contacts_path() const {
  return contacts_ ? std::optional(contacts_->path()) : std::nullopt;
}

std::optional<std::filesystem::path> TraceWriter::contact_frames_path() const {
  return frames_ ? std::optional(frames_->path()) : std::nullopt;
}

void TraceWriter::append_state(const Sample& sample) {
  if (needs_kinematics_) {
    update_positions(scenario_->model, sample.state.q.data(), workspace_);
    update_velocities(scenario_->model, sample.state.v.data(), workspace_);
  }
  states_.append(sample.state.t);
  append_positions(sample);
  append_velocities(sample);
  append_efforts(sample);
  states_.end_line();
}

void TraceWriter::append_positions(const Sample& sample) {
  const Model& model = scenario_->model;
  for (const Joint& joint : model.joints()) {
    if (is_offset_free_joint(joint)) {
      const Placement<double> X_WB = calc_body_pose(model, workspace_, joint.child);
      for (const double p : {X_WB.p.x, X_WB.p.y, X_WB.p.z}) states_.append(p);
      for (const double q : quaternion_from_rotation(X_WB.R.eigen())) states_.append(q);
      continue;
    }
    for (int i = joint.q_start; i < joint.q_start + joint.nq; ++i) states_.append(sample.state.q(i));
  }
}

void TraceWriter::append_velocities(const Sample& sample) {
  const Model& model = scenario_->model;
  for (const Joint& joint : model.joints()) {
    if (is_offset_free_joint(joint)) {
      const Motion<double> V = calc_point_velocity(model, workspace_, joint.child, Vec3<double>::zero());
      for (const double x : {V.angular.x, V.angular.y, V.angular.z, V.linear.x, V.linear.y, V.linear.z})
        states_.append(x);
      continue;
    }
    for (int i = joint.v_start; i < joint.v_start + joint.nv; ++i) states_.append(sample.state.v(i));
  }
}

void TraceWriter::append_efforts(const Sample& sample) {
  for (int k = 0; k < scenario_->model.joint_count(); ++k) {
    if (!has_effort_[static_cast<std::size_t>(k)]) continue;
    const Joint& joint = scenario_->model.joint(JointIndex(k));
    for (int i = joint.v_start; i < joint.v_start + joint.nv; ++i) states_.append(sample.tau(i));
  }
}

void TraceWriter::append_energy(const Sample& sample) {
  const EnergySample& energy = sample.energy;
  for (const double x : {sample.state.t, energy.kinetic, energy.potential, energy.work, energy.dissipated,
                         energy.layers, energy.switched, energy.corrected}) {
    energy_.append(x);
  }
  energy_.end_line();
}

void TraceWriter::append_contacts(const Sample& sample) {
  for (const Contact& contact : sample.contacts) {
    contacts_->append(sample.state.t);
    contacts_->append(contact.name);
    contacts_->append(to_string(contact.mode));
    contacts_->append(contact.gap);
    const ContactForce& f = contact.force_on_A;
    for (const double part : {f.normal, f.along_T, f.along_U, f.torsion}) contacts_->append(part);
    for (const auto& pair : {contact.slip, contact.u_A, contact.u_B}) {
      for (const double x : pair) contacts_->append(x);
    }
    contacts_->append(contact.psi);
    contacts_->append(contact.margin);
    contacts_->end_line();
    append_frame(sample.state.t, contact);
  }
}

void TraceWriter::append_frame(double t, const Contact& contact) {
  frames_->append(t);
  frames_->append(contact.name);
  frames_->append(contact.friction);
  for (const Vec3<double>& a : {contact.point_A, contact.N, contact.T}) {
    for (const double x : {a.x, a.y, a.z}) frames_->append(x);
  }
  frames_->end_line();
}

}  // namespace thenar
