#include "core/study/compared_task.h"

#include <algorithm>
#include <cmath>

#include "core/task/task.h"

namespace kernelscape::study {
namespace {

constexpr double flops_per_gigaflop = 1e9;

/** Returns the noise of the samples of members near the best member. */
double recorded_noise(const trial::Recording& recording, const analysis::ComparedTask& task,
                      const space::SearchSpace* space) {
  std::vector<double> noises;
  std::size_t member = 0;
  for (std::uint32_t row = 0; row < recording.size(); ++row) {
    if (space != nullptr && !space->contains(recording.configuration(row))) continue;
    const double performance = task.members[member++];
    if (performance <= 0 || performance < (1 - near_optimum) * task.optimum) continue;
    const std::optional<double> noise = relative_noise(analysis::quartiles(recording.samples(row)));
    if (noise) noises.push_back(*noise);
  }
  return typical_noise(std::move(noises));
}

/** Adds the rows that a tuner of `space` can propose; null: all rows. */
void add_members(const trial::Recording& recording, const space::SearchSpace* space,
                 ComparedTaskFacts& facts) {
  for (std::uint32_t row = 0; row < recording.size(); ++row) {
    if (space != nullptr && !space->contains(recording.configuration(row))) continue;
    const bool valid = recording.category(row) == trial::ErrorCategory::NoError && recording.seconds(row) > 0;
    facts.task.members.push_back(valid ? performance_of(facts.flops, recording.seconds(row)) : 0);
  }
  if (!facts.task.members.empty()) facts.task.optimum = std::ranges::max(facts.task.members);
  facts.task.noise = recorded_noise(recording, facts.task, space);
  // A file of another program has no template; its space consists of its rows.
  facts.task.optimum_known = recording.complete() || recording.header().template_name.empty();
}

}  // namespace

double performance_of(double flops, double seconds) {
  return (flops > 0 ? flops / flops_per_gigaflop : 1) / seconds;
}

std::optional<double> relative_noise(const analysis::Quartiles& samples) {
  constexpr std::size_t min_samples = 3;
  constexpr double of_median = 1.25;  // the ratio of the standard errors of a median and a mean
  if (samples.count < min_samples || !(samples.median > 0)) return std::nullopt;
  return of_median * (samples.third - samples.first) / samples.median /
         std::sqrt(static_cast<double>(samples.count));
}

double typical_noise(std::vector<double> noises) { return analysis::quartiles(noises).median; }

Result<ComparedTaskFacts> recorded_task_facts(const trial::Recording& recording,
                                              const space::SearchSpace* space) {
  ComparedTaskFacts facts;
  facts.flops = TRY(task::task_from_json(recording.header().task_json)).flops();
  facts.task.floating_flops = facts.flops > 0;
  add_members(recording, space, facts);
  return facts;
}

Result<ComparedTaskFacts> compared_task_facts(const store::Store& store, const store::SessionRecord& record) {
  ComparedTaskFacts facts;
  const task::Task task = TRY(task::task_from_json(record.task_json));
  facts.flops = task.flops();
  facts.task.floating_flops = facts.flops > 0;
  const bool replayed =
      record.kind == store::SessionKind::Replayed || record.kind == store::SessionKind::Recorded;
  facts.task.measured = !replayed;
  std::shared_ptr<const trial::Recording> recording;
  if (replayed) {
    recording = TRY(store.recordings().get(record.recording));
    if (recording->space().fingerprint() == record.space_fingerprint) {
      add_members(*recording, nullptr, facts);
      return facts;
    }
  }
  const space::SearchSpace space = TRY(space::space_from_json(record.space_json));
  if (recording) {
    add_members(*recording, &space, facts);
  } else if (const std::optional<base::uint128> members = space.member_count();
             members && *members <= base::uint128{INT64_MAX}) {
    facts.member_count = static_cast<std::int64_t>(*members);
  }
  return facts;
}

}  // namespace kernelscape::study
