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
 * Everything that is reported about a session when it ends, and by `show`, read from the store. A part that
 * cannot be read is empty, and `problems` says why.
 */
struct SessionReport {
  std::optional<SearchSpace> space{};  ///< nullopt if it cannot be read
  SessionSummary session{};
  Task task{};
  Budget budget{};
  ErrorBreakdown errors{};
  MeasureOptions options{};
  TimeSplit time{};
  std::vector<ConfirmedTrial> confirmed{};   ///< trials of the last confirmation, best first
  std::optional<std::int64_t> best_trial{};  ///< the best confirmed trial, else the best trial
  Configuration best_configuration{};
  TrialValue best{};            ///< from the confirmation, else from the trial's own samples
  bool best_confirmed = false;  ///< confirmed on this machine: confirmations of an imported file do not count
  std::optional<KernelResources> best_resources{};  ///< of a GPU kernel
  std::optional<AnswerKind> right_answer{};         ///< for a user's own kernel: the reference of its outputs
  std::string best_layouts{};  ///< of the kernel's tensors; empty if its template has changed
  Baselines baselines{};
  Quartiles vendor_seconds{};
  Quartiles first_valid_seconds{};
  std::vector<std::string> project_files{};  ///< of a user's own kernel: its source, then the included files
  /** For a session without a valid trial: the first trial with the most frequent failure. */
  std::optional<FailureText> failure{};
  std::vector<SessionNotice> notices{};  ///< messages of the session beside its trials
  std::vector<std::string> problems{};   ///< parts that cannot be read, and why: "budget: ..."; usually empty
};

/**
 * Returns true if the session ended because all its trials failed in the same way, see
 * Budget::identical_failures.
 */
bool failed_identically(const SessionStatus& status);

/**
 * Reads all trials, and computes the rest from them. Error: NotFound if there is no such session. A damaged
 * part is no error: see SessionReport::problems.
 */
Result<SessionReport> make_session_report(const Store& store, SessionId id);

/** Returns the layouts of a kernel's tensors: "data: NCHW16c; weight: OIHW16i16o; output: NCHW16c". */
std::string layouts_text(const KernelSource& kernel);

}  // namespace kernelscape
