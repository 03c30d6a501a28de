#include <QApplication>
#include <QLineEdit>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include "tests/gui/gui_support.h"
#include "ui/style/theme.h"
#include "ui/views/trials/filter_bar.h"
#include "ui/views/trials/trial_detail_pane.h"
#include "ui/views/trials/trial_table_panel.h"
#include "ui/views/trials/trial_table_view.h"

using namespace kernelscape;

class TrialsLookTest : public QObject {
  Q_OBJECT
 private slots:
  void look() {
    gui_tests::Database database;
    const SessionId id = database.add_session(400);
    Workspace workspace(database.path());
    for (const auto& [choice, name] :
         {std::pair(ThemeChoice::Light, "light"), std::pair(ThemeChoice::Dark, "dark")}) {
      apply_theme(*qApp, choice);
      QWidget window;
      auto* box = new QVBoxLayout(&window);
      box->setContentsMargins(0, 0, 0, 0);
      auto* splitter = new QSplitter(Qt::Vertical);
      box->addWidget(splitter);
      auto* table = new TrialTablePanel(workspace);
      auto* pane = new TrialDetailPane(workspace);
      splitter->addWidget(table);
      splitter->addWidget(pane);
      window.resize(1200, 900);
      window.show();
      QVERIFY(QTest::qWaitForWindowExposed(&window));
      const auto shot = [&](const char* what) {
        QTest::qWait(100);
        window.grab().save(
            QStringLiteral("/tmp/look_%1_%2.png").arg(QLatin1String(what), QLatin1String(name)));
      };
      if (workspace.source() == nullptr) shot("empty");
      QVERIFY(gui_tests::open_and_wait(workspace, id));
      (void)workspace.set_filters({});
      shot("nothing");
      QVERIFY(workspace.add_filter("gflops > 50 or invalid"));
      QVERIFY(workspace.add_filter("build_s < 80 ms"));
      RowSet some(workspace.source()->trials.size());
      for (std::int64_t row = 3; row < 30; row += 2) some.set(row);
      workspace.set_selection(some);
      table->view().trials().sort(3, Qt::DescendingOrder);
      workspace.set_current_row(table->view().trials().row_at(2));
      QTRY_VERIFY(pane->details() != nullptr);
      for (int tab = 0; tab < 6; ++tab) {
        pane->tabs().setCurrentIndex(tab);
        if (tab == 4) QTest::qWait(3000);
        if (tab == 5) QTest::qWait(500);
        shot(qPrintable(QStringLiteral("tab%1").arg(tab)));
      }
      for (std::int64_t row = 0; row < 400; ++row)
        if (workspace.source()->trials.row(row).category == ErrorCategory::CompileHost)
          workspace.set_current_row(row);
      pane->tabs().setCurrentIndex(2);
      QTest::qWait(300);
      auto* entry = table->filter_bar().findChild<QLineEdit*>();
      table->filter_bar().focus_entry();
      QTest::keyClicks(entry, "valid and gflopz > 3 and ms < 2");
      shot("error");
      entry->clear();
      QVERIFY(workspace.add_filter("ms < 0"));
      shot("filtered_out");
      (void)workspace.set_filters({});
    }
  }
};
QTEST_MAIN(TrialsLookTest)
#include "trials_look_test.moc"
