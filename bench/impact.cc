// SPDX-License-Identifier: BSD-3-Clause
//
// What one frictional impact in space costs, in multiples of one forward dynamics of the same hand and box (articulated
// bodies, 15 + 6 degrees of freedom): the last link of a finger strikes the box.
//
//     bench_impact [--csv FILE] [--impacts N] [--tolerance X]
//
// Postures, points, normals, velocities, friction (0.1 to 1) and restitution are random. Per impact, the least of three
// turns of
//
//     mobility   frames, articulated factorization, K and M⁻¹ Jᵀ of the contact (contact_mobility.h)
//     path       solve_point_impact() at the tolerance, by the law
//     all        both, and the velocities after
//
// and over the impacts the median, nine of ten, and the worst. Every answer must keep its momentum and its energy
// books. A hash of all velocities is printed: speed is never bought with another answer.

#include <fstream>
#include <random>

#include "hand_and_box.h"
#include "hash.h"
#include "program.h"
#include "thenar/contact/contact_frame.h"
#include "thenar/dynamics/contact_mobility.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/impact/point_impact.h"

namespace thenar::bench {
namespace {

struct Options : CommonOptions {
  int impacts = 200;
  double tolerance = 1e-8;
};

/// One finger that strikes the box.
struct Strike {
  VectorX<double> q, v;
  BodyPoint<double> A, B;
  ContactFrame<double> frame;
  double friction = 0, restitution = 0;
};

class Strikes {
 public:
  explicit Strikes(const Model& model) : model_(model), ws_(model), mobility_(model) {}

  Strike draw() {
    Strike out;
    out.q = VectorX<double>::Zero(model_.position_count());
    for (int i = 0; i < HandAndBox::kJoints; ++i) out.q(i) = uniform(-0.8, 0.8);
    for (int i = 0; i < 3; ++i) out.q(HandAndBox::kJoints + i) = uniform(-0.02, 0.02);
    Vector4<double> turn(normal(), normal(), normal(), normal());
    out.q.tail<4>() = turn.normalized();
    out.v = VectorX<double>::NullaryExpr(model_.velocity_count(), [this] { return uniform(-1, 1); });
    const int finger = static_cast<int>(uniform(0, HandAndBox::kFingers - 1e-9));
    out.A = {BodyIndex(model_.body_count() - 1), Vec3<double>{uniform(-0.03, 0.03), uniform(-0.03, 0.03), 0.03}};
    out.B.body = BodyIndex((finger + 1) * HandAndBox::kLinks);
    update_positions(model_, out.q.data(), ws_);
    const Placement<double> X_WA = calc_body_pose(model_, ws_, out.A.body),
                            X_WB = calc_body_pose(model_, ws_, out.B.body);
    out.B.p_B = X_WB.R.transpose_times(X_WA.R * out.A.p_B + X_WA.p - X_WB.p);
    out.frame = make_contact_frame(-X_WA.R.z, false);
    out.friction = uniform(0.1, 1);
    out.restitution = uniform(0, 1);
    if (make_impact(out).u(0) > 0) out.v *= -1;
    return out;
  }

  /// Frames, factorization, K.
  void update(const Strike& strike) {
    update_positions(model_, strike.q.data(), ws_);
    update_velocities(model_, strike.v.data(), ws_);
    factorize_articulated(model_, ws_);
    mobility_.update(model_, strike.A, strike.B, {strike.frame.N, strike.frame.T, strike.frame.U}, ws_);
  }

  PointImpact read(const Strike& strike) const {
    PointImpact out;
    out.K.topLeftCorner<3, 3>() = mobility_.K();
    const Vec3<double> u = calc_point_velocity(model_, ws_, strike.A.body, strike.A.p_B).linear -
                           calc_point_velocity(model_, ws_, strike.B.body, strike.B.p_B).linear;
    out.u << dot(u, strike.frame.N), dot(u, strike.frame.T), dot(u, strike.frame.U), 0;
    out.friction = {strike.friction, strike.friction, 0};
    out.restitution = strike.restitution;
    return out;
  }

  PointImpact make_impact(const Strike& strike) {
    update(strike);
    return read(strike);
  }

  const ContactMobility& mobility() const { return mobility_; }

 private:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  double normal() { return std::normal_distribution<double>()(generator_); }

  const Model& model_;
  Workspace<double> ws_;
  ContactMobility mobility_;
  std::mt19937_64 generator_{2026};
};

struct Row {
  ImpactLaw law;
  Sample mobility, path, all, steps;
  Hash hash;
};

void check(const PointImpact& impact, const PointImpactResult& result) {
  const double change = 0.5 * result.P.dot(impact.u + result.u);
  const bool balances = std::abs(change - result.energy.change()) <= 1e-5 * std::abs(result.energy.compression);
  if (result.status != ImpactStatus::done || !balances) throw std::runtime_error("an impact is wrong");
}

Row measure_law(ImpactLaw law, Strikes& strikes, const std::vector<Strike>& all, const Options& options) {
  Row row{law, {}, {}, {}, {}, {}};
  const PointImpactOptions chosen{.tolerance = options.tolerance};
  VectorX<double> v;
  for (const Strike& strike : all) {
    v = strike.v;
    const PointImpact impact = strikes.make_impact(strike);
    const PointImpactResult result = solve_point_impact(impact, law, chosen);
    check(impact, result);
    row.steps.add(result.steps);
    row.mobility.add(time_call([&] { strikes.update(strike); }));
    row.path.add(time_call([&] { v(0) += solve_point_impact(impact, law, chosen).P(0); }));
    row.all.add(time_call([&] {
      strikes.update(strike);
      const PointImpactResult hit = solve_point_impact(strikes.read(strike), law, chosen);
      v.noalias() = strike.v + strikes.mobility().X() * hit.P.head<3>();
    }));
    for (const double x : v) row.hash.add(x);
  }
  return row;
}

void run(const Options& options) {
  const HandAndBox scene;
  Strikes strikes(scene.model());
  std::vector<Strike> all;
  for (int i = 0; i < options.impacts; ++i) all.push_back(strikes.draw());
  Unit unit;
  std::vector<Row> rows;
  unit.measure_again(options.rounds);
  for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::stronge}) {
    rows.push_back(measure_law(law, strikes, all, options));
    unit.measure_again(options.rounds);
  }
  const double one = unit.seconds();
  fmt::print("one forward dynamics with {} degrees of freedom: {:.3f} µs; all times in multiples of it\n",
             unit.freedoms(), 1e6 * one);
  fmt::print("median, nine of ten, worst of {} impacts each, tolerance {:g}\n\n", options.impacts, options.tolerance);
  fmt::print("{:>8} | {:^23} | {:^23} | {:^23} | {:^23} | {:>16}\n", "law", "mobility", "path", "all",
             "pieces of the path", "velocities");
  std::ofstream csv;
  if (!options.csv.empty()) csv.open(options.csv);
  if (csv) csv << "law,share,mobility,path,all,pieces\n";
  for (const Row& row : rows) {
    fmt::print("{:>8}", to_string(row.law));
    for (const Sample* sample : {&row.mobility, &row.path, &row.all}) {
      fmt::print(" | {:7.1f} {:7.1f} {:7.1f}", sample->quantile(0.5) / one, sample->quantile(0.9) / one,
                 sample->quantile(1) / one);
    }
    fmt::print(" | {:7.0f} {:7.0f} {:7.0f} | {:16x}\n", row.steps.quantile(0.5), row.steps.quantile(0.9),
               row.steps.quantile(1), row.hash.value());
    for (const double share : {0.5, 0.9, 1.0}) {
      csv << fmt::format("{},{},{},{},{},{}\n", to_string(row.law), share, row.mobility.quantile(share) / one,
                         row.path.quantile(share) / one, row.all.quantile(share) / one, row.steps.quantile(share));
    }
  }
}

}  // namespace
}  // namespace thenar::bench

int main(int argc, char** argv) {
  thenar::bench::Options options;
  CLI::App app("One impact of a finger and a box, in multiples of one forward dynamics");
  options.add_to(app);
  app.add_option("--impacts", options.impacts, "How many of them")->capture_default_str();
  app.add_option("--tolerance", options.tolerance, "Of the path")->capture_default_str();
  return thenar::bench::run_program(app, argc, argv, [&] { thenar::bench::run(options); });
}
