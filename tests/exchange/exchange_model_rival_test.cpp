#include <fmt/format.h>

#include <QTest>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/exchange/model/model_library.h"
#include "tests/exchange/export_support.h"
#include "tests/exchange/random_model.h"
#include "tests/exchange/stub_onnxruntime.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

// The program that measures an exported model beside onnxruntime, with a stand-in for that library.

namespace kernelscape::exchange_model_rival_test {
using namespace kernelscape::exchange_tests;
using namespace kernelscape::testing;

namespace {

constexpr const char* hostile_input = "\"; } #error */ \\\n?\?/ | `x` %s";
constexpr const char* hostile_output = "${HOME} \"y\" \\0 */ %n";

/** A model with inputs of i64 and bool and two outputs of f32. */
graph::Graph gathering_model(base::Random& random) {
  ModelBuilder m(random);
  m.graph.name = "*/ #error\n";
  const std::size_t tokens = m.input(hostile_input, {1, 5}, graph::ElementType::I64);
  const std::size_t mask = m.input("mask", {1, 5, 1}, graph::ElementType::Bool);
  std::size_t x = m.node("Gather", {m.weights({7, 4}), tokens}, {1, 5, 4}, {{"axis", std::int64_t{0}}});
  x = m.node("Where", {mask, x, m.weights({1}, 0, -3)}, {1, 5, 4});
  m.graph.outputs = {x, m.node("Sigmoid", {x}, {1, 5, 4})};
  m.graph.values[x].name = hostile_output;
  return m.graph;
}

void write_library(const QString& folder, base::Random& random) {
  const graph::Graph graph = gathering_model(random);
  const Result<exchange::ModelReference> reference = exchange::make_model_reference(graph, random.bits());
  if (!reference) throw std::runtime_error(describe(reference.error()));
  const Result<exchange::ModelLibrary> library =
      exchange::make_model_library(graph, "made", {}, this_machine(), *reference);
  if (!library) throw std::runtime_error(describe(library.error()));
  const Status written = exchange::write_model_library(*library, folder.toStdString(), false);
  if (!written) throw std::runtime_error(describe(written.error()));
}

std::string with_end(const std::string& text) { return text + std::string(1, '\0'); }

}  // namespace

class ExchangeModelRivalTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase();
  void bothSidesComputeTheSameTensors();
  void theRatioHasAnInterval();
  void wrongOutputsAreNotTimed();
  void whatCannotRunIsExplained();
  void nothingIsBuiltWithoutOnnxruntime();

 private:
  ShellResult bench(const std::string& arguments) const {
    return shell(folder_, "build/bench_onnxruntime " + arguments);
  }

  QTemporaryDir temporary_;
  QString folder_ = temporary_.path() + "/made";
};

void ExchangeModelRivalTest::initTestCase() {
  base::Random random(random_seed());
  write_library(folder_, random);
  install_stub_onnxruntime(temporary_.path() + "/stub");
  const ShellResult built = shell(folder_,
                                  "cmake -G Ninja -S . -B build -D CMAKE_PREFIX_PATH=$PWD/../stub && "
                                  "cmake --build build && cc -std=c11 -Wall -Wextra -Werror -fsyntax-only "
                                  "-I../stub/include/onnxruntime bench_onnxruntime.c");
  QVERIFY2(built.code == 0, built.output.c_str());
}

void ExchangeModelRivalTest::bothSidesComputeTheSameTensors() {
  const ShellResult run = bench("made_reference.tensors --threads 1 --seconds 0");
  QVERIFY2(run.code == 0, run.output.c_str());
  QVERIFY2(run.output.contains("onnxruntime 0.0-stub") && run.output.contains("this library / onnxruntime"),
           run.output.c_str());
  const std::string expected = with_end("intra 1 inter 1 mode 0") + with_end(hostile_input) +
                               with_end("type 7 shape 1 5") + with_end("mask") +
                               with_end("type 9 shape 1 5 1") + with_end(hostile_output) +
                               with_end("type 1 shape 1 5 4");
  const std::string log = text_of(folder_ + "/log");
  QVERIFY2(log.starts_with(expected), log.c_str());
}

void ExchangeModelRivalTest::theRatioHasAnInterval() {
  const ShellResult run = bench("--json --seconds 0 made_reference.tensors --threads 2");
  QVERIFY2(run.code == 0, run.output.c_str());
  const nlohmann::json result = nlohmann::json::parse(run.output, nullptr, false);
  QVERIFY2(result.is_object(), run.output.c_str());
  QCOMPARE(result["vendor"].get<std::string>(), std::string("onnxruntime 0.0-stub"));
  QVERIFY(result["relative_error"].get<double>() < 1e-5);
  // Fewer rounds than six have no interval of 95 %.
  QVERIFY(result["rounds"].get<int>() >= 6);
  QVERIFY(result["ratio_coverage"].get<double>() >= 0.95);
  QVERIFY(result["ratio_low"].get<double>() > 0);
  QVERIFY(result["ratio_low"].get<double>() <= result["ratio"].get<double>());
  QVERIFY(result["ratio"].get<double>() <= result["ratio_high"].get<double>());
  for (const std::string side : {"", "vendor_"}) {
    const auto seconds = [&](const char* which) { return result[side + which + "_seconds"].get<double>(); };
    QVERIFY(seconds("first_quartile") > 0);
    QVERIFY(seconds("first_quartile") <= seconds("median"));
    QVERIFY(seconds("median") <= seconds("third_quartile"));
  }
  // The rival gets as many threads as the library has, which are fewer on a machine with one processor.
  const std::string log = text_of(folder_ + "/log");
  QVERIFY2(log.starts_with(fmt::format("intra {} inter 1", result["threads"].get<int>())), log.c_str());
}

void ExchangeModelRivalTest::wrongOutputsAreNotTimed() {
  std::string changed = text_of(folder_ + "/made_reference.tensors");
  // The last output ends the file: 20 floats, which need no padding.
  const auto change_last = [&](float number) {
    std::memcpy(changed.data() + changed.size() - sizeof number, &number, sizeof number);
    write_text(folder_ + "/changed", changed);
  };
  for (const float number : {7.0f, std::numeric_limits<float>::quiet_NaN()}) {
    change_last(number);
    const ShellResult run = bench("changed --json --seconds 0");
    QVERIFY2(run.code == 1, run.output.c_str());
    QVERIFY2(run.output.contains("FAILED  output 1") && !run.output.contains("FAILED  output 0") &&
                 !run.output.contains("ratio"),
             run.output.c_str());
  }
  change_last(7);
  QCOMPARE(bench("changed --tolerance 1000 --seconds 0").code, 0);
}

void ExchangeModelRivalTest::whatCannotRunIsExplained() {
  const auto fails = [&](const ShellResult& run, const char* why) {
    return run.code == 2 && run.output.contains(why);
  };
  QVERIFY(fails(bench("nowhere.onnx"), "onnxruntime: the stub cannot open the model"));
  QVERIFY(fails(bench("made_weights.tensors"), "onnxruntime: the stub got other inputs"));
  QVERIFY(fails(bench(""), "MODEL.onnx"));
  QVERIFY(fails(bench("--unknown made_reference.tensors"), "MODEL.onnx"));
  QVERIFY(fails(bench("made_reference.tensors another"), "MODEL.onnx"));
  QVERIFY(fails(bench("made_reference.tensors --weights nowhere"), "cannot be read"));
  QVERIFY(fails(bench("made_reference.tensors --library ./nowhere.so"), "cannot be loaded"));
  QVERIFY(fails(shell(folder_, "STUB_OLD=1 build/bench_onnxruntime made_reference.tensors"), "older"));
}

void ExchangeModelRivalTest::nothingIsBuiltWithoutOnnxruntime() {
  const ShellResult without = shell(folder_, "cmake -G Ninja -S . -B without -D ONNXRUNTIME_LIBRARY=OFF");
  QVERIFY2(without.code == 0 && without.output.contains("onnxruntime is missing"), without.output.c_str());
  const ShellResult targets = shell(folder_, "cmake --build without --target help");
  QVERIFY2(targets.output.contains("made_bench") && !targets.output.contains("bench_onnxruntime"),
           targets.output.c_str());
}

KERNELSCAPE_TEST(ExchangeModelRivalTest, QCoreApplication)

}  // namespace kernelscape::exchange_model_rival_test
#include "exchange_model_rival_test.moc"
