// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/report/replay_data_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "thenar/io/text/json_internal.h"
#include "thenar/io/trace/shape_json_internal.h"
#include "thenar/spatial/rotation.h"

namespace thenar::internal {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are written as they are in memory");

constexpr std::size_t kMostReplayBytes = std::size_t{3} << 20;  // Of all frames, before base64.
constexpr std::size_t kMostFrames = 6000, kFewestFrames = 50;
constexpr double kFramesPerSecond = 60;
/// Short runs are watched slowly: they have as many frames as one of ten seconds.
constexpr double kShortRun = 10;
constexpr std::size_t kMostReplayContacts = 200;
constexpr std::size_t kPoseNumbers = 7, kContactNumbers = 13;

/// Contacts that are there at a time are guessed to be this many, for the size of frames.
constexpr std::size_t kUsualContacts = 6;

std::string to_base64(const void* data, std::size_t size) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::string out;
  out.reserve((size + 2) / 3 * 4);
  for (std::size_t i = 0; i < size; i += 3) {
    const std::size_t count = std::min<std::size_t>(3, size - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (k < count ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? kDigits[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

template <class T>
std::string to_base64(const std::vector<T>& numbers) {
  return to_base64(numbers.data(), numbers.size() * sizeof(T));
}

/// Beyond what a float can hold there is nothing to see.
float to_float(double x) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(x, -kLargest, kLargest));
}

Json pose_numbers(const Pose<double>& X) {
  const Vector4<double> q = quaternion_from_rotation(X.R);
  return {X.p.x(), X.p.y(), X.p.z(), q(0), q(1), q(2), q(3)};
}

/// For each body, what it joins, as lines in its frame: its joint and itself, itself and the joints it carries.
std::vector<Json> find_bones(const Model& model) {
  std::vector<Json> out(static_cast<std::size_t>(model.body_count()), Json::array());
  const auto add = [&](BodyIndex body, const Vector3<double>& from, const Vector3<double>& to) {
    if (from == to) return;
    out[static_cast<std::size_t>(body)].push_back({from.x(), from.y(), from.z(), to.x(), to.y(), to.z()});
  };
  for (const Joint& joint : model.joints()) {
    add(joint.child, joint.spec.X_BM.p, Vector3<double>::Zero());
    if (joint.spec.kind != JointKind::free) add(joint.parent, Vector3<double>::Zero(), joint.spec.X_PF.p);
  }
  return out;
}

/// A JSON text for use inside a page, in HTML as well as in XML.
void escape_markup(std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  text = std::move(out);
}

}  // namespace

std::optional<std::pair<BodyIndex, BodyIndex>> find_contact_bodies(const Model& model, const std::string& name) {
  const std::string pair(pair_of_contact(name));
  for (std::size_t slash = pair.find('/'); slash != std::string::npos; slash = pair.find('/', slash + 1)) {
    const auto A = model.find_body(pair.substr(0, slash)), B = model.find_body(pair.substr(slash + 1));
    if (A && B) return std::pair(*A, *B);
  }
  return std::nullopt;
}

Vec3<double> calc_world_force(const Contact& contact) {
  const Vec3<double> U = cross(contact.N, contact.T);
  return contact.N * contact.force_on_A.normal + contact.T * contact.force_on_A.along_T +
         U * contact.force_on_A.along_U;
}

ReplayBuilder::ReplayBuilder(const TraceScene& scene, std::span<const std::string> columns,
                             const std::filesystem::path& states, AxisRange time, long long rows,
                             std::vector<double> events)
    : scene_(&scene), poses_of_row_(scene, columns, states), events_(std::move(events)) {
  for (int i = 1; i < scene.model.body_count(); ++i) {
    if (is_moving(scene.model, BodyIndex(i))) movers_.push_back(BodyIndex(i));
  }
  const std::size_t bytes = sizeof(float) * (kPoseNumbers * movers_.size() + kContactNumbers * kUsualContacts);
  const auto most = static_cast<double>(std::clamp(kMostReplayBytes / bytes, kFewestFrames, kMostFrames));
  last_event_ = -std::numeric_limits<double>::infinity();
  if (static_cast<double>(rows) <= most) return;  // All of them.
  const double duration = time.hi - time.lo;
  // Half of the frames are for the even spread, half for events, which take two rows each.
  spacing_ = duration / std::min(most / 2, kFramesPerSecond * std::max(duration, kShortRun));
  const bool has_many_events = 2 * static_cast<double>(events_.size()) > most / 2;
  event_spacing_ = has_many_events ? duration / (most / 4) : 0;
}

void ReplayBuilder::take(std::span<const double> row, const std::vector<Contact>& contacts) {
  std::swap(row_, before_);
  read_row(row, contacts);
  const bool is_first = !has_row_;
  has_row_ = true;
  const bool is_jump = !is_first && row_.t == before_.t;
  bool is_event = passes_event(row_.t) || is_jump;
  if (is_event && row_.t - last_event_ < event_spacing_ && row_.t != last_event_) {
    is_event = false;
    has_lost_events_ = true;
  }
  if (is_event) {
    last_event_ = row_.t;
    if (!is_first) keep(before_);
  }
  // A rounding error of the spacing must not skip every other row.
  const bool is_due = is_first || row_.t - times_.back() >= spacing_ * (1 - 1e-9);
  if (is_event || is_due) keep(row_);
}

void ReplayBuilder::finish() {
  if (has_row_) keep(row_);
}

/// Whether events happened since the last row, up to and including t.
bool ReplayBuilder::passes_event(double t) {
  const std::size_t before = next_event_;
  while (next_event_ < events_.size() && events_[next_event_] <= t) ++next_event_;
  return next_event_ > before;
}

void ReplayBuilder::read_row(std::span<const double> row, const std::vector<Contact>& contacts) {
  poses_of_row_.update(row);
  row_.t = row[0];
  row_.is_frame = false;
  row_.poses.clear();
  row_.points.clear();
  if (!has_row_) first_poses_ = calc_last_poses();
  for (const BodyIndex body : movers_) {
    const Pose<double> X = poses_of_row_.pose(body);
    const Vector4<double> q = quaternion_from_rotation(X.R);
    for (const double x : {X.p.x(), X.p.y(), X.p.z(), q(0), q(1), q(2), q(3)}) row_.poses.push_back(to_float(x));
  }
  for (const Contact& contact : contacts) add_point(contact);
}

std::vector<Pose<double>> ReplayBuilder::calc_last_poses() const {
  std::vector<Pose<double>> out;
  for (int i = 0; i < scene_->model.body_count(); ++i) out.push_back(poses_of_row_.pose(BodyIndex(i)));
  return out;
}

std::vector<std::pair<double, Pose<double>>> ReplayBuilder::list_poses(BodyIndex body) const {
  constexpr std::size_t kNumbers = 7;
  const auto mover = static_cast<std::size_t>(std::find(movers_.begin(), movers_.end(), body) - movers_.begin());
  std::vector<std::pair<double, Pose<double>>> out;
  for (std::size_t frame = 0; frame < times_.size() && mover < movers_.size(); ++frame) {
    const float* x = poses_.data() + kNumbers * (frame * movers_.size() + mover);
    const Vector4<double> q = Vector4<double>(x[3], x[4], x[5], x[6]).normalized();
    const Mat3<double> R = rotation_from_quaternion(q(0), q(1), q(2), q(3));
    out.emplace_back(times_[frame], Pose<double>{R.eigen(), Vector3<double>(x[0], x[1], x[2])});
  }
  return out;
}

void ReplayBuilder::add_point(const Contact& contact) {
  if (dot(contact.N, contact.N) == 0) return;
  const auto index = find_contact(contact.name);
  if (!index) return;
  const ContactTrack& known = contacts_[*index];
  const Vector3<double> on_A = contact.point_A.eigen(), on_B = on_A - contact.gap * contact.N.eigen(),
                        force = calc_world_force(contact).eigen(), N = contact.N.eigen();
  const Vector3<double> p_A = poses_of_row_.pose(known.A).inverse() * on_A,
                        p_B = poses_of_row_.pose(known.B).inverse() * on_B;
  Point point{*index};
  std::size_t k = 0;
  for (const Vector3<double>* a : {&p_A, &p_B, &N, &force}) {
    for (int i = 0; i < 3; ++i) point.numbers[k++] = to_float((*a)(i));
  }
  point.numbers[k] = to_float(contact.friction);
  row_.points.push_back(point);
}

std::optional<std::size_t> ReplayBuilder::find_contact(const std::string& name) {
  const auto [entry, is_new] = contact_by_name_.emplace(name, std::nullopt);
  if (!is_new) return entry->second;
  const auto bodies = find_contact_bodies(scene_->model, name);
  if (!bodies || contacts_.size() == kMostReplayContacts) return std::nullopt;
  entry->second = contacts_.size();
  contacts_.push_back({name, bodies->first, bodies->second, {}, {}});
  return entry->second;
}

void ReplayBuilder::keep(Row& row) {
  if (row.is_frame) return;
  row.is_frame = true;
  const std::size_t frame = times_.size();
  times_.push_back(row.t);
  poses_.insert(poses_.end(), row.poses.begin(), row.poses.end());
  for (const Point& point : row.points) {
    ContactTrack& contact = contacts_[point.contact];
    const bool goes_on = !contact.spans.empty() && contact.spans.back().first + contact.spans.back().second == frame;
    if (goes_on) ++contact.spans.back().second;
    if (!goes_on) contact.spans.emplace_back(frame, 1);
    contact.numbers.insert(contact.numbers.end(), point.numbers.begin(), point.numbers.end());
  }
}

std::string ReplayBuilder::json() const {
  Json bodies = Json::array(), contacts = Json::array();
  std::vector<Json> shapes = shapes_by_body(scene_->model, scene_->shapes), bones = find_bones(scene_->model);
  for (int i = 0; i < scene_->model.body_count(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const bool moves = is_moving(scene_->model, BodyIndex(i)), has_bones = shapes[k].empty() && i > 0;
    const std::string& name = scene_->model.body(BodyIndex(i)).name;
    Json body = {{"name", name}, {"is_link", is_link_name(name)}, {"moves", moves}};
    if (!moves) body["pose"] = pose_numbers(first_poses_.at(k));
    body["shapes"] = std::move(shapes[k]);
    body["bones"] = has_bones ? std::move(bones[k]) : Json::array();
    bodies.push_back(std::move(body));
  }
  std::vector<float> points;
  for (const ContactTrack& contact : contacts_) {
    contacts.push_back(
        {{"name", contact.name}, {"A", contact.A.value()}, {"B", contact.B.value()}, {"spans", contact.spans}});
    points.insert(points.end(), contact.numbers.begin(), contact.numbers.end());
  }
  const Json out = {{"planar", scene_->is_planar}, {"bodies", bodies},           {"contacts", contacts},
                    {"times", to_base64(times_)},  {"poses", to_base64(poses_)}, {"points", to_base64(points)}};
  std::string text = out.dump(-1, ' ', false, Json::error_handler_t::replace);
  escape_markup(text);
  return text;
}

}  // namespace thenar::internal
