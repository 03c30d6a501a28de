#pragma once

#include <optional>

#include "core/study/network_progress.h"
#include "ui/figures/headline.h"
#include "ui/models/network_layers.h"
#include "ui/workspace/study_runner.h"

namespace kernelscape {

/** How a study of a network is run, as the window knows it. */
struct NetworkRunState {
  std::optional<StudyRunView> ours;  ///< this window runs it now
  bool waits = false;                ///< in this window, for another study
  bool elsewhere = false;            ///< another process runs it
};

/** How fast the network is, against what, how far tuning is, and what is to be heard beside the number. */
HeadlineText network_headline(const NetworkProgress& progress, const NetworkRunState& run);

/** What a network is that was not run yet. @param network null: none is read */
HeadlineText preview_headline(const WholeNetwork* network, const std::vector<NetworkLayerRow>& layers);

/** "running, 64 of 200 trials, 3 min left", "stopped after 64 of 200 trials", "done". */
QString network_state_text(const NetworkProgress& progress, const NetworkRunState& run);

/** Which layer is tuned now and why, or whose turn is next; empty: nothing runs, or nothing is known. */
QString network_turn_text(const NetworkProgress& progress, const NetworkRunState& run);

/** Runs of the study are not at their end. */
bool network_can_go_on(const StudySummary& study);

}  // namespace kernelscape
