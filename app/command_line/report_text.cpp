#include "app/command_line/report_text.h"

#include <fmt/format.h>

#include "app/command_line/console.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/trial/fields.h"

namespace kernelscape::command_line {
namespace {

/** Only what this program measured was checked by it. */
std::string trust_text(const session::Report& report) {
  const store::SessionRecord& record = report.session.record;
  const std::string mark = exchange::result_mark(record, report.result);
  if (record.kind == store::SessionKind::Imported) return mark + ", not measured here";
  if (record.kind != store::SessionKind::Measured) return mark;
  if (report.program_checked)
    return mark + (*report.program_checked ? ", result checked" : ", result not checked");
  return mark + (report.right_answer == project::AnswerKind::FirstValid
                     ? ", same output as the first valid configuration"
                     : ", output checked");
}

/** "88 GFLOPS [87, 89], 1.2 ms"; a value that is not the median of its samples has no interval, but says what
 * it is. */
std::string value_text(double flops, const analysis::TrialValue& value) {
  const analysis::Quartiles& samples = value.samples;
  const std::string speed = value.kind == trial::ObjectiveKind::Median
                                ? base::speed_text(flops, samples.first, value.seconds, samples.third)
                                : base::speed_text(flops, value.seconds);
  const std::string text = flops > 0 ? speed + ", " + base::time_text(value.seconds) : speed;
  const std::string objective = analysis::objective_text(value.kind);
  return objective.empty() ? text : text + ", " + objective;
}

/** Returns "energy 0.12 J, code_size 1840 B"; empty if there are no metrics. */
std::string metrics_text(const std::vector<trial::Metric>& metrics) {
  std::vector<std::string> texts;
  for (const trial::Metric& metric : metrics)
    texts.push_back(metric.unit.empty()
                        ? fmt::format("{} {:.4g}", metric.name, metric.value)
                        : fmt::format("{} {:.4g} {}", metric.name, metric.value, metric.unit));
  return base::join(texts, ", ");
}

/** "64 registers, 16,384 B of shared memory, 256 threads, occupancy 50 % by registers": what is known. */
std::string resources_text(const trial::KernelResources& resources) {
  std::string text;
  const auto add = [&](std::int64_t number, std::string_view of_what) {
    if (number == 0) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", base::count_text(number), of_what);
  };
  trial::for_each_field<trial::gpu_fields>([&](auto field) {
    if constexpr (!field.facts.counted.empty()) add(trial::value_in(field, resources), field.facts.counted);
  });
  if (resources.occupancy > 0) {
    const std::string_view limit = trial::to_string(resources.limited_by);
    text += fmt::format("{}occupancy {:.3g} %{}{}", text.empty() ? "" : ", ", 100 * resources.occupancy,
                        limit.empty() ? "" : " by ", limit);
  }
  return text;
}

base::TerminalText no_best_line(const session::Report& report) {
  const std::int64_t built = report.errors.of(trial::ErrorCategory::NoError).trials;
  if (built == 0) return {"best        no valid kernel was found\n"};
  return base::write<base::Terminal>("best        not known: {} kernels were built, none was run\n",
                                     base::count_text(built));
}

base::TerminalText best_lines(const session::Report& report) {
  if (!report.best_trial) return no_best_line(report);
  base::TerminalText text = base::write<base::Terminal>("best        {} ({}, trial {})\n",
                                                        value_text(report.task.flops(), report.best),
                                                        trust_text(report), *report.best_trial);
  if (const std::string samples = analysis::samples_text(report.best.samples, base::time_text);
      report.best.kind != trial::ObjectiveKind::Median && !samples.empty())
    text += base::write<base::Terminal>("            {}\n", samples);
  if (report.space && !report.best_configuration.indices.empty())
    text +=
        base::write<base::Terminal>("            {}\n", report.space->describe(report.best_configuration));
  if (const auto* generic = std::get_if<task::GenericProblem>(&report.task.definition);
      generic != nullptr && generic->bytes > 0) {
    text += base::write<base::Terminal>("bandwidth   {:.4g} GB/s, by the bytes that its project declares\n",
                                        generic->bytes / report.best.seconds * 1e-9);
  }
  if (report.best_resources) {
    const std::string resources = resources_text(*report.best_resources);
    if (!resources.empty()) text += base::write<base::Terminal>("resources   {}\n", resources);
  }
  if (const std::string metrics = metrics_text(report.best_metrics); !metrics.empty())
    text += base::write<base::Terminal>("metrics     {}\n", metrics);
  if (!report.best_layouts.empty())
    text += base::write<base::Terminal>("layouts     {}\n", report.best_layouts);
  return text;
}

base::TerminalText vendor_line(const session::Report& report) {
  const trial::VendorResult& vendor = report.baselines.vendor;
  const session::BestComparisons& compared = report.compared;
  if (compared.vendor.of.empty()) {
    if (vendor.reason.empty()) return {};
    return base::write<base::Terminal>("vendor      no baseline: {}\n", message_text(vendor.reason));
  }
  const std::string speed = base::speed_text(report.task.flops(), compared.vendor_seconds.median);
  base::TerminalText text =
      compared.vendor.withheld.empty()
          ? base::write<base::Terminal>("{:<11} {:.1f} % {} ({}, {}; {})\n", "vendor",
                                        compared.vendor.share * 100, compared.vendor.text(), speed,
                                        vendor.implementation, vendor.layouts)
          : base::write<base::Terminal>("vendor      {} ({})\n", compared.vendor.withheld, speed);
  for (const std::string& sentence : session::vendor_details(vendor, report.task.flops()))
    text += base::write<base::Terminal>("            {}\n", message_text(sentence));
  return text;
}

base::TerminalText limit_line(const session::Report& report) {
  const session::QuotedShare& limit = report.compared.limit;
  if (!limit.withheld.empty()) return base::write<base::Terminal>("limit       {}\n", limit.withheld);
  if (limit.share <= 0) return {};
  const double peak = report.compared.peak_gflops;
  const std::string padding =
      peak > 0 ? fmt::format(" with the FLOPs on padding, {:.4g} without them", peak) : std::string();
  return base::write<base::Terminal>("limit       {:.1f} % of the machine's {} ({:.4g} GFLOPS{}){}{}\n",
                                     limit.share * 100, limit.of, report.compared.limit_gflops, padding,
                                     limit.remark.empty() ? "" : "; ", limit.remark);
}

base::TerminalText baseline_lines(const session::Report& report) {
  base::TerminalText text;
  if (report.first_valid_seconds.count > 0 && report.compared.speedup <= 0) {
    text +=
        "speed-up    not known: the first valid configuration was measured at another speed of the machine\n";
  } else if (report.first_valid_seconds.count > 0) {
    const std::string& reason = report.baselines.first_valid_reason;
    text += base::write<base::Terminal>(
        "speed-up    {:.2f} x over the {} ({})\n", report.compared.speedup,
        !reason.empty()                                 ? "first configuration known to be valid"
        : report.right_answer || report.program_checked ? "first valid configuration"
                                                        : "template's first valid configuration",
        base::speed_text(report.task.flops(), report.first_valid_seconds.median));
    if (!reason.empty()) text += base::write<base::Terminal>("            {}\n", message_text(reason));
  } else if (!report.baselines.first_valid_reason.empty()) {
    text += base::write<base::Terminal>("speed-up    not known: {}\n",
                                        message_text(report.baselines.first_valid_reason));
  }
  return text + vendor_line(report) + limit_line(report);
}

/** How a line of a notice begins. */
std::string_view label_of(const trial::SessionNotice& notice) {
  if (notice.kind == trial::failure_notice) return "failure";
  return trial::disturbs(notice) ? "warning" : "note";
}

/** Returns the notices of the session, which belong to its result and must be read with it. */
base::TerminalText notice_lines(const session::Report& report) {
  base::TerminalText text;
  for (const trial::SessionNotice& notice : report.notices)
    text += base::write<base::Terminal>("{:<11} {}\n", label_of(notice), message_text(notice.text));
  return text;
}

base::TerminalText time_line(const analysis::TimeSplit& time) {
  const analysis::TimeShares shares = analysis::time_shares(time);
  return base::write<base::Terminal>(
      "wall time   {} = search {:.1f} % + build {:.1f} % + run {:.1f} % + idle {:.1f} %\n",
      base::clock_text(time.session_seconds), 100 * shares.search, 100 * shares.build, 100 * shares.run,
      100 * shares.idle);
}

/** "3.2 s", "61 s", "12:05". */
std::string rough_duration(double seconds) {
  constexpr double short_seconds = 120;
  if (seconds >= short_seconds) return base::clock_text(seconds);
  return fmt::format("{:.{}f} s", seconds, seconds < 10 ? 1 : 0);
}

base::TerminalText saved_line(const session::Report& report) {
  const analysis::SavedSamples& saved = report.time.saved;
  if (saved.samples == 0 && !report.options.adaptive()) return {};
  return base::write<base::Terminal>(
      "adaptive evaluator: {} of {} samples not needed, about {} saved\n", base::count_text(saved.samples),
      base::count_text(saved.taken + saved.samples), rough_duration(saved.seconds));
}

}  // namespace

base::TerminalText category_table(const analysis::ErrorBreakdown& errors) {
  const double all_seconds = errors.all().work_seconds();
  const auto trials = static_cast<double>(errors.all().trials);
  TextTable table({"category", "trials", "share", "build and run time (s)", "share"});
  for (std::size_t code = 0; code < trial::error_category_count; ++code) {
    const auto category = static_cast<trial::ErrorCategory>(code);
    const analysis::CategoryTotals& totals = errors.of(category);
    if (totals.trials == 0) continue;
    table.add({std::string(trial::to_string(category)), std::to_string(totals.trials),
               fmt::format("{:.1f} %", 100 * static_cast<double>(totals.trials) / trials),
               fmt::format("{:.2f}", totals.work_seconds()),
               fmt::format("{:.1f} %", all_seconds > 0 ? 100 * totals.work_seconds() / all_seconds : 0)});
  }
  return trials > 0 ? table.text() : base::TerminalText("no trials\n");
}

base::TerminalText report_text(const session::Report& report) {
  const store::SessionRecord& record = report.session.record;
  const store::SessionStatus& status = report.session.status;
  base::TerminalText text = base::write<base::Terminal>(
      "session     {}{}: {}, {} trial{}, {}{}\n", record.id,
      record.name.empty() ? "" : " (" + record.name + ")", record.task_name, status.trial_count,
      status.trial_count == 1 ? "" : "s", store::to_string(status.state),
      status.state_reason.empty() ? base::TerminalText() : ": " + message_text(status.state_reason));
  if (const std::string origin = store::origin_text(record); !origin.empty())
    text += base::write<base::Terminal>("origin      {}\n", origin);
  text += best_lines(report);
  if (report.best_trial) text += baseline_lines(report);
  text += notice_lines(report);
  text += "\n" + category_table(report.errors) + "\n" + time_line(report.time) + saved_line(report);
  return text;
}

}  // namespace kernelscape::command_line
