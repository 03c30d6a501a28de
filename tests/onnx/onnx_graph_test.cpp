#include <QTest>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "tests/onnx/graph_reading.h"
#include "tests/onnx/model_builder.h"
#include "tests/onnx/model_reading.h"
#include "tests/test_program.h"

namespace kernelscape::onnx_graph_test {
using kernelscape::testing::add_float;
using kernelscape::testing::add_floats;
using kernelscape::testing::elements_of;
using kernelscape::testing::graph_error;
using kernelscape::testing::ModelBuilder;
using kernelscape::testing::read_graph;
using kernelscape::testing::ReadGraph;
using kernelscape::testing::verify_said;
using Integers = std::vector<std::int64_t>;

namespace {

constexpr int f16 = onnx::TensorProto::FLOAT16;

/** One operator that reads x. */
ModelBuilder unary(std::int64_t set, const std::string& operation,
                   const std::vector<kernelscape::testing::Dimension>& shape,
                   const kernelscape::testing::Attributes& attributes = {},
                   int type = onnx::TensorProto::FLOAT) {
  ModelBuilder builder(set);
  builder.input("x", shape, type).node(operation, {"x"}, {"y"}, attributes, "n").output("y");
  return builder;
}

}  // namespace

class OnnxGraphTest : public QObject {
  Q_OBJECT

 private slots:
  void a_network_keeps_its_nodes_shapes_and_attributes() {
    ModelBuilder builder;
    builder.input("x", {std::string("batch"), 3, 8, 8}).weight("w", {4, 3, 3, 3}).weight("b", {4});
    builder
        .node("Conv", {"x", "w", "b"}, {"c"},
              {{"strides", Integers{2, 2}},
               {"pads", Integers{1, 1, 1, 1}},
               {"auto_pad", std::string("NOTSET")}})
        .node("Relu", {"c"}, {"y"}, {}, "last")
        .output("y");
    const ReadGraph read = read_graph(builder, {{"batch", 2}});
    QCOMPARE(read.operators(), std::string("Conv Relu"));
    QCOMPARE(read.value("c").shape, (Integers{2, 4, 4, 4}));
    QCOMPARE(*read.attribute("Conv", "strides")->integers, (Integers{2, 2}));
    QCOMPARE(*read.attribute("Conv", "auto_pad")->text, std::string("NOTSET"));
    QCOMPARE(read.node("Relu").name, std::string("last"));
    QCOMPARE(read.node("Conv").name, std::string("Conv_1"));
    QCOMPARE(read.graph.inputs.size(), std::size_t{1});
    QCOMPARE(read.value(read.graph.outputs.at(0)).name, std::string("y"));
    QVERIFY(read.input("Conv", 1).data == measure::ModelData::Bytes);
    QVERIFY(read.notices.empty());
    verify_said(graph_error(builder).hint, "--dim batch=1");
  }

  void constants_of_all_forms_are_values() {
    ModelBuilder builder;
    builder.input("x", {2}).node("Constant", {}, {"a"}, {{"value_int", 7}});
    builder.node("Constant", {}, {"b"}, {{"value_ints", Integers{1, -2}}});
    builder.node("Constant", {}, {"c"});
    add_float(builder, "value_float", 0.5F);
    builder.node("Constant", {}, {"d"});
    add_floats(builder, "value_floats", {1, 2});
    builder.node("Constant", {}, {"e"});
    onnx::AttributeProto& value = *builder.model().mutable_graph()->mutable_node()->rbegin()->add_attribute();
    value.set_name("value");
    value.set_type(onnx::AttributeProto::TENSOR);
    value.mutable_t()->set_data_type(onnx::TensorProto::BOOL);
    value.mutable_t()->add_dims(2);
    value.mutable_t()->add_int32_data(1);
    value.mutable_t()->add_int32_data(0);
    builder.node("Sum", {"x", "c", "d"}, {"s"}).node("Where", {"e", "s", "x"}, {"y"});
    builder.node("Mul", {"a", "b"}, {"z"}).output("y").output("z");
    const ReadGraph read = read_graph(builder);
    QCOMPARE(read.operators(), std::string("Sum Where Mul"));
    QCOMPARE(elements_of<std::int64_t>(read.value("a")), Integers{7});
    QVERIFY(read.value("a").shape.empty());
    QCOMPARE(elements_of<std::int64_t>(read.value("b")), (Integers{1, -2}));
    QCOMPARE(elements_of<float>(read.value("c")), std::vector<float>{0.5F});
    QCOMPARE(elements_of<float>(read.value("d")), (std::vector<float>{1, 2}));
    QCOMPARE(read.value("e").bytes, std::string("\1\0", 2));
    builder.node("Constant", {}, {"text"}, {{"value_string", std::string("a")}})
        .node("Identity", {"text"}, {"t"});
    verify_said(graph_error(builder.output("t")).message, "Constant (text: ");
  }

  void typed_fields_become_elements() {
    ModelBuilder builder;
    builder.input("x", {2}, f16);
    onnx::TensorProto& half = *builder.model().mutable_graph()->add_initializer();
    half.set_name("h");
    half.set_data_type(f16);
    half.add_dims(2);
    half.add_int32_data(0x3c00);
    half.add_int32_data(0xc000);
    builder.node("Add", {"x", "h"}, {"y"}).output("y");
    const ReadGraph read = read_graph(builder);
    QCOMPARE(elements_of<std::uint16_t>(read.value("h")), (std::vector<std::uint16_t>{0x3c00, 0xc000}));
    half.set_raw_data("\x01\x02\x03\x04");
    verify_said(graph_error(builder).message, "\"h\" cannot be read: its data stands in several fields");
  }

  void repeated_constants_are_one_element() {
    ModelBuilder builder(9);
    builder.input("x", {1000, 1000}).numbers("shape", {1000, 1000});
    builder.node("ConstantOfShape", {"shape"}, {"w"}).node("MatMul", {"x", "w"}, {"y"}).output("y");
    const ReadGraph read = read_graph(builder);
    QCOMPARE(read.operators(), std::string("MatMul"));
    QVERIFY(read.value("w").data == measure::ModelData::Repeated);
    QCOMPARE(read.value("w").bytes, std::string(4, '\0'));
    QCOMPARE(read.value("w").shape, (Integers{1000, 1000}));
  }

  void axes_become_inputs() {
    const ReadGraph squeeze = read_graph(unary(11, "Squeeze", {1, 4, 1}, {{"axes", Integers{0}}}));
    QCOMPARE(elements_of<std::int64_t>(squeeze.input("Squeeze", 1)), Integers{0});
    QCOMPARE(squeeze.value("y").shape, (Integers{4, 1}));
    const ReadGraph unsqueeze = read_graph(unary(11, "Unsqueeze", {4}, {{"axes", Integers{0, 2}}}));
    QCOMPARE(elements_of<std::int64_t>(unsqueeze.input("Unsqueeze", 1)), (Integers{0, 2}));
    QVERIFY(unsqueeze.attribute("Unsqueeze", "axes") == nullptr);
    QCOMPARE(unsqueeze.value("y").shape, (Integers{1, 4, 1}));
    const ReadGraph sum =
        read_graph(unary(11, "ReduceSum", {2, 3}, {{"axes", Integers{1}}, {"keepdims", 0}}));
    QCOMPARE(elements_of<std::int64_t>(sum.input("ReduceSum", 1)), Integers{1});
    QCOMPARE(sum.value("y").shape, Integers{2});
    const ReadGraph slice = read_graph(
        unary(9, "Slice", {8, 8}, {{"starts", Integers{1}}, {"ends", Integers{5}}, {"axes", Integers{1}}}));
    QCOMPARE(slice.value("y").shape, (Integers{8, 4}));
    QCOMPARE(elements_of<std::int64_t>(slice.input("Slice", 3)), Integers{1});
    const ReadGraph whole = read_graph(unary(11, "ReduceSum", {2, 3}));
    QCOMPARE(whole.node("ReduceSum").inputs.size(), std::size_t{1});
  }

  void axes_of_newer_sets_become_attributes() {
    for (const std::string operation : {"ReduceMean", "ReduceMax"}) {
      ModelBuilder builder(18);
      builder.input("x", {2, 3}).numbers("axes", {1});
      builder.node(operation, {"x", "axes"}, {"y"}, {{"keepdims", 0}}).output("y");
      const ReadGraph read = read_graph(builder);
      QCOMPARE(*read.attribute(operation, "axes")->integers, Integers{1});
      QCOMPARE(read.node(operation).inputs.size(), std::size_t{1});
      QCOMPARE(read.value("y").shape, Integers{2});
    }
    QCOMPARE(read_graph(unary(18, "ReduceMean", {2, 3}, {{"noop_with_empty_axes", 1}})).operators(),
             std::string("Identity"));
    ModelBuilder computed(18);
    computed.input("x", {2, 3}).input("axes", {1}, onnx::TensorProto::INT64);
    computed.node("ReduceMean", {"x", "axes"}, {"y"}, {}, "mean").output("y");
    verify_said(graph_error(computed).message, "ReduceMean (mean: its axes are computed)");
    ModelBuilder external(18);
    external.input("x", {2, 3}).numbers("axes", {1});
    external.model().mutable_graph()->mutable_initializer(0)->set_data_location(onnx::TensorProto::EXTERNAL);
    external.node("ReduceMean", {"x", "axes"}, {"y"}, {}, "mean").output("y");
    verify_said(graph_error(external).message, "its axes are in a file of external data");
  }

  void splits_have_their_lengths_as_input() {
    ModelBuilder old(11);
    old.input("x", {6, 2});
    old.node("Split", {"x"}, {"a", "b"}, {{"split", Integers{2, 4}}}).output("a");
    const ReadGraph read = read_graph(old);
    QCOMPARE(elements_of<std::int64_t>(read.input("Split", 1)), (Integers{2, 4}));
    QCOMPARE(read.value("b").shape, (Integers{4, 2}));
    ModelBuilder newer(18);
    newer.input("x", {7, 2}).node("Split", {"x"}, {"a", "b", "c"}, {{"num_outputs", 3}}).output("c");
    const ReadGraph uneven = read_graph(newer);
    QCOMPARE(elements_of<std::int64_t>(uneven.input("Split", 1)), (Integers{3, 3, 1}));
    QCOMPARE(uneven.value("c").shape, (Integers{1, 2}));
  }

  void limits_of_clips_become_inputs() {
    ModelBuilder builder = unary(6 + 1, "Clip", {4});
    add_float(builder, "max", 6);
    add_float(builder, "min", 0.5F);
    const ReadGraph read = read_graph(builder);
    QCOMPARE(elements_of<float>(read.input("Clip", 1)), std::vector<float>{0.5F});
    QCOMPARE(elements_of<float>(read.input("Clip", 2)), std::vector<float>{6});
    QVERIFY(read.node("Clip").attributes.empty());
    ModelBuilder upper = unary(7, "Clip", {4});
    add_float(upper, "max", 6);
    QCOMPARE(read_graph(upper).node("Clip").inputs.at(1), std::int64_t{-1});
    ModelBuilder half = unary(7, "Clip", {4}, {}, f16);
    add_float(half, "min", 0);
    const ReadGraph cast = read_graph(half);
    QCOMPARE(cast.operators(), std::string("Cast Clip"));
    QCOMPARE(cast.input("Clip", 1).type, static_cast<std::uint8_t>(graph::ElementType::F16));
  }

  void amounts_of_pads_are_for_all_dimensions() {
    ModelBuilder old = unary(9, "Pad", {2, 3}, {{"pads", Integers{0, 1, 2, 0}}});
    add_float(old, "value", 1);
    const ReadGraph read = read_graph(old);
    QCOMPARE(read.value("y").shape, (Integers{4, 4}));
    QCOMPARE(elements_of<float>(read.input("Pad", 2)), std::vector<float>{1});
    ModelBuilder newer(18);
    newer.input("x", {2, 3}).numbers("pads", {1, 4}).numbers("axes", {-1});
    newer.node("Pad", {"x", "pads", "", "axes"}, {"p"}).node("Relu", {"p"}, {"y"}).output("y");
    const ReadGraph axes = read_graph(newer);
    QCOMPARE(elements_of<std::int64_t>(axes.input("Pad", 1)), (Integers{0, 1, 0, 4}));
    QCOMPARE(axes.node("Pad").inputs.size(), std::size_t{2});
    QCOMPARE(axes.value("y").shape, (Integers{2, 8}));
    verify_said(graph_error(unary(19, "Pad", {2}, {{"mode", std::string("wrap")}})).message, "wrap");
  }

  /** A Reshape whose shape is an input; the Clip is converted, so that shapes are inferred twice. */
  void shapes_that_only_the_model_declares_stay_after_conversions() {
    ModelBuilder builder(7);
    builder.input("x", {6}).input("shape", {2}, onnx::TensorProto::INT64);
    builder.node("Reshape", {"x", "shape"}, {"r"}).declare("r", {2, 3});
    builder.node("Clip", {"r"}, {"y"});
    add_float(builder, "max", 6);
    const ReadGraph read = read_graph(builder.output("y"));
    QCOMPARE(read.operators(), std::string("Reshape Clip"));
    QCOMPARE(read.value("r").shape, (Integers{2, 3}));
    QCOMPARE(read.value("y").shape, (Integers{2, 3}));
  }

  void nodes_that_wait_for_shapes_may_follow_each_other() {
    constexpr int count = 40;
    ModelBuilder builder(18);
    builder.input("v0", {4, 3}).numbers("pads", {1, 0}).numbers("axes", {-2}).weight("w", {3, 3});
    for (int i = 0; i < count; ++i) {
      const std::string from = "v" + std::to_string(i);
      const std::string to = "v" + std::to_string(i + 1);
      builder.node("Pad", {from, "pads", "", "axes"}, {from + "p"});
      builder.node("FusedMatMul", {from + "p", "w"}, {from + "m"}, {{"transB", 1}}, {}, "com.microsoft");
      builder.node("Split", {from + "m"}, {from + "s", to}, {{"num_outputs", 2}, {"axis", 0}});
      builder.node("Concat", {from + "s", to}, {from + "c"}, {{"axis", 0}}).output(from + "c");
    }
    const ReadGraph read = read_graph(builder);
    QVERIFY(!read.operators().contains("FusedMatMul"));
    QCOMPARE(read.value("v0m").shape, (Integers{5, 3}));
    QCOMPARE(read.value("v0s").shape, (Integers{3, 3}));
    QCOMPARE(read.value("v1").shape, (Integers{2, 3}));
    QCOMPARE(read.value("v" + std::to_string(count)).shape, (Integers{1, 3}));
  }

  void old_softmax_is_over_all_inner_dimensions() {
    const ReadGraph inner = read_graph(unary(9, "Softmax", {2, 3, 4}));
    QCOMPARE(inner.operators(), std::string("Reshape Softmax Reshape"));
    QCOMPARE(inner.value(inner.node("Softmax").outputs.at(0)).shape, (Integers{2, 12}));
    QCOMPARE(inner.value("y").shape, (Integers{2, 3, 4}));
    const ReadGraph last = read_graph(unary(9, "Softmax", {2, 3}));
    QCOMPARE(last.operators(), std::string("Softmax"));
    QCOMPARE(*last.attribute("Softmax", "axis")->integer, std::int64_t{1});
    QCOMPARE(last.node("Softmax").attributes.size(), std::size_t{1});
    QCOMPARE(read_graph(unary(9, "Softmax", {2, 3, 1, 1})).operators(), std::string("Softmax"));
    QCOMPARE(read_graph(unary(13, "Softmax", {2, 3, 4})).operators(), std::string("Softmax"));
    QVERIFY(read_graph(unary(13, "Softmax", {2, 3, 4})).attribute("Softmax", "axis") == nullptr);
  }

  void upsamples_become_resizes() {
    ModelBuilder attribute = unary(8, "Upsample", {1, 1, 2, 2}, {{"mode", std::string("nearest")}});
    add_floats(attribute, "scales", {1, 1, 2, 3});
    const ReadGraph read = read_graph(attribute);
    QCOMPARE(read.operators(), std::string("Resize"));
    QCOMPARE(read.value("y").shape, (Integers{1, 1, 4, 6}));
    QCOMPARE(elements_of<float>(read.input("Resize", 2)), (std::vector<float>{1, 1, 2, 3}));
    QCOMPARE(read.node("Resize").inputs.at(1), std::int64_t{-1});
    QCOMPARE(*read.attribute("Resize", "coordinate_transformation_mode")->text, std::string("asymmetric"));
    QCOMPARE(*read.attribute("Resize", "nearest_mode")->text, std::string("floor"));
    ModelBuilder smaller = unary(8, "Upsample", {1, 1, 4, 4}, {{"mode", std::string("nearest")}});
    add_floats(smaller, "scales", {1, 1, 0.5F, 0.5F});
    verify_said(graph_error(smaller).message, "nearest elements for a smaller result");
    verify_said(graph_error(unary(11, "Resize", {1, 1, 2, 2}, {{"mode", std::string("cubic")}})).message,
                "its mode is cubic");
  }

  void training_is_refused() {
    ModelBuilder builder(9);
    builder.input("x", {1, 2, 4, 4});
    for (const std::string name : {"s", "b", "m", "v"}) builder.weight(name, {2});
    builder.node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y", "mean", "var"}, {}, "norm");
    add_float(builder, "momentum", 0.9F);
    builder.output("y");
    const ReadGraph read = read_graph(builder);
    QCOMPARE(read.node("BatchNormalization").outputs.size(), std::size_t{1});
    QVERIFY(read.attribute("BatchNormalization", "momentum") == nullptr);
    verify_said(graph_error(builder.output("mean")).message, "BatchNormalization (norm: it is for training)");
    ModelBuilder dropout(12);
    dropout.input("x", {2, 3}).weight("ratio", {}).input("train", {}, onnx::TensorProto::BOOL);
    dropout.node("Dropout", {"x", "ratio"}, {"d", "mask"}).output("d");
    QCOMPARE(read_graph(dropout).operators(), std::string("Identity"));
    dropout.node("Dropout", {"x", "", "train"}, {"y"}).output("y");
    verify_said(graph_error(dropout).message, "whether it is for training is computed");
  }

  void gelu_has_one_form() {
    QCOMPARE(*read_graph(unary(20, "Gelu", {2, 3}, {{"approximate", std::string("tanh")}}))
                  .attribute("Gelu", "approximate")
                  ->text,
             std::string("tanh"));
    ModelBuilder builder;
    builder.input("x", {2, 3}).node("Gelu", {"x"}, {"g"}, {}, {}, "com.microsoft");
    builder.node("FastGelu", {"g"}, {"y"}, {}, {}, "com.microsoft").output("y");
    const ReadGraph read = read_graph(builder);
    QCOMPARE(read.operators(), std::string("Gelu Gelu"));
    QCOMPARE(read.value("y").shape, (Integers{2, 3}));
    QVERIFY(read.attribute("Gelu", "approximate") == nullptr);
  }

  void fused_operators_are_taken_apart() {
    ModelBuilder builder;
    builder.input("x", {1, 3, 8, 8}).weight("w", {4, 3, 1, 1}).weight("b", {4}).weight("z", {1, 4, 8, 8});
    builder.node("FusedConv", {"x", "w", "b", "z"}, {"y"}, {{"activation", std::string("Relu")}}, "fused",
                 "com.microsoft");
    const ReadGraph read = read_graph(builder.output("y"));
    QCOMPARE(read.operators(), std::string("Conv Add Relu"));
    QCOMPARE(read.value("y").shape, (Integers{1, 4, 8, 8}));
    QCOMPARE(read.input("Add", 1).name, std::string("z"));
    ModelBuilder product;
    product.input("a", {5, 3, 4}).input("b", {5, 2, 4});
    product.node("FusedMatMul", {"a", "b"}, {"y"}, {{"transB", 1}}, {}, "com.microsoft");
    add_float(product, "alpha", 0.5F);
    const ReadGraph transposed = read_graph(product.output("y"));
    QCOMPARE(transposed.operators(), std::string("Transpose MatMul Mul"));
    QCOMPARE(transposed.value("y").shape, (Integers{5, 3, 2}));
    QCOMPARE(*transposed.attribute("Transpose", "perm")->integers, (Integers{0, 2, 1}));
  }

  void all_unsupported_nodes_are_named() {
    ModelBuilder body;
    body.node("Relu", {"x"}, {"inner"}).output("inner");
    ModelBuilder builder;
    builder.input("x", {4}).input("c", {}, onnx::TensorProto::BOOL);
    builder.node("NonZero", {"x"}, {"a"}, {}, "first").node("NonZero", {"x"}, {"b"}, {}, "second");
    builder.node("Foo", {"x"}, {"f"}, {}, {}, "my.domain");
    builder.node_with_bodies("If", {"c"}, {"i"}, {{"then_branch", body}, {"else_branch", body}}, {},
                             "choice");
    builder.node("Unread", {"x"}, {"u"});
    const Error error = graph_error(builder.output("a").output("b").output("f").output("i"));
    verify_said(error.message, "4 of its nodes");
    verify_said(error.message, "NonZero (first, second)");
    verify_said(error.message, "my.domain.Foo (f)");
    verify_said(error.message, "If (choice: control flow)");
    verify_said(error.hint, "can still be tuned");
    QVERIFY(!error.message.contains("Unread"));
  }

  void a_branch_that_is_known_becomes_nodes() {
    ModelBuilder then;
    then.weight("w", {4, 4}).node("MatMul", {"x", "w"}, {"inner"}).output("inner");
    ModelBuilder otherwise;
    otherwise.node("Relu", {"x"}, {"inner"}).output("inner");
    ModelBuilder builder;
    builder.input("x", {4, 4}).weight("w", {4});
    builder.node("Constant", {}, {"c"});
    onnx::AttributeProto& value = *builder.model().mutable_graph()->mutable_node()->rbegin()->add_attribute();
    value.set_name("value");
    value.set_type(onnx::AttributeProto::TENSOR);
    value.mutable_t()->set_data_type(onnx::TensorProto::BOOL);
    value.mutable_t()->add_int32_data(1);
    builder.node_with_bodies("If", {"c"}, {"y"}, {{"then_branch", then}, {"else_branch", otherwise}});
    builder.node("Add", {"y", "w"}, {"z"}).output("z");
    const ReadGraph read = read_graph(builder);
    QCOMPARE(read.operators(), std::string("MatMul Identity Add"));
    QCOMPARE(read.input("MatMul", 1).shape, (Integers{4, 4}));
    QCOMPARE(read.input("Add", 1).shape, Integers{4});
  }

  /** Exporters compute the shape of an Expand this way. */
  void computations_on_shapes_are_read() {
    ModelBuilder builder;
    builder.input("x", {3, 1}).numbers("one", {1}).numbers("minus", {-1}).numbers("wanted", {3, -1});
    builder.node("Equal", {"wanted", "minus"}, {"e"}).node("Neg", {"minus"}, {"n"});
    builder.node("Where", {"e", "n", "wanted"}, {"s"}).node("Expand", {"x", "s"}, {"y"}).output("y");
    builder.declare("y", {3, 1});
    QCOMPARE(read_graph(builder).operators(), std::string("Equal Neg Where Expand"));
  }

  void shapes_that_depend_on_data_are_named() {
    ModelBuilder builder;
    builder.input("x", {4, 4}).input("shape", {2}, onnx::TensorProto::INT64);
    builder.node("Reshape", {"x", "shape"}, {"r"}, {}, "reshape").node("Relu", {"r"}, {"y"}).output("y");
    const Error error = graph_error(builder);
    verify_said(error.message, "\"r\", a result of reshape (Reshape)");
    verify_said(error.hint, "--dim");
  }

  void types_without_numbers_are_named() {
    ModelBuilder builder;
    builder.input("x", {4}, onnx::TensorProto::STRING).node("Identity", {"x"}, {"y"}).output("y");
    verify_said(graph_error(builder).message, "\"x\", an input of the model, is not a tensor of numbers");
  }

  void hostile_models_are_errors() {
    ModelBuilder cycle;
    cycle.input("x", {4}).node("Add", {"x", "b"}, {"a"}, {}, "n1").node("Relu", {"a"}, {"b"}, {}, "n2");
    verify_said(graph_error(cycle.output("a")).message, "cycle");
    ModelBuilder twice;
    twice.input("x", {4}).weight("w", {4}).weight("w", {4}).node("Add", {"x", "w"}, {"y"});
    verify_said(graph_error(twice.output("y")).message, "two constants are named \"w\"");
    ModelBuilder shadow;
    shadow.input("x", {4}).weight("w", {4}).node("Relu", {"x"}, {"w"}).node("Add", {"x", "w"}, {"y"});
    verify_said(graph_error(shadow.output("y")).message, "two tensors are named \"w\"");
    ModelBuilder nothing;
    verify_said(graph_error(nothing.input("x", {4}).output("y")).message, "nothing gives its output \"y\"");
    ModelBuilder dangling;
    dangling.input("x", {4}).node("Add", {"x", "gone"}, {"y"}, {}, "n").output("y");
    verify_said(graph_error(dangling).message, "\"gone\"");
    verify_said(graph_error(unary(6, "Relu", {4})).message, "version 6");
    ModelBuilder large;
    large.input("x", {4});
    std::string before = "x";
    for (int i = 0; i < 100'001; ++i) {
      const std::string name = "t" + std::to_string(i);
      large.node("Relu", {before}, {name});
      before = name;
    }
    verify_said(graph_error(large.output(before)).message, "at most 100000");
  }

  void an_input_with_a_default_is_a_constant() {
    ModelBuilder builder;
    builder.input("x", {4}).input("w", {4}).weight("w", {4}).node("Add", {"x", "w"}, {"y"}).output("y");
    const ReadGraph read = read_graph(builder);
    QCOMPARE(read.graph.inputs.size(), std::size_t{1});
    QVERIFY(read.value("w").data == measure::ModelData::Bytes);
  }
};

KERNELSCAPE_PLAIN_TEST(OnnxGraphTest)

}  // namespace kernelscape::onnx_graph_test
#include "onnx_graph_test.moc"
