#include "ui/views/trials/why_views.h"

#include <QScrollBar>
#include <QSplitter>
#include <QTabWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/measure/line_shares.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/views/trials/code_panel.h"
#include "ui/views/trials/instruction_panel.h"
#include "ui/views/trials/stage_panel.h"
#include "ui/views/trials/why_numbers.h"
#include "ui/views/trials/why_text.h"
#include "ui/widgets/wrapped_label.h"

namespace kernelscape::views {
namespace {

constexpr QSize min_code_size(20 * style::grid_pixels, 12 * style::grid_pixels);
constexpr int letters_of_three = 150;  ///< minimum width, in letters, for showing three views side by side
constexpr int letters_of_two = 88;
constexpr int lines_for_numbers = 35;  ///< minimum height, in lines, for showing the numbers above the code
constexpr int min_code_lines = 16;     ///< so that 15 are whole wherever the code is scrolled to
constexpr int lines_of_numbers = 11;
constexpr int stages_share = 200;  ///< share of the height, relative to nest_share
constexpr int nest_share = 300;

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

WhyViews::WhyViews(QWidget* parent) : QWidget(parent) {
  make_views();
  make_splitters();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(sentence_);
  column->addWidget(rows_, 1);
  for (CodePanel* panel : {nest_, source_, static_cast<CodePanel*>(instructions_)})
    connect(panel, &CodePanel::notified, this, &WhyViews::notified);
  connect(tabs_, &QTabWidget::currentChanged, this, &WhyViews::ask_for_height_soon);
  connect_code();
  connect_stages();
  connect_instructions();
}

void WhyViews::make_views() {
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
}

void WhyViews::make_splitters() {
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
}

void WhyViews::connect_code() {
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
}

void WhyViews::connect_stages() {
  const auto lines_of_node = [this](int node) {
    return insight_ ? links_of_node(insight_->kernel, *instructions_->code(), node) : LinkedLines();
  };
  connect(stages_, &StagePanel::notified, this, &WhyViews::notified);
  connect(stages_, &StagePanel::node_chosen, this,
          [this, lines_of_node](int node) { select_from(lines_of_node(node), stages_); });
  connect(stages_, &StagePanel::node_hovered, this,
          [this, lines_of_node](int node) { hint(lines_of_node(node), stages_); });
}

void WhyViews::connect_instructions() {
  connect(instructions_, &InstructionPanel::machine_lines_chosen, this, [this](int first, int last) {
    if (!insight_) return;
    select_from(first == last
                    ? links_of_instruction(first)
                    : links_of_machine_lines(insight_->kernel, *instructions_->code(),
                                             static_cast<std::size_t>(first), static_cast<std::size_t>(last)),
                instructions_);
  });
  connect(instructions_, &InstructionPanel::machine_line_hovered, this,
          [this](int line) { hint(links_of_instruction(line), instructions_); });
}

LinkedLines WhyViews::links_of_instruction(int line) const {
  return insight_ ? links_of_machine_line(insight_->kernel, *instructions_->code(), line) : LinkedLines();
}

QString WhyViews::sentence() const { return sentence_->text(); }

void WhyViews::show_texts(std::shared_ptr<const workspace::TrialInsight> insight, QSize room) {
  insight_ = std::move(insight);
  const measure::KernelInsight& kernel = insight_->kernel;
  const auto lines = [](const std::string& text) {
    return tr("%1 lines").arg(style::format_count(std::ranges::count(text, '\n')));
  };
  stages_->show_tree(kernel.stages);
  arrange(room);
  nest_->set_code(QString::fromStdString(kernel.nest_text), lines(kernel.nest_text));
  source_->view().set_dialect(kernel.source.dialect);
  source_->set_code(QString::fromStdString(kernel.source.text), lines(kernel.source.text));
  sentence_->setText(bound_sentence(kernel));
}

void WhyViews::show_instructions() {
  const measure::KernelInsight& kernel = insight_->kernel;
  // The codes live as long as the insight that owns them.
  std::vector<std::shared_ptr<const machine_code::MachineCode>> codes;
  if (kernel.device_code) codes.emplace_back(insight_, &*kernel.device_code);
  codes.emplace_back(insight_, &kernel.code);
  instructions_->set_codes(std::move(codes));
  if (!kernel.code_problem.empty()) instructions_->set_state(QString::fromStdString(kernel.code_problem));
}

void WhyViews::show_shares(const measure::LineShares& shares) {
  const QString meaning = tr("Share of %1").arg(QString::fromStdString(shares.text()));
  source_->view().set_line_shares(shares.source, meaning);
  nest_->view().set_line_shares(nest_shares(insight_->kernel, shares), meaning);
  instructions_->set_machine_shares(shares.machine, meaning);
}

WhyViews::Arrangement WhyViews::fitting(QSize room) const {
  const QFontMetrics metrics(style::font_of(style::TextSize::Normal));
  const int letters = room.width() / std::max(1, metrics.averageCharWidth());
  return {.beside = letters >= letters_of_three ? 3
                    : letters >= letters_of_two ? 2
                                                : 1,
          .numbers_above = room.height() >= lines_for_numbers * metrics.lineSpacing(),
          .stages = insight_ ? !insight_->kernel.stages.nodes.empty() : arrangement_ && arrangement_->stages};
}

void WhyViews::arrange(QSize room) {
  const Arrangement wanted = fitting(room);
  if (arrangement_ == wanted) return;
  // Instructions that were shown beside other views stay visible if only one view fits.
  const bool stood_beside = arrangement_ && arrangement_->beside != 1;
  const QWidget* open = tabs_->currentWidget();
  if (wanted.beside == 1 && stood_beside) open = instructions_;
  arrangement_ = wanted;
  // A low panel leaves its height to the code: the sentence's tool tip has what its line has no room for.
  sentence_->setWordWrap(wanted.numbers_above);
  tabs_->clear();
  const auto place = [&](QWidget* page, bool beside, QSplitter* splitter, const QString& title) {
    if (!beside) {
      tabs_->addTab(page, title);
      if (page == open) tabs_->setCurrentWidget(page);
      return;
    }
    splitter->addWidget(page);
    page->show();
  };
  if (wanted.beside == 1) place(instructions_, false, columns_, tr("Instructions"));
  // If there is no height for numbers above the code, there is none for stages above their nest either.
  if (wanted.stages)
    place(stages_, wanted.beside == 3 && wanted.numbers_above, stages_and_nest_, tr("Stages"));
  else
    stages_->hide();
  place(nest_, wanted.beside == 3, stages_and_nest_, tr("Loop nest"));
  stages_and_nest_->setVisible(wanted.beside == 3);
  stages_and_nest_->setSizes({stages_share, nest_share});
  place(source_, wanted.beside == 3, columns_, tr("Source"));
  if (wanted.beside != 1) place(instructions_, true, columns_, {});
  place(numbers_, wanted.numbers_above, rows_, tr("Numbers"));
  if (wanted.numbers_above) {
    rows_->insertWidget(0, numbers_);
    const int line = QFontMetrics(style::font_of(style::TextSize::Normal)).lineSpacing();
    rows_->setSizes({lines_of_numbers * line, std::max(line, room.height() - lines_of_numbers * line)});
  }
  if (wanted.beside == 2 && tabs_->indexOf(open) < 0) tabs_->setCurrentWidget(source_);
  rows_->setStretchFactor(rows_->indexOf(columns_), 1);
  tabs_->setVisible(tabs_->count() > 0);
  columns_->setSizes(QList<int>(columns_->count(), std::max(1, room.width() / wanted.beside)));
}

void WhyViews::ask_for_height_soon() { QTimer::singleShot(0, this, &WhyViews::ask_for_height); }

void WhyViews::ask_for_height() {
  for (CodePanel* panel : {source_, static_cast<CodePanel*>(instructions_), nest_}) {
    const widgets::CodeView& view = panel->view();
    if (!view.isVisible()) continue;
    const double lines = min_code_lines * QFontMetricsF(view.font()).lineSpacing();
    const double around = 2 * (view.document()->documentMargin() + view.frameWidth()) +
                          view.horizontalScrollBar()->sizeHint().height();
    const int missing = static_cast<int>(std::ceil(lines + around)) - view.height();
    if (missing > 0) emit height_wanted(missing);
    return;
  }
}

void WhyViews::select_hot_loop() {
  const machine_code::MachineCode& code = *instructions_->code();
  const machine_code::MachineLoop* hot = code.hot();
  select(hot ? links_of_machine_lines(insight_->kernel, code, hot->first_line, hot->last_line)
             : LinkedLines());
}

/** Selects linked lines. The view in which the user chose is not scrolled; null: all views are scrolled. */
void WhyViews::select_from(const LinkedLines& lines, const QWidget* origin) {
  nest_->view().set_linked_lines(lines.nest);
  source_->view().set_linked_lines(lines.source);
  instructions_->set_linked_lines(lines.machine);
  if (origin != stages_ && insight_) stages_->choose(node_of_links(insight_->kernel, lines));
  if (origin != nest_ && !lines.nest.empty()) nest_->view().put_caret(lines.nest.front());
  if (origin != source_ && !lines.source.empty()) source_->view().put_caret(lines.source.front());
  if (origin != instructions_ && !lines.machine.empty()) instructions_->reveal_one_of(lines.machine);
}

void WhyViews::hint(const LinkedLines& lines, const QWidget* origin) {
  nest_->view().set_hinted_lines(origin == nest_ ? std::vector<int>() : lines.nest);
  source_->view().set_hinted_lines(origin == source_ ? std::vector<int>() : lines.source);
  instructions_->set_hinted_lines(origin == instructions_ ? std::vector<int>() : lines.machine);
}

}  // namespace kernelscape::views
