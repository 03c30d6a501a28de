#pragma once

#include <QTest>
#include <QTextBlock>
#include <QTextCursor>
#include <memory>
#include <string>
#include <vector>

#include "ui/widgets/code_view.h"
#include "ui/workspace/trial_insight.h"

/** A kernel's insight that was made by hand, and how its lines are found and clicked. */
namespace kernelscape::why_tests {

inline constexpr int patience_milliseconds = 60'000;
inline constexpr int prologue_lines = 30;
inline constexpr int hot_source_line = 4;    // from 1, as in the map
inline constexpr int spill_source_line = 5;  // inside the hot loop too
inline constexpr int outer_source_line = 3;

inline machine_code::MachineLine instruction(const std::string& text, int source_line,
                                             machine_code::InstructionClass of, int loop) {
  machine_code::MachineLine line;
  line.text = text;
  line.source_line = source_line;
  line.loop = loop;
  line.facts.instruction_class = of;
  return line;
}

inline machine_code::MachineLine label(const std::string& text, int loop) {
  machine_code::MachineLine line = instruction(text, 0, machine_code::InstructionClass::Other, loop);
  line.kind = machine_code::MachineLineKind::Label;
  return line;
}

/** 30 lines, then a loop with a hot loop of five lines in it, and one line behind both. */
inline machine_code::MachineCode two_loops(
    machine_code::MachineLanguage language = machine_code::MachineLanguage::X86) {
  machine_code::MachineCode code;
  code.language = language;
  for (int line = 0; line < prologue_lines; ++line)
    code.lines.push_back(
        instruction("movq prologue" + std::to_string(line), 1, machine_code::InstructionClass::Integer, -1));
  code.lines.push_back(label(".L1:", 0));
  code.lines.push_back(
      instruction("addq $4, %rdi", outer_source_line, machine_code::InstructionClass::Integer, 0));
  code.lines.push_back(label(".L2:", 1));
  code.lines.push_back(instruction("vfmadd231ps (%rsi), %ymm1, %ymm2", hot_source_line,
                                   machine_code::InstructionClass::MultiplyAdd, 1));
  code.lines.push_back(instruction("vmovaps %ymm3, 32(%rsp)", spill_source_line,
                                   machine_code::InstructionClass::SpillStore, 1));
  code.lines.push_back(instruction("vfmadd231ps 32(%rsi), %ymm1, %ymm3", hot_source_line,
                                   machine_code::InstructionClass::MultiplyAdd, 1));
  code.lines.push_back(
      instruction("jne .L2", outer_source_line + 1, machine_code::InstructionClass::Branch, 1));
  code.lines.push_back(instruction("jne .L1", outer_source_line, machine_code::InstructionClass::Branch, 0));
  code.lines.push_back(instruction("ret", 6, machine_code::InstructionClass::Branch, -1));
  machine_code::MachineLoop outer;
  outer.first_line = 30;
  outer.last_line = 37;
  outer.innermost = false;
  machine_code::MachineLoop hot;
  hot.first_line = 32;
  hot.last_line = 36;
  hot.parent = 0;
  hot.depth = 2;
  hot.iterations = 1000;
  hot.exact = true;
  const auto count = [&hot](machine_code::InstructionClass of, int instructions) {
    hot.mix.counts[static_cast<std::size_t>(of)] = instructions;
  };
  count(machine_code::InstructionClass::MultiplyAdd, 2);
  count(machine_code::InstructionClass::SpillStore, 1);
  count(machine_code::InstructionClass::Branch, 1);
  hot.mix.multiply_adds = 16;
  hot.mix.bytes_loaded = 64;
  hot.mix.bytes_stored = 32;
  hot.mix.vector_registers = 3;
  hot.mix.accumulators = 2;
  code.loops = {outer, hot};
  code.hot_loop = 1;
  return code;
}

inline measure::KernelInsight made_insight() {
  measure::KernelInsight insight;
  insight.source.text = "/* head */\nvoid kernel() {\n  for (i)\n    acc += a * b;\n    keep(acc);\n}\n";
  insight.nest_text = "for i in [0, 8)\n  acc[0] += a * b\n";
  insight.map.nest_lines = {0, 0, 1, 2, 2, 0};
  insight.map.work.resize(6);
  insight.code = two_loops();
  machine_code::LoopBound simulated;
  simulated.by = "llvm-mca 14.0.6";
  simulated.processor = "Zen 3";
  simulated.cycles = 24.2;
  simulated.resource = machine_code::BoundResource::LoadPorts;
  simulated.parts = {{.resource = machine_code::BoundResource::LoadPorts, .cycles = 24.2},
                     {.resource = machine_code::BoundResource::MultiplyAddPorts, .cycles = 12}};
  machine_code::LoopBound counted = simulated;
  counted.by = "own counts";
  counted.cycles = 23;
  insight.bounds = {simulated, counted};
  insight.compiler = "cc (Test) 1.2.3";
  insight.notes = {"The session was measured with another compiler."};
  return insight;
}

/** The sums of the nest's two lines in a loop, a place for them, and a loop that was written out. */
inline schedule::StageTree made_stages() {
  schedule::StageTree stages;
  stages.nodes = {{schedule::StageNodeKind::Stage, -1, 0, "out: sums of a x b over i", {2}},
                  {schedule::StageNodeKind::Loop, 0, 0, "i: 8 iterations, serial", {1}},
                  {schedule::StageNodeKind::Stage, 1, 1, "sums in registers: tile 1, 4 B of a thread", {}},
                  {schedule::StageNodeKind::Loop, 0, 1, "j: 4 iterations, unrolled, no separate line", {}}};
  stages.places = {1, 1};
  return stages;
}

inline measure::KernelInsight staged_insight() {
  measure::KernelInsight insight = made_insight();
  insight.stages = made_stages();
  return insight;
}

inline std::shared_ptr<const workspace::TrialInsight> shared(measure::KernelInsight kernel) {
  return std::make_shared<const workspace::TrialInsight>(
      workspace::TrialInsight{std::move(kernel), std::nullopt});
}

/** The line of a view that has a text; -1: none. */
inline int line_with(const widgets::CodeView& view, const QString& text) {
  const QTextCursor found = view.document()->find(text);
  return found.isNull() ? -1 : found.blockNumber();
}

inline void click(widgets::CodeView& view, int line) {
  view.reveal_line(line);
  const QTextBlock block = view.document()->findBlockByNumber(line);
  const QPoint place = view.cursorRect(QTextCursor(block)).center() + QPoint(4, 0);
  QTest::mouseClick(view.viewport(), Qt::LeftButton, Qt::NoModifier, place);
}

inline QStringList texts_of(const widgets::CodeView& view, const std::vector<int>& lines) {
  QStringList texts;
  for (const int line : lines) texts.append(view.document()->findBlockByNumber(line).text().trimmed());
  return texts;
}

}  // namespace kernelscape::why_tests
