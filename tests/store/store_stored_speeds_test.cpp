#include <QTest>

#include "core/store/stored_speeds.h"
#include "core/task/task.h"
#include "tests/test_program.h"

namespace kernelscape::store_stored_speeds_test {

class StoreStoredSpeedsTest : public QObject {
  Q_OBJECT

 private slots:
  void a_task_is_bound_by_what_its_shapes_need_most() {
    const auto bound = [](const char* text) { return store::bound_of(*task::parse_task(text)); };
    QVERIFY(bound("conv2d 1x128x28x28 128x128x3x3 pad=1") == trial::KernelBound::Compute);
    QVERIFY(bound("matmul 1024x1024 1024x1024") == trial::KernelBound::Compute);
    QVERIFY(bound("gemv 4096x4096 4096") == trial::KernelBound::Memory);
    QVERIFY(bound("conv2d 1x128x28x28 128x1x3x3 pad=1 groups=128") == trial::KernelBound::Unknown);
  }

  void a_project_is_bound_by_what_it_says_of_itself() {
    const auto bound = [](double flops, double bytes) {
      return store::bound_of(*task::make_generic_task(
          {.problem = "sum", .objective = "time", .unit = "s", .flops = flops, .bytes = bytes}));
    };
    QVERIFY(bound(1e9, 1e6) == trial::KernelBound::Compute);
    QVERIFY(bound(1e6, 1e9) == trial::KernelBound::Memory);
    QVERIFY(bound(0, 1e9) == trial::KernelBound::Unknown);
    QVERIFY(bound(1e9, 0) == trial::KernelBound::Unknown);
  }
};

KERNELSCAPE_PLAIN_TEST(StoreStoredSpeedsTest)

}  // namespace kernelscape::store_stored_speeds_test
#include "store_stored_speeds_test.moc"
