#include "core/fleet/confirmation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "core/fleet/keys.h"
#include "core/fleet/request.h"
#include "core/measure/confirmation_rounds.h"
#include "core/measure/slow_phase_wait.h"

namespace kernelscape::fleet {
namespace {

constexpr int max_rounds = 5;  // each round goes through Redis
constexpr std::chrono::milliseconds collect_patience{100};
constexpr double max_library_seconds = 60;  ///< for the vendor's library in one round, without another limit

/** Returns the options of one round, whose samples are never cut short. */
trial::MeasureOptions options_of_a_round(trial::MeasureOptions options, int rounds) {
  options.repeats = std::max(1, (options.repeats + rounds - 1) / rounds);
  options.give_up_factor = 0;
  options.adaptive_batch = 0;
  return options;
}

/** Returns what the first run says of a configuration; use_rounds() adds the samples of all rounds. */
trial::Measurement without_samples(trial::Measurement run) {
  run.run_seconds = 0;
  run.preempted_samples = 0;
  run.worst_error = 0;
  run.samples_seconds.clear();
  return run;
}

/** Runs the rounds of a confirmation. */
class FleetRounds {
 public:
  using Library = std::function<Result<trial::VendorResult>()>;

  /** @param library measures the vendor's library once */
  FleetRounds(measure::Measurer& measurer, std::span<const space::Configuration> configurations,
              Library library, const std::function<bool()>& stop, double max_seconds,
              const trial::WorkerUsualTimes& usual)
      : measurer_(measurer), configurations_(configurations), library_(std::move(library)), stop_(stop) {
    result_.configurations.resize(configurations.size());
    if (max_seconds > 0) deadline_ = measure::deadline_after(max_seconds);
    for (const auto& [name, seconds] : usual) tracks_.set_usual(number_of(name), seconds);
  }

  Result<measure::Confirmations> measure(int rounds) {
    for (int round = 0; round < rounds && !ends(); ++round) TRY(measure_round());
    result_.interrupted = stop_();
    result_.out_of_time = !result_.interrupted && result_.rounds < rounds;
    measure::use_rounds(rounds_, measure::speeds_of(tracks_), result_);
    return std::move(result_);
  }

 private:
  bool ends() const { return stop_() || (deadline_ && std::chrono::steady_clock::now() >= *deadline_); }

  std::uint16_t number_of(const std::string& worker) {
    return workers_.try_emplace(worker, static_cast<std::uint16_t>(workers_.size() + 1)).first->second;
  }

  Status measure_round() {
    std::vector<std::size_t> places;
    std::vector<space::Configuration> batch;
    for (std::size_t i = 0; i < configurations_.size(); ++i) {
      if (!rounds_.empty() && !result_.configurations[i].valid()) continue;
      places.push_back(i);
      batch.push_back(configurations_[i]);
    }
    rounds_.push_back({.first_row = tracks_.rows(), .end_row = tracks_.rows()});
    TRY(measurer_.submit(batch));
    std::size_t left = batch.size();
    while (left > 0 && !ends()) {
      for (measure::Completed& done : TRY(measurer_.collect(collect_patience))) {
        take(places[done.position], std::move(done.measurement));
        --left;
      }
      const measure::BusyTimes busy = measurer_.take_busy_times();
      result_.busy.run_seconds += busy.run_seconds;
      result_.busy.build_seconds += busy.build_seconds;
    }
    if (left == 0) return end_round();
    measurer_.abort();
    return {};
  }

  void take(std::size_t place, trial::Measurement run) {
    measure::ConfirmationRound& round = rounds_.back();
    trial::Measurement& result = result_.configurations[place];
    tracks_.add(measure::speed_reading(run, tracks_.rows()), number_of(run.worker));
    round.end_row = tracks_.rows();
    if (rounds_.size() == 1) {
      result = without_samples(run);
    } else if (!run.valid()) {
      result.category = run.category;
      result.message = run.message;
    }
    round.samples.emplace_back(place, std::move(run));
  }

  /** Measures the vendor's library beside the round's kernels. */
  Status end_round() {
    measure::ConfirmationRound& round = rounds_.back();
    if (!library_ended_) {
      trial::VendorResult vendor = TRY(library_());
      library_ended_ = !vendor.reason.empty();
      // Workers choose their fastest library themselves: samples of different ones are not mixed.
      const bool is_other = result_.vendor.available() && vendor.available() &&
                            trial::vendor_title(vendor) != trial::vendor_title(result_.vendor);
      if (is_other)
        result_.other_vendor = trial::vendor_title(vendor);
      else
        round.vendor_seconds = vendor.samples_seconds;
      // A later round without a result leaves that of the rounds before it.
      if (result_.rounds == 0 || (!library_ended_ && !is_other)) result_.vendor = std::move(vendor);
    }
    round.complete = true;
    ++result_.rounds;
    return {};
  }

  measure::Measurer& measurer_;
  std::span<const space::Configuration> configurations_;
  Library library_;
  std::function<bool()> stop_;
  std::optional<measure::Deadline> deadline_;
  std::map<std::string, std::uint16_t> workers_;
  trial::WorkerTracks tracks_{{}, trial::KernelBound::Unknown};
  std::vector<measure::ConfirmationRound> rounds_;
  bool library_ended_ = false;  ///< a round of the vendor's library had no result: it is not measured again
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
                                                const std::function<bool()>& stop, double max_seconds,
                                                const trial::WorkerUsualTimes& usual) {
  const auto start = std::chrono::steady_clock::now();
  const int rounds = std::clamp(options.repeats, 1, max_rounds);
  const trial::MeasureOptions round_options = options_of_a_round(options, rounds);
  Measuring again = measuring;
  again.reuse_builds = true;
  const task::Task task = family->task();
  const auto measurer = TRY(make_fleet_measurer(std::move(family), std::move(again), round_options));
  const auto library = [&] {
    const double left = max_seconds > 0 ? max_seconds - measure::seconds_since(start) : max_library_seconds;
    return measure_fleet_baseline(task, measuring, round_options, stop, std::max(left, 1.0));
  };
  return FleetRounds(*measurer, configurations, library, stop, max_seconds, usual).measure(rounds);
}

}  // namespace kernelscape::fleet
