#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape::machine_code {

/** The language of an assembly text. */
enum class MachineLanguage : std::uint8_t {
  X86,      ///< output of GCC and Clang, AT&T syntax
  Aarch64,  ///< output of GCC and Clang
  Ptx,      ///< virtual instructions of NVRTC
  Sass,     ///< native instructions of an NVIDIA GPU, as written by nvdisasm and cuobjdump
  Other     ///< only lines and their sources: every instruction has class Other
};

/**
 * The purpose of an instruction. An instruction that multiplies, adds and loads counts as MultiplyAdd; its
 * memory operand counts as a memory read of the mix.
 */
enum class InstructionClass : std::uint8_t {
  MultiplyAdd,  ///< fused, of floating-point numbers; a GPU's matrix operation too
  Arithmetic,   ///< other arithmetic on vectors or floating-point numbers
  Load,         ///< from memory, broadcasts from memory included
  Store,
  SpillLoad,   ///< from a place in the stack frame that the function also writes
  SpillStore,  ///< to a place in the stack frame
  Shuffle,     ///< moves between registers and lanes: permute, broadcast, extract, convert
  Integer,     ///< addresses and counters
  Branch,      ///< jumps, calls, returns; a GPU's predicates that a branch needs are Integer
  Barrier,     ///< GPU threads wait for each other
  Other        ///< unknown instructions, and instructions without effect
};
constexpr std::size_t instruction_class_count = 11;

/** Returns the singular name for use in a sentence: "multiply-add", "spill load". */
std::string_view name_of(InstructionClass instruction_class);
/** Returns the plural name for headings and counts other than one: "multiply-adds", "spill loads". */
std::string_view plural_of(InstructionClass instruction_class);

/** The effect of one instruction, as far as it follows from its text. */
struct InstructionFacts {
  InstructionClass instruction_class = InstructionClass::Other;
  std::int64_t multiply_adds = 0;  ///< per execution, counting lanes; on a GPU per thread
  std::int64_t bytes_loaded = 0;   ///< from memory, including the stack; on a GPU per thread
  std::int64_t bytes_stored = 0;
  bool shared_memory = false;    ///< a GPU's load or store within its block
  bool spilled_operand = false;  ///< an arithmetic operand is in the stack frame
  int vector_bits = 0;           ///< width of its vector registers; 0: none
};

/** The counted instructions of a section of code. */
struct InstructionMix {
  std::array<int, instruction_class_count> counts{};
  int memory_reads = 0;  ///< loads, spill loads and memory operands of arithmetic
  int memory_writes = 0;
  std::int64_t bytes_loaded = 0;  ///< including the stack
  std::int64_t bytes_stored = 0;
  std::int64_t multiply_adds = 0;  ///< counting lanes
  /// number of distinct vector registers; on a GPU of all registers except predicates
  int vector_registers = 0;
  int general_registers = 0;  ///< number of distinct general registers, without the stack pointer
  int spilled_operands = 0;   ///< operands of other instructions that are in the stack frame
  int accumulators = 0;       ///< number of distinct registers that multiply-adds write
  int vector_bits = 0;        ///< the widest vector

  /** Returns the number of instructions of a class. */
  int of(InstructionClass instruction_class) const {
    return counts[static_cast<std::size_t>(instruction_class)];
  }
  /** Returns the number of all instructions. */
  int instructions() const;
  /**
   * Returns the number of instructions that read or write the stack frame because values did not fit into the
   * registers.
   */
  int spills() const {
    return of(InstructionClass::SpillLoad) + of(InstructionClass::SpillStore) + spilled_operands;
  }
  bool operator==(const InstructionMix&) const = default;
};

}  // namespace kernelscape::machine_code
