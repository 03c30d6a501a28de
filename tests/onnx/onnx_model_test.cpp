#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <set>

#include "core/base/random.h"
#include "core/onnx_reader/model.h"
#include "core/task/task.h"
#include "tests/onnx/model_builder.h"
#include "tests/onnx/model_reading.h"
#include "tests/onnx/without_inference.h"
#include "tests/test_program.h"

namespace kernelscape::onnx_model_test {
using kernelscape::testing::Attributes;
using kernelscape::testing::error_of;
using kernelscape::testing::find_operator;
using kernelscape::testing::ModelBuilder;
using kernelscape::testing::read;
using kernelscape::testing::tasks_of;
using kernelscape::testing::verify_said;

namespace {

using Numbers = std::vector<std::int64_t>;

/** A convolution of one input and its weights. */
ModelBuilder convolution(const std::vector<kernelscape::testing::Dimension>& data, const Numbers& weight,
                         const Attributes& attributes, const std::string& op = "Conv",
                         std::int64_t operator_set = 13) {
  ModelBuilder builder(operator_set);
  builder.input("x", data).weight("w", weight).node(op, {"x", "w"}, {"y"}, attributes, "layer").output("y");
  return builder;
}

std::filesystem::path shared_model(const std::string& name) {
  return std::filesystem::path(KERNELSCAPE_SOURCE_DIR) / "../shared/data/onnx" / name;
}

std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

class OnnxModelTest : public QObject {
  Q_OBJECT

 private slots:
  void convolutions_are_read_data() {
    QTest::addColumn<QString>("task");
    const auto row = [this](const char* name, ModelBuilder builder, const char* task) {
      models_.insert_or_assign(name, builder.bytes());
      QTest::newRow(name) << task;
    };
    row("plain", convolution({1, 3, 32, 32}, {8, 3, 3, 3}, {}),
        "conv2d 1x3x32x32 8x3x3x3 stride=1 pad=0 dilation=1 groups=1 f32");
    row("attributes",
        convolution({2, 8, 32, 20}, {8, 2, 3, 5},
                    {{"strides", Numbers{2, 1}},
                     {"pads", Numbers{1, 2, 1, 2}},
                     {"dilations", Numbers{1, 2}},
                     {"group", 4},
                     {"kernel_shape", Numbers{3, 5}}}),
        "conv2d 2x8x32x20 8x2x3x5 stride=2x1 pad=1x2 dilation=1x2 groups=4 f32");
    row("asymmetric",
        convolution({1, 3, 32, 32}, {8, 3, 3, 3},
                    {{"strides", Numbers{2, 2}}, {"pads", Numbers{0, 1, 1, 1}}}),
        "conv2d 1x3x32x32 8x3x3x3 stride=2 pad=0:1x1 dilation=1 groups=1 f32");
    row("same upper",
        convolution({1, 3, 32, 32}, {8, 3, 3, 3},
                    {{"strides", Numbers{2, 2}}, {"auto_pad", std::string("SAME_UPPER")}}),
        "conv2d 1x3x32x32 8x3x3x3 stride=2 pad=0:1 dilation=1 groups=1 f32");
    row("same lower",
        convolution({1, 3, 32, 32}, {8, 3, 3, 3},
                    {{"strides", Numbers{2, 2}}, {"auto_pad", std::string("SAME_LOWER")}}),
        "conv2d 1x3x32x32 8x3x3x3 stride=2 pad=1:0 dilation=1 groups=1 f32");
    row("valid", convolution({1, 3, 32, 32}, {8, 3, 3, 3}, {{"auto_pad", std::string("VALID")}}),
        "conv2d 1x3x32x32 8x3x3x3 stride=1 pad=0 dilation=1 groups=1 f32");
    row("depthwise",
        convolution({1, 32, 14, 14}, {32, 1, 3, 3}, {{"group", 32}, {"pads", Numbers{1, 1, 1, 1}}}),
        "conv2d 1x32x14x14 32x1x3x3 stride=1 pad=1 dilation=1 groups=32 f32");
    row("one dimension", convolution({1, 4, 50}, {6, 4, 5}, {{"pads", Numbers{4, 0}}}),
        "conv1d 1x4x50 6x4x5 stride=1 pad=4:0 dilation=1 groups=1 f32");
    row("three dimensions",
        convolution({1, 2, 5, 6, 7}, {4, 2, 1, 3, 3}, {{"pads", Numbers{0, 1, 1, 0, 1, 1}}}),
        "conv3d 1x2x5x6x7 4x2x1x3x3 stride=1 pad=0x1x1 dilation=1 groups=1 f32");
    row("transposed",
        convolution({1, 8, 14, 14}, {8, 4, 4, 4}, {{"strides", Numbers{2, 2}}, {"pads", Numbers{1, 1, 1, 1}}},
                    "ConvTranspose"),
        "conv2d 1x8x14x14 8x4x4x4 stride=2 pad=1 dilation=1 groups=1 transposed f32");
    row("negative", convolution({1, 8, 16, 16}, {16, 8, 3, 3}, {{"pads", Numbers{-1, -1, -1, -1}}}),
        "conv2d 1x8x14x14 16x8x3x3 stride=1 pad=0 dilation=1 groups=1 f32");
    row("negative at one end", convolution({1, 8, 16, 16}, {16, 8, 3, 3}, {{"pads", Numbers{-2, 1, 1, 0}}}),
        "conv2d 1x8x14x16 16x8x3x3 stride=1 pad=0:1x1:0 dilation=1 groups=1 f32");
    row("negative, one dimension", convolution({1, 4, 50}, {6, 4, 5}, {{"pads", Numbers{0, -7}}}),
        "conv1d 1x4x43 6x4x5 stride=1 pad=0 dilation=1 groups=1 f32");
    row("negative, three dimensions",
        convolution({1, 2, 5, 6, 7}, {4, 2, 1, 3, 3}, {{"pads", Numbers{-1, 1, 1, -2, 1, 1}}}),
        "conv3d 1x2x2x6x7 4x2x1x3x3 stride=1 pad=0x1x1 dilation=1 groups=1 f32");
    row("negative, transposed",
        convolution({1, 8, 14, 14}, {8, 4, 4, 4},
                    {{"strides", Numbers{2, 2}}, {"pads", Numbers{-3, 1, -2, 1}}}, "ConvTranspose"),
        "conv2d 1x8x14x14 8x4x4x4 stride=2 pad=0x1 dilation=1 groups=1 transposed f32");
    row("output padding",
        convolution(
            {1, 8, 14, 14}, {8, 4, 3, 3},
            {{"strides", Numbers{2, 2}}, {"pads", Numbers{1, 1, 1, 1}}, {"output_padding", Numbers{1, 1}}},
            "ConvTranspose"),
        "conv2d 1x8x14x14 8x4x3x3 stride=2 pad=1:0 dilation=1 groups=1 transposed f32");
    row("output shape",
        convolution({1, 8, 14, 14}, {8, 4, 3, 3},
                    {{"strides", Numbers{2, 2}},
                     {"output_shape", Numbers{28, 28}},
                     {"auto_pad", std::string("SAME_UPPER")}},
                    "ConvTranspose"),
        "conv2d 1x8x14x14 8x4x3x3 stride=2 pad=0:1 dilation=1 groups=1 transposed f32");
  }
  void convolutions_are_read() {
    QFETCH(const QString, task);
    const measure::ModelReply reply = read({models_.at(QTest::currentDataTag()), {}});
    QCOMPARE(reply.layers.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(reply.layers.front().task), task);
    QCOMPARE(reply.layers.front().node,
             std::string(task.contains("transposed") ? "layer (ConvTranspose)" : "layer (Conv)"));
  }

  /** Shapes by ONNX's inference and by our operators have to be the same. */
  void random_convolutions_have_the_shape_that_is_inferred() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    const auto draw = [&](std::int64_t least, std::int64_t most) {
      return least + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - least + 1)));
    };
    int layers = 0;
    for (int i = 0; i < 400; ++i) {
      const bool transposed = random.chance(0.4);
      const std::int64_t groups = draw(1, 3);
      const std::int64_t rank = draw(1, 3);
      std::vector<kernelscape::testing::Dimension> data{draw(1, 2), groups * draw(1, 3)};
      const std::int64_t channels = std::get<std::int64_t>(data[1]);
      Numbers weight =
          transposed ? Numbers{channels, draw(1, 3)} : Numbers{groups * draw(1, 3), channels / groups};
      Numbers strides, dilations, pads(static_cast<std::size_t>(2 * rank)), output_padding;
      for (std::int64_t d = 0; d < rank; ++d) {
        data.emplace_back(draw(4, 12));
        weight.push_back(draw(1, 4));
        strides.push_back(draw(1, 3));
        dilations.push_back(draw(1, 2));
        output_padding.push_back(draw(0, std::max(strides.back(), dilations.back()) - 1));
        for (const std::int64_t at : {d, rank + d})
          pads[static_cast<std::size_t>(at)] = draw(-2, weight.back() - 1);
      }
      Attributes attributes{{"strides", strides}, {"dilations", dilations}, {"group", groups}};
      const std::array<std::string, 4> automatic{"", "SAME_UPPER", "SAME_LOWER", "VALID"};
      const std::string& padding = automatic.at(random.below(4));
      if (padding.empty()) attributes.emplace_back("pads", pads);
      if (!padding.empty()) attributes.emplace_back("auto_pad", padding);
      if (transposed && padding.empty()) attributes.emplace_back("output_padding", output_padding);
      const measure::ModelReply reply =
          read(convolution(data, weight, attributes, transposed ? "ConvTranspose" : "Conv").request());
      // What was inferred is compared with the task's output where a layer is made.
      for (const measure::ModelOperator& other : reply.operators) {
        const bool expected = other.reason.contains("padded input") ||
                              other.reason.contains("leaves no output") ||
                              other.reason.contains("remove the whole input") ||
                              other.reason.contains("pad") || other.reason.contains("is unknown");
        QVERIFY2(expected && !other.reason.contains("according to its attributes"), other.reason.c_str());
      }
      layers += static_cast<int>(reply.layers.size());
      if (transposed || !padding.empty() || reply.layers.empty()) continue;
      // By arithmetic alone: what is left of the input under negative pads, with the others around it.
      double expected = 2;
      for (const std::int64_t extent : {std::get<std::int64_t>(data[0]), weight[0], weight[1]})
        expected *= static_cast<double>(extent);
      for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
        const std::int64_t padded =
            std::get<std::int64_t>(data[d + 2]) + pads[d] + pads[d + static_cast<std::size_t>(rank)];
        const std::int64_t outputs = (padded - dilations[d] * (weight[d + 2] - 1) - 1) / strides[d] + 1;
        expected *= static_cast<double>(outputs * weight[d + 2]);
      }
      QCOMPARE(task::parse_task(reply.layers.front().task)->flops(), expected);
    }
    QVERIFY2(layers > 250, std::to_string(layers).c_str());
  }

  void multiplications_are_read() {
    ModelBuilder builder;
    builder.input("x", {5, 64}).weight("w", {10, 64}).weight("b", {10});
    builder.node("Gemm", {"x", "w", "b"}, {"gemm"}, {{"transB", 1}});
    builder.input("t", {64, 5}).node("Gemm", {"t", "w"}, {"both"}, {{"transA", 1}, {"transB", 1}});
    builder.input("s", {2, 12, 64}).weight("v", {64, 128}).node("MatMul", {"s", "v"}, {"flat"});
    builder.input("q", {2, 12, 7, 64}).input("k", {2, 12, 64, 9}).node("MatMul", {"q", "k"}, {"scores"});
    builder.input("vector", {64}).node("MatMul", {"s", "vector"}, {"products"});
    builder.node("MatMul", {"vector", "v"}, {"row"});
    builder.input("c", {1, 12, 64, 9}).node("MatMul", {"q", "c"}, {"repeated"});
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(tasks_of(reply),
             (std::vector<std::string>{
                 "matmul 5x64 10x64 transpose_b f32", "matmul 64x5 10x64 transpose_a transpose_b f32",
                 "matmul 24x64 64x128 f32", "bmm 24x7x64 24x64x9 f32", "matmul 24x64 64x1 f32",
                 "matmul 1x64 64x128 f32", "bmm 24x7x64 24x64x9 f32"}));
    verify_said(reply.notices.front(), "1 layer multiplies several matrices");
    const measure::ModelReply wrong = read(ModelBuilder()
                                               .input("a", {2, 5, 7})
                                               .input("b", {3, 7, 4})
                                               .node("MatMul", {"a", "b"}, {"y"})
                                               .request());
    verify_said(find_operator(wrong, "MatMul")->reason, "batches of 2 and 3 are multiplied");
  }

  /** Batches of random shapes, against the rule of broadcasting alone. */
  void batches_are_repeated() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int round = 0; round < 200; ++round) {
      std::vector<kernelscape::testing::Dimension> a, b;
      double batch = 1;
      const std::uint64_t rank = random.below(4);
      const std::uint64_t rank_of_a = random.below(rank + 1);
      for (std::uint64_t d = 0; d < rank; ++d) {
        const auto extent = static_cast<std::int64_t>(1 + random.below(4));
        const std::uint64_t repeated = random.below(3);
        batch *= static_cast<double>(extent);
        if (d >= rank - rank_of_a) a.emplace_back(repeated == 1 ? std::int64_t{1} : extent);
        const bool first_has_it = d >= rank - rank_of_a && repeated != 1;
        b.emplace_back(first_has_it && repeated == 2 ? std::int64_t{1} : extent);
      }
      for (const std::int64_t extent : {5, 7}) a.emplace_back(extent);
      for (const std::int64_t extent : {7, 3}) b.emplace_back(extent);
      const measure::ModelReply reply =
          read(ModelBuilder().input("a", a).input("b", b).node("MatMul", {"a", "b"}, {"y"}).request());
      QCOMPARE(reply.layers.size(), std::size_t{1});
      QCOMPARE(task::parse_task(reply.layers.front().task)->flops(), 2 * batch * 5 * 7 * 3);
    }
  }

  void types_are_kept_or_named() {
    for (const auto& [type, name] : std::map<int, std::string>{{onnx::TensorProto::FLOAT16, "f16"},
                                                               {onnx::TensorProto::BFLOAT16, "bf16"},
                                                               {onnx::TensorProto::DOUBLE, "f64"}}) {
      ModelBuilder builder;
      builder.input("x", {4, 8}, type).input("w", {8, 2}, type).node("MatMul", {"x", "w"}, {"y"});
      QCOMPARE(tasks_of(read(builder.request())), std::vector<std::string>{"matmul 4x8 8x2 " + name});
    }
    ModelBuilder whole;
    whole.input("x", {4, 8}, onnx::TensorProto::INT32).input("w", {8, 2}, onnx::TensorProto::INT32);
    whole.node("MatMul", {"x", "w"}, {"y"});
    verify_said(find_operator(read(whole.request()), "MatMul")->reason, "INT32");
  }

  void layers_of_bytes_are_read_data() {
    QTest::addColumn<int>("data");
    QTest::addColumn<int>("weight");
    QTest::addColumn<bool>("is_layer");
    using onnx::TensorProto;
    QTest::newRow("u8 x i8") << int{TensorProto::UINT8} << int{TensorProto::INT8} << true;
    QTest::newRow("u8 x u8") << int{TensorProto::UINT8} << int{TensorProto::UINT8} << false;
    QTest::newRow("i8 x i8") << int{TensorProto::INT8} << int{TensorProto::INT8} << false;
    QTest::newRow("i8 x u8") << int{TensorProto::INT8} << int{TensorProto::UINT8} << false;
  }
  void layers_of_bytes_are_read() {
    QFETCH(const int, data);
    QFETCH(const int, weight);
    QFETCH(const bool, is_layer);
    ModelBuilder builder;
    builder.input("x", {1, 8, 9, 9}, data).input("a", {3, 5, 16}, data);
    builder.weight("w", {12, 8, 3, 3}, weight).weight("b", {16, 7}, weight);
    for (const char* scale : {"xs", "ws", "ys"}) builder.weight(scale, {}, onnx::TensorProto::FLOAT);
    builder.weight("xz", {}, data).weight("wz", {}, weight).weight("yz", {}, data);
    const Attributes attributes{{"pads", std::vector<std::int64_t>{1, 1, 1, 1}},
                                {"strides", std::vector<std::int64_t>{2, 2}}};
    builder.node("QLinearConv", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz"}, {"y"}, attributes);
    builder.node("QLinearMatMul", {"a", "xs", "xz", "b", "ws", "wz", "ys", "yz"}, {"z"});
    builder.node("ConvInteger", {"x", "w"}, {"s"}, attributes).node("MatMulInteger", {"a", "b"}, {"t"});
    const measure::ModelReply reply = read(builder.request());
    if (!is_layer) {
      QVERIFY(reply.layers.empty() && reply.notices.empty());
      for (const char* op : {"QLinearConv", "QLinearMatMul", "ConvInteger", "MatMulInteger"})
        verify_said(find_operator(reply, op)->reason, "int8 tasks have UINT8 data and INT8 weights");
      return;
    }
    QCOMPARE(reply.layers.size(), std::size_t{4});
    for (const std::size_t place : {0U, 2U})
      QCOMPARE(reply.layers[place].task,
               std::string("conv2d 1x8x9x9 12x8x3x3 stride=2 pad=1 dilation=1 groups=1 i8"));
    for (const std::size_t place : {1U, 3U})
      QCOMPARE(reply.layers[place].task, std::string("matmul 15x16 16x7 i8"));
    for (const measure::ModelLayer& layer : reply.layers)
      QVERIFY(!layer.first.constant && layer.second.constant);
    QCOMPARE(reply.notices.size(), std::size_t{1});
    verify_said(reply.notices.front(), "4 layers are int8");
  }

  void others_are_counted_with_their_bytes() {
    ModelBuilder builder = convolution({1, 3, 8, 8}, {4, 3, 1, 1}, {});
    builder.node("Relu", {"y"}, {"r1"}).node("Relu", {"r1"}, {"r2"}).numbers("shape", {1, -1});
    builder.node("Reshape", {"r2", "shape"}, {"flat"}).node("Odd", {"flat"}, {"g"}, {}, {}, "com.example");
    const measure::ModelReply reply = read(builder.request());
    const measure::ModelOperator* relu = find_operator(reply, "Relu");
    QVERIFY(relu != nullptr);
    QCOMPARE(relu->count, std::int64_t{2});
    QCOMPARE(relu->bytes, std::int64_t{2 * 2 * 4 * 64 * 4});
    QCOMPARE(find_operator(reply, "Reshape")->bytes, std::int64_t{0});
    const measure::ModelOperator* foreign = find_operator(reply, "com.example.Odd");
    QVERIFY(foreign != nullptr);
    QCOMPARE(foreign->unknown, std::int64_t{1});
    verify_said(reply.notices.front(), "com.example.Odd");
  }

  /** Weights that are computed from constants cost nothing while the network runs. */
  void what_constants_give_is_computed_once() {
    ModelBuilder builder;
    builder.input("x", {1, 3, 8, 8}).numbers("shape", {4, 3, 3, 3}).node("ConstantOfShape", {"shape"}, {"w"});
    builder.node("Conv", {"x", "w"}, {"y"})
        .weight("a", {4, 5})
        .weight("b", {5, 6})
        .node("MatMul", {"a", "b"}, {"c"});
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(tasks_of(reply),
             std::vector<std::string>{"conv2d 1x3x8x8 4x3x3x3 stride=1 pad=0 dilation=1 groups=1 f32"});
    QVERIFY(find_operator(reply, "ConstantOfShape")->once);
    QVERIFY(find_operator(reply, "MatMul")->once);
  }

  void open_dimensions_are_asked_for_and_given() {
    ModelBuilder builder = convolution({std::string("batch"), 3, -1, 32}, {8, 3, 3, 3}, {});
    const Error error = error_of(builder.request());
    QCOMPARE(error.code, ErrorCode::InvalidArgument);
    verify_said(error.message, "\"batch\" of input \"x\"");
    verify_said(error.message, "\"x[2]\" of input \"x\"");
    verify_said(error.hint, "--dim batch=1");
    QCOMPARE(tasks_of(read(builder.request({{"batch", 4}, {"x[2]", 16}}))),
             std::vector<std::string>{"conv2d 4x3x16x32 8x3x3x3 stride=1 pad=0 dilation=1 groups=1 f32"});
    // A length that the model has is replaced as well.
    QCOMPARE(tasks_of(read(builder.request({{"x[0]", 2}, {"x[2]", 16}, {"x[3]", 8}}))),
             std::vector<std::string>{"conv2d 2x3x16x8 8x3x3x3 stride=1 pad=0 dilation=1 groups=1 f32"});
    const Error unknown = error_of(builder.request({{"bacth", 4}, {"x[2]", 16}}));
    QCOMPARE(unknown.code, ErrorCode::NotFound);
    verify_said(unknown.hint, "batch");
  }

  /** Also of an input that has a place for it: an empty input is no open one. */
  void an_input_of_length_0_is_an_error_that_says_so() {
    ModelBuilder builder = convolution({0, 8, 16, 16}, {16, 8, 3, 3}, {});
    const Error error = error_of(builder.request());
    QCOMPARE(error.code, ErrorCode::InvalidArgument);
    verify_said(error.message, "\"x\" has a dimension of length 0, \"x[0]\"");
    verify_said(error.hint, "--dim \"x[0]=1\"");
    QCOMPARE(read(builder.request({{"x[0]", 2}})).layers.size(), std::size_t{1});
    // What becomes empty inside is no layer, and says so.
    ModelBuilder inside(13);
    inside.input("x", {4, 8}).numbers("from", {8}).numbers("to", {8}).numbers("axis", {1});
    inside.node("Slice", {"x", "from", "to", "axis"}, {"none"}).weight("w", {0, 5});
    inside.node("MatMul", {"none", "w"}, {"y"}, {}, "empty");
    verify_said(find_operator(read(inside.request()), "MatMul")->reason, "is 4x0: it has no elements");
  }

  void shapes_follow_computed_shapes() {
    // As PyTorch exports x.view(x.size(0), -1).
    ModelBuilder builder;
    builder.input("x", {std::string("n"), 16, 4, 4}).numbers("zero", {0}).numbers("rest", {-1});
    builder.node("Shape", {"x"}, {"s"}).node("Gather", {"s", "zero"}, {"n"});
    builder.node("Concat", {"n", "rest"}, {"view"}, {{"axis", 0}}).node("Reshape", {"x", "view"}, {"flat"});
    builder.weight("w", {10, 256}).node("Gemm", {"flat", "w"}, {"y"}, {{"transB", 1}});
    QCOMPARE(tasks_of(read(builder.request({{"n", 3}}))),
             std::vector<std::string>{"matmul 3x256 10x256 transpose_b f32"});
  }

  void unknown_shapes_name_the_node_and_the_input() {
    ModelBuilder builder = convolution({1, 3, 8, 8}, {4, 3, 1, 1}, {});
    builder.node("Secret", {"y"}, {"z"}, {}, "mystery", "my.domain").node("Relu", {"z"}, {"r"});
    builder.weight("w2", {4, 4, 1, 1}).node("Conv", {"r", "w2"}, {"out"}, {}, "second");
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(reply.layers.size(), std::size_t{1});
    const measure::ModelOperator* second = find_operator(reply, "Conv");
    QVERIFY(second != nullptr);
    verify_said(second->reason, "second (Conv): the shape of its input 1, \"r\", is unknown");
    verify_said(second->reason, "mystery (my.domain.Secret) gives no shape");
    // What the model itself says of the result is believed then.
    builder.declare("z", {1, 4, 8, 8});
    QCOMPARE(read(builder.request()).layers.size(), std::size_t{2});
  }

  void a_shape_that_no_layer_can_have_is_reported() {
    const measure::ModelReply reply = read(convolution({1, 3, 8, 8}, {4, 5, 3, 3}, {}).request());
    QVERIFY(reply.layers.empty());
    verify_said(reply.operators.front().reason, "its weights are for 5 channels");
    const measure::ModelReply large = read(convolution({1, 3, 2, 2}, {4, 3, 3, 3}, {}).request());
    QVERIFY(large.layers.empty());
    const measure::ModelReply two = read(convolution({1, 3}, {4, 3}, {}).request());
    verify_said(two.operators.front().reason, "2 dimensions");
    const measure::ModelReply pads =
        read(convolution({1, 3, 8, 8}, {4, 3, 3, 3}, {{"pads", Numbers{1, 1}}}).request());
    verify_said(pads.operators.front().reason, "pads has 2 numbers, not 4");
  }

  void newer_operator_sets_are_read_with_a_notice() {
    ModelBuilder builder(21);
    builder.input("x", {2, 8, 4, 4}).weight("w", {8, 8, 1, 1}).node("Conv", {"x", "w"}, {"y"});
    builder.node("Gelu", {"y"}, {"g"}).numbers("axes", {2, 3});
    builder.node("ReduceMean", {"g", "axes"}, {"m"}, {{"keepdims", 0}});
    builder.weight("v", {8, 5}).node("MatMul", {"m", "v"}, {"z"});
    builder.node("Split", {"z"}, {"s1", "s2"}, {{"axis", 0}, {"num_outputs", 2}});
    builder.weight("u", {5, 3}).node("MatMul", {"s2", "u"}, {"o"});
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(tasks_of(reply),
             (std::vector<std::string>{"conv2d 2x8x4x4 8x8x1x1 stride=1 pad=0 dilation=1 groups=1 f32",
                                       "matmul 2x8 8x5 f32", "matmul 1x5 5x3 f32"}));
    QCOMPARE(reply.notices.size(), std::size_t{1});
    verify_said(reply.notices.front(), "21");
    // What changed, and can't be told as it was, gives no shape rather than a wrong one.
    ModelBuilder changed(20);
    changed.input("x", {1, 8, 4, 4}).input("grid", {1, 3, 3, 2}).node("GridSample", {"x", "grid"}, {"y"});
    changed.weight("w", {8, 8, 1, 1}).node("Conv", {"y", "w"}, {"z"});
    verify_said(find_operator(read(changed.request()), "Conv")->reason, "GridSample has changed");
  }

  void models_that_contradict_themselves_are_refused() {
    ModelBuilder cycle;
    cycle.input("x", {1, 4})
        .node("Add", {"x", "b"}, {"a"}, {}, "first")
        .node("Relu", {"a"}, {"b"}, {}, "second");
    const Error circular = error_of(cycle.request());
    verify_said(circular.message, "form a cycle");
    verify_said(circular.message, "first (Add)");
    verify_said(circular.message, "second (Relu)");

    ModelBuilder twice;
    twice.input("x", {1, 4}).node("Relu", {"x"}, {"a"}, {}, "first").node("Abs", {"x"}, {"a"}, {}, "second");
    verify_said(error_of(twice.request()).message, "two nodes give the result \"a\"");

    ModelBuilder without(0);
    without.input("x", {1, 4}).node("Relu", {"x"}, {"a"});
    verify_said(error_of(without.request()).message, "does not declare the version");
    verify_said(error_of({"not protobuf at all", {}}).message, "protobuf can't be read");
    verify_said(error_of({"", {}}).message, "protobuf can't be read");
  }

  void nodes_in_any_order_are_sorted() {
    ModelBuilder builder;
    builder.input("x", {1, 3, 8, 8}).weight("w", {4, 3, 1, 1}).weight("v", {5, 4, 1, 1});
    builder.node("Conv", {"r", "v"}, {"z"}).node("Relu", {"y"}, {"r"}).node("Conv", {"x", "w"}, {"y"});
    QCOMPARE(read(builder.request()).layers.size(), std::size_t{2});
  }

  void a_node_without_a_name_is_called_by_its_result() {
    ModelBuilder builder;
    builder.input("x", {4, 8}).weight("w", {8, 2}).node("MatMul", {"x", "w"}, {"a/b <b>\x1b[31m\n"});
    const measure::ModelReply reply = read(builder.request());
    QVERIFY(reply.layers.front().node.starts_with("the MatMul that gives a/b <b>"));
    QVERIFY(!reply.layers.front().node.contains('\x1b'));
  }

  void operands_say_where_they_come_from() {
    ModelBuilder builder;
    builder.input("x", {4, 8}).weight("a", {8, 8}).weight("b", {8, 8});
    builder.node("MatMul", {"x", "a"}, {"p"}).node("Relu", {"p"}, {"q"}).node("MatMul", {"q", "b"}, {"r"});
    builder.node("Add", {"q", "r"}, {"s"}).node("Transpose", {"r"}, {"t"}).node("MatMul", {"s", "t"}, {"u"});
    const measure::ModelReply reply = read({builder.output("u").bytes(), {}});
    QCOMPARE(reply.layers.size(), std::size_t{3});
    QVERIFY(reply.order_known);
    const auto sources = [&](std::size_t layer) { return reply.layers[layer].first.nodes; };
    QCOMPARE(sources(0), Numbers{});
    QVERIFY(!reply.layers[0].first.constant && reply.layers[0].second.constant);
    QCOMPARE(sources(1), Numbers{0});
    QCOMPARE(sources(2), (Numbers{0, 1}));
    QCOMPARE(reply.layers[2].second.nodes, Numbers{1});
    QVERIFY(!reply.layers[2].second.constant);
  }

  /** Of random graphs, against a search backwards from every operand. */
  void sources_are_the_layers_that_are_met_first() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int round = 0; round < 30; ++round) {
      ModelBuilder builder;
      builder.input("t0", {4, 4});
      std::vector<std::vector<std::size_t>> reads{{}};  // of each tensor, which ones its node reads
      std::vector<std::int64_t> place{-1};              // of its node in the list of layers
      std::int64_t layers = 0;
      for (std::size_t i = 1; i < 25; ++i) {
        const std::vector<std::size_t> from{random.below(i), random.below(i)};
        const bool layer = random.chance(0.4);
        const auto name = [](std::size_t tensor) { return "t" + std::to_string(tensor); };
        builder.node(layer ? "MatMul" : "Add", {name(from[0]), name(from[1])}, {name(i)});
        reads.push_back(from);
        place.push_back(layer ? layers++ : -1);
      }
      const std::function<void(std::size_t, std::set<std::int64_t>&)> search = [&](std::size_t tensor,
                                                                                   auto& found) {
        if (place[tensor] >= 0) {
          found.insert(place[tensor]);
        } else {
          for (const std::size_t before : reads[tensor]) search(before, found);
        }
      };
      const measure::ModelReply reply = read({builder.output("t24").bytes(), {}});
      QCOMPARE(static_cast<std::int64_t>(reply.layers.size()), layers);
      for (std::size_t i = 1; i < place.size(); ++i) {
        if (place[i] < 0) continue;
        const measure::ModelLayer& layer = reply.layers[static_cast<std::size_t>(place[i])];
        for (const auto& [operand, tensor] :
             {std::pair{&layer.first, reads[i][0]}, {&layer.second, reads[i][1]}}) {
          std::set<std::int64_t> expected;
          search(tensor, expected);
          QCOMPARE(operand->nodes, Numbers(expected.begin(), expected.end()));
          QVERIFY(!operand->constant);
        }
      }
    }
  }

  /** Of our own part; what the library that infers does with such bytes is for a worker. */
  void broken_models_are_values() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    ModelBuilder builder = convolution({1, 3, 8, 8}, {4, 3, 3, 3}, {{"pads", Numbers{1, 1, 1, 1}}});
    builder.node("Relu", {"y"}, {"r"}).numbers("shape", {1, -1}).node("Reshape", {"r", "shape"}, {"f"});
    builder.declare("f", {1, 256}).weight("v", {256, 10}).node("MatMul", {"f", "v"}, {"o"});
    for (onnx::TensorProto& tensor : *builder.model().mutable_graph()->mutable_initializer())
      if (tensor.has_raw_data()) tensor.clear_raw_data();
    const std::string whole = builder.bytes();
    int layers = 0;
    for (int i = 0; i < 20'000; ++i) {
      std::string bytes = whole;
      for (std::uint64_t change = 0; change <= random.below(3); ++change)
        bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
      if (random.chance(0.2)) bytes.resize(random.below(bytes.size()));
      for (const task::Task& task : kernelscape::testing::tasks_without_inference(bytes)) {
        ++layers;
        const Result<task::Task> read = task::parse_task(task.text);
        QVERIFY2(read.has_value() && *read == task, task.text.c_str());
      }
    }
    QVERIFY(layers > 1000);
  }

  void public_models_have_all_their_layers_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("layers");
    QTest::addColumn<int>("distinct");
    QTest::newRow("SqueezeNet 1.0") << "light_squeezenet.onnx" << 26 << 18;
    QTest::newRow("ResNet-50") << "light_resnet50.onnx" << 54 << 24;
    QTest::newRow("ShuffleNet") << "light_shufflenet.onnx" << 50 << 15;
  }
  void public_models_have_all_their_layers() {
    QFETCH(const QString, file);
    QFETCH(const int, layers);
    QFETCH(const int, distinct);
    const std::filesystem::path path = shared_model(file.toStdString());
    if (!std::filesystem::exists(path)) QSKIP("shared/data/onnx is not here");
    const measure::ModelReply reply = read({file_bytes(path), {}});
    QCOMPARE(static_cast<int>(reply.layers.size()), layers);
    std::map<std::string, int> counts;
    for (const std::string& task : tasks_of(reply)) ++counts[task];
    QCOMPARE(static_cast<int>(counts.size()), distinct);
    for (const measure::ModelOperator& other : reply.operators) {
      QVERIFY2(other.reason.empty(), other.reason.c_str());
      QVERIFY2(other.unknown == 0, other.name.c_str());
    }
  }

 private:
  std::map<std::string, std::string> models_;
};

KERNELSCAPE_PLAIN_TEST(OnnxModelTest)

}  // namespace kernelscape::onnx_model_test
#include "onnx_model_test.moc"
