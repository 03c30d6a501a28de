#include <QTest>
#include <nlohmann/json.hpp>

#include "core/base/foreign_file.h"
#include "core/exchange/validation.h"
#include "tests/exchange/import_support.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_foreign_files_test {
using namespace kernelscape::exchange_tests;

namespace {

const std::string lfs_pointer =
    "version https://git-lfs.github.com/spec/v1\noid sha256:aaaa\nsize 102442450\n";
const std::string page = "\n<!DOCTYPE html>\n<html><body>Not found</body></html>\n";

}  // namespace

/** Files that are something else than their names say, and files from which nothing can be imported. */
class ExchangeForeignFilesTest : public QObject {
  Q_OBJECT

 private:
  std::string write(const std::string& name, const std::string& bytes) {
    write_text(QString::fromStdString(sessions_.path(name)), bytes);
    return sessions_.path(name);
  }

  StoredSessions sessions_;

 private slots:
  void kinds();
  void every_reader_says_what_it_is();
  void packed_pages_are_recognised();
  void winners_alone_are_no_trials();
};

void ExchangeForeignFilesTest::kinds() {
  const auto what = [](std::string_view head) {
    const std::optional<base::ForeignKind> kind = base::foreign_kind(head);
    return kind ? std::string(kind->what) : std::string();
  };
  QVERIFY(what(lfs_pointer).contains("Git LFS"));
  QVERIFY(what(page).contains("web page") && what("\xef\xbb\xbf<HTML>").contains("web page"));
  QVERIFY(what("<?xml version=\"1.0\"?><Error>").contains("XML"));
  QVERIFY(what(std::string("PK\x03\x04\x14\0", 6)).contains("ZIP"));
  QVERIFY(what("\x1f\x8b\x08").contains("gzip"));
  QVERIFY(what("\x80\x04\x95\x10").contains("pickle") && what("\x80\x02}q").contains("pickle"));
  QVERIFY(what(std::string(257, 'a') + "ustar").contains("tar"));
  QVERIFY(what("").contains("empty"));
  for (const std::string& known :
       {std::string("{\"cache\": 1}"), std::string("[1]"), std::string("KSREC"),
        std::string("SQLite format 3\0", 16), std::string("\x08\x07\x12\x07pytorch"),
        std::string("B\x04\n\0\x10\r", 6), std::string("<"), std::string("P"), std::string("# a comment")})
    QVERIFY2(what(known).empty(), known.c_str());
}

void ExchangeForeignFilesTest::every_reader_says_what_it_is() {
  for (const auto& [bytes, words] : {std::pair{lfs_pointer, "git lfs pull"}, std::pair{page, "web page"},
                                     std::pair{std::string("PK\x03\x04\x14\0", 6), "ZIP"},
                                     std::pair{std::string("\x80\x04\x95\x10\0\0", 6), "pickle"}}) {
    const std::string path = write("cache.json", bytes);
    std::vector<std::string> errors{error_of(exchange::read_import(path)),
                                    error_of(exchange::open_recording(path)),
                                    error_of(store::Store::open(path, store::OpenMode::ReadOnly))};
    const Result<store::Store> writable = store::Store::open(path);
    errors.push_back(error_of(writable));
    for (const std::string& error : errors)
      QVERIFY2(error.contains(words) && error.contains("cache.json"), error.c_str());
    QCOMPARE(text_of(QString::fromStdString(path)), bytes);
  }
}

void ExchangeForeignFilesTest::packed_pages_are_recognised() {
  QVERIFY(error_of(exchange::read_import(write("cache.json.gz", gzipped(page)))).contains("web page"));
}

void ExchangeForeignFilesTest::winners_alone_are_no_trials() {
  const std::vector<std::string> files{
      R"({"1": {"BLOCK_SIZE_M": 16, "num_warps": 4}, "2": {"BLOCK_SIZE_M": 32, "num_warps": 8}})",
      R"({"triton_version": "3.2.0", "64": {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 16}})",
      R"({"XBLOCK": 128, "num_warps": 4, "configs_hash": "abc", "found_by_coordesc": false, "time_taken_ms": 40})",
      "Triton autotuning for function mm_kernel,\nwith key as (1024,),\nfinished after 2.10s,\n"
      "best config selected: BLOCK_M: 128, num_warps: 4;\n",
      R"({"version_number": "1.0", "tunable_parameters": ["x"], "kernel_name": "k", "data": {"GPU": []}})"};
  for (const std::string& text : files) {
    const std::string error = error_of(exchange::read_import(write("winners.json", text)));
    QVERIFY2(error.contains("winners") && error.contains("nothing to import"), error.c_str());
  }
  QVERIFY(error_of(exchange::read_import(write("other.json", "{\"a\": 1}")))
              .contains("none of the known formats"));
}

KERNELSCAPE_TEST(ExchangeForeignFilesTest, QCoreApplication)

}  // namespace kernelscape::exchange_foreign_files_test
#include "exchange_foreign_files_test.moc"
