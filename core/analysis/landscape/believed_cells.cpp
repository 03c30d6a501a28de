#include "core/analysis/landscape/believed_cells.h"

#include <algorithm>
#include <utility>

#include "core/analysis/landscape/learnt_space.h"
#include "core/space/member_walk.h"

namespace kernelscape::analysis {
namespace {

constexpr std::size_t min_per_cell = 4;

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
  const LearntSpace learnt = TRY(learn_space(space, listed, trials, flops, options, keep_going));

  const std::size_t cells = x.bins * y.bins;
  const std::size_t share = options.members / std::max<std::size_t>(cells, 1);
  const std::size_t most = std::min(options.members_per_cell, std::max(share, min_per_cell));
  const base::Random draws = random.fork("members");
  auto members = listed != nullptr ? listed_cell_members(*listed, x, y, most, draws, keep_going)
                                   : drawn_cell_members(space, x, y, most, draws, keep_going);
  fill_with_trials(members, trials, x, y, most);
  BelievedCells believed{.cells = {}, .valid = learnt.valid};
  believed.learnt_from = learnt.learnt_from();
  for (const std::vector<space::Configuration>& of_cell : members) {
    if (!keep_going()) return predictions_cancelled();
    believed.cells.push_back(learnt.predict(of_cell));
    done = static_cast<double>(believed.cells.size()) / static_cast<double>(cells);
  }
  return believed;
}

}  // namespace kernelscape::analysis
