#pragma once

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "core/machine_code/loop_bound.h"
#include "core/machine_code/machine_code.h"

namespace kernelscape {

/** Ends the fuzzer where something does not hold: that is its finding. */
inline void must(bool holds) {
  if (!holds) std::abort();
}

/** Loops lie within the text and each within its parent, which stands before it. */
inline void check_loops(const machine_code::MachineCode& code) {
  const auto count = static_cast<int>(code.loops.size());
  must(code.hot_loop < count && (code.hot_loop < 0) == code.loops.empty());
  for (const machine_code::MachineLine& line : code.lines) must(line.loop >= -1 && line.loop < count);
  for (int i = 0; i < count; ++i) {
    const machine_code::MachineLoop& loop = code.loops[static_cast<std::size_t>(i)];
    must(loop.first_line <= loop.last_line && loop.last_line < code.lines.size());
    must(loop.parent < i && (loop.parent < 0) == (loop.depth == 1));
    if (loop.parent < 0) continue;
    const machine_code::MachineLoop& around = code.loops[static_cast<std::size_t>(loop.parent)];
    must(around.first_line <= loop.first_line && loop.last_line <= around.last_line && !around.innermost);
  }
}

/** What all that is read of a kernel's instructions keeps to: any text in any language gives lines, loops,
 * mixes and bounds, and what is asked of them. */
inline void fuzz_machine_code(std::string_view text, machine_code::MachineLanguage language) {
  machine_code::MachineCode code =
      machine_code::parse_assembly(text, {.language = language, .entry = "kernel"});
  check_loops(code);
  codegen::SourceMap map;
  map.work.assign(32, {.executions = 8, .multiply_adds = 64});
  map.nest_lines.assign(32, 1);
  machine_code::count_iterations(code, map);
  check_loops(code);
  for (const machine_code::MachineLoop& loop : code.loops) {
    must(std::isfinite(loop.iterations) && loop.iterations >= 0);
    for (const int line : code.source_lines_of(loop)) must(!code.lines_of(line).empty());
    must(machine_code::text_for_mca(code, loop).size() <= code.text().size());
    if (const auto bound = machine_code::bound_by_counts(code, loop, machine_code::port_model_of({}))) {
      must(std::isfinite(bound->cycles) && bound->cycles >= 0);
      for (const machine_code::BoundPart& part : bound->parts) must(part.cycles <= bound->cycles);
    }
  }
}

}  // namespace kernelscape
