#include <QTest>

#include "core/tuner/feature_choice.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_feature_choice_test {
using namespace kernelscape::tuner_fixture;

namespace {

std::shared_ptr<const space::FeatureExtractor> some_features() {
  return std::make_shared<space::KnobFeatures>(plain_space({3, 4}));
}

tuner::Context context_with(const space::FeatureSets& sets, const std::string& choice) {
  tuner::Context context = make_context("xgb", plain_space({3, 4}), 1, {{"features", choice}});
  context.features = sets;
  return context;
}

}  // namespace

class TunerFeatureChoiceTest : public QObject {
  Q_OBJECT

 private slots:
  void a_choice_is_the_features_of_its_name() {
    const space::FeatureSets sets{some_features(), some_features(), some_features()};
    QCOMPARE(*tuner::chosen_features(context_with(sets, "knob"), "xgb"), sets.knob);
    QCOMPARE(*tuner::chosen_features(context_with(sets, "itervar"), "xgb"), sets.itervar);
    QCOMPARE(*tuner::chosen_features(context_with(sets, "curve"), "xgb"), sets.curve);
    QCOMPARE(*tuner::chosen_features(context_with(sets, "automatic"), "xgb"), sets.itervar);
  }

  void without_a_loop_nest_there_are_knob_features_alone() {
    const space::FeatureSets sets{some_features(), nullptr, nullptr};
    QCOMPARE(*tuner::chosen_features(context_with(sets, "knob"), "xgb"), sets.knob);
    QCOMPARE(*tuner::chosen_features(context_with(sets, "automatic"), "xgb"), sets.knob);
    for (const char* choice : {"itervar", "curve"}) {
      const auto refused = tuner::chosen_features(context_with(sets, choice), "some tuner");
      QVERIFY(!refused);
      QCOMPARE(static_cast<int>(refused.error().code), static_cast<int>(ErrorCode::InvalidArgument));
      QVERIFY(refused.error().message.contains("some tuner"));
      QVERIFY(refused.error().message.contains(choice));
      QVERIFY(refused.error().hint.contains("automatic"));
    }
    QCOMPARE((*tuner::chosen_features(context_with({}, "automatic"), "xgb"))->name(), std::string("knob"));
  }

  void variables_of_the_constraints_are_there_always() {
    const space::FeatureSets sets{
        .knob = nullptr, .itervar = nullptr, .curve = nullptr, .csp = some_features()};
    QCOMPARE(*tuner::chosen_features(context_with(sets, "csp"), "xgb"), sets.csp);
    QCOMPARE((*tuner::chosen_features(context_with(sets, "automatic"), "xgb"))->name(), std::string("knob"));
    tuner::Context context = make_context("xgb", sum_space({3, 4}, 5), 1, {{"features", "csp"}});
    const auto own = tuner::chosen_features(context, "xgb");
    QVERIFY(own);
    QCOMPARE((*own)->name(), std::string("csp"));
    QCOMPARE((*own)->compute({{2, 3}}), (std::vector<float>{2, 3, 5}));
  }

  void each_surrogate_learns_from_them() {
    const space::SearchSpace space = sum_space({12, 12, 12}, 20);
    for (const char* tuner : {"xgb", "adatune"}) {
      const auto made = make_tuner(
          tuner, make_context(tuner, space, printed_seed(), {{"features", "csp"}, {"plan_size", "16"}}));
      QCOMPARE(run_tuner(*made, rough_fitness, 64, always(16)).size(), std::size_t{64});
    }
    const auto nose = make_tuner(
        "nose", make_context("nose", space, printed_seed(), {{"coordinates", "csp"}, {"population", "16"}}));
    QCOMPARE(run_tuner(*nose, rough_fitness, 64, always(16)).size(), std::size_t{64});
  }

  void each_of_the_two_can_be_missing() {
    const space::FeatureSets sets{nullptr, some_features(), nullptr};
    QVERIFY(tuner::chosen_features(context_with(sets, "itervar"), "xgb"));
    QVERIFY(!tuner::chosen_features(context_with(sets, "curve"), "xgb"));
  }
};

KERNELSCAPE_PLAIN_TEST(TunerFeatureChoiceTest)

}  // namespace kernelscape::tuner_feature_choice_test
#include "tuner_feature_choice_test.moc"
