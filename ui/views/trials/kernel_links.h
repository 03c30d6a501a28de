#pragma once

#include <vector>

#include "core/measure/kernel_insight.h"

namespace kernelscape {

/** Lines that belong together: of the printed loop nest, of the source, of the machine code. All count from 0
 * and ascend. */
struct LinkedLines {
  std::vector<int> nest;
  std::vector<int> source;
  std::vector<int> machine;

  bool operator==(const LinkedLines&) const = default;
};

/** What belongs to a line of the loop nest: the lines of source written from it, and their instructions. */
LinkedLines links_of_nest_line(const KernelInsight& insight, const MachineCode& code, int line);

/** What belongs to a line of source: the line of the nest that it was written from, and its instructions. */
LinkedLines links_of_source_line(const KernelInsight& insight, const MachineCode& code, int line);

/** What belongs to a line of machine code: its line of source, that line's place in the nest, and all other
 * instructions of the same line of source. */
LinkedLines links_of_machine_line(const KernelInsight& insight, const MachineCode& code, int line);

/** What belongs to a node of the stage tree: its lines of the nest, the lines of source written from them,
 * and their instructions. Nothing of a node without lines. */
LinkedLines links_of_node(const KernelInsight& insight, const MachineCode& code, int node);

/** The node of the stage tree in which most of these lines of the nest stand, of several the innermost; -1:
 * there is none. */
int node_of_links(const KernelInsight& insight, const LinkedLines& lines);

/** What belongs to lines first ... last of machine code, such as a loop: these, and where they come from. */
LinkedLines links_of_machine_lines(const KernelInsight& insight, const MachineCode& code, std::size_t first,
                                   std::size_t last);

}  // namespace kernelscape
