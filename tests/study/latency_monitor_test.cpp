#include "core/study/latency_monitor.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "core/measure/cpu/cpu_target.h"
#include "tests/onnx/model_builder.h"
#include "tests/study/network_support.h"
#include "tests/test_program.h"

namespace kernelscape::latency_monitor_test {
using namespace kernelscape::study_tests;

namespace {

constexpr const char* pointwise_task = "conv2d 1x8x6x6 8x8x1x1";
constexpr const char* square_task = "conv2d 1x8x6x6 8x8x3x3";

/** Two equal layers, an activation, and a third layer. */
std::string model_bytes() {
  testing::ModelBuilder builder;
  builder.input("x", {std::int64_t{1}, 8, 6, 6}).weight("w", {8, 8, 1, 1}).weight("v", {8, 8, 1, 1});
  builder.node("Conv", {"x", "w"}, {"y"}).node("Relu", {"y"}, {"r"}).node("Conv", {"r", "v"}, {"z"});
  builder.weight("u", {8, 8, 3, 3}).node("Conv", {"z", "u"}, {"o"});
  return builder.output("o").bytes();
}

MeasurementScript always_valid_script(const session::Setup&) {
  MeasurementScript script = session_tests::make_script();
  script.measure = [](const space::Configuration& configuration) {
    trial::Measurement measurement;
    measurement.samples_seconds = {session_tests::scripted_seconds(configuration)};
    return measurement;
  };
  return script;
}

/** Keeps what a study reports of its latencies. */
class LatencyNotes final : public study::Observer {
 public:
  void latency_measured(const study::LatencyPoint& point) override { points.push_back(point); }
  void message(const session::Message& message) override { messages.push_back(message.text); }

  std::int64_t count(std::string_view part) const {
    return std::ranges::count_if(messages, [&](const std::string& text) { return text.contains(part); });
  }

  std::vector<study::LatencyPoint> points;
  std::vector<std::string> messages;
};

/** A database with a study of the model, whose kernels are real and whose times are scripted. */
struct Bench {
  store::StudyId add_study(const std::string& file, std::int64_t trials) {
    task::WholeNetwork network{"a model", "of a test", {}};
    network.layers.push_back({*task::parse_task(pointwise_task), 2, {}});
    network.layers.push_back({*task::parse_task(square_task), 1, {}});
    study::NetworkRequest request;
    request.tuner = "random";
    request.exact = true;
    request.scheduler = "gradient";
    request.budget.trials = trials;
    request.seed = 5;
    request.model_source = study::ModelSource{file};
    const Result<study::NetworkPlan> plan = study::plan_network(
        request, network, *task::Catalogue::load_default(), *measure::describe_cpu_target());
    if (!plan) qFatal("%s", describe(plan.error()).c_str());
    return created_network(store, plan->study);
  }

  std::string write_model() const {
    QFile file(folder.filePath("a model.onnx"));
    if (!file.open(QFile::WriteOnly) || file.write(QByteArray::fromStdString(model_bytes())) < 0)
      qFatal("no file");
    return file.fileName().toStdString();
  }

  study::Outcome run(store::StudyId id, const study::LatencyLimits& limits) {
    study::Options options;
    options.runner = rounds_runner(nullptr, 0, always_valid_script);
    options.round_measurement = [limits](store::StudyId study, const study::Definition& definition,
                                         const session::StopRequest& requested) {
      return std::make_unique<study::LatencyMonitor>(study, definition, requested, limits);
    };
    const Result<study::Outcome> outcome = study::run_study(store.path(), id, options, notes, stop);
    if (!outcome) qFatal("%s", describe(outcome.error()).c_str());
    return *outcome;
  }

  QTemporaryDir folder;
  store::Store store = *store::Store::open(folder.filePath("a.db").toStdString());
  session::StopRequest stop;
  LatencyNotes notes;
};

constexpr study::LatencyLimits any_cost{.share = 1e12, .bench_seconds = 0.01, .first_seconds_per_layer = 0};

}  // namespace

class LatencyMonitorTest : public QObject {
  Q_OBJECT

 private slots:
  void a_model_is_measured_while_it_is_tuned() {
    Bench bench;
    const store::StudyId id = bench.add_study(bench.write_model(), 24);
    QCOMPARE(bench.run(id, any_cost).progress.trials, std::int64_t{24});
    const study::LatencySeries series = *study::stored_latency_series(bench.store, id);
    QVERIFY2(!series.points.empty(), bench.notes.messages.empty() ? "" : bench.notes.messages.back().c_str());
    QCOMPARE(series.points, bench.notes.points);
    QCOMPARE(series.points.front().changed, (std::vector<std::size_t>{0, 1}));
    std::int64_t trials = 0;
    for (const study::LatencyPoint& point : series.points) {
      QVERIFY(point.trials > trials);
      trials = point.trials;
      QCOMPARE_GE(point.rounds, 2);
      QCOMPARE_GE(point.elapsed_seconds, 0.0);  // the sessions of this test take no time
      QVERIFY(point.times.first_quartile <= point.times.median &&
              point.times.median <= point.times.third_quartile && point.times.median > 0);
      QVERIFY(!point.changed.empty());
      QCOMPARE(point.layer_seconds.size(), std::size_t{2});
      QVERIFY(point.layer_seconds[0] > 0 && point.layer_seconds[1] > 0);
      QVERIFY(point.layer_seconds[0] + point.layer_seconds[1] <= point.parts.layers * 1.001);
      QVERIFY(point.layer_weights[0] > 0 && point.layer_weights[1] > 0);
    }
    QVERIFY(series.cost_seconds > 0);
    const study::NetworkOutcome outcome = *study::network_outcome(bench.store, id);
    QCOMPARE(outcome.latencies, series);
    QCOMPARE(series.in_place.size(), outcome.layers.size());
    // Nothing is new to a run that goes on after the end.
    bench.run(id, any_cost);
    QCOMPARE(*study::stored_latency_series(bench.store, id), series);
  }

  void measurements_beyond_the_share_are_skipped() {
    Bench bench;
    const store::StudyId id = bench.add_study(bench.write_model(), 24);
    QCOMPARE(bench.run(id, {.share = 0}).progress.trials, std::int64_t{24});
    const study::LatencySeries series = *study::stored_latency_series(bench.store, id);
    QVERIFY(series.points.empty() && bench.notes.points.empty());
    QVERIFY(series.skipped > 1);
    QCOMPARE(bench.notes.count("may take"), std::int64_t{1});
  }

  /** The layers are tuned as without the model. */
  void a_failure_is_a_note() {
    Bench bench;
    const store::StudyId id = bench.add_study("/nowhere/a model.onnx", 48);
    const study::Outcome outcome = bench.run(id, any_cost);
    QCOMPARE(outcome.progress.trials, std::int64_t{48});
    QCOMPARE(outcome.progress.failed, std::int64_t{0});
    QVERIFY(bench.notes.points.empty());
    const std::int64_t noted = bench.notes.count("/nowhere/a model.onnx");
    QVERIFY(noted >= 1 && noted <= 3);
    Bench without;
    const store::StudyId same = without.add_study("/nowhere/a model.onnx", 48);
    LatencyNotes unused;
    ran_network(without.store, same, rounds_runner(nullptr, 0, always_valid_script), unused);
    const auto trials = study_trials(bench.store, id);
    const auto expected = study_trials(without.store, same);
    QCOMPARE(trials.size(), expected.size());
    for (std::size_t layer = 0; layer < trials.size(); ++layer)
      QVERIFY(std::ranges::equal(trials[layer], expected[layer], {}, &trial::Trial::configuration,
                                 &trial::Trial::configuration));
  }

  void only_changed_sources_are_compiled() {
    Bench bench;
    const std::string file = bench.write_model();
    const store::StudyId id = bench.add_study(file, 24);
    ran_network(bench.store, id, rounds_runner(nullptr, 0, always_valid_script), bench.notes);
    const Result<study::OpenedModel> model = study::open_model({.model = file, .folder = {}});
    QVERIFY2(model.has_value(), model ? "" : describe(model.error()).c_str());
    std::vector<std::string> notices;
    const study::PlannedModel plain = *study::plan_library(*model, {});
    const study::PlannedModel tuned =
        *study::plan_library(*model, *study::model_kernels(bench.store, id, notices));
    QVERIFY(tuned.library.summary.tuned_kernels > 0);
    const base::TemporaryFolder folder = *base::TemporaryFolder::make("test");
    study::LibraryBuilder builder(folder.path(), model->target.compiler, 1, bench.stop);
    const Result<study::BuiltModel> first = builder.build(plain.library);
    QVERIFY2(first.has_value(), first ? "" : describe(first.error()).c_str());
    const std::size_t all = plain.library.sources.size();
    QCOMPARE(builder.compiled(), all);
    QVERIFY(builder.build(plain.library).has_value());
    QCOMPARE(builder.compiled(), all);
    const Result<study::BuiltModel> second = builder.build(tuned.library);
    QVERIFY2(second.has_value(), second ? "" : describe(second.error()).c_str());
    const std::size_t both = builder.compiled();
    QVERIFY(both > all && both <= all + tuned.library.sources.size());
    const Result<study::BuiltModel> third = builder.build(plain.library);
    QCOMPARE(builder.compiled(), both);
    QCOMPARE(third->bench, first->bench);
    for (const study::BuiltModel* built : {&*first, &*second}) {
      const Status checked = builder.check(*built);
      QVERIFY2(checked.has_value(), checked ? "" : describe(checked.error()).c_str());
      const Result<study::ModelBench> measured = builder.bench(*built, 0.01);
      QVERIFY2(measured.has_value(), measured ? "" : describe(measured.error()).c_str());
      QCOMPARE(measured->step_seconds.size(), plain.library.step_tasks.size());
    }
    const std::vector<std::string>& tasks = plain.library.step_tasks;
    QVERIFY(std::ranges::find(tasks, task::parse_task(pointwise_task)->text) != tasks.end());
    builder.discard(*second);
    QVERIFY(!builder.check(*second).has_value());
    QVERIFY(builder.check(*first).has_value());
  }

  void a_kernel_that_is_held_back_is_replaced() {
    Bench bench;
    const store::StudyId id = bench.add_study(bench.write_model(), 24);
    ran_network(bench.store, id, rounds_runner(nullptr, 0, always_valid_script), bench.notes);
    const study::NetworkLayerOutcome layer = study::network_outcome(bench.store, id)->layers.front();
    const std::int64_t other = layer.trial == 0 ? 1 : 0;
    study::LatencySeries series;
    series.held_back = {{{*layer.session, layer.trial}, {*layer.session, other}}};
    QVERIFY(bench.store.studies()
                .save_measure(id, study::latency_series_kind, study::latency_series_to_json(series))
                .has_value());
    std::vector<std::string> notices;
    const std::vector<exchange::ExportedKernel> kernels = *study::model_kernels(bench.store, id, notices);
    const auto replaced = std::ranges::find_if(kernels, [&](const exchange::ExportedKernel& kernel) {
      return kernel.measured.task.text == layer.text;
    });
    QVERIFY(replaced != kernels.end());
    QCOMPARE(replaced->measured.provenance.trial, other);
    QCOMPARE(replaced->multiplicity, layer.multiplicity);
    QVERIFY(std::ranges::any_of(
        notices, [](const std::string& notice) { return notice.contains("makes the whole model slower"); }));
  }
};

KERNELSCAPE_TEST(LatencyMonitorTest, QCoreApplication)

}  // namespace kernelscape::latency_monitor_test
#include "latency_monitor_test.moc"
