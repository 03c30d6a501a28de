#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <array>

#include "core/exchange/model/model_library.h"
#include "core/exchange/model/strided_loops.h"
#include "core/graph/layer_task.h"
#include "tests/exchange/export_support.h"
#include "tests/exchange/random_model.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_model_operators_test {
using namespace kernelscape::exchange_tests;
using namespace kernelscape::testing;

namespace {

using Integers = std::vector<std::int64_t>;
using Attributes = std::map<std::string, graph::Attribute>;
using Kernels = std::vector<exchange::ExportedKernel>;

constexpr const char* check_line =
    "cc -std=gnu11 -O1 -march=native -Wall -Wextra -Werror -fsanitize=address,undefined "
    "-fno-sanitize-recover -o check check.c made.c $(ls layer_*.c) -lm -pthread && ./check --tolerance 1e-5";

/** Writes a graph's library into a folder. */
void write_library(const graph::Graph& graph, const QString& folder, const Kernels& tuned = {}) {
  const Result<exchange::ModelReference> reference = exchange::make_model_reference(graph, 1);
  if (!reference) throw std::runtime_error(describe(reference.error()));
  const Result<exchange::ModelLibrary> library =
      exchange::make_model_library(graph, "made", tuned, this_machine(), *reference);
  if (!library) throw std::runtime_error(describe(library.error()));
  const Status written = exchange::write_model_library(*library, folder.toStdString(), false);
  if (!written) throw std::runtime_error(describe(written.error()));
}

/** Returns the message with which a library is refused; empty if it is not. */
std::string refusal(const graph::Graph& graph, const Kernels& tuned = {}) {
  const exchange::ModelReference reference{std::vector<graph::Tensor>(graph.inputs.size()),
                                           std::vector<graph::Tensor>(graph.outputs.size())};
  const auto library = exchange::make_model_library(graph, "made", tuned, this_machine(), reference);
  return library ? "" : library.error().message;
}

/** Returns the message with which one node of operands of a type is refused. */
std::string refusal_of_node(const std::string& operation, graph::ElementType type, const graph::Shape& result,
                            const std::vector<graph::Shape>& others = {}, const Attributes& attributes = {}) {
  base::Random random(1);
  ModelBuilder made(random);
  std::vector<std::size_t> inputs{made.input("x", {1, 4, 8, 8}, type)};
  for (const graph::Shape& shape : others)
    inputs.push_back(shape.empty() ? graph::absent : made.weights(shape, 0, 2));
  made.graph.outputs = {made.node(operation, inputs, result, attributes, {}, type)};
  return refusal(made.graph);
}

/** Returns a kernel of the node's task whose result has its channels in blocks of a size. */
exchange::ExportedKernel kernel_in_blocks(const graph::Graph& graph, std::size_t node, std::int64_t block,
                                          base::Random& random) {
  const Result<graph::LayerTask> layer = graph::layer_task(graph, graph.nodes[node]);
  if (!layer) throw std::runtime_error(describe(layer.error()));
  for (int draw = 0; draw < 2000; ++draw) {
    exchange::ExportedKernel kernel = exported(random_measured(layer->task, "conv2d-nchwc", random));
    if (exchange::channel_block(kernel.source.arguments[2].layout) == block) return kernel;
  }
  throw std::runtime_error("no kernel with these blocks was drawn");
}

}  // namespace

class ExchangeModelOperatorsTest : public QObject {
  Q_OBJECT

 private slots:
  void imagesAreResizedInEveryMode();
  void unknownModesOfResizeAreRefused();
  void rowsOfEveryLengthAreNormalised();
  void rowsAndWindowsOfOtherTypesAreRefused();
  void blocksOfDifferentSizesMeet();
  void computedWeightsHaveNoKernelOfWinograd();
  void partsOfPaddedChannelsAreRead();
  void numbersThatAreNoneStay();
  void tablesFromAFileAreBounded();
  void namesOfTensorsControlNoTerminal();
  void librariesWorkWithoutThreads();
  void namesOfLibrariesMeetNoOthers();
  void kernelsOfLargerInstructionSetsDoNotRun();
  void stepsHaveTheFlagsOfNoKernel();
};

void ExchangeModelOperatorsTest::imagesAreResizedInEveryMode() {
  base::Random random(random_seed());
  const graph::Graph graph = resized_model(random);
  QTemporaryDir folder;
  write_library(graph, folder.path() + "/made");
  const ShellResult checked = shell(
      folder.path() + "/made",
      "cc -std=gnu11 -O1 -Wall -Wextra -Werror -o check check.c made.c -lm -pthread && ./check --tolerance "
      "1e-5");
  QVERIFY2(checked.code == 0, checked.output.c_str());
}

void ExchangeModelOperatorsTest::unknownModesOfResizeAreRefused() {
  const auto resized = [](const Attributes& attributes) {
    return refusal_of_node("Resize", graph::ElementType::F32, {1, 4, 8, 8}, {{}, {4}}, attributes);
  };
  for (const char* mode : {"tf_crop_and_resize", "of the future"}) {
    const std::string why = resized({{"coordinate_transformation_mode", std::string(mode)}});
    QVERIFY2(why.contains(mode), why.c_str());
  }
  QVERIFY(resized({{"nearest_mode", std::string("of the future")}}).contains("of the future"));
  QVERIFY(resized({{"mode", std::string("cubic")}}).contains("cubic"));
}

void ExchangeModelOperatorsTest::rowsOfEveryLengthAreNormalised() {
  base::Random random(random_seed());
  ModelBuilder m(random);
  // Loops take 16 elements at a time, and add up 2,048 in single precision.
  for (const std::int64_t length : {1, 15, 16, 17, 50, 2048, 4200}) {
    const graph::Shape shape{2, 3, length};
    const std::size_t x = m.input(fmt::format("x{}", length), shape);
    for (const std::int64_t axis : {1, 2})
      for (const char* operation : {"Softmax", "LogSoftmax"})
        m.graph.outputs.push_back(m.node(operation, {x}, shape, {{"axis", axis}}));
    m.graph.outputs.push_back(m.node("LayerNormalization",
                                     {x, m.weights({length}, 1), m.weights({length}, 1)}, shape,
                                     {{"axis", std::int64_t{2}}}));
    m.graph.outputs.push_back(
        m.node("InstanceNormalization", {x, m.weights({3}, 1), m.weights({3}, 1)}, shape));
  }
  QTemporaryDir folder;
  write_library(m.graph, folder.path() + "/made");
  const ShellResult checked =
      shell(folder.path() + "/made",
            "cc -std=gnu11 -O3 -fno-math-errno -fno-trapping-math -march=native -Wall -Wextra -Werror "
            "-fsanitize=address,undefined -fno-sanitize-recover -o check check.c made.c -lm -pthread && "
            "./check --tolerance 1e-5");
  QVERIFY2(checked.code == 0, checked.output.c_str());
}

void ExchangeModelOperatorsTest::rowsAndWindowsOfOtherTypesAreRefused() {
  const graph::Shape shape{1, 4, 8, 8};
  for (const graph::ElementType type : {graph::ElementType::F64, graph::ElementType::I64}) {
    const std::string name(graph::to_string(type));
    const Attributes window{{"kernel_shape", Integers{1, 1}}};
    for (const std::string& why :
         {refusal_of_node("MaxPool", type, shape, {}, window),
          refusal_of_node("AveragePool", type, shape, {}, window), refusal_of_node("Softmax", type, shape),
          refusal_of_node("LogSoftmax", type, shape), refusal_of_node("LRN", type, shape),
          refusal_of_node("LayerNormalization", type, shape, {{8}}),
          refusal_of_node("InstanceNormalization", type, shape, {{4}, {4}}),
          refusal_of_node("Resize", type, {2, 8, 16, 16}, {{}, {4}})})
      QVERIFY2(why.contains("type " + name), why.c_str());
  }
}

void ExchangeModelOperatorsTest::blocksOfDifferentSizesMeet() {
  base::Random random(random_seed());
  ModelBuilder m(random);
  const std::size_t x = m.input("image", {1, 8, 6, 6});
  const std::size_t a = m.convolution(x, 48, 3, 1);
  const std::size_t b = m.convolution(x, 48, 1, 1);
  const std::size_t rows =
      m.node("ReduceMean", {b}, {1, 48, 6, 1}, {{"axes", Integers{3}}, {"keepdims", std::int64_t{1}}});
  const std::size_t pixel = m.node("GlobalAveragePool", {b}, {1, 48, 1, 1});
  const std::size_t scaled = m.node("Mul", {a, pixel}, {1, 48, 6, 6});
  const std::size_t by_rows = m.node("Mul", {a, rows}, {1, 48, 6, 6});
  const std::size_t other = m.node("GlobalAveragePool", {a}, {1, 48, 1, 1});
  const std::size_t sum = m.node("Add", {pixel, other}, {1, 48, 1, 1});
  // The channels begin within a block.
  const std::size_t padded = m.node("Pad", {b, m.integers({0, 2, 0, 0, 0, 14, 0, 0})}, {1, 64, 6, 6});
  m.graph.outputs = {scaled, by_rows, sum, padded};
  const Kernels tuned{kernel_in_blocks(m.graph, 0, 12, random), kernel_in_blocks(m.graph, 1, 16, random)};
  QTemporaryDir folder;
  write_library(m.graph, folder.path() + "/made", tuned);
  const ShellResult checked = shell(folder.path() + "/made", check_line);
  QVERIFY2(checked.code == 0, checked.output.c_str());
}

void ExchangeModelOperatorsTest::computedWeightsHaveNoKernelOfWinograd() {
  base::Random random(random_seed());
  ModelBuilder m(random);
  const std::size_t x = m.input("x", {1, 4, 8, 8});
  const std::size_t weights = m.input("weights", {4, 4, 3, 3});
  m.graph.outputs = {m.node("Conv", {x, weights}, {1, 4, 8, 8}, {{"pads", Integers{1, 1, 1, 1}}})};
  const Result<graph::LayerTask> layer = graph::layer_task(m.graph, m.graph.nodes[0]);
  QVERIFY(layer.has_value());
  const Kernels tuned{exported(random_measured(layer->task, "conv2d-winograd-2x2", random))};
  QTemporaryDir folder;
  write_library(m.graph, folder.path() + "/made", tuned);
  const ShellResult checked = shell(folder.path() + "/made", check_line);
  QVERIFY2(checked.code == 0, checked.output.c_str());
}

void ExchangeModelOperatorsTest::partsOfPaddedChannelsAreRead() {
  base::Random random(random_seed());
  ModelBuilder m(random);
  // With 16 lanes the channels fill a block and a half: the layer after them reads them with gaps.
  const std::size_t x = m.convolution(m.input("x", {1, 16, 6, 6}), 24, 1, 1, 1);
  const std::size_t first = m.value("first", {1, 12, 6, 6});
  const std::size_t second = m.value("second", {1, 12, 6, 6});
  m.graph.nodes.push_back({.name = "Split",
                           .operation = "Split",
                           .inputs = {x, m.integers({12, 12})},
                           .outputs = {first, second},
                           .attributes = {{"axis", std::int64_t{1}}},
                           .epilogue = {}});
  m.graph.outputs = {first, second, m.convolution(x, 24, 1, 1, 1)};
  QTemporaryDir folder;
  write_library(m.graph, folder.path() + "/made");
  const ShellResult checked = shell(folder.path() + "/made", check_line);
  QVERIFY2(checked.code == 0, checked.output.c_str());
}

void ExchangeModelOperatorsTest::numbersThatAreNoneStay() {
  base::Random random(random_seed());
  ModelBuilder m(random);
  const std::size_t x = m.input("x", {1, 40});
  const std::size_t whole = m.input("whole", {40}, graph::ElementType::I64);
  const std::size_t logarithm = m.node("Log", {x}, {1, 40});  // of negative numbers: not a number
  std::vector<std::size_t> operands{m.weights({40}), logarithm};
  while (operands.size() < 40) operands.push_back(m.weights({40}));
  for (const char* operation : {"Max", "Min"}) {
    m.graph.outputs.push_back(m.node(operation, operands, {1, 40}));
    m.graph.outputs.push_back(
        m.node(operation, {whole, m.integers(Integers(40, 1))}, {40}, {}, {}, graph::ElementType::I64));
  }
  m.graph.outputs.push_back(m.node("Relu", {logarithm}, {1, 40}));
  m.graph.outputs.push_back(
      m.node("Clip", {logarithm, m.weights({}, 0, -1), m.weights({}, 0, -0.5)}, {1, 40}));
  QTemporaryDir folder;
  write_library(m.graph, folder.path() + "/made");
  const ShellResult checked = shell(
      folder.path() + "/made",
      "cc -std=gnu11 -O3 -march=native -fno-math-errno -fno-trapping-math -Wall -Wextra -Werror -o check "
      "check.c made.c -lm -pthread && ./check --tolerance 1e-5");
  QVERIFY2(checked.code == 0, checked.output.c_str());
}

void ExchangeModelOperatorsTest::tablesFromAFileAreBounded() {
  base::Random random(1);
  const graph::Graph graph = resized_model(random);
  QTemporaryDir temporary;
  const QString folder = temporary.path() + "/made";
  write_library(graph, folder);
  write_text(folder + "/bounded.c",
             "#include \"made_operators.h\"\n"
             "int main(void) {\n"
             "  const int32_t table[] = {INT32_MIN, INT32_MAX};\n"
             "  const float share[] = {0, 1};\n"
             "  const float data[] = {1, 2, 3};\n"
             "  float result[2];\n"
             "  op_resize_axis(0, 1, 1, 3, 2, 1, table, table, share, data, result);\n"
             "  return result[0] == 1 && result[1] == 3 ? 0 : 1;\n"
             "}\n");
  const ShellResult run =
      shell(folder, "cc -std=gnu11 -O1 -fsanitize=address,undefined -o bounded bounded.c -lm && ./bounded");
  QVERIFY2(run.code == 0, run.output.c_str());
}

void ExchangeModelOperatorsTest::namesOfTensorsControlNoTerminal() {
  base::Random random(1);
  ModelBuilder m(random);
  m.graph.outputs = {m.node("Relu", {m.input("x", {1, 8})}, {1, 8})};
  m.graph.values[m.graph.outputs[0]].name = "red \x1b[31m\xc2\x9b";
  QTemporaryDir folder;
  write_library(m.graph, folder.path() + "/made");
  const ShellResult checked =
      shell(folder.path() + "/made", "cc -std=gnu11 -O1 -o check check.c made.c -lm -pthread && ./check");
  QVERIFY2(checked.code == 0, checked.output.c_str());
  QVERIFY2(checked.output.contains("red \\x1b[31m\\xc2\\x9b"), checked.output.c_str());
  QVERIFY(!checked.output.contains('\x1b'));
}

void ExchangeModelOperatorsTest::librariesWorkWithoutThreads() {
  base::Random random(1);
  ModelBuilder m(random);
  m.graph.outputs = {m.node("Relu", {m.input("x", {1, 8})}, {1, 8})};
  QTemporaryDir temporary;
  const QString folder = temporary.path() + "/made";
  write_library(m.graph, folder);
  const ShellResult checked =
      shell(folder,
            "cc -std=gnu11 -O1 -Wall -Wextra -Werror -Dmade_NO_THREADS -o check check.c made.c -lm && "
            "./check --threads 4");
  QVERIFY2(checked.code == 0, checked.output.c_str());
  QVERIFY(text_of(folder + "/CMakeLists.txt").contains("option(made_NO_THREADS "));
}

void ExchangeModelOperatorsTest::namesOfLibrariesMeetNoOthers() {
  QCOMPARE(exchange::model_library_name("mobilenet.onnx"), std::string("mobilenet"));
  for (const char* letters : {"start", "stop", "join", "find", "read", "pthread", "timer", "sem", "mtx",
                              "thrd", "R", "model", "bench"}) {
    const std::string word = letters;
    const std::string name = exchange::model_library_name(word + ".onnx");
    QVERIFY2(name != word && name.starts_with(word), name.c_str());
  }
}

void ExchangeModelOperatorsTest::kernelsOfLargerInstructionSetsDoNotRun() {
  const auto described = [](const char* isa, std::vector<std::string> extensions = {}) {
    schedule::TargetDescription target;
    target.isa = isa;
    target.extensions = std::move(extensions);
    return target;
  };
  const std::array<schedule::TargetDescription, 4> x86{
      described("sse2"), described("avx2"), described("avx512"), described("avx512", {"avx512_vnni"})};
  for (std::size_t machine = 0; machine < x86.size(); ++machine)
    for (std::size_t kernel = 0; kernel < x86.size(); ++kernel)
      QCOMPARE(exchange::has_instructions_of(x86[machine], x86[kernel]), kernel <= machine);
  QVERIFY(!exchange::has_instructions_of(described("avx512"), described("neon")));
  QVERIFY(!exchange::has_instructions_of(described("neon"), described("sse2")));
  QVERIFY(exchange::has_instructions_of(described("neon"), described("neon")));
  QVERIFY(!exchange::has_instructions_of(described("avx512"), described("")));
  schedule::TargetDescription gpu = described("avx2");
  gpu.kind = schedule::TargetKind::Cuda;
  QVERIFY(!exchange::has_instructions_of(described("avx512"), gpu));
}

void ExchangeModelOperatorsTest::stepsHaveTheFlagsOfNoKernel() {
  base::Random random(random_seed());
  ModelBuilder m(random);
  m.graph.outputs = {m.convolution(m.input("x", {1, 4, 8, 8}), 8, 3, 1)};
  const Result<graph::LayerTask> layer = graph::layer_task(m.graph, m.graph.nodes[0]);
  QVERIFY(layer.has_value());
  exchange::MeasuredConfiguration measured = random_measured(layer->task, "conv2d-nchwc", random);
  measured.target.flags = {"-O2", "-march=skylake-avx512"};
  QTemporaryDir folder;
  write_library(m.graph, folder.path() + "/made", {exported(measured)});
  const std::string text = text_of(folder.path() + "/made/CMakeLists.txt");
  const auto flags_of = [&](const std::string& file) {
    const std::size_t start = text.find("SOURCE " + file);
    return text.substr(start, text.find('\n', start) - start);
  };
  QVERIFY2(flags_of("layer_1.c").contains("-march=skylake-avx512"), text.c_str());
  QVERIFY2(flags_of("made.c").contains("-march=native"), text.c_str());
}

KERNELSCAPE_TEST(ExchangeModelOperatorsTest, QCoreApplication)

}  // namespace kernelscape::exchange_model_operators_test
#include "exchange_model_operators_test.moc"
