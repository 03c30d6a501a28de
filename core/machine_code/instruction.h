#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape {

/** Whose assembly a text is. */
enum class MachineLanguage : std::uint8_t {
  X86,      ///< GCC's and Clang's, AT&T syntax
  Aarch64,  ///< GCC's and Clang's
  Ptx,      ///< NVRTC's virtual instructions
  Sass,     ///< an NVIDIA GPU's own, as nvdisasm and cuobjdump write it
  Other     ///< lines and their sources alone: every instruction is of class Other
};

/** What an instruction is for. One that multiplies, adds and loads counts as MultiplyAdd; its memory operand
 * counts among the mix's reads. */
enum class InstructionClass : std::uint8_t {
  MultiplyAdd,  ///< fused, of floating-point numbers; a GPU's matrix operation too
  Arithmetic,   ///< other arithmetic on vectors or floating-point numbers
  Load,         ///< from memory, broadcasts from memory included
  Store,
  SpillLoad,   ///< from a place in the stack frame that the function writes too
  SpillStore,  ///< to a place in the stack frame
  Shuffle,     ///< moves between registers and lanes: permute, broadcast, extract, convert
  Integer,     ///< addresses and counters
  Branch,      ///< jumps, calls, returns; a GPU's predicates that a branch needs are Integer
  Barrier,     ///< waits of a GPU's threads for each other
  Other        ///< what this program does not know, and what does nothing
};
constexpr std::size_t instruction_class_count = 11;

/** "multiply-add", "spill load": in a sentence, singular. */
std::string_view name_of(InstructionClass instruction_class);
/** "multiply-adds", "spill loads": with a count other than one, and as a heading. */
std::string_view plural_of(InstructionClass instruction_class);

/** What one instruction does, as far as its text says. */
struct InstructionFacts {
  InstructionClass instruction_class = InstructionClass::Other;
  std::int64_t multiply_adds = 0;  ///< of one execution, lanes counted; on a GPU of one thread
  std::int64_t bytes_loaded = 0;   ///< from memory, the stack included; on a GPU of one thread
  std::int64_t bytes_stored = 0;
  bool shared_memory = false;    ///< a GPU's load or store within its block
  bool spilled_operand = false;  ///< it computes with a place in the stack frame
  int vector_bits = 0;           ///< width of its vector registers; 0: none
};

/** Instructions of a stretch of code, counted. */
struct InstructionMix {
  std::array<int, instruction_class_count> counts{};
  int memory_reads = 0;  ///< loads, spill loads and memory operands of arithmetic
  int memory_writes = 0;
  std::int64_t bytes_loaded = 0;  ///< the stack's included
  std::int64_t bytes_stored = 0;
  std::int64_t multiply_adds = 0;  ///< lanes counted
  int vector_registers = 0;        ///< different ones that are named; on a GPU of any kind but predicates
  int general_registers = 0;       ///< the stack pointer not counted
  int spilled_operands = 0;        ///< other instructions' operands that lie in such places
  int accumulators = 0;            ///< different registers that multiply-adds write
  int vector_bits = 0;             ///< the widest vector

  /** How many are of this class. */
  int of(InstructionClass instruction_class) const {
    return counts[static_cast<std::size_t>(instruction_class)];
  }
  /** All of them. */
  int instructions() const;
  /** Instructions that read or write the stack frame, for what did not fit the registers. */
  int spills() const {
    return of(InstructionClass::SpillLoad) + of(InstructionClass::SpillStore) + spilled_operands;
  }
  bool operator==(const InstructionMix&) const = default;
};

}  // namespace kernelscape
