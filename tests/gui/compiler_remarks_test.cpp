#include "ui/views/trials/compiler_remarks.h"

#include <QTest>

#include "tests/test_program.h"

namespace kernelscape::compiler_remarks_test {

/** What compilers say of lines, and which lines of the shown source these are. */
class CompilerRemarksTest : public QObject {
  Q_OBJECT

 private slots:
  void every_compilers_way_of_naming_a_line_is_read() {
    const QString message =
        "the compiler said:\n"
        "stencil.c: In function 'stencil':\n"
        "stencil.c:12:5: error: 'x' undeclared\n"
        "   12 |   x = 1;\n"
        "stencil.c:7: warning: unused\n"
        "In file included from stencil.c:3:\n"
        "kernel.cu(21): error: identifier \"y\" is undefined\n"
        "<kernel>:4:2: fatal error: no\n"
        "error: stencil.cl:4:12: use of undeclared identifier 'x'\n"
        "stencil.c:99999999999:1: error: beyond any line\n"
        "a:b:c: error: none";
    const std::vector<views::CompilerRemark> remarks = views::compiler_remarks(message);
    const std::vector<views::CompilerRemark> expected = {
        {2, "stencil.c", 12, "error: 'x' undeclared"},
        {4, "stencil.c", 7, "warning: unused"},
        {6, "kernel.cu", 21, "error: identifier \"y\" is undefined"},
        {7, "<kernel>", 4, "fatal error: no"},
        {8, "stencil.cl", 4, "error: use of undeclared identifier 'x'"}};
    QVERIFY(remarks == expected);
  }

  void lines_count_from_the_directive() {
    const QString source = "#define A 1\n#define B 2\n#line 1 \"src/stencil.c\"\nfirst\nsecond\nthird";
    const views::LabelledLines lines(source);
    QCOMPARE(lines.find("src/stencil.c", 2), std::optional(4));
    QCOMPARE(lines.find("stencil.c", 1), std::optional(3));
    QCOMPARE(lines.labels(), QStringList({"", "", "", "1", "2", "3"}));
    QVERIFY(!lines.find("stencil.c", 4));
    QVERIFY(!lines.find("stencil.c", 0));
    QVERIFY(!lines.find("other.h", 2));
    QVERIFY(!lines.find("/usr/include/stdio.h", 1));
  }

  void a_text_without_directives_is_the_builders_own() {
    const views::LabelledLines lines(QStringLiteral("a\nb\nc"));
    QVERIFY(lines.labels().isEmpty());
    QCOMPARE(lines.find("kernel.c", 3), std::optional(2));
    QVERIFY(!lines.find("kernel.c", 4));
    QVERIFY(!lines.find("/usr/include/math.h", 1));
  }

  void all_that_is_said_of_a_line_stands_together() {
    const auto notes =
        views::notes_of_lines("a\nb", views::compiler_remarks("k.c:2:1: error: one\nk.c:2:7: note: two\n"));
    QCOMPARE(notes.size(), std::size_t{1});
    QCOMPARE(notes.at(1), QString("error: one\nnote: two"));
  }

  void long_messages_end_somewhere() {
    QString message;
    for (int line = 0; line < 10'000; ++line) message += QStringLiteral("k.c:%1:1: error: x\n").arg(line);
    QVERIFY(views::compiler_remarks(message).size() <= 200);
    QVERIFY(views::compiler_remarks(QString(5'000'000, QLatin1Char('a'))).empty());
    QVERIFY(views::compiler_remarks(QString("k.c:").repeated(100'000)).empty());
  }
};

KERNELSCAPE_TEST(CompilerRemarksTest, QCoreApplication)

}  // namespace kernelscape::compiler_remarks_test
#include "compiler_remarks_test.moc"
