#include "ui/views/fleet/fleet_text.h"

#include <algorithm>

#include "core/base/media/shell_script.h"
#include "core/fleet/target.h"
#include "ui/style/numbers.h"
#include "ui/views/fleet/fleet_view.h"

namespace kernelscape::views {
namespace {

constexpr double nearly_full = 0.9;
constexpr qsizetype max_reported_letters = 5;

std::int64_t sum_of(const fleet::State& state, std::int64_t fleet::Queue::* count) {
  std::int64_t sum = 0;
  for (const fleet::Queue& queue : state.queues) sum += queue.*count;
  return sum;
}

QString workers_text(std::ptrdiff_t serving, std::ptrdiff_t all) {
  if (serving != all)
    return FleetView::tr("%1 of %2 workers serve")
        .arg(style::format_count(serving), style::format_count(all));
  return all == 1 ? FleetView::tr("1 worker") : FleetView::tr("%1 workers").arg(style::format_count(all));
}

QString memory_text(const fleet::State& state) {
  if (state.used_bytes <= 0) return {};
  const QString used = style::format_bytes(static_cast<double>(state.used_bytes));
  if (state.max_bytes <= 0) return FleetView::tr("Redis: %1, no limit").arg(used);
  return FleetView::tr("Redis: %1 of %2")
      .arg(used, style::format_bytes(static_cast<double>(state.max_bytes)));
}

QStringList warnings_of(const fleet::State& state) {
  QStringList warnings;
  const auto used = static_cast<double>(state.used_bytes);
  if (state.max_bytes > 0 && used > nearly_full * static_cast<double>(state.max_bytes))
    warnings.append(FleetView::tr("Redis is nearly full: raise its maxmemory, or sessions stop."));
  if (state.dead.size() == 1) warnings.append(FleetView::tr("1 task was given up."));
  if (state.dead.size() > 1)
    warnings.append(
        FleetView::tr("%1 tasks were given up.").arg(style::format_count(std::ssize(state.dead))));
  return warnings;
}

}  // namespace

figures::HeadlineText fleet_headline(const fleet::State& state, const QString& age) {
  const auto classes = std::ssize(state.classes());
  QStringList reasons;
  for (const fleet::DeadLetter& letter : state.dead)
    if (reasons.size() < max_reported_letters) reasons.append(QString::fromStdString(letter.reason));
  return {
      .what = QString::fromStdString(state.address),
      .state = age,
      .speed = workers_text(std::ranges::count_if(state.workers, &fleet::WorkerState::serves),
                            std::ssize(state.workers)),
      .spread = classes == 1 ? FleetView::tr("1 class")
                             : FleetView::tr("%1 classes").arg(style::format_count(classes)),
      .comparisons =
          {FleetView::tr("tasks waiting: %1").arg(style::format_count(sum_of(state, &fleet::Queue::waiting))),
           FleetView::tr("in flight: %1").arg(style::format_count(sum_of(state, &fleet::Queue::in_hand)))},
      .trust = memory_text(state),
      .warning = warnings_of(state).join(QLatin1Char(' ')),
      .warning_tip = reasons.join(QLatin1Char('\n'))};
}

QString join_command(const workspace::FleetPlace& place) {
  std::string command = "kernelscape-worker --join " + base::ShellScript::escaped(place.address);
  if (!place.password_file.empty())
    command += " --password-file " + base::ShellScript::escaped(place.password_file);
  return QString::fromStdString(command);
}

QString fleet_target(const fleet::State& state, const std::string& device_class) {
  return QString::fromStdString(std::string(fleet::fleet_target_prefix) + state.address + '#' + device_class);
}

std::ptrdiff_t serving_workers(const fleet::State& state, const std::string& device_class) {
  return std::ranges::count_if(state.workers, [&](const fleet::WorkerState& worker) {
    return worker.serves() && !worker.identity.devices.empty() &&
           worker.identity.devices.front().id == device_class;
  });
}

}  // namespace kernelscape::views
