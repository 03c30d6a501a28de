#include <QtTest>

#include "core/fleet/local_executor.h"
#include "core/measure/cpu/cpu_target.h"
#include "tests/test_program.h"

namespace kernelscape::fleet_baseline_test {

// The vendor's library of a fleet's worker, with a stand-in for BLIS (tests/measure/stub_blas.cpp).

class FleetBaselineTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    qputenv("KERNELSCAPE_BASELINES", "BLIS");
    qputenv("KERNELSCAPE_BLIS", KERNELSCAPE_STUB_BLAS_LIBRARY);
  }

  void cleanupTestCase() {
    qputenv("KERNELSCAPE_BASELINES", "");
    qunsetenv("KERNELSCAPE_BLIS");
  }

  /** A choice takes up to 20 s: it is made once for a task, also if sessions of several tasks take turns. */
  void a_worker_chooses_once_for_each_task() {
    const auto cpu = measure::describe_cpu_target();
    QVERIFY(cpu);
    fleet::MachineArbiter gate("", "a test");
    const std::unique_ptr<fleet::RunExecutor> runner = fleet::make_local_runner(*cpu, gate);
    const measure::Interruption never{.descriptor = -1, .requested = {}};
    std::vector<std::vector<trial::VendorCandidate>> choices;
    for (const char* text : {"matmul 16x16 16x16 f32", "matmul 24x16 16x40 f32", "matmul 16x16 16x16 f32",
                             "matmul 24x16 16x40 f32"}) {
      const std::string task_json = task::task_to_json(*task::parse_task(text));
      QVERIFY(runner->prepare({.task_json = task_json}, never));
      measure::BaselineRequest request;
      request.task_json = task_json;
      request.options.repeats = 2;
      request.options.min_repeat_seconds = 1e-4;
      const auto reply = runner->measure_baseline(request, never);
      QVERIFY2(reply, reply ? "" : describe(reply.error()).c_str());
      QVERIFY(reply->has_value());
      QVERIFY2((*reply)->result.available(), (*reply)->result.reason.c_str());
      choices.push_back((*reply)->result.candidates);
    }
    QCOMPARE(choices[0].size(), std::size_t{2});
    // Another choice would have other times.
    QVERIFY(choices[2] == choices[0] && choices[3] == choices[1]);
    QVERIFY(choices[0] != choices[1]);
  }
};

KERNELSCAPE_TEST(FleetBaselineTest, QCoreApplication)

}  // namespace kernelscape::fleet_baseline_test
#include "fleet_baseline_test.moc"
