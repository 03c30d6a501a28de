#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/analysis/landscape/random_walk.h"

namespace kernelscape::analysis {

/** The layout of a knob's values. */
enum class KnobLayout : std::uint8_t {
  Line,         ///< ordinal knobs, and powers of a prime in two factors
  Grid,         ///< products of two primes' powers in two factors: an exponent of the second factor per axis
  Barycentric,  ///< powers of a prime in three factors: a triangle of exponents; orders of three: a hexagon
  Circle,       ///< categorical knobs
  Rings         ///< all others, in rings around the start by the number of moves
};

/** Limits of the drawing: more values would be unreadable. */
constexpr std::size_t max_graph_values = 400;
constexpr std::size_t max_line_values = 41;
/** In larger complete graphs, only the edges of the start are listed. */
constexpr std::size_t max_complete_values = 12;

/** A value of a knob in the plane. */
struct KnobNode {
  std::uint32_t value = 0;
  std::uint32_t distance = 0;  ///< moves from the start; no_distance: not reachable
  std::uint32_t degree = 0;    ///< number of its neighbours, including those that are not in the graph
  double x = 0;
  double y = 0;  ///< downwards
};

/** The values of a knob around a start and the moves between them (OpEvo, section 3, figure 1). */
struct KnobGraph {
  KnobLayout layout = KnobLayout::Rings;
  std::vector<KnobNode> nodes;  ///< the start first, then by distance and value
  /** Positions in `nodes`, first < second, ascending. All moves between the nodes, unless `sparse`. */
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  bool sparse = false;      ///< a complete graph with only the start's edges listed
  std::size_t further = 0;  ///< values of the knob that are not in the graph

  /** Returns the node of a value, or nodes.size() if it is not in the graph. */
  std::size_t node_of(std::uint32_t value) const;
  /** Returns the nodes one move away, ascending; in a sparse graph all others. */
  std::vector<std::size_t> neighbours(std::size_t node) const;
};

/**
 * Lays out the values nearest to the start: all values at the same number of moves or none of them, up to
 * `max_values` (on a line at most `max_line_values`). Two nodes are at least 1 apart. Rings are ordered by
 * the mean direction of their neighbours, so that few edges cross. The layout is deterministic.
 * @param topology of the knob @param start one of its values
 */
KnobGraph make_knob_graph(const space::Knob& knob, const KnobTopology& topology, std::uint32_t start,
                          std::size_t max_values = max_graph_values);

/** The values at one number of moves from the start. */
struct DistanceMass {
  std::uint32_t distance = 0;  ///< no_distance: not reachable
  std::size_t values = 0;
  double probability = 0;   ///< probability that a walk ends at one of them
  std::size_t members = 0;  ///< number of `values` that count as members
  double members_probability = 0;
};

/**
 * Returns the walk's probability by distance, ascending (OpEvo, figure 2, for knobs that are too large to
 * draw). All three arguments are indexed by value. @param members 1: a member; empty: all are
 */
std::vector<DistanceMass> mass_by_distance(const std::vector<std::uint32_t>& distances,
                                           const std::vector<double>& probabilities,
                                           const std::vector<char>& members);

}  // namespace kernelscape::analysis
