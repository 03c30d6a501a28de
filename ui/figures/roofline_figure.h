#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <unordered_map>

#include "core/session/trial_roofline.h"
#include "ui/charts/landscape/roofline_chart.h"
#include "ui/figures/figure.h"
#include "ui/figures/source.h"

namespace kernelscape::figures {

/** The input of a roofline. */
struct RooflineQuery {
  Shown shown;
  std::filesystem::path database;  ///< holds the machine's ceilings and the trials' counters
  analysis::RowSet selection = {};
  base::MemoryLevel level = base::MemoryLevel::Memory;
  std::int64_t current_row = -1;  ///< is also shown, if it was timed
  bool layers = true;             ///< includes the network's other layers if the session is part of a network
};

/** The network of a session, with its roofline. */
struct RooflineNetwork {
  std::string name;
  std::vector<charts::RooflineTrial> layers;
  std::vector<store::SessionId>
      sessions;  ///< session of each layer's best kernel, by the layer's position; 0: the layer has none
  QString caption;
};

/** The parts of the result that do not depend on the memory level and on new trials. */
struct RooflineParts {
  store::SessionId session = 0;
  std::shared_ptr<const session::RooflineSession> kernels;  ///< null: `obstacle` says why
  std::string obstacle;
  std::shared_ptr<const std::unordered_map<std::int64_t, base::PerLevel<analysis::LevelBytes>>>
      traffic;                                     ///< by row, estimated
  std::shared_ptr<const RooflineNetwork> network;  ///< null: the session is not part of a network
  std::int64_t network_trials = -1;  ///< number of the network's trials when it was read; -1: not read yet
};

struct RooflineOutcome {
  RooflineParts parts;
  std::optional<trial::MachineCeilings> ceilings;  ///< nullopt: not measured
  FigureOf<charts::RooflineData> figure;
};

/** The maximum number of trials with estimated traffic that are drawn evenly from the timed trials ... */
inline constexpr std::size_t drawn_roofline_trials = 2'000;
/** ... and the number of best trials added to them. */
inline constexpr std::size_t best_roofline_trials = 100;

/**
 * Returns trials under the roofs of their machine. For background jobs, since each trial's loop nest is made;
 * the result of a cancelled job is to be discarded. @param before parts of an earlier outcome, of any query
 */
RooflineOutcome roofline_of(const RooflineQuery& query, const RooflineParts& before,
                            const workspace::JobControl& control);

}  // namespace kernelscape::figures
