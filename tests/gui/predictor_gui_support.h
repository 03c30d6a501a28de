#pragma once

#include <QWidget>
#include <string>
#include <utility>
#include <vector>

#include "core/study/known_predictors.h"
#include "tests/gui/study_gui_support.h"
#include "ui/workspace/learning_watch.h"

namespace kernelscape::gui_tests {

/** A task that was judged after 1, 4, 16 and 64 measurements: `good` is 0 for the best predictor. */
inline predictor::TaskOutcome outcome_of(const std::string& task, predictor::DataPart part, double good) {
  predictor::TaskOutcome outcome;
  outcome.task = task;
  outcome.part = part;
  outcome.samples = 200;
  outcome.kendall_tau = 1 - good;
  double random = 0.8;
  for (const std::int64_t measurements : {1, 4, 16, 64}) {
    outcome.regret.push_back({measurements, random * good, random});
    random /= 2;
  }
  outcome.best_fitness = 4e11;
  return outcome;
}

/** A trained predictor as lists have it, of six tasks: four to learn from, then validation and test. */
inline study::KnownPredictor known_predictor(store::PredictorId id, const std::string& name,
                                             double good = 0.25) {
  predictor::Description description;
  description.name = name;
  description.created_utc = "2026-01-02T03:04:05Z";
  description.program_version = "1.0";
  description.template_name = "matmul-packed";
  description.template_version = 1;
  description.isa = "avx512";
  description.device = "Test CPU";
  description.features = "tokens";
  description.features_version = 1;
  description.settings_json = R"({"epochs":12,"model":"tokens"})";
  description.seed = 7;
  description.sources = {"study 3 (matmul tasks)"};
  description.samples = 800;
  for (const char* task : {"a", "b", "c", "d"})
    description.tasks.push_back(outcome_of(task, predictor::DataPart::Training, good / 2));
  description.tasks.push_back(outcome_of("validated", predictor::DataPart::Validation, good));
  description.tasks.push_back(outcome_of("tested", predictor::DataPart::Test, good));
  for (std::int64_t epoch = 1; epoch <= 12; ++epoch)
    description.epochs.push_back({.epoch = epoch,
                                  .training_loss = 1.0 / static_cast<double>(epoch),
                                  .validation_loss = 0.3 + 1.0 / static_cast<double>(epoch),
                                  .validation_tau = 1 - 1.0 / static_cast<double>(epoch + 1),
                                  .seconds = 0.5});
  description.best_epoch = 10;
  study::KnownPredictor known;
  known.id = id;
  known.name = name;
  known.template_name = description.template_name;
  known.isa = description.isa;
  known.state = "done";
  known.created_utc = description.created_utc;
  known.hash = "0123456789a" + std::to_string(id);
  known.epochs = description.epochs;
  known.description = std::make_shared<const predictor::Description>(std::move(description));
  return known;
}

inline workspace::LearningListsPointer lists_of(std::vector<study::KnownPredictor> predictors) {
  return std::make_shared<const workspace::LearningLists>(
      workspace::LearningLists{.data_sets = {}, .predictors = std::move(predictors)});
}

/** Six small multiplications, forty random trials of each. */
inline study::Definition small_data_set(const std::string& name = "a small data set") {
  study::Definition study;
  study.name = name;
  study.purpose = study::Purpose::DataSet;
  study.arms = {{"random", "random", {}}};
  for (const char* shape :
       {"32x64 64x64", "64x64 64x64", "128x64 64x64", "64x128 128x64", "64x64 64x128", "128x128 128x64"}) {
    study::Task task;
    task.task = std::string("matmul ") + shape + " f32";
    task.template_name = "matmul-packed";
    study.tasks.push_back(task);
  }
  study.budget.trials = 40;
  return study;
}

/** A training that takes no time worth mentioning. */
inline study::TrainingRequest small_training(store::StudyId data_set) {
  return {.name = "small",
          .sources = {"study " + std::to_string(data_set)},
          .template_name = {},
          .settings = {{"model", "perceptron"},
                       {"width", "8"},
                       {"epochs", "3"},
                       {"batch_size", "32"},
                       {"validation_share", "0.2"},
                       {"test_share", "0.2"}},
          .seed = 3};
}

/** The chart of this type that is not hidden: one of two, whose order a splitter turns round. */
template <typename ChartType>
ChartType& shown_chart(QWidget& in) {
  for (ChartType* chart : in.findChildren<ChartType*>())
    if (!chart->isHidden()) return *chart;
  qFatal("there is no such chart");
}

}  // namespace kernelscape::gui_tests
