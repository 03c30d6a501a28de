#include <QTest>
#include <array>

#include "core/analysis/filter/filter.h"
#include "tests/analysis/random_trials.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_filter_errors_test {

namespace {

struct Wrong {
  std::string text;
  std::size_t position;
  std::size_t length;
  std::string message;
};

}  // namespace

class FilterErrorsTest : public QObject {
  Q_OBJECT

  const analysis::TrialColumns columns_{space_of_all_kinds(), 1e9};

 private slots:
  void mistakes_are_placed() {
    const std::vector<Wrong> cases{
        {"gflop > 3", 0, 5, "there is no column \"gflop\""},
        {"valid and tile[3] = 1", 10, 7, "there is no column \"tile[3]\""},
        {"ms < ", 5, 0, "the filter ends where a value of ms is expected"},
        {"ms 3", 3, 1, "\"3\" is found where a comparison of ms is expected"},
        {"ms < 3 GFLOPS", 7, 6, "\"GFLOPS\" is not a unit of ms"},
        {"ms < 3GFLOPS", 6, 6, "\"GFLOPS\" is not a unit of ms"},
        {"step = 3 ms", 9, 2, "step has no unit, but \"ms\" follows the number"},
        {"error = NO_EROR", 8, 7, "\"NO_EROR\" is not a value of error"},
        {"error = 9", 8, 1, "9 is not a value of error"},
        {"error = 1.5", 8, 3, "1.5 is not a value of error"},
        {"tile_oc = [4, 1, 8]", 10, 9, "\"[4, 1, 8]\" is not a value of tile_oc"},
        {"tile_oc = [4, 1", 10, 1, "this [ is not closed"},
        {"tile_oc < [4, 1, 8, 2]", 8, 1, "the values of tile_oc are labels and have no order"},
        {"layout in (nchw..valid)", 15, 2, "the values of layout are labels and have no order"},
        {"(valid", 0, 1, "this ( is not closed"},
        {"valid)", 5, 1, "this ) has no matching ("},
        {"valid ms < 2", 6, 2, "\"ms\" is found where \"and\" or \"or\" is expected"},
        {"2 < ms < 3", 7, 1, "a comparison has two sides"},
        {"ms in 3", 6, 1, "\"3\" is found where \"(\" is expected"},
        {"ms in (3 and", 9, 3, "\"and\" is found where \",\" or \")\" is expected"},
        {"ms in (5..3 ms)", 7, 7, "this range is empty: it starts above its end"},
        {"ms not 3", 7, 1, "\"3\" is found where \"in\" is expected"},
        {"ms < \"3", 5, 2, "this \" is not closed"},
        {"`ms < 3", 0, 7, "this ` is not closed"},
        {"tile_oc[3 = 4", 0, 13, "the [ after tile_oc is not closed"},
        {"ms < 3 and", 10, 0, "the filter ends where a condition is expected"},
        {"ms < gflops", 5, 6, "ms and gflops are in different units"},
        {"ms < error", 5, 5, "ms and error have different values"},
        {"ms < nothing", 5, 7, "there is no column \"nothing\""},
        {"ms < \"3\"", 5, 3, "the values of ms are numbers"},
        {"ms < 1e999", 5, 5, "1e999 is too large or too small a number"},
        {"build_s < 1e308 h", 10, 5, "1e308 h is too large a number"},
        {"ms < 3 %", 7, 1, "\"%\" is not a unit of ms"},
        {"ms < 3%", 6, 1, "\"%\" is not a unit of ms"},
        {"step = 3%", 8, 1, "step has no unit, but \"%\" follows the number"},
        {"% < 3", 0, 1, "there is no column \"%\""},
        {"registers > 3", 0, 9, "there is no column \"registers\""},
        {"ms ~ 3", 3, 1, "\"~\" has no meaning in a filter"},
        {"2 ms = error", 2, 2, "\"ms\" is found where a comparison is expected"},
        {"message = 3", 0, 7, "there is no column \"message\""},
    };
    for (const Wrong& wrong : cases) {
      const auto filter = analysis::Filter::parse(wrong.text, columns_);
      QVERIFY2(!filter, wrong.text.c_str());
      QCOMPARE(filter.error().message, wrong.message);
      QCOMPARE(filter.error().position, wrong.position);
      QCOMPARE(filter.error().length, wrong.length);
      QVERIFY2(!filter.error().hint.empty(), wrong.text.c_str());
    }
    QVERIFY(analysis::Filter::parse("ms < 3 GFLOPS", columns_).error().hint.find("us, ms, s") !=
            std::string::npos);
    QVERIFY(analysis::Filter::parse("error = NO_EROR", columns_).error().hint.find("NO_ERROR") !=
            std::string::npos);
  }

  void resources_have_units_and_labels() {
    const analysis::TrialColumns columns{space_of_all_kinds(), 1e9, true};
    const std::vector<Wrong> cases{
        {"occupancy > 3 KiB", 14, 3, "\"KiB\" is not a unit of occupancy"},
        {"spilled_bytes > 3 %", 18, 1, "\"%\" is not a unit of spilled_bytes"},
        {"registers > 3 B", 14, 1, "registers has no unit, but \"B\" follows the number"},
        {"spilled_bytes < occupancy", 16, 9, "spilled_bytes and occupancy are in different units"},
        {"limited_by = 2", 13, 1, "\"2\" is not a value of limited_by"},
        {"limited_by < blocks", 11, 1, "the values of limited_by are labels and have no order"},
    };
    for (const Wrong& wrong : cases) {
      const auto filter = analysis::Filter::parse(wrong.text, columns);
      QVERIFY2(!filter, wrong.text.c_str());
      QCOMPARE(filter.error().message, wrong.message);
      QCOMPARE(filter.error().position, wrong.position);
      QCOMPARE(filter.error().length, wrong.length);
    }
  }

  void nesting_is_bounded() {
    for (const std::string level : {"(", "not ", "not ("}) {
      for (const int depth : {32, 100'000}) {
        std::string text;
        for (int i = 0; i < depth; ++i) text += level;
        text += "valid";
        for (int i = 0; i < depth; ++i) text += level.ends_with('(') ? ")" : "";
        const auto filter = analysis::Filter::parse(text, columns_);
        QCOMPARE(filter.has_value(), depth == 32);
        if (!filter) QVERIFY(filter.error().message.starts_with("more than 64 levels"));
      }
    }
    std::string flat = "valid";
    for (int i = 0; i < 20'000; ++i) flat += " and valid";
    QVERIFY(analysis::Filter::parse(flat, columns_));
  }

  void a_heading_names_its_column() {
    for (const char* text : {"median < 2", "Median < 2", "valid and build > 1"})
      QVERIFY2(analysis::Filter::parse(text, columns_), text);
    QVERIFY(!analysis::Filter::parse("`median` < 2", columns_));
    QVERIFY(!analysis::Filter::parse("medians < 2", columns_));
  }

  void any_bytes_give_a_filter_or_an_error() {
    base::Random random = printed_random();
    const std::array<std::string, 30> pieces{
        "ms",  "error", "tile_oc[3]", "tile_oc", "[4, 1, 8, 2]", "<",   "!=",   "in",  "(",      ")",
        "..",  ",",     "3",          "-1.5e3",  "us",           "and", "or",   "not", "valid",  "`valid`",
        "\"a", "`",     "\\",         "[",       "NO_ERROR",     "]",   "\xff", "1e",  "layout", "\""};
    int filters = 0;
    for (int round = 0; round < 20'000; ++round) {
      std::string text;
      for (std::uint64_t i = random.below(8); i > 0; --i) {
        text += random.chance(0.9) ? pieces[random.below(pieces.size())]
                                   : std::string(1, static_cast<char>(random.below(256)));
        if (random.chance(0.8)) text += ' ';
      }
      const auto filter = analysis::Filter::parse(text, columns_);
      if (filter) {
        ++filters;
        const auto again = analysis::Filter::parse(filter->text(), columns_);
        QVERIFY(again);
        QCOMPARE(again->text(), filter->text());
      } else {
        QVERIFY(filter.error().position + filter.error().length <= text.size());
        QVERIFY(!filter.error().message.empty());
      }
    }
    QVERIFY(filters > 0);
  }
};

KERNELSCAPE_PLAIN_TEST(FilterErrorsTest)

}  // namespace kernelscape::analysis_filter_errors_test
#include "analysis_filter_errors_test.moc"
