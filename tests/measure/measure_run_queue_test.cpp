#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/processors.h"
#include "core/base/thread_cpu_time.h"
#include "core/measure/worker/confinement.h"
#include "core/measure/worker/kernel_threads.h"
#include "core/measure/worker/run_queue_delay.h"
#include "tests/test_program.h"

namespace kernelscape::measure_run_queue_test {

namespace {

using Wait = std::optional<std::uint64_t>;

/** Computes for so long, however long that takes. */
void spin(double processor_seconds) {
  const double begin = base::thread_cpu_seconds();
  while (base::thread_cpu_seconds() - begin < processor_seconds) continue;
}

}  // namespace

class MeasureRunQueueTest : public QObject {
  Q_OBJECT

 private slots:
  void theSecondNumberIsTheDelay() {
    QCOMPARE(measure::parse_run_queue_delay("0 51235 1\n"), Wait(51235));
    QCOMPARE(measure::parse_run_queue_delay("4038 0 7"), Wait(0));
    QCOMPARE(measure::parse_run_queue_delay("1 18446744073709551615 2\n"), Wait(18446744073709551615U));
    // A system that keeps no account says 0 of everything.
    for (const char* none : {"", "\n", "0 0 0\n", "5 5", "5 5\n", "5 x 5\n", "5 5x 5\n", "-1 5 5\n",
                             "5 -5 5\n", "5 18446744073709551616 5\n", "5\n5\n5\n"})
      QVERIFY2(!measure::parse_run_queue_delay(none), none);
  }

  void timeIsLostByWaiting() {
    // 0.5 % of 20 ms are 100 us.
    QVERIFY(!(measure::LostTime{.longest_wait_seconds = 99e-6, .preemptions = 9}.disturbs(0.02)));
    QVERIFY((measure::LostTime{.longest_wait_seconds = 101e-6, .preemptions = 0}.disturbs(0.02)));
    QVERIFY(!(measure::LostTime{.longest_wait_seconds = 0, .preemptions = 1}.disturbs(0)));
    // Where waiting is not known, a context switch has to do.
    QVERIFY((measure::LostTime{.preemptions = 1}.disturbs(0.02)));
    QVERIFY(!measure::LostTime{}.disturbs(0.02));
  }

  void theThreadThatWaitedLongestCounts() {
    QCOMPARE(measure::longest_wait({Wait(2), Wait(2'000'000'000), Wait(0)}), std::optional<double>(2.0));
    QCOMPARE(measure::longest_wait({Wait(0)}), std::optional<double>(0.0));
    QVERIFY(!measure::longest_wait({Wait(5), Wait()}));
    QVERIFY(!measure::longest_wait({}));
  }

  void readingsGrow() {
    const measure::RunQueueDelay delay = measure::RunQueueDelay::of_this_thread();
    const Wait first = delay.nanoseconds();
    if (!first) QSKIP("this system does not say how long threads wait");
    QVERIFY(measure::RunQueueDelay::of_thread(gettid()).nanoseconds() >= first);
    QVERIFY(delay.nanoseconds() >= first);
    measure::ThreadWatch watch(measure::RunQueueDelay::of_this_thread());
    QVERIFY(!watch.waited());  // it has not begun
    watch.begin();
    QVERIFY(watch.waited().has_value());
    measure::ProcessWatch process;
    process.begin();
    QVERIFY(process.lost().longest_wait_seconds.has_value());
    // Of no thread nothing is known.
    QVERIFY(!measure::RunQueueDelay().nanoseconds());
    QVERIFY(!measure::RunQueueDelay::of_thread(0).nanoseconds());
    measure::ThreadWatch none;
    none.begin();
    QVERIFY(!none.waited());
  }

  void threadsThatShareAProcessorWait() {
    constexpr double each_seconds = 0.02;
    if (!measure::RunQueueDelay::of_this_thread().nanoseconds())
      QSKIP("this system does not say how long threads wait");
    const std::vector<int> one{base::usable_processors().front()};
    std::thread([&] {  // it pins the thread that it is started on
      const auto threads = measure::KernelThreads::start(2, one, [] {});
      QVERIFY(threads != nullptr);
      threads->watch();
      threads->call([](int) { spin(each_seconds); });
      const measure::LostTime lost = threads->lost();
      // While the first one computes, the other one waits.
      QVERIFY(lost.longest_wait_seconds.has_value());
      QVERIFY2(*lost.longest_wait_seconds > each_seconds / 2,
               std::to_string(*lost.longest_wait_seconds).c_str());
      QVERIFY(lost.disturbs(2 * each_seconds));
    })
        .join();
  }

  void cpuTimeIsThatOfAllThreads() {
    constexpr double each_seconds = 0.005;
    constexpr int parts = 3;
    const std::vector<int> processors = base::usable_processors();
    std::thread([&] {
      const auto threads = measure::KernelThreads::start(parts, processors, [] {});
      QVERIFY(threads != nullptr);
      const double before = threads->processor_seconds();
      threads->call([](int) { spin(each_seconds); });
      QVERIFY(threads->processor_seconds() - before >= parts * each_seconds);
    }).join();
  }

  void itIsKnownWhereKernelsAreConfined() {
    const bool known = measure::RunQueueDelay::of_this_thread().nanoseconds().has_value();
    measure::Confinement confinement = measure::Confinement::of_kernel();
    const pid_t child = fork();
    QVERIFY(child >= 0);
    if (child == 0) {
      prctl(PR_SET_DUMPABLE, 0);
      confinement.apply();
      _exit(measure::RunQueueDelay::of_this_thread().nanoseconds() ? 1 : 0);
    }
    int status = 0;
    QCOMPARE(waitpid(child, &status, 0), child);
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), known ? 1 : 0);
  }
};

KERNELSCAPE_TEST(MeasureRunQueueTest, QCoreApplication)

}  // namespace kernelscape::measure_run_queue_test
#include "measure_run_queue_test.moc"
