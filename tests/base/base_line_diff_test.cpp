#include <QTest>
#include <algorithm>

#include "core/base/line_diff.h"
#include "core/base/random.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::base_line_diff_test {
using Lines = std::vector<std::string>;

namespace {

Lines random_lines(base::Random& random, std::size_t most, std::size_t kinds) {
  Lines lines(random.below(most + 1));
  for (std::string& line : lines) line = "line " + std::to_string(random.below(kinds));
  return lines;
}

/** Some lines taken away, changed and put in. */
Lines edited(base::Random& random, const Lines& lines) {
  Lines result;
  for (const std::string& line : lines) {
    if (random.chance(0.1)) continue;
    if (random.chance(0.1)) result.push_back("new " + std::to_string(random.below(3)));
    result.push_back(line);
  }
  return result;
}

std::string text_of(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/** By the table of all prefixes. */
std::size_t longest_common_subsequence(const Lines& a, const Lines& b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j)
      table[i + 1][j + 1] = a[i] == b[j] ? table[i][j] + 1 : std::max(table[i][j + 1], table[i + 1][j]);
  return table[a.size()][b.size()];
}

/** What the difference says of one of the texts, checking its line numbers on the way. */
Lines side(const std::vector<base::DiffLine>& lines, base::LineChange other,
           std::size_t base::DiffLine::* number) {
  Lines side;
  for (const base::DiffLine& line : lines) {
    const bool here = line.change != other;
    if (here) side.emplace_back(line.text);
    if (line.*number != (here ? side.size() : 0)) return {"a wrong line number"};
  }
  return side;
}

std::size_t same_count(const std::vector<base::DiffLine>& lines) {
  return static_cast<std::size_t>(std::ranges::count(lines, base::LineChange::Same, &base::DiffLine::change));
}

}  // namespace

class LineDiffTest : public QObject {
  Q_OBJECT

 private slots:
  void both_texts_come_back_with_the_fewest_changes() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 400; ++round) {
      const Lines before = random_lines(random, 40, 1 + random.below(12));
      const Lines after =
          random.chance(0.5) ? edited(random, before) : random_lines(random, 40, 1 + random.below(12));
      const std::string first = text_of(before);
      const std::string second = text_of(after);
      const std::vector<base::DiffLine> lines = base::diff_lines(first, second);
      QCOMPARE(side(lines, base::LineChange::Added, &base::DiffLine::before), before);
      QCOMPARE(side(lines, base::LineChange::Removed, &base::DiffLine::after), after);
      QCOMPARE(same_count(lines), longest_common_subsequence(before, after));
    }
  }

  void beyond_the_limit_it_is_coarse_but_right() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 100; ++round) {
      Lines before = random_lines(random, 30, 6);
      Lines after = edited(random, before);
      before.insert(before.begin(), "head");
      after.insert(after.begin(), "head");
      const std::string first = text_of(before);
      const std::string second = text_of(after);
      const std::vector<base::DiffLine> lines = base::diff_lines(first, second, 1);
      QCOMPARE(side(lines, base::LineChange::Added, &base::DiffLine::before), before);
      QCOMPARE(side(lines, base::LineChange::Removed, &base::DiffLine::after), after);
      QCOMPARE(lines.front().change, base::LineChange::Same);
      const std::vector<base::DiffLine> exact = base::diff_lines(first, second);
      const std::size_t changes = exact.size() - same_count(exact);
      if (changes <= 1) QCOMPARE(lines, exact);
    }
  }

  void empty_texts_and_missing_newlines() {
    QVERIFY(base::diff_lines("", "").empty());
    QCOMPARE(base::diff_lines("", "a").size(), std::size_t{1});
    QCOMPARE(base::diff_lines("a\n", "").front(), (base::DiffLine{base::LineChange::Removed, "a", 1, 0}));
    QCOMPARE(base::diff_lines("a\nb", "a\nb\n").size(), std::size_t{2});
    QCOMPARE(same_count(base::diff_lines("a\nb", "a\nb\n")), std::size_t{2});
    QCOMPARE(base::diff_lines("\n\n", "\n").size(), std::size_t{2});
  }
};

KERNELSCAPE_PLAIN_TEST(LineDiffTest)

}  // namespace kernelscape::base_line_diff_test
#include "base_line_diff_test.moc"
