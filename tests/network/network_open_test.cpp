#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <random>

#include "core/base/random.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/network/open_network.h"
#include "tests/onnx/model_builder.h"
#include "tests/test_program.h"

namespace kernelscape::network_open_test {
using kernelscape::testing::ModelBuilder;

namespace {

task::Catalogue catalogue() {
  Result<task::Catalogue> loaded = task::Catalogue::load_default();
  if (!loaded) qFatal("%s", describe(loaded.error()).c_str());
  return std::move(*loaded);
}

task::WholeNetwork opened(const std::string& name,
                          const std::vector<measure::ModelDimension>& dimensions = {}) {
  Result<task::WholeNetwork> network = network::open_network(name, dimensions, catalogue());
  if (!network) qFatal("%s", describe(network.error()).c_str());
  return std::move(*network);
}

Error refused(const std::string& name, const std::vector<measure::ModelDimension>& dimensions = {}) {
  const Result<task::WholeNetwork> network = network::open_network(name, dimensions, catalogue());
  if (network) qFatal("%s was opened", name.c_str());
  return network.error();
}

ModelBuilder two_equal_layers() {
  ModelBuilder builder;
  builder.input("x", {std::string("batch"), 8, 6, 6}).weight("w", {8, 8, 1, 1}).weight("v", {8, 8, 1, 1});
  builder.node("Conv", {"x", "w"}, {"y"}, {}, "first/<b>").node("Relu", {"y"}, {"r"});
  builder.node("Conv", {"r", "v"}, {"z"}, {}, "second").weight("u", {4, 2, 3, 3});
  builder.node("Conv", {"z", "u"}, {"o"}, {{"group", 4}}, "grouped");
  return builder;
}

}  // namespace

class NetworkOpenTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void a_model_becomes_a_network() {
    const std::string path = written("my model.onnx", two_equal_layers().bytes());
    const task::WholeNetwork network = opened(path, {{"batch", 2}});
    QCOMPARE(network.name, std::string("my model"));
    QCOMPARE(network.layers.size(), std::size_t{2});
    QCOMPARE(network.layers[0].task.text,
             std::string("conv2d 2x8x6x6 8x8x1x1 stride=1 pad=0 dilation=1 groups=1 f32"));
    QCOMPARE(network.layers[0].multiplicity, std::int64_t{2});
    QCOMPARE(network.layers[0].nodes, (std::vector<std::string>{"first/<b> (Conv)", "second (Conv)"}));
    QCOMPARE(network.others.size(), std::size_t{1});
    QCOMPARE(network.others[0].name, std::string("Relu"));
    QCOMPARE(network.flops(), 2 * network.layers[0].task.flops() + network.layers[1].task.flops());
    const std::vector<network::LayerShare> shares =
        network::layer_shares(network, *measure::describe_cpu_target(measure::CompilerNeed::Optional));
    QCOMPARE(shares[0].template_name, std::string("conv2d-packed"));
    QCOMPARE(shares[0].flops + shares[1].flops, network.flops());
    QVERIFY(std::abs(shares[0].share + shares[1].share - 1) < 1e-12);
  }

  /** Models of f16 and bf16 can be tuned on a CPU, layers of any kind. */
  void layers_of_halves_have_templates() {
    for (const int type : {onnx::TensorProto::FLOAT16, onnx::TensorProto::BFLOAT16}) {
      ModelBuilder builder;
      builder.input("x", {1, 8, 6, 6}, type).input("w", {8, 8, 3, 3}, type).input("d", {8, 1, 3, 3}, type);
      builder.input("a", {4, 8}, type).input("b", {8, 5}, type);
      builder.node("Conv", {"x", "w"}, {"y"}).node("Conv", {"x", "d"}, {"z"}, {{"group", 8}});
      builder.node("MatMul", {"a", "b"}, {"m"});
      const task::WholeNetwork network = opened(written("halves.onnx", builder.bytes()));
      const std::vector<network::LayerShare> shares =
          network::layer_shares(network, *measure::describe_cpu_target(measure::CompilerNeed::Optional));
      QCOMPARE(shares.size(), std::size_t{3});
      std::vector<std::string> names;
      for (const network::LayerShare& share : shares) {
        QVERIFY2(share.reason.empty(), share.reason.c_str());
        names.push_back(share.template_name);
      }
      const bool pairs = type == onnx::TensorProto::BFLOAT16;
      QCOMPARE(names, (std::vector<std::string>{pairs ? "conv2d-bf16" : "conv2d-packed", "depthwise-packed",
                                                pairs ? "matmul-bf16" : "matmul-packed"}));
    }
  }

  /** Shares are of all FLOPs that are known, and say so where some are not. */
  void shares_count_what_is_no_layer() {
    ModelBuilder builder;
    builder.input("x", {6, 2, 32}).weight("w", {1, 32, 32}).weight("r", {1, 32, 8}).weight("v", {32, 16});
    builder.node("MatMul", {"x", "v"}, {"m"}).node("LSTM", {"x", "w", "r"}, {"y"}, {{"hidden_size", 8}});
    const task::WholeNetwork network = opened(written("recurrent.onnx", builder.bytes()));
    QCOMPARE(network.hidden_flops(), 2.0 * 12 * (32 * 32 + 32 * 8));
    QVERIFY(network.all_flops_known());
    const std::vector<network::LayerShare> shares =
        network::layer_shares(network, *measure::describe_cpu_target(measure::CompilerNeed::Optional));
    QCOMPARE(shares.front().share, network.flops() / (network.flops() + network.hidden_flops()));
    QCOMPARE(opened(written("saved.json", task::whole_network_to_json(network))), network);
    builder.node("SparseAttention", {"x", "x", "x"}, {"a"}, {}, {}, "com.microsoft");
    QVERIFY(!opened(written("attention.onnx", builder.bytes())).all_flops_known());
  }

  void loops_multiply_their_layers() {
    ModelBuilder body;
    body.input("i", {}, onnx::TensorProto::INT64).input("go", {}, onnx::TensorProto::BOOL).input("h", {4, 8});
    body.node("Identity", {"go"}, {"repeats"}).node("MatMul", {"h", "w"}, {"next"});
    body.output("repeats").output("next");
    ModelBuilder builder;
    builder.input("x", {4, 8}).weight("w", {8, 8}).numbers("five", {5});
    builder.node_with_bodies("Loop", {"five", "", "x"}, {"y"}, {{"body", body}})
        .node("MatMul", {"y", "w"}, {"z"});
    const task::WholeNetwork network = opened(written("loop.onnx", builder.bytes()));
    QCOMPARE(network.layers.size(), std::size_t{1});
    QCOMPARE(network.layers.front().multiplicity, std::int64_t{6});
    QVERIFY(network.calls.empty());
  }

  void a_saved_network_reads_back_as_it_was() {
    const std::string model = written("model.onnx", two_equal_layers().bytes());
    const task::WholeNetwork network = opened(model, {{"batch", 2}});
    const std::string saved = written("saved.json", task::whole_network_to_json(network));
    QCOMPARE(opened(saved), network);
    // Whatever its name.
    QCOMPARE(opened(written("saved", task::whole_network_to_json(network))), network);
    QVERIFY(refused(saved, {{"batch", 2}}).message.contains("not an ONNX model"));
    const task::Catalogue bundled = catalogue();
    for (const task::Network& known : bundled.networks()) {
      const task::WholeNetwork whole = opened(known.name);
      const Result<task::WholeNetwork> back =
          task::whole_network_from_json(task::whole_network_to_json(whole));
      QVERIFY(back.has_value());
      QCOMPARE(*back, whole);
    }
  }

  void the_catalogue_is_found_by_any_spelling() {
    QCOMPARE(opened("resnet18").name, std::string("resnet-18"));
    QCOMPARE(opened("ResNet-18").flops(), opened("resnet-18").flops());
    const Error unknown = refused("resnet-81");
    QCOMPARE(unknown.code, ErrorCode::NotFound);
    QVERIFY(unknown.hint.contains("resnet-18"));
    QVERIFY(refused("resnet-18", {{"batch", 1}}).message.contains("dimensions"));
  }

  void what_is_wrong_with_a_file_is_reported() {
    const std::string missing = std::string(folder_->path().toStdString()) + "/none.onnx";
    QCOMPARE(refused(missing).code, ErrorCode::NotFound);
    const Error open = refused(written("open.onnx", two_equal_layers().bytes()));
    QVERIFY2(open.message.contains("open.onnx") && open.message.contains("\"batch\""), open.message.c_str());
    QVERIFY(open.hint.contains("--dim batch=1"));
    ModelBuilder without;
    without.input("x", {1, 4}).node("Relu", {"x"}, {"y"});
    QVERIFY(refused(written("without.onnx", without.bytes())).message.contains("no layer that can be tuned"));
    ModelBuilder unknown;
    unknown.input("x", {1, 4})
        .node("Odd", {"x"}, {"y"})
        .weight("w", {4, 4})
        .node("MatMul", {"y", "w"}, {"z"});
    const Error unknown_shape = refused(written("unknown.onnx", unknown.bytes()));
    QVERIFY2(unknown_shape.message.contains("the shape of its input 1, \"y\", is unknown"),
             unknown_shape.message.c_str());
    // What cannot be read is never counted as nothing.
    ModelBuilder recurrent;
    recurrent.input("x", {6, 2, 32}).weight("w", {1, 32, 32}).weight("r", {1, 32, 8});
    recurrent.node("LSTM", {"x", "w", "r"}, {"y"}, {{"hidden_size", 8}});
    const Error lstm = refused(written("recurrent.onnx", recurrent.bytes()));
    QVERIFY2(lstm.message.contains("LSTM: contains matrix multiplications"), lstm.message.c_str());
    QVERIFY(refused(written("broken.onnx", "no model")).message.contains("not an ONNX model"));
    QVERIFY(!refused(written("two.json", R"({"tasks": [], "networks": []})")).hint.empty());
  }

  /** The library that infers shapes is another's: what ends it ends a worker. */
  void a_model_that_kills_its_reader_is_an_error() {
    const std::string worker = written("worker", "#!/bin/sh\nkill -SEGV $$\n");
    QFile::setPermissions(QString::fromStdString(worker), QFile::ReadOwner | QFile::ExeOwner);
    const QByteArray before = qgetenv("KERNELSCAPE_WORKER");
    qputenv("KERNELSCAPE_WORKER", QByteArray::fromStdString(worker));
    const Result<task::WholeNetwork> network = network::open_network(
        written("deadly.onnx", two_equal_layers().bytes()), {{"batch", 1}}, catalogue());
    if (before.isNull())
      qunsetenv("KERNELSCAPE_WORKER");
    else
      qputenv("KERNELSCAPE_WORKER", before);
    QVERIFY(!network);
    QVERIFY2(network.error().message.contains("killed by SIGSEGV"), network.error().message.c_str());
    QVERIFY(!network.error().hint.empty());
  }

  /** The library crashes at some of them: that is an error here, and nothing else. */
  void broken_models_are_errors_or_networks() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    const std::string whole = two_equal_layers().bytes();
    int read = 0;
    for (int i = 0; i < 100; ++i) {
      std::string bytes = whole;
      for (std::uint64_t change = 0; change <= random.below(3); ++change)
        bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
      const Result<task::WholeNetwork> network =
          network::open_network(written("broken.onnx", bytes), {{"batch", 1}}, catalogue());
      if (network) ++read;
      if (!network) QVERIFY(network.error().message.contains("broken.onnx") && !network.error().hint.empty());
    }
    QVERIFY(read > 5);
  }

  void dimensions_are_written_in_one_way() {
    QCOMPARE(network::parse_dimension("batch=4")->name, std::string("batch"));
    QCOMPARE(network::parse_dimension("data[0]=4")->value, std::int64_t{4});
    QCOMPARE(network::parse_dimension("a=b=4")->name, std::string("a=b"));
    for (const char* text : {"", "batch", "batch=", "=4", "batch=0", "batch=-1", "batch=x", "batch=4x",
                             "batch=99999999999999999999"})
      QVERIFY2(!network::parse_dimension(text), text);
  }

 private:
  std::string written(const std::string& name, const std::string& bytes) {
    const std::filesystem::path path = std::filesystem::path(folder_->path().toStdString()) / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }

  std::unique_ptr<QTemporaryDir> folder_;
};

KERNELSCAPE_PLAIN_TEST(NetworkOpenTest)

}  // namespace kernelscape::network_open_test
#include "network_open_test.moc"
