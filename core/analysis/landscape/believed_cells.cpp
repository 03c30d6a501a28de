#include "core/analysis/landscape/believed_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "core/space/grid_coordinates.h"
#include "core/space/member_walk.h"
#include "core/trial/observed_row.h"

namespace kernelscape::analysis {
namespace {

constexpr std::int64_t rows_between_questions = 4096;
constexpr std::size_t min_per_cell = 4;

std::unexpected<Error> given_up() {
  return fail(ErrorCode::Refused, "the predictions for the cells were cancelled");
}

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

Status learn(surrogate::SpaceModel& model, const space::GridCoordinates& coordinates,
             const trial::Snapshot& trials, double flops, const BeliefOptions& options,
             const std::function<bool()>& keep_going) {
  const base::Random random = base::Random(options.seed).fork("trials");
  for (const std::int64_t row : rows_to_observe(trials.size(), options.max_trials, random)) {
    if (row % rows_between_questions == 0 && !keep_going()) return given_up();
    if (auto observation = observe(coordinates, trials, row, flops)) model.observe(std::move(*observation));
  }
  if (model.valid_trials() < BelievedCells::min_valid)
    return fail(ErrorCode::Refused,
                fmt::format("{} valid trials are too few to predict others", model.valid_trials()),
                fmt::format("measure at least {}", BelievedCells::min_valid));
  if (!keep_going()) return given_up();
  model.update();
  return {};
}

/** Uses trials as members of cells in which none was found. */
void fill_with_trials(std::vector<std::vector<space::Configuration>>& members, const trial::Snapshot& trials,
                      const CellAxis& x, const CellAxis& y, std::size_t most) {
  std::vector<bool> empty;
  for (const std::vector<space::Configuration>& of_cell : members) empty.push_back(of_cell.empty());
  for (std::int64_t row = 0; row < trials.size(); ++row) {
    const space::Configuration configuration = trials.configuration(row);
    const std::optional<std::size_t> cell = cell_of(x, y, configuration);
    if (cell && empty[*cell] && members[*cell].size() < most) members[*cell].push_back(configuration);
  }
}

BelievedCell believe(const surrogate::SpaceModel& model, const space::GridCoordinates& coordinates,
                     const std::vector<space::Configuration>& members, double flops) {
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

}  // namespace

Result<BelievedCells> believed_cells(const space::SearchSpace& space, const trial::Snapshot& trials,
                                     double flops, const CellAxis& x, const CellAxis& y,
                                     const BeliefOptions& options, const surrogate::Proceed& proceed) {
  double done = 0;
  const std::function<bool()> keep_going = [&] { return !proceed || proceed(done); };
  const base::Random random(options.seed);
  // Levels without members would distort the distances between the others.
  const auto walked = space::listed_members(space, options.max_listed);
  const std::vector<space::Configuration>* listed = walked ? &*walked : space.explicit_members();
  const space::GridCoordinates coordinates(space, listed);
  surrogate::SpaceModel model(coordinates.columns(), options.model, random.fork("fit"));
  TRY(learn(model, coordinates, trials, flops, options, keep_going));

  const std::size_t cells = x.bins * y.bins;
  const std::size_t share = options.members / std::max<std::size_t>(cells, 1);
  const std::size_t most = std::min(options.members_per_cell, std::max(share, min_per_cell));
  const base::Random draws = random.fork("members");
  auto members = listed != nullptr ? listed_cell_members(*listed, x, y, most, draws, keep_going)
                                   : drawn_cell_members(space, x, y, most, draws, keep_going);
  fill_with_trials(members, trials, x, y, most);
  BelievedCells believed{.cells = {}, .valid = valid_trials(trials)};
  believed.learnt_from = static_cast<std::int64_t>(model.performance().size());
  for (const std::vector<space::Configuration>& of_cell : members) {
    if (!keep_going()) return given_up();
    believed.cells.push_back(believe(model, coordinates, of_cell, flops));
    done = static_cast<double>(believed.cells.size()) / static_cast<double>(cells);
  }
  return believed;
}

}  // namespace kernelscape::analysis
