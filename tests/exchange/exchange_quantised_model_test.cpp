#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/exchange/model/model_library.h"
#include "core/graph/float_arithmetic.h"
#include "core/graph/interpreter.h"
#include "core/graph/optimise.h"
#include "tests/exchange/export_support.h"
#include "tests/exchange/random_model.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_quantised_model_test {
using namespace kernelscape::exchange_tests;
using namespace kernelscape::testing;

namespace {

using graph::ElementType;
using Integers = std::vector<std::int64_t>;

/** Builds quantised models as quantizers write them, with random scales and zero points. */
class QuantisedBuilder {
 public:
  explicit QuantisedBuilder(base::Random& random) : m(random), random_(random) {}

  ModelBuilder m;

  /** A scale and a zero point of a type for one tensor. */
  struct Parameters {
    std::size_t scale;
    std::size_t zero;
    ElementType type;
  };

  Parameters parameters(ElementType type) {
    const std::int64_t zero = type == ElementType::U8 ? static_cast<std::int64_t>(random_.below(256))
                                                      : static_cast<std::int64_t>(random_.below(256)) - 128;
    return {scalar(0.01 + 0.05 * random_.uniform()), bytes_of({zero}, {}, type), type};
  }

  ElementType any_type() { return random_.chance(0.5) ? ElementType::U8 : ElementType::I8; }

  std::size_t quantise(std::size_t value, const Parameters& by) {
    return m.node("QuantizeLinear", {value, by.scale, by.zero}, shape_of(value), {}, {}, by.type);
  }

  std::size_t dequantise(std::size_t value, const Parameters& by) {
    return m.node("DequantizeLinear", {value, by.scale, by.zero}, shape_of(value));
  }

  /** QuantizeLinear and DequantizeLinear, one after the other. */
  std::size_t rounded(std::size_t value) {
    const Parameters by = parameters(any_type());
    return dequantise(quantise(value, by), by);
  }

  /** Weights of int8 with a scale for each channel or for all, and their zero points. */
  struct Weights {
    std::size_t elements;
    std::size_t scale;
    std::size_t zero;
    std::int64_t scales;
  };

  Weights weights(const graph::Shape& shape, std::int64_t channels) {
    const bool by_channel = random_.chance(0.5);
    const std::int64_t scales = by_channel ? channels : 1;
    const graph::Shape vector = by_channel ? graph::Shape{channels} : graph::Shape{};
    Integers elements(static_cast<std::size_t>(graph::element_count(shape)));
    for (std::int64_t& element : elements) element = static_cast<std::int64_t>(random_.below(255)) - 127;
    return {bytes_of(elements, shape, ElementType::I8), m.weights(vector, 0.002, 0.004),
            bytes_of(Integers(static_cast<std::size_t>(scales), 0), vector, ElementType::I8), scales};
  }

  /** A bias of int32. */
  std::size_t bias(std::int64_t channels) {
    std::vector<std::byte> bytes;
    for (std::int64_t i = 0; i < channels; ++i) {
      const auto number = static_cast<std::int32_t>(random_.below(4001)) - 2000;
      const auto* begin = reinterpret_cast<const std::byte*>(&number);
      bytes.insert(bytes.end(), begin, begin + sizeof number);
    }
    return m.graph.add_constant(next_name(), ElementType::I32, {channels}, std::move(bytes));
  }

  /** A convolution of floats between its dequantised operands. */
  std::size_t convolution(std::size_t data, std::int64_t channels, std::int64_t kernel) {
    const graph::Shape shape = shape_of(data);
    const Weights w = weights({channels, shape[1], kernel, kernel}, channels);
    const std::size_t weight = m.node("DequantizeLinear", {w.elements, w.scale, w.zero},
                                      {channels, shape[1], kernel, kernel}, {{"axis", std::int64_t{0}}});
    const std::size_t scale = m.weights({channels}, 0.0001, 0.0003);
    const std::size_t added =
        m.node("DequantizeLinear", {bias(channels), scale}, {channels}, {{"axis", std::int64_t{0}}});
    const std::int64_t pad = kernel / 2;
    return m.node("Conv", {data, weight, added}, {shape[0], channels, shape[2], shape[3]},
                  {{"pads", Integers{pad, pad, pad, pad}}, {"kernel_shape", Integers{kernel, kernel}}});
  }

  /** A QLinearConv of 3x3, with a bias or without. */
  std::size_t integer_convolution(std::size_t data, const Parameters& of_data, std::int64_t channels,
                                  const Parameters& of_result) {
    const graph::Shape shape = shape_of(data);
    const Weights w = weights({channels, shape[1], 3, 3}, channels);
    std::vector<std::size_t> inputs{data,    of_data.scale, of_data.zero,    w.elements,
                                    w.scale, w.zero,        of_result.scale, of_result.zero};
    if (random_.chance(0.5)) inputs.push_back(bias(channels));
    return m.node("QLinearConv", inputs, {shape[0], channels, shape[2], shape[3]},
                  {{"pads", Integers{1, 1, 1, 1}}}, {}, of_result.type);
  }

  std::size_t scalar(double number) { return m.weights({}, 0, number); }

  const graph::Shape& shape_of(std::size_t value) const { return m.graph.values[value].shape; }

 private:
  std::string next_name() const { return "constant " + std::to_string(m.graph.values.size()); }

  std::size_t bytes_of(const Integers& numbers, const graph::Shape& shape, ElementType type) {
    std::vector<std::byte> bytes;
    for (const std::int64_t number : numbers) bytes.push_back(static_cast<std::byte>(number & 0xff));
    return m.graph.add_constant(next_name(), type, shape, std::move(bytes));
  }

  base::Random& random_;
};

/** Layers of floats between roundings, and of QLinear operators, with a residual addition and a Max. */
graph::Graph quantised_model(base::Random& random) {
  QuantisedBuilder q(random);
  const auto channels = static_cast<std::int64_t>(8 * (1 + random.below(3)));
  const auto size = static_cast<std::int64_t>(5 + random.below(6));
  std::size_t x = q.rounded(q.m.input("image", {1, 3, size, size}));
  x = q.m.node("Relu", {q.convolution(x, channels, 3)}, {1, channels, size, size});
  const std::size_t before = q.rounded(x);
  x = q.rounded(q.convolution(before, channels, 1));
  x = q.m.node("Add", {x, before}, q.shape_of(x));
  const auto e = q.parameters(q.any_type());
  const std::size_t larger =
      q.m.node("Max", {q.quantise(x, e), q.quantise(before, e)}, q.shape_of(x), {}, {}, e.type);
  const auto a = q.parameters(q.any_type());
  const auto b = q.parameters(a.type);
  const std::size_t left = q.quantise(x, a);
  const std::size_t right = q.integer_convolution(left, a, channels, b);
  x = q.m.node("com.microsoft.QLinearAdd", {left, a.scale, a.zero, right, b.scale, b.zero, b.scale, b.zero},
               q.shape_of(left), {}, {}, b.type);
  x = q.m.node("GlobalAveragePool", {q.dequantise(x, b)}, {1, channels, 1, 1});
  x = q.m.node("Flatten", {x}, {1, channels});
  const auto c = q.parameters(q.any_type());
  const auto d = q.parameters(q.any_type());
  const auto w = q.weights({channels, 10}, 10);
  x = q.m.node("QLinearMatMul",
               {q.quantise(x, c), c.scale, c.zero, w.elements, w.scale, w.zero, d.scale, d.zero}, {1, 10}, {},
               {}, d.type);
  q.m.graph.outputs = {x, q.dequantise(x, d), before, larger};
  return std::move(q.m.graph);
}

double relative_difference(const graph::Tensor& a, const graph::Tensor& b) {
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    difference += (a.elements[i] - b.elements[i]) * (a.elements[i] - b.elements[i]);
    norm += a.elements[i] * a.elements[i];
  }
  return norm > 0 ? std::sqrt(difference / norm) : difference;
}

}  // namespace

class ExchangeQuantisedModelTest : public QObject {
  Q_OBJECT

 private slots:
  void floats_compute_what_quantised_layers_are_defined_to() {
    base::Random random(random_seed());
    for (int round = 0; round < 30; ++round) {
      graph::Graph graph = quantised_model(random);
      const Result<exchange::ModelReference> reference =
          exchange::make_model_reference(graph, random.below(1'000));
      QVERIFY2(reference.has_value(), reference ? "" : describe(reference.error()).c_str());
      const Result<std::size_t> layers = graph::compute_in_floats(graph);
      QVERIFY2(layers.has_value(), layers ? "" : describe(layers.error()).c_str());
      QCOMPARE(*layers, std::size_t{4});
      QVERIFY(std::ranges::none_of(graph.nodes, [](const graph::Node& node) {
        return node.operation.find("QLinear") != std::string::npos;
      }));
      const Result<graph::OptimisationReport> report = graph::optimise(graph);
      QVERIFY2(report.has_value(), report ? "" : describe(report.error()).c_str());
      const auto outputs = graph::interpret(graph, reference->inputs);
      QVERIFY2(outputs.has_value(), outputs ? "" : describe(outputs.error()).c_str());
      // A tie may be rounded to the other side, since weights are floats: one step of a few elements.
      for (std::size_t i = 0; i < outputs->size(); ++i)
        QCOMPARE_LT(relative_difference(reference->outputs[i], (*outputs)[i]), 0.02);
    }
  }

  void computed_scales_keep_their_operator() {
    base::Random random(random_seed());
    QuantisedBuilder q(random);
    const auto a = q.parameters(ElementType::U8);
    const auto b = q.parameters(ElementType::U8);
    const std::size_t x = q.m.input("image", {1, 3, 5, 5});
    const std::size_t result = q.integer_convolution(q.quantise(x, a), a, 8, b);
    graph::Node& layer = q.m.graph.nodes.back();
    layer.inputs.resize(8);
    layer.inputs.push_back(q.bias(8));
    const std::size_t scale = q.m.input("scale", {});
    layer.inputs[4] = scale;
    q.m.graph.outputs = {result};
    QCOMPARE(*graph::compute_in_floats(q.m.graph), std::size_t{0});
    QCOMPARE(q.m.graph.nodes.back().operation, std::string("QLinearConv"));
  }

  void libraries_compute_quantised_models() {
    base::Random random(random_seed());
    for (int round = 0; round < 3; ++round) {
      graph::Graph graph = quantised_model(random);
      const Result<exchange::ModelReference> reference = exchange::make_model_reference(graph, 1);
      QVERIFY(reference.has_value());
      QVERIFY(graph::compute_in_floats(graph).has_value());
      QVERIFY(graph::optimise(graph).has_value());
      const auto library =
          exchange::make_model_library(graph, "made", {}, this_machine(), *reference, random.chance(0.5));
      QVERIFY2(library.has_value(), library ? "" : describe(library.error()).c_str());
      QTemporaryDir folder;
      const QString made = folder.path() + "/made";
      QVERIFY(exchange::write_model_library(*library, made.toStdString(), false).has_value());
      const ShellResult checked =
          shell(made,
                "cc -std=gnu11 -O1 -march=native -Wall -Wextra -Werror -fsanitize=address,undefined "
                "-fno-sanitize-recover -o check check.c made.c layer_*.c -lm -pthread && ./check");
      QVERIFY2(checked.code == 0, checked.output.c_str());
    }
  }
};

KERNELSCAPE_PLAIN_TEST(ExchangeQuantisedModelTest)

}  // namespace kernelscape::exchange_quantised_model_test
#include "exchange_quantised_model_test.moc"
