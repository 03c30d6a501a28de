#include <QTest>
#include <set>

#include "core/tuner/configuration_set.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_configuration_set_test {
using namespace kernelscape::tuner_fixture;

/** The set of visited configurations against the standard's. */
class TunerConfigurationSetTest : public QObject {
  Q_OBJECT

 private slots:
  void isASet_data() {
    QTest::addColumn<int>("knobs");
    QTest::addColumn<int>("values");
    QTest::addColumn<int>("steps");
    QTest::newRow("small") << 3 << 4 << 3000;
    QTest::newRow("larger") << 6 << 7 << 60'000;
    QTest::newRow("too large for bits") << 9 << 9 << 60'000;
    QTest::newRow("over 64 bits") << 20 << 16 << 3000;
  }

  void isASet() {
    QFETCH(int, knobs);
    QFETCH(int, values);
    QFETCH(int, steps);
    base::Random random(printed_seed());
    const space::SearchSpace space =
        plain_space(std::vector<std::int64_t>(static_cast<std::size_t>(knobs), values));
    tuner::ConfigurationSet set(space);
    std::set<space::Configuration> expected;
    for (int step = 0; step < steps; ++step) {
      // Neighbours often: they are what tables clump at.
      space::Configuration configuration = *space.random_member(random);
      if (random.chance(0.4)) {
        const auto near = expected.lower_bound(configuration);
        if (near != expected.end()) configuration = *near;
      }
      QCOMPARE(set.contains(configuration), expected.contains(configuration));
      if (random.chance(0.35)) {
        QCOMPARE(set.erase(configuration), expected.erase(configuration) > 0);
      } else {
        QCOMPARE(set.insert(configuration), expected.insert(configuration).second);
      }
      QCOMPARE(set.size(), expected.size());
    }
    for (const space::Configuration& configuration : expected) QVERIFY(set.contains(configuration));
  }
};

KERNELSCAPE_TEST(TunerConfigurationSetTest, QCoreApplication)

}  // namespace kernelscape::tuner_configuration_set_test
#include "tuner_configuration_set_test.moc"
