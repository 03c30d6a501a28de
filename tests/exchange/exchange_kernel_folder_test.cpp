#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTest>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/sha256.h"
#include "core/exchange/kernels/kernel_library.h"
#include "tests/exchange/export_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_kernel_folder_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

/** What an export into a folder replaces and removes, whatever the manifest there says. */
class ExchangeKernelFolderTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> root_;
  std::vector<exchange::ExportedKernel> kernels_;

  QString folder() const { return root_->filePath("export"); }
  QString file(const QString& name) const { return folder() + "/" + name; }
  QString manifest() const { return file("kernelscape.json"); }
  Status write(std::span<const exchange::ExportedKernel> kernels, bool force = false) const {
    return exchange::write_kernel_library(kernels, folder().toStdString(), "library", force);
  }
  std::span<const exchange::ExportedKernel> both() const { return kernels_; }
  std::span<const exchange::ExportedKernel> first() const { return both().first(1); }
  /** Names and texts of all that is there. */
  std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> all;
    for (const QString& name : QDir(folder()).entryList(QDir::Files | QDir::Hidden | QDir::System))
      all[name.toStdString()] = text_of(file(name));
    return all;
  }
  json read_manifest() const { return json::parse(text_of(manifest())); }
  void write_manifest(const json& object) const { write_text(manifest(), object.dump(2) + "\n"); }
  /** As versions wrote it that knew no hashes. */
  void make_old() const {
    json object = read_manifest();
    object.erase("written");
    write_manifest(object);
  }

 private slots:
  void initTestCase() {
    base::Random random(testing::random_seed());
    for (const char* name : {"first_one", "second_one"})
      kernels_.push_back(
          exported(random_measured(task::parse_task("matmul 24x16 16x40 f32").value(), "", random), name));
  }
  void init() {
    root_ = std::make_unique<QTemporaryDir>();
    QVERIFY(write(both()));
  }

  void theManifestHasTheHashOfEveryFile() {
    std::set<std::string> listed;
    const json manifest = read_manifest();
    for (const json& entry : manifest.at("written")) {
      const std::string name = entry.at("name");
      QVERIFY2(listed.insert(name).second, name.c_str());
      QCOMPARE(entry.at("sha256").get<std::string>(),
               base::sha256(text_of(file(QString::fromStdString(name)))));
    }
    for (const auto& [name, text] : content()) QVERIFY(listed.contains(name) == (name != "kernelscape.json"));
    QVERIFY(!content().contains("library_table.o"));
  }

  void onlyWhatWasWrittenAndStillIsTheSameGoes() {
    write_text(file("notes.txt"), "mine");
    QVERIFY(write(first()));
    QVERIFY(!QFile::exists(file("second_one.c")));
    QVERIFY(QFile::exists(file("notes.txt")));
    QVERIFY(write(both()));
    const std::string changed = text_of(file("second_one.c")) + "/* mine */\n";
    write_text(file("second_one.c"), changed);
    QVERIFY(write(first(), true));
    QCOMPARE(text_of(file("second_one.c")), changed);
  }

  /** A header of a system's name would be built with the kernel; where it was built itself is no matter. */
  void whatLiesBesideAnExportIsNamed() {
    QVERIFY(QDir().mkpath(file("build")));
    QVERIFY(write(both()));
    for (const char* name : {"string.h", "toolchain.cmake"}) write_text(file(name), "#error mine\n");
    const auto before = content();
    const Status refused = write(both());
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::Occupied);
    for (const char* name : {"string.h", "toolchain.cmake"})
      QVERIFY2(refused.error().message.contains(name), refused.error().message.c_str());
    QVERIFY(content() == before);
    QVERIFY(write(both(), true));
    QCOMPARE(text_of(file("string.h")), std::string("#error mine\n"));
  }

  /** What can't be listed may hold a header. */
  void aFolderThatCannotBeListedIsRefused() {
    if (geteuid() == 0) QSKIP("root may list every folder");
    QVERIFY(write(both()));
    write_text(file("string.h"), "#error mine\n");
    const std::string path = folder().toStdString();
    std::filesystem::permissions(path, std::filesystem::perms(0300));
    const Status refused = write(both());
    std::filesystem::permissions(path, std::filesystem::perms(0700));
    QVERIFY(!refused);
  }

  /** The README's commands would write to where they lead. */
  void linksInPlaceOfWhatABuildLeavesAreNamed() {
    QVERIFY(write(both()));
    std::filesystem::create_symlink("../newfile", file("first_one.o").toStdString());
    const Status refused = write(both());
    QVERIFY(!refused && refused.error().message.contains("first_one.o"));
  }

  /** CMake obeys a cache that lies beside the sources, and the README says to run the check. */
  void aCacheOrACheckOfSomebodyElseIsNamed() {
    const auto is_refused = [&](const char* name) {
      const Status done = write(both());
      return !done && done.error().code == ErrorCode::Occupied && done.error().message.contains(name);
    };
    write_text(file("CMakeCache.txt"), "CMAKE_C_COMPILER:FILEPATH=/tmp/mine\n");
    QVERIFY(is_refused("CMakeCache.txt"));
    QVERIFY(QFile::remove(file("CMakeCache.txt")));
    write_text(file("check"), "#!/bin/sh\n");
    QVERIFY(write(both()));
    QCOMPARE(chmod(file("check").toStdString().c_str(), 0755), 0);
    QVERIFY(write(both()));  // where it was built from what was exported
    make_old();
    QVERIFY(is_refused("check"));
    QVERIFY(write(both(), true));
    QVERIFY(write(both()));
  }

  /** With the first line of our own, and a manifest that lists it without its hash: it would be included. */
  void aHeaderThatAnOldManifestListsIsStillAStrangers() {
    QVERIFY(QDir(folder()).removeRecursively());
    QVERIFY(QDir().mkpath(folder()));
    const std::string own_beginning = "/*\n * Kernels found by Kernelscape.\n */\n#error mine\n";
    write_text(file("math.h"), own_beginning);
    write_manifest({{"format", "kernelscape-kernels"}, {"files", json::array({"math.h"})}});
    const auto before = content();
    const Status refused = write(both());
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::Occupied);
    QVERIFY2(refused.error().message.contains("math.h"), refused.error().message.c_str());
    QVERIFY(content() == before);
  }

  /** CMake runs the compiler that a cache names, and PreLoad.cmake before anything else. */
  void aBuildThatIsNotOfThisFolderIsNamed() {
    QVERIFY(QDir().mkpath(file("build")));
    const auto is_refused = [&] {
      const Status done = write(both());
      return !done && done.error().code == ErrorCode::Occupied && done.error().message.contains("build");
    };
    write_text(file("build/PreLoad.cmake"), "message(FATAL_ERROR mine)\n");
    QVERIFY(is_refused());
    const auto cache_of = [&](const std::string& sources) {
      write_text(file("build/CMakeCache.txt"), "# a cache\nCMAKE_C_COMPILER:FILEPATH=/tmp/mine\n" + sources);
    };
    const std::string here = std::filesystem::canonical(folder().toStdString()).string();
    const std::string name = "CMAKE_HOME_DIRECTORY:INTERNAL=";
    for (const std::string& sources :
         {std::string(), name + "\n", name + "/somewhere\n", name + "/proc/self/cwd\n", name + here + "2\n",
          "X:STRING=" + name + here + "\n"}) {
      cache_of(sources);
      QVERIFY2(is_refused(), sources.c_str());
    }
    cache_of(name + here + "\n");
    QVERIFY(write(both()));
    QVERIFY(QDir(file("build")).removeRecursively());
    QVERIFY(QDir().mkpath(root_->filePath("elsewhere")));
    std::filesystem::create_symlink("../elsewhere", file("build").toStdString());
    QVERIFY(is_refused());
    QVERIFY(write(both(), true));
  }

  /** Who made the folder could else write into what is built later. */
  void nobodyElseMayWriteToWhatIsReplaced() {
    const auto mode_of = [&](const char* name) {
      struct stat state{};
      return stat(file(name).toStdString().c_str(), &state) == 0 ? state.st_mode & 07777 : 0;
    };
    const std::map<mode_t, mode_t> modes{{0666, 0644}, {04777, 0644}, {0664, 0644}, {0600, 0600}};
    for (const auto& [before, after] : modes) {
      for (const char* name : {"first_one.c", "CMakeLists.txt", "kernelscape.json"})
        chmod(file(name).toStdString().c_str(), before);
      const mode_t mask = umask(0);
      const Status written = write(both());
      umask(mask);
      QVERIFY(written);
      for (const char* name : {"first_one.c", "CMakeLists.txt", "kernelscape.json"})
        QCOMPARE(mode_of(name), after);
    }
  }

  void whatWasChangedIsReplacedOnlyByForce() {
    for (const char* name : {"first_one.c", "README.md", "CMakeLists.txt", "library.h", "check.c"}) {
      const std::string before = text_of(file(name));
      write_text(file(name), before + "mine\n");
      const auto all = content();
      const Status refused = write(both());
      QVERIFY2(!refused, name);
      QCOMPARE(refused.error().code, ErrorCode::Occupied);
      QVERIFY2(refused.error().message.contains(name), refused.error().message.c_str());
      QVERIFY(refused.error().message.contains(folder().toStdString()));
      QVERIFY(refused.error().hint.contains("--force"));
      QVERIFY2(content() == all, name);
      QVERIFY(write(both(), true));
      QCOMPARE(text_of(file(name)), before);
    }
  }

  void aFileOfSomebodyElseIsNamed() {
    QVERIFY(write(first()));
    write_text(file("second_one.c"), "int mine(void) { return 1; }\n");
    const Status refused = write(both());
    QVERIFY(!refused && refused.error().message.contains("second_one.c"));
    QVERIFY(!refused.error().message.contains("first_one.c"));
    QCOMPARE(text_of(file("second_one.c")), std::string("int mine(void) { return 1; }\n"));
  }

  /** With names, and with the right hashes. */
  void aForgedManifestRemovesAndReplacesNothing() {
    const std::string own_text = "cmake_minimum_required(VERSION 3.16)\nproject(mine C)\n";
    const std::map<std::string, std::string> mine{{"CMakeLists.txt", own_text},
                                                  {"main.c", "int main(void) { return 0; }\n"},
                                                  {"thesis.tex", "text\n"},
                                                  {"second_one.c", "/*\n * mine\n */\n"}};
    write_text(root_->filePath("outside.c"), "outside\n");
    for (const bool hashed : {false, true}) {
      QVERIFY(QDir(folder()).removeRecursively());
      QVERIFY(QDir().mkpath(folder()));
      json object{{"format", "kernelscape-kernels"}};
      const auto list = [&](const std::string& name, const std::string& text) {
        object["files"].push_back(name);
        if (hashed)
          object["written"].push_back(json::object({{"name", name}, {"sha256", base::sha256(text)}}));
      };
      for (const auto& [name, text] : mine) {
        write_text(file(QString::fromStdString(name)), text);
        list(name, text);
      }
      for (const std::string& name : {std::string("../outside.c"), root_->filePath("outside.c").toStdString(),
                                      std::string(".."), std::string(), std::string("./main.c")})
        list(name, "outside\n");
      write_manifest(object);
      const auto before = content();
      const Status refused = write(first());
      QVERIFY(!refused && refused.error().message.contains("CMakeLists.txt"));
      QVERIFY(content() == before);
      QVERIFY(write(first(), true));
      for (const char* name : {"main.c", "thesis.tex", "second_one.c"})
        QCOMPARE(text_of(file(name)), mine.at(name));
      QCOMPARE(text_of(root_->filePath("outside.c")), std::string("outside\n"));
    }
  }

  void damagedManifestsAreNoExport() {
    const json good = read_manifest();
    for (const json& written : {json(1), json::array({1}), json::array({{{"name", 1}}}), json("x"),
                                json::array({{{"name", "a.c"}, {"sha256", 1}}})}) {
      json object = good;
      object["written"] = written;
      write_manifest(object);
      const auto before = content();
      for (const bool force : {false, true}) QCOMPARE(write(first(), force).error().code, ErrorCode::Refused);
      QVERIFY(content() == before);
    }
  }

  void linksInsideAreNeverFollowed() {
    write_text(root_->filePath("outside.c"), "outside\n");
    for (const char* name : {"first_one.c", "README.md", "kernelscape.json"}) {
      QVERIFY(write(both(), true));
      const std::string text = text_of(file(name));
      write_text(root_->filePath("twin"), text);
      for (const char* target : {"../outside.c", "../twin", "../none", "notes.txt"}) {
        QVERIFY(QFile::remove(file(name)));
        std::filesystem::create_symlink(target, file(name).toStdString());
        for (const bool force : {false, true}) QVERIFY2(!write(both(), force), name);
        QCOMPARE(text_of(root_->filePath("outside.c")), std::string("outside\n"));
        QCOMPARE(text_of(root_->filePath("twin")), text);
        QVERIFY(!QFile::exists(root_->filePath("none")));
      }
      QVERIFY(QFile::remove(file(name)));
      write_text(file(name), text);
    }
    // One that is to be removed only goes on leading where it led.
    QVERIFY(QFile::rename(file("second_one.c"), root_->filePath("second_one.c")));
    std::filesystem::create_symlink("../second_one.c", file("second_one.c").toStdString());
    QVERIFY(write(first(), true));
    QVERIFY(QFile::exists(root_->filePath("second_one.c")));
    QVERIFY(std::filesystem::is_symlink(file("second_one.c").toStdString()));
  }

  void theFolderItselfMayBeALink() {
    QVERIFY(QDir(root_->path()).rename("export", "real"));
    std::filesystem::create_symlink("real", folder().toStdString());
    QVERIFY(write(first()));
    QVERIFY(std::filesystem::is_symlink(folder().toStdString()));
    QVERIFY(!QFile::exists(root_->filePath("real/second_one.c")));
  }

  void databasesAndRecordedSpacesStay() {
    for (const std::string& text : {std::string("SQLite format 3\0", 16), std::string("KSREC\0\0\1", 8)}) {
      write_text(file("first_one.c"), text);
      for (const bool force : {false, true}) QCOMPARE(write(both(), force).error().code, ErrorCode::Refused);
      QCOMPARE(text_of(file("first_one.c")), text);
    }
  }

  void exportsOfEarlierVersionsAreReplaced() {
    make_old();
    QVERIFY(write(both()));
    QVERIFY(read_manifest().contains("written"));
    make_old();
    // Without hashes nobody knows whose it is: it is named, and stays.
    const Status refused = write(first());
    QVERIFY(!refused && refused.error().message.contains("second_one.c"));
    QVERIFY(write(first(), true));
    QVERIFY(QFile::exists(file("second_one.c")));
    QVERIFY(QFile::remove(file("second_one.c")));
    make_old();
    write_text(file("README.md"), "# Mine\n");
    QCOMPARE(write(both()).error().code, ErrorCode::Occupied);
    QVERIFY(write(both(), true));
  }

  /** The manifest of an export that was cut short has old and new texts. */
  void halfWrittenFoldersAreKnown() {
    json object = read_manifest();
    json texts = json::array();
    for (const json& entry : object.at("written")) {
      texts.push_back(json::object({{"name", entry.at("name")}, {"sha256", base::sha256("new")}}));
      texts.push_back(entry);
    }
    object["written"] = texts;
    write_manifest(object);
    QVERIFY(write(first()));
    QVERIFY(!QFile::exists(file("second_one.c")));
    QCOMPARE(read_manifest().at("written").size(), read_manifest().at("files").size());
  }

  void nothingIsLeftBeside() {
    QVERIFY(write(first()));
    const std::vector<exchange::ExportedFile> files =
        exchange::kernel_library_files(first(), "library").value();
    const auto all = content();
    QCOMPARE(all.size(), files.size());
    for (const exchange::ExportedFile& one : files) QCOMPARE(all.at(one.name), one.text);
    QCOMPARE(QDir(root_->path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot), QStringList{"export"});
  }
};

KERNELSCAPE_TEST(ExchangeKernelFolderTest, QCoreApplication)

}  // namespace kernelscape::exchange_kernel_folder_test
#include "exchange_kernel_folder_test.moc"
