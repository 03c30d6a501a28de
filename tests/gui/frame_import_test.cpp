#include <sys/stat.h>

#include <QAction>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileSystemModel>
#include <QHelpEvent>
#include <QLabel>
#include <QMimeData>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolTip>
#include <QUrl>

#include "core/exchange/importer.h"
#include "core/task/data_folder.h"
#include "tests/gui/gui_support.h"
#include "tests/store/child_process.h"
#include "tests/test_program.h"
#include "ui/files/dialog.h"
#include "ui/frame/first_start_page.h"
#include "ui/frame/main_window.h"
#include "ui/style/theme.h"
#include "ui/views/explore/explore_view.h"
#include "ui/views/view.h"
#include "ui/workspace/file_import.h"
#include "ui/workspace/notices.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::frame_import_test {

namespace {

constexpr int deadline_milliseconds = 10'000;
constexpr int explore_pages = 10;
constexpr int neighbourhood_page = 4;
constexpr int knobs_page = 2;

constexpr auto kernel_tuner_cache =
    R"({"device_name": "A GPU", "kernel_name": "vector_add", "problem_size": 1000,
"tune_params_keys": ["block_size_x"], "tune_params": {"block_size_x": [32, 64, 128]}, "objective": "time",
"cache": {
"32": {"block_size_x": 32, "time": 2.5, "times": [2.0, 3.0], "compile_time": 10, "verification_time": 0, "benchmark_time": 5},
"64": {"block_size_x": 64, "time": 1.5, "times": [1.5], "compile_time": 10, "verification_time": 0, "benchmark_time": 3},
"128": {"block_size_x": 128, "time": "RuntimeFailedConfig", "compile_time": 11, "verification_time": 0, "benchmark_time": 0}}})";

QString write_file(const QTemporaryDir& folder, const QString& name, const QByteArray& bytes) {
  const QString path = folder.filePath(name);
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("no file");
  return path;
}

void drop(frame::MainWindow& window, const QStringList& paths) {
  QMimeData data;
  QList<QUrl> urls;
  for (const QString& path : paths) urls.append(QUrl::fromLocalFile(path));
  data.setUrls(urls);
  QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  // Sent by the application it would go where the mouse's own drag is: nowhere.
  static_cast<QObject&>(window).event(&event);
}

/** "*.a *.b" of "Files (*.a *.b)". */
QStringList patterns_of(const QString& filter) {
  return filter.section(QLatin1Char('('), 1).chopped(1).split(QLatin1Char(' '));
}

/** Those that have their looks: what a label shows is decided then. */
std::vector<QLabel*> polished_labels() {
  std::vector<QLabel*> labels;
  for (QWidget* widget : QApplication::allWidgets()) {
    auto* label = qobject_cast<QLabel*>(widget);
    if (label != nullptr && label->testAttribute(Qt::WA_WState_Polished)) labels.push_back(label);
  }
  return labels;
}

bool shows(const QString& text) {
  return std::ranges::any_of(polished_labels(), [&](const QLabel* label) {
    return label->isVisible() && label->text().contains(text);
  });
}

/** Null: there is no tip. */
const QLabel* shown_tip() {
  const std::vector<QLabel*> labels = polished_labels();
  const auto found = std::ranges::find_if(
      labels, [](const QLabel* label) { return label->inherits("QTipLabel") && label->isVisible(); });
  return found == labels.end() ? nullptr : *found;
}

/** Rests the mouse on an item. */
void rest_on(QAbstractItemView& view, const QModelIndex& index) {
  view.scrollTo(index);
  const QPoint place = view.visualRect(index).center();
  QHelpEvent event(QEvent::ToolTip, place, view.viewport()->mapToGlobal(place));
  QCoreApplication::sendEvent(view.viewport(), &event);
}

struct Desk {
  explicit Desk(const std::filesystem::path& database)
      : preferences(folder.filePath(QStringLiteral("preferences.json")).toStdString()),
        workspace(database, session::run_on_this_machine, gui_tests::no_gpus) {
    preferences.change([](frame::Preferences& p) { p.first_start_dismissed = true; });
    window = std::make_unique<frame::MainWindow>(workspace, preferences);
    window->show();
  }
  ~Desk() { workspace::JobTracker::wait_for_all(); }

  QTemporaryDir folder;
  frame::PreferencesFile preferences;
  workspace::Workspace workspace;
  std::unique_ptr<frame::MainWindow> window;
};

}  // namespace

/** Files that are dropped on the window. */
class FrameImportTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { style::apply_theme(*qApp, style::ThemeChoice::Light); }
  void everyFormatIsOffered();
  void aDroppedCacheIsExplored();
  void theCardOpensTheKnobsOfTheRecordedSpace();
  void theSameFileTwiceIsOneSession();
  void whatIsNoLogIsToldAndNothingIsStored();
  void aDroppedDatabaseIsOpened();
  void theOwnDatabaseIsNotRead();
  void aPipeIsNotRead();
  void dialogsForFilesOpenNoneOfThem();
  void dialogsForFilesProposeNamesAndFolders();
  void nothingOfAFileIsMarkup();
};

void FrameImportTest::everyFormatIsOffered() {
  const gui_tests::Database database;
  Desk desk(database.path());
  QAction* action = desk.window->actions().find(QStringLiteral("file.import"));
  action->trigger();
  const auto* dialog = desk.window->findChild<QFileDialog*>();
  QVERIFY(dialog != nullptr);
  const QString offered = dialog->nameFilters().value(0);
  for (const exchange::ImportFormat& format : exchange::import_formats()) {
    QVERIFY2(action->statusTip().contains(QString::fromStdString(format.files)), format.name.c_str());
    QVERIFY2(!format.endings.empty(), format.name.c_str());
    for (const std::string& ending : format.endings)
      for (const char* packed : {"", ".gz"}) {
        const QString name =
            QStringLiteral("file%1%2").arg(QString::fromStdString(ending), QLatin1String(packed));
        QVERIFY2(QDir::match(patterns_of(offered), name), qPrintable(name));
      }
  }
  QVERIFY(QDir::match(patterns_of(offered), QStringLiteral("space.ksrec")));
  QVERIFY(!QDir::match(patterns_of(offered), QStringLiteral("picture.png")));
}

void FrameImportTest::aDroppedCacheIsExplored() {
  const gui_tests::Database database;
  Desk desk(database.path());
  drop(*desk.window, {write_file(desk.folder, QStringLiteral("cache.json"), kernel_tuner_cache)});
  QTRY_VERIFY_WITH_TIMEOUT(desk.workspace.source() != nullptr, deadline_milliseconds);
  const workspace::SourceData& source = *desk.workspace.source();
  QVERIFY(source.record().kind == store::SessionKind::Recorded);
  QCOMPARE(source.trials.size(), std::int64_t{3});
  QVERIFY(source.complete());
  QCOMPARE(source.errors.of(trial::ErrorCategory::RuntimeDevice).trials, std::int64_t{1});
  QCOMPARE(source.headline.value.seconds, 1.5e-3);
  QCOMPARE(desk.window->current_view()->name(), QStringLiteral("Explore"));
}

void FrameImportTest::theCardOpensTheKnobsOfTheRecordedSpace() {
  const gui_tests::Database database;
  const std::filesystem::path recorded = task::data_folder() / "recorded";
  const QTemporaryDir data;
  std::filesystem::create_directories(data.filePath(QStringLiteral("recorded")).toStdString());
  // A small one in the place of the one that comes with the program.
  std::filesystem::copy_file(
      recorded / "resnet18-C1-conv2d-nchwc.ksrec",
      data.filePath(QStringLiteral("recorded/resnet18-C12-conv2d-packed.ksrec")).toStdString());
  qputenv("KERNELSCAPE_DATA", data.path().toLocal8Bit());
  {
    Desk desk(database.path());
    desk.window->show_first_start();
    emit desk.window->findChild<frame::FirstStartPage*>()->explore_requested();
    QTRY_VERIFY_WITH_TIMEOUT(desk.workspace.source() != nullptr, deadline_milliseconds);
    QCOMPARE(desk.window->current_view()->name(), QStringLiteral("Explore"));
    QCOMPARE(desk.window->findChild<views::ExploreView*>()->page(), knobs_page);
    // What comes later is shown as always.
    desk.window->findChild<views::ExploreView*>()->show_page(0);
    drop(*desk.window, {write_file(desk.folder, QStringLiteral("cache.json"), kernel_tuner_cache)});
    QTRY_VERIFY_WITH_TIMEOUT(desk.workspace.source() && desk.workspace.source()->trials.size() == 3,
                             deadline_milliseconds);
    QCOMPARE(desk.window->findChild<views::ExploreView*>()->page(), 0);
  }
  qunsetenv("KERNELSCAPE_DATA");
}

void FrameImportTest::theSameFileTwiceIsOneSession() {
  const gui_tests::Database database;
  QVERIFY(store::Store::open(database.path()));
  Desk desk(database.path());
  const QString path = write_file(desk.folder, QStringLiteral("cache.json"), kernel_tuner_cache);
  drop(*desk.window, {path});
  QTRY_VERIFY_WITH_TIMEOUT(desk.workspace.source() != nullptr, deadline_milliseconds);
  const std::size_t reported = desk.workspace.notices().all().size();
  drop(*desk.window, {path});
  QTRY_VERIFY_WITH_TIMEOUT(desk.workspace.notices().all().size() > reported, deadline_milliseconds);
  QVERIFY(desk.workspace.notices().all().back().text.contains(QStringLiteral("already imported")));
  QCOMPARE(store::Store::open(database.path())->sessions().all()->size(), std::size_t{1});
}

void FrameImportTest::whatIsNoLogIsToldAndNothingIsStored() {
  const gui_tests::Database database;
  database.add_session(4);
  Desk desk(database.path());
  drop(*desk.window,
       {write_file(desk.folder, QStringLiteral("a.txt"), "this is no log"),
        write_file(desk.folder, QStringLiteral("b.json"), QByteArray(kernel_tuner_cache).left(90))});
  const auto failures = [&] {
    return std::ranges::count(desk.workspace.notices().all(), workspace::Notice::Kind::Failure,
                              &workspace::Notice::kind);
  };
  QTRY_COMPARE_WITH_TIMEOUT(failures(), 2, deadline_milliseconds);
  QCOMPARE(store::Store::open(database.path())->sessions().all()->size(), std::size_t{1});
}

void FrameImportTest::aDroppedDatabaseIsOpened() {
  const gui_tests::Database database;
  const gui_tests::Database other;
  other.add_session(4);
  Desk desk(database.path());
  QString next;
  connect(desk.window.get(), &frame::MainWindow::left, this, [&](const QString& path) { next = path; });
  drop(*desk.window, {QString::fromStdString(other.path().string())});
  QTRY_COMPARE_WITH_TIMEOUT(next, QString::fromStdString(other.path().string()), deadline_milliseconds);
}

/** Its locks would end with the reading. */
void FrameImportTest::theOwnDatabaseIsNotRead() {
  const gui_tests::Database database;
  database.add_session(4);
  const auto store = store::Store::open(database.path());
  const std::string log = database.path().string() + "-wal";
  const std::string index = database.path().string() + "-shm";
  QVERIFY(workspace::is_database_file(QString::fromStdString(database.path().string())));
  QVERIFY(!workspace::is_database_file(QString::fromStdString(log)));
  QVERIFY(!workspace::is_database_file(QString::fromStdString(index)));
  QVERIFY(!store_test::another_process_can_lock(database.path()));
  QVERIFY(!store_test::another_process_can_lock(index));
}

/** Opening it waits for who writes into it. */
void FrameImportTest::aPipeIsNotRead() {
  const gui_tests::Database database;
  const std::string pipe = (database.path().parent_path() / "pipe").string();
  QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
  QVERIFY(!workspace::is_database_file(QString::fromStdString(pipe)));
}

/** Whoever opens a database and closes it again gives up the locks that this process has on it. */
void FrameImportTest::dialogsForFilesOpenNoneOfThem() {
  const gui_tests::Database database;
  database.add_session(4);
  Desk desk(database.path());
  const auto store = store::Store::open(database.path());
  const std::string index = database.path().string() + "-shm";
  QVERIFY(!store_test::another_process_can_lock(index));
  const QString folder = QString::fromStdString(database.path().parent_path().string());
  QFileDialog* dialog = files::make_file_dialog(desk.window.get(), QStringLiteral("Open"), folder);
  dialog->open();
  auto* files = dialog->findChild<QFileSystemModel*>();
  QVERIFY(files != nullptr);
  const auto is_known = [&](const std::string& path) {
    const QModelIndex file = files->index(QString::fromStdString(path));
    return file.isValid() && !file.siblingAtColumn(2).data().toString().isEmpty();
  };
  QTRY_VERIFY_WITH_TIMEOUT(is_known(database.path().string()) && is_known(index), deadline_milliseconds);
  dialog->selectFile(QStringLiteral("test.db"));
  QCOMPARE(dialog->selectedFiles(), QStringList{QString::fromStdString(database.path().string())});
  QVERIFY(!store_test::another_process_can_lock(database.path()));
  QVERIFY(!store_test::another_process_can_lock(index));
}

void FrameImportTest::dialogsForFilesProposeNamesAndFolders() {
  QTemporaryDir folder;
  const auto selected = [&](const QString& path) {
    const std::unique_ptr<QFileDialog> dialog(files::make_file_dialog(nullptr, QStringLiteral("Save"), path));
    return dialog->selectedFiles();
  };
  const QString file = folder.filePath(QStringLiteral("new.json"));
  QCOMPARE(selected(file), QStringList{file});
  const std::unique_ptr<QFileDialog> first(
      files::make_file_dialog(nullptr, QStringLiteral("Save"), folder.path()));
  QCOMPARE(first->directory().absolutePath(), folder.path());
  first->reject();
  // The next one begins where the last was left.
  QCOMPARE(selected(QStringLiteral("study.json")),
           QStringList{folder.filePath(QStringLiteral("study.json"))});
  QCOMPARE(selected(folder.filePath(QStringLiteral("missing/new.json"))), QStringList{file});
  // Each kind of dialog has its own folder.
  QTemporaryDir other;
  const std::unique_ptr<QFileDialog> import(
      files::make_file_dialog(nullptr, QStringLiteral("Import a log"), other.path()));
  import->reject();
  QCOMPARE(selected(QStringLiteral("study.json")),
           QStringList{folder.filePath(QStringLiteral("study.json"))});
  QCOMPARE(files::dialog_folders().value(QStringLiteral("Import a log")), other.path());
}

/** As HTML a name could read any file. */
void FrameImportTest::nothingOfAFileIsMarkup() {
  const QByteArray image = "<img src='file:///dev/null'>";
  const gui_tests::Database database;
  Desk desk(database.path());
  QByteArray cache = kernel_tuner_cache;
  for (const char* name : {"A GPU", "vector_add", "block_size_x"}) cache.replace(name, image + name);
  drop(*desk.window, {write_file(desk.folder, QStringLiteral("<b>cache.json"), cache)});
  QTRY_VERIFY_WITH_TIMEOUT(desk.workspace.source() != nullptr, deadline_milliseconds);
  desk.workspace.set_current_row(0);
  int tips = 0;
  const auto check = [&] {
    for (const QLabel* label : polished_labels())
      QVERIFY2(label->textFormat() == Qt::PlainText, qPrintable(label->text()));
    for (auto* view : desk.window->findChildren<QAbstractItemView*>()) {
      if (!view->isVisible() || view->model() == nullptr || view->model()->rowCount() == 0) continue;
      for (int column = 0; column < view->model()->columnCount(); ++column) {
        const QModelIndex index = view->model()->index(0, column);
        if (!index.data(Qt::ToolTipRole).toString().contains(QLatin1String("<img"))) continue;
        rest_on(*view, index);
        const QLabel* tip = shown_tip();
        if (tip == nullptr) continue;  // the column is hidden
        ++tips;
        QVERIFY2(tip->textFormat() == Qt::PlainText, qPrintable(tip->text()));
        QToolTip::hideText();
      }
    }
  };
  for (const char* name : {"Tune", "Compare", "Library", "Learn", "Explore"}) {
    desk.window->show_view(QString::fromLatin1(name));
    QCoreApplication::processEvents();
    check();
  }
  auto* explore = desk.window->findChild<views::ExploreView*>();
  QVERIFY(explore != nullptr);
  for (int page = 0; page < explore_pages; ++page) {
    explore->show_page(page);
    QCoreApplication::processEvents();
    check();
  }
  explore->show_page(neighbourhood_page);
  QTRY_VERIFY_WITH_TIMEOUT(shows(QStringLiteral("<img")), deadline_milliseconds);
  check();
  QVERIFY(tips > 0);
  desk.window->actions().find(QStringLiteral("help.about"))->trigger();
  check();
  // A tip that no view shows.
  QToolTip::showText(QPoint(10, 10), QString::fromLatin1(image));
  QVERIFY(shown_tip() != nullptr);
  check();
  QToolTip::hideText();
}

KERNELSCAPE_TEST(FrameImportTest, QApplication)

}  // namespace kernelscape::frame_import_test
#include "frame_import_test.moc"
