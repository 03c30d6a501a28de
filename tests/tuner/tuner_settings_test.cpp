#include "core/tuner/declaration.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_settings_test {
using namespace kernelscape::tuner_fixture;

class TunerSettingsTest : public QObject {
  Q_OBJECT

 private slots:
  void registry_is_complete() {
    std::vector<std::string> names;
    for (const tuner::Declaration& tuner : tuner::tuner_registry()) names.push_back(tuner.name);
    QCOMPARE(names, (std::vector<std::string>{
                        "random",        "grid",     "ga",   "sa",         "xgb",    "nose",
                        "opevo",         "gbfs",     "na2c", "adatune",    "gp",     "one-shot",
                        "heron",         "cga-1",    "ga-1", "ga-2",       "ga-3",   "heron-rand",
                        "heron-sa",      "heron-ga", "de",   "pso",        "mls",    "greedy-ils",
                        "basin-hopping", "tpe",      "smac", "auc-bandit", "cma-es", "ansor",
                        "lfbo",          "chameleon"}));
    QCOMPARE((*tuner::find_tuner("nose"))->default_batch, 30);
    QCOMPARE((*tuner::find_tuner("ga"))->default_batch, 100);
    QCOMPARE((*tuner::find_tuner("xgb"))->default_batch, 64);
    QCOMPARE((*tuner::find_tuner("opevo"))->default_batch, 8);
    QCOMPARE((*tuner::find_tuner("adatune"))->default_batch, 32);
    QCOMPARE((*tuner::find_tuner("gp"))->default_batch, tuner::batch_of_builders);
    QCOMPARE((*tuner::find_tuner("one-shot"))->default_batch, 64);
    for (const char* tuner : {"heron", "cga-1", "ga-1", "ga-2", "ga-3", "heron-rand", "heron-sa", "heron-ga"})
      QCOMPARE((*tuner::find_tuner(tuner))->default_batch, 32);
    QVERIFY(tuner::find_tuner(tuner::default_tuner));
  }

  void every_hyperparameter_is_documented_and_its_default_valid() {
    for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
      QVERIFY(!tuner.summary.empty() && !tuner.source.empty());
      QVERIFY(tuner::own_batch(tuner, 1) > 0);
      QCOMPARE(tuner::own_batch(tuner, 3), tuner.name == "gp" ? 3 : tuner.default_batch);
      std::set<std::string> names;
      for (const tuner::HyperparameterDeclaration& declaration : tuner.hyperparameters) {
        QVERIFY2(!declaration.documentation.empty() && !declaration.source.empty(), declaration.name.c_str());
        QVERIFY2(names.insert(declaration.name).second, declaration.name.c_str());
        const auto again =
            tuner::parse_settings(tuner, {{declaration.name, space::to_string(declaration.default_value)}});
        QVERIFY2(again.has_value(), declaration.name.c_str());
        QVERIFY(*again == *tuner::parse_settings(tuner, {}));
      }
    }
  }

  void what_was_before_a_setting_is_a_value_of_it() {
    std::map<std::string, std::map<std::string, std::string>> earlier;
    for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
      const auto texts = tuner::earlier_settings(tuner);
      const auto settings = tuner::parse_settings(tuner, texts);
      QVERIFY2(settings.has_value(), tuner.name.c_str());
      for (const tuner::HyperparameterDeclaration& declaration : tuner.hyperparameters) {
        QCOMPARE(texts.contains(declaration.name), declaration.before.has_value());
        QVERIFY(settings->at(declaration.name) == declaration.before.value_or(declaration.default_value));
      }
      earlier[tuner.name] = texts;
    }
    QVERIFY((earlier["nose"] == std::map<std::string, std::string>{{"mutation_value", "any"}}));
    QVERIFY((earlier["adatune"] == std::map<std::string, std::string>{{"constant_features", "skipped"}}));
    QVERIFY((earlier["sa"] == std::map<std::string, std::string>{{"cooling", "budget"}}));
    QVERIFY(earlier["random"].empty());
  }

  void random_phases_are_reported() {
    const auto phase = [](const char* name, const std::map<std::string, std::string>& texts,
                          std::int64_t budget = 0) {
      const tuner::Declaration& tuner = **tuner::find_tuner(name);
      return tuner.random_phase ? tuner.random_phase(*tuner::parse_settings(tuner, texts), budget)
                                : std::int64_t{0};
    };
    QCOMPARE(phase("random", {}), tuner::all_trials_random);
    QCOMPARE(phase("grid", {}), std::int64_t{0});
    QCOMPARE(phase("one-shot", {}), std::int64_t{0});
    QCOMPARE(phase("ga", {}), std::int64_t{100});
    QCOMPARE(phase("nose", {{"population", "40"}}), std::int64_t{40});
    QCOMPARE(phase("xgb", {}), std::int64_t{64});
    QCOMPARE(phase("adatune", {{"plan_size", "16"}}), std::int64_t{16});
    QCOMPARE(phase("opevo", {}), std::int64_t{8});
    QCOMPARE(phase("sa", {}), std::int64_t{1});
    QCOMPARE(phase("gbfs", {}), std::int64_t{1});
    QCOMPARE(phase("na2c", {}), std::int64_t{6});
    QCOMPARE(phase("gp", {{"start_points", "7"}}), std::int64_t{7});
    QCOMPARE(phase("heron", {{"round_size", "20"}}), std::int64_t{20});
    QCOMPARE(phase("smac", {}), std::int64_t{10});
    QCOMPARE(phase("smac", {}, 400), std::int64_t{40});
    QCOMPARE(phase("smac", {{"maximum_start_points", "0.25"}}, 400), std::int64_t{100});
    QCOMPARE(phase("smac", {}, 5), std::int64_t{1});
    QCOMPARE(phase("chameleon", {{"plan_size", "24"}}), std::int64_t{24});
    QCOMPARE(phase("auc-bandit", {}), std::int64_t{4});
    QCOMPARE(phase("auc-bandit", {{"tuners", "grid, random,de"}}), std::int64_t{2});
  }

  void unknown_tuner_offers_the_nearest() {
    const auto found = tuner::find_tuner("nsoe");
    QVERIFY(!found);
    QCOMPARE(found.error().code, ErrorCode::NotFound);
    QVERIFY(QString::fromStdString(found.error().message).contains("nsoe"));
    QVERIFY(QString::fromStdString(found.error().hint).contains("nose"));
  }

  void values_override_defaults() {
    const auto settings = tuner::parse_settings(**tuner::find_tuner("nose"), {{"population", "20"},
                                                                              {"elite_ratio", "0.5"},
                                                                              {"coordinates", "value"},
                                                                              {"distinct_parents", "yes"}});
    QVERIFY(settings.has_value());
    QVERIFY(settings->at("population") == tuner::SettingValue(std::int64_t{20}));
    QVERIFY(settings->at("elite_ratio") == tuner::SettingValue(0.5));
    QVERIFY(settings->at("coordinates") == tuner::SettingValue(std::string("value")));
    QVERIFY(settings->at("distinct_parents") == tuner::SettingValue(true));
    QVERIFY(settings->at("neighbours") == tuner::SettingValue(std::int64_t{9}));
  }

  void errors_name_thing_and_way_out_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("mentions");
    QTest::newRow("unknown name") << "neigbours" << "9" << "neighbours";
    QTest::newRow("below the range") << "population" << "0" << "between 1 and";
    QTest::newRow("above the range") << "mutation_probability" << "1.5" << "between 0 and 1";
    QTest::newRow("not a number") << "population" << "many" << "whole number";
    QTest::newRow("a real for an integer") << "population" << "10.5" << "whole number";
    QTest::newRow("more than 64 bits") << "population" << "99999999999999999999" << "whole number";
    QTest::newRow("trailing text") << "elite_ratio" << "0.3x" << "a number";
    QTest::newRow("not finite") << "elite_ratio" << "nan" << "a number";
    QTest::newRow("infinite") << "elite_ratio" << "inf" << "a number";
    QTest::newRow("empty") << "elite_ratio" << "" << "a number";
    QTest::newRow("unknown choice") << "coordinates" << "values" << "did you mean value";
    QTest::newRow("not a boolean") << "distinct_parents" << "perhaps" << "true or false";
  }

  void errors_name_thing_and_way_out() {
    QFETCH(QString, name);
    QFETCH(QString, value);
    QFETCH(QString, mentions);
    const auto settings =
        tuner::parse_settings(**tuner::find_tuner("nose"), {{name.toStdString(), value.toStdString()}});
    QVERIFY(!settings);
    QCOMPARE(settings.error().code, ErrorCode::InvalidArgument);
    const QString text = QString::fromStdString(describe(settings.error()));
    QVERIFY2(text.contains(name) && text.contains("nose") && text.contains(mentions), qPrintable(text));
  }

  void settings_that_contradict_each_other_are_refused() {
    const space::SearchSpace space = plain_space({4, 4});
    const auto genetic = (*tuner::find_tuner("ga"))
                             ->make(make_context("ga", space, 1, {{"population", "5"}, {"elites", "6"}}));
    QVERIFY(!genetic);
    QVERIFY(QString::fromStdString(genetic.error().message).contains("elites"));
    const auto nose =
        (*tuner::find_tuner("nose"))->make(make_context("nose", space, 1, {{"offspring_ratio", "0.2"}}));
    QVERIFY(!nose);
    QVERIFY(QString::fromStdString(nose.error().message).contains("offspring_ratio"));
    for (const char* samples : {"1", "3"}) {
      const auto context = make_context("cma-es", space, 1, {{"samples", samples}});
      const tuner::Declaration& cma_es = **tuner::find_tuner("cma-es");
      const Status fits = cma_es.fits(context);
      QVERIFY(!fits && QString::fromStdString(fits.error().message).contains("setting samples"));
      QVERIFY(!cma_es.make(context));
    }
    QVERIFY((*tuner::find_tuner("cma-es"))->make(make_context("cma-es", space, 1, {{"samples", "4"}})));
  }
};

KERNELSCAPE_PLAIN_TEST(TunerSettingsTest)

}  // namespace kernelscape::tuner_settings_test
#include "tuner_settings_test.moc"
