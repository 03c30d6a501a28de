#include "ui/views/tune/headline_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "core/measure/cpu/machine_limits.h"
#include "ui/models/session_text.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape {
namespace {

constexpr int answer_spacing = 12;

QString text_of(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/** Share of the limit, and of the vendor's library or else of the median valid trial. */
QStringList comparison_texts(const SourceData& source) {
  QStringList texts;
  const double best = source.headline.seconds.median;
  const Quartiles vendor = quartiles(source.baselines.vendor.samples_seconds);
  if (vendor.median > 0) {
    texts << HeadlineBar::tr("%1 of %2")
                 .arg(format_percent(vendor.median / best),
                      QString::fromStdString(source.baselines.vendor.name));
  } else if (source.baselines.first_valid && !source.baselines.first_valid->samples_seconds.empty()) {
    const double first = quartiles(source.baselines.first_valid->samples_seconds).median;
    texts << HeadlineBar::tr("%1× the first valid configuration").arg(format_number(first / best, 3));
  }
  const SpeedLimit limit = speed_limit(source.baselines.limits, source.task());
  if (limit.gflops > 0) {
    texts << HeadlineBar::tr("%1 of %2")
                 .arg(format_percent(speed_of(source, best) / limit.gflops),
                      QString::fromStdString(limit.name));
  }
  return texts;
}

QString state_text(const SourceData& source, const std::optional<RunView>& run) {
  if (run && !has_ended(run->state)) {
    QString text = text_of(to_string(run->state));
    if (run->state == RunState::Running && run->phase != SessionPhase::Measuring)
      text = text_of(to_string(run->phase));
    if (run->trials_per_second > 0)
      text += HeadlineBar::tr(", %1 trials/s").arg(format_number(run->trials_per_second, 3));
    if (run->state == RunState::Running && run->seconds_left >= 0)
      text += QStringLiteral(", ") + format_duration_left(run->seconds_left);
    return text;
  }
  QString text = text_of(to_string(source.status.state));
  if (source.running()) {
    return HeadlineBar::tr("running in process %1, read-only here")
        .arg(source.owner ? source.owner->process_id : 0);
  }
  if (!source.status.state_reason.empty())
    text += QStringLiteral(": ") + QString::fromStdString(source.status.state_reason);
  return text;
}

/** What the engine said of the machine. */
QString warning_text(const std::optional<RunView>& run) {
  if (!run) return {};
  QStringList lines;
  for (const SessionMessage& message : run->messages) {
    if (message.kind == MessageKind::Machine) lines << QString::fromStdString(message.text);
  }
  return lines.join(QStringLiteral("; "));
}

/** Kernels that were built and never run have no speed: how many could be built is the answer. */
void show_builds(const SourceData& source, HeadlineText& text) {
  text.speed = HeadlineBar::tr("build only: no timings");
  const std::int64_t built = source.errors.of(ErrorCategory::NoError).trials;
  text.spread =
      HeadlineBar::tr("%1 of %2 kernels built").arg(format_count(built), format_count(source.trials.size()));
}

}  // namespace

HeadlineText headline_text(const SourceData& source, const std::optional<RunView>& run) {
  const SessionRecord& record = source.record();
  HeadlineText text;
  QStringList parts{QString::fromStdString(record.task_name), QString::fromStdString(record.target_name),
                    QString::fromStdString(record.template_name), session_tuner_text(record)};
  const bool seeded = record.kind == SessionKind::Measured || record.kind == SessionKind::Replayed;
  if (seeded) parts << HeadlineBar::tr("seed %1").arg(record.seed);
  parts.removeAll(QString());
  if (!record.name.empty()) parts.prepend(QString::fromStdString(record.name));
  text.what = parts.join(QStringLiteral(" · "));
  text.state = state_text(source, run);
  text.warning = warning_text(run);
  const Headline& headline = source.headline;
  if (source.build_only() && source.trials.size() > 0) {
    show_builds(source, text);
    return text;
  }
  if (headline.trial < 0) {
    text.speed =
        source.trials.size() == 0 ? HeadlineBar::tr("no trial yet") : HeadlineBar::tr("no valid trial yet");
    return text;
  }
  text.speed = speed_or_time_text(source, headline.seconds.median);
  text.spread = format_quantity(headline.seconds.median, QStringLiteral("s"));
  if (headline.seconds.third > 0) {
    text.spread += HeadlineBar::tr(" (%1 to %2)")
                       .arg(format_quantity(headline.seconds.first, QStringLiteral("s")),
                            format_quantity(headline.seconds.third, QStringLiteral("s")));
  }
  text.comparisons = comparison_texts(source);
  text.trust = HeadlineBar::tr("%1, trial %2")
                   .arg(trust_text(record, headline.confirmed), format_count(headline.trial));
  return text;
}

HeadlineBar::HeadlineBar(QWidget* parent)
    : QWidget(parent),
      what_(new ThemedLabel(TextSize::Small, &Colours::muted_text, this)),
      state_(new ThemedLabel(TextSize::Small, &Colours::muted_text, this)),
      speed_(new ThemedLabel(TextSize::Large, &Colours::accent, this)),
      spread_(new ThemedLabel(TextSize::Normal, &Colours::text, this)),
      comparisons_(new ThemedLabel(TextSize::Normal, &Colours::text, this)),
      trust_(new ThemedLabel(TextSize::Normal, &Colours::muted_text, this)),
      warning_(new ThemedLabel(TextSize::Small, &Colours::warning, this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 4, 8, 4);
  column->setSpacing(0);
  auto* top = new QHBoxLayout;
  top->setSpacing(16);
  what_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  top->addWidget(what_, 1);
  top->addWidget(state_);
  // In a narrow window what does not fit beside the speed stands below it.
  auto* answer = new FlowLayout(answer_spacing);
  for (ThemedLabel* label : {speed_, spread_, comparisons_, trust_}) answer->addWidget(label);
  speed_->set_bold(true);
  column->addLayout(top);
  column->addLayout(answer);
  warning_->setWordWrap(true);
  column->addWidget(warning_);
  for (QLabel* label : findChildren<QLabel*>()) label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  what_->setAccessibleName(tr("Session"));
  speed_->setAccessibleName(tr("Best so far"));
  align();
}

void HeadlineBar::show_text(const HeadlineText& text) {
  what_->setText(text.what);
  what_->setToolTip(text.what);
  state_->setText(text.state);
  speed_->setText(text.speed);
  spread_->setText(text.spread);
  comparisons_->setText(text.comparisons.join(QStringLiteral("   ")));
  trust_->setText(text.trust);
  warning_->setText(text.warning);
  warning_->setVisible(!text.warning.isEmpty());
  setAccessibleName(QStringList{text.what, text.state, text.speed, text.trust}.join(QStringLiteral(", ")));
}

void HeadlineBar::show_hint(const QString& text) {
  show_text(
      {.what = text, .state = {}, .speed = {}, .spread = {}, .comparisons = {}, .trust = {}, .warning = {}});
}

/** One line, whatever the sizes of its words. */
void HeadlineBar::align() {
  for (ThemedLabel* label : {spread_, comparisons_, trust_})
    label->setMinimumHeight(speed_->sizeHint().height());
}

void HeadlineBar::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::ApplicationFontChange) align();
}

}  // namespace kernelscape
