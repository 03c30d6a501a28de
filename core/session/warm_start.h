#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/session/session.h"

namespace kernelscape::session {

/** Trials of another session in the form that a tuner receives. */
struct WarmStart {
  std::vector<trial::Observation> observations;  ///< by number; without configurations if there are features
  HistorySource source;
  /**
   * One row per observation if the observations come from another space; empty: they are members of this
   * space.
   */
  std::vector<std::vector<float>> features = {};
  std::vector<std::string> columns = {};  ///< of the features
};

/**
 * Returns the first `trials` trials of a session in order of arrival, by number, with the speed of their
 * machine at the time; -1: all. Errors: the session has fewer.
 */
Result<std::vector<store::ArrivedRow>> source_rows(const store::Store& store,
                                                   const store::SessionRecord& source, std::int64_t trials);

/** Returns false for a kernel that was only built, whose speed is not known. */
bool has_speed(const store::ArrivedRow& row);

/**
 * Returns the trials of session `id` for a tuner of `space`, whose knobs must be equal: those that are
 * members, by number.
 * @param trials only the first trials in order of arrival; -1: all
 */
Result<WarmStart> warm_start_from(const store::Store& store, store::SessionId id,
                                  const space::SearchSpace& space, double flops, std::int64_t trials = -1);

/**
 * Returns the source of all trials that session `id` has now, for the tuner of `setup`, whose space, task,
 * features and settings are set. The trials are passed as rows of features if the knobs differ, or if the
 * tuner learns from features and the session has another task of the template, so that equal knobs give other
 * kernels.
 */
Result<HistorySource> warm_start_source(const store::Store& store, store::SessionId id, const Setup& setup);

/**
 * Returns the trials of a source for the tuner of `setup`: as warm_start_from(), or without configurations
 * but with features computed from the kernels of that session, so that a model is transferred to another
 * task, as in AutoTVM. Errors: InvalidArgument if the knobs differ and the tuner does not learn from features
 * (tuner::Declaration::learns_from_features), Refused if the features cannot be computed or have other
 * columns.
 */
Result<WarmStart> warm_start_for(const store::Store& store, const HistorySource& source, const Setup& setup);

/**
 * Replaces the history of the setup by the trials of the sources: `history`, its features and
 * `history_sources`.
 */
Status take_history(const store::Store& store, const std::vector<HistorySource>& sources, Setup& setup);

/**
 * Calls take_history() with all trials of one session. Also for a tuner that was put into the setup after its
 * preparation.
 */
Status take_warm_start(const store::Store& store, store::SessionId id, Setup& setup);

}  // namespace kernelscape::session
