#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <set>

#include "core/base/file.h"
#include "core/exchange/kernels/c_text.h"
#include "core/exchange/kernels/kernel_library.h"
#include "tests/exchange/export_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_refusals_test {
using namespace kernelscape::exchange_tests;

namespace {

constexpr const char* small_matmul = "matmul 24x16 16x40 f32";

exchange::MeasuredConfiguration some_measured() {
  base::Random random(3);
  return random_measured(task::parse_task(small_matmul).value(), "", random);
}

/** Value of an expression of +, *, /, %, brackets, numbers and i0, i1, ...: the test's own reading of it. */
class Evaluator {
 public:
  Evaluator(const std::string& text, const std::vector<std::int64_t>& indices) : indices_(indices) {
    for (const char c : text)
      if (c != ' ') text_ += c;
  }
  std::int64_t run() {
    const std::int64_t value = sum();
    if (place_ != text_.size()) throw std::runtime_error("rest in " + text_);
    return value;
  }

 private:
  bool take(char c) {
    if (place_ >= text_.size() || text_[place_] != c) return false;
    ++place_;
    return true;
  }
  std::int64_t sum() {
    std::int64_t value = product();
    while (take('+')) value += product();
    return value;
  }
  std::int64_t product() {
    std::int64_t value = atom();
    while (true) {
      if (take('*')) {
        value *= atom();
      } else if (take('/')) {
        value /= atom();
      } else if (take('%')) {
        value %= atom();
      } else {
        return value;
      }
    }
  }
  std::int64_t atom() {
    if (take('(')) {
      const std::int64_t value = sum();
      if (!take(')')) throw std::runtime_error("bracket in " + text_);
      return value;
    }
    const bool index = take('i');
    std::int64_t number = 0;
    while (place_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[place_])) != 0)
      number = number * 10 + (text_[place_++] - '0');
    return index ? indices_.at(static_cast<std::size_t>(number)) : number;
  }

  std::string text_;
  const std::vector<std::int64_t>& indices_;
  std::size_t place_ = 0;
};

loop_nest::Layout random_layout(base::Random& random) {
  loop_nest::Layout layout{"random", {}, {}};
  const std::size_t rank = 1 + random.below(4);
  for (std::size_t i = 0; i < rank; ++i) {
    layout.shape.push_back(1 + static_cast<std::int64_t>(random.below(9)));
    const auto block = static_cast<std::int64_t>(1 + random.below(5));
    layout.dimensions.push_back({static_cast<int>(i), block, (layout.shape[i] + block - 1) / block});
    if (block > 1) layout.dimensions.push_back({static_cast<int>(i), 1, block});
  }
  random.shuffle(std::span(layout.dimensions));
  return layout;
}

}  // namespace

/** What cannot be exported, names and folders that are not taken, and the arithmetic of layouts. */
class ExchangeRefusalsTest : public QObject {
  Q_OBJECT

 private slots:
  void whatCannotBeGeneratedAgain_data();
  void whatCannotBeGeneratedAgain();
  void restrictedKnobsAreNoOtherTemplate();
  void names_data();
  void names();
  void anyTextGivesAName();
  void namesAreNoneOfCsLibraries();
  void tasksCalledLikeTheCheckAreExported();
  void longTextsGiveNamesOfFiles();
  void foreignFoldersAreLeftAlone();
  void earlierExportsAreReplaced();
  void aManifestNamesNothingOutside();
  void unwritablePlaces();
  void offsetsAsExpressions();
};

void ExchangeRefusalsTest::whatCannotBeGeneratedAgain_data() {
  QTest::addColumn<QString>("what");
  QTest::addColumn<QString>("says");
  for (const auto& [what, says] : {std::pair{"generic", "known only from its log"},
                                   {"gpu", "matmul-packed"},
                                   {"error", "WRONG_ANSWER"},
                                   {"version", "had version"},
                                   {"template", "no-such-template"},
                                   {"knobs", "other knobs"},
                                   {"task", "template"}})
    QTest::addRow("%s", what) << what << says;
}

void ExchangeRefusalsTest::whatCannotBeGeneratedAgain() {
  QFETCH(QString, what);
  QFETCH(QString, says);
  exchange::MeasuredConfiguration measured = some_measured();
  QVERIFY(exchange::make_exported_kernel(measured).has_value());
  if (what == "generic") measured.task = task::make_generic_task({"gemm", "time", "ms"}).value();
  if (what == "gpu") measured.target = schedule::default_cuda_target();
  if (what == "error") measured.category = trial::ErrorCategory::WrongAnswer;
  if (what == "version") ++measured.template_version;
  if (what == "template") measured.template_name = "no-such-template";
  if (what == "knobs") {
    measured.space =
        space::SearchSpace::make({space::Knob::ordinal("other", {space::KnobValue(std::int64_t{1})}).value()})
            .value();
    measured.configuration.indices = {0};
  }
  if (what == "task") measured.task = task::parse_task("conv1d 2x5x40 7x5x3 stride=1 pad=1 f32").value();
  const auto kernel = exchange::make_exported_kernel(measured);
  QVERIFY(!kernel);
  QCOMPARE(kernel.error().code, ErrorCode::Refused);
  QVERIFY2(kernel.error().message.contains(says.toStdString()), kernel.error().message.c_str());
  QVERIFY(kernel.error().message.contains("trial 12 of session 7"));
  QVERIFY(!kernel.error().hint.empty());
}

/** A user may have searched among some of a knob's values only: the same values mean the same kernel. */
void ExchangeRefusalsTest::restrictedKnobsAreNoOtherTemplate() {
  base::Random random(testing::random_seed());
  const exchange::MeasuredConfiguration measured =
      random_measured(task::parse_task(small_matmul).value(), "", random);
  exchange::MeasuredConfiguration restricted = measured;
  std::vector<space::Knob> knobs;
  for (std::size_t i = 0; i < measured.space.knobs().size(); ++i) {
    const space::Knob& knob = measured.space.knobs()[i];
    std::vector<std::uint32_t> kept;
    for (std::uint32_t index = 0; index < knob.count(); ++index)
      if (index == measured.configuration.indices[i] || random.chance(0.3)) kept.push_back(index);
    const auto place = std::ranges::find(kept, measured.configuration.indices[i]);
    restricted.configuration.indices[i] = static_cast<std::uint32_t>(place - kept.begin());
    knobs.push_back(knob.restricted(kept).value());
  }
  restricted.space = space::SearchSpace::make(std::move(knobs)).value();
  const auto kernel = exchange::make_exported_kernel(restricted);
  QVERIFY2(kernel, kernel ? "" : describe(kernel.error()).c_str());
  QVERIFY(kernel->source == exchange::make_exported_kernel(measured)->source);
}

void ExchangeRefusalsTest::names_data() {
  QTest::addColumn<QStringList>("kernels");
  QTest::addColumn<QString>("library");
  QTest::addColumn<bool>("good");
  QTest::addRow("good") << QStringList{"one", "two"} << "both" << true;
  QTest::addRow("as the library") << QStringList{"one"} << "one" << true;
  QTest::addRow("none") << QStringList{} << "both" << false;
  QTest::addRow("twice") << QStringList{"one", "one"} << "both" << false;
  QTest::addRow("the library's own") << QStringList{"both_pack"} << "both" << false;
  QTest::addRow("its file") << QStringList{"both_table"} << "both" << false;
  QTest::addRow("the check's") << QStringList{"check_call"} << "both" << false;
  QTest::addRow("not the check's") << QStringList{"check_1_kernel", "check_kernel"} << "both" << true;
  QTest::addRow("a keyword") << QStringList{"int"} << "both" << false;
  QTest::addRow("a path") << QStringList{"../one"} << "both" << false;
  QTest::addRow("a digit") << QStringList{"1"} << "both" << false;
  QTest::addRow("empty library") << QStringList{"one"} << "" << false;
  QTest::addRow("a target of CMake") << QStringList{"one"} << "install" << false;
}

void ExchangeRefusalsTest::names() {
  QFETCH(QStringList, kernels);
  QFETCH(QString, library);
  QFETCH(bool, good);
  std::vector<exchange::ExportedKernel> list;
  for (const QString& name : kernels) list.push_back(exported(some_measured(), name.toStdString()));
  const auto files = exchange::kernel_library_files(list, library.toStdString());
  QCOMPARE(files.has_value(), good);
  if (!good) {
    QCOMPARE(files.error().code, ErrorCode::InvalidArgument);
    return;
  }
  std::set<std::string> names;
  for (const exchange::ExportedFile& file : *files) {
    QVERIFY2(names.insert(file.name).second, file.name.c_str());
    QVERIFY2(file.text.ends_with('\n') && !file.text.contains('@'), file.name.c_str());
  }
}

void ExchangeRefusalsTest::anyTextGivesAName() {
  QCOMPARE(exchange::kernel_name("resnet18/C6"), std::string("resnet18_C6"));
  base::Random random(testing::random_seed());
  for (int i = 0; i < 1000; ++i) {
    std::string text(random.below(12), ' ');
    for (char& letter : text) letter = static_cast<char>(random.below(256));
    QVERIFY2(exchange::is_c_name(exchange::kernel_name(text)), exchange::kernel_name(text).c_str());
  }
  for (const char* word : {"int", "", "exp", "main", "9", "_"})
    QVERIFY(exchange::is_c_name(exchange::kernel_name(word)));
}

// An exported kernel stands beside all that the headers of C and of the system declare.
void ExchangeRefusalsTest::namesAreNoneOfCsLibraries() {
  for (const char* word :
       {"posix_memalign", "pthread_create", "epoll_create1", "inotify_init1", "int32_t", "size_t",
        "static_assert", "static_cast", "M_PI_2", "HUGE_VAL_F32", "atomic_int_least8_t"}) {
    QCOMPARE(exchange::kernel_name(word), word + std::string("_kernel"));
    std::string words = word;
    std::ranges::replace(words, '_', ' ');
    QCOMPARE(exchange::kernel_name(words), word + std::string("_kernel"));
  }
}

/** It would be refused beside check.c, whose names begin so. */
void ExchangeRefusalsTest::tasksCalledLikeTheCheckAreExported() {
  for (const char* task : {"check", "check 1", "check_call", "check/case_2"}) {
    const std::string name = exchange::kernel_name(task);
    QVERIFY2(name.starts_with("check") && name.ends_with("_kernel"), name.c_str());
    const exchange::ExportedKernel kernel = exported(some_measured(), name);
    const auto files = exchange::kernel_library_files({&kernel, 1}, name);
    QVERIFY2(files, files ? "" : describe(files.error()).c_str());
    QVERIFY(std::ranges::none_of(*files, [&](const exchange::ExportedFile& file) {
      return file.name == "check.c" && file.text.contains(" " + name + "(const check_case");
    }));
  }
}

void ExchangeRefusalsTest::longTextsGiveNamesOfFiles() {
  for (const char* letter : {"a", "9", "_", "a_", "1 ", "\xc3\xa9"}) {
    std::string text;
    while (text.size() < 1000) text += letter;
    const std::string name = exchange::kernel_name(text);
    QVERIFY2(exchange::is_c_name(name) && name.size() <= 120, name.c_str());
  }
}

void ExchangeRefusalsTest::foreignFoldersAreLeftAlone() {
  const exchange::ExportedKernel kernel = exported(some_measured());
  for (const char* content :
       {"", "{}", "{\"format\": \"other\", \"files\": []}", "{\"format\": \"kernelscape-kernels\"}", "[",
        "{\"format\": 1, \"files\": [1]}"}) {
    QTemporaryDir folder;
    write_text(folder.filePath("kernelscape.json"), content);
    const Status written = exchange::write_kernel_library({&kernel, 1}, folder.path().toStdString(), "mine");
    QVERIFY(!written);
    QCOMPARE(written.error().code, ErrorCode::Refused);
    QVERIFY(written.error().message.contains(folder.path().toStdString()));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{"kernelscape.json"});
    QCOMPARE(text_of(folder.filePath("kernelscape.json")), std::string(content));
  }
  QTemporaryDir folder;
  write_text(folder.filePath("mine.txt"), "mine");
  QVERIFY(!exchange::write_kernel_library({&kernel, 1}, folder.path().toStdString(), "mine"));
  QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{"mine.txt"});
}

void ExchangeRefusalsTest::earlierExportsAreReplaced() {
  QTemporaryDir folder;
  const std::string path = folder.filePath("deep/er").toStdString();
  const std::vector<exchange::ExportedKernel> two{exported(some_measured(), "first_one"),
                                                  exported(some_measured(), "second_one")};
  QVERIFY(exchange::write_kernel_library(two, path, "both"));
  const QDir exported_to(QString::fromStdString(path));
  write_text(exported_to.filePath("notes.txt"), "mine");
  QVERIFY(exchange::write_kernel_library({&two[1], 1}, path, "single"));
  const QStringList expected{"CMakeLists.txt", "README.md",    "check.c",  "kernelscape.json",
                             "notes.txt",      "second_one.c", "single.h", "single_table.c"};
  QStringList found = exported_to.entryList(QDir::Files | QDir::Hidden);
  found.sort();
  QStringList wanted = expected;
  wanted.sort();
  QCOMPARE(found, wanted);
  const std::vector<exchange::ExportedFile> files =
      exchange::kernel_library_files({&two[1], 1}, "single").value();
  for (const exchange::ExportedFile& file : files)
    QCOMPARE(text_of(exported_to.filePath(QString::fromStdString(file.name))), file.text);
}

void ExchangeRefusalsTest::aManifestNamesNothingOutside() {
  QTemporaryDir folder;
  const exchange::ExportedKernel kernel = exported(some_measured());
  write_text(folder.filePath("outside.txt"), "mine");
  QVERIFY(QDir(folder.path()).mkdir("export"));
  write_text(
      folder.filePath("export/kernelscape.json"),
      fmt::format(
          "{{\"format\": \"kernelscape-kernels\", \"files\": [\"../outside.txt\", \"{}\", \"..\", \"\"]}}",
          folder.filePath("outside.txt").toStdString()));
  QVERIFY(exchange::write_kernel_library({&kernel, 1}, folder.filePath("export").toStdString(), "mine"));
  QCOMPARE(text_of(folder.filePath("outside.txt")), std::string("mine"));
}

void ExchangeRefusalsTest::unwritablePlaces() {
  const exchange::ExportedKernel kernel = exported(some_measured());
  QTemporaryDir folder;
  write_text(folder.filePath("file"), "mine");
  for (const QString& path :
       {folder.filePath("file"), folder.filePath("file/below"), QString("/proc/nowhere/export")}) {
    const Status written = exchange::write_kernel_library({&kernel, 1}, path.toStdString(), "mine");
    QVERIFY2(!written, qPrintable(path));
    QVERIFY2(written.error().message.contains(path.toStdString()), written.error().message.c_str());
    QVERIFY(!written.error().hint.empty());
  }
  QCOMPARE(text_of(folder.filePath("file")), std::string("mine"));
}

void ExchangeRefusalsTest::offsetsAsExpressions() {
  base::Random random(testing::random_seed());
  for (int i = 0; i < 200; ++i) {
    const loop_nest::Layout layout = random_layout(random);
    const std::string expression = exchange::offset_expression(layout).text();
    const std::vector<std::int64_t> offsets = loop_nest::physical_offsets(layout);
    for (std::size_t flat = 0; flat < offsets.size(); ++flat) {
      std::vector<std::int64_t> index(layout.shape.size());
      auto rest = static_cast<std::int64_t>(flat);
      for (std::size_t d = index.size(); d-- > 0; rest /= layout.shape[d]) index[d] = rest % layout.shape[d];
      QCOMPARE(Evaluator(expression, index).run(), offsets[flat]);
    }
  }
}

KERNELSCAPE_TEST(ExchangeRefusalsTest, QCoreApplication)

}  // namespace kernelscape::exchange_refusals_test
#include "exchange_refusals_test.moc"
