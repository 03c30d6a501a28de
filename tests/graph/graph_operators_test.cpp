#include "tests/graph/graph_operators.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::graph_operators_test {
using namespace kernelscape::testing;

namespace {

using graph::ElementType;
using graph::Node;
using graph::Shape;
using graph::Tensor;
using Integers = std::vector<std::int64_t>;

/** A convolution of two spatial dimensions with random attributes. */
struct RandomConvolution {
  Tensor input;
  Tensor weights;
  Tensor bias;
  Integers strides;
  Integers dilations;
  Integers pads;
  std::int64_t groups;

  Node node(const std::string& operation) const {
    return make_node(operation,
                     {{"strides", strides}, {"dilations", dilations}, {"pads", pads}, {"group", groups}});
  }
};

/** Draws a convolution whose input is at least as large as its kernel where negative padding crops it. */
RandomConvolution draw_convolution(base::Random& random, bool transposed) {
  RandomConvolution drawn;
  drawn.groups = draw(random, 1, 3);
  const std::int64_t group_inputs = draw(random, 1, 3);
  const std::int64_t group_outputs = draw(random, 1, 5);
  Shape input = {draw(random, 1, 2), drawn.groups * group_inputs};
  Shape weights = transposed ? Shape{drawn.groups * group_inputs, group_outputs}
                             : Shape{drawn.groups * group_outputs, group_inputs};
  for (int axis = 0; axis < 2; ++axis) {
    const std::int64_t kernel = draw(random, 1, 4);
    drawn.strides.push_back(draw(random, 1, 3));
    drawn.dilations.push_back(draw(random, 1, 2));
    input.push_back((kernel - 1) * 2 + draw(random, 3, 12));
    weights.push_back(kernel);
  }
  for (int side = 0; side < 4; ++side)
    drawn.pads.push_back(draw(random, transposed ? 0 : -1, transposed ? 0 : 3));
  drawn.input = random_tensor(random, input);
  drawn.weights = random_tensor(random, weights);
  drawn.bias = random_tensor(random, {drawn.groups * group_outputs});
  return drawn;
}

/** Returns a convolution as its definition has it: seven loops. */
Tensor naive_convolution(const RandomConvolution& c) {
  const auto extent = [&](std::size_t axis) {
    const std::int64_t kernel = (c.weights.shape[2 + axis] - 1) * c.dilations[axis] + 1;
    return (c.input.shape[2 + axis] + c.pads[axis] + c.pads[2 + axis] - kernel) / c.strides[axis] + 1;
  };
  Tensor result{ElementType::F32, {c.input.shape[0], c.weights.shape[0], extent(0), extent(1)}, {}};
  const std::int64_t group_outputs = c.weights.shape[0] / c.groups;
  for (std::int64_t n = 0; n < result.shape[0]; ++n)
    for (std::int64_t m = 0; m < result.shape[1]; ++m)
      for (std::int64_t y = 0; y < result.shape[2]; ++y)
        for (std::int64_t x = 0; x < result.shape[3]; ++x) {
          double sum = c.bias.elements[static_cast<std::size_t>(m)];
          for (std::int64_t i = 0; i < c.weights.shape[1]; ++i)
            for (std::int64_t r = 0; r < c.weights.shape[2]; ++r)
              for (std::int64_t s = 0; s < c.weights.shape[3]; ++s)
                sum += element_at(c.weights, {m, i, r, s}) *
                       element_at(c.input, {n, m / group_outputs * c.weights.shape[1] + i,
                                            y * c.strides[0] - c.pads[0] + r * c.dilations[0],
                                            x * c.strides[1] - c.pads[1] + s * c.dilations[1]});
          result.elements.push_back(sum);
        }
  return result;
}

/** Returns a transposed convolution as its definition has it: each input adds its weights to the result. */
Tensor naive_transposed_convolution(const RandomConvolution& c) {
  const auto extent = [&](std::size_t axis) {
    return (c.input.shape[2 + axis] - 1) * c.strides[axis] +
           (c.weights.shape[2 + axis] - 1) * c.dilations[axis] + 1;
  };
  const std::int64_t group_outputs = c.weights.shape[1];
  const std::int64_t group_inputs = c.input.shape[1] / c.groups;
  Tensor result{ElementType::F32, {c.input.shape[0], group_outputs * c.groups, extent(0), extent(1)}, {}};
  const std::int64_t plane = extent(0) * extent(1);
  for (std::int64_t i = 0; i < result.shape[0] * result.shape[1] * plane; ++i)
    result.elements.push_back(c.bias.elements[static_cast<std::size_t>(i / plane % result.shape[1])]);
  for (std::int64_t n = 0; n < c.input.shape[0]; ++n)
    for (std::int64_t i = 0; i < c.input.shape[1]; ++i)
      for (std::int64_t y = 0; y < c.input.shape[2]; ++y)
        for (std::int64_t x = 0; x < c.input.shape[3]; ++x)
          for (std::int64_t m = 0; m < group_outputs; ++m)
            for (std::int64_t r = 0; r < c.weights.shape[2]; ++r)
              for (std::int64_t s = 0; s < c.weights.shape[3]; ++s) {
                const std::int64_t channel = i / group_inputs * group_outputs + m;
                const std::int64_t row = y * c.strides[0] + r * c.dilations[0];
                const std::int64_t column = x * c.strides[1] + s * c.dilations[1];
                const std::int64_t offset =
                    ((n * result.shape[1] + channel) * extent(0) + row) * extent(1) + column;
                result.elements[static_cast<std::size_t>(offset)] +=
                    element_at(c.input, {n, i, y, x}) * element_at(c.weights, {i, m, r, s});
              }
  return result;
}

/** Returns the first result of a node, or an empty tensor with a message. */
Tensor result_of(const Node& node, const std::vector<const Tensor*>& inputs) {
  auto results = graph::evaluate(node, inputs);
  if (!results) {
    qWarning("%s", describe(results.error()).c_str());
    return {};
  }
  return results->at(0);
}

/** Returns an index of a shape from the number of an element. */
Integers index_of(std::int64_t number, const Shape& shape) {
  Integers index(shape.size(), 0);
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = number % shape[axis];
    number /= shape[axis];
  }
  return index;
}

}  // namespace

/** Operators against definitions that are written in another way, with random shapes. */
class GraphOperatorsTest : public QObject {
  Q_OBJECT

 private slots:
  void convolutions_are_their_definition() {
    base::Random random(random_seed());
    for (int i = 0; i < 60; ++i) {
      const RandomConvolution drawn = draw_convolution(random, false);
      const Tensor result = result_of(drawn.node("Conv"), {&drawn.input, &drawn.weights, &drawn.bias});
      const std::string difference = tensor_difference(result, naive_convolution(drawn));
      QVERIFY2(difference.empty(), (std::to_string(i) + ": " + difference).c_str());
    }
  }

  void transposed_convolutions_are_their_definition() {
    base::Random random(random_seed());
    for (int i = 0; i < 60; ++i) {
      const RandomConvolution drawn = draw_convolution(random, true);
      const Tensor result =
          result_of(drawn.node("ConvTranspose"), {&drawn.input, &drawn.weights, &drawn.bias});
      const std::string difference = tensor_difference(result, naive_transposed_convolution(drawn));
      QVERIFY2(difference.empty(), (std::to_string(i) + ": " + difference).c_str());
    }
  }

  void large_products_on_several_threads_are_right() {
    base::Random random(random_seed());
    // More rows than a part, more columns than a panel, and a depth of more than one block.
    const Tensor left = random_tensor(random, {2, 50, 300});
    const Tensor right = random_tensor(random, {300, 150});
    const Tensor result = result_of(make_node("MatMul"), {&left, &right});
    QCOMPARE(result.shape, (Shape{2, 50, 150}));
    for (std::int64_t number = 0; number < 15000; ++number) {
      const Integers index = index_of(number, result.shape);
      double sum = 0;
      for (std::int64_t k = 0; k < 300; ++k)
        sum += element_at(left, {index[0], index[1], k}) * element_at(right, {k, index[2]});
      QVERIFY(std::abs(result.elements[static_cast<std::size_t>(number)] - sum) < 1e-9);
    }
  }

  void pooling_is_its_definition() {
    base::Random random(random_seed());
    for (int i = 0; i < 100; ++i) {
      const Integers kernel = {draw(random, 1, 4), draw(random, 1, 4)};
      const Integers strides = {draw(random, 1, 3), draw(random, 1, 3)};
      const Integers pads = {draw(random, 0, kernel[0] - 1), draw(random, 0, kernel[1] - 1), 0, 0};
      const Tensor input = random_tensor(random, {2, 2, draw(random, 4, 12), draw(random, 4, 12)});
      const bool largest = random.chance(0.5);
      const bool counts_padding = random.chance(0.5);
      Node node = make_node(largest ? "MaxPool" : "AveragePool",
                            {{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}});
      if (!largest) node.attributes["count_include_pad"] = std::int64_t{counts_padding ? 1 : 0};
      const Tensor result = result_of(node, {&input});
      Tensor expected{ElementType::F32, {2, 2}, {}};
      for (std::size_t axis = 0; axis < 2; ++axis)
        expected.shape.push_back((input.shape[2 + axis] + pads[axis] - kernel[axis]) / strides[axis] + 1);
      for (std::int64_t number = 0; number < graph::element_count(expected.shape); ++number) {
        const Integers index = index_of(number, expected.shape);
        std::vector<double> covered;
        for (std::int64_t y = index[2] * strides[0] - pads[0], last = y + kernel[0]; y < last; ++y)
          for (std::int64_t x = index[3] * strides[1] - pads[1], end = x + kernel[1]; x < end; ++x)
            if (y >= 0 && x >= 0) covered.push_back(element_at(input, {index[0], index[1], y, x}));
        double sum = 0;
        for (const double element : covered) sum += element;
        const auto count = static_cast<double>(counts_padding ? kernel[0] * kernel[1]
                                                              : static_cast<std::int64_t>(covered.size()));
        expected.elements.push_back(largest ? *std::ranges::max_element(covered) : sum / count);
      }
      const std::string difference = tensor_difference(result, expected);
      QVERIFY2(difference.empty(), (std::to_string(i) + ": " + difference).c_str());
    }
  }

  /** The last window of ceil_mode lies partly beyond the padding, which does not count. */
  void averages_count_no_places_beyond_the_padding() {
    const Tensor input{ElementType::F32, {1, 1, 4}, {1, 2, 3, 4}};
    Node node = make_node("AveragePool", {{"kernel_shape", Integers{3}},
                                          {"strides", Integers{2}},
                                          {"ceil_mode", std::int64_t{1}},
                                          {"count_include_pad", std::int64_t{1}}});
    QCOMPARE(result_of(node, {&input}).elements, (std::vector<double>{2, 3.5}));
    node.attributes["pads"] = Integers{1, 1};
    const Tensor padded = result_of(node, {&input});
    QCOMPARE(padded.elements, (std::vector<double>{1, 3, 2}));
  }

  void the_larger_of_nan_is_nan() {
    const Tensor zero{ElementType::F32, {}, {0}};
    for (const std::size_t place : {0U, 1U, 2U}) {
      Tensor input{ElementType::F32, {1, 1, 3}, {-1, 2, -3}};
      input.elements[place] = std::nan("");
      for (const std::string operation : {"Max", "Min", "Clip"})
        QVERIFY2(std::isnan(result_of(make_node(operation), {&input, &zero}).elements.at(place)),
                 operation.c_str());
      QVERIFY(std::isnan(result_of(make_node("Max"), {&zero, &input}).elements.at(place)));
      QVERIFY(std::isnan(result_of(make_node("Min"), {&zero, &input}).elements.at(place)));
      QVERIFY(std::isnan(result_of(make_node("Relu"), {&input}).elements.at(place)));
      for (const std::string operation : {"ReduceMax", "ReduceMin", "GlobalMaxPool"})
        QVERIFY2(std::isnan(result_of(make_node(operation), {&input}).elements.at(0)), operation.c_str());
      const Node pool = make_node("MaxPool", {{"kernel_shape", Integers{3}}});
      QVERIFY(std::isnan(result_of(pool, {&input}).elements.at(0)));
    }
  }

  /** Bilinear interpolation of four neighbours at once, where the operator works axis by axis. */
  void linear_resizing_is_bilinear_interpolation() {
    base::Random random(random_seed());
    for (int i = 0; i < 50; ++i) {
      const Tensor input = random_tensor(random, {1, 2, draw(random, 1, 6), draw(random, 1, 6)});
      const Shape shape = {1, 2, draw(random, 1, 9), draw(random, 1, 9)};
      const Tensor sizes{ElementType::I64, {4}, std::vector<double>(shape.begin(), shape.end())};
      const Tensor result = result_of(make_node("Resize", {{"mode", std::string("linear")}}),
                                      {&input, nullptr, nullptr, &sizes});
      Tensor expected{ElementType::F32, shape, {}};
      const auto position = [&](std::size_t axis, std::int64_t place) {
        const double ratio = static_cast<double>(input.shape[axis]) / static_cast<double>(shape[axis]);
        return std::clamp((static_cast<double>(place) + 0.5) * ratio - 0.5, 0.0,
                          static_cast<double>(input.shape[axis] - 1));
      };
      for (std::int64_t number = 0; number < graph::element_count(shape); ++number) {
        const Integers index = index_of(number, shape);
        const double y = position(2, index[2]);
        const double x = position(3, index[3]);
        double sum = 0;
        for (std::int64_t row = 0; row < input.shape[2]; ++row)
          for (std::int64_t column = 0; column < input.shape[3]; ++column)
            sum += element_at(input, {0, index[1], row, column}) *
                   std::max(0.0, 1 - std::abs(y - static_cast<double>(row))) *
                   std::max(0.0, 1 - std::abs(x - static_cast<double>(column)));
        expected.elements.push_back(sum);
      }
      const std::string difference = tensor_difference(result, expected);
      QVERIFY2(difference.empty(), (std::to_string(i) + ": " + difference).c_str());
    }
  }

  void operands_are_broadcast() {
    base::Random random(random_seed());
    for (int i = 0; i < 100; ++i) {
      const auto rank = static_cast<std::size_t>(draw(random, 0, 4));
      Shape shape;
      for (std::size_t axis = 0; axis < rank; ++axis) shape.push_back(draw(random, 1, 4));
      // Each operand has the last axes of the shape, some of them with the extent 1; one has all of them.
      Shape first = shape;
      Shape second(shape.begin() + draw(random, 0, static_cast<std::int64_t>(rank)), shape.end());
      for (std::size_t axis = 0; axis < second.size(); ++axis) {
        std::int64_t& of_first = first[rank - second.size() + axis];
        (random.chance(0.5) ? second[axis] : of_first) = random.chance(0.5) ? 1 : second[axis];
      }
      const Tensor a = random_tensor(random, first);
      const Tensor b = random_tensor(random, second);
      const Tensor result = result_of(make_node("Sub"), {&a, &b});
      Tensor expected{ElementType::F32, shape, {}};
      for (std::int64_t number = 0; number < graph::element_count(shape); ++number) {
        const Integers index = index_of(number, shape);
        const auto operand = [&](const Tensor& tensor) {
          Integers own(index.end() - static_cast<std::ptrdiff_t>(tensor.shape.size()), index.end());
          for (std::size_t axis = 0; axis < own.size(); ++axis)
            if (tensor.shape[axis] == 1) own[axis] = 0;
          return element_at(tensor, own);
        };
        expected.elements.push_back(operand(a) - operand(b));
      }
      const std::string difference = tensor_difference(result, expected);
      QVERIFY2(difference.empty(), (std::to_string(i) + ": " + difference).c_str());
    }
  }

  void casts_round_saturate_and_wrap() {
    const auto cast = [](ElementType from, double value, std::int64_t to) {
      const Tensor input{from, {}, {value}};
      return result_of(make_node("Cast", {{"to", to}}), {&input}).elements.at(0);
    };
    constexpr std::int64_t f32 = 1;
    constexpr std::int64_t u8 = 2;
    constexpr std::int64_t i8 = 3;
    constexpr std::int64_t boolean = 9;
    constexpr std::int64_t f16 = 10;
    constexpr std::int64_t bf16 = 16;
    QCOMPARE(cast(ElementType::F32, -1.9, i8), -1.0);
    QCOMPARE(cast(ElementType::F32, 300.0, u8), 255.0);
    QCOMPARE(cast(ElementType::F32, -std::numeric_limits<double>::infinity(), i8), -128.0);
    QCOMPARE(cast(ElementType::I32, 300.0, u8), 44.0);
    QCOMPARE(cast(ElementType::I32, 200.0, i8), -56.0);
    QCOMPARE(cast(ElementType::F32, 0.25, boolean), 1.0);
    QCOMPARE(cast(ElementType::F64, 16777217.0, f32), 16777216.0);
    QCOMPARE(cast(ElementType::F32, 2049.0, f16), 2048.0);
    QCOMPARE(cast(ElementType::F32, 2051.0, f16), 2052.0);
    QVERIFY(std::isinf(cast(ElementType::F32, 65520.0, f16)));
    QCOMPARE(cast(ElementType::F32, std::ldexp(1, -24), f16), std::ldexp(1, -24));
    QCOMPARE(cast(ElementType::F32, 257.0, bf16), 256.0);
  }

  void slices_end_at_the_largest_integer() {
    const Tensor input{ElementType::F32, {4}, {0, 1, 2, 3}};
    const double largest = 9223372036854775807.0;
    const auto sliced = [&](double start, double end, double step) {
      const Tensor starts{ElementType::I64, {1}, {start}};
      const Tensor ends{ElementType::I64, {1}, {end}};
      const Tensor steps{ElementType::I64, {1}, {step}};
      return result_of(make_node("Slice"), {&input, &starts, &ends, nullptr, &steps}).elements;
    };
    QCOMPARE(sliced(1, largest, 2), (std::vector<double>{1, 3}));
    QCOMPARE(sliced(-1, -largest, -1), (std::vector<double>{3, 2, 1, 0}));
    QCOMPARE(sliced(0, largest, largest), (std::vector<double>{0}));
    QCOMPARE(sliced(3, 1, 1), std::vector<double>{});
  }

  void integers_divide_with_truncation() {
    const Tensor a{ElementType::I32, {3}, {7, -7, 6}};
    const Tensor b{ElementType::I32, {3}, {2, 2, -4}};
    QCOMPARE(result_of(make_node("Div"), {&a, &b}).elements, (std::vector<double>{3, -3, -1}));
  }
};

KERNELSCAPE_PLAIN_TEST(GraphOperatorsTest)

}  // namespace kernelscape::graph_operators_test
#include "graph_operators_test.moc"
