#include "ui/report/report.h"

#include <QApplication>
#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "core/analysis/comparison/comparison_table.h"
#include "core/base/quantile.h"
#include "core/study/comparison_reader.h"
#include "core/study/execution.h"
#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/models/session_text.h"
#include "ui/report/writers.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"

namespace kernelscape::report_test {
namespace {

using gui_tests::Database;

/** What a reader of the page finds in it. */
struct Page {
  QString error;
  QStringList tags;
  QStringList ids;
  QStringList references;  ///< whatever could be fetched
  QString text;            ///< all texts but the style
  QString title;
};

Page parse(const QByteArray& html) {
  Page page;
  QXmlStreamReader reader(html);
  QString open;
  while (!reader.atEnd()) {
    reader.readNext();
    if (reader.isStartElement()) {
      open = reader.name().toString();
      page.tags << open;
      for (const QXmlStreamAttribute& attribute : reader.attributes()) {
        const QString name = attribute.name().toString();
        if (name == QLatin1String("id")) page.ids << attribute.value().toString();
        if (name == QLatin1String("src") || name == QLatin1String("href"))
          page.references << attribute.value().toString();
        if (name.startsWith(QLatin1String("on"))) page.references << name;
      }
    } else if (reader.isCharacters()) {
      if (open != QLatin1String("style")) page.text += reader.text();
      if (open == QLatin1String("h1")) page.title += reader.text();
    } else if (reader.isEndElement()) {
      open.clear();
    }
  }
  if (reader.hasError())
    page.error = QStringLiteral("%1 in line %2").arg(reader.errorString()).arg(reader.lineNumber());
  return page;
}

std::vector<report::Table> tables_of(const report::Document& document) {
  std::vector<report::Table> tables;
  for (const report::Block& block : document.blocks)
    if (const auto* table = std::get_if<report::Table>(&block)) tables.push_back(*table);
  return tables;
}

/** The table whose last column has this title; an empty one where there is none. */
report::Table table_ending_with(const report::Document& document, const QString& title) {
  for (const report::Table& table : tables_of(document))
    if (!table.columns.empty() && table.columns.back().title == title) return table;
  return {};
}

template <typename Block>
std::size_t count_of(const report::Document& document) {
  return static_cast<std::size_t>(std::ranges::count_if(
      document.blocks, [](const report::Block& block) { return std::holds_alternative<Block>(block); }));
}

/** Fewer runs than arms, tasks and repeats would give: the last one is marked as failed. */
study::Definition small_study() {
  study::Definition study;
  study.name = "two <tuners>";
  study.about = "Which one is better?";
  study.arms = {{"random", "random", {}}, {"ga", "ga", {}}};
  study.tasks = {{.task = "resnet18/C6", .template_name = {}, .restrictions = {}},
                 {.task = "resnet18/C2", .template_name = {}, .restrictions = {}}};
  study.repeats = 2;
  study.budget.trials = 40;
  return study;
}

}  // namespace

class ReportTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase();
  void a_page_needs_nothing_else();
  void the_best_are_those_of_the_store();
  void messages_are_counted();
  void what_kernels_of_gpus_take();
  void kernels_that_were_only_built();
  void hostile_texts_stay_texts();
  void printable_texts_obey_nothing();
  void the_theme_of_the_window_does_not_matter();
  void the_page_declares_what_its_charts_are_drawn_with();
  void paper();
  void many_trials_stay_small();
  void several_sessions();
  void sessions_that_cannot_be_read();
  void what_disturbed_a_session_stands_beside_its_number();
  void rounds_of_a_network_are_no_pauses();
  void a_study();
  void what_cannot_be_written();

 private:
  report::Document document_of(store::SessionId id) const {
    store::Store store = *store::Store::open(database_.path(), store::OpenMode::ReadOnly);
    return report::session_report_document(store, id).value();
  }

  Database database_;
  store::SessionId session_ = 0;
};

void ReportTest::initTestCase() {
  style::apply_theme(*qApp, style::ThemeChoice::Light);
  session_ = database_.add_session(160);
  database_.confirm(session_);
}

void ReportTest::a_page_needs_nothing_else() {
  const report::Document document = document_of(session_);
  QVERIFY(count_of<figures::Figure>(document) >= 6);
  const QByteArray html = report::to_html(document);
  const Page page = parse(html);
  QVERIFY2(page.error.isEmpty(), qPrintable(page.error));
  QCOMPARE(static_cast<std::size_t>(page.tags.count(QStringLiteral("svg"))),
           count_of<figures::Figure>(document));
  for (const QString& tag : {QStringLiteral("script"), QStringLiteral("link"), QStringLiteral("iframe"),
                             QStringLiteral("object"), QStringLiteral("img")})
    QVERIFY2(!page.tags.contains(tag), qPrintable(tag));
  for (const QString& reference : page.references)
    QVERIFY2(reference.startsWith(QLatin1Char('#')) || reference.startsWith(QLatin1String("data:image/png;")),
             qPrintable(reference));
  QVERIFY(!html.contains("url(") && !html.contains("@import"));
  QCOMPARE(std::set<QString>(page.ids.begin(), page.ids.end()).size(),
           static_cast<std::size_t>(page.ids.size()));
  // What stands in the headline stands in the page.
  const auto& headline = std::get<report::Headline>(document.blocks.front());
  QVERIFY(!headline.number.isEmpty() && page.text.contains(headline.number));
  QVERIFY(page.text.contains(QStringLiteral("kernelscape tune resnet18/C6")));
  QVERIFY(page.text.contains(QStringLiteral("at random")));
  QVERIFY(html.contains("prefers-color-scheme: dark") && html.contains("@page"));
}

void ReportTest::what_disturbed_a_session_stands_beside_its_number() {
  Database database;
  const store::SessionId id = database.add_session(40);
  {
    store::Store store = *store::Store::open(database.path());
    QVERIFY(store.notices().add(id, {"machine", "timings were unsteady <i>by 30 %</i>", 1}));
    QVERIFY(store.notices().add(id, {"note", "two knobs were tied", 0}));
  }
  const store::Store store = *store::Store::open(database.path(), store::OpenMode::ReadOnly);
  const report::Document document = report::session_report_document(store, id).value();
  QVERIFY(std::holds_alternative<report::Headline>(document.blocks.at(0)));
  const auto* table = std::get_if<report::Table>(&document.blocks.at(1));
  QVERIFY(table != nullptr);
  QCOMPARE(table->caption, QStringLiteral("Disturbances of this session"));
  QCOMPARE(table->rows.size(), std::size_t{1});
  const Page page = parse(report::to_html(document));
  QVERIFY(page.text.contains(QStringLiteral("timings were unsteady <i>by 30 %</i>")));
  QVERIFY(page.text.contains(QStringLiteral("two knobs were tied")));
  QVERIFY(!parse(report::to_html(document_of(session_))).text.contains(QStringLiteral("Disturbances of")));
}

/** Each round goes on with a session that was done, and says what disturbed it with numbers of its own. */
void ReportTest::rounds_of_a_network_are_no_pauses() {
  Database database;
  const store::SessionId id = database.add_session(40);
  store::Store store = *store::Store::open(database.path());
  for (const double seconds : {1.0, 2.0, 3.0}) QVERIFY(store.interruptions().append(id, seconds, "done"));
  QVERIFY(store.interruptions().append(id, 4, "stopped"));
  for (const char* text : {"it took up to 7 % longer", "it took up to 30 % longer", "it was hot"})
    QVERIFY(store.notices().add(id, {"machine", text, 1}));
  const workspace::Source source = *workspace::SourceReader(store, id).read();
  QCOMPARE(source->paused_seconds(), std::vector<double>{4});
  QCOMPARE(models::disturbance_text(source->notices),
           QStringLiteral("It took up to 7 to 30 % longer; it was hot."));
  const Page page = parse(report::to_html(report::session_report_document(store, id).value()));
  QVERIFY(page.text.contains(QStringLiteral("the last of 3 times at which it was done, and resumed")));
}

void ReportTest::the_best_are_those_of_the_store() {
  const store::Store store = *store::Store::open(database_.path(), store::OpenMode::ReadOnly);
  std::vector<trial::Trial> trials = *store.trials().of(session_);
  std::erase_if(trials, [](const trial::Trial& trial) { return !trial.measurement.valid(); });
  std::ranges::stable_sort(trials, {},
                           [](const trial::Trial& trial) { return trial.measurement.ranking_seconds(); });
  const store::SessionSummary session = *store.sessions().get(session_);
  const space::SearchSpace space = *space::space_from_json(session.record.space_json);
  const double flops = task::task_from_json(session.record.task_json)->flops();
  const report::Table table = table_ending_with(document_of(session_), QStringLiteral("configuration"));
  QCOMPARE(table.rows.size(), std::size_t{10});
  for (std::size_t rank = 0; rank < table.rows.size(); ++rank) {
    const trial::Measurement& measurement = trials[rank].measurement;
    const double seconds = measurement.median_seconds();
    const QStringList& row = table.rows[rank];
    QCOMPARE(row[0], style::format_count(trials[rank].number));
    QCOMPARE(row[1], style::format_quantity(flops / seconds, QStringLiteral("FLOPS")));
    QCOMPARE(row[2], style::format_quantity(seconds, QStringLiteral("s")));
    QVERIFY(row[3].contains(
        style::format_quantity(base::quantile(measurement.samples_seconds, 0.25), QStringLiteral("s"))));
    QCOMPARE(row[4], style::format_percent(trials[0].measurement.median_seconds() / seconds));
    QCOMPARE(row[5].toStdString(), space.describe(trials[rank].configuration));
  }
}

void ReportTest::messages_are_counted() {
  const store::Store store = *store::Store::open(database_.path(), store::OpenMode::ReadOnly);
  std::map<std::pair<std::string, std::string>, std::int64_t> counts;
  const std::vector<trial::Trial> trials = *store.trials().of(session_);
  for (const trial::Trial& trial : trials)
    if (!trial.measurement.valid())
      ++counts[{std::string(trial::to_string(trial.measurement.category)), trial.measurement.message}];
  const report::Table table = table_ending_with(document_of(session_), QStringLiteral("message"));
  QCOMPARE(table.rows.size(), counts.size());
  for (const QStringList& row : table.rows) {
    const auto found = counts.find({row[2].toStdString(), row[3].toStdString()});
    QVERIFY(found != counts.end());
    QCOMPARE(row[0], style::format_count(found->second));
    counts.erase(found);
  }
}

void ReportTest::what_kernels_of_gpus_take() {
  QVERIFY(table_ending_with(document_of(session_), QStringLiteral("the best")).rows.empty());
  const Database database;
  const store::SessionId id = database.add_gpu_session(80, false);
  store::Store store = *store::Store::open(database.path(), store::OpenMode::ReadOnly);
  const report::Table table =
      table_ending_with(report::session_report_document(store, id).value(), QStringLiteral("the best"));
  std::vector<std::int64_t> registers;
  const std::vector<store::ArrivedRow> rows = *store.trials().rows(id);
  for (const store::ArrivedRow& row : rows)
    if (row.resources && row.resources->registers > 0) registers.push_back(row.resources->registers);
  QVERIFY(!registers.empty());
  const auto [least, most] = std::ranges::minmax(registers);
  const auto row = std::ranges::find_if(
      table.rows, [](const QStringList& fields) { return fields.front() == QLatin1String("registers"); });
  QVERIFY(row != table.rows.end());
  QCOMPARE(row->at(1), style::format_count(least));
  QCOMPARE(row->at(3), style::format_count(most));
  const trial::Trial best = *store.trials().get(id, store.sessions().get(id)->status.best_trial);
  QCOMPARE(row->at(4), style::format_count(best.measurement.resources.value().registers));
}

void ReportTest::kernels_that_were_only_built() {
  const Database database;
  const store::SessionId id = database.add_gpu_session(80, true);
  store::Store store = *store::Store::open(database.path(), store::OpenMode::ReadOnly);
  const report::Document document = report::session_report_document(store, id).value();
  const report::Table table = table_ending_with(document, QStringLiteral("the best"));
  QVERIFY(!table.rows.empty());
  for (const QStringList& row : table.rows) QCOMPARE(row.back(), style::no_number());
  QVERIFY(table_ending_with(document, QStringLiteral("configuration")).rows.empty());
  const Page page = parse(report::to_html(document));
  QVERIFY2(page.error.isEmpty(), qPrintable(page.error));
  QVERIFY(page.text.contains(QStringLiteral("Failures and time breakdown")));
  QVERIFY(!page.text.contains(QStringLiteral("no valid")));
  for (const QString& nonsense : {QStringLiteral("nan"), QStringLiteral("inf"), QStringLiteral("0 GFLOPS")})
    QVERIFY2(!page.text.contains(QRegularExpression(QStringLiteral("\\b%1\\b").arg(nonsense))),
             qPrintable(nonsense));
  QVERIFY(report::sessions_report_document(store, std::vector{id, id}));
}

void ReportTest::hostile_texts_stay_texts() {
  const store::SessionId id = database_.add_session(30);
  const std::string name = "</title><script>alert(\"1\")</script><style>*{} & '\xE2\x80\xAE\x1b[2J\xff]]>";
  {
    store::Store store = *store::Store::open(database_.path());
    QVERIFY(store.sessions().set_name(
        id, "</title><script>alert(\"1\")</script>&amp;<style>'\xE2\x80\xAE\x1b[2J]]>"));
    QVERIFY(store.sessions().set_note(id, "<img src=\"http://example.org/x.png\"/>\n<svg onload=\"x\">"));
    store::SessionStatus status = store.sessions().get(id)->status;
    trial::Trial trial = *store.trials().get(id, 0);
    trial.number = status.trial_count++;
    trial.batch = 1000;
    trial.measurement = {};
    trial.measurement.category = trial::ErrorCategory::CompileHost;
    trial.measurement.message = std::string(4090, '<') + "\xff\xfe\x01";
    trial.configuration = store.trials().get(id, 1)->configuration;
    QVERIFY(store.trials().append(id, {&trial, 1}, status));
  }
  const report::Document document = document_of(id);
  const QByteArray html = report::to_html(document);
  const Page page = parse(html);
  QVERIFY2(page.error.isEmpty(), qPrintable(page.error));
  QCOMPARE(page.title,
           QStringLiteral("</title><script>alert(\"1\")</script>&amp;<style>'[U+202E]\u241b[2J]]>"));
  QVERIFY(!page.tags.contains(QStringLiteral("script")) && !page.tags.contains(QStringLiteral("img")));
  QCOMPARE(page.tags.count(QStringLiteral("style")), 1);
  QVERIFY(page.text.contains(QStringLiteral("<img src=\"http://example.org/x.png\"/>")));
  QVERIFY(page.text.contains(QString(4090, QLatin1Char('<')) + QString(2, QChar(0xFFFD)) + QChar(0x2401)));
  QVERIFY(!html.contains("\xE2\x80\xAE") && !html.contains('\x1b') && !html.contains('\x01'));
  QVERIFY(report::to_pdf(document).value().startsWith("%PDF"));
  // The same texts from a value, in every kind of block.
  const QString text = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
  const report::Document all{
      text,
      text,
      {report::Heading{2, text}, report::Paragraph{text}, report::Headline{text, text, {text}},
       report::Facts{{{text, text}}}, report::Table{text, {{text}}, {{text}}}, report::Code{text}}};
  const Page written = parse(report::to_html(all));
  QVERIFY2(written.error.isEmpty(), qPrintable(written.error));
  QVERIFY(!written.tags.contains(QStringLiteral("script")));
  QCOMPARE(written.text.count(report::printable_text(text)), qsizetype{14});
  QVERIFY(report::to_pdf(all).value().startsWith("%PDF"));
}

void ReportTest::printable_texts_obey_nothing() {
  const unsigned seed = std::random_device{}();
  qInfo("seed %u", seed);
  std::mt19937 random(seed);
  const std::vector<char16_t> likely = {0xD800, 0xDC00, 0xDBFF, 0x202E, 0x2066, 0xFEFF, 0xFFFE, 0xFFFF,
                                        '<',    '&',    '\n',   '\r',   '\t',   0,      0x7F,   0x85,
                                        0xFDD0, 0x061C, 'a',    0xE4,   0x2028, 0xDB40, 0xDC41};
  for (int round = 0; round < 500; ++round) {
    QString text;
    for (std::size_t count = random() % 40; count > 0; --count)
      text += QChar(random() % 3 == 0 ? static_cast<char16_t>(random()) : likely[random() % likely.size()]);
    const QString shown = report::printable_text(text);
    QVERIFY(shown.isValidUtf16());
    for (const char32_t code : shown.toUcs4())
      QVERIFY2((code >= 0x20 || code == U'\n' || code == U'\t') && !(code >= 0x7F && code < 0xA0) &&
                   !(code >= 0x2028 && code <= 0x202E) && !(code >= 0x2060 && code <= 0x206F) &&
                   (code & 0xFFFE) != 0xFFFE && code != 0xFEFF && !(code >= 0xE0000 && code < 0xE0080),
               qPrintable(QString::number(code, 16)));
    QCOMPARE(report::printable_text(shown), shown);
    const Page page = parse(report::to_html({QStringLiteral("x") + text, {}, {report::Code{text}}}));
    QVERIFY2(page.error.isEmpty(), qPrintable(page.error));
    QCOMPARE(page.title, QStringLiteral("x") + shown);
  }
  QCOMPARE(report::printable_text(QStringLiteral("äöü → 漢字\n\t\"quotes\"")),
           QStringLiteral("äöü → 漢字\n\t\"quotes\""));
  QCOMPARE(report::printable_text(QStringLiteral("a\r\nb\rc")), QStringLiteral("a\nb\nc"));
}

void ReportTest::the_theme_of_the_window_does_not_matter() {
  const report::Document document = document_of(session_);
  const QByteArray in_light = report::to_html(document);
  style::apply_theme(*qApp, style::ThemeChoice::Dark);
  const QByteArray in_dark = report::to_html(document);
  QVERIFY(style::colours().dark);
  style::apply_theme(*qApp, style::ThemeChoice::Light);
  QCOMPARE(in_dark, in_light);
  // Both themes' accents are there, for lines and for areas.
  for (const style::Colours* theme : {&style::light_colours(), &style::dark_colours()})
    QVERIFY(in_light.contains("svg .accent-line { fill: none; stroke: " + theme->accent.name().toLatin1()));
}

/** Else a browser writes texts in a size of its own, which has no room there. */
void ReportTest::the_page_declares_what_its_charts_are_drawn_with() {
  const QString page = QString::fromUtf8(report::to_html(document_of(session_)));
  const QRegularExpression elements(
      QStringLiteral("<(?:text|g|path|rect|line|polyline|polygon)[^>]* class=\"([^\"]+)\""));
  QSet<QString> used;
  for (const QRegularExpressionMatch& match : elements.globalMatch(page))
    for (const QString& name : match.captured(1).split(QLatin1Char(' '))) used.insert(name);
  for (const char* name : {"small", "normal", "bold"}) QVERIFY2(used.contains(QLatin1String(name)), name);
  for (const QString& name : used)
    QVERIFY2(page.contains(QStringLiteral("svg .%1 {").arg(name)), qPrintable(name));
  QVERIFY(page.contains(QRegularExpression(QStringLiteral("svg \\.small \\{ font-size: \\d"))));
}

void ReportTest::paper() {
  const report::Document document = document_of(session_);
  const QByteArray pdf = report::to_pdf(document).value();
  QVERIFY(pdf.startsWith("%PDF") && pdf.trimmed().endsWith("%%EOF"));
  const QRegularExpression pages(QStringLiteral("/Count (\\d+)"));
  const QRegularExpressionMatch match = pages.match(QString::fromLatin1(pdf));
  QVERIFY(match.hasMatch());
  QVERIFY(match.captured(1).toInt() >= 3);
  // A row that no page can hold goes over several, and nothing stands still.
  QString tall;
  for (int line = 0; line < 400; ++line) tall += QStringLiteral("line %1\n").arg(line);
  const report::Document long_row{QStringLiteral("long"),
                                  {},
                                  {report::Table{{},
                                                 {{QStringLiteral("n"), true}, {QStringLiteral("text")}},
                                                 {{QStringLiteral("1"), tall}, {QStringLiteral("2"), tall}}},
                                   report::Code{tall}, report::Paragraph{tall, report::Tone::Notice}}};
  const QRegularExpressionMatch many = pages.match(QString::fromLatin1(report::to_pdf(long_row).value()));
  QVERIFY(many.captured(1).toInt() >= 16 && many.captured(1).toInt() <= 60);
  // Code is for copying: paper has its beginning, the web page all of it.
  const report::Document code{QStringLiteral("code"), {}, {report::Code{tall}}};
  QCOMPARE(pages.match(QString::fromLatin1(report::to_pdf(code).value())).captured(1), QStringLiteral("1"));
  QVERIFY(report::to_html(code).contains("line 399"));
  QVERIFY(report::to_pdf({}).value().startsWith("%PDF"));
  // A figure that is a little too high for the rest of a page becomes smaller.
  const auto found = std::ranges::find_if(document.blocks, [](const report::Block& block) {
    const auto* figure = std::get_if<figures::Figure>(&block);
    return figure != nullptr && figure->size.width() == figures::figure_width;
  });
  QVERIFY(found != document.blocks.end());
  figures::Figure figure = std::get<figures::Figure>(*found);
  figure.text.caption.clear();
  figure.size.setHeight(600);  // two fill a bit more than a page
  const report::Document two{QStringLiteral("two"), {}, {figure, figure}};
  QCOMPARE(pages.match(QString::fromLatin1(report::to_pdf(two).value())).captured(1), QStringLiteral("1"));
}

void ReportTest::many_trials_stay_small() {
  const store::SessionId id = database_.add_session(20);
  database_.append_trials(id, 20'000);
  const QByteArray html = report::to_html(document_of(id));
  const Page page = parse(html);
  QVERIFY2(page.error.isEmpty(), qPrintable(page.error));
  QVERIFY2(html.size() < 2'000'000, qPrintable(QString::number(html.size())));
  QVERIFY(page.references.filter(QStringLiteral("data:image/png;base64,")).size() >= 2);
}

void ReportTest::several_sessions() {
  const store::SessionId other = database_.add_session(24, "ga");
  store::Store store = *store::Store::open(database_.path(), store::OpenMode::ReadOnly);
  const std::vector<store::SessionId> ids{session_, other};
  const report::Document document = report::sessions_report_document(store, ids).value();
  const report::Table overview = table_ending_with(document, QStringLiteral("of vendor"));
  QCOMPARE(overview.rows.size(), std::size_t{2});
  QCOMPARE(overview.rows[1][0], QString::number(other));
  QCOMPARE(overview.rows[1][4], QStringLiteral("24"));
  const Page page = parse(report::to_html(document));
  QVERIFY2(page.error.isEmpty(), qPrintable(page.error));
  QCOMPARE(std::set<QString>(page.ids.begin(), page.ids.end()).size(),
           static_cast<std::size_t>(page.ids.size()));
}

void ReportTest::sessions_that_cannot_be_read() {
  const Database database;
  const store::SessionId sound = database.add_session(12);
  const store::SessionId damaged = database.add_session(12);
  {
    store::Store store = *store::Store::open(database.path());
    QVERIFY(store.sessions().set_name(damaged, "the other"));
    QVERIFY(store.sessions().update_budget(damaged, R"({"trials": -1})"));
  }
  const store::Store store = *store::Store::open(database.path(), store::OpenMode::ReadOnly);
  const report::Document document =
      report::sessions_report_document(store, std::vector{damaged, sound}).value();
  QCOMPARE(document.left_out.size(), std::size_t{1});
  const QString said = QString::fromStdString(document.left_out.front().message);
  QVERIFY2(said.contains(QStringLiteral("%1 (the other)").arg(damaged)), qPrintable(said));
  const report::Table overview = table_ending_with(document, QStringLiteral("of vendor"));
  QCOMPARE(overview.rows.size(), std::size_t{1});
  QCOMPARE(overview.rows[0][0], QString::number(sound));
  QVERIFY(parse(report::to_html(document)).text.contains(said));
  QVERIFY(!report::sessions_report_document(store, std::vector{damaged, damaged}));
}

namespace {

/** One arm against the baseline: by every measure over all tasks, by the chosen ones on each. */
void check_verdicts(const report::Document& document, const study::Definition& definition) {
  const report::Table over_tasks = table_ending_with(document, QStringLiteral("verdict"));
  QCOMPARE(over_tasks.columns[0].title, QStringLiteral("tuner"));
  QVERIFY(over_tasks.caption.contains(QStringLiteral("against random")));
  // No member is recorded, so that there is no score.
  QCOMPARE(over_tasks.rows.size(), analysis::compared_measures().size() - 1);
  for (const QStringList& row : over_tasks.rows) {
    QCOMPARE(row.size(), std::ssize(over_tasks.columns));
    QCOMPARE(row.front(), QStringLiteral("ga"));
    QVERIFY(!row.last().isEmpty());
  }
  const auto within = std::ranges::find_if(document.blocks, [](const report::Block& block) {
    const auto* table = std::get_if<report::Table>(&block);
    return table != nullptr && table->caption.startsWith(QStringLiteral("Tests within each task"));
  });
  QVERIFY(within != document.blocks.end());
  QCOMPARE(std::get<report::Table>(*within).rows.size(), 3 * definition.tasks.size());
}

}  // namespace

void ReportTest::a_study() {
  const study::Definition definition = small_study();
  store::StudyId id = 0;
  {
    store::Store store = *store::Store::open(database_.path());
    id = study::create_study(store, definition).value();
  }
  const study::Options options{1, gui_tests::run_scripted};
  study::Observer observer;
  QVERIFY(study::run_study(database_.path(), id, options, observer, session::StopRequest()));
  store::Store store = *store::Store::open(database_.path());
  const std::int64_t last = std::ssize(study::plan_runs(definition)) - 1;
  QVERIFY(store.studies().set_run_error(id, last, "the machine <burned>"));
  const report::Document document = report::study_report_document(store, id).value();
  QCOMPARE(document.title, QStringLiteral("two <tuners>"));
  const auto compared = study::ComparisonReader(store, id).read().value();
  const analysis::ComparisonTable expected =
      analysis::comparison_table(*compared, study::baseline_arm(definition));
  const report::Table overall = table_ending_with(document, QStringLiteral("random phase"));
  QCOMPARE(overall.rows.size(), definition.arms.size());
  for (std::size_t row = 0; row < overall.rows.size(); ++row) {
    QCOMPARE(overall.rows[row][0].toStdString(), compared->arms[expected.rows[row].arm].name);
    QVERIFY(overall.rows[row][2].startsWith(style::format_percent(expected.rows[row].final_share)));
  }
  QVERIFY(overall.columns[2].title.contains(QStringLiteral("best found")));
  check_verdicts(document, definition);
  const report::Table missing = table_ending_with(document, QStringLiteral("reason"));
  QCOMPARE(missing.rows.size(), std::size_t{1});
  QCOMPARE(missing.rows[0].last(), QStringLiteral("the machine <burned>"));
  const Page page = parse(report::to_html(document));
  QVERIFY2(page.error.isEmpty(), qPrintable(page.error));
  QVERIFY(page.text.contains(QString::fromStdString(store.studies().get(id)->record.study_json)));
  QVERIFY(page.tags.count(QStringLiteral("svg")) >= 8);
  QVERIFY(report::to_pdf(document).value().startsWith("%PDF"));
}

void ReportTest::what_cannot_be_written() {
  store::Store store = *store::Store::open(database_.path(), store::OpenMode::ReadOnly);
  QCOMPARE(report::session_report_document(store, 4711).error().code, ErrorCode::NotFound);
  QVERIFY(!report::study_report_document(store, 4711));
  const report::Document document{QStringLiteral("x"), {}, {}};
  for (const char* name : {"/tmp/report.docx", "/tmp/report", "-", "/tmp/.html"}) {
    const Status written = report::write_report(document, name);
    QVERIFY2(!written, name);
    QCOMPARE(written.error().code, ErrorCode::InvalidArgument);
    QVERIFY(written.error().hint.find(".pdf") != std::string::npos);
  }
  QVERIFY(!report::write_report(document, "/nowhere/at/all/report.html"));
  const QTemporaryDir folder;
  const std::string path = folder.filePath(QStringLiteral("R.HTML")).toStdString();
  QVERIFY(report::write_report(document, path));
  QVERIFY(report::write_report(document, path));
  QVERIFY(QFile(QString::fromStdString(path)).size() > 500);
  const std::string paper = folder.filePath(QStringLiteral("r.pdf")).toStdString();
  QVERIFY(report::write_report(document, paper));
  QVERIFY(report::write_report(document, paper));
  for (const auto& [from, to] : {std::pair(path, paper), std::pair(paper, path)}) {
    std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing);
    QCOMPARE(report::write_report(document, to).error().code, ErrorCode::Occupied);
    QVERIFY(report::write_report(document, to, true));
  }
}

KERNELSCAPE_TEST(ReportTest, QApplication)

}  // namespace kernelscape::report_test
#include "report_test.moc"
