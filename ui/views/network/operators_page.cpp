#include "ui/views/network/operators_page.h"

#include <QFileDialog>
#include <QLineEdit>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/files/dialog.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/library_table.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

constexpr int look_milliseconds = 2000;
constexpr int widest_operator_column = 36 * style::grid_pixels;

/** Returns "74 operators compute what the model writes as 176; 53 have an epilogue." */
QString operators_text(const workspace::ModelOperators& read) {
  const auto with_epilogue = std::ranges::count_if(
      read.operators, [](const workspace::ModelOperator& made) { return !made.epilogue.isEmpty(); });
  return OperatorsPage::tr("%1 operators compute what the model writes as %2; %3 have an epilogue.")
      .arg(style::format_count(std::ssize(read.operators)),
           style::format_count(static_cast<std::int64_t>(read.model_nodes)),
           style::format_count(with_epilogue));
}

/** Returns why a library of the whole model cannot be written; empty if it can. */
QString obstacles_text(const workspace::ModelOperators& read) {
  const auto first = std::ranges::find_if(
      read.operators, [](const workspace::ModelOperator& made) { return !made.obstacle.isEmpty(); });
  if (first == read.operators.end()) return {};
  return OperatorsPage::tr(
             "No library of the whole model can be written: %1 (%2): %3. Its layers can still be "
             "tuned.")
      .arg(first->name, first->operation, first->obstacle);
}

}  // namespace

OperatorsPage::OperatorsPage(QWidget* parent)
    : QWidget(parent),
      filter_([this](int row) { return operators_.searched_text(row); },
              models::ModelOperatorModel::SortRole) {
  empty_ = new widgets::EmptyState;
  // It scrolls: an error can name many operators, and the other pages need less room.
  auto* empty_area = new QScrollArea;
  empty_area->setWidget(empty_);
  empty_area->setWidgetResizable(true);
  empty_area->setFrameShape(QFrame::NoFrame);
  empty_area->setAccessibleName(tr("State of the model"));
  table_page_ = make_table_page();
  stack_ = new QStackedWidget;
  stack_->addWidget(empty_area);
  stack_->addWidget(table_page_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(stack_);
  look_timer_.setInterval(look_milliseconds);
  connect(&look_timer_, &QTimer::timeout, this, &OperatorsPage::look);
  connect(empty_, &widgets::EmptyState::action_triggered, this, &OperatorsPage::choose_file);
  set_model(std::nullopt);
}

QWidget* OperatorsPage::make_table_page() {
  search_ = new QLineEdit;
  search_->setPlaceholderText(tr("Search operators and nodes"));
  search_->setAccessibleName(search_->placeholderText());
  search_->setClearButtonEnabled(true);
  summary_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text);
  warning_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::warning);
  for (widgets::ThemedLabel* label : {summary_, warning_}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  summary_->setAccessibleName(tr("What the passes over the model's graph did"));
  warning_->setAccessibleName(tr("Warnings about the model"));
  filter_.setSourceModel(&operators_);
  table_ = new widgets::LibraryTable(tr("Operators of the model"));
  table_->set_widest_column(widest_operator_column);
  table_->setModel(&filter_);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setSortingEnabled(true);
  table_->sortByColumn(-1, Qt::AscendingOrder);
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, style::grid_pixels / 2, 0, 0);
  layout->setSpacing(style::grid_pixels / 2);
  layout->addWidget(search_);
  layout->addWidget(summary_);
  layout->addWidget(warning_);
  layout->addWidget(table_, 1);
  connect(search_, &QLineEdit::textChanged, this,
          [this](const QString& words) { filter_.set_search(words); });
  connect(table_, &widgets::LibraryTable::row_opened, this, [this](int row) {
    const std::string& task = operators_.at(filter_.mapToSource(filter_.index(row, 0)).row()).task;
    if (!task.empty()) emit layer_opened(task);
  });
  return page;
}

void OperatorsPage::set_model(std::optional<study::ModelSource> model, const QDateTime& known_since) {
  if (model && model == model_ && known_since == known_since_) return;
  known_since_ = known_since;
  model_ = std::move(model);
  stamp_.reset();
  read_job_.cancel();
  look_job_.cancel();
  operators_.set_operators({});
  if (!model_)
    return show_empty(tr("The model's file is not known"),
                      tr("Its study was stored by an earlier version, or from a saved network. Choose the "
                         "ONNX file to see how its operators are fused, and to export the whole model."),
                      tr("Choose the model…"));
  show_empty(tr("Reading the model …"), {});
  read();
}

QString OperatorsPage::note() const {
  if (stack_->currentWidget() != table_page_) return empty_->headline() + QLatin1Char('\n') + empty_text_;
  return warning_->text().isEmpty() ? summary_->text()
                                    : summary_->text() + QLatin1Char('\n') + warning_->text();
}

void OperatorsPage::focus_search() {
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

void OperatorsPage::choose_file() {
  QFileDialog* dialog = files::make_file_dialog(this, tr("Choose the model"),
                                                model_ ? QString::fromStdString(model_->file) : QString(),
                                                tr("ONNX models (*.onnx);;All files (*)"));
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &OperatorsPage::file_chosen);
  dialog->open();
}

void OperatorsPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  look_timer_.start();
  if (stamp_) return look();
  read();
}

void OperatorsPage::hideEvent(QHideEvent* event) {
  look_timer_.stop();
  QWidget::hideEvent(event);
}

/** Reads the model, once the page is visible: a user who looks at the layers only needs no second worker. */
void OperatorsPage::read() {
  if (!model_ || !isVisible() || read_job_.busy()) return;
  read_job_.start(
      [model = *model_](const workspace::JobControl& control) {
        // Looked at first, so that a change while the model is read is noticed afterwards.
        workspace::ModelStamp stamp = workspace::stamp_of(model);
        return Reading{std::move(stamp), workspace::read_model_operators(model, control)};
      },
      [this](Reading reading) { show_reading(std::move(reading)); });
}

/** Reads the model again if its file changed. */
void OperatorsPage::look() {
  if (!model_ || !stamp_ || read_job_.busy() || look_job_.busy()) return;
  look_job_.start(
      [model = *model_](const workspace::JobControl& control) -> std::optional<workspace::ModelStamp> {
        if (!control.proceed()) return std::nullopt;
        return workspace::stamp_of(model);
      },
      [this](const std::optional<workspace::ModelStamp>& stamp) {
        if (!stamp || stamp == stamp_) return;
        read();
        emit file_changed();
      });
}

void OperatorsPage::show_reading(Reading reading) {
  stamp_ = reading.stamp;
  if (reading.operators) return show_operators(*reading.operators);
  operators_.set_operators({});
  const Error& error = reading.operators.error();
  const QString text =
      QString::fromStdString(error.message) +
      (error.hint.empty() ? QString() : QLatin1Char('\n') + QString::fromStdString(error.hint));
  if (!reading.stamp.exists)
    return show_empty(tr("The model's file can't be read"), text, tr("Choose the model…"));
  show_empty(tr("The model can't be shown or exported as a whole; its layers can still be tuned"), text);
}

void OperatorsPage::show_operators(const workspace::ModelOperators& read) {
  operators_.set_operators(read.operators);
  summary_->setText(operators_text(read));
  QStringList warnings = read.notices;
  if (const QString obstacle = obstacles_text(read); !obstacle.isEmpty()) warnings.prepend(obstacle);
  if (known_since_.isValid() && stamp_->changed > known_since_)
    warnings.prepend(
        tr("The model's file was changed after its layers were stored: they may be those of another model."));
  warning_->setText(warnings.join(QLatin1Char('\n')));
  warning_->setVisible(!warnings.isEmpty());
  stack_->setCurrentWidget(table_page_);
}

void OperatorsPage::show_empty(const QString& headline, const QString& text, const QString& action) {
  empty_text_ = text;
  empty_->set_text(headline, text, action);
  stack_->setCurrentIndex(0);
}

}  // namespace kernelscape::views
