#include "ui/views/trials/trial_detail_pane.h"

#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "core/kernel/project_family.h"
#include "ui/models/device_text.h"
#include "ui/style/numbers.h"
#include "ui/views/project/project_space_view.h"
#include "ui/views/trials/code_panel.h"
#include "ui/views/trials/compiler_remarks.h"
#include "ui/views/trials/difference_panel.h"
#include "ui/views/trials/kernel_pair_window.h"
#include "ui/views/trials/knob_panel.h"
#include "ui/views/trials/message_panel.h"
#include "ui/views/trials/resource_panel.h"
#include "ui/views/trials/timing_panel.h"
#include "ui/views/trials/trial_headline.h"
#include "ui/views/trials/why_panel.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {

TrialDetailPane::TrialDetailPane(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent), workspace_(workspace) {
  state_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text);
  state_->setAlignment(Qt::AlignCenter);
  state_->setWordWrap(true);
  state_->setMargin(16);
  headline_ = new TrialHeadline;
  make_tabs();
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(headline_);
  column->addWidget(tabs_, 1);
  stack_ = new QStackedWidget;
  stack_->addWidget(state_);
  stack_->addWidget(content);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(stack_);

  connect(&workspace_, &workspace::Workspace::current_row_changed, this, &TrialDetailPane::load);
  connect(&workspace_, &workspace::Workspace::source_changed, this, [this] {
    details_.reset();
    previous_row_ = analysis::no_row;
    load();
  });
  connect(&workspace_, &workspace::Workspace::source_updated, this, &TrialDetailPane::follow_source);
  load();
}

void TrialDetailPane::make_tabs() {
  tabs_ = new QTabWidget;
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("Details of the trial"));
  knobs_ = new KnobPanel;
  timing_ = new TimingPanel;
  resources_ = new ResourcePanel;
  message_ = new MessagePanel;
  code_ = new CodePanel(widgets::CodeLanguage::C, tr("Source"));
  parameters_ = new ProjectSpaceView;
  parameters_->setAccessibleName(tr("Parameters of the trial, and the space of its project"));
  parameters_->link(code_->view());
  auto* source = new QSplitter(Qt::Horizontal);
  source->addWidget(code_);
  source->addWidget(parameters_);
  source->setStretchFactor(0, 3);
  source->setStretchFactor(1, 2);
  source->setSizes({600, 400});
  why_ = new WhyPanel(workspace_);
  difference_ = new DifferencePanel;
  tabs_->addTab(knobs_, tr("Knobs"));
  tabs_->addTab(timing_, tr("Samples"));
  tabs_->addTab(resources_, tr("Resources"));
  tabs_->addTab(message_, tr("Message"));
  tabs_->addTab(source, tr("Source"));
  tabs_->addTab(why_, tr("Why"));
  tabs_->addTab(difference_, tr("Difference"));
  connect(resources_, &ResourcePanel::notified, this, &TrialDetailPane::notified);
  connect(message_, &MessagePanel::notified, this, &TrialDetailPane::notified);
  connect(message_, &MessagePanel::line_requested, this, &TrialDetailPane::show_line);
  connect(code_, &CodePanel::notified, this, &TrialDetailPane::notified);
  connect(why_, &WhyPanel::notified, this, &TrialDetailPane::notified);
  connect(why_, &WhyPanel::height_wanted, this, &TrialDetailPane::height_wanted);
  connect(tabs_, &QTabWidget::currentChanged, this, [this] {
    if (tabs_->currentWidget() != why_) emit height_released();
  });
  connect(difference_, &DifferencePanel::notified, this, &TrialDetailPane::notified);
  connect(difference_, &DifferencePanel::pair_requested, this, [this](qint64 row, qint64 other_row) {
    if (!workspace_.source()) return;
    const KernelPairWindow* pair =
        KernelPairWindow::open(workspace_, workspace_.source(), row, other_row, window());
    connect(pair, &KernelPairWindow::notified, this, &TrialDetailPane::notified);
  });
}

QString TrialDetailPane::state() const {
  return stack_->currentWidget() == state_ ? state_->text() : QString();
}

void TrialDetailPane::show_state(const QString& text) {
  state_->setText(text);
  stack_->setCurrentWidget(state_);
}

/** Reads the trial. The previous trial stays visible until the next one is read, which takes milliseconds. */
void TrialDetailPane::load() {
  const workspace::Source& source = workspace_.source();
  const std::int64_t row = workspace_.current_row();
  if (!source || row == analysis::no_row) {
    job_.cancel();
    details_.reset();
    show_state(!source                ? tr("No session is open.")
               : source->build_only() ? tr("No trial is chosen.\nClick one in the table.")
                                      : tr("No trial is chosen.\nClick one in the table or in a chart. While "
                                           "the table or the curve of the "
                                           "best has the keyboard, B chooses the best."));
    return;
  }
  if (!details_)
    show_state(tr("Reading trial %1 …").arg(style::format_count(source->trials.row(row).number)));
  job_.start(
      [database = workspace_.database(), source,
       row](const workspace::JobControl& control) -> Result<workspace::TrialDetails> {
        if (!control.proceed()) return workspace::TrialDetails();
        return workspace::load_trial_details(database, source, row);
      },
      [this, source](Result<workspace::TrialDetails> details) { show_details(source, std::move(details)); });
}

void TrialDetailPane::show_details(const workspace::Source& source, Result<workspace::TrialDetails> details) {
  if (!details) {
    details_.reset();
    show_state(QString::fromStdString(describe(details.error())));
    return;
  }
  if (details_ && details_->row != details->row) previous_row_ = details_->row;
  details_ = std::make_shared<const workspace::TrialDetails>(std::move(*details));
  best_row_ = source->headline.row;
  headline_->show_trial(*source, *details_);
  knobs_->show_trial(*source, *details_);
  timing_->show_trial(*source, *details_);
  resources_->show_trial(*source, *details_);
  tabs_->setTabVisible(tabs_->indexOf(resources_), source->has_resources());
  message_->show_trial(*details_);
  tabs_->setTabEnabled(tabs_->indexOf(message_), !details_->trial.measurement.valid());
  show_source();
  why_->set_trial(source, details_);
  difference_->set_trial(source, details_, previous_row_);
  stack_->setCurrentIndex(1);
  // The session may have a newer snapshot than the one that the trial was read with.
  follow_source();
}

/** Shows the source line that the message names. */
void TrialDetailPane::show_line(int line) {
  tabs_->setCurrentWidget(code_->parentWidget());
  code_->view().put_caret(line);
  code_->view().set_linked_lines({line});
  code_->view().setFocus(Qt::OtherFocusReason);
}

/** Shows the space of a user's own kernel with the values of this trial. */
void TrialDetailPane::show_parameters() {
  const auto* family = dynamic_cast<const kernel::ProjectFamily*>(details_->family.get());
  parameters_->setVisible(family != nullptr);
  if (family == nullptr) return;
  if (details_->family != shown_family_)
    parameters_->show_facts(parameter_facts(family->project()), other_facts(family->project()));
  shown_family_ = details_->family;
  parameters_->show_values(family->space(), details_->trial.configuration);
}

void TrialDetailPane::show_source() {
  show_parameters();
  const std::string& text = details_->source_text;
  if (text.empty()) {
    code_->set_state(tr("The kernel's source can't be regenerated:\n%1")
                         .arg(QString::fromStdString(details_->source_problem)));
    return;
  }
  code_->view().set_dialect(details_->dialect);
  widgets::MarkedCode code{QString::fromStdString(text), {}, {}, {}};
  // A user's own file keeps the line numbers that its compiler and editor use.
  code.labels = LabelledLines(code.text).labels();
  const QString message = QString::fromStdString(details_->trial.measurement.message);
  const std::map<int, QString> notes = notes_of_lines(code.text, compiler_remarks(message));
  const auto lines = static_cast<std::size_t>(code.text.count(QLatin1Char('\n')) + 1);
  if (!notes.empty()) code.marks.resize(lines, widgets::LineMark::None);
  for (const auto& [line, said] : notes)
    code.marks[static_cast<std::size_t>(line)] = widgets::LineMark::Error;
  QString note =
      tr("%1, %2 lines")
          .arg(models::dialect_name(details_->dialect), style::format_count(std::ranges::count(text, '\n')));
  if (!notes.empty())
    note += notes.size() == 1 ? tr("; compiler messages on 1 line")
                              : tr("; compiler messages on %1 lines").arg(notes.size());
  code_->set_marked_code(code, note);
  code_->view().set_line_notes(notes);
  if (!notes.empty()) code_->view().reveal_line(notes.begin()->first);
}

/**
 * Shows what a new snapshot of the session says about the trial: it was measured again, or another trial is
 * the best.
 */
void TrialDetailPane::follow_source() {
  const workspace::Source& source = workspace_.source();
  if (!details_ || job_.busy() || !source) return;
  headline_->show_trial(*source, *details_);
  if (source->headline.row == best_row_) return;
  best_row_ = source->headline.row;
  knobs_->show_trial(*source, *details_);
  difference_->follow_best(source);
}

}  // namespace kernelscape::views
