#pragma once

#include <span>
#include <string_view>

#include "ui/figures/figure.h"
#include "ui/figures/figure_source.h"

namespace kernelscape {

/**
 * Where the window shows a figure. All views but Explore make their charts from the registry; Explore's
 * pages name theirs.
 */
enum class FigurePlace : std::uint8_t {
  Tune,              ///< a chart of its own, of the kind's first figure
  TuneModel,         ///< one of the panel of what the tuner reported; all figures of the kind
  Explore,           ///< on a page that goes on with its data, and makes them itself
  CompareCurves,     ///< a CompareCurveChart, of the kind's only figure, where there is one
  CompareCosts,      ///< a StackedBarChart, of the kind's only figure
  CompareOverTasks,  ///< a MeanRankChart or ProfileChart on the page over tasks, of the kind's only figure
  CompareTasks,      ///< a small CompareCurveChart for each figure
  LearnTraining,     ///< a PredictorCurveChart over epochs, of the kind's only figure
  LearnTasks,        ///< a chart for each figure, one for each predictor at most
  Network,           ///< a chart of its own, of the kind's first figure
  Report,            ///< nowhere: reports alone have it
  Chosen,            ///< where another kind's figure is, as a choice of the user
};

/** The part of a report that a figure stands in. */
enum class ReportPart : std::uint8_t {
  None,
  Course,
  Model,
  Outcomes,
  Machine,
  Space,
  Knobs,
  Comparison,
  OverTasks,
  Tasks,
  Predictor,
  Network,
  Fleet
};

/**
 * A kind of figure: how it is made and drawn, and where it stands. To add one: a file with a function that
 * gives this, and that function's line in registry.cpp.
 */
struct FigureKind {
  std::string_view name;
  FigurePlace place;
  ReportPart part;
  std::unique_ptr<Chart> (*make_chart)();
  MakeFigures* make;

  /**
   * Every figure of this kind that the source has something for; from any thread. A cancelled one gives what
   * nobody looks at.
   */
  std::vector<Figure> figures(const FigureSource& source, const JobControl& control) const;
};

/** A kind whose charts are made of nothing. @tparam ChartType that of the make_figure() of its figures */
template <typename ChartType>
FigureKind figure_kind(std::string_view name, FigurePlace place, ReportPart part, MakeFigures& make) {
  return {name, place, part, []() -> std::unique_ptr<Chart> { return std::make_unique<ChartType>(); }, &make};
}

/** In the order in which they are read; constant while the program runs. */
std::span<const FigureKind> figure_kinds();
/** Those that the window shows at one place, in the same order. */
std::vector<const FigureKind*> figure_kinds(FigurePlace place);

}  // namespace kernelscape
