#include <QDir>
#include <QFile>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/onnx/proto_graph.h"
#include "tests/test_program.h"

namespace kernelscape::onnx_node_tests_test {

namespace {

using graph::ElementType;
using graph::Tensor;

/** Values by their names; without a tensor if the name stands for something else. */
using NamedTensors = std::map<std::string, std::optional<Tensor>>;

/** What became of one case: left_out says why it could not run, failure how its result differs. */
struct CaseResult {
  std::string left_out;
  std::string failure;
  bool refused = false;  ///< the failure is an error, not another result
};

/** The operator set whose semantics the interpreter has. Cases of newer ones run too, where it knows them. */
constexpr std::int64_t newest_operator_set = 17;

std::int64_t operator_set(const onnx::ModelProto& model) {
  for (const onnx::OperatorSetIdProto& set : model.opset_import())
    if (set.domain().empty()) return set.version();
  return 0;
}

/** Returns a message that a file holds; nullopt if it cannot be read. */
template <typename Message>
std::optional<Message> read_message(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
  const QByteArray bytes = file.readAll();
  Message message;
  if (!message.ParseFromArray(bytes.constData(), static_cast<int>(bytes.size()))) return std::nullopt;
  return message;
}

bool is_tensor(const onnx::ValueInfoProto& value) {
  return value.type().has_tensor_type() &&
         testing::element_type(value.type().tensor_type().elem_type()).has_value();
}

/** Reads the tensors input_0.pb, ... or output_0.pb, ... of a case. */
std::optional<NamedTensors> read_tensors(
    const QString& folder, const QString& kind,
    const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& values) {
  NamedTensors tensors;
  for (int i = 0; i < values.size(); ++i) {
    if (!is_tensor(values[i])) return std::nullopt;
    const QString path = QStringLiteral("%1/test_data_set_0/%2_%3.pb").arg(folder, kind).arg(i);
    auto message = read_message<onnx::TensorProto>(path);
    // ONNX 1.12 writes bf16 tensors as u16.
    if (message && values[i].type().tensor_type().elem_type() == onnx::TensorProto::BFLOAT16)
      message->set_data_type(onnx::TensorProto::BFLOAT16);
    tensors[values[i].name()] = message ? testing::tensor_of(*message) : std::nullopt;
    if (!tensors[values[i].name()]) return std::nullopt;
  }
  return tensors;
}

/** Computes one node of a case from the tensors known so far, and adds its results to them. */
CaseResult run_node(const onnx::NodeProto& source, NamedTensors& tensors) {
  auto converted = testing::converted_node(source);
  if (!converted) return {"an attribute is a graph, a text tensor or a type", {}};
  std::vector<const Tensor*> inputs;
  for (const std::string& name : source.input()) {
    const auto found = tensors.find(name);
    inputs.push_back(name.empty() || found == tensors.end() ? nullptr : &*found->second);
  }
  for (const Tensor& tensor : converted->tensors) inputs.push_back(&tensor);
  for (int i = 0; i < source.output_size(); ++i)
    converted->node.outputs.push_back(source.output(i).empty() ? graph::absent : static_cast<std::size_t>(i));
  const auto results = graph::evaluate(converted->node, inputs);
  if (!results && results.error().code == ErrorCode::NotFound) return {"operator " + source.op_type(), {}};
  if (!results) return {{}, describe(results.error()), true};
  if (static_cast<int>(results->size()) < source.output_size())
    return {{}, source.op_type() + " has too few results"};
  for (int i = 0; i < source.output_size(); ++i)
    tensors[source.output(i)] = (*results)[static_cast<std::size_t>(i)];
  return {};
}

/** Returns how far a result may be from the expected one, relative to it. */
double tolerance_of(ElementType type) {
  // An ulp of the narrow types, in which the expected results were rounded; others as the node tests have it.
  if (type == ElementType::F16) return std::ldexp(1, -10);
  if (type == ElementType::BF16) return std::ldexp(1, -7);
  return type == ElementType::F32 || type == ElementType::F64 ? 1e-4 : 0;
}

std::string difference(const Tensor& expected, const Tensor& result) {
  if (result.type != expected.type)
    return "type " + to_string(result.type) + " in place of " + to_string(expected.type);
  if (result.shape != expected.shape || result.elements.size() != expected.elements.size())
    return "another shape";
  const double tolerance = tolerance_of(expected.type);
  for (std::size_t i = 0; i < result.elements.size(); ++i) {
    const double a = result.elements[i];
    const double b = expected.elements[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (!(std::abs(a - b) <= tolerance * std::abs(b) + (tolerance > 0 ? 1e-6 : 0)))
      return "element " + std::to_string(i) + " is " + std::to_string(a) + " in place of " +
             std::to_string(b);
  }
  return {};
}

CaseResult run_case(const QString& folder) {
  const auto model = read_message<onnx::ModelProto>(folder + QStringLiteral("/model.onnx"));
  if (!model) return {{}, "model.onnx cannot be read"};
  auto tensors = read_tensors(folder, QStringLiteral("input"), model->graph().input());
  const auto expected = read_tensors(folder, QStringLiteral("output"), model->graph().output());
  if (!tensors || !expected) return {"an input or output is no tensor of numbers", {}};
  for (const onnx::TensorProto& constant : model->graph().initializer())
    tensors->emplace(constant.name(), testing::tensor_of(constant));
  for (const onnx::NodeProto& node : model->graph().node()) {
    CaseResult result = run_node(node, *tensors);
    if (result.refused && operator_set(*model) > newest_operator_set)
      return {"refused, of an operator set after 17", {}};
    if (!result.left_out.empty() || !result.failure.empty()) return result;
  }
  for (const auto& [name, tensor] : *expected) {
    const std::string found = difference(*tensor, (*tensors)[name].value_or(Tensor{}));
    if (!found.empty()) return {{}, name + ": " + found};
  }
  return {};
}

/** Cases of known operators that do not pass; core/graph/README.md says why. */
const std::set<std::string>& exceptions() {
  static const std::set<std::string> names = {
      "test_batchnorm_epsilon_training_mode",
      "test_batchnorm_example_training_mode",
      "test_blackmanwindow_expanded",
      "test_blackmanwindow_symmetric_expanded",
      "test_dynamicquantizelinear_expanded",
      "test_hammingwindow_expanded",
      "test_hammingwindow_symmetric_expanded",
      "test_hannwindow_expanded",
      "test_hannwindow_symmetric_expanded",
      "test_qlinearmatmul_2D_int8_float16",
      "test_qlinearmatmul_2D_int8_float32",
      "test_qlinearmatmul_3D_int8_float16",
      "test_qlinearmatmul_3D_int8_float32",
      "test_resize_downsample_scales_cubic_align_corners",
      "test_resize_downsample_scales_linear_align_corners",
      "test_training_dropout",
      "test_training_dropout_default",
      "test_training_dropout_default_mask",
      "test_training_dropout_mask",
  };
  return names;
}

}  // namespace

class OnnxNodeTestsTest : public QObject {
  Q_OBJECT

 private slots:
  void every_case_of_a_known_operator_passes() {
    // Another folder for the node tests of another version of ONNX.
    const QDir cases(qEnvironmentVariable("KERNELSCAPE_NODE_TESTS",
                                          QStringLiteral("/usr/share/libonnx-testdata/data/node")));
    if (!cases.exists()) QSKIP("libonnx-testdata is not installed");
    int passed = 0;
    int failed = 0;
    std::map<std::string, int> left_out;
    for (const QString& name : cases.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
      const CaseResult result = run_case(cases.filePath(name));
      if (!result.left_out.empty()) {
        ++left_out[result.left_out];
      } else if (exceptions().contains(name.toStdString())) {
        ++left_out["named as an exception"];
      } else if (result.failure.empty()) {
        ++passed;
      } else {
        ++failed;
        qWarning("%s: %s", qPrintable(name), result.failure.c_str());
      }
    }
    for (const auto& [reason, count] : left_out) qInfo("%d cases left out: %s", count, reason.c_str());
    qInfo("%d cases passed", passed);
    QCOMPARE(failed, 0);
    QVERIFY(passed > 600);
  }
};

KERNELSCAPE_PLAIN_TEST(OnnxNodeTestsTest)

}  // namespace kernelscape::onnx_node_tests_test
#include "onnx_node_tests_test.moc"
