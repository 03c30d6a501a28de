#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/machine_code/instruction.h"

namespace kernelscape::machine_code {

/** The content of an instruction's text, for counting and for the data flow through registers. */
struct DecodedInstruction {
  InstructionFacts facts;
  /// registers, with one name for all widths of a register; without registers of addresses
  std::vector<std::string> reads;
  std::vector<std::string> writes;     ///< a register that is read and written is in both lists
  std::vector<std::string> addresses;  ///< registers of a memory operand's address
  std::string target{};                ///< label of a branch
  /// the next instruction is not executed after it: an unconditional jump, a return
  bool leaves = false;
  std::string frame_place{};  ///< place in the stack frame that it reads or writes: "-80(%rsp)"
  bool writes_frame = false;
  bool multiplies = false;  ///< multiplies vectors or floating-point numbers, not fused
  int lanes = 1;            ///< lanes of a product
  bool bf16_dot = false;    ///< vdpbf16ps, which occupies the multiply-add units of some cores for longer
};

/** Decodes one instruction, without comment and indentation; an unknown instruction has class Other. */
DecodedInstruction decode_instruction(std::string_view text, MachineLanguage language);

/** Decodes assembly of GCC and Clang in AT&T syntax: SSE, AVX, AVX-512, FMA, general registers. */
DecodedInstruction decode_x86(std::string_view text);
/** Decodes assembly of GCC and Clang for AArch64 with NEON. */
DecodedInstruction decode_aarch64(std::string_view text);
/** Decodes PTX of NVRTC; counts the work of one thread. */
DecodedInstruction decode_ptx(std::string_view text);
/** Decodes SASS of nvdisasm and cuobjdump; counts the work of one thread. */
DecodedInstruction decode_sass(std::string_view text);

/** Returns true if the name is that of a vector register, or on a GPU of any register except a predicate. */
bool is_vector_register(std::string_view name, MachineLanguage language);

/**
 * An instruction such as "vmovups (%rax), %ymm1", split into mnemonic and operands, at commas outside of
 * brackets.
 */
struct SplitInstruction {
  std::string_view mnemonic;
  std::vector<std::string_view> operands;
};

/** Splits an instruction's text; drops a semicolon at its end. */
SplitInstruction split_instruction(std::string_view text);

/** Returns true if the word begins with one of the words of a space-separated list. */
bool begins_with_any(std::string_view word, std::string_view list);
/** Returns true if the word is one of the words of a space-separated list. */
bool is_any(std::string_view word, std::string_view list);

}  // namespace kernelscape::machine_code
