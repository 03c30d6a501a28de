#include "ui/figures/headline.h"

#include <algorithm>

#include "core/session/best.h"
#include "core/session/notice_keeper.h"
#include "core/trial/vendor_comparison.h"
#include "ui/figures/progress_figure.h"
#include "ui/models/session_text.h"
#include "ui/style/numbers.h"
#include "ui/style/plain_texts.h"

namespace kernelscape::figures {
namespace {

constexpr double bytes_per_gigabyte = 1e9;

QString text_of(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/**
 * Returns the performance relative to the limit, and to the vendor's library or, without one, to the median
 * valid trial.
 */
QStringList comparison_texts(const workspace::SourceData& source) {
  QStringList texts;
  const double best = source.headline.value.seconds;
  // The bytes that the project declares for a run; a part of them may have been in caches.
  if (source.bytes() > 0 && best > 0)
    texts << figure_text("%1 GB/s by the bytes that the project declares")
                 .arg(style::format_number(source.bytes() / best / bytes_per_gigabyte));
  if (source.baselines.vendor.samples_seconds.empty() && source.compared.speedup > 0)
    texts << (source.baselines.first_valid_reason.empty()
                  ? figure_text("%1× the first valid configuration")
                  : figure_text("%1× the first configuration known to be valid"))
                 .arg(style::format_number(source.compared.speedup, 3));
  for (const session::QuotedShare* share : {&source.compared.vendor, &source.compared.limit}) {
    if (share->share > 0)
      texts << QStringLiteral("%1 %2").arg(style::format_percent(share->share),
                                           QString::fromStdString(share->text()));
  }
  return texts;
}

/** Returns what the vendor's library was chosen from, and what to know about its algorithm. */
QString comparison_tip(const workspace::SourceData& source) {
  QStringList lines;
  for (const std::string& sentence : session::vendor_details(source.baselines.vendor, source.task().flops()))
    lines << QString::fromStdString(sentence);
  if (source.compared.fewer_multiply_adds)
    lines << style::sentence(QString::fromStdString(source.compared.limit.withheld));
  return lines.join(QLatin1Char('\n'));
}

/** Says why there is no comparison. While a session runs, the one at its end is still to come. */
void add_withheld(const workspace::SourceData& source, HeadlineText& text) {
  if (source.running()) return;
  const session::BestComparisons& compared = source.compared;
  // That Winograd's kernels have no share of the limit is no disturbance.
  if (!compared.limit.withheld.empty() && !compared.fewer_multiply_adds)
    add_warning(text, QString::fromStdString(compared.limit.withheld));
  if (!compared.vendor.withheld.empty()) add_warning(text, QString::fromStdString(compared.vendor.withheld));
}

QString state_text(const workspace::SourceData& source, const std::optional<workspace::RunView>& run) {
  if (run && !workspace::has_ended(run->state)) {
    QString text = text_of(workspace::to_string(run->state));
    if (run->state == workspace::RunState::Running && run->phase != session::Phase::Measuring)
      text = text_of(session::to_string(run->phase));
    if (run->trials_per_second > 0)
      text += figure_text(", %1 trials/s").arg(style::format_number(run->trials_per_second, 3));
    if (run->state == workspace::RunState::Running && run->seconds_left >= 0)
      text += QStringLiteral(", ") + style::format_duration_left(run->seconds_left);
    if (const std::string machine = trial::machine_state_text(run->batch.speed, run->batch.waiting);
        !machine.empty())
      text += QStringLiteral(", ") + QString::fromStdString(machine);
    return text;
  }
  if (source.running()) {
    QString text =
        figure_text("running in process %1, read-only here").arg(source.owner ? source.owner->process_id : 0);
    if (source.speeds && source.speeds->slow)
      text += QStringLiteral(", ") + QString::fromStdString(trial::machine_speed_text(source.speeds->now));
    return text;
  }
  return models::session_state_and_reason(source.status, source.owner);
}

/** Returns the session's stored notices, and those of its run that are not read back yet. */
std::vector<trial::SessionNotice> said_of(const workspace::SourceData& source,
                                          const std::optional<workspace::RunView>& run) {
  std::vector<trial::SessionNotice> notices = source.notices;
  if (!run) return notices;
  for (const session::Message& message : run->messages) {
    const std::optional<std::string_view> kind = session::stored_kind(message.kind);
    if (kind && std::ranges::find(notices, message.text, &trial::SessionNotice::text) == notices.end())
      notices.push_back({std::string(*kind), message.text, run->status.session_seconds});
  }
  return notices;
}

/** Adds the message of the first failed trial before the warnings, as long as no trial has succeeded. */
QString with_failure(std::span<const trial::SessionNotice> notices, const QString& warning) {
  const auto failure = std::ranges::find(notices, trial::failure_notice, &trial::SessionNotice::kind);
  if (failure == notices.end()) return warning;
  QStringList parts{style::sentence(QString::fromStdString(failure->text).simplified()), warning};
  parts.removeAll(QString());
  return parts.join(QLatin1Char(' '));
}

/** Shows how many kernels could be built, since kernels that were never run have no speed. */
void show_builds(const workspace::SourceData& source, HeadlineText& text) {
  text.speed = figure_text("build only: no timings");
  const std::int64_t built = source.errors.of(trial::ErrorCategory::NoError).trials;
  text.spread = figure_text("%1 of %2 kernels built")
                    .arg(style::format_count(built), style::format_count(source.trials.size()));
}

}  // namespace

HeadlineText headline_text(const workspace::SourceData& source,
                           const std::optional<workspace::RunView>& run) {
  const store::SessionRecord& record = source.record();
  HeadlineText text;
  QStringList parts{QString::fromStdString(record.task_name), QString::fromStdString(record.target_name),
                    models::short_kernel_maker_text(record), models::session_tuner_text(record)};
  const bool seeded =
      record.kind == store::SessionKind::Measured || record.kind == store::SessionKind::Replayed;
  if (seeded) parts << figure_text("seed %1").arg(record.seed);
  parts.removeAll(QString());
  if (!record.name.empty()) parts.prepend(QString::fromStdString(record.name));
  text.what = parts.join(QStringLiteral(" · "));
  text.state = state_text(source, run);
  const std::vector<trial::SessionNotice> notices = said_of(source, run);
  text.warning = models::disturbance_text(notices);
  if (source.errors.of(trial::ErrorCategory::NoError).trials == 0)
    text.warning = with_failure(notices, text.warning);
  text.warning_tip = models::notices_tip(notices);
  const analysis::BestResult& headline = source.headline;
  if (source.build_only() && source.trials.size() > 0) {
    show_builds(source, text);
    return text;
  }
  if (headline.trial < 0) {
    text.speed = source.trials.size() == 0 ? figure_text("no trial yet") : figure_text("no valid trial yet");
    return text;
  }
  text.speed = models::speed_or_time_text(source, headline.value.seconds);
  text.spread = style::format_quantity(headline.value.seconds, QStringLiteral("s"));
  const analysis::Quartiles& samples = headline.value.samples;
  if (headline.value.has_own_quartiles())
    text.spread += figure_text(" (%1 to %2)")
                       .arg(style::format_quantity(samples.first, QStringLiteral("s")),
                            style::format_quantity(samples.third, QStringLiteral("s")));
  text.comparisons = comparison_texts(source);
  if (!text.comparisons.isEmpty()) text.comparison_tip = comparison_tip(source);
  if (headline.value.kind != trial::ObjectiveKind::Median) {
    text.spread +=
        QStringLiteral(", ") + QString::fromStdString(analysis::objective_text(headline.value.kind));
    if (samples.count > 0) text.comparisons.prepend(QString::fromStdString(analysis::samples_text(samples)));
  }
  QString trust = record.kind == store::SessionKind::Imported
                      ? QString::fromStdString(store::origin_text(record))
                      : models::trust_text(record, headline);
  if (record.kind == store::SessionKind::Measured && source.answer_unknown())
    trust += figure_text(", output as the first valid configuration's");
  text.trust = figure_text("%1, trial %2").arg(trust, style::format_count(headline.trial));
  add_withheld(source, text);
  return text;
}

void add_warning(HeadlineText& text, const QString& warning) {
  const QString added = style::sentence(warning);
  text.warning = text.warning.isEmpty() ? added : added + QLatin1Char(' ') + text.warning;
  text.warning_tip = text.warning_tip.isEmpty() ? added : added + QLatin1Char('\n') + text.warning_tip;
}

QString vendor_difference_text(std::span<const workspace::Source> sources) {
  std::vector<trial::ComparedVendor> vendors;
  for (const workspace::Source& source : sources) {
    if (!source || !source->baselines.vendor.available()) continue;
    const trial::VendorResult& vendor = source->baselines.vendor;
    vendors.push_back({vendor.name, vendor.algorithm, source->task().text});
  }
  return QString::fromStdString(trial::vendor_difference_text(vendors, {"session", "sessions"}));
}

}  // namespace kernelscape::figures
