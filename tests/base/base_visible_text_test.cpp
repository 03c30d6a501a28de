#include <QTest>

#include "core/base/utf8.h"
#include "core/base/visible_text.h"
#include "tests/base/media_readers.h"
#include "tests/base/text_cases.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::base_visible_text_test {
using namespace kernelscape::base_tests;

namespace {

std::string without_backslashes(std::string text) {
  std::erase(text, '\\');
  return text;
}

}  // namespace

/** Texts of files as people see them. */
class BaseVisibleTextTest : public QObject {
  Q_OBJECT

 private slots:
  void charactersAreThoseOfAnotherDecoder() {
    std::mt19937_64 random(testing::random_seed());
    for (int round = 0; round < 20'000; ++round) {
      const std::string text = random_text(random);
      std::u32string ours;
      bool ours_valid = true;
      std::string again;
      for (std::string_view rest = text; !rest.empty();) {
        const base::Utf8Character character = base::first_character(rest);
        QVERIFY(character.bytes >= 1 && character.bytes <= rest.size());
        rest.remove_prefix(character.bytes);
        ours_valid = ours_valid && character.code != base::invalid_utf8;
        if (character.code == base::invalid_utf8) continue;
        ours += character.code;
        base::append_utf8(again, character.code);
      }
      bool valid = false;
      const std::u32string theirs = characters_of(text, &valid);
      QVERIFY2(ours_valid == valid, base::visible_text(text).c_str());
      // What other tests read texts with.
      QVERIFY2(code_points(text) == (valid ? std::optional(theirs) : std::nullopt),
               base::visible_text(text).c_str());
      if (!valid) continue;
      QVERIFY2(ours == theirs, base::visible_text(text).c_str());
      QCOMPARE(again, text);
    }
  }

  void nothingSteersATerminalAndNothingIsLost() {
    std::mt19937_64 random(testing::random_seed());
    for (int round = 0; round < 20'000; ++round) {
      const std::string text = random_text(random);
      const std::string visible = base::visible_text(text);
      QVERIFY2(!steers(visible), visible.c_str());
      QCOMPARE(base::visible_text(visible), visible);
      const std::string plain = without_backslashes(text);
      QCOMPARE(terminal_text(base::visible_text(plain)).value(), plain);
    }
    QCOMPARE(base::visible_text("\x1b[2J\n\xe2\x80\xae\xff"), std::string("\\x1b[2J\\n\\u202e\\xff"));
    QCOMPARE(base::visible_text("C:\\n äöü → 漢字"), std::string("C:\\n äöü → 漢字"));
  }

  void longTextsKeepTheirEnds() {
    std::mt19937_64 random(testing::random_seed());
    for (int round = 0; round < 5'000; ++round) {
      const std::string text = random_text(random, 60);
      const std::size_t most = random() % 66;
      const std::string shown = base::visible_text(text, most);
      const std::string whole = base::visible_text(text);
      const std::size_t all = characters_of(whole).size();
      QVERIFY2(characters_of(shown).size() <= most, shown.c_str());
      if (all <= most) {
        QCOMPARE(shown, whole);
        continue;
      }
      QCOMPARE(characters_of(shown).size(), most);
      const std::size_t cut = most > 5 ? shown.find(" ... ") : shown.size();
      QVERIFY(cut != std::string::npos);
      QVERIFY(whole.starts_with(shown.substr(0, cut)));
    }
    QCOMPARE(base::visible_text("the quick brown fox jumps: no such file", 24),
             std::string("the quick bro ... h file"));
  }

  void messagesQuoteALine() {
    std::mt19937_64 random(testing::random_seed());
    for (int round = 0; round < 5'000; ++round) {
      const std::string text = random_text(random, 60);
      const std::size_t most = 1 + random() % 60;
      const std::string line = base::one_line(text, most);
      QVERIFY2(!steers(line), line.c_str());
      QVERIFY2(characters_of(line).size() <= most + 3, line.c_str());
      const std::string whole = base::visible_text(text);
      const std::string kept = line.ends_with("...") ? line.substr(0, line.size() - 3) : line;
      QVERIFY2(whole.starts_with(kept), line.c_str());
      QCOMPARE(base::quoted_line(text, most), '"' + line + '"');
    }
    QCOMPARE(base::quoted_line("tile_x"), std::string("\"tile_x\""));
    QCOMPARE(base::quoted_line("first\nsession 2: fake"), std::string("\"first\\n...\""));
    QCOMPARE(base::one_line("last\n"), std::string("last\\n"));
    QCOMPARE(base::one_line(std::string(1 << 20, 'x')).size(), std::size_t{83});
  }

  void pagesShowPictures() {
    std::mt19937_64 random(testing::random_seed());
    for (int round = 0; round < 5'000; ++round) {
      const std::string text = random_text(random);
      const std::string shown = base::printable_text(text);
      QVERIFY2(!steers(shown, U"\n\t"), shown.c_str());
      QCOMPARE(base::printable_text(shown), shown);
    }
    QCOMPARE(base::printable_text("a\r\nb\rc\x1b\x7f\xff"), std::string("a\nb\nc␛␡\xef\xbf\xbd"));
    QCOMPARE(base::printable_text("\xe2\x80\xae"), std::string("[U+202E]"));
  }
};

KERNELSCAPE_PLAIN_TEST(BaseVisibleTextTest)

}  // namespace kernelscape::base_visible_text_test
#include "base_visible_text_test.moc"
