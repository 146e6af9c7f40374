// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulate/sparse_rows_internal.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace thenar::internal {

SparseRows::SparseRows(const Model& model)
    : model_(&model),
      by_link_(static_cast<std::size_t>(model.link_count()) + 1),
      tau_(VectorX<double>::Zero(model.velocity_count())),
      y_(VectorX<double>::Zero(model.velocity_count())) {}

void SparseRows::clear() {
  row_count_ = 0;
  groups_.clear();
  places_.clear();
  entries_.clear();
  for (std::vector<Share>& shares : by_link_) shares.clear();
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
  std::sort(links.begin(), links.end(), std::greater<>());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  Group group{std::move(links), {}, row_count_, count};
  for (const int i : group.links) {
    const Link& link = model_->links()[static_cast<std::size_t>(i)];
    by_link_[static_cast<std::size_t>(i)].push_back(
        {static_cast<int>(groups_.size()), static_cast<int>(group.dofs.size())});
    for (int k = 0; k < link.nv; ++k) group.dofs.push_back(link.v + k);
  }
  for (int k = 0; k < count; ++k) {
    places_.push_back({static_cast<int>(groups_.size()), entries_.size()});
    entries_.resize(entries_.size() + group.dofs.size());
  }
  row_count_ += count;
  groups_.push_back(std::move(group));
}

void SparseRows::finish() {
  std::fill(entries_.begin(), entries_.end(), 0.0);
  reduced_.assign(entries_.size(), 0.0);
}

double SparseRows::multiply(int k, const double* x) const {
  const Place& place = places_[static_cast<std::size_t>(k)];
  const std::vector<int>& dofs = groups_[static_cast<std::size_t>(place.group)].dofs;
  double out = 0;
  for (std::size_t i = 0; i < dofs.size(); ++i) out += entries_[place.start + i] * x[dofs[i]];
  return out;
}

double SparseRows::multiply_sizes(int k, const double* x) const {
  const Place& place = places_[static_cast<std::size_t>(k)];
  const std::vector<int>& dofs = groups_[static_cast<std::size_t>(place.group)].dofs;
  double out = 0;
  for (std::size_t i = 0; i < dofs.size(); ++i) out += std::abs(entries_[place.start + i] * x[dofs[i]]);
  return out;
}

void SparseRows::add_transposed(int k, double z, double* tau) const {
  const Place& place = places_[static_cast<std::size_t>(k)];
  const std::vector<int>& dofs = groups_[static_cast<std::size_t>(place.group)].dofs;
  for (std::size_t i = 0; i < dofs.size(); ++i) tau[dofs[i]] += z * entries_[place.start + i];
}

void SparseRows::reduce(Workspace<double>& workspace) {
  for (const Place& place : places_) {
    const Group& group = groups_[static_cast<std::size_t>(place.group)];
    for (std::size_t i = 0; i < group.dofs.size(); ++i) tau_(group.dofs[i]) = entries_[place.start + i];
    reduce_articulated(*model_, group.links, tau_.data(), workspace, y_.data());
    for (std::size_t i = 0; i < group.dofs.size(); ++i) reduced_[place.start + i] = y_(group.dofs[i]);
  }
}

/// y of the group's rows at a link, a column for each row.
SparseRows::Block SparseRows::get_block(const Share& share, int link) const {
  const Group& group = groups_[static_cast<std::size_t>(share.group)];
  const std::size_t start = group.count == 0 ? 0 : places_[static_cast<std::size_t>(group.first)].start;
  return Block(reduced_.data() + start + share.offset, model_->links()[static_cast<std::size_t>(link)].nv, group.count,
               Eigen::OuterStride<>(static_cast<Eigen::Index>(group.dofs.size())));
}

void SparseRows::calc_response(const SparseRows& F, Eigen::Ref<MatrixX<double>> out) const {
  out.setZero();
  const bool is_symmetric = &F == this;
  for (int link = 1; link <= model_->link_count(); ++link) {
    const std::vector<Share>& shares = by_link_[static_cast<std::size_t>(link)];
    for (std::size_t a = 0; a < shares.size(); ++a) {
      const Group& first = groups_[static_cast<std::size_t>(shares[a].group)];
      const Block y = get_block(shares[a], link);
      for (std::size_t b = is_symmetric ? a : 0; b < shares.size(); ++b) {
        const Group& second = F.groups_[static_cast<std::size_t>(shares[b].group)];
        out.block(first.first, second.first, first.count, second.count) +=
            y.transpose().lazyProduct(F.get_block(shares[b], link));
      }
    }
  }
  for (Eigen::Index j = 0; is_symmetric && j < out.cols(); ++j) {
    for (Eigen::Index i = j + 1; i < out.rows(); ++i) out(i, j) = out(j, i);
  }
}

}  // namespace thenar::internal
