#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/codegen/source_map.h"
#include "core/machine_code/instruction.h"

namespace kernelscape {

/** What a line of assembly is. Directives are not shown, and so are not kept. */
enum class MachineLineKind : std::uint8_t { Label, Instruction };

/** A line of the shown text. */
struct MachineLine {
  MachineLineKind kind = MachineLineKind::Instruction;
  std::string text;        ///< without indentation; tabs are single spaces
  int source_line = 0;     ///< of the kernel's source, from 1; 0: not known
  int loop = -1;           ///< the innermost that it lies in; -1: none
  InstructionFacts facts;  ///< of an instruction

  /** Whether it is no label. */
  bool instruction() const { return kind == MachineLineKind::Instruction; }
};

/** A loop: lines from the target of a backward branch to that branch. */
struct MachineLoop {
  std::size_t first_line = 0;  ///< into MachineCode::lines
  std::size_t last_line = 0;   ///< the branch; belongs to the loop
  int parent = -1;             ///< the loop right around it; -1: none
  int depth = 1;               ///< 1: no loop around it
  bool innermost = true;
  InstructionMix mix;        ///< of one iteration, without the loops inside
  double iterations = 0;     ///< in one call of the whole kernel, all parts or threads; 0: not known
  bool exact = false;        ///< whether `iterations` follows from the loop nest without conditions
  double multiply_adds = 0;  ///< of all iterations, without the loops inside
};

/** A kernel's assembly, line by line, with its loops. A value. */
struct MachineCode {
  MachineLanguage language = MachineLanguage::Other;
  std::vector<MachineLine> lines;
  std::vector<MachineLoop> loops;  ///< by first line, one around others before them
  /** With the most multiply-adds run, those of loops inside not counted; else the innermost with the most
   * instructions run. -1: the code has no loop. */
  int hot_loop = -1;
  InstructionMix mix;  ///< of the whole text, each instruction once

  /** The hot loop, or null. */
  const MachineLoop* hot() const {
    return hot_loop < 0 ? nullptr : &loops[static_cast<std::size_t>(hot_loop)];
  }
  /** Lines (indices, ascending) whose instructions came from a line of source. */
  std::vector<std::size_t> lines_of(int source_line) const;
  /** Lines of source (ascending, each once) that a loop's instructions came from, inner loops included. */
  std::vector<int> source_lines_of(const MachineLoop& loop) const;
  /** The shown text of lines first ... last, each ended by a newline; labels at the margin. */
  std::string text(std::size_t first, std::size_t last) const;
  /** All of it. */
  std::string text() const { return lines.empty() ? std::string() : text(0, lines.size() - 1); }
};

/** Which of a text's files and functions to read. */
struct AssemblyOptions {
  MachineLanguage language = MachineLanguage::X86;
  std::string
      entry{};  ///< the kernel's name: lines before its label and after its end are left out; empty: all
};

/**
 * Reads assembly with line tables (.loc of GCC, Clang and NVRTC; //## lines of nvdisasm): finds its lines,
 * classes and loops. Never fails: what it does not know is of class Other, and text that is no assembly gives
 * few lines or none. Iterations are not known yet.
 */
MachineCode parse_assembly(std::string_view text, const AssemblyOptions& options);

/**
 * Fills in how often loops run and which is hot. A line's multiply-adds are all done by the loop that has
 * most of its multiply-add instructions; a loop's iterations are these over those of one iteration.
 */
void count_iterations(MachineCode& code, const SourceMap& map);

/** That of the machine this program was built for. */
MachineLanguage own_machine_language();

}  // namespace kernelscape
