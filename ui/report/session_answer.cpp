#include <algorithm>

#include "core/measure/cpu/machine_limits.h"
#include "core/session/confirmed_trials.h"
#include "ui/figures/headline.h"
#include "ui/models/session_text.h"
#include "ui/report/reported_session.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

constexpr std::size_t best_shown = 10;
const QString seconds_unit = QStringLiteral("s");

QString interval_text(double low, double high) {
  if (low <= 0 || high <= 0) return no_number();
  return QStringLiteral("%1 – %2").arg(format_quantity(low, seconds_unit),
                                       format_quantity(high, seconds_unit));
}

/** Returns the rows of the fastest valid trials, the fastest first. */
std::vector<std::int64_t> best_rows(const ShownTrials& shown) {
  const PerformanceColumn performance = shown.performance_values();
  std::vector<std::int64_t> rows;
  for (const std::int64_t row : shown.rows)
    if (performance.valid(row)) rows.push_back(row);
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(std::min(best_shown, rows.size()));
  std::ranges::partial_sort(rows, end, [&](std::int64_t a, std::int64_t b) {
    const double first = performance.at(a);
    const double second = performance.at(b);
    return first != second ? performance.better(first, second) : a < b;
  });
  rows.erase(end, rows.end());
  return rows;
}

/** Returns sentences that explain how the numbers of the result were measured. */
QString reading_of(const SourceData& source) {
  QStringList sentences;
  const Quartiles& seconds = source.headline.value.samples;
  if (source.record().kind == SessionKind::Imported)
    sentences << QStringLiteral("All numbers are from the imported file.");
  if (source.headline.confirmed) {
    sentences << QStringLiteral(
                     "The best trials were remeasured at the end, interleaved with each other and with the "
                     "baselines: median and quartiles of %1 samples.")
                     .arg(format_count(static_cast<std::int64_t>(seconds.count)));
  } else if (source.record().kind == SessionKind::Measured) {
    sentences << QStringLiteral(
        "Unconfirmed: it was not remeasured, and the best of many noisy measurements appears better than it "
        "is.");
  }
  const VendorResult& vendor = source.baselines.vendor;
  if (vendor.available()) {
    sentences << QStringLiteral("%1 takes %2 (%3; %4).")
                     .arg(report_string(vendor_title(vendor)),
                          format_quantity(quartiles(vendor.samples_seconds).median, seconds_unit),
                          report_string(vendor.implementation), report_string(vendor.layouts));
  } else if (!vendor.reason.empty()) {
    sentences
        << QStringLiteral("No comparison with a vendor's library: %1.").arg(report_string(vendor.reason));
  }
  const SpeedLimit limit = speed_limit(source.baselines.limits, source.task());
  if (limit.gflops > 0)
    sentences << QStringLiteral("The machine's limit for this task is its %1: %2.")
                     .arg(report_string(limit.name), format_quantity(limit.gflops, QStringLiteral("GFLOPS")));
  return sentences.join(QLatin1Char(' '));
}

void append_confirmed(ReportBlocks& blocks, const SourceData& source) {
  const std::vector<ConfirmedTrial> confirmed = last_confirmed(source.confirmations);
  if (confirmed.empty()) return;
  ReportTable table;
  table.caption = QStringLiteral("Remeasured trials, best first");
  table.columns = {{QStringLiteral("trial"), true},
                   {QStringLiteral("speed"), true},
                   {QStringLiteral("median"), true},
                   {QStringLiteral("quartiles"), true},
                   {QStringLiteral("samples"), true}};
  for (const ConfirmedTrial& trial : confirmed)
    table.rows.push_back({format_count(trial.trial), speed_or_time_text(source, trial.seconds.median),
                          format_quantity(trial.seconds.median, seconds_unit),
                          interval_text(trial.seconds.first, trial.seconds.third),
                          format_count(static_cast<std::int64_t>(trial.seconds.count))});
  blocks.emplace_back(std::move(table));
}

/** Appends the disturbances directly below the number, since it should not be read without them. */
void append_disturbances(ReportBlocks& blocks, const SourceData& source) {
  ReportTable table;
  table.caption = QStringLiteral("Disturbances of this session");
  table.columns = {{QStringLiteral("at session time"), true}, {QStringLiteral("event")}};
  for (const SessionNotice& notice : source.notices)
    if (disturbs(notice))
      table.rows.push_back({format_duration(notice.session_seconds), report_string(notice.text)});
  if (!table.rows.empty()) blocks.emplace_back(std::move(table));
}

}  // namespace

void append_answer(ReportBlocks& blocks, const ReportedSession& session) {
  const SourceData& source = *session.source;
  const HeadlineText text = headline_text(source, std::nullopt);
  ReportHeadline headline{text.speed, text.spread, text.comparisons};
  if (!text.trust.isEmpty()) headline.facts.prepend(text.trust);
  headline.facts << text.state;
  blocks.emplace_back(std::move(headline));
  append_disturbances(blocks, source);
  blocks.emplace_back(ReportParagraph{report_string(source.coverage_text()), ReportTone::Notice});
  if (source.headline.trial < 0) return;
  if (const QString reading = reading_of(source); !reading.isEmpty())
    blocks.emplace_back(ReportParagraph{reading, ReportTone::Muted});
}

void append_best_trials(ReportBlocks& blocks, const ReportedSession& session) {
  const std::vector<std::int64_t> rows = best_rows(*session.shown);
  if (rows.empty()) return;
  const SourceData& source = *session.source;
  blocks.emplace_back(ReportHeading{2, QStringLiteral("Best trials")});
  append_confirmed(blocks, source);
  const bool own = source.own_objectives();
  ReportTable table;
  table.caption = QStringLiteral("The %1 fastest trials, as measured during the session").arg(rows.size());
  table.columns = {{QStringLiteral("trial"), true},
                   {QStringLiteral("speed"), true},
                   {own ? QStringLiteral("objective") : QStringLiteral("time"), true},
                   {own ? QStringLiteral("quartiles of the samples") : QStringLiteral("quartiles"), true},
                   {QStringLiteral("of best"), true},
                   {QStringLiteral("configuration"), false, true}};
  if (own)
    table.columns.insert(table.columns.begin() + 3,
                         {{QStringLiteral("objective is")}, {QStringLiteral("median of the samples"), true}});
  const double best_seconds = source.trials.row(rows.front()).median_seconds;
  for (const std::int64_t row : rows) {
    const TrialRow trial = source.trials.row(row);
    table.rows.push_back({format_count(trial.number), speed_or_time_text(source, trial.median_seconds),
                          format_quantity(trial.median_seconds, seconds_unit),
                          interval_text(trial.first_quartile_seconds, trial.third_quartile_seconds),
                          format_percent(best_seconds / trial.median_seconds),
                          report_string(source.space().describe(source.trials.configuration(row)))});
    if (own) table.rows.back().insert(3, report_string(std::string(to_string(trial.objective))));
    if (own) table.rows.back().insert(4, format_quantity(trial.sample_median_seconds, seconds_unit));
  }
  blocks.emplace_back(std::move(table));
  if (!session.layouts.empty())
    blocks.emplace_back(ReportParagraph{
        QStringLiteral("Layouts of the best kernel's tensors: %1.").arg(report_string(session.layouts))});
}

}  // namespace kernelscape
