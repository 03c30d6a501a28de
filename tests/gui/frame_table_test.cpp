#include <QApplication>
#include <QComboBox>
#include <QDropEvent>
#include <QFile>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QUrl>

#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/frame/main_window.h"
#include "ui/frame/table_dialog.h"
#include "ui/style/theme.h"
#include "ui/workspace/notices.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::frame_table_test {

namespace {

using exchange::ColumnRole;

constexpr int patience_milliseconds = 20'000;

QString table_file(const QTemporaryDir& folder, const QString& name, const QByteArray& text) {
  const QString path = folder.filePath(name);
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("no file");
  return path;
}

void drop_files(frame::MainWindow& window, const QStringList& paths) {
  QMimeData data;
  QList<QUrl> urls;
  for (const QString& path : paths) urls.append(QUrl::fromLocalFile(path));
  data.setUrls(urls);
  QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  static_cast<QObject&>(window).event(&event);
}

exchange::TablePreview small_preview() {
  return {.names = {"block", "time_ms", "energy_ms", "status"},
          .rows = {{"16", "5", "1", "ok"}, {"32", "4", "2", "ok"}, {"64", "", "3", "failed"}}};
}

}  // namespace

/** Tables that are imported with the window: their columns are shown and corrected first. */
class FrameTableTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<gui_tests::Database> database_;
  QTemporaryDir folder_;
  std::unique_ptr<frame::PreferencesFile> preferences_;
  std::unique_ptr<workspace::Workspace> workspace_;
  std::unique_ptr<frame::MainWindow> window_;

  frame::TableDialog* dialog() const {
    for (auto* dialog : window_->findChildren<frame::TableDialog*>())
      if (dialog->isVisible()) return dialog;
    return nullptr;
  }
  std::size_t sessions() const { return store::Store::open(database_->path())->sessions().all()->size(); }

 private slots:
  void initTestCase() { style::apply_theme(*qApp, style::ThemeChoice::Light); }

  void init() {
    database_ = std::make_unique<gui_tests::Database>();
    QVERIFY(store::Store::open(database_->path()));
    preferences_ = std::make_unique<frame::PreferencesFile>(
        folder_.filePath(QStringLiteral("preferences.json")).toStdString());
    preferences_->change([](frame::Preferences& p) { p.first_start_dismissed = true; });
    workspace_ = std::make_unique<workspace::Workspace>(database_->path(), session::run_on_this_machine,
                                                        gui_tests::no_gpus);
    window_ = std::make_unique<frame::MainWindow>(*workspace_, *preferences_);
    window_->show();
  }

  void cleanup() {
    window_.reset();
    workspace::JobTracker::wait_for_all();
    workspace_.reset();
    preferences_.reset();
    database_.reset();
  }

  void columns_are_corrected_before_the_import() {
    drop_files(*window_, {table_file(folder_, QStringLiteral("blocks.csv"),
                                     "block,warps,cost\n16,1,5\n32,2,4\n32,4,99\n")});
    QTRY_VERIFY_WITH_TIMEOUT(dialog() != nullptr, patience_milliseconds);
    frame::TableDialog& form = *dialog();
    QVERIFY(form.windowTitle().contains(QStringLiteral("blocks.csv")));
    QVERIFY(form.role(0) == ColumnRole::Parameter && form.role(1) == ColumnRole::Parameter);
    QVERIFY(form.role(2) == ColumnRole::Objective);
    QCOMPARE(form.table().item(2, 2)->text(), QStringLiteral("4"));
    // The name of the column has no unit.
    QVERIFY(!form.import_button().isEnabled());
    QVERIFY2(form.message().contains(QStringLiteral("unit")), qPrintable(form.message()));
    QTest::keyClicks(form.unit().lineEdit(), QStringLiteral("us"));
    QVERIFY2(form.import_button().isEnabled(), qPrintable(form.message()));
    form.set_role(1, ColumnRole::Ignored);
    form.failed_when().setText(QStringLiteral("cost>=99"));
    QVERIFY2(form.message().contains(QStringLiteral("ignored warps")), qPrintable(form.message()));
    QCOMPARE(sessions(), std::size_t{0});
    form.import_button().click();
    QTRY_VERIFY_WITH_TIMEOUT(workspace_->source() != nullptr, patience_milliseconds);
    QCOMPARE(workspace_->source()->trials.size(), std::int64_t{2});
    QCOMPARE(workspace_->source()->headline.value.seconds, 4e-6);
    QCOMPARE(sessions(), std::size_t{1});
  }

  void tables_are_asked_for_one_after_the_other() {
    drop_files(*window_, {table_file(folder_, QStringLiteral("first.csv"), "block,time_ms\n16,5\n32,4\n"),
                          table_file(folder_, QStringLiteral("second.csv"), "block,time_ms\n16,5\n32,4\n")});
    for (const char* name : {"first.csv", "second.csv"}) {
      QTRY_VERIFY_WITH_TIMEOUT(dialog() != nullptr, patience_milliseconds);
      QVERIFY2(dialog()->windowTitle().contains(QLatin1String(name)), name);
      QVERIFY(dialog()->import_button().isEnabled());
      dialog()->reject();
    }
    QVERIFY(dialog() == nullptr);
    QCOMPARE(sessions(), std::size_t{0});
  }

  void one_column_is_the_objective() {
    frame::TableDialog form(QStringLiteral("table.csv"), small_preview());
    QVERIFY(form.role(1) == ColumnRole::Objective && form.role(3) == ColumnRole::Status);
    QCOMPARE(form.unit().currentText(), QStringLiteral("ms"));
    form.set_role(2, ColumnRole::Objective);
    QVERIFY(form.role(1) == ColumnRole::Number);
    const exchange::TableOptions options = form.options();
    QCOMPARE(options.objective, std::string("energy_ms"));
    QCOMPARE(options.metrics, std::vector<std::string>{"time_ms"});
    QCOMPARE(options.parameters, std::vector<std::string>{"block"});
    QVERIFY(options.unit.empty() && options.failed_when.empty() && options.ignored.empty());
    form.failed_when().setText(QStringLiteral("status!=ok; block>=64"));
    QCOMPARE(form.options().failed_when, (std::vector<std::string>{"status!=ok", "block>=64"}));
    QVERIFY(form.import_button().isEnabled());
    QVERIFY2(form.message().contains(QStringLiteral("of status has no effect")), qPrintable(form.message()));
    form.set_role(3, ColumnRole::Ignored);
    QVERIFY2(!form.message().contains(QStringLiteral("has no effect")), qPrintable(form.message()));
    form.failed_when().setText(QStringLiteral("status"));
    QVERIFY(!form.import_button().isEnabled());
    form.failed_when().clear();
    form.set_role(0, ColumnRole::Ignored);
    QVERIFY2(!form.import_button().isEnabled() && form.message().contains(QStringLiteral("parameter")),
             qPrintable(form.message()));
  }

  void every_field_has_a_name() {
    frame::TableDialog form(QStringLiteral("table.csv"), small_preview());
    form.show();
    for (const QWidget* widget : form.findChildren<QWidget*>()) {
      if ((widget->focusPolicy() & Qt::TabFocus) == 0 || !widget->isVisible()) continue;
      if (qobject_cast<const QLineEdit*>(widget) != nullptr &&
          qobject_cast<const QComboBox*>(widget->parentWidget()) != nullptr)
        continue;
      if (qobject_cast<const QPushButton*>(widget) != nullptr) continue;
      if (qobject_cast<const QAbstractItemView*>(widget->parentWidget()) != nullptr) continue;
      QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
    }
  }
};

KERNELSCAPE_TEST(FrameTableTest, QApplication)

}  // namespace kernelscape::frame_table_test
#include "frame_table_test.moc"
