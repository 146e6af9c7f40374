// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/instant_reader_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/contact/contact_tolerances.h"

namespace thenar::internal {
namespace {

/// Accelerations below this part of the numbers that they are the sum of are zero.
constexpr double kNoAcceleration = 1e-9;

/// Components of a direction below this are rounding.
constexpr double kNoDirection = 1e-9;

double calc_acceleration(const ContactRows& rows, int row, const VectorX<double>& vdot) {
  return (rows.J.row(row) * vdot).value() + rows.drift(row);
}

/// The unit vector along T and U of a motion over the rows.
std::array<double, 2> find_direction(const InstantContact& contact, const VectorX<double>& motion) {
  std::array<double, 2> out{};
  for (std::size_t k = 0; k < 2; ++k) {
    if (contact.tangent_rows[k] >= 0) out[k] = motion(contact.tangent_rows[k]);
  }
  const double length = std::hypot(out[0], out[1]);
  const bool is_zero = !(length > kNoDirection * motion.lpNorm<Eigen::Infinity>());
  for (double& part : out) part = !is_zero && std::abs(part) > kNoDirection * length ? part / length : 0;
  return out;
}

}  // namespace

InstantCell CellReader::read(std::size_t number) {
  const ModeCell& cell = instant_.proof->answer.cells[number];
  InstantCell out;
  out.number = number;
  out.vdot = instant_.proof->vdot_free + instant_.proof->X * cell.z;
  load_ = instant_.proof->vdot_free.cwiseAbs() + instant_.proof->X.cwiseAbs() * calc_force_sizes(cell.z);
  out.motion_unique = cell.motion_unique;
  out.forces_unique = cell.forces_unique;
  for (std::size_t i = 0; i < instant_.contacts.size(); ++i) {
    const InstantContact& contact = instant_.contacts[i];
    out.modes.push_back(find_mode(i, cell, out.vdot));
    std::array<double, 4> force{contact.row < 0 ? 0 : cell.z(contact.row)};
    for (std::size_t k = 0; k < 3; ++k) {
      if (contact.tangent_rows[k] >= 0) force[k + 1] = cell.z(contact.tangent_rows[k]);
    }
    out.forces.push_back(force);
    out.slip.push_back(find_slip(i, out.modes.back(), out.vdot));
  }
  return out;
}

/// |z|; of the rows of a contact the largest of them, since a component that cancels leaves the rounding of the others.
VectorX<double> CellReader::calc_force_sizes(const VectorX<double>& z) const {
  VectorX<double> out = z.cwiseAbs();
  for (const InstantContact& contact : instant_.contacts) {
    double largest = 0;
    const std::array<int, 4> rows{contact.row, contact.tangent_rows[0], contact.tangent_rows[1],
                                  contact.tangent_rows[2]};
    for (const int row : rows) largest = row < 0 ? largest : std::max(largest, out(row));
    for (const int row : rows) {
      if (row >= 0) out(row) = largest;
    }
  }
  return out;
}

ContactMode CellReader::find_mode(std::size_t i, const ModeCell& cell, const VectorX<double>& vdot) const {
  const InstantContact& contact = instant_.contacts[i];
  if (contact.row < 0) return ContactMode::open;
  const ContactState state = cell.states[static_cast<std::size_t>(contact.part)];
  if (state == ContactState::open) return ContactMode::open;
  if (state == ContactState::slide || contact.slides) return ContactMode::slide;
  if (slips_without_friction(i, vdot)) return ContactMode::slide;
  const bool turns = moves(rows_[i], 4, vdot) || moves(rows_[i], 5, vdot);
  return turns ? ContactMode::roll : ContactMode::stick;
}

/// A contact without friction has no tangent rows; its slip is told by velocity and acceleration.
bool CellReader::slips_without_friction(std::size_t i, const VectorX<double>& vdot) const {
  const InstantContact& contact = instant_.contacts[i];
  if (contact.tangent_rows[0] >= 0 || contact.tangent_rows[1] >= 0) return false;
  return moves(rows_[i], 1, vdot) || moves(rows_[i], 2, vdot);
}

/// Whether a relative motion is there or begins.
bool CellReader::moves(const ContactRows& rows, int row, const VectorX<double>& vdot) const {
  const double speed = (rows.J.row(row).cwiseAbs() * v_.cwiseAbs()).value();
  if (std::abs(rows.velocity(row)) > ContactTolerances::kRelativeRest * speed) return true;
  const double size = (rows.J.row(row).cwiseAbs() * load_).value() + std::abs(rows.drift(row));
  return std::abs(calc_acceleration(rows, row, vdot)) > kNoAcceleration * size;
}

std::array<double, 2> CellReader::find_slip(std::size_t i, ContactMode mode, const VectorX<double>& vdot) const {
  const InstantContact& contact = instant_.contacts[i];
  if (mode != ContactMode::slide) return {0, 0};
  const bool is_moving = contact.velocity[1] != 0 || contact.velocity[2] != 0;
  if (contact.slides && is_moving) return {contact.velocity[1], contact.velocity[2]};
  return {calc_acceleration(rows_[i], 1, vdot), calc_acceleration(rows_[i], 2, vdot)};
}

void MarginReader::read(InstantCell& cell) {
  cell_ = &instant_.proof->answer.cells[cell.number];
  range_.reset();
  if (!cell.forces_unique) range_.emplace(instant_.proof->problem, *cell_);
  cell.margins.assign(instant_.contacts.size(), {});
  cell.patches.assign(instant_.patches.size(), {});
  for (const Group& group : find_groups()) {
    const Reserve reserve = calc_reserve(cell, group);
    for (const int contact : group.contacts) read_contact(cell, contact, reserve);
    if (group.patch < 0) continue;
    const auto patch = static_cast<std::size_t>(group.patch);
    cell.patches[patch] = read_patch(cell, instant_.patches[patch], reserve);
  }
}

std::vector<MarginReader::Group> MarginReader::find_groups() const {
  std::vector<Group> out;
  std::vector<bool> has_patch(instant_.contacts.size(), false);
  for (std::size_t p = 0; p < instant_.patches.size(); ++p) {
    out.push_back({instant_.patches[p].contacts, static_cast<int>(p)});
    for (const int contact : out.back().contacts) has_patch[static_cast<std::size_t>(contact)] = true;
  }
  for (std::size_t i = 0; i < instant_.contacts.size(); ++i) {
    if (!has_patch[i]) out.push_back({{static_cast<int>(i)}, -1});
  }
  return out;
}

std::vector<int> MarginReader::find_normals(const std::vector<int>& contacts) const {
  std::vector<int> out;
  for (const int i : contacts) {
    const int row = instant_.contacts[static_cast<std::size_t>(i)].row;
    if (row >= 0) out.push_back(row);
  }
  return out;
}

bool MarginReader::is_loaded(double force) const {
  return force > 1e-12 * (cell_->z.size() > 0 ? cell_->z.lpNorm<Eigen::Infinity>() : 0.0);
}

/// Of a group that holds: none of its contacts slides, and some of them have friction and a force.
MarginReader::Reserve MarginReader::calc_reserve(const InstantCell& cell, const Group& group) {
  Reserve out{std::nullopt, false, VectorX<double>::Zero(cell_->z.size())};
  std::vector<int> normals;
  for (const int i : group.contacts) {
    const InstantContact& contact = instant_.contacts[static_cast<std::size_t>(i)];
    const ContactMode mode = cell.modes[static_cast<std::size_t>(i)];
    if (mode == ContactMode::slide) return out;
    if (mode != ContactMode::open && contact.has_friction()) normals.push_back(contact.row);
  }
  if (normals.empty()) return out;
  double share = 0;
  bool has_force = false;
  for (const int row : normals) {
    if (!is_loaded(cell_->z(row))) continue;
    has_force = true;
    share = std::max(share, calc_share(make_section(instant_.proof->problem, row), cell_->z));
  }
  if (range_) {
    if (auto least = range_->calc_least_share(normals)) {
      out.slip = 1 - least->share;
      if (least->share > kSectionError) out.impending = std::move(least->slip);
      return out;
    }
    out.is_bound = true;
  }
  if (has_force) out.slip = 1 - share;
  if (share > kSectionError) out.impending = calc_impending(normals);
  return out;
}

ForceBracket MarginReader::calc_bracket(const std::vector<int>& normals) {
  ForceBracket out;
  if (range_) {
    if (const auto bracket = range_->calc_bracket(normals)) return *bracket;
  }
  for (const int row : normals) out.least += cell_->z(row);
  out.most = out.least;
  return out;
}

void MarginReader::read_contact(InstantCell& cell, int number, const Reserve& reserve) {
  const auto i = static_cast<std::size_t>(number);
  const InstantContact& contact = instant_.contacts[i];
  ContactMargins& out = cell.margins[i];
  if (contact.row >= 0) out.normal = calc_bracket({contact.row});
  switch (cell.modes[i]) {
    case ContactMode::open:
      out.opening = calc_acceleration(rows_[i], 0, cell.vdot);
      break;
    case ContactMode::slide:
    case ContactMode::spin:
      read_slip(cell, i, out);
      break;
    case ContactMode::roll:
    case ContactMode::stick:
      if (!contact.has_friction()) break;
      out.slip = reserve.slip;
      out.is_bound = reserve.is_bound;
      out.impending = find_direction(contact, reserve.impending);
  }
}

/// d|v_t|/dt = a_t · v_t / |v_t|; where the slip only begins, along the direction that it takes.
void MarginReader::read_slip(const InstantCell& cell, std::size_t i, ContactMargins& out) const {
  const std::array<double, 2>& law_slip = instant_.contacts[i].law.slip;
  const std::array<double, 2> a{calc_acceleration(rows_[i], 1, cell.vdot), calc_acceleration(rows_[i], 2, cell.vdot)};
  std::array<double, 2> direction{instant_.contacts[i].velocity[1], instant_.contacts[i].velocity[2]};
  out.slip_speed = instant_.contacts[i].slides ? std::hypot(direction[0], direction[1]) : 0;
  if (!instant_.contacts[i].slides) direction = a;
  if (instant_.contacts[i].slides && out.slip_speed == 0) direction = law_slip;
  const double length = std::hypot(direction[0], direction[1]);
  if (length > 0) out.slip_rate = (a[0] * direction[0] + a[1] * direction[1]) / length;
}

/// Against the gradient of the section where the smallest forces are next to leave it.
VectorX<double> MarginReader::calc_impending(const std::vector<int>& normals) const {
  VectorX<double> out = VectorX<double>::Zero(cell_->z.size());
  for (const int row : normals) {
    const Section section = make_section(instant_.proof->problem, row);
    out(section.rows) = -section.find_gradient(section.friction(cell_->z));
  }
  return out;
}

PatchAnswer MarginReader::read_patch(const InstantCell& cell, const InstantPatch& patch, const Reserve& reserve) {
  PatchAnswer out;
  out.slip = reserve.slip;
  out.is_bound = reserve.is_bound;
  Vec3<double> force = Vec3<double>::zero(), moment = Vec3<double>::zero();
  std::size_t open = 0;
  bool slides = false, rolls = false;
  for (const int number : patch.contacts) {
    const auto i = static_cast<std::size_t>(number);
    open += cell.modes[i] == ContactMode::open;
    slides = slides || cell.modes[i] == ContactMode::slide;
    rolls = rolls || cell.modes[i] == ContactMode::roll;
    const FoundContact& place = instant_.contacts[i].place;
    const std::array<double, 4>& f = cell.forces[i];
    const Vec3<double> f_W = place.N * f[0] + place.T * f[1] + place.U * f[2];
    force += f_W;
    moment += cross((place.p_A + place.p_B) * 0.5 - patch.middle, f_W) + place.N * f[3];
  }
  out.mode = open == patch.contacts.size() ? PatchMode::open
             : open > 0                    ? PatchMode::tip
             : slides                      ? PatchMode::slide
             : rolls                       ? PatchMode::roll
                                           : PatchMode::stick;
  const ContactFrame<double>& frame = patch.frame;
  out.force = {dot(frame.N, force), dot(frame.T, force), dot(frame.U, force)};
  out.moment = {dot(frame.N, moment), dot(frame.T, moment), dot(frame.U, moment)};
  out.normal = calc_bracket(find_normals(patch.contacts));
  return out;
}

}  // namespace thenar::internal
