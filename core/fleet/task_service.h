#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/fleet/task_queue.h"
#include "core/fleet/worker.h"
#include "core/fleet/worker_slot.h"

namespace kernelscape::fleet {

/** The task loop of a worker thread: takes a task, checks it, executes it, and posts its result. */
class TaskService {
 public:
  /** Functions of the worker that the loop's thread calls. */
  struct Hooks {
    std::function<std::vector<std::string>()> streams{};  ///< from which the next task is taken
    std::function<bool()> halt{};                         ///< true: no further task is to be taken
    /** Called before each task; may be empty. */
    std::function<Status(RedisConnection&, const WorkerSlot&)> review{};
  };

  /** Creates the loop. @param setup, slot must outlive this object */
  TaskService(const WorkerSetup& setup, WorkerSlot& slot, Hooks hooks);

  /**
   * Executes tasks until `halt` returns true. An error is a failure of the machine or a Redis that does not
   * respond.
   */
  Status serve(BuildExecutor* builder, RunExecutor* runner);

  std::int64_t done() const { return done_; }              ///< number of answered tasks
  std::int64_t deliveries() const { return deliveries_; }  ///< number of taken tasks

 private:
  struct Outcome {
    Answer answer{};
    std::string blob{};   ///< artefact of a build
    std::string death{};  ///< why the task is given up
  };

  /** Waits for a machine that is slower than usual, so that other workers get the tasks meanwhile. */
  Status wait_for_machine();
  Status serve_one(TaskQueue& queue, const TakenTask& taken);
  std::optional<Answer> refuse(const TakenTask& taken, const Result<Task>& task) const;
  Result<std::optional<Outcome>> execute(TaskQueue& queue, const Task& task);
  Result<std::optional<Outcome>> build(const Task& task);
  Result<std::optional<Outcome>> run(TaskQueue& queue, const Task& task);
  Result<std::optional<Outcome>> measure_baseline(const Task& task);
  /** Prepares the device for a task. @return why the task cannot be run; nullopt: the device is prepared */
  Result<std::optional<Answer>> prepare(TaskQueue& queue, const Task& task);
  Status notify(TaskQueue& queue, const TakenTask& taken, const Outcome& outcome);
  Answer answer_to(const Task& task) const;
  Answer not_prepared(const Task& task, const Error& error);
  Answer missing(const Task& task, const std::string& sha256,
                 const Result<std::optional<std::string>>& blob) const;

  const WorkerSetup& setup_;
  WorkerSlot& slot_;
  Hooks hooks_;
  BuildExecutor* builder_ = nullptr;
  RunExecutor* runner_ = nullptr;
  std::string prepared_sha256_;
  std::atomic<std::int64_t> done_ = 0;
  std::atomic<std::int64_t> deliveries_ = 0;
};

}  // namespace kernelscape::fleet
