#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/exchange/kernels/kernel_library.h"
#include "core/exchange/kernels/layout_conversion.h"
#include "core/exchange/kernels/onednn_layout.h"
#include "core/exchange/kernels/vendor_choice.h"
#include "core/measure/vendor_kernel.h"
#include "core/trial/baselines.h"
#include "tests/exchange/export_support.h"
#include "tests/exchange/stored_session.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_vendor_test {
using namespace kernelscape::exchange_tests;
using namespace kernelscape::testing;

namespace {

using Shape = std::vector<std::int64_t>;

/** A layout as oneDNN counts it: dimensions from the outermost, then blocks; and the name that says so. */
struct NamedLayout {
  std::string name;
  Shape shape;
  std::vector<std::pair<std::size_t, std::int64_t>> levels;  ///< dimension and extent of each level of memory
};

NamedLayout random_named(base::Random& random) {
  NamedLayout made;
  const std::size_t rank = 1 + random.below(5);
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < rank; ++d) {
    made.shape.push_back(between(random, 1, rank > 2 ? 6 : 20));
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(random.below(d + 1)), d);
  }
  Shape in_blocks(rank, 1);
  std::string blocks;
  std::vector<std::pair<std::size_t, std::int64_t>> inner;
  for (std::uint64_t i = random.below(4); i > 0; --i) {
    const std::size_t d = random.below(rank);
    inner.emplace_back(d, between(random, 2, 8));
    in_blocks[d] *= inner.back().second;
    blocks += fmt::format("{}{}", inner.back().second, static_cast<char>('a' + static_cast<int>(d)));
  }
  for (const std::size_t d : order) {
    made.name += static_cast<char>((in_blocks[d] > 1 ? 'A' : 'a') + static_cast<int>(d));
    made.levels.emplace_back(d, (made.shape[d] + in_blocks[d] - 1) / in_blocks[d]);
  }
  made.name += blocks;
  made.levels.insert(made.levels.end(), inner.begin(), inner.end());
  return made;
}

std::vector<double> samples_about(base::Random& random, double seconds, double spread, std::size_t count) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < count; ++i)
    samples.push_back(seconds * (1 + spread * (random.uniform() - 0.5)));
  return samples;
}

exchange::ExportedKernel some_kernel(const std::string& task, base::Random& random) {
  exchange::ExportedKernel kernel = exported(random_measured(task::parse_task(task).value(), "", random));
  kernel.measured.confirmed_seconds = samples_about(random, 2e-3, 0.01, 7);
  kernel.measured.vendor.name = "oneDNN 2.6.3";
  kernel.measured.vendor.samples_seconds = samples_about(random, 1e-3, 0.01, 7);
  return kernel;
}

/** With what oneDNN chooses for it on this machine; false where this build has none. */
bool give_own_layouts(exchange::ExportedKernel& kernel) {
  const task::Task& task = kernel.measured.task;
  const auto vendor = measure::make_onednn_kernel(task, task::make_reference_inputs(*task.op, 1));
  if (!vendor) return false;
  trial::VendorResult result = (*vendor)->description();
  result.samples_seconds = kernel.measured.vendor.samples_seconds;
  kernel.measured.vendor = std::move(result);
  return true;
}

const char* const small_product = "matmul 6x8 8x10 f32";
const char* const its_layouts = "a ab, b ba, output ab";

}  // namespace

class ExchangeVendorTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

 private slots:
  void layoutsLieAsTheirNamesSay();
  void otherNamesAreNone_data();
  void otherNamesAreNone();
  void layoutsAreOfTheTask_data();
  void layoutsAreOfTheTask();
  void shapesKeepTheOrderOfElements();
  void intervalsDecide();
  void oursStaysWithAReason_data();
  void oursStaysWithAReason();
  void onlyWhatWasMeasuredInTurnsCounts();
  void aLibraryComputesByOneDnn();
};

void ExchangeVendorTest::layoutsLieAsTheirNamesSay() {
  base::Random random(random_seed());
  for (int round = 0; round < 300; ++round) {
    const NamedLayout named = random_named(random);
    const std::optional<loop_nest::Layout> layout = exchange::onednn_layout(named.name, named.shape);
    QVERIFY2(layout.has_value(), named.name.c_str());
    std::int64_t places = 1;
    for (const auto& [dimension, extent] : named.levels) places *= extent;
    QCOMPARE(layout->physical_count(), places);
    std::int64_t elements = 0;
    for (std::int64_t place = 0; place < places; ++place) {
      // From the innermost level: what a level counts is a step of all further in of its dimension.
      Shape index(named.shape.size(), 0);
      Shape step(named.shape.size(), 1);
      std::int64_t left = place;
      for (std::size_t level = named.levels.size(); level-- > 0;) {
        const auto& [dimension, extent] = named.levels[level];
        index[dimension] += left % extent * step[dimension];
        step[dimension] *= extent;
        left /= extent;
      }
      const bool is_element = std::ranges::equal(index, named.shape, std::less());
      if (!is_element) continue;
      ++elements;
      QVERIFY2(layout->offset(index) == place, named.name.c_str());
    }
    QCOMPARE(elements, layout->logical_count());
  }
}

void ExchangeVendorTest::otherNamesAreNone_data() {
  QTest::addColumn<QString>("name");
  for (const char* name : {"",
                           "abc",
                           "abcde",
                           "aacd",
                           "abcz",
                           "aBcd",
                           "abcd8b",
                           "aBcd8",
                           "aBcd8e",
                           "aBcd8B",
                           "aBcd1b",
                           "aBcd0b",
                           "aBcd-8b",
                           "aBcd8b8",
                           "aBcd4097b",
                           "aBcd64b128b",
                           "aBcd99999999999999999999b",
                           "library-specific",
                           "aBcd 8b",
                           "AbCd8a"})
    QTest::newRow(name) << QString(name);
}

void ExchangeVendorTest::otherNamesAreNone() {
  QFETCH(QString, name);
  QVERIFY(!exchange::onednn_layout(name.toStdString(), {1, 8, 4, 4}).has_value());
}

void ExchangeVendorTest::layoutsAreOfTheTask_data() {
  QTest::addColumn<QString>("reported");
  QTest::addColumn<bool>("taken");
  const auto row = [](const char* reported, bool taken) {
    QTest::newRow(reported) << QString(reported) << taken;
  };
  row("data acdb, weight Acdb16a, output acdb", true);
  row("data aBcd8b, weight ABcd8b8a, output aBcd8b", true);
  row("data acdb, weight library-specific, output acdb", false);
  row("", false);
  row("data acdb", false);
  row("data acdb, weight Acdb16a, output acdb, more ab", false);
  row("data acdb, weight Acdb16a, output acdb, ", false);
  row("a acdb, b Acdb16a, output acdb", false);
  row("data acdb, weight aBcde16b, output acdb", false);
}

void ExchangeVendorTest::layoutsAreOfTheTask() {
  QFETCH(QString, reported);
  QFETCH(bool, taken);
  const task::Task task = task::parse_task("conv2d 1x8x9x9 16x8x3x3 pad=1 f32").value();
  QCOMPARE(exchange::onednn_layouts(task, reported.toStdString()).has_value(), taken);
}

/** Weights of groups have a dimension more there; operands that are stored transposed change two. */
void ExchangeVendorTest::shapesKeepTheOrderOfElements() {
  const task::Task grouped = task::parse_task("conv2d 1x16x9x9 32x8x3x3 pad=1 groups=2 f32").value();
  const auto of_groups = exchange::onednn_layouts(grouped, "data acdb, weight aBdec16b, output acdb");
  QVERIFY(of_groups.has_value());
  QCOMPARE((*of_groups)[1].shape, (Shape{2, 16, 8, 3, 3}));
  const task::Task transposed = task::parse_task("matmul 8x6 10x8 transpose_a transpose_b f32").value();
  const auto reported = exchange::onednn_layouts(transposed, "a ab, b ba, output ab");
  QVERIFY(reported.has_value());
  QCOMPARE((*reported)[0].shape, transposed.op->inputs[0].shape);
  // Of a, 6x8 to the library, the row comes first: the plain tensor's is the second index.
  QCOMPARE((*reported)[0].offset({5, 2}), std::int64_t{2 * 8 + 5});
  QVERIFY(exchange::is_plain((*reported)[1]) && exchange::is_plain((*reported)[2]));
}

void ExchangeVendorTest::intervalsDecide() {
  base::Random random(random_seed());
  exchange::ExportedKernel kernel = some_kernel(small_product, random);
  kernel.measured.vendor.layouts = its_layouts;
  int taken = 0;
  for (int round = 0; round < 300; ++round) {
    exchange::ExportedKernel one = kernel;
    const double spread = random.uniform() * 0.5;
    std::vector<double>& own = one.measured.confirmed_seconds;
    std::vector<double>& theirs = one.measured.vendor.samples_seconds;
    own = samples_about(random, 1e-3, spread, 6 + random.below(3));
    theirs = samples_about(random, 1e-3 * (0.7 + random.uniform() * 0.6), spread, 6 + random.below(3));
    exchange::take_vendor_where_faster(one);
    // Of six to eight samples the extremes alone are an interval of 95 %.
    const bool faster = std::ranges::max(theirs) < std::ranges::min(own);
    const bool slower = std::ranges::min(theirs) > std::ranges::max(own);
    QCOMPARE(one.is_vendors(), faster);
    const std::string& why = one.vendor->why;
    const char* const said = faster ? "oneDNN's is faster:" : slower ? "ours is faster:" : "not decided";
    QVERIFY2(why.contains(said), why.c_str());
    QCOMPARE(one.source.arguments[1].layout.name == "ba", faster);
    QVERIFY(faster || one.source == kernel.source);
    taken += faster ? 1 : 0;
  }
  QVERIFY(taken > 10 && taken < 290);
}

void ExchangeVendorTest::oursStaysWithAReason_data() {
  QTest::addColumn<QString>("which");
  QTest::addColumn<QString>("said");
  const auto row = [](const char* which, const char* said) {
    QTest::newRow(which) << QString(which) << QString(said);
  };
  row("unconfirmed", "not measured again");
  row("no vendor", "no vendor's library was measured in turns");
  row("no oneDNN", "this build has no oneDNN");
  row("of a file", "not measured here");
  row("another library", "cuBLAS 12 is not oneDNN");
  row("few samples", "not decided, 7 samples of it and 5 of oneDNN 2.6.3 are too few");
  row("a secret layout", "can't be declared (a ab, b library-specific, output ab)");
  row("no layouts", "can't be declared");
  row("transposed", "transposed convolutions are not taken");
  row("bytes", "for f32 alone");
  row("Winograd", "Winograd convolutions are not taken");
}

void ExchangeVendorTest::oursStaysWithAReason() {
  QFETCH(QString, which);
  QFETCH(QString, said);
  base::Random random(random_seed());
  const bool transposed = which == "transposed";
  const char* other =
      transposed ? "conv2d 1x8x5x5 8x16x3x3 stride=2 pad=1 transposed f32" : "matmul 6x8 8x10 i8";
  exchange::ExportedKernel kernel =
      some_kernel(transposed || which == "bytes" ? other : small_product, random);
  exchange::MeasuredConfiguration& measured = kernel.measured;
  measured.vendor.layouts = transposed ? "data abcd, weight abcd, output abcd" : its_layouts;
  if (which == "unconfirmed") measured.confirmed_seconds.clear();
  if (which == "no vendor") measured.vendor = {};
  if (which == "no oneDNN") measured.vendor.reason = "this build has no oneDNN: install it";
  if (which == "of a file") measured.provenance.origin = "imported from a file, not measured here";
  if (which == "another library") measured.vendor.name = "cuBLAS 12";
  if (which == "few samples") measured.vendor.samples_seconds.resize(5);
  if (which == "a secret layout") measured.vendor.layouts = "a ab, b library-specific, output ab";
  if (which == "no layouts") measured.vendor.layouts.clear();
  if (which == "Winograd") measured.vendor.algorithm = "Winograd";
  const codegen::KernelSource before = kernel.source;
  exchange::take_vendor_where_faster(kernel);
  QVERIFY(!kernel.is_vendors());
  QVERIFY2(kernel.vendor->why.starts_with("ours stays: ") && kernel.vendor->why.contains(said.toStdString()),
           kernel.vendor->why.c_str());
  QVERIFY(kernel.source == before);
  // Without a vendor's layer the library is what it always was.
  const std::vector<exchange::ExportedFile> files =
      exchange::kernel_library_files({&kernel, 1}, "mine").value();
  QVERIFY(std::ranges::find(files, "mine_vendor.cpp", &exchange::ExportedFile::name) == files.end());
  const std::string& cmake = std::ranges::find(files, "CMakeLists.txt", &exchange::ExportedFile::name)->text;
  QVERIFY(!cmake.contains("dnnl"));
}

/** A stored session's last confirmation, and the vendor's result that its status has. */
void ExchangeVendorTest::onlyWhatWasMeasuredInTurnsCounts() {
  base::Random random(random_seed());
  const exchange::MeasuredConfiguration measured =
      random_measured(task::parse_task(small_product).value(), "", random);
  StoredSessions sessions;
  store::SessionRecord record = StoredSessions::record_of(measured.task, measured.target, measured.space);
  record.template_name = measured.template_name;
  record.template_version = measured.template_version;
  trial::Trial trial;
  trial.configuration = measured.configuration;
  trial.measurement.samples_seconds = measured.samples_seconds;
  const std::vector<double> own = samples_about(random, 2e-3, 0.01, 7);
  const std::vector<double> theirs = samples_about(random, 1e-3, 0.01, 7);
  const std::vector<double> later = samples_about(random, 1e-3, 0.01, 7);
  trial::Baselines baselines;
  baselines.vendor = {"oneDNN 2.6.3", "gemm", its_layouts, theirs, 0, {}};
  const auto read = [&](const std::vector<trial::Confirmation>& confirmations) {
    store::SessionStatus status;
    status.vendor_json = trial::baselines_to_json(baselines);
    const store::SessionId id = sessions.add(record, status, {trial});
    StoredSessions::checked(sessions.store().confirmations().append(id, confirmations));
    return StoredSessions::checked(exchange::read_measured_configuration(sessions.store(), id, 0));
  };
  const std::string first = "2026-01-02T03:04:05Z";
  const std::string second = "2026-01-02T03:05:05Z";
  QCOMPARE(read({{0, first, own}, {-1, first, theirs}}).vendor, baselines.vendor);
  // Absent; of another moment than the kernel's; measured again since, so that its layouts may be others.
  const std::vector<std::vector<trial::Confirmation>> others{{{0, first, own}},
                                                             {{-1, first, theirs}, {0, second, own}},
                                                             {{0, first, own}, {-1, second, theirs}},
                                                             {{0, first, own}, {-1, first, later}}};
  for (const std::vector<trial::Confirmation>& other : others) {
    const exchange::MeasuredConfiguration stale = read(other);
    QVERIFY(stale.vendor.samples_seconds.empty());
    exchange::ExportedKernel kernel = exported(stale);
    exchange::take_vendor_where_faster(kernel);
    QVERIFY2(!kernel.is_vendors() && kernel.vendor->why.contains("no vendor's library was measured in turns"),
             kernel.vendor->why.c_str());
  }
}

void ExchangeVendorTest::aLibraryComputesByOneDnn() {
  base::Random random(random_seed());
  std::vector<exchange::ExportedKernel> kernels;
  for (const char* task : {"conv2d 1x8x9x9 16x8x3x3 pad=1 f32", "conv2d 1x16x9x9 16x16x3x3 pad=1 f32",
                           "conv2d 1x16x9x9 32x8x1x1 groups=2 f32", "matmul 4x16 40x16 transpose_b f32"}) {
    kernels.push_back(some_kernel(task, random));
    kernels.back().multiplicity = 1;
    if (!give_own_layouts(kernels.back())) QSKIP("this build has no oneDNN");
  }
  // One whose layouts are not oneDNN's choice any more, and one that stays ours.
  kernels[1].measured.vendor.layouts = "data aBcd4b, weight abcd, output aBcd4b";
  kernels[2].measured.vendor.samples_seconds = kernels[2].measured.confirmed_seconds;
  for (exchange::ExportedKernel& kernel : kernels) exchange::take_vendor_where_faster(kernel);
  for (const std::size_t taken : {0U, 1U, 3U})
    QVERIFY2(kernels[taken].is_vendors(), kernels[taken].vendor->why.c_str());
  QVERIFY(!kernels[2].is_vendors());

  exchange::NetworkOfKernels network{"a network", {}};
  network.order.calls = {{0, {task::CallOperand{}, task::CallOperand{true}}},
                         {1, {task::CallOperand{false, {0}}, task::CallOperand{true}}},
                         {2, {task::CallOperand{false, {1}}, task::CallOperand{true}}},
                         {3, {task::CallOperand{false, {2}}, task::CallOperand{true}}}};
  const QString folder = folder_.filePath("library");
  const std::vector<exchange::ExportedFile> files =
      exchange::kernel_library_files(kernels, "small", &network).value();
  for (const exchange::ExportedFile& file : files)
    QVERIFY2(exchange::is_own_kernel_file(file.name, file.text), file.name.c_str());
  QVERIFY(exchange::write_kernel_folder(files, folder.toStdString()));
  QVERIFY(!QFile::exists(folder + "/" + QString::fromStdString(kernels[0].name) + ".c"));

  const ShellResult built = shell(folder, "cmake -G Ninja -S . -B build && cmake --build build");
  QVERIFY2(built.code == 0, built.output.c_str());
  const ShellResult checked = shell(folder, "build/check 2");
  QVERIFY2(checked.code == 0, checked.output.c_str());
  for (const exchange::ExportedKernel& kernel : kernels)
    QVERIFY2(checked.output.contains(kernel.name + ": right"), checked.output.c_str());
  const ShellResult timed = shell(folder, "build/pass --json --rounds 3 2");
  QVERIFY2(timed.code == 0, timed.output.c_str());
  const auto reported = nlohmann::json::parse(timed.output);
  QCOMPARE(reported.at("conversions").get<std::size_t>(),
           exchange::plan_pass(kernels, network.order).conversion_count());
  QVERIFY2(reported.contains("vendor_seconds"), timed.output.c_str());
  const auto manifest = nlohmann::json::parse(text_of(folder + "/kernelscape.json"));
  const std::string readme = text_of(folder + "/README.md");
  const std::string before_command = "or without CMake:\n\n```sh\n";
  const std::size_t command = readme.find(before_command) + before_command.size();
  const ShellResult plain = shell(folder, readme.substr(command, readme.find("\n```", command) - command));
  QVERIFY2(plain.code == 0, plain.output.c_str());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto& choice = manifest.at("kernels").at(i).at("vendor");
    QCOMPARE(choice.at("taken").get<bool>(), kernels[i].is_vendors());
    QCOMPARE(choice.at("why").get<std::string>(), kernels[i].vendor->why);
    QVERIFY2(readme.contains(kernels[i].vendor->why), readme.c_str());
  }
  const ShellResult without = shell(folder, "cmake -G Ninja -S . -B other -D ONEDNN_LIBRARY=OFF");
  QVERIFY2(without.code != 0 && without.output.contains("are computed by oneDNN: install it"),
           without.output.c_str());
}

KERNELSCAPE_TEST(ExchangeVendorTest, QCoreApplication)

}  // namespace kernelscape::exchange_vendor_test
#include "exchange_vendor_test.moc"
