#include "core/session/best.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/base/numbers.h"
#include "core/base/quantile.h"
#include "core/base/text.h"
#include "core/measure/cpu/machine_limits.h"
#include "core/schedule/template.h"

namespace kernelscape::session {
namespace {

constexpr double flops_per_gflop = 1e9;
constexpr std::string_view other_programs = "other programs used the machine";

/**
 * Returns the samples of the vendor's library that were interleaved with the best kernel; null if there are
 * none, or if they are of another library than the baselines'.
 */
const std::vector<double>* interleaved_vendor(const analysis::BestResult& best,
                                              std::span<const trial::Confirmation> confirmations,
                                              const trial::Baselines& baselines) {
  if (best.confirmed_utc.empty() || best.confirmed_utc < baselines.vendor_since_utc) return nullptr;
  const auto found = std::ranges::find_if(confirmations, [&](const trial::Confirmation& confirmation) {
    return confirmation.trial == -1 && confirmation.measured_utc == best.confirmed_utc &&
           !confirmation.samples_seconds.empty();
  });
  return found == confirmations.end() ? nullptr : &found->samples_seconds;
}

void compare_with_vendor(const analysis::BestResult& best, std::span<const trial::Confirmation> confirmations,
                         const trial::Baselines& baselines, BestComparisons& comparisons) {
  const trial::VendorResult& vendor = baselines.vendor;
  if (vendor.samples_seconds.empty()) return;
  const std::vector<double>* interleaved = interleaved_vendor(best, confirmations, baselines);
  const std::vector<double>& samples = interleaved != nullptr ? *interleaved : vendor.samples_seconds;
  comparisons.vendor_seconds = analysis::quartiles(samples);
  QuotedShare& share = comparisons.vendor;
  share.seconds = comparisons.vendor_seconds.median;
  if (share.seconds <= 0) return;
  share.of = trial::vendor_title(vendor);
  if (best.value.seconds <= 0) return;
  const double ratio = share.seconds / best.value.seconds;
  const bool loaded = best.kind == analysis::BestKind::ConfirmedLoaded;
  if (interleaved != nullptr && (loaded || best.kind == analysis::BestKind::ConfirmedSlow)) {
    const std::string disturbance = loaded
                                        ? std::string(other_programs)
                                        : "both ran at " + analysis::machine_share_text(best.machine_share);
    share.withheld = fmt::format("{} of {} while {}; measure the best again on a quiet machine",
                                 base::percent_text(ratio), share.of, disturbance);
  } else if (best.slow() || (best.speed_known && interleaved == nullptr)) {
    share.withheld = fmt::format(
        "not compared with {}, which was not measured in turns with it at the "
        "machine's usual speed; measure the best again",
        share.of);
  } else {
    share.share = ratio;
  }
}

/** Returns the limits with the peaks that were measured beside a confirmation. */
trial::MachineLimits with_peaks(trial::MachineLimits limits, const trial::ConfirmationSpeed& beside) {
  if (beside.peak_gflops > 0) limits.peak_gflops = beside.peak_gflops;
  if (beside.byte_peak_gflops > 0) limits.byte_peak_gflops = beside.byte_peak_gflops;
  return limits;
}

/** Returns why a share above 1 is not quoted: no kernel is faster than the machine. */
std::string exceeded_text(double share, const std::string& limit, bool of_peak) {
  return fmt::format(
      "not quoted as a share of the {}: the kernel is {} faster, so {}", limit, base::percent_text(share - 1),
      of_peak ? "the peak was measured while the machine was slower; measure the best again on "
                "a quiet machine"
              : "the bandwidth was measured while the machine was slower, or a nearer cache "
                "held the data");
}

/** Returns true if kernels of a template need fewer multiply-adds than the definition: Winograd's. */
bool needs_fewer_multiply_adds(const std::string& template_name) {
  const auto declaration = schedule::find_template(template_name, schedule::TargetKind::Cpu);
  return declaration && !(*declaration)->exact;
}

/** Sets `comparisons.fewer_multiply_adds` first. */
void compare_with_limit(const analysis::BestResult& best, const trial::Baselines& baselines,
                        const task::Task& task, BestComparisons& comparisons) {
  const trial::ConfirmationSpeed* beside =
      analysis::confirmation_speed(baselines.confirmation_speeds, best.confirmed_utc);
  const trial::MachineLimits limits =
      beside != nullptr ? with_peaks(baselines.limits, *beside) : baselines.limits;
  const measure::SpeedLimit limit = measure::speed_limit(limits, task);
  if (limit.gflops <= 0) return;
  const bool is_beside = beside != nullptr && limit.peak && beside->peak(*limit.peak) > 0;
  QuotedShare& share = comparisons.limit;
  comparisons.limit_gflops = limit.gflops;
  if (limit.peak && measure::needed_share(*task.op) < 1) comparisons.peak_gflops = limits.peak(*limit.peak);
  share.of = limit.name;
  share.seconds = task.flops() / (limit.gflops * flops_per_gflop);
  if (comparisons.fewer_multiply_adds) {
    share.of += " of direct convolution";
    share.withheld = fmt::format(
        "not compared with the {}: Winograd's algorithm needs fewer multiply-adds than "
        "the definition, by which speeds are counted",
        share.of);
    return;
  }
  if (best.value.seconds <= 0) return;
  if (best.slow() && !is_beside) {
    share.withheld = fmt::format(
        "not compared with the {}, which was measured at another speed of the machine", limit.name);
    return;
  }
  const double ratio = share.seconds / best.value.seconds;
  if (best.kind == analysis::BestKind::ConfirmedLoaded) {
    share.withheld =
        fmt::format("not compared with the {}: it was measured while {}", limit.name, other_programs);
    return;
  }
  if (ratio > 1) {
    share.withheld = exceeded_text(ratio, limit.name, limit.peak.has_value());
    return;
  }
  share.share = ratio;
  if (best.slow())
    share.remark = fmt::format("both at {}", analysis::machine_share_text(best.machine_share));
  else if (best.speed_known && !is_beside)
    share.remark = "measured at the session's start";
}

void compare_with_first_valid(const analysis::BestResult& best,
                              std::span<const trial::Confirmation> confirmations,
                              const trial::Baselines& baselines, BestComparisons& comparisons) {
  if (!baselines.first_valid || best.value.seconds <= 0) return;
  std::string latest;  // when the first valid configuration was measured
  for (const trial::Confirmation& confirmation : confirmations)
    latest = std::max(latest, confirmation.measured_utc);
  const trial::ConfirmationSpeed* speed = analysis::confirmation_speed(baselines.confirmation_speeds, latest);
  const bool was_slow = speed != nullptr && speed->slow;
  if ((best.slow() || was_slow) && latest != best.confirmed_utc) return;
  comparisons.speedup =
      analysis::quartiles(baselines.first_valid->samples_seconds).median / best.value.seconds;
}

}  // namespace

std::vector<std::string> vendor_details(const trial::VendorResult& vendor, double flops) {
  std::vector<std::string> timed;
  std::size_t max_samples = 0;
  std::vector<std::string> sentences;
  for (const trial::VendorCandidate& candidate : vendor.candidates) {
    const std::string title = trial::vendor_title(candidate.name, candidate.algorithm);
    if (candidate.available()) {
      const double seconds = base::quantile(candidate.samples_seconds, 0.5);
      max_samples = std::max(max_samples, candidate.samples_seconds.size());
      timed.push_back(fmt::format("{} {}", title, base::speed_text(flops, seconds)));
    } else {
      sentences.push_back(fmt::format("{} was left out: {}.", title, candidate.reason));
    }
  }
  if (timed.size() > 1)
    sentences.insert(sentences.begin(),
                     fmt::format("It is the fastest of {} that were timed {}: {}.", timed.size(),
                                 max_samples > 1 ? "in turns" : "once", base::join(timed, ", ")));
  if (vendor.algorithm == trial::winograd_algorithm) sentences.emplace_back(trial::winograd_remark);
  return sentences;
}

std::string QuotedShare::text() const {
  return remark.empty() ? "of " + of : fmt::format("of {} ({})", of, remark);
}

BestComparisons compare_best(const analysis::BestResult& best,
                             std::span<const trial::Confirmation> confirmations,
                             const trial::Baselines& baselines, const task::Task& task,
                             const std::string& template_name) {
  BestComparisons comparisons;
  comparisons.fewer_multiply_adds = needs_fewer_multiply_adds(template_name);
  compare_with_vendor(best, confirmations, baselines, comparisons);
  compare_with_limit(best, baselines, task, comparisons);
  compare_with_first_valid(best, confirmations, baselines, comparisons);
  return comparisons;
}

Result<BestComparisons> read_comparisons(const store::Store& store, const store::SessionSummary& session,
                                         const analysis::BestResult& best) {
  const std::vector<trial::Confirmation> confirmations = TRY(store.confirmations().of(session.record.id));
  const trial::Baselines baselines = TRY(trial::baselines_from_json(session.status.vendor_json));
  return compare_best(best, confirmations, baselines, TRY(task::task_from_json(session.record.task_json)),
                      session.record.template_name);
}

Result<std::string> measured_again_text(const store::Store& store, store::SessionId id,
                                        std::optional<std::int64_t> number) {
  const store::SessionSummary session = TRY(store.sessions().get(id));
  const analysis::BestResult best = TRY(exchange::read_best(store, session));
  const std::string best_text = fmt::format("The best is trial {}: {}, {}.", best.trial,
                                            base::time_text(best.value.seconds), analysis::best_mark(best));
  if (!number) return best_text;
  const analysis::BestResult found = TRY(exchange::read_result(store, session, *number));
  if (found.confirmed_utc.empty()) {
    return fail(ErrorCode::NotFound,
                fmt::format("trial {} was not confirmed: its kernel failed when it ran again", *number),
                "measure it once more; if it fails again, its result is not reliable");
  }
  const trial::Trial trial = TRY(store.trials().get(id, *number));
  return fmt::format("Trial {} takes {} [{} to {}], {}; its own samples said {}. {}", *number,
                     base::time_text(found.value.seconds), base::time_text(found.value.samples.first),
                     base::time_text(found.value.samples.third), analysis::best_mark(found),
                     base::time_text(trial.measurement.ranking_seconds()), best_text);
}

}  // namespace kernelscape::session
