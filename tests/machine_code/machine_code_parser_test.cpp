#include <fmt/format.h>

#include <QTest>
#include <algorithm>

#include "core/base/text.h"
#include "core/machine_code/decoded_instruction.h"
#include "core/machine_code/instruction_table.h"
#include "core/machine_code/loop_bound.h"
#include "core/machine_code/machine_code.h"
#include "tests/test_program.h"

namespace kernelscape::machine_code_parser_test {

namespace {

/** Two loops, a spill, and a helper that was inlined from line 30. */
constexpr std::string_view nested = R"(
	.text
kernel:
.LFB0:
	.loc 1 10 3
	xorl	%eax, %eax
	vmovaps	%ymm1, -32(%rsp)
.L3:
	.loc 1 12 5
	movq	%rdi, %rdx
	.p2align 4
.L2:
	.loc 1 20 7
.LBB7:
	vbroadcastss	(%rsi), %ymm2	# a comment
.LBE7:
	.loc 1 14 7
	vfmadd231ps	(%rdx), %ymm2, %ymm0
	vfmadd231ps	32(%rdx), %ymm2, %ymm3
	vmovaps	-32(%rsp), %ymm1
	addq	$64, %rdx
	cmpq	%rcx, %rdx
	jne	.L2
	vmovups	%ymm0, (%r8)
	incl	%eax
	cmpl	$8, %eax
	jne	.L3
	ret
	.cfi_endproc
	.section	.debug_info
	.uleb128 0x1	# (DIE (0x4c) DW_TAG_inlined_subroutine)
	.quad	.LBB7	# DW_AT_low_pc
	.quad	.LBE7-.LBB7	# DW_AT_high_pc
	.byte	0x1e	# DW_AT_call_line
	.byte	0	# end of children of DIE 0x4c
)";

machine_code::MachineCode nested_code() {
  return machine_code::parse_assembly(nested,
                                      {.language = machine_code::MachineLanguage::X86, .entry = "kernel"});
}

machine_code::InstructionClass class_of(
    std::string_view text, machine_code::MachineLanguage language = machine_code::MachineLanguage::X86) {
  return machine_code::decode_instruction(text, language).facts.instruction_class;
}

}  // namespace

class MachineCodeParserTest : public QObject {
  Q_OBJECT

 private slots:
  /** The lines of the text stay as they are; each instruction has a label, and the last one a second one. */
  void a_table_of_instructions_changes_no_line() {
    const machine_code::MachineCode code = nested_code();
    const std::string text = machine_code::with_instruction_table(nested, code);
    const std::size_t table = text.find("\t.section .rodata\n");
    QVERIFY(table != std::string::npos);
    std::string kept;
    int labels = 0;
    for (const std::string& line : base::split_text(text.substr(0, table), '\n')) {
      if (line.starts_with(".Lkernelscape_instruction_"))
        ++labels;
      else
        kept += line + '\n';
    }
    kept.pop_back();  // split_text() gives an empty line behind the last line feed
    QCOMPARE(kept, std::string(nested));
    QCOMPARE(labels, machine_code::instruction_count(code) + 1);
    const machine_code::MachineCode again = machine_code::parse_assembly(
        text, {.language = machine_code::MachineLanguage::X86, .entry = "kernel"});
    QCOMPARE(again.text(), code.text());
    for (std::size_t line = 0; line < code.lines.size(); ++line)
      QCOMPARE(again.lines[line].source_line, code.lines[line].source_line);
    QVERIFY(machine_code::with_instruction_table("", {}).empty());
  }

  /** GCC writes which encoding it means where there are two. */
  void an_encoding_in_front_is_no_part_of_the_instruction() {
    std::string text(nested);
    const std::string instruction = "vfmadd231ps\t(%rdx), %ymm2, %ymm0";
    text.replace(text.find(instruction), instruction.size(), "{vex} vpdpbusd (%rdx), %ymm2, %ymm0");
    const machine_code::MachineCode code = machine_code::parse_assembly(
        text, {.language = machine_code::MachineLanguage::X86, .entry = "kernel"});
    QCOMPARE(code.loops[1].mix.multiply_adds, std::int64_t{32 + 8});
  }

  /** Of each lane of 32 bits the products of four bytes, or of two words. */
  void dot_products_count_all_of_their_products() {
    for (const auto& [text, multiply_adds, bytes] : {std::tuple{"vpdpbusd\t-64(%rsi), %zmm2, %zmm1", 64, 64},
                                                     {"vpdpbusd\t%ymm3, %ymm2, %ymm1", 32, 0},
                                                     {"vpdpbusd (%rdi){1to16}, %zmm2, %zmm1", 64, 4},
                                                     {"vpdpwssd\t%zmm3, %zmm2, %zmm1", 32, 0},
                                                     {"vdpbf16ps (%rdi), %zmm2, %zmm1", 32, 64},
                                                     {"vdpbf16ps\t%zmm3, %zmm2, %zmm1", 32, 0}}) {
      const machine_code::InstructionFacts facts =
          machine_code::decode_instruction(text, machine_code::MachineLanguage::X86).facts;
      QCOMPARE(facts.instruction_class, machine_code::InstructionClass::MultiplyAdd);
      QCOMPARE(facts.multiply_adds, std::int64_t{multiply_adds});
      QCOMPARE(facts.bytes_loaded, std::int64_t{bytes});
    }
  }

  void loops_are_found_and_nested() {
    const machine_code::MachineCode code = nested_code();
    QCOMPARE(code.loops.size(), std::size_t{2});
    QCOMPARE(code.loops[0].parent, -1);
    QCOMPARE(code.loops[1].parent, 0);
    QCOMPARE(code.loops[1].depth, 2);
    QVERIFY(!code.loops[0].innermost);
    QVERIFY(code.loops[1].innermost);
    QCOMPARE(code.hot_loop, 1);
    QCOMPARE(code.lines[code.hot()->first_line].text, std::string(".L2"));
    QCOMPARE(code.lines[code.hot()->last_line].text, std::string("jne .L2"));
  }

  void a_loops_mix_is_that_of_its_own_instructions() {
    const machine_code::InstructionMix mix = nested_code().hot()->mix;
    QCOMPARE(mix.instructions(), 7);
    QCOMPARE(mix.of(machine_code::InstructionClass::MultiplyAdd), 2);
    QCOMPARE(mix.of(machine_code::InstructionClass::Load), 1);
    QCOMPARE(mix.of(machine_code::InstructionClass::SpillLoad), 1);
    QCOMPARE(mix.of(machine_code::InstructionClass::Branch), 1);
    QCOMPARE(mix.multiply_adds, std::int64_t{16});
    QCOMPARE(mix.memory_reads, 4);
    QCOMPARE(mix.bytes_loaded, std::int64_t{4 + 3 * 32});
    QCOMPARE(mix.accumulators, 2);
    QCOMPARE(mix.vector_registers, 4);
    QCOMPARE(mix.spills(), 1);
  }

  void an_inlined_helper_belongs_to_the_line_that_calls_it() {
    const machine_code::MachineCode code = nested_code();
    QCOMPARE(code.lines_of(20).size(), std::size_t{0});
    QCOMPARE(code.lines_of(30).size(), std::size_t{1});
    QCOMPARE(code.lines[code.lines_of(30)[0]].text, std::string("vbroadcastss (%rsi), %ymm2"));
    QCOMPARE(code.source_lines_of(*code.hot()), (std::vector<int>{14, 30}));
  }

  void directives_and_unused_labels_are_not_shown() {
    const std::string text = nested_code().text();
    for (const char* hidden : {".loc", ".LBB7", ".LFB0", "p2align", "comment", "debug_info"})
      QVERIFY2(!text.contains(hidden), hidden);
    for (const char* shown : {"kernel:", ".L2:", ".L3:", "  ret\n"}) QVERIFY2(text.contains(shown), shown);
  }

  void iterations_follow_from_the_sources_multiply_adds() {
    machine_code::MachineCode code = nested_code();
    codegen::SourceMap map;
    map.nest_lines.assign(40, 0);
    map.work.assign(40, {});
    map.work[13] = {.executions = 100, .multiply_adds = 1600, .exact = true};
    machine_code::count_iterations(code, map);
    QCOMPARE(code.hot()->iterations, 100.0);
    QVERIFY(code.hot()->exact);
    QCOMPARE(code.hot()->multiply_adds, 1600.0);
  }

  void instructions_have_classes() {
    QCOMPARE(class_of("vfmadd132ps (%rax){1to16}, %zmm1, %zmm2"),
             machine_code::InstructionClass::MultiplyAdd);
    QCOMPARE(machine_code::decode_x86("vfmadd132ps (%rax){1to16}, %zmm1, %zmm2").facts.bytes_loaded,
             std::int64_t{4});
    QCOMPARE(machine_code::decode_x86("vfmadd132ss %xmm0, %xmm1, %xmm2").facts.multiply_adds,
             std::int64_t{1});
    QCOMPARE(class_of("vmovups %zmm3, 64(%rax)"), machine_code::InstructionClass::Store);
    QCOMPARE(class_of("movl %eax, %ebx"), machine_code::InstructionClass::Integer);
    QCOMPARE(class_of("movslq (%rax,%rbx,4), %rcx"), machine_code::InstructionClass::Load);
    QCOMPARE(class_of("leaq 8(%rax), %rbx"), machine_code::InstructionClass::Integer);
    QCOMPARE(class_of("vshufps $0, %ymm1, %ymm1, %ymm2"), machine_code::InstructionClass::Shuffle);
    QCOMPARE(class_of("vaddps %ymm0, %ymm1, %ymm2"), machine_code::InstructionClass::Arithmetic);
    QCOMPARE(class_of("jmp .L3"), machine_code::InstructionClass::Branch);
    QCOMPARE(class_of("frobnicate %rax"), machine_code::InstructionClass::Other);
    QCOMPARE(class_of(""), machine_code::InstructionClass::Other);
    QCOMPARE(class_of("fmla v0.4s, v1.4s, v2.s[0]", machine_code::MachineLanguage::Aarch64),
             machine_code::InstructionClass::MultiplyAdd);
    QCOMPARE(machine_code::decode_aarch64("ldp q0, q1, [x0, 32]").facts.bytes_loaded, std::int64_t{32});
    QCOMPARE(machine_code::decode_aarch64("b.ne .L4").target, std::string(".L4"));
    QCOMPARE(class_of("fma.rn.f32 %f1, %f2, %f3, %f4;", machine_code::MachineLanguage::Ptx),
             machine_code::InstructionClass::MultiplyAdd);
    QCOMPARE(machine_code::decode_ptx("ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];").facts.bytes_loaded,
             std::int64_t{16});
    QCOMPARE(machine_code::decode_ptx("@%p1 bra $L__BB0_2;").target, std::string("$L__BB0_2"));
    QVERIFY(!machine_code::decode_ptx("@%p1 bra $L__BB0_2;").leaves);
    QCOMPARE(class_of("FFMA R1, R2, R3, R1", machine_code::MachineLanguage::Sass),
             machine_code::InstructionClass::MultiplyAdd);
    QCOMPARE(machine_code::decode_sass("HMMA.16816.F32 R4, R8, R10, R4").facts.multiply_adds,
             std::int64_t{64});
    QCOMPARE(machine_code::decode_sass("@P0 BRA `(.L_x_1)").target, std::string(".L_x_1"));
  }

  void ptx_and_sass_have_lines_and_loops() {
    const machine_code::MachineCode ptx = machine_code::parse_assembly(
        ".visible .entry kernel(\n\t.param .u64 p\n)\n{\n\t.loc 1 5 3\n\tmov.u32 %r1, 0;\n$L__BB0_1:\n"
        "\t.loc 1 7 9, function_name $L__info_string0, inlined_at 1 9 4\n\tfma.rn.f32 %f1, %f2, %f3, %f1;\n"
        "\tsetp.ne.s32 %p1, %r1, 8;\n\t@%p1 bra $L__BB0_1;\n\tret;\n\n}\n",
        {.language = machine_code::MachineLanguage::Ptx, .entry = "kernel"});
    QCOMPARE(ptx.loops.size(), std::size_t{1});
    QCOMPARE(ptx.lines_of(9).size(), std::size_t{4});
    const machine_code::MachineCode sass = machine_code::parse_assembly(
        "\t.section .text.kernel\n.text.kernel:\n\t//## File \"kernel.cu\", line 5\n"
        "        /*0000*/                   MOV R1, c[0x0][0x28] ;\n.L_x_1:\n\t//## File \"kernel.cu\", line "
        "7\n"
        "        /*0010*/                   FFMA R2, R3, R4, R2 ;  /* 0x000 */\n"
        "        /*0020*/               @P0 BRA `(.L_x_1) ;\n        /*0030*/                   EXIT ;\n",
        {.language = machine_code::MachineLanguage::Sass, .entry = "kernel"});
    QCOMPARE(sass.loops.size(), std::size_t{1});
    QCOMPARE(sass.hot()->mix.multiply_adds, std::int64_t{1});
    QCOMPARE(sass.lines_of(7).size(), std::size_t{3});
  }

  void a_bound_names_what_bounds() {
    const machine_code::MachineCode code = nested_code();
    const machine_code::ChosenPortModel zen = machine_code::port_model_of({"AuthenticAMD", 0x19, 1});
    QVERIFY(zen.own);
    QCOMPARE(zen.model->name, std::string_view("Zen 3"));
    const auto bound = machine_code::bound_by_counts(code, *code.hot(), zen);
    QVERIFY(bound);
    QCOMPARE(bound->resource, machine_code::BoundResource::Latency);  // each sum waits for itself
    QCOMPARE(bound->cycles, 4.0);
    QCOMPARE(bound->multiply_adds_per_cycle, 4.0);
    QVERIFY(!machine_code::port_model_of({"GenuineIntel", 6, 0x1000}).own);
    // Those of one family differ in how wide their units are.
    const machine_code::ChosenPortModel turin = machine_code::port_model_of({"AuthenticAMD", 0x1a, 2});
    QVERIFY(turin.own);
    QCOMPARE(turin.model->name, std::string_view("Zen 5"));
    QCOMPARE(turin.model->wide_multiply_add_ports, 2.0);
    QCOMPARE(machine_code::port_model_of({"AuthenticAMD", 0x1a, 0x24}).model->wide_multiply_add_ports, 1.0);
    QVERIFY(machine_code::port_model_of({}).model != nullptr);
  }

  /** Intel's cores begin one of them every second cycle, AMD's as often as a multiply-add. */
  void dot_products_of_bf16_take_their_time() {
    std::string text(nested);
    for (const std::string fused :
         {"vfmadd231ps\t(%rdx), %ymm2, %ymm0", "vfmadd231ps\t32(%rdx), %ymm2, %ymm3"})
      text.replace(
          text.find(fused), fused.size(),
          fused.ends_with('0') ? "vdpbf16ps (%rdx), %zmm2, %zmm0" : "vdpbf16ps 32(%rdx), %zmm2, %zmm3");
    const machine_code::MachineCode code = machine_code::parse_assembly(
        text, {.language = machine_code::MachineLanguage::X86, .entry = "kernel"});
    const auto cycles_on = [&](const machine_code::ProcessorIdentity& processor) {
      const auto bound =
          machine_code::bound_by_counts(code, *code.hot(), machine_code::port_model_of(processor));
      if (!bound) return -1.0;
      const auto part = std::ranges::find(bound->parts, machine_code::BoundResource::MultiplyAddPorts,
                                          &machine_code::BoundPart::resource);
      return part == bound->parts.end() ? -1.0 : part->cycles;
    };
    QCOMPARE(cycles_on({"GenuineIntel", 6, 0xcf}), 4.0);
    QCOMPARE(cycles_on({"AuthenticAMD", 0x1a, 2}), 1.0);
  }

  void a_processor_is_read_from_its_description() {
    const machine_code::ProcessorIdentity identity = machine_code::parse_processor_identity(
        "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD "
        "EPYC\n");
    QCOMPARE(identity.vendor, std::string("AuthenticAMD"));
    QCOMPARE(identity.family, 25);
    QCOMPARE(identity.model, 1);
    QCOMPARE(identity.name, std::string("AMD EPYC"));
  }

  void a_simulations_summary_is_read() {
    constexpr std::string_view output =
        "Iterations:        100\nInstructions:      700\nTotal Cycles:      420\nTotal uOps:        700\n\n"
        "Dispatch Width:    6\nuOps Per Cycle:    1.67\nIPC:               1.67\nBlock RThroughput: 1.5\n\n\n"
        "Resources:\n[0]   - Zn3AGU0\n[1]   - Zn3FP0\n\n\nResource pressure per iteration:\n[0]    [1]    \n"
        "0.50   1.50   \n\n";
    const machine_code::MachineCode code = nested_code();
    const auto bound = machine_code::parse_mca_output(output, *code.hot());
    QVERIFY(bound);
    QCOMPARE(bound->cycles, 4.2);
    QCOMPARE(bound->resource, machine_code::BoundResource::Latency);
    QCOMPARE(*bound->instructions_per_cycle, 1.67);
    QCOMPARE(bound->parts[1].unit, std::string("Zn3FP0"));
    QVERIFY(!machine_code::parse_mca_output("error: no such processor", *code.hot()));
    // What is no number of cycles is no bound.
    const auto summary = [&](const char* iterations, const char* cycles, const char* width) {
      return machine_code::parse_mca_output(
          fmt::format("Iterations: {}\nTotal Cycles: {}\nTotal uOps: 1e300\nDispatch Width: {}\nBlock "
                      "RThroughput: 1.5\n",
                      iterations, cycles, width),
          *code.hot());
    };
    QVERIFY(summary("100", "420", "6"));
    QVERIFY(!summary("nan", "420", "6"));
    QVERIFY(!summary("100", "inf", "6"));
    QVERIFY(!summary("100", "420", "1e-300"));
  }
};

KERNELSCAPE_PLAIN_TEST(MachineCodeParserTest)

}  // namespace kernelscape::machine_code_parser_test
#include "machine_code_parser_test.moc"
