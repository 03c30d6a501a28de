#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/filter/filter.h"
#include "core/analysis/filter/filter_completion.h"
#include "tests/analysis/random_trials.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_filter_chips_test {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

/** Texts that the window makes: chips and completions. */
class FilterChipsTest : public QObject {
  Q_OBJECT

  const space::SearchSpace space_ = space_of_all_kinds();
  const analysis::TrialColumns columns_{space_, 1e9};
  trial::Snapshot trials_;

  /** The rows that a text passes are those whose value `expected` says. */
  template <typename Expected>
  bool passes_exactly(const std::string& text, std::size_t column, const Expected& expected) const {
    const auto filter = analysis::Filter::parse(text, columns_);
    if (!filter) {
      qWarning("%s: %s", text.c_str(), filter.error().message.c_str());
      return false;
    }
    const analysis::RowSet rows = filter->evaluate(trials_, columns_);
    for (std::int64_t row = 0; row < trials_.size(); ++row) {
      if (rows.test(row) == expected(columns_.value(trials_, row, column))) continue;
      qWarning("row %lld of %s", static_cast<long long>(row), text.c_str());
      return false;
    }
    return true;
  }

  std::vector<std::string> offered(std::string text) const {
    const std::size_t cursor = text.find('|');
    text.erase(cursor, 1);
    std::vector<std::string> texts;
    for (const analysis::Completion& completion : analysis::completions(text, cursor, columns_))
      texts.push_back(completion.text);
    return texts;
  }

  /** What the text becomes with the first offer. */
  std::string completed(std::string text) const {
    const std::size_t cursor = text.find('|');
    text.erase(cursor, 1);
    const std::vector<analysis::Completion> offers = analysis::completions(text, cursor, columns_);
    if (offers.empty()) return {};
    return text.replace(offers[0].position, offers[0].length, offers[0].text);
  }

 private slots:
  void initTestCase() {
    base::Random random = printed_random();
    trials_ = random_trials(random, space_, 400).snapshot();
  }

  void an_equality_passes_exactly_its_rows() {
    for (std::size_t position = 0; position < columns_.columns().size(); ++position) {
      const analysis::Column& column = columns_.columns()[position];
      for (std::int64_t row = 0; row < trials_.size(); row += 7) {
        const double value = columns_.value(trials_, row, position);
        QVERIFY(passes_exactly(analysis::filter_equals(column, value), position, [&](double other) {
          return value == other || (std::isnan(value) && std::isnan(other));
        }));
      }
    }
    QCOMPARE(analysis::filter_equals(columns_.columns()[*columns_.find("error")], 0), std::string("valid"));
  }

  void a_list_passes_exactly_its_rows() {
    base::Random random = printed_random();
    for (std::size_t position = 0; position < columns_.columns().size(); ++position) {
      for (int round = 0; round < 8; ++round) {
        std::vector<double> values;
        for (std::uint64_t i = random.below(12); i > 0; --i)
          values.push_back(columns_.value(trials_, static_cast<std::int64_t>(random.below(400)), position));
        const std::string text = analysis::filter_one_of(columns_.columns()[position], values);
        QVERIFY(passes_exactly(text, position, [&](double other) {
          return std::ranges::any_of(values, [&](double value) {
            return value == other || (std::isnan(value) && std::isnan(other));
          });
        }));
      }
    }
    const analysis::Column& trial = columns_.columns()[*columns_.find("trial")];
    QCOMPARE(analysis::filter_one_of(trial, std::vector<double>{9, 3, 2, 1, 7}),
             std::string("trial in (1..3, 7, 9)"));
  }

  void a_range_passes_exactly_its_rows() {
    base::Random random = printed_random();
    for (std::size_t position = 0; position < columns_.columns().size(); ++position) {
      for (int round = 0; round < 12; ++round) {
        const auto end = [&](double otherwise) {
          const double value =
              columns_.value(trials_, static_cast<std::int64_t>(random.below(400)), position);
          return std::isnan(value) || random.chance(0.2) ? otherwise : value;
        };
        double low = end(-infinity);
        double high = end(infinity);
        if (low > high) std::swap(low, high);
        const bool included = random.chance(0.5);
        const std::string text =
            analysis::filter_range(columns_.columns()[position], low, high,
                                   included ? analysis::RangeEnd::Included : analysis::RangeEnd::Excluded);
        QVERIFY(passes_exactly(text, position, [&](double value) {
          return value >= low && (included ? value <= high : value < high);
        }));
      }
    }
  }

  void chips_are_joined_with_their_meaning() {
    const std::vector<std::string> chips{"valid", "", "ms < 3 or ms > 4", " ", "trial > 3"};
    const std::string text = analysis::conjunction(chips);
    QCOMPARE(text, std::string("valid and (ms < 3 or ms > 4) and trial > 3"));
    const std::size_t trial = *columns_.find("trial");
    const std::size_t ms = *columns_.find("ms");
    QVERIFY(passes_exactly(text, trial, [&](double number) {
      const double time = columns_.value(trials_, static_cast<std::int64_t>(number), ms);
      const bool valid =
          trials_.row(static_cast<std::int64_t>(number)).category == trial::ErrorCategory::NoError;
      return valid && (time < 3 || time > 4) && number > 3;
    }));
    QCOMPARE(analysis::conjunction({}), std::string());
  }

  void completion_offers_what_fits() {
    using Texts = std::vector<std::string>;
    const Texts units{"ns", "us", "ms", "s", "min", "h"};
    QCOMPARE(offered("gf|"), Texts{"gflops"});
    QCOMPARE(offered("tile_oc[|"), (Texts{"tile_oc[0]", "tile_oc[1]", "tile_oc[2]", "tile_oc[3]"}));
    QCOMPARE(offered("valid and order[o|"), (Texts{"order[oh]", "order[oc]"}));
    QCOMPARE(offered("`odd|"), Texts{"`odd \\`name\\` \\\\ [`"});
    QCOMPARE(offered("ms |"), (Texts{"=", "!=", "<", "<=", ">", ">=", "in", "not in"}));
    QCOMPARE(offered("tile_oc |"), (Texts{"=", "!=", "in", "not in"}));
    QCOMPARE(offered("ms < 3|"), units);
    QCOMPARE(offered("ms < 3m|"), (Texts{"ms", "min"}));
    QCOMPARE(offered("step < 3|"), Texts{});
    QCOMPARE(offered("step < 3 |"), (Texts{"and", "or"}));
    QCOMPARE(offered("error = wrong|"), Texts{"WRONG_ANSWER"});
    QCOMPARE(offered("error in (4, NO|"), (Texts{"NO_ERROR", "UNKNOWN_ERROR"}));
    QCOMPARE(offered("layout = \"3|"), Texts{"\"3x3\""});
    QCOMPARE(offered("build_s < |"), (Texts{"ms", "ms_q1", "ms_q3", "run_s", "finished_s"}));
    QCOMPARE(offered("2 < ord|"), (Texts{"order", "order[ic]", "order[oh]", "order[oc]"}));
    QCOMPARE(offered("2 < |").size(), columns_.columns().size());
    // The values that a knob can have come first.
    const auto tiles = offered("tile_oc[0] = |");
    QVERIFY(tiles.size() > 1);
    QCOMPARE(tiles.front(), std::string("1"));
    QVERIFY(std::ranges::find(tiles, "tile_oc[0]") == tiles.end());
    QVERIFY(std::ranges::find(tiles, "tile_oc[1]") > std::ranges::find(tiles, "1"));
    QCOMPARE(offered("valid |"), (Texts{"and", "or"}));
    QCOMPARE(offered("nonsense < |"), Texts{});
    QCOMPARE(offered("|").size(), std::min<std::size_t>(columns_.columns().size() + 3, 100));
    QCOMPARE(completed("valid and gf| > 3"), std::string("valid and gflops > 3"));
    QCOMPARE(completed("valid and gf|oo > 3"), std::string("valid and gflops > 3"));
    QCOMPARE(completed("ms < 3m| and valid"), std::string("ms < 3ms and valid"));
    QCOMPARE(completed("ms < 3 u|"), std::string("ms < 3 us"));
    QCOMPARE(completed("error = run_| and valid"), std::string("error = RUN_TIMEOUT and valid"));
  }

  void every_offer_can_stand_where_it_is_offered() {
    for (const std::string text : {"", "valid and ", "ms ", "ms < ", "ms < 3 ", "error = ", "layout in (",
                                   "tile_oc = ", "(valid ", "not "}) {
      const std::vector<analysis::Completion> offers = analysis::completions(text, text.size(), columns_);
      QVERIFY(!offers.empty());
      for (const analysis::Completion& offer : offers) {
        std::string longer = text;
        longer.replace(offer.position, offer.length, offer.text);
        const auto filter = analysis::Filter::parse(longer, columns_);
        QVERIFY2(filter || filter.error().position >= text.size() + offer.text.size() ||
                     filter.error().message.find("is not closed") != std::string::npos,
                 longer.c_str());
      }
    }
  }

  void completion_survives_any_bytes() {
    base::Random random = printed_random();
    const std::string_view alphabet = "ms <3=`\"[]()tile_oc,.and\\\xc2\xb5!";
    for (int round = 0; round < 5000; ++round) {
      std::string text;
      for (std::uint64_t i = random.below(16); i > 0; --i) text += alphabet[random.below(alphabet.size())];
      const std::size_t cursor = random.below(text.size() + 3);
      for (const analysis::Completion& offer : analysis::completions(text, cursor, columns_)) {
        QVERIFY(offer.position <= std::min(cursor, text.size()));
        QVERIFY(offer.position + offer.length >= std::min(cursor, text.size()));
        QVERIFY(offer.position + offer.length <= text.size());
      }
    }
  }
};

KERNELSCAPE_PLAIN_TEST(FilterChipsTest)

}  // namespace kernelscape::analysis_filter_chips_test
#include "analysis_filter_chips_test.moc"
