#include "ui/views/compare/comparison_numbers.h"

#include <algorithm>
#include <iterator>

#include "ui/figures/comparison_figures.h"

namespace kernelscape {

std::optional<ComparisonNumbers> comparison_numbers(const ComparedRuns& runs, const ComparisonChoice& choice,
                                                    const JobControl& control) {
  const FigureSource source{.runs = counted_runs(runs, choice.hidden_sessions), .choice = choice};
  ComparisonNumbers numbers;
  const auto make = [&](FigurePlace place, std::vector<Figure>& figures) {
    for (const FigureKind* kind : figure_kinds(place))
      if (control.proceed()) std::ranges::move(kind->figures(source, control), std::back_inserter(figures));
  };
  for (const FigureKind* kind : figure_kinds(FigurePlace::CompareCurves)) {
    if (!control.proceed()) return std::nullopt;
    std::vector<Figure> figures = kind->figures(source, control);
    numbers.curves.push_back(figures.empty() ? std::nullopt : std::optional(std::move(figures.front())));
  }
  make(FigurePlace::CompareCosts, numbers.costs);
  make(FigurePlace::CompareOverTasks, numbers.over_tasks);
  make(FigurePlace::CompareTasks, numbers.tasks);
  if (!control.proceed()) return std::nullopt;
  const ComparisonTable table = comparison_table(*source.runs, choice.baseline);
  numbers.judged = judged_rows(source.runs, table, choice.measure, choice.axis);
  const std::vector<std::size_t> alike = tasks_with_equal_finals(*source.runs, table);
  numbers.finals_alike = !alike.empty() && alike.size() == source.runs->tasks.size();
  numbers.hindrances = blocking_reason(*source.runs, table);
  return numbers;
}

}  // namespace kernelscape
