#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <string>

#include "tests/benchmarks/drift/phases.h"
#include "tests/test_program.h"

namespace kernelscape::drift_phases_test {

/** The phases in which the benchmark `drift` disturbs sessions. */
class DriftPhasesTest : public QObject {
  Q_OBJECT

 private slots:
  void halfOfTheTimeIsDisturbed();
  void phasesDoNotOverlapAndKeepTheirLimits();
  void aSeedGivesTheSamePhases();
  void sessionsStartQuietAndDisturbed();
};

namespace {

constexpr int seeds = 200;
constexpr double hour = 3600;

std::vector<drift::DisturbancePhase> phases_of(int seed) {
  return drift::draw_phases(base::Random(static_cast<std::uint64_t>(seed)), hour);
}

bool within(double value, double low, double high) { return value >= low - 1e-9 && value <= high + 1e-9; }

}  // namespace

void DriftPhasesTest::halfOfTheTimeIsDisturbed() {
  for (int seed = 0; seed < seeds; ++seed) {
    double disturbed = 0;
    for (const drift::DisturbancePhase& phase : phases_of(seed)) {
      if (phase.end_seconds <= hour) disturbed += phase.length_seconds();
    }
    // At most two phases of each kind are cut off by the end.
    QVERIFY2(within(disturbed, hour / 2 - 2 * drift::max_phase_seconds, hour / 2 + drift::max_phase_seconds),
             fmt::format("seed {}: {} s", seed, disturbed).c_str());
  }
}

void DriftPhasesTest::phasesDoNotOverlapAndKeepTheirLimits() {
  for (int seed = 0; seed < seeds; ++seed) {
    const std::string text = fmt::format("seed {}", seed);
    const char* where = text.c_str();
    double last_end = 0;
    for (const drift::DisturbancePhase& phase : phases_of(seed)) {
      const double gap = phase.begin_seconds - last_end;
      const bool at_once = last_end == 0 && gap == 0;
      QVERIFY2(at_once || within(gap, drift::min_phase_seconds, drift::max_phase_seconds), where);
      QVERIFY2(within(phase.length_seconds(), drift::min_phase_seconds, drift::max_phase_seconds), where);
      QVERIFY2(within(phase.speed, drift::min_speed, drift::max_speed), where);
      QVERIFY2(within(phase.period_seconds, drift::min_period_seconds, drift::max_period_seconds), where);
      last_end = phase.end_seconds;
    }
    QVERIFY2(last_end > hour - 2 * drift::max_phase_seconds, where);
  }
}

void DriftPhasesTest::aSeedGivesTheSamePhases() {
  const auto same = [](const drift::DisturbancePhase& a, const drift::DisturbancePhase& b) {
    return a.begin_seconds == b.begin_seconds && a.end_seconds == b.end_seconds && a.speed == b.speed &&
           a.period_seconds == b.period_seconds;
  };
  QVERIFY(std::ranges::equal(phases_of(7), phases_of(7), same));
  QVERIFY(!std::ranges::equal(phases_of(7), phases_of(8), same));
}

void DriftPhasesTest::sessionsStartQuietAndDisturbed() {
  int disturbed_first = 0;
  for (int seed = 0; seed < seeds; ++seed)
    disturbed_first += phases_of(seed).front().begin_seconds == 0 ? 1 : 0;
  QVERIFY(disturbed_first > seeds / 4);
  QVERIFY(disturbed_first < 3 * seeds / 4);
}

KERNELSCAPE_PLAIN_TEST(DriftPhasesTest)

}  // namespace kernelscape::drift_phases_test

#include "drift_phases_test.moc"
