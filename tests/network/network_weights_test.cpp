#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "core/base/random.h"
#include "core/network/model_without_weights.h"
#include "core/onnx_reader/model.h"
#include "tests/onnx/model_builder.h"
#include "tests/test_program.h"

namespace kernelscape::network_weights_test {
using kernelscape::testing::ModelBuilder;

namespace {

Result<std::string> cut(const std::string& bytes, std::uint64_t* bytes_read = nullptr) {
  Result<network::CutModel> model = network::cut_weights(
      [&](std::uint64_t offset, char* target, std::size_t count) {
        if (offset > bytes.size() || count > bytes.size() - offset) return false;
        std::memcpy(target, bytes.data() + offset, count);
        if (bytes_read != nullptr) *bytes_read += count;
        return true;
      },
      bytes.size());
  if (!model) return std::unexpected(model.error());
  return std::move(model->bytes);
}

ModelBuilder small_network() {
  ModelBuilder builder;
  builder.input("x", {1, 3, 64, 64})
      .weight("w", {64, 3, 7, 7})
      .weight("v", {4096, 100})
      .numbers("shape", {1, -1});
  builder.node("Conv", {"x", "w"}, {"y"})
      .node(
          "MaxPool", {"y"}, {"p"},
          {{"kernel_shape", std::vector<std::int64_t>{7, 7}}, {"strides", std::vector<std::int64_t>{7, 7}}});
  builder.node("Reshape", {"p", "shape"}, {"f"}).node("MatMul", {"f", "v"}, {"o"});
  return builder;
}

}  // namespace

class NetworkWeightsTest : public QObject {
  Q_OBJECT

 private slots:
  void what_is_left_reads_as_the_whole() {
    const std::string whole = small_network().bytes();
    std::uint64_t bytes_read = 0;
    const Result<std::string> left = cut(whole, &bytes_read);
    QVERIFY(left.has_value());
    QVERIFY2(left->size() < 2000, std::to_string(left->size()).c_str());
    QVERIFY(whole.size() > 1'600'000);
    QVERIFY2(bytes_read < 600'000, std::to_string(bytes_read).c_str());
    const Result<measure::ModelReply> of_whole = onnx_reader::read_onnx_model({whole, {}});
    const Result<measure::ModelReply> of_left = onnx_reader::read_onnx_model({*left, {}});
    QVERIFY(of_whole && of_left);
    QCOMPARE(of_left->layers.size(), of_whole->layers.size());
    for (std::size_t i = 0; i < of_whole->layers.size(); ++i)
      QCOMPARE(of_left->layers[i].task, of_whole->layers[i].task);
  }

  void constants_in_attributes_and_documentation_go_too() {
    ModelBuilder builder = small_network();
    onnx::NodeProto& node = *builder.model().mutable_graph()->add_node();
    node.set_op_type("Constant");
    node.add_output("c");
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name("value");
    attribute.set_type(onnx::AttributeProto::TENSOR);
    attribute.mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
    attribute.mutable_t()->add_dims(100'000);
    attribute.mutable_t()->set_raw_data(std::string(400'000, 'r'));
    builder.model().set_doc_string(std::string(100'000, 'd'));
    builder.model().mutable_graph()->set_doc_string(std::string(100'000, 'd'));
    const Result<std::string> left = cut(builder.bytes());
    QVERIFY(left.has_value());
    QVERIFY(left->size() < 2000);
    onnx::ModelProto model;
    QVERIFY(model.ParseFromString(*left));
    QCOMPARE(model.graph().node().rbegin()->attribute(0).t().dims(0), std::int64_t{100'000});
  }

  void what_is_no_model_is_refused_in_words() {
    for (const std::string& bytes :
         {std::string("\x89PNG\r\n\x1a\n and more"), std::string(1000, '\xff'), std::string("{\"name\": 1}"),
          std::string(), std::string("\x08\x07", 2)}) {
      const Result<std::string> left = cut(bytes);
      QVERIFY(!left.has_value());
      QVERIFY2(left.error().message.starts_with("it is not an ONNX model"), left.error().message.c_str());
      QVERIFY(!left.error().hint.empty());
    }
  }

  void what_stands_in_the_place_of_a_model_is_named() {
    const auto message = [](const std::string& bytes) { return describe(cut(bytes).error()); };
    QVERIFY(message("").contains("an empty file"));
    QVERIFY(message("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n")
                .contains("git lfs pull"));
    QVERIFY(message("\n<!DOCTYPE html>\n<html>").contains("a web page"));
    QVERIFY(message("PK\x03\x04 and more").contains("a ZIP archive"));
    QVERIFY(message("\x1f\x8b\x08").contains("packed with gzip"));
  }

  void a_part_of_a_model_is_refused() {
    const std::string whole = small_network().bytes();
    for (const double share : {0.1, 0.5, 0.9, 0.999}) {
      const Result<std::string> left =
          cut(whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size()))));
      QVERIFY(!left.has_value());
      QVERIFY2(left.error().message.contains("remain"), left.error().message.c_str());
    }
  }

  void graphs_in_graphs_end() {
    std::string graph;
    for (int depth = 0; depth < 200; ++depth) {
      onnx::GraphProto outer;
      onnx::AttributeProto& attribute = *outer.add_node()->add_attribute();
      attribute.set_name("body");
      if (graph.empty()) {
        graph = outer.SerializeAsString();
        continue;
      }
      // Parsing it would end at protobuf's own limit.
      std::string inner = "\x32";
      std::size_t length = graph.size();
      for (; length >= 0x80; length >>= 7) inner += static_cast<char>((length & 0x7f) | 0x80);
      inner += static_cast<char>(length);
      inner += graph;
      const auto wrap = [](char tag, const std::string& text) {
        std::string wrapped(1, tag);
        std::size_t size = text.size();
        for (; size >= 0x80; size >>= 7) wrapped += static_cast<char>((size & 0x7f) | 0x80);
        wrapped += static_cast<char>(size);
        return wrapped + text;
      };
      graph = wrap('\x0a', wrap('\x2a', inner));
    }
    std::string model = "\x3a";
    std::size_t size = graph.size();
    for (; size >= 0x80; size >>= 7) model += static_cast<char>((size & 0x7f) | 0x80);
    model += static_cast<char>(size);
    const Result<std::string> left = cut(model + graph);
    QVERIFY(!left.has_value());
    QVERIFY2(left.error().message.contains("graphs are nested"), left.error().message.c_str());
  }

  /** Any bytes give an error or bytes that are no longer. */
  void random_bytes_are_values() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    ModelBuilder builder;
    builder.input("x", {1, 3, 8, 8}).weight("w", {4, 3, 3, 3}).node("Conv", {"x", "w"}, {"y"});
    const std::string whole = builder.bytes();
    int accepted = 0;
    for (int i = 0; i < 20'000; ++i) {
      std::string bytes = whole;
      for (std::uint64_t change = 0; change <= random.below(4); ++change)
        bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
      const Result<std::string> left = cut(bytes);
      if (!left) continue;
      ++accepted;
      QVERIFY(left->size() <= bytes.size());
    }
    QVERIFY(accepted > 1000);
  }

  void files_are_read_and_named() {
    const QTemporaryDir folder;
    const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "model.onnx";
    std::ofstream(path, std::ios::binary) << small_network().bytes();
    QVERIFY(network::read_model_without_weights(path).has_value());
    const Result<network::CutModel> missing =
        network::read_model_without_weights(path.parent_path() / "none.onnx");
    QVERIFY(!missing);
    QCOMPARE(missing.error().code, ErrorCode::NotFound);
    QVERIFY(missing.error().message.contains("none.onnx"));
    QVERIFY(!network::read_model_without_weights(path.parent_path()));
    std::ofstream(path, std::ios::binary) << "text";
    QVERIFY(network::read_model_without_weights(path).error().message.starts_with(path.string()));
  }
};

KERNELSCAPE_PLAIN_TEST(NetworkWeightsTest)

}  // namespace kernelscape::network_weights_test
#include "network_weights_test.moc"
