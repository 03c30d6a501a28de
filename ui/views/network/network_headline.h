#pragma once

#include <optional>

#include "core/study/network_progress.h"
#include "ui/figures/headline.h"
#include "ui/models/network_layers.h"
#include "ui/workspace/study_runner.h"

namespace kernelscape::views {

/** How a study of a network runs, as this window knows it. */
struct NetworkRunState {
  std::optional<workspace::StudyRunView> ours;  ///< set while this window runs the study
  bool waits = false;                           ///< the study waits in this window for another study
  bool elsewhere = false;                       ///< another process runs the study
};

/**
 * Returns the network's time, what it is compared with, the progress of tuning, and warnings about the
 * number.
 */
figures::HeadlineText network_headline(const study::NetworkProgress& progress, const NetworkRunState& run);

/** Returns the description of a network that was not run yet. @param network null: none is read */
figures::HeadlineText preview_headline(const task::WholeNetwork* network,
                                       const std::vector<models::NetworkLayerRow>& layers);

/**
 * Returns "running, 64 of 200 trials, 3 min left", "waiting for cpu: it is used by ...; 64 of 200 trials",
 * "stopped, 64 of 200 trials" or "ended, 200 of 200 trials".
 */
QString network_state_text(const study::NetworkProgress& progress, const NetworkRunState& run);

/**
 * Returns which layer is being tuned and why, or which is next; empty: the study does not run, it waits for
 * the device, or nothing is known.
 */
QString network_turn_text(const study::NetworkProgress& progress, const NetworkRunState& run);

/** Returns true if the study has unfinished runs. */
bool network_can_resume(const store::StudySummary& study);

}  // namespace kernelscape::views
