#include <QTemporaryDir>
#include <QTest>

#include "core/schedule/loop_features.h"
#include "core/trial/recording_builder.h"
#include "tests/session/replay_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_warm_start_test {
using namespace kernelscape::session_tests;

namespace {

std::shared_ptr<const trial::Recording> recorded_layer(const std::string& name) {
  const auto recording = trial::Recording::open(std::filesystem::path(KERNELSCAPE_SOURCE_DIR) /
                                                "data/recorded" / (name + ".ksrec"));
  if (!recording) throw std::runtime_error(recording.error().message);
  return *recording;
}

/** The same rows, of no template. */
std::shared_ptr<const trial::Recording> of_another_program(const trial::Recording& recording) {
  trial::RecordingHeader header = recording.header();
  header.template_name.clear();
  trial::RecordingBuilder builder(header, recording.whole_space());
  for (std::uint32_t row = 0; row < recording.size(); ++row)
    if (!builder.add(recording.configuration(row), recording.measurement(row))) std::abort();
  return *builder.build();
}

/** A small xgb, which takes a model over from eight trials on. */
session::TuningRequest transfer_request(store::SessionId source, std::int64_t trials) {
  session::TuningRequest request = replay_request("xgb", 7, trials);
  request.settings = {{"plan_size", "8"},
                      {"chains", "8"},
                      {"annealing_iterations", "20"},
                      {"boosting_rounds", "20"},
                      {"history_minimum", "8"}};
  if (source != 0) request.warm_start = std::to_string(source);
  return request;
}

/** How many of the first plan's trials a model had planned. */
std::size_t predicted_in_first_plan(const store::Store& store, store::SessionId id) {
  const std::vector<store::StoredSeries> series = *store.series().of(id);
  return static_cast<std::size_t>(std::ranges::count_if(series, [](const store::StoredSeries& value) {
    return value.trial < 8 && value.series == "predicted_score";
  }));
}

}  // namespace

/** What a session learns from another one's trials. */
class SessionWarmStartTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<ReplayBench> bench_;
  std::shared_ptr<const trial::Recording> layer_ = recorded_layer("resnet18-C12-conv2d-nchwc");
  std::shared_ptr<const trial::Recording> next_layer_ = recorded_layer("resnet18-C9-conv2d-nchwc");

  store::SessionId run_source(const std::shared_ptr<const trial::Recording>& recording) {
    return bench_->run(replay_request("random", 3, 16), recording)->id;
  }

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    bench_ = std::make_unique<ReplayBench>(folder_->filePath("test.db").toStdString());
  }

  void another_tasks_trials_are_rows_of_its_own_kernels() {
    const store::SessionId source = run_source(layer_);
    const auto prepared = session::prepare_replay(transfer_request(source, 16), bench_->store, next_layer_);
    VERIFY_RESULT(prepared);
    const session::Setup& setup = prepared->setup;
    QVERIFY((setup.history_sources == std::vector<session::HistorySource>{{source, 16, true}}));
    QVERIFY(setup.features.itervar);
    QCOMPARE(setup.history_columns, setup.features.itervar->names());

    const task::Task task = *task::task_from_json(layer_->header().task_json);
    const schedule::TargetDescription target = *schedule::target_from_json(layer_->header().target_json);
    const auto features =
        schedule::itervar_features(*schedule::apply_template(task, target, layer_->header().template_name));
    const std::vector<trial::Trial> trials = *bench_->store.trials().of(source);
    QCOMPARE(setup.history.size(), trials.size());
    QCOMPARE(setup.history_features.size(), trials.size());
    for (std::size_t i = 0; i < trials.size(); ++i) {
      QVERIFY(!setup.space.contains(setup.history[i].configuration));
      QCOMPARE(setup.history[i].fitness, trial::observe_trial(trials[i], task.flops()).fitness);
      QCOMPARE(setup.history_features[i], features->compute(trials[i].configuration));
    }
  }

  void a_carried_model_makes_the_first_plan_again_when_resumed() {
    const store::SessionId source = run_source(layer_);
    const auto cold = bench_->run(transfer_request(0, 16), next_layer_);
    VERIFY_RESULT(cold);
    QCOMPARE(predicted_in_first_plan(bench_->store, cold->id), std::size_t{0});
    const auto warm = bench_->run(transfer_request(source, 16), next_layer_);
    VERIFY_RESULT(warm);
    QCOMPARE(predicted_in_first_plan(bench_->store, warm->id), std::size_t{8});
    // A tuner without the rows would propose others than those that are stored: that is an error.
    const auto resumed = bench_->resume(warm->id, [](trial::Budget& budget) { budget.trials = 24; });
    VERIFY_RESULT(resumed);
    QCOMPARE(bench_->store.trials().of(warm->id)->size(), std::size_t{24});
  }

  void equal_knobs_of_another_task_are_other_kernels() {
    const store::SessionId source = run_source(layer_);
    const auto prepared = session::prepare_replay(transfer_request(source, 16), bench_->store, layer_);
    VERIFY_RESULT(prepared);
    QVERIFY(prepared->setup.history_features.empty());
    QVERIFY((prepared->setup.history_sources == std::vector<session::HistorySource>{{source, 16}}));
    session::Setup setup = prepared->setup;
    setup.task = *task::task_from_json(next_layer_->header().task_json);
    QVERIFY(session::warm_start_source(bench_->store, source, setup)->by_features);
    setup.tuner = "nose";
    QVERIFY(!session::warm_start_source(bench_->store, source, setup)->by_features);
  }

  void what_can_not_be_carried_on_is_refused() {
    const store::SessionId source = run_source(layer_);
    session::TuningRequest request = transfer_request(source, 16);
    for (const char* tuner : {"ga", "adatune", "gp"}) {
      request.tuner = tuner;
      request.settings.clear();
      const auto refused = session::prepare_replay(request, bench_->store, next_layer_);
      QVERIFY(!refused);
      QCOMPARE(refused.error().code, ErrorCode::InvalidArgument);
      QVERIFY2(refused.error().hint.contains("xgb"), refused.error().hint.c_str());
    }
    const store::SessionId foreign = run_source(of_another_program(*layer_));
    const auto unknown = session::prepare_replay(transfer_request(foreign, 16), bench_->store, next_layer_);
    QVERIFY(!unknown);
    QCOMPARE(unknown.error().code, ErrorCode::Refused);
    QVERIFY2(unknown.error().message.contains("another program"), unknown.error().message.c_str());
  }

  void how_trials_were_reported_survives_its_text() {
    const std::vector<session::HistorySource> sources{{3, 5, true}, {4, 6}};
    const space::SearchSpace& space = layer_->space();
    const std::string text = session::history_to_json(sources, {}, space);
    QVERIFY(*session::history_from_json(text) == sources);
    QVERIFY(!session::history_to_json({{4, 6}}, {}, space).contains("features"));
  }
};

KERNELSCAPE_PLAIN_TEST(SessionWarmStartTest)

}  // namespace kernelscape::session_warm_start_test
#include "session_warm_start_test.moc"
