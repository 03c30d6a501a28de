#include "ui/views/tune/space_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

#include "core/base/numbers.h"
#include "ui/widgets/wrapped_label.h"

namespace kernelscape::views {
namespace {

enum Role { KnobRole = Qt::UserRole, PositionRole, ValueRole };

QString counted(base::uint128 count) {
  return QString::fromStdString(base::with_thousands(base::to_string(count)));
}

/** Returns the distinct values of an element, ascending. */
std::set<std::int64_t> values_of(const space::Knob& knob, int position) {
  std::set<std::int64_t> values;
  for (std::uint32_t index = 0; index < knob.count(); ++index) values.insert(knob.element(index, position));
  return values;
}

QString value_text(const space::Knob& knob, int position, std::int64_t value) {
  if (knob.kind() == space::KnobKind::Permutation)
    return QString::fromStdString(knob.items()[static_cast<std::size_t>(value)]);
  if (knob.kind() == space::KnobKind::Factorization) return QString::number(value);
  for (std::uint32_t index = 0; index < knob.count(); ++index) {
    if (knob.element(index, position) == value) return QString::fromStdString(knob.describe(index));
  }
  return QString::number(value);
}

}  // namespace

SpacePanel::SpacePanel(QWidget* parent)
    : QWidget(parent),
      size_(new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::text, this)),
      toggle_(new QToolButton(this)),
      allow_all_(new QPushButton(tr("Allow all values"), this)),
      knobs_(new QTreeWidget(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  size_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  toggle_->setText(tr("Knobs"));
  toggle_->setCheckable(true);
  toggle_->setArrowType(Qt::RightArrow);
  toggle_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  toggle_->setAccessibleName(tr("Show the knobs and restrict their values"));
  toggle_->setToolTip(toggle_->accessibleName());
  row->addWidget(size_, 1);
  row->addWidget(toggle_, 0, Qt::AlignTop);
  column->addLayout(row);
  knobs_->setHeaderLabels({tr("Knob"), tr("Values")});
  knobs_->setAccessibleName(tr("Knobs and their allowed values"));
  knobs_->setMinimumSize(1, 200);
  knobs_->setUniformRowHeights(true);
  knobs_->header()->setStretchLastSection(true);
  column->addWidget(knobs_);
  allow_all_->setAccessibleName(tr("Allow all values of all knobs"));
  column->addWidget(allow_all_, 0, Qt::AlignLeft);
  connect(toggle_, &QToolButton::toggled, this, &SpacePanel::show_knobs);
  connect(knobs_, &QTreeWidget::itemChanged, this, &SpacePanel::read_restrictions);
  connect(allow_all_, &QPushButton::clicked, this, [this] {
    set_restrictions({});
    emit restrictions_changed();
  });
  show_knobs(false);
}

void SpacePanel::show_knobs(bool shown) {
  toggle_->setArrowType(shown ? Qt::DownArrow : Qt::RightArrow);
  knobs_->setVisible(shown);
  allow_all_->setVisible(shown && !restrictions_.empty());
}

void SpacePanel::show_nothing(const QString& why) {
  size_->setText(why);
  toggle_->setEnabled(false);
}

void SpacePanel::show_space(const space::SearchSpace& space, const SpaceCounts& counts) {
  QString text = counts.members ? tr("%1 configurations").arg(counted(*counts.members))
                                : tr("at most %1 configurations").arg(counted(space.size()));
  if (counts.limited)
    text += tr(", %1 within the device limits").arg(counted(*counts.limited));
  else if (counts.limits_known)
    text += tr(", an unknown number within the device limits");
  const std::size_t knobs = space.knobs().size();
  text += knobs == 1 ? tr(", 1 knob") : tr(", %1 knobs").arg(knobs);
  if (!restrictions_.empty())
    text += counts.restricted ? tr("; %1 with your restrictions").arg(counted(*counts.restricted))
                              : tr("; fewer with your restrictions");
  size_->setText(text);
  toggle_->setEnabled(true);
  if (filled_ == space.fingerprint()) return;
  filled_ = space.fingerprint();
  fill(space);
}

void SpacePanel::fill(const space::SearchSpace& space) {
  filling_ = true;
  knobs_->clear();
  for (const space::Knob& knob : space.knobs()) {
    const QString name = QString::fromStdString(knob.name());
    auto* top = new QTreeWidgetItem(
        knobs_,
        {name,
         tr("%1, %2 values").arg(QString::fromStdString(space::to_string(knob.kind()))).arg(knob.count())});
    for (int position = 0; position < knob.element_count(); ++position) {
      auto* parent = top;
      if (knob.element_count() > 1)
        parent = new QTreeWidgetItem(top, {QStringLiteral("%1[%2]").arg(name).arg(position)});
      for (const std::int64_t value : values_of(knob, position)) {
        auto* item = new QTreeWidgetItem(parent, {value_text(knob, position, value)});
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setData(0, KnobRole, name);
        item->setData(0, PositionRole, position);
        item->setData(0, ValueRole, static_cast<qint64>(value));
        item->setCheckState(0, Qt::Checked);
      }
    }
  }
  knobs_->resizeColumnToContents(0);
  filling_ = false;
  // Restrictions of knobs that this space does not have would make every start fail.
  std::erase_if(restrictions_, [&](const session::KnobRestriction& r) {
    const auto knob = space.find_knob(r.knob);
    return !knob || r.position >= space.knobs()[*knob].element_count();
  });
  check_restricted();
}

void SpacePanel::set_restrictions(const std::vector<session::KnobRestriction>& restrictions) {
  restrictions_ = restrictions;
  check_restricted();
}

void SpacePanel::check_restricted() {
  filling_ = true;
  for (QTreeWidgetItemIterator item(knobs_); *item != nullptr; ++item) {
    const QVariant value = (*item)->data(0, ValueRole);
    if (!value.isValid()) continue;
    const std::string knob = (*item)->data(0, KnobRole).toString().toStdString();
    const int position = (*item)->data(0, PositionRole).toInt();
    const auto found = std::ranges::find_if(restrictions_, [&](const session::KnobRestriction& r) {
      return r.knob == knob && r.position == position;
    });
    const bool allowed = found == restrictions_.end() ||
                         std::ranges::find(found->values, value.toLongLong()) != found->values.end();
    (*item)->setCheckState(0, allowed ? Qt::Checked : Qt::Unchecked);
  }
  filling_ = false;
  allow_all_->setVisible(toggle_->isChecked() && !restrictions_.empty());
}

/**
 * Reads the restrictions from the check boxes. If all values of an element are checked, there is no
 * restriction.
 */
void SpacePanel::read_restrictions(QTreeWidgetItem* changed) {
  if (filling_ || !changed->data(0, ValueRole).isValid()) return;
  session::KnobRestriction restriction{
      changed->data(0, KnobRole).toString().toStdString(), changed->data(0, PositionRole).toInt(), {}};
  const QTreeWidgetItem* parent = changed->parent();
  for (int i = 0; i < parent->childCount(); ++i) {
    const QTreeWidgetItem* child = parent->child(i);
    if (child->checkState(0) == Qt::Checked)
      restriction.values.push_back(child->data(0, ValueRole).toLongLong());
  }
  std::erase_if(restrictions_, [&](const session::KnobRestriction& r) {
    return r.knob == restriction.knob && r.position == restriction.position;
  });
  if (static_cast<int>(restriction.values.size()) < parent->childCount())
    restrictions_.push_back(restriction);
  allow_all_->setVisible(!restrictions_.empty());
  emit restrictions_changed();
}

}  // namespace kernelscape::views
