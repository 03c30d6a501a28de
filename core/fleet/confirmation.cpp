#include "core/fleet/confirmation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "core/fleet/keys.h"
#include "core/fleet/request.h"

namespace kernelscape::fleet {
namespace {

constexpr int max_rounds = 5;  // each round goes through Redis
constexpr std::chrono::milliseconds collect_patience{100};

/** Returns the options of one round, whose samples are never cut short. */
trial::MeasureOptions options_of_a_round(trial::MeasureOptions options, int rounds) {
  options.repeats = std::max(1, (options.repeats + rounds - 1) / rounds);
  options.give_up_factor = 0;
  options.adaptive_batch = 0;
  return options;
}

void merge(trial::Measurement& all, trial::Measurement round, bool first) {
  if (first) {
    all = std::move(round);
    return;
  }
  all.run_seconds += round.run_seconds;
  all.preempted_samples += round.preempted_samples;
  all.worst_error = std::max(all.worst_error, round.worst_error);
  all.samples_seconds.insert(all.samples_seconds.end(), round.samples_seconds.begin(),
                             round.samples_seconds.end());
  if (round.valid()) return;
  all.category = round.category;
  all.message = std::move(round.message);
  all.samples_seconds.clear();
}

/** Runs the rounds of a confirmation. */
class FleetRounds {
 public:
  FleetRounds(measure::Measurer& measurer, std::span<const space::Configuration> configurations,
              const std::function<bool()>& stop, double max_seconds)
      : measurer_(measurer), configurations_(configurations), stop_(stop) {
    result_.configurations.resize(configurations.size());
    if (max_seconds > 0) deadline_ = measure::deadline_after(max_seconds);
  }

  Result<measure::Confirmations> measure(int rounds) {
    for (int round = 0; round < rounds && !ends(); ++round) TRY(measure_round());
    result_.interrupted = stop_();
    result_.out_of_time = !result_.interrupted && result_.rounds < rounds;
    return std::move(result_);
  }

 private:
  bool ends() const { return stop_() || (deadline_ && std::chrono::steady_clock::now() >= *deadline_); }

  Status measure_round() {
    std::vector<std::size_t> places;
    std::vector<space::Configuration> batch;
    for (std::size_t i = 0; i < configurations_.size(); ++i) {
      if (result_.rounds > 0 && !result_.configurations[i].valid()) continue;
      places.push_back(i);
      batch.push_back(configurations_[i]);
    }
    TRY(measurer_.submit(batch));
    for (std::size_t left = batch.size(); left > 0 && !ends();) {
      for (measure::Completed& done : TRY(measurer_.collect(collect_patience))) {
        merge(result_.configurations[places[done.position]], std::move(done.measurement),
              result_.rounds == 0);
        --left;
      }
      const measure::BusyTimes busy = measurer_.take_busy_times();
      result_.busy.run_seconds += busy.run_seconds;
      result_.busy.build_seconds += busy.build_seconds;
      if (left == 0) ++result_.rounds;
    }
    if (ends()) measurer_.abort();
    return {};
  }

  measure::Measurer& measurer_;
  std::span<const space::Configuration> configurations_;
  std::function<bool()> stop_;
  std::optional<measure::Deadline> deadline_;
  measure::Confirmations result_;
};

}  // namespace

Result<trial::VendorResult> measure_fleet_baseline(const task::Task& task, const Measuring& measuring,
                                                   const trial::MeasureOptions& options,
                                                   const std::function<bool()>& stop, double max_seconds) {
  if (!task.op) return measure::no_vendor_of_program();
  trial::MeasureOptions all_repeats = options;
  all_repeats.give_up_factor = 0;
  const schedule::TargetDescription& target = measuring.device.target;
  const measure::BaselineRequest request{.task_json = task::task_to_json(task),
                                         .options = all_repeats,
                                         .threads = options.kernel_threads(schedule::host_cores(target)),
                                         .device = target.name};
  Task wanted{.kind = TaskKind::Baseline, .frame = frame_of(request)};
  Request question = TRY(Request::open(measuring, stop));
  const auto answer = TRY(question.ask(std::move(wanted), keys::run_stream(measuring.device.id), stop,
                                       measure::deadline_after(max_seconds)));
  if (answer && answer->kind == TaskEnding::Answer)
    return TRY(message_of<measure::BaselineReply>(answer->frame)).result;
  trial::VendorResult none;
  none.reason = stop() ? "it was stopped" : "no worker of the fleet had an answer in time";
  if (answer) none.reason = answer->message;
  return none;
}

Result<measure::Confirmations> confirm_on_fleet(std::shared_ptr<const kernel::Family> family,
                                                const Measuring& measuring,
                                                const trial::MeasureOptions& options,
                                                std::span<const space::Configuration> configurations,
                                                const std::function<bool()>& stop, double max_seconds) {
  const auto start = std::chrono::steady_clock::now();
  const int rounds = std::clamp(options.repeats, 1, max_rounds);
  Measuring again = measuring;
  again.reuse_builds = true;
  const task::Task task = family->task();
  const auto measurer =
      TRY(make_fleet_measurer(std::move(family), std::move(again), options_of_a_round(options, rounds)));
  measure::Confirmations confirmed =
      TRY(FleetRounds(*measurer, configurations, stop, max_seconds).measure(rounds));
  const double left = max_seconds > 0 ? max_seconds - measure::seconds_since(start) : 60.0;
  confirmed.vendor = TRY(measure_fleet_baseline(task, measuring, options, stop, std::max(left, 1.0)));
  return confirmed;
}

}  // namespace kernelscape::fleet
