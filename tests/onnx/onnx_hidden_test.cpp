#include <QTest>

#include "core/base/random.h"
#include "core/onnx_reader/attention.h"
#include "core/task/task.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/onnx/model_builder.h"
#include "tests/onnx/model_reading.h"
#include "tests/test_program.h"

namespace kernelscape::onnx_hidden_test {
using kernelscape::testing::Attributes;
using kernelscape::testing::Dimension;
using kernelscape::testing::find_operator;
using kernelscape::testing::ModelBuilder;
using kernelscape::testing::read;
using kernelscape::testing::tasks_of;
using kernelscape::testing::verify_said;

namespace {

using Numbers = std::vector<std::int64_t>;
using Shape = std::vector<Dimension>;
using onnx::TensorProto;
constexpr const char* microsoft = "com.microsoft";

/** Adds a text field that the protobuf of ONNX 1.12 does not know. */
void add_text_field(auto& message, int number, const std::string& text) {
  std::string bytes(1, static_cast<char>((number << 3) | 2));
  bytes += static_cast<char>(text.size());
  QVERIFY(message.MergeFromString(bytes + text));
}

/** A loop whose body multiplies its state by w; `trips` names how often it runs. */
void add_loop(ModelBuilder& builder, const std::string& trips, const std::string& condition = {}) {
  ModelBuilder body(17);
  body.input("i", {}, TensorProto::INT64).input("go", {}, TensorProto::BOOL).input("h", {4, 8});
  body.node("Identity", {"go"}, {"repeats"}).node("MatMul", {"h", "w"}, {"next"}, {}, "step");
  body.node("Identity", {"next"}, {"row"}).output("repeats").output("next").output("row");
  builder.weight("w", {8, 8})
      .node_with_bodies("Loop", {trips, condition, "x"}, {"last", "rows"}, {{"body", body}}, {}, "loop");
}

/** An attention, its inputs "" for absent ones, and what its first result times a 5-column matrix is. */
struct AttentionCase {
  const char* name;
  const char* domain;
  std::vector<Shape> inputs;
  Attributes attributes;
  double flops;
  std::string task_after;
  std::int64_t width;
};

std::vector<AttentionCase> attention_cases() {
  const Shape none{std::string("absent")};
  return {
      {"Attention",
       "",
       {{2, 4, 6, 8}, {2, 4, 7, 8}, {2, 4, 7, 5}},
       {},
       2.0 * 2 * 4 * 6 * 7 * (8 + 5),
       "matmul 48x5 5x5 f32",
       5},
      {"Attention",
       "",
       {{2, 6, 32}, {2, 7, 16}, {2, 7, 16}},
       {{"q_num_heads", 4}, {"kv_num_heads", 2}},
       2.0 * 2 * 6 * 7 * (32 + 32),
       "matmul 12x32 32x5 f32",
       32},
      {"Attention",
       "",
       {{1, 4, 1, 8}, {1, 4, 1, 8}, {1, 4, 1, 8}, none, {1, 4, 9, 8}, {1, 4, 9, 8}},
       {},
       2.0 * 4 * 1 * 10 * 16,
       "matmul 4x8 8x5 f32",
       8},
      {"Attention",
       microsoft,
       {{2, 6, 32}, {32, 96}},
       {{"num_heads", 4}},
       2.0 * 12 * 32 * 96 + 2.0 * 12 * 6 * 64,
       "matmul 12x32 32x5 f32",
       32},
      {"Attention",
       microsoft,
       {{2, 6, 32}, {32, 80}},
       {{"qkv_hidden_sizes", Numbers{32, 32, 16}}},
       2.0 * 12 * 32 * 80 + 2.0 * 12 * 6 * 48,
       "matmul 12x16 16x5 f32",
       16},
      {"Attention",
       microsoft,
       {{1, 1, 32}, {32, 96}, {96}, none, {2, 1, 4, 9, 8}},
       {{"num_heads", 4}},
       2.0 * 32 * 96 + 2.0 * 10 * 64,
       "matmul 1x32 32x5 f32",
       32},
      {"MultiHeadAttention",
       microsoft,
       {{2, 6, 32}, {2, 7, 32}, {2, 7, 16}},
       {{"num_heads", 4}},
       2.0 * 12 * 7 * 48,
       "matmul 12x16 16x5 f32",
       16},
      {"MultiHeadAttention",
       microsoft,
       {{2, 6, 4, 3, 8}},
       {{"num_heads", 4}},
       2.0 * 12 * 6 * 64,
       "matmul 12x32 32x5 f32",
       32},
      {"GroupQueryAttention",
       microsoft,
       {{2, 6, 32}, {2, 6, 16}, {2, 6, 16}},
       {{"num_heads", 4}, {"kv_num_heads", 2}},
       2.0 * 12 * 6 * 64,
       "matmul 12x32 32x5 f32",
       32},
      {"GroupQueryAttention",
       microsoft,
       {{2, 6, 64}},
       {{"num_heads", 4}, {"kv_num_heads", 2}},
       2.0 * 12 * 6 * 64,
       "matmul 12x32 32x5 f32",
       32},
  };
}

}  // namespace

/** Convolutions and multiplications inside operators, functions and loops. */
class OnnxHiddenTest : public QObject {
  Q_OBJECT

 private slots:
  void a_call_names_one_of_several_functions() {
    ModelBuilder builder(17);
    builder.input("x", {1, 4, 9, 9}).weight("w", {4, 4, 3, 3});
    for (const std::int64_t pad : {0, 1}) {
      ModelBuilder block;
      block.node("Conv", {"x", "w"}, {"y"}, {{"pads", Numbers{pad, pad, pad, pad}}});
      add_text_field(builder.function("mine", "Block", {"x", "w"}, {"y"}, block), 13,
                     "pad" + std::to_string(pad));
    }
    builder.node("Block", {"x", "w"}, {"a"}, {}, {}, "mine").node("Block", {"a", "w"}, {"b"}, {}, {}, "mine");
    for (int i = 0; i < 2; ++i)
      add_text_field(*builder.model().mutable_graph()->mutable_node(i), 8, "pad" + std::to_string(1 - i));
    QCOMPARE(tasks_of(read(builder.request())),
             (std::vector<std::string>{"conv2d 1x4x9x9 4x4x3x3 stride=1 pad=1 dilation=1 groups=1 f32",
                                       "conv2d 1x4x9x9 4x4x3x3 stride=1 pad=0 dilation=1 groups=1 f32"}));
  }

  void functions_of_functions_and_other_domains_are_read() {
    ModelBuilder builder(17);
    builder.input("x", {5, 16}).weight("w", {16, 16});
    builder.function("inner.domain", "Linear", {"x", "w"}, {"y"},
                     ModelBuilder().node("MatMul", {"x", "w"}, {"y"}, {}, "product"));
    builder.function("outer.domain", "Twice", {"x", "w"}, {"y"},
                     ModelBuilder()
                         .node("Linear", {"x", "w"}, {"m"}, {}, "first", "inner.domain")
                         .node("Linear", {"m", "w"}, {"y"}, {}, "second", "inner.domain"));
    builder.node("Twice", {"x", "w"}, {"y"}, {}, "block", "outer.domain");
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(reply.layers.size(), std::size_t{2});
    QCOMPARE(reply.layers[1].node, std::string("block/second/product (MatMul)"));
    QVERIFY(reply.operators.empty());
  }

  void a_trip_count_may_be_computed_from_shapes() {
    ModelBuilder builder(17);
    builder.input("x", {4, 8}).input("steps", {11, 3});
    builder.node("Shape", {"steps"}, {"shape"}).node("Gather", {"shape", "index"}, {"n"});
    TensorProto& index = *builder.model().mutable_graph()->add_initializer();
    index.set_name("index");
    index.set_data_type(TensorProto::INT64);
    index.add_int64_data(0);
    add_loop(builder, "n");
    builder.weight("v", {8, 3}).node("MatMul", {"rows", "v"}, {"y"});
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(tasks_of(reply), (std::vector<std::string>{"matmul 4x8 8x8 f32", "matmul 44x8 8x3 f32"}));
    QCOMPARE(reply.layers[0].times, std::int64_t{11});
  }

  void a_trip_count_may_be_given_to_a_function() {
    ModelBuilder block(17);
    onnx::NodeProto& constant = *block.node("Constant", {}, {"n"}).model().mutable_graph()->mutable_node(0);
    onnx::AttributeProto& value = *constant.add_attribute();
    value.set_name("value_int");
    value.set_type(onnx::AttributeProto::INT);
    value.set_ref_attr_name("count");
    add_loop(block, "n");
    ModelBuilder builder(17);
    builder.input("a", {4, 8}).weight("b", {8, 8});
    builder.function("mine", "Repeat", {"x", "w"}, {"last"}, block);
    builder.node("Repeat", {"a", "b"}, {"y"}, {{"count", 6}}, {}, "mine");
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(reply.layers.size(), std::size_t{1});
    QCOMPARE(reply.layers[0].times, std::int64_t{6});
  }

  void a_loop_that_never_runs_has_no_layers() {
    for (const bool by_count : {true, false}) {
      ModelBuilder builder(17);
      builder.input("x", {4, 8}).numbers("none", {0});
      TensorProto& never = *builder.model().mutable_graph()->add_initializer();
      never.set_name("never");
      never.set_data_type(TensorProto::BOOL);
      never.set_raw_data(std::string(1, '\0'));
      add_loop(builder, by_count ? "none" : "", by_count ? "" : "never");
      builder.weight("v", {8, 3}).node("MatMul", {"last", "v"}, {"y"});
      QCOMPARE(tasks_of(read(builder.request())), std::vector<std::string>{"matmul 4x8 8x3 f32"});
    }
  }

  void attentions_have_flops_and_shapes() {
    for (const AttentionCase& attention : attention_cases()) {
      ModelBuilder builder(23);
      std::vector<std::string> inputs;
      for (const Shape& shape : attention.inputs) {
        const bool absent = shape == Shape{std::string("absent")};
        inputs.push_back(absent ? "" : "i" + std::to_string(inputs.size()));
        if (!absent) builder.input(inputs.back(), shape);
      }
      builder.node(attention.name, inputs, {"a"}, attention.attributes, {}, attention.domain);
      builder.weight("v", {attention.width, 5}).node("MatMul", {"a", "v"}, {"y"});
      const measure::ModelReply reply = read(builder.request());
      QCOMPARE(tasks_of(reply), std::vector<std::string>{attention.task_after});
      const measure::ModelOperator& found = reply.operators.front();
      verify_said(found.reason, "contains matrix multiplications");
      QCOMPARE(found.flops, attention.flops);
    }
  }

  /** No extent of what is not known is 0. */
  void an_attention_of_unknown_width_has_an_unknown_width() {
    onnx::AttributeProto heads;
    heads.set_i(4);
    const auto find = [&](std::string_view) { return &heads; };
    for (const std::int64_t width : {-1, 16}) {
      const std::vector<std::optional<onnx_reader::Extents>> inputs{
          onnx_reader::Extents{2, 6, 32}, onnx_reader::Extents{2, 7, 16}, onnx_reader::Extents{2, 7, width}};
      const std::optional<onnx_reader::AttentionSizes> sizes =
          onnx_reader::attention_sizes(onnx_reader::AttentionKind::Standard, inputs, find);
      QVERIFY(sizes);
      QCOMPARE(sizes->result, (onnx_reader::Extents{2, 6, width}));
      QCOMPARE(sizes->flops() > 0, width > 0);
    }
  }

  /** An attention has as many FLOPs as the multiplications of which it consists. */
  void random_attentions_are_two_multiplications() {
    base::Random random(kernelscape::testing::random_seed());
    for (int round = 0; round < 50; ++round) {
      const auto length = [&] { return static_cast<std::int64_t>(1 + random.below(20)); };
      const std::int64_t b = length(), h = length(), q = length(), k = length(), d = length(), v = length();
      ModelBuilder whole(23);
      whole.input("q", {b, h, q, d}).input("k", {b, h, k, d}).input("v", {b, h, k, v});
      whole.node("Attention", {"q", "k", "v"}, {"y"});
      ModelBuilder parts(17);
      parts.input("q", {b, h, q, d}).input("k", {b, h, d, k}).input("v", {b, h, k, v});
      parts.node("MatMul", {"q", "k"}, {"s"}).node("MatMul", {"s", "v"}, {"y"});
      double flops = 0;
      for (const std::string& task : tasks_of(read(parts.request())))
        flops += task::parse_task(task)->flops();
      QCOMPARE(read(whole.request()).operators.front().flops, flops);
    }
  }

  void a_deformed_convolution_has_flops_and_a_shape() {
    ModelBuilder builder(19);
    builder.input("x", {1, 8, 14, 14}).weight("w", {6, 8, 3, 3}).input("offset", {1, 18, 14, 14});
    builder.node("DeformConv", {"x", "w", "offset"}, {"y"},
                 {{"pads", Numbers{1, 1, 1, 1}}, {"offset_group", 1}});
    builder.weight("u", {4, 6, 1, 1}).node("Conv", {"y", "u"}, {"z"});
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(tasks_of(reply),
             std::vector<std::string>{"conv2d 1x6x14x14 4x6x1x1 stride=1 pad=0 dilation=1 groups=1 f32"});
    QCOMPARE(find_operator(reply, "DeformConv")->flops, 2.0 * 6 * 14 * 14 * 8 * 9);
  }

  void a_mixture_of_experts_has_flops() {
    ModelBuilder builder(17);
    builder.input("x", {6, 32}).input("router", {6, 4}).weight("w", {4, 32, 64}).weight("v", {4, 64, 32});
    builder.node("MoE", {"x", "router", "w", "", "v"}, {"y"}, {{"k", 2}}, {}, microsoft);
    builder.weight("u", {32, 5}).node("MatMul", {"y", "u"}, {"z"});
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(tasks_of(reply), std::vector<std::string>{"matmul 6x32 32x5 f32"});
    QCOMPARE(reply.operators.front().flops, 2.0 * 6 * 2 * 2 * 32 * 64);
  }

  /** As ONNX Runtime quantizes a network for its own operators. */
  void quantised_operators_of_onnx_runtime_are_read() {
    ModelBuilder builder(17);
    builder.input("x", {1, 8, 14, 14}, TensorProto::UINT8)
        .weight("s", {})
        .weight("z", {}, TensorProto::UINT8);
    builder.weight("wz", {}, TensorProto::INT8).weight("w", {8, 8, 3, 3}, TensorProto::INT8);
    const auto conv = [&](const std::string& from, const std::string& to) {
      builder.node("QLinearConv", {from, "s", "z", "w", "s", "wz", "s", "z"}, {to},
                   {{"pads", Numbers{1, 1, 1, 1}}}, {}, microsoft);
    };
    conv("x", "a");
    builder.node("QLinearLeakyRelu", {"a", "s", "z", "s", "z"}, {"b"}, {}, {}, microsoft);
    builder.node("QLinearAdd", {"b", "s", "z", "x", "s", "z", "s", "z"}, {"c"}, {}, {}, microsoft);
    builder.node("QLinearConcat", {"s", "z", "c", "s", "z", "a", "s", "z"}, {"d"}, {{"axis", 1}}, {},
                 microsoft);
    builder.node("QLinearGlobalAveragePool", {"d", "s", "z", "s", "z"}, {"e"}, {}, {}, microsoft);
    builder.node("Flatten", {"e"}, {"f"}).weight("g", {16, 10}, TensorProto::INT8);
    builder.node("QGemm", {"f", "s", "z", "g", "s", "wz", "", "s", "z"}, {"h"}, {}, {}, microsoft);
    builder.node("DequantizeLinear", {"h", "s", "z"}, {"i"}, {}, {}, microsoft);
    builder.weight("j", {10, 3}).node("MatMul", {"i", "j"}, {"k"});
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(tasks_of(reply),
             (std::vector<std::string>{"conv2d 1x8x14x14 8x8x3x3 stride=1 pad=1 dilation=1 groups=1 i8",
                                       "matmul 1x16 16x10 i8", "matmul 1x10 10x3 f32"}));
    for (const measure::ModelOperator& found : reply.operators)
      QVERIFY2(found.reason.empty(), found.name.c_str());
    QCOMPARE(reply.notices.size(), std::size_t{1});
  }

  void convolutions_with_the_channels_last_are_layers() {
    for (const Numbers& weight : {Numbers{4, 8, 3, 2}, Numbers{4, 3, 2, 8}}) {
      ModelBuilder builder(17);
      builder.input("x", {1, 15, 16, 8}).weight("w", weight).weight("v", {4, 5});
      builder.node("NhwcConv", {"x", "w"}, {"y"},
                   {{"kernel_shape", Numbers{3, 2}}, {"strides", Numbers{2, 1}}}, {}, microsoft);
      builder.node("MatMul", {"y", "v"}, {"z"});
      const measure::ModelReply reply = read(builder.request());
      QCOMPARE(tasks_of(reply),
               (std::vector<std::string>{"conv2d 1x8x15x16 4x8x3x2 stride=2x1 pad=0 dilation=1 groups=1 f32",
                                         "matmul 105x4 4x5 f32"}));
      verify_said(reply.notices.front(), "another order of dimensions");
    }
    ModelBuilder quantised(17);
    quantised.input("x", {1, 14, 14, 8}, TensorProto::UINT8)
        .weight("s", {})
        .weight("z", {}, TensorProto::UINT8);
    quantised.weight("wz", {}, TensorProto::INT8).weight("w", {8, 8, 3, 3}, TensorProto::INT8);
    quantised.node("QLinearConv", {"x", "s", "z", "w", "s", "wz", "s", "z"}, {"y"},
                   {{"auto_pad", std::string("SAME_UPPER")}, {"channels_last", 1}}, {}, microsoft);
    QCOMPARE(tasks_of(read(quantised.request())),
             std::vector<std::string>{"conv2d 1x8x14x14 8x8x3x3 stride=1 pad=1 dilation=1 groups=1 i8"});
  }

  void what_is_not_known_is_named() {
    ModelBuilder builder(17);
    builder.input("x", {4, 8});
    builder.node("Frobnicate", {"x"}, {"a"}).node("depthwise_conv2d", {"x"}, {"b"}, {}, {}, "mine");
    builder.node("CenterCropPad", {"x", "x"}, {"c"});
    const measure::ModelReply reply = read(builder.request());
    verify_said(reply.notices.front(), "unknown operators: 1 (Frobnicate)");
    verify_said(find_operator(reply, "Frobnicate")->reason, "may contain convolutions");
    verify_said(find_operator(reply, "mine.depthwise_conv2d")->reason, "according to its name");
  }
};

KERNELSCAPE_PLAIN_TEST(OnnxHiddenTest)

}  // namespace kernelscape::onnx_hidden_test
#include "onnx_hidden_test.moc"
