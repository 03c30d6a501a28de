#include <fmt/format.h>

#include <QtTest>
#include <memory>

#include "core/kernel/family.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/kernel_measurer.h"
#include "tests/measure/kernel_sources.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::measure_templates_test {

/** Kernels of every CPU template from their source to a checked timing. */
class MeasureTemplatesTest : public QObject {
  Q_OBJECT

 private slots:
  void kernelsAreCheckedAndTimed_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("used");
    const auto row = [](const char* task, const char* used) {
      QTest::addRow("%s: %s", used, task) << QString(task) << QString(used);
    };
    row("conv2d 1x16x14x14 32x16x3x3 stride=1 pad=1 f32", "conv2d-packed");
    row("conv2d 1x24x9x7 17x24x1x1 stride=1 pad=0 f32", "conv2d-packed");
    row("conv2d 2x8x9x9 16x8x1x1 stride=2 pad=0 f32", "conv2d-packed");
    row("conv2d 1x16x14x14 32x16x3x3 stride=1 pad=1 f32", "conv2d-nchwc");
    row("conv2d 1x16x7x7 32x16x1x1 stride=1 pad=0 f32", "conv2d-nchwc");
    row("conv1d 1x5x40 7x5x3 stride=1 pad=1 f32", "conv1d-packed");
    row("conv1d 2x5x40 7x5x1 stride=1 pad=0 f32", "conv1d-packed");
    row("conv3d 1x4x6x7x8 5x4x3x3x3 stride=1 pad=1 f32", "conv3d-packed");
    row("conv3d 1x4x6x7x8 5x4x1x1x1 stride=1 pad=0 f32", "conv3d-packed");
    row("conv2d 1x6x7x7 6x4x4x4 stride=2 pad=1 transposed f32", "transposed-packed");
    row("conv2d 1x24x9x9 24x1x3x3 stride=1 pad=1 groups=24 f32", "depthwise-packed");
    row("conv2d 1x24x9x9 24x1x3x3 stride=2 pad=0:1 groups=24 f32", "depthwise-packed");
    row("conv2d 1x16x14x13 24x16x3x3 stride=2 pad=0:1x1:0 f32", "conv2d-packed");
    row("conv2d 1x6x7x7 6x4x3x3 stride=2 pad=1:0 transposed f32", "transposed-packed");
    row("conv2d 2x24x9x9 56x6x1x1 stride=1 pad=0 groups=4 f32", "grouped-packed");
    row("conv2d 1x34x8x9 51x2x3x3 stride=2 pad=1 groups=17 f32", "grouped-packed");
    row("conv2d 1x16x9x9 48x1x3x3 stride=1 pad=1 groups=16 f32", "grouped-packed");
    row("conv1d 1x12x30 18x4x5 stride=1 pad=4:0 groups=3 f32", "grouped-packed");
    row("conv3d 1x6x4x5x6 10x3x3x3x3 stride=1 pad=1 groups=2 f32", "grouped-packed");
    row("conv2d 1x12x5x5 12x5x4x4 stride=2 pad=1 groups=3 transposed f32", "grouped-packed");
    row("conv2d 1x16x14x14 30x16x3x3 pad=1 f32 +bias+add+relu", "conv2d-packed");
    row("conv2d 1x24x9x7 17x24x1x1 f32 +scale+bias+silu", "conv2d-packed");
    row("conv2d 1x24x9x9 24x1x3x3 pad=1 groups=24 f32 +bias+clip(0,6)", "depthwise-packed");
    row("conv2d 2x24x9x9 56x6x1x1 groups=4 f32 +bias+add+hardswish", "grouped-packed");
    row("conv2d 1x16x14x14 30x16x3x3 pad=1 f32 +bias+gelu", "conv2d-winograd-2x2");
    row("matmul 24x16 16x39 f32 +bias+gelutanh", "matmul-packed");
    row("bmm 3x7x16 3x16x9 f32 +scale+add+tanh", "batch-matmul-packed");
    row("matmul 24x16 16x40 f32", "matmul-packed");
    row("matmul 23x16 16x41 f32", "matmul-blocked");
    row("bmm 3x7x16 3x16x19 f32", "batch-matmul-copied");
    row("gemv 64x48 48 f32", "matmul-packed");
    row("bmm 3x7x16 3x16x9 f32", "batch-matmul-packed");
    row("matmul 24x16 16x40 f32", "matmul-tiled");
    row("gemv 64x48 48 f32", "matmul-tiled");
    row("bmm 6x16x7 6x16x12 transpose_a f32", "batch-matmul-tiled");
    row("bmm 6x24x16 6x9x16 transpose_b f32", "batch-matmul-tiled");
    for (const char* type : {"f16", "bf16"}) {
      const auto of_type = [&](const char* task, const char* used) {
        row(fmt::format("{} {}", task, type).c_str(), used);
      };
      of_type("conv2d 1x15x14x14 33x15x3x3 stride=1 pad=1", "conv2d-packed");
      of_type("conv1d 2x5x40 7x5x1 stride=1 pad=0", "conv1d-packed");
      of_type("conv2d 1x24x9x9 24x1x3x3 stride=2 pad=0:1 groups=24", "depthwise-packed");
      of_type("conv2d 2x24x9x9 56x6x1x1 stride=1 pad=0 groups=4", "grouped-packed");
      of_type("matmul 24x17 17x40", "matmul-packed");
      of_type("bmm 3x7x16 3x16x9", "batch-matmul-packed");
    }
    row("conv2d 1x15x14x14 33x15x3x3 stride=1 pad=1 bf16", "conv2d-bf16");
    row("conv2d 1x6x7x7 6x4x4x4 stride=2 pad=1 transposed bf16", "conv2d-bf16");
    row("matmul 24x17 17x40 bf16", "matmul-bf16");
    row("bmm 3x7x16 3x16x9 bf16", "matmul-bf16");
  }

  void kernelsAreCheckedAndTimed() {
    QFETCH(QString, task);
    QFETCH(QString, used);
    const auto parsed = task::parse_task(task.toStdString());
    QVERIFY2(parsed, parsed ? "" : qPrintable(QString::fromStdString(describe(parsed.error()))));
    const auto target = measure::describe_cpu_target();
    QVERIFY(target.has_value());
    auto kernel = schedule::apply_template(*parsed, *target, used.toStdString());
    QVERIFY2(kernel, kernel ? "" : qPrintable(QString::fromStdString(describe(kernel.error()))));
    const auto family = std::make_shared<const kernel::ScheduleFamily>(std::move(*kernel));
    base::Random random(QRandomGenerator::global()->generate());
    qInfo("seed %llu", static_cast<unsigned long long>(random.seed()));
    std::vector<space::Configuration> batch;
    while (batch.size() < 3) batch.push_back(testing::accepted_member(family->kernel(), random));
    auto measurer = measure::make_kernel_measurer(family, *target, quick_options());
    QVERIFY(measurer.has_value());
    const auto measured = measure_all(**measurer, batch);
    QVERIFY(measured.has_value());
    for (const trial::Measurement& measurement : *measured)
      QVERIFY2(measurement.valid(), qPrintable(QString::fromStdString(measurement.message)));
  }

  /** What is over a limit costs no compiler and leaves its neighbours in the batch alone. */
  void tilesThatOverflowTheRegistersAreRefused() {
    const auto target = measure::describe_cpu_target();
    QVERIFY(target.has_value());
    auto kernel =
        schedule::apply_template(task::parse_task("matmul 64x16 16x64 f32").value(), *target, "matmul-tiled");
    QVERIFY(kernel.has_value());
    const auto family = std::make_shared<const kernel::ScheduleFamily>(std::move(*kernel));
    std::vector<space::Configuration> batch;
    for (const char* text : {R"({"tile_k": [1, 1, 16], "tile_y": [1, 1, 1, 64], "tile_x": [1, 1, 1, 64]})",
                             R"({"tile_k": [16, 1, 1], "tile_y": [64, 1, 1, 1], "tile_x": [64, 1, 1, 1]})"})
      batch.push_back(family->space().configuration_from_json(text).value());
    auto measurer = measure::make_kernel_measurer(family, *target, quick_options());
    QVERIFY(measurer.has_value());
    const auto measured = measure_all(**measurer, batch);
    QVERIFY(measured.has_value());
    QCOMPARE(measured->at(0).category, trial::ErrorCategory::InstantiationError);
    const QString message = QString::fromStdString(measured->at(0).message);
    QVERIFY2(message.contains("accumulators") && message.contains("4096"), qPrintable(message));
    QVERIFY2(measured->at(1).valid(), qPrintable(QString::fromStdString(measured->at(1).message)));
  }
};

KERNELSCAPE_TEST(MeasureTemplatesTest, QCoreApplication)

}  // namespace kernelscape::measure_templates_test
#include "measure_templates_test.moc"
