#include "core/machine_code/decoded_instruction.h"

#include <algorithm>

#include "core/base/text.h"

namespace kernelscape::machine_code {
namespace {

/** Calls `found` for every word of a list, until it returns true. */
template <typename Found>
bool any_word(std::string_view list, const Found& found) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (end > 0 && found(list.substr(0, end))) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

}  // namespace

bool begins_with_any(std::string_view word, std::string_view list) {
  return any_word(list, [word](std::string_view start) { return word.starts_with(start); });
}

bool is_any(std::string_view word, std::string_view list) {
  return any_word(list, [word](std::string_view other) { return word == other; });
}

SplitInstruction split_instruction(std::string_view text) {
  SplitInstruction result;
  text = base::trimmed(text);
  if (text.ends_with(';')) text = base::trimmed(text.substr(0, text.size() - 1));
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  result.mnemonic = text.substr(0, end);
  text = base::trimmed(text.substr(end));
  int depth = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i <= text.size() && !text.empty(); ++i) {
    const char sign = i < text.size() ? text[i] : ',';
    if (sign == '(' || sign == '[' || sign == '{') ++depth;
    if (sign == ')' || sign == ']' || sign == '}') --depth;
    if (sign != ',' || (depth > 0 && i < text.size())) continue;
    result.operands.push_back(base::trimmed(text.substr(first, i - first)));
    first = i + 1;
  }
  return result;
}

DecodedInstruction decode_instruction(std::string_view text, MachineLanguage language) {
  switch (language) {
    case MachineLanguage::X86:
      return decode_x86(text);
    case MachineLanguage::Aarch64:
      return decode_aarch64(text);
    case MachineLanguage::Ptx:
      return decode_ptx(text);
    case MachineLanguage::Sass:
      return decode_sass(text);
    case MachineLanguage::Other:
      break;
  }
  return {};
}

bool is_vector_register(std::string_view name, MachineLanguage language) {
  switch (language) {
    case MachineLanguage::X86:
    case MachineLanguage::Aarch64:
      return name.starts_with('v');
    case MachineLanguage::Ptx:
      return !name.starts_with("%p");
    case MachineLanguage::Sass:
      return name.starts_with('R');
    case MachineLanguage::Other:
      break;
  }
  return false;
}

}  // namespace kernelscape::machine_code
