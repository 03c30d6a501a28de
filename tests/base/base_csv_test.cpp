#include <QTest>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/media/csv.h"
#include "core/base/visible_text.h"
#include "tests/base/media_readers.h"
#include "tests/base/text_cases.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::base_csv_test {
using namespace kernelscape::base_tests;

namespace {

template <typename Value>
std::string field(const Value& value) {
  return base::Csv::field(value).text();
}

}  // namespace

class BaseCsvTest : public QObject {
  Q_OBJECT

 private slots:
  void only_what_has_to_be_is_quoted() {
    QCOMPARE(field("tile of f: 4 x 2"), std::string("tile of f: 4 x 2"));
    QCOMPARE(field(""), std::string());
    for (const std::string text : {"1,5", "1;5", "1\t5"}) QCOMPARE(field(text), "\"" + text + "\"");
    QCOMPARE(field("two\nlines"), std::string("\"two\nlines\""));
    QCOMPARE(field("of \"one\""), std::string("\"of \"\"one\"\"\""));
  }

  void numbers_read_back_the_same() {
    QCOMPARE(field(0.1), std::string("0.1"));
    QCOMPARE(field(1e-9), std::string("1e-09"));
    QCOMPARE(field(-std::numeric_limits<double>::infinity()), std::string("-inf"));
    QCOMPARE(field(std::numeric_limits<double>::quiet_NaN()), std::string());
    // As texts, too: negative values of a knob.
    for (const char* number : {"-5", "-1.5e-3", "+7", "0"})
      QCOMPARE(field(std::string(number)), std::string(number));
  }

  void formulas_are_texts() {
    QCOMPARE(field("=cmd|' /C calc'!A0"), std::string("'=cmd|' /C calc'!A0"));
    QCOMPARE(field("+1+1"), std::string("'+1+1"));
    QCOMPARE(field("-2+3"), std::string("'-2+3"));
    QCOMPARE(field("@SUM(1,2)"), std::string("\"'@SUM(1,2)\""));
    QCOMPARE(field(" =1"), std::string("' =1"));
    QCOMPARE(field("\t=1"), std::string("\"'\t'=1\""));
    QCOMPARE(field("-inf"), std::string("'-inf"));
    QCOMPARE(field("a=1"), std::string("a=1"));
    QCOMPARE(base::Csv::field("=1", base::CsvFormulas::Raw).text(), std::string("=1"));
  }

  /** Told to divide at semicolons or tabs, a spreadsheet begins a cell within the text. */
  void formulas_within_a_text_are_texts() {
    QCOMPARE(field("killed\t=cmd|x"), std::string("\"killed\t'=cmd|x\""));
    QCOMPARE(field("x;=1; -a;-5"), std::string("\"x;'=1;' -a;-5\""));
    QCOMPARE(field("x\n@a\r+b"), std::string("\"x\n'@a\r'+b\""));
    QCOMPARE(field("x,=1"), std::string("\"x,'=1\""));
    QCOMPARE(field("x;\"=1"), std::string("\"x;'\"\"=1\""));
    QCOMPARE(base::Csv::field("x;=1", base::CsvFormulas::Raw).text(), std::string("\"x;=1\""));
  }

  /** What a table puts into the clipboard is pasted into a spreadsheet. */
  void rows_for_the_clipboard_have_their_cells_and_no_formulas() {
    const auto row = [](const std::vector<std::string>& cells) { return base::Tsv::row(cells).text(); };
    QCOMPARE(row({"tile", "-5", "", "1,5"}), std::string("tile\t-5\t\t1,5\n"));
    QCOMPARE(row({"=cmd|' /C calc'!A0", " @a"}), std::string("'=cmd|' /C calc'!A0\t' @a\n"));
    QCOMPARE(row({"killed\t=1\r\n+2"}), std::string("killed =1  +2\n"));
    QCOMPARE(row({"\t=1"}), std::string("' =1\n"));
    QCOMPARE(row({"\"=1\"", "\"a", "of \"one\""}), std::string("'\"=1\"\t\"\"\"a\"\tof \"one\"\n"));
    std::mt19937_64 random(testing::random_seed());
    for (int round = 0; round < 2'000; ++round) {
      std::vector<std::string> cells(1 + random() % 4);
      for (std::string& cell : cells) cell = random_text(random, 6);
      const std::string text = row(cells);
      QCOMPARE(std::ranges::count(text, '\t'), std::ssize(cells) - 1);
      QCOMPARE(text.find_first_of("\r\n\v\f"), text.size() - 1);
      for (const std::string& cell : cells) {
        const std::string written = base::Tsv::escaped(cell);
        QVERIFY2(is_number(written) || !styles_calculated(written, true) || written.starts_with('"'),
                 base::visible_text(written).c_str());
      }
    }
  }

  void records_read_back() {
    std::mt19937_64 random(testing::random_seed());
    for (int round = 0; round < 5'000; ++round) {
      std::vector<std::string> texts;
      base::CsvText guarded;
      base::CsvText raw;
      for (std::size_t count = 1 + random() % 4; count > 0; --count) {
        if (!texts.empty()) {
          guarded += ",";
          raw += ",";
        }
        texts.push_back(random_text(random, 6));
        guarded += base::write<base::Csv>("{}", texts.back());
        raw += base::Csv::field(texts.back(), base::CsvFormulas::Raw);
      }
      QVERIFY(csv_record(raw.text()) == texts);
      const std::vector<std::string> read = csv_record(guarded.text()).value();
      QCOMPARE(read.size(), texts.size());
      for (std::size_t i = 0; i < texts.size(); ++i) {
        QCOMPARE(read[i], guarded_text(texts[i]));
        for (const std::string& part : divided(read[i]))
          QVERIFY2(is_number(part) || !styles_calculated(part), base::visible_text(read[i]).c_str());
      }
    }
  }
};

KERNELSCAPE_PLAIN_TEST(BaseCsvTest)

}  // namespace kernelscape::base_csv_test
#include "base_csv_test.moc"
