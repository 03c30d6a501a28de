#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <optional>

#include "core/exchange/model/kernel_choice.h"
#include "core/exchange/model/model_library.h"
#include "core/exchange/model/strided_loops.h"
#include "core/graph/layer_task.h"
#include "core/graph/optimise.h"
#include "core/schedule/template.h"
#include "tests/exchange/export_support.h"
#include "tests/exchange/random_model.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_model_test {
using namespace kernelscape::exchange_tests;
using namespace kernelscape::testing;

namespace {

using Extents = std::vector<std::int64_t>;
using ModelMaker = graph::Graph (*)(base::Random&);

constexpr const char* build_line =
    "cc -std=gnu11 -O1 -march=native -Wall -Wextra -Werror -fsanitize=address,undefined "
    "-fno-sanitize-recover -o check check.c made.c layer_*.c -lm -pthread";

exchange::ModelLibrary library_of(graph::Graph graph, bool optimised, std::uint64_t seed, bool exact = true) {
  const Result<exchange::ModelReference> reference = exchange::make_model_reference(graph, seed);
  if (!reference) throw std::runtime_error(describe(reference.error()));
  if (optimised) {
    const Result<graph::OptimisationReport> report = graph::optimise(graph);
    if (!report) throw std::runtime_error(describe(report.error()));
  }
  Result<exchange::ModelLibrary> library =
      exchange::make_model_library(graph, "made", {}, this_machine(), *reference, exact);
  if (!library) throw std::runtime_error(describe(library.error()));
  return std::move(*library);
}

void write_into(const QString& folder, const exchange::ModelLibrary& library) {
  const Status written = exchange::write_model_library(library, folder.toStdString(), false);
  if (!written) throw std::runtime_error(describe(written.error()));
}

/** A layout of channel blocks that need not divide the channels, or row-major. */
loop_nest::Layout drawn_layout(const Extents& shape, base::Random& random) {
  const std::int64_t blocks[] = {1, 2, 4, 8};
  return exchange::blocked_channels(shape, blocks[random.below(4)]);
}

/** Executes the loops of a copy. */
void copy_by(const exchange::StridedNest& nest, const std::vector<int>& from, std::vector<int>& to) {
  std::vector<std::int64_t> index(nest.loops.size(), 0);
  for (;;) {
    std::int64_t write = nest.bases[0];
    std::int64_t read = nest.bases[1];
    for (std::size_t i = 0; i < index.size(); ++i) {
      write += index[i] * nest.loops[i].strides[0];
      read += index[i] * nest.loops[i].strides[1];
    }
    to.at(static_cast<std::size_t>(write)) = from.at(static_cast<std::size_t>(read));
    std::size_t d = index.size();
    while (d > 0 && ++index[d - 1] == nest.loops[d - 1].extent) index[--d] = 0;
    if (d == 0) return;
  }
}

/** The numbers 1, 2, ... in a layout; 0 in its gaps. */
std::vector<int> numbered(const loop_nest::Layout& layout) {
  std::vector<int> memory(static_cast<std::size_t>(layout.physical_count()), 0);
  int number = 0;
  for (const std::int64_t offset : loop_nest::physical_offsets(layout))
    memory[static_cast<std::size_t>(offset)] = ++number;
  return memory;
}

}  // namespace

class ExchangeModelTest : public QObject {
  Q_OBJECT

 private slots:
  void loopsVisitEveryElementInAnyLayout();
  void layoutsKeepTheirOrderInOtherShapes();
  void librariesComputeWhatTheInterpreterComputes_data();
  void librariesComputeWhatTheInterpreterComputes();
  void operandsOfConcatAreWrittenInPlace();
  void winogradIsTakenWithinItsBound();
  void defaultKernelsKeepSumsInRegisters();
  void layersTakeConfigurationsThatWereTunedWithoutTheirEpilogues();
  void otherWeightsAreRefused();
  void modelsThatNeedMoreAreRefused();
  void hostileModelNamesStayText();
};

void ExchangeModelTest::loopsVisitEveryElementInAnyLayout() {
  base::Random random(random_seed());
  for (int i = 0; i < 200; ++i) {
    const Extents shape{between(random, 1, 3), between(random, 1, 19), between(random, 1, 5),
                        between(random, 1, 5)};
    const loop_nest::Layout from = drawn_layout(shape, random);
    const loop_nest::Layout to = drawn_layout(shape, random);
    const std::vector<exchange::TensorView> views{{.layout = to}, {.layout = from}};
    const auto nests = exchange::strided_nests(shape, views);
    QVERIFY(nests.has_value());
    std::vector<int> copied(static_cast<std::size_t>(to.physical_count()), 0);
    for (const exchange::StridedNest& nest : *nests) copy_by(nest, numbered(from), copied);
    QVERIFY2(copied == numbered(to), fmt::format("{}", fmt::join(shape, "x")).c_str());
  }
}

void ExchangeModelTest::layoutsKeepTheirOrderInOtherShapes() {
  const loop_nest::Layout flat = exchange::blocked_channels({2, 32, 1, 35}, 16);
  const auto image = exchange::reshaped(flat, {2, 32, 5, 7});
  QVERIFY(image.has_value());
  QVERIFY(exchange::same_order(*image, exchange::blocked_channels({2, 32, 5, 7}, 16)));
  QCOMPARE(exchange::channel_block(*image), std::int64_t{16});
  QVERIFY(!exchange::reshaped(flat, {2, 5, 7, 32}).has_value());
  // Groups of 12 channels, each in a block of 16: the gaps would lie among the channels.
  const loop_nest::Layout groups{"groups", {1, 4, 12, 7}, {{1, 1, 4}, {3, 1, 7}, {2, 1, 16}}};
  QVERIFY(!exchange::reshaped(groups, {1, 48, 7}).has_value());
  // Channels of one pixel lie in their order, whatever the blocks.
  QVERIFY(exchange::is_row_major(exchange::blocked_channels({1, 32, 1, 1}, 8)));
  QVERIFY(exchange::has_gaps(exchange::blocked_channels({1, 20, 3, 3}, 8)));
}

void ExchangeModelTest::librariesComputeWhatTheInterpreterComputes_data() {
  QTest::addColumn<ModelMaker>("make");
  QTest::addColumn<bool>("optimised");
  QTest::newRow("convolutions") << ModelMaker(convolutional_model) << false;
  QTest::newRow("convolutions, optimised") << ModelMaker(convolutional_model) << true;
  QTest::newRow("branches") << ModelMaker(branching_model) << true;
  QTest::newRow("attention") << ModelMaker(attention_model) << true;
}

void ExchangeModelTest::librariesComputeWhatTheInterpreterComputes() {
  QFETCH(ModelMaker, make);
  QFETCH(bool, optimised);
  base::Random random(random_seed());
  const graph::Graph graph = make(random);
  const Status valid = graph::validate(graph);
  QVERIFY2(valid.has_value(), valid ? "" : describe(valid.error()).c_str());
  QTemporaryDir folder;
  write_into(folder.path() + "/made", library_of(graph, optimised, random.bits()));
  const ShellResult built = shell(folder.path() + "/made", build_line);
  QVERIFY2(built.code == 0, built.output.c_str());
  for (const char* threads : {"1", "2"}) {
    const ShellResult checked =
        shell(folder.path() + "/made", fmt::format("./check --threads {} --tolerance 1e-5", threads));
    QVERIFY2(checked.code == 0, checked.output.c_str());
  }
  // A check that cannot fail would check nothing.
  const ShellResult strict = shell(folder.path() + "/made", "./check --tolerance 0");
  QVERIFY2(strict.code == 1, strict.output.c_str());
}

void ExchangeModelTest::operandsOfConcatAreWrittenInPlace() {
  base::Random random(random_seed());
  ModelBuilder m(random);
  std::size_t x = m.input("image", {1, 64, 6, 6});
  x = m.convolution(x, 64, 1, 1, 1, {m.weights({64})}, {{task::EpilogueKind::Bias}});
  const std::size_t one = m.convolution(x, 64, 1, 1, 1, {x}, {{task::EpilogueKind::Add}});
  const std::size_t other = m.convolution(x, 128, 3, 1);
  x = m.node("Concat", {one, other}, {1, 192, 6, 6}, {{"axis", std::int64_t{1}}});
  x = m.convolution(x, 64, 1, 1);
  m.graph.outputs = {m.node("GlobalAveragePool", {x}, {1, 64, 1, 1})};
  const exchange::ModelLibrary library = library_of(m.graph, true, 1);
  // Four kernels, the pool, and at most the image's conversion: epilogues and the Concat take no steps.
  QCOMPARE(library.summary.kernels, std::size_t{4});
  QVERIFY(library.summary.conversions <= 1);
  QCOMPARE(library.summary.steps, 5 + library.summary.conversions);
}

void ExchangeModelTest::winogradIsTakenWithinItsBound() {
  base::Random random(random_seed());
  ModelBuilder m(random);
  std::size_t x = m.input("image", {1, 64, 32, 32});
  const std::size_t before = x;
  x = m.convolution(x, 64, 3, 1, 1, {m.weights({64}), before},
                    {{task::EpilogueKind::Bias}, {task::EpilogueKind::Add}, {task::EpilogueKind::Relu}});
  m.graph.outputs = {m.convolution(x, 64, 3, 1)};
  for (const bool exact : {false, true}) {
    QTemporaryDir folder;
    const QString path = folder.path() + "/made";
    write_into(path, library_of(m.graph, true, random.bits(), exact));
    QCOMPARE(text_of(path + "/kernelscape.json").contains("winograd"), !exact);
    const ShellResult built =
        shell(path, "cc -std=gnu11 -O1 -march=native -o check check.c made.c layer_*.c -lm -pthread");
    QVERIFY2(built.code == 0, built.output.c_str());
    const ShellResult checked = shell(path, "./check");
    QVERIFY2(checked.code == 0, checked.output.c_str());
    // Only sums in the order of the definition keep the tolerance of exact libraries.
    QCOMPARE(checked.output.contains("at most 0.0001\n"), exact);
  }
}

void ExchangeModelTest::defaultKernelsKeepSumsInRegisters() {
  // A sum that is stored after few products costs more than the products.
  constexpr std::int64_t enough_products = 12;
  for (const char* text :
       {"matmul 128x768 768x768 f32", "matmul 128x768 768x3072 f32", "matmul 128x3072 3072x768 f32",
        "bmm 12x128x64 12x64x128 f32", "bmm 12x128x128 12x128x64 f32", "conv2d 1x192x28x28 32x192x1x1 f32"}) {
    const Result<task::Task> task = task::parse_task(text);
    QVERIFY2(task.has_value(), text);
    const Result<schedule::ScheduledKernel> kernel = schedule::apply_template(
        *task, this_machine(), schedule::default_template(*task, this_machine(), true));
    QVERIFY2(kernel.has_value(), text);
    const Result<space::Configuration> chosen = exchange::default_configuration(*kernel, 2);
    QVERIFY2(chosen.has_value(), text);
    std::optional<std::uint32_t> knob = kernel->space().find_knob("tile_k");
    const bool multiplication = knob.has_value();
    if (!multiplication) knob = kernel->space().find_knob("tile_ic");
    QVERIFY2(knob.has_value(), text);
    const std::int64_t products = multiplication ? task->op->axes.back().extent : 192;
    const std::int64_t blocks = kernel->space().knobs()[*knob].element(chosen->indices[*knob], 0);
    QVERIFY2(products / blocks >= enough_products, text);
  }
}

void ExchangeModelTest::layersTakeConfigurationsThatWereTunedWithoutTheirEpilogues() {
  base::Random random(random_seed());
  ModelBuilder m(random);
  const std::size_t x = m.input("image", {1, 64, 9, 9});
  const std::size_t y = m.convolution(x, 48, 3, 1, 1, {m.weights({48})},
                                      {{task::EpilogueKind::Bias}, {task::EpilogueKind::Relu}});
  m.graph.outputs = {y};
  const auto layer = graph::layer_task(m.graph, m.graph.nodes.back());
  QVERIFY(layer.has_value());
  const auto kernel = schedule::apply_template(layer->task, this_machine());
  QVERIFY(kernel.has_value());
  exchange::MeasuredConfiguration measured{.space = kernel->space()};
  do {
    measured.configuration = kernel->space().random_member(random).value();
  } while (!kernel->within_limits(measured.configuration));
  measured.task = layer->task;
  measured.target = this_machine();
  measured.template_name = kernel->template_name();
  measured.template_version = kernel->template_version();
  const auto tuned = exchange::make_exported_kernel(measured);
  QVERIFY(tuned.has_value());
  const auto reference = exchange::make_model_reference(m.graph, 1);
  QVERIFY(reference.has_value());
  const auto library =
      exchange::make_model_library(m.graph, "made", {&*tuned, 1}, this_machine(), *reference);
  QVERIFY(library.has_value());
  QCOMPARE(library->summary.kernels, std::size_t{1});
  QCOMPARE(library->summary.tuned_kernels, std::size_t{1});
  const auto source =
      std::ranges::find(library->files, std::string("layer_1.c"), &exchange::ExportedFile::name);
  QVERIFY(source != library->files.end());
  QVERIFY(source->text.contains("+bias+relu"));
  QVERIFY(source->text.contains(measured.space.describe(measured.configuration)));
}

void ExchangeModelTest::otherWeightsAreRefused() {
  base::Random random(random_seed());
  ModelBuilder made(random);
  const std::size_t x = made.input("x", {1, 8});
  made.graph.outputs = {made.node("Add", {x, made.weights({8})}, {1, 8})};
  QTemporaryDir temporary;
  const QString folder = temporary.path() + "/made";
  write_into(folder, library_of(made.graph, false, 1));
  const ShellResult built = shell(folder, "cc -std=gnu11 -O1 -o check check.c made.c -lm -pthread");
  QVERIFY2(built.code == 0, built.output.c_str());
  const std::string weights = text_of(folder + "/made_weights.tensors");
  const auto refused = [&](const std::string& content, const char* why) {
    write_text(folder + "/other", content);
    const ShellResult run = shell(folder, "./check --weights other");
    return run.code == 2 && run.output.contains(why);
  };
  QVERIFY(refused(text_of(folder + "/made_reference.tensors"), "belong to another library"));
  QVERIFY(refused(weights.substr(0, weights.size() - 1), "damaged"));
  std::string changed = weights;
  changed[64] = static_cast<char>(changed[64] ^ 1);
  QVERIFY(refused(changed, "damaged"));
  QVERIFY(refused("weights", "no file of weights"));
  QCOMPARE(shell(folder, "./check --weights nowhere").code, 2);
  QCOMPARE(shell(folder, "./check").code, 0);
}

void ExchangeModelTest::modelsThatNeedMoreAreRefused() {
  base::Random random(random_seed());
  ModelBuilder made(random);
  const std::size_t x = made.input("x", {1, 8});
  const std::size_t y = made.node("NonMaxSuppression", {x}, {1, 8});
  made.graph.outputs = {made.node("Unique", {y}, {1, 8})};
  const auto library = exchange::make_model_library(made.graph, "made", {}, this_machine(), {});
  QVERIFY(!library.has_value());
  QVERIFY(library.error().message.contains("NonMaxSuppression") &&
          library.error().message.contains("Unique"));

  ModelBuilder half(random);
  const std::size_t input = half.input("half", {1, 8}, graph::ElementType::F16);
  half.graph.outputs = {half.node("Relu", {input}, {1, 8}, {}, {}, graph::ElementType::F16)};
  const auto narrow = exchange::make_model_library(half.graph, "made", {}, this_machine(), {});
  QVERIFY(!narrow.has_value() && narrow.error().message.contains("f16"));
  QVERIFY(!exchange::make_model_library(half.graph, "a b", {}, this_machine(), {}).has_value());
}

void ExchangeModelTest::hostileModelNamesStayText() {
  base::Random random(random_seed());
  ModelBuilder made(random);
  made.graph.name = "*/ #error\n```\n# <b>x</b> ${HOME} ]] \"\"\" \\";
  const std::size_t x = made.input("\"; } #error */ \\\n?\?/ | `x`", {1, 8});
  made.graph.outputs = {made.node("Relu", {x}, {1, 8})};
  made.graph.nodes.back().name = "*/ #error\n";
  QTemporaryDir temporary;
  const QString folder = temporary.path() + "/made";
  write_into(folder, library_of(made.graph, false, 1));
  const ShellResult built = shell(
      folder, "cc -std=gnu11 -O1 -Wall -Wextra -Werror -o check check.c made.c -lm -pthread && ./check");
  QVERIFY2(built.code == 0, built.output.c_str());
  QVERIFY(!text_of(folder + "/CMakeLists.txt").contains("HOME}"));
  QVERIFY(!text_of(folder + "/README.md").contains("\n# <b>"));
  QVERIFY(!text_of(folder + "/example.py").contains("#error"));
  // Names of files are identifiers, whatever the model's file is called.
  for (const char* file : {"a b;c.onnx", "../x y.onnx", "1.onnx", "while.onnx", "ä.onnx", "model.onnx"}) {
    const std::string name = exchange::model_library_name(file);
    QVERIFY2(
        !name.empty() &&
            std::ranges::all_of(
                name, [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }),
        name.c_str());
  }
}

KERNELSCAPE_TEST(ExchangeModelTest, QCoreApplication)

}  // namespace kernelscape::exchange_model_test
#include "exchange_model_test.moc"
