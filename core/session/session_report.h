#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/error_breakdown.h"
#include "core/analysis/order_statistics.h"
#include "core/analysis/time_split.h"
#include "core/analysis/trial_value.h"
#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/session/confirmed_trials.h"
#include "core/session/session.h"
#include "core/store/store.h"
#include "core/trial/baselines.h"
#include "core/trial/failure_text.h"

namespace kernelscape {

/**
 * What is said of a session when it ends, and by `show`: all of it read from the store. What can't be read is
 * as in a session that has none of it, and `problems` say so.
 */
struct SessionReport {
  std::optional<SearchSpace> space{};  ///< none where it can't be read
  SessionSummary session{};
  Task task{};
  Budget budget{};
  ErrorBreakdown errors{};
  MeasureOptions options{};
  TimeSplit time{};
  std::vector<ConfirmedTrial> confirmed{};   ///< of the last confirmation, best first
  std::optional<std::int64_t> best_trial{};  ///< the best confirmed one, else the best
  Configuration best_configuration{};
  TrialValue best{};                                ///< confirmed, else of the trial's own samples
  bool best_confirmed = false;                      ///< here: a file's confirmations are not ours
  std::optional<KernelResources> best_resources{};  ///< of a GPU kernel
  std::optional<AnswerKind> right_answer{};  ///< of a user's own kernel: what outputs are compared with
  std::string best_layouts{};  ///< of the kernel's tensors; empty where its template has changed
  Baselines baselines{};
  Quartiles vendor_seconds{};
  Quartiles first_valid_seconds{};
  std::vector<std::string> project_files{};  ///< of a user's own kernel: its source, then what it includes
  /** Of a session without a valid trial: the first trial that failed as most of them did. */
  std::optional<FailureText> failure{};
  std::vector<SessionNotice> notices{};  ///< what it said beside its trials
  std::vector<std::string> problems{};   ///< what of it can't be read, and why: "budget: ..."; usually none
};

/** Returns true if the session ended since all its trials failed in the same way, see
 * Budget::identical_failures. */
bool failed_identically(const SessionStatus& status);

/**
 * Reads all trials, and computes the rest from them; NotFound where there is no such session. A part that is
 * damaged is no error: see SessionReport::problems.
 */
Result<SessionReport> make_session_report(const Store& store, SessionId id);

/** The layouts of a kernel's tensors: "data: NCHW16c; weight: OIHW16i16o; output: NCHW16c". */
std::string layouts_text(const KernelSource& kernel);

}  // namespace kernelscape
