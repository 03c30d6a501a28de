#include "ui/figures/registry.h"

namespace kernelscape::figures {

/** One line per kind, in reading order; each is a function in its figure's file. */
#define KERNELSCAPE_FIGURES(ENTRY)          \
  ENTRY(progress_figure_kind)               \
  ENTRY(prediction_figure_kind)             \
  ENTRY(relevance_figure_kind)              \
  ENTRY(series_figure_kind)                 \
  ENTRY(outcomes_figure_kind)               \
  ENTRY(time_figure_kind)                   \
  ENTRY(timeline_figure_kind)               \
  ENTRY(distribution_figure_kind)           \
  ENTRY(cumulative_figure_kind)             \
  ENTRY(pareto_figure_kind)                 \
  ENTRY(importance_figure_kind)             \
  ENTRY(effects_figure_kind)                \
  ENTRY(heat_map_figure_kind)               \
  ENTRY(parallel_figure_kind)               \
  ENTRY(topology_figure_kind)               \
  ENTRY(walk_figure_kind)                   \
  ENTRY(constraints_figure_kind)            \
  ENTRY(variable_plane_figure_kind)         \
  ENTRY(slice_figure_kind)                  \
  ENTRY(contour_figure_kind)                \
  ENTRY(roofline_figure_kind)               \
  ENTRY(curves_figure_kind)                 \
  ENTRY(curves_by_trials_figure_kind)       \
  ENTRY(speed_up_figure_kind)               \
  ENTRY(member_share_figure_kind)           \
  ENTRY(member_share_by_trials_figure_kind) \
  ENTRY(phases_figure_kind)                 \
  ENTRY(categories_figure_kind)             \
  ENTRY(category_work_figure_kind)          \
  ENTRY(ranks_figure_kind)                  \
  ENTRY(final_ranks_figure_kind)            \
  ENTRY(profiles_figure_kind)               \
  ENTRY(tasks_figure_kind)                  \
  ENTRY(training_loss_figure_kind)          \
  ENTRY(training_tau_figure_kind)           \
  ENTRY(regret_figure_kind)                 \
  ENTRY(predicted_samples_figure_kind)      \
  ENTRY(network_curve_figure_kind)          \
  ENTRY(layer_time_figure_kind)             \
  ENTRY(model_latency_figure_kind)          \
  ENTRY(network_roofline_figure_kind)       \
  ENTRY(fleet_efficiency_figure_kind)       \
  ENTRY(fleet_batch_figure_kind)            \
  ENTRY(fleet_busy_figure_kind)

#define KERNELSCAPE_DECLARE(function) Kind function();
KERNELSCAPE_FIGURES(KERNELSCAPE_DECLARE)
#undef KERNELSCAPE_DECLARE

std::vector<Figure> Kind::figures(const Source& source, const workspace::JobControl& control) const {
  std::vector<Figure> figures = make(source, control);
  for (Figure& figure : figures) figure.make_chart = make_chart;
  return figures;
}

std::span<const Kind> figure_kinds() {
#define KERNELSCAPE_CALL(function) function(),
  static const std::vector<Kind> kinds{KERNELSCAPE_FIGURES(KERNELSCAPE_CALL)};
#undef KERNELSCAPE_CALL
  return kinds;
}

std::vector<const Kind*> figure_kinds(Place place) {
  std::vector<const Kind*> chosen;
  for (const Kind& kind : figure_kinds())
    if (kind.place == place) chosen.push_back(&kind);
  return chosen;
}

}  // namespace kernelscape::figures
