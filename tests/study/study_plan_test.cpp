#include <QTest>
#include <set>

#include "tests/study/study_support.h"
#include "tests/test_program.h"

using namespace kernelscape;
using namespace kernelscape::study_tests;

class StudyPlanTest : public QObject {
  Q_OBJECT

 private slots:
  void everyRunOnce();
  void repeatsAreOutermost();
  void seedsAreDistinct();
  void seedsDependOnWhatTheyAreOf();
  void requestsAskForWhatIsPlanned();
  void armsAreMeasuredInTheirOwnWay();
};

namespace {

StudyDefinition some_study() {
  return make_study({"nose", "ga", "random"}, {"/x.ksrec", "/y.ksrec"}, 50, 10);
}

}  // namespace

void StudyPlanTest::everyRunOnce() {
  const StudyDefinition study = some_study();
  const std::vector<PlannedRun> runs = plan_runs(study);
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
  const std::vector<PlannedRun> runs = plan_runs(some_study());
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const auto key = [](const PlannedRun& run) { return std::tuple(run.repeat, run.task, run.arm); };
    QVERIFY(key(runs[i - 1]) < key(runs[i]));
  }
}

void StudyPlanTest::seedsAreDistinct() {
  std::set<std::uint64_t> seeds;
  for (const PlannedRun& run : plan_runs(some_study())) {
    seeds.insert(run.seed);
    QCOMPARE(static_cast<std::uint64_t>(static_cast<double>(run.seed)), run.seed);
  }
  QCOMPARE(seeds.size(), 300U);
}

void StudyPlanTest::seedsDependOnWhatTheyAreOf() {
  const StudyDefinition study = some_study();
  const auto seeds = [](const StudyDefinition& of) {
    std::map<std::tuple<std::string, std::size_t, int>, std::uint64_t> by_run;
    for (const PlannedRun& run : plan_runs(of))
      by_run[{of.arms[run.arm].name, run.task, run.repeat}] = run.seed;
    return by_run;
  };
  const auto before = seeds(study);
  // Another arm in front, another task behind and more repeats leave those of before.
  StudyDefinition larger = study;
  larger.arms.insert(larger.arms.begin(), *parse_arm("sa"));
  larger.tasks.push_back({"resnet18/C1", "cpu", "", {}, false});
  larger.repeats = 60;
  const auto after = seeds(larger);
  for (const auto& [run, seed] : before) QCOMPARE(after.at(run), seed);
  StudyDefinition other = study;
  other.seed = 2;
  for (const auto& [run, seed] : seeds(other)) QVERIFY(before.at(run) != seed);
}

void StudyPlanTest::requestsAskForWhatIsPlanned() {
  StudyDefinition study = some_study();
  study.tasks[1] = {"resnet18/C6", "cpu", "conv2d-nchwc", {"tile_oc[1]=16"}, false};
  study.arms[1].settings["population"] = "50";
  study.measuring.threads = 2;
  const PlannedRun run = plan_runs(study)[4];
  QCOMPARE(run.task, 1U);
  QCOMPARE(run.arm, 1U);
  const TuningRequest request = request_of(study, run);
  QCOMPARE(request.task, std::string("resnet18/C6"));
  QCOMPARE(request.template_name, std::string("conv2d-nchwc"));
  QCOMPARE(request.tuner, std::string("ga"));
  QCOMPARE(request.settings.at("population"), std::string("50"));
  QCOMPARE(*request.seed, run.seed);
  QCOMPARE(request.budget, study.budget);
  QCOMPARE(request.measuring.threads, 2);
  QVERIFY(request.measuring.search_time == study.search_time);
  QCOMPARE(request.restrictions.size(), 1U);
  QVERIFY(request.warm_start.empty());
}

void StudyPlanTest::armsAreMeasuredInTheirOwnWay() {
  StudyDefinition study;
  study.name = "n";
  study.arms = {*parse_arm("random"), *parse_arm("grid")};
  study.tasks = {{"resnet18/C6", "cpu", "", {}, false}};
  study.measuring.repeats = 500;
  study.search_time = {SearchTime::Kind::Constant, 0.5};
  study.arms[1].measuring = study.measuring;
  study.arms[1].measuring->adaptive_batch = 50;
  QVERIFY(check_study(study));
  for (const PlannedRun& run : plan_runs(study)) {
    const TuningRequest request = request_of(study, run);
    QCOMPARE(request.measuring.adaptive_batch, run.arm == 1 ? 50 : 0);
    QCOMPARE(request.measuring.repeats, 500);
    QVERIFY(request.measuring.search_time == study.search_time);
  }
}

KERNELSCAPE_PLAIN_TEST(StudyPlanTest)
#include "study_plan_test.moc"
