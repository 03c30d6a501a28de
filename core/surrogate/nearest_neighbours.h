#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace kernelscape::surrogate {

/**
 * Returns the Canberra distance (NoSE, equation 4): the sum over coordinates of |x - z| / (|x| + |z|), where
 * 0 / 0 is 0. Both spans must have the same length. Coordinates are added in order, so equal points give
 * identical bits everywhere.
 */
double canberra_distance(std::span<const double> x, std::span<const double> z);

/** An observed point near a query. */
struct Neighbour {
  double distance = 0;
  std::size_t number = 0;  ///< 0-based, in the order of insertion

  bool operator==(const Neighbour&) const = default;
};

/** The treatment of an observed point that equals the query, whose weight 1 / d would be infinite. */
enum class ZeroDistance {
  Measured,  ///< the estimate is that point's value (the lowest-numbered one's if there are several)
  Excluded   ///< the point is not a neighbour
};

/**
 * Distance-weighted k-nearest-neighbours regression with the Canberra distance (NoSE, section III-B,
 * equations 1-4).
 *
 * Points are stored in a k-d tree that is rebuilt as they are added; points added since the last rebuild are
 * searched one by one. Neighbours and estimates equal those of a search through all points, to the last bit:
 * of points at the k-th distance, the lower number is kept.
 */
class NearestNeighbours {
 public:
  /** @param dimensions coordinates of a point @param neighbours k; both at least 1 */
  NearestNeighbours(std::size_t dimensions, std::size_t neighbours, ZeroDistance zero_distance);
  ~NearestNeighbours();
  NearestNeighbours(NearestNeighbours&&) noexcept;
  NearestNeighbours& operator=(NearestNeighbours&&) noexcept;

  /** Adds a point with finite coordinates and a value in any unit. */
  void add(std::span<const double> point, double value);

  std::size_t size() const;  ///< number of added points, including repeated ones

  /** Returns the k nearest points by distance, then number; fewer if fewer are known. */
  std::vector<Neighbour> nearest(std::span<const double> query) const;

  /** Returns the mean of the neighbours' values with weights 1 / distance, or 0 if there is no neighbour. */
  double estimate(std::span<const double> query) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernelscape::surrogate
