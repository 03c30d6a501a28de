#include <QTemporaryDir>
#include <QTest>

#include "core/session/preparation.h"
#include "core/session/shared_features.h"
#include "core/space/cached_features.h"
#include "core/space/csp_features.h"
#include "core/task/task.h"
#include "core/trial/recording_builder.h"
#include "tests/session/replay_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_features_test {
using namespace kernelscape::session_tests;

namespace {

std::shared_ptr<const trial::Recording> own_recording(const std::string& name) {
  const auto recording = trial::Recording::open(std::filesystem::path(KERNELSCAPE_SOURCE_DIR) /
                                                "data/recorded" / (name + ".ksrec"));
  if (!recording) throw std::runtime_error(recording.error().message);
  return *recording;
}

/** The rows of a recording under another header. */
std::shared_ptr<const trial::Recording> with_header(const trial::Recording& recording,
                                                    const trial::RecordingHeader& header) {
  trial::RecordingBuilder builder(header, recording.whole_space());
  for (std::uint32_t row = 0; row < recording.size(); ++row)
    if (!builder.add(recording.configuration(row), recording.measurement(row))) std::abort();
  return *builder.build();
}

std::vector<space::Configuration> candidates_of(const store::Store& store, store::SessionId id) {
  std::vector<space::Configuration> all;
  const auto batches = *store.batches().of(id);
  for (const store::StoredBatch& batch : batches)
    all.insert(all.end(), batch.candidates.begin(), batch.candidates.end());
  return all;
}

}  // namespace

class SessionFeaturesTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { bench_ = std::make_unique<ReplayBench>(folder_.filePath("test.db").toStdString()); }
  void cleanup() {
    bench_.reset();
    QVERIFY(QFile::remove(folder_.filePath("test.db")));
  }

  void a_template_that_is_measured_has_a_loop_nest() {
    session::TuningRequest request;
    request.task = "resnet18/C6";
    request.seed = 1;
    request.restrictions = {{"tile_oc", 1, {4}}};
    const auto prepared = session::prepare_tuning(request, bench_->store);
    QVERIFY2(prepared, prepared ? "" : describe(prepared.error()).c_str());
    const space::FeatureSets& sets = prepared->setup.features;
    QVERIFY(sets.itervar && sets.curve);
    QCOMPARE(sets.itervar->name(), std::string("itervar"));
    QCOMPARE(sets.curve->name(), std::string("curve"));
    base::Random random = seeded_random();
    const space::Configuration member = *prepared->setup.space.random_member(random);
    QCOMPARE(sets.itervar->compute(member).size(), sets.itervar->names().size());
    QVERIFY(sets.csp);
    QCOMPARE(sets.csp->name(), std::string("csp"));
    QCOMPARE(sets.csp->compute(member).size(), sets.csp->names().size());
  }

  void limits_are_variables_whether_they_are_respected_or_not() {
    const schedule::ScheduledKernel kernel = *schedule::apply_template(
        *task::parse_task("conv2d 1x16x16x16 32x16x3x3 pad=1"), schedule::default_cuda_target());
    QVERIFY(!kernel.limits().empty());
    const space::FeatureSets sets = session::shared_features(kernel);
    const space::SearchSpace respected = *kernel.space().restricted_by(kernel.limits());
    const space::CspFeatures expected(respected);
    QCOMPARE(sets.csp->names(), expected.names());
    QVERIFY(std::ranges::count(sets.csp->names(), std::string("threads")) > 0);
    base::Random random = seeded_random();
    for (int i = 0; i < 50; ++i) {
      const space::Configuration member = *kernel.space().random_member(random);
      QCOMPARE(sets.csp->compute(member), expected.compute(member));
    }
  }

  void a_recorded_space_of_a_template_has_one() {
    const auto recording = own_recording("resnet18-C12-conv2d-nchwc");
    const auto prepared = session::prepare_replay(replay_request("xgb", 1, 64), bench_->store, recording);
    QVERIFY2(prepared, prepared ? "" : describe(prepared.error()).c_str());
    const space::FeatureSets& sets = prepared->setup.features;
    QVERIFY(sets.itervar && sets.curve && sets.csp);
    for (std::uint32_t row = 0; row < recording->size(); ++row) {
      QCOMPARE(sets.itervar->compute(recording->configuration(row)).size(), sets.itervar->names().size());
      QCOMPARE(sets.csp->compute(recording->configuration(row)).size(), sets.csp->names().size());
    }
  }

  void another_programs_space_has_none() {
    const auto recording = own_recording("resnet18-C12-conv2d-nchwc");
    trial::RecordingHeader header = recording->header();
    header.template_name.clear();
    const auto foreign = with_header(*recording, header);
    session::TuningRequest request = replay_request("xgb", 1, 64);
    const auto prepared = session::prepare_replay(request, bench_->store, foreign);
    QVERIFY2(prepared, prepared ? "" : describe(prepared.error()).c_str());
    const space::FeatureSets& sets = prepared->setup.features;
    QVERIFY(!sets.itervar && !sets.curve && !sets.csp);
    const auto automatic = bench_->run(request, foreign);
    QVERIFY2(automatic, automatic ? "" : describe(automatic.error()).c_str());
    session::TuningRequest variables = request;
    variables.settings = {{"features", "csp"}};
    const auto of_its_space = bench_->run(variables, foreign);
    QVERIFY2(of_its_space, of_its_space ? "" : describe(of_its_space.error()).c_str());
    for (const auto& [tuner, setting] : {std::pair{"xgb", "features"}, {"nose", "coordinates"}}) {
      request.tuner = tuner;
      request.settings = {{setting, "itervar"}};
      const auto refused = bench_->run(request, foreign);
      QVERIFY(!refused);
      QVERIFY2(refused.error().message.contains("itervar"), refused.error().message.c_str());
      QVERIFY2(refused.error().hint.contains(setting), refused.error().hint.c_str());
    }
  }

  void a_template_that_makes_other_knobs_has_none() {
    const auto recording = own_recording("resnet18-C12-conv2d-nchwc");
    trial::RecordingHeader header = recording->header();
    header.task_json = task::task_to_json(*task::parse_task("conv2d 1x64x56x56 64x64x3x3 pad=1"));
    const auto changed = with_header(*recording, header);
    session::TuningRequest request = replay_request("xgb", 1, 64);
    const auto prepared = session::prepare_replay(request, bench_->store, changed);
    QVERIFY2(prepared, prepared ? "" : describe(prepared.error()).c_str());
    QVERIFY(!prepared->setup.features.itervar && !prepared->setup.features.curve);
    request.respect_limits = true;
    const auto refused = session::prepare_replay(request, bench_->store, changed);
    QVERIFY(!refused);
    QVERIFY(refused.error().message.contains("has changed"));
  }

  void runs_of_the_same_template_share_what_they_compute() {
    const auto recording = own_recording("resnet18-C12-conv2d-nchwc");
    const auto first = *session::prepare_replay(replay_request("xgb", 1, 64), bench_->store, recording);
    const auto second = *session::prepare_replay(replay_request("nose", 2, 64), bench_->store, recording);
    QCOMPARE(first.setup.features.itervar, second.setup.features.itervar);
    QCOMPARE(first.setup.features.curve, second.setup.features.curve);
    QCOMPARE(first.setup.features.csp, second.setup.features.csp);
    // Equal knobs of another task are another loop nest.
    const auto task_kernel = [](const char* text) {
      return *schedule::apply_template(*task::parse_task(text), schedule::default_cuda_target());
    };
    const schedule::ScheduledKernel plain = task_kernel("conv2d 1x8x8x8 8x8x3x3 pad=1");
    const schedule::ScheduledKernel dilated = task_kernel("conv2d 1x8x8x8 8x8x3x3 pad=2 dilation=2");
    QVERIFY(plain.space().fingerprint() == dilated.space().fingerprint());
    const space::FeatureSets of_plain = session::shared_features(plain);
    const space::FeatureSets of_dilated = session::shared_features(dilated);
    QVERIFY(of_plain.itervar != of_dilated.itervar);
    QCOMPARE(of_plain.itervar, session::shared_features(task_kernel("conv2d 1x8x8x8 8x8x3x3 pad=1")).itervar);
  }

  void a_run_is_the_same_again_and_when_resumed_data() {
    QTest::addColumn<QString>("tuner");
    QTest::addColumn<QString>("setting");
    QTest::addColumn<QString>("value");
    QTest::newRow("xgb by default") << "xgb" << "" << "";
    QTest::newRow("xgb, curve") << "xgb" << "features" << "curve";
    QTest::newRow("xgb, csp") << "xgb" << "features" << "csp";
    QTest::newRow("nose, itervar") << "nose" << "coordinates" << "itervar";
    QTest::newRow("nose, curve") << "nose" << "coordinates" << "curve";
    QTest::newRow("nose, csp") << "nose" << "coordinates" << "csp";
  }
  void a_run_is_the_same_again_and_when_resumed() {
    QFETCH(QString, tuner);
    QFETCH(QString, setting);
    QFETCH(QString, value);
    const auto recording = own_recording("resnet18-C12-conv2d-nchwc");
    const auto request_of = [&](std::int64_t trials) {
      session::TuningRequest request = replay_request(tuner.toStdString(), 5, trials);
      if (!setting.isEmpty()) request.settings[setting.toStdString()] = value.toStdString();
      return request;
    };
    const auto whole = bench_->run(request_of(192), recording);
    QVERIFY2(whole, whole ? "" : describe(whole.error()).c_str());
    const auto again = bench_->run(request_of(192), recording);
    const auto begun = bench_->run(request_of(128), recording);
    QVERIFY(again && begun);
    const auto expected = candidates_of(bench_->store, whole->id);
    QCOMPARE(expected.size(), std::size_t{192});
    QVERIFY(candidates_of(bench_->store, again->id) == expected);
    const auto resumed = bench_->resume(begun->id, [](trial::Budget& budget) { budget.trials = 192; });
    QVERIFY2(resumed, resumed ? "" : describe(resumed.error()).c_str());
    const auto on = candidates_of(bench_->store, begun->id);
    QVERIFY(std::equal(expected.begin(), expected.begin() + 128, on.begin()));
    QCOMPARE(on.size(), expected.size());
  }

 private:
  QTemporaryDir folder_;
  std::unique_ptr<ReplayBench> bench_;
};

KERNELSCAPE_TEST(SessionFeaturesTest, QCoreApplication)

}  // namespace kernelscape::session_features_test
#include "session_features_test.moc"
