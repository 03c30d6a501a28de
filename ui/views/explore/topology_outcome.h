#pragma once

#include "ui/charts/landscape/topology_chart.h"
#include "ui/views/explore/shown_trials.h"

namespace kernelscape {

/** What a topology is shown of, but for the walk's rate. */
struct TopologyQuery {
  Shown shown;
  RowSet selection;
  std::size_t knob = 0;
  std::uint32_t start = 0;
  /** The trial whose other knobs decide what is a member; none: everything is. */
  std::optional<std::int64_t> base_row = {};
  /** The current trial, whose value is marked. */
  std::optional<std::int64_t> current_row = {};

  bool operator==(const TopologyQuery&) const = default;
};

/** What does not change with the walk's rate. */
struct TopologyParts {
  TopologyQuery of;
  std::shared_ptr<const KnobTopology> topology;
  std::vector<std::uint32_t> distances;  ///< by value
  std::vector<char> members;             ///< by value, 1: a member; empty: all
  TopologyData data;                     ///< without probabilities
};

/** A topology, ready to be drawn. */
struct TopologyOutcome {
  std::shared_ptr<const TopologyParts> parts;
  TopologyData data;
  std::vector<DistanceMass> masses;
  QString problem;  ///< why there is nothing to draw
};

/**
 * For background jobs; a cancelled one gives what nobody looks at.
 * @param before of an earlier outcome, whatever it was of; what still holds of it is not computed again
 */
TopologyOutcome topology_of(const TopologyQuery& query, double q,
                            const std::shared_ptr<const TopologyParts>& before, const JobControl& control);

}  // namespace kernelscape
