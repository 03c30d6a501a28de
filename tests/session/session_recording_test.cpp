#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <thread>

#include "core/base/file.h"
#include "tests/session/replay_support.h"
#include "tests/test_program.h"

using namespace kernelscape;
using namespace kernelscape::session_tests;

/** From a recorded space to a session that is ready: what is taken from where, and what is refused. */
class SessionRecordingTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<ReplayBench> bench_;
  std::shared_ptr<const Recording> recording_ = make_recording(RecordedSpace::Complete);
  std::string file_;

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    bench_ = std::make_unique<ReplayBench>(folder_->filePath("test.db").toStdString());
    file_ = folder_->filePath("space.ksrec").toStdString();
    QVERIFY(write_file_atomically(file_, recording_->bytes()));
  }

  void aFileBringsAllButTheTuner();
  void whatContradictsTheFileIsRefused();
  void sessionsNameRecordings();
  void restrictionsNarrowTheMembers();
  void aSessionTellsHowToRunItAgain();
  void cachesOpenOnce();
  void resumeGoesTheWayOfTheWindow();
};

void SessionRecordingTest::aFileBringsAllButTheTuner() {
  TuningRequest request = replay_request("ga", 3, 50);
  request.target = "recorded:" + file_;
  request.measuring.repeats = 99;  // how it was measured is the recording's
  const Result<PreparedTuning> tuning = prepare_tuning(request, bench_->store);
  QVERIFY2(tuning, tuning ? "" : describe(tuning.error()).c_str());
  QVERIFY(tuning->recording != nullptr);
  QVERIFY(tuning->family == nullptr);
  const SessionSetup& setup = tuning->setup;
  QCOMPARE(setup.task.text, task_from_json(recording_->header().task_json)->text);
  QCOMPARE(setup.template_name, recording_->header().template_name);
  QCOMPARE(setup.options.repeats, 3);
  QVERIFY(setup.options.search_time == request.measuring.search_time);
  QVERIFY(!setup.real_measurements);
  QCOMPARE(setup.space.fingerprint(), recording_->space().fingerprint());
  request.task = "matmul 64x48 48x32 f32";
  request.template_name = "test-template";
  QVERIFY(prepare_tuning(request, bench_->store));
}

void SessionRecordingTest::whatContradictsTheFileIsRefused() {
  const auto refused = [&](const std::function<void(TuningRequest&)>& change, const char* named) {
    TuningRequest request = replay_request("ga", 3, 50);
    request.target = "recorded:" + file_;
    change(request);
    const Result<PreparedTuning> tuning = prepare_tuning(request, bench_->store);
    QVERIFY(!tuning);
    QVERIFY2(describe(tuning.error()).contains(named), describe(tuning.error()).c_str());
    QVERIFY(!tuning.error().hint.empty());
  };
  refused([](TuningRequest& request) { request.task = "matmul 64x48 48x33 f32"; }, "a recorded space");
  refused([](TuningRequest& request) { request.template_name = "matmul-packed"; }, "test-template");
  refused([](TuningRequest& request) { request.tuner = "nosy"; }, "nosy");
  refused([](TuningRequest& request) { request.respect_limits = true; }, "--respect-limits");
  refused([](TuningRequest& request) { request.restrictions = {{"unrool", 0, {1}}}; }, "unroll");
  refused([](TuningRequest& request) { request.target = "recorded:"; }, "recorded:FILE");
  refused([](TuningRequest& request) { request.target = "recorded:no-such-file.ksrec"; }, "no-such-file");
  QVERIFY(write_file_atomically(folder_->filePath("wrong.ksrec").toStdString(), "no recording"));
  TuningRequest request = replay_request("ga", 3, 50);
  request.target = "recorded:" + folder_->filePath("wrong.ksrec").toStdString();
  const Result<PreparedTuning> wrong = prepare_tuning(request, bench_->store);
  QVERIFY(!wrong);
  QVERIFY(wrong.error().message.contains("wrong.ksrec"));
}

void SessionRecordingTest::sessionsNameRecordings() {
  TuningRequest request = replay_request("ga", 3, 50);
  request.name = "a replay";
  const auto outcome = bench_->run(request, recording_);
  QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
  for (const std::string& name : {std::to_string(outcome->id), std::string("a replay")}) {
    const auto found = open_recorded_target("recorded:" + name, bench_->store);
    QVERIFY2(found, found ? "" : describe(found.error()).c_str());
    QCOMPARE((*found)->hash(), recording_->hash());
  }
  // A session with trials of its own is none, and says how to make one of it.
  Bench measured(folder_->filePath("test.db").toStdString());
  const auto real = measured.run(make_setup("random", 1, 20, 8));
  QVERIFY(real);
  const auto none = open_recorded_target("recorded:" + std::to_string(real->id), bench_->store);
  QVERIFY(!none);
  QVERIFY(none.error().hint.contains("--format recorded"));
}

void SessionRecordingTest::restrictionsNarrowTheMembers() {
  for (const RecordedSpace kind : {RecordedSpace::Complete, RecordedSpace::Sample}) {
    TuningRequest request = replay_request("random", 3, 0);
    request.restrictions = {*parse_restriction("packed=true"), *parse_restriction("unroll=0,512")};
    const auto recording = make_recording(kind);
    const auto outcome = bench_->run(request, recording);
    QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
    std::int64_t allowed = 0;
    const SearchSpace& space = recording->space();
    for (std::uint32_t row = 0; row < recording->size(); ++row) {
      const Configuration configuration = recording->configuration(row);
      allowed += configuration.indices[3] == 1 && configuration.indices[2] < 2 ? 1 : 0;
    }
    QVERIFY(allowed < static_cast<std::int64_t>(recording->size()));
    QCOMPARE(outcome->status.trial_count, allowed);
    const auto trials = *bench_->store.trials(outcome->id);
    for (const Trial& trial : trials) QVERIFY(space.describe(trial.configuration).contains("packed=true"));
    const auto again = bench_->resume(outcome->id);
    QVERIFY2(again, again ? "" : describe(again.error()).c_str());
    QCOMPARE(again->status.trial_count, allowed);
  }
}

void SessionRecordingTest::aSessionTellsHowToRunItAgain() {
  TuningRequest request = replay_request("ga", 3, 50);
  request.settings = {{"population", "20"}};
  request.measuring.search_time = {SearchTime::Kind::Constant, 0.25};
  const auto outcome = bench_->run(request, recording_);
  QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
  const Result<TuningRequest> again = request_of(bench_->store.session(outcome->id)->record);
  QVERIFY(again);
  QCOMPARE(again->target, "recorded:" + std::to_string(outcome->id));
  QVERIFY(again->measuring == request.measuring);
  const std::string command = command_line_of(*again);
  QVERIFY2(command.contains("--search-time 0.25") && !command.contains("--repeats"), command.c_str());
  const Result<PreparedTuning> tuning = prepare_tuning(*again, bench_->store);
  QVERIFY2(tuning, tuning ? "" : describe(tuning.error()).c_str());
  const auto twin = run_replay(bench_->store, *tuning, std::nullopt, bench_->observer, bench_->stop);
  QVERIFY(twin);
  QVERIFY(*bench_->store.trials(twin->id) == *bench_->store.trials(outcome->id));
}

void SessionRecordingTest::cachesOpenOnce() {
  RecordingCache cache;
  std::vector<std::shared_ptr<const Recording>> found(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < found.size(); ++i) {
      threads.emplace_back([&, i] {
        const Store store = *Store::open(folder_->filePath("test.db").toStdString());
        if (const auto recording = cache.open("recorded:" + file_, store)) found[i] = *recording;
      });
    }
  }
  for (const auto& recording : found) QVERIFY(recording != nullptr && recording == found.front());
  cache.add("recorded:elsewhere.json", recording_);
  TuningRequest request = replay_request("random", 1, 10);
  request.target = "recorded:elsewhere.json";
  const Result<PreparedTuning> tuning = prepare_tuning(request, bench_->store, &cache);
  QVERIFY(tuning);
  QVERIFY(tuning->recording == recording_);
}

void SessionRecordingTest::resumeGoesTheWayOfTheWindow() {
  TuningRequest request = replay_request("nose", 3, 60);
  request.target = "recorded:" + file_;
  const Result<PreparedTuning> tuning = prepare_tuning(request, bench_->store);
  QVERIFY(tuning);
  const auto outcome = run_replay(bench_->store, *tuning, std::nullopt, bench_->observer, bench_->stop);
  QVERIFY(outcome);
  // The file is not needed any more.
  QVERIFY(QFile::remove(QString::fromStdString(file_)));
  const auto more = bench_->resume(outcome->id, [](Budget& budget) { budget.trials = 90; });
  QVERIFY2(more, more ? "" : describe(more.error()).c_str());
  QCOMPARE(more->status.trial_count, std::int64_t{90});
  // A replay is not measured again, nor restored as if it had been built here.
  const auto restored = restore_session(bench_->store, outcome->id, tuning->setup.target);
  QVERIFY(!restored);
  QVERIFY(restored.error().message.contains("a replay"));
}

KERNELSCAPE_TEST(SessionRecordingTest, QCoreApplication)
#include "session_recording_test.moc"
