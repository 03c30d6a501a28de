#include <QDirIterator>
#include <QFileInfo>
#include <QHeaderView>
#include <QImage>
#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSet>
#include <QTableView>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTreeWidget>
#include <algorithm>

#include "core/analysis/columns.h"
#include "tests/test_program.h"
#include "ui/frame/view_registry.h"
#include "ui/manual/glossary.h"
#include "ui/manual/window.h"
#include "ui/models/compared_run_model.h"
#include "ui/models/comparison_model.h"
#include "ui/models/data_set_task_model.h"
#include "ui/models/device_model.h"
#include "ui/models/fleet_model.h"
#include "ui/models/kernel_model.h"
#include "ui/models/model_operator_model.h"
#include "ui/models/network_layer_model.h"
#include "ui/models/predictor_model.h"
#include "ui/models/study_model.h"
#include "ui/models/trial_values.h"

namespace kernelscape::manual_test {

/** The pages inside the program: all of them, found, linked, and with the words of every table. */
class ManualTest : public QObject {
  Q_OBJECT

 private slots:
  void holdsEveryReadmeOfTheTree();
  void linksLeadToPagesThatAreThere();
  void picturesOfPagesAreInside();
  void searchFindsSectionsWithAllWords();
  void searchingAndFollowingLinksChangesThePage();
  void backAndForwardGoWhereOneWas();
  void aSectionIsScrolledTo();
  void aPlaceIsScrolledToOnceItIsShown();
  void everyHeaderIsInTheGlossary();
  void aGlossaryIsInOrderWithoutDoubles();
};

namespace {

const QString views_page = QStringLiteral("ui/views/README.md");

QStringList headers_of(const QAbstractItemModel& model) {
  QStringList headers;
  for (int column = 0; column < model.columnCount(); ++column)
    headers.append(model.headerData(column, Qt::Horizontal).toString());
  return headers;
}

template <typename Model>
void add_headers(QStringList& headers) {
  headers += headers_of(Model());
}

QStringList unexplained(const QStringList& headers) {
  QStringList missing;
  for (const QString& header : headers) {
    if (!header.trimmed().isEmpty() && manual::explained(header) == nullptr) missing.append(header);
  }
  return missing;
}

}  // namespace

void ManualTest::holdsEveryReadmeOfTheTree() {
  const QString root = QStringLiteral(KERNELSCAPE_SOURCE_DIR);
  QStringList missing;
  for (const QString& folder : {QString("app"), QString("core"), QString("data"), QString("ui"),
                                QString("tests"), QString("python")}) {
    QDirIterator files(root + QLatin1Char('/') + folder, {QStringLiteral("README.md")}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
      const QString path = QDir(root).relativeFilePath(files.next());
      const manual::Page* page = manual::manual_page(path);
      if (page == nullptr || page->sections.empty()) missing.append(path);
    }
  }
  QCOMPARE(missing, QStringList());
  QVERIFY(manual::manual_page(QStringLiteral("README.md")) != nullptr);
}

void ManualTest::linksLeadToPagesThatAreThere() {
  static const QRegularExpression link(QStringLiteral("\\]\\(([^)\\s]+)\\)"));
  QStringList broken;
  for (const manual::Chapter& chapter : manual::manual_chapters()) {
    for (const manual::Page& page : chapter.pages) {
      for (auto match = link.globalMatch(page.markdown); match.hasNext();) {
        const QString target = match.next().captured(1);
        if (target.contains(QStringLiteral("://")) || !target.section('#', 0, 0).endsWith(".md")) continue;
        const manual::Place place = manual::resolve_link(page.path, target);
        const manual::Page* there = manual::manual_page(place.path);
        const auto is_there = [&](const manual::Section& section) { return section.anchor == place.anchor; };
        if (there == nullptr || (!place.anchor.isEmpty() && std::ranges::none_of(there->sections, is_there)))
          broken.append(page.path + QStringLiteral(": ") + target);
      }
    }
  }
  QCOMPARE(broken, QStringList());
}

void ManualTest::picturesOfPagesAreInside() {
  static const QRegularExpression picture(QStringLiteral("!\\[[^\\]]*\\]\\(([^)\\s]+)\\)"));
  QStringList missing;
  QSet<QString> shown;
  for (const manual::Chapter& chapter : manual::manual_chapters()) {
    for (const manual::Page& page : chapter.pages) {
      for (auto match = picture.globalMatch(page.markdown); match.hasNext();) {
        const QString file = QDir::cleanPath(QFileInfo(page.path).path() + '/' + match.next().captured(1));
        shown.insert(file);
        if (QImage(QStringLiteral(":/manual/") + file).isNull()) missing.append(page.path + ": " + file);
      }
    }
  }
  QCOMPARE(missing, QStringList());
  for (const frame::ViewRegistration& view : frame::view_registrations())
    QVERIFY2(shown.contains(QStringLiteral("resources/pictures/%1.png").arg(view.name.toLower())),
             qPrintable(view.name));
}

void ManualTest::searchFindsSectionsWithAllWords() {
  QVERIFY(manual::search_manual(QString()).empty());
  QVERIFY(manual::search_manual(QStringLiteral("   ")).empty());
  QVERIFY(manual::search_manual(QStringLiteral("qqqxyz")).empty());
  const auto hits = manual::search_manual(QStringLiteral("error CATEGORIES"));
  QVERIFY(!hits.empty());
  QCOMPARE(hits.front().place, (manual::Place{QStringLiteral("core/measure/README.md"), "error-categories"}));
  for (const manual::Hit& hit : manual::search_manual(QStringLiteral("annealing temperature"))) {
    const manual::Page* page = manual::manual_page(hit.place.path);
    QVERIFY(page != nullptr);
    const auto section = std::ranges::find(page->sections, hit.place.anchor, &manual::Section::anchor);
    QVERIFY(section != page->sections.end());
    const QString text = section->heading + section->text;
    QVERIFY(text.contains("annealing", Qt::CaseInsensitive) &&
            text.contains("temperature", Qt::CaseInsensitive));
  }
}

void ManualTest::searchingAndFollowingLinksChangesThePage() {
  manual::Window window;
  window.show();
  QCOMPARE(window.place().path, QStringLiteral("README.md"));
  window.search().setText(QStringLiteral("error categories"));
  QVERIFY(window.hits().count() > 0);
  window.hits().setCurrentRow(0);
  QCOMPARE(window.place().path, QStringLiteral("core/measure/README.md"));
  QVERIFY(window.page().toPlainText().contains("INSTANTIATION_ERROR"));
  window.search().clear();
  QVERIFY(window.contents().isVisible());

  QStringList left;
  QObject::disconnect(&window, &manual::Window::left_to, nullptr, nullptr);
  QObject::connect(&window, &manual::Window::left_to, &window, [&](const QString& to) { left.append(to); });
  emit window.page().anchorClicked(QUrl(QStringLiteral("../tuner/README.md#how-gp-works")));
  QCOMPARE(window.place(), (manual::Place{QStringLiteral("core/tuner/README.md"), "how-gp-works"}));
  emit window.page().anchorClicked(QUrl(QStringLiteral("https://example.org/paper")));
  QCOMPARE(left, QStringList{QStringLiteral("https://example.org/paper")});
  emit window.page().anchorClicked(QUrl(QStringLiteral("tuner.h")));
  QCOMPARE(window.place().path, QStringLiteral("core/tuner/README.md"));
}

void ManualTest::backAndForwardGoWhereOneWas() {
  manual::Window window;
  window.show_place({views_page, {}});
  window.show_place({views_page, QStringLiteral("compare")});
  window.show_place({QStringLiteral("no/such/README.md"), {}});
  QCOMPARE(window.place().anchor, QStringLiteral("compare"));
  window.back();
  QCOMPARE(window.place(), (manual::Place{views_page, {}}));
  window.back();
  QCOMPARE(window.place().path, QStringLiteral("README.md"));
  window.back();
  QCOMPARE(window.place().path, QStringLiteral("README.md"));
  window.forward();
  QCOMPARE(window.place(), (manual::Place{views_page, {}}));
  window.show_place({QStringLiteral("core/study/README.md"), {}});
  window.forward();
  QCOMPARE(window.place().path, QStringLiteral("core/study/README.md"));
}

void ManualTest::aSectionIsScrolledTo() {
  manual::Window window;
  window.resize(800, 500);
  window.show();
  for (const QString& anchor :
       {QString("tune"), QString("explore"), QString("compare"), QString("library")}) {
    window.show_place({views_page, anchor});
    QCOMPARE(window.page().textCursor().block().text().toLower(), anchor);
    QVERIFY(window.page().textCursor().block().blockFormat().headingLevel() > 0);
  }
}

void ManualTest::aPlaceIsScrolledToOnceItIsShown() {
  manual::Window window;
  window.resize(800, 500);
  window.show_place({views_page, QStringLiteral("compare")});
  window.show();
  QTRY_VERIFY(window.page().verticalScrollBar()->value() > 0);
  QTRY_VERIFY(std::abs(window.page().cursorRect().top()) < window.page().viewport()->height() / 4);
}

void ManualTest::everyHeaderIsInTheGlossary() {
  QStringList headers;
  add_headers<models::ComparisonModel>(headers);
  add_headers<models::ComparedRunModel>(headers);
  add_headers<models::DataSetTaskModel>(headers);
  add_headers<models::DeviceModel>(headers);
  add_headers<models::FleetWorkerModel>(headers);
  add_headers<models::FleetQueueModel>(headers);
  add_headers<models::DeadLetterModel>(headers);
  add_headers<models::KernelModel>(headers);
  add_headers<models::ModelOperatorModel>(headers);
  add_headers<models::NetworkLayerModel>(headers);
  add_headers<models::OtherOperatorModel>(headers);
  add_headers<models::PredictorModel>(headers);
  add_headers<models::StudyModel>(headers);
  const space::SearchSpace space =
      space::SearchSpace::make({space::Knob::ordinal("unroll", {std::int64_t{1}, std::int64_t{2}}).value()})
          .value();
  const analysis::TrialColumns columns(space, 1e9, true);
  for (const analysis::Column& column : columns.columns()) {
    if (!column.knob) headers.append(models::column_title(column));
  }
  QVERIFY(headers.size() > 60);
  QCOMPARE(unexplained(headers), QStringList());
}

void ManualTest::aGlossaryIsInOrderWithoutDoubles() {
  QVERIFY(manual::glossary().size() > 60);
  QStringList terms;
  for (const manual::GlossaryEntry& entry : manual::glossary()) {
    QVERIFY2(!entry.text.isEmpty(), qPrintable(entry.term));
    terms.append(entry.term);
    for (const QString& other : entry.others) QCOMPARE(manual::explained(other)->term, entry.term);
    QCOMPARE(manual::explained(entry.term)->term, entry.term);
  }
  QStringList distinct = terms;
  distinct.removeDuplicates();
  QCOMPARE(terms, distinct);
  QVERIFY(std::ranges::is_sorted(
      terms, [](const QString& a, const QString& b) { return a.compare(b, Qt::CaseInsensitive) < 0; }));
  QCOMPARE(manual::explained(QStringLiteral("Time to 95 %"))->term, QStringLiteral("time to"));
  QCOMPARE(manual::explained(QStringLiteral("Kendall's tau · a predictor, 2"))->term,
           QStringLiteral("Kendall's tau"));
  QCOMPARE(manual::explained(QStringLiteral("median (ms)"))->term, QStringLiteral("median"));
  QVERIFY(manual::explained(QStringLiteral("tile_oc")) == nullptr);
  QVERIFY(manual::explained(QString()) == nullptr);
}

KERNELSCAPE_TEST(ManualTest, QApplication)

}  // namespace kernelscape::manual_test
#include "manual_test.moc"
