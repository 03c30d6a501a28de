#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/analysis/landscape/random_walk.h"

namespace kernelscape {

/** How the values of a knob are placed. */
enum class KnobLayout : std::uint8_t {
  Line,         ///< ordinal knobs, and powers of a prime in two factors
  Grid,         ///< products of two primes' powers in two factors: an exponent of the second factor per axis
  Barycentric,  ///< powers of a prime in three factors: a triangle of exponents; orders of three: a hexagon
  Circle,       ///< categorical knobs
  Rings         ///< all others, around the start by the number of moves
};

/** Limits of what is drawn: more would be a blot. */
constexpr std::size_t most_graph_values = 400;
constexpr std::size_t most_line_values = 41;
/** Beyond it, only the edges of the start of a complete graph are listed. */
constexpr std::size_t most_complete_values = 12;

/** A value of a knob in the plane. */
struct KnobNode {
  std::uint32_t value = 0;
  std::uint32_t distance = 0;  ///< moves from the start; no_distance: no way leads there
  std::uint32_t degree = 0;    ///< its neighbours, also those that are not in the graph
  double x = 0;
  double y = 0;  ///< downwards
};

/** The values of a knob around a start and the moves between them (OpEvo, section 3, figure 1). */
struct KnobGraph {
  KnobLayout layout = KnobLayout::Rings;
  std::vector<KnobNode> nodes;  ///< the start, then by distance and value
  /** Positions in `nodes`, first < second, ascending. All moves between the nodes, unless `sparse`. */
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  bool sparse = false;      ///< a complete graph of which only the start's edges are listed
  std::size_t further = 0;  ///< values of the knob that are not in the graph

  /** The node of a value; nodes.size(): not in the graph. */
  std::size_t node_of(std::uint32_t value) const;
  /** Nodes one move away, ascending; of a sparse graph all others. */
  std::vector<std::size_t> neighbours(std::size_t node) const;
};

/**
 * Lays the nearest values out: all that are the same number of moves away, or none of them, until
 * `most_values` (on a line at most `most_line_values`). Two nodes are at least 1 apart. Rings are ordered by
 * the mean direction of their neighbours, so that few edges cross; nothing is random.
 * @param topology of the knob @param start one of its values
 */
KnobGraph make_knob_graph(const Knob& knob, const KnobTopology& topology, std::uint32_t start,
                          std::size_t most_values = most_graph_values);

/** What is one number of moves away from the start. */
struct DistanceMass {
  std::uint32_t distance = 0;  ///< no_distance: where no way leads
  std::size_t values = 0;
  double probability = 0;   ///< that a walk ends there
  std::size_t members = 0;  ///< of `values`, those that count as members
  double members_probability = 0;
};

/**
 * The walk's probability by distance, ascending (OpEvo, figure 2, for knobs too large to be drawn). The three
 * are by value. @param members 1: a member; empty: all are
 */
std::vector<DistanceMass> mass_by_distance(const std::vector<std::uint32_t>& distances,
                                           const std::vector<double>& probabilities,
                                           const std::vector<char>& members);

}  // namespace kernelscape
