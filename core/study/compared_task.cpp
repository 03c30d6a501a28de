#include "core/study/compared_task.h"

#include <algorithm>

#include "core/task/task.h"

namespace kernelscape {
namespace {

constexpr double flops_per_gigaflop = 1e9;

double performance_of(double flops, double seconds) {
  return (flops > 0 ? flops / flops_per_gigaflop : 1) / seconds;
}

/** What the mean row costs on the virtual clock. */
double mean_trial_seconds(const Recording& recording, double build_seconds, double run_seconds, double rows) {
  const double building = build_seconds / std::max(1, recording.header().builders);
  const double all = recording.header().pipelined ? std::max(building, run_seconds) : building + run_seconds;
  return rows > 0 ? all / rows : 0;
}

/** The rows that a tuner of `space` can propose; null: all of them. */
void add_members(const Recording& recording, const SearchSpace* space, ComparedTaskFacts& facts) {
  double build_seconds = 0;
  double run_seconds = 0;
  for (std::uint32_t row = 0; row < recording.size(); ++row) {
    if (space != nullptr && !space->contains(recording.configuration(row))) continue;
    build_seconds += recording.build_seconds(row);
    run_seconds += recording.run_seconds(row);
    const bool valid = recording.category(row) == ErrorCategory::NoError && recording.seconds(row) > 0;
    facts.task.members.push_back(valid ? performance_of(facts.flops, recording.seconds(row)) : 0);
  }
  const auto rows = static_cast<double>(facts.task.members.size());
  facts.task.mean_trial_seconds = mean_trial_seconds(recording, build_seconds, run_seconds, rows);
  if (!facts.task.members.empty()) facts.task.optimum = std::ranges::max(facts.task.members);
  // A file of another program has no template: what it holds is its space.
  facts.task.optimum_known = recording.complete() || recording.header().template_name.empty();
}

}  // namespace

Result<ComparedTaskFacts> compared_task_facts(const Store& store, const SessionRecord& record) {
  ComparedTaskFacts facts;
  const Result<Task> task = task_from_json(record.task_json);
  if (!task) return std::unexpected(task.error());
  facts.flops = task->flops();
  facts.task.floating_flops = facts.flops > 0;
  const bool replayed = record.kind == SessionKind::Replayed || record.kind == SessionKind::Recorded;
  std::shared_ptr<const Recording> recording;
  if (replayed) {
    Result<std::shared_ptr<const Recording>> opened = store.recording(record.recording);
    if (!opened) return std::unexpected(opened.error());
    recording = std::move(*opened);
    if (recording->space().fingerprint() == record.space_fingerprint) {
      add_members(*recording, nullptr, facts);
      return facts;
    }
  }
  const Result<SearchSpace> space = space_from_json(record.space_json);
  if (!space) return std::unexpected(space.error());
  if (recording) {
    add_members(*recording, &*space, facts);
  } else if (const std::optional<uint128> members = space->member_count();
             members && *members <= uint128{INT64_MAX}) {
    facts.member_count = static_cast<std::int64_t>(*members);
  }
  return facts;
}

}  // namespace kernelscape
