#include "core/study/compared_task.h"

#include <algorithm>

#include "core/task/task.h"

namespace kernelscape {
namespace {

constexpr double flops_per_gigaflop = 1e9;

double performance_of(double flops, double seconds) {
  return (flops > 0 ? flops / flops_per_gigaflop : 1) / seconds;
}

/** The rows that a tuner of `space` can propose; null: all of them. */
void add_members(const Recording& recording, const SearchSpace* space, ComparedTaskFacts& facts) {
  for (std::uint32_t row = 0; row < recording.size(); ++row) {
    if (space != nullptr && !space->contains(recording.configuration(row))) continue;
    const bool valid = recording.category(row) == ErrorCategory::NoError && recording.seconds(row) > 0;
    facts.task.members.push_back(valid ? performance_of(facts.flops, recording.seconds(row)) : 0);
  }
  if (!facts.task.members.empty()) facts.task.optimum = std::ranges::max(facts.task.members);
  // A file of another program has no template: what it holds is its space.
  facts.task.optimum_known = recording.complete() || recording.header().template_name.empty();
}

}  // namespace

Result<ComparedTaskFacts> compared_task_facts(const Store& store, const SessionRecord& record) {
  ComparedTaskFacts facts;
  const Task task = TRY(task_from_json(record.task_json));
  facts.flops = task.flops();
  facts.task.floating_flops = facts.flops > 0;
  const bool replayed = record.kind == SessionKind::Replayed || record.kind == SessionKind::Recorded;
  std::shared_ptr<const Recording> recording;
  if (replayed) {
    recording = TRY(store.recording(record.recording));
    if (recording->space().fingerprint() == record.space_fingerprint) {
      add_members(*recording, nullptr, facts);
      return facts;
    }
  }
  const SearchSpace space = TRY(space_from_json(record.space_json));
  if (recording) {
    add_members(*recording, &space, facts);
  } else if (const std::optional<uint128> members = space.member_count();
             members && *members <= uint128{INT64_MAX}) {
    facts.member_count = static_cast<std::int64_t>(*members);
  }
  return facts;
}

}  // namespace kernelscape
