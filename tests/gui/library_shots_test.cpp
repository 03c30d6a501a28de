#include <QApplication>
#include <QPushButton>
#include <QTabWidget>

#include "tests/gui/gui_support.h"
#include "ui/style/theme.h"
#include "ui/views/export/export_dialog.h"
#include "ui/views/library/comparison_panel.h"
#include "ui/views/library/library_table.h"
#include "ui/views/library/library_view.h"

using namespace kernelscape;
using namespace kernelscape::gui_tests;

class LibraryShotsTest : public QObject {
  Q_OBJECT
 private slots:
  void shots() {
    Database database;
    std::vector<SessionId> ids;
    for (const char* task : {"resnet18/C6", "resnet18/C2", "resnet18/C12"})
      for (const char* tuner : {"random", "ga", "nose"}) ids.push_back(database.add_session(60, tuner, task));
    for (std::size_t i = 0; i < ids.size(); i += 2) database.confirm(ids[i], 0.8 + 0.05 * static_cast<double>(i));
    {
      Store store = *Store::open(database.path());
      const std::vector<std::string> tags{"baseline", "paper"};
      (void)store.set_tags(ids[0], tags);
      (void)store.set_name(ids[2], "one thread, larger tiles");
      (void)store.set_note(ids[2], "The tile of 16 output channels wins on this machine.\nTry with 4 threads.");
    }
    for (const bool dark : {false, true}) {
      apply_theme(*qApp, dark ? ThemeChoice::Dark : ThemeChoice::Light);
      const QString suffix = dark ? "dark" : "light";
      Workspace workspace(database.path(), run_scripted);
      ActionRegistry actions;
      LibraryView view(ViewContext{workspace, actions});
      view.resize(1400, 860);
      view.show();
      auto* table = view.findChild<LibraryTable*>();
      QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 9, 20000);
      table->selectRow(6);
      QTest::qWait(100);
      view.grab().save("/tmp/lib_sessions_" + suffix + ".png");
      table->clearSelection();
      table->selectionModel()->select(table->model()->index(6, 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
      table->selectionModel()->select(table->model()->index(8, 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
      actions.find("library.side_by_side")->trigger();
      QTest::qWait(1500);
      view.grab().save("/tmp/lib_side_" + suffix + ".png");
      table->clearSelection();
      table->selectRow(8);
      actions.find("library.delete")->trigger();
      QTest::qWait(800);
      view.resize(1000, 700);
      QTest::qWait(100);
      view.grab().save("/tmp/lib_delete_" + suffix + ".png");
      actions.find("library.undo_delete")->trigger();
      view.resize(1400, 700);
      view.findChild<QTabWidget*>()->setCurrentIndex(1);
      QTest::qWait(1000);
      for (LibraryTable* kernels : view.findChildren<LibraryTable*>())
        if (kernels->isVisible()) kernels->selectRow(1);
      QTest::qWait(100);
      view.grab().save("/tmp/lib_kernels_" + suffix + ".png");
      QVERIFY(open_and_wait(workspace, ids[2]));
      workspace.set_current_row(5);
      auto* dialog = new ExportDialog(workspace, &view);
      dialog->show();
      dialog->choose(ExportKind::BestKernel);
      QTemporaryDir folder;
      dialog->set_path(folder.filePath("resnet18_C6"));
      QTest::qWait(400);
      dialog->grab().save("/tmp/lib_export_" + suffix + ".png");
      QMetaObject::invokeMethod(dialog->findChildren<QPushButton*>().last(), "click");
      QTest::qWait(3000);
      dialog->grab().save("/tmp/lib_exported_" + suffix + ".png");
      delete dialog;
      JobTracker::wait_for_all();
    }
  }
};

QTEST_MAIN(LibraryShotsTest)
#include "library_shots_test.moc"
