#include "core/measure/confirmation.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "core/measure/builder_pool.h"
#include "core/measure/busy_meter.h"
#include "core/measure/program_reference.h"
#include "core/measure/runner.h"

namespace kernelscape {
namespace {

// Each round starts a process for every configuration: 500 rounds would take longer than the timed calls.
constexpr int max_rounds = 20;

/** Returns the options of a round: one sample, never ended early. */
MeasureOptions options_of_a_round(MeasureOptions options) {
  options.repeats = 1;
  options.give_up_factor = 0;
  options.adaptive_batch = 0;
  return options;
}

void fail_measurement(Measurement& measurement, ErrorCategory category, std::string message) {
  measurement.category = category;
  measurement.message = std::move(message);
  measurement.samples_seconds.clear();
}

VendorResult vendor_not_timed() {
  VendorResult vendor;
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
  Confirmer(const KernelFamily& family, const TargetDescription& target, const MeasureOptions& options,
            std::span<const Configuration> configurations, const std::function<bool()>& stop,
            double max_seconds)
      : family_(family),
        target_(target),
        round_options_(options_of_a_round(options)),
        configurations_(configurations),
        stop_(stop),
        interruption_{.descriptor = -1, .requested = [this] { return stopped() || out_of_time(); }},
        pool_(target, options),
        runner_(family.task(), target, options),
        vendor_runner_(family.task(), target, options),
        sources_(configurations.size()),
        artefacts_(configurations.size()) {
    result_.configurations.resize(configurations.size());
    if (max_seconds > 0) deadline_ = deadline_after(max_seconds);
  }

  Result<Confirmations> measure(int samples) {
    const bool whole = TRY(prepare()) && TRY(build()) && TRY(measure_rounds(samples));
    result_.interrupted = !whole && stopped();
    result_.out_of_time = !whole && !result_.interrupted;
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
    jobs.source = [this](std::size_t i) -> std::optional<KernelSource> {
      auto source = family_.source(configurations_[i]);
      if (!source) {
        fail_measurement(result_.configurations[i], ErrorCategory::InstantiationError,
                         describe(source.error()));
        return std::nullopt;
      }
      sources_[i] = *source;
      return std::move(*source);
    };
    jobs.done = [this](std::size_t i, BuildOutcome outcome) {
      Measurement& measurement = result_.configurations[i];
      measurement.build_seconds = outcome.build_seconds;
      artefacts_[i] = std::move(outcome.artefact);
      if (!outcome.entry.empty()) sources_[i].entry = std::move(outcome.entry);
      if (outcome.category != ErrorCategory::NoError) {
        fail_measurement(measurement, outcome.category, std::move(outcome.message));
      }
    };
    return pool_.build(jobs, interruption_);
  }

  /** Measures the rounds; returns false if it was interrupted. */
  Result<bool> measure_rounds(int samples) {
    const BusyMeter::Scope running(meter_, BusyMeter::Activity::Running);
    const int rounds = std::min(samples, max_rounds);
    for (int round = 0; round < rounds; ++round) {
      round_options_.repeats = samples / rounds + (round < samples % rounds ? 1 : 0);
      auto measured = measure_round(round);
      if (!measured || !*measured) return measured;
      ++result_.rounds;
    }
    return true;
  }

  Result<bool> measure_round(int round) {
    for (std::size_t i = 0; i < configurations_.size(); ++i) {
      if (!result_.configurations[i].valid()) continue;
      auto sample = TRY(runner_.run(sources_[i], artefacts_[i], round_options_, 0, interruption_));
      if (!sample) return false;
      merge(result_.configurations[i], *sample);
    }
    return measure_vendor(round);
  }

  static void merge(Measurement& all, Measurement& sample) {
    all.run_seconds += sample.run_seconds;
    all.preempted_samples += sample.preempted_samples;
    all.worst_error = std::max(all.worst_error, sample.worst_error);
    all.samples_seconds.insert(all.samples_seconds.end(), sample.samples_seconds.begin(),
                               sample.samples_seconds.end());
    if (!sample.valid()) fail_measurement(all, sample.category, std::move(sample.message));
  }

  Result<bool> measure_vendor(int round) {
    if (round > 0 && !result_.vendor.reason.empty()) return true;
    if (family_.data() != nullptr) {
      result_.vendor = no_vendor_of_program();
      return true;
    }
    auto sample = vendor_runner_.run(round_options_, interruption_);
    if (interruption_.now()) return false;
    if (!sample) return std::unexpected(sample.error());
    std::vector<double> samples = std::move(result_.vendor.samples_seconds);
    samples.insert(samples.end(), sample->samples_seconds.begin(), sample->samples_seconds.end());
    result_.vendor = std::move(*sample);
    result_.vendor.samples_seconds = std::move(samples);
    return true;
  }

  const KernelFamily& family_;
  const TargetDescription& target_;
  MeasureOptions round_options_;
  std::span<const Configuration> configurations_;
  std::function<bool()> stop_;
  std::optional<Deadline> deadline_;
  Interruption interruption_;
  BuilderPool pool_;
  Runner runner_;
  VendorRunner vendor_runner_;
  std::vector<KernelSource> sources_;
  std::vector<std::string> artefacts_;
  BusyMeter meter_;
  Confirmations result_;
};

}  // namespace

Result<Confirmations> measure_interleaved(const KernelFamily& family, const TargetDescription& target,
                                          const MeasureOptions& options,
                                          std::span<const Configuration> configurations, int samples,
                                          const std::function<bool()>& stop, double max_seconds) {
  TRY(check_measure_options(options));
  if (options.build_only) return nothing_to_confirm(configurations.size());
  return Confirmer(family, target, options, configurations, stop, max_seconds).measure(samples);
}

VendorResult no_vendor_of_program() {
  VendorResult vendor;
  vendor.reason = "no vendor's library is known for a kernel of your own";
  return vendor;
}

Result<VendorResult> measure_vendor_baseline(const Task& task, const TargetDescription& target,
                                             const MeasureOptions& options,
                                             const std::function<bool()>& stop) {
  TRY(check_measure_options(options));
  if (options.build_only) return vendor_not_timed();
  MeasureOptions all_repeats = options;
  all_repeats.give_up_factor = 0;
  return VendorRunner(task, target, options).run(all_repeats, {.descriptor = -1, .requested = stop});
}

}  // namespace kernelscape
