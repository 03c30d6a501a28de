#include "core/base/media/c_source.h"

#include <fmt/format.h>

#include "core/base/visible_text.h"

namespace kernelscape::base {
namespace {

bool is_c_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_c_digit(char c) { return c >= '0' && c <= '9'; }
bool is_comment_mark(char c) { return c == '*' || c == '/'; }

}  // namespace

CSourceText CSource::comment(std::string_view text) {
  std::string safe;
  for (const char c : printable_text(text)) {
    const bool delimiter =
        !safe.empty() && ((safe.back() == '*' && c == '/') || (safe.back() == '/' && c == '*'));
    if (delimiter) safe += ' ';
    safe += c == '\n' || c == '\t' || c == '\\' ? ' ' : c;
  }
  // Nor together with what stands beside it.
  if (!safe.empty() && is_comment_mark(safe.front())) safe.insert(0, 1, ' ');
  if (!safe.empty() && is_comment_mark(safe.back())) safe += ' ';
  return CSourceText::of_safe(std::move(safe));
}

CSourceText CSource::string(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '?') {
      literal += '\\';
      literal += c;
    } else if (c >= ' ' && c <= '~') {
      literal += c;
    } else {
      literal += fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return CSourceText::of_safe(literal + "\"");
}

CSourceText CSource::name(std::string_view text) {
  std::string name;
  for (const char c : text) name += is_c_letter(c) || is_c_digit(c) ? c : '_';
  if (name.empty() || is_c_digit(name.front())) name.insert(0, 1, '_');
  return CSourceText::of_safe(std::move(name));
}

}  // namespace kernelscape::base
