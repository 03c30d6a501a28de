#include <QTest>

#include "core/session/setup.h"
#include "core/study/arm_settings.h"
#include "core/tuner/declaration.h"
#include "tests/study/study_support.h"
#include "tests/test_program.h"

namespace kernelscape::study_arms_test {
using namespace kernelscape::study_tests;

/** What the arms of a study have of their own, and by which rules its runs are made, as its sessions have it.
 */
class StudyArmsTest : public QObject {
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

  void chainsBeginWithTheTaskBefore();
  void chainsBeginAnewWhereNothingCanBeLearnt();
  void brokenChainsSayWhichRunIsMissing();
  void warmStartsHoldForOneTuner();
  void batchesOfBuilders();
  void measuredSearchTimeIsMeasuredAlone();
  void controlsAreStoredAndRun();
  void studiesOfBeforeRunByTheirRules();
};

void StudyArmsTest::chainsBeginWithTheTaskBefore() {
  files_.push_back(write_recording(*folder_, "z", 3));
  study::Definition study = make_study({"random", "sa"}, files_, 4, 30);
  study.arms[1].chain_tasks = true;
  store::Store store = *store::Store::open(database("a.db"));
  const Result<store::StudyId> id = study::create_study(store, study);
  QVERIFY2(id, id ? "" : describe(id.error()).c_str());
  StudyNotes notes;
  study::Options options;
  options.jobs = 4;
  const Result<study::Outcome> outcome =
      study::run_study(store.path(), *id, options, notes, session::StopRequest());
  QVERIFY(outcome);
  QCOMPARE(outcome->progress.done, 24);
  const std::vector<store::StudyRun> runs = *store.studies().runs(*id);
  for (const study::PlannedRun& plan : study::plan_runs(study)) {
    const store::StudyRun& run = runs[static_cast<std::size_t>(plan.run)];
    const store::SessionRecord record = store.sessions().get(*run.session)->record;
    std::vector<session::HistorySource> expected;
    if (const std::optional<std::int64_t> before = study::chained_run(study, plan))
      expected.push_back({*runs[static_cast<std::size_t>(*before)].session, 30});
    QVERIFY(*session::history_from_json(record.history_json) == expected);
    QCOMPARE(!expected.empty(), plan.arm == 1 && plan.task > 0);
  }
  QCOMPARE(first_difference(study_trials(store, *id), trials_of(study, "one.db", 1)), std::string());
  // Without the chain, the same seeds go another way on the second task.
  study.arms[1].chain_tasks = false;
  const auto alone = trials_of(study, "alone.db", 2);
  const auto chained = study_trials(store, *id);
  QVERIFY(alone[1][0].configuration == chained[1][0].configuration);
  bool same = true;
  for (std::size_t repeat = 0; repeat < 4; ++repeat) {
    for (std::size_t trial = 0; trial < 30; ++trial)
      same =
          same && alone[6 * repeat + 3][trial].configuration == chained[6 * repeat + 3][trial].configuration;
  }
  QVERIFY(!same);
}

void StudyArmsTest::chainsBeginAnewWhereNothingCanBeLearnt() {
  // 3x3, 3x3 again, and pointwise, whose loops have other features.
  std::vector<std::string> layers;
  for (const char* layer : {"C6", "C7", "C8"})
    layers.push_back(
        fmt::format("{}/data/recorded/resnet18-{}-conv2d-nchwc.ksrec", KERNELSCAPE_SOURCE_DIR, layer));
  study::Definition study = make_study({"xgb:features=curve:history_minimum=1"}, layers, 2, 6);
  study.arms[0].chain_tasks = true;
  store::Store store = *store::Store::open(database("a.db"));
  const Result<store::StudyId> id = study::create_study(store, study);
  QVERIFY2(id, id ? "" : describe(id.error()).c_str());
  StudyNotes notes;
  const Result<study::Outcome> outcome =
      study::run_study(store.path(), *id, {}, notes, session::StopRequest());
  QVERIFY(outcome);
  QCOMPARE(outcome->progress.done, 6);
  const std::vector<store::StudyRun> runs = *store.studies().runs(*id);
  for (const store::StudyRun& run : runs) {
    const store::SessionRecord record = store.sessions().get(*run.session)->record;
    const bool carried = record.task_name.find("C7") != std::string::npos;
    QCOMPARE(session::history_from_json(record.history_json)->size(),
             carried ? std::size_t{1} : std::size_t{0});
  }
  const auto reported = std::ranges::count_if(notes.messages, [](const session::Message& message) {
    return message.text.find("starts without earlier trials on resnet18-C8-conv2d-nchwc") !=
           std::string::npos;
  });
  QCOMPARE(reported, 1);
}

void StudyArmsTest::brokenChainsSayWhichRunIsMissing() {
  study::Definition study = make_study({"sa", "random"}, files_, 2, 20);
  study.arms[0].chain_tasks = true;
  store::Store store = *store::Store::open(database("a.db"));
  const store::StudyId id = *study::create_study(store, study);
  study::Options failing;
  failing.jobs = 3;
  failing.runner = [](store::Store& own, const session::PreparedTuning& tuning,
                      std::optional<store::SessionId> resumed, session::Observer& observer,
                      const session::StopRequest& stop) -> Result<session::Outcome> {
    if (tuning.setup.tuner == "sa") return fail(ErrorCode::Environment, "the sky fell", "wait");
    return session::run_on_this_machine(own, tuning, resumed, observer, stop);
  };
  StudyNotes notes;
  Result<study::Outcome> outcome = study::run_study(store.path(), id, failing, notes, session::StopRequest());
  QVERIFY(outcome);
  QCOMPARE(outcome->progress.done, 4);
  QCOMPARE(outcome->progress.failed, 4);
  const std::vector<store::StudyRun> broken = *store.studies().runs(id);
  for (const study::PlannedRun& plan : study::plan_runs(study)) {
    if (plan.arm != 0) continue;
    const std::string& error = broken[static_cast<std::size_t>(plan.run)].error;
    const std::string expected = plan.task == 0
                                     ? "the sky fell"
                                     : fmt::format("the trials of run {}, which is not done", plan.run - 2);
    QVERIFY2(error.contains(expected), error.c_str());
  }
  outcome = study::run_study(store.path(), id, {}, notes, session::StopRequest());
  QVERIFY(outcome);
  QCOMPARE(outcome->progress.done, 8);
  QCOMPARE(first_difference(study_trials(store, id), trials_of(study, "fresh.db", 1)), std::string());
}

void StudyArmsTest::warmStartsHoldForOneTuner() {
  store::Store store = *store::Store::open(database("a.db"));
  const store::StudyId first = *study::create_study(store, make_study({"random"}, {files_[0]}, 1, 25));
  StudyNotes notes;
  QVERIFY(study::run_study(store.path(), first, {}, notes, session::StopRequest()));
  const store::SessionId source = *store.studies().runs(first)->front().session;
  study::Definition study = make_study({"sa@2", "sa"}, files_, 1, 10);
  study.arms[1].warm_start = source;
  const Result<store::StudyId> id = study::create_study(store, study);
  QVERIFY2(id, id ? "" : describe(id.error()).c_str());
  QVERIFY(study::run_study(store.path(), *id, {}, notes, session::StopRequest()));
  const std::vector<store::StudyRun> runs = *store.studies().runs(*id);
  for (const study::PlannedRun& plan : study::plan_runs(study)) {
    const store::SessionRecord record =
        store.sessions().get(*runs[static_cast<std::size_t>(plan.run)].session)->record;
    const auto expected = plan.arm == 1 ? std::vector<session::HistorySource>{{source, 25}}
                                        : std::vector<session::HistorySource>();
    QVERIFY(*session::history_from_json(record.history_json) == expected);
    QCOMPARE(record.batch_size, plan.arm == 0 ? 2 : 1);
  }
  study.arms[1].warm_start = 999;
  const Result<store::StudyId> unknown = study::create_study(store, study);
  QVERIFY(!unknown && describe(unknown.error()).contains("999"));
}

void StudyArmsTest::batchesOfBuilders() {
  study::Definition study = make_study({"gp", "random@builders", "random"}, {files_[0]}, 1, 8);
  const std::vector<std::int64_t> now = {2, 2, 64};  // the recorded spaces had two builders
  const std::vector<std::int64_t> before = {4, 2, 64};
  store::Store store = *store::Store::open(database("a.db"));
  for (const int rules : {study::newest_study_rules, study::first_study_rules}) {
    study.rules = rules;
    const store::StudyId id = *study::create_study(store, study);
    StudyNotes notes;
    QVERIFY(study::run_study(store.path(), id, {}, notes, session::StopRequest()));
    const std::vector<store::StudyRun> runs = *store.studies().runs(id);
    QCOMPARE(runs.size(), 3U);
    for (std::size_t arm = 0; arm < 3; ++arm)
      QCOMPARE(store.sessions().get(*runs[arm].session)->record.batch_size,
               (rules == study::first_study_rules ? before : now)[arm]);
  }
}

void StudyArmsTest::measuredSearchTimeIsMeasuredAlone() {
  study::Definition study = make_study({"random", "ga"}, files_, 3, 20);
  study.arms[1].search_time = trial::SearchTime{};
  store::Store store = *store::Store::open(database("a.db"));
  const store::StudyId id = *study::create_study(store, study);
  StudyNotes notes;
  QVERIFY(study::run_study(store.path(), id, {}, notes, session::StopRequest()));
  QCOMPARE(notes.max_running, 1);
  const std::vector<store::StudyRun> runs = *store.studies().runs(id);
  for (const study::PlannedRun& plan : study::plan_runs(study)) {
    const store::SessionRecord record =
        store.sessions().get(*runs[static_cast<std::size_t>(plan.run)].session)->record;
    const trial::MeasureOptions options = *trial::stored_measure_options(record.options_json);
    QVERIFY(options.search_time == study::search_time_of(study, study.arms[plan.arm]));
    QVERIFY(options.clock == trial::BatchClock::Waves);
  }
}

void StudyArmsTest::controlsAreStoredAndRun() {
  study::Definition study = make_study({"ga", "nose"}, files_, 2, 40);
  study.controls = true;
  store::Store store = *store::Store::open(database("a.db"));
  const store::StudyId id = *study::create_study(store, study);
  const study::Definition stored = *study::stored_study(store, id);
  QCOMPARE(arm_names(stored),
           (std::vector<std::string>{"ga", "nose", "random@100 (control)", "random@30 (control)"}));
  QVERIFY(stored.arms[2].control && stored.arms[3].control);
  QCOMPARE(store.studies().get(id)->record.run_count, 16);
  StudyNotes notes;
  QVERIFY(study::run_study(store.path(), id, {}, notes, session::StopRequest()));
  const std::vector<store::StudyRun> runs = *store.studies().runs(id);
  const std::vector<std::int64_t> batches = {100, 30, 100, 30};
  std::map<std::tuple<std::size_t, std::size_t, int>, std::uint64_t> seeds;
  for (const study::PlannedRun& plan : study::plan_runs(stored)) {
    const store::SessionRecord record =
        store.sessions().get(*runs[static_cast<std::size_t>(plan.run)].session)->record;
    QCOMPARE(record.batch_size, batches[plan.arm]);
    QCOMPARE(record.tuner, stored.arms[plan.arm].tuner);
    seeds[{plan.arm, plan.task, plan.repeat}] = plan.seed;
  }
  // They change nothing of the others, and a definition that has them gets no more.
  for (const study::PlannedRun& plan : study::plan_runs(study))
    QCOMPARE(seeds.at({plan.arm, plan.task, plan.repeat}), plan.seed);
  QVERIFY(*study::stored_study(store, *study::create_study(store, stored)) == stored);
}

void StudyArmsTest::studiesOfBeforeRunByTheirRules() {
  store::Store store = *store::Store::open(database("a.db"));
  store::StudyRecord old;
  old.name = "old";
  old.study_json = fmt::format(R"({{"name": "old", "tuners": ["nose", {{"tuner": "ga", "name": "small",
      "settings": {{"population": "20"}}}}], "tasks": [{{"target": "recorded:{}"}}], "repeats": 2,
      "trials": 40, "seed": 7, "search_time": "none"}})",
                               files_[0]);
  old.run_count = 4;
  const store::StudyId id = *store.studies().create(old);
  const study::Definition study = *study::stored_study(store, id);
  QCOMPARE(study.rules, 1);
  QCOMPARE(arm_names(study), (std::vector<std::string>{"nose", "small"}));
  StudyNotes notes;
  const Result<study::Outcome> outcome =
      study::run_study(store.path(), id, {}, notes, session::StopRequest());
  QVERIFY(outcome);
  QCOMPARE(outcome->progress.done, 4);
  const std::vector<store::StudyRun> runs = *store.studies().runs(id);
  for (const study::PlannedRun& plan : study::plan_runs(study)) {
    const store::SessionRecord record =
        store.sessions().get(*runs[static_cast<std::size_t>(plan.run)].session)->record;
    QCOMPARE(record.seed, seed_by_name(study, plan));
    QVERIFY(trial::stored_measure_options(record.options_json)->clock == trial::BatchClock::Batches);
    const tuner::Declaration& tuner = **tuner::find_tuner(record.tuner);
    const tuner::SettingValues settings = *session::settings_from_json(tuner, record.settings_json);
    for (const auto& [name, before] : tuner::earlier_settings(tuner))
      QCOMPARE(space::to_string(settings.at(name)), before);
  }
}

KERNELSCAPE_PLAIN_TEST(StudyArmsTest)

}  // namespace kernelscape::study_arms_test
#include "study_arms_test.moc"
