#include <fmt/format.h>

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "core/predictor/training.h"
#include "core/study/data_set_reader.h"
#include "core/study/known_predictors.h"
#include "tests/predictor/synthetic_data.h"
#include "tests/session/replay_support.h"
#include "tests/test_program.h"

namespace kernelscape::study_one_shot_test {

namespace {

constexpr int layers = 12;
/// Of each layer: enough to learn from, and soon learnt in a checked build too.
constexpr std::size_t learnt_samples = 192;

std::string recording_of(int layer) {
  return fmt::format("recorded:{}/data/recorded/resnet18-C{}-conv2d-nchwc.ksrec", KERNELSCAPE_SOURCE_DIR,
                     layer);
}

std::vector<std::string> recordings_without(int held_out) {
  std::vector<std::string> sources;
  for (int layer = 1; layer <= layers; ++layer)
    if (layer != held_out) sources.push_back(recording_of(layer));
  return sources;
}

void keep_some_samples(predictor::DataSet& data, base::Random random) {
  for (predictor::TaskSamples& samples : data.tasks) {
    std::vector<std::size_t> order(samples.fitness.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(std::span(order));
    order.resize(std::min(order.size(), learnt_samples));
    predictor::TaskSamples some{samples.task, {}, {}};
    for (const std::size_t at : order) {
      some.configurations.push_back(samples.configurations[at]);
      some.fitness.push_back(samples.fitness[at]);
    }
    samples = std::move(some);
  }
}

/** A small transformer, trained in seconds. */
std::shared_ptr<const predictor::Predictor> train_on(predictor::DataSet data) {
  return predictor_tests::trained(predictor::TrainingSetup{
      .name = "eleven-layers",
      .data = std::move(data),
      .settings = predictor_tests::value_of(predictor::parse_training_settings({{"width", "32"},
                                                                                {"layers", "1"},
                                                                                {"heads", "2"},
                                                                                {"feed_forward", "64"},
                                                                                {"epochs", "8"},
                                                                                {"batch_size", "32"},
                                                                                {"learning_rate", "3e-3"},
                                                                                {"test_share", "0"}})),
      .seed = 1});
}

bool has_task(const std::vector<predictor::TaskOutcome>& outcomes, const std::string& text) {
  return std::ranges::find(outcomes, text, &predictor::TaskOutcome::task) != outcomes.end();
}

}  // namespace

/** One-Shot Tuner's claim, on kernels that were really measured. */
class StudyOneShotTest : public QObject {
  Q_OBJECT

 private slots:
  void a_layer_never_seen_takes_fewer_measurements_than_at_random() {
    const QTemporaryDir folder;
    const store::Store store = *store::Store::open(folder.filePath("empty.db").toStdString());
    constexpr std::array held_out_layers{2, 7, 9};
    std::map<std::int64_t, predictor::RegretAt> sums;  // by measurements
    for (const int held_out : held_out_layers) {
      const auto own = study::read_data_set(store, {recording_of(held_out)});
      VERIFY_RESULT(own);
      QCOMPARE(own->tasks.size(), std::size_t{1});
      const task::Task& task = own->tasks.front().task;
      // Random's expectation is over the whole space.
      const schedule::ScheduledKernel kernel =
          predictor_tests::value_of(schedule::apply_template(task, own->target, own->template_name));
      QVERIFY(kernel.space().size() == own->samples());

      auto others = study::read_data_set(store, recordings_without(held_out));
      VERIFY_RESULT(others);
      QCOMPARE(others->tasks.size(), std::size_t{layers - 1});
      keep_some_samples(*others, base::Random(1).fork("samples"));
      const auto predictor = train_on(*std::move(others));
      QVERIFY(!has_task(predictor->description().tasks, task.text));

      const auto outcomes = study::evaluate_predictor(*predictor, *own);
      VERIFY_RESULT(outcomes);
      QCOMPARE(outcomes->size(), std::size_t{1});
      const predictor::TaskOutcome& outcome = outcomes->front();
      QCOMPARE(outcome.part, predictor::DataPart::Test);
      for (const predictor::RegretAt& at : outcome.regret) {
        qInfo("C%d, tau %.2f, after %lld: regret %.3f, at random %.3f", held_out, outcome.kendall_tau,
              static_cast<long long>(at.measurements), at.predicted, at.random);
        sums[at.measurements].predicted += at.predicted;
        sums[at.measurements].random += at.random;
      }
    }
    for (const std::int64_t measurements : {4, 16}) {
      QVERIFY(sums.contains(measurements));
      QVERIFY(sums[measurements].predicted < sums[measurements].random);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(StudyOneShotTest)

}  // namespace kernelscape::study_one_shot_test
#include "study_one_shot_test.moc"
