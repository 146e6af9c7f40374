// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/sparse_rows_internal.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "thenar/base/assert.h"

namespace thenar::internal {

SparseRows::SparseRows(const Model& model) : model_(&model) {}

void SparseRows::clear() {
  groups_.clear();
  places_.clear();
  shared_.clear();
  pairs_.clear();
  entries_.clear();
}

/// The link and all that carry it.
void SparseRows::add_links(int link, std::vector<int>& links) const {
  for (; link != 0; link = model_->links()[static_cast<std::size_t>(link)].parent) links.push_back(link);
}

void SparseRows::add_group(std::span<const int> dofs, int count) {
  std::vector<int> links;
  for (const int dof : dofs) {
    const auto owns = [&](const Link& link) { return link.v <= dof && dof < link.v + link.nv; };
    const auto& all = model_->links();
    add_links(static_cast<int>(std::find_if(all.begin() + 1, all.end(), owns) - all.begin()), links);
  }
  append(std::move(links), count);
}

void SparseRows::add_group(BodyIndex A, BodyIndex B, int count) {
  std::vector<int> links;
  for (const BodyIndex body : {A, B}) add_links(model_->body(body).link, links);
  append(std::move(links), count);
}

void SparseRows::append(std::vector<int> links, int count) {
  THENAR_DEMAND(count <= Pack4::kLanes);
  std::sort(links.begin(), links.end(), std::greater<>());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  Group group{std::move(links), {}, size(), count, entries_.size()};
  for (const int i : group.links) {
    const Link& link = model_->links()[static_cast<std::size_t>(i)];
    for (int k = 0; k < link.nv; ++k) group.dofs.push_back(link.v + k);
  }
  for (int k = 0; k < count; ++k) places_.push_back({static_cast<int>(groups_.size()), k});
  entries_.resize(entries_.size() + group.dofs.size());
  groups_.push_back(std::move(group));
}

void SparseRows::finish() {
  entries_.assign(entries_.size(), Pack4(0.0));
  reduced_ = entries_;
  is_own_.assign(groups_.size(), 1);
  for (int second = 0; second < static_cast<int>(groups_.size()); ++second) {
    for (int first = 0; first <= second; ++first) list_shared(first, second);
  }
}

/// Both have their degrees of freedom in one order, so that what they share comes in runs.
void SparseRows::list_shared(int first, int second) {
  const Group &a = groups_[static_cast<std::size_t>(first)], &b = groups_[static_cast<std::size_t>(second)];
  const std::size_t begin = shared_.size();
  for (std::size_t i = 0; i < a.dofs.size(); ++i) {
    const auto found = std::find(b.dofs.begin(), b.dofs.end(), a.dofs[i]);
    if (found == b.dofs.end()) continue;
    const std::size_t in_a = a.start + i, in_b = b.start + static_cast<std::size_t>(found - b.dofs.begin());
    const auto goes_on = [&](const Shared& run) {
      const auto count = static_cast<std::size_t>(run.count);
      return run.first + count == in_a && run.second + count == in_b;
    };
    if (shared_.size() > begin && goes_on(shared_.back())) {
      ++shared_.back().count;
    } else {
      shared_.push_back({in_a, in_b, 1});
    }
  }
  if (shared_.size() > begin) pairs_.push_back({first, second, begin, shared_.size()});
}

void SparseRows::copy_entries(const SparseRows& other) {
  entries_ = other.entries_;
  std::fill(is_own_.begin(), is_own_.end(), 0);
}

void SparseRows::multiply(const double* x, double* out) const {
  for (const Group& group : groups_) {
    const Pack4* entries = entries_.data() + group.start;
    Pack4 sum(0.0);
    for (const int dof : group.dofs) sum += *entries++ * x[dof];
    for (int k = 0; k < group.count; ++k) out[group.first + k] = sum[k];
  }
}

double SparseRows::multiply_sizes(int k, const double* x) const {
  const Place& place = places_[static_cast<std::size_t>(k)];
  const Group& group = groups_[static_cast<std::size_t>(place.group)];
  const Pack4* entries = entries_.data() + group.start;
  double out = 0;
  for (const int dof : group.dofs) out += std::abs((*entries++)[place.lane] * x[dof]);
  return out;
}

void SparseRows::add_transposed(const double* z, double* tau) const {
  for (const Group& group : groups_) {
    const Pack4* entries = entries_.data() + group.start;
    Pack4 forces(0.0);
    for (int k = 0; k < group.count; ++k) forces.set(k, z[group.first + k]);
    for (const int dof : group.dofs) tau[dof] += sum_lanes(*entries++ * forces);
  }
}

void SparseRows::reduce(const Group& group, Workspace<double>& workspace) {
  reduce_articulated(*model_, group.links, entries_.data() + group.start, workspace, reduced_.data() + group.start);
}

void SparseRows::reduce(Workspace<double>& workspace) {
  for (const Group& group : groups_) reduce(group, workspace);
}

void SparseRows::reduce_like(const SparseRows& other, Workspace<double>& workspace) {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    if (is_own_[i]) {
      reduce(group, workspace);
    } else {
      std::copy_n(other.reduced_.data() + group.start, group.dofs.size(), reduced_.data() + group.start);
    }
  }
}

/// `is_turned`: y_secondᵀ y_first of the same groups instead.
SparseRows::Block SparseRows::calc_block(const Pair& pair, const std::vector<Pack4>& y_first,
                                         const std::vector<Pack4>& y_second, bool is_turned) const {
  Block out;
  out.fill(Pack4(0.0));
  for (std::size_t s = pair.begin; s < pair.end; ++s) {
    const Shared& run = shared_[s];
    const Pack4* y = y_first.data() + (is_turned ? run.second : run.first);
    const Pack4* f = y_second.data() + (is_turned ? run.first : run.second);
    for (int i = 0; i < run.count; ++i) {
      for (int lane = 0; lane < Pack4::kLanes; ++lane) out[static_cast<std::size_t>(lane)] += Pack4(y[i][lane]) * f[i];
    }
  }
  return out;
}

void SparseRows::calc_response(const SparseRows& F, Eigen::Ref<MatrixX<double>> out) const {
  out.setZero();
  const bool is_symmetric = &F == this;
  for (const Pair& pair : pairs_) {
    const Group &first = groups_[static_cast<std::size_t>(pair.first)],
                &second = groups_[static_cast<std::size_t>(pair.second)];
    const Block upper = calc_block(pair, reduced_, F.reduced_, false);
    for (int i = 0; i < first.count; ++i) {
      for (int j = 0; j < second.count; ++j) {
        const double entry = upper[static_cast<std::size_t>(i)][j];
        out(first.first + i, second.first + j) = entry;
        if (is_symmetric) out(second.first + j, first.first + i) = entry;
      }
    }
    if (is_symmetric || pair.first == pair.second) continue;
    const Block lower = calc_block(pair, reduced_, F.reduced_, true);
    for (int i = 0; i < second.count; ++i) {
      for (int j = 0; j < first.count; ++j) {
        out(second.first + i, first.first + j) = lower[static_cast<std::size_t>(i)][j];
      }
    }
  }
}

}  // namespace thenar::internal
