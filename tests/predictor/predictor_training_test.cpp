#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/predictor/training.h"
#include "core/predictor/training_checkpoint.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/predictor/synthetic_data.h"
#include "tests/test_program.h"

namespace kernelscape::predictor_training_test {
using namespace kernelscape::predictor_tests;

namespace {

bool mentions(const Error& error, const std::string& word) { return describe(error).contains(word); }

/** Says stop when it is asked for the n-th time. */
std::function<bool()> stopping_at(int call) {
  return [calls = 0, call]() mutable { return ++calls >= call; };
}

}  // namespace

class PredictorTrainingTest : public QObject {
  Q_OBJECT

 private slots:
  void learns_what_holds_for_tasks_that_it_never_saw_data() {
    QTest::addColumn<QString>("model");
    for (const char* model : {"tokens", "perceptron", "trees"}) QTest::addRow("%s", model) << model;
  }
  void learns_what_holds_for_tasks_that_it_never_saw() {
    QFETCH(const QString, model);
    base::Random random(testing::random_seed());
    predictor::TrainingSetup setup = small_setup(random, {{"model", model.toStdString()},
                                                          {"width", "16"},
                                                          {"epochs", "30"},
                                                          {"patience", "30"},
                                                          {"test_share", "0.25"}});
    setup.data = synthetic_data(9, 40, random);
    const auto predictor = trained(std::move(setup));
    const double tau = predictor::median_tau(predictor->description().tasks, predictor::DataPart::Test);
    QVERIFY2(tau > 0.4, fmt::format("tau {}", tau).c_str());
  }

  void the_published_model_is_trained_on_rows_as_they_are() {
    base::Random random(testing::random_seed());
    const auto predictor =
        trained(small_setup(random, {{"model", "one-shot"}, {"feed_forward", "4"}, {"epochs", "1"}}));
    QCOMPARE(predictor->description().features, std::string("one-shot"));
    QVERIFY(predictor->bind(kernel_of("matmul 16x16 16x16")));
  }

  void the_same_setup_gives_the_same_bytes_whatever_the_threads() {
    base::Random random(testing::random_seed());
    const predictor::TrainingSetup setup =
        small_setup(random, {{"threads", "3"}, {"dropout", "0.2"}, {"oversampling", "false"}});
    const auto with_workers = [&](int workers) {
      predictor::TrainingSetup own = setup;
      own.workers = workers;
      return trained(std::move(own));
    };
    const auto first = with_workers(1);
    for (const int workers : {1, 2, 5}) QCOMPARE(with_workers(workers)->bytes(), first->bytes());
    predictor::TrainingSetup other = setup;
    ++other.seed;
    QVERIFY(trained(std::move(other))->bytes() != first->bytes());
  }

  void going_on_from_any_epoch_changes_nothing_data() {
    learns_what_holds_for_tasks_that_it_never_saw_data();
  }
  void going_on_from_any_epoch_changes_nothing() {
    QFETCH(const QString, model);
    base::Random random(testing::random_seed());
    const predictor::TrainingSetup setup =
        small_setup(random, {{"model", model.toStdString()}, {"dropout", "0.1"}, {"patience", "2"}});
    auto training = value_of(predictor::Training::begin(setup));
    std::vector<std::string> checkpoints{training->checkpoint()};
    while (!training->finished()) {
      QVERIFY(value_of(training->run_epoch({})));
      checkpoints.push_back(training->checkpoint());
    }
    const auto whole = value_of(training->result());
    for (std::size_t epochs = 0; epochs < checkpoints.size(); ++epochs) {
      auto resumed = value_of(predictor::Training::keep_going(setup, checkpoints[epochs]));
      QCOMPARE(resumed->epochs().size(), epochs);
      QVERIFY(std::ranges::equal(resumed->epochs(), std::span(training->epochs()).first(epochs)));
      QCOMPARE(resumed->finished(), epochs + 1 == checkpoints.size());
      QCOMPARE(trained(std::move(resumed))->bytes(), whole->bytes());
    }
  }

  void a_stop_in_an_epoch_leaves_all_as_it_was() {
    base::Random random(testing::random_seed());
    const predictor::TrainingSetup setup = small_setup(random);
    auto training = value_of(predictor::Training::begin(setup));
    QVERIFY(value_of(training->run_epoch({})));
    const std::string before = training->checkpoint();
    for (const int call : {1, 2}) {
      QVERIFY(!value_of(training->run_epoch(stopping_at(call))));
      QCOMPARE(training->epochs().size(), std::size_t{1});
      QCOMPARE(training->checkpoint(), before);
    }
    QCOMPARE(trained(std::move(training))->bytes(), trained(setup)->bytes());
  }

  void checkpoints_of_other_trainings_are_refused() {
    base::Random random(testing::random_seed());
    const predictor::TrainingSetup setup = small_setup(random);
    auto training = value_of(predictor::Training::begin(setup));
    QVERIFY(value_of(training->run_epoch({})));
    const std::string checkpoint = training->checkpoint();
    const auto refused = [&](predictor::TrainingSetup other, const std::string& word) {
      const auto resumed = predictor::Training::keep_going(std::move(other), checkpoint);
      QVERIFY(!resumed);
      QCOMPARE(resumed.error().code, ErrorCode::Refused);
      QVERIFY2(mentions(resumed.error(), word), describe(resumed.error()).c_str());
    };
    predictor::TrainingSetup seed = setup;
    ++seed.seed;
    refused(seed, "seed");
    predictor::TrainingSetup settings = setup;
    settings.settings = small_settings({{"learning_rate", "1e-3"}});
    refused(settings, "settings");
    predictor::TrainingSetup data = setup;
    data.data.tasks[1].fitness[2] *= 1.5F;
    refused(data, "samples");
    QVERIFY(predictor::Training::keep_going(setup, checkpoint));
  }

  void damaged_checkpoints_are_errors() {
    base::Random random(testing::random_seed());
    const predictor::TrainingSetup setup = small_setup(random, {{"model", "trees"}});
    auto training = value_of(predictor::Training::begin(setup));
    QVERIFY(value_of(training->run_epoch({})));
    const std::string whole = training->checkpoint();
    QCOMPARE(predictor::checkpoint_to_bytes(value_of(predictor::checkpoint_from_bytes(whole))), whole);
    for (int i = 0; i < 200; ++i) {
      const std::size_t bytes = i < 100 ? static_cast<std::size_t>(i) : random.below(whole.size());
      QVERIFY(!predictor::checkpoint_from_bytes(std::string_view(whole).substr(0, bytes)));
      QVERIFY(!predictor::checkpoint_from_bytes(with_changed_byte(whole, random)));
    }
  }

  void a_checkpoint_with_another_models_numbers_is_damaged() {
    base::Random random(testing::random_seed());
    const predictor::TrainingSetup setup = small_setup(random, {{"model", "perceptron"}});
    auto training = value_of(predictor::Training::begin(setup));
    QVERIFY(value_of(training->run_epoch({})));
    const predictor::TrainingCheckpoint whole =
        value_of(predictor::checkpoint_from_bytes(training->checkpoint()));
    for (int what = 0; what < 4; ++what) {
      predictor::TrainingCheckpoint changed = whole;
      if (what == 0) changed.best_numbers.pop_back();
      if (what == 1) changed.state.numbers.push_back(0);
      if (what == 2) changed.state.optimizer.pop_back();
      if (what == 3) changed.state.numbers[3] = NAN;
      const auto resumed = predictor::Training::keep_going(setup, predictor::checkpoint_to_bytes(changed));
      QVERIFY(!resumed);
      QCOMPARE(resumed.error().code, ErrorCode::Corrupt);
    }
  }

  void too_few_tasks_say_how_many_are_needed() {
    base::Random random(testing::random_seed());
    predictor::TrainingSetup setup = small_setup(random);
    setup.data.tasks.resize(2);
    const auto training = predictor::Training::begin(std::move(setup));
    QVERIFY(!training);
    QCOMPARE(training.error().code, ErrorCode::InvalidArgument);
    QVERIFY2(mentions(training.error(), "3 are needed"), describe(training.error()).c_str());
  }

  void a_data_set_without_a_valid_trial_is_refused() {
    base::Random random(testing::random_seed());
    predictor::TrainingSetup setup = small_setup(random);
    for (predictor::TaskSamples& task : setup.data.tasks) {
      task.configurations.clear();
      task.fitness.clear();
    }
    const auto training = predictor::Training::begin(std::move(setup));
    QVERIFY(!training);
    QVERIFY2(mentions(training.error(), "no valid trial"), describe(training.error()).c_str());
  }

  void a_task_without_samples_is_held_out_nowhere() {
    base::Random random(testing::random_seed());
    predictor::TrainingSetup setup = small_setup(random);
    setup.data.tasks[3].configurations.clear();
    setup.data.tasks[3].fitness.clear();
    const std::string empty = setup.data.tasks[3].task.text;
    auto training = value_of(predictor::Training::begin(std::move(setup)));
    QCOMPARE(training->parts().size(), std::size_t{5});
    QCOMPARE(training->parts()[3], predictor::DataPart::Training);
    const auto predictor = trained(std::move(training));
    QCOMPARE(predictor->description().tasks.size(), std::size_t{4});
    for (const predictor::TaskOutcome& outcome : predictor->description().tasks)
      QVERIFY(outcome.task != empty);
  }

  void samples_of_other_spaces_are_refused() {
    base::Random random(testing::random_seed());
    const predictor::TrainingSetup setup = small_setup(random);
    predictor::TrainingSetup version = setup;
    ++version.data.template_version;
    const auto of_version = predictor::Training::begin(std::move(version));
    QVERIFY(!of_version);
    QCOMPARE(of_version.error().code, ErrorCode::Refused);
    QVERIFY(mentions(of_version.error(), "kernelscape dataset"));
    predictor::TrainingSetup foreign = setup;
    foreign.data.tasks[0].configurations[0].indices[0] = 1'000'000;
    const auto of_foreign = predictor::Training::begin(std::move(foreign));
    QVERIFY(!of_foreign);
    QCOMPARE(of_foreign.error().code, ErrorCode::Refused);
  }

  void slow_samples_are_not_learnt_from_but_judged() {
    base::Random random(testing::random_seed());
    predictor::TrainingSetup setup = small_setup(random);
    for (predictor::TaskSamples& task : setup.data.tasks) task.fitness.front() /= 1e4F;
    auto training = value_of(predictor::Training::begin(std::move(setup)));
    const std::vector<predictor::DataPart> parts = training->parts();
    const auto predictor = trained(std::move(training));
    const predictor::Description& description = predictor->description();
    QCOMPARE(description.samples, std::ranges::count(parts, predictor::DataPart::Training) * 11);
    QCOMPARE(description.tasks.size(), parts.size());
    for (std::size_t task = 0; task < parts.size(); ++task) {
      QCOMPARE(description.tasks[task].part, parts[task]);
      QCOMPARE(description.tasks[task].samples, parts[task] == predictor::DataPart::Training ? 11 : 12);
    }
  }

  void training_ends_when_validation_gets_no_better() {
    base::Random random(testing::random_seed());
    auto training =
        value_of(predictor::Training::begin(small_setup(random, {{"patience", "1"}, {"epochs", "30"}})));
    while (!training->finished()) value_of(training->run_epoch({}));
    const auto predictor = value_of(training->result());
    const std::vector<predictor::TrainingEpoch>& epochs = training->epochs();
    const auto best = static_cast<std::size_t>(predictor->description().best_epoch);
    QVERIFY(epochs.size() == 30 || epochs.size() == best + 1);
    for (const predictor::TrainingEpoch& epoch : epochs)
      QVERIFY(epoch.validation_tau <= epochs[best - 1].validation_tau);
  }

  void models_have_defaults_of_their_own() {
    const predictor::TrainingSettings published =
        value_of(predictor::parse_training_settings({{"model", "one-shot"}, {"layers", "2"}}));
    QCOMPARE(published.label, predictor::LearntLabel::Fitness);
    QCOMPARE(published.feed_forward, std::size_t{1024});
    QCOMPARE(published.layers, std::size_t{2});
    QCOMPARE(published.dropout, 0.25);
    const tuner::SettingsOf<predictor::TrainingSettings>& table =
        tuner::settings_of<predictor::TrainingSettings>();
    const tuner::SettingValues tokens = table.values_of(value_of(predictor::parse_training_settings({})));
    for (const tuner::HyperparameterDeclaration& setting : table.declarations())
      QCOMPARE(tokens.at(setting.name), setting.default_value);
  }

  void wrong_settings_are_named() {
    for (const auto& [name, text] : std::map<std::string, std::string>{{"model", "lstm"},
                                                                       {"epochs", "0"},
                                                                       {"learning_rate", "nan"},
                                                                       {"validation_share", "0"},
                                                                       {"depth", "3"}}) {
      const auto settings = predictor::parse_training_settings({{name, text}});
      QVERIFY(!settings);
      QVERIFY2(mentions(settings.error(), name), describe(settings.error()).c_str());
    }
    const auto heads = predictor::parse_training_settings({{"width", "10"}, {"heads", "4"}});
    QVERIFY(!heads);
    QVERIFY(mentions(heads.error(), "heads"));
  }

  void training_that_diverges_says_so_and_changes_nothing() {
    base::Random random(testing::random_seed());
    const predictor::TrainingSetup setup = small_setup(random, {{"model", "perceptron"}});
    auto training = value_of(predictor::Training::begin(setup));
    QVERIFY(value_of(training->run_epoch({})));
    predictor::TrainingCheckpoint huge = value_of(predictor::checkpoint_from_bytes(training->checkpoint()));
    std::ranges::fill(huge.state.numbers, 1e38F);
    auto diverging = value_of(predictor::Training::keep_going(setup, predictor::checkpoint_to_bytes(huge)));
    const auto epoch = diverging->run_epoch({});
    QVERIFY(!epoch);
    QVERIFY2(mentions(epoch.error(), "learning_rate"), describe(epoch.error()).c_str());
    QCOMPARE(diverging->checkpoint(), predictor::checkpoint_to_bytes(huge));
    QVERIFY(diverging->result());
  }
};

KERNELSCAPE_PLAIN_TEST(PredictorTrainingTest)

}  // namespace kernelscape::predictor_training_test
#include "predictor_training_test.moc"
