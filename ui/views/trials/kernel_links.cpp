#include "ui/views/trials/kernel_links.h"

#include <algorithm>
#include <map>
#include <set>

namespace kernelscape::views {
namespace {

/**
 * Gathers source lines with the lines linked to them. Lines of source and nest count from 1 here, as in the
 * map.
 */
class LinkGatherer {
 public:
  LinkGatherer(const measure::KernelInsight& insight, const machine_code::MachineCode& code)
      : insight_(insight), code_(code) {}

  void add_source(int source_line) {
    if (source_line <= 0 || !source_.insert(source_line).second) return;
    add_nest(insight_.map.nest_line(source_line));
  }
  void add_nest(int nest_line) {
    if (nest_line > 0) nest_.insert(nest_line);
  }
  void add_machine(std::size_t line) { machine_.insert(static_cast<int>(line)); }
  void add_instructions_of_sources() {
    for (std::size_t line = 0; line < code_.lines.size(); ++line)
      if (source_.contains(code_.lines[line].source_line)) add_machine(line);
  }

  LinkedLines result() const {
    LinkedLines lines;
    for (const int line : nest_) lines.nest.push_back(line - 1);
    for (const int line : source_) lines.source.push_back(line - 1);
    lines.machine.assign(machine_.begin(), machine_.end());
    return lines;
  }

 private:
  const measure::KernelInsight& insight_;
  const machine_code::MachineCode& code_;
  std::set<int> nest_;
  std::set<int> source_;
  std::set<int> machine_;
};

}  // namespace

LinkedLines links_of_nest_line(const measure::KernelInsight& insight, const machine_code::MachineCode& code,
                               int line) {
  LinkGatherer gatherer(insight, code);
  gatherer.add_nest(line + 1);
  for (const int source_line : insight.map.source_lines(line + 1)) gatherer.add_source(source_line);
  gatherer.add_instructions_of_sources();
  return gatherer.result();
}

LinkedLines links_of_source_line(const measure::KernelInsight& insight, const machine_code::MachineCode& code,
                                 int line) {
  LinkGatherer gatherer(insight, code);
  gatherer.add_source(line + 1);
  gatherer.add_instructions_of_sources();
  return gatherer.result();
}

LinkedLines links_of_machine_line(const measure::KernelInsight& insight,
                                  const machine_code::MachineCode& code, int line) {
  LinkGatherer gatherer(insight, code);
  const auto place = static_cast<std::size_t>(line);
  if (line < 0 || place >= code.lines.size()) return {};
  gatherer.add_machine(place);
  gatherer.add_source(code.lines[place].source_line);
  gatherer.add_instructions_of_sources();
  return gatherer.result();
}

LinkedLines links_of_node(const measure::KernelInsight& insight, const machine_code::MachineCode& code,
                          int node) {
  if (node < 0 || static_cast<std::size_t>(node) >= insight.stages.nodes.size()) return {};
  const std::vector<int>& lines = insight.stages.nodes[static_cast<std::size_t>(node)].lines;
  LinkGatherer gatherer(insight, code);
  for (const int line : lines) gatherer.add_nest(line);
  const std::vector<int>& nest_lines = insight.map.nest_lines;
  for (std::size_t i = 0; i < nest_lines.size(); ++i)
    if (std::ranges::binary_search(lines, nest_lines[i])) gatherer.add_source(static_cast<int>(i) + 1);
  gatherer.add_instructions_of_sources();
  return gatherer.result();
}

int node_of_links(const measure::KernelInsight& insight, const LinkedLines& lines) {
  std::map<int, int> counts;
  for (const int line : lines.nest) ++counts[insight.stages.node_of(line + 1)];
  int node = -1;
  for (const auto& [candidate, count] : counts)
    if (candidate >= 0 && (node < 0 || count >= counts[node])) node = candidate;
  return node;
}

LinkedLines links_of_machine_lines(const measure::KernelInsight& insight,
                                   const machine_code::MachineCode& code, std::size_t first,
                                   std::size_t last) {
  LinkGatherer gatherer(insight, code);
  for (std::size_t line = first; line <= last && line < code.lines.size(); ++line) {
    gatherer.add_machine(line);
    gatherer.add_source(code.lines[line].source_line);
  }
  return gatherer.result();
}

}  // namespace kernelscape::views
