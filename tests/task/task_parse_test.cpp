#include <QTest>

#include "core/task/task.h"
#include "tests/test_program.h"

namespace kernelscape::task_parse_test {
using Shape = std::vector<std::int64_t>;

namespace {

/** A task that must parse. */
task::Task parsed(const char* text) {
  const Result<task::Task> task = task::parse_task(text);
  if (!task) qFatal("%s: %s", text, describe(task.error()).c_str());
  return *task;
}

std::vector<std::string> axis_names(const task::Task& task) {
  std::vector<std::string> names;
  for (const task::TensorAxis& axis : task.op->axes)
    names.push_back(axis.reduction ? "|" + axis.name : axis.name);
  return names;
}

}  // namespace

class TaskParseTest : public QObject {
  Q_OBJECT

 private slots:
  void convolution_is_read() {
    const task::Task task = parsed("conv2d 1x64x56x56 128x64x3x3 stride=2 pad=1 dilation=1 groups=1 f32");
    task::Convolution expected;
    expected.input_channels = 64;
    expected.output_channels = 128;
    expected.input_size = {56, 56};
    expected.kernel = {3, 3};
    expected.stride = {2, 2};
    expected.padding = {1, 1};
    expected.dilation = {1, 1};
    QCOMPARE(std::get<task::Convolution>(task.definition), expected);
    QCOMPARE(task.op->output.shape, (Shape{1, 128, 28, 28}));
    QCOMPARE(axis_names(task), (std::vector<std::string>{"n", "f", "y", "x", "|rc", "|ry", "|rx"}));
    QCOMPARE(task.flops(), 2.0 * 128 * 28 * 28 * 64 * 9);
    QCOMPARE(task.name, task.text);
  }

  void canonical_text_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("canonical");
    const auto row = [](const char* text, const char* canonical) {
      QTest::newRow(text) << text << canonical;
    };
    row("conv2d 1x8x9x9 4x8x3x3", "conv2d 1x8x9x9 4x8x3x3 stride=1 pad=0 dilation=1 groups=1 f32");
    row("  conv2d\t1x8x9x9   4x8x3x3 i8 pad=1\n",
        "conv2d 1x8x9x9 4x8x3x3 stride=1 pad=1 dilation=1 groups=1 i8");
    row("conv2d 1x8x9x9 4x8x3x1 pad=1x0 stride=2x2",
        "conv2d 1x8x9x9 4x8x3x1 stride=2 pad=1x0 dilation=1 groups=1 f32");
    row("conv2d 1x8x9x9 4x8x3x3 pad=0:1 stride=2",
        "conv2d 1x8x9x9 4x8x3x3 stride=2 pad=0:1 dilation=1 groups=1 f32");
    row("conv2d 1x8x9x9 4x8x3x3 pad=1:1x0:2",
        "conv2d 1x8x9x9 4x8x3x3 stride=1 pad=1x0:2 dilation=1 groups=1 f32");
    row("conv2d 1x8x9x9 4x8x3x3 pad=1:1", "conv2d 1x8x9x9 4x8x3x3 stride=1 pad=1 dilation=1 groups=1 f32");
    row("conv1d 1x8x9 8x4x4 transposed stride=2 pad=1:0",
        "conv1d 1x8x9 8x4x4 stride=2 pad=1:0 dilation=1 groups=1 transposed f32");
    row("conv1d 1x8x9 8x4x4 transposed stride=2 pad=0:-1",
        "conv1d 1x8x9 8x4x4 stride=2 pad=0:-1 dilation=1 groups=1 transposed f32");
    row("conv1d 2x8x30 4x8x3 f16 dilation=3", "conv1d 2x8x30 4x8x3 stride=1 pad=0 dilation=3 groups=1 f16");
    row("conv3d 1x4x5x6x7 8x2x1x3x3 groups=2 stride=1x2x3",
        "conv3d 1x4x5x6x7 8x2x1x3x3 stride=1x2x3 pad=0 dilation=1 groups=2 f32");
    row("conv2d 1x8x9x9 8x4x3x3 transposed stride=2",
        "conv2d 1x8x9x9 8x4x3x3 stride=2 pad=0 dilation=1 groups=1 transposed f32");
    row("matmul 3x5 5x7", "matmul 3x5 5x7 f32");
    row("matmul 5x3 7x5 transpose_b bf16 transpose_a", "matmul 5x3 7x5 transpose_a transpose_b bf16");
    row("bmm 1x3x5 1x5x7 f64", "bmm 1x3x5 1x5x7 f64");
    row("gemv 3x5 5", "matmul 3x5 5x1 f32");
  }
  void canonical_text() {
    QFETCH(const QString, text);
    QFETCH(const QString, canonical);
    const task::Task task = parsed(text.toStdString().c_str());
    QCOMPARE(QString::fromStdString(task.text), canonical);
    QCOMPARE(parsed(task.text.c_str()), task);
    const Result<task::Task> from_json = task::task_from_json(task::task_to_json(task));
    QVERIFY(from_json.has_value());
    QCOMPARE(*from_json, task);
  }

  void axes_of_grouped_and_depthwise_convolutions() {
    using Names = std::vector<std::string>;
    QCOMPARE(axis_names(parsed("conv2d 1x8x9x9 6x4x3x3 groups=2")),
             (Names{"n", "g", "f", "y", "x", "|rc", "|ry", "|rx"}));
    QCOMPARE(axis_names(parsed("conv2d 1x8x9x9 8x1x3x3 groups=8")),
             (Names{"n", "f", "y", "x", "|ry", "|rx"}));
    QCOMPARE(axis_names(parsed("conv2d 1x8x9x9 16x1x3x3 groups=8")),
             (Names{"n", "g", "f", "y", "x", "|ry", "|rx"}));
    QCOMPARE(axis_names(parsed("conv1d 1x8x9 4x8x3")), (Names{"n", "f", "x", "|rc", "|rx"}));
    QCOMPARE(axis_names(parsed("conv3d 1x8x9x9x9 4x8x3x3x3")),
             (Names{"n", "f", "z", "y", "x", "|rc", "|rz", "|ry", "|rx"}));
    QCOMPARE(axis_names(parsed("bmm 2x3x4 2x4x5")), (Names{"b", "y", "x", "|k"}));
    QCOMPARE(axis_names(parsed("matmul 3x4 4x5")), (Names{"y", "x", "|k"}));
  }

  void output_sizes() {
    QCOMPARE(parsed("conv2d 1x3x224x224 64x3x7x7 stride=2 pad=3").op->output.shape, (Shape{1, 64, 112, 112}));
    QCOMPARE(parsed("conv2d 1x3x9x10 4x3x3x3 stride=4 dilation=2x3").op->output.shape, (Shape{1, 4, 2, 1}));
    // TensorFlow's "same" padding at stride 2 pads an even size after its last element only.
    QCOMPARE(parsed("conv2d 1x3x224x224 32x3x3x3 stride=2 pad=0:1").op->output.shape,
             (Shape{1, 32, 112, 112}));
    // torch.nn.ConvTranspose2d(8, 4, 3, stride=2, padding=1, output_padding=1), and without padding.
    QCOMPARE(parsed("conv2d 1x8x14x14 8x4x3x3 stride=2 pad=1:0 transposed").op->output.shape,
             (Shape{1, 4, 28, 28}));
    QCOMPARE(parsed("conv2d 1x8x14x14 8x4x3x3 stride=2 pad=0:-1 transposed").op->output.shape,
             (Shape{1, 4, 30, 30}));
    // As torch.nn.ConvTranspose2d without output padding computes it.
    QCOMPARE(parsed("conv2d 1x8x14x14 8x4x4x4 stride=2 pad=1 transposed").op->output.shape,
             (Shape{1, 4, 28, 28}));
    QCOMPARE(parsed("conv2d 1x8x5x5 8x4x1x1 stride=3 transposed groups=2").op->output.shape,
             (Shape{1, 8, 13, 13}));
  }

  void types_are_read() {
    const auto types = [](const char* name) { return *task::parse_operand_types(name); };
    using enum task::ScalarType;
    QCOMPARE(types("f32"), (task::OperandTypes{F32, F32, F32, F32}));
    QCOMPARE(types("f16"), (task::OperandTypes{F16, F16, F32, F32}));
    QCOMPARE(types("i8"), (task::OperandTypes{U8, I8, I32, I32}));
    QCOMPARE(task::operand_types(*parsed("matmul 3x4 4x5 i8").op), types("i8"));
    for (const char* name : {"f32", "f64", "f16", "bf16", "i8"})
      QCOMPARE(task::to_string(types(name)), std::string(name));
    QVERIFY(task::to_string(task::OperandTypes{F32, F16, I8, F64}).empty());
  }

  void rejection_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("hint");
    QTest::addColumn<bool>("unknown_name");
    const auto wrong = [](const char* text, const char* message, const char* hint) {
      QTest::newRow(text) << text << message << hint << false;
    };
    const auto unknown = [](const char* text, const char* message, const char* hint) {
      QTest::newRow(text) << text << message << hint << true;
    };
    wrong("", "an empty task", "conv2d 1x64");
    wrong(" \t ", "an empty task", "conv2d 1x64");
    wrong("conv2d", "needs the shapes", "conv2d 1x64");
    wrong("matmul 3x4", "needs the shapes", "conv2d 1x64");
    unknown("conv4d 1x1 1x1", "unknown operator \"conv4d\"", "conv1d");
    unknown("Conv2d 1x1 1x1", "unknown operator \"Conv2d\"", "conv2d");
    unknown("matmull 3x4 4x5", "unknown operator \"matmull\"", "did you mean matmul?");
    unknown("conv2d 1x8x9x9 4x8x3x3 strid=1", "unknown attribute \"strid\"", "did you mean stride?");
    unknown("matmul 3x4 4x5 stride=1", "unknown attribute \"stride\"", "no attributes");
    unknown("conv2d 1x8x9x9 4x8x3x3 f23", "\"f23\"", "f32");
    unknown("conv2d 1x8x9x9 4x8x3x3 transpose", "\"transpose\"", "transposed");
    unknown("matmul 3x4 4x5 f32 and more", "\"and\"", "f32");
    unknown("gemv 3x4 4 transposed", "\"transposed\"", "f32");
    unknown("conv2d 1x8x9x9 4x8x3x3 4x8x3x3", "\"4x8x3x3\"", "f32");

    wrong("conv2d 1x8x9x9 4x8x3x3 stride=1 stride=1", "stride is given twice", "once");
    wrong("conv2d 1x8x9x9 4x8x3x3 f32 f16", "second type", "one type");
    wrong("conv2d 1x8x9x9 4x8x3x3 transposed transposed", "transposed is given twice", "once");
    wrong("conv2d 1x8x9x9 4x8x3x3 pad=", "pad has no value", "pad=1");
    wrong("conv2d 1x8x9x9 4x8x3x3 pad=1x1x1", "pad has 3 numbers", "give one, or 2");
    wrong("conv2d 1x8x9x9 4x8x3x3 pad=one", "\"one\" is not a whole number", "1x64");
    wrong("conv2d 1x8x9x9 4x8x3x3 groups=2x2", "\"2x2\" is not a whole number", "1x64");

    wrong("conv2d 1x8x9 4x8x3x3", "data 1x8x9 has 3 dimensions", "it must have 4");
    wrong("conv2d 1x8x9x9 4x8x3", "weights 4x8x3 has 3 dimensions", "it must have 4");
    wrong("conv2d 1x8x9x9 4xx3x3", "\"\" is not a whole number", "1x64");
    wrong("conv2d 1x8x9x9x 4x8x3x3", "\"\" is not a whole number", "1x64");
    wrong("conv2d 1x8x9.5x9 4x8x3x3", "\"9.5\" is not a whole number", "1x64");
    wrong("conv2d 0x8x9x9 4x8x3x3", "an extent is 0", "at least 1");
    wrong("conv2d 1x8x-9x9 4x8x3x3", "an extent is -9", "at least 1");
    wrong("conv2d 1x8x9x9 0x8x3x3", "an extent is 0", "at least 1");
    wrong("conv2d 1x8x9x9 4x8x3x3 stride=0", "stride height is 0", "at least 1");
    wrong("conv2d 1x8x9x9 4x8x3x3 stride=1x-2", "stride width is -2", "at least 1");
    wrong("conv2d 1x8x9x9 4x8x3x3 dilation=0", "dilation height is 0", "at least 1");
    wrong("conv2d 1x8x9x9 4x8x3x3 pad=-1", "pad height is -1", "at least 0");
    wrong("conv2d 1x8x9x9 4x8x3x3 pad=0:-1", "end pad height is -1", "at least 0");
    wrong("conv2d 1x8x9x9 4x8x3x3 pad=0:", "\"\" is not a whole number", "1x64");
    wrong("conv2d 1x8x9x9 4x8x3x3 pad=0:1:2", "\"1:2\" is not a whole number", "1x64");
    wrong("conv2d 1x8x9x9 4x8x3x3 stride=0:1", "\"0:1\" is not a whole number", "1x64");
    wrong("conv2d 1x8x9x9 8x4x3x3 transposed stride=2 pad=0:-2", "pad=0:-2 adds 2 to the output height",
          "less than the stride");
    wrong("conv2d 1x8x9x9 4x8x3x3 groups=0", "groups is 0", "at least 1");
    wrong("conv2d 1x8x9x9 4x8x3x3 groups=-4", "groups is -4", "at least 1");

    wrong("conv2d 1x8x99999999999999999999x9 4x8x3x3", "too large", "2^53");
    wrong("conv2d 1x8x9007199254740992x9 4x8x3x3", "an extent is 9007199254740992", "below 2^53");
    wrong("conv2d 1x8x9007199254740991x9 4x8x3x3", "the tensor data", "smaller");
    wrong("conv2d 1x1x9x9 9007199254740991x1x3x3", "2^53 elements or more", "smaller");
    wrong("conv2d 1x1x9x9 1x1x1x1 pad=9007199254740991", "output height is 2^53 or more", "smaller");
    wrong("conv2d 1x1x9x9 1x1x3x3 dilation=9007199254740991", "more than the padded input", "smaller kernel");
    wrong("conv2d 1x1x9x9 1x1x3x3 transposed stride=9007199254740991", "2^53 or more", "smaller");
    wrong("conv2d 1x2x9x9 2x9007199254740991x3x3 transposed groups=2", "output channels", "below 2^53");
    wrong("matmul 300000x300000 300000x300000", "2^53 FLOPs or more", "smaller");
    wrong("matmul 94906266x1 1x94906266", "the tensor output of shape 94906266x94906266", "smaller");
    wrong("matmul 67108864x67108864 67108864x2", "2^53 FLOPs or more", "smaller");

    wrong("matmul 2x65794 65794x2 i8", "a sum of 65794 products of u8 and i8 may exceed the range of i32",
          "up to 65793 products");
    wrong("conv2d 1x7311x9x9 4x7311x3x3 i8", "a sum of 65799 products", "split the reduction, or use f32");
    wrong("conv2d 1x8x9x9 4x7x3x3", "are for 7 input channels, but the data has 8", "4x8x3x3");
    wrong("conv2d 1x8x9x9 4x8x3x3 groups=2", "are for 8 input channels per group, but the data has 4",
          "4x4x3x3");
    wrong("conv2d 1x8x9x9 4x8x3x3 transposed", "are for 4 input channels, but the data has 8", "8x8x3x3");
    wrong("conv2d 1x8x9x9 4x8x3x3 groups=3", "groups=3 does not divide the 8 input channels", "divide");
    wrong("conv2d 1x9x9x9 4x3x3x3 groups=3", "groups=3 does not divide the 4 output channels", "divide");
    wrong("conv2d 1x8x4x9 4x8x5x3",
          "kernel of height 5 with dilation 1 spans 5, more than the padded input height 4", "more padding");
    wrong("conv2d 1x8x9x4 4x8x3x3 dilation=3 pad=1",
          "kernel of width 3 with dilation 3 spans 7, more than the padded input width 6", "more padding");
    wrong("conv1d 1x8x4 4x8x5", "width", "more padding");
    wrong("conv2d 1x8x2x2 8x4x3x3 transposed pad=2", "pad=2 leaves no output height", "less padding");
    wrong("matmul 3x4 5x6", "K is 4 in the first and 5 in the second", "transpose_a");
    wrong("matmul 3x4 5x4", "K is 4 in the first and 5 in the second", "transpose_b");
    wrong("bmm 2x3x4 3x4x5", "batches 2 and 3 differ", "same first extent");
    wrong("bmm 3x4 4x5", "has 2 dimensions", "batch, rows, columns");
    wrong("matmul 0x4 4x5", "an extent is 0", "at least 1");
    wrong("gemv 3x4 5", "do not match", "length 4");
    wrong("gemv 3x4 4x1", "has 2 dimensions", "its length");
  }
  void rejection() {
    QFETCH(const QString, text);
    QFETCH(const QString, message);
    QFETCH(const QString, hint);
    QFETCH(const bool, unknown_name);
    const Result<task::Task> task = task::parse_task(text.toStdString());
    QVERIFY2(!task.has_value(), "it was accepted");
    const QString said = QString::fromStdString(describe(task.error()));
    QVERIFY2(QString::fromStdString(task.error().message).contains(message), qPrintable(said));
    QVERIFY2(QString::fromStdString(task.error().hint).contains(hint), qPrintable(said));
    QCOMPARE(task.error().code, unknown_name ? ErrorCode::NotFound : ErrorCode::InvalidArgument);
  }

  void largest_counts_are_accepted() {
    QCOMPARE(parsed("matmul 94906265x1 1x47453132 f32").flops(), 2.0 * 94906265 * 47453132);
    QVERIFY(task::parse_task("matmul 2x1 1x2251799813685247").has_value());   // 2^53 - 4 FLOPs
    QVERIFY(!task::parse_task("matmul 2x1 1x2251799813685248").has_value());  // 2^53
  }

  void sums_of_bytes_that_fit_are_accepted() {
    QVERIFY(task::parse_task("matmul 2x65793 65793x2 i8").has_value());
    QVERIFY(task::parse_task("matmul 2x65794 65794x2 f32").has_value());
    // Depthwise sums are over the kernel alone, however many channels there are.
    QVERIFY(task::parse_task("conv2d 1x70000x9x9 70000x1x3x3 groups=70000 i8").has_value());
  }

  void definitions_are_checked_like_text() {
    task::Convolution convolution;
    convolution.input_size = {8, 8};
    convolution.kernel = convolution.stride = convolution.dilation = {1, 1};
    convolution.padding = {0};
    QVERIFY(!task::make_convolution_task(convolution, {}).has_value());
    convolution.padding = {0, 0};
    QVERIFY(task::make_convolution_task(convolution, {}).has_value());
    convolution.padding_end = {0};
    QVERIFY(!task::make_convolution_task(convolution, {}).has_value());
    convolution.padding_end = {0, 0};
    QVERIFY(std::get<task::Convolution>(task::make_convolution_task(convolution, {})->definition)
                .padding_end.empty());
    convolution.padding_end = {};
    const task::OperandTypes mixed{task::ScalarType::F64, task::ScalarType::I8, task::ScalarType::F16,
                                   task::ScalarType::F32};
    QVERIFY(!task::make_convolution_task(convolution, mixed).has_value());
    convolution.input_size = {};
    QVERIFY(!task::make_convolution_task(convolution, {}).has_value());
    convolution.input_size = {1, 1, 1, 1};
    QVERIFY(!task::make_convolution_task(convolution, {}).has_value());

    task::MatrixMultiplication multiplication;
    multiplication.batch = 4;
    QVERIFY(!task::make_matmul_task(multiplication, {}).has_value());
    multiplication.batched = true;
    QCOMPARE(task::make_matmul_task(multiplication, {}, "mine")->name, std::string("mine"));
    multiplication.k = -1;
    QVERIFY(!task::make_matmul_task(multiplication, {}).has_value());
  }

  void json_keeps_name_unroll_steps_and_generic_tasks() {
    const Result<task::Task> task =
        task::task_from_json(R"({"name": "mine", "task": "matmul 3x4 4x5", "unroll_steps": [0, 125, 256]})");
    QVERIFY(task.has_value());
    QCOMPARE(task->name, std::string("mine"));
    QCOMPARE(task->unroll_steps, (Shape{0, 125, 256}));
    QCOMPARE(*task::task_from_json(task::task_to_json(*task)), *task);

    const Result<task::Task> generic = task::make_generic_task({"gemm of \"T4\"", "time", "ms"}, "imported");
    QVERIFY(generic.has_value());
    QVERIFY(!generic->op);
    QCOMPARE(generic->flops(), 0.0);
    QCOMPARE(*task::task_from_json(task::task_to_json(*generic)), *generic);
    QVERIFY(!task::make_generic_task({"", "time", "ms"}).has_value());
  }

  void json_rejection_data() {
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* json, const char* message) { QTest::newRow(json) << json << message; };
    row("", "not valid JSON");
    row("{\"task\": \"matmul 3x4 4x5\"", "not valid JSON");
    row("[]", "not a JSON object");
    row("null", "not a JSON object");
    row("{}", "neither or both");
    row(R"({"name": "x"})", "neither or both");
    row(R"({"task": "matmul 3x4 4x5", "generic": {"problem": "p", "objective": "o"}})", "neither or both");
    row(R"({"task": 3})", "\"task\" of a task is not a text");
    row(R"({"task": null})", "\"task\" of a task is not a text");
    row(R"({"task": "matmul 3x4 4x5", "name": ["a"]})", "\"name\" of a task is not a text");
    row(R"({"task": "matmul 3x4 4x5", "nmae": "a"})", "unknown member \"nmae\"");
    row(R"({"task": "matmul 3x4 4x5", "unroll_steps": 3})", "unroll_steps");
    row(R"({"task": "matmul 3x4 4x5", "unroll_steps": [-1]})", "unroll_steps");
    row(R"({"task": "matmul 3x4 4x5", "unroll_steps": [0, 0]})", "unroll_steps");
    row(R"({"task": "matmul 3x4 4x5", "unroll_steps": [1.5]})", "unroll_steps");
    row(R"({"task": "matmul 3x4 4x5", "unroll_steps": [99999999999999999999]})", "unroll_steps");
    row(R"({"task": "matmul 3x4 5x6"})", "do not match");
    row(R"({"generic": "x"})", "not a JSON object");
    row(R"({"generic": {"problem": 1, "objective": "o"}})", "\"problem\"");
  }
  void json_rejection() {
    QFETCH(const QString, json);
    QFETCH(const QString, message);
    const Result<task::Task> task = task::task_from_json(json.toStdString());
    QVERIFY(!task.has_value());
    const QString said = QString::fromStdString(describe(task.error()));
    QVERIFY2(said.contains(message), qPrintable(said));
    QVERIFY(!task.error().hint.empty());
  }

  void hostile_json_is_refused_in_time() {
    QVERIFY(!task::task_from_json(std::string(1'000'000, '[')).has_value());
    QVERIFY(!task::task_from_json("{\"task\": \"matmul " + std::string(1'000'000, '3') + "\"}").has_value());
    QVERIFY(!task::task_from_json("{\"task\": \"matmul 3x4 4x5\xff\"}").has_value());
  }
};

KERNELSCAPE_PLAIN_TEST(TaskParseTest)

}  // namespace kernelscape::task_parse_test
#include "task_parse_test.moc"
