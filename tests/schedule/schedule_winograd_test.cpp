#include <fmt/format.h>

#include <QTest>
#include <cmath>
#include <cstdlib>

#include "core/loop_nest/passes.h"
#include "core/schedule/lower.h"
#include "core/schedule/schedule.h"
#include "core/schedule/stage_tree.h"
#include "tests/loop_nest/interpreter.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/nest_arguments.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::schedule_winograd_test {
using namespace kernelscape::testing;

namespace {

std::vector<const schedule::TemplateDeclaration*> winograd_templates() {
  std::vector<const schedule::TemplateDeclaration*> found;
  for (const schedule::TemplateDeclaration& declaration : schedule::template_registry())
    if (declaration.name.starts_with("conv2d-winograd")) found.push_back(&declaration);
  return found;
}

/** Any image, channels and padding of 0 to 2 on each side. */
task::Task random_layer(base::Random& random) {
  for (;;) {
    task::Convolution c;
    c.batch = between(random, 1, 2);
    c.input_channels = between(random, 1, 11);
    c.output_channels = between(random, 1, 11);
    c.input_size = {between(random, 1, 15), between(random, 1, 15)};
    c.kernel = {3, 3};
    c.stride = c.dilation = {1, 1};
    c.padding = {between(random, 0, 2), between(random, 0, 2)};
    c.padding_end = {between(random, 0, 2), between(random, 0, 2)};
    if (const Result<task::Task> task = task::make_convolution_task(c, {})) return *task;
  }
}

int rounds() {
  const char* given = std::getenv("KERNELSCAPE_TEST_ROUNDS");
  return given != nullptr ? std::atoi(given) : 12;
}

std::string default_of(const char* text, bool exact = false) {
  return schedule::default_template(*task::parse_task(text), cpu_with_lanes(16), exact);
}

}  // namespace

/** Kernels by Winograd's algorithm: their results, their memory, and when they are the default. */
class ScheduleWinogradTest : public QObject {
  Q_OBJECT

 private slots:
  /** In double precision, where nothing but the transforms themselves can be wrong. */
  void nests_compute_convolutions_of_any_shape() {
    base::Random random(random_seed());
    for (int round = 0; round < rounds(); ++round)
      for (const schedule::TemplateDeclaration* declaration : winograd_templates()) {
        const task::Task task = random_layer(random);
        const auto kernel = declaration->apply(task, cpu_with_lanes(random.chance(0.5) ? 4 : 8));
        QVERIFY2(kernel, kernel ? "" : describe(kernel.error()).c_str());
        const space::Configuration configuration = accepted_member(*kernel, random);
        const auto lowered = kernel->lower(configuration);
        const std::string name =
            fmt::format("{} {} {}", declaration->name, task.text, kernel->space().describe(configuration));
        QVERIFY2(lowered, name.c_str());
        const task::TensorOperator& op = *task.op;
        const std::vector<double> output = unpack<double>(
            lowered->nest.buffers[2].layout, interpret(lowered->nest, arguments_of(lowered->nest, op), 2));
        const task::Reference reference =
            task::compute_reference(op, task::make_reference_inputs(op, input_seed), 1);
        for (std::size_t i = 0; i < output.size(); ++i)
          QVERIFY2(std::fabs(output[i] - reference.values[i]) < 1e-10,
                   fmt::format("{}: {} at {}", name, output[i], i).c_str());
        const schedule::StageTree tree = schedule::stage_tree(*kernel, configuration, lowered->nest);
        for (const schedule::StageNode& node : tree.nodes)
          if (node.kind == schedule::StageNodeKind::Stage)
            QVERIFY2(!node.lines.empty(), fmt::format("{}: {}", name, node.text).c_str());
      }
  }

  void other_convolutions_are_refused() {
    for (const schedule::TemplateDeclaration* declaration : winograd_templates()) {
      const auto fits = [&](const char* text) {
        return declaration->fits(*task::parse_task(text), cpu_with_lanes(16)).has_value();
      };
      QVERIFY(!declaration->exact);
      QVERIFY(fits("conv2d 1x8x9x9 8x8x3x3 pad=1"));
      for (const char* text :
           {"conv2d 1x8x9x9 8x8x3x3 stride=2 pad=1", "conv2d 1x8x9x9 8x8x1x1", "conv2d 1x8x9x9 8x8x5x5 pad=2",
            "conv2d 1x8x9x9 8x8x3x3 dilation=2", "conv2d 1x8x9x9 8x1x3x3 groups=8",
            "conv2d 1x8x9x9 8x8x3x3 pad=1 i8", "conv2d 1x8x9x9 8x8x3x3 transposed", "matmul 8x8 8x8"})
        QVERIFY2(!fits(text), text);
    }
  }

  void the_default_is_winograd_where_it_saves_time() {
    QCOMPARE(default_of("conv2d 1x128x28x28 128x128x3x3 pad=1"), std::string("conv2d-winograd-4x4"));
    QVERIFY(default_of("conv2d 1x64x56x56 64x64x3x3 pad=1").starts_with("conv2d-winograd"));
    QCOMPARE(default_of("conv2d 1x128x28x28 128x128x3x3 pad=1", true), std::string());
    QCOMPARE(default_of("conv2d 1x3x224x224 64x3x3x3 pad=1"), std::string());
    QCOMPARE(default_of("conv2d 1x128x28x28 128x128x1x1"), std::string());
    QCOMPARE(default_of("conv2d 1x128x28x28 128x128x3x3 pad=1 i8"), std::string());
    QCOMPARE(default_of("matmul 256x256 256x256"), std::string());
    QCOMPARE(schedule::default_template(*task::parse_task("conv2d 1x128x28x28 128x128x3x3 pad=1"),
                                        schedule::default_cuda_target(), false),
             std::string());
  }

  /** Local memory is limited by the bytes that the nest allocates for transformed tiles. */
  void transformed_tiles_fit_into_local_memory() {
    base::Random random(random_seed());
    const task::Task task = *task::parse_task("conv2d 1x512x56x56 512x512x3x3 pad=1");
    for (const schedule::TemplateDeclaration* declaration : winograd_templates()) {
      const auto kernel = declaration->apply(task, cpu_with_lanes(16));
      QVERIFY(kernel.has_value());
      int refused = 0;
      for (int i = 0; i < 60; ++i) {
        const auto member = kernel->space().random_member(random);
        if (!member) continue;
        const loop_nest::LoopNest nest =
            kernelscape::schedule::lower(kernel->schedule(), *member, kernel->target());
        std::int64_t bytes = 0;
        for (const loop_nest::Buffer& buffer : nest.buffers) {
          if (buffer.scope != loop_nest::BufferScope::Local || buffer.name.ends_with("_patch")) continue;
          // Without the vector of padding of each element of a tile.
          bytes += buffer.extents[0] * buffer.extents[1] * (buffer.extents[2] - 16) * 4;
        }
        QCOMPARE(kernel->within_limits(*member), bytes <= 2 << 20);
        refused += bytes > 2 << 20 ? 1 : 0;
      }
      QVERIFY(refused > 0);
    }
  }
};

KERNELSCAPE_TEST(ScheduleWinogradTest, QCoreApplication)

}  // namespace kernelscape::schedule_winograd_test
#include "schedule_winograd_test.moc"
