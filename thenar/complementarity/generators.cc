// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/generators.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "thenar/spatial/decompositions.h"

namespace thenar {
namespace {

/// The inequalities that a ray meets as equations, one bit each.
class Marks {
 public:
  explicit Marks(int count) : words_(static_cast<std::size_t>(count + 63) / 64) {}
  void set(int i) { words_[static_cast<std::size_t>(i) / 64] |= std::uint64_t{1} << (i % 64); }
  int count() const {
    int out = 0;
    for (const std::uint64_t word : words_) out += __builtin_popcountll(word);
    return out;
  }
  friend Marks operator&(Marks a, const Marks& b) {
    for (std::size_t k = 0; k < a.words_.size(); ++k) a.words_[k] &= b.words_[k];
    return a;
  }
  bool contains(const Marks& other) const {
    for (std::size_t k = 0; k < words_.size(); ++k) {
      if ((other.words_[k] & ~words_[k]) != 0) return false;
    }
    return true;
  }

 private:
  std::vector<std::uint64_t> words_;
};

struct Ray {
  LongVector direction;
  Marks met;
};

/// The extreme rays of the pointed cone {x : rows x ≥ 0}; rows have length 1 and full column rank.
class DoubleDescription {
 public:
  DoubleDescription(const LongMatrix& rows, long double tolerance, int most)
      : rows_(rows), tolerance_(tolerance), most_(static_cast<std::size_t>(most)) {}

  bool run() {
    const std::vector<int> first = choose_first_rows();
    start(first);
    for (int i = 0; i < rows_.rows(); ++i) {
      if (std::find(first.begin(), first.end(), i) != first.end()) continue;
      add(i);
      if (rays.size() > most_) return false;
    }
    return true;
  }

  std::vector<Ray> rays;

 private:
  int count() const { return static_cast<int>(rows_.rows()); }
  int dimension() const { return static_cast<int>(rows_.cols()); }

  /// As many independent rows as there are dimensions.
  std::vector<int> choose_first_rows() const {
    const Eigen::FullPivLU<LongMatrix> lu(rows_);
    std::vector<int> out;
    for (int i = 0; i < count(); ++i) {
      if (lu.permutationP().indices()(i) < dimension()) out.push_back(i);
    }
    return out;
  }

  /// The cone of these rows alone: each ray meets all of them but one.
  void start(const std::vector<int>& first) {
    LongMatrix square(dimension(), dimension());
    for (int k = 0; k < dimension(); ++k) square.row(k) = rows_.row(first[static_cast<std::size_t>(k)]);
    const LongMatrix inverse = inverse_of(square.partialPivLu());
    for (int k = 0; k < dimension(); ++k) {
      Ray ray{inverse.col(k).normalized(), Marks(count())};
      for (int other = 0; other < dimension(); ++other) {
        if (other != k) ray.met.set(first[static_cast<std::size_t>(other)]);
      }
      rays.push_back(std::move(ray));
    }
  }

  void add(int row) {
    std::vector<Ray> kept;
    std::vector<const Ray*> above, below;
    std::vector<long double> height_above, height_below;
    for (Ray& ray : rays) {
      const long double height = rows_.row(row).dot(ray.direction);
      if (std::abs(height) <= tolerance_) {
        ray.met.set(row);
      } else if (height > 0) {
        above.push_back(&ray);
        height_above.push_back(height);
      } else {
        below.push_back(&ray);
        height_below.push_back(height);
        continue;
      }
    }
    for (std::size_t a = 0; a < above.size(); ++a) {
      for (std::size_t b = 0; b < below.size(); ++b) {
        const Marks common = above[a]->met & below[b]->met;
        if (!are_adjacent(*above[a], *below[b], common)) continue;
        Ray meet{above[a]->direction * -height_below[b] + below[b]->direction * height_above[a], common};
        meet.direction.normalize();
        meet.met.set(row);
        kept.push_back(std::move(meet));
        if (kept.size() > most_) break;
      }
    }
    for (Ray& ray : rays) {
      const bool is_below = std::find(below.begin(), below.end(), &ray) != below.end();
      if (!is_below) kept.push_back(std::move(ray));
    }
    rays = std::move(kept);
  }

  /// Two extreme rays span a face of two dimensions if no third one meets all that both meet.
  bool are_adjacent(const Ray& a, const Ray& b, const Marks& common) const {
    if (common.count() < dimension() - 2) return false;
    return std::none_of(rays.begin(), rays.end(),
                        [&](const Ray& ray) { return &ray != &a && &ray != &b && ray.met.contains(common); });
  }

  const LongMatrix& rows_;
  long double tolerance_;
  std::size_t most_;
};

}  // namespace

std::optional<Generators> find_generators(const LongMatrix& G, const LongVector& h, long double tolerance, int most) {
  constexpr long double kRank = 1e-12L;
  const auto n = G.cols();
  Generators out;
  // Directions that no row sees are lines; the rest is done in the space across them.
  LongMatrix across = LongMatrix::Identity(n, n);
  if (n > 0) {
    Eigen::FullPivLU<LongMatrix> lu(G);
    lu.setThreshold(kRank);
    if (lu.rank() < n) {
      const LongMatrix kernel = kernel_of(lu);
      for (Eigen::Index k = 0; k < kernel.cols(); ++k) out.lines.push_back(kernel.col(k).normalized());
      Eigen::FullPivLU<LongMatrix> rest(LongMatrix(kernel.transpose()));
      rest.setThreshold(kRank);
      across = kernel_of(rest);
      if (rest.rank() == n) across.resize(n, 0);
    }
  }
  const auto d = across.cols();
  std::vector<Eigen::Index> seen;
  const LongMatrix reduced = G * across;
  const long double largest = reduced.size() > 0 ? reduced.cwiseAbs().maxCoeff() : 0;
  for (Eigen::Index i = 0; i < G.rows(); ++i) {
    if (reduced.row(i).norm() > kRank * largest) {
      seen.push_back(i);
    } else if (h(i) < -tolerance) {
      return Generators{};
    }
  }
  LongMatrix rows(static_cast<Eigen::Index>(seen.size()) + 1, d + 1);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    rows.row(row).head(d) = reduced.row(seen[k]);
    rows(row, d) = h(seen[k]);
    rows.row(row).normalize();
  }
  rows.row(rows.rows() - 1).setZero();
  rows(rows.rows() - 1, d) = 1;
  DoubleDescription description(rows, tolerance, most);
  if (!description.run()) return std::nullopt;
  for (const Ray& ray : description.rays) {
    const long double s = ray.direction(d);
    const LongVector t = across * ray.direction.head(d);
    if (s > tolerance) {
      out.vertices.push_back(t / s);
    } else {
      out.rays.push_back(t.normalized());
    }
  }
  if (out.vertices.empty()) return Generators{};
  return out;
}

}  // namespace thenar
