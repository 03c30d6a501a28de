#include "core/analysis/landscape/learnt_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "core/trial/observed_row.h"

namespace kernelscape::analysis {
namespace {

constexpr std::int64_t rows_between_questions = 4096;

/** Returns all rows, or a seeded sample of them, ascending. */
std::vector<std::int64_t> rows_to_observe(std::int64_t count, std::size_t most, base::Random random) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  if (rows.size() <= most) return rows;
  random.shuffle(std::span(rows));
  rows.resize(most);
  std::ranges::sort(rows);
  return rows;
}

/** Returns nullopt for a kernel that was only built, which has no speed. */
std::optional<surrogate::GridObservation> observe(const space::GridCoordinates& coordinates,
                                                  const trial::Snapshot& trials, std::int64_t number,
                                                  double flops) {
  const trial::Row row = trials.row(number);
  if (row.category == trial::ErrorCategory::NoError && !(row.median_seconds > 0)) return std::nullopt;
  const trial::Observation observed = trial::observe_row(row, trials.configuration(number), flops);
  return surrogate::GridObservation{coordinates.of(observed.configuration), observed.fitness,
                                    observed.category == trial::ErrorCategory::NoError, observed.spread};
}

std::int64_t valid_trials(const trial::Snapshot& trials) {
  std::int64_t valid = 0;
  for (std::int64_t number = 0; number < trials.size(); ++number) {
    const trial::Row row = trials.row(number);
    if (row.category == trial::ErrorCategory::NoError && row.median_seconds > 0) ++valid;
  }
  return valid;
}

}  // namespace

std::unexpected<Error> predictions_cancelled() {
  return fail(ErrorCode::Refused, "the predictions for the cells were cancelled");
}

Result<LearntSpace> learn_space(const space::SearchSpace& space,
                                const std::vector<space::Configuration>* listed,
                                const trial::Snapshot& trials, double flops, const BeliefOptions& options,
                                const std::function<bool()>& keep_going) {
  const base::Random random(options.seed);
  space::GridCoordinates coordinates(space, listed);
  surrogate::SpaceModel model(coordinates.columns(), options.model, random.fork("fit"));
  for (const std::int64_t row : rows_to_observe(trials.size(), options.max_trials, random.fork("trials"))) {
    if (row % rows_between_questions == 0 && !keep_going()) return predictions_cancelled();
    if (auto observation = observe(coordinates, trials, row, flops)) model.observe(std::move(*observation));
  }
  if (model.valid_trials() < BelievedCells::min_valid)
    return fail(ErrorCode::Refused,
                fmt::format("{} valid trials are too few to predict others", model.valid_trials()),
                fmt::format("measure at least {}", BelievedCells::min_valid));
  if (!keep_going()) return predictions_cancelled();
  model.update();
  return LearntSpace{std::move(coordinates), std::move(model), flops, valid_trials(trials)};
}

BelievedCell LearntSpace::predict(const std::vector<space::Configuration>& members) const {
  BelievedCell cell;
  double feasibility = 0;
  for (const space::Configuration& member : members) {
    constexpr double ms_per_second = 1e3;
    const surrogate::Belief belief = model.predict(coordinates.of(member));
    const double performance = flops > 0 ? belief.fitness : ms_per_second / belief.fitness;
    const double relative_deviation = belief.deviation / belief.fitness;
    const auto count = static_cast<double>(++cell.members);
    cell.performance += (performance - cell.performance) / count;
    cell.deviation += (performance * relative_deviation - cell.deviation) / count;
    feasibility += (belief.feasibility - feasibility) / count;
  }
  if (model.feasibility() != nullptr && cell.members > 0) cell.feasibility = feasibility;
  return cell;
}

}  // namespace kernelscape::analysis
