#pragma once

#include <QObject>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "core/study/study_execution.h"
#include "ui/workspace/service.h"

namespace kernelscape {

/** A study that this window runs, at one moment. */
struct StudyRunView {
  StudyId id = 0;
  StudyProgress progress;
  bool stopping = false;
};

using StudyRequestId = std::int64_t;

/**
 * Stores studies and runs them one after the other by a service, in this process. A study that was stopped
 * keeps what it measured, and goes on when it is run again. Lives on the window's thread; signals come there
 * and are merged.
 */
class StudyRunner : public QObject {
  Q_OBJECT

 public:
  explicit StudyRunner(std::filesystem::path database, SessionRunner runner = run_on_this_machine,
                       QObject* parent = nullptr);
  /** Stops what runs, to be gone on with later, and waits for it. */
  ~StudyRunner() override;

  /** Looks everything in a new study up, stores and runs it: `created` or `refused` follow. */
  StudyRequestId start(StudyDefinition study);
  /** The same for a file; an error of reading it is refused too. */
  StudyRequestId start_file(const std::filesystem::path& file);
  /** Runs what is missing of a stored study. */
  void resume(StudyId id);
  /** First gracefully; asked again at once. One that waits is taken out. */
  void stop(StudyId id);
  /** Every study: used when the window closes. */
  void stop_all();

  /** The one that runs; none: idle, or a new one is looked up. */
  std::optional<StudyRunView> active() const;
  /** Runs, or waits for another one. */
  bool has(StudyId id) const;
  bool idle() const;  ///< nothing runs, waits or is looked up

 signals:
  /** The active study, its progress or the queue is another: many changes, one signal. */
  void changed();
  /** A new study was stored and runs now. @param request of `start` or `start_file` */
  void created(qint64 request, qint64 study);
  /** Nothing was stored. */
  void refused(qint64 request, const QString& message);
  /** @param error why it could not go on as a whole; empty: it did, though single runs may have failed */
  void ended(qint64 study, const QString& error);

 private:
  struct Task {
    StudyRequestId request = 0;
    std::optional<StudyDefinition> definition;
    std::filesystem::path file;
    std::optional<StudyId> study;
  };
  class Observer;

  StudyRequestId add(Task task);
  Service::Pause run_next();
  Result<StudyId> create(const Task& task);
  Status execute(StudyId id);

  std::filesystem::path database_;
  SessionRunner runner_;
  mutable std::mutex mutex_;
  std::deque<Task> queue_;
  StudyRequestId next_request_ = 1;
  std::optional<StudyRunView> active_;
  std::unique_ptr<StopRequest> stop_;  ///< of the active one, or of what is looked up
  Service service_;
};

}  // namespace kernelscape
