#include <QApplication>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <fstream>

#include "core/exchange/importer.h"
#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/style/theme.h"
#include "ui/views/library/join_dialog.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::library_join_test {
using namespace kernelscape::gui_tests;

namespace {

constexpr int join_patience_ms = 20'000;

}  // namespace

/** Sessions of one kernel that become one space in the library. */
class LibraryJoinTest : public QObject {
  Q_OBJECT

 private:
  Database database_;
  QTemporaryDir folder_;

  void import_table(const char* name, const char* text) {
    const std::string path = folder_.filePath(QString::fromLatin1(name)).toStdString();
    std::ofstream(path) << text;
    auto store = store::Store::open(database_.path());
    QVERIFY(store.has_value());
    QVERIFY(exchange::import_file(*store, path).has_value());
  }

 private slots:
  void initTestCase() { style::apply_theme(*qApp, style::ThemeChoice::Light); }

  void a_missing_parameter_is_asked_for() {
    import_table("old.csv", "block,time_ms\n16,5\n32,4\n");
    import_table("new.csv", "block,stages,time_ms\n32,2,4\n32,3,2\n");
    workspace::Workspace workspace(database_.path(), run_scripted, no_gpus);
    QTRY_COMPARE_WITH_TIMEOUT(workspace.sessions()->size(), std::size_t{2}, join_patience_ms);
    auto* dialog = new views::JoinDialog(workspace, *workspace.sessions());
    const QPointer<views::JoinDialog> alive(dialog);
    dialog->show();
    QTRY_VERIFY_WITH_TIMEOUT(dialog->join_button().isEnabled(), join_patience_ms);
    QCOMPARE(dialog->missing().size(), std::size_t{1});
    QCOMPARE(dialog->missing()[0].first, std::string("stages"));
    dialog->name().setText(QStringLiteral("both lists"));
    dialog->join_button().click();
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->problem().isEmpty(), join_patience_ms);
    QVERIFY2(dialog->problem().contains(QStringLiteral("Enter the value that \"stages\" had")),
             qPrintable(dialog->problem()));
    dialog->missing()[0].second->setText(QStringLiteral("1"));
    QSignalSpy joined(dialog, &views::JoinDialog::joined);
    dialog->join_button().click();
    QTRY_COMPARE_WITH_TIMEOUT(joined.count(), 1, join_patience_ms);
    const store::Store store = *store::Store::open(database_.path());
    const store::SessionSummary session = *store.sessions().get(joined[0][0].value<store::SessionId>());
    QCOMPARE(session.record.name, std::string("both lists"));
    QCOMPARE(session.status.trial_count, std::int64_t{4});
    QTRY_VERIFY_WITH_TIMEOUT(alive == nullptr, join_patience_ms);
    workspace::JobTracker::wait_for_all();
  }

  void a_problem_says_what_to_do() {
    Database database;
    const auto import_unit = [&](const char* name, const char* text) {
      const std::string path = folder_.filePath(QString::fromLatin1(name)).toStdString();
      std::ofstream(path) << text;
      auto store = store::Store::open(database.path());
      QVERIFY(store.has_value() && exchange::import_file(*store, path).has_value());
    };
    import_unit("time.csv", "block,time_ms\n16,5\n32,4\n");
    import_unit("rate.csv", "block,GFLOPS\n16,5\n32,4\n");
    workspace::Workspace workspace(database.path(), run_scripted, no_gpus);
    QTRY_COMPARE_WITH_TIMEOUT(workspace.sessions()->size(), std::size_t{2}, join_patience_ms);
    views::JoinDialog* dialog = new views::JoinDialog(workspace, *workspace.sessions());
    dialog->show();
    QTRY_VERIFY_WITH_TIMEOUT(dialog->join_button().isEnabled(), join_patience_ms);
    dialog->join_button().click();
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->problem().isEmpty(), join_patience_ms);
    QVERIFY2(dialog->problem().contains(QStringLiteral("import the tables again")),
             qPrintable(dialog->problem()));
    workspace::JobTracker::wait_for_all();
    delete dialog;
  }
};

KERNELSCAPE_TEST(LibraryJoinTest, QApplication)

}  // namespace kernelscape::library_join_test
#include "library_join_test.moc"
