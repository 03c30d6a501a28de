#include "ui/views/tune/remeasure_dialog.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/style/numbers.h"
#include "ui/widgets/wrapped_label.h"

namespace kernelscape::views {
namespace {

constexpr int remeasure_dialog_width = 460;

}  // namespace

RemeasureDialog::RemeasureDialog(workspace::Workspace& workspace, workspace::MeasuringAgain& measuring,
                                 workspace::Source source, std::int64_t row, QWidget* parent)
    : QDialog(parent),
      workspace_(workspace),
      measuring_(measuring),
      source_(std::move(source)),
      row_(row),
      trial_(source_->trials.row(row).number),
      message_(new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::text)),
      measure_(new QPushButton) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Measure trial %1 again").arg(style::format_count(trial_)));
  setMinimumWidth(remeasure_dialog_width);
  auto* text = new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::text);
  text->setTextFormat(Qt::PlainText);
  text->setText(tr("Builds the kernel of trial %1 again, and measures it in turns with the session's best "
                   "trials and the vendor's library, so that all times are of the same state of the machine. "
                   "The result is stored with the session and replaces its last confirmation. The samples of "
                   "the trials stay. If another process holds the device, the measurement waits for it.")
                    .arg(style::format_count(trial_)));
  message_->setTextFormat(Qt::PlainText);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  measure_->setDefault(true);
  auto* close = new QPushButton(tr("Close"));
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  buttons->addWidget(close);
  buttons->addWidget(measure_);
  auto* column = new QVBoxLayout(this);
  column->setSpacing(style::grid_pixels);
  column->addWidget(text);
  column->addWidget(message_);
  column->addStretch(1);
  column->addLayout(buttons);
  connect(measure_, &QPushButton::clicked, this, &RemeasureDialog::measure_or_stop);
  connect(close, &QPushButton::clicked, this, &QDialog::reject);
  connect(&measuring_, &workspace::MeasuringAgain::started, this, &RemeasureDialog::show_state);
  connect(&measuring_, &workspace::MeasuringAgain::finished, this, &RemeasureDialog::show_found);
  connect(&workspace_, &workspace::Workspace::source_changed, this, &RemeasureDialog::take_snapshot);
  connect(&workspace_, &workspace::Workspace::source_updated, this, &RemeasureDialog::take_snapshot);
  show_state();
}

QString RemeasureDialog::message() const { return message_->text(); }

/** Returns why the trial can't be measured again; empty: it can. */
QString RemeasureDialog::problem() const {
  const trial::Row trial = source_->trials.row(row_);
  if (source_->record().kind != store::SessionKind::Measured)
    return tr("The session was not measured on this machine, so its kernels can't be measured again.");
  if (source_->build_only()) return tr("The session only builds its kernels: it has no times.");
  if (trial.category != trial::ErrorCategory::NoError)
    return tr("The trial failed. Only a kernel that ran can be measured again.");
  if (source_->running()) return tr("The session is running. Pause or stop it first.");
  if (measuring_.busy() && !mine_) return tr("Another measurement is in progress. Wait until it has ended.");
  return {};
}

void RemeasureDialog::measure_or_stop() {
  if (mine_) {
    measuring_.stop();
    message_->setText(tr("Stopping…"));
    measure_->setEnabled(false);
  } else if (problem().isEmpty()) {
    mine_ = true;
    found_ = {};
    measuring_.start(source_->id(), trial_);
  }
}

/** Shows what was found, and below it why the trial can't be measured again now. */
void RemeasureDialog::show_state() {
  const QString reason = problem();
  measure_->setText(mine_ ? tr("Stop") : tr("Measure"));
  measure_->setEnabled(reason.isEmpty());
  QStringList lines;
  if (mine_) lines.append(tr("Measuring trial %1 again…").arg(style::format_count(trial_)));
  if (!found_.text.isEmpty()) lines.append(found_.text);
  if (!mine_ && !reason.isEmpty()) lines.append(reason);
  const bool good = reason.isEmpty() && (found_.text.isEmpty() || found_.measured);
  message_->set_colour(good ? &style::Colours::text : &style::Colours::warning);
  message_->setText(lines.join(QLatin1Char('\n')));
}

void RemeasureDialog::show_found(store::SessionId, bool measured, const QString& found) {
  if (std::exchange(mine_, false))
    found_ = {measured, found.isEmpty() ? tr("Stopped: nothing was measured.") : found};
  show_state();
}

/** Takes the newer snapshot of the session, whose state or trial may have changed. */
void RemeasureDialog::take_snapshot() {
  const workspace::Source& now = workspace_.source();
  if (!now || now->id() != source_->id()) return;
  source_ = now;
  if (!mine_) show_state();
}

}  // namespace kernelscape::views
