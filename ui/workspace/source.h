#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/columns.h"
#include "core/analysis/curve.h"
#include "core/analysis/error_breakdown.h"
#include "core/analysis/series_table.h"
#include "core/analysis/time_split.h"
#include "core/analysis/trial_value.h"
#include "core/kernel/family.h"
#include "core/schedule/target.h"
#include "core/session/best.h"
#include "core/store/store.h"
#include "core/task/task.h"
#include "core/trial/baselines.h"
#include "core/trial/budget.h"
#include "core/trial/session_speeds.h"

namespace kernelscape::workspace {

/**
 * The properties of a session that never change, except for additional workers, the first reading of the
 * machine's speed, and metrics that occur for the first time.
 */
struct SourceOrigin {
  store::SessionRecord record;
  task::Task task;
  space::SearchSpace space;
  analysis::TrialColumns columns;
  std::optional<schedule::TargetDescription> target;
  std::optional<base::uint128> members;  ///< number of feasible configurations of the space, if they can be
                                         ///< counted
  double min_sample_seconds = 0;         ///< minimum duration of a sample of a trial; 0: not known
  int calls_per_sample = 0;              ///< number of calls per sample of a trial; 0: as many as last
                                         ///< `min_sample_seconds`
  bool has_resources = false;            ///< GPU kernels: their resource usage is known, or will be
  bool own_objectives = false;           ///< see Trials::has_own_objectives()
  bool with_probes = false;              ///< see Trials::has_probes()
  std::vector<trial::MetricName> metrics = {};  ///< see Trials::metrics()
  bool build_only = false;  ///< true if its kernels were never run: valid trials have no samples
  /** Labels of a fleet's workers that have measured trials so far; nullopt: this machine measures. */
  std::optional<std::vector<std::string>> workers = {};
  /**
   * Family of a user's own kernel, read once because its project may hold much data. Null: the kernel is from
   * a template, or the project can't be read.
   */
  std::shared_ptr<const kernel::Family> project_family = {};
};

/**
 * Snapshot of a session, as all views see it: immutable, shared between threads. Trials are in order of
 * arrival; a row is an index into them.
 */
struct SourceData {
  std::shared_ptr<const SourceOrigin> origin;
  store::SessionStatus status;
  store::SessionAnnotation annotation;
  std::optional<store::Owner> owner;
  trial::BudgetPlan budget;
  trial::Snapshot trials;  ///< with the machine's speed of each row, if it was read
  /** Slow phases and the machine's speed by row; null: no trial has a reading. */
  std::shared_ptr<const trial::SessionSpeeds> speeds;
  std::vector<analysis::ImprovementPoint> improvements;
  analysis::ErrorBreakdown errors;
  analysis::SavedSamples saved;  ///< samples that an adaptive evaluator did not need
  analysis::SeriesSnapshot
      series;  ///< values that the tuner reported; the values of a batch come after its trials
  std::vector<trial::Confirmation> confirmations;
  trial::Baselines baselines;
  std::vector<store::SessionInterruption> interruptions;
  std::vector<trial::SessionNotice> notices;  ///< notices of the session, such as disturbances, as stored
  analysis::BestResult headline;              ///< the best result, with its row
  session::BestComparisons compared;  ///< of the headline with the vendor's library and the machine's limit

  store::SessionId id() const { return origin->record.id; }  ///< id in the session's database
  /** Returns the request of the session, with the program and the machine that ran it. */
  const store::SessionRecord& record() const { return origin->record; }
  const task::Task& task() const { return origin->task; }            ///< an operator with its shapes
  const space::SearchSpace& space() const { return origin->space; }  ///< as stored; trials are its members
  /** Returns the columns of the trial table: knobs, derived values, results. */
  const analysis::TrialColumns& columns() const { return origin->columns; }
  double flops() const { return origin->task.flops(); }  ///< FLOPs of one call; 0: not known
  /** Returns true if some trials are not ranked by the median of their samples. */
  bool own_objectives() const { return origin->own_objectives; }
  /** Returns true if the kernels of the session were never run: valid trials have no times. */
  bool build_only() const { return origin->build_only; }
  /** Returns true if the kernel is a user's own, with a source file instead of a template. */
  bool of_project() const { return !origin->record.project_hash.empty(); }
  /**
   * Returns true if outputs are compared with those of the first valid configuration, because no reference
   * shows whether these are correct.
   */
  bool answer_unknown() const;
  /** Returns the minimum number of bytes read and written by one call; 0: not known. */
  double bytes() const;
  /** Returns true for GPU kernels whose resource usage is known, or will be. */
  bool has_resources() const { return origin->has_resources; }
  /** Returns the times in which the machine was slower than usual, in order. */
  std::span<const trial::SlowPhase> slow_phases() const {
    return speeds ? std::span<const trial::SlowPhase>(speeds->phases) : std::span<const trial::SlowPhase>();
  }
  /** Returns true if the database says that the session runs, even if the process that ran it has died. */
  bool running() const { return status.state == store::SessionState::Running; }
  /** Returns true if this process runs the session, so that the window can pause and stop it. */
  bool ours() const { return owner && *owner == store::Owner::this_process(); }
  /** Returns the seconds of the session by phase, including those that an adaptive evaluator saved. */
  analysis::TimeSplit time() const {
    return {
        status.session_seconds,     status.search_seconds, status.build_seconds, status.run_seconds, saved,
        origin->workers.has_value()};
  }
  /** Returns true if every feasible configuration was tried. */
  bool complete() const;
  /**
   * Returns true if the trials represent the space: a sweep or a random sample. The trials of a tuner do not
   * represent it.
   */
  bool represents_space() const;
  /**
   * Returns the session times at which the session was paused or interrupted. Resumptions of a completed
   * session, as for each layer of a network from round to round, are not included.
   */
  std::vector<double> paused_seconds() const;
  /**
   * Returns the coverage of the space: "312 of 184,320 configurations (0.17 %), chosen by nose, not at
   * random", followed by a mark if the machine was slower than usual for some of the trials.
   */
  std::string coverage_text() const;
};

using Source = std::shared_ptr<const SourceData>;

/** Returns true if two statuses of a session are equal in everything that is shown. */
bool same_status(const store::SessionStatus& a, const store::SessionStatus& b);
/** Returns true if two snapshots of a session are equal in everything that is shown. */
bool same_source(const SourceData& a, const SourceData& b);

/** Returns GFLOP/s for a call that takes `seconds`, or calls per second if the FLOPs are not known. */
double speed_of(const SourceData& source, double seconds);

/** Reads a session from its database repeatedly; each time only the new data. Must be used by one thread. */
class SourceReader {
 public:
  SourceReader(const store::Store& store, store::SessionId id) : store_(store), id_(id) {}

  /** Returns a snapshot of the current session. */
  Result<Source> read();

 private:
  Status read_origin(const store::SessionSummary& session);
  Status append_rows();
  Status read_workers();
  void follow_usual_probe(const store::SessionRecord& record);
  void add_probe_columns();
  Status read_metrics();
  Status append_series();
  analysis::BestResult make_headline(const SourceData& data) const;

  const store::Store& store_;
  store::SessionId id_;
  std::shared_ptr<const SourceOrigin> origin_;
  std::optional<trial::Table> table_;
  std::vector<analysis::ImprovementPoint> improvements_;
  analysis::ErrorBreakdown errors_;
  analysis::SavedSamples saved_;
  std::optional<trial::SessionSpeedReader> speeds_;
  trial::ProbeSeconds usual_probe_;
  analysis::SeriesTable series_;
  std::int64_t series_end_ = 0;   ///< one past the last trial whose values were read
  std::size_t metric_count_ = 0;  ///< largest number of metrics of a trial that was read
};

}  // namespace kernelscape::workspace
