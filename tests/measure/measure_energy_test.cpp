// The energy counters of a made-up system, and the energy of a call.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/base/random.h"
#include "core/measure/cpu/energy_counters.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/measure/stand_in_kernel.h"
#include "tests/test_program.h"

namespace kernelscape::measure_energy_test {

using measure::EnergyCounters;
using measure_tests::StandIn;

namespace {

constexpr std::uint64_t counter_range = 262'143'328'850;

/** A folder with zones as below /sys/class/powercap. */
class Powercap {
 public:
  std::filesystem::path root() const { return folder_.path().toStdString(); }
  void write(const std::string& zone, const std::string& file, const std::string& text) const {
    std::filesystem::create_directories(root() / zone);
    std::ofstream(root() / zone / file) << text << '\n';
  }
  void add_zone(const std::string& zone, const std::string& name, std::uint64_t microjoules) const {
    write(zone, "name", name);
    write(zone, "max_energy_range_uj", std::to_string(counter_range));
    set(zone, microjoules);
  }
  /** Sets a counter in place: it is open already. */
  void set(const std::string& zone, std::uint64_t microjoules) const {
    write(zone, "energy_uj", std::to_string(microjoules));
  }

 private:
  QTemporaryDir folder_;
};

std::optional<double> energy_of(const trial::Measurement& measurement) {
  const auto found = std::ranges::find(measurement.metrics, trial::energy_metric, &trial::Metric::name);
  return found == measurement.metrics.end() ? std::nullopt : std::optional(found->value);
}

trial::MeasureOptions seven_repeats() {
  trial::MeasureOptions options;
  options.repeats = 7;
  options.min_repeat_seconds = 0.02;
  return options;
}

}  // namespace

class MeasureEnergyTest : public QObject {
  Q_OBJECT

 private slots:
  void packages_and_memory_are_counted() {
    const Powercap powercap;
    powercap.add_zone("intel-rapl:0", "package-0", 1'000'000);
    powercap.add_zone("intel-rapl:0:0", "core", 500'000);
    powercap.add_zone("intel-rapl:0:1", "dram", 2'000'000);
    powercap.add_zone("intel-rapl:1", "package-1", 3'000'000);
    powercap.add_zone("intel-rapl:2", "psys", 9'000'000);
    powercap.add_zone("intel-rapl-mmio:0", "package-0", 1'000'000);
    const EnergyCounters counters = EnergyCounters::open(powercap.root());
    QVERIFY(counters.available());
    QVERIFY(counters.problem().empty());
    QVERIFY(counters.names() == (std::vector<std::string>{"package-0", "dram", "package-1"}));
    const EnergyCounters::Reading before = counters.read();
    powercap.set("intel-rapl:0", 1'250'000);
    powercap.set("intel-rapl:0:0", 700'000);
    powercap.set("intel-rapl:0:1", 2'500'000);
    powercap.set("intel-rapl:1", 4'000'000);
    QCOMPARE(counters.joules(before, counters.read()), 1.75);
  }

  void a_counter_that_starts_again_loses_nothing() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 100; ++round) {
      const Powercap powercap;
      const std::uint64_t first = random.below(counter_range);
      const std::uint64_t consumed = random.below(counter_range);
      powercap.add_zone("intel-rapl:0", "package-0", first);
      const EnergyCounters counters = EnergyCounters::open(powercap.root());
      const EnergyCounters::Reading before = counters.read();
      powercap.set("intel-rapl:0", (first + consumed) % counter_range);
      const double joules = static_cast<double>(consumed) / 1e6;
      QVERIFY(std::abs(counters.joules(before, counters.read()) - joules) < 1e-6);
    }
  }

  void systems_without_counters_say_so() {
    const Powercap none;
    QVERIFY(!EnergyCounters::open(none.root()).available());
    QVERIFY(EnergyCounters::open(none.root()).problem().contains("no energy counters"));
    QVERIFY(!EnergyCounters::open(none.root() / "missing").available());
    const Powercap odd;
    odd.add_zone("intel-rapl:0", "package-0", 1);
    odd.write("intel-rapl:0", "energy_uj", "none");
    const EnergyCounters counters = EnergyCounters::open(odd.root());
    QVERIFY(!counters.available());
    QVERIFY(counters.problem().contains("energy_uj"));
    QVERIFY(counters.read().empty());
    QVERIFY(std::isnan(counters.joules({}, {})));
  }

  /** Each second consumes 40 J, the warm-up too, which does not count. */
  void the_energy_of_a_call_is_that_of_the_samples() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 20; ++round) {
      const double call_seconds = 1e-5 * (1 + random.uniform());
      StandIn kernel{.call_seconds = [=](std::int64_t) { return call_seconds; }};
      measure::TimedKernel timed = kernel.timed();
      timed.joules = [&] {
        double seconds = 100;
        for (const double region : kernel.region_seconds) seconds += region;
        return 40 * seconds;
      };
      const std::optional<double> energy = energy_of(measure::time_kernel(timed, seven_repeats(), 0));
      QVERIFY(energy.has_value());
      QVERIFY(std::abs(*energy / (40 * call_seconds) - 1) < 1e-9);
    }
  }

  void energy_that_is_not_exact_is_left_out_data() {
    QTest::addColumn<double>("min_seconds");
    QTest::addColumn<bool>("flush");
    QTest::addColumn<double>("watts");
    QTest::newRow("short samples") << 1.0 << false << 40.0;
    QTest::newRow("flushed caches") << 0.0 << true << 40.0;
    QTest::newRow("a counter that stands still") << 0.0 << false << 0.0;
    QTest::newRow("no counter") << 0.0 << false << std::nan("");
  }
  void energy_that_is_not_exact_is_left_out() {
    QFETCH(double, min_seconds);
    QFETCH(bool, flush);
    QFETCH(double, watts);
    StandIn kernel{.call_seconds = [](std::int64_t) { return 1e-4; }};
    measure::TimedKernel timed = kernel.timed();
    timed.joules = [&] { return watts * static_cast<double>(kernel.calls); };
    timed.min_joules_seconds = min_seconds;
    trial::MeasureOptions options = seven_repeats();
    options.flush_caches = flush;
    QVERIFY(!energy_of(measure::time_kernel(timed, options, 0)));
  }
};

KERNELSCAPE_PLAIN_TEST(MeasureEnergyTest)

}  // namespace kernelscape::measure_energy_test
#include "measure_energy_test.moc"
