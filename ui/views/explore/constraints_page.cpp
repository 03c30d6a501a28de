#include "ui/views/explore/constraints_page.h"

#include <QBoxLayout>
#include <QEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QTableView>

#include "ui/charts/landscape/constraint_text.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/views/explore/constraint_model.h"
#include "ui/widgets/word_filter.h"

namespace kernelscape::views {

ConstraintsPage::ConstraintsPage(workspace::Workspace& workspace, QWidget* parent)
    : ExplorePage(workspace, tr("Constraints"), parent),
      chart_(new charts::ConstraintChart(this)),
      model_(new ConstraintModel(this)),
      filter_(new widgets::WordFilter([this](int row) { return model_->search_text(row); }, Qt::DisplayRole,
                                      this)) {
  filter_->setSourceModel(model_);
  auto* splitter = new QSplitter(Qt::Horizontal);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(make_panel({}, chart_));
  splitter->addWidget(make_list());
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({700, 340});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter);
  connect(chart_, &charts::ConstraintChart::node_activated, this, &ConstraintsPage::choose_node);
  connect(chart_, &charts::ConstraintChart::choice_cleared, this, &ConstraintsPage::clear_choice);
}

QWidget* ConstraintsPage::make_list() {
  search_ = new QLineEdit;
  search_->setAccessibleName(tr("Search constraints and variables"));
  search_->setPlaceholderText(tr("Find a rule or a variable"));
  search_->setClearButtonEnabled(true);
  search_->addAction(style::icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  table_ = make_table(tr("Constraints and variables"), filter_, {28, 12, 20});
  words_ = new QPlainTextEdit;
  words_->setReadOnly(true);
  words_->setAccessibleName(tr("Description of the chosen item"));
  words_->setFont(style::fixed_font_of(style::TextSize::Normal));
  words_->setTabChangesFocus(true);
  connect(search_, &QLineEdit::textChanged, filter_, &widgets::WordFilter::set_search);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &ConstraintsPage::choose_row);
  auto* split = new QSplitter(Qt::Vertical);
  split->setChildrenCollapsible(false);
  split->addWidget(table_);
  split->addWidget(words_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  auto* panel = new QWidget;
  auto* layout = new QVBoxLayout(panel);
  layout->setContentsMargins(style::grid_pixels, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(search_);
  layout->addWidget(split, 1);
  return panel;
}

/** Returns true if the space has constraints, or a target whose limits are known. */
bool ConstraintsPage::has_content(const figures::ShownTrials& shown) {
  return !figures::constraint_scene_of(*shown.source->origin)->system.empty();
}

void ConstraintsPage::compute() {
  const std::int64_t current = workspace().current_row();
  std::optional<std::int64_t> row;
  if (current >= 0 && current < shown()->source->trials.size()) row = current;
  const auto known = origin_ == shown()->source->origin ? scene_ : nullptr;
  jobs().start(
      [shown = shown(), known, row](const workspace::JobControl&) {
        return figures::constraint_figure(
            *shown, known ? known : figures::constraint_scene_of(*shown->source->origin), row);
      },
      [this, origin = shown()->source->origin](const figures::FigureOf<charts::ConstraintData>& figure) {
        origin_ = origin;
        scene_ = figure.data.scene;
        show_figure(figure);
      });
}

void ConstraintsPage::show_figure(const figures::FigureOf<charts::ConstraintData>& figure) {
  figure.show_in(*chart_);
  model_->set_data(figure.data);
  if (!chart_->chosen()) table_->selectionModel()->clear();
  show_text();
}

void ConstraintsPage::choose_row(const QModelIndex& index) {
  // If no row matches the search, the chosen item stays.
  if (!index.isValid()) return;
  chart_->choose(model_->item(filter_->mapToSource(index).row()).node);
  show_text();
}

void ConstraintsPage::choose_node(qint64 node) {
  const int row = model_->row_of(static_cast<std::size_t>(node));
  if (row < 0) return;
  QModelIndex index = filter_->mapFromSource(model_->index(row, 0));
  if (!index.isValid()) {
    search_->clear();
    index = filter_->mapFromSource(model_->index(row, 0));
  }
  table_->setCurrentIndex(index);
  table_->scrollTo(index);
  show_text();
}

void ConstraintsPage::clear_choice() {
  table_->selectionModel()->clear();
  show_text();
}

/** Describes the chosen item; if none is chosen, the violated constraints. */
void ConstraintsPage::show_text() {
  const charts::ConstraintData& known = chart_->data();
  QStringList lines;
  if (known.scene && chart_->chosen()) {
    lines = charts::node_text(known, *chart_->chosen());
  } else if (known.scene && !known.scene->system.empty()) {
    lines.append(charts::count_text(*known.scene));
    if (known.trial) lines.append(charts::trial_text(known));
    lines.append(charts::violation_text(known));
    if (!chart_->caption().isEmpty()) lines.append(chart_->caption());
  }
  const QString text = lines.join(QStringLiteral("\n\n"));
  if (text != words_->toPlainText()) words_->setPlainText(text);
}

void ConstraintsPage::forget() {
  origin_.reset();
  scene_.reset();
  chart_->set_data({});
  model_->set_data({});
  words_->clear();
}

void ConstraintsPage::changeEvent(QEvent* event) {
  ExplorePage::changeEvent(event);
  if (event->type() == QEvent::FontChange && words_ != nullptr)
    words_->setFont(style::fixed_font_of(style::TextSize::Normal));
}

}  // namespace kernelscape::views
