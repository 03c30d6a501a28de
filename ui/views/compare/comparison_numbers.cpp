#include "ui/views/compare/comparison_numbers.h"

#include <algorithm>
#include <iterator>

#include "ui/figures/comparison_figures.h"

namespace kernelscape::views {

std::optional<ComparisonNumbers> comparison_numbers(const analysis::ComparedRuns& runs,
                                                    const figures::ComparisonChoice& choice,
                                                    const workspace::JobControl& control) {
  const figures::Source source{.runs = figures::counted_runs(runs, choice.hidden_sessions), .choice = choice};
  ComparisonNumbers numbers;
  const auto make = [&](figures::Place place, std::vector<figures::Figure>& figures) {
    for (const figures::Kind* kind : figures::figure_kinds(place))
      if (control.proceed()) std::ranges::move(kind->figures(source, control), std::back_inserter(figures));
  };
  for (const figures::Kind* kind : figures::figure_kinds(figures::Place::CompareCurves)) {
    if (!control.proceed()) return std::nullopt;
    std::vector<figures::Figure> figures = kind->figures(source, control);
    numbers.curves.push_back(figures.empty() ? std::nullopt : std::optional(std::move(figures.front())));
  }
  make(figures::Place::CompareCosts, numbers.costs);
  make(figures::Place::CompareOverTasks, numbers.over_tasks);
  make(figures::Place::CompareTasks, numbers.tasks);
  if (!control.proceed()) return std::nullopt;
  const analysis::ComparisonTable table = analysis::comparison_table(*source.runs, choice.baseline);
  numbers.judged = models::judged_rows(source.runs, table, choice.measure, choice.axis);
  const std::vector<std::size_t> alike = analysis::tasks_with_equal_finals(*source.runs, table);
  numbers.finals_alike = !alike.empty() && alike.size() == source.runs->tasks.size();
  numbers.hindrances = analysis::blocking_reason(*source.runs, table);
  return numbers;
}

}  // namespace kernelscape::views
