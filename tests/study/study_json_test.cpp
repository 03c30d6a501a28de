#include <QTest>
#include <set>

#include "core/base/random.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/study/study_support.h"
#include "tests/test_program.h"

namespace kernelscape::study_json_test {
using namespace kernelscape::study_tests;

namespace {

/** Sensible options that differ from `base` in something. */
trial::MeasureOptions other_measuring(base::Random& random, const trial::MeasureOptions& base) {
  trial::MeasureOptions options = base;
  while (options == base) {
    options.repeats = 30 + static_cast<int>(random.below(100));
    options.min_repeat_seconds = random.chance(0.5) ? 0 : random.uniform();
    options.flush_caches = random.chance(0.5);
    options.adaptive_batch = static_cast<int>(random.below(7));
    options.adaptive_minimum = 2 + static_cast<int>(random.below(3));
    options.adaptive_threshold = random.uniform() + 1e-9;
    options.adaptive_performance = static_cast<trial::AdaptivePerformance>(random.below(2));
  }
  return options;
}

}  // namespace

class StudyJsonTest : public QObject {
  Q_OBJECT

 private slots:
  void readsEveryKey();
  void readsEveryKeyOfATuner();
  void resolvesFilesAgainstItsFolder();
  void randomStudiesRoundTrip();
  void armsHaveTheirOwnMeasuring();
  void measuringAsText();
  void refusesWhatIsWrong_data();
  void refusesWhatIsWrong();
  void filesAreNamedInErrors();
  void armsAsTexts();
  void refusesWrongArms_data();
  void refusesWrongArms();
  void labelsAreDistinct();
  void longStudiesAreReadOnce();
  void bundledStudiesAreValid();
};

void StudyJsonTest::readsEveryKey() {
  const Result<study::Definition> study = study::study_from_json(
      R"({"name": "n", "about": "why", "tuners": ["nose", {"tuner": "ga", "name": "small",
          "settings": {"population": 50}}, "random"],
          "tasks": ["resnet18/C6", {"task": "resnet18/C1", "target": "cpu", "template": "conv2d-nchwc",
          "restrict": ["tile_oc[1]=16,32"]}, {"target": "recorded:x.ksrec", "optional": true}],
          "repeats": 8, "trials": 70, "minutes": 1.5, "target_gflops": 9, "patience": 5,
          "seed": 18446744073709551615, "search_time": "none", "baseline": "small",
          "paired_starts": true, "controls": false, "jobs": 3, "rules": 1,
          "measuring": {"threads": 3, "min_repeat_seconds": 0.5}})",
      "/folder");
  QVERIFY2(study, study ? "" : describe(study.error()).c_str());
  QCOMPARE(study->name, std::string("n"));
  QCOMPARE(study->about, std::string("why"));
  QCOMPARE(study->arms.size(), 3U);
  QCOMPARE(study->arms[0].name, std::string("nose"));
  QCOMPARE(study->arms[1].tuner, std::string("ga"));
  QCOMPARE(study->arms[1].settings.at("population"), std::string("50"));
  QCOMPARE(study->tasks[0].task, std::string("resnet18/C6"));
  QCOMPARE(study->tasks[0].target, std::string("cpu"));
  QCOMPARE(study->tasks[1].template_name, std::string("conv2d-nchwc"));
  QCOMPARE(study->tasks[1].restrictions, std::vector<std::string>{"tile_oc[1]=16,32"});
  QVERIFY(study->tasks[2].recorded() && study->tasks[2].optional);
  QCOMPARE(study->repeats, 8);
  QCOMPARE(study->budget, (trial::Budget{70, 1.5, 9, 5}));
  QCOMPARE(study->seed, ~std::uint64_t{0});
  QVERIFY(study->search_time.kind == trial::SearchTime::Kind::None);
  QCOMPARE(study::baseline_arm(*study), 1U);
  QCOMPARE(study->measuring.threads, 3);
  QCOMPARE(study->measuring.min_repeat_seconds, 0.5);
  QVERIFY(study->paired_starts && !study->controls);
  QCOMPARE(study->jobs, 3);
  QCOMPARE(study->rules, 1);
}

void StudyJsonTest::readsEveryKeyOfATuner() {
  const Result<study::Definition> study = study::study_from_json(
      R"({"name": "n", "tasks": ["resnet18/C6"], "tuners": ["ga@8:population=50", {"tuner": "xgb", "batch": 16},
          {"tuner": "xgb", "name": "all", "search_time": 0.25, "warm_start": 7, "chain_tasks": true,
           "learn_from": ["recorded:../x.ksrec", "4"]},
          {"tuner": "random", "batch": 8, "name": "beside", "control": true}]})",
      "/a/b");
  QVERIFY2(study, study ? "" : describe(study.error()).c_str());
  QCOMPARE(arm_names(*study), (std::vector<std::string>{"ga@8 (population=50)", "xgb@16", "all", "beside"}));
  QCOMPARE(study->arms[0].batch, 8);
  QCOMPARE(study->arms[1].batch, 16);
  QVERIFY(study->arms[2].search_time == (trial::SearchTime{trial::SearchTime::Kind::Constant, 0.25}));
  QCOMPARE(study->arms[2].warm_start, 7);
  QCOMPARE(study->arms[2].learn_from, (std::vector<std::string>{"recorded:/a/x.ksrec", "4"}));
  QVERIFY(study->arms[2].chain_tasks && !study->arms[1].chain_tasks);
  QVERIFY(study->arms[3].control && !study->arms[2].control);
  QCOMPARE(study::arm_text(*study, study->arms[0]), std::string("population=50, batch=8"));
  QVERIFY(!study->paired_starts && study->controls);
  QCOMPARE(study->jobs, 0);
  QCOMPARE(study->rules, study::newest_study_rules);
}

void StudyJsonTest::resolvesFilesAgainstItsFolder() {
  const auto target = [](const std::string& text) { return study::resolve_recorded_target(text, "/a/b"); };
  QCOMPARE(target("recorded:../x.ksrec"), std::string("recorded:/a/x.ksrec"));
  QCOMPARE(target("recorded:/y/x.json.gz"), std::string("recorded:/y/x.json.gz"));
  QCOMPARE(target("recorded:17"), std::string("recorded:17"));
  QCOMPARE(target("recorded:my space"), std::string("recorded:my space"));
  QCOMPARE(target("cpu"), std::string("cpu"));
  const Result<study::Definition> study =
      study::study_from_json(R"({"name": "n", "analyse": ["../x.ksrec", "/y.ksrec"]})", "/a/b");
  QVERIFY(study);
  QCOMPARE(study->analysed, (std::vector<std::string>{"/a/x.ksrec", "/y.ksrec"}));
}

void StudyJsonTest::randomStudiesRoundTrip() {
  base::Random random(testing::random_seed());
  const auto text = [&] { return "t\"\\\n\xc3\xa9" + std::to_string(random.below(1'000'000)); };
  for (int round = 0; round < 300; ++round) {
    study::Definition study;
    study.name = text();
    if (random.chance(0.5)) study.about = text();
    if (random.chance(0.1)) {
      study.analysed = {"/" + text(), "/" + text()};
    } else {
      for (std::uint64_t i = 0; i <= random.below(4); ++i) {
        study::Arm arm{std::to_string(i) + text(), text(), {}};
        if (random.chance(0.3)) arm.name = arm.tuner = "nose" + std::to_string(i);
        for (std::uint64_t j = random.below(3); j > 0; --j) arm.settings[text()] = text();
        if (random.chance(0.3)) arm.batch = 1 + static_cast<std::int64_t>(random.below(500));
        if (random.chance(0.1)) arm.batch = tuner::batch_of_builders;
        if (random.chance(0.3))
          arm.search_time = trial::SearchTime{trial::SearchTime::Kind::Constant, random.uniform()};
        if (random.chance(0.2)) arm.search_time = trial::SearchTime{};
        if (random.chance(0.2)) arm.warm_start = 1 + static_cast<std::int64_t>(random.below(500));
        if (random.chance(0.2)) arm.learn_from = {"recorded:/" + text(), text()};
        arm.chain_tasks = random.chance(0.2);
        study.arms.push_back(std::move(arm));
      }
      const bool measured = random.chance(0.5);
      for (std::uint64_t i = 0; i <= random.below(4); ++i) {
        study::Task task{std::to_string(i) + text(), measured ? "cpu" : "recorded:/" + text(), "", {}, false};
        if (random.chance(0.3)) task.template_name = text();
        if (random.chance(0.3)) task.restrictions = {"k[1]=2,3", "m=1"};
        task.optional = task.recorded() && random.chance(0.5);
        study.tasks.push_back(std::move(task));
      }
      study.repeats = 1 + static_cast<int>(random.below(100));
      study.budget = {static_cast<std::int64_t>(random.below(1000)), random.uniform(), random.uniform(), 3};
      study.seed = random.bits();
      if (random.chance(0.5)) study.search_time = {trial::SearchTime::Kind::Constant, random.uniform()};
      study.measuring.repeats = 1 + static_cast<int>(random.below(9));
      study.measuring.flush_caches = random.chance(0.5);
      for (study::Arm& arm : study.arms) {
        if (measured && random.chance(0.5)) arm.measuring = other_measuring(random, study.measuring);
      }
      study.paired_starts = random.chance(0.5);
      study.controls = random.chance(0.5);
      study.jobs = static_cast<int>(random.below(5));
      if (random.chance(0.5)) study.arms.back().respect_limits = random.chance(0.5);
      if (study.arms.size() > 1 && random.chance(0.5)) {
        study.arms.back().tuner = tuner::sampling_tuner;
        study.arms.back().control = true;
      }
      study.baseline = random.chance(0.5) ? study.arms.back().name : "";
      if (study.arms.size() == 1) study.purpose = static_cast<study::Purpose>(random.below(3));
      if (study.purpose == study::Purpose::Network) {
        study.network = text();
        for (study::Task& task : study.tasks)
          task.multiplicity = 1 + static_cast<std::int64_t>(random.below(20));
      }
    }
    study.rules = 1 + static_cast<int>(random.below(3));
    const Result<study::Definition> read = study::study_from_json(study::study_to_json(study), {});
    QVERIFY2(read, read ? "" : (study::study_to_json(study) + describe(read.error())).c_str());
    QVERIFY2(*read == study, study::study_to_json(study).c_str());
  }
}

void StudyJsonTest::armsHaveTheirOwnMeasuring() {
  const Result<study::Definition> study = study::study_from_json(
      R"({"name": "n", "tuners": ["ga", {"tuner": "ga", "name": "adaptive", "measuring": {"adaptive_batch": 50}},
          {"tuner": "sa", "measuring": {"threads": 2}}, {"tuner": "xgb", "measuring": {}}],
          "tasks": ["resnet18/C6"], "measuring": {"threads": 2, "repeats": 500, "min_repeat_seconds": 0}})",
      {});
  QVERIFY2(study, study ? "" : describe(study.error()).c_str());
  QVERIFY(!study->arms[0].measuring);
  trial::MeasureOptions expected = study->measuring;
  expected.adaptive_batch = 50;
  QVERIFY(study->arms[1].measuring == expected);
  // What the study does anyway is nothing of its own, and no name says it.
  QVERIFY(!study->arms[2].measuring && !study->arms[3].measuring);
  QCOMPARE(study->arms[2].name, std::string("sa"));
  const std::string written = study::study_to_json(*study);
  QVERIFY2(QString::fromStdString(written).simplified().remove(' ').contains(
               R"("measuring":{"adaptive_batch":50},"name":"adaptive")"),
           written.c_str());
  QCOMPARE(study::arm_text(*study, study->arms[0]), std::string());
  QCOMPARE(study::arm_text(*study, study->arms[1]), std::string("adaptive_batch=50"));
  study::Arm both = study->arms[1];
  both.settings["population"] = "50";
  QCOMPARE(study::arm_text(*study, both), std::string("population=50, adaptive_batch=50"));
}

void StudyJsonTest::measuringAsText() {
  base::Random random(testing::random_seed());
  for (int round = 0; round < 200; ++round) {
    const trial::MeasureOptions base = other_measuring(random, {});
    const trial::MeasureOptions options = other_measuring(random, base);
    QVERIFY(*study::parse_measuring(study::measuring_text(options, base), base) == options);
  }
  QVERIFY(*study::parse_measuring(" ,", trial::MeasureOptions()) == trial::MeasureOptions());
  const Result<trial::MeasureOptions> spaced =
      study::parse_measuring("adaptive_batch=2  flush_caches=true,adaptive_performance=micro-batch", {});
  QVERIFY(spaced && spaced->adaptive_batch == 2 && spaced->flush_caches);
  QVERIFY(spaced->adaptive_performance == trial::AdaptivePerformance::MicroBatch);
  for (const char* wrong : {"adaptive_batch", "adaptive=2", "repeats=1,repeats=2", "repeats=many", "=",
                            "adaptive_performance=both", "search_time=none"}) {
    QVERIFY2(!study::parse_measuring(wrong, {}), wrong);
  }
}

void StudyJsonTest::refusesWhatIsWrong_data() {
  QTest::addColumn<QString>("json");
  QTest::addColumn<QString>("said");
  const auto row = [](const char* name, const QString& json, const char* said) {
    QTest::newRow(name) << json << QString(said);
  };
  // The members of a study that is good but for them.
  const auto with = [](const char* members) {
    return QStringLiteral(R"({"name": "n", "tuners": ["nose"], "tasks": ["resnet18/C6"], %1})").arg(members);
  };
  row("no JSON", "{", "line 1");
  row("empty", "", "line 1");
  row("a list", "[]", "object");
  row("trailing text", R"({"name": "n", "tuners": ["nose"], "tasks": ["x"]} x)", "line 1");
  row("deep", QString("[").repeated(10'000) + QString("]").repeated(10'000), "deep");
  row("more than anyone reads", "[" + QString("[],").repeated(1'500'000) + "[]]", "values");
  row("a key twice", with(R"("seed": 1, "seed": 2)"), "\"seed\" occurs twice");
  row("a key twice inside", R"({"name": "n", "tuners": [{"tuner": "ga", "tuner": "sa"}], "tasks": ["x"]})",
      "\"tuner\" occurs twice");
  row("unknown key", with(R"("trails": 5)"), "\"trails\"");
  row("unknown key of a tuner", R"({"name": "n", "tuners": [{"tuner": "ga", "set": {}}], "tasks": ["x"]})",
      "\"set\"");
  row("unknown key of a task",
      R"({"name": "n", "tuners": ["ga"], "tasks": [{"task": "x", "devise": "cpu"}]})", "\"devise\"");
  row("unknown measuring option", with(R"("measuring": {"thread": 1})"), "\"thread\"");
  row("search time is no measuring option", with(R"("measuring": {"search_time": "none"})"), "search_time");
  row("wrong measuring option", with(R"("measuring": {"threads": "one"})"), "threads");
  row("measuring option out of range", with(R"("measuring": {"repeats": 0})"), "repeats");
  row("evaluator that never ends anything", with(R"("measuring": {"adaptive_batch": 50})"), "never end");
  row("unknown measuring option of a tuner",
      R"({"name": "n", "tuners": [{"tuner": "ga", "measuring": {"adaptive": 1}}], "tasks": ["x"]})",
      "\"measuring\" of tuner 1");
  row("wrong measuring option of a tuner",
      R"({"name": "n", "tuners": [{"tuner": "ga", "measuring": {"adaptive_batch": "50"}}], "tasks": ["x"]})",
      "adaptive_batch");
  row("a tuner's evaluator that never ends anything",
      R"({"name": "n", "tuners": [{"tuner": "ga", "measuring": {"adaptive_batch": 50}}], "tasks": ["x"]})",
      "tuner \"ga\"");
  row("a tuner's own measuring of what was recorded",
      R"({"name": "n", "tuners": ["sa", {"tuner": "ga", "measuring": {"adaptive_batch": 2}}],
          "tasks": ["x", "recorded:/a/b.ksrec"]})",
      "\"ga\" is not possible: the task recorded:/a/b.ksrec");
  row("fewer samples of what is measured",
      R"({"name": "n", "tuners": [{"tuner": "ga", "measuring": {"replay_samples": true, "repeats": 3}}],
          "tasks": ["recorded:/a/b.ksrec", "x"]})",
      "is measured, not recorded");
  row("no name", R"({"tuners": ["nose"], "tasks": ["x"]})", "no name");
  row("name is a number", R"({"name": 1, "tuners": ["nose"], "tasks": ["x"]})", "\"name\"");
  row("no tuners", R"({"name": "n", "tasks": ["x"]})", "no tuners");
  row("empty tuners", R"({"name": "n", "tuners": [], "tasks": ["x"]})", "\"tuners\"");
  row("no tasks", R"({"name": "n", "tuners": ["nose"]})", "no tasks");
  row("tasks are a text", R"({"name": "n", "tuners": ["nose"], "tasks": "x"})", "\"tasks\"");
  row("same arm twice", R"({"name": "n", "tuners": ["nose", "nose"], "tasks": ["x"]})", "\"nose\"");
  row("same task twice", R"({"name": "n", "tuners": ["nose"], "tasks": ["x", "x"]})", "task 2");
  row("tuner without a name", R"({"name": "n", "tuners": [{"name": "a"}], "tasks": ["x"]})", "tuner 1");
  row("tuner is a number", R"({"name": "n", "tuners": [7], "tasks": ["x"]})", "tuner 1");
  row("settings are a list", R"({"name": "n", "tuners": [{"tuner": "ga", "settings": []}], "tasks": ["x"]})",
      "\"settings\"");
  row("a setting is a list",
      R"({"name": "n", "tuners": [{"tuner": "ga", "settings": {"a": []}}], "tasks": ["x"]})", "\"settings\"");
  row("task without anything", R"({"name": "n", "tuners": ["nose"], "tasks": [{}]})", "task 1");
  row("empty file", R"({"name": "n", "tuners": ["nose"], "tasks": ["recorded:"]})", "task 1");
  row("optional but no file",
      R"({"name": "n", "tuners": ["nose"], "tasks": [{"task": "x", "optional": true}]})", "optional");
  row("wrong restriction",
      R"({"name": "n", "tuners": ["nose"], "tasks": [{"task": "x", "restrict": ["=1"]}]})", "task 1");
  row("baseline that is no arm", with(R"("baseline": "ga")"), "\"ga\"");
  row("no repeats", with(R"("repeats": 0)"), "\"repeats\"");
  row("half a repeat", with(R"("repeats": 1.5)"), "\"repeats\"");
  row("negative trials", with(R"("trials": -1)"), "\"trials\"");
  row("huge trials", with(R"("trials": 99999999999999999999999)"), "\"trials\"");
  row("negative seed", with(R"("seed": -1)"), "\"seed\"");
  row("negative minutes", with(R"("minutes": -0.1)"), "\"minutes\"");
  row("too many runs", R"({"name": "n", "tuners": ["a","b","c","d","e","f","g","h","i","j","k"],
      "tasks": ["a","b","c","d","e","f","g","h","i","j"], "repeats": 10000})",
      "runs");
  row("unknown search time", with(R"("search_time": "fast")"), "\"search_time\"");
  row("negative search time", with(R"("search_time": -1)"), "\"search_time\"");
  row("search time is a list", with(R"("search_time": [])"), "\"search_time\"");
  row("unknown rules", with(R"("rules": 4)"), "\"rules\"");
  row("jobs below 0", with(R"("jobs": -1)"), "\"jobs\"");
  row("paired starts that are a number", with(R"("paired_starts": 1)"), "\"paired_starts\"");
  row("controls that are a list", with(R"("controls": [])"), "\"controls\"");
  const auto tuner = [](const char* members) {
    return QStringLiteral(R"({"name": "n", "tuners": [{"tuner": "ga", %1}], "tasks": ["x"]})").arg(members);
  };
  row("a batch below 0", tuner(R"("batch": -1)"), "\"batch\" of tuner 1");
  row("a batch that is a text", tuner(R"("batch": "8")"), "\"batch\"");
  row("a huge batch", tuner(R"("batch": 1000001)"), "\"batch\"");
  row("a warm start by name", tuner(R"("warm_start": "mine")"), "\"warm_start\"");
  row("a chain that is a number", tuner(R"("chain_tasks": 1)"), "\"chain_tasks\"");
  row("unknown search time of a tuner", tuner(R"("search_time": "fast")"), "\"search_time\" of tuner 1");
  row("a control that is none", tuner(R"("control": true)"), "is not one");
  row("a chain over measured and recorded tasks",
      R"({"name": "n", "tuners": [{"tuner": "ga", "chain_tasks": true}], "tasks": ["x", "recorded:/a/b.ksrec"]})",
      "chains its tasks");
  row("analysis and tuners", with(R"("analyse": ["x.ksrec"])"), "analyses");
  row("unknown purpose", with(R"("purpose": "training")"), "\"purpose\"");
  row("purpose is a number", with(R"("purpose": 1)"), "\"purpose\"");
  row("a network without a name", with(R"("purpose": "network")"), "does not name the network");
  row("the name of no network", with(R"("network": "resnet-18")"), "its purpose is not");
  row("a multiplicity without a network",
      R"({"name": "n", "tuners": ["ga"], "tasks": [{"task": "x", "multiplicity": 2}]})", "multiplicity of 2");
  row("a multiplicity of 0",
      R"({"name": "n", "purpose": "network", "network": "a", "tuners": ["ga"],
          "tasks": [{"task": "x", "multiplicity": 0}]})",
      "\"multiplicity\"");
  row("a data set with two tuners",
      R"({"name": "n", "purpose": "data-set", "tuners": ["ga", "sa"], "tasks": ["x"]})", "2 tuners");
  row("a data set that analyses", R"({"name": "n", "purpose": "data-set", "analyse": ["x.ksrec"]})",
      "data-set");
  row("empty analysis", R"({"name": "n", "analyse": []})", "\"analyse\"");
  row("same file twice", R"({"name": "n", "analyse": ["x", "./x"]})", "twice");
}

void StudyJsonTest::refusesWhatIsWrong() {
  QFETCH(QString, json);
  QFETCH(QString, said);
  const Result<study::Definition> study = study::study_from_json(json.toStdString(), "/folder");
  QVERIFY(!study);
  QVERIFY2(QString::fromStdString(study.error().message).contains(said), study.error().message.c_str());
  QVERIFY2(!study.error().hint.empty(), study.error().message.c_str());
  QVERIFY(study.error().code == ErrorCode::InvalidArgument);
}

void StudyJsonTest::filesAreNamedInErrors() {
  QTemporaryDir folder;
  const std::string path = folder.filePath("wrong.json").toStdString();
  const Result<study::Definition> missing = study::load_study(path);
  QVERIFY(!missing && missing.error().message.contains(path));
  QVERIFY(base::write_file_atomically(path, R"({"name": "n"})"));
  const Result<study::Definition> wrong = study::load_study(path);
  QVERIFY(!wrong && wrong.error().message.contains(path));
}

void StudyJsonTest::armsAsTexts() {
  QCOMPARE(*study::parse_arm("nose"), (study::Arm{"nose", "nose", {}}));
  const Result<study::Arm> arm = study::parse_arm("ga:population=50");
  QVERIFY(arm);
  QCOMPARE(arm->name, std::string("ga (population=50)"));
  QCOMPARE(arm->settings, (std::map<std::string, std::string>{{"population", "50"}}));
  const Result<study::Arm> batched = study::parse_arm("ga@8:population=50");
  QVERIFY(batched);
  QCOMPARE(batched->tuner, std::string("ga"));
  QCOMPARE(batched->batch, 8);
  QCOMPARE(batched->name, std::string("ga@8 (population=50)"));
  QCOMPARE(batched->settings, arm->settings);
  QCOMPARE(study::parse_arm("random@64")->name, std::string("random@64"));
  QCOMPARE(study::parse_arm("ga@builders")->batch, tuner::batch_of_builders);
  QCOMPARE(study::parse_arm("ga@builders")->name, std::string("ga@builders"));
  // A setting that is the default changes nothing, and so no name.
  const tuner::Declaration& ga = **tuner::find_tuner("ga");
  const tuner::HyperparameterDeclaration& first = ga.hyperparameters.front();
  const Result<study::Arm> usual =
      study::parse_arm("ga:" + first.name + "=" + space::to_string(first.default_value));
  QCOMPARE(usual->name, std::string("ga"));
}

void StudyJsonTest::refusesWrongArms_data() {
  QTest::addColumn<QString>("text");
  for (const char* text : {"", ":", ":a=1", "ga:", "ga:population", "ga:=5", "ga:a=1:a=2", "ga@", "ga@0",
                           "ga@-1", "ga@x", "ga@8@9", "ga@1.5", "ga@1000001", "@8", "@"})
    QTest::newRow(text) << QString(text);
}

void StudyJsonTest::refusesWrongArms() {
  QFETCH(QString, text);
  const Result<study::Arm> arm = study::parse_arm(text.toStdString());
  QVERIFY(!arm && !arm.error().hint.empty());
}

void StudyJsonTest::labelsAreDistinct() {
  study::Definition study =
      make_study({"random"}, {"/a/x.ksrec", "/b/x.json.gz", "/b/v1.0.t4.json.gz", "/c/x.ksrec"}, 1, 1);
  study.tasks.push_back({"resnet18/C6", "cpu", "", {}, false});
  study.tasks.push_back({"resnet18/C6", "cpu", "conv2d-nchwc", {}, false});
  QCOMPARE(study::task_labels(study), (std::vector<std::string>{"x", "x #2", "v1.0.t4", "x #3", "resnet18/C6",
                                                                "resnet18/C6 conv2d-nchwc"}));
  const study::Definition numbered = make_study({"random"}, {"/a/x #2", "/a/x", "/b/x", "/b/x #2"}, 1, 1);
  const std::vector<std::string> labels = study::task_labels(numbered);
  QCOMPARE(std::set<std::string>(labels.begin(), labels.end()).size(), labels.size());
}

// What looks back at all before it, for each object or task, takes hours for these.
void StudyJsonTest::longStudiesAreReadOnce() {
  constexpr int count = 400'000;
  std::string objects = R"({"name": "n", "tuners": ["nose"], "tasks": [{})";
  std::string names = R"({"name": "n", "tuners": ["nose"], "repeats": 1, "tasks": ["t")";
  for (int i = 0; i < count; ++i) {
    objects += ",{}";
    names += fmt::format(",\"t{}\"", i);
  }
  const Result<study::Definition> nothing = study::study_from_json(objects + "]}", {});
  QVERIFY(!nothing && nothing.error().message.contains("task 1"));
  const Result<study::Definition> many = study::study_from_json(names + "]}", {});
  QVERIFY2(many, many ? "" : describe(many.error()).c_str());
  const std::vector<std::string> labels = study::task_labels(*many);
  QCOMPARE(labels.size(), std::size_t{count} + 1);
  QCOMPARE(labels.back(), fmt::format("t{}", count - 1));
}

void StudyJsonTest::bundledStudiesAreValid() {
  const std::vector<std::filesystem::path> files = study::bundled_studies();
  QVERIFY(files.size() >= 4);
  for (const std::filesystem::path& file : files) {
    const Result<study::Definition> study = study::load_study(file);
    QVERIFY2(study, study ? "" : describe(study.error()).c_str());
    QVERIFY(!study->about.empty());
    for (const study::Arm& arm : study->arms) {
      const Result<const tuner::Declaration*> tuner = tuner::find_tuner(arm.tuner);
      QVERIFY2(tuner && tuner::parse_settings(**tuner, arm.settings), arm.name.c_str());
    }
  }
}

KERNELSCAPE_PLAIN_TEST(StudyJsonTest)

}  // namespace kernelscape::study_json_test
#include "study_json_test.moc"
