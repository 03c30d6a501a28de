#include <functional>

#include "core/simulation/fleet_scaling.h"
#include "ui/charts/curves/fleet_share_chart.h"
#include "ui/figures/registry.h"

namespace kernelscape::figures {
namespace {

constexpr int fleet_height = 340;

/** Returns the curve of the efficiency. @param number a fleet's position on the x axis */
template <typename Number>
charts::FleetShareCurve efficiency_curve(const simulation::FleetCurve& curve, Number number) {
  charts::FleetShareCurve shares{QString::fromStdString(curve.name), {}};
  for (const simulation::FleetPoint& point : curve.points)
    shares.points.emplace_back(static_cast<double>(std::invoke(number, point.fleet)), point.efficiency());
  return shares;
}

std::vector<Figure> efficiency_figures(const Source& source, const workspace::JobControl&) {
  if (!source.fleet) return {};
  charts::FleetShareData data{charts::FleetAxis::Workers, figure_text("efficiency"), {}};
  for (const simulation::FleetCurve& curve : source.fleet->by_workers)
    data.curves.push_back(efficiency_curve(curve, &simulation::SimulatedFleet::workers));
  data.curves.push_back(
      efficiency_curve(source.fleet->for_each_worker, &simulation::SimulatedFleet::workers));
  return {make_figure<charts::FleetShareChart>(
      {.title = figure_text("Efficiency of the fleet"),
       .of = QString::fromStdString(source.fleet->recording),
       .caption = figure_text("The useful share of the workers' time, by the number of workers.")},
      std::move(data), fleet_height)};
}

std::vector<Figure> batch_figures(const Source& source, const workspace::JobControl&) {
  if (!source.fleet) return {};
  charts::FleetShareData data{charts::FleetAxis::Batch, figure_text("efficiency"), {}};
  for (const simulation::FleetCurve& curve : source.fleet->by_batch)
    data.curves.push_back(efficiency_curve(curve, &simulation::SimulatedFleet::batch));
  return {make_figure<charts::FleetShareChart>(
      {.title = figure_text("Efficiency by batch size"),
       .of = figure_text("%1 workers").arg(source.fleet->asked.fleet.workers),
       .caption = figure_text("A single session keeps no more workers busy than its batch has candidates.")},
      std::move(data), fleet_height)};
}

std::vector<Figure> busy_figures(const Source& source, const workspace::JobControl&) {
  if (!source.fleet) return {};
  charts::FleetShareCurve controller{figure_text("controller"), {}};
  charts::FleetShareCurve redis{figure_text("the busiest Redis server"), {}};
  charts::FleetShareCurve search{figure_text("tuners"), {}};
  for (const simulation::FleetPoint& point : source.fleet->for_each_worker.points) {
    const auto workers = static_cast<double>(point.fleet.workers);
    const double seconds = point.outcome.wall_seconds;
    controller.points.emplace_back(workers, point.outcome.controller_seconds / seconds);
    redis.points.emplace_back(workers, point.outcome.redis_seconds / seconds);
    search.points.emplace_back(
        workers, point.outcome.search_seconds / seconds / static_cast<double>(point.fleet.search_threads));
  }
  return {make_figure<charts::FleetShareChart>(
      {.title = figure_text("Utilization of the components"),
       .of = figure_text("a session for each worker"),
       .caption = figure_text("At 100 % more workers do not increase throughput.")},
      charts::FleetShareData{charts::FleetAxis::Workers, figure_text("busy"), {controller, redis, search}},
      fleet_height)};
}

}  // namespace

Kind fleet_efficiency_figure_kind() {
  return figure_kind<charts::FleetShareChart>("fleet efficiency", Place::Report, ReportPart::Fleet,
                                              efficiency_figures);
}

Kind fleet_batch_figure_kind() {
  return figure_kind<charts::FleetShareChart>("fleet batch", Place::Report, ReportPart::Fleet, batch_figures);
}

Kind fleet_busy_figure_kind() {
  return figure_kind<charts::FleetShareChart>("fleet busy", Place::Report, ReportPart::Fleet, busy_figures);
}

}  // namespace kernelscape::figures
