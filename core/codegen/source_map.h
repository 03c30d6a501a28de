#pragma once

#include <string>
#include <vector>

#include "core/codegen/kernel_source.h"
#include "core/codegen/kernel_text.h"
#include "core/loop_nest/loop_nest.h"

namespace kernelscape {

/** What a line of a kernel's source does in one call of the whole kernel: all parts, or the whole launch. */
struct LineWork {
  double executions = 0;     ///< of the line's statement; 0: the line has none
  double multiply_adds = 0;  ///< of all of them together, lanes counted
  bool exact = true;         ///< false inside a condition: the numbers are then the most that they can be

  bool operator==(const LineWork&) const = default;
};

/** A kernel's source line by line: its place in the printed loop nest and back, and its work. Lines count
 * from 1; 0 is none. A value. */
struct SourceMap {
  std::vector<int> nest_lines;  ///< by line of source - 1: line of the nest's text
  std::vector<LineWork> work;   ///< by line of source - 1
  double multiply_adds =
      0;  ///< of one call of the whole kernel: padded blocks count, skipped padding does not

  /** The line of the nest's text that a line of source was written from; 0: none, as of the header. */
  int nest_line(int source_line) const;
  /** The lines of source that were written from a line of the nest's text, ascending. */
  std::vector<int> source_lines(int nest_line) const;
  /** Of a line of source; nothing of a line that there is not. */
  LineWork work_of(int source_line) const;
  bool operator==(const SourceMap&) const = default;
};

/** A kernel with the text of the loop nest that it was written from, and the lines of both. */
struct MappedSource {
  KernelSource source;  ///< the same, byte for byte, as without the map
  std::string nest_text;
  SourceMap map;
};

/** A loop nest after its passes as source in a dialect, line by line known where it comes from. */
MappedSource emit_mapped(Dialect dialect, const LoopNest& nest, const KernelDescription& description);

}  // namespace kernelscape
