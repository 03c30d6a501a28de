#include "ui/views/compare/study_tuner_table.h"

#include <fmt/format.h>

#include <QHeaderView>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/study/arm_settings.h"
#include "core/tuner/tuner.h"
#include "ui/style/theme.h"

namespace kernelscape::views {
namespace {

/**
 * A table cell whose tool tip shows its whole text, which may be wider than the column, followed by the
 * allowed syntax.
 */
class ExplainedCell : public QTableWidgetItem {
 public:
  ExplainedCell(const QString& text, const QString& help) : QTableWidgetItem(text) { setToolTip(help); }

  QVariant data(int role) const override {
    QVariant own = QTableWidgetItem::data(role);
    if (role != Qt::ToolTipRole || text().isEmpty()) return own;
    return text() + QStringLiteral("\n\n") + own.toString();
  }
};

/**
 * Returns a tuner's text in the syntax of parse_arm().
 * @param settings "population=50, elite=2" or separated by blanks
 */
QString tuner_text(const QString& tuner, const QString& batch, const QString& settings) {
  static const QRegularExpression between(QStringLiteral("[,;\\s]+"));
  const QString first = batch.isEmpty() ? tuner : tuner + QLatin1Char('@') + batch;
  return (QStringList(first) + settings.split(between, Qt::SkipEmptyParts)).join(QLatin1Char(':'));
}

/**
 * Restores properties of loaded arms: their order, on which seeds and colours depend, their names, and
 * properties without a column.
 */
std::vector<study::Arm> with_loaded_properties(std::vector<study::Arm> arms,
                                               const std::vector<study::Arm>& loaded) {
  std::vector<bool> kept(loaded.size());
  std::vector<std::pair<std::size_t, study::Arm>> placed;
  for (study::Arm& arm : arms) {
    std::size_t place = 0;
    for (; place < loaded.size(); ++place) {
      const study::Arm& known = loaded[place];
      if (!kept[place] && !known.control && known.tuner == arm.tuner && known.batch == arm.batch &&
          known.settings == arm.settings && known.measuring == arm.measuring)
        break;
    }
    if (place < loaded.size()) {
      kept[place] = true;
      arm = loaded[place];
    }
    placed.emplace_back(place, std::move(arm));
  }
  std::ranges::stable_sort(placed, {}, &std::pair<std::size_t, study::Arm>::first);
  arms.clear();
  for (auto& [place, arm] : placed) arms.push_back(std::move(arm));
  return arms;
}

}  // namespace

StudyTunerTable::StudyTunerTable(QWidget* parent)
    : QGroupBox(parent), table_(new QTableWidget(0, column_count)) {
  setTitle(tr("Tuners"));
  setFlat(true);
  make_table();
  auto* again = new QPushButton(tr("Duplicate tuner"));
  connect(again, &QPushButton::clicked, this, &StudyTunerTable::duplicate_row);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, style::grid_pixels, 0, 0);
  layout->addWidget(table_, 1);
  layout->addWidget(again);
  for (const tuner::Declaration& tuner : tuner::tuner_registry())
    add_row({QString::fromStdString(tuner.name)},
            tuner.name == tuner::sampling_tuner || tuner.name == tuner::default_tuner);
}

void StudyTunerTable::make_table() {
  table_->setAccessibleName(tr("Tuners"));
  table_->setHorizontalHeaderLabels({tr("Tuner"), tr("Settings"), tr("Measuring"), tr("Batch")});
  QHeaderView* columns = table_->horizontalHeader();
  for (const int column : {tuner_column, batch_column})
    columns->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  columns->setSectionResizeMode(settings_column, QHeaderView::Stretch);
  columns->setHighlightSections(false);
  // Settings that are longer than their column are wrapped.
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->verticalHeader()->hide();
  connect(columns, &QHeaderView::sectionResized, table_, &QTableWidget::resizeRowsToContents);
  table_->setShowGrid(false);
  table_->setTabKeyNavigation(false);
  connect(table_, &QTableWidget::itemChanged, this, &StudyTunerTable::changed);
}

void StudyTunerTable::add_row(const Row& row, bool checked) {
  const QSignalBlocker quiet(table_);
  const int place = table_->rowCount();
  table_->insertRow(place);
  auto* name = new QTableWidgetItem(row.tuner);
  name->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
  name->setCheckState(checked ? Qt::Checked : Qt::Unchecked);
  table_->setItem(place, tuner_column, name);
  table_->setItem(place, settings_column,
                  new ExplainedCell(row.settings, tr("NAME=VALUE, NAME=VALUE; empty: the defaults")));
  table_->setItem(
      place, measuring_column,
      new ExplainedCell(row.measuring,
                        tr("How its kernels are measured: NAME=VALUE, such as adaptive_batch=2; empty: as "
                           "for the other tuners of the study.\nNot for recorded spaces")));
  table_->setItem(place, batch_column,
                  new ExplainedCell(
                      row.batch, tr("How many candidates the tuner proposes at a time; empty: its default")));
}

void StudyTunerTable::duplicate_row() {
  if (table_->rowCount() == 0) return;
  add_row({table_->item(std::max(0, table_->currentRow()), tuner_column)->text()}, true);
  emit changed();
}

StudyTunerTable::Row StudyTunerTable::row_of(const study::Definition& study, const study::Arm& arm) {
  QStringList settings;
  for (const auto& [name, value] : arm.settings)
    settings.append(QString::fromStdString(fmt::format("{}={}", name, value)));
  return {.tuner = QString::fromStdString(arm.tuner),
          .settings = settings.join(QStringLiteral(", ")),
          .measuring = QString::fromStdString(
              study::measuring_text(arm.measuring.value_or(study.measuring), study.measuring)),
          .batch = arm.batch == 0 ? QString() : QString::fromStdString(study::arm_batch_text(arm.batch))};
}

/** Returns the first row of a tuner that is not checked; -1: there is none. */
int StudyTunerTable::unchecked_row(const QString& tuner) const {
  for (int row = 0; row < table_->rowCount(); ++row)
    if (table_->item(row, tuner_column)->text() == tuner &&
        table_->item(row, tuner_column)->checkState() == Qt::Unchecked)
      return row;
  return -1;
}

void StudyTunerTable::set_arms(const study::Definition& study) {
  const QSignalBlocker quiet(table_);
  for (int row = 0; row < table_->rowCount(); ++row)
    table_->item(row, tuner_column)->setCheckState(Qt::Unchecked);
  for (const study::Arm& arm : study.arms) {
    if (arm.control) continue;  // controls are added again automatically
    const Row texts = row_of(study, arm);
    const int row = unchecked_row(texts.tuner);
    if (row < 0) {
      add_row(texts, true);
      continue;
    }
    table_->item(row, tuner_column)->setCheckState(Qt::Checked);
    table_->item(row, settings_column)->setText(texts.settings);
    table_->item(row, measuring_column)->setText(texts.measuring);
    table_->item(row, batch_column)->setText(texts.batch);
  }
}

/** Returns the tuner of a row with its settings and measuring options, or an error if they can't be parsed.
 */
Result<study::Arm> StudyTunerTable::arm_of_row(int row, const study::Definition& loaded) const {
  const QString text =
      tuner_text(table_->item(row, tuner_column)->text(), table_->item(row, batch_column)->text().trimmed(),
                 table_->item(row, settings_column)->text());
  study::Arm arm = TRY(study::parse_arm(text.toStdString()));
  const tuner::Declaration* tuner = TRY(tuner::find_tuner(arm.tuner));
  TRY(tuner::parse_settings(*tuner, arm.settings));
  const trial::MeasureOptions measuring = TRY(
      study::parse_measuring(table_->item(row, measuring_column)->text().toStdString(), loaded.measuring));
  if (measuring == loaded.measuring) return arm;
  arm.measuring = measuring;
  // The name must distinguish the arm from one that is measured with the study's options.
  arm.name = fmt::format("{} ({})", arm.tuner, study::arm_text(loaded, arm));
  return arm;
}

Result<std::vector<study::Arm>> StudyTunerTable::arms(const study::Definition& loaded) const {
  std::vector<study::Arm> checked;
  for (int row = 0; row < table_->rowCount(); ++row) {
    if (table_->item(row, tuner_column)->checkState() != Qt::Checked) continue;
    checked.push_back(TRY(arm_of_row(row, loaded)));
  }
  return with_loaded_properties(std::move(checked), loaded.arms);
}

}  // namespace kernelscape::views
