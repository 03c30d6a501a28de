#include "ui/views/trials/difference_panel.h"

#include <QComboBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/style/numbers.h"
#include "ui/views/trials/code_panel.h"

namespace kernelscape::views {

DifferencePanel::DifferencePanel(QWidget* parent) : QWidget(parent) {
  code_ = new CodePanel(widgets::CodeLanguage::C, tr("Difference"));
  other_ = new QComboBox;
  other_->setAccessibleName(tr("Compare with"));
  other_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  beside_ = new QToolButton;
  beside_->setText(tr("Side by side …"));
  beside_->setToolTip(
      tr("Shows both kernels in a window: speeds, hot loops, sources and conclusions from their numbers"));
  beside_->setAutoRaise(true);
  beside_->setAccessibleName(tr("Compare both kernels side by side"));
  beside_->setFocusPolicy(Qt::StrongFocus);
  // Each control is inserted before those that were added already.
  code_->add_control(beside_);
  code_->add_control(other_);
  connect(beside_, &QToolButton::clicked, this,
          [this] { emit pair_requested(details_->row, other_->currentData().value<qint64>()); });
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(code_);
  connect(other_, &QComboBox::activated, this, [this] {
    done_ = false;
    compare();
  });
  connect(code_, &CodePanel::notified, this, &DifferencePanel::notified);
}

void DifferencePanel::set_trial(const workspace::Source& source,
                                const std::shared_ptr<const workspace::TrialDetails>& details,
                                std::int64_t previous_row) {
  source_ = source;
  details_ = details;
  previous_row_ = previous_row;
  fill_choices();
  compare_if_visible();
}

void DifferencePanel::follow_best(const workspace::Source& source) {
  if (!details_) return;
  source_ = source;
  const QVariant compared = other_->currentData();
  fill_choices();
  // A comparison with the same trial is still true; without another trial the panel's text may not be.
  if (other_->count() == 0 || other_->currentData() != compared) compare_if_visible();
}

void DifferencePanel::compare_if_visible() {
  job_.cancel();
  done_ = false;
  code_->set_state({});
  if (isVisible()) compare();
}

/** Fills the choices. The chosen kind of trial stays chosen if it is available. */
void DifferencePanel::fill_choices() {
  const QString chosen = other_->currentText().section(QLatin1Char(','), 0, 0);
  other_->clear();
  const auto add = [&](const QString& what, std::int64_t row) {
    if (row == analysis::no_row || row == details_->row || row >= source_->trials.size()) return;
    other_->addItem(QStringLiteral("%1, %2").arg(
                        what, tr("trial %1").arg(style::format_count(source_->trials.row(row).number))),
                    QVariant::fromValue(static_cast<qint64>(row)));
    if (what == chosen) other_->setCurrentIndex(other_->count() - 1);
  };
  add(tr("the best"), source_->headline.row);
  if (previous_row_ != source_->headline.row) add(tr("the previous trial"), previous_row_);
  other_->setVisible(other_->count() > 0);
  beside_->setVisible(other_->count() > 0);
}

void DifferencePanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  compare();
}

void DifferencePanel::compare() {
  if (done_ || !details_) return;
  done_ = true;
  if (other_->count() == 0) {
    code_->set_state(
        source_->build_only() ? tr("Build only: there is no best trial. Choose another trial, then return to "
                                   "this one to compare them.")
        : details_->row == source_->headline.row
            ? tr("This is the best trial. Choose another one to compare them.")
            : tr("There is no other trial to compare with: none is valid yet, and none was current before."));
    return;
  }
  if (details_->source_text.empty()) {
    code_->set_state(tr("The kernel's source can't be regenerated:\n%1")
                         .arg(QString::fromStdString(details_->source_problem)));
    return;
  }
  code_->view().set_dialect(details_->dialect);
  code_->set_state(tr("Comparing …"));
  const std::int64_t other = other_->currentData().value<qint64>();
  job_.start(
      [source = source_, details = details_,
       other](const workspace::JobControl& control) -> Result<DifferenceText> {
        if (!control.proceed()) return DifferenceText();
        const auto kernel = TRY(details->family->source(source->trials.configuration(other)));
        return difference_text(kernel.text, details->source_text);
      },
      [this](const Result<DifferenceText>& comparison) { show_comparison(comparison); });
}

void DifferencePanel::show_comparison(const Result<DifferenceText>& comparison) {
  if (!comparison) {
    code_->set_state(QString::fromStdString(describe(comparison.error())));
  } else if (comparison->added + comparison->removed == 0) {
    code_->set_state(tr("Both trials have the same source."));
  } else {
    code_->set_marked_code(comparison->code, tr("%1 lines fewer, %2 lines more")
                                                 .arg(style::format_count(comparison->removed),
                                                      style::format_count(comparison->added)));
  }
}

}  // namespace kernelscape::views
