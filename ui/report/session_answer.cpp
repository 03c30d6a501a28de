#include <algorithm>

#include "core/session/best.h"
#include "ui/figures/headline.h"
#include "ui/models/session_text.h"
#include "ui/report/reported_session.h"
#include "ui/style/numbers.h"

namespace kernelscape::report {
namespace {

constexpr std::size_t best_shown = 10;
const QString seconds_unit = QStringLiteral("s");

QString interval_text(double low, double high) {
  if (low <= 0 || high <= 0) return style::no_number();
  return QStringLiteral("%1 – %2").arg(style::format_quantity(low, seconds_unit),
                                       style::format_quantity(high, seconds_unit));
}

/** Returns the rows of the fastest valid trials, the fastest first. */
std::vector<std::int64_t> best_rows(const figures::ShownTrials& shown) {
  const analysis::PerformanceColumn performance = shown.performance_values();
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
QString reading_of(const workspace::SourceData& source) {
  QStringList sentences;
  const analysis::Quartiles& seconds = source.headline.value.samples;
  if (source.record().kind == store::SessionKind::Imported)
    sentences << QStringLiteral("All numbers are from the imported file.");
  if (!source.headline.confirmed_utc.empty()) {
    sentences << QStringLiteral(
                     "The best trials were remeasured at the end, interleaved with each other and with the "
                     "baselines: median and quartiles of %1 samples.")
                     .arg(style::format_count(static_cast<std::int64_t>(seconds.count)));
  } else if (source.record().kind == store::SessionKind::Measured) {
    sentences << QStringLiteral(
        "Unconfirmed: it was not remeasured, and the best of many noisy measurements appears better than it "
        "is.");
  }
  const trial::VendorResult& vendor = source.baselines.vendor;
  if (vendor.available()) {
    sentences << QStringLiteral("%1 takes %2 (%3; %4).")
                     .arg(report_string(trial::vendor_title(vendor)),
                          style::format_quantity(source.compared.vendor_seconds.median, seconds_unit),
                          report_string(vendor.implementation), report_string(vendor.layouts));
    for (const std::string& sentence : session::vendor_details(vendor, source.task().flops()))
      sentences << report_string(sentence);
  } else if (!vendor.reason.empty()) {
    sentences
        << QStringLiteral("No comparison with a vendor's library: %1.").arg(report_string(vendor.reason));
  }
  if (source.headline.slow())
    sentences << QStringLiteral(
        "The machine was slower than usual while the best trial was measured, and did not recover in time: "
        "measure the best again on a quiet machine.");
  if (source.headline.kind == analysis::BestKind::ConfirmedLoaded)
    sentences << QStringLiteral(
        "Other programs used the machine while the best trial was measured, and its usual speed is not "
        "known: "
        "measure the best again on a quiet machine.");
  if (const double limit = source.compared.limit_gflops; limit > 0)
    sentences << QStringLiteral("The machine's limit for this task is its %1: %2.")
                     .arg(report_string(source.compared.limit.of),
                          style::format_quantity(limit, QStringLiteral("GFLOPS")));
  return sentences.join(QLatin1Char(' '));
}

void append_confirmed(Blocks& blocks, const workspace::SourceData& source) {
  const std::vector<analysis::ConfirmedTrial> confirmed =
      analysis::last_confirmed(source.confirmations, source.baselines.confirmation_speeds);
  if (confirmed.empty()) return;
  Table table;
  table.caption = QStringLiteral("Remeasured trials, best first");
  table.columns = {{QStringLiteral("trial"), true},
                   {QStringLiteral("speed"), true},
                   {QStringLiteral("median"), true},
                   {QStringLiteral("quartiles"), true},
                   {QStringLiteral("samples"), true}};
  for (const analysis::ConfirmedTrial& trial : confirmed)
    table.rows.push_back({style::format_count(trial.trial),
                          models::speed_or_time_text(source, trial.seconds.median),
                          style::format_quantity(trial.seconds.median, seconds_unit),
                          interval_text(trial.seconds.first, trial.seconds.third),
                          style::format_count(static_cast<std::int64_t>(trial.seconds.count))});
  blocks.emplace_back(std::move(table));
}

/** Appends the disturbances directly below the number, since it should not be read without them. */
void append_disturbances(Blocks& blocks, const workspace::SourceData& source) {
  Table table;
  table.caption = QStringLiteral("Disturbances of this session");
  table.columns = {{QStringLiteral("at session time"), true}, {QStringLiteral("event")}};
  for (const trial::SessionNotice& notice : source.notices)
    if (trial::disturbs(notice))
      table.rows.push_back({style::format_duration(notice.session_seconds), report_string(notice.text)});
  if (!table.rows.empty()) blocks.emplace_back(std::move(table));
}

}  // namespace

void append_answer(Blocks& blocks, const ReportedSession& session) {
  const workspace::SourceData& source = *session.source;
  const figures::HeadlineText text = figures::headline_text(source, std::nullopt);
  Headline headline{text.speed, text.spread, text.comparisons};
  if (!text.trust.isEmpty()) headline.facts.prepend(text.trust);
  headline.facts << text.state;
  blocks.emplace_back(std::move(headline));
  append_disturbances(blocks, source);
  blocks.emplace_back(Paragraph{report_string(source.coverage_text()), Tone::Notice});
  if (source.headline.trial < 0) return;
  if (const QString reading = reading_of(source); !reading.isEmpty())
    blocks.emplace_back(Paragraph{reading, Tone::Muted});
}

void append_best_trials(Blocks& blocks, const ReportedSession& session) {
  const std::vector<std::int64_t> rows = best_rows(*session.shown);
  if (rows.empty()) return;
  const workspace::SourceData& source = *session.source;
  blocks.emplace_back(Heading{2, QStringLiteral("Best trials")});
  append_confirmed(blocks, source);
  const bool own = source.own_objectives();
  Table table;
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
    const trial::Row trial = source.trials.row(row);
    table.rows.push_back({style::format_count(trial.number),
                          models::speed_or_time_text(source, trial.median_seconds),
                          style::format_quantity(trial.median_seconds, seconds_unit),
                          interval_text(trial.first_quartile_seconds, trial.third_quartile_seconds),
                          style::format_percent(best_seconds / trial.median_seconds),
                          report_string(source.space().describe(source.trials.configuration(row)))});
    if (own) table.rows.back().insert(3, report_string(std::string(trial::to_string(trial.objective))));
    if (own) table.rows.back().insert(4, style::format_quantity(trial.sample_median_seconds, seconds_unit));
  }
  blocks.emplace_back(std::move(table));
  if (!session.layouts.empty())
    blocks.emplace_back(Paragraph{
        QStringLiteral("Layouts of the best kernel's tensors: %1.").arg(report_string(session.layouts))});
}

}  // namespace kernelscape::report
