#include "core/study/model_latency.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "core/measure/cpu/cpu_target.h"
#include "core/study/execution.h"
#include "core/study/network_run.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/onnx/model_builder.h"
#include "tests/test_program.h"

namespace kernelscape::model_latency_test {
using namespace kernelscape::testing;

namespace {

study::LatencyTimes random_times(base::Random& random) {
  const double median = random.uniform();
  return {median, median * random.uniform(), median * (1 + random.uniform())};
}

study::ModelLatency random_latency(base::Random& random) {
  study::ModelLatency latency{.measured_utc = "2026-01-02T03:04:05Z",
                              .threads = 1 + static_cast<int>(random.below(64)),
                              .kernels = static_cast<std::int64_t>(random.below(100)),
                              .tuned_kernels = static_cast<std::int64_t>(random.below(100)),
                              .times = random_times(random),
                              .parts = {random.uniform(), random.uniform(), random.uniform()}};
  if (random.chance(0.5))
    latency.vendor = {.name = "onnxruntime \"1.21\"",
                      .times = random_times(random),
                      .ratio = 0.5,
                      .ratio_low = 0.25,
                      .ratio_high = 0.75};
  else
    latency.vendor_problem = "it is missing";
  return latency;
}

/** Two convolutions, an activation, and a sum that is fused into the second. */
ModelBuilder residual_model() {
  ModelBuilder builder;
  builder.input("x", {std::int64_t{1}, 8, 6, 6}).weight("w", {8, 8, 1, 1}).weight("v", {8, 8, 1, 1});
  builder.node("Conv", {"x", "w"}, {"y"}).node("Relu", {"y"}, {"r"});
  builder.node("Conv", {"r", "v"}, {"z"}).node("Add", {"z", "r"}, {"o"});
  return builder.output("o");
}

/** A database with a study of one layer that no session has tuned. */
struct Bench {
  store::StudyId add_study(std::optional<study::ModelSource> source) {
    task::WholeNetwork network{"a model", "of a test", {}};
    network.layers.push_back({*task::parse_task("conv2d 1x8x6x6 8x8x1x1"), 2, {}});
    study::NetworkRequest request;
    request.tuner = "random";
    request.scheduler = "gradient";
    request.budget.trials = 4;
    request.model_source = std::move(source);
    const Result<study::NetworkPlan> plan = study::plan_network(
        request, network, *task::Catalogue::load_default(), *measure::describe_cpu_target());
    if (!plan) qFatal("%s", describe(plan.error()).c_str());
    const Result<store::StudyId> id = study::create_study(store, plan->study);
    if (!id) qFatal("%s", describe(id.error()).c_str());
    return *id;
  }

  std::string write(const QString& name, const std::string& bytes) const {
    QFile file(folder.filePath(name));
    if (!file.open(QFile::WriteOnly) || file.write(QByteArray::fromStdString(bytes)) < 0) qFatal("no file");
    return file.fileName().toStdString();
  }

  QTemporaryDir folder;
  store::Store store = *store::Store::open(folder.filePath("a.db").toStdString());
  session::StopRequest stop;
};

}  // namespace

class ModelLatencyTest : public QObject {
  Q_OBJECT

 private slots:
  void stored_latencies_read_back() {
    base::Random random(random_seed());
    for (int i = 0; i < 200; ++i) {
      const study::ModelLatency latency = random_latency(random);
      const std::string json = study::model_latency_to_json(latency);
      const Result<study::ModelLatency> back = study::model_latency_from_json(json);
      QVERIFY2(back.has_value(), json.c_str());
      QCOMPARE(*back, latency);
    }
  }

  void damaged_latencies_are_refused() {
    base::Random random(random_seed());
    study::ModelLatency latency = random_latency(random);
    latency.vendor.reset();
    const std::string json = study::model_latency_to_json(latency);
    for (const char* member : {"\"threads\"", "\"median_seconds\"", "\"layer_seconds\"", "\"kernels\""}) {
      std::string damaged = json;
      damaged.replace(damaged.find(member) + 1, 1, "_");
      QVERIFY2(!study::model_latency_from_json(damaged).has_value(), member);
    }
    for (const char* other : {"", "[]", "{}", "null"})
      QVERIFY2(!study::model_latency_from_json(other).has_value(), other);
  }

  void a_model_is_built_checked_and_measured() {
    Bench bench;
    const store::StudyId id =
        bench.add_study(study::ModelSource{bench.write("a model.onnx", residual_model().bytes())});
    const Result<study::ModelLatency> latency = study::measure_model_latency(bench.store, id, bench.stop);
    QVERIFY2(latency.has_value(), latency ? "" : describe(latency.error()).c_str());
    QVERIFY(latency->times.median > 0 && latency->times.first_quartile <= latency->times.median &&
            latency->times.median <= latency->times.third_quartile);
    QVERIFY(latency->parts.layers > 0);
    QVERIFY(latency->kernels > 0);
    QCOMPARE(latency->tuned_kernels, std::int64_t{0});
    QVERIFY(latency->vendor.has_value() != !latency->vendor_problem.empty());
    QCOMPARE(**study::stored_model_latency(bench.store, id), *latency);
    QCOMPARE(*study::network_outcome(bench.store, id)->latency, *latency);
    const std::vector<std::string> sentences = study::latency_sentences(*latency);
    QVERIFY(sentences.front().contains("whole model"));
  }

  void studies_without_a_model_and_missing_models_are_refused() {
    Bench bench;
    const Result<study::ModelLatency> none =
        study::measure_model_latency(bench.store, bench.add_study(std::nullopt), bench.stop);
    QVERIFY(!none && none.error().code == ErrorCode::Refused);
    const store::StudyId id = bench.add_study(study::ModelSource{"/nowhere/a model.onnx"});
    const Result<study::ModelLatency> missing = study::measure_model_latency(bench.store, id, bench.stop);
    QVERIFY(!missing && describe(missing.error()).contains("/nowhere/a model.onnx"));
    QVERIFY(!study::stored_model_latency(bench.store, id)->has_value());
  }

  void a_stopped_measurement_stores_nothing() {
    Bench bench;
    const store::StudyId id =
        bench.add_study(study::ModelSource{bench.write("model.onnx", residual_model().bytes())});
    bench.stop.stop_gracefully();
    const Result<study::ModelLatency> latency = study::measure_model_latency(bench.store, id, bench.stop);
    QVERIFY(!latency && latency.error().code == ErrorCode::Refused);
    QVERIFY(!study::stored_model_latency(bench.store, id)->has_value());
  }
};

KERNELSCAPE_TEST(ModelLatencyTest, QCoreApplication)

}  // namespace kernelscape::model_latency_test
#include "model_latency_test.moc"
