#include <fmt/format.h>

#include <QTest>
#include <cmath>

#include "core/task/catalogue.h"
#include "core/task/reference.h"
#include "core/task/task.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_epilogue.h"
#include "tests/schedule/random_tasks.h"
#include "tests/task/naive_reference.h"
#include "tests/test_program.h"
#include "tests/verify_result.h"

namespace kernelscape::task_epilogue_test {
using namespace kernelscape::testing;

namespace {

/** The element of an operand for an output's position, from the definition of channels alone. */
double operand_at(const task::Task& task, task::EpilogueKind kind, const std::vector<double>& operand,
                  std::size_t position) {
  if (kind == task::EpilogueKind::Add) return operand.at(position);
  if (const auto* convolution = std::get_if<task::Convolution>(&task.definition)) {
    std::size_t image = 1;
    for (const std::int64_t size : convolution->output_size()) image *= static_cast<std::size_t>(size);
    return operand.at(position / image % static_cast<std::size_t>(convolution->output_channels));
  }
  const auto& m = std::get<task::MatrixMultiplication>(task.definition);
  return operand.at(position % static_cast<std::size_t>(m.n));
}

/** The sums of the definition, and then every step on every element. */
std::vector<double> naive_values(const task::Task& task, const task::ReferenceInputs& inputs) {
  std::vector<double> values = naive_reference(task, inputs).values;
  std::size_t operand = 2;
  for (const task::EpilogueStep& step : task.op->epilogue) {
    const std::vector<double>* tensor =
        task::has_operand(step.kind) ? &inputs.tensors.at(operand++) : nullptr;
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] =
          task::apply(step, values[i], tensor != nullptr ? operand_at(task, step.kind, *tensor, i) : 0);
  }
  return values;
}

task::Task random_sums(base::Random& random) {
  for (;;) {
    const Result<task::Task> task =
        random.chance(0.5) ? random_convolution(random) : random_multiplication(random);
    if (task && task->flops() < 3e5) return *task;
  }
}

/** A product with so many outputs that some of them are above zero. */
task::Task random_product(base::Random& random) {
  for (;;) {
    const Result<task::Task> task = random_multiplication(random);
    if (task && task->op->output.element_count() >= 64 && task->op->output.shape.back() >= 8) return *task;
  }
}

}  // namespace

/** Steps behind the sums of a task: their texts, their reference, and what the check catches. */
class TaskEpilogueTest : public QObject {
  Q_OBJECT

 private slots:
  void texts_are_read_as_written() {
    base::Random random(random_seed());
    for (int round = 0; round < 300; ++round) {
      const std::vector<task::EpilogueStep> steps = random_epilogue(random);
      const std::string text = task::to_string(steps);
      const auto read = task::parse_epilogue(text);
      VERIFY_RESULT(read);
      QVERIFY2(*read == steps, text.c_str());
      const task::Task task = task::with_epilogue(random_sums(random), steps).value();
      const auto parsed = task::parse_task(task.text);
      VERIFY_RESULT(parsed);
      QVERIFY2(*parsed == task, task.text.c_str());
      const auto stored = task::task_from_json(task::task_to_json(task));
      VERIFY_RESULT(stored);
      QVERIFY2(*stored == task, task.text.c_str());
    }
    QVERIFY(task::parse_epilogue("")->empty());
    QCOMPARE(task::to_string(std::vector<task::EpilogueStep>{}), std::string());
  }

  void spaces_and_exponents_are_read() {
    const auto steps = task::parse_epilogue("+bias + clip( 0, 1e+2 )+ relu");
    VERIFY_RESULT(steps);
    QCOMPARE(task::to_string(*steps), std::string("+bias+clip(0,100)+relu"));
    // In lists that commas separate.
    QCOMPARE(task::to_string(task::parse_epilogue("+clip(0:6)").value()), std::string("+clip(0,6)"));
    for (const char* text :
         {"matmul 8x8 8x8 f32 +bias+relu", "matmul 8x8 8x8 f32+bias+relu", "matmul 8x8 8x8 +bias +relu"}) {
      const auto task = task::parse_task(text);
      VERIFY_RESULT(task);
      QCOMPARE(task->text, std::string("matmul 8x8 8x8 f32 +bias+relu"));
      QCOMPARE(task->name, task->text);
    }
  }

  void what_is_no_epilogue_is_refused_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* task, const char* part) { QTest::newRow(task) << task << part; };
    row("matmul 8x8 8x8 +rellu", "rellu");
    row("matmul 8x8 8x8 +bias+", "unknown step");
    row("matmul 8x8 8x8 +clip", "0 numbers, not 2");
    row("matmul 8x8 8x8 +clip(6)", "1 numbers, not 2");
    row("matmul 8x8 8x8 +clip(6,0)", "above the second");
    row("matmul 8x8 8x8 +clip(0,6", "parenthesis");
    row("matmul 8x8 8x8 +clip(0,nan)", "not a number");
    row("matmul 8x8 8x8 +leakyrelu(x)", "not a number");
    row("matmul 8x8 8x8 +relu(1)", "1 numbers, not 0");
    row("matmul 8x8 8x8 i8 +relu", "i32");
    row("gemv 16x8 8 +relu+bias", "+bias has an element per column");
    row("gemv 16x8 8 f32+scale", "+scale has an element per column");
    row("matmul 8x8 8x8 +relu+relu+relu+relu+relu+relu+relu+relu+relu", "9 steps");
  }

  void what_is_no_epilogue_is_refused() {
    QFETCH(QString, task);
    QFETCH(QString, part);
    const auto read = task::parse_task(task.toStdString());
    QVERIFY(!read.has_value());
    QCOMPARE(read.error().code, ErrorCode::InvalidArgument);
    QVERIFY2(read.error().message.contains(part.toStdString()), describe(read.error()).c_str());
    QVERIFY(!read.error().hint.empty());
    if (part == "rellu") QVERIFY(read.error().hint.contains("+relu +clip(a,b)"));
    if (part == "i32") QCOMPARE(read.error().hint, std::string("use f32, f16 or bf16"));
  }

  void a_product_with_a_vector_has_a_bias_per_row_where_the_hint_says() {
    const auto refused = task::parse_task("gemv 16x8 8 +bias");
    QVERIFY(!refused && refused.error().hint.contains("matmul 1x8 16x8 transpose_b,"));
    const auto catalogue =
        task::Catalogue::read_text(R"({"tasks": [{"name": "mine/V1", "task": "gemv 16x8 8"}]})", "a test");
    VERIFY_RESULT(catalogue);
    QVERIFY(!catalogue->find("mine/V1+bias") && catalogue->find("mine/V1+relu"));
    const auto task = task::parse_task("matmul 1x8 16x8 transpose_b +bias");
    VERIFY_RESULT(task);
    QCOMPARE(task->op->operands[0].shape, std::vector<std::int64_t>{16});
    const auto added = task::parse_task("gemv 16x8 8 +add+relu");
    VERIFY_RESULT(added);
    QCOMPARE(added->op->operands[0].shape, (std::vector<std::int64_t>{16, 1}));
  }

  void names_of_a_catalogue_take_steps() {
    const auto catalogue = task::Catalogue::read_text(
        R"({"tasks": [{"name": "mine/C1", "task": "conv2d 1x8x9x9 16x8x3x3 pad=1"}]})", "a test");
    VERIFY_RESULT(catalogue);
    const auto task = catalogue->find("mine/C1+bias+relu");
    VERIFY_RESULT(task);
    QCOMPARE(task->name, std::string("mine/C1+bias+relu"));
    QCOMPARE(task->text,
             std::string("conv2d 1x8x9x9 16x8x3x3 stride=1 pad=1 dilation=1 groups=1 f32 +bias+relu"));
    const auto spaced = catalogue->find("mine/C1 +bias +relu");
    VERIFY_RESULT(spaced);
    QVERIFY(*spaced == *task);
    QVERIFY(!catalogue->find("mine/C1+rellu").has_value());
    QVERIFY(!catalogue->find("mine/C2+relu").has_value());
    const auto plain = catalogue->find("mine/C1");
    VERIFY_RESULT(plain);
    QVERIFY(plain->op->epilogue.empty() && plain->op->operands.empty());
    QVERIFY(!plain->text.contains('+'));
  }

  void operands_have_the_channels_or_the_output_of_the_sums() {
    const task::Task task =
        task::parse_task("conv2d 2x8x9x7 16x8x3x3 pad=1 +bias+scale+add+bias+add").value();
    std::vector<std::string> names;
    for (const task::TensorAccess& operand : task.op->operands) names.push_back(operand.tensor);
    QCOMPARE(names, (std::vector<std::string>{"bias", "scale", "residual", "bias2", "residual2"}));
    QCOMPARE(task.op->operands[0].shape, std::vector<std::int64_t>{16});
    QCOMPARE(task.op->operands[2].shape, (std::vector<std::int64_t>{2, 16, 9, 7}));
    const double plain = task::task_bytes(task::parse_task("conv2d 2x8x9x7 16x8x3x3 pad=1").value());
    QCOMPARE(task::task_bytes(task), plain + 4 * (3 * 16 + 2 * 2 * 16 * 9 * 7));
  }

  void the_reference_applies_the_steps() {
    base::Random random(random_seed());
    for (int round = 0; round < 60; ++round) {
      const task::Task task = with_random_epilogue(random_sums(random), random);
      const task::ReferenceInputs inputs = task::make_reference_inputs(*task.op, random.bits());
      const task::Reference reference = task::compute_reference(*task.op, inputs, 2);
      const std::vector<double> expected = naive_values(task, inputs);
      QCOMPARE(reference.values.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        QVERIFY2(std::fabs(reference.values[i] - expected[i]) <= 1e-12 * (1 + reference.magnitudes[i]),
                 fmt::format("{}: {} instead of {} at {}", task.text, reference.values[i], expected[i], i)
                     .c_str());
        QVERIFY(reference.magnitudes[i] >= std::fabs(reference.values[i]));
      }
    }
  }

  void rounded_results_pass_and_a_forgotten_bias_does_not() {
    base::Random random(random_seed());
    for (const char* steps :
         {"+bias", "+bias+relu", "+bias+add+silu", "+scale+bias+clip(-1,6)", "+bias+gelu"}) {
      const task::Task sums = random_product(random);
      const task::Task task = task::with_epilogue(sums, task::parse_epilogue(steps).value()).value();
      task::ReferenceInputs inputs = task::make_reference_inputs(*task.op, random.bits());
      const task::Reference reference = task::compute_reference(*task.op, inputs, 1);
      std::vector<double> output;
      for (const double value : reference.values)
        output.push_back(static_cast<double>(static_cast<float>(value)));
      QVERIFY(task::compare_with_reference(*task.op, reference, output).equal);
      for (std::size_t i = 0; i < task.op->operands.size(); ++i)
        if (task.op->operands[i].tensor == "bias") std::ranges::fill(inputs.tensors[2 + i], 0.0);
      const std::vector<double> without = task::compute_reference(*task.op, inputs, 1).values;
      QVERIFY2(!task::compare_with_reference(*task.op, reference, without).equal, task.text.c_str());
    }
  }

  /** The sigmoid's derivative is at most 1/4: so much smaller is the tolerance, also where sums are long. */
  void a_bias_that_is_forgotten_before_a_sigmoid_is_found() {
    base::Random random(random_seed());
    const task::Task task = task::parse_task("matmul 32x32768 32768x32 f32 +bias+sigmoid").value();
    task::ReferenceInputs inputs = task::make_reference_inputs(*task.op, random.bits());
    std::ranges::fill(inputs.tensors[2], 1.0);
    const task::Reference reference = task::compute_reference(*task.op, inputs, 2);
    QVERIFY(task::compare_with_reference(*task.op, reference, reference.values).equal);
    std::ranges::fill(inputs.tensors[2], 0.0);
    const std::vector<double> without = task::compute_reference(*task.op, inputs, 2).values;
    QVERIFY(!task::compare_with_reference(*task.op, reference, without).equal);
  }

  void errors_grow_by_no_more_than_the_slope_of_a_step() {
    base::Random random(random_seed());
    for (int round = 0; round < 2000; ++round) {
      const task::EpilogueStep step = random_epilogue(random).front();
      if (task::has_operand(step.kind)) continue;
      const double x = 16 * random.uniform() - 8;
      const double slope = (task::apply(step, x + 1e-4, 0) - task::apply(step, x, 0)) / 1e-4;
      QVERIFY2(std::fabs(slope) <= task::gain(step) + 1e-6, task::to_string({step}).c_str());
      const double magnitude = task::magnitude_after(step, std::fabs(x), 0);
      QVERIFY2(magnitude >= std::fabs(slope * x) - 1e-2, task::to_string({step}).c_str());
    }
  }

  /** Kernels compute in f32, step by step; the check must accept all of them. */
  void the_tolerance_covers_steps_in_single_precision() {
    base::Random random(random_seed());
    for (int round = 0; round < 100; ++round) {
      const task::Task task = with_random_epilogue(random_sums(random), random);
      const task::ReferenceInputs inputs = task::make_reference_inputs(*task.op, random.bits());
      const task::Reference reference = task::compute_reference(*task.op, inputs, 1);
      std::vector<double> values = naive_reference(task, inputs).values;
      for (double& value : values) value = static_cast<double>(static_cast<float>(value));
      std::size_t operand = 2;
      for (const task::EpilogueStep& step : task.op->epilogue) {
        const std::vector<double>* tensor =
            task::has_operand(step.kind) ? &inputs.tensors.at(operand++) : nullptr;
        for (std::size_t i = 0; i < values.size(); ++i) {
          const double other = tensor != nullptr ? operand_at(task, step.kind, *tensor, i) : 0;
          values[i] = static_cast<double>(static_cast<float>(task::apply(step, values[i], other)));
        }
      }
      const task::Comparison comparison = task::compare_with_reference(*task.op, reference, values);
      QVERIFY2(comparison.equal,
               fmt::format("{}: {}", task.text, task::describe_mismatch(*task.op, comparison)).c_str());
    }
  }
};

KERNELSCAPE_TEST(TaskEpilogueTest, QCoreApplication)

}  // namespace kernelscape::task_epilogue_test
#include "task_epilogue_test.moc"
