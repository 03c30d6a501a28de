#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace kernelscape {

/**
 * The Canberra distance (NoSE, equation 4): the sum over coordinates of |x - z| / (|x| + |z|), 0 / 0 being 0.
 * Both spans have the same length. Coordinates are added in order: the same points give the same bits
 * everywhere.
 */
double canberra_distance(std::span<const double> x, std::span<const double> z);

/** An observed point near a query. */
struct Neighbour {
  double distance = 0;
  std::size_t number = 0;  ///< 0-based, in the order of insertion

  bool operator==(const Neighbour&) const = default;
};

/** What a query learns from an observed point that lies exactly on it, whose weight 1 / d would be infinite.
 */
enum class ZeroDistance {
  Measured,  ///< the estimate is that point's value (the lowest-numbered point's, where there are several)
  Excluded   ///< it is no neighbour
};

/**
 * Distance-weighted k-nearest-neighbours regression under the Canberra distance (NoSE, section III-B,
 * equations 1-4).
 *
 * Points are held in a k-d tree that is rebuilt as they come in; those that came since are searched one by
 * one. Neighbours and estimates are those of a search through all points, to the last bit: at the k-th
 * distance the lower number is kept.
 */
class NearestNeighbours {
 public:
  /** @param dimensions coordinates of a point @param neighbours k; both at least 1 */
  NearestNeighbours(std::size_t dimensions, std::size_t neighbours, ZeroDistance zero_distance);
  ~NearestNeighbours();
  NearestNeighbours(NearestNeighbours&&) noexcept;
  NearestNeighbours& operator=(NearestNeighbours&&) noexcept;

  /** Finite coordinates; `value` in any unit. */
  void add(std::span<const double> point, double value);

  std::size_t size() const;  ///< points that were added, repeated ones included

  /** The k nearest by distance, then number; fewer where fewer are known. */
  std::vector<Neighbour> nearest(std::span<const double> query) const;

  /** The mean of the neighbours' values with weights 1 / distance; 0 where there is no neighbour. */
  double estimate(std::span<const double> query) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernelscape
