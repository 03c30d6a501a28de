#include "core/analysis/landscape/surrogate_slice.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/analysis/landscape/learnt_space.h"
#include "core/space/member_walk.h"

namespace kernelscape::analysis {
namespace {

/** Returns all values of a knob, or `most` at equal distances with one that is wanted; ascending. */
std::vector<std::uint32_t> slice_values(std::uint32_t count, std::size_t most, std::uint32_t wanted) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0U);
  if (values.size() <= most) return values;
  for (std::size_t i = 0; i < most; ++i)
    values[i] = static_cast<std::uint32_t>(std::uint64_t{count - 1} * i / (most - 1));
  values.resize(most);
  const auto above = std::ranges::lower_bound(values, wanted);
  if (*above != wanted) *above = wanted;
  return values;
}

/** Returns true if a trial differs from the base in the two knobs only. */
bool in_slice(const trial::Snapshot& trials, std::int64_t row, const SliceKnobs& knobs) {
  for (std::size_t knob = 0; knob < knobs.base.indices.size(); ++knob)
    if (knob != knobs.x && knob != knobs.y && trials.knob_index(row, knob) != knobs.base.indices[knob])
      return false;
  return true;
}

void add_trial(HeatCell& cell, std::int64_t row, const PerformanceColumn& performance) {
  ++cell.count;
  if (!performance.valid(row)) return;
  const double value = performance.at(row);
  if (cell.valid++ == 0 || performance.better(value, cell.best)) {
    cell.best = value;
    cell.best_row = row;
  }
  cell.mean += (value - cell.mean) / static_cast<double>(cell.valid);
}

}  // namespace

SliceModel::SliceModel(space::SearchSpace space, std::shared_ptr<const LearntSpace> learnt)
    : space_(std::move(space)), learnt_(std::move(learnt)) {}

Result<SliceModel> SliceModel::learn(const space::SearchSpace& space, const trial::Snapshot& trials,
                                     double flops, const std::function<bool()>& keep_going) {
  const BeliefOptions options;
  const auto walked = space::listed_members(space, options.max_listed);
  LearntSpace learnt = TRY(
      learn_space(space, walked ? &*walked : space.explicit_members(), trials, flops, options, keep_going));
  return SliceModel(space, std::make_shared<const LearntSpace>(std::move(learnt)));
}

Result<SurrogateSlice> SliceModel::slice(const SliceKnobs& knobs, const trial::Snapshot& trials,
                                         const PerformanceColumn& performance,
                                         std::span<const std::int64_t> rows,
                                         const std::function<bool()>& keep_going) const {
  const bool plane = knobs.x != knobs.y;
  const auto values_of = [&](std::size_t knob) {
    return slice_values(space_.knobs()[knob].count(), plane ? max_plane_values : max_values,
                        knobs.base.indices[knob]);
  };
  SurrogateSlice slice{.x_indices = values_of(knobs.x), .y_indices = {}, .predictions = {}, .measured = {}};
  slice.y_indices = plane ? values_of(knobs.y) : std::vector{knobs.base.indices[knobs.y]};
  for (const std::uint32_t y : slice.y_indices)
    for (const std::uint32_t x : slice.x_indices) {
      if (!keep_going()) return predictions_cancelled();
      space::Configuration configuration = knobs.base;
      configuration.indices[knobs.y] = y;
      configuration.indices[knobs.x] = x;
      slice.predictions.push_back(space_.contains(configuration) ? learnt_->predict({configuration})
                                                                 : BelievedCell());
    }
  slice.measured.resize(slice.predictions.size());
  for (const std::int64_t row : rows) {
    if (!in_slice(trials, row, knobs)) continue;
    const auto x = std::ranges::find(slice.x_indices, trials.knob_index(row, knobs.x));
    const auto y =
        plane ? std::ranges::find(slice.y_indices, trials.knob_index(row, knobs.y)) : slice.y_indices.begin();
    if (x == slice.x_indices.end() || y == slice.y_indices.end()) continue;
    const auto cell = static_cast<std::size_t>(y - slice.y_indices.begin()) * slice.x_indices.size() +
                      static_cast<std::size_t>(x - slice.x_indices.begin());
    add_trial(slice.measured[cell], row, performance);
  }
  return slice;
}

std::int64_t SliceModel::valid() const { return learnt_->valid; }

std::int64_t SliceModel::learnt_from() const { return learnt_->learnt_from(); }

}  // namespace kernelscape::analysis
