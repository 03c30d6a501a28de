#include <QTest>

#include "tests/test_program.h"
#include "tests/tuner/space_model_reference.h"

namespace kernelscape::tuner_space_model_beliefs_test {
using namespace kernelscape::testing;
using namespace kernelscape::tuner_fixture;

namespace {

/** Whether two models believe the same everywhere. */
bool same_beliefs(const ModelOfSpace& a, const ModelOfSpace& b, const std::vector<base::GridPoint>& asked) {
  constexpr double tolerance = 1e-9;
  return a.incumbent() == b.incumbent() && std::ranges::all_of(asked, [&](const base::GridPoint& point) {
           const surrogate::Belief first = a.predict(point);
           const surrogate::Belief second = b.predict(point);
           return near(first.fitness, second.fitness, tolerance) &&
                  near(first.deviation, second.deviation, tolerance) &&
                  near(first.feasibility, second.feasibility, tolerance);
         });
}

}  // namespace

/** Trials that are believed instead of measured, and taken back. */
class TunerSpaceModelBeliefsTest : public QObject {
  Q_OBJECT

 private slots:
  void beliefs_leave_no_trace_data() {
    QTest::addColumn<std::size_t>("trials");
    QTest::addColumn<double>("failing_share");
    QTest::newRow("nothing known") << std::size_t{0} << 0.0;
    QTest::newRow("only failures") << std::size_t{9} << 1.0;
    QTest::newRow("few") << std::size_t{6} << 0.0;
    QTest::newRow("before the correlation changes") << std::size_t{38} << 0.0;
    QTest::newRow("before a fit") << std::size_t{98} << 0.0;
    QTest::newRow("some fail") << std::size_t{140} << 0.2;
  }

  void beliefs_leave_no_trace() {
    QFETCH(std::size_t, trials);
    QFETCH(double, failing_share);
    base::Random random(printed_seed());
    const space::SearchSpace space = usual_space();
    const std::vector<trial::Observation> observations =
        random_observations(random, space, trials, failing_share);
    const ModelOfSpace never = model_of(space, observations, 5);
    ModelOfSpace model = never;
    const std::vector<base::GridPoint> asked = some_points(random, model, 20);
    for (int repeat = 0; repeat < 3; ++repeat) {
      for (const base::GridPoint& point : some_points(random, model, 1 + drawn_below(random, 8)))
        model.believe(point);
      QCOMPARE(model.trials(), never.trials());
      QCOMPARE(model.valid_trials(), never.valid_trials());
      model.take_back_beliefs();
      QCOMPARE(model.performance().points(), never.performance().points());
      QVERIFY(same_beliefs(model, never, asked));
    }
    ModelOfSpace later = never;
    for (const trial::Observation& observation : random_observations(random, space, 5, failing_share)) {
      model.believe(some_points(random, model, 1).front());
      model.take_back_beliefs();
      for (ModelOfSpace* reported : {&model, &later}) {
        reported->observe(observation);
        reported->update();
      }
      QVERIFY(same_beliefs(model, later, asked));
    }
  }

  /** Three trials at the corners of a square, the first the worst: the fourth corner has the best mean. */
  void a_belief_is_a_gain_or_a_trial_data() {
    QTest::addColumn<bool>("gain");
    QTest::newRow("a gain") << true;
    QTest::newRow("a trial") << false;
  }

  void a_belief_is_a_gain_or_a_trial() {
    QFETCH(bool, gain);
    surrogate::SpaceModelOptions options = late_options();
    options.beliefs_gain = gain;
    const auto trial = [](space::Configuration configuration, double log_time) {
      return trial::Observation{std::move(configuration), std::exp(-log_time), trial::ErrorCategory::NoError};
    };
    ModelOfSpace model =
        model_of(usual_space(),
                 {trial({{0, 0, 0, 0}}, 2), trial({{6, 0, 0, 0}}, 1), trial({{0, 5, 0, 0}}, 1)}, 1, options);
    const base::GridPoint corner = model.coordinates().of({{6, 5, 0, 0}});
    const double incumbent = model.incumbent();
    const double scale = model.performance().scale();
    const double mean = model.performance().predict(corner).mean;
    QVERIFY(mean < 0.8 && incumbent > 0.95 && scale > 0);
    const std::uint64_t revision = model.revision();
    model.believe(corner);
    QVERIFY(model.revision() != revision);
    QCOMPARE(model.incumbent(), gain ? mean : incumbent);
    QVERIFY(near(model.performance().scale(), gain ? scale : scale * 2 / 3, 1e-9, 0));
    // One that is worse takes no gain back.
    model.believe(model.coordinates().of({{3, 3, 0, 7}}));
    QCOMPARE(model.incumbent(), gain ? mean : incumbent);
    QVERIFY(near(model.performance().scale(), gain ? scale : scale / 2, 1e-9, 0));
    model.take_back_beliefs();
    QVERIFY(model.incumbent() == incumbent && model.performance().scale() == scale);
    // A trial where something was believed is a trial like any other.
    model.believe(corner);
    model.observe(trial({{6, 5, 0, 0}}, 3));
    model.update();
    QVERIFY(model.performance().size() == 4 && model.incumbent() > mean);
    QVERIFY(model.performance().scale() > scale);
  }

  void the_scale_is_what_trials_say() {
    base::Random random(printed_seed());
    const space::SearchSpace space = usual_space();
    for (const std::size_t trials : {std::size_t{2}, std::size_t{4}, std::size_t{30}}) {
      ModelOfSpace model = model_of(space, random_observations(random, space, trials, 0));
      const double scale = model.performance().scale();
      const double before = model.incumbent();
      double incumbent = before;
      for (const base::GridPoint& point : some_points(random, model, 8)) {
        incumbent = std::min(incumbent, model.performance().predict(point).mean);
        model.believe(point);
        QCOMPARE(model.incumbent(), incumbent);
        QVERIFY(model.performance().scale() == scale);
      }
      model.take_back_beliefs();
      QVERIFY(model.performance().scale() == scale && model.incumbent() == before);
    }
  }

  void a_belief_changes_no_mean() {
    base::Random random(printed_seed());
    const space::SearchSpace space = usual_space();
    const ModelOfSpace before = model_of(space, random_observations(random, space, 60, 0.2));
    ModelOfSpace model = before;
    const std::vector<base::GridPoint> asked = some_points(random, model, 20);
    const std::vector<base::GridPoint> believed = some_points(random, model, 6);
    for (const base::GridPoint& point : believed) model.believe(point);
    QCOMPARE(model.performance().size(), before.performance().size() + 6);
    for (const base::GridPoint& point : asked) {
      QVERIFY(near(model.predict(point).fitness, before.predict(point).fitness, 1e-6));
      QVERIFY(model.predict(point).deviation <= before.predict(point).deviation * (1 + 1e-6));
    }
    for (const base::GridPoint& point : believed) {
      const double variance = model.performance().predict(point).variance;
      QVERIFY(variance <= 1.01e-3 * model.performance().scale());  // not more than the nugget is left
    }
  }
};

KERNELSCAPE_PLAIN_TEST(TunerSpaceModelBeliefsTest)

}  // namespace kernelscape::tuner_space_model_beliefs_test
#include "tuner_space_model_beliefs_test.moc"
