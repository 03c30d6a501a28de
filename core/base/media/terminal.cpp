#include "core/base/media/terminal.h"

#include "core/base/visible_text.h"

namespace kernelscape::base {

std::string Terminal::escaped(std::string_view text) { return visible_text(text); }

TerminalText Terminal::line(std::string_view text, std::size_t max_characters) {
  return TerminalText::of_safe(visible_text(text, max_characters));
}

TerminalText Terminal::lines(std::string_view text) {
  std::string safe;
  while (true) {
    const std::size_t end = text.find('\n');
    safe += visible_text(text.substr(0, end));
    if (end == std::string_view::npos) return TerminalText::of_safe(std::move(safe));
    safe += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace kernelscape::base
