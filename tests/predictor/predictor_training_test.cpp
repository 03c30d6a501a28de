#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/predictor/training.h"
#include "core/predictor/training_checkpoint.h"
#include "core/space/knob_json.h"
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
    QTest::addColumn<QString>("model");
    for (const char* model : {"tokens", "perceptron", "trees", "one-shot", "lstm"})
      QTest::addRow("%s", model) << model;
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
    for (const char* model : {"one-shot", "lstm"}) {
      const predictor::TrainingSettings settings =
          value_of(predictor::parse_training_settings({{"model", model}}));
      QCOMPARE(settings.decay, surrogate::WeightDecay::Gradient);
      QCOMPARE(settings.epochs, 200);
      QCOMPARE(settings.patience, 0);
      QCOMPARE(settings.layers, std::size_t{3});
      QCOMPARE(settings.attention_dropout, settings.model == predictor::Kind::OneShot);
      QCOMPARE(predictor::model_shape(settings).network.heads,
               std::size_t{settings.attention_dropout ? 4U : 0U});
    }
    const tuner::SettingsOf<predictor::TrainingSettings>& table =
        tuner::settings_of<predictor::TrainingSettings>();
    const tuner::SettingValues tokens = table.values_of(value_of(predictor::parse_training_settings({})));
    for (const tuner::HyperparameterDeclaration& setting : table.declarations())
      QCOMPARE(tokens.at(setting.name), setting.default_value);
  }

  void wrong_settings_are_named() {
    for (const auto& [name, text] : std::map<std::string, std::string>{{"model", "gru"},
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
    const auto of_one_element = predictor::parse_training_settings({{"model", "one-shot"}, {"heads", "3"}});
    QVERIFY(!of_one_element);
    QVERIFY(mentions(of_one_element.error(), "748"));
    const auto attention = predictor::parse_training_settings({{"attention_dropout", "true"}});
    QVERIFY(!attention);
    QVERIFY(mentions(attention.error(), "attention_dropout"));
  }

  void no_patience_is_no_end() {
    base::Random random(testing::random_seed());
    const auto predictor = trained(small_setup(
        random, {{"model", "perceptron"}, {"patience", "0"}, {"epochs", "25"}, {"learning_rate", "1e-7"}}));
    QCOMPARE(predictor->description().epochs.size(), std::size_t{25});
  }

  /** Before a setting existed, texts and checkpoints had no value of it. */
  void trainings_of_earlier_versions_resume_as_they_began() {
    base::Random random(testing::random_seed());
    const std::vector<std::string> later{"attention_dropout", "weight_decay_form"};
    std::map<std::string, std::string> texts;
    for (const auto& [name, value] : tuner::settings_of<predictor::TrainingSettings>().values_of(
             small_settings({{"model", "one-shot"}, {"dropout", "0.3"}})))
      if (std::ranges::find(later, name) == later.end()) texts[name] = space::to_string(value);
    predictor::TrainingSetup setup = small_setup(random);
    setup.settings = value_of(predictor::parse_stored_training_settings(texts));
    QCOMPARE(setup.settings.decay, surrogate::WeightDecay::Decoupled);
    QVERIFY(!setup.settings.attention_dropout);
    QCOMPARE(predictor::model_shape(setup.settings).network.heads, std::size_t{0});

    auto training = value_of(predictor::Training::begin(setup));
    QVERIFY(value_of(training->run_epoch({})));
    predictor::TrainingCheckpoint checkpoint =
        value_of(predictor::checkpoint_from_bytes(training->checkpoint()));
    nlohmann::json settings = nlohmann::json::parse(checkpoint.settings_json);
    for (const std::string& name : later) QCOMPARE(settings.erase(name), std::size_t{1});
    checkpoint.settings_json = settings.dump();
    auto resumed =
        value_of(predictor::Training::keep_going(setup, predictor::checkpoint_to_bytes(checkpoint)));
    const auto whole = trained(std::move(training));
    QCOMPARE(trained(std::move(resumed))->bytes(), whole->bytes());

    setup.settings = small_settings({{"model", "one-shot"}, {"dropout", "0.3"}});
    const auto other = predictor::Training::keep_going(setup, predictor::checkpoint_to_bytes(checkpoint));
    QVERIFY(!other);
    QVERIFY(mentions(other.error(), "settings"));
  }

  void one_predictor_learns_several_templates_of_an_operation() {
    base::Random random(testing::random_seed());
    predictor::TrainingSetup setup = small_setup(random, {{"model", "perceptron"}});
    const std::size_t tiled = setup.data.tasks.size();
    for (std::size_t task = 0; task < tiled; task += 2) {
      const schedule::ScheduledKernel kernel =
          kernel_of(setup.data.tasks[task].task.text, 8, "matmul-packed");
      predictor::TaskSamples packed{kernel.task(), random_members(kernel, 10, random), {}};
      for (std::size_t i = 0; i < 10; ++i) packed.fitness.push_back(static_cast<float>(1e9 * double(1 + i)));
      packed.other_template = {kernel.template_name(), kernel.template_version()};
      setup.data.tasks.push_back(std::move(packed));
    }
    const std::vector<predictor::TaskSamples> tasks = setup.data.tasks;
    auto training = value_of(predictor::Training::begin(std::move(setup)));
    const std::vector<predictor::DataPart> parts = training->parts();
    for (std::size_t i = tiled; i < tasks.size(); ++i) QCOMPARE(parts[i], parts[2 * (i - tiled)]);

    const auto made = trained(std::move(training));
    const auto predictor = value_of(predictor::Predictor::from_bytes(made->bytes(), "several"));
    QVERIFY(predictor->description() == made->description());
    QCOMPARE(predictor::templates_text(predictor->description().templates()),
             std::string("matmul-tiled+matmul-packed"));
    for (const char* name : {"matmul-tiled", "matmul-packed"}) {
      const schedule::ScheduledKernel kernel = kernel_of("matmul 16x48 48x32", 8, name);
      QVERIFY(predictor->fits(name, kernel.template_version(), kernel.target()));
      QVERIFY(!predictor->fits(name, kernel.template_version() + 1, kernel.target()));
      const auto bound = value_of(predictor->bind(kernel));
      QCOMPARE(value_of(bound->predict(random_members(kernel, 5, random))).size(), std::size_t{5});
    }
    QVERIFY(!predictor->bind(kernel_of("bmm 2x16x16 2x16x16", 8, "batch-matmul-tiled")));
    QCOMPARE(predictor->description().tasks[0].template_name, std::string());
    QCOMPARE(predictor->description().tasks.back().template_name, std::string("matmul-packed"));
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
