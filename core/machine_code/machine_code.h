#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/codegen/source_map.h"
#include "core/machine_code/instruction.h"

namespace kernelscape::machine_code {

/** The kind of a line of assembly. Directives are not shown, so they are not kept. */
enum class MachineLineKind : std::uint8_t { Label, Instruction };

/** A line of the shown text. */
struct MachineLine {
  MachineLineKind kind = MachineLineKind::Instruction;
  std::string text;        ///< without indentation; tabs are replaced by single spaces
  int source_line = 0;     ///< of the kernel's source, from 1; 0: not known
  int text_line = 0;       ///< line of the assembly text, from 1; 0: not read from a text
  int loop = -1;           ///< the innermost loop that contains it; -1: none
  InstructionFacts facts;  ///< facts of an instruction

  /** Returns true for an instruction, false for a label. */
  bool instruction() const { return kind == MachineLineKind::Instruction; }
};

/** A loop: lines from the target of a backward branch to that branch. */
struct MachineLoop {
  std::size_t first_line = 0;  ///< into MachineCode::lines
  std::size_t last_line = 0;   ///< the branch; belongs to the loop
  int parent = -1;             ///< the directly enclosing loop; -1: none
  int depth = 1;               ///< 1: an outermost loop
  bool innermost = true;
  InstructionMix mix;        ///< per iteration, without the loops inside
  double iterations = 0;     ///< per call of the whole kernel, over all parts or threads; 0: not known
  bool exact = false;        ///< true if `iterations` follows from the loop nest without conditions
  double multiply_adds = 0;  ///< over all iterations, without the loops inside
};

/** A kernel's assembly, line by line, with its loops. A value. */
struct MachineCode {
  MachineLanguage language = MachineLanguage::Other;
  std::vector<MachineLine> lines;
  std::vector<MachineLoop> loops;  ///< by first line, an enclosing loop before its inner loops
  /**
   * The loop that executes the most multiply-adds, without those of inner loops; if there are none, the
   * innermost loop that executes the most instructions. -1: the code has no loop.
   */
  int hot_loop = -1;
  InstructionMix mix;  ///< of the whole text, each instruction once

  /** Returns the hot loop, or null. */
  const MachineLoop* hot() const {
    return hot_loop < 0 ? nullptr : &loops[static_cast<std::size_t>(hot_loop)];
  }
  /** Returns the lines (indices, ascending) whose instructions came from a line of source. */
  std::vector<std::size_t> lines_of(int source_line) const;
  /**
   * Returns the lines of source (ascending, each once) that a loop's instructions came from, including inner
   * loops.
   */
  std::vector<int> source_lines_of(const MachineLoop& loop) const;
  /** Returns the shown text of lines first ... last, each ended by a newline; labels are not indented. */
  std::string text(std::size_t first, std::size_t last) const;
  /** Returns the whole shown text. */
  std::string text() const { return lines.empty() ? std::string() : text(0, lines.size() - 1); }
};

/** Selects the language and the function to read. */
struct AssemblyOptions {
  MachineLanguage language = MachineLanguage::X86;
  std::string entry{};  ///< the kernel's name: lines before its label and after its end are skipped; empty:
                        ///< all lines are read
};

/**
 * Reads assembly with line tables (.loc of GCC, Clang and NVRTC; //## lines of nvdisasm): finds its lines,
 * classes and loops. Never fails: unknown instructions have class Other, and a text that is no assembly gives
 * few lines or none. Iterations are not filled in.
 */
MachineCode parse_assembly(std::string_view text, const AssemblyOptions& options);

/**
 * Fills in how often loops run, and the hot loop. All multiply-adds of a source line are attributed to the
 * loop that has most of its multiply-add instructions; a loop's iterations are these multiply-adds divided by
 * those of one iteration.
 */
void count_iterations(MachineCode& code, const codegen::SourceMap& map);

/** Returns the language of the machine that this program was built for. */
MachineLanguage own_machine_language();

}  // namespace kernelscape::machine_code
