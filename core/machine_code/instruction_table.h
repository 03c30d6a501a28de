#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/machine_code/machine_code.h"

namespace kernelscape::machine_code {

/**
 * The symbol of the table that with_instruction_table() adds: a 32-bit count, then for each instruction and
 * for the end of the last one the 32-bit distance from the entry of the table to it.
 */
inline constexpr const char* instruction_table_symbol = "kernelscape_instruction_table";

/**
 * Returns an assembly text with a table of the addresses of the kernel's instructions, numbered from 0 in the
 * order of `code`. The assembler fills in the addresses, so that a sampled address is found in the table of
 * the very build that runs, without a disassembler. The table changes no instruction: it is data behind them.
 * Returns an empty text if there is no instruction, or if the language is neither X86 nor Aarch64.
 * @param code what parse_assembly() read from this text
 */
std::string with_instruction_table(std::string_view assembly, const MachineCode& code);

/** Returns the number of instructions of a text. */
std::int32_t instruction_count(const MachineCode& code);

/** Returns a hash of the texts of the instructions, by which the same code is recognised. */
std::string instructions_hash(const MachineCode& code);

}  // namespace kernelscape::machine_code
