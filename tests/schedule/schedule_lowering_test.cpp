#include <fmt/format.h>

#include <QTest>
#include <bit>
#include <cstring>

#include "core/loop_nest/passes.h"
#include "core/loop_nest/rewrite.h"
#include "core/schedule/lower.h"
#include "core/schedule/schedule.h"
#include "tests/loop_nest/interpreter.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/nest_arguments.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::schedule_lowering_test {
using namespace kernelscape::testing;

namespace {

constexpr double max_flops = 20'000;

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/** One configuration, interpreted after lowering and after each pass. */
class Checked {
 public:
  Checked(const schedule::ScheduledKernel& kernel, const space::Configuration& configuration)
      : kernel_(kernel),
        configuration_(configuration),
        nest_(kernelscape::schedule::lower(kernel.schedule(), configuration, kernel.target())) {}

  /** What is wrong, or nothing. */
  std::string run(int parts) {
    try {
      return check(parts);
    } catch (const std::exception& error) {
      return describe(error.what(), nest_);
    }
  }

 private:
  std::string check(int parts) {
    const task::TensorOperator& op = *kernel_.task().op;
    const auto arguments = arguments_of(nest_, op);
    const std::vector<double> expected = interpret(nest_, arguments, parts);
    const std::vector<double> output = unpack<double>(nest_.buffers[2].layout, expected);
    const task::Reference reference =
        task::compute_reference(op, task::make_reference_inputs(op, input_seed), 1);
    const task::Comparison comparison =
        task::compare_with_reference(op, reference, output, nest_.buffers[1].layout.winograd_tile);
    if (!comparison.equal) return describe(task::describe_mismatch(op, comparison), nest_);
    std::string wrong;
    const auto observer = [&](std::string_view pass, const loop_nest::LoopNest& nest, double) {
      if (!wrong.empty()) return;
      try {
        if (!same_bits(interpret(nest, arguments, parts), expected))
          wrong = describe(fmt::format("{} changed the output", pass), nest);
      } catch (const std::exception& error) {
        wrong = describe(fmt::format("after {}: {}", pass, error.what()), nest);
      }
    };
    const auto result = loop_nest::run_passes(nest_, loop_nest::cpu_passes(), observer);
    if (!result) return describe(kernelscape::describe(result.error()), nest_);
    return wrong;
  }

  std::string describe(const std::string& reason, const loop_nest::LoopNest& nest) const {
    return fmt::format("{}, {} with {} lanes, {}: {}\n{}", kernel_.task().text, kernel_.template_name(),
                       kernel_.target().vector_lanes_f32(), kernel_.space().describe(configuration_), reason,
                       loop_nest::to_text(nest));
  }

  const schedule::ScheduledKernel& kernel_;
  const space::Configuration& configuration_;
  loop_nest::LoopNest nest_;
};

}  // namespace

class ScheduleLoweringTest : public QObject {
  Q_OBJECT

 private slots:
  void loop_nests_compute_the_operator_before_and_after_every_pass_data() {
    QTest::addColumn<QString>("name");
    for (const schedule::TemplateDeclaration* declaration : templates_of(schedule::TargetKind::Cpu))
      QTest::newRow(declaration->name.c_str()) << QString::fromStdString(declaration->name);
  }

  void loop_nests_compute_the_operator_before_and_after_every_pass() {
    QFETCH(QString, name);
    const schedule::TemplateDeclaration& declaration =
        **schedule::find_template(name.toStdString(), schedule::TargetKind::Cpu);
    base::Random random(random_seed());
    for (int i = 0; i < 40; ++i) {
      const schedule::TargetDescription target = cpu_with_lanes(one_of<3>(random, {4, 8, 16}));
      const task::Task task = random_task(declaration, target, random, max_flops);
      const auto kernel = declaration.apply(task, target);
      QVERIFY2(kernel.has_value(), kernel ? "" : describe(kernel.error()).c_str());
      const auto configuration = kernel->space().random_member(random);
      QVERIFY(configuration.has_value());
      const std::string wrong = Checked(*kernel, *configuration).run(static_cast<int>(between(random, 1, 3)));
      QVERIFY2(wrong.empty(), wrong.c_str());
    }
  }

  void a_lowered_kernel_has_its_arguments_in_order() {
    const schedule::TargetDescription target = cpu_with_lanes(8);
    const auto task = task::parse_task("conv2d 1x20x5x5 24x20x3x3 pad=1");
    QVERIFY(task.has_value());
    const auto kernel = schedule::apply_template(*task, target);
    QVERIFY(kernel.has_value());
    base::Random random(1);
    const auto lowered = kernel->lower(*kernel->space().random_member(random));
    QVERIFY(lowered.has_value());
    const std::vector<loop_nest::Buffer>& buffers = lowered->nest.buffers;
    QCOMPARE(buffers.size(), std::size_t{4});
    const char* names[] = {"data", "weight", "output"};
    for (std::size_t i = 0; i < 3; ++i) {
      QCOMPARE(buffers[i].name, std::string(names[i]));
      QCOMPARE(buffers[i].scope, loop_nest::BufferScope::Global);
      QCOMPARE(buffers[i].written, i == 2);
    }
  }

  /** No operand is reordered: a kernel is called with the tensors that a library takes. */
  void tiled_multiplications_read_tensors_as_stored() {
    base::Random random(random_seed());
    const schedule::TargetDescription target = cpu_with_lanes(8);
    for (const char* name : {"matmul-tiled", "batch-matmul-tiled"}) {
      const schedule::TemplateDeclaration& declaration =
          **schedule::find_template(name, schedule::TargetKind::Cpu);
      for (int i = 0; i < 20; ++i) {
        const task::Task task = random_task(declaration, target, random, max_flops);
        const auto kernel = declaration.apply(task, target);
        QVERIFY(kernel.has_value());
        const auto lowered = kernel->lower(accepted_member(*kernel, random));
        QVERIFY(lowered.has_value());
        const task::TensorAccess* tensors[] = {&task.op->inputs[0], &task.op->inputs[1], &task.op->output};
        for (std::size_t t = 0; t < 3; ++t)
          QVERIFY(lowered->nest.buffers[t].layout == loop_nest::row_major("row-major", tensors[t]->shape));
      }
    }
  }

  /** A factor that is no multiple of a vector becomes whole vectors and one of each smaller power of two. */
  void any_factor_of_columns_is_vectorized() {
    for (const std::int64_t lanes : {4, 8, 16}) {
      for (std::int64_t columns = 1; columns <= 40; ++columns) {
        const auto task = task::parse_task(fmt::format("matmul 1x3 3x{} f32", columns));
        const auto kernel = schedule::apply_template(*task, cpu_with_lanes(lanes), "matmul-tiled");
        QVERIFY(kernel.has_value());
        const auto configuration = kernel->space().configuration_from_json(fmt::format(
            R"({{"tile_k": [1, 1, 3], "tile_y": [1, 1, 1, 1], "tile_x": [1, 1, 1, {}]}})", columns));
        QVERIFY(configuration.has_value());
        const auto lowered = kernel->lower(*configuration);
        QVERIFY(lowered.has_value());
        std::int64_t covered = 0;
        std::int64_t operations = 0;
        loop_nest::for_each_compute(lowered->nest.body, [&](const loop_nest::Compute& compute) {
          if (compute.operation != loop_nest::Operation::MultiplyAccumulate) return;
          QCOMPARE(compute.destination.offset.constant(), covered);
          covered += compute.lanes;
          ++operations;
        });
        QCOMPARE(covered, columns);
        QCOMPARE(operations, columns / lanes + std::popcount(static_cast<std::uint64_t>(columns % lanes)));
      }
    }
  }

  void a_configuration_that_is_no_member_is_refused() {
    const auto task = task::parse_task("conv2d 1x64x56x56 64x64x3x3 pad=1");
    const auto kernel = schedule::apply_template(*task, cpu_with_lanes(8), "conv2d-packed");
    QVERIFY(kernel.has_value());
    space::Configuration configuration;
    QVERIFY(!kernel->lower(configuration).has_value());
    for (const space::Knob& knob : kernel->space().knobs()) configuration.indices.push_back(knob.count() - 1);
    // The widest tile of the most positions needs more registers than there are.
    const auto refused = kernel->lower(configuration);
    QVERIFY(!refused.has_value());
    QVERIFY(refused.error().message.find("not a feasible configuration") != std::string::npos);
  }
};

KERNELSCAPE_PLAIN_TEST(ScheduleLoweringTest)

}  // namespace kernelscape::schedule_lowering_test
#include "schedule_lowering_test.moc"
