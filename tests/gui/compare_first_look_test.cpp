#include <QComboBox>
#include <QDoubleSpinBox>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>

#include "core/task/data_folder.h"
#include "tests/gui/study_gui_support.h"
#include "tests/test_program.h"
#include "ui/charts/bars/error_chart.h"
#include "ui/charts/row.h"
#include "ui/views/compare/analysed_spaces_page.h"
#include "ui/views/compare/arm_legend.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/compare/study_dialog.h"
#include "ui/views/compare/verdict_panel.h"
#include "ui/widgets/empty_state.h"

namespace kernelscape::compare_first_look_test {
namespace {

constexpr int deadline_milliseconds = 60'000;

struct Bench {
  explicit Bench(const gui_tests::Database& database) : workspace(database.path(), gui_tests::run_scripted) {
    view.resize(1180, 760);
    view.show();
  }
  ~Bench() { workspace::JobTracker::wait_for_all(); }

  QComboBox* box(const QWidget& in, const QString& name) const {
    for (QComboBox* box : in.findChildren<QComboBox*>())
      if (box->accessibleName() == name) return box;
    qFatal("there is no such box");
  }
  QPushButton* button(const QWidget& in, const QString& text) const {
    for (QPushButton* button : in.findChildren<QPushButton*>())
      if (button->text() == text) return button;
    qFatal("there is no such button");
  }

  workspace::Workspace workspace;
  views::ActionRegistry actions;
  views::CompareView view{{workspace, actions}};
};

std::string recording(const char* name) {
  return (task::data_folder() / "recorded" / name).lexically_normal().string();
}

}  // namespace

/** What Compare shows at first: the answer, the figures of an analysis, and the choices of a new study. */
class CompareFirstLookTest : public QObject {
  Q_OBJECT

 private slots:
  void verdicts_come_first_and_options_are_folded() {
    const gui_tests::Database database;
    (void)gui_tests::add_study(database.path(), gui_tests::small_study());
    Bench bench(database);
    auto* verdicts = bench.view.findChild<views::VerdictPanel*>();
    QTRY_VERIFY_WITH_TIMEOUT(verdicts->isVisible() && !verdicts->text().isEmpty(), deadline_milliseconds);
    auto* curves = bench.view.findChild<charts::Row*>();
    const auto top = [&](const QWidget& widget) { return widget.mapTo(&bench.view, QPoint(0, 0)).y(); };
    QTRY_VERIFY(top(*verdicts) + verdicts->height() <= top(*curves));
    QVERIFY(verdicts->height() >= verdicts->fontMetrics().height());
    QVERIFY(bench.view.findChild<views::ArmLegend*>()->isVisible());
    QComboBox* baseline = bench.box(bench.view, QStringLiteral("Baseline for speed-ups and tests"));
    QVERIFY(!baseline->isVisible());
    QPushButton* options = bench.button(bench.view, QStringLiteral("Options"));
    options->click();
    QVERIFY(baseline->isVisible());
    options->click();
    QVERIFY(!baseline->isVisible());
  }

  void an_analysis_shows_the_figures_of_its_spaces() {
    const gui_tests::Database database;
    study::Definition study;
    study.name = "analysis";
    study.analysed = {recording("resnet18-C12-conv2d-nchwc.ksrec"),
                      recording("resnet18-C11-conv2d-nchwc.ksrec")};
    const store::StudyId id = gui_tests::add_study(database.path(), study);
    Bench bench(database);
    bench.view.open_study(id);
    auto* page = bench.view.findChild<views::AnalysedSpacesPage*>();
    QTRY_VERIFY_WITH_TIMEOUT(page->isVisible() && page->findChildren<charts::ErrorChart*>().size() == 2,
                             deadline_milliseconds);
    QVERIFY(page->findChildren<charts::Chart*>().size() >= 4);  // and how the performance is distributed
    for (const charts::Chart* chart : page->findChildren<charts::Chart*>())
      QVERIFY2(chart->notice().isEmpty(), qPrintable(chart->notice()));
    QVERIFY(!bench.view.findChild<widgets::EmptyState*>()->isVisible());
    QSignalSpy views(&bench.view, &views::View::view_requested);
    bench.button(*page, QStringLiteral("Open in Explore"))->click();
    QCOMPARE(views.size(), 1);
    QCOMPARE(views.front().front().toString(), QStringLiteral("Explore"));
    QVERIFY(bench.workspace.opened());
  }

  void spaces_that_cannot_be_read_are_explained() {
    const gui_tests::Database database;
    study::Definition study;
    study.name = "analysis of a file that vanishes";
    const QTemporaryDir folder;
    const QString copy = folder.filePath(QStringLiteral("space.ksrec"));
    QVERIFY(QFile::copy(QString::fromStdString(recording("resnet18-C11-conv2d-nchwc.ksrec")), copy));
    study.analysed = {copy.toStdString()};
    store::Store store = *store::Store::open(database.path());
    const store::StudyId id = *study::create_study(store, study);
    QVERIFY(QFile::remove(copy));
    Bench bench(database);
    bench.view.open_study(id);
    auto* page = bench.view.findChild<views::AnalysedSpacesPage*>();
    const auto says = [&] {
      const QList<QLabel*> labels = page->findChildren<QLabel*>();
      return std::ranges::any_of(
          labels, [](const QLabel* label) { return label->text().contains(QStringLiteral("space.ksrec")); });
    };
    QTRY_VERIFY_WITH_TIMEOUT(page->isVisible() && says(), deadline_milliseconds);
  }

  void a_new_study_lists_the_bundled_recordings() {
    const gui_tests::Database database;
    Bench bench(database);
    views::StudyDialog dialog(bench.workspace);
    dialog.show();
    auto* tasks = dialog.findChild<QListWidget*>();
    QListWidgetItem* item = nullptr;
    QTRY_VERIFY_WITH_TIMEOUT(
        !tasks->findItems(QStringLiteral("bundled recording: resnet18-C12-conv2d-nchwc"), Qt::MatchExactly)
             .isEmpty(),
        deadline_milliseconds);
    item = tasks->findItems(QStringLiteral("bundled recording: resnet18-C12-conv2d-nchwc"), Qt::MatchExactly)
               .front();
    item->setCheckState(Qt::Checked);
    const Result<study::Definition> study = dialog.study();
    QVERIFY2(study, qPrintable(dialog.message()));
    QCOMPARE(study->tasks.size(), std::size_t{1});
    QVERIFY(study->tasks.front().recorded());
    QVERIFY(study->tasks.front().target.ends_with("resnet18-C12-conv2d-nchwc.ksrec"));
  }

  void search_time_is_a_choice() {
    const gui_tests::Database database;
    Bench bench(database);
    views::StudyDialog dialog(bench.workspace);
    dialog.show();
    QComboBox* kind = bench.box(dialog, QStringLiteral("Search time"));
    QVERIFY(!kind->isEditable());
    QCOMPARE(kind->count(), 3);
    QDoubleSpinBox* seconds = nullptr;
    for (QDoubleSpinBox* box : dialog.findChildren<QDoubleSpinBox*>())
      if (box->accessibleName() == QStringLiteral("Search seconds per candidate")) seconds = box;
    QVERIFY(seconds != nullptr);
    for (const char* text : {"measured", "none", "0.00125", "0", "3.5"}) {
      study::Definition study = gui_tests::small_study();
      study.search_time = *trial::parse_search_time(text);
      dialog.set_study(study);
      QVERIFY2(dialog.study(), qPrintable(dialog.message()));
      QCOMPARE(dialog.study()->search_time, study.search_time);
      QCOMPARE(seconds->isVisible(), study.search_time.kind == trial::SearchTime::Kind::Constant);
    }
    kind->setCurrentIndex(kind->findText(QStringLiteral("does not count")));
    QVERIFY(dialog.study()->search_time.kind == trial::SearchTime::Kind::None);
  }
};

KERNELSCAPE_TEST(CompareFirstLookTest, QApplication)

}  // namespace kernelscape::compare_first_look_test
#include "compare_first_look_test.moc"
