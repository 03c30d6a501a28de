#include "core/machine_code/machine_loops.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>

namespace kernelscape::machine_code {
namespace {

constexpr std::size_t max_loops = 2000;
constexpr int no_block = -1;

/** Lines first ... last that are executed one after the other. */
struct BasicBlock {
  std::size_t first = 0;
  std::size_t last = 0;
  std::vector<int> next;
  std::vector<int> before;
};

/** A loop as a set of blocks. */
struct BlockLoop {
  int header = 0;
  std::vector<int> blocks;
};

/** The basic blocks, their dominators and their natural loops. */
class FlowGraph {
 public:
  FlowGraph(const MachineCode& code, const std::vector<DecodedInstruction>& decoded)
      : code_(code), decoded_(decoded) {
    make_blocks();
    connect();
    order_blocks();
    find_dominators();
  }

  const std::vector<BasicBlock>& blocks() const { return blocks_; }

  std::vector<BlockLoop> loops() const {
    std::map<int, std::vector<int>> tails;  // by header
    for (const int block : order_)
      for (const int next : at(block).next)
        if (dominates(next, block)) tails[next].push_back(block);
    std::vector<BlockLoop> result;
    for (const auto& [header, ends] : tails) {
      if (result.size() == max_loops) break;
      result.push_back({header, body(header, ends)});
    }
    return result;
  }

 private:
  const BasicBlock& at(int block) const { return blocks_[static_cast<std::size_t>(block)]; }
  BasicBlock& at(int block) { return blocks_[static_cast<std::size_t>(block)]; }

  void make_blocks() {
    bool begins = true;
    for (std::size_t i = 0; i < code_.lines.size(); ++i) {
      const bool label = !code_.lines[i].instruction();
      const bool after_label = i > 0 && !code_.lines[i - 1].instruction();
      if (begins || (label && !after_label)) blocks_.push_back({i, i, {}, {}});
      blocks_.back().last = i;
      if (label) by_label_.try_emplace(code_.lines[i].text, static_cast<int>(blocks_.size()) - 1);
      begins = !label && decoded_[i].facts.instruction_class == InstructionClass::Branch;
    }
  }

  void connect() {
    for (int block = 0; block < static_cast<int>(blocks_.size()); ++block) {
      const DecodedInstruction& last = decoded_[at(block).last];
      const auto join = [&](int next) {
        if (contains_block(at(block).next, next)) return;
        at(block).next.push_back(next);
        at(next).before.push_back(block);
      };
      if (!last.target.empty())
        if (const auto found = by_label_.find(last.target); found != by_label_.end()) join(found->second);
      if (!last.leaves && block + 1 < static_cast<int>(blocks_.size())) join(block + 1);
    }
  }

  static bool contains_block(const std::vector<int>& blocks, int block) {
    return std::ranges::find(blocks, block) != blocks.end();
  }

  /** Numbers the blocks in reverse postorder from the first block; unreachable blocks have no number. */
  void order_blocks() {
    number_.assign(blocks_.size(), no_block);
    if (blocks_.empty()) return;
    std::vector<std::pair<int, std::size_t>> path{{0, 0}};
    std::vector<bool> seen(blocks_.size());
    seen[0] = true;
    while (!path.empty()) {
      auto& [block, child] = path.back();
      if (child == at(block).next.size()) {
        order_.push_back(block);
        path.pop_back();
        continue;
      }
      const int next = at(block).next[child++];
      if (seen[static_cast<std::size_t>(next)]) continue;
      seen[static_cast<std::size_t>(next)] = true;
      path.emplace_back(next, 0);
    }
    std::ranges::reverse(order_);
    for (std::size_t i = 0; i < order_.size(); ++i) number(order_[i]) = static_cast<int>(i);
  }

  int& number(int block) { return number_[static_cast<std::size_t>(block)]; }
  int number(int block) const { return number_[static_cast<std::size_t>(block)]; }

  /**
   * Finds the dominators, by number in the order (K. D. Cooper, T. J. Harvey, K. Kennedy, "A simple, fast
   * dominance algorithm").
   */
  void find_dominators() {
    dominator_.assign(order_.size(), no_block);
    if (order_.empty()) return;
    dominator_[0] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 1; i < order_.size(); ++i) {
        int found = no_block;
        for (const int block : at(order_[i]).before) {
          const int other = number(block);
          if (other == no_block || dominator_[static_cast<std::size_t>(other)] == no_block) continue;
          found = found == no_block ? other : common(found, other);
        }
        if (found == dominator_[i]) continue;
        dominator_[i] = found;
        changed = true;
      }
    }
  }

  int common(int one, int other) const {
    while (one != other) {
      while (one > other) one = dominator_[static_cast<std::size_t>(one)];
      while (other > one) other = dominator_[static_cast<std::size_t>(other)];
    }
    return one;
  }

  bool dominates(int block, int other) const {
    const int wanted = number(block);
    int at_number = number(other);
    if (wanted == no_block || at_number == no_block) return false;
    while (at_number > wanted) at_number = dominator_[static_cast<std::size_t>(at_number)];
    return at_number == wanted;
  }

  /** Returns all blocks from which the ends are reached without passing the header, and the header. */
  std::vector<int> body(int header, const std::vector<int>& ends) const {
    std::vector<bool> inside(blocks_.size());
    inside[static_cast<std::size_t>(header)] = true;
    std::vector<int> result{header};
    std::vector<int> waiting = ends;
    while (!waiting.empty()) {
      const int block = waiting.back();
      waiting.pop_back();
      if (inside[static_cast<std::size_t>(block)] || number(block) == no_block) continue;
      inside[static_cast<std::size_t>(block)] = true;
      result.push_back(block);
      waiting.insert(waiting.end(), at(block).before.begin(), at(block).before.end());
    }
    return result;
  }

  const MachineCode& code_;
  const std::vector<DecodedInstruction>& decoded_;
  std::vector<BasicBlock> blocks_;
  std::map<std::string_view, int> by_label_;
  std::vector<int> order_;
  std::vector<int> number_;     ///< by block: its number in the order
  std::vector<int> dominator_;  ///< by number: the number of the immediate dominator
};

/** Returns the loops of the code, larger ones first, with their parents; sets the loop of each block. */
std::vector<MachineLoop> nest_loops(const FlowGraph& graph, std::vector<BlockLoop> loops,
                                    std::vector<int>& loop_of_block) {
  std::ranges::stable_sort(loops, std::ranges::greater(),
                           [](const BlockLoop& loop) { return loop.blocks.size(); });
  std::vector<MachineLoop> result;
  for (const BlockLoop& loop : loops) {
    MachineLoop& added = result.emplace_back();
    added.parent = loop_of_block[static_cast<std::size_t>(loop.header)];
    added.first_line = graph.blocks()[static_cast<std::size_t>(loop.header)].first;
    if (added.parent >= 0) {
      MachineLoop& around = result[static_cast<std::size_t>(added.parent)];
      around.innermost = false;
      added.depth = around.depth + 1;
    }
    for (const int block : loop.blocks) {
      const BasicBlock& lines = graph.blocks()[static_cast<std::size_t>(block)];
      added.first_line = std::min(added.first_line, lines.first);
      added.last_line = std::max(added.last_line, lines.last);
      loop_of_block[static_cast<std::size_t>(block)] = static_cast<int>(result.size()) - 1;
    }
  }
  return result;
}

}  // namespace

void find_loops(MachineCode& code, const std::vector<DecodedInstruction>& decoded) {
  const FlowGraph graph(code, decoded);
  std::vector<int> loop_of_block(graph.blocks().size(), -1);
  const std::vector<MachineLoop> loops = nest_loops(graph, graph.loops(), loop_of_block);
  std::vector<int> order(loops.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {},
                           [&](int loop) { return loops[static_cast<std::size_t>(loop)].first_line; });
  std::vector<int> place(loops.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  for (const int loop : order) {
    MachineLoop& added = code.loops.emplace_back(loops[static_cast<std::size_t>(loop)]);
    if (added.parent >= 0) added.parent = place[static_cast<std::size_t>(added.parent)];
  }
  for (std::size_t block = 0; block < loop_of_block.size(); ++block) {
    if (loop_of_block[block] < 0) continue;
    const BasicBlock& lines = graph.blocks()[block];
    for (std::size_t i = lines.first; i <= lines.last; ++i)
      code.lines[i].loop = place[static_cast<std::size_t>(loop_of_block[block])];
  }
}

}  // namespace kernelscape::machine_code
