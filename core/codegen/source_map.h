#pragma once

#include <string>
#include <vector>

#include "core/codegen/kernel_source.h"
#include "core/codegen/kernel_text.h"
#include "core/loop_nest/loop_nest.h"

namespace kernelscape::codegen {

/**
 * The work of a line of a kernel's source in one call of the whole kernel: all parts, or the whole launch.
 */
struct LineWork {
  double executions = 0;     ///< executions of the line's statement; 0: the line has no statement
  double multiply_adds = 0;  ///< over all executions, counting lanes
  bool exact = true;         ///< false inside a condition: the numbers are then upper bounds

  bool operator==(const LineWork&) const = default;
};

/**
 * A kernel's source line by line: the mapping to the lines of the printed loop nest and back, and the work of
 * each line. Lines count from 1; 0 is none. A value.
 */
struct SourceMap {
  std::vector<int> nest_lines;  ///< by line of source - 1: line of the nest's text
  std::vector<LineWork> work;   ///< by line of source - 1
  double multiply_adds = 0;  ///< per call of the whole kernel: padded blocks count, skipped padding does not

  /**
   * Returns the line of the nest's text from which a line of source was written; 0: none, as for the header.
   */
  int nest_line(int source_line) const;
  /** Returns the lines of source that were written from a line of the nest's text, ascending. */
  std::vector<int> source_lines(int nest_line) const;
  /** Returns the work of a line of source; zeros for a line that does not exist. */
  LineWork work_of(int source_line) const;
  bool operator==(const SourceMap&) const = default;
};

/** A kernel with the text of the loop nest that it was written from, and the lines of both. */
struct MappedSource {
  KernelSource source;  ///< byte for byte equal to the source without a map
  std::string nest_text;
  SourceMap map;
};

/** Emits a loop nest, after its passes, in a dialect, with the mapping of its lines. */
MappedSource emit_mapped(Dialect dialect, const loop_nest::LoopNest& nest,
                         const KernelDescription& description);

}  // namespace kernelscape::codegen
