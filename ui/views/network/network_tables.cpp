#include "ui/views/network/network_tables.h"

#include <QLineEdit>
#include <QScrollArea>
#include <QTabBar>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/views/network/operators_page.h"
#include "ui/widgets/library_table.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

QString searched_layer_text(const models::NetworkLayerRow& row) {
  return row.title + QLatin1Char('\n') + row.text + QLatin1Char('\n') + row.maker + QLatin1Char('\n') +
         models::layer_state_text(row) + QLatin1Char('\n') + row.nodes.join(QLatin1Char('\n'));
}

constexpr int widest_layer_column = 44 * style::grid_pixels;

void sort_as_it_comes(widgets::LibraryTable& table) {
  table.setSortingEnabled(true);
  table.sortByColumn(-1, Qt::AscendingOrder);
}

}  // namespace

NetworkTables::NetworkTables(QWidget* parent)
    : QTabWidget(parent),
      layer_filter_([this](int row) { return searched_layer_text(layers_.layer(row)); },
                    models::NetworkLayerModel::SortRole),
      other_filter_([this](int row) { return QString::fromStdString(others_.at(row).name); },
                    models::OtherOperatorModel::SortRole) {
  setDocumentMode(true);
  setAccessibleName(tr("Parts of the network"));
  tabBar()->setAccessibleName(accessibleName());
  addTab(make_layers_page(), tr("Layers"));
  addTab(make_others_page(), tr("Other operators"));
  operators_ = new OperatorsPage;
  addTab(operators_, tr("Operators"));
  hide_model();
}

QWidget* NetworkTables::make_layers_page() {
  search_ = new QLineEdit;
  search_->setPlaceholderText(tr("Search layers and nodes"));
  search_->setAccessibleName(search_->placeholderText());
  search_->setClearButtonEnabled(true);
  layer_filter_.setSourceModel(&layers_);
  layer_table_ = new widgets::LibraryTable(tr("Layers of the network"));
  layer_table_->set_widest_column(widest_layer_column);
  layer_table_->setModel(&layer_filter_);
  layer_table_->setSelectionMode(QAbstractItemView::SingleSelection);
  sort_as_it_comes(*layer_table_);
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, style::grid_pixels / 2, 0, 0);
  layout->setSpacing(style::grid_pixels / 2);
  layout->addWidget(search_);
  layout->addWidget(layer_table_, 1);
  connect(search_, &QLineEdit::textChanged, this,
          [this](const QString& words) { layer_filter_.set_search(words); });
  connect(layer_table_, &widgets::LibraryTable::rows_selected, this, &NetworkTables::selection_changed);
  connect(layer_table_, &widgets::LibraryTable::row_opened, this,
          [this](int row) { emit layer_opened(shown_layer(row)); });
  return page;
}

QWidget* NetworkTables::make_others_page() {
  other_filter_.setSourceModel(&others_);
  other_table_ = new widgets::LibraryTable(tr("Other operators of the network"));
  other_table_->setModel(&other_filter_);
  sort_as_it_comes(*other_table_);
  others_text_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text);
  notices_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::warning);
  for (widgets::ThemedLabel* label : {others_text_, notices_}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  notices_->setAccessibleName(tr("Notices of the model's reader"));
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, style::grid_pixels / 2, 0, 0);
  layout->setSpacing(style::grid_pixels / 2);
  layout->addWidget(others_text_);
  layout->addWidget(notices_);
  layout->addWidget(other_table_, 1);
  return page;
}

const models::NetworkLayerRow& NetworkTables::shown_layer(int row) const {
  return layers_.layer(layer_filter_.mapToSource(layer_filter_.index(row, 0)).row());
}

void NetworkTables::set_layers(std::vector<models::NetworkLayerRow> layers, bool tuned) {
  layers_.set_layers(std::move(layers));
  for (int column = models::NetworkLayerModel::AllTimeColumn;
       column <= models::NetworkLayerModel::TrialsColumn; ++column)
    layer_table_->setColumnHidden(column, !tuned);
  const bool measured = std::ranges::any_of(
      layers_.layers(), [](const models::NetworkLayerRow& row) { return row.share_of_latency.has_value(); });
  layer_table_->setColumnHidden(models::NetworkLayerModel::LatencyColumn, !measured);
  const bool reported =
      tuned || std::ranges::any_of(layers_.layers(), [](const models::NetworkLayerRow& row) {
        return !row.obstacle.isEmpty();
      });
  layer_table_->setColumnHidden(models::NetworkLayerModel::StateColumn, !reported);
  emit selection_changed();  // the state of the selected layer may have changed
}

void NetworkTables::set_others(const std::vector<task::OtherOperators>& others,
                               const std::vector<std::string>& notices) {
  others_.set_operators(others);
  setTabText(1, notices.empty() ? tr("Other operators") : tr("Other operators and notices"));
  setTabVisible(1, !others.empty() || !notices.empty());
  QStringList lines;
  for (const std::string& notice : notices) lines.append(QString::fromStdString(notice));
  notices_->setText(lines.join(QLatin1Char('\n')));
  notices_->setVisible(!lines.isEmpty());
  others_text_->setText(tr("The network computes these too: no sum of its layers has them."));
  others_text_->setVisible(!others.empty());
}

void NetworkTables::show_model(const std::optional<study::ModelSource>& model, const QDateTime& known_since) {
  setTabVisible(indexOf(operators_), true);
  operators_->set_model(model, known_since);
}

void NetworkTables::hide_model() {
  setTabVisible(indexOf(operators_), false);
  operators_->set_model(std::nullopt);
}

QString NetworkTables::notices() const { return notices_->text(); }

const models::NetworkLayerRow* NetworkTables::selected() const {
  const std::vector<int> rows = layer_table_->selected_rows();
  return rows.size() == 1 ? &shown_layer(rows.front()) : nullptr;
}

void NetworkTables::select(std::size_t layer) {
  const auto found =
      std::ranges::find(layers_.layers(), std::optional(layer), &models::NetworkLayerRow::layer);
  if (found == layers_.layers().end()) return;
  const int row = static_cast<int>(found - layers_.layers().begin());
  const QModelIndex shown = layer_filter_.mapFromSource(layers_.index(row, 0));
  if (!shown.isValid()) return;
  layer_table_->selectRow(shown.row());
  layer_table_->scrollTo(shown);
}

void NetworkTables::set_actions(const QList<QAction*>& actions) { layer_table_->set_actions(actions); }

void NetworkTables::focus_search() {
  if (currentWidget() == operators_) return operators_->focus_search();
  setCurrentIndex(0);
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

}  // namespace kernelscape::views
