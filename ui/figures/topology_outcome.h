#pragma once

#include "ui/charts/landscape/topology_chart.h"
#include "ui/figures/figure.h"
#include "ui/figures/source.h"

namespace kernelscape::figures {

/** The default rate of walks: that of OpEvo. */
constexpr double default_walk_rate = 0.5;

/** The input of a topology, except for the walk's rate. */
struct TopologyQuery {
  Shown shown;
  analysis::RowSet selection;
  std::size_t knob = 0;
  std::uint32_t start = 0;
  /** The trial whose other knobs decide feasibility; nullopt: all values count as feasible. */
  std::optional<std::int64_t> base_row = {};
  /** The current trial, whose value is marked. */
  std::optional<std::int64_t> current_row = {};

  bool operator==(const TopologyQuery&) const = default;
};

/**
 * Returns the query for a knob, starting at its value in the current trial, or in the best trial if there is
 * no current one.
 * @param start another start value, used if the knob has it
 */
TopologyQuery topology_query(const Shown& shown, const analysis::RowSet& selection, std::size_t knob,
                             std::optional<std::int64_t> current_row, std::optional<std::uint32_t> start);

/** Returns why the knob cannot be shown and what to do; empty if it can be shown. */
QString obstacle_of(const TopologyQuery& query);

/** The parts of the result that do not depend on the walk's rate. */
struct TopologyParts {
  TopologyQuery of;
  std::shared_ptr<const analysis::KnobTopology> topology;
  std::vector<std::uint32_t> distances;  ///< by value
  std::vector<char> members;             ///< by value, 1: feasible; empty: all are feasible
  charts::TopologyData data;             ///< without probabilities
};

/** A topology and the end probabilities of walks over it. */
struct TopologyOutcome {
  TopologyQuery of;
  std::shared_ptr<const TopologyParts> parts;
  charts::TopologyData data;
  std::vector<analysis::DistanceMass> masses;
  QString problem;  ///< why there is nothing to draw
};

/**
 * Computes a topology. For background jobs; the result of a cancelled job is to be discarded.
 * @param before parts of an earlier outcome, of any query; parts that are still valid are reused
 */
TopologyOutcome topology_of(const TopologyQuery& query, double q,
                            const std::shared_ptr<const TopologyParts>& before,
                            const workspace::JobControl& control);

/** Returns the knob's graph (OpEvo, figure 1). */
FigureOf<charts::TopologyData> topology_figure(const TopologyOutcome& outcome, charts::TopologyColour colour);
/** Returns the distances that walks reach (OpEvo, figure 2). */
FigureOf<std::vector<analysis::DistanceMass>> walk_figure(const TopologyOutcome& outcome);

}  // namespace kernelscape::figures
