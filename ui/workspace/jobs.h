#pragma once

#include <QObject>
#include <QPointer>
#include <QThreadPool>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "core/base/memory.h"
#include "core/base/result.h"

namespace kernelscape::workspace {

/** Number of table rows that a background job processes before it calls proceed(). */
inline constexpr std::int64_t rows_at_once = 1 << 14;

/** Returns true if a kernel or a program is being timed on this machine. */
bool something_is_timed();

/** Lets a background job check for cancellation and report its progress. */
class JobControl {
 public:
  JobControl(std::shared_ptr<const std::atomic<bool>> cancelled, std::function<void(double)> report)
      : cancelled_(std::move(cancelled)), report_(std::move(report)) {}

  /**
   * Returns false if the job has to end; blocks while something is being timed on this machine, but at most a
   * second: a run of a program may take long. To be called every few milliseconds.
   */
  bool proceed() const;
  /** Reports the progress of the job. @param fraction done, 0 to 1 */
  void report(double fraction) const { report_(fraction); }

 private:
  std::shared_ptr<const std::atomic<bool>> cancelled_;
  std::function<void(double)> report_;
};

/** True if the outcome of a job can be an error. */
template <typename Outcome>
inline constexpr bool outcome_can_fail = false;
template <typename T>
inline constexpr bool outcome_can_fail<Result<T>> = true;

/** Reports the errors of jobs whose outcome type cannot hold an error. Lives on the window's thread. */
class JobFailures : public QObject {
  Q_OBJECT

 signals:
  /** A job ran out of memory and has no result. */
  void failed(const Error& error);
};

/**
 * Runs one kind of background work of one widget: a newer job cancels the older one, and the results of a
 * cancelled job are never delivered. Lives on the window's thread; may be destroyed while its job runs.
 */
class JobTracker : public QObject {
  Q_OBJECT

 public:
  explicit JobTracker(QObject* parent = nullptr) : QObject(parent) {}
  ~JobTracker() override { cancel(); }

  /**
   * Runs `work(const JobControl&)` on a thread of the pool, then `done(result)` on this thread. If a job that
   * returns a Result runs out of memory, the Result is that error; other jobs then end without `done`, and
   * failures() reports the error.
   */
  template <typename Work, typename Done>
  void start(Work work, Done done) {
    using Outcome = std::invoke_result_t<Work, const JobControl&>;
    const std::shared_ptr<std::atomic<bool>> cancelled = begin();
    pool().start([self = QPointer<JobTracker>(this), cancelled, work = std::move(work),
                  done = std::move(done)]() mutable {
      const JobControl control(cancelled, [self, cancelled](double fraction) {
        deliver(self, cancelled, [self, fraction] { emit self->progressed(fraction); });
      });
      std::shared_ptr<Outcome> outcome;
      const Status worked = base::guarded("what was asked for", [&]() -> Status {
        outcome = std::make_shared<Outcome>(work(control));
        return {};
      });
      if constexpr (outcome_can_fail<Outcome>)
        if (!worked) outcome = std::make_shared<Outcome>(std::unexpected(worked.error()));
      deliver(self, cancelled, [self, outcome, worked, done = std::move(done)]() mutable {
        self->finish();
        if (!outcome) return emit failures().failed(worked.error());
        done(std::move(*outcome));
      });
    });
  }

  /** Asks the job to end and discards its result: `done` is never called. Does not wait for the job. */
  void cancel();
  bool busy() const { return cancelled_ != nullptr; }  ///< a job that was not cancelled is running

  /** Waits until no job runs; to be called before objects that jobs use are destroyed. */
  static void wait_for_all();

  /** Returns the object that reports failures of all trackers. */
  static JobFailures& failures();

 signals:
  /** The job reported its progress, 0 to 1; not emitted for a cancelled job. */
  void progressed(double fraction);
  /** A job began while none was running, or the newest job ended or was cancelled. */
  void busy_changed(bool busy);

 private:
  static QThreadPool& pool();
  static void deliver(const QPointer<JobTracker>& self, std::shared_ptr<const std::atomic<bool>> cancelled,
                      std::function<void()> action);
  std::shared_ptr<std::atomic<bool>> begin();
  void finish();

  std::shared_ptr<std::atomic<bool>> cancelled_;
};

}  // namespace kernelscape::workspace
