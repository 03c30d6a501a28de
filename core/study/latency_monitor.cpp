#include "core/study/latency_monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "core/base/memory.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/measure/interruption.h"
#include "core/task/catalogue.h"

namespace kernelscape::study {
namespace {

constexpr int max_latency_failures = 3;  // in a row, before the model is not measured again in this run

std::vector<std::size_t> differing_layers(const std::vector<KernelOfTrial>& now,
                                          const std::vector<KernelOfTrial>& before) {
  std::vector<std::size_t> layers;
  for (std::size_t layer = 0; layer < now.size(); ++layer)
    if (now[layer] != (layer < before.size() ? before[layer] : KernelOfTrial{})) layers.push_back(layer);
  return layers;
}

/** Returns true if a measurement is longer than another one by more than their usual spread. */
bool is_longer(const LatencyTimes& one, const LatencyTimes& other) {
  return one.first_quartile > other.third_quartile;
}

}  // namespace

void LatencyMonitor::after_round(store::Store& store, const RoundState& state, const RoundEvents& events) {
  if (failures_ >= max_latency_failures || stop_.level() > 0 || state.kernels == seen_) return;
  Status done = base::guarded("the latency of the whole model", [&]() -> Status {
    TRY(load(store));
    const bool affordable = series_.cost_seconds + expected_seconds() <= limits_.share * state.tuning_seconds;
    if (affordable) return measure_changes(store, state, events);
    skip(events);
    return {};
  });
  if (loaded_) {
    const Status saved =
        store.studies().save_measure(id_, latency_series_kind, latency_series_to_json(series_));
    if (done && !saved) done = saved;
  }
  if (stop_.level() > 0) return;
  failures_ = done ? 0 : failures_ + 1;
  if (done) return;
  seen_ = state.kernels;
  events.note(fmt::format("the latency of the whole model was not measured after this round: {}{}",
                          describe(done.error()),
                          failures_ == max_latency_failures ? "; it is measured again at the end" : ""));
}

Status LatencyMonitor::load(const store::Store& store) {
  if (loaded_) return {};
  series_ = TRY(stored_latency_series(store, id_));
  const task::Catalogue catalogue = TRY(task::Catalogue::load_default());
  layer_tasks_.clear();
  for (const Task& task : study_.tasks) layer_tasks_.push_back(TRY(catalogue.find(task.task)).text);
  loaded_ = true;
  return {};
}

double LatencyMonitor::expected_seconds() const {
  return last_seconds_ > 0 ? last_seconds_
                           : limits_.first_seconds_per_layer * static_cast<double>(study_.tasks.size());
}

void LatencyMonitor::skip(const RoundEvents& events) {
  ++series_.skipped;
  if (skip_reported_) return;
  skip_reported_ = true;
  events.note(
      fmt::format("the latency of the whole model was not measured after this round: a measurement takes "
                  "about {}, and all "
                  "of them may take {} of the tuning time. It is measured after a later round",
                  base::clock_text(expected_seconds()), base::percent_text(limits_.share)));
}

Result<LatencyMonitor::Attempt> LatencyMonitor::read_kernels(const store::Store& store) const {
  std::vector<std::string> notices;  // of what exports say, too
  Attempt attempt;
  attempt.kernels = TRY(model_kernels(store, id_, notices));
  attempt.by_layer.resize(study_.tasks.size());
  for (const exchange::ExportedKernel& kernel : attempt.kernels)
    if (const std::optional<std::size_t> layer = layer_of(kernel.measured.task.text))
      attempt.by_layer[*layer] = {kernel.measured.provenance.session, kernel.measured.provenance.trial};
  attempt.changed = differing_layers(attempt.by_layer, series_.in_place);
  return attempt;
}

Status LatencyMonitor::measure_changes(store::Store& store, const RoundState& state,
                                       const RoundEvents& events) {
  seen_ = state.kernels;
  auto begun = std::chrono::steady_clock::now();
  const Attempt attempt = TRY(read_kernels(store));
  if (attempt.changed.empty()) return {};
  TRY(open());
  series_.cost_seconds += measure::seconds_since(begun);
  const measure::DeviceLease lease = TRY(lease_device(
      model_->target,
      fmt::format("the latency of {}", std::filesystem::path(study_.model_source->file).filename().string()),
      stop_, events.device));
  // Waiting for the device is no cost.
  begun = std::chrono::steady_clock::now();
  const Status done = measure_kernels(attempt, state, events);
  last_seconds_ = measure::seconds_since(begun);
  series_.cost_seconds += last_seconds_;
  return done;
}

Status LatencyMonitor::measure_kernels(const Attempt& attempt, const RoundState& state,
                                       const RoundEvents& events) {
  std::vector<std::string> step_tasks;
  const BuiltModel built = TRY(build(attempt, step_tasks));
  ModelBench bench = TRY(builder_->bench(built, limits_.bench_seconds));
  const bool slower = TRY(is_slower(built, bench));
  LatencyPoint point = point_of(state, bench, step_tasks);
  point.changed = attempt.changed;
  const std::optional<std::size_t> held = slower ? layer_to_hold_back(series_, point) : std::nullopt;
  point.slower = held.has_value();
  if (held) {
    hold_back(*held, attempt, point, events);
    builder_->discard(built);
  } else {
    if (in_place_ && in_place_->bench != built.bench) builder_->discard(*in_place_);
    in_place_ = built;
    in_place_times_ = bench.times;
    series_.in_place = attempt.by_layer;
  }
  series_.points.push_back(point);
  events.measured(point);
  return {};
}

Status LatencyMonitor::open() {
  if (model_) return {};
  ModelExport wanted{
      .model = study_.model_source->file, .dimensions = dimensions_of(*study_.model_source), .folder = {}};
  wanted.proceed = [this](ModelExportStep) { return stop_.level() == 0; };
  model_ = TRY(open_model(wanted));
  return {};
}

Result<BuiltModel> LatencyMonitor::build(const Attempt& attempt, std::vector<std::string>& step_tasks) {
  PlannedModel planned = TRY(plan_library(*model_, attempt.kernels));
  if (!builder_) {
    folder_ = TRY(base::TemporaryFolder::make("latency"));
    builder_.emplace(folder_->path(), model_->target.compiler, model_threads(attempt.kernels, model_->target),
                     stop_);
  }
  BuiltModel built = TRY(builder_->build(planned.library));
  step_tasks = std::move(planned.library.step_tasks);
  if (const Status checked = builder_->check(built); !checked) {
    if (!in_place_ || in_place_->bench != built.bench) builder_->discard(built);
    return std::unexpected(checked.error());
  }
  return built;
}

Result<bool> LatencyMonitor::is_slower(const BuiltModel& built, ModelBench& bench) {
  if (!in_place_ || in_place_->bench == built.bench || !is_longer(bench.times, in_place_times_)) return false;
  // The machine may have become slower since: both are measured again, one after the other.
  in_place_times_ = TRY(builder_->bench(*in_place_, limits_.bench_seconds)).times;
  bench = TRY(builder_->bench(built, limits_.bench_seconds));
  return is_longer(bench.times, in_place_times_);
}

LatencyPoint LatencyMonitor::point_of(const RoundState& state, const ModelBench& bench,
                                      const std::vector<std::string>& step_tasks) const {
  LatencyPoint point{.measured_utc = base::utc_now(),
                     .elapsed_seconds = state.tuning_seconds,
                     .trials = state.trials,
                     .rounds = state.rounds,
                     .times = bench.times,
                     .parts = bench.parts,
                     .layer_seconds = std::vector<double>(layer_tasks_.size(), 0),
                     .layer_weights = std::vector<double>(layer_tasks_.size(), 0)};
  for (std::size_t step = 0; step < std::min(step_tasks.size(), bench.step_seconds.size()); ++step)
    if (const std::optional<std::size_t> layer = layer_of(step_tasks[step]))
      point.layer_seconds[*layer] += bench.step_seconds[step];
  for (std::size_t layer = 0; layer < std::min(layer_tasks_.size(), state.kernel_seconds.size()); ++layer)
    if (state.kernel_seconds[layer] > 0)
      point.layer_weights[layer] = point.layer_seconds[layer] / state.kernel_seconds[layer];
  return point;
}

void LatencyMonitor::hold_back(std::size_t layer, const Attempt& attempt, const LatencyPoint& point,
                               const RoundEvents& events) {
  series_.held_back.push_back({attempt.by_layer[layer], series_.in_place[layer]});
  if (attempt.changed.size() > 1) seen_.clear();  // the others are tried again
  events.note(fmt::format(
      "the new kernel of {} is faster alone, but makes the whole model slower ({} instead of {}): the model "
      "keeps the kernel that it had",
      layer_tasks_[layer], base::quantity_text(point.times.median, "s"),
      base::quantity_text(in_place_times_.median, "s")));
}

std::optional<std::size_t> LatencyMonitor::layer_of(const std::string& task) const {
  const auto found = std::ranges::find(layer_tasks_, task);
  if (task.empty() || found == layer_tasks_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - layer_tasks_.begin());
}

}  // namespace kernelscape::study
