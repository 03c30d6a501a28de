#include <QTest>
#include <algorithm>
#include <cerrno>
#include <thread>

#include "core/measure/confirmation.h"
#include "core/measure/counting.h"
#include "core/measure/cpu/counters.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/cpu/memory_ceilings.h"
#include "core/measure/worker/confinement.h"
#include "tests/measure/kernel_sources.h"
#include "tests/test_program.h"

namespace kernelscape::measure_counters_test {
namespace {

/** Counts so much between start and stop, for a share of the time. */
class FakeCounter final : public measure::OpenCounter {
 public:
  explicit FakeCounter(measure::RawCount count) : count_(count) {}
  void restart() override { started_ = true; }
  void stop() override { stopped_ = started_; }
  std::optional<measure::RawCount> read() override { return stopped_ ? std::optional(count_) : std::nullopt; }

 private:
  measure::RawCount count_;
  bool started_ = false;
  bool stopped_ = false;
};

/** Gives what a test says, and else an error. */
class FakeCounters final : public measure::CounterSource {
 public:
  std::unique_ptr<measure::OpenCounter> open(measure::Counter counter, int& error) override {
    error = errors[static_cast<std::size_t>(counter)];
    if (error != 0) return nullptr;
    return std::make_unique<FakeCounter>(counts[static_cast<std::size_t>(counter)]);
  }

  std::array<int, measure::all_counters.size()> errors{};
  std::array<measure::RawCount, measure::all_counters.size()> counts{};
};

measure::RawCount& count_of(FakeCounters& source, measure::Counter counter) {
  return source.counts[static_cast<std::size_t>(counter)];
}

trial::CounterReading read_all(FakeCounters& source, int threads, double calls) {
  measure::ThreadCounters counters(threads, source);
  std::vector<std::jthread> team;
  for (int thread = 0; thread < threads; ++thread) {
    team.emplace_back([&counters, thread] {
      counters.open(thread);
      counters.start(thread);
      counters.stop(thread);
    });
  }
  team.clear();
  return counters.reading(calls, 1.0);
}

std::optional<trial::MissingCounter> missing_of(const trial::CounterReading& reading,
                                                measure::Counter counter) {
  for (const trial::MissingCounter& missing : reading.missing)
    if (missing.name == measure::to_string(counter)) return missing;
  return std::nullopt;
}

bool has(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

trial::MeasureOptions counting_options() {
  trial::MeasureOptions options;
  options.threads = 2;
  options.repeats = 1;
  options.min_repeat_seconds = 0.001;
  return options;
}

}  // namespace

class MeasureCountersTest : public QObject {
  Q_OBJECT

 private slots:
  void threads_are_summed_per_call() {
    FakeCounters source;
    for (measure::RawCount& count : source.counts) count = {1000, 10, 10};
    count_of(source, measure::Counter::TaskClock) = {2'000'000'000, 10, 10};
    const trial::CounterReading reading = read_all(source, 3, 10);
    QVERIFY(reading.missing.empty());
    QCOMPARE(*reading.cycles, 300.0);
    QCOMPARE(*reading.context_switches, 300.0);
    QCOMPARE(*reading.task_clock_seconds, 0.6);
    QCOMPARE(reading.seconds, 0.1);
    QCOMPARE(reading.counted_share, 1.0);
    QCOMPARE(reading.threads, 3);
  }

  void counters_that_took_turns_are_scaled() {
    FakeCounters source;
    for (measure::RawCount& count : source.counts) count = {1000, 10, 10};
    count_of(source, measure::Counter::L1Misses) = {50, 100, 25};
    const trial::CounterReading reading = read_all(source, 1, 1);
    QCOMPARE(*reading.l1_misses, 200.0);
    QCOMPARE(*reading.cycles, 1000.0);
    QCOMPARE(reading.counted_share, 0.25);
    // It never had its turn.
    count_of(source, measure::Counter::L1Misses) = {0, 100, 0};
    const trial::CounterReading without = read_all(source, 1, 1);
    QVERIFY(!without.l1_misses);
    QVERIFY(has(missing_of(without, measure::Counter::L1Misses)->reason, "gave no value"));
  }

  void what_is_missing_says_why() {
    FakeCounters source;
    for (measure::RawCount& count : source.counts) count = {1000, 10, 10};
    source.errors[static_cast<std::size_t>(measure::Counter::Cycles)] = ENOENT;
    const trial::CounterReading reading = read_all(source, 2, 1);
    QVERIFY(!reading.cycles);
    QVERIFY(reading.instructions.has_value());
    QCOMPARE(reading.missing.size(), std::size_t{1});
    QVERIFY(has(missing_of(reading, measure::Counter::Cycles)->reason, "virtual machine"));
    QVERIFY(measure::missing_counters(source).size() == 1);
  }

  void each_refusal_has_a_way_out() {
    const trial::MissingCounter paranoid = measure::missing_counter(measure::Counter::Cycles, EACCES, 4);
    QVERIFY(has(paranoid.reason, "perf_event_paranoid is 4"));
    QVERIFY(has(paranoid.hint, "sysctl kernel.perf_event_paranoid=1"));
    QVERIFY(has(paranoid.hint, "CAP_PERFMON"));
    const trial::MissingCounter container = measure::missing_counter(measure::Counter::Cycles, EPERM, 1);
    QVERIFY(has(container.reason, "container"));
    QVERIFY(has(measure::missing_counter(measure::Counter::ContextSwitches, EACCES, 2).reason,
                "perf_event_paranoid is 2"));
    QVERIFY(has(measure::missing_counter(measure::Counter::Cycles, EACCES, std::nullopt).hint, "sysctl"));
    QVERIFY(has(measure::missing_counter(measure::Counter::Cycles, ENOSYS, 1).reason, "perf_event_open"));
    QVERIFY(has(measure::missing_counter(measure::Counter::Cycles, EMFILE, 1).hint, "ulimit"));
    for (const int error : {ENOENT, EACCES, ENOSYS, EMFILE, EINVAL, 0})
      for (const measure::Counter counter : measure::all_counters)
        QVERIFY(!measure::missing_counter(counter, error, 2).reason.empty());
  }

  /** Whatever this machine has: each counter has a value or a reason. */
  void the_systems_counters_count_or_say_why() {
    measure::ThreadCounters counters(1, measure::system_counters());
    counters.open(0);
    counters.start(0);
    volatile double sum = 0;
    for (int i = 0; i < 1'000'000; ++i) sum = sum + i;
    counters.stop(0);
    const trial::CounterReading reading = counters.reading(1, 0.01);
    const int given = reading.cycles.has_value() + reading.instructions.has_value() +
                      reading.l1_misses.has_value() + reading.l2_misses.has_value() +
                      reading.llc_misses.has_value() + reading.stalled_cycles.has_value() +
                      reading.tlb_misses.has_value() + reading.task_clock_seconds.has_value() +
                      reading.context_switches.has_value();
    QCOMPARE(static_cast<std::size_t>(given) + reading.missing.size(), measure::all_counters.size());
    for (const trial::MissingCounter& missing : reading.missing) QVERIFY(!missing.reason.empty());
    if (reading.instructions) QVERIFY(*reading.instructions > 1e6);
    if (reading.task_clock_seconds) QVERIFY(*reading.task_clock_seconds > 0);
  }

  void a_kernel_is_counted_in_its_process() {
    const SourceFamily family(small_matmul, {{"right", matmul_text()}, {"wrong", "void kernel() {}"}});
    const auto target = measure::describe_cpu_target();
    if (!target) QSKIP("there is no compiler");
    const auto reading =
        measure::count_configuration(family, *target, counting_options(), family.named("right"));
    QVERIFY2(reading, reading ? "" : describe(reading.error()).c_str());
    QVERIFY(reading->has_value());
    QVERIFY((*reading)->calls >= 1);
    QVERIFY((*reading)->seconds > 0);
    QCOMPARE((*reading)->threads, 2);
    // The process may ask for them: where this one is given processor time, a kernel's is.
    const std::vector<trial::MissingCounter> missing = measure::missing_counters(measure::system_counters());
    const bool given_here = std::ranges::none_of(missing, [](const trial::MissingCounter& counter) {
      return counter.name == measure::to_string(measure::Counter::TaskClock);
    });
    if (given_here) QVERIFY((*reading)->task_clock_seconds.has_value());
    const auto wrong =
        measure::count_configuration(family, *target, counting_options(), family.named("wrong"));
    QVERIFY(!wrong);
    QVERIFY(has(wrong.error().message, "WRONG_ANSWER"));
  }

  /** A kernel that is ranked may not open counters: it computes only where that is refused. */
  void who_is_not_counted_may_not_count() {
    if (!measure::confinement_support().system_calls) QSKIP("this system has no filter of system calls");
    const SourceFamily family(
        small_matmul,
        {{"curious", matmul_text("#define _GNU_SOURCE\n#include <errno.h>\n#include <unistd.h>\n"
                                 "#include <sys/syscall.h>",
                                 "  if (syscall(SYS_perf_event_open, 0, 0, -1, -1, 0) != -1 || "
                                 "errno != EPERM) return;")}});
    const auto target = measure::describe_cpu_target();
    if (!target) QSKIP("there is no compiler");
    const std::vector<space::Configuration> curious{family.named("curious")};
    const auto measured = measure::measure_interleaved(family, *target, counting_options(), curious, 1);
    QVERIFY(measured);
    QVERIFY2(measured->configurations.front().valid(), measured->configurations.front().message.c_str());
  }

  void what_is_stopped_counts_nothing() {
    const SourceFamily family(small_matmul, {{"right", matmul_text()}});
    const auto target = measure::describe_cpu_target();
    if (!target) QSKIP("there is no compiler");
    const auto reading = measure::count_configuration(family, *target, counting_options(),
                                                      family.named("right"), [] { return true; });
    QVERIFY(reading);
    QVERIFY(!reading->has_value());
  }

  void what_never_runs_is_refused() {
    const SourceFamily family(small_matmul, {{"right", matmul_text()}});
    schedule::TargetDescription target;
    trial::MeasureOptions options = counting_options();
    options.build_only = true;
    QVERIFY(!measure::count_configuration(family, target, options, family.named("right")));
    target.kind = schedule::TargetKind::Cuda;
    QVERIFY(!measure::count_configuration(family, target, counting_options(), family.named("right")));
  }

  void ceilings_are_measured_or_missed_with_a_reason() {
    const auto target = measure::describe_cpu_target(measure::CompilerNeed::Optional);
    QVERIFY(target);
    const trial::MachineCeilings ceilings = measure::measure_machine_ceilings(*target, 1);
    QVERIFY(ceilings.peak_gflops > 0);
    QVERIFY(ceilings.byte_peak_gflops > 0);
    QCOMPARE(ceilings.threads, 1);
    QVERIFY(!ceilings.measured_utc.empty());
    QVERIFY(!ceilings.levels.empty());
    for (const trial::LevelCeiling& level : ceilings.levels) QVERIFY(level.bytes_per_second > 0);
    for (const base::MemoryLevel level : base::memory_levels) {
      const bool measured = ceilings.bytes_per_second(level).has_value();
      const bool named = std::ranges::any_of(ceilings.notices, [&](const std::string& notice) {
        return notice.find(base::to_string(level)) != std::string::npos;
      });
      QVERIFY2(measured || named, base::to_string(level).data());
    }
  }

  void caches_that_are_not_named_are_reported() {
    auto target = measure::describe_cpu_target(measure::CompilerNeed::Optional);
    QVERIFY(target);
    target->l2_bytes = 0;
    target->l3_bytes = 0;
    int questions = 0;
    // The peak and L1, then it is stopped.
    const trial::MachineCeilings ceilings =
        measure::measure_machine_ceilings(*target, 1, [&] { return ++questions > 2; });
    QVERIFY(!ceilings.bytes_per_second(base::MemoryLevel::Memory));
    QVERIFY(std::ranges::any_of(ceilings.notices, [](const std::string& notice) {
      return has(notice, "L2 was not measured: the system does not report it");
    }));
    schedule::TargetDescription gpu;
    gpu.kind = schedule::TargetKind::Cuda;
    QVERIFY(measure::measure_machine_ceilings(gpu, 1).levels.empty());
    QVERIFY(!measure::measure_machine_ceilings(gpu, 1).notices.empty());
  }

  void a_machine_is_its_device_instructions_and_threads() {
    schedule::TargetDescription target;
    target.device = "Some CPU";
    target.isa = "avx2";
    QCOMPARE(measure::machine_key(target, 1), std::string("Some CPU, avx2, 1 thread"));
    QCOMPARE(measure::machine_key(target, 8), std::string("Some CPU, avx2, 8 threads"));
  }
};

KERNELSCAPE_TEST(MeasureCountersTest, QCoreApplication)

}  // namespace kernelscape::measure_counters_test
#include "measure_counters_test.moc"
