#include "core/exchange/kernels/c_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace kernelscape::exchange {
namespace {

/** Reserved words of C, and targets that CMake reserves. */
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

/** Returns "i1 / 16 % 4", without operations that change nothing. */
base::CSourceText dimension_term(const loop_nest::LayoutDimension& dimension, std::int64_t extent_of_source) {
  base::CSourceText term = base::write<base::CSource>("i{}", dimension.source);
  if (dimension.divisor > 1) term += base::write<base::CSource>(" / {}", dimension.divisor);
  // The largest index of the source stays below the extent anyway.
  const bool wraps = (extent_of_source - 1) / dimension.divisor >= dimension.extent;
  return wraps ? base::write<base::CSource>("{} % {}", term, dimension.extent) : term;
}

}  // namespace

std::optional<TensorElement> tensor_element(std::string_view name) {
  static constexpr std::array<TensorElement, 6> known{{{"f32", "float", 4},
                                                       {"f16", "unsigned short", 2},
                                                       {"bf16", "unsigned short", 2},
                                                       {"u8", "unsigned char", 1},
                                                       {"i8", "signed char", 1},
                                                       {"i32", "int", 4}}};
  const auto found =
      std::ranges::find_if(known, [&](const TensorElement& type) { return type.name.text() == name; });
  return found == known.end() ? std::nullopt : std::optional(*found);
}

bool is_c_name(std::string_view name) {
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (name.empty() || std::isalpha(static_cast<unsigned char>(name.front())) == 0) return false;
  return std::ranges::all_of(name, letter) && std::ranges::find(reserved_names, name) == reserved_names.end();
}

base::CSourceText offset_expression(const loop_nest::Layout& layout) {
  base::CSourceText expression;
  for (const loop_nest::LayoutDimension& dimension : layout.dimensions) {
    const base::CSourceText term =
        dimension_term(dimension, layout.shape[static_cast<std::size_t>(dimension.source)]);
    if (expression.empty()) {
      expression = term;
    } else {
      const bool sum = expression.text().contains(' ');
      expression = sum ? base::write<base::CSource>("({}) * {} + {}", expression, dimension.extent, term)
                       : base::write<base::CSource>("{} * {} + {}", expression, dimension.extent, term);
    }
  }
  return expression.empty() ? base::CSourceText("0") : expression;
}

base::CSourceText indexed(const base::CSourceText& tensor, const loop_nest::Layout& layout) {
  base::CSourceText text = tensor;
  for (std::size_t i = 0; i < layout.shape.size(); ++i) text += base::write<base::CSource>("[i{}]", i);
  return text;
}

base::CSourceText physical_extents(const loop_nest::Layout& layout) {
  base::CSourceText text;
  for (const loop_nest::LayoutDimension& dimension : layout.dimensions)
    text += base::write<base::CSource>("[{}]", dimension.extent);
  return text;
}

}  // namespace kernelscape::exchange
