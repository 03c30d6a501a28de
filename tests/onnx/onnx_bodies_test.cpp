#include <QTest>

#include "tests/onnx/model_builder.h"
#include "tests/onnx/model_reading.h"
#include "tests/test_program.h"

namespace kernelscape::onnx_bodies_test {
using kernelscape::testing::error_of;
using kernelscape::testing::find_operator;
using kernelscape::testing::ModelBuilder;
using kernelscape::testing::read;
using kernelscape::testing::tasks_of;
using kernelscape::testing::verify_said;

namespace {

using Numbers = std::vector<std::int64_t>;
constexpr const char* conv_8_to_8 = "conv2d 1x8x16x16 8x8x1x1 stride=1 pad=0 dilation=1 groups=1 f32";

ModelBuilder model_with_condition() {
  ModelBuilder builder(17);
  builder.input("x", {1, 8, 16, 16}).input("c", {}, onnx::TensorProto::BOOL).weight("w", {8, 8, 1, 1});
  return builder;
}

/** A branch, or a body without inputs, of one node. */
ModelBuilder branch(const std::string& op, const std::vector<std::string>& inputs,
                    const std::string& output) {
  return ModelBuilder().node(op, inputs, {output}).output(output);
}

void add_flag(ModelBuilder& builder, const std::string& name, bool value) {
  onnx::TensorProto& tensor = *builder.model().mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::BOOL);
  tensor.set_raw_data(std::string(1, value ? '\1' : '\0'));
}

/** A body that multiplies its state by w, and gives a row of it. */
ModelBuilder loop_body() {
  ModelBuilder body(17);
  body.input("i", {}, onnx::TensorProto::INT64).input("go", {}, onnx::TensorProto::BOOL).input("h", {4, 8});
  body.node("Identity", {"go"}, {"repeats"}).node("MatMul", {"h", "w"}, {"h_next"}, {}, "step");
  body.node("Gather", {"h_next", "i"}, {"row"});
  return body.output("repeats").output("h_next").output("row");
}

ModelBuilder loop_model(const std::string& trips) {
  ModelBuilder builder(17);
  builder.input("x", {4, 8}).input("n", {}, onnx::TensorProto::INT64).numbers("five", {5});
  builder.weight("w", {8, 8}).weight("v", {8, 3});
  builder.node_with_bodies("Loop", {trips, "", "x"}, {"h_last", "rows"}, {{"body", loop_body()}}, {}, "loop");
  builder.node("MatMul", {"rows", "v"}, {"y"}, {}, "after");
  return builder;
}

}  // namespace

/** Nodes in branches, loops and functions of a model. */
class OnnxBodiesTest : public QObject {
  Q_OBJECT

 private slots:
  void a_layer_in_a_branch_is_read_and_named() {
    ModelBuilder builder = model_with_condition();
    builder.node_with_bodies("If", {"c"}, {"y"},
                             {{"else_branch", branch("Identity", {"x"}, "ey")},
                              {"then_branch", branch("Conv", {"x", "w"}, "ty")}});
    builder.node("Conv", {"y", "w"}, {"z"}, {}, "after");
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(tasks_of(reply), (std::vector<std::string>{conv_8_to_8, conv_8_to_8}));
    verify_said(reply.layers.front().node, "then_branch of the If that gives y");
    QCOMPARE(reply.layers[1].node, std::string("after (Conv)"));
    verify_said(reply.notices.front(), "1 layer is in then_branch of the If that gives y");
    QVERIFY(!reply.order_known);
  }

  void both_branches_may_use_one_name() {
    ModelBuilder builder = model_with_condition();
    builder.weight("v", {4, 8, 3, 3});
    builder.node_with_bodies(
        "If", {"c"}, {"y"},
        {{"then_branch", branch("Conv", {"x", "w"}, "r")}, {"else_branch", branch("Conv", {"x", "v"}, "r")}});
    builder.node("Conv", {"y", "w"}, {"z"}, {}, "after");
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(reply.layers.size(), std::size_t{2});
    QVERIFY(reply.layers[0].task != reply.layers[1].task);
    // The branches give different shapes: what reads them is named, and not guessed.
    verify_said(find_operator(reply, "Conv")->reason,
                "after (Conv): the shape of its input 1, \"y\", is unknown");
  }

  void a_branch_that_never_runs_is_left_out() {
    for (const bool condition : {true, false}) {
      ModelBuilder builder = model_with_condition();
      add_flag(builder, "always", condition);
      builder.node_with_bodies("If", {"always"}, {"y"},
                               {{"then_branch", branch("Conv", {"x", "w"}, "r")},
                                {"else_branch", branch("Identity", {"x"}, "r")}});
      builder.node("Conv", {"y", "w"}, {"z"});
      const measure::ModelReply reply = read(builder.request());
      QCOMPARE(reply.layers.size(), std::size_t{condition ? 2U : 1U});
      QVERIFY(reply.notices.empty() && reply.order_known);
    }
  }

  void a_loop_runs_as_often_as_it_says() {
    const measure::ModelReply reply = read(loop_model("five").request());
    QCOMPARE(tasks_of(reply), (std::vector<std::string>{"matmul 4x8 8x8 f32", "matmul 5x8 8x3 f32"}));
    QCOMPARE(reply.layers[0].times, std::int64_t{5});
    QCOMPARE(reply.layers[1].times, std::int64_t{1});
    verify_said(reply.layers[0].node,
                "step (MatMul), in body of loop (Loop), which is executed at most 5 times");
    QCOMPARE(find_operator(reply, "Gather")->count, std::int64_t{5});
  }

  void a_loop_without_a_number_is_counted_once() {
    const measure::ModelReply reply = read(loop_model("n").request());
    QCOMPARE(tasks_of(reply), std::vector<std::string>{"matmul 4x8 8x8 f32"});
    QCOMPARE(reply.layers[0].times, std::int64_t{1});
    verify_said(reply.notices.front(), "is executed an unknown number of times and is counted once");
  }

  void a_state_that_grows_has_no_shape() {
    ModelBuilder body(17);
    body.input("i", {}, onnx::TensorProto::INT64).input("go", {}, onnx::TensorProto::BOOL).input("h", {});
    body.node("Identity", {"go"}, {"repeats"}).node("Concat", {"h", "x"}, {"h_next"}, {{"axis", 0}});
    body.node("MatMul", {"h", "w"}, {"p"}, {}, "grows").node("MatMul", {"x", "w"}, {"q"}, {}, "stays");
    body.output("repeats").output("h_next");
    ModelBuilder builder(17);
    builder.input("x", {4, 8}).weight("w", {8, 8}).numbers("five", {5});
    builder.node_with_bodies("Loop", {"five", "", "x"}, {"y"}, {{"body", body}}, {}, "loop");
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(reply.layers.size(), std::size_t{1});
    verify_said(reply.layers.front().node, "stays");
    verify_said(find_operator(reply, "MatMul")->reason, "the state h of loop (Loop)");
    verify_said(find_operator(reply, "MatMul")->reason, "changes from one iteration to the next");
  }

  void a_scan_runs_once_for_each_element() {
    ModelBuilder body(17);
    body.input("h", {4, 8}).input("e", {4, 8}).node("Add", {"h", "e"}, {"s"});
    body.node("MatMul", {"s", "w"}, {"h_next"}, {}, "step").node("Identity", {"h_next"}, {"o"});
    body.output("h_next").output("o");
    ModelBuilder builder(17);
    builder.input("h0", {4, 8}).input("x", {4, 7, 8}).weight("w", {8, 8}).weight("v", {8, 2});
    builder.node_with_bodies(
        "Scan", {"h0", "x"}, {"h_last", "all"}, {{"body", body}},
        {{"num_scan_inputs", 1}, {"scan_input_axes", Numbers{1}}, {"scan_output_axes", Numbers{1}}});
    builder.node("MatMul", {"all", "v"}, {"y"});
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(tasks_of(reply), (std::vector<std::string>{"matmul 4x8 8x8 f32", "matmul 28x8 8x2 f32"}));
    QCOMPARE(reply.layers[0].times, std::int64_t{7});
  }

  void bodies_in_bodies_multiply() {
    ModelBuilder inner = loop_body();
    ModelBuilder body(17);
    body.input("i2", {}, onnx::TensorProto::INT64)
        .input("go2", {}, onnx::TensorProto::BOOL)
        .input("h2", {4, 8});
    body.node("Identity", {"go2"}, {"go3"});
    body.node_with_bodies("If", {"c"}, {"chosen"},
                          {{"then_branch", ModelBuilder()
                                               .node_with_bodies("Loop", {"five", "", "h2"}, {"l", "rows"},
                                                                 {{"body", inner}}, {}, "inner")
                                               .output("l")},
                           {"else_branch", branch("Identity", {"h2"}, "e")}},
                          {}, "choice");
    body.output("go3").output("chosen");
    ModelBuilder builder(17);
    builder.input("x", {4, 8}).input("c", {}, onnx::TensorProto::BOOL).weight("w", {8, 8});
    builder.numbers("five", {5}).numbers("three", {3});
    builder.node_with_bodies("Loop", {"three", "", "x"}, {"y"}, {{"body", body}}, {}, "outer");
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(tasks_of(reply), std::vector<std::string>{"matmul 4x8 8x8 f32"});
    QCOMPARE(reply.layers[0].times, std::int64_t{15});
    verify_said(reply.layers[0].node, "body of inner (Loop)");
  }

  void bodies_of_other_operators_name_what_they_hold() {
    ModelBuilder body(17);
    body.input("e", {4, 8}).node("MatMul", {"e", "w"}, {"o"}, {}, "hidden").output("o");
    ModelBuilder builder(17);
    builder.input("x", {4, 8}).weight("w", {8, 8});
    builder.node_with_bodies("SequenceMap", {"x"}, {"y"}, {{"body", body}}, {}, "map");
    const measure::ModelReply reply = read(builder.request());
    QVERIFY(reply.layers.empty());
    verify_said(find_operator(reply, "MatMul")->reason, "hidden (MatMul)");
  }

  void functions_of_a_model_are_its_layers() {
    ModelBuilder builder(17);
    builder.input("x", {1, 16, 28, 28}).weight("w1", {16, 16, 3, 3}).weight("w2", {32, 16, 3, 3});
    ModelBuilder block;
    block.node("Relu", {"c"}, {"y"}).node("Conv", {"x", "w"}, {"c"}, {{"pads", Numbers{1, 1, 1, 1}}}, "conv");
    onnx::AttributeProto& stride = *block.model().mutable_graph()->mutable_node(1)->add_attribute();
    stride.set_name("strides");
    stride.set_type(onnx::AttributeProto::INTS);
    stride.set_ref_attr_name("step");
    builder.function("pkg.torch", "Block", {"x", "w"}, {"y"}, block);
    builder.node("Block", {"x", "w1"}, {"a"}, {}, "layer1", "pkg.torch");
    builder.node("Block", {"a", "w2"}, {"y"}, {{"step", Numbers{2, 2}}}, "layer2", "pkg.torch");
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(tasks_of(reply), (std::vector<std::string>{
                                  "conv2d 1x16x28x28 16x16x3x3 stride=1 pad=1 dilation=1 groups=1 f32",
                                  "conv2d 1x16x28x28 32x16x3x3 stride=2 pad=1 dilation=1 groups=1 f32"}));
    QCOMPARE(reply.layers[0].node, std::string("layer1/conv (Conv)"));
    QCOMPARE(reply.layers[1].first.nodes, Numbers{0});
    QVERIFY(reply.layers[1].second.constant && reply.order_known);
    QCOMPARE(find_operator(reply, "Relu")->count, std::int64_t{2});
  }

  /** The default values of a function's attributes: a field that ONNX 1.12 does not know. */
  void functions_have_default_attributes() {
    ModelBuilder builder(17);
    builder.input("x", {1, 4, 9, 9}).weight("w", {4, 4, 1, 1});
    ModelBuilder block;
    block.node("Conv", {"x", "w"}, {"y"});
    onnx::AttributeProto& stride = *block.model().mutable_graph()->mutable_node(0)->add_attribute();
    stride.set_name("strides");
    stride.set_type(onnx::AttributeProto::INTS);
    stride.set_ref_attr_name("step");
    onnx::FunctionProto& function = builder.function("mine", "Block", {"x", "w"}, {"y"}, block);
    onnx::AttributeProto initial;
    initial.set_name("step");
    initial.set_type(onnx::AttributeProto::INTS);
    for (int i = 0; i < 2; ++i) initial.add_ints(3);
    const std::string bytes = initial.SerializeAsString();
    QVERIFY(bytes.size() < 128);
    QVERIFY(function.MergeFromString(std::string("\x5a") + static_cast<char>(bytes.size()) + bytes));
    builder.node("Block", {"x", "w"}, {"y"}, {}, {}, "mine");
    QCOMPARE(tasks_of(read(builder.request())),
             std::vector<std::string>{"conv2d 1x4x9x9 4x4x1x1 stride=3 pad=0 dilation=1 groups=1 f32"});
  }

  void functions_that_have_no_end_are_refused() {
    ModelBuilder builder(17);
    builder.input("x", {1, 4});
    builder.function("mine", "Forever", {"a"}, {"b"},
                     ModelBuilder().node("Forever", {"a"}, {"b"}, {}, {}, "mine"));
    builder.node("Forever", {"x"}, {"y"}, {}, "call", "mine");
    verify_said(error_of(builder.request()).message, "\"mine.Forever\" of the model calls itself");
    // Each calls the next one twice: 2 to the power of 40 nodes.
    ModelBuilder doubling(17);
    doubling.input("x", {1, 4});
    for (int i = 0; i < 40; ++i) {
      const std::string next = i == 39 ? "Relu" : "F" + std::to_string(i + 1);
      const std::string domain = i == 39 ? "" : "mine";
      doubling.function(
          "mine", "F" + std::to_string(i), {"a"}, {"b"},
          ModelBuilder().node(next, {"a"}, {"m"}, {}, {}, domain).node(next, {"m"}, {"b"}, {}, {}, domain));
    }
    doubling.node("F0", {"x"}, {"y"}, {}, {}, "mine");
    verify_said(error_of(doubling.request()).message, "expand to more than 200000 operators");
  }

  void what_hides_multiplications_is_named() {
    ModelBuilder builder(17);
    builder.input("s", {6, 2, 32})
        .weight("lw", {1, 32, 32})
        .weight("lr", {1, 32, 8})
        .weight("packed", {64, 16});
    builder.node("LSTM", {"s", "lw", "lr"}, {"l"}, {{"hidden_size", 8}});
    builder.node("MatMulNBits", {"s", "packed"}, {"n"}, {{"K", 32}, {"N", 64}, {"bits", 4}}, {},
                 "com.microsoft");
    builder.weight("v", {64, 5}).node("MatMul", {"n", "v"}, {"m"});
    builder.node("SparseAttention", {"n", "n", "n"}, {"g"}, {}, {}, "com.microsoft");
    builder.node("Frobnicate", {"n"}, {"f"}, {}, {}, "com.example");
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(tasks_of(reply), std::vector<std::string>{"matmul 12x64 64x5 f32"});
    const measure::ModelOperator* lstm = find_operator(reply, "LSTM");
    verify_said(lstm->reason, "contains matrix multiplications");
    QCOMPARE(lstm->flops, 2.0 * 6 * 2 * (32 * 32 + 32 * 8));
    QCOMPARE(find_operator(reply, "com.microsoft.MatMulNBits")->flops, 2.0 * 6 * 2 * 32 * 64);
    const measure::ModelOperator* attention = find_operator(reply, "com.microsoft.SparseAttention");
    verify_said(attention->reason, "according to its name");
    QCOMPARE(attention->flops, 0.0);
    verify_said(reply.notices.front(), "com.example.Frobnicate");
  }

  void fused_operators_are_read_as_their_plain_forms() {
    ModelBuilder builder(17);
    builder.input("x", {1, 8, 9, 9}).weight("w", {4, 8, 3, 3}).weight("b", {4}).numbers("flat", {1, -1});
    builder.node("FusedConv", {"x", "w", "b"}, {"y"},
                 {{"activation", std::string("Relu")}, {"pads", Numbers{1, 1, 1, 1}}}, {}, "com.microsoft");
    builder.node("Reshape", {"y", "flat"}, {"f"}).weight("v", {10, 324});
    builder.node("FusedGemm", {"f", "v"}, {"g"}, {{"transB", 1}, {"activation", std::string("Relu")}}, {},
                 "com.microsoft");
    builder.input("q", {2, 12, 7, 64}).input("k", {2, 12, 9, 64});
    builder.node("FusedMatMul", {"q", "k"}, {"s"}, {{"transB", 1}}, {}, "com.microsoft");
    builder.node("Softmax", {"s"}, {"p"}).node("MatMul", {"p", "k"}, {"o"});
    builder.node("Gelu", {"o"}, {"a"}, {}, {}, "com.microsoft")
        .weight("u", {64, 3})
        .node("MatMul", {"a", "u"}, {"z"});
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(tasks_of(reply),
             (std::vector<std::string>{"conv2d 1x8x9x9 4x8x3x3 stride=1 pad=1 dilation=1 groups=1 f32",
                                       "matmul 1x324 10x324 transpose_b f32",
                                       "bmm 24x7x64 24x9x64 transpose_b f32", "bmm 24x7x9 24x9x64 f32",
                                       "matmul 168x64 64x3 f32"}));
    QVERIFY(reply.notices.empty());
  }
};

KERNELSCAPE_PLAIN_TEST(OnnxBodiesTest)

}  // namespace kernelscape::onnx_bodies_test
#include "onnx_bodies_test.moc"
