#include <fmt/format.h>

#include <QTest>
#include <string>
#include <vector>

#include "core/graph/passes/passes.h"
#include "tests/graph/pass_check.h"
#include "tests/graph/random_graph.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::graph_passes_test {
using namespace kernelscape::testing;

namespace {

/** Runs one pass; returns what is wrong afterwards, or an empty text. */
std::string problem_after(const graph::passes::Pass& pass, graph::passes::Rewriter& rewriter,
                          const std::vector<graph::Tensor>& inputs,
                          const std::vector<graph::Tensor>& expected) {
  if (const Status status = pass.run(rewriter); !status) return describe(status.error());
  rewriter.sort();
  const graph::Graph graph = graph::passes::Rewriter(rewriter).finish();
  if (const Status valid = graph::validate(graph); !valid) return describe(valid.error());
  const auto outputs = graph::interpret(graph, inputs);
  if (!outputs) return describe(outputs.error());
  const double difference = largest_difference(expected, *outputs);
  return difference <= 1e-9 ? "" : fmt::format("outputs differ by {}", difference);
}

}  // namespace

/** Each pass over random graphs keeps them valid, and their outputs. */
class GraphPassesTest : public QObject {
  Q_OBJECT

 private slots:
  void passes_keep_random_graphs_outputs() {
    base::Random random(random_seed());
    for (int i = 0; i < 100; ++i) {
      const GraphBuilder built = RandomGraph(random.bits()).draw();
      QVERIFY(graph::validate(built.graph));
      const auto expected = graph::interpret(built.graph, built.inputs);
      QVERIFY2(expected, expected ? "" : describe(expected.error()).c_str());
      graph::passes::Rewriter rewriter(built.graph);
      std::size_t changes = 1;
      int rounds = 0;
      for (; rewriter.changes != changes && rounds < 50; ++rounds) {
        changes = rewriter.changes;
        for (const graph::passes::Pass& pass : graph::passes::simplifying_passes()) {
          const std::string problem = problem_after(pass, rewriter, built.inputs, *expected);
          QVERIFY2(problem.empty(), fmt::format("{}: {}", pass.name, problem).c_str());
        }
      }
      QVERIFY2(rounds < 50, "the passes reach no fixed point");
      for (const graph::passes::Pass& pass : graph::passes::fusing_passes()) {
        const std::string problem = problem_after(pass, rewriter, built.inputs, *expected);
        QVERIFY2(problem.empty(), fmt::format("{}: {}", pass.name, problem).c_str());
      }
    }
  }

  /** A graph that was optimised has nothing left to optimise, and inputs and outputs as before. */
  void optimising_again_changes_nothing() {
    base::Random random(random_seed());
    for (int i = 0; i < 100; ++i) {
      const GraphBuilder built = RandomGraph(random.bits()).draw();
      graph::Graph graph = built.graph;
      QVERIFY(graph::optimise(graph));
      QCOMPARE(graph.inputs.size(), built.graph.inputs.size());
      for (std::size_t k = 0; k < graph.outputs.size(); ++k)
        QCOMPARE(graph.values[graph.outputs[k]].name, built.graph.values[built.graph.outputs[k]].name);
      const std::string once = operators_of(graph);
      QVERIFY(graph::optimise(graph));
      QCOMPARE(operators_of(graph), once);
    }
  }

  void the_report_names_what_was_fused() {
    GraphBuilder b(base::Random(3));
    const auto x = b.input({1, 4, 5, 5});
    const auto layer = b.node("Conv", {x, b.constant({4, 4, 1, 1})});
    const auto normalised = b.node("BatchNormalization", {layer, b.constant({4}), b.constant({4}),
                                                          b.constant({4}), b.constant({4}, 1, 2)});
    b.graph.outputs = {b.node("Tanh", {b.node("Relu", {b.node("Identity", {normalised})})})};
    b.node("Exp", {x});
    graph::Graph graph = b.graph;
    const auto report = graph::optimise(graph);
    QVERIFY(report);
    QCOMPARE(operators_of(graph), std::string("Conv+bias+relu+tanh"));
    QCOMPARE(report->nodes.size(), std::size_t{1});
    std::vector<std::string> names;
    for (const graph::ModelNode& node : report->nodes[0]) {
      QCOMPARE(node.operation, b.graph.nodes[node.number].operation);
      names.push_back(node.name);
    }
    QCOMPARE(names, (std::vector<std::string>{"Conv0", "BatchNormalization1", "Relu3", "Tanh4"}));
    std::vector<std::string> removed;
    for (const graph::PassReport& pass : report->passes)
      for (const std::string& name : pass.removed) removed.push_back(fmt::format("{}: {}", pass.pass, name));
    QCOMPARE(removed, (std::vector<std::string>{"dead code: Exp5", "no-operations: Identity2",
                                                "scales into weights: BatchNormalization1",
                                                "epilogues: Relu3", "epilogues: Tanh4"}));
  }
};

KERNELSCAPE_PLAIN_TEST(GraphPassesTest)

}  // namespace kernelscape::graph_passes_test

#include "graph_passes_test.moc"
