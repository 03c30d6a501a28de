#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QTest>
#include <algorithm>

#include "core/exchange/export_formats.h"
#include "core/exchange/importer.h"
#include "core/schedule/template.h"
#include "core/session/advice.h"
#include "core/study/study.h"
#include "core/trial/measurement.h"
#include "core/tuner/tuner.h"
#include "tests/command_line/command_line_support.h"
#include "tests/command_line/markdown.h"
#include "tests/test_program.h"

namespace kernelscape::documentation_test {
using namespace kernelscape::command_line_tests;
using namespace kernelscape::markdown;

namespace {

const QString root = QStringLiteral(KERNELSCAPE_SOURCE_DIR);
constexpr int max_lines = 200;

using Names = QSet<QString>;

/** What of two sets is not in both; empty: they are alike. */
QString difference(const Names& written, const Names& real) {
  const QStringList invented = (written - real).values();
  const QStringList missing = (real - written).values();
  if (invented.isEmpty() && missing.isEmpty()) return {};
  return "invented: " + invented.join(", ") + "; missing: " + missing.join(", ");
}

Names named(const QStringList& spans) { return {spans.begin(), spans.end()}; }

template <class Registry>
Names names_of(const Registry& registry) {
  Names names;
  for (const auto& entry : registry) names.insert(QString::fromStdString(entry.name));
  return names;
}

/** "best {trial, gflops (of it)}, reason" names best and reason. */
Names field_names(QString text) {
  static const QRegularExpression aside(" *(\\([^(){}\\[\\]]*\\)|\\{[^(){}\\[\\]]*\\}|\\[[^(){}\\[\\]]*\\])");
  while (text.contains(aside)) text.remove(aside);
  return named(text.split(", "));
}

/** Adds the names of an object's fields and of those inside; counts by class are named by their values. */
void add_field_names(const nlohmann::json& value, Names& names) {
  if (value.is_array())
    for (const nlohmann::json& element : value) add_field_names(element, names);
  if (!value.is_object()) return;
  for (const auto& [name, field] : value.items()) {
    names.insert(QString::fromStdString(name));
    if (name != "mix") add_field_names(field, names);
  }
}

}  // namespace

/** What the READMEs say against the program, in both directions, and where they lead to against the tree. */
class DocumentationTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;
  std::vector<Page> pages_ = readmes(root);
  QMap<QString, QString> helps_;

  QString text(const QString& path) const;
  Table table(const QString& path, const QString& first_header) const;
  Names first_cells(const QString& path, const QString& first_header) const;
  QString help(const QString& command);
  QString missing_options(const QStringList& words, const QStringList& commands);

 private slots:
  void theFirstPageIsShort();
  void linksLeadSomewhere();
  void everyPageIsLinked();
  void pathsExist();
  void commentsCitePagesOfTheTree();
  void foldersAreAllThere();
  void commands();
  void optionsOfCommands();
  void examplesAreUnderstood();
  void fieldsOfEvents();
  void fieldsOfWhy();
  void rulesOfAdvice();
  void tuners();
  void settingsOfTuners();
  void settingsInText();
  void templates();
  void formats();
  void errorCategories();
  void studies();
};

QString DocumentationTest::text(const QString& path) const {
  for (const Page& page : pages_) {
    if (page.path == path) return page.text;
  }
  return {};
}

/** Without rows: the page has no such table. */
Table DocumentationTest::table(const QString& path, const QString& first_header) const {
  for (const Table& found : tables(text(path))) {
    if (found.header.first() == first_header) return found;
  }
  return {};
}

/** The code in the first column. */
Names DocumentationTest::first_cells(const QString& path, const QString& first_header) const {
  Names names;
  for (const QStringList& row : table(path, first_header).rows) names += named(code_spans(row.first()));
  return names;
}

/** With that of its own subcommands; of the program alone where it names no command. */
QString DocumentationTest::help(const QString& command) {
  if (!helps_.contains(command)) {
    const auto help_of = [this](QStringList words) {
      return QString::fromStdString(shell_.run(words << "--help").output);
    };
    QString text = help_of(command.isEmpty() ? QStringList{} : QStringList{command});
    const QString subcommands = command.isEmpty() ? QString() : text.section("Subcommands:", 1);
    for (const QString& name : matches(subcommands, "^  ([a-z-]+)\\b")) text += help_of({command, name});
    helps_[command] = text;
  }
  return helps_[command];
}

/** Those of the words that are options of none of the commands. */
QString DocumentationTest::missing_options(const QStringList& words, const QStringList& commands) {
  QStringList missing;
  for (const QString& word : words) {
    if (!word.startsWith("--")) continue;
    const QRegularExpression listed("(?<![\\w-])" + QRegularExpression::escape(word) + "(?![\\w-])");
    if (!std::ranges::any_of(commands, [&](const QString& name) { return help(name).contains(listed); }))
      missing << word;
  }
  return missing.join(' ');
}

void DocumentationTest::theFirstPageIsShort() {
  const auto lines = text("README.md").count('\n');
  QVERIFY2(lines > 0 && lines <= max_lines, qPrintable(QString::number(lines) + " lines"));
}

void DocumentationTest::linksLeadSomewhere() {
  for (const Page& page : pages_) {
    for (const QString& link : links(page.text)) {
      if (link.contains("://")) continue;
      const QString target = link.section('#', 0, 0);
      const QString path = target.isEmpty() ? page.path : QDir::cleanPath(page.folder() + "/" + target);
      const QString relative = path.startsWith('/') ? path.mid(1) : path;
      QVERIFY2(QFileInfo::exists(root + "/" + relative), qPrintable(page.path + ": " + link));
      if (link.contains('#'))
        QVERIFY2(anchors(text(relative)).contains(link.section('#', 1)), qPrintable(page.path + ": " + link));
    }
  }
}

void DocumentationTest::everyPageIsLinked() {
  Names linked{"README.md"};
  for (const Page& page : pages_) {
    for (const QString& link : links(page.text))
      linked.insert(QDir(root).relativeFilePath(
          QDir::cleanPath(root + "/" + page.folder() + "/" + link.section('#', 0, 0))));
  }
  for (const Page& page : pages_) QVERIFY2(linked.contains(page.path), qPrintable(page.path));
}

/** Paths from the root, as `code`. */
void DocumentationTest::pathsExist() {
  for (const Page& page : pages_) {
    for (const QString& span : code_spans(without_blocks(page.text))) {
      const QStringList path =
          matches(span, "^((?:app|core|ui|tests|data|cmake|resources|\\.ci)/[a-z0-9_./-]*)(?: |$)");
      for (const QString& found : path)
        QVERIFY2(QFileInfo::exists(root + "/" + found), qPrintable(page.path + ": " + found));
    }
  }
}

/** By a path from the root or from the file's folder. README.md alone may be one that the program writes. */
void DocumentationTest::commentsCitePagesOfTheTree() {
  static const QRegularExpression comment("(?:^ *(?:/?\\*|#)|//)(.*)$");
  int cited = 0;
  for (const char* top : {"app", "cmake", "core", "tests", "ui"}) {
    QDirIterator files(root + "/" + top, {"*.h", "*.cpp", "CMakeLists.txt", "*.cmake"}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      QVERIFY(file.open(QIODevice::ReadOnly));
      while (!file.atEnd()) {
        const QString line = QString::fromUtf8(file.readLine()).trimmed();
        if (!line.contains(".md")) continue;
        const QString text = comment.match(line).captured(1);
        for (const QString& page : matches(text, "([A-Za-z0-9_./-]+\\.md)\\b")) {
          if (page == "README.md") continue;
          ++cited;
          QVERIFY2(QFileInfo::exists(root + "/" + page) || QFileInfo(file).dir().exists(page),
                   qPrintable(file.fileName() + " cites " + page));
        }
      }
    }
  }
  QVERIFY(cited > 0);
}

/** A table of folders names each one beside its README, and no other. */
void DocumentationTest::foldersAreAllThere() {
  for (const Page& page : pages_) {
    const Names written = first_cells(page.path, "folder");
    if (written.isEmpty()) continue;
    Names real = named(QDir(root + "/" + page.folder()).entryList(QDir::Dirs | QDir::NoDotAndDotDot));
    real.remove("build");
    const QString wrong = difference(written, real);
    QVERIFY2(wrong.isEmpty(), qPrintable(page.path + ": " + wrong));
  }
}

void DocumentationTest::commands() {
  Names written;
  for (const QString& span : first_cells("README.md", "command")) written.insert(span.section(' ', 0, 0));
  const Names real = named(matches(help("").section("Subcommands:", 1), "^  ([a-z-]+)\\b"));
  QVERIFY2(real.contains("tune"), qPrintable(help("")));
  QCOMPARE(difference(written, real), QString());
}

/** Those that the table of commands names beside them. */
void DocumentationTest::optionsOfCommands() {
  for (const QStringList& row : table("README.md", "command").rows) {
    QStringList commands;
    QStringList words;
    for (const QString& span : code_spans(row.first())) commands << span.section(' ', 0, 0);
    for (const QString& span : code_spans(row.join(' ')))
      words << span.split(QRegularExpression("[ \\[\\]]"), Qt::SkipEmptyParts);
    const QString missing = missing_options(words, commands);
    QVERIFY2(missing.isEmpty(), qPrintable(row.first() + ": " + missing));
  }
}

/** Commands, options and names of studies in the blocks of all pages. */
void DocumentationTest::examplesAreUnderstood() {
  Names studies;
  for (const auto& file : study::bundled_studies())
    studies.insert(QString::fromStdString(file.stem().string()));
  int examples = 0;
  for (const Page& page : pages_) {
    for (const QString& line : block_lines(page.text)) {
      static const QRegularExpression call("^(?:\\$ )?(?:kernelscape|app/run) +([a-z][^#]*)");
      const QStringList words =
          call.match(line).captured(1).split(QRegularExpression(" +"), Qt::SkipEmptyParts);
      if (words.isEmpty()) continue;
      ++examples;
      const QString wrong = missing_options(words, {words.first()});
      QVERIFY2(!help(words.first()).isEmpty() && wrong.isEmpty(), qPrintable(page.path + ": " + line));
      if (words.first() == "study" && !words.value(1).startsWith("--"))
        QVERIFY2(studies.contains(words.value(1)), qPrintable(page.path + ": " + line));
    }
  }
  QVERIFY(examples > 5);
}

void DocumentationTest::fieldsOfEvents() {
  const CommandResult tuned =
      shell_.run({"tune", "matmul 16x32 32x16 f32", "--tuner", "random", "--trials", "2", "--repeats", "1",
                  "--min-repeat-ms", "0.1", "--threads", "1", "--json"});
  QVERIFY2(tuned.code == 0, tuned.all().c_str());
  const std::vector<nlohmann::json> lines = json_lines(tuned.output);
  for (const QStringList& row : table("app/command_line/README.md", "event").rows) {
    const QString event = code_spans(row.first()).value(0);
    const std::vector<nlohmann::json> found = events(lines, event.toStdString());
    QVERIFY2(!found.empty() || event == "message", qPrintable(event));
    for (const nlohmann::json& object : found) {
      Names real;
      for (const auto& [name, value] : object.items()) real.insert(QString::fromStdString(name));
      real.remove("event");
      const QString wrong = difference(field_names(row.value(1)), real);
      QVERIFY2(wrong.isEmpty(), qPrintable(event + ": " + wrong));
    }
  }
}

void DocumentationTest::fieldsOfWhy() {
  const CommandResult tuned =
      shell_.run({"tune", "matmul 16x32 32x16 f32", "--tuner", "random", "--trials", "2", "--repeats", "1",
                  "--min-repeat-ms", "0.1", "--threads", "1", "--name", "explained", "--json"});
  QVERIFY2(tuned.code == 0, tuned.all().c_str());
  const CommandResult why = shell_.run({"why", "explained", "--json"});
  QVERIFY2(why.code == 0, why.all().c_str());
  Names names;
  add_field_names(json_lines(why.output).at(0), names);
  names.remove("event");
  const QString page = text("app/command_line/README.md");
  const QString documented = page.mid(page.indexOf("`why` prints one object")).section("\n\n", 0, 0);
  for (const QString& name : names)
    QVERIFY2(documented.contains(QRegularExpression("\\b" + name + "\\b")), qPrintable(name));
}

void DocumentationTest::rulesOfAdvice() {
  Names rules;
  for (const session::AdviceRule& rule : session::advice_rules())
    rules.insert(QString::fromStdString(std::string(rule.name)));
  const QString wrong = difference(first_cells("core/session/README.md", "rule"), rules);
  QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

void DocumentationTest::tuners() {
  const QString page = "core/tuner/README.md";
  const Names real = names_of(tuner::tuner_registry());
  QCOMPARE(difference(first_cells(page, "tuner"), real), QString());
  QCOMPARE(difference(first_cells(page, "tuner's settings"), real), QString());
  const QString marked = QString("`%1`, the default").arg(QString::fromUtf8(tuner::default_tuner.data()));
  QVERIFY(std::ranges::any_of(table(page, "tuner").rows,
                              [&](const QStringList& row) { return row.first() == marked; }));
}

/** Those in the table, and the one that all have, which stands below it once. */
void DocumentationTest::settingsOfTuners() {
  const QString common = "encoding";
  QVERIFY(text("core/tuner/README.md").contains(QString("Every tuner has the setting `%1`").arg(common)));
  for (const QStringList& row : table("core/tuner/README.md", "tuner's settings").rows) {
    const auto tuner = tuner::find_tuner(code_spans(row.first()).value(0).toStdString());
    QVERIFY2(tuner, qPrintable(row.first()));
    QVERIFY2(row.value(1) == QString::fromStdString(tuner::own_batch_text(**tuner)),
             qPrintable(row.first() + ": batch"));
    const Names own = named(code_spans(row.value(2))) + Names{common};
    const QString wrong = difference(own, names_of((*tuner)->hyperparameters));
    QVERIFY2(wrong.isEmpty(), qPrintable(row.first() + ": " + wrong));
  }
}

/** What a sentence sets is a setting that some tuner takes. */
void DocumentationTest::settingsInText() {
  int settings = 0;
  for (const QString& span : code_spans(without_blocks(text("core/tuner/README.md")))) {
    const bool several = span.startsWith("--set ");
    for (QString setting : several ? span.simplified().remove("--set ").split(' ') : QStringList{span}) {
      const QString name = setting.section('=', 0, 0);
      if (!setting.contains('=') || name != name.toLower()) continue;
      ++settings;
      const std::string value = setting.section('=', 1).remove('"').toStdString();
      const auto takes = [&](const tuner::Declaration& tuner) {
        return tuner::parse_settings(tuner, {{name.toStdString(), value}}).has_value();
      };
      QVERIFY2(std::ranges::any_of(tuner::tuner_registry(), takes), qPrintable(setting));
    }
  }
  QVERIFY(settings > 5);
}

void DocumentationTest::templates() {
  const QString page = "core/schedule/README.md";
  QCOMPARE(difference(first_cells(page, "template"), names_of(schedule::template_registry())), QString());
  for (const QStringList& row : table(page, "template").rows) {
    for (const schedule::TemplateDeclaration& declaration : schedule::template_registry()) {
      if (!code_spans(row.first()).contains(QString::fromStdString(declaration.name))) continue;
      QCOMPARE(row.value(1), QString::fromStdString(schedule::targets_text(declaration)));
    }
  }
}

void DocumentationTest::formats() {
  const QString page = "core/exchange/README.md";
  QCOMPARE(difference(first_cells(page, "export format"), names_of(exchange::export_formats())), QString());
  Names imported = names_of(exchange::import_formats());
  for (const char* name : {"recorded", "database", "optuna", "opentuner"})
    imported.insert(name);  // no texts, and so in no list
  QCOMPARE(difference(first_cells(page, "import format"), imported), QString());
}

void DocumentationTest::errorCategories() {
  Names real;
  for (std::size_t code = 1; code < trial::error_category_count; ++code)
    real.insert(
        QString::fromStdString(std::string(trial::to_string(static_cast<trial::ErrorCategory>(code)))));
  QCOMPARE(difference(first_cells("core/measure/README.md", "category"), real), QString());
}

void DocumentationTest::studies() {
  Names real;
  for (const auto& file : study::bundled_studies()) real.insert(QString::fromStdString(file.stem().string()));
  QVERIFY(!real.isEmpty());
  QCOMPARE(difference(first_cells("data/studies/README.md", "study"), real), QString());
}

KERNELSCAPE_TEST(DocumentationTest, QCoreApplication)

}  // namespace kernelscape::documentation_test
#include "documentation_test.moc"
