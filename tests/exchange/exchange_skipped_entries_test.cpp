#include <QTest>
#include <cmath>
#include <cstdlib>

#include "core/exchange/import_json.h"
#include "core/exchange/skipped_entries.h"
#include "core/exchange/validation.h"
#include "tests/exchange/broken_entries.h"
#include "tests/exchange/import_support.h"
#include "tests/exchange/tvm_logs.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_skipped_entries_test {
using namespace kernelscape::exchange_tests;

namespace {

/** KERNELSCAPE_TEST_ROUNDS=2000 breaks an entry in so many files. */
int rounds() {
  const char* const asked = std::getenv("KERNELSCAPE_TEST_ROUNDS");
  return asked != nullptr ? std::atoi(asked) : 210;
}

Result<exchange::ImportedFile> read(const EntryFormat& format, const std::string& text) {
  exchange::ImportText file("tuned.json", text);
  return exchange::validated(TRY(read_as(format.name, file)));
}

bool has_entry(const exchange::ImportedFile& file, int number) {
  for (const exchange::ImportedTrials& part : file.parts)
    for (const exchange::ImportedTrial& trial : part.trials) {
      const double seconds = trial.measurement.ranking_seconds();
      if (std::abs(seconds - entry_seconds(number)) < 1e-9) return true;
    }
  return false;
}

}  // namespace

/** One policy for all formats: what cannot be read is skipped and named, and the rest is kept. */
class ExchangeSkippedEntriesTest : public QObject {
  Q_OBJECT

 private slots:
  void whole_files_are_read();
  void a_broken_entry_costs_no_other();
  void python_words_are_read();
  void all_entries_broken_is_an_error();
  void five_are_named();
};

void ExchangeSkippedEntriesTest::whole_files_are_read() {
  for (const EntryFormat& format : entry_formats()) {
    std::vector<std::string> entries;
    for (int i = 0; i < 9; ++i) entries.push_back(format.entry(i).dump());
    const exchange::ImportedFile file = must(read(format, format.file(entries)));
    QCOMPARE(file.parts.size(), std::size_t{1});
    QCOMPARE(file.parts[0].trials.size(), std::size_t{9});
    for (int i = 0; i < 9; ++i) QVERIFY2(has_entry(file, i), format.name.c_str());
    QVERIFY2(!has_notice(file.notices, "skipped"), format.name.c_str());
    // Told by its content as the format that it is.
    QCOMPARE(exchange::recognised_format(format.file(entries))->name, format.name);
  }
}

void ExchangeSkippedEntriesTest::a_broken_entry_costs_no_other() {
  base::Random random(testing::random_seed());
  for (int round = 0; round < rounds(); ++round) {
    const std::vector<EntryFormat>& formats = entry_formats();
    const EntryFormat& format = formats[static_cast<std::size_t>(round) % formats.size()];
    // Of two entries with different parameters nobody knows which one is wrong.
    const int count = 3 + static_cast<int>(random.below(8));
    const int broken = static_cast<int>(random.below(static_cast<std::uint64_t>(count)));
    std::vector<std::string> entries;
    for (int i = 0; i < count; ++i)
      entries.push_back(i == broken ? broken_entry(random, format, format.entry(i)) : format.entry(i).dump());
    const std::string what = format.name + ": " + entries[static_cast<std::size_t>(broken)].substr(0, 2000);
    const Result<exchange::ImportedFile> file = read(format, format.file(entries));
    QVERIFY2(file, file ? "" : (describe(file.error()) + "\n" + what).c_str());
    std::size_t trials = 0;
    for (const exchange::ImportedTrials& part : file->parts) trials += part.trials.size();
    for (int i = 0; i < count; ++i)
      if (i != broken) QVERIFY2(has_entry(*file, i), what.c_str());
    const auto whole = static_cast<std::size_t>(count);
    QVERIFY2(trials == whole || trials + 1 == whole, what.c_str());
    // Two texts are a workload of MetaSchedule, which is no trial.
    const bool workload = entries[static_cast<std::size_t>(broken)].starts_with("[\"");
    if (trials < whole && !workload) QVERIFY2(has_notice(file->notices, "skipped"), what.c_str());
  }
}

void ExchangeSkippedEntriesTest::python_words_are_read() {
  const space::Json read = must(exchange::parse_import_json(
      R"({"a": NaN, "b": [Infinity, -Infinity], "c": None, "d": [True, False], "e": "NaN \" None, Infinity"})"));
  QVERIFY(std::isnan(read["a"].get<double>()));
  QVERIFY(std::isinf(read["b"][0].get<double>()) && read["b"][0].get<double>() > 0);
  QVERIFY(std::isinf(read["b"][1].get<double>()) && read["b"][1].get<double>() < 0);
  QVERIFY(read["c"].is_null());
  QVERIFY(read["d"] == nlohmann::json({true, false}));
  QCOMPARE(read["e"].get<std::string>(), std::string("NaN \" None, Infinity"));
  QCOMPARE(exchange::shown_json(read["a"]) + exchange::shown_json(read["b"][1]), std::string("NaN-Infinity"));
  for (const char* text : {"[Nan]", "[NaNs]", "[Non]", "[Trues]", "{None: 1}", "[-True]", "[Infinity 3]"})
    QVERIFY2(!exchange::parse_import_json(text), text);
  QVERIFY(error_of(exchange::parse_import_json("[1,\n  Nope]")).contains("line 2, column 3"));
}

void ExchangeSkippedEntriesTest::all_entries_broken_is_an_error() {
  for (const EntryFormat& format : entry_formats()) {
    const Result<exchange::ImportedFile> file = read(format, format.file({"3", "4"}));
    QVERIFY2(!file, format.name.c_str());
    QVERIFY(file.error().message.starts_with("tuned.json"));
  }
}

void ExchangeSkippedEntriesTest::five_are_named() {
  for (const EntryFormat& format : entry_formats()) {
    std::vector<std::string> entries{format.entry(0).dump()};
    for (int i = 0; i < 20; ++i) entries.emplace_back("3");
    const exchange::ImportedFile file = must(read(format, format.file(entries)));
    const auto skipped = std::ranges::count_if(
        file.notices, [](const std::string& notice) { return notice.contains(": skipped, "); });
    QCOMPARE(skipped, std::ptrdiff_t{5});
    QVERIFY2(has_notice(file.notices, "15 more") && has_notice(file.notices, "20 in all"),
             format.name.c_str());
  }
  // A limit is no wrong entry.
  exchange::SkippedEntries entries("file.json");
  const Status limit = entries.skip("line 3", {ErrorCode::Refused, "too much", {}});
  QVERIFY(!limit && limit.error().message == "line 3: too much");
  QCOMPARE(entries.count(), std::size_t{0});
}

KERNELSCAPE_TEST(ExchangeSkippedEntriesTest, QCoreApplication)

}  // namespace kernelscape::exchange_skipped_entries_test
#include "exchange_skipped_entries_test.moc"
