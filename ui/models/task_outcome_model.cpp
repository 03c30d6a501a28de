#include "ui/models/task_outcome_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/models/predictor_text.h"
#include "ui/style/numbers.h"

namespace kernelscape::models {
namespace {

constexpr std::array<std::int64_t, 4> judged_measurements{1, 4, 16, 64};

}  // namespace

const predictor::TaskOutcome* find_outcome(const study::KnownPredictor& predictor, const std::string& task) {
  const std::span<const predictor::TaskOutcome> outcomes = outcomes_of(predictor);
  const auto found = std::ranges::find(outcomes, task, &predictor::TaskOutcome::task);
  return found == outcomes.end() ? nullptr : &*found;
}

void TaskOutcomeModel::set_predictors(const std::vector<study::KnownPredictor>& predictors) {
  beginResetModel();
  predictors_ = predictors;
  tasks_.clear();
  for (const study::KnownPredictor& predictor : predictors_)
    for (const predictor::TaskOutcome& outcome : outcomes_of(predictor))
      if (outcome.part != predictor::DataPart::Training && row_of(outcome.task) < 0)
        tasks_.push_back(outcome.task);
  if (!tasks_.empty()) tasks_.insert(tasks_.begin(), std::string());
  endResetModel();
}

int TaskOutcomeModel::row_of(const std::string& task) const {
  const auto found = std::ranges::find(tasks_, task);
  return found == tasks_.end() ? -1 : static_cast<int>(found - tasks_.begin());
}

int TaskOutcomeModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(tasks_.size());
}

int TaskOutcomeModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid()
             ? 0
             : first_predictor_column +
                   columns_of_a_predictor * static_cast<int>(std::max<std::size_t>(1, predictors_.size()));
}

/**
 * Returns a number of a predictor as text.
 * @param number 0: Kendall's tau, then the regrets in the order of their numbers of measurements
 */
QString TaskOutcomeModel::number_text(std::size_t predictor, int row, int number) const {
  const study::KnownPredictor& known = predictors_[predictor];
  const std::string& of_task = task(row);
  if (of_task.empty()) {
    const std::span<const predictor::TaskOutcome> outcomes = outcomes_of(known);
    if (number == 0)
      return style::format_number(predictor::median_tau(outcomes, predictor::DataPart::Test), 2);
    const std::int64_t measurements = judged_measurements[static_cast<std::size_t>(number - 1)];
    return regret_text(
        regret_after(predictor::median_regret(outcomes, predictor::DataPart::Test), measurements));
  }
  const predictor::TaskOutcome* outcome = find_outcome(known, of_task);
  if (outcome == nullptr) return style::no_number();
  // A training task must not be mistaken for a prediction.
  if (outcome->part == predictor::DataPart::Training) return number == 0 ? tr("training task") : QString();
  if (number == 0) return style::format_number(outcome->kendall_tau, 2);
  return regret_text(
      regret_after(outcome->regret, judged_measurements[static_cast<std::size_t>(number - 1)]));
}

QString TaskOutcomeModel::text(int row, int column) const {
  const std::string& of_task = task(row);
  if (column == task_column) {
    if (of_task.empty()) return tr("median of the test tasks");
    const predictor::TaskOutcome* outcome = find_outcome(predictors_.front(), of_task);
    const QString name = QString::fromStdString(of_task);
    return outcome != nullptr && outcome->part == predictor::DataPart::Validation
               ? tr("%1 (%2)").arg(name, data_part_text(outcome->part))
               : name;
  }
  if (column == samples_column) {
    for (const study::KnownPredictor& predictor : predictors_)
      if (const predictor::TaskOutcome* outcome = find_outcome(predictor, of_task))
        return style::format_count(outcome->samples);
    return {};
  }
  const int place = column - first_predictor_column;
  return number_text(static_cast<std::size_t>(place / columns_of_a_predictor), row,
                     place % columns_of_a_predictor);
}

QVariant TaskOutcomeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
      return text(index.row(), index.column());
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (index.column() == task_column ? Qt::AlignLeft : Qt::AlignRight));
    default:
      return {};
  }
}

QVariant TaskOutcomeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::AlignVCenter | (section == task_column ? Qt::AlignLeft : Qt::AlignRight));
  if (role != Qt::DisplayRole) return {};
  if (section == task_column) return tr("Task");
  if (section == samples_column) return tr("Samples");
  const int place = section - first_predictor_column;
  const int number = place % columns_of_a_predictor;
  const QString title =
      number == 0 ? tr("Kendall's tau")
                  : tr("Regret after %1").arg(judged_measurements[static_cast<std::size_t>(number - 1)]);
  if (predictors_.size() < 2) return title;
  const auto predictor = static_cast<std::size_t>(place / columns_of_a_predictor);
  return QStringLiteral("%1 · %2").arg(title, predictor_title(predictors_[predictor]));
}

}  // namespace kernelscape::models
