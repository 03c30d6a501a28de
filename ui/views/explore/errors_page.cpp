#include "ui/views/explore/errors_page.h"

#include <QBoxLayout>
#include <QEvent>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QTableView>

#include "core/analysis/filter/filter.h"
#include "ui/charts/bars/error_chart.h"
#include "ui/figures/outcome_figures.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/views/explore/message_model.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

/** Further messages are counted but not read, because a user reads no more and each may have 4 KiB. */
constexpr std::size_t max_messages = 500;

struct ErrorsOutcome {
  figures::FigureOf<analysis::ErrorBreakdown> figure;
  Result<figures::FrequentMessages> messages;
};

}  // namespace

ErrorsPage::ErrorsPage(workspace::Workspace& workspace, QWidget* parent)
    : ExplorePage(workspace, tr("Errors"), parent),
      chart_(new charts::ErrorChart(this)),
      model_(new MessageModel(this)) {
  auto* splitter = new QSplitter(Qt::Vertical, this);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(make_panel({}, chart_));
  splitter->addWidget(make_messages());
  splitter->setStretchFactor(0, 1);
  splitter->setStretchFactor(1, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter);
  connect(chart_, &charts::ErrorChart::category_activated, this, &ErrorsPage::pick_category);
}

QWidget* ErrorsPage::make_messages() {
  caption_ = new QLabel;
  table_ = make_table(tr("Messages of failed trials"), model_, {25, 9, 11});
  table_->setContextMenuPolicy(Qt::CustomContextMenu);
  text_ = new QPlainTextEdit;
  text_->setReadOnly(true);
  text_->setAccessibleName(tr("Full message"));
  text_->setFont(style::fixed_font_of(style::TextSize::Normal));
  text_->setPlaceholderText(tr("Choose a message to read all of it and to go to its first trial."));
  text_->setTabChangesFocus(true);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ErrorsPage::show_text);
  connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) {
    this->workspace().set_current_row(model_->message(index.row()).first_row);
  });
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    this->workspace().set_current_row(model_->message(index.row()).first_row);
  });
  connect(table_, &QTableView::customContextMenuRequested, this, [this](const QPoint& position) {
    const QModelIndex index = table_->indexAt(position);
    if (!index.isValid()) return;
    auto* menu = new QMenu(table_);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Select the trials with this message"), this, [this, index] { pick_message(index); });
    menu->popup(table_->viewport()->mapToGlobal(position));
  });
  auto* split = new QSplitter(Qt::Horizontal);
  split->setChildrenCollapsible(false);
  split->addWidget(table_);
  split->addWidget(text_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  auto* panel = new QWidget;
  auto* layout = new QVBoxLayout(panel);
  layout->setContentsMargins(0, 8, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(caption_);
  layout->addWidget(split, 1);
  return panel;
}

/** Returns true if a trial failed. */
bool ErrorsPage::has_content(const figures::ShownTrials& shown) { return shown.failed > 0; }

void ErrorsPage::compute() {
  jobs().start(
      [shown = shown(), database = workspace().database()](const workspace::JobControl& control) {
        return ErrorsOutcome{
            figures::outcome_figure(figures::breakdown_of(*shown, control), shown->origin_text()),
            figures::frequent_messages(database, *shown, max_messages, control)};
      },
      [this](ErrorsOutcome outcome) {
        outcome.figure.show_in(*chart_);
        show_messages(std::move(outcome.messages));
      });
}

void ErrorsPage::show_messages(Result<figures::FrequentMessages> messages) {
  if (!messages) {
    workspace().notices().fail(messages.error());
    return;
  }
  const std::size_t listed = messages->messages.size();
  QString caption =
      messages->distinct == 0 ? tr("No trial failed.")
      : messages->distinct == 1
          ? tr("1 message")
          : tr("%1 distinct messages").arg(style::format_count(static_cast<qint64>(messages->distinct)));
  if (listed < messages->distinct)
    caption += tr("; the %1 most frequent are listed").arg(style::format_count(static_cast<qint64>(listed)));
  caption_->setText(caption);
  const QModelIndex chosen = table_->currentIndex();
  const figures::FrequentMessage kept =
      chosen.isValid() ? model_->message(chosen.row()) : figures::FrequentMessage{};
  model_->set_messages(std::move(messages->messages));
  // A model reset clears the selection; updates of a live session must not clear the user's choice.
  const int row = chosen.isValid() ? model_->row_of(kept.id, kept.category) : -1;
  if (row >= 0 && table_->currentIndex().row() != row) table_->setCurrentIndex(model_->index(row, 0));
  if (row < 0) text_->clear();
}

void ErrorsPage::show_text(const QModelIndex& index) {
  if (!index.isValid()) return;
  const QString text = QString::fromStdString(model_->message(index.row()).text);
  if (text_->toPlainText() != text) text_->setPlainText(text);
}

void ErrorsPage::forget() {
  model_->set_messages({});
  caption_->clear();
  text_->clear();
}

void ErrorsPage::pick_category(trial::ErrorCategory category) {
  if (!shown()) return;
  const trial::Snapshot& trials = shown()->source->trials;
  const std::optional<std::size_t> error = shown()->source->columns().find(trial::Measured::Error);
  QStringList filters;
  if (error)
    filters.append(QString::fromStdString(
        analysis::filter_equals(shown()->column(*error), static_cast<double>(category))));
  pick([&](std::int64_t row) { return trials.row(row).category == category; }, filters);
}

void ErrorsPage::pick_message(const QModelIndex& index) {
  if (!shown() || !index.isValid()) return;
  const figures::FrequentMessage& message = model_->message(index.row());
  const trial::Snapshot& trials = shown()->source->trials;
  pick(
      [&](std::int64_t row) {
        const trial::Row trial = trials.row(row);
        return trial.category == message.category && trial.message == message.id;
      },
      {});
}

void ErrorsPage::changeEvent(QEvent* event) {
  ExplorePage::changeEvent(event);
  if (event->type() == QEvent::FontChange && text_ != nullptr)
    text_->setFont(style::fixed_font_of(style::TextSize::Normal));
}

}  // namespace kernelscape::views
