#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QDirIterator>
#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/exchange/export_formats.h"
#include "core/exchange/importer.h"
#include "core/exchange/kernels/kernel_files.h"
#include "core/exchange/kernels/kernel_library.h"
#include "tests/exchange/export_support.h"
#include "tests/exchange/import_support.h"
#include "tests/exchange/stored_session.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_provenance_test {
using namespace kernelscape::exchange_tests;
using namespace kernelscape::testing;
using nlohmann::json;

namespace {

const char* const provenance_task = "matmul 24x16 16x40 f32";

/** Programs that compilers would be led to by -B, and a file of options, beside the exported sources. */
void lay_traps(const QString& folder, const QString& marker) {
  QDir().mkpath(folder);
  const std::string run = fmt::format("#!/bin/sh\ntouch '{}'\nexit 1\n", marker.toStdString());
  for (const char* program : {"as", "cc1", "collect2", "ld", "sh"}) {
    const QString path = QDir(folder).filePath(program);
    write_text(path, run);
    QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  }
  write_text(QDir(folder).filePath("file"), fmt::format("-wrapper sh,-c,touch\\ {}\n", marker.toStdString()));
  write_text(QDir(folder).filePath("evil.h"), "#error \"evil.h was included\"\n");
}

std::vector<std::string> hostile_flags(const QString& marker) {
  return {"-O2",
          "-wrapper",
          fmt::format("sh,-c,touch {}", marker.toStdString()),
          "-fplugin=./evil.so",
          "@file",
          "-Wl,--no-such-option",
          "-B.",
          "-specs=evil.specs",
          "-imacros",
          "evil.h",
          "-include",
          "evil.h",
          fmt::format("$(touch {})", marker.toStdString()),
          fmt::format("\") execute_process(COMMAND touch {}) #", marker.toStdString()),
          fmt::format("; touch {} #", marker.toStdString()),
          "-march=native"};
}

/** A session of one valid kernel whose description of the target names these flags. */
store::SessionId add_session(StoredSessions& sessions, const std::vector<std::string>& flags,
                             base::Random& random) {
  const task::Task task = task::parse_task(provenance_task).value();
  const schedule::ScheduledKernel kernel = schedule::apply_template(task, this_machine()).value();
  schedule::TargetDescription target = this_machine();
  target.flags = flags;
  store::SessionRecord record = StoredSessions::record_of(task, target, kernel.space());
  record.template_name = kernel.template_name();
  record.template_version = kernel.template_version();
  record.name = "forged";
  trial::Trial trial;
  trial.configuration = accepted_member(kernel, random);
  trial.measurement.samples_seconds = {1e-6, 1e-6, 1e-6};
  trial.finished_seconds = 1;
  store::SessionStatus status;
  status.state = store::SessionState::Done;
  status.best_trial = 0;
  status.best_seconds = 1e-6;
  const store::SessionId id = sessions.add(record, status, {trial});
  StoredSessions::checked(sessions.store().confirmations().append(
      id, std::vector<trial::Confirmation>{{0, "2026-01-01T00:00:00Z", {1e-7}}}));
  return id;
}

/** A file as export writes it, taken in by another database. */
store::SessionId imported_as(StoredSessions& sessions, const std::string& text, const std::string& name) {
  write_text(QString::fromStdString(sessions.path(name)), text);
  return must(exchange::import_file(sessions.store(), sessions.path(name))).sessions.at(0).session;
}

}  // namespace

/** What a file says of compilers, and that its numbers stay the file's. */
class ExchangeProvenanceTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  QString marker() const { return folder_.filePath("PWNED"); }

 private slots:
  void flagsOfAFileRunNothing();
  void flagsOfALibraryAreEachKernelsOwn();
  void anArchitectureOfAFileIsOneWord();
  void theFileIsKept();
  void everyFormatKeepsTheFile();
};

/** The forged session's kernel is exported, built both ways that its README names, and run. */
void ExchangeProvenanceTest::flagsOfAFileRunNothing() {
  base::Random random(random_seed());
  StoredSessions forger;
  StoredSessions sessions;
  const store::SessionId id = imported_as(
      sessions, forger.exported(add_session(forger, hostile_flags(marker()), random), "json"), "forged.json");
  std::vector<std::string> notices;
  exchange::ExportRequest request{.store = sessions.store(), .session = id};
  request.trial = 0;
  const QString folder = folder_.filePath("kernel");
  request.path = folder.toStdString();
  request.notices = &notices;
  const Status written = exchange::export_session(*must(exchange::find_export_format("kernel")), request);
  QVERIFY2(written, written ? "" : describe(written.error()).c_str());
  const std::string reported = fmt::format("{}", fmt::join(notices, "\n"));
  QVERIFY2(reported.contains("14 flags of its session"), reported.c_str());
  QVERIFY2(reported.contains("forged.json") && reported.contains("not measured here"), reported.c_str());

  lay_traps(folder, marker());
  lay_traps(folder + "/build", marker());
  const ShellResult built =
      shell(folder, "cmake -G Ninja -S . -B build && cmake --build build && build/check 1");
  QVERIFY2(built.code == 0, built.output.c_str());
  const exchange::ExportedKernel kernel = must(
      exchange::make_exported_kernel(must(exchange::read_measured_configuration(sessions.store(), id, 0))));
  const std::string command(exchange::plain_build_command({kernel.name, {&kernel, 1}}).text());
  const ShellResult plain = shell(folder, command + " && ./check 1");
  QVERIFY2(plain.code == 0, plain.output.c_str());
  QVERIFY(!QFile::exists(marker()));
  for (QDirIterator found(folder_.path(), {"PWNED*"}, QDir::AllEntries, QDirIterator::Subdirectories);
       found.hasNext();)
    QFAIL(qPrintable(found.next()));

  QCOMPARE(kernel.source.flags.words(), (std::vector<std::string>{"-O2", "-march=native"}));
  const std::string readme = text_of(folder + "/README.md");
  QVERIFY2(readme.contains("flags that are not used"), readme.c_str());
  QVERIFY2(readme.contains("forged.json"), readme.c_str());
  QVERIFY2(!text_of(folder + "/CMakeLists.txt").contains("touch"), "the flags stand in the build");
  const json manifest = json::parse(text_of(folder + "/kernelscape.json"));
  const json& entry = manifest.at("kernels").at(0);
  QCOMPARE(entry.at("flags").size(), std::size_t{2});
  QCOMPARE(entry.at("unused_flags").size(), std::size_t{14});
  QVERIFY(entry.at("provenance").at("origin").get<std::string>().contains("forged.json"));
}

/** Another program's description names no optimization: our own flags are taken then, and named. */
void ExchangeProvenanceTest::flagsOfALibraryAreEachKernelsOwn() {
  base::Random random(random_seed());
  std::vector<exchange::ExportedKernel> kernels;
  const std::vector<std::vector<std::string>> all{{"-O1", "-mno-avx512f"},
                                                  {"llvm", "-mcpu=core-avx2"},
                                                  codegen::own_flags(codegen::Dialect::C).words(),
                                                  {}};
  for (const std::vector<std::string>& flags : all) {
    exchange::MeasuredConfiguration measured =
        random_measured(task::parse_task(provenance_task).value(), "", random);
    measured.target.flags = flags;
    kernels.push_back(exported(measured, fmt::format("kernel_{}", kernels.size())));
  }
  QCOMPARE(kernels[0].source.flags.words(), all[0]);
  QVERIFY(kernels[1].source.flags == codegen::own_flags(codegen::Dialect::C));
  QCOMPARE(kernels[1].unused_flags, all[1]);
  QVERIFY(kernels[2].source.flags == codegen::own_flags(codegen::Dialect::C) &&
          kernels[2].unused_flags.empty());
  QVERIFY(exchange::export_notices(kernels[2]).empty() && exchange::export_notices(kernels[1]).size() == 1);
  QVERIFY(kernels[3].source.flags == codegen::own_flags(codegen::Dialect::C));
  const auto files = must(exchange::kernel_library_files(kernels, "four"));
  const auto cmake = std::ranges::find(files, "CMakeLists.txt", &exchange::ExportedFile::name);
  QVERIFY(cmake->text.contains("kernel_0.c PROPERTY COMPILE_OPTIONS \"-O1\" \"-mno-avx512f\")"));
  QVERIFY(!cmake->text.contains("llvm") && !cmake->text.contains("-mcpu"));
}

/** nvcc passes its options on to shells: only a known architecture stands in the command. */
void ExchangeProvenanceTest::anArchitectureOfAFileIsOneWord() {
  base::Random random(random_seed());
  for (const char* isa : {"sm_80 -ccbin ./evil", "sm_80;touch x", "$(touch x)", "sm_80", "sm_90a", ""}) {
    exchange::MeasuredConfiguration measured = random_measured(task::parse_task(provenance_task).value(), "",
                                                               random, schedule::default_cuda_target());
    measured.target.isa = isa;
    measured.target.flags = {"--std=c++17", "-ccbin", "./evil", "-optf=x"};
    const exchange::ExportedKernel kernel = exported(measured, "some_kernel");
    const auto files = must(exchange::kernel_library_files({&kernel, 1}, "some_kernel"));
    const std::string& readme = std::ranges::find(files, "README.md", &exchange::ExportedFile::name)->text;
    const std::size_t begin = readme.find("nvcc -cubin");
    const std::string command = readme.substr(begin, readme.find('\n', begin) - begin);
    const bool known = std::string_view(isa).starts_with("sm_") && std::string_view(isa).size() <= 6;
    QCOMPARE(command, fmt::format("nvcc -cubin{} --std=c++17 -o some_kernel.cubin some_kernel.cu",
                                  known ? fmt::format(" -arch={}", isa) : ""));
  }
}

/** A file that says it was measured is imported; where it came from is handed on with each export. */
void ExchangeProvenanceTest::theFileIsKept() {
  base::Random random(random_seed());
  StoredSessions maker;
  const store::SessionId measured = add_session(maker, {"-O2"}, random);
  QVERIFY(store::origin_text(maker.store().sessions().get(measured)->record).empty());
  const std::string first = maker.exported(measured, "json");
  QCOMPARE(json::parse(first).at("session").at("kind").get<std::string>(), std::string("measured"));

  StoredSessions sessions;
  const store::SessionId id = imported_as(sessions, first, "first.json");
  const store::SessionRecord record = sessions.store().sessions().get(id)->record;
  QVERIFY(record.kind == store::SessionKind::Imported && !store::measured_here(record));
  QCOMPARE(record.origin, std::string("Kernelscape session first.json"));
  QVERIFY(!record.origin.contains('/'));  // a name, not where it lay
  QCOMPARE(store::origin_text(record),
           std::string("imported from Kernelscape session first.json, not measured here"));
  QVERIFY(exchange::result_text(must(exchange::read_measured_configuration(sessions.store(), id, 0)))
              .contains("not measured here"));

  json second = json::parse(sessions.exported(id, "json"));
  QCOMPARE(second.at("session").at("kind").get<std::string>(), std::string("imported"));
  QCOMPARE(second.at("session").at("origin").get<std::string>(), record.origin);
  // Whatever it calls itself.
  for (const auto& [kind, there] : {std::pair("measured", "imported from"),
                                    {"replayed", "a replay of the recorded space"},
                                    {"imported", "imported from"}}) {
    second["session"]["kind"] = kind;
    const store::SessionRecord again =
        sessions.store().sessions().get(imported_as(sessions, second.dump(), "second.json"))->record;
    QVERIFY(again.kind == store::SessionKind::Imported);
    QCOMPARE(again.origin,
             fmt::format("Kernelscape session second.json, there {} Kernelscape session first.json", there));
  }
  second["session"]["origin"] = std::string(1'000, 'x');
  const store::SessionRecord cut =
      sessions.store().sessions().get(imported_as(sessions, second.dump(), "third\n\x1b[31m.json"))->record;
  QVERIFY(cut.origin.size() < 400);
  QVERIFY(std::ranges::none_of(cut.origin, [](char c) { return static_cast<unsigned char>(c) < ' '; }));
  second["session"]["origin"] = 7;
  write_text(QString::fromStdString(sessions.path("fourth.json")), second.dump());
  QVERIFY(error_of(exchange::import_file(sessions.store(), sessions.path("fourth.json"))).contains("origin"));
}

void ExchangeProvenanceTest::everyFormatKeepsTheFile() {
  base::Random random(random_seed());
  StoredSessions maker;
  const store::SessionId measured = add_session(maker, {"-O2"}, random);
  for (const char* format : {"json", "autotvm", "kernel-tuner", "t4"}) {
    StoredSessions sessions;
    const std::string name = fmt::format("{}.log", format);
    write_text(QString::fromStdString(sessions.path(name)), maker.exported(measured, format));
    const exchange::ImportOutcome outcome =
        must(exchange::import_file(sessions.store(), sessions.path(name), exchange::ImportAs::Session));
    const store::SessionRecord record =
        sessions.store().sessions().get(outcome.sessions.at(0).session)->record;
    QVERIFY2(record.kind == store::SessionKind::Imported && record.origin.contains(name),
             record.origin.c_str());
  }
  StoredSessions sessions;
  const std::string path = sessions.path("space.ksrec");
  write_text(QString::fromStdString(path), maker.exported(measured, "recorded"));
  const store::SessionId id = must(exchange::import_file(sessions.store(), path)).sessions.at(0).session;
  const store::SessionRecord record = sessions.store().sessions().get(id)->record;
  QVERIFY(record.kind == store::SessionKind::Recorded && !store::measured_here(record));
  QVERIFY2(record.origin.contains("space.ksrec"), record.origin.c_str());
  QVERIFY(store::origin_text(record).contains("not measured here"));
}

KERNELSCAPE_TEST(ExchangeProvenanceTest, QCoreApplication)

}  // namespace kernelscape::exchange_provenance_test
#include "exchange_provenance_test.moc"
