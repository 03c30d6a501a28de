#include "core/analysis/comparison/run_draws.h"

#include <map>
#include <set>

namespace kernelscape::analysis {
namespace {

std::vector<int> repeats_of(const RunCell& cell) {
  std::vector<int> repeats;
  for (const RunNumbers& run : cell.finished) repeats.push_back(run.repeat);
  return repeats;
}

/** Returns the repeats of all arms with a finished run on the task; none for independent runs. */
std::vector<int> paired_repeats(const NumberedRuns& runs, std::size_t task) {
  if (!runs.paired_starts) return {};
  std::set<int> repeats;
  for (std::size_t arm = 0; arm < runs.arms; ++arm)
    for (const RunNumbers& run : runs.cell(arm, task).finished) repeats.insert(run.repeat);
  return {repeats.begin(), repeats.end()};
}

}  // namespace

RunDraws::RunDraws(const BootstrapOptions& options, const DrawnCell& cell, std::span<const int> own_repeats,
                   std::span<const int> task_repeats) {
  const std::size_t cells = cell.arms * cell.tasks;
  const Resamples alone(options, cell.task * cell.arms + cell.arm + 1, own_repeats.size());
  const Resamples together(options, cells + cell.task + 1, task_repeats.size());
  std::map<int, std::uint32_t> place_of;
  for (std::size_t run = 0; run < own_repeats.size(); ++run)
    place_of.emplace(own_repeats[run], static_cast<std::uint32_t>(run));
  for (std::size_t resample = 0; resample < options.resamples; ++resample) {
    const std::size_t first = positions_.size();
    for (const std::uint32_t repeat : together.positions(resample))
      if (const auto own = place_of.find(task_repeats[repeat]); own != place_of.end())
        positions_.push_back(own->second);
    if (positions_.size() == first) {
      const std::span<const std::uint32_t> drawn = alone.positions(resample);
      positions_.insert(positions_.end(), drawn.begin(), drawn.end());
    }
    ends_.push_back(positions_.size());
  }
}

std::span<const std::uint32_t> RunDraws::positions(std::size_t resample) const {
  const std::size_t first = resample == 0 ? 0 : ends_[resample - 1];
  return std::span(positions_).subspan(first, ends_[resample] - first);
}

RunDraws draws_of_cell(const NumberedRuns& runs, std::size_t arm, std::size_t task,
                       const BootstrapOptions& options) {
  return RunDraws(options, {.arm = arm, .task = task, .arms = runs.arms, .tasks = runs.tasks.size()},
                  repeats_of(runs.cell(arm, task)), paired_repeats(runs, task));
}

}  // namespace kernelscape::analysis
