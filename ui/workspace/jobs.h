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

namespace kernelscape {

/** How many rows of a table a background job looks at before it asks whether to go on. */
inline constexpr std::int64_t rows_at_once = 1 << 14;

/** What a background job asks while it works. */
class JobControl {
 public:
  JobControl(std::shared_ptr<const std::atomic<bool>> cancelled, std::function<void(double)> report)
      : cancelled_(std::move(cancelled)), report_(std::move(report)) {}

  /** Whether to go on; stands still while a kernel is being timed on this machine. Ask every few
   * milliseconds. */
  bool proceed() const;
  /** @param fraction done, 0 to 1 */
  void report(double fraction) const { report_(fraction); }

 private:
  std::shared_ptr<const std::atomic<bool>> cancelled_;
  std::function<void(double)> report_;
};

/** Whether a job's outcome can be an error. */
template <typename Outcome>
inline constexpr bool outcome_can_fail = false;
template <typename T>
inline constexpr bool outcome_can_fail<Result<T>> = true;

/** Tells why jobs ended whose outcome cannot say it. On the window's thread. */
class JobFailures : public QObject {
  Q_OBJECT

 signals:
  /** A job ran out of memory; nothing came of it. */
  void failed(const Error& error);
};

/**
 * One kind of background work of one widget: a newer job cancels the older, and the results of a cancelled
 * one are never delivered. Lives on the window's thread; may be destroyed while its job runs.
 */
class JobTracker : public QObject {
  Q_OBJECT

 public:
  explicit JobTracker(QObject* parent = nullptr) : QObject(parent) {}
  ~JobTracker() override { cancel(); }

  /**
   * Runs `work(const JobControl&)` on a thread of the pool, then `done(result)` on this thread. A job that
   * runs out of memory ends with that error where it gives a Result; others end without `done`, and
   * failures() tells it.
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
      const Status worked = guarded("what was asked for", [&]() -> Status {
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

  /** The job is told to end, and its result is dropped: `done` is never called. Does not wait for it. */
  void cancel();
  bool busy() const { return cancelled_ != nullptr; }  ///< a job runs that was not cancelled

  /** Waits until no job runs: before what jobs use goes away. */
  static void wait_for_all();

  /** Of all trackers. */
  static JobFailures& failures();

 signals:
  /** What the job reported, 0 to 1; nothing of a cancelled one. */
  void progressed(double fraction);
  /** A job began where none ran, or the newest ended or was cancelled. */
  void busy_changed(bool busy);

 private:
  static QThreadPool& pool();
  static void deliver(const QPointer<JobTracker>& self, std::shared_ptr<const std::atomic<bool>> cancelled,
                      std::function<void()> action);
  std::shared_ptr<std::atomic<bool>> begin();
  void finish();

  std::shared_ptr<std::atomic<bool>> cancelled_;
};

}  // namespace kernelscape
