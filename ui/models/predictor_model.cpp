#include "ui/models/predictor_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/models/predictor_text.h"
#include "ui/models/session_text.h"
#include "ui/style/numbers.h"

namespace kernelscape::models {
namespace {

constexpr std::int64_t shown_measurements = 64;

bool is_number(int column) {
  return column == PredictorModel::SamplesColumn || column == PredictorModel::TasksColumn ||
         column == PredictorModel::TauColumn || column == PredictorModel::RegretColumn;
}

std::optional<predictor::RegretAt> test_regret(const study::KnownPredictor& predictor) {
  return regret_after(predictor::median_regret(outcomes_of(predictor), predictor::DataPart::Test),
                      shown_measurements);
}

double test_tau(const study::KnownPredictor& predictor) {
  return predictor::median_tau(outcomes_of(predictor), predictor::DataPart::Test);
}

}  // namespace

/**
 * Both lists have the same order, predictors of the database by descending id and built-in ones by name: they
 * are merged.
 */
void PredictorModel::set_predictors(const std::vector<study::KnownPredictor>& predictors) {
  const auto holds = [&](const QString& key) {
    return std::ranges::find(predictors, key, predictor_key) != predictors.end();
  };
  for (int row = rowCount() - 1; row >= 0; --row) {
    if (holds(predictor_key(predictor(row)))) continue;
    beginRemoveRows({}, row, row);
    predictors_.erase(predictors_.begin() + row);
    endRemoveRows();
  }
  for (std::size_t place = 0; place < predictors.size(); ++place) {
    const int row = static_cast<int>(place);
    if (place == predictors_.size() ||
        predictor_key(predictors_[place]) != predictor_key(predictors[place])) {
      beginInsertRows({}, row, row);
      predictors_.insert(predictors_.begin() + row, predictors[place]);
      endInsertRows();
    } else {
      predictors_[place] = predictors[place];
      emit dataChanged(index(row, 0), index(row, column_count - 1));
    }
  }
}

void PredictorModel::set_training(const std::optional<workspace::TrainingView>& training) {
  training_ = training;
  if (rowCount() > 0) emit dataChanged(index(0, StateColumn), index(rowCount() - 1, StateColumn));
}

int PredictorModel::row_of(const QString& key) const {
  const auto found = std::ranges::find(predictors_, key, predictor_key);
  return found == predictors_.end() ? -1 : static_cast<int>(found - predictors_.begin());
}

QString PredictorModel::search_text(int row) const {
  QStringList texts;
  for (const int column : {NameColumn, TemplateColumn, IsaColumn, DeviceColumn, OriginColumn, StateColumn})
    texts.append(text(predictor(row), column));
  return texts.join(QLatin1Char('\n'));
}

int PredictorModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(predictors_.size());
}

int PredictorModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QString PredictorModel::state_text(const study::KnownPredictor& predictor) const {
  return training_ && predictor.id == training_->id ? training_text(*training_)
                                                    : predictor_state_text(predictor);
}

QString PredictorModel::text(const study::KnownPredictor& predictor, int column) const {
  const predictor::Description* description = predictor.description.get();
  switch (column) {
    case NameColumn:
      return predictor_title(predictor);
    case TemplateColumn:
      return QString::fromStdString(predictor.template_name);
    case IsaColumn:
      return QString::fromStdString(predictor.isa);
    case DeviceColumn:
      return description ? QString::fromStdString(description->device) : QString();
    case SamplesColumn:
      return description ? style::format_count(description->samples) : style::no_number();
    case TasksColumn:
      return description ? style::format_count(std::ssize(description->tasks)) : style::no_number();
    case TauColumn:
      return style::format_number(test_tau(predictor), 2);
    case RegretColumn:
      return regret_text(test_regret(predictor));
    case OriginColumn:
      return predictor_origin_text(predictor);
    case StateColumn:
      return state_text(predictor);
    case CreatedColumn:
      return predictor.created_utc.empty() ? QString() : created_text(predictor.created_utc);
    default:
      return {};
  }
}

QVariant PredictorModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const study::KnownPredictor& shown = predictor(index.row());
  switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
      return text(shown, index.column());
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (is_number(index.column()) ? Qt::AlignRight : Qt::AlignLeft));
    case SortRole:
      if (index.column() == SamplesColumn)
        return qlonglong{shown.description ? shown.description->samples : 0};
      if (index.column() == TasksColumn)
        return qlonglong{shown.description ? std::ssize(shown.description->tasks) : 0};
      // Unknown values sort before every number.
      if (index.column() == TauColumn) return std::isnan(test_tau(shown)) ? -2 : test_tau(shown);
      if (index.column() == RegretColumn) return test_regret(shown) ? test_regret(shown)->predicted : -1;
      if (index.column() == CreatedColumn) return QString::fromStdString(shown.created_utc);
      return text(shown, index.column());
    default:
      return {};
  }
}

QVariant PredictorModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::ToolTipRole && section == TauColumn)
    return tr(
        "Agreement of the predicted order with the measured order of the samples of test tasks: Kendall's "
        "tau, the median over these tasks");
  if (role == Qt::ToolTipRole && section == RegretColumn)
    return tr(
        "Regret: how far the best of 64 measurements is behind the best known, the median over the test "
        "tasks; beside it the regret of 64 measurements drawn at random");
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::AlignVCenter | (is_number(section) ? Qt::AlignRight : Qt::AlignLeft));
  if (role != Qt::DisplayRole) return {};
  const std::array<QString, column_count> titles = {
      tr("Name"),          tr("Template"),        tr("ISA"),  tr("Device"), tr("Samples"), tr("Tasks"),
      tr("Kendall's tau"), tr("Regret after 64"), tr("From"), tr("State"),  tr("Created")};
  return titles[static_cast<std::size_t>(section)];
}

}  // namespace kernelscape::models
