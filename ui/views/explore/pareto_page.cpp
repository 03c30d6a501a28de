#include "ui/views/explore/pareto_page.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <algorithm>

#include "ui/models/trial_values.h"

namespace kernelscape::views {
namespace {

constexpr int name_role = Qt::UserRole + 1;  // of an item: Column::name

std::size_t chosen_column(const QComboBox& box) {
  return static_cast<std::size_t>(box.currentData().toULongLong());
}

analysis::Better chosen_direction(const QComboBox& box) {
  return static_cast<analysis::Better>(box.currentIndex());
}

QLabel* objective_label(const QString& text, QWidget* buddy) {
  auto* label = new QLabel(text);
  label->setBuddy(buddy);
  return label;
}

}  // namespace

ParetoPage::ParetoPage(workspace::Workspace& workspace, QWidget* parent)
    : ExplorePage(workspace, tr("Pareto front"), parent),
      x_(make_boxes(tr("x axis"))),
      y_(make_boxes(tr("y axis"))),
      chart_(new charts::ParetoChart(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(make_panel({objective_label(tr("x axis"), x_.column), x_.column, x_.better,
                                objective_label(tr("y axis"), y_.column), y_.column, y_.better},
                               chart_));
  connect(chart_, &charts::XyChart::rows_selected, this, [this](const std::vector<qint64>& rows) {
    if (!this->shown()) return;
    const std::vector<std::int64_t> list(rows.begin(), rows.end());
    emit rows_picked(analysis::RowSet::of(this->shown()->source->trials.size(), list), {});
  });
}

ParetoPage::AxisBoxes ParetoPage::make_boxes(const QString& axis) {
  const AxisBoxes boxes{new QComboBox, new QComboBox};
  boxes.column->setAccessibleName(tr("Quantity of the %1").arg(axis));
  boxes.column->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  boxes.column->setMinimumContentsLength(14);
  boxes.column->setMaxVisibleItems(24);
  boxes.better->setAccessibleName(tr("Better direction of the %1").arg(axis));
  boxes.better->addItems({tr("less is better"), tr("more is better")});
  for (QComboBox* box : {boxes.column, boxes.better}) box->setToolTip(box->accessibleName());
  connect(boxes.column, &QComboBox::currentIndexChanged, this, [this, boxes] {
    show_usual_direction(boxes);
    refresh();
  });
  connect(boxes.better, &QComboBox::currentIndexChanged, this, &ParetoPage::refresh);
  return boxes;
}

/** Chooses the usual direction of a newly chosen column, which the user can switch. */
void ParetoPage::show_usual_direction(const AxisBoxes& boxes) {
  const std::size_t column = chosen_column(*boxes.column);
  if (!shown() || column >= shown()->source->columns().columns().size()) return;
  const QSignalBlocker quiet(boxes.better);
  boxes.better->setCurrentIndex(static_cast<int>(analysis::usual_direction(shown()->column(column))));
}

/** Returns true if trials have a metric to weigh against the time. */
bool ParetoPage::has_content(const figures::ShownTrials& shown) {
  const figures::ParetoChoice usual = figures::usual_objectives(shown.source->columns());
  return shown.valid > 0 && usual.x != usual.y;
}

void ParetoPage::fill_boxes() {
  const figures::ParetoChoice usual = figures::usual_objectives(shown()->source->columns());
  fill(x_, usual.x);
  fill(y_, usual.y);
  had_metrics_ = usual.x != usual.y;
}

/**
 * Offers the columns of the source. The chosen column is kept by its name: a session that runs may get
 * further columns. The usual columns replace the choice once trials have metrics.
 */
void ParetoPage::fill(const AxisBoxes& boxes, std::size_t preferred) {
  const analysis::TrialColumns& columns = shown()->source->columns();
  QStringList names;
  const std::vector<std::size_t> positions = figures::objective_columns(columns);
  for (const std::size_t position : positions)
    names.append(QString::fromStdString(columns.columns()[position].name));
  bool same = boxes.column->count() == names.size();
  for (int index = 0; same && index < boxes.column->count(); ++index)
    same = boxes.column->itemData(index, name_role).toString() == names[index] &&
           boxes.column->itemData(index).toULongLong() == positions[static_cast<std::size_t>(index)];
  if (same) return;
  // Titles may occur twice: "metric.ms" has that of "ms".
  const qsizetype kept = had_metrics_ ? names.indexOf(boxes.column->currentData(name_role).toString()) : -1;
  const QSignalBlocker quiet(boxes.column);
  boxes.column->clear();
  for (int index = 0; index < static_cast<int>(names.size()); ++index) {
    const std::size_t position = positions[static_cast<std::size_t>(index)];
    boxes.column->addItem(models::column_title(columns.columns()[position]),
                          QVariant::fromValue<qulonglong>(position));
    boxes.column->setItemData(index, names[index], name_role);
  }
  if (kept >= 0) return boxes.column->setCurrentIndex(static_cast<int>(kept));
  boxes.column->setCurrentIndex(boxes.column->findData(QVariant::fromValue<qulonglong>(preferred)));
  show_usual_direction(boxes);
}

void ParetoPage::compute() {
  fill_boxes();
  const figures::ParetoChoice choice{chosen_column(*x_.column), chosen_column(*y_.column),
                                     chosen_direction(*x_.better), chosen_direction(*y_.better)};
  jobs().start(
      [shown = shown(), choice](const workspace::JobControl& control) {
        return figures::pareto_figure(*shown, choice, control);
      },
      [this](const figures::FigureOf<charts::ParetoData>& figure) {
        figure.show_in(*chart_);
        follow_selection();
        chart_->set_current_row(workspace().current_row());
      });
}

void ParetoPage::follow_selection() { chart_->set_selection(workspace().selection()); }

void ParetoPage::show_current() { chart_->set_current_row(workspace().current_row()); }

void ParetoPage::forget() { chart_->set_data({}); }

}  // namespace kernelscape::views
