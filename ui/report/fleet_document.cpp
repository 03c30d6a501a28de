#include <cmath>

#include "core/simulation/fleet_scaling.h"
#include "ui/report/report.h"
#include "ui/report/reported_session.h"
#include "ui/style/numbers.h"

namespace kernelscape::report {
namespace {

QString sized(std::size_t count) { return style::format_count(static_cast<std::int64_t>(count)); }

QString seconds_with_unit(double seconds) { return style::format_quantity(seconds, QStringLiteral("s")); }

QString workers_text(double workers) {
  return std::isfinite(workers) ? QStringLiteral("%1 workers").arg(style::format_count(std::llround(workers)))
                                : QStringLiteral("any number of workers");
}

QString busy(double seconds, const simulation::FleetPoint& point) {
  return style::format_percent(seconds / point.outcome.wall_seconds);
}

void append_fleet_answer(Blocks& blocks, const simulation::FleetScaling& scaling) {
  const simulation::SimulatedFleet& fleet = scaling.asked.fleet;
  const simulation::FleetOutcome& outcome = scaling.asked.outcome;
  blocks.emplace_back(Headline{
      style::format_percent(scaling.asked.efficiency()),
      QStringLiteral("of the time of %1 workers is spent on work").arg(sized(fleet.workers)),
      {QStringLiteral("%1 sessions at once, batches of %2").arg(sized(fleet.sessions), sized(fleet.batch)),
       QStringLiteral("%1 trials/s").arg(style::format_number(outcome.trials_per_second()))}});
  blocks.emplace_back(Paragraph{
      QStringLiteral("With trials like these one controller supports %1, %2 Redis %3, and %4 search threads "
                     "%5. Beyond that, use more Redis servers that share the tasks, one for each device "
                     "class, and a second controller for some of the sessions.")
          .arg(workers_text(scaling.capacity.controller_workers), sized(fleet.redis_servers),
               workers_text(scaling.capacity.redis_workers), sized(fleet.search_threads),
               workers_text(scaling.capacity.search_workers))});
}

void append_fleet_table(Blocks& blocks, const simulation::FleetCurve& curve) {
  Table table;
  table.caption = report_string(curve.name);
  for (const char* title : {"workers", "sessions", "batch", "wall time", "trials/s", "efficiency",
                            "controller", "Redis", "kills", "redelivered", "dead letters"})
    table.columns.push_back({QString::fromLatin1(title), true});
  for (const simulation::FleetPoint& point : curve.points) {
    const simulation::FleetOutcome& outcome = point.outcome;
    table.rows.push_back({sized(point.fleet.workers), sized(point.fleet.sessions), sized(point.fleet.batch),
                          style::format_duration(outcome.wall_seconds),
                          style::format_number(outcome.trials_per_second()),
                          style::format_percent(point.efficiency()), busy(outcome.controller_seconds, point),
                          busy(outcome.redis_seconds, point), sized(outcome.kills),
                          sized(outcome.deliveries - outcome.tasks), sized(outcome.dead_letters)});
  }
  blocks.emplace_back(std::move(table));
}

void append_fleet_setup(Blocks& blocks, const simulation::FleetScaling& scaling) {
  const simulation::SimulatedFleet& fleet = scaling.asked.fleet;
  blocks.emplace_back(Heading{2, QStringLiteral("Simulation parameters")});
  Facts facts;
  const auto add = [&](const char* name, const QString& value) {
    facts.facts.emplace_back(QString::fromLatin1(name), value);
  };
  add("Costs", QStringLiteral("%1: %2 trials, on average %3 to build and %4 to run")
                   .arg(report_string(scaling.recording), sized(scaling.recorded),
                        seconds_with_unit(scaling.build_seconds), seconds_with_unit(scaling.run_seconds)));
  add("Workers", fleet.builders == 0 ? QStringLiteral("each builds and runs, one task at a time")
                                     : QStringLiteral("%1 of %2 only build, the others only run")
                                           .arg(sized(fleet.builders), sized(fleet.workers)));
  add("Trials of a session", sized(fleet.trials));
  add("Queue", QStringLiteral("%1 until the answer to an empty task arrives")
                   .arg(seconds_with_unit(fleet.queue_seconds)));
  add("Redis", QStringLiteral("%1, %2 tasks/s each, objects of %3")
                   .arg(sized(fleet.redis_servers), style::format_number(1 / fleet.redis_task_seconds),
                        style::format_bytes(fleet.object_bytes)));
  add("Controller", QStringLiteral("%1 per trial").arg(seconds_with_unit(2 * fleet.controller_task_seconds)));
  add("Tuners", QStringLiteral("%1 per candidate, %2 at once")
                    .arg(seconds_with_unit(fleet.search_seconds), sized(fleet.search_threads)));
  add("Lease", QStringLiteral("%1 after the last heartbeat, one every %2; at most %3 deliveries")
                   .arg(seconds_with_unit(fleet.lease_seconds), seconds_with_unit(fleet.heartbeat_seconds),
                        sized(fleet.max_deliveries)));
  add("Kills", fleet.seconds_between_kills > 0
                   ? QStringLiteral("each worker on average %1 after its start; %2 until it has restarted")
                         .arg(style::format_duration(fleet.seconds_between_kills),
                              style::format_duration(fleet.restart_seconds))
                   : QStringLiteral("none, except in curves that say so: %1 until a worker has restarted")
                         .arg(style::format_duration(fleet.restart_seconds)));
  add("Seed", QString::number(fleet.seed));
  blocks.emplace_back(std::move(facts));
}

}  // namespace

Document fleet_report_document(const std::shared_ptr<const simulation::FleetScaling>& scaling) {
  Document document{QStringLiteral("A simulated fleet"),
                    QStringLiteral("up to %1 workers, with the costs of %2")
                        .arg(sized(scaling->for_each_worker.points.empty()
                                       ? scaling->asked.fleet.workers
                                       : scaling->for_each_worker.points.back().fleet.workers),
                             report_string(scaling->recording)),
                    {}};
  append_fleet_answer(document.blocks, *scaling);
  append_figures(document.blocks, {}, figures::ReportPart::Fleet, {.fleet = scaling},
                 figures::uncontrolled_job());
  append_fleet_setup(document.blocks, *scaling);
  document.blocks.emplace_back(Heading{2, QStringLiteral("Parameters and results")});
  for (const simulation::FleetCurve& curve : scaling->by_workers) append_fleet_table(document.blocks, curve);
  append_fleet_table(document.blocks, scaling->for_each_worker);
  for (const simulation::FleetCurve& curve : scaling->by_batch) append_fleet_table(document.blocks, curve);
  return document;
}

}  // namespace kernelscape::report
