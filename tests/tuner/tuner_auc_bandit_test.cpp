#include <cmath>

#include "core/tuner/auc_credit.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_auc_bandit_test {
using namespace kernelscape::tuner_fixture;

class TunerAucBanditTest : public QObject {
  Q_OBJECT

 private slots:
  void credit_is_the_area_under_the_curve_of_the_window() {
    base::Random random(printed_seed());
    constexpr std::size_t arms = 3;
    constexpr std::size_t window = 20;
    tuner::AucCredit credit(arms, window, 0.05);
    std::vector<std::pair<std::size_t, bool>> results;
    for (int result = 0; result < 200; ++result) {
      results.emplace_back(random.below(arms), random.chance(0.3));
      credit.add(results.back().first, results.back().second);
      const std::size_t kept = std::min(window, results.size());
      for (std::size_t arm = 0; arm < arms; ++arm) {
        // The curve of the arm's own results rises by one at a new best: its area as a share of the whole
        // triangle, counted column by column.
        std::vector<bool> own;
        for (std::size_t i = results.size() - kept; i < results.size(); ++i)
          if (results[i].first == arm) own.push_back(results[i].second);
        double area = 0;
        double whole = 0;
        for (std::size_t column = 0; column < own.size(); ++column) {
          for (std::size_t row = 0; row <= column; ++row) {
            area += own[column] ? 1 : 0;
            whole += 1;
          }
        }
        QVERIFY(std::abs(credit.area(arm) - (own.empty() ? 0 : area / whole)) < 1e-12);
        if (own.empty()) {
          QVERIFY(std::isinf(credit.score(arm)));
          continue;
        }
        const double exploration =
            std::sqrt(2 * std::log2(static_cast<double>(kept)) / static_cast<double>(own.size()));
        QVERIFY(std::abs(credit.score(arm) - credit.area(arm) - 0.05 * exploration) < 1e-12);
      }
      const std::vector<std::size_t> order = credit.order(random);
      for (std::size_t i = 0; i + 1 < arms; ++i)
        QVERIFY(credit.score(order[i]) >= credit.score(order[i + 1]));
    }
  }

  void the_tuner_that_finds_new_bests_gets_the_trials() {
    // Only one of the two climbs; the other visits the space in the order of its indices.
    const auto fitness = [](const space::Configuration& one) {
      return 1.0 + one.indices[0] + one.indices[1] + one.indices[2];
    };
    const std::uint64_t seed = printed_seed();
    const auto tuner = make_tuner("auc-bandit", make_context("auc-bandit", plain_space({30, 30, 30}), seed,
                                                             {{"tuners", "grid, greedy-ils"}}));
    double best = 0;
    for (const space::Configuration& one : run_tuner(*tuner, fitness, 400, always(1)))
      best = std::max(best, fitness(one));
    QVERIFY(best >= 80);
  }

  void tuners_that_it_cannot_choose_are_refused_data() {
    QTest::addColumn<QString>("tuners");
    QTest::addColumn<QString>("mentions");
    QTest::newRow("unknown") << "de,gaa" << "gaa";
    QTest::newRow("itself") << "de,auc-bandit" << "auc-bandit";
    QTest::newRow("needs factorizations") << "de,gbfs" << "gbfs";
    QTest::newRow("twice") << "de,ga,de" << "de twice";
    QTest::newRow("needs a predictor") << "one-shot" << "one-shot";
  }

  void tuners_that_it_cannot_choose_are_refused() {
    QFETCH(QString, tuners);
    QFETCH(QString, mentions);
    const auto context =
        make_context("auc-bandit", plain_space({4, 4}), 1, {{"tuners", tuners.toStdString()}});
    const tuner::Declaration& bandit = **tuner::find_tuner("auc-bandit");
    const Status fits = bandit.fits(context);
    QVERIFY(!fits);
    QVERIFY(QString::fromStdString(fits.error().message).contains(mentions));
    QVERIFY(!bandit.make(context));
  }
};

KERNELSCAPE_PLAIN_TEST(TunerAucBanditTest)

}  // namespace kernelscape::tuner_auc_bandit_test
#include "tuner_auc_bandit_test.moc"
