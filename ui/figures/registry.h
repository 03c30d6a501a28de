#pragma once

#include <span>
#include <string_view>

#include "ui/figures/figure.h"
#include "ui/figures/source.h"

namespace kernelscape::figures {

/**
 * The place of a figure in the window. All views but Explore make their charts from the registry; Explore's
 * pages name theirs.
 */
enum class Place : std::uint8_t {
  Tune,              ///< a separate chart, of the kind's first figure
  TuneModel,         ///< one chart of the panel of series that the tuner reported; all figures of the kind
  Explore,           ///< on a page that makes the figure itself and keeps using its data
  CompareCurves,     ///< a CompareCurveChart, of the kind's only figure, if there is one
  CompareCosts,      ///< a StackedBarChart, of the kind's only figure
  CompareOverTasks,  ///< a MeanRankChart or ProfileChart on the page over tasks, of the kind's only figure
  CompareTasks,      ///< a small CompareCurveChart for each figure
  LearnTraining,     ///< a PredictorCurveChart over epochs, of the kind's only figure
  LearnTasks,        ///< a chart for each figure, at most one for each predictor
  Network,           ///< a separate chart, of the kind's first figure
  Report,            ///< only in reports
  Chosen,            ///< at the place of another kind's figure, as a choice of the user
};

/** The part of a report that contains a figure. */
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
 * A kind of figure: its function, its chart and its place. To add a kind: add a file with a function that
 * returns a Kind, and a call of that function in registry.cpp.
 */
struct Kind {
  std::string_view name;
  Place place;
  ReportPart part;
  std::unique_ptr<charts::Chart> (*make_chart)();
  MakeFigures* make;

  /**
   * Returns every figure of this kind for which the source has data; from any thread. The result of a
   * cancelled job is to be discarded.
   */
  std::vector<Figure> figures(const Source& source, const workspace::JobControl& control) const;
};

/**
 * Returns a kind whose charts need no arguments. @tparam ChartType that of the make_figure() of its figures
 */
template <typename ChartType>
Kind figure_kind(std::string_view name, Place place, ReportPart part, MakeFigures& make) {
  return {name, place, part, []() -> std::unique_ptr<charts::Chart> { return std::make_unique<ChartType>(); },
          &make};
}

/** Returns all kinds in reading order; constant while the program runs. */
std::span<const Kind> figure_kinds();
/** Returns the kinds that the window shows at one place, in reading order. */
std::vector<const Kind*> figure_kinds(Place place);

}  // namespace kernelscape::figures
