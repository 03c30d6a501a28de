#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/graph/liveness.h"
#include "core/graph/memory_plan.h"
#include "core/graph/passes/passes.h"
#include "tests/graph/random_graph.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::graph_memory_test {
using namespace kernelscape::testing;

namespace {

using graph::BufferUse;
using graph::Storage;

constexpr std::int64_t alignment = 64;

/** Runs a graph of elements of eight bytes with its values where the plan has them. */
class PlannedRun {
 public:
  explicit PlannedRun(const graph::Graph& graph)
      : graph_(graph),
        liveness_(graph::find_liveness(graph, alignment)),
        plan_(graph::plan_memory(liveness_.buffers, alignment)),
        arena_(static_cast<std::size_t>(plan_.arena_bytes / 8), std::numeric_limits<double>::quiet_NaN()) {}

  std::vector<graph::Tensor> run(const std::vector<graph::Tensor>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) blocks_[graph_.inputs[i]] = inputs[i].elements;
    for (std::size_t i = 0; i < graph_.values.size(); ++i)
      if (graph_.values[i].constant) blocks_[i] = *graph::constant_doubles(graph_.values[i]);
    for (const graph::Node& node : graph_.nodes) run_node(node);
    std::vector<graph::Tensor> outputs;
    for (const std::size_t output : graph_.outputs) outputs.push_back(read(output));
    return outputs;
  }

 private:
  double* address(std::size_t value) {
    const graph::ValuePlace& place = liveness_.values[value];
    const auto offset = static_cast<std::size_t>(place.byte_offset / 8);
    if (place.storage == Storage::Arena)
      return arena_.data() + static_cast<std::size_t>(plan_.offsets[place.buffer] / 8) + offset;
    std::vector<double>& block = blocks_[place.buffer];
    if (block.empty())
      block.resize(static_cast<std::size_t>(graph::element_count(graph_.values[place.buffer].shape)));
    return block.data() + offset;
  }

  graph::Tensor read(std::size_t value) {
    const graph::Value& described = graph_.values[value];
    const double* from = address(value);
    return {described.type, described.shape, std::vector(from, from + graph::element_count(described.shape))};
  }

  /** Returns true for an operator that has nothing to do since its result is in its operand's memory. */
  bool is_done(const graph::Node& node, std::size_t output) const {
    static const std::vector<std::string> views{"Reshape",  "Flatten", "Squeeze", "Unsqueeze",
                                                "Identity", "Dropout", "Split",   "Slice"};
    if (std::ranges::find(views, node.operation) == views.end()) return false;
    const graph::ValuePlace& from = liveness_.values[node.inputs[0]];
    const graph::ValuePlace& to = liveness_.values[output];
    return from.storage == to.storage && from.buffer == to.buffer;
  }

  void run_node(const graph::Node& node) {
    std::vector<graph::Tensor> operands;
    for (const std::size_t input : node.inputs)
      operands.push_back(input == graph::absent ? graph::Tensor{} : read(input));
    std::vector<const graph::Tensor*> pointers;
    for (std::size_t i = 0; i < operands.size(); ++i)
      pointers.push_back(node.inputs[i] == graph::absent ? nullptr : &operands[i]);
    const auto results = graph::evaluate(node, pointers);
    QVERIFY2(results, results ? "" : describe(results.error()).c_str());
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (is_done(node, node.outputs[i])) continue;
      const Storage storage = liveness_.values[node.outputs[i]].storage;
      QVERIFY(storage == Storage::Arena || storage == Storage::Output);
      std::ranges::copy((*results)[i].elements, address(node.outputs[i]));
    }
  }

  const graph::Graph& graph_;
  graph::Liveness liveness_;
  graph::MemoryPlan plan_;
  std::vector<double> arena_;
  std::map<std::size_t, std::vector<double>> blocks_;  ///< of inputs, constants and outputs
};

/** Appends what liveness treats specially: parts of a tensor, and their concatenation. */
void add_parts(GraphBuilder& b) {
  const auto x = b.input({1, 16, 2, 4});
  const auto parts =
      b.nodes("Split", {b.node("Relu", {x}), b.integers({8, 8})}, {{"axis", std::int64_t{1}}}, 2);
  const auto slice = b.node("Slice", {x, b.integers({8}), b.integers({16}), b.integers({1})});
  const auto joined = b.node("Concat", {b.node("Tanh", {parts[1]}), parts[0], b.node("Exp", {slice}), slice},
                             {{"axis", std::int64_t{1}}});
  const auto row = b.node("Reshape", {b.node("Neg", {joined}), b.integers({-1})});
  b.graph.outputs.insert(b.graph.outputs.end(), {b.node("Add", {row, row}), row});
}

std::size_t buffers_of(const GraphBuilder& b) {
  return graph::find_liveness(b.graph, alignment).buffers.size();
}

}  // namespace

/** Places of values while a graph runs, and the plan of the arena. */
class GraphMemoryTest : public QObject {
  Q_OBJECT

 private slots:
  void planned_buffers_do_not_overlap() {
    base::Random random(random_seed());
    for (int i = 0; i < 300; ++i) {
      std::vector<BufferUse> buffers(random.below(30));
      for (BufferUse& buffer : buffers) {
        buffer.bytes = static_cast<std::int64_t>(random.below(2000));
        buffer.first_step = random.below(20);
        buffer.last_step = buffer.first_step + random.below(6);
      }
      const graph::MemoryPlan plan = graph::plan_memory(buffers, alignment);
      QCOMPARE(plan.offsets.size(), buffers.size());
      QVERIFY(plan.arena_bytes >= graph::arena_bytes_at_least(buffers, alignment));
      for (std::size_t a = 0; a < buffers.size(); ++a) {
        QCOMPARE(plan.offsets[a] % alignment, 0);
        QVERIFY(plan.offsets[a] + buffers[a].bytes <= plan.arena_bytes);
        for (std::size_t b = 0; b < a; ++b) {
          const bool together =
              buffers[a].first_step <= buffers[b].last_step && buffers[b].first_step <= buffers[a].last_step;
          const bool apart = plan.offsets[a] + buffers[a].bytes <= plan.offsets[b] ||
                             plan.offsets[b] + buffers[b].bytes <= plan.offsets[a];
          QVERIFY(!together || apart || buffers[a].bytes == 0 || buffers[b].bytes == 0);
        }
      }
    }
  }

  void chains_and_residuals_need_no_more_than_the_bound() {
    // A network's pattern: each layer reads the one before; every second result lives two steps longer.
    std::vector<BufferUse> buffers;
    for (std::size_t i = 0; i < 40; ++i)
      buffers.push_back({static_cast<std::int64_t>(4096 >> (i / 8)), i, i + (i % 2 == 0 ? 3 : 1)});
    QCOMPARE(graph::plan_memory(buffers, alignment).arena_bytes,
             graph::arena_bytes_at_least(buffers, alignment));
    QCOMPARE(graph::plan_memory({}, alignment).arena_bytes, 0);
  }

  /** A graph that runs in the arena has the interpreter's outputs: nothing is overwritten too early. */
  void graphs_run_where_the_plan_places_them() {
    base::Random random(random_seed());
    for (int i = 0; i < 100; ++i) {
      GraphBuilder built = RandomGraph(random.bits()).draw();
      if (random.chance(0.5)) add_parts(built);
      const auto expected = graph::interpret(built.graph, built.inputs);
      QVERIFY2(expected, expected ? "" : describe(expected.error()).c_str());
      graph::passes::Rewriter rewriter(built.graph);
      for (const graph::passes::Pass& pass : graph::passes::simplifying_passes()) {
        QVERIFY(pass.run(rewriter));
        rewriter.sort();
      }
      const graph::Graph simplified = rewriter.finish();
      for (const graph::Graph* graph : std::array<const graph::Graph*, 2>{&built.graph, &simplified}) {
        const double difference = largest_difference(*expected, PlannedRun(*graph).run(built.inputs));
        QVERIFY2(difference <= 1e-9, fmt::format("outputs differ by {}", difference).c_str());
      }
    }
  }

  void memory_is_shared_where_it_can_be() {
    GraphBuilder chain(base::Random(1));
    const auto x = chain.input({1, 8, 4, 4});
    const auto exponential = chain.node("Exp", {chain.node("Softmax", {x})});
    const auto flat = chain.node("Flatten", {exponential});
    chain.graph.outputs = {chain.node("MatMul", {chain.node("Tanh", {flat}), chain.constant({128, 2})})};
    QCOMPARE(buffers_of(chain), std::size_t{1});

    GraphBuilder joined(base::Random(1));
    const auto y = joined.input({1, 8, 4, 4});
    const auto all = joined.node("Concat", {joined.node("Exp", {y}), joined.node("Tanh", {y})},
                                 {{"axis", std::int64_t{1}}});
    joined.graph.outputs = {joined.node("Softmax", {all})};
    QCOMPARE(buffers_of(joined), std::size_t{1});
  }

  void memory_is_not_shared_where_it_is_read_later() {
    GraphBuilder b(base::Random(1));
    const auto x = b.input({1, 8, 4, 4});
    const auto first = b.node("Softmax", {x});
    const auto second = b.node("Exp", {first});
    b.graph.outputs = {b.node("MatMul", {first, second})};
    QCOMPARE(buffers_of(b), std::size_t{2});

    // Inputs and outputs of the graph are the caller's.
    GraphBuilder caller(base::Random(1));
    const auto y = caller.input({8});
    const auto output = caller.node("Exp", {y});
    caller.graph.outputs = {output, caller.node("Tanh", {output})};
    QCOMPARE(buffers_of(caller), std::size_t{0});
    const auto places = graph::find_liveness(caller.graph, alignment).values;
    QCOMPARE(places[y].storage, Storage::Input);
    QCOMPARE(places[output], (graph::ValuePlace{Storage::Output, output, 0}));
  }
};

KERNELSCAPE_PLAIN_TEST(GraphMemoryTest)

}  // namespace kernelscape::graph_memory_test

#include "graph_memory_test.moc"
