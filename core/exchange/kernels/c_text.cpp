#include "core/exchange/kernels/c_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace kernelscape {
namespace {

/** Words that are no names in C, and targets that CMake keeps for itself. */
constexpr std::array reserved_names = {
    "auto",     "break",   "case",       "char",          "const",
    "continue", "default", "do",         "double",        "else",
    "enum",     "extern",  "float",      "for",           "goto",
    "if",       "inline",  "int",        "long",          "register",
    "restrict", "return",  "short",      "signed",        "sizeof",
    "static",   "struct",  "switch",     "typedef",       "union",
    "unsigned", "void",    "volatile",   "while",         "main",
    "check",    "all",     "test",       "install",       "clean",
    "help",     "package", "edit_cache", "rebuild_cache", "list_install_components"};

bool printable(char c) { return std::isprint(static_cast<unsigned char>(c)) != 0; }

/** "i1 / 16 % 4", without what changes nothing. */
std::string dimension_term(const LayoutDimension& dimension, std::int64_t extent_of_source) {
  std::string term = fmt::format("i{}", dimension.source);
  if (dimension.divisor > 1) term += fmt::format(" / {}", dimension.divisor);
  // The largest index of the source stays below the extent anyway.
  const bool wraps = (extent_of_source - 1) / dimension.divisor >= dimension.extent;
  return wraps ? fmt::format("{} % {}", term, dimension.extent) : term;
}

}  // namespace

std::string c_comment(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const bool delimiter =
        !safe.empty() && ((safe.back() == '*' && c == '/') || (safe.back() == '/' && c == '*'));
    if (delimiter) safe += ' ';
    safe += static_cast<unsigned char>(c) < ' ' || c == '\x7f' || c == '\\' ? ' ' : c;
  }
  return safe;
}

std::string c_string(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '?') {
      literal += '\\';
      literal += c;
    } else if (printable(c)) {
      literal += c;
    } else {
      literal += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
  }
  return literal + "\"";
}

std::string cmake_string(std::string_view text) {
  std::string argument = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '$' || c == ';') argument += '\\';
    argument += printable(c) ? c : ' ';
  }
  return argument + "\"";
}

std::string shell_word(std::string_view text) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("-_./=,:+").contains(c);
  };
  if (!text.empty() && std::ranges::all_of(text, plain)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    // A line break would end the block of code that the command stands in.
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c == '\n' || c == '\r' ? ' ' : c;
  }
  return quoted + "'";
}

bool is_c_name(std::string_view name) {
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (name.empty() || std::isalpha(static_cast<unsigned char>(name.front())) == 0) return false;
  return std::ranges::all_of(name, letter) && std::ranges::find(reserved_names, name) == reserved_names.end();
}

std::string offset_expression(const Layout& layout) {
  std::string expression;
  for (const LayoutDimension& dimension : layout.dimensions) {
    const std::string term =
        dimension_term(dimension, layout.shape[static_cast<std::size_t>(dimension.source)]);
    if (expression.empty()) {
      expression = term;
    } else {
      const bool sum = expression.contains(' ');
      expression = fmt::format(fmt::runtime(sum ? "({}) * {} + {}" : "{} * {} + {}"), expression,
                               dimension.extent, term);
    }
  }
  return expression.empty() ? "0" : expression;
}

std::string indexed(std::string_view tensor, const Layout& layout) {
  std::string text(tensor);
  for (std::size_t i = 0; i < layout.shape.size(); ++i) text += fmt::format("[i{}]", i);
  return text;
}

std::string physical_extents(const Layout& layout) {
  std::string text;
  for (const LayoutDimension& dimension : layout.dimensions) text += fmt::format("[{}]", dimension.extent);
  return text;
}

}  // namespace kernelscape
