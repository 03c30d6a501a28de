#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTabWidget>

#include "tests/gui/study_gui_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "ui/frame/trash.h"
#include "ui/style/theme.h"
#include "ui/views/library/library_view.h"
#include "ui/views/library/studies_page.h"
#include "ui/widgets/library_table.h"
#include "ui/workspace/study_watch.h"

namespace kernelscape::library_studies_test {
using namespace kernelscape::gui_tests;

namespace {

constexpr int patience_ms = 20'000;

store::StudySummary make_study(store::StudyId id, std::int64_t runs, std::int64_t done, std::int64_t failed) {
  store::StudySummary study;
  study.record.id = id;
  study.record.name = "study " + std::to_string(id);
  study.record.run_count = runs;
  study.done_runs = done;
  study.failed_runs = failed;
  return study;
}

}  // namespace

/** The studies of the library, as a model and as its page. */
class LibraryStudiesTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Database> database_;
  std::unique_ptr<workspace::Workspace> workspace_;
  std::unique_ptr<views::ActionRegistry> actions_;
  std::unique_ptr<views::LibraryView> view_;
  views::StudiesPage* page_ = nullptr;
  widgets::LibraryTable* table_ = nullptr;

  void show_studies();
  int rows() const { return table_->model()->rowCount(); }
  QString cell(int row, int column) const { return table_->model()->index(row, column).data().toString(); }

 private slots:
  void initTestCase() { style::apply_theme(*qApp, style::ThemeChoice::Light); }
  void cleanup();
  void aStudySaysWhereItStands_data();
  void aStudySaysWhereItStands();
  void rowsFollowTheDatabase();
  void aStudyIsRenamedTaggedAndNoted();
  void aDeletedStudyComesBackUntilTheWindowCloses();
  void aStudyIsOpenedInCompare();
  void anEmptyLibrarySaysWhatToDo();
};

void LibraryStudiesTest::cleanup() {
  view_.reset();
  actions_.reset();
  workspace::JobTracker::wait_for_all();
  workspace_.reset();
  database_.reset();
}

void LibraryStudiesTest::show_studies() {
  workspace_ = std::make_unique<workspace::Workspace>(database_->path(), run_scripted);
  actions_ = std::make_unique<views::ActionRegistry>();
  view_ = std::make_unique<views::LibraryView>(views::ViewContext{*workspace_, *actions_});
  view_->resize(1400, 700);
  view_->show();
  QVERIFY(QTest::qWaitForWindowActive(view_.get()));
  view_->findChild<QTabWidget*>()->setCurrentIndex(2);
  page_ = view_->findChild<views::StudiesPage*>();
  table_ = page_->findChild<widgets::LibraryTable*>();
}

void LibraryStudiesTest::aStudySaysWhereItStands_data() {
  QTest::addColumn<qint64>("runs");
  QTest::addColumn<qint64>("done");
  QTest::addColumn<qint64>("failed");
  QTest::addColumn<QString>("state");
  QTest::newRow("fresh") << qint64{8} << qint64{0} << qint64{0} << QStringLiteral("stopped");
  QTest::newRow("half") << qint64{8} << qint64{4} << qint64{1} << QStringLiteral("stopped, 1 failed");
  QTest::newRow("all") << qint64{8} << qint64{8} << qint64{0} << QStringLiteral("done");
  QTest::newRow("all, some wrong") << qint64{1200} << qint64{1198} << qint64{2}
                                   << QStringLiteral("done, 2 failed");
}

void LibraryStudiesTest::aStudySaysWhereItStands() {
  QFETCH(const qint64, runs);
  QFETCH(const qint64, done);
  QFETCH(const qint64, failed);
  QFETCH(const QString, state);
  store::StudySummary study = make_study(1, runs, done, failed);
  QCOMPARE(models::study_state_text(study), state);
  study.owner = store::Owner::this_process();
  QVERIFY(models::study_state_text(study).startsWith(QStringLiteral("running")));
  QVERIFY(models::study_progress_text(make_study(1, 1200, 1198, 0)) == QStringLiteral("1,198 of 1,200 runs"));
}

void LibraryStudiesTest::rowsFollowTheDatabase() {
  base::Random random(testing::random_seed());
  models::StudyModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  for (int round = 0; round < 50; ++round) {
    std::vector<store::StudySummary> studies;
    for (store::StudyId id = 12; id > 0; --id) {
      if (random.below(2) == 0)
        studies.push_back(make_study(id, 10, static_cast<std::int64_t>(random.below(11)), 0));
    }
    model.set_studies(studies);
    QCOMPARE(model.rowCount(), static_cast<int>(studies.size()));
    for (int row = 0; row < model.rowCount(); ++row) {
      const store::StudySummary& expected = studies[static_cast<std::size_t>(row)];
      QCOMPARE(model.study(row).record.id, expected.record.id);
      QCOMPARE(model.index(row, models::StudyModel::RunsColumn).data().toString(),
               models::study_progress_text(expected));
    }
  }
}

void LibraryStudiesTest::aStudyIsRenamedTaggedAndNoted() {
  database_ = std::make_unique<Database>();
  const store::StudyId id = add_study(database_->path(), small_study());
  show_studies();
  QTRY_COMPARE_WITH_TIMEOUT(rows(), 1, patience_ms);
  QAbstractItemModel* model = table_->model();
  model->setData(model->index(0, models::StudyModel::NameColumn), QStringLiteral("  a  better name "));
  model->setData(model->index(0, models::StudyModel::TagsColumn), QStringLiteral("cpu, , first try"));
  model->setData(model->index(0, models::StudyModel::NoteColumn), QStringLiteral("why it was made"));
  const store::StudySummary stored = store::Store::open(database_->path())->studies().get(id).value();
  QCOMPARE(stored.record.name, std::string("a better name"));
  QCOMPARE(stored.annotation.tags, (std::vector<std::string>{"cpu", "first try"}));
  QCOMPARE(stored.annotation.note, std::string("why it was made"));
  QTRY_COMPARE_WITH_TIMEOUT(cell(0, models::StudyModel::NameColumn), QStringLiteral("a better name"),
                            patience_ms);
  QVERIFY(!model->setData(model->index(0, models::StudyModel::RunsColumn), QStringLiteral("1")));
}

void LibraryStudiesTest::aDeletedStudyComesBackUntilTheWindowCloses() {
  database_ = std::make_unique<Database>();
  add_study(database_->path(), small_study("kept"));
  const store::StudyId deleted = add_study(database_->path(), small_study("deleted"));
  show_studies();
  QTRY_COMPARE_WITH_TIMEOUT(rows(), 2, patience_ms);
  table_->selectRow(0);  // the newest
  QAction* remove = actions_->find(QStringLiteral("library.study_delete"));
  QAction* undo = actions_->find(QStringLiteral("library.study_undo_delete"));
  QVERIFY(remove->isEnabled());
  QVERIFY(!undo->isEnabled());
  remove->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(rows(), 1, patience_ms);
  QTRY_VERIFY_WITH_TIMEOUT(undo->isEnabled(), patience_ms);
  undo->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(rows(), 2, patience_ms);
  table_->selectRow(0);
  remove->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(rows(), 1, patience_ms);
  QVERIFY(frame::empty_trash(database_->path()).has_value());
  const store::Store store = *store::Store::open(database_->path());
  QVERIFY(!store.studies().get(deleted).has_value());
  QCOMPARE(store.studies().all()->size(), std::size_t{1});
}

void LibraryStudiesTest::aStudyIsOpenedInCompare() {
  database_ = std::make_unique<Database>();
  const store::StudyId id = add_study(database_->path(), small_study());
  show_studies();
  QTRY_COMPARE_WITH_TIMEOUT(rows(), 1, patience_ms);
  QSignalSpy views(view_.get(), &views::View::view_requested);
  std::vector<workspace::CompareSource> asked;
  connect(workspace_.get(), &workspace::Workspace::comparison_requested, this,
          [&](const workspace::CompareSource& source) { asked.push_back(source); });
  table_->selectRow(0);
  QTest::keyClick(table_, Qt::Key_Return);
  QCOMPARE(views.size(), 1);
  QCOMPARE(views.front().front().toString(), QStringLiteral("Compare"));
  QCOMPARE(asked.size(), std::size_t{1});
  QCOMPARE(asked.front().study, std::optional(id));
}

void LibraryStudiesTest::anEmptyLibrarySaysWhatToDo() {
  database_ = std::make_unique<Database>();
  show_studies();
  QVERIFY(!table_->isVisible());
  QVERIFY(!page_->accessibleName().isEmpty());
  for (const QLineEdit* entry : page_->findChildren<QLineEdit*>())
    QVERIFY(!entry->accessibleName().isEmpty());
}

KERNELSCAPE_TEST(LibraryStudiesTest, QApplication)

}  // namespace kernelscape::library_studies_test
#include "library_studies_test.moc"
