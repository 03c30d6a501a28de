#include <QTest>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/graph/passes/constants.h"
#include "tests/graph/graph_builder.h"
#include "tests/graph/pass_check.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::graph_pass_cases_test {
using namespace kernelscape::testing;

namespace {

using Axes = std::vector<std::int64_t>;

const Axes to_channels_last{0, 2, 3, 1};
const Axes to_channels_first{0, 3, 1, 2};

GraphBuilder new_builder() { return GraphBuilder(base::Random(7)); }

std::size_t convolution(GraphBuilder& b, std::size_t x, bool with_bias = false) {
  std::vector<std::size_t> operands{x, b.constant({4, b.shape(x)[1], 3, 3})};
  if (with_bias) operands.push_back(b.constant({4}));
  return b.node("Conv", operands, {{"pads", Axes{1, 1, 1, 1}}});
}

std::size_t normalization(GraphBuilder& b, std::size_t x) {
  const graph::Shape channels{b.shape(x)[1]};
  return b.node("BatchNormalization", {x, b.constant(channels), b.constant(channels), b.constant(channels),
                                       b.constant(channels, 0.5, 2)});
}

/** Returns the operators of a graph, optimised with values and constants of another type. */
std::string optimised_as(const GraphBuilder& b, graph::ElementType type, std::size_t output) {
  graph::Graph graph = b.graph;
  graph.outputs = {output};
  for (graph::Value& value : graph.values) {
    if (value.type != graph::ElementType::F64) continue;
    if (value.constant) value.data = graph::passes::encode(type, *graph::constant_doubles(value));
    value.type = type;
  }
  const auto report = graph::optimise(graph);
  return report ? operators_of(graph) : describe(report.error());
}

std::size_t transposed(GraphBuilder& b, std::size_t x, const Axes& permutation) {
  return b.node("Transpose", {x}, {{"perm", permutation}});
}

}  // namespace

/** For each pass, graphs that it must change and graphs that it must leave. All keep their outputs. */
class GraphPassCasesTest : public QObject {
  Q_OBJECT

 private slots:
  void constants_fold_unless_they_grow() {
    auto b = new_builder();
    const auto x = b.input({2, 3});
    const auto sum = b.node("Add", {b.constant({3}), b.constant({3})});
    QCOMPARE(optimised(b, {b.node("Mul", {x, sum})}), std::string("Mul"));

    auto shape = new_builder();
    const auto y = shape.input({2, 3, 4});
    const auto extent = shape.node("Gather", {shape.node("Shape", {y}), shape.integers({0})});
    const auto target = shape.node("Concat", {extent, shape.integers({12})}, {{"axis", std::int64_t{0}}});
    QCOMPARE(optimised(shape, {shape.node("Reshape", {y, target})}), std::string("Reshape"));

    auto large = new_builder();
    const auto z = large.input({1});
    const auto expanded = large.node("Expand", {large.scalar(2), large.integers({300, 1000})});
    QCOMPARE(optimised(large, {large.node("Mul", {z, expanded})}), std::string("Expand Mul"));
  }

  void integers_that_doubles_round_are_not_folded() {
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    const auto folded = [](const std::string& operation, const std::vector<std::int64_t>& left,
                           const std::vector<std::int64_t>& right) {
      graph::Graph graph;
      const auto add = [&](const std::string& name, const std::vector<std::int64_t>& numbers) {
        std::vector<std::byte> bytes(8 * numbers.size());
        std::memcpy(bytes.data(), numbers.data(), bytes.size());
        return graph.add_constant(name, graph::ElementType::I64, {std::ssize(numbers)}, std::move(bytes));
      };
      const auto a = add("a", left);
      const auto b = add("b", right);
      graph.outputs = {
          graph.add({.name = "y", .type = graph::ElementType::I64, .shape = {std::ssize(left)}})};
      graph.nodes = {graph::passes::make_node("n", operation, {a, b}, graph.outputs)};
      if (!graph::optimise(graph) || graph.nodes.at(0).operation != "Identity") return std::int64_t{-1};
      return graph::constant_integers(graph.values.at(graph.nodes[0].inputs[0]))->at(0);
    };
    QCOMPARE(folded("Add", {exact - 2}, {1}), exact - 1);
    QCOMPARE(folded("Add", {exact}, {1}), std::int64_t{-1});
    QCOMPARE(folded("Sub", {exact + 1}, {exact}), std::int64_t{-1});
    QCOMPARE(folded("Sub", {largest}, {1}), std::int64_t{-1});
    QCOMPARE(folded("Mul", {std::int64_t{1} << 40}, {std::int64_t{1} << 40}), std::int64_t{-1});
    QCOMPARE(folded("Min", {largest}, {7}), std::int64_t{7});
    QCOMPARE(folded("Max", {largest}, {7}), largest);
    QCOMPARE(folded("Max", {largest - 1}, {7}), std::int64_t{-1});
    QCOMPARE(folded("Max", {exact + 1}, {7}), std::int64_t{-1});
  }

  void an_output_that_is_constant_stays_an_output() {
    auto b = new_builder();
    QCOMPARE(optimised(b, {b.node("Add", {b.constant({3}), b.constant({3})})}), std::string("Identity"));
  }

  void operators_that_return_their_operand_go() {
    auto b = new_builder();
    const auto x = b.input({2, 4});
    const auto dropped = b.node("Dropout", {b.node("Identity", {b.node("Relu", {x})})});
    const auto same = b.node("Mul", {b.node("Add", {dropped, b.scalar(0)}), b.constant({4}, {1, 1, 1, 1})});
    QCOMPARE(optimised(b, {b.node("Tanh", {same})}), std::string("Relu Tanh"));

    // The sum has another shape than the operand, and an input cannot be an output under another name.
    auto broadcast = new_builder();
    const auto y = broadcast.input({1, 4});
    const auto zeros = broadcast.constant({2, 4}, std::vector<double>(8, 0));
    QCOMPARE(optimised(broadcast, {broadcast.node("Add", {y, zeros}), broadcast.node("Identity", {y})}),
             std::string("Add Identity"));
  }

  void outputs_keep_their_names_when_their_writer_goes() {
    auto b = new_builder();
    const auto x = b.input({2, 4});
    const auto relu = b.node("Relu", {x});
    const auto output = b.node("Identity", {relu});
    b.graph.values[output].name = "result";
    b.graph.outputs = {output, b.node("Tanh", {relu})};
    graph::Graph graph = b.graph;
    QVERIFY(graph::optimise(graph));
    QCOMPARE(operators_of(graph), std::string("Relu Tanh"));
    QCOMPARE(graph.values[graph.outputs[0]].name, std::string("result"));
  }

  void changes_of_shape_become_one() {
    auto b = new_builder();
    const auto x = b.input({2, 3, 4});
    const auto flat = b.node("Flatten", {b.node("Unsqueeze", {x, b.integers({1})})});
    QCOMPARE(optimised(b, {b.node("Reshape", {flat, b.integers({6, 4})})}), std::string("Reshape"));

    auto back = new_builder();
    const auto y = back.input({2, 3});
    const auto there = back.node("Reshape", {y, back.integers({6})});
    QCOMPARE(optimised(back, {back.node("Relu", {back.node("Reshape", {there, back.integers({2, 3})})})}),
             std::string("Relu"));
  }

  void equal_expressions_are_computed_once() {
    auto b = new_builder();
    const auto x = b.input({2, 3});
    const auto left = b.node("Exp", {b.node("Add", {x, b.scalar(2)})});
    const auto right = b.node("Tanh", {b.node("Add", {x, b.scalar(2)})});
    QCOMPARE(optimised(b, {left, right}), std::string("Add Exp Tanh"));

    auto other = new_builder();
    const auto y = other.input({2, 3});
    QCOMPARE(optimised(other, {other.node("LeakyRelu", {y}, {{"alpha", 0.1}}),
                               other.node("LeakyRelu", {y}, {{"alpha", 0.2}})}),
             std::string("LeakyRelu LeakyRelu"));
  }

  void activations_are_recognised() {
    auto b = new_builder();
    const auto x = b.input({2, 3});
    const auto erf = b.node("Erf", {b.node("Mul", {x, b.scalar(std::sqrt(0.5))})});
    const auto half = b.node("Mul", {x, b.scalar(0.5)});
    QCOMPARE(optimised(b, {b.node("Mul", {half, b.node("Add", {b.scalar(1), erf})})}), std::string("Gelu"));

    auto swish = new_builder();
    const auto y = swish.input({2, 3});
    const auto gate = swish.node("HardSigmoid", {y}, {{"alpha", 1.0 / 6}, {"beta", 0.5}});
    QCOMPARE(optimised(swish, {swish.node("Mul", {gate, y})}), std::string("HardSwish"));
  }

  void what_is_nearly_an_activation_stays() {
    auto b = new_builder();
    const auto x = b.input({2, 3});
    const auto erf = b.node("Erf", {b.node("Mul", {x, b.scalar(0.7)})});
    const auto half = b.node("Mul", {x, b.scalar(0.5)});
    QCOMPARE(optimised(b, {b.node("Mul", {half, b.node("Add", {b.scalar(1), erf})})}),
             std::string("Mul Erf Mul Add Mul"));

    // The sigmoid's result is needed elsewhere.
    auto shared = new_builder();
    const auto y = shared.input({2, 3});
    const auto exponential = shared.node("Exp", {shared.node("Neg", {y})});
    const auto sum = shared.node("Add", {exponential, shared.scalar(1)});
    QCOMPARE(optimised(shared, {shared.node("Reciprocal", {sum}), sum}),
             std::string("Neg Exp Add Reciprocal"));
  }

  void bounds_and_slopes_of_a_type_stay() {
    using enum graph::ElementType;
    for (const double bound : {1e5, 1e30, 1e300}) {
      auto b = new_builder();
      const auto clip = b.node("Clip", {b.input({4}), b.scalar(0), b.scalar(bound)});
      QCOMPARE(optimised_as(b, F64, clip), std::string("Clip"));
      QCOMPARE(optimised_as(b, F32, clip), std::string(bound < 1e38 ? "Clip" : "Relu"));
      auto two = new_builder();
      const auto least = two.node("Min", {two.node("Relu", {two.input({4})}), two.scalar(bound)});
      QCOMPARE(optimised_as(two, F64, least), std::string("Relu Min"));
      QCOMPARE(optimised_as(two, F32, least), std::string(bound < 1e38 ? "Relu Min" : "Relu"));
    }
    for (const double slope : {0.01, 0.001, 1e-7}) {
      auto b = new_builder();
      const auto leaky = b.node("LeakyRelu", {b.input({4})}, {{"alpha", slope}});
      auto two = new_builder();
      const auto x = two.input({4});
      const auto largest = two.node("Max", {x, two.node("Mul", {x, two.scalar(slope)})});
      for (const graph::ElementType type : {F32, F16, BF16}) {
        QCOMPARE(optimised_as(b, type, leaky), std::string("LeakyRelu"));
        QCOMPARE(optimised_as(two, type, largest), std::string("Mul Max"));
      }
    }
    auto quick = new_builder();  // QuickGELU is near to Gelu
    const auto y = quick.input({4});
    const auto gate = quick.node("Sigmoid", {quick.node("Mul", {y, quick.scalar(1.702)})});
    const auto product = quick.node("Mul", {y, gate});
    for (const graph::ElementType type : {F32, F16, BF16})
      QCOMPARE(optimised_as(quick, type, product), std::string("Mul Sigmoid Mul"));
  }

  void activations_of_rounded_constants_are_recognised() {
    auto b = new_builder();
    const auto x = b.input({2, 3});
    const auto erf = b.node("Erf", {b.node("Mul", {x, b.scalar(std::sqrt(0.5))})});
    const auto half = b.node("Mul", {x, b.scalar(0.5)});
    const auto gelu = b.node("Mul", {half, b.node("Add", {b.scalar(1), erf})});
    auto swish = new_builder();
    const auto y = swish.input({2, 3});
    const auto gate =
        swish.node("Clip", {swish.node("Add", {y, swish.scalar(3)}), swish.scalar(0), swish.scalar(6)});
    const auto sixth = swish.node("Mul", {swish.node("Mul", {y, gate}), swish.scalar(1.0 / 6)});
    for (const graph::ElementType type :
         {graph::ElementType::F32, graph::ElementType::F16, graph::ElementType::BF16}) {
      QCOMPARE(optimised_as(b, type, gelu), std::string("Gelu"));
      QCOMPARE(optimised_as(swish, type, sixth), std::string("HardSwish"));
    }
  }

  void layer_normalization_is_recognised() {
    for (const bool last_axis : {true, false}) {
      auto b = new_builder();
      const auto x = b.input({2, 3, 4});
      const std::map<std::string, graph::Attribute> axes{{"axes", Axes{last_axis ? -1 : 1}}};
      const auto difference = b.node("Sub", {x, b.node("ReduceMean", {x}, axes)});
      const auto square = b.node("Pow", {difference, b.scalar(2)});
      const auto variance = b.node("Add", {b.node("ReduceMean", {square}, axes), b.scalar(1e-5)});
      const auto quotient = b.node("Div", {difference, b.node("Sqrt", {variance})});
      const auto result = b.node("Add", {b.node("Mul", {quotient, b.constant({4})}), b.constant({4})});
      const std::string operators = optimised(b, {result});
      QCOMPARE(operators == "LayerNormalization", last_axis);
      QVERIFY2(!operators.contains("differ"), operators.c_str());
    }
  }

  void softmax_is_recognised() {
    auto b = new_builder();
    const auto x = b.input({2, 3});
    const std::map<std::string, graph::Attribute> axes{{"axes", Axes{-1}}};
    const auto power = b.node("Exp", {b.node("Sub", {x, b.node("ReduceMax", {x}, axes)})});
    QCOMPARE(optimised(b, {b.node("Div", {power, b.node("ReduceSum", {power, b.integers({-1})})})}),
             std::string("Softmax"));
  }

  void means_over_the_image_are_global_averages() {
    auto b = new_builder();
    const auto x = b.input({2, 3, 4, 4});
    const auto mean = b.node("ReduceMean", {x}, {{"axes", Axes{-1, -2}}, {"keepdims", std::int64_t{0}}});
    QCOMPARE(optimised(b, {mean}), std::string("GlobalAveragePool Reshape"));
    auto rows = new_builder();
    const auto y = rows.input({2, 3, 4, 4});
    QCOMPARE(optimised(rows, {rows.node("ReduceMean", {y}, {{"axes", Axes{2}}})}), std::string("ReduceMean"));
  }

  void transposes_cancel_through_elementwise_operators() {
    auto b = new_builder();
    const auto x = b.input({1, 3, 5, 5});
    const auto last = transposed(b, convolution(b, x), to_channels_last);
    const auto sum = b.node("Relu", {b.node("Add", {last, b.constant({4})})});
    QCOMPARE(optimised(b, {convolution(b, transposed(b, sum, to_channels_first))}),
             std::string("Conv+bias+relu Conv"));
    // A second reader needs the transposed tensor.
    auto shared = new_builder();
    const auto y = shared.input({1, 3, 5, 5});
    const auto turned = transposed(shared, y, to_channels_last);
    QCOMPARE(optimised(shared, {turned, shared.node("Relu", {turned})}), std::string("Transpose Relu"));
  }

  void transposes_of_products_become_flags() {
    auto b = new_builder();
    const auto x = b.input({3, 4});
    const auto y = b.input({5, 4});
    QCOMPARE(optimised(b, {b.node("MatMul", {x, transposed(b, y, {1, 0})})}), std::string("Gemm"));
    auto batched = new_builder();
    const auto p = batched.input({2, 3, 4});
    const auto q = batched.input({2, 5, 4});
    QCOMPARE(optimised(batched, {batched.node("MatMul", {p, transposed(batched, q, {0, 2, 1})})}),
             std::string("Transpose MatMul"));
  }

  void zeros_go_into_the_padding_of_layers() {
    for (const double number : {0.0, 1.0}) {
      auto b = new_builder();
      const auto x = b.input({1, 3, 5, 5});
      const auto padded = b.node("Pad", {x, b.integers({0, 0, 1, 1, 0, 0, 0, 1}), b.scalar(number)});
      QCOMPARE(optimised(b, {convolution(b, padded)}), std::string(number == 0 ? "Conv" : "Pad Conv"));
    }
    for (const bool positive : {true, false}) {
      auto b = new_builder();
      const auto x = b.input({1, 3, 5, 5});
      const auto before = b.node(positive ? "Relu" : "Tanh", {x});
      const auto padded = b.node("Pad", {before, b.integers({0, 0, 1, 1, 0, 0, 1, 1})});
      const auto pool = b.node("MaxPool", {padded}, {{"kernel_shape", Axes{3, 3}}});
      QCOMPARE(optimised(b, {pool}), std::string(positive ? "Relu MaxPool" : "Tanh Pad MaxPool"));
    }
  }

  /** A Clip whose upper bound is below its lower bound returns the upper bound. */
  void a_clip_below_zero_is_negative() {
    auto b = new_builder();
    const auto clip = b.node("Clip", {b.input({1, 1, 4, 4}), b.scalar(0), b.scalar(-1)});
    const auto padded = b.node("Pad", {clip, b.integers({0, 0, 1, 1, 0, 0, 1, 1})});
    QCOMPARE(optimised(b, {b.node("MaxPool", {padded}, {{"kernel_shape", Axes{3, 3}}})}),
             std::string("Clip Pad MaxPool"));
  }

  void scales_go_into_weights() {
    for (const std::string operation : {"Conv", "ConvTranspose"}) {
      auto b = new_builder();
      const auto x = b.input({1, 4, 5, 5});
      const auto weights = operation == "Conv" ? b.constant({6, 2, 3, 3}) : b.constant({4, 3, 3, 3});
      const auto layer = b.node(operation, {x, weights, b.constant({6})}, {{"group", std::int64_t{2}}});
      const auto scaled = b.node("Div", {normalization(b, layer), b.constant({6, 1, 1}, 1, 2)});
      QCOMPARE(optimised(b, {scaled}), operation + "+bias");
    }
    auto product = new_builder();
    const auto y = product.input({3, 4});
    const auto scaled =
        product.node("Sub", {product.constant({5}), product.node("MatMul", {y, product.constant({4, 5})})});
    QCOMPARE(optimised(product, {scaled}), std::string("MatMul+bias"));
  }

  /** The reader's worker is not trusted: it may report any attributes, operands and shapes. */
  void what_passes_rely_on_is_checked() {
    using Change = void (*)(graph::Graph&);
    const auto verify_refused = [](const GraphBuilder& b, Change change) {
      graph::Graph graph = b.graph;
      graph.outputs = {graph.nodes.back().outputs[0]};
      graph::Graph whole = graph;
      QVERIFY(graph::optimise(whole));
      change(graph);
      QVERIFY(!graph::optimise(graph));
    };
    auto turned = new_builder();
    transposed(turned, turned.input({2, 3, 4}), {0, 2, 1});
    verify_refused(turned, [](graph::Graph& graph) { graph.nodes[0].inputs.clear(); });
    verify_refused(turned, [](graph::Graph& graph) { graph.nodes[0].attributes["perm"] = Axes{0, 7, 1}; });
    verify_refused(turned, [](graph::Graph& graph) { graph.nodes[0].attributes["perm"] = Axes{0, 2}; });
    verify_refused(turned, [](graph::Graph& graph) { graph.nodes[0].attributes["perm"] = Axes{0, 2, 2}; });
    verify_refused(turned, [](graph::Graph& graph) {
      graph.nodes[0].operation = "Shape";
      graph.nodes[0].inputs = {graph::absent};
    });
    auto reduced = new_builder();
    reduced.node("ReduceMean", {reduced.input({2, 3})}, {{"axes", Axes{1}}});
    verify_refused(reduced, [](graph::Graph& graph) { graph.nodes[0].attributes["axes"] = Axes{5}; });
    auto normalized = new_builder();
    normalization(normalized, convolution(normalized, normalized.input({1, 3, 5, 5})));
    verify_refused(normalized,
                   [](graph::Graph& graph) { graph.nodes[1].inputs[3] = graph.nodes[0].inputs[1]; });
    verify_refused(normalized, [](graph::Graph& graph) { graph.nodes[0].inputs[1] = graph::absent; });
    verify_refused(normalized, [](graph::Graph& graph) { graph.nodes[0].attributes["pads"] = Axes{1}; });
    verify_refused(normalized,
                   [](graph::Graph& graph) { graph.values[graph.nodes[0].outputs[0]].shape = {}; });
  }

  void weights_without_elements_stay() {
    graph::Graph graph;
    const auto value = [&](const std::string& name, graph::Shape shape) {
      return graph.add({.name = name, .type = graph::ElementType::F32, .shape = std::move(shape)});
    };
    graph.inputs = {value("x", {1, 0, 5, 5})};
    const auto weights = graph.add_constant("w", graph::ElementType::F32, {0, 3, 1, 1}, {});
    const auto factor = graph.add_constant("f", graph::ElementType::F32, {}, std::vector<std::byte>(4));
    const auto layer = value("layer", {1, 3, 5, 5});
    graph.outputs = {value("y", {1, 3, 5, 5})};
    graph.nodes = {graph::passes::make_node("layer", "ConvTranspose", {graph.inputs[0], weights}, {layer}),
                   graph::passes::make_node("scale", "Mul", {layer, factor}, graph.outputs)};
    QVERIFY(graph::optimise(graph));
  }

  /** The axes of the input count, as they do for the interpreter. */
  void axes_of_an_input_come_before_those_of_an_attribute() {
    auto b = new_builder();
    const auto x = b.input({2, 3, 4, 4});
    const auto mean = b.node("ReduceMean", {x, b.integers({1})}, {{"axes", Axes{2, 3}}});
    QCOMPARE(optimised(b, {mean}), std::string("ReduceMean"));
  }

  void scales_without_constant_weights_are_steps() {
    auto b = new_builder();
    const auto x = b.input({1, 4, 5, 5});
    const auto layer = b.node("Conv", {x, b.input({6, 4, 3, 3})});
    QCOMPARE(optimised(b, {normalization(b, layer)}), std::string("Conv+scale+bias"));

    // The result before the normalization is an output, too.
    auto read_twice = new_builder();
    const auto y = read_twice.input({1, 4, 5, 5});
    const auto result = convolution(read_twice, y);
    QCOMPARE(optimised(read_twice, {result, normalization(read_twice, result)}),
             std::string("Conv BatchNormalization"));
  }

  void activations_go_into_layers() {
    auto b = new_builder();
    const auto layer = convolution(b, b.input({1, 3, 5, 5}), true);
    QCOMPARE(optimised(b, {b.node("Mul", {layer, b.node("Sigmoid", {layer})})}),
             std::string("Conv+bias+silu"));

    auto bounds = new_builder();
    const auto clipped = convolution(bounds, bounds.input({1, 3, 5, 5}));
    QCOMPARE(optimised(bounds, {bounds.node("Clip", {clipped, bounds.scalar(0), bounds.scalar(6)})}),
             std::string("Conv+clip(0,6)"));

    auto one_sided = new_builder();
    const auto bounded = convolution(one_sided, one_sided.input({1, 3, 5, 5}));
    QCOMPARE(optimised(one_sided, {one_sided.node("Clip", {bounded, one_sided.scalar(-1)})}),
             std::string("Conv Clip"));

    auto rows = new_builder();  // one operand for each row, not for each column
    const auto product = rows.node("MatMul", {rows.input({3, 4}), rows.constant({4, 5})});
    QCOMPARE(optimised(rows, {rows.node("Add", {product, rows.constant({3, 1})})}),
             std::string("MatMul Add"));
  }

  void epilogues_have_as_many_steps_as_a_task_may_have() {
    auto b = new_builder();
    auto value = convolution(b, b.input({1, 3, 5, 5}));
    for (int i = 0; i < 12; ++i) value = b.node(i % 2 == 0 ? "Tanh" : "Sigmoid", {value});
    b.graph.outputs = {value};
    graph::Graph graph = b.graph;
    QVERIFY(graph::optimise(graph));
    QCOMPARE(graph.nodes.front().epilogue.size(), task::max_epilogue_steps);
    QCOMPARE(graph.nodes.size(), std::size_t{13} - task::max_epilogue_steps);
  }

  void additions_go_into_the_later_layer() {
    auto b = new_builder();
    const auto x = b.input({1, 4, 5, 5});
    const auto sum = b.node("Add", {convolution(b, x), convolution(b, x)});
    QCOMPARE(optimised(b, {b.node("Relu", {sum})}), std::string("Conv Conv+add+relu"));

    // The other operand is computed after the only layer.
    auto later = new_builder();
    const auto y = later.input({1, 4, 5, 5});
    const auto layer = convolution(later, y);
    const auto other = later.node("Tanh", {y});
    QCOMPARE(optimised(later, {later.node("Add", {layer, other})}), std::string("Conv Tanh Add"));

    // It depends on the layer itself.
    auto cycle = new_builder();
    const auto inner = convolution(cycle, cycle.input({1, 4, 5, 5}));
    QCOMPARE(optimised(cycle, {cycle.node("Add", {inner, cycle.node("Softmax", {inner})})}),
             std::string("Conv Softmax Add"));
  }
};

KERNELSCAPE_PLAIN_TEST(GraphPassCasesTest)

}  // namespace kernelscape::graph_pass_cases_test

#include "graph_pass_cases_test.moc"
