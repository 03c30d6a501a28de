#include "core/codegen/source_map.h"

#include "core/codegen/c_emitter.h"
#include "core/codegen/gpu_emitter.h"
#include "core/loop_nest/nest_text.h"

namespace kernelscape::codegen {
namespace {

/** Returns an element by its number from 1, or a default value. */
template <typename Value>
Value by_line(const std::vector<Value>& values, int line) {
  const bool there = line >= 1 && static_cast<std::size_t>(line) <= values.size();
  return there ? values[static_cast<std::size_t>(line) - 1] : Value{};
}

}  // namespace

int SourceMap::nest_line(int source_line) const { return by_line(nest_lines, source_line); }

std::vector<int> SourceMap::source_lines(int nest_line) const {
  std::vector<int> lines;
  if (nest_line <= 0) return lines;
  for (std::size_t i = 0; i < nest_lines.size(); ++i)
    if (nest_lines[i] == nest_line) lines.push_back(static_cast<int>(i) + 1);
  return lines;
}

LineWork SourceMap::work_of(int source_line) const { return by_line(work, source_line); }

MappedSource emit_mapped(Dialect dialect, const loop_nest::LoopNest& nest,
                         const KernelDescription& description) {
  MappedSource mapped;
  LineStatements lines;
  mapped.source = dialect == Dialect::C ? emit_c(nest, description, &lines)
                                        : emit_gpu(nest, dialect, description, &lines);
  loop_nest::NestText text = loop_nest::nest_text(nest);
  mapped.nest_text = std::move(text.text);
  for (const int statement : lines) {
    const bool written = statement >= 0 && static_cast<std::size_t>(statement) < text.statements.size();
    const loop_nest::StatementPlace place = written ? text.statements[static_cast<std::size_t>(statement)]
                                                    : loop_nest::StatementPlace{.executions = 0};
    mapped.map.nest_lines.push_back(place.line);
    mapped.map.work.push_back({place.executions, place.multiply_adds, place.exact});
  }
  for (const loop_nest::StatementPlace& place : text.statements)
    mapped.map.multiply_adds += place.multiply_adds;
  return mapped;
}

}  // namespace kernelscape::codegen
