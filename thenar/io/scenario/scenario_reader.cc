// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/scenario/scenario_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "thenar/base/text.h"
#include "thenar/io/scenario/contact_reader_internal.h"
#include "thenar/io/scenario/drive_reader_internal.h"
#include "thenar/io/scenario/initial_state_internal.h"
#include "thenar/io/scenario/model_reader.h"
#include "thenar/io/scenario/part_reader_internal.h"
#include "thenar/io/scenario/run_reader_internal.h"
#include "thenar/io/scenario/scenario_source_internal.h"
#include "thenar/io/text/document_fingerprint_internal.h"
#include "thenar/quasistatic_run/quasistatic_scene.h"
#include "thenar/spatial/rotation.h"
#include "thenar/step/step_scene.h"

namespace thenar {
namespace {

namespace fs = std::filesystem;

/// How far a planar pose may turn out of its plane: rounding of a quaternion.
constexpr double kPlanarTolerance = 1e-6;
constexpr std::size_t kLongestName = 200;

/// A body on the world by a fixed, planar or free joint: its joint frame and its first coordinates.
struct Floating {
  JointKind kind = JointKind::fixed;
  Pose<double> X_WF;
  VectorX<double> q;
};

JointKind read_floating_kind(const Field& field) {
  return read::choice<JointKind>(
      field, {{"fixed", JointKind::fixed}, {"planar", JointKind::planar}, {"free", JointKind::free}});
}

Floating read_floating(const std::optional<Field>& field, JointKind kind, const Parameters& parameters) {
  const internal::WrittenPose written = field ? internal::read_pose(*field, parameters) : internal::WrittenPose();
  const Pose<double>& pose = written.pose;
  Floating out{kind, {}, VectorX<double>(position_count(kind))};
  if (kind == JointKind::fixed) out.X_WF = pose;
  if (kind == JointKind::free) out.q << pose.p, quaternion_from_rotation(pose.R);
  if (kind == JointKind::planar) {
    const bool upright = written.rpy ? written.rpy->head<2>().isZero() : (1 - pose.R(2, 2)) <= kPlanarTolerance;
    if (!upright) field->fail("may only turn about z: a planar body moves in the x-y plane (write rpy: [0, 0, yaw])");
    out.X_WF = Pose<double>::translation({0, 0, pose.p.z()});
    out.q << pose.p.x(), pose.p.y(), written.rpy ? written.rpy->z() : std::atan2(pose.R(1, 0), pose.R(0, 0));
  }
  return out;
}

/// Reads one scenario.
class ScenarioReader {
 public:
  /// Adds the models that it reads to the files, which outlive it. `values`: of parameters, in place of those written.
  ScenarioReader(internal::ScenarioFiles& files, std::span<const NamedValue> values)
      : root_(Field(*files.root, "the scenario")), files_(files), values_(values) {}

  Scenario read() {
    check_version(root_);
    const auto name = root_.optional("name"), gravity = root_.optional("gravity"),
               parameters = root_.optional("parameters"), hands = root_.optional("hands"),
               objects = root_.optional("objects"), contacts = root_.optional("contacts"),
               control = root_.optional("control"), wrenches = root_.optional("wrenches"), run = root_.optional("run"),
               strike = root_.optional("strike");
    root_.finish();
    scenario_.name = name ? read_name(*name) : fs::path(files_.name).stem().string();
    if (parameters) {
      parameters_ = read::parameters(*parameters, [this](const std::string& p) { return find_value(p); });
    }
    for (const Parameters::Entry& p : parameters_.entries()) scenario_.parameters.push_back({p.name, p.quantity.value});
    if (gravity) builder_.set_gravity(read::vector3(*gravity, kAcceleration, parameters_));
    read_bodies(hands, objects);
    scenario_.model = std::move(builder_).finalize();
    scenario_.shapes = std::move(added_.shapes);
    set_initial_state();
    if (contacts) internal::read_contacts(*contacts, parameters_, scenario_);
    if (control)
      internal::read_control(*control, {objects_, parameters_, files_.folder, scenario_, files_.read_by_controllers});
    if (wrenches) internal::read_wrenches(*wrenches, parameters_, scenario_);
    if (strike) scenario_.strike = internal::read_strike(*strike, parameters_, scenario_);
    if (run || !strike) scenario_.run = internal::read_run(run ? *run : root_.required("run"), parameters_);
    if (scenario_.run.engine == EngineKind::quasistatic) {
      check_slow_motion(*run);
    } else {
      check_inertia();
    }
    if (scenario_.run.engine == EngineKind::step) check_steps(*run);
    return std::move(scenario_);
  }

 private:
  /// The state that a joint starts with, as written; applied when the model is complete.
  struct Start {
    BodyIndex body;
    std::optional<VectorX<double>> q, v;
  };
  /// The keys `q` and `v` of a hand.
  struct HandStart {
    std::string hand;
    std::optional<Field> q, v;
  };

  std::optional<double> find_value(const std::string& parameter) const {
    for (const NamedValue& value : values_) {
      if (value.name == parameter) return value.value;
    }
    return std::nullopt;
  }

  /// Slow motion needs no inertia, but other things.
  void check_slow_motion(const Field& run) const {
    const std::string fault = find_quasistatic_fault(scenario_);
    if (!fault.empty()) MapReader(run).required("engine").fail("is quasistatic: " + fault);
  }

  /// What the step engine does not honour.
  void check_steps(const Field& run) const {
    const std::string fault = find_step_fault(scenario_);
    if (!fault.empty()) MapReader(run).required("engine").fail("is step: " + fault);
  }

  static std::string read_name(const Field& field) {
    const std::string name(trim(read::text(field)));
    if (name.empty()) field.fail("expects a name, found an empty text");
    if (name.size() > kLongestName) field.fail(fmt::format("is longer than {} bytes", kLongestName));
    return name;
  }

  void read_bodies(const std::optional<Field>& hands, const std::optional<Field>& objects) {
    if (hands) {
      for (const Field& item : read::items(*hands)) read_hand(item);
    }
    if (objects) {
      for (const Field& item : read::items(*objects)) read_object(item);
    }
    if (names_.empty()) root_.fail("has nothing to simulate: give it 'hands' or 'objects'");
  }

  /// The name of a hand or an object, new among all of them.
  std::string read_new_name(const Field& field) {
    const std::string name = read::identifier(field);
    if (name == "world") field.fail("is reserved; use another name than 'world'");
    const auto [other, is_new] = names_.emplace(name, field.node().mark);
    if (!is_new) {
      field.fail(fmt::format("is '{}', but there is already a hand or object of that name (line {})", name,
                             other->second.line));
    }
    return name;
  }

  void check_body_count(const MapReader& reader) const {
    const auto check = [&reader](std::size_t found, int most, const char* what) {
      if (found <= static_cast<std::size_t>(most)) return;
      reader.fail(fmt::format("brings the scenario to {} {}; at most {} are allowed", found, what, most));
    };
    check(added_.marks.size(), kMostBodies, "bodies");
    check(added_.shapes.size(), kMostShapes, "shapes");
  }

  void read_hand(const Field& field) {
    MapReader reader(field);
    HandMount mount;
    mount.name = read_new_name(reader.required("name"));
    reader.set_context(fmt::format("hand '{}'", mount.name));
    const auto model = reader.optional("model"), bodies = reader.optional("bodies"), dh = reader.optional("dh"),
               springs = reader.optional("springs"), couplings = reader.optional("couplings"),
               base = reader.optional("base"), base_joint = reader.optional("base_joint"),
               mounted_on = reader.optional("mounted_on"), parameters = reader.optional("parameters");
    hand_starts_.push_back({mount.name, reader.optional("q"), reader.optional("v")});
    reader.finish();
    if (base_joint) mount.base_joint = read_floating_kind(*base_joint);
    if (mounted_on) mount.parent = find_carrier(*mounted_on);
    if (mounted_on && mount.base_joint != JointKind::fixed) {
      base_joint->fail("cannot stand beside 'mounted_on', which fixes the hand to a body");
    }
    const Floating floating = read_floating(base, mount.base_joint, parameters_);
    mount.X_PF = floating.X_WF;
    if (!model == !bodies) {
      reader.fail(model ? "has both a 'model' and 'bodies': give one of them"
                        : "needs a 'model' (a file) or its 'bodies' written here");
    }
    if (model) {
      for (const auto* other : {&dh, &springs, &couplings}) {
        if (*other) (*other)->fail("cannot stand beside 'model': it belongs into the model file");
      }
      read_hand_model(*model, parameters ? read_overrides(*parameters) : Parameters(), mount);
    } else {
      if (parameters) parameters->fail("is for the parameters of a 'model'; those of the scenario stand at its top");
      add_hand(reader, parameters_, mount, builder_, added_);
    }
    check_body_count(reader);
    if (floating.q.size() > 0) starts_.push_back({added_.base, floating.q, {}});
  }

  /// The body of a hand before that carries another one.
  BodyIndex find_carrier(const Field& field) const {
    const std::string name = read::text(field);
    std::vector<std::string> names;
    for (const auto& [known, index] : added_.names) {
      if (known == name) return index;
      names.push_back(known);
    }
    field.fail(fmt::format("is {}, which is not a body of the hands before it{}", quote(name),
                           internal::list_known(name, names, "bodies")));
  }

  /// Values for the parameters of a model; they may use those of the scenario.
  Parameters read_overrides(const Field& field) const {
    Parameters out;
    for (const NamedField& entry : read::entries(field)) {
      out.add(entry.name, read::quantity(entry.value, parameters_), entry.mark);
    }
    return out;
  }

  void read_hand_model(const Field& field, const Parameters& overrides, const HandMount& mount) {
    const std::string written = read::text(field);
    const fs::path path = files_.folder / written;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) {
      field.fail(fmt::format("names the file {}, which does not exist (paths are relative to the scenario file)",
                             quote(path.string())));
    }
    if (status.type() == fs::file_type::directory)
      field.fail(fmt::format("names {}, which is a folder", quote(path.string())));
    if (path.extension() != ".yaml" && path.extension() != ".yml") {
      field.fail(fmt::format("names {}; this version reads models in YAML (.yaml) only", quote(path.string())));
    }
    const std::string key = path.lexically_normal().string();
    auto document = files_.models.find(key);
    if (document == files_.models.end()) {
      document = files_.models.emplace(key, std::make_shared<const Node>(read_document(key))).first;
    }
    files_.model_of_hand[mount.name] = key;
    add_hand_from_model(*document->second, overrides, mount, builder_, added_);
  }

  void read_object(const Field& field) {
    MapReader reader(field);
    const Field name_field = reader.required("name");
    const std::string name = read_new_name(name_field);
    reader.set_context(fmt::format("object '{}'", name));
    const auto pose = reader.optional("pose"), velocity = reader.optional("velocity"), joint = reader.optional("joint");
    const internal::WrittenMass mass = internal::read_mass(reader, parameters_);
    reader.finish();
    const JointKind kind = joint ? read_floating_kind(*joint) : JointKind::free;
    if (kind != JointKind::fixed) mass.refuse_unbounded();
    if (kind != JointKind::fixed && !mass.is_given) {
      reader.fail("needs a 'mass' (or a 'density' and a 'shape'), since it moves");
    }
    const Floating floating = read_floating(pose, kind, parameters_);
    JointSpec spec;
    spec.name = name;
    spec.kind = kind;
    spec.X_PF = floating.X_WF;
    const BodyIndex body = builder_.add_body({.name = name, .mass = mass.properties}, kWorld, spec);
    added_.marks[body.value()] = name_field.node().mark;
    for (const internal::PlacedShape& placed : mass.shapes) {
      added_.shapes.push_back({body, placed.shape, placed.X_BS});
    }
    added_.dof_count += velocity_count(kind);
    objects_.insert(body.value());
    check_body_count(reader);
    Start start{body, floating.q, {}};
    if (velocity) start.v = read_object_velocity(*velocity, kind);
    if (kind != JointKind::fixed) starts_.push_back(start);
  }

  VectorX<double> read_object_velocity(const Field& field, JointKind kind) const {
    MapReader reader(field);
    const auto angular = reader.optional("angular"), linear = reader.optional("linear");
    reader.finish();
    if (kind == JointKind::fixed) field.fail("is not possible: the object is fixed");
    Vector3<double> w = Vector3<double>::Zero(), u = Vector3<double>::Zero();
    if (angular) w = read::vector3(*angular, kAngularVelocity, parameters_);
    if (linear) u = read::vector3(*linear, kVelocity, parameters_);
    VectorX<double> v(velocity_count(kind));
    if (kind == JointKind::free) {
      v << w, u;
      return v;
    }
    if (!w.head<2>().isZero(0)) angular->fail("may only have a z part: a planar object turns about z");
    if (u.z() != 0) linear->fail("may not have a z part: a planar object moves in the x-y plane");
    v << u.x(), u.y(), w.z();
    return v;
  }

  void set_initial_state() {
    const Model& model = scenario_.model;
    scenario_.initial = {0, model.neutral_position(), VectorX<double>::Zero(model.velocity_count())};
    for (const Start& start : starts_) {
      const Joint& joint = model.joint(model.body(start.body).joint);
      if (start.q) scenario_.initial.q.segment(joint.q_start, joint.nq) = *start.q;
      if (start.v) scenario_.initial.v.segment(joint.v_start, joint.nv) = *start.v;
    }
    const auto nv = static_cast<std::size_t>(model.velocity_count());
    internal::StatePlaces places{std::vector<std::optional<WrittenPlace>>(nv),
                                 std::vector<std::optional<WrittenPlace>>(nv)};
    for (const HandStart& start : hand_starts_) {
      if (start.q) read_hand_positions(*start.q, start.hand, places);
      if (start.v) read_hand_velocities(*start.v, start.hand, places);
    }
    internal::settle_initial_state(model, added_, places, scenario_.initial);
  }

  void read_hand_positions(const Field& field, const std::string& hand, internal::StatePlaces& places) {
    for (const NamedField& entry : read::entries(field)) {
      const Joint& joint = find_joint(entry, hand);
      if (entry.name == kBaseName) {
        throw InputError(entry.mark,
                         fmt::format("the place of the hand is given by its key 'base', not in {}", field.label()));
      }
      scenario_.initial.q.segment(joint.q_start, joint.nq) =
          internal::read_position(entry.value, joint.spec.kind, parameters_);
      for (int dof = joint.v_start; dof < joint.v_start + joint.nv; ++dof) {
        const int coordinate = scenario_.model.dof_coordinate(dof);
        if (coordinate < 0) continue;
        places.q[static_cast<std::size_t>(dof)] = place_of_entry(entry.value, coordinate - joint.q_start);
      }
    }
  }

  void read_hand_velocities(const Field& field, const std::string& hand, internal::StatePlaces& places) {
    for (const NamedField& entry : read::entries(field)) {
      const Joint& joint = find_joint(entry, hand);
      scenario_.initial.v.segment(joint.v_start, joint.nv) =
          internal::read_velocity(entry.value, joint.spec.kind, parameters_);
      for (int i = 0; i < joint.nv; ++i) {
        places.v[static_cast<std::size_t>(joint.v_start + i)] = place_of_entry(entry.value, i);
      }
    }
  }

  /// The place of the i-th number of a value that is a list, or a number alone.
  static WrittenPlace place_of_entry(const Field& value, int i) {
    if (!value.node().is_sequence()) return {value.node().mark, value.label()};
    const Field item = read::items(value)[static_cast<std::size_t>(i)];
    return {item.node().mark, item.label()};
  }

  const Joint& find_joint(const NamedField& entry, const std::string& hand) const {
    const auto index = scenario_.model.find_joint(hand + "." + entry.name);
    if (!index) fail_unknown_joint(entry, hand);
    return scenario_.model.joint(*index);
  }

  [[noreturn]] void fail_unknown_joint(const NamedField& entry, const std::string& hand) const {
    std::vector<std::string> names;
    const std::string prefix = hand + ".";
    for (const Joint& joint : scenario_.model.joints()) {
      if (joint.nv > 0 && joint.spec.name.starts_with(prefix)) names.push_back(joint.spec.name.substr(prefix.size()));
    }
    throw InputError(entry.mark, fmt::format("hand '{}' has no joint {}{}", hand, quote(entry.name),
                                             internal::list_known(entry.name, names, "joints")));
  }

  void check_inertia() const {
    const auto fault = find_inertia_fault(scenario_.model, scenario_.initial.q);
    if (!fault) return;
    const BodyIndex body = scenario_.model.joint(fault->joint).child;
    const bool is_base = scenario_.model.body(body).name.ends_with(std::string(".") + kBaseName);
    const std::string hint =
        "the moving base of a hand has no inertia of its own: fix a body with a mass and an inertia to it";
    throw InputError(added_.marks.at(body.value()), is_base ? hint : fault->message);
  }

  MapReader root_;
  internal::ScenarioFiles& files_;
  std::span<const NamedValue> values_;
  Parameters parameters_;
  ModelBuilder builder_;
  AddedBodies added_;
  Scenario scenario_;
  std::unordered_map<std::string, SourceMark> names_;
  std::unordered_set<int> objects_;
  std::vector<Start> starts_;
  std::vector<HandStart> hand_starts_;
};

Scenario read_model_as_scenario(const Node& root, const fs::path& path) {
  const Node* name = root.find("name");
  Scenario scenario;
  scenario.name = name && name->is_scalar() ? name->scalar : path.stem().string();
  ModelBuilder builder;
  AddedBodies added;
  HandMount mount;
  mount.name = scenario.name;
  add_hand_from_model(root, Parameters(), mount, builder, added);
  scenario.model = std::move(builder).finalize();
  scenario.shapes = std::move(added.shapes);
  scenario.initial = {0, scenario.model.neutral_position(), VectorX<double>::Zero(scenario.model.velocity_count())};
  if (const auto fault = find_inertia_fault(scenario.model, scenario.initial.q)) {
    throw InputError(added.marks.at(scenario.model.joint(fault->joint).child.value()), fault->message);
  }
  return scenario;
}

void apply_overrides(Node& root, std::span<const std::string> overrides) {
  for (const std::string& assignment : overrides) apply_override(root, assignment);
}

}  // namespace

Scenario internal::read_files(ScenarioFiles& files, std::span<const NamedValue> values) {
  return ScenarioReader(files, values).read();
}

ScenarioDocument::ScenarioDocument(const fs::path& path) : path_(path), root_(read_document(path)) {
  if (is_model_document(root_)) {
    throw InputError(root_.mark, "this is a model, not a scenario: name it in the 'hands' of a scenario");
  }
}

void ScenarioDocument::set(std::string_view assignment) { apply_override(root_, assignment); }

Scenario ScenarioDocument::build() {
  // The document outlives the reading, and its entries do not change meanwhile.
  const std::shared_ptr<const Node> root(std::shared_ptr<void>(), &root_);
  internal::ScenarioFiles files{root, path_.string(), path_.parent_path(), models_};
  Scenario out = internal::read_files(files);
  models_ = std::move(files.models);
  return out;
}

std::uint64_t ScenarioDocument::fingerprint() const {
  internal::DocumentFingerprint out;
  out.add(root_);
  for (const auto& [name, model] : models_) {
    out.add(name);
    out.add(*model);
  }
  return out.value();
}

Scenario read_scenario(const fs::path& path, std::span<const std::string> overrides) {
  ScenarioDocument document(path);
  for (const std::string& assignment : overrides) document.set(assignment);
  return internal::read_with_source({std::make_shared<const Node>(document.root()), path.string(), path.parent_path()});
}

Scenario parse_scenario(std::string_view text, std::string file_name, const fs::path& folder,
                        std::span<const std::string> overrides) {
  Node root = parse_document(text, file_name);
  apply_overrides(root, overrides);
  return internal::read_with_source({std::make_shared<const Node>(std::move(root)), std::move(file_name), folder});
}

LoadedFile read_scenario_or_model(const fs::path& path, std::span<const std::string> overrides) {
  Node root = read_document(path);
  apply_overrides(root, overrides);
  if (is_model_document(root)) return {read_model_as_scenario(root, path), true};
  return {
      internal::read_with_source({std::make_shared<const Node>(std::move(root)), path.string(), path.parent_path()}),
      false};
}

}  // namespace thenar
