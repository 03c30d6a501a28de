#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <random>

#include "core/study/network_progress.h"
#include "tests/study/network_support.h"
#include "tests/test_program.h"

namespace kernelscape::latency_objective_test {
using namespace kernelscape::study_tests;

namespace {

using WeightOf = std::function<double(std::int64_t rounds, std::size_t layer)>;

/** Stores made-up latencies, some of which the model does not keep. */
class MadeUpLatency final : public study::RoundMeasurement {
 public:
  MadeUpLatency(store::StudyId id, WeightOf weight_of) : id_(id), weight_of_(std::move(weight_of)) {}

  void after_round(store::Store& store, const study::RoundState& state,
                   const study::RoundEvents& events) override {
    study::LatencySeries series = *study::stored_latency_series(store, id_);
    study::LatencyPoint& point = series.points.emplace_back();
    point.trials = state.trials;
    point.rounds = state.rounds;
    point.elapsed_seconds = state.tuning_seconds;
    point.times = {1e-3, 1e-3, 1e-3};
    point.parts = {1e-3, 0, 0};
    point.slower = state.rounds % 3 == 0;
    for (std::size_t layer = 0; layer < state.kernels.size(); ++layer) {
      point.layer_seconds.push_back(1e-4);
      point.layer_weights.push_back(weight_of_(state.rounds, layer));
    }
    const Status saved =
        store.studies().save_measure(id_, study::latency_series_kind, latency_series_to_json(series));
    if (!saved) qFatal("%s", describe(saved.error()).c_str());
    events.measured(point);
  }

 private:
  store::StudyId id_;
  WeightOf weight_of_;
};

study::Definition latency_network(std::int64_t trials) {
  study::Definition study = planned_network(study::LayerScheduler::Gradient, trials);
  study.model_source = study::ModelSource{"/nowhere/a model.onnx"};
  study.objective = study::NetworkObjective::Latency;
  return study;
}

study::Outcome ran(store::Store& store, store::StudyId id, const session::Runner& runner,
                   const WeightOf& weight_of, const session::StopRequest& stop = session::StopRequest()) {
  study::Options options;
  options.runner = runner;
  options.round_measurement = [&](store::StudyId study, const study::Definition&,
                                  const session::StopRequest&) {
    return std::make_unique<MadeUpLatency>(study, weight_of);
  };
  StudyNotes notes;
  const Result<study::Outcome> outcome = study::run_study(store.path(), id, options, notes, stop);
  if (!outcome) qFatal("%s", describe(outcome.error()).c_str());
  return *outcome;
}

}  // namespace

/** The scheduler of a network whose objective is the latency of the whole model. */
class LatencyObjectiveTest : public QObject {
  Q_OBJECT

 private slots:
  void the_layer_that_takes_most_of_the_model_gets_most_rounds() {
    for (std::size_t heavy = 0; heavy < 4; ++heavy) {
      store::Store store = *store::Store::open(database(std::to_string(heavy)));
      const store::StudyId id = created_network(store, latency_network(200));
      ran(store, id, rounds_runner(),
          [heavy](std::int64_t, std::size_t layer) { return layer == heavy ? 1e6 : 1e-6; });
      const study::NetworkOutcome outcome = *study::network_outcome(store, id);
      for (std::size_t layer = 0; layer < 4; ++layer)
        if (layer != heavy) QVERIFY(outcome.layers[layer].trials < outcome.layers[heavy].trials);
    }
  }

  /** The choices are repeated from the latencies that were stored at the time. */
  void the_order_of_rounds_follows_from_what_is_stored() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    store::Store store = *store::Store::open(database("order"));
    const store::StudyId id = created_network(store, latency_network(160));
    ran(store, id, rounds_runner(), random_weights(seed));
    const study::NetworkProgress progress = *study::read_network_progress(store, id);
    QVERIFY(progress.order_known);
    QVERIFY(!progress.outcome.latencies.points.empty());
    for (const study::NetworkRound& round : progress.rounds) QVERIFY(round.choice.has_value());
  }

  void the_order_of_a_run_that_was_stopped_is_known() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    store::Store parts = *store::Store::open(database("parts"));
    const store::StudyId of_parts = created_network(parts, latency_network(120));
    for (int stop_after = 3; stop_after < 9; ++stop_after) {
      session::StopRequest stop;
      ran(parts, of_parts, rounds_runner(&stop, stop_after), random_weights(seed), stop);
    }
    QCOMPARE(ran(parts, of_parts, rounds_runner(), random_weights(seed)).progress.trials, std::int64_t{120});
    QVERIFY(study::read_network_progress(parts, of_parts)->order_known);
  }

  void objectives_are_stored_and_checked() {
    const study::Definition study = latency_network(20);
    const Result<study::Definition> back = study::study_from_json(study::study_to_json(study), "/");
    QVERIFY2(back.has_value(), back ? "" : describe(back.error()).c_str());
    QCOMPARE(*back, study);
    study::Definition layers = study;
    layers.objective = study::NetworkObjective::Layers;
    QVERIFY(!study::study_to_json(layers).contains("objective"));
    for (const std::string& name : study::network_objective_names())
      QCOMPARE(std::string(study::to_string(*study::parse_network_objective(name))), name);
    QVERIFY(!study::parse_network_objective("latencies").has_value());
    study::Definition other = study;
    other.model_source.reset();
    QVERIFY(!study::check_study(other).has_value());
    other = study;
    other.scheduler = "round-robin";
    QVERIFY(!study::check_study(other).has_value());
    other = study;
    other.tasks.front().target = "cuda:0";
    QVERIFY(!study::check_study(other).has_value());
  }

 private:
  std::string database(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name + ".db")).toStdString();
  }

  static WeightOf random_weights(std::uint64_t seed) {
    return [seed](std::int64_t rounds, std::size_t layer) {
      return 20 * base::Random(seed).fork(fmt::format("{} {}", rounds, layer)).uniform();
    };
  }

  QTemporaryDir folder_;
};

KERNELSCAPE_TEST(LatencyObjectiveTest, QCoreApplication)

}  // namespace kernelscape::latency_objective_test
#include "latency_objective_test.moc"
