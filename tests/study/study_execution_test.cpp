#include <sys/wait.h>
#include <unistd.h>

#include <QTest>
#include <atomic>

#include "tests/loop_nest/random_seed.h"
#include "tests/session/session_support.h"
#include "tests/study/study_support.h"
#include "tests/test_program.h"

namespace kernelscape::study_execution_test {
using namespace kernelscape::study_tests;

/** Making the runs of a study: all of them, in parallel, after stops, and where something is wrong. */
class StudyExecutionTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::vector<std::string> files_;

  std::string database(const char* name) const { return folder_->filePath(name).toStdString(); }
  /** Makes the study in a database of its own and runs it to its end. */
  std::vector<std::vector<trial::Trial>> trials_of(const study::Definition& study, const char* name,
                                                   int jobs) const {
    store::Store store = *store::Store::open(database(name));
    const Result<store::StudyId> id = study::create_study(store, study);
    if (!id) qFatal("%s", describe(id.error()).c_str());
    StudyNotes notes;
    study::Options options;
    options.jobs = jobs;
    const Result<study::Outcome> outcome =
        study::run_study(store.path(), *id, options, notes, session::StopRequest());
    if (!outcome) qFatal("%s", describe(outcome.error()).c_str());
    if (outcome->progress.done != outcome->progress.runs) qFatal("not all runs are done");
    return study_trials(store, *id);
  }

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    files_ = {write_recording(*folder_, "x", 1), write_recording(*folder_, "y", 2, false)};
  }

  void everyRunIsMadeAsPlanned();
  void parallelEqualsSequential();
  void stoppedAndResumedEqualsThrough();
  void vanishedRecordingMarksJustItsRuns();
  void failedRunsAreTriedAgain();
  void wrongStudiesStoreNothing_data();
  void wrongStudiesStoreNothing();
  void optionalFilesMayBeMissing();
  void livingOwnerIsRespected();
  void realRunsGoOneAtATimeAfterReplays();
  void realRunsAreMeasuredAsTheirTunersSay();
  void analysisAddsItsRecordedSpacesOnce();
};

void StudyExecutionTest::everyRunIsMadeAsPlanned() {
  const study::Definition study = make_study({"random", "ga:population=20"}, files_, 3, 40);
  store::Store store = *store::Store::open(database("a.db"));
  const store::StudyId id = *study::create_study(store, study);
  QCOMPARE(store.studies().get(id)->record.run_count, 12);
  QVERIFY(*study::stored_study(store, id) == study);
  StudyNotes notes;
  const Result<study::Outcome> outcome =
      study::run_study(store.path(), id, {}, notes, session::StopRequest());
  QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
  QCOMPARE(outcome->progress.done, 12);
  QCOMPARE(outcome->progress.failed, 0);
  QVERIFY(!outcome->interrupted);
  QCOMPARE(notes.ended.size(), 12U);
  QCOMPARE(notes.last.done, 12);
  QCOMPARE(notes.last.running, 0);
  QVERIFY(store.sessions().all()->empty());
  const std::vector<store::StudyRun> runs = *store.studies().runs(id);
  for (const study::PlannedRun& plan : study::plan_runs(study)) {
    const store::StudyRun& run = runs[static_cast<std::size_t>(plan.run)];
    QVERIFY(run.session && run.error.empty());
    const store::SessionSummary session = *store.sessions().get(*run.session);
    QCOMPARE(session.record.seed, plan.seed);
    QCOMPARE(session.record.tuner, study.arms[plan.arm].tuner);
    QVERIFY(session.record.kind == store::SessionKind::Replayed);
    QCOMPARE(*session.study, id);
    QCOMPARE(session.status.trial_count, 40);
    QVERIFY(session.status.state == store::SessionState::Done);
  }
  QVERIFY(!store.studies().get(id)->owner);
}

void StudyExecutionTest::parallelEqualsSequential() {
  study::Definition study = make_study({"random", "nose", "ga", "sa"}, files_, 3, 0);
  const auto one = trials_of(study, "one.db", 1);
  const auto four = trials_of(study, "four.db", 4);
  QCOMPARE(one.size(), 24U);
  QCOMPARE(first_difference(one, four), std::string());
  // Without a limit every run has visited the whole recorded space.
  const auto members = static_cast<std::size_t>(recorded_space().size());
  QCOMPARE(one[0].size(), members);
  QCOMPARE(one[4].size(), members / 3);
}

void StudyExecutionTest::stoppedAndResumedEqualsThrough() {
  study::Definition study = make_study({"random", "nose", "ga", "sa"}, files_, 4, 100);
  study.arms[3].chain_tasks = true;
  const auto through = trials_of(study, "through.db", 2);
  base::Random random(kernelscape::testing::random_seed());
  store::Store store = *store::Store::open(database("stopped.db"));
  const store::StudyId id = *study::create_study(store, study);
  int stops = 0;
  for (;;) {
    session::StopRequest stop;
    StudyNotes notes;
    auto left = static_cast<int>(1 + random.below(30));
    const bool at_once = random.chance(0.3);
    notes.on_event = [&] {
      if (--left == 0) at_once ? stop.stop_at_once() : stop.stop_gracefully();
    };
    study::Options options;
    options.jobs = static_cast<int>(1 + random.below(4));
    const Result<study::Outcome> outcome = study::run_study(store.path(), id, options, notes, stop);
    QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
    QCOMPARE(outcome->progress.failed, 0);
    QVERIFY(!store.studies().get(id)->owner);
    if (!outcome->interrupted) break;
    QVERIFY2(++stops < 500, "the study makes no progress");
  }
  QVERIFY(stops > 0);
  QCOMPARE(first_difference(study_trials(store, id), through), std::string());
}

void StudyExecutionTest::vanishedRecordingMarksJustItsRuns() {
  const study::Definition study = make_study({"random", "ga"}, files_, 2, 30);
  store::Store store = *store::Store::open(database("a.db"));
  const store::StudyId id = *study::create_study(store, study);
  QVERIFY(std::filesystem::remove(files_[1]));
  StudyNotes notes;
  Result<study::Outcome> outcome = study::run_study(store.path(), id, {}, notes, session::StopRequest());
  QVERIFY(outcome);
  QCOMPARE(outcome->progress.done, 4);
  QCOMPARE(outcome->progress.failed, 4);
  const std::vector<store::StudyRun> runs = *store.studies().runs(id);
  for (const study::PlannedRun& plan : study::plan_runs(study)) {
    const store::StudyRun& run = runs[static_cast<std::size_t>(plan.run)];
    QCOMPARE(run.session.has_value(), plan.task == 0);
    QCOMPARE(run.error.empty(), plan.task == 0);
    if (plan.task == 1) QVERIFY(run.error.contains(files_[1]));
  }
  QCOMPARE(store.studies().get(id)->failed_runs, 4);
  // The file is here again.
  QCOMPARE(write_recording(*folder_, "y", 2, false), files_[1]);
  outcome = study::run_study(store.path(), id, {}, notes, session::StopRequest());
  QVERIFY(outcome);
  QCOMPARE(outcome->progress.done, 8);
  QCOMPARE(outcome->progress.failed, 0);
  QCOMPARE(first_difference(study_trials(store, id), trials_of(study, "fresh.db", 1)), std::string());
  const std::vector<store::StudyRun> whole = *store.studies().runs(id);
  for (const store::StudyRun& run : whole) QVERIFY(run.error.empty());
}

void StudyExecutionTest::failedRunsAreTriedAgain() {
  const study::Definition study = make_study({"random", "ga"}, {files_[0]}, 2, 30);
  store::Store store = *store::Store::open(database("a.db"));
  const store::StudyId id = *study::create_study(store, study);
  StudyNotes notes;
  study::Options failing;
  failing.runner = [](store::Store& own, const session::PreparedTuning& tuning,
                      std::optional<store::SessionId> resumed, session::Observer& observer,
                      const session::StopRequest& stop) -> Result<session::Outcome> {
    if (tuning.setup.tuner == "ga") return fail(ErrorCode::Environment, "the sky fell", "wait");
    Result<session::Outcome> outcome = session::run_on_this_machine(own, tuning, resumed, observer, stop);
    if (!outcome) return outcome;
    outcome->status.state = store::SessionState::Failed;
    outcome->status.state_reason = "it broke at its end";
    if (const Status stored = own.sessions().update_status(outcome->id, outcome->status); !stored)
      return std::unexpected(stored.error());
    return outcome;
  };
  Result<study::Outcome> outcome = study::run_study(store.path(), id, failing, notes, session::StopRequest());
  QVERIFY(outcome);
  QCOMPARE(outcome->progress.done, 0);
  QCOMPARE(outcome->progress.failed, 4);
  QCOMPARE(notes.failed.size(), 2U);
  const std::vector<store::StudyRun> failed = *store.studies().runs(id);
  QVERIFY(failed[0].session && failed[0].status.state == store::SessionState::Failed);
  QVERIFY(!failed[1].session && failed[1].error.contains("the sky fell"));
  outcome = study::run_study(store.path(), id, {}, notes, session::StopRequest());
  QVERIFY(outcome);
  QCOMPARE(outcome->progress.done, 4);
  const std::vector<store::StudyRun> runs = *store.studies().runs(id);
  QVERIFY(runs[0].session != failed[0].session);
  QVERIFY(!store.sessions().get(*failed[0].session));
  QCOMPARE(first_difference(study_trials(store, id), trials_of(study, "fresh.db", 1)), std::string());
}

void StudyExecutionTest::wrongStudiesStoreNothing_data() {
  QTest::addColumn<QString>("what");
  QTest::addColumn<QString>("said");
  QTest::newRow("unknown tuner") << "tuner" << "nosee";
  QTest::newRow("unknown setting") << "setting" << "popule";
  QTest::newRow("wrong setting") << "value" << "population";
  QTest::newRow("missing file") << "file" << "missing.ksrec";
  QTest::newRow("unknown recorded space") << "session" << "task 3";
  QTest::newRow("unknown knob") << "restriction" << "no such knob";
  QTest::newRow("other template") << "template" << "conv2d-nchwc";
  QTest::newRow("other task") << "task" << "resnet18/C6";
  QTest::newRow("unknown task") << "unknown task" << "resnet18/C66";
  QTest::newRow("endless") << "endless" << "have no limit";
  QTest::newRow("damaged file") << "damaged" << "damaged.ksrec";
  QTest::newRow("analysis of a missing file") << "analysis" << "missing.ksrec";
  QTest::newRow("no arms") << "arms" << "no tuners";
}

void StudyExecutionTest::wrongStudiesStoreNothing() {
  QFETCH(QString, what);
  QFETCH(QString, said);
  study::Definition study = make_study({"random", "ga"}, files_, 2, 30);
  study::Task task;
  task.target = "recorded:" + files_[0];
  const QString damaged = folder_->filePath("damaged.ksrec");
  if (what == "tuner") study.arms.push_back({"odd", "nosee", {}});
  if (what == "setting") study.arms[1].settings["popule"] = "5";
  if (what == "value") study.arms[1].settings["population"] = "many";
  if (what == "file") task.target = "recorded:" + folder_->filePath("missing.ksrec").toStdString();
  if (what == "session") task.target = "recorded:99";
  if (what == "restriction") task.restrictions = {"no such knob=1"};
  if (what == "template") task.template_name = "conv2d-nchwc";
  if (what == "task") task.task = "resnet18/C6";
  if (what == "unknown task") task = {"resnet18/C66", "cpu", "", {}, false};
  if (what == "endless") {
    study.budget = {0, 0, 1e9, 0};
    task = {"resnet18/C6", "cpu", "", {}, false};
  }
  if (what == "damaged") {
    QVERIFY(base::write_file_atomically(damaged.toStdString(), "KSREC and then nothing that it should be"));
    task.target = "recorded:" + damaged.toStdString();
  }
  if (what == "analysis") {
    study = {};
    study.name = "analysis";
    study.analysed = {files_[0], folder_->filePath("missing.ksrec").toStdString()};
  } else if (what == "arms") {
    study.arms.clear();
  } else if (task.target != "recorded:" + files_[0] || !task.restrictions.empty() ||
             !task.template_name.empty() || !task.task.empty()) {
    study.tasks.push_back(task);
  }
  store::Store store = *store::Store::open(database("a.db"));
  const Result<store::StudyId> id = study::create_study(store, study);
  QVERIFY(!id);
  QVERIFY2(QString::fromStdString(describe(id.error())).contains(said), describe(id.error()).c_str());
  QVERIFY2(!id.error().hint.empty(), id.error().message.c_str());
  QVERIFY(store.studies().all()->empty());
  QVERIFY(store.sessions().all()->empty());
}

void StudyExecutionTest::optionalFilesMayBeMissing() {
  study::Definition study = make_study({"random"}, files_, 2, 10);
  study::Task missing;
  missing.target = "recorded:" + folder_->filePath("missing.json.gz").toStdString();
  missing.optional = true;
  study.tasks.insert(study.tasks.begin(), missing);
  study::Definition present = study;
  const std::vector<std::string> notices = study::leave_out_missing(present);
  QCOMPARE(notices.size(), 1U);
  QVERIFY(notices[0].contains("missing.json.gz"));
  QCOMPARE(present.tasks.size(), 2U);
  store::Store store = *store::Store::open(database("a.db"));
  const Result<store::StudyId> id = study::create_study(store, study);
  QVERIFY2(id, id ? "" : describe(id.error()).c_str());
  QCOMPARE(store.studies().get(*id)->record.run_count, 4);
  QVERIFY(*study::stored_study(store, *id) == present);
  study.tasks.resize(1);
  const Result<store::StudyId> none = study::create_study(store, study);
  QVERIFY(!none && none.error().message.contains("missing.json.gz"));
}

void StudyExecutionTest::livingOwnerIsRespected() {
  store::Store store = *store::Store::open(database("a.db"));
  const store::StudyId id = *study::create_study(store, make_study({"random"}, files_, 1, 10));
  int to_child[2];
  int to_parent[2];
  QCOMPARE(pipe(to_child), 0);
  QCOMPARE(pipe(to_parent), 0);
  const std::string path = database("a.db");
  const pid_t child = fork();
  if (child == 0) {
    // Another process has the study until it is told to end, and ends without giving it back.
    Result<store::Store> own = store::Store::open(path);
    const bool claimed = own && own->studies().claim(id, store::Owner::this_process());
    char byte = claimed ? 'y' : 'n';
    if (write(to_parent[1], &byte, 1) != 1 || read(to_child[0], &byte, 1) != 1) _exit(2);
    _exit(0);
  }
  char byte = 0;
  QCOMPARE(read(to_parent[0], &byte, 1), 1);
  QCOMPARE(byte, 'y');
  StudyNotes notes;
  const Result<study::Outcome> refused = study::run_study(path, id, {}, notes, session::StopRequest());
  QVERIFY(!refused);
  QVERIFY(refused.error().code == ErrorCode::Refused);
  QVERIFY2(refused.error().message.contains(std::to_string(child)), refused.error().message.c_str());
  QCOMPARE(notes.started.size(), 0U);
  QCOMPARE(write(to_child[1], &byte, 1), 1);
  QCOMPARE(waitpid(child, nullptr, 0), child);
  const Result<study::Outcome> outcome = study::run_study(path, id, {}, notes, session::StopRequest());
  QVERIFY(outcome);
  QCOMPARE(outcome->progress.done, 2);
}

void StudyExecutionTest::realRunsGoOneAtATimeAfterReplays() {
  study::Definition study = make_study({"random", "ga"}, {files_[0]}, 2, 20);
  study::Task real;
  real.task = "conv2d 1x16x8x8 16x16x3x3 stride=1 pad=1 f32";
  study.tasks.insert(study.tasks.begin(), real);
  store::Store store = *store::Store::open(database("a.db"));
  const Result<store::StudyId> id = study::create_study(store, study);
  QVERIFY2(id, id ? "" : describe(id.error()).c_str());
  std::atomic<int> real_running = 0;
  std::atomic<int> replays_left = 4;
  std::atomic<bool> good = true;
  study::Options options;
  options.jobs = 4;
  options.runner = [&](store::Store& own, const session::PreparedTuning& tuning,
                       std::optional<store::SessionId> resumed, session::Observer& observer,
                       const session::StopRequest& stop) {
    if (tuning.recording) {
      --replays_left;
      return session::run_on_this_machine(own, tuning, resumed, observer, stop);
    }
    if (++real_running != 1 || replays_left != 0) good = false;
    session_tests::TestMeasurer measurer(session_tests::make_script());
    Result<session::Outcome> outcome = session::run_session(
        own, tuning.setup, {measurer, observer, stop, [&] { return measurer.clock().seconds; }, {}});
    --real_running;
    return outcome;
  };
  StudyNotes notes;
  const Result<study::Outcome> outcome =
      study::run_study(store.path(), *id, options, notes, session::StopRequest());
  QVERIFY(outcome);
  QCOMPARE(outcome->progress.done, 8);
  QVERIFY(good);
  for (const auto& trials : study_trials(store, *id)) QCOMPARE(trials.size(), 20U);
}

void StudyExecutionTest::realRunsAreMeasuredAsTheirTunersSay() {
  // The tuner with its own options goes first and is looked up first.
  study::Definition study = make_study({"ga", "random"}, {}, 2, 8);
  study::Task real;
  real.task = "conv2d 1x16x8x8 16x16x3x3 stride=1 pad=1 f32";
  study.tasks.push_back(real);
  study.measuring.repeats = 500;
  study.arms[0].measuring = study.measuring;
  study.arms[0].measuring->adaptive_batch = 50;
  store::Store store = *store::Store::open(database("a.db"));
  const Result<store::StudyId> id = study::create_study(store, study);
  QVERIFY2(id, id ? "" : describe(id.error()).c_str());
  QVERIFY(*study::stored_study(store, *id) == study);
  std::map<std::string, std::vector<int>> batches;
  study::Options options;
  options.runner = [&](store::Store& own, const session::PreparedTuning& tuning,
                       std::optional<store::SessionId>, session::Observer& observer,
                       const session::StopRequest& stop) {
    batches[tuning.setup.tuner].push_back(tuning.setup.options.adaptive_batch);
    session_tests::TestMeasurer measurer(session_tests::make_script());
    return session::run_session(own, tuning.setup,
                                {measurer, observer, stop, [&] { return measurer.clock().seconds; }, {}});
  };
  StudyNotes notes;
  QVERIFY(study::run_study(store.path(), *id, options, notes, session::StopRequest()));
  QCOMPARE(batches, (std::map<std::string, std::vector<int>>{{"ga", {50, 50}}, {"random", {0, 0}}}));
  const std::vector<store::StudyRun> runs = *store.studies().runs(*id);
  for (const study::PlannedRun& plan : study::plan_runs(study)) {
    const store::SessionSummary session =
        *store.sessions().get(*runs[static_cast<std::size_t>(plan.run)].session);
    QVERIFY(*trial::stored_measure_options(session.record.options_json) ==
            study::measuring_of(study, study.arms[plan.arm]));
    // Run again by itself, it is measured as it was.
    QCOMPARE(session::request_of(session.record)->measuring.adaptive_batch, plan.arm == 0 ? 50 : 0);
  }
}

void StudyExecutionTest::analysisAddsItsRecordedSpacesOnce() {
  study::Definition study;
  study.name = "analysis";
  study.analysed = files_;
  store::Store store = *store::Store::open(database("a.db"));
  const store::StudyId id = *study::create_study(store, study);
  QCOMPARE(store.studies().get(id)->record.run_count, 0);
  QCOMPARE(study::analysed_sessions(store, study).error().code, ErrorCode::NotFound);
  StudyNotes notes;
  for (int round = 0; round < 2; ++round) {
    const Result<study::Outcome> outcome =
        study::run_study(store.path(), id, {}, notes, session::StopRequest());
    QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
    QVERIFY(!outcome->interrupted);
    QCOMPARE(store.sessions().all()->size(), 2U);
  }
  const std::vector<store::SessionId> sessions = *study::analysed_sessions(store, study);
  QCOMPARE(sessions.size(), 2U);
  QVERIFY(store.sessions().get(sessions[0])->record.kind == store::SessionKind::Recorded);
  QCOMPARE(store.sessions().get(sessions[0])->status.trial_count,
           static_cast<std::int64_t>(recorded_space().size()));

  // Who only shows it opens the database to read, unless they are missing.
  store::Store another = *store::Store::open(database("another.db"));
  const store::StudyId shown = *study::create_study(another, study);
  for (int round = 0; round < 2; ++round) {
    Result<store::Store> read = store::Store::open(another.path(), store::OpenMode::ReadOnly);
    QVERIFY(read);
    const Result<store::Store> whole = study::with_analysed_sessions(std::move(*read), shown);
    QVERIFY2(whole, whole ? "" : describe(whole.error()).c_str());
    QCOMPARE(study::analysed_sessions(*whole, study)->size(), 2U);
    QCOMPARE(another.sessions().all()->size(), 2U);
  }
}

KERNELSCAPE_PLAIN_TEST(StudyExecutionTest)

}  // namespace kernelscape::study_execution_test
#include "study_execution_test.moc"
