#include <QTest>

#include "core/study/compared_task.h"
#include "core/study/comparison_reader.h"
#include "tests/session/session_support.h"
#include "tests/study/study_support.h"
#include "tests/test_program.h"

namespace kernelscape::study_comparison_reader_test {
using namespace kernelscape::study_tests;

namespace {

constexpr double flops = 2.0 * 64 * 48 * 32;

/** A run as it reads trial by trial. */
struct NaiveRun {
  analysis::BestCurve curve;
  analysis::ErrorBreakdown errors;
};

NaiveRun naive_run(const std::vector<trial::Trial>& trials, double end_seconds) {
  NaiveRun run;
  double best = 0;
  double latest = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const trial::Measurement& measurement = trials[i].measurement;
    analysis::CategoryTotals& totals = run.errors.categories[static_cast<std::size_t>(measurement.category)];
    ++totals.trials;
    totals.build_seconds += measurement.build_seconds;
    totals.run_seconds += measurement.run_seconds;
    const double seconds = measurement.ranking_seconds();
    if (!measurement.valid() || (best > 0 && seconds >= best)) continue;
    best = seconds;
    latest = std::max(latest, trials[i].finished_seconds);
    run.curve.seconds.push_back(latest);
    run.curve.trials.push_back(static_cast<double>(i + 1));
    run.curve.performance.push_back(flops / 1e9 / seconds);
  }
  run.curve.end_seconds = end_seconds;
  run.curve.end_trials = static_cast<double>(trials.size());
  return run;
}

void compare_run(const analysis::ComparedRun& run, const NaiveRun& expected) {
  QCOMPARE(run.curve.seconds, expected.curve.seconds);
  QCOMPARE(run.curve.trials, expected.curve.trials);
  QCOMPARE(run.curve.performance, expected.curve.performance);
  QCOMPARE(run.curve.end_seconds, expected.curve.end_seconds);
  QCOMPARE(run.curve.end_trials, expected.curve.end_trials);
  for (std::size_t category = 0; category < trial::error_category_count; ++category) {
    QCOMPARE(run.errors.categories[category].trials, expected.errors.categories[category].trials);
    QVERIFY(std::fabs(run.errors.categories[category].work_seconds() -
                      expected.errors.categories[category].work_seconds()) < 1e-9);
  }
}

}  // namespace

/** Studies and sessions as runs, against their trials read one by one. */
class StudyComparisonReaderTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::vector<std::string> files_;
  std::unique_ptr<store::Store> store_;

  void run(store::StudyId id, int events = 0) const {
    session::StopRequest stop;
    StudyNotes notes;
    notes.on_event = [&] {
      if (--events == 0) stop.stop_gracefully();
    };
    const Result<study::Outcome> outcome = study::run_study(store_->path(), id, {}, notes, stop);
    if (!outcome) qFatal("%s", describe(outcome.error()).c_str());
  }
  void compare_with_sessions(const analysis::ComparedRuns& compared, store::StudyId id,
                             const study::Definition& study) const;

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    files_ = {write_recording(*folder_, "x", 1), write_recording(*folder_, "y", 2, false)};
    store_ = std::make_unique<store::Store>(*store::Store::open(folder_->filePath("a.db").toStdString()));
  }

  void nothingRunYet();
  void equalsItsSessions();
  void fewerSamplesAreJudgedByAllThatWereRecorded();
  void grownStudyEqualsOneReadAtOnce();
  void tasksAreWhatWasRecorded();
  void armsWithinLimitsAreComparedOnTheWholeSpace();
  void restrictedTasksHaveTheirMembersOnly();
  void failedRunsSayWhy();
  void chosenSessions();
  void coveredSpacesHaveAKnownOptimum();
  void sharesOfMembersAreReadWhenAskedFor();
  void armsSayHowTheyPropose();
  void noiseIsThatOfSamplesNearTheOptimum();
  void confirmationsAreRead();
  void sessionsAreToldApartByBatches();
  void unknownStudy();
};

void StudyComparisonReaderTest::compare_with_sessions(const analysis::ComparedRuns& compared,
                                                      store::StudyId id,
                                                      const study::Definition& study) const {
  const std::vector<study::PlannedRun> plan = study::plan_runs(study);
  const std::vector<store::StudyRun> stored = *store_->studies().runs(id);
  std::size_t position = 0;
  for (const store::StudyRun& run : stored) {
    if (!run.session) continue;
    QVERIFY(position < compared.runs.size());
    const analysis::ComparedRun& read = compared.runs[position++];
    const study::PlannedRun& planned = plan[static_cast<std::size_t>(run.run)];
    QCOMPARE(read.arm, planned.arm);
    QCOMPARE(read.task, planned.task);
    QCOMPARE(read.repeat, planned.repeat);
    QCOMPARE(read.seed, planned.seed);
    QCOMPARE(read.session, *run.session);
    QCOMPARE(read.finished, run.status.state == store::SessionState::Done);
    QCOMPARE(read.time.session_seconds, run.status.session_seconds);
    QCOMPARE(read.time.build_seconds, run.status.build_seconds);
    compare_run(read, naive_run(*store_->trials().of(*run.session), run.status.session_seconds));
  }
  QCOMPARE(position, compared.runs.size());
}

void StudyComparisonReaderTest::nothingRunYet() {
  const study::Definition study = make_study({"random", "ga"}, files_, 3, 30);
  const store::StudyId id = *study::create_study(*store_, study);
  const auto runs = study::ComparisonReader(*store_, id).read();
  QVERIFY2(runs, runs ? "" : describe(runs.error()).c_str());
  QCOMPARE((*runs)->title, study.name);
  QCOMPARE((*runs)->arms.size(), 2U);
  QCOMPARE((*runs)->tasks.size(), 2U);
  QCOMPARE((*runs)->tasks[0].name, std::string("x"));
  QVERIFY((*runs)->runs.empty());
  QCOMPARE((*runs)->planned_runs, 12U);
}

void StudyComparisonReaderTest::equalsItsSessions() {
  const study::Definition study = make_study({"random", "ga:population=20"}, files_, 3, 60);
  const store::StudyId id = *study::create_study(*store_, study);
  run(id);
  const auto runs = study::ComparisonReader(*store_, id).read();
  QVERIFY(runs);
  QCOMPARE((*runs)->runs.size(), 12U);
  QCOMPARE((*runs)->arms[1].name, std::string("ga (population=20)"));
  QCOMPARE((*runs)->arms[1].settings, std::string("population=20"));
  compare_with_sessions(**runs, id, study);
}

/** What looked best by its first sample is worth what the recording says of it. */
void StudyComparisonReaderTest::fewerSamplesAreJudgedByAllThatWereRecorded() {
  study::Definition study = make_study({"random"}, {files_[0]}, 4, 80);
  study.measuring.replay_samples = true;
  study.measuring.repeats = 1;
  study.measuring.give_up_factor = 0;
  const store::StudyId id = *study::create_study(*store_, study);
  run(id);
  const auto compared = study::ComparisonReader(*store_, id).read();
  QVERIFY2(compared, compared ? "" : describe(compared.error()).c_str());
  const auto recording = study_tests::make_recording("x", 1);
  QCOMPARE((*compared)->runs.size(), std::size_t{4});
  for (const analysis::ComparedRun& run : (*compared)->runs) {
    std::vector<double> expected;
    double seen = 0;
    const std::vector<trial::Trial> trials = *store_->trials().of(run.session);
    for (const trial::Trial& trial : trials) {
      const trial::Measurement& measurement = trial.measurement;
      if (!measurement.valid()) continue;
      QCOMPARE(measurement.samples_seconds.size(), std::size_t{1});
      if (seen > 0 && measurement.samples_seconds[0] >= seen) continue;
      seen = measurement.samples_seconds[0];
      expected.push_back(flops / 1e9 / recording->seconds(*recording->find(trial.configuration)));
    }
    QCOMPARE(run.curve.performance, expected);
    QVERIFY(run.curve.best() < flops / 1e9 / seen);  // its other samples were slower
  }
}

void StudyComparisonReaderTest::grownStudyEqualsOneReadAtOnce() {
  const study::Definition study = make_study({"random", "ga", "nose"}, files_, 3, 120);
  const store::StudyId id = *study::create_study(*store_, study);
  study::ComparisonReader reader(*store_, id);
  for (int events = 3; store_->studies().get(id)->done_runs < 18; events += 3) {
    run(id, events);
    const auto runs = reader.read();
    QVERIFY(runs);
    compare_with_sessions(**runs, id, study);
  }
  QCOMPARE((*reader.read())->runs.size(), 18U);
}

void StudyComparisonReaderTest::armsWithinLimitsAreComparedOnTheWholeSpace() {
  const std::string file =
      fmt::format("{}/data/recorded/matmul-32x509x64-matmul-tiled-whole.ksrec", KERNELSCAPE_SOURCE_DIR);
  const auto recording = *trial::Recording::open(file);
  // Whichever arm is read first: by default heron's space has no configuration beyond the limits.
  for (const std::vector<std::string>& tuners :
       {std::vector<std::string>{"heron", "random"}, std::vector<std::string>{"random", "heron"}}) {
    const store::StudyId id = *study::create_study(*store_, make_study(tuners, {file}, 1, 40));
    run(id);
    const auto runs = *store_->studies().runs(id);
    for (std::size_t arm = 0; arm < tuners.size(); ++arm) {
      const std::uint64_t fingerprint = store_->sessions().get(*runs[arm].session)->record.space_fingerprint;
      QCOMPARE(fingerprint == recording->space().fingerprint(), tuners[arm] == "random");
    }
    const auto compared = *study::ComparisonReader(*store_, id).read();
    QCOMPARE(compared->tasks[0].members.size(), std::size_t{recording->size()});
    QVERIFY(compared->tasks[0].optimum_known);
  }
}

void StudyComparisonReaderTest::tasksAreWhatWasRecorded() {
  const store::StudyId id = *study::create_study(*store_, make_study({"random"}, files_, 1, 10));
  run(id);
  const auto runs = *study::ComparisonReader(*store_, id).read();
  for (std::size_t task = 0; task < 2; ++task) {
    const auto recording = *trial::Recording::open(files_[task]);
    const analysis::ComparedTask& read = runs->tasks[task];
    QCOMPARE(read.members.size(), std::size_t{recording->size()});
    QVERIFY(read.floating_flops);
    double best = 0;
    for (std::uint32_t row = 0; row < recording->size(); ++row) {
      const trial::Measurement measurement = recording->measurement(row);
      const double performance = measurement.valid() ? flops / 1e9 / measurement.ranking_seconds() : 0;
      QCOMPARE(read.members[row], performance);
      best = std::max(best, performance);
    }
    QCOMPARE(read.optimum, best);
    QCOMPARE(read.optimum_known, task == 0);
  }
}

void StudyComparisonReaderTest::restrictedTasksHaveTheirMembersOnly() {
  study::Definition study = make_study({"random"}, {files_[0]}, 2, 0);
  study.tasks[0].restrictions = {"unroll=16,512"};
  const Result<store::StudyId> id = study::create_study(*store_, study);
  QVERIFY2(id, id ? "" : describe(id.error()).c_str());
  run(*id);
  const auto runs = *study::ComparisonReader(*store_, *id).read();
  const auto members = static_cast<std::size_t>(recorded_space().size()) * 2 / 3;
  QCOMPARE(runs->tasks[0].members.size(), members);
  for (const analysis::ComparedRun& read : runs->runs) {
    QCOMPARE(read.curve.end_trials, static_cast<double>(members));
    QCOMPARE(read.curve.best(), runs->tasks[0].optimum);
  }
}

void StudyComparisonReaderTest::failedRunsSayWhy() {
  const store::StudyId id = *study::create_study(*store_, make_study({"random"}, files_, 2, 10));
  QVERIFY(store_->studies().set_run_error(id, 1, "the file is gone"));
  const auto runs = *study::ComparisonReader(*store_, id).read();
  QCOMPARE(runs->runs.size(), 1U);
  QCOMPARE(runs->runs[0].error, std::string("the file is gone"));
  QCOMPARE(runs->runs[0].task, 1U);
  QVERIFY(!runs->runs[0].finished);
}

void StudyComparisonReaderTest::chosenSessions() {
  const study::Definition study = make_study({"random", "ga:population=20"}, files_, 2, 40);
  const store::StudyId id = *study::create_study(*store_, study);
  run(id);
  std::vector<store::SessionId> sessions;
  const std::vector<store::StudyRun> stored = *store_->studies().runs(id);
  for (const store::StudyRun& known : stored) sessions.push_back(*known.session);
  const auto of_study = *study::ComparisonReader(*store_, id).read();
  const auto chosen = study::ComparisonReader(*store_, sessions).read();
  QVERIFY2(chosen, chosen ? "" : describe(chosen.error()).c_str());
  QCOMPARE((*chosen)->arms.size(), 2U);
  QCOMPARE((*chosen)->arms[1].name, of_study->arms[1].name);
  QCOMPARE((*chosen)->tasks.size(), 2U);
  QVERIFY((*chosen)->tasks[0].name != (*chosen)->tasks[1].name);
  QCOMPARE((*chosen)->planned_runs, 8U);
  QCOMPARE((*chosen)->runs.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    const analysis::ComparedRun& a = (*chosen)->runs[i];
    const analysis::ComparedRun& b = of_study->runs[i];
    QCOMPARE(a.arm, b.arm);
    QCOMPARE(a.task, b.task);
    QCOMPARE(a.repeat, b.repeat);
    QCOMPARE(a.curve.performance, b.curve.performance);
    QCOMPARE((*chosen)->tasks[a.task].members, of_study->tasks[b.task].members);
  }
  const auto missing = study::ComparisonReader(*store_, std::vector<store::SessionId>{9999}).read();
  QVERIFY(!missing);
}

void StudyComparisonReaderTest::coveredSpacesHaveAKnownOptimum() {
  session_tests::Bench bench(folder_->filePath("measured.db").toStdString());
  const Result<session::Outcome> part = bench.run(session_tests::make_setup("random", 1, 50, 8));
  QVERIFY(part);
  const auto some = *study::ComparisonReader(bench.store, std::vector{part->id}).read();
  QVERIFY(!some->tasks[0].optimum_known);
  QVERIFY(some->tasks[0].members.empty());
  QCOMPARE(some->tasks[0].optimum, some->runs[0].curve.best());
  const Result<session::Outcome> whole = bench.run(session_tests::make_setup("grid", 1, 0, 64));
  QVERIFY(whole);
  const auto both = *study::ComparisonReader(bench.store, std::vector{part->id, whole->id}).read();
  QCOMPARE(both->tasks.size(), 1U);
  QVERIFY(both->tasks[0].optimum_known);
  QCOMPARE(both->tasks[0].optimum, both->runs[1].curve.best());
}

void StudyComparisonReaderTest::sharesOfMembersAreReadWhenAskedFor() {
  const store::StudyId id = *study::create_study(*store_, make_study({"random", "grid"}, {files_[0]}, 2, 30));
  study::ComparisonReader reader(*store_, id);
  reader.read_member_shares();
  QVERIFY(reader.read());
  run(id);
  const std::vector<store::StudyRun> stored = *store_->studies().runs(id);
  const store::SessionId session = *stored[0].session;
  std::vector<store::StoredSeries> values;
  for (std::int64_t trial = 4; trial < 30; ++trial) {
    values.push_back({trial, "member_share", trial < 20 ? 0.25 : 0.5});
    values.push_back({trial, "another", 7});
  }
  QVERIFY(store_->series().append(session, values));
  const auto runs = *reader.read();
  const std::vector<trial::Trial> trials = *store_->trials().of(session);
  for (const analysis::ComparedRun& read : runs->runs) {
    if (read.session != session) {
      QVERIFY(read.member_share.empty());
      continue;
    }
    QCOMPARE(read.member_share.trials, (std::vector<double>{5, 21}));
    QCOMPARE(read.member_share.values, (std::vector<double>{0.25, 0.5}));
    double latest = 0;
    for (std::size_t trial = 0; trial <= 20; ++trial) {
      latest = std::max(latest, trials[trial].finished_seconds);
      if (trial == 4) QCOMPARE(read.member_share.seconds[0], latest);
    }
    QCOMPARE(read.member_share.seconds[1], latest);
  }
  QVERIFY(std::ranges::any_of(runs->runs,
                              [](const analysis::ComparedRun& read) { return !read.member_share.empty(); }));
  const auto without = *study::ComparisonReader(*store_, id).read();
  for (const analysis::ComparedRun& read : without->runs) QVERIFY(read.member_share.empty());
}

void StudyComparisonReaderTest::armsSayHowTheyPropose() {
  study::Definition study = make_study({"ga:population=20", "nose@8"}, {files_[0]}, 1, 10);
  study.controls = true;
  const store::StudyId id = *study::create_study(*store_, study);
  const auto runs = *study::ComparisonReader(*store_, id).read();
  QCOMPARE(runs->arms.size(), 4U);
  QCOMPARE(runs->arms[0].batch, 0);
  QCOMPARE(runs->arms[0].random_phase, 20);
  QCOMPARE(runs->arms[1].name, std::string("nose@8"));
  QCOMPARE(runs->arms[1].batch, 8);
  QVERIFY(!runs->arms[1].control);
  QCOMPARE(runs->arms[2].name, std::string("random@100 (control)"));
  QCOMPARE(runs->arms[2].batch, 100);
  QVERIFY(runs->arms[2].control && runs->arms[3].control);
  QCOMPARE(runs->arms[3].random_phase, analysis::all_trials_random_phase);
  // A share of the budget of trials.
  const auto smac = *study::create_study(*store_, make_study({"smac"}, {files_[0]}, 1, 40));
  const auto budgeted = *study::ComparisonReader(*store_, smac).read();
  QCOMPARE(budgeted->arms[0].random_phase, 4);
}

void StudyComparisonReaderTest::noiseIsThatOfSamplesNearTheOptimum() {
  const store::StudyId id = *study::create_study(*store_, make_study({"random"}, files_, 1, 10));
  run(id);
  const auto runs = *study::ComparisonReader(*store_, id).read();
  // Every recorded kernel took s, 1.01 s and 1.02 s: quartiles of 1.005 s and 1.015 s.
  const double expected = 1.25 * 0.01 / 1.01 / std::sqrt(3.0);
  for (const analysis::ComparedTask& task : runs->tasks) {
    QVERIFY(!task.measured);
    QVERIFY2(std::fabs(task.noise - expected) < 1e-6, std::to_string(task.noise).c_str());
  }
  QVERIFY(!study::relative_noise(analysis::quartiles(std::vector{1.0, 2.0})));
  QCOMPARE(study::typical_noise({}), 0.0);
  QCOMPARE(study::typical_noise({0.5, 0.1, 0.2}), 0.2);
}

void StudyComparisonReaderTest::confirmationsAreRead() {
  session_tests::Bench bench(folder_->filePath("measured.db").toStdString());
  const Result<session::Outcome> outcome = bench.run(session_tests::make_setup("random", 1, 50, 8));
  QVERIFY(outcome);
  const auto before = *study::ComparisonReader(bench.store, std::vector{outcome->id}).read();
  QVERIFY(before->tasks[0].measured);
  QCOMPARE(before->runs[0].confirmed, 0.0);
  const double best = outcome->status.best_seconds;
  trial::Confirmation confirmation;
  confirmation.trial = outcome->status.best_trial;
  confirmation.measured_utc = "2026-01-01T00:00:00Z";
  confirmation.samples_seconds = {best * 2, best * 8, best * 4};
  QVERIFY(bench.store.confirmations().append(outcome->id, std::vector{confirmation}));
  const auto after = *study::ComparisonReader(bench.store, std::vector{outcome->id}).read();
  const double expected = after->runs[0].curve.best() / 4;
  QVERIFY(expected > 0);
  QVERIFY(std::fabs(after->runs[0].confirmed - expected) < 1e-9 * expected);
}

void StudyComparisonReaderTest::sessionsAreToldApartByBatches() {
  session_tests::Bench bench(folder_->filePath("measured.db").toStdString());
  std::vector<store::SessionId> sessions;
  for (const std::int64_t batch : {8, 64, 8}) {
    const Result<session::Outcome> outcome = bench.run(session_tests::make_setup("random", 1, 20, batch));
    QVERIFY(outcome);
    sessions.push_back(outcome->id);
  }
  const auto runs = *study::ComparisonReader(bench.store, sessions).read();
  QCOMPARE(runs->arms.size(), 2U);
  QCOMPARE(runs->arms[0].name, std::string("random@8"));
  QCOMPARE(runs->arms[0].batch, 8);
  QCOMPARE(runs->arms[1].name, std::string("random"));
  QCOMPARE(runs->arms[1].batch, 0);
  QCOMPARE(runs->arms[0].random_phase, analysis::all_trials_random_phase);
  QCOMPARE(runs->runs[2].arm, 0U);
  QCOMPARE(runs->runs[2].repeat, 1);
}

void StudyComparisonReaderTest::unknownStudy() {
  const auto runs = study::ComparisonReader(*store_, store::StudyId{77}).read();
  QVERIFY(!runs);
  QVERIFY(runs.error().code == ErrorCode::NotFound);
}

KERNELSCAPE_PLAIN_TEST(StudyComparisonReaderTest)

}  // namespace kernelscape::study_comparison_reader_test
#include "study_comparison_reader_test.moc"
