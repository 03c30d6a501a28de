#include "core/codegen/kernel_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "core/base/media/c_source.h"

namespace kernelscape::codegen {
namespace {

/** Returns a line of the header comment; no text in it can end the comment. */
base::CSourceText comment_line(const base::CSourceText& label, std::string_view text) {
  if (text.empty()) return {};
  return base::write<base::CSource>(" * {:<14} {}\n", label, base::CSource::comment(text));
}

}  // namespace

std::string header_comment(const loop_nest::LoopNest& nest, const KernelDescription& description,
                           const std::vector<std::string>& notes) {
  base::CSourceText text("/*\n");
  text += comment_line({"task"}, description.task);
  text += comment_line({"template"}, description.template_name);
  text += comment_line({"configuration"}, description.configuration);
  text += comment_line({"built for"}, description.target);
  text += comment_line({"flags"}, fmt::format("{}", fmt::join(description.flags.words(), " ")));
  for (const loop_nest::Buffer& buffer : nest.buffers) {
    if (buffer.scope != loop_nest::BufferScope::Global) continue;
    std::vector<std::int64_t> extents;
    for (const loop_nest::LayoutDimension& dimension : buffer.layout.dimensions)
      extents.push_back(dimension.extent);
    text += comment_line(base::CSource::name(buffer.name),
                         fmt::format("{} [{}]", buffer.layout.name, fmt::join(extents, "][")));
  }
  text += " *\n";
  for (const std::string& note : notes)
    text += base::write<base::CSource>(" * {}\n", base::CSource::comment(note));
  text += " */\n";
  return text.text();
}

LineStatements line_statements(const std::string& head, const std::vector<int>& body) {
  LineStatements lines(static_cast<std::size_t>(std::ranges::count(head, '\n')), -1);
  lines.insert(lines.end(), body.begin(), body.end());
  lines.push_back(-1);  // the brace that ends the kernel
  return lines;
}

std::string KernelBody::spell(const loop_nest::IndexExpression& expression) const {
  return expression.to_c([&](int variable) { return name_of(variable); });
}

std::string KernelBody::element(const loop_nest::BufferAccess& access) const {
  return fmt::format("{}[{}]", buffer(access.buffer).name, spell(access.offset));
}

std::string KernelBody::tests(const std::vector<loop_nest::Condition>& conditions) const {
  std::vector<std::string> all;
  for (const loop_nest::Condition& condition : conditions) {
    // Emits only the sides of the condition that the ranges do not prove.
    const std::size_t before = all.size();
    const std::string value = spell(condition.value);
    const loop_nest::Range range = condition.value.range(nest_.ranges);
    if (condition.divisor != 1) all.push_back(fmt::format("({}) % {} == 0", value, condition.divisor));
    if (range.low < 0) all.push_back(fmt::format("{} >= 0", value));
    if (range.high >= condition.bound * condition.divisor)
      all.push_back(fmt::format("{} < {}", value, condition.bound * condition.divisor));
    if (all.size() == before) all.emplace_back("1");
  }
  return fmt::format("{}", fmt::join(all, " && "));
}

void KernelBody::line(int depth, const std::string& text) {
  body_ += fmt::format("{:{}}{}\n", "", 2 * depth, text);
  statements_.insert(statements_.end(), 1 + static_cast<std::size_t>(std::ranges::count(text, '\n')),
                     statement_);
}

std::vector<KernelArgument> kernel_arguments(const loop_nest::LoopNest& nest) {
  std::vector<KernelArgument> arguments;
  for (const loop_nest::Buffer& buffer : nest.buffers)
    if (buffer.scope == loop_nest::BufferScope::Global)
      arguments.push_back({buffer.name, buffer.element_type, buffer.written, buffer.layout});
  return arguments;
}

}  // namespace kernelscape::codegen
