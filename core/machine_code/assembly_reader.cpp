#include "core/machine_code/assembly_reader.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>

#include "core/base/text.h"
#include "core/machine_code/inlined_calls.h"

namespace kernelscape::machine_code {
namespace {

// maximum number of lines of a kernel; a longer listing is useless to a reader
constexpr std::size_t max_lines = 300'000;

/** Returns the number after `before` in a text; 0 if there is none. */
int number_after(std::string_view text, std::string_view before) {
  const std::size_t at = text.rfind(before);
  if (at == text.npos) return 0;
  text = base::trimmed(text.substr(at + before.size()));
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::max(value, 0);
}

/** Returns the line of an inlined call's place: "kernel.c:45:43 ]" gives 45. */
int line_of_place(std::string_view place) {
  const std::size_t column = place.find_last_of(':');
  if (column == place.npos || column == 0) return 0;
  const std::size_t line = place.find_last_of(':', column - 1);
  return line == place.npos ? 0 : number_after(place.substr(line, column - line), ":");
}

/** Returns the line of source in ".loc 1 45 9", in Clang's comment after it, or in NVRTC's inlined_at. */
int line_of_location(std::string_view directive) {
  if (const std::size_t at = directive.rfind("@[ "); at != directive.npos)
    return line_of_place(directive.substr(at, directive.find(']', at) - at));
  std::string_view numbers = directive.substr(4);
  if (const std::size_t at = directive.rfind("inlined_at"); at != directive.npos)
    numbers = directive.substr(at + 10);
  numbers = base::trimmed(numbers);
  const std::size_t space = numbers.find_first_of(" \t");
  if (space == numbers.npos) return 0;
  numbers = base::trimmed(numbers.substr(space));
  int line = 0;
  std::from_chars(numbers.data(), numbers.data() + numbers.size(), line);
  return std::max(line, 0);
}

/** Parses a text line by line. */
class AssemblyReader {
 public:
  AssemblyReader(std::string_view text, const AssemblyOptions& options) : options_(options), text_(text) {}

  std::vector<MachineLine> run() {
    // A text without the kernel's label is shown completely.
    inside_ = options_.entry.empty() || !holds_entry();
    std::string_view rest = text_;
    while (!rest.empty() && !ended_ && lines_.size() < max_lines) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      ++text_line_;
      line(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (gpu()) return std::move(lines_);
    for (const InlinedCall& call : read_inlined_calls(text_)) attribute(call);
    return std::move(lines_);
  }

 private:
  bool gpu() const {
    return options_.language == MachineLanguage::Ptx || options_.language == MachineLanguage::Sass;
  }

  bool begins(std::string_view line) const {
    switch (options_.language) {
      case MachineLanguage::Ptx: {
        const std::size_t at = line.find(".entry ");
        return at != line.npos && base::trimmed(line.substr(at + 7)).starts_with(options_.entry);
      }
      case MachineLanguage::Sass:
        return line == ".text." + options_.entry + ":" || line.ends_with("Function : " + options_.entry);
      default:
        return line == options_.entry + ":";
    }
  }

  bool holds_entry() const {
    std::string_view rest = text_;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      if (begins(base::trimmed(without_comment(rest.substr(0, end))))) return true;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
  }

  bool ends(std::string_view line) const {
    if (options_.entry.empty()) return false;
    switch (options_.language) {
      case MachineLanguage::Ptx:
        return line.starts_with('}');
      case MachineLanguage::Sass:
        return base::trimmed(line).starts_with(".section");
      default:
        return base::trimmed(line).starts_with(".cfi_endproc") ||
               base::trimmed(line).starts_with(".size\t" + options_.entry);
    }
  }

  std::string_view without_comment(std::string_view line) const {
    const std::string_view mark = options_.language == MachineLanguage::X86 ? "#" : "//";
    return line.substr(0, line.find(mark));
  }

  /** Removes the encoding that GCC writes before an instruction: "{vex} vpdpbusd". */
  static std::string_view without_encoding(std::string_view text) {
    for (const std::string_view prefix : {"{vex}", "{vex2}", "{vex3}", "{evex}"})
      if (text.starts_with(prefix)) return base::trimmed(text.substr(prefix.size()));
    return text;
  }

  void line(std::string_view whole) {
    std::string_view text = base::trimmed(without_comment(whole));
    if (!inside_) {
      inside_ = begins(text);
      if (!inside_ || gpu()) return;
    }
    if (seen_ && ends(whole)) {
      ended_ = true;
      return;
    }
    if (options_.language == MachineLanguage::Sass) return sass_line(whole, text);
    if (options_.language == MachineLanguage::X86) text = without_encoding(text);
    if (text.empty()) return;
    if (text.ends_with(':') && text.find_first_of(" \t\"") == text.npos) {
      add(MachineLineKind::Label, std::string(text.substr(0, text.size() - 1)), 0);
    } else if ((text.starts_with(".loc ") || text.starts_with(".loc\t"))) {
      source_line_ = line_of_location(base::trimmed(whole.substr(whole.find(".loc"))));
    } else if (text.front() != '.' && text.front() != '{' && text.front() != '}' && text.front() != '(' &&
               text.front() != ')') {
      add(MachineLineKind::Instruction, single_spaced(text), source_line_);
    }
  }

  /**
   * Reads a line of SASS: "//## File "kernel.cu", line 12", ".L_x_1:", " /0010/ FFMA R1, R2, R3, R4 ; / 0x...
   * /".
   */
  void sass_line(std::string_view whole, std::string_view text) {
    if (const std::size_t at = whole.find("//##"); at != whole.npos) {
      source_line_ = number_after(whole.substr(at), "line ");
      return;
    }
    if (text.starts_with('.') && text.ends_with(':')) {
      add(MachineLineKind::Label, std::string(text.substr(0, text.size() - 1)), 0);
      return;
    }
    if (!text.starts_with("/*")) return;
    const std::size_t close = text.find("*/");
    if (close == text.npos) return;
    const std::string_view address = base::trimmed(text.substr(2, close - 2));
    std::string_view instruction = text.substr(close + 2);
    instruction = base::trimmed(instruction.substr(0, instruction.find("/*")));
    if (instruction.ends_with(';'))
      instruction = base::trimmed(instruction.substr(0, instruction.size() - 1));
    if (instruction.empty() || instruction.front() == '.') return;
    // cuobjdump has no labels: every address may be the target of a branch.
    const std::size_t digit =
        std::min(address.find_first_not_of('0'), address.empty() ? 0 : address.size() - 1);
    add(MachineLineKind::Label, "0x" + std::string(address.substr(digit)), 0);
    add(MachineLineKind::Instruction, single_spaced(instruction), source_line_);
  }

  static std::string single_spaced(std::string_view text) {
    std::string result;
    for (const char sign : text) {
      const bool space = sign == ' ' || sign == '\t';
      if (!space)
        result += sign;
      else if (!result.ends_with(' '))
        result += ' ';
    }
    return result;
  }

  void add(MachineLineKind kind, std::string text, int source_line) {
    if (kind == MachineLineKind::Label) places_.try_emplace(text, lines_.size());
    seen_ = seen_ || kind == MachineLineKind::Instruction;
    MachineLine& line = lines_.emplace_back();
    line.kind = kind;
    line.text = std::move(text);
    line.source_line = source_line;
    line.text_line = text_line_;
  }

  /** Attributes lines to a call. The outermost call comes first and keeps the lines attributed to it. */
  void attribute(const InlinedCall& call) {
    const auto first = places_.find(call.first_label);
    const auto last = places_.find(call.last_label);
    if (first == places_.end() || last == places_.end()) return;
    attributed_.resize(lines_.size());
    for (std::size_t i = first->second; i < last->second; ++i) {
      if (attributed_[i]) continue;
      attributed_[i] = true;
      if (lines_[i].instruction()) lines_[i].source_line = call.call_line;
    }
  }

  const AssemblyOptions& options_;
  std::string_view text_;
  std::vector<MachineLine> lines_;
  std::map<std::string, std::size_t, std::less<>> places_;  ///< of labels
  std::vector<bool> attributed_;
  int source_line_ = 0;
  int text_line_ = 0;  ///< the line that is being read, from 1
  bool inside_ = false;
  bool seen_ = false;  ///< true after the first instruction: an end of the kernel only counts after it
  bool ended_ = false;
};

}  // namespace

std::vector<MachineLine> read_assembly(std::string_view text, const AssemblyOptions& options) {
  return AssemblyReader(text, options).run();
}

}  // namespace kernelscape::machine_code
