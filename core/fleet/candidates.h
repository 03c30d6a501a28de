#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/codegen/kernel_source.h"
#include "core/fleet/messages.h"
#include "core/measure/builder_pool.h"
#include "core/measure/busy_meter.h"
#include "core/space/configuration.h"

namespace kernelscape::fleet {

/** A candidate of a batch while a fleet processes it. */
struct Candidate {
  std::size_t position = 0;  ///< in the batch
  int batch = 0;             ///< number of the batch: results of an earlier batch are dropped
  space::Configuration configuration{};
  codegen::KernelSource source{};  ///< without its text after the task was posted
  double instantiation_seconds = 0;
  measure::BuildOutcome build{};  ///< without its artefact
  std::string artefact_sha256{};
  Task task{};  ///< in progress; the task can be posted again
  std::string stream{};
  std::string entry{};  ///< id of the stream entry; empty: the task is being posted
  bool began = false;   ///< a worker has taken the task
  int repairs = 0;      ///< how often one of its blobs was missing or damaged, or its result was invalid

  bool builds() const { return task.kind == TaskKind::Build; }  ///< not running yet
};

/**
 * The candidates that a fleet processes, by their tasks, and whether any is being built or run. Protected by
 * the owner's lock.
 */
class Candidates {
 public:
  /** Adds a dispatched candidate. */
  Candidate& add(Candidate candidate) {
    const std::string id = candidate.task.id;
    if (!candidate.artefact_sha256.empty()) ++uses_[candidate.artefact_sha256];
    return open_.insert_or_assign(id, std::move(candidate)).first->second;
  }

  /** Returns the candidate of this task, or null if there is none any more. */
  Candidate* find(const std::string& task) {
    const auto found = open_.find(task);
    return found != open_.end() ? &found->second : nullptr;
  }

  /** Removes and returns a candidate whose task has ended, or nullopt if there is none any more. */
  std::optional<Candidate> take(const std::string& task) {
    auto node = open_.extract(task);
    if (node.empty()) return std::nullopt;
    Candidate candidate = std::move(node.mapped());
    if (candidate.began) meter_.end(activity(candidate));
    candidate.began = false;
    return candidate;
  }

  /**
   * Records that a worker began the candidate's task. If one had begun already, another worker has the task
   * now.
   */
  void begin(Candidate& candidate) {
    if (candidate.began) return;
    candidate.began = true;
    meter_.begin(activity(candidate));
  }

  /** Records that no worker has the candidate's task, because it is posted again. */
  void stop(Candidate& candidate) {
    if (candidate.began) meter_.end(activity(candidate));
    candidate.began = false;
  }

  /** Releases one use of the blob and returns true if no candidate needs it any more. */
  bool release(const std::string& sha256) {
    const auto found = uses_.find(sha256);
    if (found == uses_.end() || --found->second > 0) return false;
    uses_.erase(found);
    return true;
  }

  std::map<std::string, Candidate>& all() { return open_; }  ///< by task id
  bool empty() const { return open_.empty(); }               ///< no candidate is dispatched
  /** Returns the number of candidates that workers are building, or running. */
  std::size_t count(TaskKind kind) const {
    std::size_t number = 0;
    for (const auto& [id, candidate] : open_)
      if (candidate.began && candidate.task.kind == kind) ++number;
    return number;
  }
  measure::BusyTimes take_busy_times() { return meter_.take(); }  ///< since the last call

 private:
  static measure::BusyMeter::Activity activity(const Candidate& candidate) {
    return candidate.builds() ? measure::BusyMeter::Activity::Building
                              : measure::BusyMeter::Activity::Running;
  }

  std::map<std::string, Candidate> open_;
  std::map<std::string, int> uses_;  ///< number of candidates that use a blob
  measure::BusyMeter meter_;
};

}  // namespace kernelscape::fleet
