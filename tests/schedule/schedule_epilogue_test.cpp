#include <fmt/format.h>

#include <QTest>
#include <cmath>

#include "core/loop_nest/loop_nest.h"
#include "core/schedule/stage_tree.h"
#include "tests/loop_nest/gpu_interpreter.h"
#include "tests/loop_nest/interpreter.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/nest_arguments.h"
#include "tests/schedule/random_epilogue.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"
#include "tests/verify_result.h"

namespace kernelscape::schedule_epilogue_test {
using namespace kernelscape::testing;

namespace {

constexpr double max_flops = 1.5e5;
constexpr double max_gpu_flops = 4e5;

/** True if the template has kernels of f32 for CPUs. */
bool has_floats(const schedule::TemplateDeclaration& declaration) {
  const schedule::TargetDescription target = cpu_with_lanes(8);
  for (const char* text :
       {"conv2d 1x16x8x8 16x16x3x3 pad=1", "conv1d 1x8x20 8x8x3", "conv3d 1x4x6x7x8 5x4x3x3x3",
        "conv2d 1x8x9x9 8x8x3x3 transposed", "conv2d 1x8x9x9 8x1x3x3 groups=8",
        "conv2d 1x8x9x9 8x4x3x3 groups=2", "matmul 16x16 16x16", "bmm 2x16x16 2x16x16"})
    if (declaration.fits(task::parse_task(text).value(), target)) return true;
  return false;
}

task::Task random_float_task(const schedule::TemplateDeclaration& declaration,
                             const schedule::TargetDescription& target, base::Random& random) {
  for (;;) {
    const task::Task task = random_task(declaration, target, random, max_flops);
    if (task.op->accumulator == task::ScalarType::F32) return task;
  }
}

/** The number of elements in which an output in double precision differs from the reference. */
int difference(const task::Task& task, const std::vector<double>& output) {
  const task::Reference reference =
      task::compute_reference(*task.op, task::make_reference_inputs(*task.op, input_seed), 1);
  int count = 0;
  for (std::size_t i = 0; i < reference.values.size(); ++i)
    if (!(std::fabs(output.at(i) - reference.values[i]) <= 1e-9 * (1 + reference.magnitudes[i]))) ++count;
  return count;
}

int difference(const task::Task& task, const loop_nest::LoopNest& nest) {
  return difference(task,
                    unpack<double>(nest.buffers[2].layout, interpret(nest, arguments_of(nest, *task.op), 2)));
}

}  // namespace

/** Kernels that apply an epilogue: in double precision, where only what they compute can be wrong. */
class ScheduleEpilogueTest : public QObject {
  Q_OBJECT

 private slots:
  void nests_apply_the_epilogue_data() {
    QTest::addColumn<QString>("name");
    for (const schedule::TemplateDeclaration* declaration : templates_of(schedule::TargetKind::Cpu))
      if (has_floats(*declaration))
        QTest::newRow(declaration->name.c_str()) << QString::fromStdString(declaration->name);
  }

  void nests_apply_the_epilogue() {
    QFETCH(QString, name);
    const schedule::TemplateDeclaration& declaration =
        **schedule::find_template(name.toStdString(), schedule::TargetKind::Cpu);
    base::Random random(random_seed());
    for (int round = 0; round < 8; ++round) {
      const schedule::TargetDescription target = cpu_with_lanes(random.chance(0.5) ? 4 : 8);
      const task::Task task = with_random_epilogue(random_float_task(declaration, target, random), random);
      QVERIFY(declaration.fits(task, target).has_value());
      const auto kernel = declaration.apply(task, target);
      VERIFY_RESULT(kernel);
      const space::Configuration configuration = accepted_member(*kernel, random);
      const auto lowered = kernel->lower(configuration);
      VERIFY_RESULT(lowered);
      const std::string text = fmt::format("{}, {}", task.text, kernel->space().describe(configuration));
      QVERIFY2(difference(task, lowered->nest) == 0,
               fmt::format("{}\n{}", text, loop_nest::to_text(lowered->nest)).c_str());
      const schedule::StageTree tree = schedule::stage_tree(*kernel, configuration, lowered->nest);
      QVERIFY(tree.nodes.front().text.contains(task::to_string(task.op->epilogue)));
    }
  }

  /** Sums that are kept in the output between reductions are finished in the last iteration only. */
  void carried_sums_are_finished_once() {
    const schedule::TargetDescription target = cpu_with_lanes(4);
    base::Random random(random_seed());
    int carried = 0;
    for (const char* text : {"matmul 4x16 16x8 +bias+tanh", "conv2d 1x16x4x4 8x16x3x3 pad=1 +bias+tanh"})
      for (const schedule::TemplateDeclaration* declaration : templates_of(schedule::TargetKind::Cpu)) {
        const task::Task task = task::parse_task(text).value();
        if (!declaration->fits(task, target)) continue;
        const auto kernel = declaration->apply(task, target);
        VERIFY_RESULT(kernel);
        for (int round = 0; round < 10; ++round) {
          const auto lowered = kernel->lower(accepted_member(*kernel, random));
          VERIFY_RESULT(lowered);
          const std::string nest = loop_nest::to_text(lowered->nest);
          QVERIFY2(nest.contains(" then + bias["), nest.c_str());
          // Such sums start with the output of earlier iterations.
          if (!nest.contains("] = output[")) continue;
          ++carried;
          QVERIFY2(difference(task, lowered->nest) == 0, nest.c_str());
        }
      }
    QVERIFY(carried > 0);
  }

  void types_that_kernels_do_not_finish_are_named() {
    const task::Task task = task::parse_task("matmul 16x16 16x16 f64 +relu").value();
    for (const schedule::TargetDescription& target : {cpu_with_lanes(4), cuda_with_tensor_cores()})
      for (const schedule::TemplateDeclaration* declaration : templates_of(target.kind)) {
        const Status fits = declaration->fits(task, target);
        QVERIFY(!fits);
        QVERIFY2(fits.error().message.contains("not to f64"), fits.error().message.c_str());
      }
  }

  void nests_of_gpus_apply_the_epilogue() {
    base::Random random(random_seed());
    const schedule::TargetDescription target = cuda_with_tensor_cores();
    int applied = 0;
    for (const schedule::TemplateDeclaration* declaration : templates_of(target.kind)) {
      const task::Task sums = random_task(*declaration, target, random, max_gpu_flops);
      const task::Task task = with_random_epilogue(sums, random);
      const Status fits = declaration->fits(task, target);
      if (sums.op->inputs[0].type != task::ScalarType::F32) {
        QVERIFY(!fits.has_value());
        QVERIFY2(fits.error().message.contains("epilogue"), fits.error().message.c_str());
        continue;
      }
      VERIFY_RESULT(fits);
      const auto kernel = declaration->apply(task, target);
      VERIFY_RESULT(kernel);
      const space::Configuration configuration = accepted_member(*kernel, random);
      const auto lowered = kernel->lower(configuration);
      // An unrolled kernel may have too many operations.
      if (!lowered && lowered.error().code == ErrorCode::Refused) continue;
      VERIFY_RESULT(lowered);
      const std::vector<double> output =
          unpack<double>(lowered->nest.buffers[2].layout,
                         interpret_gpu(lowered->nest, arguments_of(lowered->nest, *task.op)));
      QVERIFY2(difference(task, output) == 0,
               fmt::format("{}, {}\n{}", task.text, kernel->space().describe(configuration),
                           loop_nest::to_text(lowered->nest))
                   .c_str());
      ++applied;
    }
    QVERIFY(applied > 0);
  }
};

KERNELSCAPE_TEST(ScheduleEpilogueTest, QCoreApplication)

}  // namespace kernelscape::schedule_epilogue_test
#include "schedule_epilogue_test.moc"
