#include <QTemporaryDir>
#include <QTest>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include "core/graph/graph.h"
#include "tests/test_program.h"
#include "tests/verify_result.h"

namespace kernelscape::graph_data_test {
using graph::ElementType;
using graph::Graph;

namespace {

template <typename T>
std::vector<std::byte> bytes_of_all(const std::vector<T>& numbers) {
  std::vector<std::byte> bytes(numbers.size() * sizeof(T));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

template <typename T>
graph::Value constant(ElementType type, const std::vector<T>& numbers) {
  Graph graph;
  return graph.values.at(graph.add_constant("c", type, {std::ssize(numbers)}, bytes_of_all(numbers)));
}

graph::Value tensor(const std::string& name, graph::Shape shape) {
  graph::Value value;
  value.name = name;
  value.shape = std::move(shape);
  return value;
}

graph::Node node(const std::string& name, const std::string& operation, std::vector<std::size_t> inputs,
                 std::vector<std::size_t> outputs) {
  graph::Node node;
  node.name = name;
  node.operation = operation;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  return node;
}

/** x -> Relu -> Add with a constant -> y */
Graph small_graph() {
  Graph graph;
  graph.inputs = {graph.add(tensor("x", {2, 3}))};
  const std::size_t weight = graph.add_constant("w", ElementType::F32, {3}, std::vector<std::byte>(12));
  const std::size_t between = graph.add(tensor("r", {2, 3}));
  graph.outputs = {graph.add(tensor("y", {2, 3}))};
  graph.nodes = {node("n1", "Relu", {0}, {between}), node("n2", "Add", {between, weight}, graph.outputs)};
  return graph;
}

void verify_problem(const std::function<void(Graph&)>& change, const std::string& part) {
  Graph graph = small_graph();
  change(graph);
  const Status valid = graph::validate(graph);
  QVERIFY2(!valid, part.c_str());
  QVERIFY2(valid.error().message.contains(part), (valid.error().message + "  lacks  " + part).c_str());
}

}  // namespace

class GraphDataTest : public QObject {
  Q_OBJECT

 private slots:
  void a_graph_in_order_is_valid() {
    VERIFY_RESULT(graph::validate(small_graph()));
    VERIFY_RESULT(graph::validate(Graph()));
    Graph graph = small_graph();
    graph.nodes[1].inputs.push_back(graph::absent);
    VERIFY_RESULT(graph::validate(graph));
  }

  void faults_are_named() {
    verify_problem([](Graph& graph) { graph.values[2].name = "x"; }, "two values are named \"x\"");
    verify_problem([](Graph& graph) { graph.values[0].shape = {-1}; }, "\"x\" has a dimension of -1");
    verify_problem([](Graph& graph) { graph.values[0].shape = {1 << 30, 1 << 30, 1 << 30}; },
                   "\"x\" has more than");
    verify_problem([](Graph& graph) { graph.values[0].shape = {graph::count_limit}; }, "together");
    verify_problem([](Graph& graph) { graph.values[1].shape = {4}; },
                   "\"w\" has 12 bytes, but its shape needs 16");
    verify_problem([](Graph& graph) { std::swap(graph.nodes[0], graph.nodes[1]); },
                   "\"n2\" (Add) reads the value \"r\"");
    verify_problem([](Graph& graph) { graph.nodes[1].inputs[0] = 99; }, "99");
    verify_problem([](Graph& graph) { graph.nodes[0].outputs = {0}; }, "\"n1\" (Relu) gives the value \"x\"");
    verify_problem([](Graph& graph) { graph.nodes[0].outputs = {1}; }, "given already");
    verify_problem([](Graph& graph) { graph.inputs.push_back(1); }, "an input and a constant");
    verify_problem([](Graph& graph) { graph.inputs.push_back(77); }, "77");
    verify_problem([](Graph& graph) { graph.outputs = {graph::absent}; }, "no output value");
    verify_problem([](Graph& graph) { graph.nodes.pop_back(); }, "nothing gives the output the value \"y\"");
    verify_problem(
        [](Graph& graph) {
          graph.nodes[0].epilogue = {{task::EpilogueKind::Bias}, {task::EpilogueKind::Add}};
        },
        "fewer inputs");
  }

  void empty_tensors_are_valid() {
    Graph graph = small_graph();
    graph.add_constant("roi", ElementType::F32, {graph::count_limit, 0}, {});
    VERIFY_RESULT(graph::validate(graph));
    QCOMPARE(*graph::checked_element_count(graph.values.back()), std::int64_t{0});
    // Strides would overflow.
    graph.values.back().shape = {std::int64_t{1} << 62, std::int64_t{1} << 62, 0};
    QVERIFY(!graph::validate(graph));
  }

  void constants_decode_to_numbers() {
    const auto doubles = [](const graph::Value& value) { return *graph::constant_doubles(value); };
    QCOMPARE(doubles(constant<float>(ElementType::F32, {1.5F, -2.0F})), (std::vector<double>{1.5, -2}));
    QCOMPARE(doubles(constant<double>(ElementType::F64, {0.1})), (std::vector<double>{0.1}));
    QCOMPARE(doubles(constant<std::int8_t>(ElementType::I8, {-128, 127})), (std::vector<double>{-128, 127}));
    QCOMPARE(doubles(constant<std::uint8_t>(ElementType::U8, {255})), (std::vector<double>{255}));
    QCOMPARE(doubles(constant<std::uint8_t>(ElementType::Bool, {0, 1, 2})), (std::vector<double>{0, 1, 1}));
    QCOMPARE(doubles(constant<std::uint64_t>(ElementType::U64, {std::uint64_t{1} << 63})),
             (std::vector<double>{std::ldexp(1.0, 63)}));
    const auto integers = graph::constant_integers(constant<std::int64_t>(ElementType::I64, {-1, 7}));
    VERIFY_RESULT(integers);
    QCOMPARE(*integers, (std::vector<std::int64_t>{-1, 7}));
    const auto refused = graph::constant_integers(constant<float>(ElementType::F32, {1}));
    QVERIFY(!refused);
    QVERIFY(refused.error().message.contains("f32"));
  }

  /** Every number of 16 bits: f16 by examples and its order, bf16 as the upper half of an f32. */
  void halves_decode_exactly() {
    std::vector<std::uint16_t> all(1 << 16);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
    const std::vector<double> halves = *graph::constant_doubles(constant(ElementType::F16, all));
    const std::vector<double> brains = *graph::constant_doubles(constant(ElementType::BF16, all));
    QCOMPARE(halves[0x3c00], 1.0);
    QCOMPARE(halves[0xc000], -2.0);
    QCOMPARE(halves[0x7bff], 65504.0);
    QCOMPARE(halves[0x0001], std::ldexp(1.0, -24));
    QVERIFY(std::isinf(halves[0x7c00]) && halves[0xfc00] < 0 && std::isnan(halves[0x7e00]));
    QVERIFY(std::signbit(halves[0x8000]));
    for (std::size_t i = 1; i <= 0x7c00; ++i) QVERIFY(halves[i - 1] < halves[i]);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double expected = std::bit_cast<float>(static_cast<std::uint32_t>(i) << 16);
      QVERIFY(brains[i] == expected || (std::isnan(brains[i]) && std::isnan(expected)));
    }
  }

  void constants_stay_in_files_until_they_are_read() {
    const QTemporaryDir folder;
    const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "weights";
    std::ofstream(path, std::ios::binary) << "....\x01\x02\x03\x04..";
    graph::Value value = tensor("w", {4});
    value.type = ElementType::U8;
    value.constant = true;
    value.data = graph::FileRange{path, 4, 4};
    const auto read = graph::constant_integers(value);
    VERIFY_RESULT(read);
    QCOMPARE(*read, (std::vector<std::int64_t>{1, 2, 3, 4}));
    value.data = graph::FileRange{path, 8, 4};
    const auto beyond = graph::constant_bytes(value);
    QVERIFY(!beyond);
    QVERIFY(beyond.error().message.contains(path.string()) && beyond.error().message.contains("\"w\""));
    for (const graph::FileRange& range :
         {graph::FileRange{path, std::numeric_limits<std::uint64_t>::max(), 4}, graph::FileRange{path, 0, 3},
          graph::FileRange{path.parent_path() / "none", 0, 4}, graph::FileRange{path.parent_path(), 0, 4}}) {
      value.data = range;
      QVERIFY(!graph::constant_bytes(value));
    }
  }
};

KERNELSCAPE_PLAIN_TEST(GraphDataTest)

}  // namespace kernelscape::graph_data_test
#include "graph_data_test.moc"
