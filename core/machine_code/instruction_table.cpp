#include "core/machine_code/instruction_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "core/base/sha256.h"

namespace kernelscape::machine_code {
namespace {

constexpr std::string_view table_label = ".Lkernelscape_instruction_";

}  // namespace

std::int32_t instruction_count(const MachineCode& code) {
  return static_cast<std::int32_t>(std::ranges::count_if(code.lines, &MachineLine::instruction));
}

std::string instructions_hash(const MachineCode& code) {
  std::string texts;
  for (const MachineLine& line : code.lines)
    if (line.instruction()) texts.append(line.text) += '\n';
  return base::sha256(texts);
}

std::string with_instruction_table(std::string_view assembly, const MachineCode& code) {
  const std::int32_t count = instruction_count(code);
  const bool assembled = code.language == MachineLanguage::X86 || code.language == MachineLanguage::Aarch64;
  if (count == 0 || !assembled) return {};
  std::string text;
  text.reserve(assembly.size() + static_cast<std::size_t>(count) * 2 * table_label.size());
  std::int32_t number = 0;
  int text_line = 0;
  auto next = std::ranges::find_if(code.lines, &MachineLine::instruction);
  while (!assembly.empty()) {
    const std::size_t end = std::min(assembly.find('\n'), assembly.size());
    ++text_line;
    const bool instruction = next != code.lines.end() && next->text_line == text_line;
    if (instruction) fmt::format_to(std::back_inserter(text), "{}{}:\n", table_label, number++);
    text.append(assembly.substr(0, end)) += '\n';
    assembly.remove_prefix(std::min(end + 1, assembly.size()));
    if (!instruction) continue;
    next = std::find_if(std::next(next), code.lines.end(), std::mem_fn(&MachineLine::instruction));
    if (next == code.lines.end()) fmt::format_to(std::back_inserter(text), "{}{}:\n", table_label, number);
  }
  if (number != count) return {};
  fmt::format_to(std::back_inserter(text),
                 "\t.section .rodata\n\t.balign 4\n\t.globl {0}\n\t.type {0}, %object\n{0}:\n\t.long {1}\n",
                 instruction_table_symbol, count);
  for (std::int32_t i = 0; i <= count; ++i)
    fmt::format_to(std::back_inserter(text), "\t.long {}{} - .\n", table_label, i);
  return text;
}

}  // namespace kernelscape::machine_code
