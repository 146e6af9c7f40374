// SPDX-License-Identifier: BSD-3-Clause
//
// Work and precision of a grasp: five fingers carry a box of 6 cm (scenes/five_finger_carry.yaml, 21 degrees of
// freedom, five contacts that roll), by Thenar at several tolerances and by MuJoCo with several contact models, methods
// and steps. The error of each is that against its own converged motion, since contacts are rigid in one and soft in
// the other; the time is that of the steps alone. At every error the cheapest setting of either counts.
//
//     bench_grasp [--peers FOLDER] [--scenes FOLDER] [--csv FILE] [--rounds N] [--quick]

#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <numbers>

#include "../tests/support/mjcf.h"
#include "measure.h"
#include "peers/driven_peer.h"
#include "peers/shared_library.h"
#include "program.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/motion/actuation.h"
#include "thenar/simulation/simulate.h"

namespace thenar::bench {
namespace {

constexpr double kRow = 1e-2;  // s, where errors are looked at
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Options : CommonOptions {
  std::filesystem::path scenes = "scenes";
  bool is_quick = false;
};

/// Place and quaternion of the box every kRow seconds.
using BoxPath = std::vector<std::array<double, 7>>;

struct Figure {
  std::string contender, model, method;
  std::string setting;
  double error = kInfinity;  ///< m
  double seconds = 0;        ///< of CPU per simulated second
};

// --- Errors ----------------------------------------------------------------------------------------------------------

Vector3<double> find_corner(const std::array<double, 7>& pose, const Vector3<double>& corner) {
  const Matrix3<double> R = rotation_from_quaternion(pose[3], pose[4], pose[5], pose[6]).eigen();
  return R * corner + Vector3<double>(pose[0], pose[1], pose[2]);
}

/// The largest distance of a corner of the box from where it is in the other path, m; infinite if the path ends before.
double calc_error(const BoxPath& path, const BoxPath& reference, double half) {
  if (path.size() != reference.size()) return kInfinity;
  double out = 0;
  for (std::size_t row = 0; row < path.size(); ++row) {
    for (int k = 0; k < 8; ++k) {
      const Vector3<double> corner((k & 1) != 0 ? half : -half, (k & 2) != 0 ? half : -half,
                                   (k & 4) != 0 ? half : -half);
      out = std::max(out, (find_corner(path[row], corner) - find_corner(reference[row], corner)).norm());
    }
  }
  return out;
}

// --- Thenar ----------------------------------------------------------------------------------------------------------

Scenario read_carry(const Options& options, std::vector<std::string> overrides = {}) {
  return read_scenario(options.scenes / "five_finger_carry.yaml", overrides);
}

BoxPath move_by_thenar(Scenario scenario, double tolerance, double sample) {
  scenario.run.tolerance = tolerance;
  scenario.run.sample = sample;
  const int box = scenario.model.joint(*scenario.model.find_joint("box")).q_start;
  BoxPath path;
  RunCallbacks callbacks;
  callbacks.on_sample = [&](const Sample& row) {
    std::copy_n(row.state.q.data() + box, 7, path.emplace_back().begin());
    return true;
  };
  const RunReport report = simulate(scenario, callbacks);
  if (report.status != RunStatus::done) throw std::runtime_error(report.reason);
  return path;
}

// --- MuJoCo ----------------------------------------------------------------------------------------------------------

/// What contacts are in MuJoCo.
struct ContactModel {
  const char* name;
  bool is_elliptic;
  double impratio;
  int noslip_iterations;
  double time_constant = 0.02;  ///< s, of contacts; 20 ms is the default
};
constexpr ContactModel kModels[] = {
    {"pyramidal (default)", false, 1, 0},   {"elliptic", true, 1, 0},
    {"elliptic, impratio 10", true, 10, 0}, {"elliptic, impratio 100", true, 100, 0},
    {"elliptic, noslip 10", true, 1, 10},   {"elliptic, impratio 10, 4 ms", true, 10, 0, 0.004}};
constexpr const char* kMethods[] = {"Euler", "implicitfast", "implicit", "RK4"};

/// The mechanism in MJCF, and the forces that drive it. The springs and dampers of PD are joints' own, which MuJoCo
/// takes implicitly where it can, and gravity acts on the box alone, since the fingers' is compensated.
class Twin {
 public:
  explicit Twin(const Options& options, bool touches = true)
      : scenario_(read_carry(options, {"gravity=[0, 0, 0]"})), touches_(touches) {
    const Scenario stiff = read_carry(
        options, {"gravity=[0, 0, 0]", "hands.0.parameters.stiffness=$kp", "hands.0.parameters.damping=$kd"});
    const auto shapes = [&](BodyIndex body) { return write_shapes(stiff, body); };
    worldbody_ = test::write_worldbody(stiff.model, shapes);
    for (const Joint& joint : scenario_.model.joints()) {
      if (joint.nv == 1) joints_.push_back(&joint);
      if (joint.spec.kind == JointKind::free) box_ = &joint;
    }
    for (const Joint* joint : joints_) {
      names_.push_back(joint->spec.name + ".0");
      q_.push_back(scenario_.initial.q(joint->q_start));
    }
    box_name_ = box_->spec.name + ".0";
    weight_ = read_carry(options).model.gravity() * scenario_.model.body(*scenario_.model.find_body("box")).mass.mass;
    half_ = 0.5 * std::get<Box>(find_shape("box").shape).sides.x();
  }

  const Scenario& scenario() const { return scenario_; }
  double half() const { return half_; }

  /// Forces of the first `until` seconds at every half step.
  class Scene {
   public:
    Scene(const Twin& twin, const ContactModel& model, const char* method, double h, double until, double tolerance)
        : mjcf_(twin.write_mjcf(model, method, h, tolerance)), forces_(twin.list_forces(h, until)) {
      for (const std::string& name : twin.names_) names_.push_back(name.c_str());
      description_ = {.mjcf = mjcf_.c_str(),
                      .joint_count = static_cast<int>(names_.size()),
                      .joints = names_.data(),
                      .q = twin.q_.data(),
                      .free_joint = twin.box_name_.c_str(),
                      .free_q = twin.scenario_.initial.q.data() + twin.box_->q_start,
                      .h = h,
                      .row_count = 2 * std::lround(until / h) + 1,
                      .forces = forces_.data()};
    }
    const DrivenScene& description() const { return description_; }

   private:
    std::string mjcf_;
    std::vector<double> forces_;
    std::vector<const char*> names_;
    DrivenScene description_{};
  };

 private:
  const BodyShape& find_shape(const std::string& name) const {
    const auto is_it = [&](const BodyShape& shape) { return scenario_.model.body(shape.body).name == name; };
    return *std::find_if(scenario_.shapes.begin(), scenario_.shapes.end(), is_it);
  }

  /// Of the box and the last links, which touch each other and nothing else.
  std::string write_shapes(const Scenario& scenario, BodyIndex body) const {
    std::string out;
    const std::string& name = scenario.model.body(body).name;
    if (!touches_ || (name != "box" && !name.ends_with("_3"))) return out;
    const std::string more = name == "box" ? "contype=\"1\" conaffinity=\"2\"" : "contype=\"2\" conaffinity=\"1\"";
    for (const BodyShape& shape : scenario.shapes) {
      if (shape.body == body) out += test::mujoco_geom(shape, more);
    }
    return out;
  }

  std::string write_mjcf(const ContactModel& model, const char* method, double h, double tolerance) const {
    const double friction = scenario_.contacts->law.friction;
    return fmt::format(
               "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/><option gravity=\"0 0 0\" "
               "timestep=\"{:.17g}\" integrator=\"{}\" cone=\"{}\" impratio=\"{}\" noslip_iterations=\"{}\" "
               "tolerance=\"{}\"/><default><geom condim=\"3\" friction=\"{} 0 0\" solref=\"{} 1\"/></default>",
               h, method, model.is_elliptic ? "elliptic" : "pyramidal", model.impratio, model.noslip_iterations,
               tolerance, friction, model.time_constant) +
           worldbody_ + "</mujoco>";
  }

  /// Efforts are those of PD at q = 0 and at rest: kp q_d + kd q̇_d.
  std::vector<double> list_forces(double h, double until) const {
    Actuation actuation(scenario_);
    VectorX<double> q = scenario_.initial.q, v = VectorX<double>::Zero(scenario_.model.velocity_count()), tau = v;
    for (const Joint* joint : joints_) q(joint->q_start) = 0;
    std::vector<double> out;
    const long rows = 2 * std::lround(until / h) + 1;
    for (long row = 0; row < rows; ++row) {
      const double t = 0.5 * h * static_cast<double>(row);
      actuation.calc_efforts(t, q.data(), v.data(), tau.data());
      for (const Joint* joint : joints_) out.push_back(tau(joint->v_start));
      for (int k = 0; k < 3; ++k) {
        out.push_back(weight_(k) +
                      scenario_.wrenches.front().force[static_cast<std::size_t>(k)].evaluate(std::span(&t, 1)));
      }
    }
    return out;
  }

  Scenario scenario_;
  bool touches_;
  std::string worldbody_, box_name_;
  std::vector<const Joint*> joints_;
  const Joint* box_ = nullptr;
  std::vector<std::string> names_;
  std::vector<double> q_;
  Vector3<double> weight_ = Vector3<double>::Zero();
  double half_ = 0;
};

class DrivenWorld {
 public:
  DrivenWorld(const DrivenPeer& peer, const DrivenScene& scene) : peer_(peer), joint_count_(scene.joint_count) {
    char error[256] = "";
    world_ = peer.create(&scene, error);
    if (world_ == nullptr) throw std::runtime_error(error);
  }
  DrivenWorld(const DrivenWorld&) = delete;
  DrivenWorld& operator=(const DrivenWorld&) = delete;
  ~DrivenWorld() { peer_.destroy(world_); }

  bool step(int count) { return peer_.step(world_, count); }
  std::vector<double> read() {
    std::vector<double> q(static_cast<std::size_t>(7 + joint_count_));
    peer_.read(world_, q.data());
    return q;
  }
  int contact_count() { return peer_.count_contacts(world_); }

 private:
  DrivenPeer peer_;
  int joint_count_;
  void* world_ = nullptr;
};

/// Rows at multiples of kRow that steps of h do not hit are left out of the comparison by choosing h accordingly.
BoxPath move_by_peer(const DrivenPeer& peer, const Twin& twin, const ContactModel& model, const char* method, double h,
                     double tolerance) {
  const double until = twin.scenario().run.until;
  const Twin::Scene scene(twin, model, method, h, until, tolerance);
  DrivenWorld world(peer, scene.description());
  const int steps = static_cast<int>(std::lround(kRow / h)), rows = static_cast<int>(std::lround(until / kRow));
  BoxPath path;
  for (int row = 0; row <= rows; ++row) {
    if (row > 0 && !world.step(steps)) return path;
    const std::vector<double> q = world.read();
    if (!std::isfinite(q[0])) return path;
    std::copy_n(q.begin(), 7, path.emplace_back().begin());
  }
  return path;
}

double time_peer(const DrivenPeer& peer, const Twin& twin, const ContactModel& model, const char* method, double h,
                 double tolerance) {
  const double until = twin.scenario().run.until;
  const Twin::Scene scene(twin, model, method, h, until, tolerance);
  DrivenWorld world(peer, scene.description());
  const double start = thread_seconds();
  world.step(static_cast<int>(std::lround(until / h)));
  return (thread_seconds() - start) / until;
}

/// Without contacts both move the same mechanism, or there is nothing to compare.
void require_same_mechanism(const DrivenPeer& peer, const Options& options) {
  constexpr double kTime = 0.05, kStep = 1e-4, kSame = 1e-8;  // s, s, rad and m: RK4's error is far below
  const Twin twin(options, false);
  const Twin::Scene scene(twin, kModels[1], "RK4", kStep, kTime, 1e-10);
  DrivenWorld world(peer, scene.description());
  world.step(static_cast<int>(std::lround(kTime / kStep)));
  const std::vector<double> theirs = world.read();
  Scenario free = read_carry(options);
  free.contacts.reset();
  free.run.until = kTime;
  free.run.tolerance = 1e-11;
  const State ours = simulate(free).last;
  std::size_t k = 7;
  double difference = 0;
  for (const Joint& joint : free.model.joints()) {
    if (joint.nv == 1) difference = std::max(difference, std::abs(ours.q(joint.q_start) - theirs[k++]));
    if (joint.spec.kind != JointKind::free) continue;
    for (int i = 0; i < 3; ++i) {
      difference = std::max(difference, std::abs(ours.q(joint.q_start + i) - theirs[static_cast<std::size_t>(i)]));
    }
  }
  if (difference > kSame) {
    throw std::runtime_error(fmt::format("{} moves another mechanism: {:.3g} off", peer.name, difference));
  }
}

std::vector<DrivenPeer> open_driven_peers(const Options& options) {
  std::vector<DrivenPeer> peers;
  for (const auto& library : list_libraries(options.peers / "driven")) {
    std::string why_not;
    const auto get = load_function<ThenarDrivenPeer>(library, "thenar_driven_peer", why_not);
    if (get == nullptr) {
      fmt::print(stderr, "{} left out: {}\n", library.stem().string(), why_not);
      continue;
    }
    get(&peers.emplace_back());
    require_same_mechanism(peers.back(), options);
  }
  return peers;
}

// --- Figures ---------------------------------------------------------------------------------------------------------

std::vector<Figure> measure_thenar(const Options& options, BoxPath& reference) {
  constexpr double kConverged = 1e-13;
  const Scenario scenario = read_carry(options);
  const double half = Twin(options).half();
  reference = move_by_thenar(scenario, kConverged, kRow);
  std::vector<Figure> figures;
  for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11}) {
    Figure& figure = figures.emplace_back(Figure{"Thenar", "rigid", "auto", fmt::format("tol {:.0e}", tolerance)});
    figure.error = calc_error(move_by_thenar(scenario, tolerance, kRow), reference, half);
    Contender contender{.name = "", .call = {}};
    for (int round = 0; round < options.rounds; ++round) {
      const double start = thread_seconds();
      move_by_thenar(scenario, tolerance, scenario.run.until);
      contender.seconds.push_back((thread_seconds() - start) / scenario.run.until);
    }
    figure.seconds = contender.median();
    fmt::print("  {:<14} {:<30} {:>13} {:>11} {:>10.2e} m {:>9.3f} ms\n", figure.contender, figure.model, figure.method,
               figure.setting, figure.error, figure.seconds * 1e3);
  }
  return figures;
}

std::vector<double> list_steps(bool is_quick) {
  if (is_quick) return {1e-2, 5e-3, 2e-3, 1e-3, 5e-4};
  return {1e-2, 5e-3, 2.5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5};
}

/// One contact model of one MuJoCo, with every method and step.
void measure_model(const DrivenPeer& peer, const Twin& twin, const ContactModel& model, const Options& options,
                   const BoxPath& rigid, std::vector<Figure>& figures) {
  constexpr double kSolver = 1e-8, kConvergedSolver = 1e-14;  // MuJoCo's default, and for what has converged
  const double finest = options.is_quick ? 5e-5 : 1e-5;
  const BoxPath reference = move_by_peer(peer, twin, model, "RK4", finest, kConvergedSolver);
  fmt::print("  {} {}: its own motion is {:.3g} mm off the rigid one\n", peer.name, model.name,
             calc_error(reference, rigid, twin.half()) * 1e3);
  for (const char* method : kMethods) {
    for (const double h : list_steps(options.is_quick)) {
      Figure figure{peer.name, model.name, method, fmt::format("{:g} ms", h * 1e3)};
      try {
        figure.error = calc_error(move_by_peer(peer, twin, model, method, h, kSolver), reference, twin.half());
      } catch (const std::exception&) {
        break;  // a method that this version does not know
      }
      Contender contender{.name = "", .call = {}};
      const int rounds = h < 2e-4 ? 1 : options.rounds;
      for (int round = 0; round < rounds; ++round) {
        contender.seconds.push_back(time_peer(peer, twin, model, method, h, kSolver));
      }
      figure.seconds = contender.median();
      figures.push_back(figure);
    }
  }
}

const Figure* find_cheapest(const std::vector<Figure>& figures, double error, bool is_peer) {
  const Figure* best = nullptr;
  for (const Figure& figure : figures) {
    if ((figure.contender != "Thenar") != is_peer || !(figure.error <= error)) continue;
    if (best == nullptr || figure.seconds < best->seconds) best = &figure;
  }
  return best;
}

void print_envelope(const std::vector<Figure>& figures) {
  fmt::print(
      "\nCheapest with at most that error, ms of CPU per simulated second\n  {:>8} {:>10} {:>12} {:>10}  {:<60} "
      "{:>6}\n",
      "error, m", "Thenar", "", "MuJoCo", "", "ratio");
  for (const double error : {1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 1e-7, 1e-8, 1e-9}) {
    const Figure *ours = find_cheapest(figures, error, false), *theirs = find_cheapest(figures, error, true);
    const std::string setting = theirs == nullptr ? "none"
                                                  : fmt::format("{} {}, {}, {}", theirs->contender, theirs->model,
                                                                theirs->method, theirs->setting);
    fmt::print("  {:>8.0e} {:>10.3f} {:>12} {:>10}  {:<60} {:>6}\n", error, ours ? ours->seconds * 1e3 : NAN,
               ours ? ours->setting : "", theirs ? fmt::format("{:.3f}", theirs->seconds * 1e3) : "–", setting,
               ours && theirs ? fmt::format("{:.2f}", ours->seconds / theirs->seconds) : "–");
  }
}

void write_figures(const std::string& file, const std::vector<Figure>& figures) {
  std::ofstream out(file);
  out << "contender,model,method,setting,error_m,cpu_s_per_s\n";
  for (const Figure& f : figures) {
    out << fmt::format("\"{}\",\"{}\",{},{},{:.6e},{:.6e}\n", f.contender, f.model, f.method, f.setting, f.error,
                       f.seconds);
  }
}

void run(const Options& options) {
  const std::vector<DrivenPeer> peers = open_driven_peers(options);
  fmt::print(
      "Five fingers carry a box of 6 cm for 1 s; errors of its corners against each engine's own converged motion\n");
  BoxPath rigid;
  std::vector<Figure> figures = measure_thenar(options, rigid);
  const Twin twin(options);
  for (const DrivenPeer& peer : peers) {
    for (const ContactModel& model : kModels) measure_model(peer, twin, model, options, rigid, figures);
  }
  print_envelope(figures);
  if (!options.csv.empty()) write_figures(options.csv, figures);
}

}  // namespace
}  // namespace thenar::bench

int main(int argc, char** argv) {
  thenar::bench::Options options;
  CLI::App app("A grasp by Thenar and by MuJoCo: time at equal error");
  options.add_to(app);
  app.add_option("--scenes", options.scenes, "Folder of the shipped scenes")->capture_default_str();
  app.add_flag("--quick", options.is_quick, "Few rounds, and long steps only");
  return thenar::bench::run_program(app, argc, argv, [&] {
    if (options.is_quick) options.rounds = 3;
    thenar::bench::run(options);
  });
}
