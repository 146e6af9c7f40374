// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic/mode_rules.h"

#include <cmath>

namespace thenar::internal {
namespace {

/// The force that balances the largest entry of h by one edge, or 1.
double find_strength(const ModeRules& rules) {
  double out = 0;
  for (Eigen::Index i = 0; i < rules.h.size(); ++i) {
    const double lever = rules.G.cols() > 0 ? rules.G.row(i).cwiseAbs().maxCoeff() : 0;
    out = std::max(out, std::abs(rules.h(i)) / (lever > 0 ? lever : 1));
  }
  return out > 0 ? out : 1;
}

/// Builds the rules of one contact after the other.
class RuleWriter {
 public:
  explicit RuleWriter(const MatrixX<double>& P) : P_(P) {}

  /// An edge whose friction per unit of normal force is that of the tangents times `slopes`.
  void add_edge(RuledContact& contact, int number, const VectorX<double>& friction, std::vector<RowSign> forbidden) {
    contact.edges.push_back(static_cast<int>(wrenches_.size()));
    wrenches_.emplace_back(P_.row(contact.normal).transpose() + friction);
    rules.edges.push_back({number, std::move(forbidden)});
  }

  void finish(UnknownForm& form) {
    rules.G.resize(form.h.size(), static_cast<Eigen::Index>(wrenches_.size()));
    for (std::size_t k = 0; k < wrenches_.size(); ++k) rules.G.col(static_cast<Eigen::Index>(k)) = wrenches_[k];
    rules.P = std::move(form.P);
    rules.v0 = std::move(form.v0);
    rules.h = std::move(form.h);
    rules.still = kStill * find_speed_scale(rules.v0);
    rules.strength = find_strength(rules);
  }

  ModeRules rules;

 private:
  const MatrixX<double>& P_;
  std::vector<VectorX<double>> wrenches_;
};

/// Rows that are the same, or opposite, up to a part of what counts as no velocity become so exactly: linear programs
/// take their difference for something that large multiples can be made of.
void unite_rows(UnknownForm& form) {
  constexpr double kSame = 1e-9;
  const double speed = find_speed_scale(form.v0);
  for (Eigen::Index b = 1; b < form.P.rows(); ++b) {
    for (Eigen::Index a = 0; a < b; ++a) {
      const double size = form.P.row(a).cwiseAbs().maxCoeff();
      for (const double sign : {1.0, -1.0}) {
        if ((form.P.row(b) - sign * form.P.row(a)).cwiseAbs().maxCoeff() > kSame * size) continue;
        form.P.row(b) = sign * form.P.row(a);
        if (std::abs(form.v0(b) - sign * form.v0(a)) <= kSame * speed) form.v0(b) = sign * form.v0(a);
      }
    }
  }
}

ModeRules make_planar_rules(const QuasistaticProblem& problem) {
  const int n = problem.contact_count();
  UnknownForm form = make_unknown_form(problem);
  if (form.P.cols() > 0) unite_rows(form);
  RuleWriter writer(form.P);
  for (int i = 0; i < n; ++i) {
    const int tangent = n + i;
    RuledContact contact{i, {}, {{{{tangent, 1}}, {}}, {{{tangent, -1}}, {}}, {{{tangent, 0}}, {}}}};
    const VectorX<double> friction = problem.mu(i) * form.P.row(tangent).transpose();
    if (problem.mu(i) > 0) {
      writer.add_edge(contact, i, friction, {{tangent, 1}});
      writer.add_edge(contact, i, -friction, {{tangent, -1}});
      contact.modes[0].edges = {contact.edges[1]};
      contact.modes[1].edges = {contact.edges[0]};
      contact.modes[2].edges = contact.edges;
    } else {
      writer.add_edge(contact, i, 0 * friction, {});
      for (TouchMode& mode : contact.modes) mode.edges = contact.edges;
    }
    writer.rules.contacts.push_back(std::move(contact));
  }
  writer.finish(form);
  return std::move(writer.rules);
}

/// v = P u + v₀ with slips along e_j instead of t and u.
UnknownForm make_slip_form(const QuasistaticProblem& problem, int slips) {
  const UnknownForm form = make_unknown_form(problem);
  const Eigen::Index n = problem.contact_count();
  UnknownForm out{MatrixX<double>(n * (1 + slips), form.P.cols()), VectorX<double>(n * (1 + slips)), form.h};
  out.P.topRows(n) = form.P.topRows(n);
  out.v0.head(n) = form.v0.head(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (int j = 0; j < slips; ++j) {
      // d_{j+1} − d_j points 90° further than the middle between them.
      const double angle = 2 * M_PI * (j + 0.5) / problem.sides + M_PI / 2;
      const Eigen::Index row = n + i * slips + j;
      out.P.row(row) = std::cos(angle) * form.P.row(n + i) + std::sin(angle) * form.P.row(2 * n + i);
      out.v0(row) = std::cos(angle) * form.v0(n + i) + std::sin(angle) * form.v0(2 * n + i);
    }
  }
  return out;
}

ModeRules make_spatial_rules(const QuasistaticProblem& problem) {
  const int n = problem.contact_count(), k = problem.sides, slips = k % 2 == 0 ? k / 2 : k;
  UnknownForm form = make_slip_form(problem, slips);
  const UnknownForm plain = make_unknown_form(problem);
  if (form.P.cols() > 0) unite_rows(form);
  RuleWriter writer(form.P);
  for (int i = 0; i < n; ++i) {
    RuledContact contact{i, {}, {}};
    const auto slip = [&](int j, int sign) {
      j = (j + k) % k;
      return j < slips ? RowSign{n + i * slips + j, sign} : RowSign{n + i * slips + j - slips, -sign};
    };
    const double mu = problem.mu(i);
    for (int j = 0; j < (mu > 0 ? k : 0); ++j) {
      const double angle = 2 * M_PI * j / k;
      const VectorX<double> friction =
          mu * (std::cos(angle) * plain.P.row(n + i) + std::sin(angle) * plain.P.row(2 * n + i)).transpose();
      writer.add_edge(contact, i, friction, {slip(j, -1), slip(j - 1, 1)});
    }
    if (!(mu > 0)) writer.add_edge(contact, i, VectorX<double>::Zero(form.h.size()), {});
    const auto edge = [&](int j) { return contact.edges[static_cast<std::size_t>(j % k)]; };
    for (int j = 0; j < (mu > 0 ? k : 0); ++j) {
      contact.modes.push_back({{slip(j, 1), slip(j - 1, -1)}, {edge(j)}});
      std::vector<RowSign> between{slip(j, 0), slip(j - 1, -1)};
      if (slip(j + 1, 1).row != between.back().row) between.push_back(slip(j + 1, 1));
      contact.modes.push_back({between, {edge(j), edge(j + 1)}});
    }
    TouchMode last{{}, contact.edges};
    for (int j = 0; j < (mu > 0 ? slips : 0); ++j) last.signs.push_back(slip(j, 0));
    contact.modes.push_back(std::move(last));
    writer.rules.contacts.push_back(std::move(contact));
  }
  writer.finish(form);
  return std::move(writer.rules);
}

}  // namespace

ModeRules make_mode_rules(const QuasistaticProblem& problem) {
  return problem.is_spatial() ? make_spatial_rules(problem) : make_planar_rules(problem);
}

}  // namespace thenar::internal
