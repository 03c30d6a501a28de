#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/session/session.h"

namespace kernelscape {

/** Another session's trials as a tuner is told of them. */
struct WarmStart {
  std::vector<Observation> observations;  ///< by number; without configurations where there are features
  HistorySource source;
  /** Of the observations, one row each, where they are of another space; empty: they are members of this one.
   */
  std::vector<std::vector<float>> features = {};
  std::vector<std::string> columns = {};  ///< of the features
};

/**
 * Trials of session `id` for a tuner of `space`, whose knobs must be equal: those that are members, by
 * number.
 * @param trials of these the first that arrived; -1: all
 */
Result<WarmStart> warm_start_from(const Store& store, SessionId id, const SearchSpace& space, double flops,
                                  std::int64_t trials = -1);

/**
 * Trials of session `id` for the tuner of `setup`, whose space, task, features and settings are there. Where
 * the knobs are others and the tuner learns from features (TunerDeclaration::learns_from_features), these are
 * made again from the kernels of that session: its model is carried on to another task, as in AutoTVM.
 * Errors: as warm_start_from(), and Refused where such features can't be made or have other columns here.
 * @param trials the first that arrived; -1: all
 */
Result<WarmStart> warm_start_for(const Store& store, SessionId id, const SessionSetup& setup,
                                 std::int64_t trials = -1);

/**
 * Makes the trials of these sessions the history of the setup, in the place of what it has: `history`, its
 * features and `history_sources`. For a tuner that came into the setup after it was prepared, too.
 * @param sources with -1 trials: all that are there
 */
Status take_history(const Store& store, const std::vector<HistorySource>& sources, SessionSetup& setup);

}  // namespace kernelscape
