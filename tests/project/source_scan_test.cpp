#include "core/project/source_scan.h"

#include <QTest>

#include "core/base/random.h"
#include "tests/test_program.h"

namespace kernelscape::source_scan_test {

class SourceScanTest final : public QObject {
  Q_OBJECT

 private slots:
  void includes_have_their_places() {
    const std::string text =
        "#include <a.h>\n/*\n#include \"no.h\"\n*/ # /**/ include \"b.h\"\n#import \"c.h\"\n";
    const std::vector<project::IncludeLine> includes = project::includes_of(text);
    QCOMPARE(includes.size(), 3U);
    QVERIFY(includes[0].angled && includes[0].name == "a.h");
    QCOMPARE(includes[1].name, std::string("b.h"));
    QCOMPARE(includes[1].line, 4U);
    for (const project::IncludeLine& line : includes)
      QCOMPARE(text.substr(line.start, line.name.size()), line.name);
  }

  /** Lines of Windows, continued lines and byte order marks; only what may be compiled is included. */
  void includes_are_those_of_a_preprocessor() {
    const std::string text =
        "\xEF\xBB\xBF#inc\\\r\nlude \\ \r\n \"a.h\"\r\n#if 0\r\n#include \"no.h\"\r\n#elif 1\r\n%:include "
        "\"b.h\"\r\n#endif\r\n"
        "const char* s = R\"x(\n#include \"no.h\"\n)x\"; int n = 1'000; // \\\n#include \"no.h\"\n"
        "#ifndef GUARD\n#define GUARD\n#include \"c.h\"\n#ifdef FAST\n#include \"d.h\"\n#endif\n#endif\n";
    std::string found;
    for (const project::IncludeLine& line : project::includes_of(text)) {
      QCOMPARE(text.substr(line.start, line.name.size()), line.name);
      found += line.name + (line.certain ? " " : "? ") + std::to_string(line.line) + "\n";
    }
    QCOMPARE(found, std::string("a.h 1\nb.h 7\nc.h 15\nd.h? 17\n"));
  }

  void parameters_are_those_of_the_definition() {
    const std::string text =
        "void run(int);\n/* run(x) { */ void walk() { run(1); }\n"
        "__kernel void run(__global float* restrict y, const __global float4 *x, float a[3][4], unsigned int "
        "n)\n{}\n";
    QCOMPARE(project::parameters_of_kernel(text, "run").value(),
             (std::vector<std::string>{"y", "x", "a", "n"}));
    QVERIFY(project::parameters_of_kernel("void run(void) {}", "run").value().empty());
    QVERIFY(!project::parameters_of_kernel("void run(\n#ifdef A\nint a\n#endif\n) {}", "run").has_value());
    QVERIFY(!project::parameters_of_kernel("void runner(int a) {}", "run").has_value());
    for (const char* uncertain :
         {"#define BOTH int a, int b\nvoid run(BOTH, int n) {}", "void run(void (*f)(int)) {}",
          "#ifdef A\nvoid run(int a) {}\n#else\nvoid run(int a, int b) {}\n#endif\n"})
      QVERIFY2(!project::parameters_of_kernel(uncertain, "run").has_value(), uncertain);
    const std::string odd =
        "#if 0\nvoid run(int old) {}\n#endif\nvoid run([[maybe_unused]] int a, int b "
        "__attribute__((unused))) {}";
    QCOMPARE(project::parameters_of_kernel(odd, "run").value(), (std::vector<std::string>{"a", "b"}));
  }

  /** A time that grew with the square of the length would end by the time limit of Qt's tests. */
  void very_many_attributes_are_left_out_at_once() {
    std::string list;
    for (int count = 0; count < 4'000'000; ++count) list += "[[]]";
    QCOMPARE(project::parameters_of_kernel("void run(" + list + " int a, [[x]] int b) {}", "run").value(),
             (std::vector<std::string>{"a", "b"}));
    const std::string open = "void run(int a __attribute__((x)), int b __attribute__((unused)) [[y]]) {}";
    QCOMPARE(project::parameters_of_kernel(open, "run").value(), (std::vector<std::string>{"a", "b"}));
  }

  /** Any text is scanned, and what it gives lies within it. */
  void no_text_is_too_odd() {
    constexpr std::uint64_t seed = 24;
    qInfo("seed %d", static_cast<int>(seed));
    base::Random random(seed);
    const std::vector<std::string> pieces{"#",      "include", "\"",   "'",    "\\",       "\n",
                                          "/*",     "*/",      "//",   "run",  "(",        ")",
                                          "{",      "<",       ">",    ",",    " ",        "x",
                                          "%:",     "if",      "\r\n", "\xff", "R\"(",     "\xEF\xBB\xBF",
                                          "#endif", "1",       "<:",   "else", "#define x"};
    for (int round = 0; round < 3000; ++round) {
      std::string text;
      for (std::uint64_t piece = random.below(40); piece > 0; --piece)
        text += pieces[random.below(pieces.size())];
      for (const project::IncludeLine& line : project::includes_of(text))
        QCOMPARE(text.substr(line.start, line.name.size()), line.name);
      std::ignore = project::parameters_of_kernel(text, "run");
    }
  }
};

KERNELSCAPE_PLAIN_TEST(SourceScanTest)

}  // namespace kernelscape::source_scan_test
#include "source_scan_test.moc"
