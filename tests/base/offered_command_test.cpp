#include "core/base/media/offered_command.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <string>

#include "core/base/media/shell_script.h"
#include "tests/test_program.h"

namespace kernelscape::offered_command_test {

class OfferedCommandTest final : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  /** A program that writes each of its arguments in brackets, in a folder that a shell takes apart. */
  std::string program() const { return folder_.filePath("it's a $HOME folder/program").toStdString(); }

  base::ProgramCall call(const std::string& database) const {
    return {.program = program(), .database = database, .takes_database = [](std::string_view command) {
              return command == "show" || command == "tuners" || command == "export";
            }};
  }

  /** What the program is given by the one command that a text offers, run as it stands. */
  std::string pasted(const std::string& text, const std::string& database) const {
    const std::string all = base::complete_commands(text, call(database));
    const std::size_t start = all.find('`') + 1;
    QProcess shell;
    shell.start(QStringLiteral("sh"),
                {QStringLiteral("-c"), QString::fromStdString(all.substr(start, all.rfind('`') - start))});
    shell.waitForFinished();
    return shell.readAllStandardOutput().toStdString();
  }

 private slots:
  void initTestCase() {
    QFile script(QString::fromStdString(program()));
    QVERIFY(QDir(folder_.path()).mkdir("it's a $HOME folder"));
    QVERIFY(script.open(QFile::WriteOnly));
    script.write("#!/bin/sh\nprintf '[%s]' \"$@\"\n");
    script.close();
    QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
  }

  void a_pasted_command_means_what_was_offered_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("database");
    QTest::addColumn<std::string>("given");
    const auto row = [](const std::string& text, const std::string& database, const std::string& given) {
      QTest::addRow("%s with %s", text.c_str(), database.c_str()) << text << database << given;
    };
    row("see `kernelscape show 3`", "", "[show][3]");
    row("see `kernelscape show 3`; then", "/a b/it's \"$x\".db", "[show][3][--db][/a b/it's \"$x\".db]");
    row("see `kernelscape show 3`", "-x.db", "[show][3][--db][./-x.db]");
    row("see `kernelscape show 3`", "a\nb`c", "[show][3][--db][a\nb`c]");
    row("see `kernelscape devices --ceilings`", "x.db", "[devices][--ceilings]");
    row("see `kernelscape show 3 --db other`", "x.db", "[show][3][--db][other]");
    row("see `kernelscape show -- -x`", "x.db", "[show][--db][x.db][--][-x]");
    for (const std::string name : {"it's `one`", "$(two)\n'", "-three", "\"four", "--db"})
      row("see `kernelscape tuners -- " + base::ShellScript::escaped(name) + "`", "x y.db",
          "[tuners][--db][x y.db][--][" + name + "]");
    row("see `kernelscape export --set \"a b\"`", "x.db", "[export][--set][a b][--db][x.db]");
  }
  void a_pasted_command_means_what_was_offered() {
    QFETCH(std::string, text);
    QFETCH(std::string, database);
    QFETCH(std::string, given);
    QCOMPARE(pasted(text, database), given);
  }

  void all_commands_of_a_text_are_completed_and_nothing_else() {
    const base::ProgramCall call{.program = "./kernelscape",
                                 .database = "x.db",
                                 .takes_database = [](std::string_view) { return true; }};
    QCOMPARE(
        base::complete_commands("`kernelscape tune A` or `kernelscape import B`, not `other`", call),
        std::string("`./kernelscape tune A --db x.db` or `./kernelscape import B --db x.db`, not `other`"));
    for (const std::string text : {"", "`kernelscape", "`kernelscape show", "kernelscape show 3",
                                   "`kernelscape show 'a`", "`kernelscape-worker --join x`"})
      QCOMPARE(base::complete_commands(text, call), text);
  }
};

KERNELSCAPE_PLAIN_TEST(OfferedCommandTest)

}  // namespace kernelscape::offered_command_test
#include "offered_command_test.moc"
