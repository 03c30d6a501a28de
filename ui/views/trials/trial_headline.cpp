#include "ui/views/trials/trial_headline.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

#include "core/analysis/trial_value.h"
#include "core/trial/failure_text.h"
#include "ui/models/session_text.h"
#include "ui/style/numbers.h"
#include "ui/views/trials/sample_strip.h"
#include "ui/widgets/category_swatch.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {

/** Shows a category's colour swatch. */
class CategorySign : public QWidget {
 public:
  CategorySign() { setFixedSize(24, 24); }
  void set_category(trial::ErrorCategory category) {
    category_ = category;
    setToolTip(QString::fromUtf8(trial::to_string(category).data()));
    update();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    widgets::paint_category_swatch(painter, QRectF(rect()), category_);
  }

 private:
  trial::ErrorCategory category_ = trial::ErrorCategory::NoError;
};

namespace {

/** Returns the line of the message that states the failure, such as the compiler's error. */
QString essential_line(const trial::Measurement& measurement) {
  return QString::fromStdString(trial::failure_text(measurement.category, measurement.message).text);
}

/** Returns "0.68 ms (0.67-0.69)" of the trial's own samples. */
QString own_samples_text(const analysis::TrialValue& value) {
  const TimeUnit unit = unit_for(value.seconds);
  QString text = style::format_quantity(value.seconds, QStringLiteral("s"));
  if (value.has_own_quartiles())
    text += QStringLiteral(" (%1 – %2)")
                .arg(style::format_number(value.samples.first * unit.factor),
                     style::format_number(value.samples.third * unit.factor));
  if (value.kind == trial::ObjectiveKind::Median) return text;
  text += QStringLiteral(", ") + QString::fromStdString(analysis::objective_text(value.kind));
  if (value.samples.count > 0)
    text += QStringLiteral(" · ") + QString::fromStdString(analysis::samples_text(value.samples));
  return text;
}

/** Returns the share of the best trial's speed, by times that were measured together if there are any. */
double share_of_best(const workspace::SourceData& source, std::int64_t row,
                     const std::optional<analysis::BestResult>& again) {
  if (again && again->confirmed_utc == source.headline.confirmed_utc)
    return source.headline.value.seconds / again->value.seconds;
  const auto own_seconds = [&](std::int64_t of) {
    const trial::Row trial = source.trials.row(of);
    return trial.median_seconds * trial.machine.correction;
  };
  return own_seconds(source.headline.row) / own_seconds(row);
}

/** Returns "0.68 ms (0.67-0.69), 97 % of the best"; the result of measuring again comes first. */
QString facts_of(const workspace::SourceData& source, const workspace::TrialDetails& details,
                 const std::optional<analysis::BestResult>& again) {
  const trial::Measurement& measurement = details.trial.measurement;
  const QString own = own_samples_text(analysis::trial_value(measurement));
  QStringList facts;
  if (again)
    facts << models::measured_again_fact(source, details.trial.number)
          << TrialHeadline::tr("its own samples: %1").arg(own);
  else
    facts << own;
  if (details.row == source.headline.row) {
    facts << TrialHeadline::tr("the best of the session");
  } else if (source.headline.row != analysis::no_row && measurement.ranking_seconds() > 0) {
    const double share = share_of_best(source, details.row, again);
    // A trial that is faster than the best can only be one that was slower when the best trials were measured
    // again.
    facts << (share > 1 ? TrialHeadline::tr("not the best when measured again")
                        : TrialHeadline::tr("%1 of the best").arg(style::format_percent(share)));
  }
  if (measurement.cut_short) facts << TrialHeadline::tr("stopped after one sample");
  return facts.join(QStringLiteral(" · "));
}

}  // namespace

QString speed_text(const workspace::SourceData& source, double seconds) {
  const double speed = workspace::speed_of(source, seconds);
  return source.flops() > 0 ? style::format_quantity(speed, QStringLiteral("GFLOPS"))
                            : TrialHeadline::tr("%1 calls/s").arg(style::format_number(speed));
}

TrialHeadline::TrialHeadline(QWidget* parent) : QWidget(parent) {
  sign_ = new CategorySign;
  result_ = new widgets::ThemedLabel(style::TextSize::Large, &style::Colours::accent);
  result_->set_bold(true);
  trial_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::text);
  facts_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text);
  for (widgets::ThemedLabel* label : {result_, trial_, facts_}) {
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  }
  // The result is never cut; the description of the trial is elided first.
  result_->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Preferred);
  auto* top = new QHBoxLayout;
  top->setSpacing(8);
  top->addWidget(sign_);
  top->addWidget(result_);
  top->addWidget(trial_, 1, Qt::AlignBottom);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(16, 8, 16, 8);
  all->setSpacing(4);
  all->addLayout(top);
  all->addWidget(facts_);
}

void TrialHeadline::show_trial(const workspace::SourceData& source, const workspace::TrialDetails& details) {
  const trial::Measurement& measurement = details.trial.measurement;
  sign_->set_category(measurement.category);
  trial_->setText(tr("trial %1 · batch %2 · known after %3")
                      .arg(style::format_count(details.trial.number),
                           style::format_count(details.trial.batch),
                           style::format_duration(details.trial.finished_seconds)));
  trial_->setToolTip(trial_->text());
  const bool only_built = measurement.valid() && measurement.ranking_seconds() <= 0;
  result_->set_colour(measurement.valid() ? &style::Colours::accent : &style::Colours::text);
  if (only_built) {
    result_->setText(tr("built"));
    facts_->setText(tr("build only: no timings"));
  } else if (measurement.valid()) {
    const std::optional<analysis::BestResult> again = models::measured_again(source, details.trial.number);
    result_->setText(speed_text(source, again ? again->value.seconds : measurement.ranking_seconds()));
    facts_->setText(facts_of(source, details, again));
  } else {
    const style::CategoryStyle& style = style::colours().of(measurement.category);
    result_->setText(
        QStringLiteral("%1 · %2").arg(QString(QLatin1Char(style.letter)),
                                      QString::fromUtf8(trial::to_string(measurement.category).data())));
    facts_->setText(essential_line(measurement));
  }
  facts_->setToolTip(facts_->text());
}

QString TrialHeadline::text() const { return result_->text() + QLatin1Char('\n') + facts_->text(); }

}  // namespace kernelscape::views
