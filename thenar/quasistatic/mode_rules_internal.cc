// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic/mode_rules_internal.h"

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

}  // namespace

ModeRules make_planar_rules(const QuasistaticProblem& problem) {
  const int n = problem.contact_count();
  UnknownForm form = make_unknown_form(problem);
  drop_rounding(form.P);
  if (form.P.cols() > 0) unite_rows(form);
  ModeRules out;
  std::vector<VectorX<double>> wrenches;
  for (int i = 0; i < n; ++i) {
    const int tangent = n + i;
    RuledContact contact{i, {}, {{{{tangent, 1}}, {}}, {{{tangent, -1}}, {}}, {{{tangent, 0}}, {}}}};
    const auto add_edge = [&](double slope, std::vector<RowSign> forbidden) {
      contact.edges.push_back(static_cast<int>(wrenches.size()));
      wrenches.emplace_back(form.P.row(i).transpose() + slope * form.P.row(tangent).transpose());
      out.edges.push_back({i, std::move(forbidden)});
    };
    const double mu = problem.mu(i);
    if (mu > 0) {
      add_edge(mu, {{tangent, 1}});
      add_edge(-mu, {{tangent, -1}});
      contact.modes[0].edges = {contact.edges[1]};
      contact.modes[1].edges = {contact.edges[0]};
      contact.modes[2].edges = contact.edges;
    } else {
      add_edge(0, {});
      for (TouchMode& mode : contact.modes) mode.edges = contact.edges;
    }
    out.contacts.push_back(std::move(contact));
  }
  out.G.resize(form.h.size(), static_cast<Eigen::Index>(wrenches.size()));
  for (std::size_t k = 0; k < wrenches.size(); ++k) out.G.col(static_cast<Eigen::Index>(k)) = wrenches[k];
  drop_rounding(out.G);
  out.P = std::move(form.P);
  out.v0 = std::move(form.v0);
  out.h = std::move(form.h);
  out.still = kStill * find_speed_scale(out.v0);
  out.strength = find_strength(out);
  return out;
}

}  // namespace thenar::internal
