#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <fstream>

#include "core/base/media/c_source.h"
#include "core/base/media/cmake_script.h"
#include "core/base/media/html.h"
#include "core/base/media/markdown.h"
#include "core/base/media/shell_script.h"
#include "core/base/media/terminal.h"
#include "core/base/visible_text.h"
#include "tests/base/media_readers.h"
#include "tests/base/text_cases.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::base_media_test {
using namespace kernelscape::base_tests;

namespace {

// There is no way into a medium around its escaping.
static_assert(!std::is_constructible_v<base::TerminalText, std::string>);
static_assert(!std::is_constructible_v<base::TerminalText, std::string_view>);
static_assert(!std::is_constructible_v<base::TerminalText, const char*>);
static_assert(!std::is_constructible_v<base::TerminalText, base::HtmlText>);
static_assert(!std::is_constructible_v<base::Literal, std::string>);
static_assert(!std::is_constructible_v<base::Literal, const char*>);
static_assert(!std::is_assignable_v<base::TerminalText&, std::string>);
template <typename To, typename From>
concept Appends = requires(To to, From from) { to += from; };
static_assert(Appends<base::TerminalText, base::TerminalText> && Appends<base::TerminalText, base::Literal>);
static_assert(!Appends<base::TerminalText, std::string> && !Appends<base::TerminalText, char> &&
              !Appends<base::TerminalText, base::MarkdownText>);
template <typename To, typename From>
concept Joins = requires(To to, From from) { to + from; };
static_assert(Joins<base::CSourceText, base::CSourceText> && !Joins<base::CSourceText, std::string> &&
              !Joins<std::string, base::CSourceText> && !Joins<base::CSourceText, base::ShellText>);

struct Ended {
  int code = -1;
  QByteArray output;
  QByteArray error;
};

Ended run(const QString& program, const QStringList& arguments) {
  QProcess process;
  process.start(program, arguments);
  process.closeWriteChannel();
  if (!process.waitForFinished(60'000) || process.exitStatus() != QProcess::NormalExit) return {};
  return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

void write_file(const QString& path, const std::string& text) {
  std::ofstream(path.toStdString(), std::ios::binary) << text;
}

/** Only what CMake's lists can hold. */
std::string random_cmake_element(std::mt19937_64& random) {
  constexpr std::array<std::string_view, 24> pieces = {
      "a", "-O3", " ", "\"",    "\\", "$", "${x}",   "$ENV{HOME}", "@list@", ";", "#", "(",
      ")", "é",   "'", "[x;y]", "<",  ">", "$<1:a>", "\\;",        "\\n",    "=", "%", "\\${x}"};
  std::string text;
  for (std::size_t count = random() % 8; count > 0; --count) text += pieces[random() % pieces.size()];
  while (text.ends_with('\\')) text.pop_back();
  return text;
}

}  // namespace

/** Each medium's escaping, against what reads the medium. */
class BaseMediaTest : public QObject {
  Q_OBJECT

 private slots:
  void textsAreEscapedAndTheRestIsNot() {
    const std::string name = "a\x1b<b>\n";
    QCOMPARE(base::write<base::Terminal>("{}: {:.1f}, {:>3}\n", name, 2.25, 7).text(),
             std::string("a\\x1b<b>\\n: 2.2,   7\n"));
    QCOMPARE(base::write<base::Html>("<i>{}</i>", std::string_view(name)).text(),
             std::string("<i>a␛&lt;b&gt;\n</i>"));
    const base::TerminalText part = base::write<base::Terminal>("{}", "\t");
    QCOMPARE(base::write<base::Terminal>("{:<4}|{}", part, base::Literal("\t")).text(),
             std::string("\\t  |\t"));
    QCOMPARE(base::write<base::Terminal>("{}", '\x1b').text(), std::string("\\x1b"));
    base::TerminalText sum("a");
    sum += "\n";
    sum += part;
    QCOMPARE(("<" + sum + ">").text(), std::string("<a\n\\t>"));
    const std::vector<base::TerminalText> parts{part, sum};
    QCOMPARE(base::joined<base::Terminal>(parts, ", ").text(), std::string("\\t, a\n\\t"));
  }

  void whatFillsAFrameIsNoFrame() {
    const base::HtmlText hostile = base::Html::text("@B@ @A@");
    QCOMPARE(
        base::filled<base::Html>("@A@-@B@-@A@@C@", {{"@A@", hostile}, {"@B@", base::HtmlText("b")}}).text(),
        std::string("@B@ @A@-b-@B@ @A@@C@"));
    QCOMPARE(base::filled<base::Html>("plain", {{"@A@", hostile}}).text(), std::string("plain"));
  }

  void aTerminalKeepsOnlyTheLinesThatAreMeant() {
    std::mt19937_64 random(testing::random_seed());
    for (int round = 0; round < 5'000; ++round) {
      const std::string text = random_text(random);
      QVERIFY(!steers(base::write<base::Terminal>("{}", text).text()));
      QVERIFY(!steers(base::Terminal::line(text, 40).text()));
      const std::string lines = base::Terminal::lines(text).text();
      QVERIFY(!steers(lines, U"\n"));
      QCOMPARE(std::ranges::count(lines, '\n'), std::ranges::count(text, '\n'));
    }
  }

  void htmlIsReadBack() {
    std::mt19937_64 random(testing::random_seed());
    for (int round = 0; round < 3'000; ++round) {
      const std::string text = random_text(random);
      const base::HtmlText page = base::write<base::Html>("<a b=\"{0}\">{0}</a>", text);
      QXmlStreamReader reader(QByteArray::fromStdString(page.text()));
      QVERIFY(reader.readNextStartElement());
      const QString in_attribute = reader.attributes().value(QStringLiteral("b")).toString();
      const QString in_element = reader.readElementText(QXmlStreamReader::ErrorOnUnexpectedElement);
      QVERIFY2(!reader.hasError(), page.text().c_str());
      const std::string shown = base::printable_text(text);
      QCOMPARE(in_element.toStdString(), shown);
      QVERIFY2(html_text(base::Html::escaped(text)) == shown, page.text().c_str());
      QCOMPARE(in_one_line(in_attribute.toStdString()), in_one_line(shown));
    }
  }

  void stringsOfCHaveTheTextsBytes() {
    std::mt19937_64 random(testing::random_seed());
    for (int round = 0; round < 10'000; ++round) {
      const std::string text = random_text(random);
      const std::string literal = base::CSource::string(text).text();
      QVERIFY2(!steers(literal), literal.c_str());
      const std::optional<std::string> bytes = c_bytes(literal);
      QVERIFY2(bytes && *bytes == text, literal.c_str());
    }
  }

  void commentsOfCDoNotEnd() {
    std::mt19937_64 random(testing::random_seed());
    for (int round = 0; round < 10'000; ++round) {
      const std::string first = random_text(random);
      const std::string second = random_text(random);
      const std::string comment = base::write<base::CSource>("/*{}{}*/", base::CSource::comment(first),
                                                             base::CSource::comment(second))
                                      .text();
      QVERIFY2(!steers(comment), comment.c_str());
      QVERIFY2(is_c_comment(comment), comment.c_str());
      const std::string name = base::CSource::name(first).text();
      QVERIFY2(is_c_name(name), name.c_str());
    }
    QCOMPARE(base::CSource::comment("conv2d 1x64, stride=1").text(), std::string("conv2d 1x64, stride=1"));
    QCOMPARE(base::CSource::name("tile_x1").text(), std::string("tile_x1"));
  }

  void aShellReadsTheSameWords() {
    std::mt19937_64 random(testing::random_seed());
    std::vector<std::string> expected;
    base::ShellText script("printf '%s\\0'");
    for (int word = 0; word < 400; ++word) {
      std::string text = random_text(random);
      const std::string written = base::ShellScript::word(text).text();
      script += base::write<base::ShellScript>(" {}", text);
      const bool seen = !steers(text) && base::visible_text(text) == text;
      std::erase(text, '\0');
      // What a command prints loses the line feeds at its end.
      while (!seen && text.ends_with('\n')) text.pop_back();
      const std::optional<ShellWord> read = shell_word(written);
      QVERIFY2(read && read->text == text && read->printed != seen, written.c_str());
      expected.push_back(std::move(text));
    }
    QVERIFY2(!steers(script.text()), script.text().c_str());
    const QTemporaryDir folder;
    write_file(folder.filePath("words.sh"), script.text() + "\n");
    const Ended ended = run("/bin/sh", {folder.filePath("words.sh")});
    QVERIFY2(ended.code == 0, ended.error.constData());
    QList<QByteArray> words = ended.output.split('\0');
    QVERIFY(words.takeLast().isEmpty());
    QCOMPARE(static_cast<std::size_t>(words.size()), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      QVERIFY2(words[static_cast<qsizetype>(i)].toStdString() == expected[i],
               base::visible_text(expected[i]).c_str());
    QCOMPARE(base::ShellScript::word("tile=4,2").text(), std::string("tile=4,2"));
    QCOMPARE(base::ShellScript::word("it's").text(), std::string("'it'\\''s'"));
    QCOMPARE(base::ShellScript::word("").text(), std::string("''"));
  }

  void cmakeTakesElementsAsTheyAre() {
    std::mt19937_64 random(testing::random_seed());
    std::vector<std::string> elements;
    base::CMakeText script("cmake_minimum_required(VERSION 3.16)\nset(x expanded)\nset(list");
    for (int i = 0; i < 300; ++i) {
      elements.push_back(random_cmake_element(random));
      script += base::write<base::CMakeScript>(" {}", elements.back());
    }
    // Texts of any kind, of which something may be lost.
    for (int i = 0; i < 300; ++i) {
      const std::string text = random_text(random);
      const base::CMakeText argument = base::write<base::CMakeScript>("{}", text);
      const std::optional<std::string> element = cmake_element(argument.text());
      QVERIFY2(element, argument.text().c_str());
      elements.push_back(*element);
      script += " " + argument;
    }
    script += ")\nforeach(item IN LISTS list)\n  message(\"<${item}>\")\nendforeach()\n";
    QVERIFY(!steers(script.text(), U"\n"));
    const QTemporaryDir folder;
    write_file(folder.filePath("list.cmake"), script.text());
    const Ended ended = run("cmake", {"-P", folder.filePath("list.cmake")});
    QVERIFY2(ended.code == 0, ended.error.constData());
    QList<QByteArray> lines = ended.error.split('\n');
    QVERIFY(lines.takeLast().isEmpty());
    QCOMPARE(static_cast<std::size_t>(lines.size()), elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i)
      QCOMPARE(lines[static_cast<qsizetype>(i)].toStdString(), "<" + elements[i] + ">");
    QVERIFY(!ended.error.contains("expanded"));
  }

  void markdownHasNoMarkupOfTexts() {
    std::mt19937_64 random(testing::random_seed());
    for (int round = 0; round < 10'000; ++round) {
      const std::string text = random_text(random);
      const std::string line = in_one_line(base::printable_text(text));
      const std::string words = base::Markdown::words(text).text();
      QVERIFY2(!steers(words), words.c_str());
      QVERIFY2(markdown_text(words) == without_indent(line), words.c_str());
      const std::string code = base::Markdown::code(text).text();
      QVERIFY2(!steers(code), code.c_str());
      QVERIFY2(markdown_code(code) == line, code.c_str());
    }
    // Code, lists, and what stands below the head of a table.
    for (const char* text : {"    indented", "\t1. item", "  2) item", "- item", "---", "===", ":-:", " :--"})
      QVERIFY2(markdown_text(base::Markdown::words(text).text()), text);
    QCOMPARE(base::Markdown::words("resnet18_C6 by version 0.1.0, 2026-01-02T03:04:05Z").text(),
             std::string("resnet18_C6 by version 0.1.0, 2026-01-02T03:04:05Z"));
    QCOMPARE(base::Markdown::block(base::CSourceText("a\n```\n~~~~\n\n b"), 2).text(),
             std::string("  a\n      ```\n      ~~~~\n\n   b"));
  }
};

KERNELSCAPE_PLAIN_TEST(BaseMediaTest)

}  // namespace kernelscape::base_media_test
#include "base_media_test.moc"
