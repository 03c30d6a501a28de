#include "ui/views/trials/why_panel.h"

#include <QAction>
#include <QEvent>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "core/measure/line_shares.h"
#include "core/session/advice.h"
#include "ui/style/numbers.h"
#include "ui/views/trials/instruction_panel.h"
#include "ui/views/trials/listing_file.h"
#include "ui/views/trials/why_numbers.h"
#include "ui/views/trials/why_text.h"
#include "ui/widgets/themed_label.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

constexpr QSize window_size(1200, 800);

QString subject_title(const workspace::SourceData& source, std::int64_t trial) {
  return WhyPanel::tr("trial %1 of session %2, %3")
      .arg(style::format_count(trial), style::format_count(source.id()),
           QString::fromStdString(source.record().task_name));
}

std::int64_t vector_registers_of(const workspace::SourceData& source) {
  const std::optional<schedule::TargetDescription>& target = source.origin->target;
  return target && target->kind == schedule::TargetKind::Cpu ? target->vector_registers : 0;
}

QString uncountable_text(const workspace::SourceData& source, const trial::Trial& trial) {
  const std::optional<schedule::TargetDescription>& target = source.origin->target;
  if (target && target->kind != schedule::TargetKind::Cpu)
    return WhyPanel::tr("Only CPU kernels can be counted. Use the vendor's profiler for a GPU kernel.");
  if (trial.measurement.median_seconds() <= 0)
    return WhyPanel::tr("This kernel was not timed, and only timed kernels can be counted.");
  return {};
}

InsightSubject subject_of(const workspace::SourceData& source, const trial::Trial& trial) {
  return {subject_title(source, trial.number), vector_registers_of(source), source.id(), trial.number,
          uncountable_text(source, trial)};
}

}  // namespace

WhyPanel::WhyPanel(workspace::Workspace& workspace, TrialCounting counting, QWidget* parent)
    : QWidget(parent), workspace_(workspace), count_(std::move(counting)) {
  state_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text);
  state_->setAlignment(Qt::AlignCenter);
  state_->setWordWrap(true);
  state_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  state_->setMargin(2 * style::grid_pixels);
  stack_ = new QStackedWidget;
  stack_->addWidget(state_);
  views_ = new WhyViews;
  stack_->addWidget(views_);
  listing_ = new ListingFile(workspace_.notices(), *this);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(stack_);
  connect_views();
  views_->arrange(size());
}

WhyPanel::~WhyPanel() {
  if (stop_) stop_->stop_at_once();
}

void WhyPanel::connect_views() {
  connect(views_, &WhyViews::notified, this, &WhyPanel::notified);
  connect(views_, &WhyViews::height_wanted, this, &WhyPanel::height_wanted);
  connect(listing_, &ListingFile::saved, this,
          [this](const QString& path) { emit notified(tr("The listing was written to %1.").arg(path)); });
  const InstructionPanel& shown = instructions();
  connect(&shown, &InstructionPanel::code_changed, this, &WhyPanel::show_code);
  connect(&shown, &InstructionPanel::save_requested, this, &WhyPanel::save_listing);
  connect(&shown, &InstructionPanel::window_requested, this, &WhyPanel::open_window);
  connect(&numbers(), &WhyNumbers::count_requested, this, &WhyPanel::count_now);
}

void WhyPanel::set_trial(const workspace::Source& source,
                         const std::shared_ptr<const workspace::TrialDetails>& details) {
  const bool same = trial_source_ && trial_source_->origin == source->origin && details_ &&
                    details_->trial.number == details->trial.number && (insight() || job_.busy());
  trial_source_ = source;
  details_ = details;
  if (same) return;
  job_.cancel();
  views_->clear();
  done_ = false;
  show_state({});
  if (isVisible()) build();
}

void WhyPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  build();
  views_->ask_for_height_soon();
}

void WhyPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  views_->arrange(size());
}

void WhyPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::ApplicationFontChange && views_ != nullptr) views_->arrange(size());
}

void WhyPanel::build() {
  if (done_ || !details_) return;
  done_ = true;
  const std::int64_t trial = details_->trial.number;
  const InsightSubject subject = subject_of(*trial_source_, details_->trial);
  if (const InsightCache::Entry* known = cache_.find(*trial_source_->origin, trial)) {
    show_insight(known->insight, subject);
    if (known->counters) counters_ = known->counters;
    show_shares_and_advice();
    return show_counting();
  }
  if (details_->source_text.empty()) {
    show_state(tr("The instructions are not known, because the kernel's source can't be regenerated:\n%1")
                   .arg(QString::fromStdString(details_->source_problem)));
    return;
  }
  show_state(tr("Building trial %1 once more, with line tables …").arg(style::format_count(trial)));
  job_.start(
      [database = workspace_.database(), source = trial_source_,
       details = details_](const workspace::JobControl& control) -> Result<workspace::TrialInsight> {
        if (!control.proceed()) return workspace::TrialInsight();
        return workspace::trial_insight(database, *source, details->trial);
      },
      [this, origin = trial_source_->origin, trial, subject](Result<workspace::TrialInsight> made) {
        if (!made) return show_state(QString::fromStdString(describe(made.error())));
        auto insight = std::make_shared<const workspace::TrialInsight>(std::move(*made));
        // A compiler or a worker may be available the next time.
        if (insight->kernel.code_problem.empty()) cache_.add({origin, trial, insight});
        show_insight(std::move(insight), subject);
      });
}

QString WhyPanel::state() const { return stack_->currentWidget() == state_ ? state_->text() : QString(); }

void WhyPanel::show_state(const QString& text) {
  state_->setText(text);
  stack_->setCurrentWidget(state_);
}

void WhyPanel::show_insight(std::shared_ptr<const workspace::TrialInsight> insight,
                            const InsightSubject& subject) {
  done_ = true;
  subject_ = subject;
  views_->show_texts(std::move(insight), size());
  counters_ = views_->insight()->counters;
  counting_problem_.clear();
  show_counting();
  stack_->setCurrentWidget(views_);
  views_->show_instructions();
  views_->ask_for_height_soon();
}

/** Shows the numbers and the selection of the shown code. */
void WhyPanel::show_code() {
  const measure::KernelInsight& kernel = insight()->kernel;
  const machine_code::MachineCode& code = *instructions().code();
  numbers().show_loop(&code == &kernel.shown_code() ? kernel.bound() : nullptr,
                      kernel.code_problem.empty() ? mix_facts(kernel, code, subject_.vector_registers)
                                                  : std::vector<InsightFact>());
  show_shares_and_advice();
  views_->select_hot_loop();
}

/** Shows the shares of the lines and the advice, which depend on the counters. */
void WhyPanel::show_shares_and_advice() {
  const measure::KernelInsight& kernel = insight()->kernel;
  const trial::CounterReading* counters = counters_ ? &*counters_ : nullptr;
  const measure::LineShares shares = measure::line_shares(*instructions().code(), counters);
  views_->show_shares(shares);
  const session::AdviceFacts facts{
      .insight = &kernel, .schedule = &insight()->schedule, .counters = counters};
  const std::vector<session::Advice> found = session::advise(facts);
  QStringList sentences;
  QStringList sources;
  for (const session::Advice& advice : found) {
    sentences.append(
        tr("%1. %2").arg(style::format_count(sentences.size() + 1), QString::fromStdString(advice.sentence)));
    sources.append(
        tr("%1. %2").arg(style::format_count(sources.size() + 1), QString::fromStdString(advice.source)));
  }
  if (found.empty()) sentences.append(QString::fromStdString(session::no_advice_text(facts)));
  numbers().show_advice(sentences, sources);
  QStringList notes;
  if (shares.kind != measure::ShareKind::None)
    notes.append(tr("Beside the lines: share of %1.").arg(QString::fromStdString(shares.text())));
  if (!kernel.compiler.empty()) notes.append(tr("Built by %1.").arg(QString::fromStdString(kernel.compiler)));
  for (const std::string& note : kernel.notes) notes.append(QString::fromStdString(note));
  numbers().show_notes(notes);
}

/** Shows the counters, and why counters are missing. */
void WhyPanel::show_counting() {
  numbers().show_counters(counters_ ? counter_facts(*counters_) : std::vector<InsightFact>());
  QString text =
      counters_ ? missing_counters_text(*counters_) : tr("Nothing was counted for this kernel yet.");
  if (!counting_problem_.isEmpty()) text = counting_problem_;
  if (counting_job_.busy()) text = tr("A kernel is counted as soon as the device is free …");
  if (!subject_.uncountable.isEmpty()) text = subject_.uncountable;
  numbers().show_counting(text, !counting_job_.busy() && subject_.uncountable.isEmpty());
}

void WhyPanel::count_now() {
  if (!insight() || counting_job_.busy() || !subject_.uncountable.isEmpty()) return;
  stop_ = std::make_shared<session::StopRequest>();
  counting_problem_.clear();
  counting_job_.start(
      [database = workspace_.database(), count = count_, session = subject_.session, trial = subject_.trial,
       stop = stop_](const workspace::JobControl&) -> Result<trial::CounterReading> {
        store::Store store = TRY(store::Store::open(database));
        return count(store, session, trial, *stop);
      },
      [this, counted = insight()](const Result<trial::CounterReading>& reading) {
        take_counters(counted, reading);
      });
  show_counting();
}

/** Stores the counters. Another kernel may be shown meanwhile; the selection in the shown kernel stays. */
void WhyPanel::take_counters(const std::shared_ptr<const workspace::TrialInsight>& counted,
                             const Result<trial::CounterReading>& reading) {
  if (reading) cache_.set_counters(*counted, *reading);
  if (insight() != counted) {
    if (!reading) workspace_.notices().fail(reading.error());
  } else if (reading) {
    counters_ = *reading;
    show_shares_and_advice();
  } else {
    counting_problem_ = QString::fromStdString(describe(reading.error()));
  }
  show_counting();
}

void WhyPanel::save_listing() {
  if (insight()) listing_->save({insight(), instructions().code(), subject_.title});
}

/** Opens a separate window with the same kernel, which does not change when another trial is chosen. */
void WhyPanel::open_window() {
  if (!insight()) return;
  auto* panel = new WhyPanel(workspace_, count_, window());
  panel->setWindowFlag(Qt::Window);
  panel->setAttribute(Qt::WA_DeleteOnClose);
  panel->setWindowTitle(tr("Why: %1").arg(subject_.title));
  panel->resize(window_size);
  auto* close = new QAction(tr("Close"), panel);
  close->setShortcuts({QKeySequence(QKeySequence::Close), QKeySequence(Qt::Key_Escape)});
  connect(close, &QAction::triggered, panel, &QWidget::close);
  panel->addAction(close);
  connect(panel, &WhyPanel::notified, this, &WhyPanel::notified);
  panel->show_insight(insight(), subject_);
  panel->counters_ = counters_;
  panel->show_shares_and_advice();
  panel->show_counting();
  panel->show();
}

}  // namespace kernelscape::views
