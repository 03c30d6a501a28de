#include "ui/figures/headline.h"

#include <algorithm>

#include "core/session/notice_keeper.h"
#include "core/trial/vendor_comparison.h"
#include "ui/figures/progress_figure.h"
#include "ui/models/session_text.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

constexpr double bytes_per_gigabyte = 1e9;

QString text_of(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/**
 * Returns the performance relative to the limit, and to the vendor's library or, without one, to the median
 * valid trial.
 */
QStringList comparison_texts(const SourceData& source) {
  QStringList texts;
  const double best = source.headline.value.seconds;
  // The bytes that the project declares for a run; a part of them may have been in caches.
  if (source.bytes() > 0 && best > 0)
    texts << figure_text("%1 GB/s by the bytes that the project declares")
                 .arg(format_number(source.bytes() / best / bytes_per_gigabyte));
  const auto& first = source.baselines.first_valid;
  if (source.baselines.vendor.samples_seconds.empty() && first && !first->samples_seconds.empty())
    texts << (source.baselines.first_valid_reason.empty()
                  ? figure_text("%1× the first valid configuration")
                  : figure_text("%1× the first configuration known to be valid"))
                 .arg(format_number(quartiles(first->samples_seconds).median / best, 3));
  for (const ReferenceLine& reference : references_of(source))
    texts << figure_text("%1 of %2").arg(format_percent(reference.seconds / best), reference.label);
  return texts;
}

QString state_text(const SourceData& source, const std::optional<RunView>& run) {
  if (run && !has_ended(run->state)) {
    QString text = text_of(to_string(run->state));
    if (run->state == RunState::Running && run->phase != SessionPhase::Measuring)
      text = text_of(to_string(run->phase));
    if (run->trials_per_second > 0)
      text += figure_text(", %1 trials/s").arg(format_number(run->trials_per_second, 3));
    if (run->state == RunState::Running && run->seconds_left >= 0)
      text += QStringLiteral(", ") + format_duration_left(run->seconds_left);
    return text;
  }
  if (source.running()) {
    return figure_text("running in process %1, read-only here")
        .arg(source.owner ? source.owner->process_id : 0);
  }
  return session_state_and_reason(source.status, source.owner);
}

/** Returns the session's stored notices, and those of its run that are not read back yet. */
std::vector<SessionNotice> said_of(const SourceData& source, const std::optional<RunView>& run) {
  std::vector<SessionNotice> notices = source.notices;
  if (!run) return notices;
  for (const SessionMessage& message : run->messages) {
    const std::optional<std::string_view> kind = stored_kind(message.kind);
    if (kind && std::ranges::find(notices, message.text, &SessionNotice::text) == notices.end())
      notices.push_back({std::string(*kind), message.text, run->status.session_seconds});
  }
  return notices;
}

/** Adds the message of the first failed trial before the warnings, as long as no trial has succeeded. */
QString with_failure(std::span<const SessionNotice> notices, const QString& warning) {
  const auto failure = std::ranges::find(notices, failure_notice, &SessionNotice::kind);
  if (failure == notices.end()) return warning;
  QStringList parts{QString::fromStdString(failure->text).simplified(), warning};
  parts.removeAll(QString());
  return parts.join(QStringLiteral("; "));
}

/** Shows how many kernels could be built, since kernels that were never run have no speed. */
void show_builds(const SourceData& source, HeadlineText& text) {
  text.speed = figure_text("build only: no timings");
  const std::int64_t built = source.errors.of(ErrorCategory::NoError).trials;
  text.spread =
      figure_text("%1 of %2 kernels built").arg(format_count(built), format_count(source.trials.size()));
}

}  // namespace

HeadlineText headline_text(const SourceData& source, const std::optional<RunView>& run) {
  const SessionRecord& record = source.record();
  HeadlineText text;
  QStringList parts{QString::fromStdString(record.task_name), QString::fromStdString(record.target_name),
                    short_kernel_maker_text(record), session_tuner_text(record)};
  const bool seeded = record.kind == SessionKind::Measured || record.kind == SessionKind::Replayed;
  if (seeded) parts << figure_text("seed %1").arg(record.seed);
  parts.removeAll(QString());
  if (!record.name.empty()) parts.prepend(QString::fromStdString(record.name));
  text.what = parts.join(QStringLiteral(" · "));
  text.state = state_text(source, run);
  const std::vector<SessionNotice> notices = said_of(source, run);
  text.warning = disturbance_text(notices);
  if (source.errors.of(ErrorCategory::NoError).trials == 0)
    text.warning = with_failure(notices, text.warning);
  text.warning_tip = notices_tip(notices);
  const Headline& headline = source.headline;
  if (source.build_only() && source.trials.size() > 0) {
    show_builds(source, text);
    return text;
  }
  if (headline.trial < 0) {
    text.speed = source.trials.size() == 0 ? figure_text("no trial yet") : figure_text("no valid trial yet");
    return text;
  }
  text.speed = speed_or_time_text(source, headline.value.seconds);
  text.spread = format_quantity(headline.value.seconds, QStringLiteral("s"));
  const Quartiles& samples = headline.value.samples;
  if (headline.value.has_own_quartiles())
    text.spread += figure_text(" (%1 to %2)")
                       .arg(format_quantity(samples.first, QStringLiteral("s")),
                            format_quantity(samples.third, QStringLiteral("s")));
  text.comparisons = comparison_texts(source);
  if (headline.value.kind != ObjectiveKind::Median) {
    text.spread += QStringLiteral(", ") + QString::fromStdString(objective_text(headline.value.kind));
    if (samples.count > 0) text.comparisons.prepend(QString::fromStdString(samples_text(samples)));
  }
  QString trust = record.kind == SessionKind::Imported ? QString::fromStdString(origin_text(record))
                                                       : trust_text(record, headline.confirmed);
  if (record.kind == SessionKind::Measured && source.answer_unknown())
    trust += figure_text(", output as the first valid configuration's");
  text.trust = figure_text("%1, trial %2").arg(trust, format_count(headline.trial));
  return text;
}

void add_warning(HeadlineText& text, const QString& warning) {
  text.warning = text.warning.isEmpty() ? warning : warning + QLatin1Char(' ') + text.warning;
  text.warning_tip = text.warning_tip.isEmpty() ? warning : warning + QLatin1Char('\n') + text.warning_tip;
}

QString vendor_difference_text(std::span<const Source> sources) {
  std::vector<ComparedVendor> vendors;
  for (const Source& source : sources) {
    if (!source || !source->baselines.vendor.available()) continue;
    const VendorResult& vendor = source->baselines.vendor;
    vendors.push_back({vendor.name, vendor.algorithm, source->task().text});
  }
  return QString::fromStdString(vendor_difference_text(vendors, {"session", "sessions"}));
}

}  // namespace kernelscape
