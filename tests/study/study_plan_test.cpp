#include <QTest>
#include <set>
#include <thread>

#include "core/study/arm_settings.h"
#include "core/tuner/declaration.h"
#include "tests/study/study_support.h"
#include "tests/test_program.h"

namespace kernelscape::study_plan_test {
using namespace kernelscape::study_tests;

class StudyPlanTest : public QObject {
  Q_OBJECT

 private slots:
  void everyRunOnce();
  void repeatsAreOutermost();
  void seedsAreDistinct();
  void seedsDependOnWhatTheyAreOf();
  void studiesOfBeforeKeepSeedsClockAndSettings();
  void limitsAreTheTunersFromTheThirdRulesOn();
  void pairedStartsShareTheSeed();
  void chainsGoFromTaskToTask();
  void controlsProposeInTheSameBatches();
  void measuredSearchTimeRunsAlone();
  void requestsAskForWhatIsPlanned();
  void armsAreMeasuredInTheirOwnWay();
};

namespace {

study::Definition some_study() {
  return make_study({"nose", "ga", "random"}, {"/x.ksrec", "/y.ksrec"}, 50, 10);
}

}  // namespace

void StudyPlanTest::everyRunOnce() {
  const study::Definition study = some_study();
  const std::vector<study::PlannedRun> runs = study::plan_runs(study);
  QCOMPARE(runs.size(), 300U);
  std::set<std::tuple<std::size_t, std::size_t, int>> seen;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    QCOMPARE(runs[i].run, static_cast<std::int64_t>(i));
    QVERIFY(runs[i].arm < 3 && runs[i].task < 2 && runs[i].repeat < 50);
    seen.emplace(runs[i].arm, runs[i].task, runs[i].repeat);
  }
  QCOMPARE(seen.size(), runs.size());
}

void StudyPlanTest::repeatsAreOutermost() {
  const std::vector<study::PlannedRun> runs = study::plan_runs(some_study());
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const auto key = [](const study::PlannedRun& run) { return std::tuple(run.repeat, run.task, run.arm); };
    QVERIFY(key(runs[i - 1]) < key(runs[i]));
  }
}

void StudyPlanTest::seedsAreDistinct() {
  std::set<std::uint64_t> seeds;
  for (const study::PlannedRun& run : study::plan_runs(some_study())) {
    seeds.insert(run.seed);
    QCOMPARE(static_cast<std::uint64_t>(static_cast<double>(run.seed)), run.seed);
  }
  QCOMPARE(seeds.size(), 300U);
}

void StudyPlanTest::seedsDependOnWhatTheyAreOf() {
  const study::Definition study = some_study();
  const auto seeds = [](const study::Definition& of) {
    std::map<std::tuple<std::size_t, std::size_t, int>, std::uint64_t> by_run;
    for (const study::PlannedRun& run : study::plan_runs(of))
      by_run[{run.arm, run.task, run.repeat}] = run.seed;
    return by_run;
  };
  const auto before = seeds(study);
  // Another arm or task behind, more repeats and other names leave those of before.
  study::Definition larger = study;
  larger.arms[0].name = "another name";
  larger.arms.push_back(*study::parse_arm("sa"));
  larger.tasks.push_back({"resnet18/C1", "cpu", "", {}, false});
  larger.repeats = 60;
  const auto after = seeds(larger);
  for (const auto& [run, seed] : before) QCOMPARE(after.at(run), seed);
  study::Definition other = study;
  other.seed = 2;
  for (const auto& [run, seed] : seeds(other)) QVERIFY(before.at(run) != seed);
}

void StudyPlanTest::studiesOfBeforeKeepSeedsClockAndSettings() {
  const std::string text = R"({"name": "n", "tuners": ["nose", {"tuner": "nose", "name": "mine",
      "settings": {"mutation_value": "another"}}, "sa", "adatune"],
      "tasks": ["resnet18/C6", "resnet18/C2"], "repeats": 3, "trials": 9, "seed": 77})";
  const study::Definition old = *study::study_from_json(text, {}, study::first_study_rules);
  QCOMPARE(old.rules, 1);
  int earlier = 0;
  for (const study::PlannedRun& run : study::plan_runs(old)) {
    QCOMPARE(run.seed, seed_by_name(old, run));
    const session::TuningRequest request = study::request_of(old, run);
    QVERIFY(request.measuring.clock == trial::BatchClock::Batches);
    const study::Arm& arm = old.arms[run.arm];
    for (const auto& [name, before] : tuner::earlier_settings(**tuner::find_tuner(arm.tuner))) {
      ++earlier;
      QCOMPARE(request.settings.at(name), arm.settings.contains(name) ? arm.settings.at(name) : before);
    }
  }
  QVERIFY(earlier > 0);
  // It stays so where it is written out; a file that says nothing is new.
  QVERIFY(*study::study_from_json(study::study_to_json(old), {}) == old);
  const study::Definition fresh = *study::study_from_json(text, {});
  QCOMPARE(fresh.rules, study::newest_study_rules);
  for (const study::PlannedRun& run : study::plan_runs(fresh)) {
    QVERIFY(run.seed != seed_by_name(fresh, run));
    const session::TuningRequest request = study::request_of(fresh, run);
    QVERIFY(request.measuring.clock == trial::BatchClock::Waves);
    QCOMPARE(request.settings, fresh.arms[run.arm].settings);
  }
}

void StudyPlanTest::limitsAreTheTunersFromTheThirdRulesOn() {
  const std::string text = R"({"name": "n", "tuners": ["heron", "ga",
      {"tuner": "heron", "name": "unlimited", "respect_limits": false},
      {"tuner": "ga", "name": "limited", "respect_limits": true}],
      "tasks": ["resnet18/C6"], "trials": 9})";
  const std::vector<bool> now = {true, false, false, true};
  study::Definition study = *study::study_from_json(text, {});
  for (const int rules : {study::newest_study_rules, 2, study::first_study_rules}) {
    study.rules = rules;
    for (const study::PlannedRun& run : study::plan_runs(study)) {
      const bool expected = now[run.arm] && (rules == study::newest_study_rules || run.arm == 3);
      QCOMPARE(session::enforces_limits(study::request_of(study, run)), expected);
    }
  }
  QCOMPARE(study::arm_text(study, study.arms[0]), std::string());
  QCOMPARE(study::arm_text(study, study.arms[2]), std::string("respect_limits=false"));
  // Nothing is built that is over the limits, where these are constraints.
  study.arms[3].measuring = trial::MeasureOptions{};
  study.arms[3].measuring->beyond_limits = true;
  const Status refused = study::check_study(study);
  QVERIFY(!refused);
  QVERIFY2(describe(refused.error()).contains("respect_limits"), describe(refused.error()).c_str());
}

void StudyPlanTest::pairedStartsShareTheSeed() {
  study::Definition study = some_study();
  study.paired_starts = true;
  std::map<std::pair<std::size_t, int>, std::set<std::uint64_t>> by_start;
  std::set<std::uint64_t> all;
  for (const study::PlannedRun& run : study::plan_runs(study)) {
    by_start[{run.task, run.repeat}].insert(run.seed);
    all.insert(run.seed);
  }
  QCOMPARE(by_start.size(), 100U);
  QCOMPARE(all.size(), 100U);
  for (const auto& [start, seeds] : by_start) QCOMPARE(seeds.size(), 1U);
}

void StudyPlanTest::chainsGoFromTaskToTask() {
  study::Definition study = some_study();
  study.arms[1].chain_tasks = true;
  QVERIFY(study::check_study(study));
  const std::vector<study::PlannedRun> runs = study::plan_runs(study);
  for (const study::PlannedRun& run : runs) {
    const std::optional<std::int64_t> before = study::chained_run(study, run);
    QCOMPARE(before.has_value(), run.arm == 1 && run.task == 1);
    if (!before) continue;
    const study::PlannedRun& source = runs[static_cast<std::size_t>(*before)];
    QVERIFY(source.arm == 1 && source.task == 0 && source.repeat == run.repeat);
  }
  // Replays come before what is measured: they can't begin with it.
  study.tasks.push_back({"resnet18/C1", "cpu", "", {}, false});
  const Status mixed = study::check_study(study);
  QVERIFY(!mixed && mixed.error().message.contains("chains its tasks"));
}

void StudyPlanTest::controlsProposeInTheSameBatches() {
  const auto with_controls = [](study::Definition study) {
    study.controls = true;
    study::add_controls(study);
    return study;
  };
  // ga has 100 of its own, nose 30, random 64.
  const study::Definition study = with_controls(make_study({"ga", "nose@100", "nose", "ga@7"}, {"/x"}, 1, 9));
  QCOMPARE(arm_names(study),
           (std::vector<std::string>{"ga", "nose@100", "nose", "ga@7", "random@100 (control)",
                                     "random@30 (control)", "random@7 (control)"}));
  for (std::size_t arm = 0; arm < study.arms.size(); ++arm) QCOMPARE(study.arms[arm].control, arm >= 4);
  QCOMPARE(study.arms[4].batch, 100);
  QCOMPARE(study.arms[4].tuner, std::string("random"));
  QVERIFY(study::check_study(study));
  QVERIFY(with_controls(study) == study);
  // What is there already is not added, with another name either.
  study::Definition equal = make_study({"xgb", "random", "ga@8", "random@8"}, {"/x"}, 1, 9);
  equal.arms[3].name = "mine";
  QCOMPARE(with_controls(equal).arms.size(), 4U);
  equal.arms[3].search_time = trial::SearchTime{trial::SearchTime::Kind::None, 0};
  QCOMPARE(with_controls(equal).arms.size(), 5U);
  // That of the builders is one of its own.
  QCOMPARE(arm_names(with_controls(make_study({"gp", "ga@builders"}, {"/x"}, 1, 9))),
           (std::vector<std::string>{"gp", "ga@builders", "random@builders (control)"}));
  // Where kernels are measured there is one, or a random search as it is.
  study::Definition measured = make_study({"ga", "nose"}, {}, 1, 9);
  measured.tasks.push_back({"resnet18/C1", "cpu", "", {}, false});
  QCOMPARE(arm_names(with_controls(measured)), (std::vector<std::string>{"ga", "nose", "random (control)"}));
  measured.arms.push_back(*study::parse_arm("random@3"));
  QCOMPARE(with_controls(measured).arms.size(), 3U);
  // Not where none are wanted, and not for data sets.
  study::Definition without = make_study({"ga"}, {"/x"}, 1, 9);
  study::add_controls(without);
  QCOMPARE(without.arms.size(), 1U);
  without.purpose = study::Purpose::DataSet;
  QCOMPARE(with_controls(without).arms.size(), 1U);
  // A name that somebody has is not taken again.
  study::Definition named = make_study({"ga"}, {"/x"}, 1, 9);
  named.arms[0].name = "random@100 (control)";
  QVERIFY(study::check_study(with_controls(named)));
}

void StudyPlanTest::measuredSearchTimeRunsAlone() {
  study::Definition study = some_study();
  const auto cores = static_cast<std::size_t>(std::max(1U, std::thread::hardware_concurrency()));
  QCOMPARE(study::replays_at_once(study, 0), cores);
  study.arms[1].search_time = trial::SearchTime{};
  QCOMPARE(study::replays_at_once(study, 0), 1U);
  study.search_time = trial::SearchTime{};
  study.arms[1].search_time = trial::SearchTime{trial::SearchTime::Kind::Constant, 0.1};
  QCOMPARE(study::replays_at_once(study, 0), 1U);
  for (const study::PlannedRun& run : study::plan_runs(study)) {
    const trial::SearchTime counted = study::request_of(study, run).measuring.search_time;
    QVERIFY(counted == (run.arm == 1 ? *study.arms[1].search_time : study.search_time));
  }
  study.jobs = 3;
  QCOMPARE(study::replays_at_once(study, 0), 3U);
  QCOMPARE(study::replays_at_once(study, 5), 5U);
}

void StudyPlanTest::requestsAskForWhatIsPlanned() {
  study::Definition study = some_study();
  study.tasks[1] = {"resnet18/C6", "cpu", "conv2d-nchwc", {"tile_oc[1]=16"}, false};
  study.arms[1].settings["population"] = "50";
  study.measuring.threads = 2;
  const study::PlannedRun run = study::plan_runs(study)[4];
  QCOMPARE(run.task, 1U);
  QCOMPARE(run.arm, 1U);
  const session::TuningRequest request = study::request_of(study, run);
  QCOMPARE(request.task, std::string("resnet18/C6"));
  QCOMPARE(request.template_name, std::string("conv2d-nchwc"));
  QCOMPARE(request.tuner, std::string("ga"));
  QCOMPARE(request.settings.at("population"), std::string("50"));
  QCOMPARE(*request.seed, run.seed);
  // The failures of a comparison are data: no run of it ends because of them.
  trial::Budget budget = study.budget;
  budget.identical_failures = 0;
  QCOMPARE(request.budget, budget);
  QCOMPARE(request.measuring.threads, 2);
  QVERIFY(request.measuring.search_time == study.search_time);
  QCOMPARE(request.restrictions.size(), 1U);
  QVERIFY(request.warm_start.empty());
}

void StudyPlanTest::armsAreMeasuredInTheirOwnWay() {
  study::Definition study;
  study.name = "n";
  study.arms = {*study::parse_arm("random"), *study::parse_arm("grid")};
  study.tasks = {{"resnet18/C6", "cpu", "", {}, false}};
  study.measuring.repeats = 500;
  study.search_time = {trial::SearchTime::Kind::Constant, 0.5};
  study.arms[1].measuring = study.measuring;
  study.arms[1].measuring->adaptive_batch = 50;
  QVERIFY(study::check_study(study));
  for (const study::PlannedRun& run : study::plan_runs(study)) {
    const session::TuningRequest request = study::request_of(study, run);
    QCOMPARE(request.measuring.adaptive_batch, run.arm == 1 ? 50 : 0);
    QCOMPARE(request.measuring.repeats, 500);
    QVERIFY(request.measuring.search_time == study.search_time);
  }
}

KERNELSCAPE_PLAIN_TEST(StudyPlanTest)

}  // namespace kernelscape::study_plan_test
#include "study_plan_test.moc"
