#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/text.h"
#include "tests/graph/graph_operators.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::graph_interpreter_test {
using namespace kernelscape::testing;

namespace {

using graph::ElementType;
using graph::Graph;
using graph::Node;
using graph::Shape;
using graph::Tensor;
using task::EpilogueKind;
using Integers = std::vector<std::int64_t>;

std::size_t add_value(Graph& graph, std::string name, Shape shape) {
  return graph.add({.name = std::move(name), .shape = std::move(shape)});
}

std::size_t add_floats(Graph& graph, std::string name, Shape shape, const std::vector<float>& numbers) {
  std::vector<std::byte> bytes(numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return graph.add_constant(std::move(name), ElementType::F32, std::move(shape), std::move(bytes));
}

void add_node(Graph& graph, const std::string& operation, std::vector<std::size_t> inputs, std::size_t output,
              std::vector<task::EpilogueStep> epilogue = {}) {
  Node node;
  node.name = operation + " of the graph";
  node.operation = operation;
  node.inputs = std::move(inputs);
  node.outputs = {output};
  node.epilogue = std::move(epilogue);
  graph.nodes.push_back(std::move(node));
}

/**
 * A graph of y = Relu(x * w), a 1x1 convolution, and z = y + y, with a bias, a residual connection and the
 * activation either as nodes or as an epilogue.
 */
Graph small_graph(bool fused) {
  Graph graph;
  const std::size_t x = add_value(graph, "x", {1, 2, 2, 2});
  const std::size_t residual = add_value(graph, "residual", {1, 2, 2, 2});
  const std::size_t w = add_floats(graph, "w", {2, 2, 1, 1}, {1, 2, -3, 4});
  const std::size_t b = add_floats(graph, "b", {2}, {0.5F, -0.25F});
  graph.inputs = {x, residual};
  const std::size_t y = add_value(graph, "y", {1, 2, 2, 2});
  if (fused) {
    add_node(graph, "Conv", {x, w, b, residual}, y,
             {{.kind = EpilogueKind::Bias}, {.kind = EpilogueKind::Add}, {.kind = EpilogueKind::Relu}});
  } else {
    const std::size_t sum = add_value(graph, "sum", {1, 2, 2, 2});
    const std::size_t joined = add_value(graph, "joined", {1, 2, 2, 2});
    add_node(graph, "Conv", {x, w, b}, sum);
    add_node(graph, "Add", {sum, residual}, joined);
    add_node(graph, "Relu", {joined}, y);
  }
  const std::size_t z = add_value(graph, "z", {1, 2, 2, 2});
  add_node(graph, "Add", {y, y}, z);
  graph.outputs = {z, y};
  return graph;
}

std::string refusal_of(const Node& node, const std::vector<const Tensor*>& inputs) {
  const auto results = graph::evaluate(node, inputs);
  return results ? std::string() : describe(results.error());
}

/** Returns true if a text has all parts. */
bool has_all(const std::string& text, const std::vector<std::string>& parts) {
  return std::ranges::all_of(parts,
                             [&](const std::string& part) { return text.find(part) != std::string::npos; });
}

}  // namespace

class GraphInterpreterTest : public QObject {
  Q_OBJECT

 private slots:
  void an_epilogue_computes_what_its_nodes_compute() {
    base::Random random(random_seed());
    const std::vector<Tensor> inputs = {random_tensor(random, {1, 2, 2, 2}),
                                        random_tensor(random, {1, 2, 2, 2})};
    const auto apart = graph::interpret(small_graph(false), inputs);
    const auto fused = graph::interpret(small_graph(true), inputs);
    QVERIFY2(apart.has_value(), apart ? "" : describe(apart.error()).c_str());
    QVERIFY2(fused.has_value(), fused ? "" : describe(fused.error()).c_str());
    QCOMPARE(apart->size(), std::size_t{2});
    for (std::size_t output = 0; output < 2; ++output) {
      const std::string difference = tensor_difference(fused->at(output), apart->at(output));
      QVERIFY2(difference.empty(), difference.c_str());
    }
    // The definition, of the second channel.
    for (std::size_t i = 0; i < 4; ++i) {
      const double sum =
          -3 * inputs[0].elements[i] + 4 * inputs[0].elements[4 + i] - 0.25 + inputs[1].elements[4 + i];
      QVERIFY(std::abs(apart->at(1).elements[4 + i] - std::max(sum, 0.0)) < 1e-12);
      QVERIFY(std::abs(apart->at(0).elements[4 + i] - 2 * std::max(sum, 0.0)) < 1e-12);
    }
  }

  void bias_and_scale_of_a_multiplication_belong_to_its_columns() {
    Graph graph;
    const std::size_t x = add_value(graph, "x", {2, 2});
    const std::size_t w = add_floats(graph, "w", {2, 2}, {1, 0, 0, 1});
    const std::size_t scale = add_floats(graph, "scale", {2}, {10, 100});
    const std::size_t bias = add_floats(graph, "bias", {2}, {1, 2});
    const std::size_t y = add_value(graph, "y", {2, 2});
    add_node(graph, "MatMul", {x, w, scale, bias}, y,
             {{.kind = EpilogueKind::Scale}, {.kind = EpilogueKind::Bias}});
    graph.inputs = {x};
    graph.outputs = {y};
    const auto result = graph::interpret(graph, {{ElementType::F32, {2, 2}, {1, 2, 3, 4}}});
    QVERIFY2(result.has_value(), result ? "" : describe(result.error()).c_str());
    QCOMPARE(result->at(0).elements, (std::vector<double>{11, 202, 31, 402}));
  }

  void an_output_may_be_an_input_or_a_constant() {
    Graph graph;
    const std::size_t x = add_value(graph, "x", {1});
    const std::size_t c = add_floats(graph, "c", {2}, {3, 4});
    graph.inputs = {x};
    graph.outputs = {x, c, x};
    const auto result = graph::interpret(graph, {{ElementType::F32, {1}, {5}}});
    QVERIFY2(result.has_value(), result ? "" : describe(result.error()).c_str());
    QCOMPARE(result->at(1).elements, (std::vector<double>{3, 4}));
    QCOMPARE(result->at(2).elements, (std::vector<double>{5}));
  }

  void inputs_of_another_shape_are_refused() {
    const Graph graph = small_graph(true);
    const Tensor fits{ElementType::F32, {1, 2, 2, 2}, std::vector<double>(8)};
    const Tensor other{ElementType::F32, {1, 2, 4, 1}, std::vector<double>(8)};
    const auto few = graph::interpret(graph, {fits});
    QVERIFY(!few && has_all(describe(few.error()), {"2 inputs", "1 tensors"}));
    const auto wrong = graph::interpret(graph, {fits, other});
    QVERIFY(!wrong && has_all(describe(wrong.error()), {"\"residual\"", "[1, 2, 2, 2]", "[1, 2, 4, 1]"}));
  }

  void a_result_of_another_shape_than_its_value_is_refused() {
    Graph graph = small_graph(true);
    graph.values[graph.outputs[0]].shape = {1, 2, 2, 3};
    const Tensor fits{ElementType::F32, {1, 2, 2, 2}, std::vector<double>(8)};
    const auto result = graph::interpret(graph, {fits, fits});
    QVERIFY(!result && has_all(describe(result.error()), {"Add of the graph", "\"z\"", "[1, 2, 2, 3]"}));
  }

  void a_refusal_names_the_node_the_operator_and_the_reason() {
    const Tensor matrix{ElementType::F32, {2, 3}, std::vector<double>(6)};
    const Tensor image{ElementType::F32, {1, 2, 3, 3}, std::vector<double>(18)};
    const Tensor weights{ElementType::F32, {2, 3, 1, 1}, std::vector<double>(6)};
    const Tensor index{ElementType::I64, {1}, {7}};
    const Tensor zero{ElementType::I32, {}, {0}};
    const Tensor huge{ElementType::I64, {2}, {1e9, 1e9}};
    const Tensor lying{ElementType::F32, {2, 3}, {1}};
    struct Case {
      Node node;
      std::vector<const Tensor*> inputs;
      std::vector<std::string> parts;
    };
    const std::vector<Case> cases = {
        {make_node("Convolve"), {&image}, {"\"Convolve\"", "not known", "Conv"}},
        {make_node("Add"), {&matrix}, {"Add", "input 1 is missing"}},
        {make_node("Add"), {&matrix, nullptr}, {"Add", "input 1 is missing"}},
        {make_node("Relu"), {&matrix, &matrix}, {"Relu", "2 inputs"}},
        {make_node("Relu"), {&lying}, {"Relu", "1 elements", "[2, 3]"}},
        {make_node("Add"), {&matrix, &image}, {"Add", "[2, 3]", "[1, 2, 3, 3]"}},
        {make_node("MatMul"), {&matrix, &matrix}, {"MatMul", "[2, 3]"}},
        {make_node("Conv"), {&image, &weights}, {"Conv", "[2, 3, 1, 1]", "[1, 2, 3, 3]"}},
        {make_node("Conv", {{"auto_pad", std::string("SAME")}}), {&image, &weights}, {"Conv", "do not fit"}},
        {make_node("MaxPool"), {&image}, {"MaxPool", "kernel_shape is missing"}},
        {make_node("MaxPool", {{"kernel_shape", Integers{4, 4}}}), {&image}, {"MaxPool", "extent 4"}},
        {make_node("MaxPool", {{"kernel_shape", Integers{2, 2}}, {"strides", Integers{0, 1}}}),
         {&image},
         {"strides", "0"}},
        {make_node("MaxPool", {{"kernel_shape", Integers{2, 2}}, {"auto_pad", std::string("SAME")}}),
         {&image},
         {"auto_pad"}},
        {make_node("MaxPool",
                   {{"kernel_shape", Integers{1 << 30, 1 << 30}}, {"auto_pad", std::string("SAME_UPPER")}}),
         {&image},
         {"MaxPool", "too large"}},
        {make_node("Softmax", {{"axis", std::int64_t{2}}}), {&matrix}, {"Softmax", "axis 2"}},
        {make_node("Gather"), {&matrix, &index}, {"Gather", "index 7", "extent of 2"}},
        {make_node("Div"), {&zero, &zero}, {"Div", "by zero"}},
        {make_node("ConstantOfShape"), {&huge}, {"ConstantOfShape", "too large"}},
        {make_node("Expand"), {&zero, &huge}, {"Expand", "too large"}},
        {make_node("Reshape"), {&matrix, &index}, {"Reshape", "[2, 3]", "[7]"}},
        {make_node("Einsum", {{"equation", std::string("ij,jk->ik")}}), {&matrix}, {"Einsum", "2 terms"}},
        {make_node("Einsum", {{"equation", std::string("ij->ik")}}), {&matrix}, {"Einsum", "no operand"}},
        {make_node("Einsum", {{"equation", std::string("ij->ii")}}), {&matrix}, {"Einsum", "twice"}},
        {make_node("Pad", {{"mode", std::string("mirror")}}), {&matrix, &index}, {"Pad", "mode"}},
        {make_node("Cast", {{"to", std::int64_t{8}}}), {&matrix}, {"Cast", "number 8"}},
    };
    for (const Case& refused : cases) {
      const std::string message = refusal_of(refused.node, refused.inputs);
      QVERIFY2(has_all(message, refused.parts) && has_all(message, {"\"the node\""}),
               (refused.node.operation + ": " + message).c_str());
    }
  }

  void the_operators_of_networks_are_known() {
    const std::vector<std::string> known = graph::known_operations();
    QVERIFY(std::ranges::is_sorted(known));
    const std::string names =
        "Conv ConvTranspose Gemm MatMul Einsum BatchNormalization Relu Clip LeakyRelu PRelu "
        "Sigmoid HardSigmoid HardSwish Tanh Erf Gelu Softmax LayerNormalization "
        "InstanceNormalization LRN Add Sub Mul Div Pow Sqrt Sum Max Min MaxPool AveragePool "
        "GlobalAveragePool Concat Split Slice Pad Transpose Reshape Flatten Squeeze Unsqueeze "
        "Expand Gather ReduceMean ReduceSum ReduceMax Resize Cast Where Dropout Identity "
        "Constant ConstantOfShape Shape QuantizeLinear DequantizeLinear QLinearConv "
        "QLinearMatMul";
    for (const std::string& name : base::split_text(names, ' '))
      QVERIFY2(std::ranges::binary_search(known, name), name.c_str());
  }
};

KERNELSCAPE_PLAIN_TEST(GraphInterpreterTest)

}  // namespace kernelscape::graph_interpreter_test
#include "graph_interpreter_test.moc"
