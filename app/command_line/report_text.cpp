#include "app/command_line/report_text.h"

#include <fmt/format.h>

#include "app/command_line/console.h"
#include "core/base/numbers.h"
#include "core/measure/cpu/machine_limits.h"
#include "core/trial/trial_fields.h"

namespace kernelscape {
namespace {

/** Only what this program measured was checked by it. */
std::string_view trust_text(const SessionReport& report) {
  switch (report.session.record.kind) {
    case SessionKind::Measured:
      if (report.right_answer == AnswerKind::FirstValid)
        return report.best_confirmed ? "confirmed, same output as the first valid configuration"
                                     : "unconfirmed, same output as the first valid configuration";
      return report.best_confirmed ? "confirmed, output checked" : "unconfirmed, output checked";
    case SessionKind::Replayed:
    case SessionKind::Recorded:
      return "recorded";
    case SessionKind::Imported:
      return "imported, not measured here";
  }
  return {};
}

/** "88 GFLOPS [87, 89], 1.2 ms"; a value that is not the median of its samples has no interval, but says what
 * it is. */
std::string value_text(double flops, const TrialValue& value) {
  const Quartiles& samples = value.samples;
  const std::string speed = value.kind == ObjectiveKind::Median
                                ? speed_text(flops, samples.first, value.seconds, samples.third)
                                : speed_text(flops, value.seconds);
  const std::string text = flops > 0 ? speed + ", " + time_text(value.seconds) : speed;
  const std::string objective = objective_text(value.kind);
  return objective.empty() ? text : text + ", " + objective;
}

/** "64 registers, 16,384 B of shared memory, 256 threads, occupancy 50 % by registers": what is known. */
std::string resources_text(const KernelResources& resources) {
  std::string text;
  const auto add = [&](std::int64_t number, std::string_view of_what) {
    if (number == 0) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count_text(number), of_what);
  };
  for_each_field<gpu_fields>([&](auto field) {
    if constexpr (!field.facts.counted.empty()) add(value_in(field, resources), field.facts.counted);
  });
  if (resources.occupancy > 0) {
    const std::string_view limit = to_string(resources.limited_by);
    text += fmt::format("{}occupancy {:.3g} %{}{}", text.empty() ? "" : ", ", 100 * resources.occupancy,
                        limit.empty() ? "" : " by ", limit);
  }
  return text;
}

TerminalText no_best_line(const SessionReport& report) {
  const std::int64_t built = report.errors.of(ErrorCategory::NoError).trials;
  if (built == 0) return {"best        no valid kernel was found\n"};
  return write<Terminal>("best        not known: {} kernels were built, none was run\n", count_text(built));
}

TerminalText best_lines(const SessionReport& report) {
  if (!report.best_trial) return no_best_line(report);
  TerminalText text =
      write<Terminal>("best        {} ({}, trial {})\n", value_text(report.task.flops(), report.best),
                      trust_text(report), *report.best_trial);
  if (const std::string samples = samples_text(report.best.samples, time_text);
      report.best.kind != ObjectiveKind::Median && !samples.empty())
    text += write<Terminal>("            {}\n", samples);
  if (report.space && !report.best_configuration.indices.empty())
    text += write<Terminal>("            {}\n", report.space->describe(report.best_configuration));
  if (const auto* generic = std::get_if<GenericProblem>(&report.task.definition);
      generic != nullptr && generic->bytes > 0) {
    text += write<Terminal>("bandwidth   {:.4g} GB/s, by the bytes that its project declares\n",
                            generic->bytes / report.best.seconds * 1e-9);
  }
  if (report.best_resources) {
    const std::string resources = resources_text(*report.best_resources);
    if (!resources.empty()) text += write<Terminal>("resources   {}\n", resources);
  }
  if (!report.best_layouts.empty()) text += write<Terminal>("layouts     {}\n", report.best_layouts);
  return text;
}

TerminalText baseline_lines(const SessionReport& report) {
  TerminalText text;
  if (report.first_valid_seconds.count > 0) {
    const std::string& reason = report.baselines.first_valid_reason;
    text += write<Terminal>("speed-up    {:.2f} x over the {} ({})\n",
                            report.first_valid_seconds.median / report.best.seconds,
                            !reason.empty()       ? "first configuration known to be valid"
                            : report.right_answer ? "first valid configuration"
                                                  : "template's first valid configuration",
                            speed_text(report.task.flops(), report.first_valid_seconds.median));
    if (!reason.empty()) text += write<Terminal>("            {}\n", message_text(reason));
  } else if (!report.baselines.first_valid_reason.empty()) {
    text += write<Terminal>("speed-up    not known: {}\n", message_text(report.baselines.first_valid_reason));
  }
  const VendorResult& vendor = report.baselines.vendor;
  if (report.vendor_seconds.count > 0) {
    text += write<Terminal>("{:<11} {:.1f} % of {} ({}, {}; {})\n", "vendor",
                            report.vendor_seconds.median / report.best.seconds * 100, vendor_title(vendor),
                            speed_text(report.task.flops(), report.vendor_seconds.median),
                            vendor.implementation, vendor.layouts);
  } else if (!vendor.reason.empty()) {
    text += write<Terminal>("vendor      no baseline: {}\n", message_text(vendor.reason));
  }
  const SpeedLimit limit = speed_limit(report.baselines.limits, report.task);
  if (limit.gflops > 0 && report.best.seconds > 0)
    text += write<Terminal>("limit       {:.1f} % of the machine's {} ({:.4g} GFLOPS)\n",
                            gflops_of(report.task.flops(), report.best.seconds) / limit.gflops * 100,
                            limit.name, limit.gflops);
  return text;
}

/** How a line of a notice begins. */
std::string_view label_of(const SessionNotice& notice) {
  if (notice.kind == failure_notice) return "failure";
  return disturbs(notice) ? "warning" : "note";
}

/** Returns the notices of the session, which belong to its result and must be read with it. */
TerminalText notice_lines(const SessionReport& report) {
  TerminalText text;
  for (const SessionNotice& notice : report.notices)
    text += write<Terminal>("{:<11} {}\n", label_of(notice), message_text(notice.text));
  return text;
}

TerminalText time_line(const TimeSplit& time) {
  const TimeShares shares = time_shares(time);
  return write<Terminal>("wall time   {} = search {:.1f} % + build {:.1f} % + run {:.1f} % + idle {:.1f} %\n",
                         clock_text(time.session_seconds), 100 * shares.search, 100 * shares.build,
                         100 * shares.run, 100 * shares.idle);
}

/** "3.2 s", "61 s", "12:05". */
std::string rough_duration(double seconds) {
  constexpr double short_seconds = 120;
  if (seconds >= short_seconds) return clock_text(seconds);
  return fmt::format("{:.{}f} s", seconds, seconds < 10 ? 1 : 0);
}

TerminalText saved_line(const SessionReport& report) {
  const SavedSamples& saved = report.time.saved;
  if (saved.samples == 0 && !report.options.adaptive()) return {};
  return write<Terminal>("adaptive evaluator: {} of {} samples not needed, about {} saved\n",
                         count_text(saved.samples), count_text(saved.taken + saved.samples),
                         rough_duration(saved.seconds));
}

}  // namespace

TerminalText category_table(const ErrorBreakdown& errors) {
  const double all_seconds = errors.all().work_seconds();
  const auto trials = static_cast<double>(errors.all().trials);
  TextTable table({"category", "trials", "share", "build and run time (s)", "share"});
  for (std::size_t code = 0; code < error_category_count; ++code) {
    const auto category = static_cast<ErrorCategory>(code);
    const CategoryTotals& totals = errors.of(category);
    if (totals.trials == 0) continue;
    table.add({std::string(to_string(category)), std::to_string(totals.trials),
               fmt::format("{:.1f} %", 100 * static_cast<double>(totals.trials) / trials),
               fmt::format("{:.2f}", totals.work_seconds()),
               fmt::format("{:.1f} %", all_seconds > 0 ? 100 * totals.work_seconds() / all_seconds : 0)});
  }
  return trials > 0 ? table.text() : TerminalText("no trials\n");
}

TerminalText report_text(const SessionReport& report) {
  const SessionRecord& record = report.session.record;
  const SessionStatus& status = report.session.status;
  TerminalText text = write<Terminal>(
      "session     {}{}: {}, {} trial{}, {}{}\n", record.id,
      record.name.empty() ? "" : " (" + record.name + ")", record.task_name, status.trial_count,
      status.trial_count == 1 ? "" : "s", to_string(status.state),
      status.state_reason.empty() ? TerminalText() : ": " + message_text(status.state_reason));
  if (const std::string origin = origin_text(record); !origin.empty())
    text += write<Terminal>("origin      {}\n", origin);
  text += best_lines(report);
  if (report.best_trial) text += baseline_lines(report);
  text += notice_lines(report);
  text += "\n" + category_table(report.errors) + "\n" + time_line(report.time) + saved_line(report);
  return text;
}

}  // namespace kernelscape
