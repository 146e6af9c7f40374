// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/scenario/quasistatic_reader.h"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>

#include "thenar/base/text.h"
#include "thenar/io/text/reader.h"
#include "thenar/io/text/text_file.h"
#include "thenar/quasistatic_run/quasistatic_scene.h"

namespace thenar {
namespace {

using Index = Eigen::Index;

constexpr int kMostProblemContacts = 1'000, kMostJoints = 10'000, kPlanarFreedoms = 3;

class QuasistaticReader {
 public:
  explicit QuasistaticReader(const Node& root) : root_(Field(root, "the problem")) {}

  QuasistaticFile read(const std::string& name) {
    QuasistaticFile out{.name = name};
    if (const auto version = root_.optional("thenar")) read::integer(*version, 1, 1, {});
    if (const auto own = root_.optional("name")) out.name = read::text(*own);
    if (const auto parameters = root_.optional("parameters")) parameters_ = read::parameters(*parameters);
    const auto mu = root_.required("mu");
    read_sizes(mu);
    read_joints(out.problem);
    read_wrenches(out.problem);
    read_space(out.problem);
    out.problem.g_obj = read_vector("g_obj", freedoms_);
    out.problem.mu = read_friction(mu);
    root_.finish();
    return out;
  }

 private:
  /// A size that is stated, or else `found`, or else unknown.
  int read_size(const char* key, int most, int found) {
    const auto field = root_.optional(key);
    if (!field) return found;
    const int stated = read::integer(*field, 0, most, parameters_);
    if (found >= 0 && stated != found) field->fail(fmt::format("is {}, but the matrices have {}", stated, found));
    return stated;
  }

  void read_sizes(const Field& mu) {
    const auto J_n = root_.required("J_n");
    contacts_ = read_size("n_c", kMostProblemContacts, static_cast<int>(read::items(J_n).size()));
    int joints = mu.node().is_sequence() && contacts_ == 0 ? 0 : -1;
    if (contacts_ > 0) joints = static_cast<int>(read::items(read::items(J_n).front()).size());
    joints_ = read_size("n_theta", kMostJoints, joints);
    if (joints_ < 0) joints_ = 0;
  }

  /// Numbers without units: what they measure is up to the problem.
  VectorX<double> read_vector(const char* key, int size) {
    const auto field = root_.optional(key);
    return field ? VectorX<double>(read::vector(*field, size, kNumber, parameters_)) : VectorX<double>::Zero(size);
  }

  MatrixX<double> read_matrix(const Field& field, int rows, int columns) {
    if (rows > 0 && columns > 0) return read::matrix(field, rows, columns, kNumber, parameters_);
    return MatrixX<double>::Zero(rows, columns);
  }

  void read_joints(QuasistaticProblem& out) {
    out.J_n = read_matrix(root_.required("J_n"), contacts_, joints_);
    out.J_t = read_matrix(root_.required("J_t"), contacts_, joints_);
    out.theta_dot = read_vector("theta_dot", joints_);
    out.tau = read_vector("tau", joints_);
    out.g_man = read_vector("g_man", joints_);
    out.is_position_controlled.assign(static_cast<std::size_t>(joints_), true);
    const auto alpha = root_.optional("alpha");
    if (!alpha) return;
    out.is_position_controlled.assign(static_cast<std::size_t>(joints_), false);
    for (const Field& item : read::items(*alpha)) {
      const auto joint = static_cast<std::size_t>(read::integer(item, 1, joints_, parameters_) - 1);
      if (out.is_position_controlled[joint]) item.fail("names a joint twice");
      out.is_position_controlled[joint] = true;
    }
  }

  void read_wrenches(QuasistaticProblem& out) {
    const auto P = root_.optional("P"), W_n = root_.optional("W_n"), W_t = root_.optional("W_t");
    if (P && (W_n || W_t)) P->fail("stands for W_n and W_t together; give either P or these two");
    if (!P) {
      const auto first = root_.required("W_n");
      freedoms_ = read_size("n_q", kMostJoints, static_cast<int>(read::items(first).size()));
      out.W_n = read_matrix(first, freedoms_, contacts_);
      out.W_t = read_matrix(root_.required("W_t"), freedoms_, contacts_);
      return;
    }
    // PTL's P = [Wᵀ J_ᾱ]; the columns of J may be left out.
    const MatrixX<double> rows = read_matrix(*P, 2 * contacts_, columns_of(*P));
    const std::vector<int> efforts = out.effort_joints();
    const int stated = read_size("n_q", kMostJoints, -1);
    freedoms_ = stated < 0 ? kPlanarFreedoms : stated;
    const auto extra = rows.cols() - freedoms_;
    if (extra != 0 && extra != static_cast<Index>(efforts.size())) {
      P->fail(fmt::format("has {} columns, expected n_q = {} or n_q + {} effort-controlled joints", rows.cols(),
                          freedoms_, efforts.size()));
    }
    for (Index k = 0; k < extra; ++k) {
      VectorX<double> column(2 * contacts_);
      column << out.J_n.col(efforts[static_cast<std::size_t>(k)]), out.J_t.col(efforts[static_cast<std::size_t>(k)]);
      if (column != rows.col(freedoms_ + k))
        P->fail("has other columns after n_q than those of J_n and J_t outside alpha");
    }
    out.W_n = rows.topLeftCorner(contacts_, freedoms_).transpose();
    out.W_t = rows.bottomLeftCorner(contacts_, freedoms_).transpose();
  }

  /// The second tangent and the polygon of friction, of a problem in space.
  void read_space(QuasistaticProblem& out) {
    const auto sides = root_.optional("sides"), W_u = root_.optional("W_u"), J_u = root_.optional("J_u");
    if (!sides && !W_u && !J_u) return;
    out.W_u = read_matrix(W_u ? *W_u : root_.required("W_u"), freedoms_, contacts_);
    out.J_u = read_matrix(J_u ? *J_u : root_.required("J_u"), contacts_, joints_);
    out.sides =
        sides ? read::integer(*sides, QuasistaticProblem::kFewestSides, QuasistaticProblem::kMostSides, parameters_)
              : kDefaultSides;
  }

  int columns_of(const Field& P) const {
    const auto items = read::items(P);
    return items.empty() ? 0 : static_cast<int>(read::items(items.front()).size());
  }

  VectorX<double> read_friction(const Field& field) {
    if (field.node().is_scalar()) {
      return VectorX<double>::Constant(contacts_, read::non_negative(field, kNumber, parameters_));
    }
    VectorX<double> out(contacts_);
    const auto items = read::items(field);
    if (static_cast<int>(items.size()) != contacts_) {
      field.fail(fmt::format("expects {} numbers, one for each contact, found {}", contacts_, items.size()));
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      out(static_cast<Index>(i)) = read::non_negative(items[i], kNumber, parameters_);
    }
    return out;
  }

  MapReader root_;
  Parameters parameters_;
  int contacts_ = 0, joints_ = 0, freedoms_ = 0;
};

std::string write_numbers(const VectorX<double>& numbers) {
  std::string out = "[";
  for (const double number : numbers) {
    if (out.size() > 1) out += ", ";
    append_number(number, out);
  }
  return out + "]";
}

std::string write_rows(const MatrixX<double>& matrix) {
  std::string out;
  for (Index i = 0; i < matrix.rows(); ++i) out += "\n  - " + write_numbers(matrix.row(i).transpose());
  return matrix.rows() == 0 ? " []" : out;
}

}  // namespace

bool is_quasistatic_document(const Node& root) {
  return root.is_mapping() && !root.find("hands") && !root.find("objects") &&
         (root.find("W_n") || root.find("P") || root.find("J_n") || root.find("n_c"));
}

QuasistaticFile read_quasistatic(const Node& root, const std::string& name) {
  return QuasistaticReader(root).read(name);
}

QuasistaticFile make_quasistatic(const Scenario& scenario, const std::string& file) {
  try {
    QuasistaticScene scene = assemble_quasistatic(scenario, scenario.initial);
    QuasistaticFile out{scenario.name, std::move(scene.problem), std::move(scene.contacts)};
    for (const int dof : scene.object_dofs) out.objects.push_back(scenario.model.dof_name(dof));
    for (const int dof : scene.joint_dofs) out.joints.push_back(scenario.model.dof_name(dof));
    return out;
  } catch (const std::runtime_error& error) {
    throw InputError({file, 0, 0}, error.what());
  }
}

std::string write_quasistatic(const QuasistaticFile& file) {
  const QuasistaticProblem& problem = file.problem;
  std::vector<std::size_t> alpha;
  for (std::size_t j = 0; j < problem.is_position_controlled.size(); ++j) {
    if (problem.is_position_controlled[j]) alpha.push_back(j + 1);
  }
  std::string out = fmt::format("thenar: 1\nname: \"{}\"\nn_c: {}\nn_q: {}\nn_theta: {}\n", file.name,
                                problem.contact_count(), problem.object_freedoms(), problem.joint_count());
  out += "W_n:" + write_rows(problem.W_n) + "\nW_t:" + write_rows(problem.W_t);
  out += "\nJ_n:" + write_rows(problem.J_n) + "\nJ_t:" + write_rows(problem.J_t);
  if (problem.is_spatial()) {
    out += "\nW_u:" + write_rows(problem.W_u) + "\nJ_u:" + write_rows(problem.J_u);
    out += fmt::format("\nsides: {}", problem.sides);
  }
  out += fmt::format("\nalpha: [{}]\n", fmt::join(alpha, ", "));
  out += "theta_dot: " + write_numbers(problem.theta_dot) + "\ntau: " + write_numbers(problem.tau) + "\n";
  out += "g_obj: " + write_numbers(problem.g_obj) + "\ng_man: " + write_numbers(problem.g_man) + "\n";
  out += "mu: " + write_numbers(problem.mu) + "\n";
  return out;
}

}  // namespace thenar
