#include "ui/views/explore/variables_page.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>

namespace kernelscape::views {
namespace {

QComboBox* variable_box(const QString& accessible_name) {
  auto* box = new QComboBox;
  box->setAccessibleName(accessible_name);
  box->setToolTip(accessible_name);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(18);
  box->setMaxVisibleItems(24);
  return box;
}

QLabel* label_of(const QString& text, QWidget* buddy) {
  auto* label = new QLabel(text);
  label->setBuddy(buddy);
  return label;
}

/**
 * Fills a box with names. An equal list is not replaced, so that an open list does not change under the
 * mouse.
 */
void fill_names(QComboBox* box, const QStringList& names, const QString& chosen) {
  const QSignalBlocker quiet(box);
  bool same = box->count() == names.size();
  for (int index = 0; same && index < box->count(); ++index) same = box->itemText(index) == names[index];
  if (!same) {
    box->clear();
    box->addItems(names);
  }
  box->setCurrentText(chosen);
}

}  // namespace

VariablesPage::VariablesPage(workspace::Workspace& workspace, QWidget* parent)
    : ExplorePage(workspace, tr("Variables"), parent),
      x_box_(variable_box(tr("Horizontal variable"))),
      y_box_(variable_box(tr("Vertical variable"))),
      chart_(new charts::VariablePlaneChart(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(make_panel(
      {label_of(tr("Variables"), x_box_), x_box_, label_of(QStringLiteral("×"), y_box_), y_box_}, chart_));
  for (QComboBox* box : {x_box_, y_box_})
    connect(box, &QComboBox::currentIndexChanged, this, &VariablesPage::refresh);
  connect(chart_, &charts::XyChart::rows_selected, this, [this](const std::vector<qint64>& rows) {
    if (!this->shown()) return;
    const std::vector<std::int64_t> list(rows.begin(), rows.end());
    emit rows_picked(analysis::RowSet::of(this->shown()->source->trials.size(), list), {});
  });
}

/** Returns true if the space has two knobs, so that there are two variables. */
bool VariablesPage::has_content(const figures::ShownTrials& shown) {
  return shown.source->space().knobs().size() > 1;
}

/** Computes the figure. The names that were chosen last are kept if another session has them too. */
void VariablesPage::compute() {
  figures::VariablePlaneQuery query{shown(), workspace().selection(), x_box_->currentText(),
                                    y_box_->currentText()};
  jobs().start(
      [query = std::move(query), before = parts_](const workspace::JobControl& control) {
        return figures::variable_plane_of(query, before, control);
      },
      [this](const figures::VariablePlaneOutcome& outcome) { show_outcome(outcome); });
}

void VariablesPage::show_outcome(const figures::VariablePlaneOutcome& outcome) {
  parts_ = outcome.parts;
  fill_boxes();
  outcome.figure.show_in(*chart_);
  show_current();
}

void VariablesPage::fill_boxes() {
  for (QComboBox* box : {x_box_, y_box_}) box->setEnabled(parts_.region != nullptr);
  if (!parts_.region) return;
  QStringList names;
  for (const space::VariableId id : parts_.variables->offered()) names.append(parts_.name_of(id));
  fill_names(x_box_, names, parts_.name_of(parts_.x));
  fill_names(y_box_, names, parts_.name_of(parts_.y));
}

void VariablesPage::show_current() { chart_->set_current_row(workspace().current_row()); }

void VariablesPage::forget() { parts_ = {}; }

}  // namespace kernelscape::views
