#pragma once

#include "ui/charts/landscape/topology_chart.h"
#include "ui/figures/figure.h"
#include "ui/figures/figure_source.h"

namespace kernelscape {

/** The rate of walks until the user chooses another: OpEvo's. */
constexpr double default_walk_rate = 0.5;

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

/**
 * Of a knob from the value of the current trial, without one from that of the best.
 * @param start instead, where the knob has that value
 */
TopologyQuery topology_query(const Shown& shown, const RowSet& selection, std::size_t knob,
                             std::optional<std::int64_t> current_row, std::optional<std::uint32_t> start);

/** What to do instead where the knob cannot be shown; empty where it can. */
QString obstacle_of(const TopologyQuery& query);

/** What does not change with the walk's rate. */
struct TopologyParts {
  TopologyQuery of;
  std::shared_ptr<const KnobTopology> topology;
  std::vector<std::uint32_t> distances;  ///< by value
  std::vector<char> members;             ///< by value, 1: a member; empty: all
  TopologyData data;                     ///< without probabilities
};

/** A topology and where walks over it end. */
struct TopologyOutcome {
  TopologyQuery of;
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

/** The knob's graph (OpEvo, figure 1). */
FigureOf<TopologyData> topology_figure(const TopologyOutcome& outcome, TopologyColour colour);
/** How far walks get (OpEvo, figure 2). */
FigureOf<std::vector<DistanceMass>> walk_figure(const TopologyOutcome& outcome);

}  // namespace kernelscape
