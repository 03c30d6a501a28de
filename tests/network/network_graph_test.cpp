#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>

#include "core/base/random.h"
#include "core/measure/worker/graph_messages.h"
#include "core/network/open_graph.h"
#include "tests/onnx/model_builder.h"
#include "tests/test_program.h"
#include "tests/verify_result.h"

namespace kernelscape::network_graph_test {
using graph::Graph;
using kernelscape::testing::ModelBuilder;
using network::ExternalData;

namespace {

constexpr std::int64_t rows = 1000;
constexpr std::int64_t columns = 2600;  // 10.4 MB of f32

std::vector<float> random_floats(std::int64_t count, base::Random& random) {
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < count; ++i)
    numbers.push_back(static_cast<float>(random.below(1 << 20)) - 5e5F);
  return numbers;
}

std::string raw(const auto& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(numbers[0])};
}

onnx::TensorProto& add_tensor(onnx::GraphProto& graph, const std::string& name, int type,
                              const std::vector<std::int64_t>& shape) {
  onnx::TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (const std::int64_t extent : shape) tensor.add_dims(extent);
  return tensor;
}

void set_external(onnx::TensorProto& tensor, const std::string& location, const std::string& offset = {},
                  const std::string& length = {}) {
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  tensor.clear_external_data();
  for (const auto& [key, value] :
       {std::pair<std::string, std::string>{"location", location}, {"offset", offset}, {"length", length}}) {
    if (value.empty()) continue;
    auto& entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
}

const graph::Value& value_of(const Graph& graph, const std::string& name) {
  for (const graph::Value& value : graph.values)
    if (value.name == name) return value;
  qFatal("there is no %s", name.c_str());
}

bool is_in_file(const graph::Value& value) { return std::holds_alternative<graph::FileRange>(value.data); }

}  // namespace

class NetworkGraphTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    const std::uint64_t seed = qEnvironmentVariableIsSet("KERNELSCAPE_TEST_SEED")
                                   ? qEnvironmentVariable("KERNELSCAPE_TEST_SEED").toULongLong()
                                   : std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    random_ = base::Random(seed);
  }

  void weights_stay_in_the_models_file() {
    const std::vector<float> first = random_floats(rows * columns, random_);
    const std::vector<float> second = random_floats(rows * columns, random_);
    ModelBuilder builder;
    builder.input("x", {1, rows});
    onnx::GraphProto& proto = *builder.model().mutable_graph();
    add_tensor(proto, "raw", onnx::TensorProto::FLOAT, {rows, columns}).set_raw_data(raw(first));
    auto& typed = *add_tensor(proto, "typed", onnx::TensorProto::FLOAT, {rows, columns}).mutable_float_data();
    typed.Add(second.begin(), second.end());
    builder.node("MatMul", {"x", "raw"}, {"a"}).node("MatMul", {"x", "typed"}, {"b"});
    builder.node("Add", {"a", "b"}, {"y"}).output("y");
    const Graph graph = opened(builder);
    QVERIFY(is_in_file(value_of(graph, "raw")) && is_in_file(value_of(graph, "typed")));
    for (const auto& [name, numbers] : {std::pair{"raw", &first}, std::pair{"typed", &second}}) {
      const auto bytes = graph::constant_bytes(value_of(graph, name));
      VERIFY_RESULT(bytes);
      QVERIFY(std::memcmp((*bytes)->data(), numbers->data(), (*bytes)->size()) == 0);
    }
    QCOMPARE(value_of(graph, "y").shape, (graph::Shape{1, columns}));
  }

  void long_numbers_of_variable_length_are_decoded() {
    constexpr int count = 5000;
    ModelBuilder builder;
    builder.input("i", {count}, onnx::TensorProto::INT64).input("h", {count}, onnx::TensorProto::FLOAT16);
    builder.input("b", {count}, onnx::TensorProto::INT32).input("d", {count}, onnx::TensorProto::DOUBLE);
    onnx::GraphProto& proto = *builder.model().mutable_graph();
    onnx::TensorProto& integers = add_tensor(proto, "int64", onnx::TensorProto::INT64, {count});
    onnx::TensorProto& halves = add_tensor(proto, "half", onnx::TensorProto::FLOAT16, {count});
    onnx::TensorProto& words = add_tensor(proto, "int32", onnx::TensorProto::INT32, {count});
    onnx::TensorProto& doubles = add_tensor(proto, "double", onnx::TensorProto::DOUBLE, {count});
    std::vector<std::int64_t> numbers;
    for (int i = 0; i < count; ++i) {
      numbers.push_back((i % 2 == 0 ? -1 : 1) * static_cast<std::int64_t>(random_.below(1ULL << 62)));
      integers.add_int64_data(numbers.back());
      halves.add_int32_data(0x3c00 + i % 100);
      words.add_int32_data(-i);
      doubles.add_double_data(i / 8.0);
    }
    for (const auto& [input, constant, output] :
         {std::tuple{"i", "int64", "p"}, std::tuple{"h", "half", "q"}, std::tuple{"b", "int32", "r"},
          std::tuple{"d", "double", "s"}})
      builder.node("Add", {input, constant}, {output}).output(output);
    const Graph graph = opened(builder);
    QCOMPARE(*graph::constant_integers(value_of(graph, "int64")), numbers);
    const std::vector<double> half = *graph::constant_doubles(value_of(graph, "half"));
    QCOMPARE(half.at(1), 1 + 1.0 / 1024);
    QCOMPARE(graph::constant_integers(value_of(graph, "int32"))->at(4999), std::int64_t{-4999});
    QVERIFY(is_in_file(value_of(graph, "double")));
    QCOMPARE(graph::constant_doubles(value_of(graph, "double"))->at(3), 0.375);
    // A shape that its numbers cannot fill in, from a field of 45 KB: nothing of it is read.
    integers.set_dims(0, 1);
    QVERIFY(refused(builder).message.contains("cannot be 1 numbers"));
    integers.set_dims(0, count);
    integers.mutable_int64_data()->RemoveLast();
    QVERIFY(refused(builder).message.contains("\"int64\" has another number of elements"));
  }

  /** A constant of a branch has the name of one outside; constants of nodes have no names at all. */
  void weights_are_matched_without_names() {
    const auto constant = [&](float value) {
      onnx::TensorProto tensor;
      tensor.set_name("w");
      tensor.set_data_type(onnx::TensorProto::FLOAT);
      tensor.add_dims(2000);
      tensor.set_raw_data(raw(std::vector<float>(2000, value)));
      return tensor;
    };
    const auto add_constant_node = [&](ModelBuilder& builder, const std::string& name, float value) {
      builder.node("Constant", {}, {name});
      onnx::AttributeProto& attribute =
          *builder.model().mutable_graph()->mutable_node()->rbegin()->add_attribute();
      attribute.set_name("value");
      attribute.set_type(onnx::AttributeProto::TENSOR);
      *attribute.mutable_t() = constant(value);
    };
    ModelBuilder then;
    *then.model().mutable_graph()->add_initializer() = constant(1);
    add_constant_node(then, "k", 2);
    then.node("Sum", {"x", "w", "k"}, {"inner"}).output("inner");
    ModelBuilder builder;
    builder.input("x", {2000});
    *builder.model().mutable_graph()->add_initializer() = constant(3);
    builder.node("Constant", {}, {"c"});
    onnx::AttributeProto& truth = *builder.model().mutable_graph()->mutable_node()->rbegin()->add_attribute();
    truth.set_name("value");
    truth.set_type(onnx::AttributeProto::TENSOR);
    truth.mutable_t()->set_data_type(onnx::TensorProto::BOOL);
    truth.mutable_t()->set_raw_data("\x01");
    add_constant_node(builder, "outer", 4);
    builder.node_with_bodies("If", {"c"}, {"branch"}, {{"then_branch", then}, {"else_branch", then}});
    builder.node("Mul", {"branch", "w"}, {"m"}).node("Div", {"m", "outer"}, {"y"}).output("y");
    const Graph graph = opened(builder);
    std::map<std::string, std::vector<double>> operands;
    for (const graph::Node& node : graph.nodes)
      for (const std::size_t input : node.inputs)
        if (graph.values[input].constant)
          operands[node.operation].push_back(graph::constant_doubles(graph.values[input])->at(1999));
    QCOMPARE(operands["Sum"], (std::vector<double>{1, 2}));
    QCOMPARE(operands["Mul"], std::vector<double>{3});
    QCOMPARE(operands["Div"], std::vector<double>{4});
  }

  /** A model could write the field that stands in the place of cut data itself. */
  void a_forged_place_is_ignored() {
    ModelBuilder builder;
    builder.input("x", {2000});
    onnx::GraphProto& proto = *builder.model().mutable_graph();
    add_tensor(proto, "secret", onnx::TensorProto::FLOAT, {2000}).set_raw_data(std::string(8000, 's'));
    onnx::TensorProto& forged = add_tensor(proto, "forged", onnx::TensorProto::FLOAT, {2000});
    forged.GetReflection()->MutableUnknownFields(&forged)->AddVarint(measure::cut_data_field, 0);
    builder.node("Sum", {"x", "secret", "forged"}, {"y"}).output("y");
    QVERIFY(refused(builder).message.contains("\"forged\" has 0 bytes"));
  }

  void external_data_lies_beside_the_model() {
    const std::vector<float> numbers = random_floats(rows * columns, random_);
    written("weights.bin", "1234" + raw(numbers));
    ModelBuilder builder;
    onnx::TensorProto& tensor = external_model(builder);
    set_external(tensor, "weights.bin", "4", std::to_string(rows * columns * 4));
    Graph graph = opened(builder);
    auto bytes = graph::constant_bytes(value_of(graph, "w"));
    VERIFY_RESULT(bytes);
    QVERIFY(std::memcmp((*bytes)->data(), numbers.data(), (*bytes)->size()) == 0);
    std::filesystem::create_directory(path("sub"));
    std::filesystem::rename(path("weights.bin"), path("sub") / "w");
    set_external(tensor, "sub/w", "4");
    graph = opened(builder);
    QVERIFY(graph::constant_bytes(value_of(graph, "w")).has_value());
    // The file is changed after the model was opened.
    std::filesystem::resize_file(path("sub") / "w", 100);
    QVERIFY(graph::constant_bytes(value_of(graph, "w")).error().message.contains("only 100 bytes"));
    QVERIFY(refused(builder).message.contains("only 100 bytes"));
  }

  /** What was checked is what is read: the file of a name may change in between. */
  void files_that_change_after_they_were_checked_are_refused() {
    const std::vector<float> numbers = random_floats(rows * columns, random_);
    ModelBuilder builder;
    onnx::TensorProto& tensor = external_model(builder);
    set_external(tensor, "weights.bin");
    const auto problem = [](const Graph& graph) {
      const auto bytes = graph::constant_bytes(value_of(graph, "w"));
      return bytes ? std::string("it was read") : bytes.error().message;
    };
    written("weights.bin", raw(numbers));
    const Graph replaced = opened(builder);
    written("other", raw(numbers));
    std::filesystem::rename(path("other"), path("weights.bin"));
    QVERIFY2(problem(replaced).contains("replaced"), problem(replaced).c_str());
    const Graph linked = opened(builder);
    std::filesystem::rename(path("weights.bin"), path("other"));
    std::filesystem::create_symlink(path("other"), path("weights.bin"));
    QVERIFY2(problem(linked).contains("weights.bin"), problem(linked).c_str());
    QVERIFY(!problem(linked).contains("it was read"));
    // The model itself, exported again with equal lengths.
    tensor.clear_data_location();
    tensor.clear_external_data();
    tensor.set_raw_data(raw(numbers));
    const Graph exported = opened(builder);
    QCOMPARE(problem(exported), std::string("it was read"));
    std::filesystem::remove(model_);
    written("model.onnx", builder.bytes());
    QVERIFY2(problem(exported).contains("replaced"), problem(exported).c_str());
  }

  /** Hugging Face's cache has links from a folder of names to one of contents. */
  void links_of_a_cache_are_followed_within_one_folder() {
    std::filesystem::create_directory(path("blobs"));
    std::filesystem::create_directory(path("snapshot"));
    ModelBuilder builder;
    set_external(external_model(builder), "weights");
    written("blobs/0123", std::string(rows * columns * 4, 'b'));
    written("blobs/4567", builder.bytes());
    std::filesystem::create_symlink("../blobs/0123", path("snapshot") / "weights");
    std::filesystem::create_symlink("../blobs/4567", path("snapshot") / "model.onnx");
    const auto graph = network::open_graph(path("snapshot") / "model.onnx", {});
    VERIFY_RESULT(graph);
    QCOMPARE(graph::constant_bytes(value_of(*graph, "w")).value()->at(7), std::byte{'b'});
  }

  void external_data_elsewhere_is_refused_unless_asked() {
    const QTemporaryDir elsewhere;
    const std::filesystem::path outside = std::filesystem::path(elsewhere.path().toStdString()) / "w";
    std::ofstream(outside, std::ios::binary) << std::string(rows * columns * 4, 'o');
    ModelBuilder builder;
    onnx::TensorProto& tensor = external_model(builder);
    std::filesystem::create_symlink(outside, path("link"));
    std::filesystem::create_directory_symlink(outside.parent_path(), path("folder"));
    const std::string upwards = std::filesystem::relative(outside, path("")).string();
    for (const std::string& location :
         {outside.string(), std::string("link"), std::string("folder/w"), upwards}) {
      set_external(tensor, location);
      const Error error = refused(builder);
      QVERIFY2(error.code == ErrorCode::Refused, error.message.c_str());
      QVERIFY(error.message.contains("\"w\"") && error.message.contains("model's folder"));
      const auto allowed = network::open_graph(model_, {}, {}, ExternalData::Anywhere);
      VERIFY_RESULT(allowed);
      QCOMPARE(graph::constant_bytes(value_of(*allowed, "w")).value()->at(7), std::byte{'o'});
    }
  }

  void external_data_that_cannot_be_right_is_refused() {
    written("short", std::string(1000, 's'));
    ModelBuilder builder;
    onnx::TensorProto& tensor = external_model(builder);
    const auto problem = [&](const std::string& location, const std::string& offset,
                             const std::string& length) {
      set_external(tensor, location, offset, length);
      return refused(builder).message;
    };
    QVERIFY(problem("none", "", "").contains("cannot be opened"));
    QVERIFY(problem("short", "", "").contains("only 1000 bytes"));
    QVERIFY(problem("short", "9223372036854775807", "").contains("only 1000 bytes"));
    QVERIFY(problem("short", "", "12").contains("has 12 bytes"));
    QVERIFY(problem("short", "-1", "").contains("offset"));
    QVERIFY(problem("short", "1e3", "").contains("offset"));
    QVERIFY(problem("", "", "").contains("no name of a file"));
    QVERIFY(problem(std::string("short\0x", 7), "", "").contains("no name of a file"));
    std::filesystem::create_directory(path("folder"));
    QVERIFY(problem("folder", "", "").contains("not a file"));
  }

  void sizes_that_overflow_are_refused() {
    ModelBuilder builder;
    builder.input("x", {4}).numbers("shape", {1LL << 31, 1LL << 31});
    builder.node("ConstantOfShape", {"shape"}, {"w"}).node("Add", {"x", "w"}, {"y"}).output("w");
    QVERIFY(refused(builder).message.contains("more than"));
    ModelBuilder large;
    large.input("x", {1}).numbers("shape", {1LL << 31});
    large.node("ConstantOfShape", {"shape"}, {"w"}).node("Add", {"x", "w"}, {"y"}).output("y");
    QVERIFY(refused(large).message.contains("GiB of memory"));
    ModelBuilder wrong;
    wrong.input("x", {1LL << 40, 1LL << 40}).node("Relu", {"x"}, {"y"}).output("y");
    QVERIFY(refused(wrong).message.contains("more than"));
  }

  void errors_name_the_file_and_all_nodes() {
    ModelBuilder builder;
    builder.input("x", {std::string("n"), 4}).node("NonZero", {"x"}, {"a"}, {}, "first");
    builder.node("LSTM", {"x", "x", "x"}, {"b"}, {}, "second").output("a").output("b");
    QVERIFY(refused(builder).hint.contains("--dim n=1"));
    const auto read = network::open_graph(model_, {{"n", 2}});
    QVERIFY(!read);
    QVERIFY(read.error().message.starts_with(model_.string()));
    QVERIFY(read.error().message.contains("first") && read.error().message.contains("second"));
    QVERIFY(network::open_graph(path("none.onnx"), {}).error().code == ErrorCode::NotFound);
  }

 private:
  std::filesystem::path path(const std::string& name) const {
    return std::filesystem::path(folder_->path().toStdString()) / name;
  }
  std::filesystem::path written(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  Graph opened(const ModelBuilder& builder) {
    model_ = written("model.onnx", builder.bytes());
    Result<Graph> graph = network::open_graph(model_, {});
    if (!graph) qFatal("%s", describe(graph.error()).c_str());
    return std::move(*graph);
  }
  Error refused(const ModelBuilder& builder) {
    model_ = written("model.onnx", builder.bytes());
    const Result<Graph> graph = network::open_graph(model_, {});
    if (graph) qFatal("it was opened");
    return graph.error();
  }
  static onnx::TensorProto& external_model(ModelBuilder& builder) {
    builder.input("x", {1, rows}).node("MatMul", {"x", "w"}, {"y"}).output("y");
    return add_tensor(*builder.model().mutable_graph(), "w", onnx::TensorProto::FLOAT, {rows, columns});
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::filesystem::path model_;
  base::Random random_{0};
};

KERNELSCAPE_PLAIN_TEST(NetworkGraphTest)

}  // namespace kernelscape::network_graph_test
#include "network_graph_test.moc"
