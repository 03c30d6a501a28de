#include "core/surrogate/nearest_neighbours.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nanoflann.hpp>
#include <stdexcept>

namespace kernelscape::surrogate {
namespace {

constexpr std::size_t leaf_points = 8;
/// The tree is rebuilt when the number of points outside it exceeds 1/16 of those in it.
constexpr std::size_t waiting_share = 16;
constexpr std::size_t waiting_at_least = 64;

double canberra_term(double x, double z) {
  const double sum = std::abs(x) + std::abs(z);
  return std::abs(x - z) / (sum > 0 ? sum : 1.0);
}

double canberra_sum(const double* x, const double* z, std::size_t dimensions) {
  double distance = 0;
  for (std::size_t i = 0; i < dimensions; ++i) distance += canberra_term(x[i], z[i]);
  return distance;
}

/**
 * The points in the tree. nanoflann splits the dimension with the largest extent, which is meaningless under
 * a scale-invariant metric. Every dimension is therefore scaled to the same order of magnitude, by powers of
 * two, which do not change the bits of any distance. A search of 10,000 points then visits a third as many.
 */
struct IndexedPoints {
  std::size_t dimensions = 0;
  std::vector<double> scales;       ///< one per dimension
  std::vector<double> coordinates;  ///< scaled, row by row

  void assign(std::span<const double> points) {
    scales.assign(dimensions, 0);
    for (std::size_t i = 0; i < points.size(); ++i) {
      double& largest = scales[i % dimensions];
      largest = std::max(largest, std::abs(points[i]));
    }
    for (double& scale : scales) scale = scale > 0 ? std::ldexp(1.0, -std::ilogb(scale)) : 1.0;
    coordinates = scaled(points);
  }

  std::vector<double> scaled(std::span<const double> points) const {
    std::vector<double> result(points.begin(), points.end());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] *= scales[i % dimensions];
    return result;
  }

  std::size_t size() const { return coordinates.size() / dimensions; }
  std::size_t kdtree_get_point_count() const { return size(); }
  double kdtree_get_pt(std::size_t point, std::size_t dimension) const {
    return coordinates[point * dimensions + dimension];
  }
  template <typename BoundingBox>
  bool kdtree_get_bbox(BoundingBox&) const {
    return false;
  }
};

/**
 * Away from x, a coordinate's term grows monotonically from 0 to 1, for any signs. The term of the nearest
 * face is therefore a lower bound of the terms of all points in a box, which pruning requires.
 */
struct CanberraMetric {
  using ElementType = double;
  using DistanceType = double;

  const IndexedPoints& points;

  explicit CanberraMetric(const IndexedPoints& indexed) : points(indexed) {}

  // NOLINTNEXTLINE(readability-identifier-naming): nanoflann's name
  double evalMetric(const double* query, std::size_t point, std::size_t dimensions) const {
    return canberra_sum(query, points.coordinates.data() + point * dimensions, dimensions);
  }
  double accum_dist(double query, double face, std::size_t) const { return canberra_term(query, face); }
};

/**
 * The k nearest points by (distance, number). Reports a slightly too large worst distance to the tree: the
 * tree skips points that are not nearer than that, and its running bounds have rounding errors, so ties at
 * the k-th distance could otherwise be lost.
 */
class NearestSet {
 public:
  using DistanceType = double;  // required by nanoflann 1.5 and newer

  NearestSet(std::size_t capacity, ZeroDistance zero_distance)
      : capacity_(capacity), zero_distance_(zero_distance) {
    found_.reserve(capacity + 1);
  }

  // NOLINTNEXTLINE(readability-identifier-naming): nanoflann's name
  bool addPoint(double distance, std::size_t number) {
    if (zero_distance_ == ZeroDistance::Excluded && distance == 0) return true;
    const auto nearer = [](const Neighbour& a, const Neighbour& b) {
      return a.distance < b.distance || (a.distance == b.distance && a.number < b.number);
    };
    const Neighbour candidate{distance, number};
    if (full() && !nearer(candidate, found_.back())) return true;
    found_.insert(std::ranges::upper_bound(found_, candidate, nearer), candidate);
    if (found_.size() > capacity_) found_.pop_back();
    return true;
  }

  // NOLINTNEXTLINE(readability-identifier-naming): nanoflann's name
  double worstDist() const {
    return full() ? found_.back().distance + slack : std::numeric_limits<double>::max();
  }

  // Called by nanoflann 1.5 and newer at the end of a search. The neighbours are always sorted.
  void sort() {}

  bool full() const { return found_.size() == capacity_; }
  std::size_t size() const { return found_.size(); }
  std::vector<Neighbour> take() { return std::move(found_); }

 private:
  /// Far above the rounding errors of a sum of terms in [0, 1], and far below the relevant gaps between
  /// unequal distances.
  static constexpr double slack = 1e-9;
  std::size_t capacity_;
  ZeroDistance zero_distance_;
  std::vector<Neighbour> found_;
};

using Tree = nanoflann::KDTreeSingleIndexAdaptor<CanberraMetric, IndexedPoints, -1, std::size_t>;

}  // namespace

double canberra_distance(std::span<const double> x, std::span<const double> z) {
  if (x.size() != z.size()) throw std::invalid_argument("canberra_distance: points of unequal length");
  return canberra_sum(x.data(), z.data(), x.size());
}

struct NearestNeighbours::State {
  std::size_t dimensions;
  std::size_t neighbours;
  ZeroDistance zero_distance;
  std::vector<double> coordinates;  ///< row by row
  std::vector<double> values;
  IndexedPoints indexed;  ///< the first of them
  std::unique_ptr<Tree> tree;

  State(std::size_t dimension_count, std::size_t k, ZeroDistance zero)
      : dimensions(dimension_count), neighbours(k), zero_distance(zero), indexed{dimension_count, {}, {}} {}

  void rebuild_if_worthwhile() {
    const std::size_t waiting = values.size() - indexed.size();
    if (waiting <= waiting_at_least + indexed.size() / waiting_share) return;
    tree.reset();
    indexed.assign(coordinates);
    tree = std::make_unique<Tree>(static_cast<Tree::Dimension>(dimensions), indexed,
                                  nanoflann::KDTreeSingleIndexAdaptorParams(leaf_points));
  }
};

NearestNeighbours::NearestNeighbours(std::size_t dimensions, std::size_t neighbours,
                                     ZeroDistance zero_distance) {
  if (dimensions == 0 || neighbours == 0) {
    throw std::invalid_argument("NearestNeighbours: no dimension or no neighbour");
  }
  state_ = std::make_unique<State>(dimensions, neighbours, zero_distance);
}

NearestNeighbours::~NearestNeighbours() = default;
NearestNeighbours::NearestNeighbours(NearestNeighbours&&) noexcept = default;
NearestNeighbours& NearestNeighbours::operator=(NearestNeighbours&&) noexcept = default;

void NearestNeighbours::add(std::span<const double> point, double value) {
  if (point.size() != state_->dimensions) throw std::invalid_argument("NearestNeighbours: wrong dimensions");
  state_->coordinates.insert(state_->coordinates.end(), point.begin(), point.end());
  state_->values.push_back(value);
  state_->rebuild_if_worthwhile();
}

std::size_t NearestNeighbours::size() const { return state_->values.size(); }

std::vector<Neighbour> NearestNeighbours::nearest(std::span<const double> query) const {
  const State& state = *state_;
  if (query.size() != state.dimensions) throw std::invalid_argument("NearestNeighbours: wrong dimensions");
  NearestSet nearest(state.neighbours, state.zero_distance);
  if (state.tree) {
    // The type of the parameters is SearchParams before nanoflann 1.5 and SearchParameters since then.
    state.tree->findNeighbors(nearest, state.indexed.scaled(query).data(), {});
  }
  for (std::size_t point = state.indexed.size(); point < state.values.size(); ++point) {
    const double* waiting = state.coordinates.data() + point * state.dimensions;
    nearest.addPoint(canberra_sum(query.data(), waiting, state.dimensions), point);
  }
  return nearest.take();
}

double NearestNeighbours::estimate(std::span<const double> query) const {
  const std::vector<Neighbour> neighbours = nearest(query);
  if (neighbours.empty()) return 0;
  if (neighbours.front().distance == 0) return state_->values[neighbours.front().number];
  double weights = 0;
  double weighted_values = 0;
  for (const Neighbour& neighbour : neighbours) {
    const double weight = 1 / neighbour.distance;
    weights += weight;
    weighted_values += weight * state_->values[neighbour.number];
  }
  return weighted_values / weights;
}

}  // namespace kernelscape::surrogate
