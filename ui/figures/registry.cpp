#include "ui/figures/registry.h"

#include <array>

#include "ui/charts/bars/category_chart.h"
#include "ui/charts/bars/error_chart.h"
#include "ui/charts/bars/phase_chart.h"
#include "ui/charts/bars/relevance_chart.h"
#include "ui/charts/bars/time_chart.h"
#include "ui/charts/courses/prediction_chart.h"
#include "ui/charts/courses/progress_chart.h"
#include "ui/charts/courses/series_chart.h"
#include "ui/charts/courses/speed_up_chart.h"
#include "ui/charts/courses/walk_distance_chart.h"
#include "ui/figures/comparison_figures.h"
#include "ui/figures/distribution_figures.h"
#include "ui/figures/knob_statistics.h"
#include "ui/figures/outcome_figures.h"
#include "ui/figures/parallel_figure.h"
#include "ui/figures/progress_figure.h"
#include "ui/figures/topology_outcome.h"
#include "ui/figures/tuner_figures.h"

namespace kernelscape {
namespace {

template <typename ChartType>
std::unique_ptr<Chart> chart() {
  return std::make_unique<ChartType>();
}

template <CategoryBy by>
std::unique_ptr<Chart> category_chart() {
  return std::make_unique<CategoryChart>(by);
}

using enum FigurePlace;
using enum ReportPart;

constexpr std::array kinds{
    FigureKind{"progress", Tune, Course, chart<ProgressChart>, progress_figures},
    FigureKind{"prediction", TuneModel, Model, chart<PredictionChart>, prediction_figures},
    FigureKind{"relevance", TuneModel, Model, chart<RelevanceChart>, relevance_figures},
    FigureKind{"series", TuneModel, Model, chart<SeriesChart>, series_figures_of_tuner},
    FigureKind{"outcomes", Tune, Outcomes, chart<ErrorChart>, outcome_figures},
    FigureKind{"time", Tune, Outcomes, chart<TimeChart>, time_figures},
    FigureKind{"distribution", Explore, Space, chart<DistributionChart>, distribution_figures},
    FigureKind{"cumulative", Explore, Space, chart<CumulativeChart>, cumulative_figures},
    FigureKind{"importance", Explore, Knobs, chart<ImportanceChart>, importance_figures},
    FigureKind{"effects", Explore, Knobs, chart<EffectsChart>, effects_figures},
    FigureKind{"heat map", Explore, None, chart<HeatMapChart>, heat_map_figures},
    FigureKind{"parallel", Explore, None, chart<ParallelChart>, parallel_figures},
    FigureKind{"topology", Explore, None, chart<TopologyChart>, topology_figures},
    FigureKind{"walk", Explore, None, chart<WalkDistanceChart>, walk_figures},
    FigureKind{"curves", CompareCurves, Comparison, chart<CompareCurveChart>, curve_figures},
    FigureKind{"curves by trials", Chosen, Comparison, chart<CompareCurveChart>, curve_by_trials_figures},
    FigureKind{"speed-up", CompareCurves, Comparison, chart<SpeedUpChart>, speed_up_figures},
    FigureKind{"phases", CompareCosts, Comparison, chart<PhaseChart>, phase_figures},
    FigureKind{"categories", CompareCosts, Comparison, category_chart<CategoryBy::Trials>, category_figures},
    FigureKind{"category work", CompareCosts, Comparison, category_chart<CategoryBy::WorkSeconds>,
               category_work_figures},
    FigureKind{"tasks", CompareTasks, Tasks, chart<CompareCurveChart>, task_figures},
};

}  // namespace

std::vector<Figure> FigureKind::figures(const FigureSource& source, const JobControl& control) const {
  std::vector<Figure> figures = make(source, control);
  for (Figure& figure : figures) figure.make_chart = make_chart;
  return figures;
}

std::span<const FigureKind> figure_kinds() { return kinds; }

std::vector<const FigureKind*> figure_kinds(FigurePlace place) {
  std::vector<const FigureKind*> chosen;
  for (const FigureKind& kind : kinds)
    if (kind.place == place) chosen.push_back(&kind);
  return chosen;
}

}  // namespace kernelscape
