#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/machine_code/instruction.h"

namespace kernelscape {

/** What an instruction's text says, for counting and for the flow of data through registers. */
struct DecodedInstruction {
  InstructionFacts facts;
  std::vector<std::string> reads;      ///< registers, one name for all widths of one; not those of addresses
  std::vector<std::string> writes;     ///< a register that is read and written stands in both
  std::vector<std::string> addresses;  ///< registers that a memory operand's address is made of
  std::string target{};                ///< label of a branch
  bool leaves = false;                 ///< nothing after it runs next: an unconditional jump, a return
  std::string frame_place{};           ///< "-80(%rsp)": where in the stack frame it reads or writes
  bool writes_frame = false;
  bool multiplies = false;  ///< a product of vectors or floating-point numbers, not fused
  int lanes = 1;            ///< of a product
};

/** Decodes one instruction, without comment and indentation; what it does not know is of class Other. */
DecodedInstruction decode_instruction(std::string_view text, MachineLanguage language);

/** GCC's and Clang's in AT&T syntax: SSE, AVX, AVX-512, FMA, general registers. */
DecodedInstruction decode_x86(std::string_view text);
/** GCC's and Clang's for AArch64 with NEON. */
DecodedInstruction decode_aarch64(std::string_view text);
/** NVRTC's, one thread's work. */
DecodedInstruction decode_ptx(std::string_view text);
/** nvdisasm's and cuobjdump's, one thread's work. */
DecodedInstruction decode_sass(std::string_view text);

/** Whether a register's name is that of a vector, or on a GPU of anything but a predicate. */
bool is_vector_register(std::string_view name, MachineLanguage language);

/** "vmovups (%rax), %ymm1": the word in front, and the operands, split at commas outside of brackets. */
struct SplitInstruction {
  std::string_view mnemonic;
  std::vector<std::string_view> operands;
};

/** Splits an instruction's text; a semicolon at its end is dropped. */
SplitInstruction split_instruction(std::string_view text);

/** Whether the word begins with one of the words of a list with a space between them. */
bool begins_with_any(std::string_view word, std::string_view list);
/** Whether it is one of them. */
bool is_any(std::string_view word, std::string_view list);

}  // namespace kernelscape
