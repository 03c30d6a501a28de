#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/measure/build_measurement.h"
#include "core/measure/busy_meter.h"
#include "core/measure/confirmation_rounds.h"
#include "core/measure/one_sample.h"
#include "core/measure/program/program_measurer.h"
#include "core/measure/program/program_runner.h"
#include "core/measure/slow_phase_wait.h"
#include "core/measure/waiting_machine.h"

namespace kernelscape::measure {
namespace {

/** Measures the configurations of a program in rounds. */
class ProgramConfirmer {
 public:
  ProgramConfirmer(const kernel::ProjectFamily& family, const schedule::TargetDescription& target,
                   const trial::MeasureOptions& options, std::span<const space::Configuration> configurations,
                   const std::function<bool()>& stop, double max_seconds, const ConfirmationMachine& machine)
      : family_(family),
        options_(options_of_one_sample(options)),
        configurations_(configurations),
        stop_(stop),
        interruption_{.descriptor = -1, .requested = [this] { return stopped() || out_of_time(); }},
        builds_(family.project(), options),
        runner_(family.project(), options.kernel_threads(schedule::host_cores(target))),
        commands_(configurations.size()),
        loaded_(machine.loaded),
        slow_phase_(options.slow_phase_patience_seconds, shared_slow_phase_account(target.name)) {
    slow_phase_.set_usual(machine.usual);
    result_.configurations.resize(configurations.size());
    result_.vendor = no_vendor_of_program();
    if (max_seconds > 0) deadline_ = deadline_after(max_seconds);
  }

  Result<Confirmations> measure(int rounds) {
    bool whole = TRY(build());
    for (int round = 0; whole && round < rounds; ++round)
      whole = TRY(wait_before_round(slow_phase_, runner_, meter_, stop_, deadline_)) && TRY(measure_round());
    result_.interrupted = !whole && stopped();
    result_.out_of_time = !whole && !result_.interrupted;
    use_rounds(rounds_, speeds_of(slow_phase_.track()), result_);
    result_.busy = meter_.take();
    return std::move(result_);
  }

 private:
  bool stopped() const { return stop_ && stop_(); }
  bool out_of_time() const { return deadline_ && std::chrono::steady_clock::now() >= *deadline_; }

  Result<bool> build() {
    const BusyMeter::Scope building(meter_, BusyMeter::Activity::Building);
    std::vector<project::StepCommands> steps;
    for (std::size_t i = 0; i < configurations_.size(); ++i) {
      auto commands = commands_of(family_, configurations_[i]);
      if (!commands) {
        result_.configurations[i] = instantiation_error(commands.error(), 0);
        continue;
      }
      commands_[i] = *std::move(commands);
      steps.push_back(commands_[i]->build);
    }
    return builds_.make(steps, interruption_);
  }

  Result<bool> measure_round() {
    const BusyMeter::Scope running(meter_, BusyMeter::Activity::Running);
    const bool first = rounds_.empty();
    if (!first) options_.warmups = 0;
    rounds_.push_back({.first_row = slow_phase_.track().rows()});
    auto measured = measure_samples(first);
    rounds_.back().end_row = slow_phase_.track().rows();
    if (!measured || !*measured) return measured;
    if (loaded_) result_.loaded = loaded_() || result_.loaded;
    rounds_.back().complete = true;
    ++result_.rounds;
    return true;
  }

  Result<bool> measure_samples(bool first) {
    for (std::size_t i = 0; i < configurations_.size(); ++i) {
      trial::Measurement& all = result_.configurations[i];
      if (!all.valid()) continue;
      const ProgramBuild& build = builds_.of(commands_[i]->build);
      std::optional<trial::Measurement> sample;
      if (build.failure) {
        sample.emplace();
        sample->category = build.failure->category;
        sample->message = build.failure->message;
      } else {
        sample = TRY(runner_.run(
            {.commands = *commands_[i], .build = build, .options = options_, .check = first}, interruption_));
        if (!sample) return false;
      }
      slow_phase_.add(*sample);
      if (!sample->valid()) {
        all.category = sample->category;
        all.message = sample->message;
      }
      rounds_.back().samples.emplace_back(i, *std::move(sample));
    }
    return true;
  }

  const kernel::ProjectFamily& family_;
  trial::MeasureOptions options_;
  std::span<const space::Configuration> configurations_;
  std::function<bool()> stop_;
  std::optional<Deadline> deadline_;
  Interruption interruption_;
  ProgramBuilds builds_;
  ProgramRunner runner_;
  std::vector<std::optional<ProgramCommands>> commands_;
  std::function<bool()> loaded_;
  SlowPhaseWait slow_phase_;
  std::vector<ConfirmationRound> rounds_;
  BusyMeter meter_;
  Confirmations result_;
};

}  // namespace

Result<Confirmations> measure_programs_interleaved(const kernel::ProjectFamily& family,
                                                   const schedule::TargetDescription& target,
                                                   const trial::MeasureOptions& options,
                                                   std::span<const space::Configuration> configurations,
                                                   int samples, const std::function<bool()>& stop,
                                                   double max_seconds, const ConfirmationMachine& machine) {
  TRY(trial::check_measure_options(options));
  return ProgramConfirmer(family, target, options, configurations, stop, max_seconds, machine)
      .measure(std::min(samples, max_confirmation_rounds));
}

}  // namespace kernelscape::measure
