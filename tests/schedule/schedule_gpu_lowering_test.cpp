#include <fmt/format.h>

#include <QTest>

#include "core/loop_nest/passes.h"
#include "core/loop_nest/rewrite.h"
#include "core/loop_nest/shared_memory.h"
#include "core/schedule/lower.h"
#include "core/schedule/schedule.h"
#include "tests/loop_nest/gpu_interpreter.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/nest_arguments.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::schedule_gpu_lowering_test {
using namespace kernelscape::testing;

namespace {

constexpr double max_flops = 400'000;

/** One configuration, interpreted after lowering and after each pass. */
class Checked {
 public:
  Checked(const schedule::ScheduledKernel& kernel, const space::Configuration& configuration)
      : kernel_(kernel),
        configuration_(configuration),
        nest_(schedule::lower(kernel.schedule(), configuration, kernel.target())),
        arguments_(arguments_of(nest_, *kernel.task().op)) {}

  /** What is wrong, or nothing. */
  std::string run() {
    std::string wrong = check(nest_, "lowering");
    const auto observer = [&](std::string_view pass, const loop_nest::LoopNest& nest, double) {
      if (wrong.empty()) wrong = check(nest, pass);
    };
    const auto result = loop_nest::run_passes(nest_, loop_nest::gpu_passes(), observer);
    if (!result && wrong.empty() && result.error().code != ErrorCode::Refused)
      wrong = describe(kernelscape::describe(result.error()), nest_);
    return wrong;
  }

 private:
  std::string check(const loop_nest::LoopNest& nest, std::string_view after) const {
    try {
      GpuInterpreter interpreter(nest, arguments_);
      interpreter.run();
      const task::TensorOperator& op = *kernel_.task().op;
      const std::vector<double> output =
          unpack<double>(nest.buffers[2].layout, std::span<const double>(interpreter.buffer(2)));
      const task::Reference reference =
          task::compute_reference(op, task::make_reference_inputs(op, input_seed), 1);
      const task::Comparison comparison = task::compare_with_reference(op, reference, output);
      if (!comparison.equal)
        return describe(fmt::format("after {}: {}", after, task::describe_mismatch(op, comparison)), nest);
      return check_limits(nest, interpreter.threads());
    } catch (const std::exception& error) {
      return describe(fmt::format("after {}: {}", after, error.what()), nest);
    }
  }

  /** What the limits speak of is what the kernel has. */
  std::string check_limits(const loop_nest::LoopNest& nest, std::int64_t threads) const {
    const space::Evaluation evaluation = kernel_.limits().evaluate(kernel_.space().knobs(), configuration_);
    const auto value = [&](std::string_view name) {
      return evaluation.values.at(kernel_.limits().find(name).value());
    };
    std::int64_t bytes = value(shared_inputs_name(kernel_.limits()));
    if (kernel_.limits().find("shared_output_bytes")) bytes = std::max(bytes, value("shared_output_bytes"));
    if (value("threads") != threads || bytes != loop_nest::place_shared_buffers(nest).bytes)
      return describe(fmt::format("{} threads and {} bytes of shared memory", threads,
                                  loop_nest::place_shared_buffers(nest).bytes),
                      nest);
    return {};
  }

  std::string describe(const std::string& reason, const loop_nest::LoopNest& nest) const {
    return fmt::format("{}, {}, {}: {}\n{}", kernel_.task().text, kernel_.template_name(),
                       kernel_.space().describe(configuration_), reason, loop_nest::to_text(nest));
  }

  const schedule::ScheduledKernel& kernel_;
  const space::Configuration& configuration_;
  loop_nest::LoopNest nest_;
  std::vector<std::vector<double>> arguments_;
};

/** A statement of a nest without the first barrier below it. */
loop_nest::StatementPtr without_barrier(const loop_nest::StatementPtr& statement, int& barriers) {
  if (std::holds_alternative<loop_nest::Barrier>(statement->node))
    return barriers-- == 0 ? nullptr : statement;
  return loop_nest::rewrite_parts(
      statement, [&](const loop_nest::StatementPtr& part) { return without_barrier(part, barriers); });
}

int count_barriers(const loop_nest::StatementPtr& statement) {
  int count = std::holds_alternative<loop_nest::Barrier>(statement->node) ? 1 : 0;
  loop_nest::rewrite_parts(statement, [&](const loop_nest::StatementPtr& part) {
    count += count_barriers(part);
    return part;
  });
  return count;
}

/** Whether threads race without any one of them, and do not with all. */
bool needs_every_barrier(const loop_nest::LoopNest& nest, const std::vector<std::vector<double>>& arguments) {
  interpret_gpu(nest, arguments);
  for (int barrier = 0; barrier < count_barriers(nest.body); ++barrier) {
    loop_nest::LoopNest broken = nest;
    int number = barrier;
    broken.body = without_barrier(nest.body, number);
    try {
      interpret_gpu(broken, arguments);
      return false;
    } catch (const std::runtime_error&) {  // a race
    }
  }
  return true;
}

schedule::ScheduledKernel kernel_of(const std::string& text, const char* name) {
  const auto task = task::parse_task(text);
  if (!task) qFatal("%s", describe(task.error()).c_str());
  auto kernel = schedule::apply_template(*task, cuda_with_tensor_cores(), name);
  if (!kernel) qFatal("%s", describe(kernel.error()).c_str());
  return std::move(*kernel);
}

}  // namespace

class ScheduleGpuLoweringTest : public QObject {
  Q_OBJECT

 private slots:
  void loop_nests_compute_the_operator_before_and_after_every_pass_data() {
    QTest::addColumn<QString>("name");
    for (const schedule::TemplateDeclaration* declaration : templates_of(schedule::TargetKind::Cuda))
      QTest::newRow(declaration->name.c_str()) << QString::fromStdString(declaration->name);
  }

  /** Without a race, an access out of bounds or a read of what was not written. */
  void loop_nests_compute_the_operator_before_and_after_every_pass() {
    QFETCH(QString, name);
    const schedule::TemplateDeclaration& declaration =
        **schedule::find_template(name.toStdString(), schedule::TargetKind::Cuda);
    const schedule::TargetDescription target = cuda_with_tensor_cores();
    base::Random random(random_seed());
    for (int i = 0; i < 8; ++i) {
      const task::Task task = random_task(declaration, target, random, max_flops);
      const auto kernel = declaration.apply(task, target);
      QVERIFY2(kernel.has_value(), kernel ? "" : describe(kernel.error()).c_str());
      const space::Configuration configuration = accepted_member(*kernel, random);
      const std::string wrong = Checked(*kernel, configuration).run();
      QVERIFY2(wrong.empty(), wrong.c_str());
    }
  }

  /** Each barrier is there for a reason: without it, threads of some configuration race. (Of others each
   * thread may read what it wrote itself.) */
  void no_barrier_is_superfluous() {
    base::Random random(random_seed());
    for (const auto& [text, name] :
         {std::pair{"matmul 64x64 64x64 f32", "matmul"}, std::pair{"matmul 64x64 64x64 f16", "matmul-wmma"},
          std::pair{"conv2d 1x8x9x9 8x8x3x3 pad=1 f32", "conv2d-direct"}}) {
      const schedule::ScheduledKernel kernel = kernel_of(text, name);
      bool all_needed = false;
      for (int attempt = 0; attempt < 30 && !all_needed; ++attempt) {
        const loop_nest::LoopNest nest =
            schedule::lower(kernel.schedule(), accepted_member(kernel, random), kernel.target());
        if (count_barriers(nest.body) < 2) continue;
        all_needed = needs_every_barrier(nest, arguments_of(nest, *kernel.task().op));
      }
      QVERIFY2(all_needed, name);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(ScheduleGpuLoweringTest)

}  // namespace kernelscape::schedule_gpu_lowering_test
#include "schedule_gpu_lowering_test.moc"
