#include "ui/views/explore/column_box.h"

#include "ui/figures/shown_trials.h"
#include "ui/models/trial_values.h"

namespace kernelscape::views {

ColumnBox::ColumnBox(const QString& accessible_name, QWidget* parent) : QComboBox(parent) {
  setAccessibleName(accessible_name);
  setToolTip(accessible_name);
  setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  setMinimumContentsLength(14);
  setMaxVisibleItems(24);
  connect(this, &QComboBox::currentIndexChanged, this, &ColumnBox::column_changed);
}

bool ColumnBox::set_columns(const analysis::TrialColumns& columns, std::size_t preferred) {
  QStringList titles;
  QList<std::size_t> order;
  for (const bool of_knob : {true, false}) {
    for (std::size_t index = 0; index < columns.columns().size(); ++index) {
      if (columns.columns()[index].knob.has_value() != of_knob) continue;
      titles.append(models::column_title(columns.columns()[index]));
      order.append(index);
    }
  }
  bool same = titles.size() == count();
  for (qsizetype index = 0; same && index < titles.size(); ++index)
    same = titles[index] == itemText(static_cast<int>(index));
  if (same) return true;
  const QSignalBlocker blocker(this);
  const qsizetype kept = titles.indexOf(currentText());
  clear();
  for (qsizetype index = 0; index < titles.size(); ++index)
    addItem(titles[index], QVariant::fromValue(static_cast<qulonglong>(order[index])));
  if (kept >= 0) {
    setCurrentIndex(static_cast<int>(kept));
  } else {
    set_column(preferred);
  }
  return kept >= 0;
}

std::size_t ColumnBox::column() const { return currentData().toULongLong(); }

void ColumnBox::set_column(std::size_t column) {
  const int index = findData(QVariant::fromValue(static_cast<qulonglong>(column)));
  if (index >= 0) setCurrentIndex(index);
}

}  // namespace kernelscape::views
