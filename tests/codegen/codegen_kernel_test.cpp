#include <fmt/format.h>

#include <QTemporaryDir>
#include <QTest>
#include <cstdlib>
#include <optional>

#include "core/codegen/c_emitter.h"
#include "core/loop_nest/passes.h"
#include "core/space/solver_model.h"
#include "tests/codegen/compiled_kernel.h"
#include "tests/loop_nest/interpreter.h"
#include "tests/loop_nest/random_nest.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_epilogue.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::codegen_kernel_test {
using namespace kernelscape::testing;

namespace {

/** KERNELSCAPE_TEST_ROUNDS=100 makes it as many kernels per row. */
int kernels_per_row() {
  const char* given = std::getenv("KERNELSCAPE_TEST_ROUNDS");
  return given != nullptr ? std::atoi(given) : 16;
}

constexpr double max_flops = 1e6;
constexpr std::uint64_t input_seed = 5;

/** A random configuration of a random task. */
struct Case {
  task::Task task;
  std::string description;
  loop_nest::LoopNest nest;
  codegen::KernelSource source;
  int parts = 1;
  bool at_end = true;
};

/** A configuration of a kernel, with random parts. */
Case case_of(const schedule::ScheduledKernel& kernel, const space::Configuration& configuration,
             base::Random& random) {
  Case result;
  result.task = kernel.task();
  const auto lowered = kernel.lower(configuration);
  result.description = fmt::format("{}, {}, {}", result.task.text, kernel.template_name(),
                                   kernel.space().describe(configuration));
  if (!lowered) throw std::runtime_error(result.description + ": " + describe(lowered.error()));
  result.nest = lowered->nest;
  result.source =
      codegen::emit_c(result.nest, {"kernel", result.task.text, kernel.template_name(),
                                    kernel.space().describe(configuration), kernel.target().device,
                                    codegen::sort_flags(codegen::Dialect::C, kernel.target().flags).known});
  result.parts = static_cast<int>(between(random, 1, 3));
  result.at_end = random.chance(0.7);
  return result;
}

/** @param type of the operands; empty: any */
Case random_case(const schedule::TemplateDeclaration& declaration, const schedule::TargetDescription& target,
                 base::Random& random, const std::string& type = {}) {
  std::optional<task::Task> task;
  do task = random_task(declaration, target, random, max_flops);
  while (!type.empty() && task::to_string(task::operand_types(*task->op)) != type);
  if (random.chance(0.4)) task = with_random_epilogue(*task, random);
  const auto kernel = declaration.apply(*task, target);
  if (!kernel) throw std::runtime_error(describe(kernel.error()));
  return case_of(*kernel, accepted_member(*kernel, random), random);
}

std::vector<GuardedArray> make_arguments(const Case& c) {
  const task::ReferenceInputs inputs = task::make_reference_inputs(*c.task.op, input_seed);
  std::vector<GuardedArray> arguments;
  std::size_t next = 0;  // tensor of the next argument that is read
  for (const codegen::KernelArgument& argument : c.source.arguments) {
    arguments.emplace_back(argument.element_type, static_cast<std::size_t>(argument.layout.physical_count()),
                           c.at_end);
    // Bytes of ones are a NaN in an output of floats.
    if (argument.output) std::ranges::fill(arguments.back().as<std::uint8_t>(), std::uint8_t{0xff});
    if (argument.output) continue;
    arguments.back().with_elements([&]<typename Element>(std::span<Element> elements) {
      pack<Element>(argument.layout, inputs.tensors.at(next), elements);
    });
    ++next;
    arguments.back().make_read_only();
  }
  return arguments;
}

std::string check(const Case& c, const std::string& library) {
  const std::vector<GuardedArray> arguments = make_arguments(c);
  const std::string wrong = run_kernel(library, c.source.entry, arguments, c.parts);
  if (!wrong.empty()) return wrong;
  const task::TensorOperator& op = *c.task.op;
  const std::vector<double> output =
      arguments[2].with_elements([&]<typename Element>(std::span<Element> elements) {
        return unpack<Element>(c.source.arguments[2].layout, elements);
      });
  const task::Reference reference =
      task::compute_reference(op, task::make_reference_inputs(op, input_seed), 1);
  const task::Comparison comparison =
      task::compare_with_reference(op, reference, output, c.source.arguments[1].layout.winograd_tile);
  return comparison.equal ? std::string() : task::describe_mismatch(op, comparison);
}

}  // namespace

class CodegenKernelTest : public QObject {
  Q_OBJECT

 private slots:
  void kernels_compute_the_operator_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("lanes");
    QTest::addColumn<QString>("flags");
    const auto row = [](const schedule::TemplateDeclaration& declaration, int lanes, const char* flags) {
      QTest::newRow(fmt::format("{} with {} lanes {}", declaration.name, lanes, flags).c_str())
          << QString::fromStdString(declaration.name) << lanes << QString(flags);
    };
    const task::Task bytes = *task::parse_task("matmul 16x16 16x16 i8");
    const task::Task convolved_bytes = *task::parse_task("conv2d 1x16x4x4 16x16x3x3 stride=1 pad=1 i8");
#if defined(__x86_64__)
    // As on a CPU that has no dot products of bf16.
    for (const char* name : {"matmul-bf16", "conv2d-bf16"})
      row(**schedule::find_template(name, schedule::TargetKind::Cpu), 16, "-mno-avx512bf16");
#endif
    for (const schedule::TemplateDeclaration* declaration : templates_of(schedule::TargetKind::Cpu))
      for (const int lanes : {4, 8, 16}) {
        const schedule::TargetDescription target = cpu_with_lanes(lanes);
        row(*declaration, lanes, "");
        // As on a CPU that has no int8 dot products.
        if (declaration->fits(bytes, target) || declaration->fits(convolved_bytes, target))
          row(*declaration, lanes, "-mno-avx512vnni -mno-avxvnni");
      }
  }

  void kernels_compute_the_operator() {
    QFETCH(QString, name);
    QFETCH(int, lanes);
    QFETCH(QString, flags);
    std::vector<std::string> extra;
    for (const QString& flag : flags.split(' ', Qt::SkipEmptyParts)) extra.push_back(flag.toStdString());
    const schedule::TemplateDeclaration& declaration =
        **schedule::find_template(name.toStdString(), schedule::TargetKind::Cpu);
    const schedule::TargetDescription target = cpu_with_lanes(lanes);
    base::Random random(random_seed());
    std::vector<Case> cases;
    const int kernels = kernels_per_row();
    for (int i = 0; i < kernels; ++i) cases.push_back(random_case(declaration, target, random));
    check_all(cases, fmt::format("kernel_{}_{}", name.toStdString(), lanes), extra);
  }

  /** Instructions convert where the compiler may use them, plain C elsewhere: with and without AVX and F16C.
   */
  void halves_are_read_with_every_instruction_set_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("lanes");
    QTest::addColumn<QString>("flag");
    for (const char* type : {"f16", "bf16"}) {
      const auto row = [&](int lanes, const char* flag) {
        QTest::newRow(fmt::format("{} with {} lanes {}", type, lanes, flag).c_str())
            << QString(type) << lanes << QString(flag);
      };
      row(16, "-march=native");
#if defined(__x86_64__)
      row(16, "-march=x86-64");
      row(4, "-march=x86-64");
      if (__builtin_cpu_supports("avx2") != 0) row(8, "-march=x86-64-v3");
#endif
    }
  }

  void halves_are_read_with_every_instruction_set() {
    QFETCH(QString, type);
    QFETCH(int, lanes);
    QFETCH(QString, flag);
    base::Random random(random_seed());
    std::vector<Case> cases;
    for (const char* name : {"conv2d-packed", "matmul-packed", "depthwise-packed", "transposed-packed"})
      cases.push_back(random_case(**schedule::find_template(name, schedule::TargetKind::Cpu),
                                  cpu_with_lanes(lanes), random, type.toStdString()));
    check_all(cases, fmt::format("halves_{}_{}{}", type.toStdString(), lanes, flag.toStdString()),
              {flag.toStdString()});
  }

  void samples_of_the_solver_build_and_compute_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"matmul 96x192 192x128 i8", "conv2d 1x32x14x14 48x32x3x3 pad=1 i8"})
      QTest::newRow(text) << text;
  }

  /** Heron's sketch for DL Boost at sizes at which copies are long: what the solver finds builds, on any CPU,
   * and computes the operator. */
  void samples_of_the_solver_build_and_compute() {
    QFETCH(QString, text);
    base::Random random(random_seed());
    const auto kernel =
        schedule::apply_template(*task::parse_task(text.toStdString()), cpu_with_lanes(16), "generated-vnni");
    QVERIFY2(kernel.has_value(), kernel ? "" : describe(kernel.error()).c_str());
    const auto restricted = kernel->space().restricted_by(kernel->limits());
    QVERIFY(restricted.has_value());
    std::vector<Case> cases;
    const int samples = kernels_per_row() / 2;
    for (int i = 0; i < samples; ++i) {
      const auto solution = restricted->solver().solve({}, {}, base::Random(random.bits()));
      QVERIFY(solution.has_value() && std::holds_alternative<space::Configuration>(*solution));
      cases.push_back(case_of(*kernel, std::get<space::Configuration>(*solution), random));
    }
    check_all(cases, "solver", {});
  }

  /** Nests that no template makes: strided reads, divisors, several tiles, loops that start anywhere. */
  void emitted_nests_do_what_the_interpreter_does() {
    base::Random random(random_seed());
    struct Nest {
      loop_nest::LoopNest nest;
      codegen::KernelSource source;
      std::vector<std::vector<double>> arguments;
    };
    std::vector<Nest> cases;
    while (cases.size() < 60) {
      RandomNest made(random);
      const auto nest = loop_nest::run_passes(made.nest(), loop_nest::cpu_passes());
      QVERIFY(nest.has_value());
      if (loop_nest::count_operations(*nest) > 1500) continue;  // the compiler's time
      cases.push_back({*nest, codegen::emit_c(*nest, {}), made.arguments()});
    }
    const auto base = [&](std::size_t i) {
      return fmt::format("{}/nest_{}", folder_.path().toStdString(), i);
    };
    std::string failure;
    pipelined(
        cases.size(), [&](std::size_t i) { return compile_shared(base(i), cases[i].source.text); },
        [&](std::size_t i, const std::string& errors) {
          failure = errors.empty()
                        ? compare(cases[i].nest, cases[i].source, cases[i].arguments, base(i) + ".so")
                        : errors;
          if (!failure.empty())
            failure = fmt::format("case {}: {}\n{}\n{}", i, failure, loop_nest::to_text(cases[i].nest),
                                  cases[i].source.text);
          return failure.empty();
        });
    QVERIFY2(failure.empty(), failure.c_str());
  }

 private:
  /** Builds all kernels, runs them and compares their outputs with the references. */
  void check_all(const std::vector<Case>& cases, const std::string& name,
                 const std::vector<std::string>& extra) {
    const auto base = [&](std::size_t i) {
      return fmt::format("{}/{}_{}", folder_.path().toStdString(), name, i);
    };
    std::string failure;
    pipelined(
        cases.size(), [&](std::size_t i) { return compile_shared(base(i), cases[i].source.text, extra); },
        [&](std::size_t i, const std::string& errors) {
          failure = errors.empty() ? check(cases[i], base(i) + ".so") : errors;
          if (!failure.empty())
            failure = fmt::format("{}, part of {}: {}\n{}", cases[i].description, cases[i].parts, failure,
                                  cases[i].source.text);
          return failure.empty();
        });
    QVERIFY2(failure.empty(), failure.c_str());
  }

  static std::string compare(const loop_nest::LoopNest& nest, const codegen::KernelSource& source,
                             const std::vector<std::vector<double>>& arguments, const std::string& library) {
    std::vector<GuardedArray> buffers;
    for (const std::vector<double>& values : arguments) {
      buffers.emplace_back("f32", values.size(), true);
      std::ranges::transform(values, buffers.back().as<float>().begin(),
                             [](double value) { return static_cast<float>(value); });
    }
    const std::string wrong = run_kernel(library, source.entry, buffers, 2);
    if (!wrong.empty()) return wrong;
    const std::vector<double> expected = interpret(nest, arguments, 2);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double actual = static_cast<double>(buffers[2].as<float>()[i]);
      if (!(actual == expected[i] || (std::isnan(actual) && std::isnan(expected[i]))))
        return fmt::format("output[{}] = {}, not {}", i, actual, expected[i]);
    }
    return {};
  }

  QTemporaryDir folder_;
};

KERNELSCAPE_TEST(CodegenKernelTest, QCoreApplication)

}  // namespace kernelscape::codegen_kernel_test
#include "codegen_kernel_test.moc"
