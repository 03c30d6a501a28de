#include "ui/views/explore/roofline_page.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include "ui/style/numbers.h"
#include "ui/views/trials/why_text.h"
#include "ui/widgets/wrapped_label.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

constexpr int progress_steps = 1000;

QString level_text(base::MemoryLevel level) { return QString::fromUtf8(base::to_string(level).data()); }

/** Returns the counters of a call: "1.2 instructions per cycle at 3.1 GHz; 120 L1 misses, ...". */
QString counted_text(const trial::CounterReading& reading) {
  QStringList parts;
  if (const auto ratio = reading.instructions_per_cycle())
    parts.append(RooflinePage::tr("%1 instructions per cycle").arg(style::format_number(*ratio, 3)));
  if (const auto hertz = reading.hertz())
    parts.append(RooflinePage::tr("%1 GHz").arg(style::format_number(*hertz / style::giga, 3)));
  const auto add = [&](const std::optional<double>& value, const QString& text) {
    if (value) parts.append(text.arg(style::format_number(*value)));
  };
  add(reading.l1_misses, RooflinePage::tr("%1 L1 misses"));
  add(reading.l2_misses, RooflinePage::tr("%1 L2 misses"));
  add(reading.llc_misses, RooflinePage::tr("%1 misses of the last cache"));
  add(reading.stalled_cycles, RooflinePage::tr("%1 stalled cycles"));
  if (reading.task_clock_seconds)
    parts.append(RooflinePage::tr("%1 of processor time")
                     .arg(style::format_quantity(*reading.task_clock_seconds, QStringLiteral("s"))));
  add(reading.context_switches, RooflinePage::tr("%1 context switches"));
  return parts.isEmpty() ? RooflinePage::tr("No counter could be read.")
                         : RooflinePage::tr("Counted per call: %1.").arg(parts.join(QStringLiteral(", ")));
}

}  // namespace

RooflinePage::RooflinePage(workspace::Workspace& workspace, RooflineMeasuring measuring, QWidget* parent)
    : ExplorePage(workspace, tr("Roofline"), parent),
      measuring_(std::move(measuring)),
      chart_(new charts::RooflineChart(this)),
      answer_(new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::text, this)),
      details_(new widgets::WrappedLabel(style::TextSize::Small, &style::Colours::muted_text, this)) {
  answer_->set_bold(true);
  answer_->setAccessibleName(tr("Compute or memory"));
  details_->setAccessibleName(tr("Counter values"));
  for (widgets::WrappedLabel* label : {answer_, details_})
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(make_controls());
  layout->addWidget(answer_);
  layout->addWidget(details_);
  layout->addWidget(make_panel({}, chart_), 1);
  connect(chart_, &charts::XyChart::rows_selected, this, [this](const std::vector<qint64>& rows) {
    if (!this->shown()) return;
    const std::vector<std::int64_t> list(rows.begin(), rows.end());
    emit rows_picked(analysis::RowSet::of(this->shown()->source->trials.size(), list), {});
  });
  connect(chart_, &charts::RooflineChart::layer_activated, this, &RooflinePage::open_layer);
  connect(&jobs(), &workspace::JobTracker::busy_changed, progress_, &QWidget::setVisible);
  connect(&jobs(), &workspace::JobTracker::progressed, this,
          [this](double fraction) { progress_->setValue(static_cast<int>(fraction * progress_steps)); });
  connect(&measuring_job_, &workspace::JobTracker::busy_changed, this, &RooflinePage::show_buttons);
  show_buttons();
}

RooflinePage::~RooflinePage() { stop_measuring(); }

QWidget* RooflinePage::make_controls() {
  level_box_ = new QComboBox;
  for (auto level = base::memory_levels.rbegin(); level != base::memory_levels.rend(); ++level)
    level_box_->addItem(level_text(*level), static_cast<int>(*level));
  level_box_->setAccessibleName(tr("Memory level of the intensity"));
  level_box_->setToolTip(level_box_->accessibleName());
  auto* label = new QLabel(tr("Bytes of"));
  label->setBuddy(level_box_);
  layers_ = new QCheckBox(tr("Layers of the network"));
  layers_->setToolTip(
      tr("Shows the best kernel of each layer of this session's network as a square; a click opens its "
         "session"));
  layers_->setChecked(true);
  layers_->hide();
  measure_ = new QPushButton(tr("Measure this machine's ceilings"));
  measure_->setToolTip(
      tr("Measures the FMA peak, the 8-bit peak, and the bandwidth of each cache and of memory. Takes a "
         "second or two once the device is free. The results are stored in the database"));
  count_ = new QPushButton(tr("Count this trial"));
  count_->setToolTip(
      tr("Builds the current trial's kernel again and runs it with the processor's counters: cycles, "
         "instructions, misses. The ranking of trials does not change"));
  progress_ = new QProgressBar;
  progress_->setRange(0, progress_steps);
  progress_->setTextVisible(false);
  progress_->setMaximumWidth(120);
  progress_->setAccessibleName(tr("Loop nests whose traffic is estimated"));
  progress_->hide();
  auto* controls = new QWidget;
  auto* line = new QHBoxLayout(controls);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(8);
  for (QWidget* widget :
       std::initializer_list<QWidget*>{label, level_box_, layers_, measure_, count_, progress_})
    line->addWidget(widget);
  line->addStretch(1);
  connect(level_box_, &QComboBox::currentIndexChanged, this, &RooflinePage::refresh);
  connect(layers_, &QCheckBox::toggled, this, &RooflinePage::refresh);
  connect(measure_, &QPushButton::clicked, this, &RooflinePage::measure_ceilings_now);
  connect(count_, &QPushButton::clicked, this, &RooflinePage::count_current_trial);
  return controls;
}

/** Returns true if a kernel was timed whose loop nest is known. */
bool RooflinePage::has_content(const figures::ShownTrials& shown) {
  return shown.valid > 0 && !shown.source->of_project();
}

void RooflinePage::compute() {
  asked_row_ = workspace().current_row();
  figures::RooflineQuery query{shown(),
                               workspace().database(),
                               workspace().selection(),
                               static_cast<base::MemoryLevel>(level_box_->currentData().toInt()),
                               asked_row_,
                               layers_->isChecked()};
  jobs().start(
      [query = std::move(query), before = parts_](const workspace::JobControl& control) {
        return figures::roofline_of(query, before, control);
      },
      [this](const figures::RooflineOutcome& outcome) { show_outcome(outcome); });
}

void RooflinePage::show_outcome(const figures::RooflineOutcome& outcome) {
  parts_ = outcome.parts;
  outcome.figure.show_in(*chart_);
  const bool of_network = parts_.network != nullptr;
  if (!of_network && layers_->hasFocus()) chart_->setFocus();
  layers_->setVisible(of_network);
  show_buttons();
  chart_->set_current_row(workspace().current_row());
  show_place();
}

void RooflinePage::open_layer(qint64 layer) {
  const auto place = static_cast<std::size_t>(layer);
  if (!parts_.network || place >= parts_.network->sessions.size()) return;
  const store::SessionId session = parts_.network->sessions[place];
  if (session != 0 && shown() && session != shown()->source->id()) workspace().open_session(session);
}

std::optional<std::int64_t> RooflinePage::current_trial() {
  const std::int64_t row = workspace().current_row();
  if (!shown() || row < 0 || row >= shown()->source->trials.size()) return std::nullopt;
  return shown()->source->trials.row(row).number;
}

/** Shows the current trial. It is added to the figure if it was not among the drawn trials. */
void RooflinePage::show_current() {
  const std::int64_t row = workspace().current_row();
  chart_->set_current_row(row);
  show_buttons();
  if (row >= 0 && row != asked_row_ && !chart_->shows(row)) return refresh_after_job();
  show_place();
}

void RooflinePage::show_place() {
  const std::optional<std::int64_t> trial = current_trial();
  if (!trial || !isVisible()) {
    place_job_.cancel();
    answer_->setText(trial ? QString() : tr("Choose a trial to see whether compute or memory bounds it."));
    details_->clear();
    return;
  }
  place_job_.start(
      [database = workspace().database(), session = shown()->source->id(),
       number = *trial](const workspace::JobControl&) -> Result<session::TrialRoofline> {
        const store::Store store = TRY(store::Store::open(database, store::OpenMode::ReadOnly));
        return session::roofline_of_trial(store, session, number);
      },
      [this, number = *trial](const Result<session::TrialRoofline>& roofline) {
        if (!roofline) {
          answer_->setText(
              tr("Trial %1: %2")
                  .arg(style::format_count(number), QString::fromStdString(roofline.error().message)));
          return details_->setText(QString::fromStdString(roofline.error().hint));
        }
        answer_->setText(
            tr("Trial %1, %2")
                .arg(style::format_count(number), QString::fromStdString(roofline->place.sentence)));
        QStringList lines;
        if (roofline->counters)
          lines = {counted_text(*roofline->counters), missing_counters_text(*roofline->counters)};
        for (const std::string& notice : roofline->place.notices)
          lines.append(QString::fromStdString(notice) + QLatin1Char('.'));
        lines.removeAll(QString());
        details_->setText(lines.join(QLatin1Char(' ')));
      });
}

void RooflinePage::show_buttons() {
  const bool ready = parts_.kernels && !measuring_job_.busy();
  enable(*measure_, ready);
  enable(*count_, ready && current_trial().has_value());
}

/**
 * Enables or disables a button. A disabled widget passes the keyboard focus to another part of the window, so
 * the focus is moved to the page.
 */
void RooflinePage::enable(QPushButton& button, bool enabled) {
  if (!enabled && button.hasFocus()) chart_->setFocus();
  button.setEnabled(enabled);
}

void RooflinePage::measure_ceilings_now() {
  if (!parts_.kernels || measuring_job_.busy()) return;
  stop_ = std::make_shared<session::StopRequest>();
  measuring_job_.start(
      [database = workspace().database(), measure = measuring_.ceilings, kernels = parts_.kernels,
       stop = stop_](const workspace::JobControl&) -> Result<trial::MachineCeilings> {
        store::Store store = TRY(store::Store::open(database));
        return measure(store, kernels->kernel.target(), kernels->threads, *stop);
      },
      [this, stop = stop_](const Result<trial::MachineCeilings>& measured) {
        if (!measured && stop->level() == 0) workspace().notices().fail(measured.error());
        if (measured) emit notified(tr("The machine's ceilings were measured and stored."));
        refresh_after_job();
      });
}

void RooflinePage::count_current_trial() {
  const std::optional<std::int64_t> trial = current_trial();
  if (!trial || measuring_job_.busy()) return;
  stop_ = std::make_shared<session::StopRequest>();
  measuring_job_.start(
      [database = workspace().database(), count = measuring_.count, session = shown()->source->id(),
       number = *trial, stop = stop_](const workspace::JobControl&) -> Result<trial::CounterReading> {
        store::Store store = TRY(store::Store::open(database));
        return count(store, session, number, *stop);
      },
      [this, stop = stop_](const Result<trial::CounterReading>& reading) {
        if (!reading && stop->level() == 0) workspace().notices().fail(reading.error());
        refresh_after_job();
      });
}

void RooflinePage::stop_measuring() {
  if (stop_) stop_->stop_at_once();
}

void RooflinePage::forget() {
  place_job_.cancel();
  parts_ = {};
  asked_row_ = -1;
  show_buttons();
}

}  // namespace kernelscape::views
