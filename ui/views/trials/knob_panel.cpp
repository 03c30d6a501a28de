#include "ui/views/trials/knob_panel.h"

#include <QEvent>
#include <QHeaderView>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/models/trial_values.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/widgets/flat_header.h"
#include "ui/widgets/row_height.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

enum KnobColumn { Mark, Name, Value, Best, Elements };
constexpr int differs_role = Qt::UserRole;

QTableWidgetItem* make_item(const QString& text) {
  auto* item = new QTableWidgetItem(text);
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  item->setToolTip(text);
  return item;
}

/** Returns "tile_oc[0] 4, tile_oc[1] 2": the names that charts and filters use for the elements of a knob. */
QString elements_of(const workspace::SourceData& source, std::size_t knob, std::uint32_t index) {
  QStringList parts;
  const auto& columns = source.columns().columns();
  for (std::size_t position = 0; position < columns.size(); ++position) {
    const analysis::Column& column = columns[position];
    if (column.knob != knob || column.element < 0) continue;
    parts.append(QStringLiteral("%1 = %2").arg(
        QString::fromStdString(column.name),
        models::shown_value(column, source.columns().value_of_index(position, index))));
  }
  return parts.join(QStringLiteral(",  "));
}

}  // namespace

KnobPanel::KnobPanel(QWidget* parent) : QWidget(parent) {
  summary_ = new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::muted_text);
  summary_->setContentsMargins(16, 8, 16, 8);
  table_ = new QTableWidget(0, 5);
  table_->setAccessibleName(tr("Knobs of the trial"));
  widgets::make_flat(*table_);
  widgets::keep_row_height(*table_, 8, 24);
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->horizontalHeader()->setMinimumSectionSize(16);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  all->addWidget(summary_);
  all->addWidget(table_, 1);
}

void KnobPanel::show_trial(const workspace::SourceData& source, const workspace::TrialDetails& details) {
  const std::int64_t best = source.headline.row;
  const bool compare = best != analysis::no_row && best != details.row;
  const QString best_title =
      best == analysis::no_row
          ? QString()
          : tr("best, trial %1").arg(style::format_count(source.trials.row(best).number));
  table_->setHorizontalHeaderLabels({QString(), tr("knob"), tr("value"), best_title, tr("as columns")});
  table_->setColumnHidden(Best, !compare);
  const std::vector<space::Knob>& knobs = source.space().knobs();
  table_->setRowCount(static_cast<int>(knobs.size()));
  int different = 0;
  for (std::size_t knob = 0; knob < knobs.size(); ++knob) {
    const int row = static_cast<int>(knob);
    const std::uint32_t index = details.trial.configuration.indices[knob];
    const std::uint32_t best_index = compare ? source.trials.knob_index(best, knob) : index;
    const bool differs = index != best_index;
    different += differs ? 1 : 0;
    table_->setItem(row, Mark, make_item(differs ? QStringLiteral("≠") : QString()));
    table_->setItem(row, Name, make_item(QString::fromStdString(knobs[knob].name())));
    table_->setItem(row, Value, make_item(QString::fromStdString(knobs[knob].describe(index))));
    table_->setItem(row, Best, make_item(QString::fromStdString(knobs[knob].describe(best_index))));
    table_->setItem(row, Elements, make_item(elements_of(source, knob, index)));
    for (int column = 0; column < table_->columnCount(); ++column)
      table_->item(row, column)->setData(differs_role, differs);
  }
  summary_->setText(source.build_only() ? tr("Build only: there are no timings, so no trial is the best.")
                    : best == analysis::no_row ? tr("No trial of this session is valid yet.")
                    : !compare                 ? tr("This is the best trial of the session.")
                    : different == 1
                        ? tr("1 of %1 knobs differs from the best trial.").arg(knobs.size())
                        : tr("%1 of %2 knobs differ from the best trial.").arg(different).arg(knobs.size()));
  apply_theme();
}

void KnobPanel::apply_theme() {
  for (int row = 0; row < table_->rowCount(); ++row) {
    for (int column = 0; column < table_->columnCount(); ++column) {
      QTableWidgetItem* item = table_->item(row, column);
      const bool marked = item->data(differs_role).toBool() && column != Elements && column != Best;
      QFont font = table_->font();
      font.setBold(marked);
      item->setFont(font);
      item->setForeground(marked               ? style::colours().accent
                          : column == Elements ? style::colours().muted_text
                                               : style::colours().text);
    }
  }
  // At most a few dozen rows, so measuring their contents is cheap.
  for (const int column : {Mark, Name, Value, Best}) table_->resizeColumnToContents(column);
}

bool KnobPanel::event(QEvent* event) {
  const bool handled = QWidget::event(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationFontChange) apply_theme();
  return handled;
}

}  // namespace kernelscape::views
