// What the system reports of a machine: files of a made-up system, and what is said of them.
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fstream>

#include "core/base/processors.h"
#include "core/base/random.h"
#include "core/measure/gpu/gpu_conditions.h"
#include "core/measure/machine_conditions.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/measure/stub_cuda.h"
#include "tests/test_program.h"

namespace kernelscape::measure_conditions_test {

namespace {

using measure::MachineConditions;

constexpr int two_processors[] = {0, 1};

/** A folder with the files of a system below proc and sys. */
class MadeUpSystem {
 public:
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  /** Writes every file that is read, of a quiet machine. */
  void write_all() const {
    write("proc/stat", "cpu  100 0 50 800 10 0 0 40 0 0\ncpu0 1 2 3\n");
    write("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=2500000\nfull total=1\n");
    write("proc/self/cgroup", "0::/user.slice/build\n");
    write("sys/fs/cgroup/user.slice/build/cpu.stat",
          "usage_usec 9\nnr_throttled 3\nthrottled_usec 1500000\n");
    write("sys/fs/cgroup/user.slice/cpu.stat", "usage_usec 9\nnr_throttled 0\nthrottled_usec 0\n");
    for (const int processor : two_processors) {
      const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(processor);
      write(folder + "/cpufreq/scaling_cur_freq", processor == 0 ? "3000000\n" : "2000000\n");
      write(folder + "/cpufreq/cpuinfo_max_freq", "3100000\n");
      write(folder + "/thermal_throttle/core_throttle_count", "7\n");
    }
    write("sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n");
    write("sys/class/thermal/thermal_zone0/temp", "61000\n");
    write("sys/class/hwmon/hwmon0/name", "nvme\n");
    write("sys/class/hwmon/hwmon0/temp1_input", "99000\n");
    write("sys/class/hwmon/hwmon1/name", "coretemp\n");
    write("sys/class/hwmon/hwmon1/temp2_input", "64500\n");
  }
  MachineConditions read() const { return measure::read_machine_conditions(two_processors, root()); }
  std::filesystem::path root() const { return folder_.path().toStdString(); }

 private:
  QTemporaryDir folder_;
};

bool near(const std::optional<double>& value, double expected) {
  return value && qAbs(*value - expected) <= 1e-9 * expected;
}

/** Readings of a machine, one each second, that all its counters and sensors describe. */
struct MadeUpMachine {
  double steal_share = 0;
  double hertz = 3.1e9;
  double throttles_per_second = 0;
  double celsius = 60;
  double quota_share = 0;
  double waiting_share = 0;
  measure::GpuConditions gpu{};

  void run(int seconds, std::vector<MachineConditions>& readings) const {
    for (int second = 0; second < seconds; ++second) {
      MachineConditions next = readings.empty() ? MachineConditions() : readings.back();
      next.at_seconds += 1;
      next.total_processor_seconds = next.total_processor_seconds.value_or(5) + 2;
      next.total_steal_seconds = next.total_steal_seconds.value_or(1) + 2 * steal_share;
      next.total_heat_throttles = next.total_heat_throttles.value_or(9) + throttles_per_second;
      next.total_quota_seconds = next.total_quota_seconds.value_or(3) + quota_share;
      next.total_waiting_seconds = next.total_waiting_seconds.value_or(4) + waiting_share;
      next.hertz = hertz;
      next.max_hertz = 3.2e9;
      next.celsius = celsius;
      next.gpu = gpu;
      readings.push_back(next);
    }
  }
};

/** The explanation of ten slow seconds after ten usual ones. */
std::string explanation(const MadeUpMachine& usual, const MadeUpMachine& slow) {
  std::vector<MachineConditions> readings;
  usual.run(10, readings);
  slow.run(10, readings);
  const std::span<const MachineConditions> all(readings);
  return measure::explain_slowness(all.first(10), all.subspan(10)).value_or("not known");
}

}  // namespace

class MeasureConditionsTest : public QObject {
  Q_OBJECT

 private slots:
  void everyFileIsRead();
  void missingFilesAreNotKnown();
  void damagedFilesAreNotKnown();
  void limitsOfOlderCgroups();
  void thisMachineCanBeRead();
  void causesAreNamed();
  void whatWasTheSameBeforeIsNoCause();
  void withoutReadingsBefore();
  void gpuCausesAreNamed();
  void nvmlIsReadThroughTheDriver();
};

void MeasureConditionsTest::everyFileIsRead() {
  const MadeUpSystem system;
  system.write_all();
  const MachineConditions read = system.read();
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  QVERIFY(near(read.total_processor_seconds, 1000 / ticks));
  QVERIFY(near(read.total_steal_seconds, 40 / ticks));
  QVERIFY(near(read.total_waiting_seconds, 2.5));
  QVERIFY(near(read.total_quota_seconds, 1.5));
  QVERIFY(near(read.total_heat_throttles, 7));
  QVERIFY(near(read.hertz, 2.5e9));
  QVERIFY(near(read.max_hertz, 3.1e9));
  QVERIFY(near(read.celsius, 64.5));  // not that of the disk
  QVERIFY(!read.gpu.known());
}

void MeasureConditionsTest::missingFilesAreNotKnown() {
  const MadeUpSystem system;
  const MachineConditions read = system.read();
  for (const auto& value :
       {read.total_processor_seconds, read.total_steal_seconds, read.total_waiting_seconds,
        read.total_quota_seconds, read.total_heat_throttles, read.hertz, read.max_hertz, read.celsius})
    QVERIFY(!value);
  QVERIFY(!measure::explain_slowness({}, std::vector{read, read}));
}

void MeasureConditionsTest::damagedFilesAreNotKnown() {
  base::Random random(testing::random_seed());
  for (const char* text : {"", "\n", "-5\n", "-5 -5 -5 -5 -5 -5 -5 -5\n", "1e400\n", "nan\n", "inf\n",
                           "12x\n", "999999999999999999999999\n", "a b c\n"}) {
    const MadeUpSystem system;
    const std::string number = text;
    system.write("proc/stat", "cpu  " + number);
    system.write("proc/pressure/cpu", "some avg10=0 total=" + number);
    system.write("proc/self/cgroup", "0::/group\n:\n::\n" + number);
    system.write("sys/fs/cgroup/group/cpu.stat", "throttled_usec " + number);
    system.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", number);
    system.write("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", number);
    system.write("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", number);
    system.write("sys/class/thermal/thermal_zone0/type", "cpu-thermal\n");
    system.write("sys/class/thermal/thermal_zone0/temp", number);
    const MachineConditions read = system.read();
    for (const auto& value :
         {read.total_processor_seconds, read.total_steal_seconds, read.total_waiting_seconds,
          read.total_quota_seconds, read.total_heat_throttles, read.hertz, read.max_hertz, read.celsius})
      QVERIFY2(!value, text);
  }
  for (int round = 0; round < 200; ++round) {
    const MadeUpSystem system;
    std::string bytes;
    for (std::uint64_t i = random.below(80); i > 0; --i) bytes += static_cast<char>(random.below(256));
    for (const char* file : {"proc/stat", "proc/pressure/cpu", "proc/self/cgroup", "sys/fs/cgroup/cpu.stat"})
      system.write(file, (random.chance(0.5) ? "cpu " : "some total=") + bytes);
    system.read();  // whatever the files hold, nothing fails
  }
}

void MeasureConditionsTest::limitsOfOlderCgroups() {
  const MadeUpSystem system;
  system.write("proc/self/cgroup", "5:memory:/x\n3:cpu,cpuacct:/docker/1\n0::/\n");
  system.write("sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.stat", "nr_throttled 4\nthrottled_time 2000000000\n");
  QVERIFY(near(system.read().total_quota_seconds, 2));
}

void MeasureConditionsTest::thisMachineCanBeRead() {
  const std::vector<int> processors = base::usable_processors();
  const MachineConditions first = measure::read_machine_conditions(processors);
  const MachineConditions second = measure::read_machine_conditions(processors);
  QVERIFY(second.at_seconds >= first.at_seconds);
  QCOMPARE(second.total_processor_seconds.has_value(), first.total_processor_seconds.has_value());
  if (first.hertz) QVERIFY(*first.hertz > 1e7 && *first.hertz < 2e10);
}

void MeasureConditionsTest::causesAreNamed() {
  const MadeUpMachine usual;
  QCOMPARE(explanation(usual, usual), std::string());
  QCOMPARE(explanation(usual, {.steal_share = 0.31}), std::string("steal 31 %"));
  QCOMPARE(explanation({.steal_share = 0.05}, {.steal_share = 0.4}), std::string("steal 40 % (before: 5 %)"));
  QCOMPARE(explanation(usual, {.hertz = 1.2e9}), std::string("cores at 1.2 of 3.1 GHz"));
  QCOMPARE(explanation(usual, {.throttles_per_second = 1.4}), std::string("throttled 14 times by heat"));
  QCOMPARE(explanation(usual, {.celsius = 97}), std::string("the processor at 97 instead of 60 °C"));
  QCOMPARE(explanation(usual, {.quota_share = 0.21}),
           std::string("the cgroup limited the processor for 2.1 s"));
  QCOMPARE(explanation(usual, {.waiting_share = 0.6}),
           std::string("processes waited for a processor in 60 % of the time"));
  QCOMPARE(explanation(usual, {.steal_share = 0.31, .hertz = 1.2e9}),
           std::string("steal 31 %, cores at 1.2 of 3.1 GHz"));
}

void MeasureConditionsTest::whatWasTheSameBeforeIsNoCause() {
  const MadeUpMachine loaded{.steal_share = 0.3,
                             .hertz = 1.2e9,
                             .throttles_per_second = 3,
                             .celsius = 97,
                             .quota_share = 0.2,
                             .waiting_share = 0.5};
  QCOMPARE(explanation(loaded, loaded), std::string());
  QCOMPARE(explanation(loaded, {}), std::string());
}

/** A session that is resumed in a slow phase: the highest clock is known, and counters are counted. */
void MeasureConditionsTest::withoutReadingsBefore() {
  std::vector<MachineConditions> readings;
  const MadeUpMachine slow{.steal_share = 0.3, .hertz = 1.2e9, .celsius = 97};
  slow.run(5, readings);
  QCOMPARE(measure::explain_slowness({}, readings).value_or("not known"),
           std::string("steal 30 %, cores at 1.2 of 3.2 GHz"));
  QVERIFY(!measure::explain_slowness({}, {}));
  // A counter that was reset is not counted.
  readings.back().total_steal_seconds = 0;
  QCOMPARE(measure::explain_slowness({}, readings).value_or("not known"),
           std::string("cores at 1.2 of 3.2 GHz"));
}

void MeasureConditionsTest::gpuCausesAreNamed() {
  const measure::GpuConditions cool{.core_hertz = 1.98e9,
                                    .max_core_hertz = 1.98e9,
                                    .memory_hertz = 2.6e9,
                                    .max_memory_hertz = 2.6e9,
                                    .celsius = 55,
                                    .watts = 400,
                                    .clock_limits = 0x4};
  measure::GpuConditions hot = cool;
  hot.core_hertz = 1.1e9;
  hot.celsius = 88;
  hot.clock_limits = 0x24;
  QCOMPARE(
      explanation({.gpu = cool}, {.gpu = hot}),
      std::string("GPU at 1.1 of 2 GHz, the GPU's clock limited by heat, the GPU at 88 instead of 55 °C"));
  measure::GpuConditions capped = cool;
  capped.memory_hertz = 1.3e9;
  capped.clock_limits = 0x8;
  QCOMPARE(
      explanation({.gpu = cool}, {.gpu = capped}),
      std::string("GPU memory at 1.3 of 2.6 GHz, the GPU's clock limited by its hardware or power supply"));
  measure::GpuConditions unlimited = cool;
  unlimited.clock_limits = 0;
  QCOMPARE(explanation({.gpu = unlimited}, {.gpu = cool}),
           std::string("the GPU's clock limited by its power (400 W)"));
}

void MeasureConditionsTest::nvmlIsReadThroughTheDriver() {
  const auto read = [](const char* behaviour) {
    qputenv(measure_tests::stub_nvml_variable, behaviour);
    return measure::GpuConditionsReader("cuda:0").read();
  };
  for (const char* library : {"KERNELSCAPE_LIBCUDA", "KERNELSCAPE_NVML"})
    qputenv(library, KERNELSCAPE_STUB_CUDA_DRIVER);
  const measure::GpuConditions usual = read("");
  QCOMPARE(usual.core_hertz, 1980e6);
  QCOMPARE(usual.max_core_hertz, 1980e6);
  QCOMPARE(usual.memory_hertz, 2619e6);
  QCOMPARE(usual.celsius, 41.0);
  QCOMPARE(usual.watts, 312.5);
  QCOMPARE(usual.clock_limits, std::uint64_t{0});
  const measure::GpuConditions hot = read("core=1100 celsius=88 limits=32");
  QCOMPARE(hot.core_hertz, 1100e6);
  QCOMPARE(hot.celsius, 88.0);
  QCOMPARE(hot.clock_limits, std::uint64_t{32});
  const measure::GpuConditions absurd = read("core=4000000 celsius=70000");
  QCOMPARE(absurd.core_hertz, 0.0);
  QCOMPARE(absurd.celsius, 0.0);
  qputenv(measure_tests::stub_nvml_variable, "millijoules=250");
  const measure::GpuConditionsReader counting("cuda:0");
  const double before = counting.total_joules();
  QVERIFY(std::abs(counting.total_joules() - before - 0.25) < 1e-9);
  QVERIFY(std::isnan(measure::GpuConditionsReader("opencl:0").total_joules()));
  QVERIFY(!read("init=1").known());
  QVERIFY(!measure::GpuConditionsReader("opencl:0").read().known());
  qputenv("KERNELSCAPE_NVML", "/no/such/library.so");
  QVERIFY(!measure::GpuConditionsReader("cuda:0").read().known());
  for (const char* variable : {"KERNELSCAPE_LIBCUDA", "KERNELSCAPE_NVML", measure_tests::stub_nvml_variable})
    qunsetenv(variable);
}

KERNELSCAPE_PLAIN_TEST(MeasureConditionsTest)

}  // namespace kernelscape::measure_conditions_test
#include "measure_conditions_test.moc"
