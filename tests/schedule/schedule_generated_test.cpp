#include <fmt/format.h>

#include <QTest>

#include "core/loop_nest/passes.h"
#include "core/schedule/axis_roles.h"
#include "core/schedule/lower.h"
#include "tests/loop_nest/gpu_interpreter.h"
#include "tests/loop_nest/interpreter.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/nest_arguments.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::schedule_generated_test {
using namespace kernelscape::testing;

namespace {

constexpr const char* generated = "generated";

/** "batch row row depth": the roles of a task's axes, one letter each: b, m, n, k, or - . */
std::string roles_of(const std::string& text) {
  std::string result;
  for (const schedule::AxisRole role : schedule::axis_roles(*task::parse_task(text)->op))
    result += std::string("bmnk-")[static_cast<std::size_t>(role)];
  return result;
}

std::vector<double> output_of(const schedule::ScheduledKernel& kernel,
                              const space::Configuration& configuration) {
  const task::TensorOperator& op = *kernel.task().op;
  const loop_nest::LoopNest nest = schedule::lower(kernel.schedule(), configuration, kernel.target());
  if (kernel.target().kind == schedule::TargetKind::Cpu)
    return unpack<double>(nest.buffers[2].layout, interpret(nest, arguments_of(nest, op)));
  GpuInterpreter interpreter(nest, arguments_of(nest, op));
  interpreter.run();
  return unpack<double>(nest.buffers[2].layout, std::span<const double>(interpreter.buffer(2)));
}

/** The product of the last parts of all tiles of output axes: what a register tile holds. */
std::int64_t sums_in_tile(const schedule::ScheduledKernel& kernel,
                          const space::Configuration& configuration) {
  std::int64_t sums = 1;
  for (std::size_t i = 0; i < kernel.space().knobs().size(); ++i) {
    const space::Knob& knob = kernel.space().knobs()[i];
    if (knob.element_count() == 4) sums *= knob.element(configuration.indices[i], 3);
  }
  return sums;
}

/** Calls visit with every combination of knobs, members or not. */
template <typename Visit>
void for_each_combination(const space::SearchSpace& space, const Visit& visit) {
  space::Configuration configuration{std::vector<std::uint32_t>(space.knobs().size(), 0)};
  for (;;) {
    visit(configuration);
    std::size_t knob = 0;
    while (knob < space.knobs().size() && ++configuration.indices[knob] == space.knobs()[knob].count())
      configuration.indices[knob++] = 0;
    if (knob == space.knobs().size()) return;
  }
}

}  // namespace

/** Schedules by rules: what the rules read of operators, and all that they make of small ones. */
class ScheduleGeneratedTest : public QObject {
  Q_OBJECT

 private slots:
  void axes_have_roles() {
    QCOMPARE(roles_of("matmul 4x5 5x6"), std::string("mnk"));
    QCOMPARE(roles_of("bmm 2x4x5 2x6x5 transpose_b"), std::string("bmnk"));
    QCOMPARE(roles_of("conv2d 2x8x9x9 4x8x3x3"), std::string("mnmmkkk"));
    QCOMPARE(roles_of("conv2d 2x8x9x9 8x4x3x3 transposed").size(), std::size_t{7});
    QCOMPARE(roles_of("conv2d 1x8x9x9 8x1x3x3 groups=8"), std::string("mbmmkk"));
    QCOMPARE(roles_of("conv1d 1x8x9 4x8x3"), std::string("mnmkk"));
  }

  void a_dimension_is_an_axis_own_or_shared() {
    const task::TensorOperator op = *task::parse_task("conv2d 2x8x9x9 4x8x3x3 pad=1")->op;
    const task::TensorAccess& data = op.inputs[0];
    QCOMPARE(schedule::own_dimension(data, 0), 0);   // images
    QCOMPARE(schedule::own_dimension(data, 1), -1);  // filters don't move it
    QCOMPARE(schedule::own_dimension(data, 2), -1);  // rows and the kernel's rows move it together
    QCOMPARE(schedule::own_dimension(data, 4), 1);   // channels
    QCOMPARE(schedule::own_dimension(op.inputs[1], 1), 0);
    QCOMPARE(schedule::own_dimension(op.output, 3), 3);
  }

  /** Of small operators every combination of knobs is tried: members are those that the registers hold, and
   * each computes the operator. */
  void members_are_what_fits_and_compute_the_operator_data() {
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"matmul 16x4 4x8", "matmul 3x8 8x5 i8", "bmm 2x3x4 2x4x6", "conv2d 1x4x4x4 8x4x3x3 pad=1",
          "conv2d 1x3x4x3 4x3x2x2 stride=2 i8", "conv2d 1x8x3x3 8x1x2x2 groups=8",
          "conv2d 1x2x3x3 2x4x2x2 stride=2 transposed", "gemv 16x4 4"})
      QTest::newRow(text) << text;
  }

  void members_are_what_fits_and_compute_the_operator() {
    QFETCH(QString, text);
    const task::Task task = *task::parse_task(text.toStdString());
    const schedule::TargetDescription target = cpu_with_lanes(4);
    const auto kernel = schedule::apply_template(task, target, generated);
    QVERIFY2(kernel.has_value(), kernel ? "" : describe(kernel.error()).c_str());
    const task::TensorOperator& op = *task.op;
    const task::Reference reference =
        task::compute_reference(op, task::make_reference_inputs(op, input_seed), 1);
    std::int64_t members = 0;
    std::int64_t combinations = 0;
    std::string wrong;
    for_each_combination(kernel->space(), [&](const space::Configuration& configuration) {
      ++combinations;
      if (!wrong.empty()) return;
      const bool fits = sums_in_tile(*kernel, configuration) <= target.vector_registers - 2;
      if (kernel->space().contains(configuration) != fits) wrong = "contains() says otherwise";
      // Every 7th of the many: their interpretation takes its time.
      if (!fits || members++ % 7 != 0) return;
      const task::Comparison comparison =
          task::compare_with_reference(op, reference, output_of(*kernel, configuration));
      if (!comparison.equal) wrong = task::describe_mismatch(op, comparison);
      if (!wrong.empty()) wrong += ": " + kernel->space().describe(configuration);
    });
    QVERIFY2(wrong.empty(), wrong.c_str());
    QVERIFY2(members >= 3 && combinations < 2'000'000, qPrintable(QString::number(combinations)));
  }

  /** The same of a GPU, whose limits are its own: a random sample of its many members. */
  void kernels_for_a_gpu_compute_the_operator() {
    base::Random random(random_seed());
    for (const char* text :
         {"matmul 8x4 4x8", "bmm 2x4x4 2x4x4", "conv2d 1x4x4x4 4x4x3x3 pad=1", "conv1d 2x3x8 4x3x3",
          "conv3d 1x2x3x4x4 4x2x2x2x2", "conv2d 1x4x5x5 4x1x3x3 groups=4"}) {
      const task::Task task = *task::parse_task(text);
      const auto kernel = schedule::apply_template(task, schedule::default_cuda_target(), generated);
      QVERIFY2(kernel.has_value(), kernel ? "" : describe(kernel.error()).c_str());
      const task::Reference reference =
          task::compute_reference(*task.op, task::make_reference_inputs(*task.op, input_seed), 1);
      for (int i = 0; i < 12; ++i) {
        const space::Configuration configuration = accepted_member(*kernel, random);
        const task::Comparison comparison =
            task::compare_with_reference(*task.op, reference, output_of(*kernel, configuration));
        QVERIFY2(comparison.equal,
                 (std::string(text) + ": " + kernel->space().describe(configuration)).c_str());
      }
    }
  }

  void what_the_rules_do_not_know_is_reported_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const char* text, schedule::TargetKind kind, const char* reason) {
      QTest::newRow(name) << text << static_cast<int>(kind) << reason;
    };
    row("bytes on a GPU", "matmul 8x8 8x8 i8", schedule::TargetKind::Cuda, "only f32 is supported");
    row("halves", "matmul 8x8 8x8 f16", schedule::TargetKind::Cpu, "only f32 is supported");
  }

  void what_the_rules_do_not_know_is_reported() {
    QFETCH(QString, text);
    QFETCH(int, kind);
    QFETCH(QString, reason);
    const schedule::TargetDescription target =
        static_cast<schedule::TargetKind>(kind) == schedule::TargetKind::Cpu
            ? cpu_with_lanes(8)
            : schedule::default_cuda_target();
    const auto refused = schedule::apply_template(*task::parse_task(text.toStdString()), target, generated);
    QVERIFY(!refused.has_value());
    QVERIFY2(refused.error().message.contains(reason.toStdString()), describe(refused.error()).c_str());
  }
};

KERNELSCAPE_PLAIN_TEST(ScheduleGeneratedTest)

}  // namespace kernelscape::schedule_generated_test
#include "schedule_generated_test.moc"
