#include <QTest>

#include "tests/onnx/model_builder.h"
#include "tests/onnx/model_reading.h"
#include "tests/test_program.h"

namespace kernelscape::onnx_quantised_test {
using kernelscape::testing::Attributes;
using kernelscape::testing::find_operator;
using kernelscape::testing::ModelBuilder;
using kernelscape::testing::read;
using kernelscape::testing::tasks_of;
using kernelscape::testing::verify_said;

namespace {

using Numbers = std::vector<std::int64_t>;
using onnx::TensorProto;

/** x and w, each quantised and dequantised, w with a scale for each element along an axis. */
struct Quantised {
  Numbers data;
  Numbers weight;
  std::int64_t axis = 0;
  int data_type = TensorProto::UINT8;
  int weight_type = TensorProto::INT8;
};

ModelBuilder quantised(const Quantised& of) {
  ModelBuilder builder(17);
  builder.input("x", {of.data.begin(), of.data.end()}).weight("s", {}).weight("z", {}, of.data_type);
  builder.weight("wq", of.weight, of.weight_type);
  const Numbers scales{of.axis < 0 ? 1 : of.weight[static_cast<std::size_t>(of.axis)]};
  builder.weight("ws", scales).weight("wz", scales, of.weight_type);
  builder.node("QuantizeLinear", {"x", "s", "z"}, {"xq"}).node("DequantizeLinear", {"xq", "s", "z"}, {"xd"});
  builder.node("DequantizeLinear", {"wq", "ws", "wz"}, {"wd"},
               {{"axis", std::max<std::int64_t>(of.axis, 0)}});
  return builder;
}

std::string only_task(ModelBuilder& builder) {
  const measure::ModelReply reply = read(builder.request());
  if (reply.layers.size() != 1) qFatal("%zu layers", reply.layers.size());
  return reply.layers.front().task;
}

}  // namespace

/** QuantizeLinear and DequantizeLinear around a layer, as quantizers write int8. */
class OnnxQuantisedTest : public QObject {
  Q_OBJECT

 private slots:
  void a_convolution_is_one_int8_layer() {
    ModelBuilder builder = quantised({{1, 16, 28, 28}, {32, 16, 3, 3}, 0});
    builder.node("Conv", {"xd", "wd"}, {"y"}, {{"pads", Numbers{1, 1, 1, 1}}});
    builder.node("QuantizeLinear", {"y", "s", "z"}, {"yq"}).node("DequantizeLinear", {"yq", "s", "z"}, {"o"});
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(tasks_of(reply),
             std::vector<std::string>{"conv2d 1x16x28x28 32x16x3x3 stride=1 pad=1 dilation=1 groups=1 i8"});
    QVERIFY(reply.layers.front().second.constant);
    verify_said(reply.notices.front(), "1 layer is int8");
  }

  void other_operators_are_int8_layers() {
    ModelBuilder transposed = quantised({{1, 8, 14, 14}, {8, 4, 4, 4}, 1});
    transposed.node("ConvTranspose", {"xd", "wd"}, {"y"});
    QCOMPARE(only_task(transposed),
             std::string("conv2d 1x8x14x14 8x4x4x4 stride=1 pad=0 dilation=1 groups=1 transposed i8"));
    ModelBuilder gemm = quantised({{5, 16}, {7, 16}, 0});
    gemm.node("Gemm", {"xd", "wd"}, {"y"}, {{"transB", 1}});
    QCOMPARE(only_task(gemm), std::string("matmul 5x16 7x16 transpose_b i8"));
    ModelBuilder matmul = quantised({{3, 5, 16}, {16, 7}, 1});
    matmul.node("MatMul", {"xd", "wd"}, {"y"});
    QCOMPARE(only_task(matmul), std::string("matmul 15x16 16x7 i8"));
    ModelBuilder einsum = quantised({{5, 16}, {7, 16}, 0});
    einsum.node("Einsum", {"xd", "wd"}, {"y"}, {{"equation", std::string("ij,kj->ik")}});
    QCOMPARE(only_task(einsum), std::string("matmul 5x16 7x16 transpose_b i8"));
  }

  /** As PyTorch exports a linear layer, and with weights that are quantised in the model. */
  void weights_may_be_moved_or_quantised_in_the_model() {
    ModelBuilder moved = quantised({{5, 16}, {7, 16}, 0});
    moved.node("Transpose", {"wd"}, {"wt"}, {{"perm", Numbers{1, 0}}}).node("MatMul", {"xd", "wt"}, {"y"});
    QCOMPARE(only_task(moved), std::string("matmul 5x16 16x7 i8"));
    ModelBuilder inside = quantised({{5, 16}, {16, 7}, -1});
    inside.weight("wf", {16, 7}).node("QuantizeLinear", {"wf", "ws", "wz"}, {"wfq"});
    inside.node("DequantizeLinear", {"wfq", "ws", "wz"}, {"wfd"}).node("MatMul", {"xd", "wfd"}, {"y"});
    QCOMPARE(only_task(inside), std::string("matmul 5x16 16x7 i8"));
  }

  void mixtures_without_int8_tasks_are_named() {
    for (const auto& [data, weight] : {std::pair{TensorProto::INT8, TensorProto::INT8},
                                       {TensorProto::UINT8, TensorProto::UINT8},
                                       {TensorProto::INT8, TensorProto::UINT8}}) {
      ModelBuilder builder = quantised({{1, 16, 9, 9}, {32, 16, 3, 3}, 0, data, weight});
      builder.node("Conv", {"xd", "wd"}, {"y"});
      const measure::ModelReply reply = read(builder.request());
      QVERIFY(reply.layers.empty());
      const measure::ModelOperator* conv = find_operator(reply, "Conv");
      verify_said(conv->reason, "int8 tasks have UINT8 data and INT8 weights");
      QCOMPARE(conv->flops, 2.0 * 32 * 7 * 7 * 16 * 9);
    }
  }

  /** A scale along a summed dimension cannot be taken out of the sums: such a layer runs in floating point.
   */
  void what_is_no_sum_of_int8_stays_floating_point() {
    ModelBuilder along_sums = quantised({{1, 16, 9, 9}, {32, 16, 3, 3}, 1});
    along_sums.node("Conv", {"xd", "wd"}, {"y"});
    QVERIFY(only_task(along_sums).ends_with("f32"));
    ModelBuilder weights_only = quantised({{1, 16, 9, 9}, {32, 16, 3, 3}, 0});
    weights_only.node("Conv", {"x", "wd"}, {"y"});
    QVERIFY(only_task(weights_only).ends_with("f32"));
    ModelBuilder rectified = quantised({{1, 16, 9, 9}, {32, 16, 3, 3}, 0});
    rectified.node("Sigmoid", {"xd"}, {"r"}).node("Conv", {"r", "wd"}, {"y"});
    QVERIFY(only_task(rectified).ends_with("f32"));
  }
};

KERNELSCAPE_PLAIN_TEST(OnnxQuantisedTest)

}  // namespace kernelscape::onnx_quantised_test
#include "onnx_quantised_test.moc"
