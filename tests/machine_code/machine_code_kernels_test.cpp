#include <fmt/format.h>

#include <QTest>
#include <algorithm>

#include "core/codegen/source_map.h"
#include "core/machine_code/loop_bound.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/machine_code/compiled_assembly.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::machine_code_kernels_test {
using namespace kernelscape::testing;

namespace {

constexpr int kernels_per_template = 4;

struct MappedKernel {
  task::Task task;
  codegen::MappedSource mapped;
};

/** Random kernels of every CPU template. */
std::vector<MappedKernel> random_kernels(base::Random& random, std::int64_t lanes) {
  std::vector<MappedKernel> result;
  const schedule::TargetDescription target = cpu_with_lanes(lanes);
  for (const schedule::TemplateDeclaration* declaration : templates_of(schedule::TargetKind::Cpu)) {
    for (int i = 0; i < kernels_per_template; ++i) {
      MappedKernel kernel{random_task(*declaration, target, random, 3e5), {}};
      const auto scheduled = declaration->apply(kernel.task, target);
      if (!scheduled) qFatal("%s", describe(scheduled.error()).c_str());
      const auto lowered = scheduled->lower(accepted_member(*scheduled, random));
      if (!lowered) qFatal("%s", describe(lowered.error()).c_str());
      codegen::KernelDescription description;
      description.entry = "best_kernel";
      description.task = kernel.task.text;
      kernel.mapped = codegen::emit_mapped(codegen::Dialect::C, lowered->nest, description);
      result.push_back(std::move(kernel));
    }
  }
  return result;
}

/** Lines of a text. */
std::size_t lines_of_text(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

class MachineCodeKernelsTest : public QObject {
  Q_OBJECT

 private slots:
  void every_line_of_a_source_is_mapped() {
    base::Random random(random_seed());
    for (const MappedKernel& kernel : random_kernels(random, 8)) {
      const codegen::SourceMap& map = kernel.mapped.map;
      QCOMPARE(map.nest_lines.size(), lines_of_text(kernel.mapped.source.text));
      QCOMPARE(map.work.size(), map.nest_lines.size());
      const auto nest_lines = static_cast<int>(lines_of_text(kernel.mapped.nest_text));
      for (int line = 1; line <= static_cast<int>(map.nest_lines.size()); ++line) {
        QVERIFY(map.nest_line(line) >= 0 && map.nest_line(line) <= nest_lines);
        if (map.nest_line(line) == 0) continue;
        const std::vector<int> back = map.source_lines(map.nest_line(line));
        QVERIFY(std::ranges::find(back, line) != back.end());
      }
      QCOMPARE(map.nest_line(0), 0);
      QCOMPARE(map.nest_line(1 << 20), 0);
    }
  }

  /** Loops and straight lines together do all multiply-adds of the nest, each once. */
  void loops_account_for_all_multiply_adds() {
    base::Random random(random_seed());
    for (const MappedKernel& kernel : random_kernels(random, 4)) {
      machine_code::MachineCode code = machine_code_of(kernel.mapped.source);
      QVERIFY(!code.lines.empty());
      machine_code::count_iterations(code, kernel.mapped.map);
      double in_loops = 0;
      for (const machine_code::MachineLoop& loop : code.loops) {
        in_loops += loop.multiply_adds;
        const double each = static_cast<double>(loop.mix.multiply_adds);
        if (loop.exact && each > 0) QVERIFY(loop.iterations * each + 1e-6 >= loop.multiply_adds);
      }
      QVERIFY(in_loops <= kernel.mapped.map.multiply_adds * (1 + 1e-9));
      for (const machine_code::MachineLine& line : code.lines) {
        QVERIFY(line.source_line >= 0);
        QVERIFY(line.source_line <= static_cast<int>(kernel.mapped.map.nest_lines.size()));
      }
    }
  }

  /** Most of the task's multiply-adds are its loops' where nothing else multiplies. */
  void a_plain_matmul_is_in_its_loops() {
    const Result<task::Task> task = task::parse_task("matmul 64x256 256x64 f32");
    QVERIFY(task);
    const schedule::TargetDescription target = cpu_with_lanes(4);
    const Result<schedule::ScheduledKernel> scheduled = schedule::apply_template(*task, target);
    QVERIFY(scheduled);
    base::Random random(random_seed());
    for (int attempt = 0; attempt < 5; ++attempt) {
      const auto lowered = scheduled->lower(accepted_member(*scheduled, random));
      QVERIFY(lowered);
      const codegen::MappedSource mapped = codegen::emit_mapped(codegen::Dialect::C, lowered->nest, {});
      QCOMPARE(mapped.map.multiply_adds, task->flops() / 2);
      machine_code::MachineCode code = machine_code_of(mapped.source);
      machine_code::count_iterations(code, mapped.map);
      QVERIFY(code.hot() != nullptr);
      double sum = 0;
      for (const machine_code::MachineLoop& loop : code.loops) sum += loop.multiply_adds;
      // A compiler takes rounds out of a loop, and writes some multiply-adds for no line of the source.
      QVERIFY(sum <= mapped.map.multiply_adds * (1 + 1e-9));
      QVERIFY2(sum >= mapped.map.multiply_adds / 2, std::to_string(sum / mapped.map.multiply_adds).c_str());
      QVERIFY(code.hot()->iterations >= 1);
    }
  }

  void a_hot_loop_is_linked_both_ways_and_has_a_bound() {
    base::Random random(random_seed());
    for (const MappedKernel& kernel : random_kernels(random, 4)) {
      machine_code::MachineCode code = machine_code_of(kernel.mapped.source);
      machine_code::count_iterations(code, kernel.mapped.map);
      if (code.hot() == nullptr) continue;
      for (const int line : code.source_lines_of(*code.hot())) {
        const std::vector<std::size_t> back = code.lines_of(line);
        QVERIFY(!back.empty());
        for (const std::size_t index : back) QCOMPARE(code.lines[index].source_line, line);
      }
      const auto bound = machine_code::bound_by_counts(
          code, *code.hot(), machine_code::port_model_of({"AuthenticAMD", 0x19, 1}));
      if (machine_code::own_machine_language() != machine_code::MachineLanguage::X86) continue;
      QVERIFY(bound);
      QVERIFY(bound->cycles > 0);
      QCOMPARE(bound->cycles, bound->parts.front().cycles);
      QCOMPARE(bound->resource, bound->parts.front().resource);
    }
  }

  /** What is read is what is timed: line tables change no instruction. */
  void line_tables_change_no_instruction() {
    base::Random random(random_seed());
    for (const MappedKernel& kernel : random_kernels(random, 8)) {
      const machine_code::AssemblyOptions options{.language = machine_code::own_machine_language(),
                                                  .entry = kernel.mapped.source.entry};
      const machine_code::MachineCode timed =
          machine_code::parse_assembly(assembly_of_source(kernel.mapped.source, {}), options);
      const machine_code::MachineCode second = machine_code_of(kernel.mapped.source);
      QCOMPARE(second.lines.size(), timed.lines.size());
      for (std::size_t i = 0; i < timed.lines.size(); ++i) {
        if (timed.lines[i].text.find(".L") == std::string::npos)
          QCOMPARE(second.lines[i].text, timed.lines[i].text);
        QCOMPARE(timed.lines[i].source_line, 0);
      }
    }
  }

  void a_text_that_is_cut_or_damaged_is_read_all_the_same() {
    base::Random random(random_seed());
    const std::vector<MappedKernel> kernels = random_kernels(random, 4);
    const std::string whole = assembly_of_source(kernels.front().mapped.source, {"-g1", "-dA"});
    for (int round = 0; round < 200; ++round) {
      std::string text = whole.substr(0, random.below(whole.size()));
      if (text.empty()) continue;
      for (std::uint64_t damage = random.below(20); damage > 0; --damage)
        text[random.below(text.size())] = static_cast<char>(random.below(256));
      for (const machine_code::MachineLanguage language :
           {machine_code::MachineLanguage::X86, machine_code::MachineLanguage::Aarch64,
            machine_code::MachineLanguage::Ptx, machine_code::MachineLanguage::Sass,
            machine_code::MachineLanguage::Other}) {
        machine_code::MachineCode code = machine_code::parse_assembly(
            text, {.language = language, .entry = random.chance(0.5) ? "best_kernel" : ""});
        machine_code::count_iterations(code, kernels.front().mapped.map);
        for (const machine_code::MachineLoop& loop : code.loops) {
          QVERIFY(loop.first_line <= loop.last_line && loop.last_line < code.lines.size());
          QVERIFY(loop.parent < static_cast<int>(code.loops.size()));
          static_cast<void>(machine_code::bound_by_counts(code, loop, machine_code::port_model_of({})));
          static_cast<void>(machine_code::parse_mca_output(text, loop));
        }
      }
      static_cast<void>(machine_code::parse_processor_identity(text));
    }
  }
};

KERNELSCAPE_TEST(MachineCodeKernelsTest, QCoreApplication)

}  // namespace kernelscape::machine_code_kernels_test
#include "machine_code_kernels_test.moc"
