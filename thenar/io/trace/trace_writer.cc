// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/trace_writer.h"

#include <fmt/format.h>

#include <array>
#include <system_error>

#include "thenar/dynamics/kinematics.h"
#include "thenar/io/text/row_file.h"
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

/// What grows by the rows, and room for poses of bodies.
struct TraceWriter::Files {
  Files(const Scenario& scenario, const std::filesystem::path& folder, const FileSizes& kept)
      : states(folder, "states.csv", fmt::format("{}", fmt::join(trace_columns(scenario), ",")),
               find_size(kept, "states.csv")),
        energy(folder, "energy.csv", kEnergyHeader, find_size(kept, "energy.csv")),
        workspace(scenario.model) {
    if (!scenario.contacts) return;
    contacts.emplace(folder, "contacts.csv", kContactHeader, find_size(kept, "contacts.csv"));
    frames.emplace(folder, "contact_frames.csv", kContactFrameHeader, find_size(kept, "contact_frames.csv"));
  }

  RowFile states, energy;
  std::optional<RowFile> contacts, frames;
  Workspace<double> workspace;
};

TraceWriter::TraceWriter(const Scenario& scenario, const std::filesystem::path& folder, const FileSizes& kept)
    : scenario_(&scenario),
      files_(std::make_unique<Files>(scenario, folder, kept)),
      scene_path_(folder / "scene.json"),
      has_effort_(find_joints_with_effort(scenario)) {
  for (const Joint& joint : scenario.model.joints()) needs_kinematics_ |= is_offset_free_joint(joint);
  if (!scenario.contacts) {
    std::error_code ignored;
    std::filesystem::remove(folder / "contacts.csv", ignored);
    std::filesystem::remove(folder / "contact_frames.csv", ignored);
  }
  write_file(scene_path_, scene_json(scenario));
}

TraceWriter::~TraceWriter() = default;

const std::filesystem::path& TraceWriter::path() const { return files_->states.path(); }
const std::filesystem::path& TraceWriter::energy_path() const { return files_->energy.path(); }

bool TraceWriter::write(const Sample& sample) {
  append_state(sample);
  append_energy(sample);
  if (files_->contacts) append_contacts(sample);
  bool is_good = files_->states.end_row();
  is_good &= files_->energy.end_row();
  if (files_->contacts) is_good &= files_->contacts->end_row();
  if (files_->frames) is_good &= files_->frames->end_row();
  return is_good;
}

bool TraceWriter::finish() {
  bool is_good = files_->states.flush();
  is_good &= files_->energy.flush();
  if (files_->contacts) is_good &= files_->contacts->flush();
  if (files_->frames) is_good &= files_->frames->flush();
  return is_good;
}

void TraceWriter::add_sizes(FileSizes& sizes) {
  finish();
  for (const RowFile* file : {&files_->states, &files_->energy}) sizes[file->path().filename().string()] = file->size();
  for (const std::optional<RowFile>* file : {&files_->contacts, &files_->frames}) {
    if (*file) sizes[(*file)->path().filename().string()] = (*file)->size();
  }
}

const std::string& TraceWriter::error() const {
  if (!files_->states.error().empty()) return files_->states.error();
  for (const std::optional<RowFile>* file : {&files_->contacts, &files_->frames}) {
    if (*file && !(*file)->error().empty()) return (*file)->error();
  }
  return files_->energy.error();
}

std::optional<std::filesystem::path> TraceWriter::contacts_path() const {
  return files_->contacts ? std::optional(files_->contacts->path()) : std::nullopt;
}

std::optional<std::filesystem::path> TraceWriter::contact_frames_path() const {
  return files_->frames ? std::optional(files_->frames->path()) : std::nullopt;
}

void TraceWriter::append_state(const Sample& sample) {
  if (needs_kinematics_) {
    update_positions(scenario_->model, sample.state.q.data(), files_->workspace);
    update_velocities(scenario_->model, sample.state.v.data(), files_->workspace);
  }
  files_->states.append(sample.state.t);
  append_positions(sample);
  append_velocities(sample);
  append_efforts(sample);
  files_->states.end_line();
}

void TraceWriter::append_positions(const Sample& sample) {
  const Model& model = scenario_->model;
  for (const Joint& joint : model.joints()) {
    if (is_offset_free_joint(joint)) {
      const Placement<double> X_WB = calc_body_pose(model, files_->workspace, joint.child);
      for (const double p : {X_WB.p.x, X_WB.p.y, X_WB.p.z}) files_->states.append(p);
      for (const double q : quaternion_from_rotation(X_WB.R.eigen())) files_->states.append(q);
      continue;
    }
    for (int i = joint.q_start; i < joint.q_start + joint.nq; ++i) files_->states.append(sample.state.q(i));
  }
}

void TraceWriter::append_velocities(const Sample& sample) {
  const Model& model = scenario_->model;
  for (const Joint& joint : model.joints()) {
    if (is_offset_free_joint(joint)) {
      const Motion<double> V = calc_point_velocity(model, files_->workspace, joint.child, Vec3<double>::zero());
      for (const double x : {V.angular.x, V.angular.y, V.angular.z, V.linear.x, V.linear.y, V.linear.z})
        files_->states.append(x);
      continue;
    }
    for (int i = joint.v_start; i < joint.v_start + joint.nv; ++i) files_->states.append(sample.state.v(i));
  }
}

void TraceWriter::append_efforts(const Sample& sample) {
  for (int k = 0; k < scenario_->model.joint_count(); ++k) {
    if (!has_effort_[static_cast<std::size_t>(k)]) continue;
    const Joint& joint = scenario_->model.joint(JointIndex(k));
    for (int i = joint.v_start; i < joint.v_start + joint.nv; ++i) files_->states.append(sample.tau(i));
  }
}

void TraceWriter::append_energy(const Sample& sample) {
  const EnergySample& energy = sample.energy;
  for (const double x : {sample.state.t, energy.kinetic, energy.potential, energy.work, energy.dissipated,
                         energy.layers, energy.switched, energy.corrected}) {
    files_->energy.append(x);
  }
  files_->energy.end_line();
}

void TraceWriter::append_contacts(const Sample& sample) {
  for (const Contact& contact : sample.contacts) {
    files_->contacts->append(sample.state.t);
    files_->contacts->append(contact.name);
    files_->contacts->append(to_string(contact.mode));
    files_->contacts->append(contact.gap);
    const ContactForce& f = contact.force_on_A;
    for (const double part : {f.normal, f.along_T, f.along_U, f.torsion}) files_->contacts->append(part);
    for (const auto& pair : {contact.slip, contact.u_A, contact.u_B}) {
      for (const double x : pair) files_->contacts->append(x);
    }
    files_->contacts->append(contact.psi);
    files_->contacts->append(contact.margin);
    files_->contacts->end_line();
    append_frame(sample.state.t, contact);
  }
}

void TraceWriter::append_frame(double t, const Contact& contact) {
  files_->frames->append(t);
  files_->frames->append(contact.name);
  files_->frames->append(contact.friction);
  for (const Vec3<double>& a : {contact.point_A, contact.N, contact.T}) {
    for (const double x : {a.x, a.y, a.z}) files_->frames->append(x);
  }
  files_->frames->end_line();
}

}  // namespace thenar
