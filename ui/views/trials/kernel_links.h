#pragma once

#include <vector>

#include "core/measure/kernel_insight.h"

namespace kernelscape::views {

/**
 * Lines of the printed loop nest, of the source and of the machine code that belong together. All are
 * ascending and count from 0.
 */
struct LinkedLines {
  std::vector<int> nest;
  std::vector<int> source;
  std::vector<int> machine;

  bool operator==(const LinkedLines&) const = default;
};

/**
 * Returns the lines linked to a line of the loop nest: the source lines written from it, and their
 * instructions.
 */
LinkedLines links_of_nest_line(const measure::KernelInsight& insight, const machine_code::MachineCode& code,
                               int line);

/**
 * Returns the lines linked to a source line: the line of the nest that it was written from, and its
 * instructions.
 */
LinkedLines links_of_source_line(const measure::KernelInsight& insight, const machine_code::MachineCode& code,
                                 int line);

/**
 * Returns the lines linked to a line of machine code: its source line, that line's place in the nest, and all
 * other instructions of that source line.
 */
LinkedLines links_of_machine_line(const measure::KernelInsight& insight,
                                  const machine_code::MachineCode& code, int line);

/**
 * Returns the lines linked to a node of the stage tree: its lines of the nest, the source lines written from
 * them, and their instructions. Returns no lines for a node without lines.
 */
LinkedLines links_of_node(const measure::KernelInsight& insight, const machine_code::MachineCode& code,
                          int node);

/**
 * Returns the node of the stage tree that contains most of these lines of the nest, or the innermost of
 * several such nodes; -1: there is none.
 */
int node_of_links(const measure::KernelInsight& insight, const LinkedLines& lines);

/**
 * Returns the lines linked to lines first ... last of machine code, such as a loop: these lines, and the
 * lines that they come from.
 */
LinkedLines links_of_machine_lines(const measure::KernelInsight& insight,
                                   const machine_code::MachineCode& code, std::size_t first,
                                   std::size_t last);

}  // namespace kernelscape::views
