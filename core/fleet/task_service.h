#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/fleet/fleet_worker.h"
#include "core/fleet/task_queue.h"
#include "core/fleet/worker_slot.h"

namespace kernelscape {

/** What a thread of a worker does with tasks: takes one, checks it, has it done, tells what became of it. */
class TaskService {
 public:
  /** @param streams that it takes from @param setup, slot outlive it @param halt whether to take no more */
  TaskService(const FleetWorkerSetup& setup, WorkerSlot& slot, std::vector<std::string> streams,
              std::function<bool()> halt);

  /** Until `halt`; an error is the machine's fault or a Redis that is gone. */
  Status serve(BuildExecutor* builder, RunExecutor* runner);

  std::int64_t done() const { return done_; }              ///< tasks that were answered
  std::int64_t deliveries() const { return deliveries_; }  ///< tasks that were taken

 private:
  struct Outcome {
    FleetAnswer answer{};
    std::string blob{};   ///< of a build
    std::string death{};  ///< why the task is given up
  };

  Status serve_one(TaskQueue& queue, const TakenTask& taken);
  std::optional<FleetAnswer> refuse(const TakenTask& taken, const Result<FleetTask>& task) const;
  Result<std::optional<Outcome>> execute(TaskQueue& queue, const FleetTask& task);
  Result<std::optional<Outcome>> build(const FleetTask& task);
  Result<std::optional<Outcome>> run(TaskQueue& queue, const FleetTask& task);
  Result<std::optional<Outcome>> measure_baseline(const FleetTask& task);
  /** @return why it can't be run; none: the device is prepared */
  Result<std::optional<FleetAnswer>> prepare(TaskQueue& queue, const FleetTask& task);
  Status tell(TaskQueue& queue, const TakenTask& taken, const Outcome& outcome);
  FleetAnswer answer_to(const FleetTask& task) const;
  FleetAnswer not_prepared(const FleetTask& task, const Error& error);
  FleetAnswer missing(const FleetTask& task, const std::string& sha256,
                      const Result<std::optional<std::string>>& blob) const;

  const FleetWorkerSetup& setup_;
  WorkerSlot& slot_;
  std::vector<std::string> streams_;
  std::function<bool()> halt_;
  BuildExecutor* builder_ = nullptr;
  RunExecutor* runner_ = nullptr;
  std::string prepared_sha256_;
  std::atomic<std::int64_t> done_ = 0;
  std::atomic<std::int64_t> deliveries_ = 0;
};

}  // namespace kernelscape
