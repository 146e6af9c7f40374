// SPDX-License-Identifier: BSD-3-Clause
//
// Forward and inverse dynamics of hands and chains beside Pinocchio and MuJoCo, in one run, in turns, as ratios. Every
// contender must give our accelerations to 1e-8 before it is timed, so speed is never bought with another answer.
//
//     bench_dynamics [--peers FOLDER] [--csv FILE] [--rounds N] [--only SCENE]

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <map>

#include "dynamics_scenes.h"
#include "measure.h"
#include "peers/loaded_peer.h"
#include "program.h"
#include "thenar/dynamics/batch.h"
#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"

namespace thenar::bench {
namespace {

struct Options : CommonOptions {
  std::string only;
  double turn_seconds = 2e-3;
};

struct Row {
  std::string scene, task, contender;
  double microseconds;
};

/// One state, and every way to ask for its accelerations.
class Bench {
 public:
  Bench(const Scene& scene, const Options& options)
      : scene_(scene), arrays_(scene.model), ws_(scene.model), mass_(scene.model), batch_(scene.model, 8) {
    const int n = model().velocity_count();
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (auto* vector : {&q_, &v_, &tau_, &vdot_, &out_}) vector->setZero(n);
    for (auto* vector : {&q_, &v_, &tau_}) {
      for (double& x : *vector) x = uniform(generator);
    }
    for (int i = 0; i < 8; ++i) {
      batch_.set_state(i, q_.data(), v_.data());
      batch_.set_tau(i, tau_.data());
    }
    forward_dynamics<double>(model(), q_.data(), v_.data(), tau_.data(), {}, ws_, vdot_.data());
    peers_ = open_peers(options.peers, arrays_.tree(), scene.name);
  }

  std::vector<Row> run(const Options& options) {
    std::vector<Row> rows;
    for (auto& [task, contenders] : tasks()) {
      measure(contenders, options.rounds, options.turn_seconds);
      for (const Contender& c : contenders) rows.push_back({scene_.name, task, c.name, c.median() * 1e6});
    }
    return rows;
  }

 private:
  const Model& model() const { return scene_.model; }

  void mass_matrix_route() {
    inverse_dynamics<double>(model(), q_.data(), v_.data(), nullptr, {}, ws_, out_.data());
    update_positions(model(), q_.data(), ws_);
    mass_.update(model(), ws_);
    mass_.factorize();
    out_ = tau_ - out_;
    mass_.solve_in_place(out_.data());
  }

  /// Refuses a contender whose answer is not ours.
  void require(const std::string& name, const VectorX<double>& expected) {
    const double error = (out_ - expected).norm() / expected.norm();
    if (!(error < 1e-8)) throw std::runtime_error(fmt::format("{}: {} differs by {:.1e}", scene_.name, name, error));
  }

  std::map<std::string, std::vector<Contender>> tasks() {
    std::map<std::string, std::vector<Contender>> all;
    auto& forward = all["forward dynamics"];
    auto& by_matrix = all["forward dynamics by mass matrix"];
    auto& inverse = all["inverse dynamics"];
    forward.push_back({"Thenar", [this] {
                         forward_dynamics<double>(model(), q_.data(), v_.data(), tau_.data(), {}, ws_, out_.data());
                       }});
    forward.push_back({"Thenar, batch of 8, per state", [this] { batch_.forward_dynamics(model()); }, 8});
    by_matrix.push_back({"Thenar", [this] { mass_matrix_route(); }});
    inverse.push_back({"Thenar", [this] {
                         inverse_dynamics<double>(model(), q_.data(), v_.data(), vdot_.data(), {}, ws_, out_.data());
                       }});
    mass_matrix_route();
    require("the mass-matrix route", vdot_);
    for (const auto& loaded : peers_) {
      const Peer& p = loaded->peer();
      if (p.forward_dynamics(p.self, q_.data(), v_.data(), tau_.data(), out_.data())) {
        require(loaded->name(), vdot_);
        forward.push_back({loaded->name(),
                           [this, &p] { p.forward_dynamics(p.self, q_.data(), v_.data(), tau_.data(), out_.data()); }});
      }
      if (p.forward_dynamics_mass_matrix(p.self, q_.data(), v_.data(), tau_.data(), out_.data())) {
        require(loaded->name(), vdot_);
        by_matrix.push_back({loaded->name(), [this, &p] {
                               p.forward_dynamics_mass_matrix(p.self, q_.data(), v_.data(), tau_.data(), out_.data());
                             }});
      }
      if (p.inverse_dynamics(p.self, q_.data(), v_.data(), vdot_.data(), out_.data())) {
        require(loaded->name(), tau_);
        inverse.push_back({loaded->name(), [this, &p] {
                             p.inverse_dynamics(p.self, q_.data(), v_.data(), vdot_.data(), out_.data());
                           }});
      }
    }
    return all;
  }

  const Scene& scene_;
  PeerTreeArrays arrays_;
  Workspace<double> ws_;
  MassMatrix<double> mass_;
  Batch batch_;
  VectorX<double> q_, v_, tau_, vdot_, out_;
  std::vector<std::unique_ptr<LoadedPeer>> peers_;
};

double best_of(const std::vector<Row>& rows, const std::string& scene, const std::string& task, const char* maker) {
  double best = 0;
  for (const Row& row : rows) {
    const bool same_task = row.scene == scene && row.task.starts_with(task);
    if (same_task && row.contender.starts_with(maker) && (best == 0 || row.microseconds < best))
      best = row.microseconds;
  }
  return best;
}

void print_table(const std::vector<Row>& rows) {
  std::string last;
  for (const Row& row : rows) {
    const std::string title = row.scene + ", " + row.task;
    if (title != last) fmt::print("\n{}\n", title);
    last = title;
    const double ours = best_of(rows, row.scene, row.task, "Thenar");
    fmt::print("  {:<34} {:>10.3f} us   {:>6.2f} x\n", row.contender, row.microseconds, row.microseconds / ours);
  }
  // "forward dynamics" is also the beginning of "forward dynamics by mass matrix": the best of either route counts.
  fmt::print("\nforward dynamics: Thenar / the best of Pinocchio by any route, and of MuJoCo\n");
  for (const Row& row : rows) {
    if (row.task != "forward dynamics" || !row.contender.starts_with("Thenar")) continue;
    const double pinocchio = best_of(rows, row.scene, "forward dynamics", "Pinocchio");
    const double mujoco = best_of(rows, row.scene, "forward dynamics", "MuJoCo");
    fmt::print("  {:<12} {:<34}", row.scene, row.contender);
    fmt::print(" {}", pinocchio > 0 ? fmt::format("{:>6.2f}", row.microseconds / pinocchio) : "     –");
    fmt::print(" {}\n", mujoco > 0 ? fmt::format("{:>6.2f}", row.microseconds / mujoco) : "     –");
  }
}

void write_csv(const std::string& file, const std::vector<Row>& rows) {
  std::ofstream out(file);
  out << "scene,task,contender,microseconds\n";
  for (const Row& row : rows)
    out << fmt::format("{},{},\"{}\",{:.6f}\n", row.scene, row.task, row.contender, row.microseconds);
}

/// How the cost grows with the length of a chain: 100 and 1000 links in turns.
void print_growth(const Options& options) {
  SceneMaker make;
  const Scene scenes[2] = {make.chain(100), make.chain(1000)};
  std::vector<Contender> contenders;
  for (const Scene& scene : scenes) {
    const auto n = static_cast<std::size_t>(scene.model.velocity_count());
    auto ws = std::make_shared<Workspace<double>>(scene.model);
    auto x = std::make_shared<std::vector<double>>(n, 0.3), out = std::make_shared<std::vector<double>>(n);
    contenders.push_back({scene.name, [&scene, ws, x, out] {
                            forward_dynamics<double>(scene.model, x->data(), x->data(), x->data(), {}, *ws,
                                                     out->data());
                          }});
  }
  measure(contenders, options.rounds, options.turn_seconds);
  fmt::print("\n1000 links cost {:.1f} times 100 links\n", contenders[1].median() / contenders[0].median());
}

void run(const Options& options) {
  SceneMaker make;
  std::vector<Scene> scenes;
  scenes.push_back(make.hand_15());
  scenes.push_back(make.hand_22());
  for (const int links : {10, 100, 400, 1000}) scenes.push_back(make.chain(links));
  std::vector<Row> rows;
  for (const Scene& scene : scenes) {
    if (!options.only.empty() && scene.name != options.only) continue;
    fmt::print(stderr, "{} …\n", scene.name);
    for (Row& row : Bench(scene, options).run(options)) rows.push_back(std::move(row));
  }
  print_table(rows);
  if (options.only.empty()) print_growth(options);
  if (!options.csv.empty()) write_csv(options.csv, rows);
}

}  // namespace
}  // namespace thenar::bench

int main(int argc, char** argv) {
  thenar::bench::Options options;
  options.rounds = 41;
  CLI::App app("Forward and inverse dynamics beside Pinocchio and MuJoCo");
  options.add_to(app);
  app.add_option("--only", options.only, "Name of the only scene to run");
  return thenar::bench::run_program(app, argc, argv, [&] { thenar::bench::run(options); });
}
