#include "ui/views/trials/why_panel.h"

#include <QEvent>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "core/measure/line_shares.h"
#include "core/session/advice.h"
#include "ui/style/numbers.h"
#include "ui/views/trials/code_panel.h"
#include "ui/views/trials/instruction_panel.h"
#include "ui/views/trials/stage_panel.h"
#include "ui/views/trials/why_numbers.h"
#include "ui/views/trials/why_text.h"
#include "ui/widgets/wrapped_label.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

constexpr std::size_t max_cached_insights = 4;
constexpr QSize min_code_size(20 * style::grid_pixels, 12 * style::grid_pixels);

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

/** Returns the shares by line of the loop nest: the sums over the source lines written from each. */
std::vector<double> nest_shares(const measure::KernelInsight& kernel, const measure::LineShares& shares) {
  std::vector<double> result;
  for (std::size_t i = 0; i < shares.source.size(); ++i) {
    const int line = kernel.map.nest_line(static_cast<int>(i) + 1);
    if (line <= 0) continue;
    const auto place = static_cast<std::size_t>(line) - 1;
    if (result.size() <= place) result.resize(place + 1);
    result[place] += shares.source[i];
  }
  return result;
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
  make_content();
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(stack_);
  connect_views();
  arrange();
}

WhyPanel::~WhyPanel() {
  if (stop_) stop_->stop_at_once();
}

void WhyPanel::make_content() {
  sentence_ = new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::text);
  sentence_->set_bold(true);
  sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  sentence_->setContentsMargins(2 * style::grid_pixels, style::grid_pixels / 2, 2 * style::grid_pixels,
                                style::grid_pixels / 2);
  numbers_ = new WhyNumbers;
  stages_ = new StagePanel;
  nest_ = new CodePanel(widgets::CodeLanguage::Plain, tr("Loop nest"));
  source_ = new CodePanel(widgets::CodeLanguage::C, tr("Kernel source"));
  instructions_ = new InstructionPanel;
  tabs_ = new QTabWidget;
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("Views of the kernel"));
  columns_ = new QSplitter(Qt::Horizontal);
  columns_->setChildrenCollapsible(false);
  columns_->addWidget(tabs_);
  stages_and_nest_ = new QSplitter(Qt::Vertical);
  stages_and_nest_->setChildrenCollapsible(false);
  stages_and_nest_->addWidget(stages_);
  columns_->addWidget(stages_and_nest_);
  rows_ = new QSplitter(Qt::Vertical);
  rows_->addWidget(columns_);
  // Less than three views need side by side: in a narrow panel they become tabs.
  rows_->setMinimumSize(min_code_size);
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(sentence_);
  column->addWidget(rows_, 1);
  stack_->addWidget(content);
}

void WhyPanel::connect_views() {
  for (CodePanel* panel : {nest_, source_, static_cast<CodePanel*>(instructions_)})
    connect(panel, &CodePanel::notified, this, &WhyPanel::notified);
  connect(stages_, &StagePanel::notified, this, &WhyPanel::notified);
  const auto link = [this](CodePanel* panel, auto links_of_line) {
    const auto lines_of = [this, links_of_line](int line) {
      return insight_ && line >= 0 ? links_of_line(insight_->kernel, *instructions_->code(), line)
                                   : LinkedLines();
    };
    connect(&panel->view(), &widgets::CodeView::line_chosen, this,
            [this, panel, lines_of](int line) { select_from(lines_of(line), panel); });
    connect(&panel->view(), &widgets::CodeView::line_hovered, this,
            [this, panel, lines_of](int line) { hint(lines_of(line), panel); });
  };
  link(nest_, links_of_nest_line);
  link(source_, links_of_source_line);
  const auto lines_of_node = [this](int node) {
    return insight_ ? links_of_node(insight_->kernel, *instructions_->code(), node) : LinkedLines();
  };
  connect(stages_, &StagePanel::node_chosen, this,
          [this, lines_of_node](int node) { select_from(lines_of_node(node), stages_); });
  connect(stages_, &StagePanel::node_hovered, this,
          [this, lines_of_node](int node) { hint(lines_of_node(node), stages_); });
  connect(instructions_, &InstructionPanel::machine_lines_chosen, this, [this](int first, int last) {
    if (!insight_) return;
    const machine_code::MachineCode& code = *instructions_->code();
    select_from(first == last
                    ? links_of_machine_line(insight_->kernel, code, first)
                    : links_of_machine_lines(insight_->kernel, code, static_cast<std::size_t>(first),
                                             static_cast<std::size_t>(last)),
                instructions_);
  });
  connect(instructions_, &InstructionPanel::machine_line_hovered, this, [this](int line) {
    hint(insight_ ? links_of_machine_line(insight_->kernel, *instructions_->code(), line) : LinkedLines(),
         instructions_);
  });
  connect(instructions_, &InstructionPanel::code_changed, this, &WhyPanel::show_code);
  connect(instructions_, &InstructionPanel::save_requested, this, &WhyPanel::ask_where_to_save);
  connect(instructions_, &InstructionPanel::window_requested, this, &WhyPanel::open_window);
  connect(tabs_, &QTabWidget::currentChanged, this, &WhyPanel::ask_for_height_soon);
  connect(numbers_, &WhyNumbers::count_requested, this, &WhyPanel::count_now);
}

void WhyPanel::set_trial(const workspace::Source& source,
                         const std::shared_ptr<const workspace::TrialDetails>& details) {
  const bool same = trial_source_ && trial_source_->origin == source->origin && details_ &&
                    details_->trial.number == details->trial.number && (insight_ || job_.busy());
  trial_source_ = source;
  details_ = details;
  if (same) return;
  job_.cancel();
  insight_.reset();
  done_ = false;
  show_state({});
  if (isVisible()) build();
}

void WhyPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  build();
  ask_for_height_soon();
}

void WhyPanel::build() {
  if (done_ || !details_) return;
  done_ = true;
  const std::int64_t trial = details_->trial.number;
  const InsightSubject subject = subject_of(*trial_source_, details_->trial);
  if (const CachedInsight* known = cached(*trial_source_->origin, trial)) {
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
        if (insight->kernel.code_problem.empty()) keep({origin, trial, insight});
        show_insight(std::move(insight), subject);
      });
}

const WhyPanel::CachedInsight* WhyPanel::cached(const workspace::SourceOrigin& origin,
                                                std::int64_t trial) const {
  for (const CachedInsight& made : cache_)
    if (made.origin.get() == &origin && made.trial == trial) return &made;
  return nullptr;
}

void WhyPanel::keep(const CachedInsight& made) {
  cache_.push_front(made);
  if (cache_.size() > max_cached_insights) cache_.pop_back();
}

QString WhyPanel::state() const { return stack_->currentWidget() == state_ ? state_->text() : QString(); }

QString WhyPanel::sentence() const { return sentence_->text(); }

void WhyPanel::show_state(const QString& text) {
  state_->setText(text);
  stack_->setCurrentWidget(state_);
}

void WhyPanel::show_insight(std::shared_ptr<const workspace::TrialInsight> insight,
                            const InsightSubject& subject) {
  done_ = true;
  insight_ = std::move(insight);
  subject_ = subject;
  const measure::KernelInsight& kernel = insight_->kernel;
  const auto lines = [](const std::string& text) {
    return tr("%1 lines").arg(style::format_count(std::ranges::count(text, '\n')));
  };
  stages_->show_tree(kernel.stages);
  arrange();
  nest_->set_code(QString::fromStdString(kernel.nest_text), lines(kernel.nest_text));
  source_->view().set_dialect(kernel.source.dialect);
  source_->set_code(QString::fromStdString(kernel.source.text), lines(kernel.source.text));
  sentence_->setText(bound_sentence(kernel));
  counters_ = insight_->counters;
  counting_problem_.clear();
  show_counting();
  stack_->setCurrentIndex(1);
  // The codes live as long as the insight that owns them.
  std::vector<std::shared_ptr<const machine_code::MachineCode>> codes;
  if (kernel.device_code) codes.emplace_back(insight_, &*kernel.device_code);
  codes.emplace_back(insight_, &kernel.code);
  instructions_->set_codes(std::move(codes));
  if (!kernel.code_problem.empty()) instructions_->set_state(QString::fromStdString(kernel.code_problem));
  ask_for_height_soon();
}

/** Shows the numbers and the selection of the shown code. */
void WhyPanel::show_code() {
  const measure::KernelInsight& kernel = insight_->kernel;
  const machine_code::MachineCode& code = *instructions_->code();
  numbers_->show_loop(&code == &kernel.shown_code() ? kernel.bound() : nullptr,
                      kernel.code_problem.empty() ? mix_facts(kernel, code, subject_.vector_registers)
                                                  : std::vector<InsightFact>());
  show_shares_and_advice();
  select_hot_loop();
}

/** Shows the shares of the lines and the advice, which depend on the counters. */
void WhyPanel::show_shares_and_advice() {
  const measure::KernelInsight& kernel = insight_->kernel;
  const trial::CounterReading* counters = counters_ ? &*counters_ : nullptr;
  const measure::LineShares shares = measure::line_shares(*instructions_->code(), counters);
  const QString meaning = tr("Share of %1").arg(QString::fromStdString(shares.text()));
  source_->view().set_line_shares(shares.source, meaning);
  nest_->view().set_line_shares(nest_shares(kernel, shares), meaning);
  instructions_->set_machine_shares(shares.machine, meaning);
  const session::AdviceFacts facts{.insight = &kernel, .schedule = &insight_->schedule, .counters = counters};
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
  numbers_->show_advice(sentences, sources);
  QStringList notes;
  if (shares.kind != measure::ShareKind::None)
    notes.append(tr("Beside the lines: share of %1.").arg(QString::fromStdString(shares.text())));
  if (!kernel.compiler.empty()) notes.append(tr("Built by %1.").arg(QString::fromStdString(kernel.compiler)));
  for (const std::string& note : kernel.notes) notes.append(QString::fromStdString(note));
  numbers_->show_notes(notes);
}

/** Shows the counters, and why counters are missing. */
void WhyPanel::show_counting() {
  numbers_->show_counters(counters_ ? counter_facts(*counters_) : std::vector<InsightFact>());
  QString text =
      counters_ ? missing_counters_text(*counters_) : tr("Nothing was counted for this kernel yet.");
  if (!counting_problem_.isEmpty()) text = counting_problem_;
  if (counting_job_.busy()) text = tr("A kernel is counted as soon as the device is free …");
  if (!subject_.uncountable.isEmpty()) text = subject_.uncountable;
  numbers_->show_counting(text, !counting_job_.busy() && subject_.uncountable.isEmpty());
}

void WhyPanel::count_now() {
  if (!insight_ || counting_job_.busy() || !subject_.uncountable.isEmpty()) return;
  stop_ = std::make_shared<session::StopRequest>();
  counting_problem_.clear();
  counting_job_.start(
      [database = workspace_.database(), count = count_, session = subject_.session, trial = subject_.trial,
       stop = stop_](const workspace::JobControl&) -> Result<trial::CounterReading> {
        store::Store store = TRY(store::Store::open(database));
        return count(store, session, trial, *stop);
      },
      [this, counted = insight_](const Result<trial::CounterReading>& reading) {
        take_counters(counted, reading);
      });
  show_counting();
}

/** Stores the counters. Another kernel may be shown meanwhile; the selection in the shown kernel stays. */
void WhyPanel::take_counters(const std::shared_ptr<const workspace::TrialInsight>& counted,
                             const Result<trial::CounterReading>& reading) {
  for (CachedInsight& made : cache_)
    if (reading && made.insight == counted) made.counters = *reading;
  if (insight_ != counted) {
    if (!reading) workspace_.notices().fail(reading.error());
  } else if (reading) {
    counters_ = *reading;
    show_shares_and_advice();
  } else {
    counting_problem_ = QString::fromStdString(describe(reading.error()));
  }
  show_counting();
}

void WhyPanel::select_hot_loop() {
  const machine_code::MachineCode& code = *instructions_->code();
  const machine_code::MachineLoop* hot = code.hot();
  select(hot ? links_of_machine_lines(insight_->kernel, code, hot->first_line, hot->last_line)
             : LinkedLines());
}

void WhyPanel::select(const LinkedLines& lines) { select_from(lines, nullptr); }

/** Selects linked lines. The view in which the user chose is not scrolled; null: all views are scrolled. */
void WhyPanel::select_from(const LinkedLines& lines, const QWidget* origin) {
  nest_->view().set_linked_lines(lines.nest);
  source_->view().set_linked_lines(lines.source);
  instructions_->set_linked_lines(lines.machine);
  if (origin != stages_ && insight_) stages_->choose(node_of_links(insight_->kernel, lines));
  if (origin != nest_ && !lines.nest.empty()) nest_->view().put_caret(lines.nest.front());
  if (origin != source_ && !lines.source.empty()) source_->view().put_caret(lines.source.front());
  if (origin != instructions_ && !lines.machine.empty()) instructions_->reveal_one_of(lines.machine);
}

void WhyPanel::hint(const LinkedLines& lines, const QWidget* origin) {
  nest_->view().set_hinted_lines(origin == nest_ ? std::vector<int>() : lines.nest);
  source_->view().set_hinted_lines(origin == source_ ? std::vector<int>() : lines.source);
  instructions_->set_hinted_lines(origin == instructions_ ? std::vector<int>() : lines.machine);
}

}  // namespace kernelscape::views
