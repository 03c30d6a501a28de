#include "ui/views/explore/parallel_page.h"

#include <QBoxLayout>
#include <QMenu>
#include <QToolButton>
#include <algorithm>

#include "core/analysis/filter/filter.h"
#include "ui/figures/parallel_figure.h"
#include "ui/models/trial_values.h"
#include "ui/style/icons.h"

namespace kernelscape::views {
ParallelPage::ParallelPage(workspace::Workspace& workspace, QWidget* parent)
    : ExplorePage(workspace, tr("Parallel"), parent),
      chart_(new charts::ParallelChart(this)),
      axes_button_(new QToolButton),
      clear_button_(new QToolButton),
      axes_menu_(new QMenu(this)) {
  axes_button_->setText(tr("Axes"));
  axes_button_->setIcon(style::icon(QStringLiteral("columns")));
  axes_button_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  axes_button_->setPopupMode(QToolButton::InstantPopup);
  axes_button_->setMenu(axes_menu_);
  axes_button_->setFocusPolicy(Qt::TabFocus);
  axes_button_->setAccessibleName(tr("Choose the axes"));
  clear_button_->setText(tr("Clear brushes"));
  clear_button_->setFocusPolicy(Qt::TabFocus);
  clear_button_->setAccessibleName(tr("Clear brushes"));
  clear_button_->setEnabled(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(make_panel({axes_button_, clear_button_}, chart_));
  connect(axes_menu_, &QMenu::aboutToShow, this, &ParallelPage::fill_menu);
  connect(clear_button_, &QToolButton::clicked, this, &ParallelPage::clear_brushes);
  connect(chart_, &charts::ParallelChart::brushed, this, &ParallelPage::take_brushes);
  connect(chart_, &charts::ParallelChart::axis_moved, this, [this](int from, int to) {
    std::vector<std::size_t> moved = axes_;
    const std::size_t column = moved[static_cast<std::size_t>(from)];
    moved.erase(moved.begin() + from);
    moved.insert(moved.begin() + to, column);
    set_axes(std::move(moved));
  });
}

void ParallelPage::set_axes(std::vector<std::size_t> columns) {
  if (columns == axes_) return;
  axes_ = std::move(columns);
  const auto gone = [&](const auto& brush) { return std::ranges::find(axes_, brush.first) == axes_.end(); };
  if (std::erase_if(brushes_, gone) > 0) pick_brushed();
  refresh();
}

/** Returns true if a trial is valid, and there are two axes. */
bool ParallelPage::has_content(const figures::ShownTrials& shown) {
  return shown.failed < std::ssize(shown.rows) && figures::default_axes(shown).size() > 1;
}

void ParallelPage::choose_default_axes() {
  const std::uint64_t fingerprint = shown()->source->space().fingerprint();
  if (fingerprint == space_ && !axes_.empty()) return;
  space_ = fingerprint;
  brushes_.clear();
  axes_ = figures::default_axes(*shown());
}

void ParallelPage::fill_menu() {
  axes_menu_->clear();
  if (!shown()) return;
  const std::vector<analysis::Column>& columns = shown()->source->columns().columns();
  for (const bool of_knob : {true, false}) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
      if (columns[column].knob.has_value() != of_knob) continue;
      QAction* action = axes_menu_->addAction(models::column_title(columns[column]));
      action->setCheckable(true);
      action->setChecked(std::ranges::find(axes_, column) != axes_.end());
      connect(action, &QAction::toggled, this, [this, column](bool on) {
        std::vector<std::size_t> changed = axes_;
        std::erase(changed, column);
        // The performance axis stays at the right end.
        const bool at_end = !changed.empty() && changed.back() == shown()->performance_column;
        if (on) changed.insert(changed.end() - (at_end ? 1 : 0), column);
        set_axes(std::move(changed));
      });
    }
    if (of_knob) axes_menu_->addSeparator();
  }
}

void ParallelPage::compute() {
  choose_default_axes();
  // A selection that was made elsewhere is not described by the brushes.
  if (!brushes_.empty() && !brush_jobs_.busy() && workspace().selection() != picked_) brushes_.clear();
  clear_button_->setEnabled(!brushes_.empty());
  jobs().start(
      [shown = shown(), axes = axes_, selection = workspace().selection(),
       database = workspace().database()](const workspace::JobControl& control) {
        return figures::parallel_figure(*shown, axes, selection, database, control);
      },
      [this, axes = axes_](figures::FigureOf<charts::ParallelData> figure) {
        figure.text.show_in(*chart_);
        if (figure.data.axes.empty()) return;
        shown_axes_ = axes;
        data_ = std::move(figure.data);
        show_current();
      });
}

void ParallelPage::show_current() {
  if (data_.axes.empty()) return;
  charts::ParallelData shown_data = data_;
  for (std::size_t axis = 0; axis < shown_axes_.size(); ++axis) {
    const analysis::ParallelAxis& at = shown_data.coordinates.axes[axis];
    const auto value = current_value(shown_axes_[axis]);
    const std::int32_t bin = value ? at.bins.find(*value) : analysis::ValueBins::no_bin;
    shown_data.current.push_back(bin == analysis::ValueBins::no_bin ? at.missing()
                                                                    : static_cast<std::size_t>(bin));
  }
  if (workspace().current_row() == analysis::no_row) shown_data.current.clear();
  chart_->set_data(std::move(shown_data));
  std::vector<std::optional<charts::Brush>> brushes(shown_axes_.size());
  for (std::size_t axis = 0; axis < shown_axes_.size(); ++axis) {
    const auto found = brushes_.find(shown_axes_[axis]);
    if (found != brushes_.end()) brushes[axis] = found->second;
  }
  chart_->set_brushes(std::move(brushes));
}

void ParallelPage::forget() {
  brush_jobs_.cancel();
  brushes_.clear();
  data_ = {};
  shown_axes_.clear();
}

void ParallelPage::take_brushes(const std::vector<std::optional<charts::Brush>>& brushes) {
  brushes_.clear();
  for (std::size_t axis = 0; axis < brushes.size() && axis < shown_axes_.size(); ++axis)
    if (brushes[axis]) brushes_[shown_axes_[axis]] = *brushes[axis];
  pick_brushed();
}

void ParallelPage::clear_brushes() {
  brushes_.clear();
  pick_brushed();
}

QStringList ParallelPage::brush_filters() const {
  QStringList filters;
  for (const auto& [column, brush] : brushes_)
    filters.append(QString::fromStdString(
        brush.low == brush.high ? analysis::filter_equals(shown()->column(column), brush.low)
                                : analysis::filter_range(shown()->column(column), brush.low, brush.high)));
  return filters;
}

void ParallelPage::pick_brushed() {
  if (!shown()) return;
  clear_button_->setEnabled(!brushes_.empty());
  brush_jobs_.start(
      [shown = shown(), brushes = brushes_](const workspace::JobControl& control) {
        analysis::RowSet rows(shown->source->trials.size());
        if (brushes.empty()) return rows;
        const analysis::TrialColumns& columns = shown->source->columns();
        for (std::size_t index = 0; index < shown->rows.size(); ++index) {
          if (index % workspace::rows_at_once == 0 && !control.proceed()) break;
          const std::int64_t row = shown->rows[index];
          const bool inside = std::ranges::all_of(brushes, [&](const auto& brush) {
            const double value = columns.value(shown->source->trials, row, brush.first);
            return value >= brush.second.low && value <= brush.second.high;
          });
          if (inside) rows.set(row);
        }
        return rows;
      },
      [this](const analysis::RowSet& rows) {
        picked_ = rows;
        emit rows_picked(rows, brush_filters());
      });
}

}  // namespace kernelscape::views
