#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/codegen/kernel_source.h"
#include "core/fleet/fleet_messages.h"
#include "core/measure/builder_pool.h"
#include "core/measure/busy_meter.h"
#include "core/space/configuration.h"

namespace kernelscape {

/** A candidate of a batch while a fleet works at it. */
struct FleetCandidate {
  std::size_t position = 0;  ///< in the batch
  int batch = 0;             ///< which: what comes back of an earlier one is dropped
  Configuration configuration{};
  KernelSource source{};  ///< without its text, once it was asked for
  double instantiation_seconds = 0;
  BuildOutcome build{};  ///< without its artefact
  std::string artefact_sha256{};
  FleetTask task{};  ///< in progress; it can be given again
  std::string stream{};
  std::string entry{};  ///< empty: it is being put there
  bool began = false;   ///< a worker has it
  int repairs = 0;      ///< how often a blob of it was gone or damaged, or its result was none

  bool builds() const { return task.kind == TaskKind::Build; }  ///< it is not run yet
};

/** The candidates that a fleet works at, by their tasks, and whether any is built or run. Under its owner's
 * lock. */
class FleetCandidates {
 public:
  /** One more is given out. */
  FleetCandidate& add(FleetCandidate candidate) {
    const std::string id = candidate.task.id;
    if (!candidate.artefact_sha256.empty()) ++uses_[candidate.artefact_sha256];
    return open_.insert_or_assign(id, std::move(candidate)).first->second;
  }

  /** The candidate whose task this is; null: it is none of these any more. */
  FleetCandidate* find(const std::string& task) {
    const auto found = open_.find(task);
    return found != open_.end() ? &found->second : nullptr;
  }

  /** Out of these, its work being over for now; nothing: it is none of these any more. */
  std::optional<FleetCandidate> take(const std::string& task) {
    auto node = open_.extract(task);
    if (node.empty()) return std::nullopt;
    FleetCandidate candidate = std::move(node.mapped());
    if (candidate.began) meter_.end(activity(candidate));
    candidate.began = false;
    return candidate;
  }

  /** A worker has begun with it; known already: another one has it now. */
  void begin(FleetCandidate& candidate) {
    if (candidate.began) return;
    candidate.began = true;
    meter_.begin(activity(candidate));
  }

  /** Nobody has it: it is given again. */
  void stop(FleetCandidate& candidate) {
    if (candidate.began) meter_.end(activity(candidate));
    candidate.began = false;
  }

  /** One less needs the blob; whether nobody does. */
  bool release(const std::string& sha256) {
    const auto found = uses_.find(sha256);
    if (found == uses_.end() || --found->second > 0) return false;
    uses_.erase(found);
    return true;
  }

  std::map<std::string, FleetCandidate>& all() { return open_; }  ///< by their tasks' ids
  bool empty() const { return open_.empty(); }                    ///< none is given out
  /** Of them, those that a worker builds, or runs. */
  std::size_t count(TaskKind kind) const {
    std::size_t number = 0;
    for (const auto& [id, candidate] : open_)
      if (candidate.began && candidate.task.kind == kind) ++number;
    return number;
  }
  BusyTimes take_busy_times() { return meter_.take(); }  ///< since the last call

 private:
  static BusyMeter::Activity activity(const FleetCandidate& candidate) {
    return candidate.builds() ? BusyMeter::Activity::Building : BusyMeter::Activity::Running;
  }

  std::map<std::string, FleetCandidate> open_;
  std::map<std::string, int> uses_;  ///< of blobs
  BusyMeter meter_;
};

}  // namespace kernelscape
