#include <fmt/format.h>

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/codegen/c_emitter.h"
#include "core/codegen/gpu_emitter.h"
#include "core/loop_nest/passes.h"
#include "core/loop_nest/rewrite.h"
#include "tests/codegen/compiled_kernel.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"
#include "tests/verify_result.h"

namespace kernelscape::codegen_epilogue_test {
using namespace kernelscape::testing;

namespace {

constexpr std::int64_t count = 16 * 1001;
constexpr double reach = 100;  // beyond the range of exp in f32

/** A step, and the largest error of its function in unit roundoffs of `scale`. */
struct Bound {
  task::EpilogueStep step;
  double roundoffs = 0;
  double (*scale)(double x) = nullptr;
};

double one(double) { return 1; }
double size(double x) { return std::fabs(x); }

const std::vector<Bound>& bounds() {
  using enum task::EpilogueKind;
  static const std::vector<Bound> all{{{Relu}, 0, one},
                                      {{Clip, -1, 6}, 0, one},
                                      {{LeakyRelu, 0.125}, 1, size},
                                      {{Sigmoid}, 6, one},
                                      {{HardSigmoid, 0.25, 0.5}, 1, one},
                                      {{HardSwish}, 4, size},
                                      {{Silu}, 8, size},
                                      {{Tanh}, 6, one},
                                      {{Gelu}, 8, size},
                                      {{GeluTanh}, 8, size}};
  return all;
}

double argument(std::int64_t i) {
  return static_cast<double>(static_cast<float>(reach * (2 * static_cast<double>(i) / (count - 1) - 1)));
}

/** output[step, i] = step(input[i]) for all steps, `lanes` elements at a time. */
loop_nest::LoopNest nest_of_steps(std::int64_t lanes) {
  enum : int { Block, Lane };
  const auto steps = static_cast<std::int64_t>(bounds().size());
  loop_nest::LoopNest nest;
  nest.vector_lanes = lanes;
  nest.variables = {"block", "lane"};
  nest.ranges = {{0, count / lanes - 1}, {0, lanes - 1}};
  for (const auto& [name, rows] : {std::pair{"input", std::int64_t{1}}, {"unread", 1}, {"output", steps}}) {
    loop_nest::Buffer buffer;
    buffer.name = name;
    buffer.written = std::string_view(name) == "output";
    buffer.layout = loop_nest::row_major("row-major", {rows, count});
    nest.buffers.push_back(std::move(buffer));
  }
  const loop_nest::IndexExpression element =
      loop_nest::IndexExpression::variable(Block) * lanes + loop_nest::IndexExpression::variable(Lane);
  std::vector<loop_nest::StatementPtr> parts;
  for (std::int64_t step = 0; step < steps; ++step) {
    loop_nest::Compute compute{loop_nest::Operation::Copy,
                               {2, element + loop_nest::IndexExpression(step * count), 0},
                               {{0, element, 0}},
                               1,
                               {}};
    compute.epilogue = {bounds()[static_cast<std::size_t>(step)].step};
    parts.push_back(loop_nest::make_statement(loop_nest::Loop{Lane, 0, lanes, loop_nest::LoopKind::Vectorized,
                                                              1, loop_nest::make_statement(compute)}));
  }
  nest.body = loop_nest::make_statement(loop_nest::Loop{Block, 0, count / lanes, loop_nest::LoopKind::Serial,
                                                        1, loop_nest::make_sequence(parts)});
  return nest;
}

}  // namespace

/** The functions of steps in emitted C, against those of the standard library in double precision. */
class CodegenEpilogueTest : public QObject {
  Q_OBJECT

 private slots:
  void functions_are_within_their_bounds_data() {
    QTest::addColumn<int>("lanes");
    for (const int lanes : {1, 4, 8, 16}) QTest::addRow("%d lanes", lanes) << lanes;
  }

  void functions_are_within_their_bounds() {
    QFETCH(int, lanes);
    const auto nest = loop_nest::run_passes(nest_of_steps(lanes), loop_nest::cpu_passes());
    VERIFY_RESULT(nest);
    const codegen::KernelSource source = codegen::emit_c(*nest, {});
    const std::string base = fmt::format("{}/steps_{}", folder_.path().toStdString(), lanes);
    const std::string errors = compile_shared(base, source.text);
    QVERIFY2(errors.empty(), (errors + source.text).c_str());

    std::vector<GuardedArray> arguments;
    for (const codegen::KernelArgument& argument : source.arguments)
      arguments.emplace_back("f32", static_cast<std::size_t>(argument.layout.physical_count()), true);
    for (std::int64_t i = 0; i < count; ++i)
      arguments[0].as<float>()[static_cast<std::size_t>(i)] = static_cast<float>(argument(i));
    const std::string wrong = run_kernel(base + ".so", source.entry, arguments, 1);
    QVERIFY2(wrong.empty(), wrong.c_str());
    const std::span<const float> output = arguments[2].as<float>();
    for (std::size_t step = 0; step < bounds().size(); ++step)
      for (std::int64_t i = 0; i < count; ++i) {
        const Bound& bound = bounds()[step];
        const double x = argument(i);
        const double expected = task::apply(bound.step, x, 0);
        const auto actual = static_cast<double>(output[step * count + static_cast<std::size_t>(i)]);
        // The smallest results are flushed to zero.
        const double allowed = bound.roundoffs * 0x1p-24 * bound.scale(x) + 1e-37;
        QVERIFY2(std::fabs(actual - expected) <= allowed,
                 fmt::format("{} of {} is {}, not {}", task::to_string({bound.step}), x, actual, expected)
                     .c_str());
      }
  }

  /** A model's NaN is an error that its user must see: ONNX's operators keep it. */
  void nan_stays_nan_data() { functions_are_within_their_bounds_data(); }

  void nan_stays_nan() {
    QFETCH(int, lanes);
    const auto nest = loop_nest::run_passes(nest_of_steps(lanes), loop_nest::cpu_passes());
    VERIFY_RESULT(nest);
    const codegen::KernelSource source = codegen::emit_c(*nest, {});
    const std::string base = fmt::format("{}/nan_{}", folder_.path().toStdString(), lanes);
    const std::string errors = compile_shared(base, source.text);
    QVERIFY2(errors.empty(), (errors + source.text).c_str());
    std::vector<GuardedArray> arguments;
    for (const codegen::KernelArgument& argument : source.arguments)
      arguments.emplace_back("f32", static_cast<std::size_t>(argument.layout.physical_count()), true);
    std::ranges::fill(arguments[0].as<float>(), std::numeric_limits<float>::quiet_NaN());
    const std::string wrong = run_kernel(base + ".so", source.entry, arguments, 1);
    QVERIFY2(wrong.empty(), wrong.c_str());
    const std::span<const float> output = arguments[2].as<float>();
    for (std::size_t i = 0; i < output.size(); ++i)
      QVERIFY2(std::isnan(output[i]),
               task::to_string({bounds()[i / static_cast<std::size_t>(count)].step}).c_str());
  }

  void sources_of_gpus_call_the_functions_of_their_language() {
    const task::Task task = task::parse_task("matmul 64x64 64x64 +bias+add+clip(0,6)+gelu").value();
    const auto kernel = schedule::apply_template(task, schedule::default_cuda_target());
    VERIFY_RESULT(kernel);
    base::Random random(random_seed());
    auto lowered = kernel->lower(accepted_member(*kernel, random));
    // An unrolled kernel may have too many operations.
    for (int attempt = 0; attempt < 100 && !lowered; ++attempt)
      lowered = kernel->lower(accepted_member(*kernel, random));
    VERIFY_RESULT(lowered);
    const std::string cuda = codegen::emit_gpu(lowered->nest, codegen::Dialect::Cuda, {}).text;
    QVERIFY2(cuda.contains("output, const float *__restrict__ bias, const float *__restrict__ residual)"),
             cuda.c_str());
    QVERIFY2(cuda.contains("value = (value < 0.0f ? 0.0f : value > 6.0f ? 6.0f : value);"), cuda.c_str());
    QVERIFY2(cuda.contains("erff("), cuda.c_str());
    const std::string opencl = codegen::emit_gpu(lowered->nest, codegen::Dialect::OpenCl, {}).text;
    QVERIFY2(opencl.contains("value = (value < 0.0f ? 0.0f : value > 6.0f ? 6.0f : value);"), opencl.c_str());
    QVERIFY2(opencl.contains("erf("), opencl.c_str());
  }

 private:
  QTemporaryDir folder_;
};

KERNELSCAPE_TEST(CodegenEpilogueTest, QCoreApplication)

}  // namespace kernelscape::codegen_epilogue_test
#include "codegen_epilogue_test.moc"
