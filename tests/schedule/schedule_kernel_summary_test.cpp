#include <QTest>
#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/schedule/kernel_summary.h"
#include "core/schedule/schedule.h"
#include "core/space/features.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::schedule_kernel_summary_test {
using namespace kernelscape::testing;

namespace {

schedule::TargetDescription two_cores() {
  schedule::TargetDescription target = cpu_with_lanes(16);
  target.cores = 2;
  target.vector_registers = 32;
  target.l1_bytes = 1 << 15;
  target.l2_bytes = 1 << 20;
  target.l3_bytes = 1 << 25;
  return target;
}

/** A template's kernels of a task, with their summaries by name. */
class Summarized {
 public:
  Summarized(std::string_view task, std::string_view name)
      : kernel_(*schedule::apply_template(*task::parse_task(task), two_cores(), name)),
        touches_(kernel_.shared_schedule()),
        summary_(kernel_, touches_.tensor_names()),
        knobs_(kernel_.space()) {}

  space::Configuration draw(base::Random& random) const { return *kernel_.space().random_member(random); }

  double number(const space::Configuration& configuration, std::string_view name) const {
    std::array<float, schedule::KernelSummary::columns> row{};
    summary_.write(touches_.of(configuration), row);
    const auto found = std::ranges::find(schedule::KernelSummary::names, name);
    return row.at(static_cast<std::size_t>(found - schedule::KernelSummary::names.begin()));
  }

  double knob(const space::Configuration& configuration, std::string_view name) const {
    const auto found = std::ranges::find(knobs_.names(), name);
    return knobs_.compute(configuration).at(static_cast<std::size_t>(found - knobs_.names().begin()));
  }

 private:
  schedule::ScheduledKernel kernel_;
  schedule::LoopTouches touches_;
  schedule::KernelSummary summary_;
  space::KnobFeatures knobs_;
};

bool near(double value, double expected) { return std::abs(value - expected) < 1e-4; }

}  // namespace

class ScheduleKernelSummaryTest : public QObject {
  Q_OBJECT
 private slots:
  void only_overhanging_tiles_waste() {
    const Summarized exact("matmul 24x36 36x60", "matmul-tiled");
    const Summarized overhanging("conv2d 1x32x13x13 64x32x3x3 pad=1", "conv2d-packed");
    base::Random random(random_seed());
    for (int i = 0; i < 200; ++i) {
      QVERIFY(near(exact.number(exact.draw(random), "log2 wasted iterations"), 0));
      const space::Configuration member = overhanging.draw(random);
      const double tile = overhanging.knob(member, "tile_ow");
      QVERIFY(near(overhanging.number(member, "log2 wasted iterations"),
                   std::log2(std::ceil(13 / tile) * tile / 13)));
    }
  }

  void registers_hold_the_accumulators() {
    const Summarized kernels("conv2d 1x64x14x14 128x64x3x3 pad=1", "conv2d-packed");
    base::Random random(random_seed());
    for (int i = 0; i < 200; ++i) {
      const space::Configuration member = kernels.draw(random);
      const double accumulators = kernels.knob(member, "tile_oc.1") * kernels.knob(member, "tile_ow");
      QVERIFY(near(kernels.number(member, "log2 elements in registers"), std::log2(16 * accumulators)));
      QVERIFY(near(kernels.number(member, "share of registers"), accumulators / 32));
      QVERIFY(near(kernels.number(member, "log2 lanes"), 4));
    }
  }

  void an_odd_number_of_parallel_tiles_is_out_of_balance() {
    const Summarized kernels("matmul 48x32 32x48", "matmul-tiled");
    base::Random random(random_seed());
    for (int i = 0; i < 200; ++i) {
      const space::Configuration member = kernels.draw(random);
      const double parallel = std::exp2(kernels.number(member, "log2 parallel iterations"));
      const double imbalance = std::exp2(kernels.number(member, "log2 imbalance of cores"));
      QVERIFY(near(imbalance, 2 * std::ceil(std::round(parallel) / 2) / std::round(parallel)));
    }
  }

  void at_least_every_element_comes_once() {
    const Summarized kernels("matmul 512x768 768x1024", "matmul-tiled");
    base::Random random(random_seed());
    const double once = std::log2((512.0 * 768 + 768 * 1024 + 512 * 1024) * 4 / (512.0 * 768 * 1024));
    for (int i = 0; i < 500; ++i) {
      const space::Configuration member = kernels.draw(random);
      QVERIFY(kernels.number(member, "log2 bytes from beyond L1") > once - 1e-4);
      QVERIFY(kernels.number(member, "log2 bytes from beyond L2") > once - 1e-4);
      QVERIFY(near(kernels.number(member, "log2 bytes from beyond L3"), once));  // 5.5 MiB fit into it
      QVERIFY(kernels.number(member, "share of L1") <= 1);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(ScheduleKernelSummaryTest)

}  // namespace kernelscape::schedule_kernel_summary_test
#include "schedule_kernel_summary_test.moc"
