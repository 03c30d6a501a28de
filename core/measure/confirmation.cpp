#include "core/measure/confirmation.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "core/measure/builder_pool.h"
#include "core/measure/busy_meter.h"
#include "core/measure/confirmation_rounds.h"
#include "core/measure/one_sample.h"
#include "core/measure/program_reference.h"
#include "core/measure/runner.h"
#include "core/measure/slow_phase_wait.h"
#include "core/measure/vendor_runner.h"
#include "core/measure/waiting_machine.h"

namespace kernelscape::measure {
namespace {

/** Number of rounds beside which the machine's limits are measured. */
constexpr int max_limits = 3;

void fail_measurement(trial::Measurement& measurement, trial::ErrorCategory category, std::string message) {
  measurement.category = category;
  measurement.message = std::move(message);
  measurement.samples_seconds.clear();
}

trial::VendorResult vendor_not_timed() {
  trial::VendorResult vendor;
  vendor.reason = "kernels are built only: nothing is timed";
  return vendor;
}

Confirmations nothing_to_confirm(std::size_t configurations) {
  Confirmations nothing;
  nothing.configurations.resize(configurations);
  nothing.vendor = vendor_not_timed();
  return nothing;
}

class Confirmer {
 public:
  Confirmer(const kernel::Family& family, const schedule::TargetDescription& target,
            const trial::MeasureOptions& options, std::span<const space::Configuration> configurations,
            const std::function<bool()>& stop, double max_seconds, const ConfirmationMachine& machine)
      : family_(family),
        target_(target),
        round_options_(options_of_one_sample(options)),
        configurations_(configurations),
        stop_(stop),
        interruption_{.descriptor = -1, .requested = [this] { return stopped() || out_of_time(); }},
        pool_(target, options),
        runner_(family.task(), target, options),
        vendor_runner_(family.task(), target, options),
        sources_(configurations.size()),
        artefacts_(configurations.size()),
        limits_(machine.limits),
        loaded_(machine.loaded),
        with_vendor_(machine.with_vendor),
        slow_phase_(options.slow_phase_patience_seconds, shared_slow_phase_account(target.name)) {
    slow_phase_.set_usual(machine.usual);
    result_.configurations.resize(configurations.size());
    if (max_seconds > 0) deadline_ = deadline_after(max_seconds);
  }

  Result<Confirmations> measure(int samples) {
    const bool whole = TRY(prepare()) && TRY(build()) && TRY(choose_vendor()) && TRY(measure_rounds(samples));
    result_.interrupted = !whole && stopped();
    result_.out_of_time = !whole && !result_.interrupted;
    use_rounds(rounds_, speeds_of(slow_phase_.track()), result_);
    result_.busy = meter_.take();
    return std::move(result_);
  }

 private:
  bool stopped() const { return stop_ && stop_(); }
  bool out_of_time() const { return deadline_ && std::chrono::steady_clock::now() >= *deadline_; }

  Result<bool> prepare() {
    const BusyMeter::Scope building(meter_, BusyMeter::Activity::Building);
    return prepare_program(family_, target_, round_options_, pool_, runner_, interruption_);
  }

  Result<bool> build() {
    const BusyMeter::Scope building(meter_, BusyMeter::Activity::Building);
    BuildJobs jobs{.count = configurations_.size(), .source = {}, .done = {}};
    jobs.source = [this](std::size_t i) -> std::optional<codegen::KernelSource> {
      auto source = family_.source(configurations_[i]);
      if (!source) {
        fail_measurement(result_.configurations[i], trial::ErrorCategory::InstantiationError,
                         describe(source.error()));
        return std::nullopt;
      }
      sources_[i] = *source;
      return std::move(*source);
    };
    jobs.done = [this](std::size_t i, BuildOutcome outcome) {
      trial::Measurement& measurement = result_.configurations[i];
      measurement.build_seconds = outcome.build_seconds;
      artefacts_[i] = std::move(outcome.artefact);
      if (!outcome.entry.empty()) sources_[i].entry = std::move(outcome.entry);
      if (outcome.category != trial::ErrorCategory::NoError) {
        fail_measurement(measurement, outcome.category, std::move(outcome.message));
      }
    };
    return pool_.build(jobs, interruption_);
  }

  /** Chooses the vendor's library, which has a time limit of its own; returns false if the user stopped it.
   */
  Result<bool> choose_vendor() {
    if (family_.data() != nullptr || !with_vendor_) return true;
    const BusyMeter::Scope running(meter_, BusyMeter::Activity::Running);
    const auto begin = std::chrono::steady_clock::now();
    const Status chosen =
        vendor_runner_.choose(round_options_, {.descriptor = -1, .requested = [this] { return stopped(); }});
    if (deadline_) *deadline_ += std::chrono::steady_clock::now() - begin;
    if (stopped()) return false;
    if (!chosen) return std::unexpected(chosen.error());
    return true;
  }

  /** Measures the rounds; returns false if it was interrupted. */
  Result<bool> measure_rounds(int samples) {
    const int rounds = std::min(samples, max_confirmation_rounds);
    const int limits_interval = (rounds + max_limits - 1) / max_limits;
    for (int round = 0; round < rounds; ++round) {
      round_options_.repeats = samples / rounds + (round < samples % rounds ? 1 : 0);
      if (!TRY(wait_before_round(slow_phase_, runner_, meter_, stop_, deadline_))) return false;
      const BusyMeter::Scope running(meter_, BusyMeter::Activity::Running);
      rounds_.push_back({.first_row = slow_phase_.track().rows()});
      auto measured = measure_round(round);
      rounds_.back().end_row = slow_phase_.track().rows();
      if (!measured || !*measured) return measured;
      if (round % limits_interval == 0) look_at_machine();
      rounds_.back().complete = true;
      ++result_.rounds;
    }
    return true;
  }

  /** Between two rounds the processors belong to other programs. */
  void look_at_machine() {
    if (limits_) rounds_.back().limits = limits_();
    if (loaded_) result_.loaded = loaded_() || result_.loaded;
  }

  Result<bool> measure_round(int round) {
    for (std::size_t i = 0; i < configurations_.size(); ++i) {
      if (!result_.configurations[i].valid()) continue;
      auto sample = TRY(runner_.run(sources_[i], artefacts_[i], round_options_, 0, interruption_));
      if (!sample) return false;
      slow_phase_.add(*sample);
      if (!sample->valid())
        fail_measurement(result_.configurations[i], sample->category, std::move(sample->message));
      rounds_.back().samples.push_back({i, std::move(*sample)});
    }
    return measure_vendor(round);
  }

  Result<bool> measure_vendor(int round) {
    if (!with_vendor_ || (round > 0 && !result_.vendor.reason.empty())) return true;
    if (family_.data() != nullptr) {
      result_.vendor = no_vendor_of_program();
      return true;
    }
    auto sample = vendor_runner_.run(round_options_, interruption_);
    if (interruption_.now()) return false;
    if (!sample) return std::unexpected(sample.error());
    rounds_.back().vendor_seconds = std::move(sample->samples_seconds);
    result_.vendor = std::move(*sample);
    return true;
  }

  const kernel::Family& family_;
  const schedule::TargetDescription& target_;
  trial::MeasureOptions round_options_;
  std::span<const space::Configuration> configurations_;
  std::function<bool()> stop_;
  std::optional<Deadline> deadline_;
  Interruption interruption_;
  BuilderPool pool_;
  Runner runner_;
  VendorRunner vendor_runner_;
  std::vector<codegen::KernelSource> sources_;
  std::vector<std::string> artefacts_;
  std::function<trial::MachineLimits()> limits_;
  std::function<bool()> loaded_;
  bool with_vendor_;
  SlowPhaseWait slow_phase_;
  std::vector<ConfirmationRound> rounds_;
  BusyMeter meter_;
  Confirmations result_;
};

}  // namespace

Result<Confirmations> measure_interleaved(const kernel::Family& family,
                                          const schedule::TargetDescription& target,
                                          const trial::MeasureOptions& options,
                                          std::span<const space::Configuration> configurations, int samples,
                                          const std::function<bool()>& stop, double max_seconds,
                                          const ConfirmationMachine& machine) {
  TRY(trial::check_measure_options(options));
  if (options.build_only) return nothing_to_confirm(configurations.size());
  return Confirmer(family, target, options, configurations, stop, max_seconds, machine).measure(samples);
}

trial::VendorResult no_vendor_of_program() {
  trial::VendorResult vendor;
  vendor.reason = "no vendor's library is known for a kernel of your own";
  return vendor;
}

Result<trial::VendorResult> measure_vendor_baseline(const task::Task& task,
                                                    const schedule::TargetDescription& target,
                                                    const trial::MeasureOptions& options,
                                                    const std::function<bool()>& stop) {
  TRY(trial::check_measure_options(options));
  if (options.build_only) return vendor_not_timed();
  trial::MeasureOptions all_repeats = options;
  all_repeats.give_up_factor = 0;
  return VendorRunner(task, target, options).run(all_repeats, {.descriptor = -1, .requested = stop});
}

}  // namespace kernelscape::measure
