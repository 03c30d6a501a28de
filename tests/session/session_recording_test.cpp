#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <thread>

#include "core/base/file.h"
#include "core/exchange/export_formats.h"
#include "core/exchange/importer.h"
#include "core/exchange/kernels/exported_kernel.h"
#include "tests/session/replay_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_recording_test {
using namespace kernelscape::session_tests;

/** From a recorded space to a session that is ready: what is taken from where, and what is refused. */
class SessionRecordingTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<ReplayBench> bench_;
  std::shared_ptr<const trial::Recording> recording_ = make_recording(RecordedSpace::Complete);
  std::string file_;

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    bench_ = std::make_unique<ReplayBench>(folder_->filePath("test.db").toStdString());
    file_ = folder_->filePath("space.ksrec").toStdString();
    QVERIFY(base::write_file_atomically(file_, recording_->bytes()));
  }

  void aFileBringsAllButTheTuner();
  void whatContradictsTheFileIsRefused();
  void sessionsNameRecordings();
  void restrictionsNarrowTheMembers();
  void aSessionTellsHowToRunItAgain();
  void cachesOpenOnce();
  void resumeGoesTheWayOfTheWindow();
  void aReplaySaysWhoseItsNumbersAre();
  void exportsOfAReplaySayIt();
};

void SessionRecordingTest::aFileBringsAllButTheTuner() {
  session::TuningRequest request = replay_request("ga", 3, 50);
  request.target = "recorded:" + file_;
  request.measuring.repeats = 99;  // how it was measured is the recording's
  const Result<session::PreparedTuning> tuning = session::prepare_tuning(request, bench_->store);
  QVERIFY2(tuning, tuning ? "" : describe(tuning.error()).c_str());
  QVERIFY(tuning->recording != nullptr);
  QVERIFY(tuning->family == nullptr);
  const session::Setup& setup = tuning->setup;
  QCOMPARE(setup.task.text, task::task_from_json(recording_->header().task_json)->text);
  QCOMPARE(setup.template_name, recording_->header().template_name);
  QCOMPARE(setup.options.repeats, 3);
  QVERIFY(setup.options.search_time == request.measuring.search_time);
  QVERIFY(!setup.real_measurements);
  QCOMPARE(setup.space.fingerprint(), recording_->space().fingerprint());
  request.task = "matmul 64x48 48x32 f32";
  request.template_name = "test-template";
  QVERIFY(session::prepare_tuning(request, bench_->store));
}

void SessionRecordingTest::whatContradictsTheFileIsRefused() {
  const auto refused = [&](const std::function<void(session::TuningRequest&)>& change, const char* named) {
    session::TuningRequest request = replay_request("ga", 3, 50);
    request.target = "recorded:" + file_;
    change(request);
    const Result<session::PreparedTuning> tuning = session::prepare_tuning(request, bench_->store);
    QVERIFY(!tuning);
    QVERIFY2(describe(tuning.error()).contains(named), describe(tuning.error()).c_str());
    QVERIFY(!tuning.error().hint.empty());
  };
  refused([](session::TuningRequest& request) { request.task = "matmul 64x48 48x33 f32"; },
          "a recorded space");
  refused([](session::TuningRequest& request) { request.template_name = "matmul-packed"; }, "test-template");
  refused([](session::TuningRequest& request) { request.tuner = "nosy"; }, "nosy");
  refused([](session::TuningRequest& request) { request.respect_limits = true; }, "--respect-limits");
  refused([](session::TuningRequest& request) { request.restrictions = {{"unrool", 0, {1}}}; }, "unroll");
  refused([](session::TuningRequest& request) { request.target = "recorded:"; }, "recorded:FILE");
  refused([](session::TuningRequest& request) { request.target = "recorded:no-such-file.ksrec"; },
          "no-such-file");
  QVERIFY(base::write_file_atomically(folder_->filePath("wrong.ksrec").toStdString(), "no recording"));
  session::TuningRequest request = replay_request("ga", 3, 50);
  request.target = "recorded:" + folder_->filePath("wrong.ksrec").toStdString();
  const Result<session::PreparedTuning> wrong = session::prepare_tuning(request, bench_->store);
  QVERIFY(!wrong);
  QVERIFY(wrong.error().message.contains("wrong.ksrec"));
}

void SessionRecordingTest::sessionsNameRecordings() {
  session::TuningRequest request = replay_request("ga", 3, 50);
  request.name = "a replay";
  const auto outcome = bench_->run(request, recording_);
  QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
  for (const std::string& name : {std::to_string(outcome->id), std::string("a replay")}) {
    const auto found = session::open_recorded_target("recorded:" + name, bench_->store);
    QVERIFY2(found, found ? "" : describe(found.error()).c_str());
    QCOMPARE((*found)->hash(), recording_->hash());
  }
  // A session with trials of its own is none, and says how to make one of it.
  Bench measured(folder_->filePath("test.db").toStdString());
  const auto real = measured.run(make_setup("random", 1, 20, 8));
  QVERIFY(real);
  const auto none = session::open_recorded_target("recorded:" + std::to_string(real->id), bench_->store);
  QVERIFY(!none);
  QVERIFY(none.error().hint.contains("--format recorded"));
}

void SessionRecordingTest::restrictionsNarrowTheMembers() {
  for (const RecordedSpace kind : {RecordedSpace::Complete, RecordedSpace::Sample}) {
    session::TuningRequest request = replay_request("random", 3, 0);
    request.restrictions = {*session::parse_restriction("packed=true"),
                            *session::parse_restriction("unroll=0,512")};
    const auto recording = make_recording(kind);
    const auto outcome = bench_->run(request, recording);
    QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
    std::int64_t allowed = 0;
    const space::SearchSpace& space = recording->space();
    for (std::uint32_t row = 0; row < recording->size(); ++row) {
      const space::Configuration configuration = recording->configuration(row);
      allowed += configuration.indices[3] == 1 && configuration.indices[2] < 2 ? 1 : 0;
    }
    QVERIFY(allowed < static_cast<std::int64_t>(recording->size()));
    QCOMPARE(outcome->status.trial_count, allowed);
    const auto trials = *bench_->store.trials().of(outcome->id);
    for (const trial::Trial& trial : trials)
      QVERIFY(space.describe(trial.configuration).contains("packed=true"));
    const auto again = bench_->resume(outcome->id);
    QVERIFY2(again, again ? "" : describe(again.error()).c_str());
    QCOMPARE(again->status.trial_count, allowed);
  }
}

void SessionRecordingTest::aSessionTellsHowToRunItAgain() {
  session::TuningRequest request = replay_request("ga", 3, 50);
  request.settings = {{"population", "20"}};
  request.measuring.search_time = {trial::SearchTime::Kind::Constant, 0.25};
  const auto outcome = bench_->run(request, recording_);
  QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
  const Result<session::TuningRequest> again =
      session::request_of(bench_->store.sessions().get(outcome->id)->record);
  QVERIFY(again);
  QCOMPARE(again->target, "recorded:" + std::to_string(outcome->id));
  QVERIFY(again->measuring == request.measuring);
  const std::string command = session::command_line_of(*again);
  QVERIFY2(command.contains("--search-time 0.25") && !command.contains("--repeats"), command.c_str());
  const Result<session::PreparedTuning> tuning = session::prepare_tuning(*again, bench_->store);
  QVERIFY2(tuning, tuning ? "" : describe(tuning.error()).c_str());
  const auto twin = session::run_replay(bench_->store, *tuning, std::nullopt, bench_->observer, bench_->stop);
  QVERIFY(twin);
  QVERIFY(*bench_->store.trials().of(twin->id) == *bench_->store.trials().of(outcome->id));
}

void SessionRecordingTest::cachesOpenOnce() {
  session::RecordingCache cache;
  std::vector<std::shared_ptr<const trial::Recording>> found(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < found.size(); ++i) {
      threads.emplace_back([&, i] {
        const store::Store store = *store::Store::open(folder_->filePath("test.db").toStdString());
        if (const auto recording = cache.open("recorded:" + file_, store)) found[i] = *recording;
      });
    }
  }
  for (const auto& recording : found) QVERIFY(recording != nullptr && recording == found.front());
  cache.add("recorded:elsewhere.json", recording_);
  session::TuningRequest request = replay_request("random", 1, 10);
  request.target = "recorded:elsewhere.json";
  const Result<session::PreparedTuning> tuning = session::prepare_tuning(request, bench_->store, &cache);
  QVERIFY(tuning);
  QVERIFY(tuning->recording == recording_);
}

void SessionRecordingTest::resumeGoesTheWayOfTheWindow() {
  session::TuningRequest request = replay_request("nose", 3, 60);
  request.target = "recorded:" + file_;
  const Result<session::PreparedTuning> tuning = session::prepare_tuning(request, bench_->store);
  QVERIFY(tuning);
  const auto outcome =
      session::run_replay(bench_->store, *tuning, std::nullopt, bench_->observer, bench_->stop);
  QVERIFY(outcome);
  // The file is not needed any more.
  QVERIFY(QFile::remove(QString::fromStdString(file_)));
  const auto more = bench_->resume(outcome->id, [](trial::Budget& budget) { budget.trials = 90; });
  QVERIFY2(more, more ? "" : describe(more.error()).c_str());
  QCOMPARE(more->status.trial_count, std::int64_t{90});
  // A replay is not measured again, nor restored as if it had been built here.
  const auto restored = session::restore_session(bench_->store, outcome->id, tuning->setup.target);
  QVERIFY(!restored);
  QVERIFY(restored.error().message.contains("a replay"));
}

void SessionRecordingTest::aReplaySaysWhoseItsNumbersAre() {
  store::Store& store = bench_->store;
  const auto replay = [&](const std::string& name) -> Result<store::SessionRecord> {
    session::TuningRequest request = replay_request("random", 1, 10);
    request.target = "recorded:" + name;
    const session::PreparedTuning tuning = TRY(session::prepare_tuning(request, store));
    const session::Outcome outcome =
        TRY(session::run_replay(store, tuning, std::nullopt, bench_->observer, bench_->stop));
    store::SessionSummary session = TRY(store.sessions().get(outcome.id));
    return std::move(session.record);
  };
  const auto of_file = replay(file_);
  QVERIFY2(of_file, of_file ? "" : describe(of_file.error()).c_str());
  QCOMPARE(of_file->origin, std::string("a recorded space, file space.ksrec, a test"));
  QCOMPARE(
      store::origin_text(*of_file),
      std::string(
          "a replay of the recorded space a recorded space, file space.ksrec, a test, not measured here"));
  // By number: of the replay, and of the recorded space itself.
  const auto of_replay = replay(std::to_string(of_file->id));
  QVERIFY(of_replay && of_replay->origin == of_file->origin);
  const auto imported = exchange::import_file(store, file_);
  QVERIFY(imported);
  const auto of_import = replay(std::to_string(imported->sessions.front().session));
  QVERIFY(of_import && of_import->origin == of_file->origin);
  // Only the recording is known.
  const auto alone = bench_->run(replay_request("random", 1, 10), recording_);
  QVERIFY(alone);
  QCOMPARE(store.sessions().get(alone->id)->record.origin, std::string("a recorded space, a test"));
  // Going on changes nothing of it.
  QVERIFY(bench_->resume(of_file->id, [](trial::Budget& budget) { budget.trials = 20; }));
  QCOMPARE(store.sessions().get(of_file->id)->record.origin, of_file->origin);
  // Of earlier versions.
  store::SessionRecord earlier = *of_file;
  earlier.origin.clear();
  QCOMPARE(store::origin_text(earlier), std::string("a replay of a recorded space, not measured here"));
}

void SessionRecordingTest::exportsOfAReplaySayIt() {
  store::Store& store = bench_->store;
  session::TuningRequest request = replay_request("random", 1, 10);
  request.target = "recorded:" + file_;
  const Result<session::PreparedTuning> tuning = session::prepare_tuning(request, store);
  QVERIFY(tuning);
  const auto outcome = session::run_replay(store, *tuning, std::nullopt, bench_->observer, bench_->stop);
  QVERIFY(outcome && outcome->status.best_trial >= 0);
  const std::string said = store::origin_text(store.sessions().get(outcome->id)->record);
  for (const char* format : {"csv", "json", "kernel-tuner", "t4", "recorded", "configuration"}) {
    std::vector<std::string> notices;
    exchange::ExportRequest exported{.store = store, .session = outcome->id};
    exported.path = folder_->filePath(QString("exported.%1").arg(format)).toStdString();
    exported.notices = &notices;
    const exchange::ExportFormat& chosen = **exchange::find_export_format(format);
    if (chosen.one_trial) exported.trial = outcome->status.best_trial;
    const Status written = exchange::export_session(chosen, exported);
    QVERIFY2(written, written ? "" : describe(written.error()).c_str());
    QVERIFY2(std::ranges::any_of(notices, [&](const std::string& notice) { return notice.contains(said); }),
             format);
  }
  const auto kernel = exchange::read_measured_configuration(store, outcome->id, outcome->status.best_trial);
  QVERIFY(kernel);
  QCOMPARE(kernel->provenance.origin, said);
  // Elsewhere it is an import that was a replay.
  ReplayBench elsewhere(folder_->filePath("elsewhere.db").toStdString());
  const auto imported =
      exchange::import_file(elsewhere.store, folder_->filePath("exported.json").toStdString());
  QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
  QCOMPARE(elsewhere.store.sessions().get(imported->sessions.front().session)->record.origin,
           std::string("Kernelscape session exported.json, there a replay of the recorded space "
                       "a recorded space, file space.ksrec, a test"));
}

KERNELSCAPE_TEST(SessionRecordingTest, QCoreApplication)

}  // namespace kernelscape::session_recording_test
#include "session_recording_test.moc"
