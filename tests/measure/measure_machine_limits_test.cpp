#include <QTemporaryDir>
#include <QTest>

#include "core/measure/cpu_target.h"
#include "core/measure/machine_limits.h"
#include "core/measure/timing_mark.h"
#include "core/task/catalogue.h"

namespace kernelscape {

class MeasureMachineLimitsTest : public QObject {
  Q_OBJECT

 private slots:
  void limits_are_measured() {
    const Result<TargetDescription> target = describe_cpu_target(CompilerNeed::Optional);
    QVERIFY(target);
    const MachineLimits limits = measure_machine_limits(*target, 1, 1e6);
    QVERIFY(limits.peak_gflops > 0);
    QVERIFY(limits.bandwidth_bytes_per_second > 0);
    QCOMPARE(limits.working_set_bytes, 1e6);
  }

  void the_smaller_limit_is_named() {
    const Result<Task> task = parse_task("matmul 64x64 64x64 f32");
    QVERIFY(task);
    QCOMPARE(task_bytes(*task), 3 * 64 * 64 * 4.0);
    // 2 * 64^3 operations on 48 KiB: 10.67 per byte.
    const SpeedLimit memory = speed_limit({1000, 3e9, 1e6}, *task);
    QCOMPARE(memory.name, std::string("memory bandwidth"));
    QCOMPARE(memory.gflops, 32.0);
    const SpeedLimit peak = speed_limit({20, 3e9, 1e6}, *task);
    QCOMPARE(peak.name, std::string("FMA peak"));
    QCOMPARE(peak.gflops, 20.0);
  }

  void nothing_is_claimed_where_nothing_is_known() {
    QCOMPARE(speed_limit({}, *parse_task("matmul 64x64 64x64 f32")).gflops, 0.0);
    QCOMPARE(speed_limit({1000, 1e9, 1e6}, *parse_task("matmul 64x64 64x64 i8")).gflops, 0.0);
    QCOMPARE(speed_limit({1000, 1e9, 1e6}, *make_generic_task({"p", "time", "s"})).gflops, 0.0);
  }

  void the_mark_of_a_timing_is_seen_by_others() {
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    TimingMark first(path);
    TimingMark second(path);
    const TimingWatch watch(path);
    QVERIFY(!watch.timing_now());
    {
      const TimingMark::Scope timing(first);
      QVERIFY(watch.timing_now());
      const TimingMark::Scope at_once(second);
      QVERIFY(watch.timing_now());
    }
    QVERIFY(!watch.timing_now());
  }

  void a_mark_without_a_file_says_nothing_and_fails_nowhere() {
    TimingMark mark("/nowhere");
    const TimingMark::Scope timing(mark);
    QVERIFY(!TimingWatch("/nowhere").timing_now());
  }
};

}  // namespace kernelscape

QTEST_GUILESS_MAIN(kernelscape::MeasureMachineLimitsTest)
#include "measure_machine_limits_test.moc"
