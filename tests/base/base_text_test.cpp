#include <QTest>
#include <array>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "tests/test_program.h"

namespace kernelscape::base_text_test {
using Names = std::vector<std::string>;

class BaseTextTest : public QObject {
  Q_OBJECT

 private slots:
  void nearest_comes_first() {
    const Names tuners = {"random", "grid", "ga", "sa", "xgb", "nose"};
    QCOMPARE(base::nearest_names("nse", tuners).front(), std::string("nose"));
    QCOMPARE(base::nearest_names("ranodm", tuners), Names{"random"});
    QCOMPARE(base::nearest_names("xgboost-with-everything", tuners), Names{});
  }

  void part_of_a_name_finds_it() {
    const Names tasks = {"resnet18/C1", "opevo/MM1", "opevo/MM2"};
    QCOMPARE(base::nearest_names("MM", tasks), (Names{"opevo/MM1", "opevo/MM2"}));
  }

  void at_most_three_are_offered() {
    Names tasks;
    for (int i = 1; i <= 12; ++i) tasks.push_back("resnet18/C" + std::to_string(i));
    QCOMPARE(base::nearest_names("resnet18/C13", tasks).size(), std::size_t{3});
    // One letter off comes before two, whatever the order of the list.
    QCOMPARE(base::nearest_names("abcX", Names{"abYZ", "abcd", "abc"}), (Names{"abcd", "abc", "abYZ"}));
  }

  void suggestion_is_never_empty() {
    QVERIFY(!base::suggest("mine", Names{}).contains(": "));
    QVERIFY(!base::suggest("mine", Names{}).empty());
    QCOMPARE(base::suggest("mine", Names{"", "", ""}), base::suggest("mine", Names{}));
    QCOMPARE(base::suggest("a", Names{"", "ab"}), std::string("did you mean ab?"));
    QCOMPARE(base::suggest("", Names{"", "vectorized-kernel"}), std::string("known: vectorized-kernel"));
  }

  void suggestion_falls_back_to_what_is_known() {
    const Names few = {"cpu", "cuda", "opencl"};
    QCOMPARE(base::suggest("cuad", few), std::string("did you mean cuda?"));
    QCOMPARE(base::suggest("quantum-annealer", few), std::string("known: cpu, cuda, opencl"));
    Names many;
    for (int i = 0; i < 100; ++i) many.push_back("task-number-" + std::to_string(i));
    const std::string hint = base::suggest("zzzz", many);
    QVERIFY(hint.starts_with("known: task-number-0, "));
    QVERIFY(hint.ends_with("... (100 in all)"));
  }

  void empty_texts_do_no_harm() {
    QCOMPARE(base::nearest_names("anything", Names{}), Names{});
    QCOMPARE(base::nearest_names("", Names{"abc"}), Names{});
    QCOMPARE(base::split_text("", ','), Names{""});
    QCOMPARE(base::join(Names{}, ", "), std::string());
  }

  void blanks_go_at_the_ends_alone() {
    QCOMPARE(std::string(base::trimmed(" \ta \tb\r\n")), std::string("a \tb"));
    QVERIFY(base::trimmed(" \t ").empty() && base::trimmed("").empty());
    QCOMPARE(std::string(base::trimmed("xaxbx", "x")), std::string("axb"));
  }

  void letters_of_ascii_get_lower_case() {
    QCOMPARE(base::lower_case("Time [MS] \xc3\x84 @[`{"), std::string("time [ms] \xc3\x84 @[`{"));
  }

  void sentences_begin_with_a_capital_and_end() {
    const std::array<std::pair<std::string_view, std::string_view>, 10> cases{
        {{"the machine was loaded: 3.0", "The machine was loaded: 3.0."},
         {"trials 48 to 97: it was hot.", "Trials 48 to 97: it was hot."},
         {"oneDNN is missing", "oneDNN is missing."},
         {"tile_x is missing", "tile_x is missing."},
         {"make (process 7) kept a processor busy", "make (process 7) kept a processor busy."},
         {"96 % of oneDNN while both ran", "96 % of oneDNN while both ran."},
         {" is it? ", "Is it?"},
         {"hot", "Hot."},
         {"", ""},
         {"  ", ""}}};
    for (const auto& [text, expected] : cases) QCOMPARE(base::sentence(text), std::string(expected));
    for (const auto& [text, expected] : cases) QCOMPARE(base::sentence(expected), std::string(expected));
  }

  void split_and_join_are_inverse() {
    for (const std::string text : {"a", "a,b", ",a,,b,", ","})
      QCOMPARE(base::join(base::split_text(text, ','), ","), text);
    QCOMPARE(base::split_text("1x64x56", 'x'), (Names{"1", "64", "56"}));
  }
};

KERNELSCAPE_PLAIN_TEST(BaseTextTest)

}  // namespace kernelscape::base_text_test
#include "base_text_test.moc"
