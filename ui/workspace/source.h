#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/columns.h"
#include "core/analysis/curve.h"
#include "core/analysis/error_breakdown.h"
#include "core/analysis/series_table.h"
#include "core/analysis/time_split.h"
#include "core/analysis/trial_value.h"
#include "core/kernel/kernel_family.h"
#include "core/schedule/target.h"
#include "core/store/store.h"
#include "core/task/task.h"
#include "core/trial/baselines.h"
#include "core/trial/budget.h"

namespace kernelscape {

/** What of a session never changes, but for workers that come. */
struct SourceOrigin {
  SessionRecord record;
  Task task;
  SearchSpace space;
  TrialColumns columns;
  std::optional<TargetDescription> target;
  std::optional<uint128> members;   ///< of the space, where they can be counted
  double least_sample_seconds = 0;  ///< of a trial's repeats; 0: not known
  int calls_per_sample = 0;         ///< of a trial's repeats; 0: as many as last so long
  bool has_resources = false;       ///< of kernels for GPUs: what they take is known, or will be
  bool own_objectives = false;      ///< see Store::has_own_objectives()
  bool build_only = false;          ///< its kernels were never run: valid trials have no samples
  /** Of a fleet, those that measured so far, as labels of a column; none: this machine measures. */
  std::optional<std::vector<std::string>> workers = {};
  /** Of a user's own kernel, read once: its project may hold much data. Null: another's, or unreadable. */
  std::shared_ptr<const KernelFamily> project_family = {};
};

/** The number a session is known by. */
struct Headline {
  std::int64_t row = no_row;  ///< of the best trial in the snapshot; no_row: none valid
  std::int64_t trial = -1;    ///< its number
  TrialValue value;
  bool confirmed = false;  ///< measured again, interleaved; else the value is of the trial's own samples
};

/**
 * A session at one moment, as all views see it: immutable, shared between threads. Trials are in order of
 * arrival; a row is an index into them.
 */
struct SourceData {
  std::shared_ptr<const SourceOrigin> origin;
  SessionStatus status;
  SessionAnnotation annotation;
  std::optional<Owner> owner;
  BudgetPlan budget;
  TrialSnapshot trials;
  std::vector<ImprovementPoint> improvements;
  ErrorBreakdown errors;
  SavedSamples saved;     ///< that an adaptive evaluator did not need
  SeriesSnapshot series;  ///< what the tuner reported; a batch's values come after its trials
  std::vector<Confirmation> confirmations;
  Baselines baselines;
  std::vector<SessionInterruption> interruptions;
  std::vector<SessionNotice> notices;  ///< what the session said beside its trials, as stored
  Headline headline;

  SessionId id() const { return origin->record.id; }  ///< in its database
  /** What was asked for, and by which program and machine. */
  const SessionRecord& record() const { return origin->record; }
  const Task& task() const { return origin->task; }           ///< an operator with its shapes
  const SearchSpace& space() const { return origin->space; }  ///< as stored; trials are its members
  /** Columns of the trials' table: knobs, derived values, results. */
  const TrialColumns& columns() const { return origin->columns; }
  double flops() const { return origin->task.flops(); }  ///< of one call; 0: not known
  /** Not all trials are ranked by the median of their samples. */
  bool own_objectives() const { return origin->own_objectives; }
  /** Its kernels were never run: valid trials have no times. */
  bool build_only() const { return origin->build_only; }
  /** A user's own kernel, with a source in place of a template. */
  bool of_project() const { return !origin->record.project_hash.empty(); }
  /** Outputs are compared with those of the first valid configuration: nobody knows whether these are right.
   */
  bool answer_unknown() const;
  /** Read and written by one call, at least; 0: not known. */
  double bytes() const;
  /** For GPUs: what a kernel takes of the device is known, or will be. */
  bool has_resources() const { return origin->has_resources; }
  /** As the database says: also where the process that ran it has died. */
  bool running() const { return status.state == SessionState::Running; }
  /** Made by this very process, so that it can be paused and stopped from here. */
  bool ours() const { return owner && *owner == Owner::this_process(); }
  /** Seconds of the session by phase, with what an adaptive evaluator saved. */
  TimeSplit time() const {
    return {
        status.session_seconds,     status.search_seconds, status.build_seconds, status.run_seconds, saved,
        origin->workers.has_value()};
  }
  /** Every member was tried. */
  bool complete() const;
  /** Whether its trials stand for the space: a sweep or a random sample (notes: a tuner's session is not the
   * space). */
  bool represents_space() const;
  /** Session times at which it was paused or interrupted. Where it was done and went on, as each layer of a
   * network does from round to round, it was not. */
  std::vector<double> paused_seconds() const;
  /** "312 of 184,320 configurations (0.17 %), chosen by nose, not at random". */
  std::string coverage_text() const;
};

using Source = std::shared_ptr<const SourceData>;

/** GFLOP/s of `seconds` per call, or calls per second where no FLOPs are known. */
double speed_of(const SourceData& source, double seconds);

/**
 * Reads a session from its database again and again; each time only what is new. Used by one thread.
 */
class SourceReader {
 public:
  SourceReader(const Store& store, SessionId id) : store_(store), id_(id) {}

  /** The session as it is now. */
  Result<Source> read();

 private:
  Status read_origin(const SessionSummary& session);
  Status append_rows();
  Status read_workers();
  Status append_series();
  Headline make_headline(const SessionStatus& status, const std::vector<Confirmation>& confirmations) const;

  const Store& store_;
  SessionId id_;
  std::shared_ptr<const SourceOrigin> origin_;
  std::optional<TrialTable> table_;
  std::vector<ImprovementPoint> improvements_;
  ErrorBreakdown errors_;
  SavedSamples saved_;
  SeriesTable series_;
  std::int64_t series_end_ = 0;  ///< one past the last trial whose values were read
};

}  // namespace kernelscape
