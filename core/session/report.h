#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/error_breakdown.h"
#include "core/analysis/order_statistics.h"
#include "core/analysis/time_split.h"
#include "core/analysis/trial_value.h"
#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/session/best.h"
#include "core/session/session.h"
#include "core/store/store.h"
#include "core/trial/baselines.h"
#include "core/trial/failure_text.h"
#include "core/trial/session_speeds.h"

namespace kernelscape::session {

/**
 * Everything that is reported about a session when it ends, and by `show`, read from the store. A part that
 * cannot be read is empty, and `problems` says why.
 */
struct Report {
  std::optional<space::SearchSpace> space{};  ///< nullopt if it cannot be read
  store::SessionSummary session{};
  task::Task task{};
  trial::Budget budget{};
  analysis::ErrorBreakdown errors{};
  trial::MeasureOptions options{};
  analysis::TimeSplit time{};
  std::vector<analysis::ConfirmedTrial> confirmed{};  ///< see last_confirmed()
  analysis::BestResult result{};                      ///< see best_result()
  BestComparisons compared{};                ///< with the vendor's library and with the machine's limit
  std::optional<std::int64_t> best_trial{};  ///< of `result`
  space::Configuration best_configuration{};
  analysis::TrialValue best{};  ///< of `result`, with all quartiles of the trial's samples
  /** Confirmed at the usual speed of this machine: confirmations of an imported file do not count. */
  bool best_confirmed = false;
  std::optional<trial::KernelResources> best_resources{};  ///< of a GPU kernel
  std::vector<trial::Metric> best_metrics{};               ///< quantities of the best trial beside its time
  std::optional<project::AnswerKind>
      right_answer{};                     ///< for a user's own kernel: the reference of its outputs
  std::optional<bool> program_checked{};  ///< for a user's program: a command checks its results
  std::string best_layouts{};             ///< of the kernel's tensors; empty if its template has changed
  trial::Baselines baselines{};
  analysis::Quartiles first_valid_seconds{};
  std::vector<std::string> project_files{};  ///< of a project: its source, then the other files
  /** For a session without a valid trial: the first trial with the most frequent failure. */
  std::optional<trial::FailureText> failure{};
  std::shared_ptr<const trial::SessionSpeeds> speeds{};  ///< of the machine; null: no trial has a reading
  std::vector<trial::SessionNotice> notices{};           ///< messages of the session beside its trials
  std::vector<std::string> problems{};  ///< parts that cannot be read, and why: "budget: ..."; usually empty
};

/**
 * Returns true if the session ended because all its trials failed in the same way, see
 * Budget::identical_failures.
 */
bool failed_identically(const store::SessionStatus& status);

/**
 * Reads all trials, and computes the rest from them. Error: NotFound if there is no such session. A damaged
 * part is no error: see Report::problems.
 */
Result<Report> make_session_report(const store::Store& store, store::SessionId id);

/** Returns the layouts of a kernel's tensors: "data: NCHW16c; weight: OIHW16i16o; output: NCHW16c". */
std::string layouts_text(const codegen::KernelSource& kernel);

}  // namespace kernelscape::session
