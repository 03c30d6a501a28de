#include "core/project/source_scan.h"

#include <QTest>

#include "core/base/random.h"
#include "tests/test_program.h"

namespace kernelscape::source_scan_test {

class SourceScanTest final : public QObject {
  Q_OBJECT

 private slots:
  void words_are_told_apart() {
    const SourceWords words = scan_source(
        "#define SIZE 4 /* COMMENT */\n"
        "#if defined(FAST) && MODE > 1 \\\n && LATE\n"
        "%: ifdef OLD\n"
        "// LINE \\\n STILL\n"
        "const char* text = \"TEXT \\\" MORE\"; float* POINTER; int x = A * B; struct Name name;\n");
    for (const char* word : {"FAST", "MODE", "LATE", "OLD"}) QVERIFY2(words.asked.contains(word), word);
    QVERIFY(words.defined.contains("SIZE"));
    for (const char* word : {"COMMENT", "LINE", "STILL", "TEXT", "MORE"})
      QVERIFY2(!words.mentioned.contains(word), word);
    QVERIFY(words.declared.contains("POINTER"));
    QVERIFY(!words.declared.contains("B"));
    QVERIFY(words.mentioned.contains("B"));
  }

  void includes_have_their_places() {
    const std::string text =
        "#include <a.h>\n/*\n#include \"no.h\"\n*/ # /**/ include \"b.h\"\n#import \"c.h\"\n";
    const SourceWords words = scan_source(text);
    QCOMPARE(words.includes.size(), 2U);
    QCOMPARE(words.includes[0].name, std::string("b.h"));
    QCOMPARE(words.includes[0].line, 4U);
    for (const IncludeLine& line : words.includes)
      QCOMPARE(text.substr(line.start, line.name.size()), line.name);
  }

  void parameters_are_those_of_the_definition() {
    const std::string text =
        "void run(int);\n/* run(x) { */ void walk() { run(1); }\n"
        "__kernel void run(__global float* restrict y, const __global float4 *x, float a[3][4], unsigned int "
        "n)\n{}\n";
    QCOMPARE(parameters_of_kernel(text, "run").value(), (std::vector<std::string>{"y", "x", "a", "n"}));
    QVERIFY(parameters_of_kernel("void run(void) {}", "run").value().empty());
    QVERIFY(!parameters_of_kernel("void run(\n#ifdef A\nint a\n#endif\n) {}", "run").has_value());
    QVERIFY(!parameters_of_kernel("void runner(int a) {}", "run").has_value());
  }

  /** Any text is scanned, and what it gives lies within it. */
  void no_text_is_too_odd() {
    constexpr std::uint64_t seed = 24;
    qInfo("seed %d", static_cast<int>(seed));
    Random random(seed);
    const std::vector<std::string> pieces{"#",  "include", "\"", "'",  "\\",   "\n",  "/*", "*/",
                                          "//", "run",     "(",  ")",  "{",    "<",   ">",  ",",
                                          " ",  "x",       "%:", "if", "\r\n", "\xff"};
    for (int round = 0; round < 3000; ++round) {
      std::string text;
      for (std::uint64_t piece = random.below(40); piece > 0; --piece)
        text += pieces[random.below(pieces.size())];
      for (const IncludeLine& line : scan_source(text).includes)
        QCOMPARE(text.substr(line.start, line.name.size()), line.name);
      std::ignore = parameters_of_kernel(text, "run");
    }
  }
};

KERNELSCAPE_PLAIN_TEST(SourceScanTest)

}  // namespace kernelscape::source_scan_test
#include "source_scan_test.moc"
