#include "core/codegen/kernel_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

namespace kernelscape {
namespace {

/** A line of the header comment, which nothing in the text can end. */
std::string comment_line(std::string_view label, std::string_view text) {
  if (text.empty()) return {};
  std::string line = fmt::format(" * {:<14} ", label);
  for (const char c : text) {
    const bool delimiter = (line.back() == '*' && c == '/') || (line.back() == '/' && c == '*');
    if (delimiter) line += ' ';
    line += c == '\n' || c == '\r' ? ' ' : c;
  }
  return line + "\n";
}

}  // namespace

std::string header_comment(const LoopNest& nest, const KernelDescription& description,
                           const std::vector<std::string>& notes) {
  std::string text = "/*\n";
  text += comment_line("task", description.task);
  text += comment_line("template", description.template_name);
  text += comment_line("configuration", description.configuration);
  text += comment_line("built for", description.target);
  text += comment_line("flags", fmt::format("{}", fmt::join(description.flags, " ")));
  for (const Buffer& buffer : nest.buffers) {
    if (buffer.scope != BufferScope::Global) continue;
    std::vector<std::int64_t> extents;
    for (const LayoutDimension& dimension : buffer.layout.dimensions) extents.push_back(dimension.extent);
    text += comment_line(buffer.name, fmt::format("{} [{}]", buffer.layout.name, fmt::join(extents, "][")));
  }
  text += " *\n";
  for (const std::string& note : notes) text += fmt::format(" * {}\n", note);
  return text + " */\n";
}

std::vector<std::string> condition_tests(const Condition& condition, const Ranges& ranges,
                                         const IndexSpelling& spell) {
  std::vector<std::string> tests;
  const std::string value = spell(condition.value);
  const Range range = condition.value.range(ranges);
  if (condition.divisor != 1) tests.push_back(fmt::format("({}) % {} == 0", value, condition.divisor));
  if (range.low < 0) tests.push_back(fmt::format("{} >= 0", value));
  if (range.high >= condition.bound * condition.divisor)
    tests.push_back(fmt::format("{} < {}", value, condition.bound * condition.divisor));
  if (tests.empty()) tests.emplace_back("1");
  return tests;
}

std::vector<KernelArgument> kernel_arguments(const LoopNest& nest) {
  std::vector<KernelArgument> arguments;
  for (const Buffer& buffer : nest.buffers)
    if (buffer.scope == BufferScope::Global)
      arguments.push_back({buffer.name, buffer.element_type, buffer.written, buffer.layout});
  return arguments;
}

}  // namespace kernelscape
