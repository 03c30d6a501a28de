#include "ui/views/trials/kernel_pair_window.h"

#include <QAction>
#include <QEvent>
#include <QHeaderView>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/views/trials/code_panel.h"
#include "ui/views/trials/kernel_pair_text.h"
#include "ui/views/trials/sample_strip.h"
#include "ui/widgets/flat_header.h"
#include "ui/widgets/row_height.h"
#include "ui/widgets/wrapped_label.h"

namespace kernelscape::views {
namespace {

enum PairColumn { WhatColumn, AColumn, BColumn };
constexpr int fact_role = Qt::UserRole;  ///< a FactKind
enum FactKind { AlikeFact, DifferentFact, HeadingFact };
constexpr QSize pair_window_size(1200, 860);

QTableWidgetItem* pair_item(const QString& text, const PairFact& fact) {
  auto* item = new QTableWidgetItem(text);
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  item->setToolTip(fact.explanation.isEmpty() ? text : text + QLatin1Char('\n') + fact.explanation);
  item->setData(fact_role, static_cast<int>(fact.heading     ? HeadingFact
                                            : fact.differs() ? DifferentFact
                                                             : AlikeFact));
  return item;
}

QString line_changes(const DifferenceText& difference) {
  return KernelPairWindow::tr("from A to B: %1 lines fewer, %2 lines more")
      .arg(style::format_count(difference.removed), style::format_count(difference.added));
}

widgets::ThemedLabel* wrapped(style::TextSize size, QColor style::Colours::* colour) {
  auto* label = new widgets::WrappedLabel(size, colour);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  label->setContentsMargins(16, 4, 16, 4);
  return label;
}

}  // namespace

ShownPair shown_pair(workspace::KernelPair pair) {
  ShownPair shown;
  if (!pair.a.details.source_text.empty() && !pair.b.details.source_text.empty())
    shown.source = difference_text(pair.a.details.source_text, pair.b.details.source_text);
  if (pair.a.insight && pair.b.insight)
    shown.nest = difference_text(pair.a.insight->kernel.nest_text, pair.b.insight->kernel.nest_text);
  shown.pair = std::move(pair);
  return shown;
}

KernelPairWindow::KernelPairWindow(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent, Qt::Window), workspace_(workspace) {
  setWindowTitle(tr("Two kernels"));
  resize(pair_window_size);
  state_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text);
  state_->setAlignment(Qt::AlignCenter);
  state_->setWordWrap(true);
  state_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  state_->setMargin(16);
  auto* content = new QWidget;
  make_head(*content);
  stack_ = new QStackedWidget;
  stack_->addWidget(state_);
  stack_->addWidget(content);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(stack_);
  auto* close_action = new QAction(tr("Close"), this);
  close_action->setShortcuts({QKeySequence(QKeySequence::Close), QKeySequence(Qt::Key_Escape)});
  connect(close_action, &QAction::triggered, this, &QWidget::close);
  addAction(close_action);
}

KernelPairWindow* KernelPairWindow::open(workspace::Workspace& workspace, const workspace::Source& source,
                                         std::int64_t row_a, std::int64_t row_b, QWidget* parent) {
  auto* opened = new KernelPairWindow(workspace, parent);
  opened->setAttribute(Qt::WA_DeleteOnClose);
  opened->compare(source, row_a, row_b);
  opened->show();
  return opened;
}

/** Makes the sentences and notes above the table and the tabs. */
void KernelPairWindow::make_head(QWidget& content) {
  first_sentence_ = wrapped(style::TextSize::Large, &style::Colours::text);
  other_sentences_ = wrapped(style::TextSize::Normal, &style::Colours::text);
  notes_ = wrapped(style::TextSize::Small, &style::Colours::muted_text);
  table_ = new QTableWidget(0, 3);
  table_->setAccessibleName(tr("Numbers of both kernels"));
  widgets::make_flat(*table_);
  widgets::keep_row_height(*table_, 8, 24);
  // The conclusions are read first, so they are shown in full, beside two columns of numbers.
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  table_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  make_tabs();
  auto* columns = new QSplitter(Qt::Horizontal);
  columns->setChildrenCollapsible(false);
  columns->addWidget(table_);
  columns->addWidget(tabs_);
  columns->setStretchFactor(0, 2);
  columns->setStretchFactor(1, 3);
  columns->setSizes({2 * pair_window_size.width() / 5, 3 * pair_window_size.width() / 5});
  auto* column = new QVBoxLayout(&content);
  column->setContentsMargins(0, 8, 0, 0);
  column->setSpacing(0);
  for (widgets::ThemedLabel* label : {first_sentence_, other_sentences_, notes_}) column->addWidget(label);
  column->addWidget(columns, 1);
}

void KernelPairWindow::make_tabs() {
  tabs_ = new QTabWidget;
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("Both kernels"));
  hot_a_ = new CodePanel(widgets::CodeLanguage::Assembly, tr("Hot loop of A"));
  hot_b_ = new CodePanel(widgets::CodeLanguage::Assembly, tr("Hot loop of B"));
  source_ = new CodePanel(widgets::CodeLanguage::C, tr("Difference of the sources"));
  nest_ = new CodePanel(widgets::CodeLanguage::Plain, tr("Difference of the loop nests"));
  for (CodePanel* panel : {hot_a_, hot_b_, source_, nest_})
    connect(panel, &CodePanel::notified, this, &KernelPairWindow::notified);
  auto* loops = new QSplitter(Qt::Horizontal);
  loops->setChildrenCollapsible(false);
  loops->addWidget(hot_a_);
  loops->addWidget(hot_b_);
  tabs_->addTab(loops, tr("Hot loops"));
  tabs_->addTab(source_, tr("Source"));
  tabs_->addTab(nest_, tr("Loop nest"));
  tabs_->addTab(make_samples_page(), tr("Samples"));
}

QWidget* KernelPairWindow::make_samples_page() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 8, 0, 8);
  samples_title_a_ = wrapped(style::TextSize::Small, &style::Colours::muted_text);
  samples_title_b_ = wrapped(style::TextSize::Small, &style::Colours::muted_text);
  samples_a_ = new SampleStrip;
  samples_b_ = new SampleStrip;
  column->addWidget(samples_title_a_);
  column->addWidget(samples_a_);
  column->addWidget(samples_title_b_);
  column->addWidget(samples_b_);
  column->addStretch(1);
  return page;
}

void KernelPairWindow::compare(const workspace::Source& source, std::int64_t row_a, std::int64_t row_b) {
  const QString a = style::format_count(source->trials.row(row_a).number);
  const QString b = style::format_count(source->trials.row(row_b).number);
  setWindowTitle(tr("Trials %1 and %2").arg(a, b));
  show_state(tr("Reading trials %1 and %2, and building both once more …").arg(a, b));
  job_.start(
      [database = workspace_.database(), source, row_a,
       row_b](const workspace::JobControl& control) -> Result<std::shared_ptr<const ShownPair>> {
        const auto proceed = [&control] { return control.proceed(); };
        workspace::KernelPair pair = TRY(workspace::kernel_pair(database, source, row_a, row_b, proceed));
        return std::make_shared<const ShownPair>(shown_pair(std::move(pair)));
      },
      [this](const Result<std::shared_ptr<const ShownPair>>& shown) {
        if (shown)
          show_pair(*shown);
        else
          show_state(QString::fromStdString(describe(shown.error())));
      });
}

void KernelPairWindow::show_state(const QString& text) {
  state_->setText(text);
  stack_->setCurrentWidget(state_);
}

QString KernelPairWindow::state() const {
  return stack_->currentWidget() == state_ ? state_->text() : QString();
}

QString KernelPairWindow::sentences() const {
  return first_sentence_->text() + QLatin1Char('\n') + other_sentences_->text();
}

void KernelPairWindow::show_pair(std::shared_ptr<const ShownPair> shown) {
  shown_ = std::move(shown);
  const workspace::KernelPair& pair = shown_->pair;
  setWindowTitle(pair_title(pair));
  QStringList said;
  for (const std::string& sentence : pair.difference.sentences) said.append(QString::fromStdString(sentence));
  first_sentence_->setText(said.isEmpty() ? QString() : said.takeFirst());
  other_sentences_->setText(said.join(QLatin1Char('\n')));
  other_sentences_->setVisible(!said.isEmpty());
  const QString notes = pair_notes(pair);
  notes_->setText(notes);
  notes_->setVisible(!notes.isEmpty());
  show_table();
  show_hot_loops();
  show_differences();
  show_samples();
  stack_->setCurrentIndex(1);
}

void KernelPairWindow::show_table() {
  const std::vector<PairFact> facts = pair_facts(shown_->pair);
  const auto title = [](const char* name, const workspace::PairedKernel& kernel) {
    return tr("%1, trial %2").arg(QLatin1String(name), style::format_count(kernel.details.trial.number));
  };
  table_->setHorizontalHeaderLabels({tr("quantity"), title("A", shown_->pair.a), title("B", shown_->pair.b)});
  table_->clearSpans();
  table_->setRowCount(static_cast<int>(facts.size()));
  for (std::size_t place = 0; place < facts.size(); ++place) {
    const int row = static_cast<int>(place);
    const PairFact& fact = facts[place];
    table_->setItem(row, WhatColumn, pair_item(fact.what, fact));
    table_->setItem(row, AColumn, pair_item(fact.a, fact));
    table_->setItem(row, BColumn, pair_item(fact.b, fact));
    if (fact.heading) table_->setSpan(row, WhatColumn, 1, 3);
  }
  apply_theme();
}

void KernelPairWindow::show_hot_loops() {
  const auto show_loop = [](CodePanel& panel, const QString& name, const workspace::PairedKernel& kernel) {
    const QString text = hot_loop_text(kernel);
    if (text.isEmpty()) {
      panel.set_state(kernel.insight ? tr("The code of %1 has no loop.").arg(name)
                                     : tr("The instructions of %1 are not known:\n%2")
                                           .arg(name, QString::fromStdString(kernel.insight_problem)));
      return;
    }
    panel.set_code(text, tr("%1, %2 lines").arg(name, style::format_count(text.count(QLatin1Char('\n')))));
  };
  show_loop(*hot_a_, QStringLiteral("A"), shown_->pair.a);
  show_loop(*hot_b_, QStringLiteral("B"), shown_->pair.b);
}

void KernelPairWindow::show_differences() {
  const workspace::PairedKernel& a = shown_->pair.a;
  const workspace::PairedKernel& b = shown_->pair.b;
  if (a.details.source_text.empty() || b.details.source_text.empty()) {
    const workspace::PairedKernel& lacking = a.details.source_text.empty() ? a : b;
    source_->set_state(tr("The source of trial %1 can't be regenerated:\n%2")
                           .arg(style::format_count(lacking.details.trial.number),
                                QString::fromStdString(lacking.details.source_problem)));
  } else if (shown_->source.added + shown_->source.removed == 0) {
    source_->set_state(tr("Both trials have the same source."));
  } else {
    source_->view().set_dialect(a.details.dialect);
    source_->set_marked_code(shown_->source.code, line_changes(shown_->source));
  }
  if (!a.insight || !b.insight) {
    const workspace::PairedKernel& lacking = a.insight ? b : a;
    nest_->set_state(tr("The loop nest of trial %1 is not known:\n%2")
                         .arg(style::format_count(lacking.details.trial.number),
                              QString::fromStdString(lacking.insight_problem)));
  } else if (shown_->nest.added + shown_->nest.removed == 0) {
    nest_->set_state(tr("Both trials have the same loop nest."));
  } else {
    nest_->set_marked_code(shown_->nest.code, line_changes(shown_->nest));
  }
}

/** Shows the samples; both strips have the same axis. */
void KernelPairWindow::show_samples() {
  const auto& a = shown_->pair.a.samples_seconds;
  const auto& b = shown_->pair.b.samples_seconds;
  std::vector<double> both = a;
  both.insert(both.end(), b.begin(), b.end());
  const auto show_strip = [&both](SampleStrip& strip, widgets::ThemedLabel& title, const QString& name,
                                  const std::vector<double>& samples) {
    title.setText(
        samples.empty() ? tr("%1 has no samples.").arg(name)
        : samples.size() == 1
            ? tr("%1: 1 sample").arg(name)
            : tr("%1: %2 samples").arg(name, style::format_count(static_cast<std::int64_t>(samples.size()))));
    strip.setVisible(!samples.empty());
    strip.set_samples(samples);
    if (both.empty()) return;
    const auto [least, most] = std::ranges::minmax(both);
    strip.set_least_span(least, most);
  };
  show_strip(*samples_a_, *samples_title_a_, QStringLiteral("A"), a);
  show_strip(*samples_b_, *samples_title_b_, QStringLiteral("B"), b);
}

/** Applies the theme: differences are bold and in the accent colour; headings are muted. */
void KernelPairWindow::apply_theme() {
  const QFont usual = table_->font();
  QFont bold = usual;
  bold.setBold(true);
  for (int row = 0; row < table_->rowCount(); ++row) {
    for (int column = 0; column < table_->columnCount(); ++column) {
      QTableWidgetItem* item = table_->item(row, column);
      const int kind = item->data(fact_role).toInt();
      item->setFont(kind == AlikeFact || (kind == DifferentFact && column == WhatColumn) ? usual : bold);
      item->setForeground(kind == HeadingFact                             ? style::colours().muted_text
                          : kind == DifferentFact && column != WhatColumn ? style::colours().accent
                                                                          : style::colours().text);
    }
  }
}

bool KernelPairWindow::event(QEvent* event) {
  const bool handled = QWidget::event(event);
  if (table_ != nullptr &&
      (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationFontChange))
    apply_theme();
  return handled;
}

}  // namespace kernelscape::views
