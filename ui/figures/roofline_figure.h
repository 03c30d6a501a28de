#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <unordered_map>

#include "core/session/trial_roofline.h"
#include "ui/charts/landscape/roofline_chart.h"
#include "ui/figures/figure.h"
#include "ui/figures/figure_source.h"

namespace kernelscape {

/** Of what a roofline is shown. */
struct RooflineQuery {
  Shown shown;
  std::filesystem::path database;  ///< has the machine's ceilings, and trials' counters
  RowSet selection = {};
  MemoryLevel level = MemoryLevel::Memory;
  std::int64_t current_row = -1;  ///< is shown too where it was timed
  bool layers = true;             ///< with the network's other layers, where the session is of one
};

/** The network that a session is of, as its roofline has it. */
struct RooflineNetwork {
  std::string name;
  std::vector<RooflineTrial> layers;
  std::vector<SessionId> sessions;  ///< of each layer's best kernel, by the layer's position; 0: it has none
  QString caption;
};

/** What another level and new trials do not change. */
struct RooflineParts {
  SessionId session = 0;
  std::shared_ptr<const RooflineSession> kernels;  ///< null: `obstacle` says why
  std::string obstacle;
  std::shared_ptr<const std::unordered_map<std::int64_t, PerLevel<LevelBytes>>>
      traffic;                                     ///< by row, estimated
  std::shared_ptr<const RooflineNetwork> network;  ///< null: the session is of none
  std::int64_t network_trials = -1;                ///< of the session, when that was read; -1: not yet
};

struct RooflineOutcome {
  RooflineParts parts;
  std::optional<MachineCeilings> ceilings;  ///< none: not measured
  FigureOf<RooflineData> figure;
};

/** At most so many trials have their traffic estimated: drawn evenly from those that were timed, ... */
inline constexpr std::size_t drawn_roofline_trials = 2'000;
/** ... and so many of the best. */
inline constexpr std::size_t best_roofline_trials = 100;

/**
 * Trials under the roofs of their machine. For background jobs, since each trial's loop nest is made; a
 * cancelled one gives what nobody looks at. @param before of an earlier outcome, whatever it was of
 */
RooflineOutcome roofline_of(const RooflineQuery& query, const RooflineParts& before,
                            const JobControl& control);

}  // namespace kernelscape
