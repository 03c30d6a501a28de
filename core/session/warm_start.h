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
 * How the tuner of `setup`, whose space, task, features and settings are there, is told all trials that
 * session `id` has now: as rows of features where its knobs are others, or the tuner learns from features and
 * the session is of another task of a template, whose kernels are others under equal knobs.
 */
Result<HistorySource> warm_start_source(const Store& store, SessionId id, const SessionSetup& setup);

/**
 * The trials of a source for the tuner of `setup`: as warm_start_from(), or without configurations and with
 * features that are made again from the kernels of that session, so that a model is carried on to another
 * task, as in AutoTVM. Errors: InvalidArgument where the knobs are others and the tuner doesn't learn from
 * features (TunerDeclaration::learns_from_features), Refused where features can't be made or have other
 * columns here.
 */
Result<WarmStart> warm_start_for(const Store& store, const HistorySource& source, const SessionSetup& setup);

/** Makes the trials of these the history of the setup, in the place of what it has: `history`, its features
 * and `history_sources`. */
Status take_history(const Store& store, const std::vector<HistorySource>& sources, SessionSetup& setup);

/** take_history() of all trials of one session, for a tuner that came into the setup after it was prepared,
 * too. */
Status take_warm_start(const Store& store, SessionId id, SessionSetup& setup);

}  // namespace kernelscape
