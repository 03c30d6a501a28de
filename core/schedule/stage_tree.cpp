#include "core/schedule/stage_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/loop_nest/nest_text.h"
#include "core/loop_nest/rewrite.h"
#include "core/loop_nest/shared_memory.h"
#include "core/schedule/lowered_loops.h"
#include "core/schedule/resolved_record.h"
#include "core/schedule/stage_copies.h"
#include "core/schedule/tile_transform.h"

namespace kernelscape::schedule {
namespace {

constexpr int sums_node = 0;
constexpr int no_node = -1;
constexpr int several_nodes = -2;  ///< the line has operations of several nodes

constexpr std::string_view no_line = "no separate line";

/** "4x16x8" */
std::string extents_words(const std::vector<std::int64_t>& extents) {
  std::vector<std::string> texts;
  for (const std::int64_t extent : extents) texts.push_back(std::to_string(extent));
  return base::join(texts, "x");
}

std::string scope_words(loop_nest::BufferScope scope) {
  switch (scope) {
    case loop_nest::BufferScope::Global:
      return "memory";
    case loop_nest::BufferScope::Registers:
      return "registers";
    case loop_nest::BufferScope::Local:
      return "local memory";
    case loop_nest::BufferScope::Shared:
      return "shared memory";
    case loop_nest::BufferScope::Fragments:
      return "a warp's fragments";
  }
  return "nowhere";
}

std::string_view launch_words(Binding binding) {
  switch (binding) {
    case Binding::Parallel:
      return "distributed over threads";
    case Binding::BlockX:
      return "block x";
    case Binding::BlockY:
      return "block y";
    case Binding::BlockZ:
      return "block z";
    case Binding::ThreadX:
      return "thread x";
    case Binding::ThreadY:
      return "thread y";
    case Binding::ThreadZ:
      return "thread z";
    case Binding::VirtualThread:
      return "virtual threads";
    case Binding::None:
      break;
  }
  return {};
}

/** Describes a configuration's loops and stages as text. */
class StageText {
 public:
  StageText(const LoweredLoops& loops, const loop_nest::LoopNest& nest) : loops_(loops), nest_(nest) {}

  /** "out: sums of a x b over k" */
  std::string of_sums() const {
    const task::TensorOperator& op = loops_.schedule().op();
    std::vector<std::string> inputs;
    for (const task::TensorAccess& input : op.inputs) inputs.push_back(input.tensor);
    std::vector<std::string> axes;
    for (const task::TensorAxis& axis : op.axes)
      if (axis.reduction) axes.push_back(axis.name);
    const std::string products = base::join(inputs, " x ");
    const std::string then = op.epilogue.empty() ? std::string() : ", then " + task::to_string(op.epilogue);
    return axes.empty() ? fmt::format("{}: products of {}{}", op.output.tensor, products, then)
                        : fmt::format("{}: sums of {} over {}{}", op.output.tensor, products,
                                      base::join(axes, ", "), then);
  }

  std::string of_copy(const InputCopy& copy, int buffer, const Stage* from) const {
    std::vector<std::string> parts;
    const CopyOptions& options = copy.stage->options;
    if (const std::optional<TileTransform>& transform = loops_.schedule().tile_transform())
      parts.push_back(
          fmt::format("tiles transformed by Winograd's algorithm for {0}x{0} outputs", transform->tile));
    if (copy.by_box())
      parts.push_back("box " + extents_words(copy.box.extents));
    else
      parts.push_back(numbered_by(copy.indexed));
    add_padding(parts, copy.by_box() ? &copy.box : nullptr);
    if (copy.stage->scope != loop_nest::BufferScope::Fragments)
      parts.push_back(bytes_of_buffer(buffer, copy.input()));
    const std::int64_t places = length_product(loops_.schedule(), copy.boxes, loops_.configuration());
    if (places > 1) parts.push_back(fmt::format("one for each of {} virtual threads", places));
    if (options.copies == 2) parts.emplace_back("double buffered");
    if (options.copies > 2) parts.push_back(fmt::format("{} copies in turns", options.copies));
    if (copy.lanes > 1) parts.push_back(fmt::format("at most {} elements at once", copy.lanes));
    parts.push_back(from == nullptr ? "made from " + tensor_name(copy.input())
                                    : "made from the copy in " + scope_words(from->scope));
    return fmt::format("copy of {} in {}: {}", tensor_name(copy.input()), scope_words(copy.stage->scope),
                       base::join(parts, ", "));
  }

  /** Describes the stage in which sums accumulate. @param around loops in order, outside of the stage */
  std::string of_accumulator(const Stage& stage, int buffer, const std::vector<LoopId>& around) const {
    const loop_nest::Buffer& tile = nest_.buffers[static_cast<std::size_t>(buffer)];
    std::string text = fmt::format("sums in {}: ", scope_words(stage.scope));
    if (stage.scope == loop_nest::BufferScope::Fragments) {
      const std::int64_t count = loop_nest::element_count(tile);
      text += count == 1 ? "one fragment" : fmt::format("{} fragments", count);
    } else {
      const auto bytes = static_cast<double>(loop_nest::element_count(tile) *
                                             task::bytes_of(loops_.schedule().op().accumulator));
      text += fmt::format("tile {}, {} of a thread", extents_words(tile.extents), base::bytes_text(bytes));
    }
    std::vector<std::string> carried;
    for (const LoopId loop : around)
      if (loops_.is_reduction(loop) && loops_.runs(loop)) carried.push_back(name(loop));
    if (!carried.empty())
      text += fmt::format(", kept in {} between iterations of {}", keeper(), base::join(carried, ", "));
    return text;
  }

  std::string of_result(const Stage& stage, const ResultTile& tile, int buffer) const {
    const auto tensor = static_cast<std::size_t>(stage.tensor);
    std::vector<std::string> parts{"box " + extents_words(tile.box.extents)};
    add_padding(parts, &tile.box);
    parts.push_back(bytes_of_buffer(buffer, tensor));
    if (tile.lanes > 1) parts.push_back(fmt::format("at most {} elements at once", tile.lanes));
    parts.emplace_back("made from the sums");
    return fmt::format("{} written through {}: {}", tensor_name(tensor), scope_words(stage.scope),
                       base::join(parts, ", "));
  }

  std::string of_transformed(const TransformedTile& results, int buffer) const {
    const std::size_t output = loops_.schedule().op().inputs.size();
    return fmt::format("results in local memory: {}, {}, transformed and written to {}",
                       numbered_by(results.numbered), bytes_of_buffer(buffer, output), tensor_name(output));
  }

  std::string of_kept(const KeptResults& results, int buffer) const {
    const std::size_t output = loops_.schedule().op().inputs.size();
    return fmt::format("results in local memory: {}, {}, written to {}, at most {} at once",
                       numbered_by(results.numbered), bytes_of_buffer(buffer, output), tensor_name(output),
                       results.lanes);
  }

  /**
   * Describes a loop.
   * @param lines true if it has its own line
   * @param hint unroll factor requested from the compiler
   */
  std::string of_loop(LoopId loop, bool lines, std::int64_t hint) const {
    const std::int64_t length = loops_.length(loop);
    const std::string iterations =
        length == 1 ? "once" : fmt::format("{} iterations", base::count_text(length));
    return fmt::format("{}: {}, {}", name(loop), iterations, way_of(loop, lines, hint));
  }

 private:
  /** Returns where incomplete sums wait. */
  std::string keeper() const {
    const Schedule& schedule = loops_.schedule();
    for (const Stage* stage : schedule.stages(StageKind::CacheWrite, loop_nest::BufferScope::Local))
      if (schedule.attached_at(*stage, loops_.configuration()) != nowhere) return "local memory";
    return schedule.op().output.tensor;
  }

  const std::string& name(LoopId loop) const { return loops_.schedule().loop(loop).name; }
  const std::string& tensor_name(std::size_t tensor) const {
    return tensor_access(loops_.schedule().op(), tensor).tensor;
  }

  /** Returns a description of how a loop runs. */
  std::string way_of(LoopId loop, bool lines, std::int64_t hint) const {
    const Loop& record = loops_.schedule().loop(loop);
    const std::optional<Tensorized>& operation = loops_.schedule().tensorized();
    if (operation && loop_nest::contains(operation->loops, loop))
      return loops_.schedule().multiplies_elements(loops_.configuration())
                 ? fmt::format("multiply-adds of a group, {}", no_line)
                 : fmt::format("replaced by {}, {}", operation->intrinsic->name, no_line);
    if (!loops_.runs(loop)) return std::string(no_line);
    std::string way(launch_words(record.binding));
    const LoopPlace place = loops_.place(loop);
    if (place != LoopPlace::Serial && place != LoopPlace::VirtualThread) return way;
    if (!way.empty()) way += ", ";
    if (!lines) return way + fmt::format("{}, {}", record.vectorized ? "in lanes" : "unrolled", no_line);
    way += "serial";
    if (hint >= loops_.length(loop)) return way + ", the compiler is asked to unroll it";
    return hint > 1 ? way + fmt::format(", the compiler is asked to unroll {} at a time", hint) : way;
  }

  /** "numbered by row 4 x depth 8" */
  std::string numbered_by(const std::vector<LoopId>& loops) const {
    std::vector<std::string> texts;
    for (const LoopId loop : loops)
      if (loops_.length(loop) > 1) texts.push_back(fmt::format("{} {}", name(loop), loops_.length(loop)));
    return texts.empty() ? "one element" : "numbered by " + base::join(texts, " x ");
  }

  static void add_padding(std::vector<std::string>& parts, const CopyBox* box) {
    if (box == nullptr || box->row_elements == box->extents[box->order.back()]) return;
    parts.push_back(fmt::format("rows padded to {}", box->row_elements));
  }

  std::string bytes_of_buffer(int buffer, std::size_t tensor) const {
    const std::int64_t elements = loop_nest::element_count(nest_.buffers[static_cast<std::size_t>(buffer)]);
    return base::bytes_text(
        static_cast<double>(elements * task::bytes_of(tensor_access(loops_.schedule().op(), tensor).type)));
  }

  const LoweredLoops& loops_;
  const loop_nest::LoopNest& nest_;
};

/** Makes the nodes, then assigns each line of the nest to a node. */
class StageTreeMaker {
 public:
  StageTreeMaker(const ScheduledKernel& kernel, const space::Configuration& configuration,
                 const loop_nest::LoopNest& nest)
      : schedule_(kernel.schedule()),
        nest_(nest),
        loops_(schedule_, configuration, kernel.target().kind),
        words_(loops_, nest),
        loop_nodes_(nest.variables.size(), no_node),
        stage_nodes_(nest.buffers.size(), no_node) {}

  StageTree run() && {
    make_stages();
    add_nodes();
    printed_ = loop_nest::nest_text(nest_);
    tree_.places.assign(static_cast<std::size_t>(std::ranges::count(printed_.text, '\n')), sums_node);
    for (const loop_nest::LaunchIndex& index : nest_.launch)
      if (const int node = loop_node(index.variable); node != no_node)
        launched_.push_back({index.variable, node});
    int around = sums_node;
    for (const LaunchedLoop& loop : launched_) around = std::max(around, loop.node);
    if (nest_.body) place(nest_.body, around);
    for (std::size_t number = 0; number < tree_.nodes.size(); ++number) {
      StageNode& node = tree_.nodes[number];
      // A line around others is assigned after them.
      std::ranges::sort(node.lines);
      if (node.kind == StageNodeKind::Loop)
        node.text = words_.of_loop(LoopId{node.number}, !node.lines.empty(), hints_[number]);
    }
    return std::move(tree_);
  }

 private:
  /** A stage's text, the number of its buffer, and the loop of the order that it is attached to. */
  struct MadeStage {
    int number = 0;
    int buffer = 0;
    std::size_t place = 0;
    std::string text;
  };
  /** A loop whose index is a launch index. */
  struct LaunchedLoop {
    int variable = 0;
    int node = no_node;
  };

  // --- nodes ---

  void make_stages() {
    for (std::size_t i = 0; i < schedule_.stages().size(); ++i) {
      const Stage& stage = schedule_.stages()[i];
      const LoopId at = schedule_.attached_at(stage, loops_.configuration());
      if (stage.kind == StageKind::Compute || at == nowhere) continue;
      MadeStage made;
      made.number = static_cast<int>(i);
      made.place = loops_.position(at);
      if (stage.kind == StageKind::CacheRead)
        make_copy_of(stage, made);
      else if (stage.scope == loop_nest::BufferScope::Shared)
        make_result(stage, made);
      else if (stage.scope == loop_nest::BufferScope::Local && schedule_.tile_transform())
        make_transformed(stage, made);
      else if (stage.scope == loop_nest::BufferScope::Local)
        make_kept(stage, made);
      stages_.push_back(std::move(made));
    }
    // The sums' accumulator is the only buffer without another stage.
    if (const Stage* sums = schedule_.accumulator()) make_accumulator(*sums);
  }

  void make_copy_of(const Stage& stage, MadeStage& made) {
    const Stage* from = nullptr;
    for (const Stage& earlier : schedule_.stages()) {
      if (&earlier == &stage) break;
      if (earlier.kind == StageKind::CacheRead && earlier.tensor == stage.tensor) from = &earlier;
    }
    const InputCopy copy = make_copy(loops_, stage);
    made.buffer = buffer_like(copy.buffer);
    made.text = words_.of_copy(copy, made.buffer, from);
  }

  void make_result(const Stage& stage, MadeStage& made) {
    const ResultTile tile = make_result_tile(loops_, stage);
    made.buffer = buffer_like(tile.buffer);
    made.text = words_.of_result(stage, tile, made.buffer);
  }

  void make_transformed(const Stage& stage, MadeStage& made) {
    const TransformedTile results = make_transformed_results(loops_, stage);
    made.buffer = buffer_like(results.buffer);
    made.text = words_.of_transformed(results, made.buffer);
  }

  void make_kept(const Stage& stage, MadeStage& made) {
    const KeptResults results = make_kept_results(loops_, stage);
    made.buffer = buffer_like(results.buffer);
    made.text = words_.of_kept(results, made.buffer);
  }

  /** Assigns the temporaries of Winograd's transforms to the stages whose tiles they transform. */
  void add_temporaries() {
    for (const MadeStage& stage : stages_) {
      const Stage& record = schedule_.stages()[static_cast<std::size_t>(stage.number)];
      if (record.scope != loop_nest::BufferScope::Local) continue;
      const std::string& tensor =
          tensor_access(schedule_.op(), static_cast<std::size_t>(record.tensor)).tensor;
      for (std::size_t buffer = 0; buffer < nest_.buffers.size(); ++buffer)
        if (is_transform_buffer(nest_.buffers[buffer], tensor))
          stage_nodes_[buffer] = stage_nodes_[static_cast<std::size_t>(stage.buffer)];
    }
  }

  void make_accumulator(const Stage& sums) {
    const auto made = std::ranges::find_if(stages_, [&](const MadeStage& stage) {
      return &schedule_.stages()[static_cast<std::size_t>(stage.number)] == &sums;
    });
    const auto taken = [&](std::size_t buffer) {
      return std::ranges::any_of(stages_, [&](const MadeStage& stage) {
        return &stage != &*made && static_cast<std::size_t>(stage.buffer) == buffer;
      });
    };
    std::size_t buffer = 0;
    while (buffer < nest_.buffers.size() && (nest_.buffers[buffer].scope != sums.scope || taken(buffer)))
      ++buffer;
    if (buffer == nest_.buffers.size()) throw std::logic_error("the nest has no place for sums");
    made->buffer = static_cast<int>(buffer);
    const auto around = loops_.order().begin() + static_cast<std::ptrdiff_t>(made->place) + 1;
    made->text = words_.of_accumulator(sums, made->buffer, {loops_.order().begin(), around});
  }

  /** Returns the nest's buffer that corresponds to a buffer that was made again here. */
  int buffer_like(int made) {
    const loop_nest::Buffer& like = loops_.nest().buffers[static_cast<std::size_t>(made)];
    const auto found = std::ranges::find_if(nest_.buffers, [&](const loop_nest::Buffer& buffer) {
      return buffer.scope == like.scope && buffer.name == like.name;
    });
    if (found == nest_.buffers.end())
      throw std::logic_error(fmt::format("the nest is another configuration's: it has no {}", like.name));
    return static_cast<int>(found - nest_.buffers.begin());
  }

  void add_nodes() {
    tree_.nodes.push_back({StageNodeKind::Stage, no_node, 0, words_.of_sums(), {}});
    for (std::size_t place = 0; place < loops_.order().size(); ++place) {
      const LoopId loop = loops_.order()[place];
      const auto node = static_cast<int>(tree_.nodes.size());
      if (loops_.runs(loop)) loop_nodes_[static_cast<std::size_t>(loops_.variable_of(loop))] = node;
      tree_.nodes.push_back({StageNodeKind::Loop, sums_node, loop.number, {}, {}});
      for (const MadeStage& stage : stages_) {
        if (stage.place != place) continue;
        stage_nodes_[static_cast<std::size_t>(stage.buffer)] = static_cast<int>(tree_.nodes.size());
        tree_.nodes.push_back({StageNodeKind::Stage, node, stage.number, stage.text, {}});
      }
    }
    if (schedule_.tile_transform()) add_temporaries();
    hints_.assign(tree_.nodes.size(), 1);
  }

  // --- lines ---

  int loop_node(int variable) const { return loop_nodes_[static_cast<std::size_t>(variable)]; }
  int stage_node(int buffer) const { return stage_nodes_[static_cast<std::size_t>(buffer)]; }
  void own(int line, int node) {
    tree_.nodes[static_cast<std::size_t>(node)].lines.push_back(line);
    stand(line, node);
  }
  void stand(int line, int node) { tree_.places[static_cast<std::size_t>(line) - 1] = node; }

  /** Loops whose index is a launch index only have the lines that use the index. */
  template <typename UsesVariable>
  void add_uses(int line, const UsesVariable& is_used) {
    for (const LaunchedLoop& loop : launched_)
      if (is_used(loop.variable)) tree_.nodes[static_cast<std::size_t>(loop.node)].lines.push_back(line);
  }

  static bool uses(const loop_nest::BufferAccess& access, int variable) {
    return access.offset.depends_on(variable);
  }
  static bool uses(const std::vector<loop_nest::Condition>& conditions, int variable) {
    return std::ranges::any_of(conditions, [&](const loop_nest::Condition& condition) {
      return condition.value.depends_on(variable);
    });
  }
  template <typename AnyOperation>
  static bool accesses_use(const AnyOperation& operation, int variable) {
    return uses(operation.destination, variable) ||
           std::ranges::any_of(operation.sources,
                               [&](const loop_nest::BufferAccess& source) { return uses(source, variable); });
  }

  /**
   * Assigns the lines of a statement, in the order of its numbers, to nodes.
   * @param around the innermost loop
   * @return the node that all its operations belong to, if there is only one
   */
  int place(const loop_nest::StatementPtr& statement, int around) {
    const int line = printed_.statements[next_statement_++].line;
    return std::visit([&](const auto& node) { return place_node(node, line, around); }, statement->node);
  }

  static int joined(int one, int other) {
    if (one == no_node || one == other) return other;
    return other == no_node ? one : several_nodes;
  }

  /**
   * Assigns a line that begins no loop of the sums to the stage that all statements inside of it belong to.
   */
  void place_around(int line, int inside, int around) {
    if (inside > sums_node)
      own(line, inside);
    else
      stand(line, around);
  }

  int place_node(const loop_nest::Loop& loop, int line, int around) {
    if (const int node = loop_node(loop.variable); node != no_node) {
      own(line, node);
      std::int64_t& hint = hints_[static_cast<std::size_t>(node)];
      hint = std::max(hint, loop.unroll_hint);
      return place(loop.body, node);
    }
    // the loop over the distributed iterations, which begins the kernel
    if (loop.kind == loop_nest::LoopKind::Parallel) {
      own(line, sums_node);
      return place(loop.body, around);
    }
    const int inside = place(loop.body, around);
    place_around(line, inside, around);
    return inside;
  }

  int place_node(const loop_nest::Let& let, int line, int around) {
    add_uses(line, [&](int variable) { return let.value.depends_on(variable); });
    if (const int node = loop_node(let.variable); node != no_node) {
      own(line, node);
      // Launch indices are decoded in any order; the innermost loop is that of the schedule.
      return place(let.body, std::max(around, node));
    }
    const int inside = place(let.body, around);
    place_around(line, inside, around);
    return inside;
  }

  int place_node(const loop_nest::Guard& guard, int line, int around) {
    add_uses(line, [&](int variable) { return uses(guard.conditions, variable); });
    const int inside = place(guard.body, around);
    place_around(line, inside, around);
    return inside;
  }

  int place_node(const loop_nest::Sequence& sequence, int, int around) {
    int inside = no_node;
    for (const loop_nest::StatementPtr& part : sequence.statements)
      inside = joined(inside, place(part, around));
    return inside;
  }

  int place_node(const loop_nest::Allocate& allocate, int line, int around) {
    own(line, stage_node(allocate.buffer));
    return place(allocate.body, around);
  }

  int place_node(const loop_nest::Barrier&, int line, int around) {
    stand(line, around);
    return no_node;
  }

  int place_node(const loop_nest::Compute& compute, int line, int around) {
    add_uses(line, [&](int variable) {
      return accesses_use(compute, variable) || uses(compute.conditions, variable);
    });
    return place_operation(compute, compute.operation == loop_nest::Operation::MultiplyAccumulate, line,
                           around);
  }

  int place_node(const loop_nest::FragmentOperation& operation, int line, int around) {
    add_uses(line, [&](int variable) { return accesses_use(operation, variable); });
    return place_operation(operation, operation.action == loop_nest::FragmentAction::MultiplyAccumulate, line,
                           around);
  }

  template <typename AnyOperation>
  int place_operation(const AnyOperation& operation, bool multiplies, int line, int around) {
    const int node = multiplies ? sums_node : owner_of(operation);
    own(line, node);
    if (node == sums_node) stand(line, around);
    return node;
  }

  /**
   * Returns the node that an operation belongs to: that of the buffer it writes, otherwise that of the buffer
   * it stores to the output.
   */
  template <typename AnyOperation>
  int owner_of(const AnyOperation& operation) const {
    if (const int node = stage_node(operation.destination.buffer); node != no_node) return node;
    if (operation.sources.empty()) return sums_node;
    return std::max(stage_node(operation.sources.front().buffer), sums_node);
  }

  const Schedule& schedule_;
  const loop_nest::LoopNest& nest_;
  LoweredLoops loops_;
  StageText words_;
  std::vector<MadeStage> stages_;    ///< stages without the sums, in order
  std::vector<int> loop_nodes_;      ///< by variable of the nest
  std::vector<int> stage_nodes_;     ///< by buffer of the nest
  std::vector<std::int64_t> hints_;  ///< by node
  std::vector<LaunchedLoop> launched_;
  StageTree tree_;
  loop_nest::NestText printed_;
  std::size_t next_statement_ = 0;
};

}  // namespace

std::string_view to_string(StageNodeKind kind) { return kind == StageNodeKind::Stage ? "stage" : "loop"; }

int StageTree::node_of(int line) const {
  const bool there = line >= 1 && static_cast<std::size_t>(line) <= places.size();
  return there ? places[static_cast<std::size_t>(line) - 1] : no_node;
}

int StageTree::depth_of(int node) const {
  int depth = 0;
  for (int parent = nodes[static_cast<std::size_t>(node)].parent; parent != no_node;
       parent = nodes[static_cast<std::size_t>(parent)].parent)
    ++depth;
  return depth;
}

StageTree stage_tree(const ScheduledKernel& kernel, const space::Configuration& configuration,
                     const loop_nest::LoopNest& nest) {
  return StageTreeMaker(kernel, configuration, nest).run();
}

}  // namespace kernelscape::schedule
