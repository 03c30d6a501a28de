#include "ui/views/export/export_dialog.h"

#include <QAbstractItemModel>
#include <QCheckBox>
#include <QCompleter>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalSpy>

#include "core/analysis/filter/filter.h"
#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/style/theme.h"
#include "ui/workspace/file_import.h"
#include "ui/workspace/notices.h"
#include "ui/workspace/source.h"

namespace kernelscape::export_dialog_test {
using namespace kernelscape::gui_tests;

namespace {

constexpr int patience_ms = 60'000;

QByteArray content(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

/** Results exported: each kind, and what cannot be written. */
class ExportDialogTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Database> database_;
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<workspace::Workspace> workspace_;
  QPointer<views::ExportDialog> dialog_;
  store::SessionId session_ = 0;

  QPushButton* export_button() const;
  QLineEdit* field(const QString& name) const;
  QString texts() const;
  void export_to(const QString& path);

 private slots:
  void initTestCase() { style::apply_theme(*qApp, style::ThemeChoice::Light); }
  void init();
  void cleanup();
  void theBestAsJson();
  void theCurrentTrialAsJson();
  void allAndShownTrialsAsCsv();
  void aKernelFolderWithItsCommands();
  void severalKernelsAsOneLibrary();
  void theVendorsKernelsAreAskedForOfANetworkOnly();
  void warningsDoNotHideWhereItWasWritten();
  void whatIsThereIsSaid();
  void aFolderOfSomethingElseIsRefused();
  void anErrorStandsInPlace();
  void somethingElseIsReplacedOnlyWhenTheUserSaysSo();
  void theDatabaseIsRefused();
  void theNameGoesAlongUntilItIsTheUsers();
  void pathsAreCompleted();
  void withoutASessionItSaysWhatToDo();
  void aLogHasNoKernelsToExport();
  void libraryNamesAreDistinct();
};

void ExportDialogTest::init() {
  database_ = std::make_unique<Database>();
  folder_ = std::make_unique<QTemporaryDir>();
  session_ = database_->add_session(40, "random", "resnet18/C6");
  workspace_ = std::make_unique<workspace::Workspace>(database_->path(), run_scripted);
  QVERIFY(open_and_wait(*workspace_, session_));
  dialog_ = new views::ExportDialog(*workspace_);
  dialog_->show();
}

void ExportDialogTest::cleanup() {
  delete dialog_;
  workspace::JobTracker::wait_for_all();
  workspace_.reset();
  folder_.reset();
  database_.reset();
}

QPushButton* ExportDialogTest::export_button() const {
  for (QPushButton* button : dialog_->findChildren<QPushButton*>()) {
    if (button->text().contains("Export")) return button;
  }
  return nullptr;
}

QLineEdit* ExportDialogTest::field(const QString& name) const {
  for (QLineEdit* line : dialog_->findChildren<QLineEdit*>()) {
    if (line->accessibleName() == name) return line;
  }
  return nullptr;
}

/** All that stands in the dialog now. */
QString ExportDialogTest::texts() const {
  QStringList all;
  for (const QLabel* label : dialog_->findChildren<QLabel*>()) {
    if (label->isVisible()) all.append(label->text());
  }
  return all.join(QLatin1Char('\n'));
}

void ExportDialogTest::export_to(const QString& path) {
  dialog_->set_path(path);
  QTRY_VERIFY_WITH_TIMEOUT(export_button()->isEnabled(), patience_ms);
  QSignalSpy done(dialog_.data(), &views::ExportDialog::exported);
  QTest::mouseClick(export_button(), Qt::LeftButton);
  QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, patience_ms);
  QCOMPARE(done[0][0].toString(), path);
  QVERIFY(texts().contains(path));
}

void ExportDialogTest::theBestAsJson() {
  QCOMPARE(dialog_->kind(), views::ExportKind::BestConfiguration);
  const QString path = folder_->filePath("new/deeper/best.json");
  export_to(path);
  const QJsonObject object = QJsonDocument::fromJson(content(path)).object();
  QCOMPARE(object["provenance"].toObject()["trial"].toInteger(), workspace_->source()->headline.trial);
}

void ExportDialogTest::theCurrentTrialAsJson() {
  const auto& button =
      *dialog_->findChildren<QRadioButton*>()[static_cast<int>(views::ExportKind::TrialConfiguration)];
  QVERIFY(!button.isEnabled());
  workspace_->set_current_row(3);
  QVERIFY(button.isEnabled());
  dialog_->choose(views::ExportKind::TrialConfiguration);
  const QString path = folder_->filePath("trial.json");
  export_to(path);
  const QJsonObject object = QJsonDocument::fromJson(content(path)).object();
  QCOMPARE(object["provenance"].toObject()["trial"].toInteger(), workspace_->source()->trials.row(3).number);
}

void ExportDialogTest::allAndShownTrialsAsCsv() {
  // Messages hold line breaks, so lines are no trials: rows of a number that every trial has once are
  // counted.
  const auto rows_of = [](const QByteArray& csv) {
    int rows = 0;
    bool quoted = false;
    for (const char c : csv) {
      if (c == '"') quoted = !quoted;
      if (c == '\n' && !quoted) ++rows;
    }
    return rows - 1;
  };
  dialog_->choose(views::ExportKind::AllTrials);
  const QString all = folder_->filePath("all.csv");
  export_to(all);
  QCOMPARE(rows_of(content(all)), 40);

  QVERIFY(workspace_->set_filters({"valid", "trial < 20"}));
  dialog_->choose(views::ExportKind::ShownTrials);
  const QString shown = folder_->filePath("shown.csv");
  export_to(shown);
  const auto expected = workspace_->shown_rows().size();
  QVERIFY(expected > 0 && expected < 20);
  QCOMPARE(rows_of(content(shown)), static_cast<int>(expected));
}

void ExportDialogTest::aKernelFolderWithItsCommands() {
  dialog_->choose(views::ExportKind::BestKernel);
  const QString path = folder_->filePath("with space/kernel");
  export_to(path);
  for (const char* name : {"resnet18_C6.c", "resnet18_C6.h", "check.c", "CMakeLists.txt", "README.md"})
    QVERIFY2(QFile::exists(QDir(path).filePath(name)), name);
  const QString quoted = "'" + path;
  QVERIFY(field("Build it")->text().startsWith("cmake -S " + quoted));
  QCOMPARE(field("Check and time it")->text(), quoted + "/build/check'");
}

void ExportDialogTest::severalKernelsAsOneLibrary() {
  const store::SessionId other = database_->add_session(40, "random", "resnet18/C2");
  const auto best = [&](store::SessionId id) {
    return store::Store::open(database_->path())->sessions().get(id)->status.best_trial;
  };
  dialog_->set_kernels({{session_, best(session_), "resnet18/C6"}, {other, best(other), "resnet18/C2"}});
  QCOMPARE(dialog_->kind(), views::ExportKind::KernelLibrary);
  // They are of other sessions than the one that is open.
  QVERIFY2(texts().contains("From the Library: the best kernels of 2 tasks"), qPrintable(texts()));
  QVERIFY(!texts().contains(QString("(session %1)").arg(session_)));
  QLineEdit* name = field("Name of the library");
  name->setText("no name");
  QVERIFY(!export_button()->isEnabled());
  QVERIFY(texts().contains("letters, digits and underscores"));
  name->setText("my_kernels");
  QVERIFY(dialog_->path().endsWith("/my_kernels"));
  const QString path = folder_->filePath("library");
  export_to(path);
  for (const char* file : {"resnet18_C6.c", "resnet18_C2.c", "my_kernels.h", "CMakeLists.txt"})
    QVERIFY2(QFile::exists(QDir(path).filePath(file)), file);
}

void ExportDialogTest::theVendorsKernelsAreAskedForOfANetworkOnly() {
  auto* box = dialog_->findChild<QCheckBox*>();
  QVERIFY(box != nullptr && !box->isVisible() && !box->isChecked());
  dialog_->set_kernels({{session_, 0, "resnet18/C6"}});
  QVERIFY(!box->isVisible());
  dialog_->set_network({1, "resnet-18", 3});
  QVERIFY(box->isVisible() && !box->isChecked());
  dialog_->choose(views::ExportKind::BestKernel);
  QVERIFY(!box->isVisible());
}

void ExportDialogTest::warningsDoNotHideWhereItWasWritten() {
  constexpr int warnings = 30;
  {
    store::Store store = *store::Store::open(database_->path());
    for (int i = 0; i < warnings; ++i)
      QVERIFY(
          store.notices().add(session_, {std::string(trial::machine_notice),
                                         "the machine was loaded: load average " + std::to_string(i), 0}));
  }
  const QString path = folder_->filePath("best.json");
  export_to(path);
  const auto label = [&](const QString& name) {
    for (QLabel* found : dialog_->findChildren<QLabel*>())
      if (found->accessibleName() == name) return found;
    return static_cast<QLabel*>(nullptr);
  };
  const QLabel* result = label("Result of the export");
  QCOMPARE(result->text(), "Wrote " + path);
  QTRY_COMPARE(result->visibleRegion().boundingRect(), result->rect());
  const QLabel* shown = label("Warnings of the export");
  QCOMPARE(shown->text().count("the machine was loaded"), warnings);
  QCOMPARE(shown->palette().color(QPalette::WindowText), style::colours().warning);
  // Thirty lines scroll in the room of a few.
  QVERIFY(shown->visibleRegion().boundingRect().height() < shown->height());
}

void ExportDialogTest::whatIsThereIsSaid() {
  const QString path = folder_->filePath("there.json");
  dialog_->set_path(path);
  QTRY_VERIFY_WITH_TIMEOUT(texts().contains("Writes a new file"), patience_ms);
  export_to(path);
  QTRY_VERIFY_WITH_TIMEOUT(texts().contains("Replaces the file"), patience_ms);
  dialog_->set_path(folder_->path());
  QTRY_VERIFY_WITH_TIMEOUT(texts().contains("This is a folder"), patience_ms);
  QVERIFY(!export_button()->isEnabled());
  dialog_->set_path("relative.json");
  QTRY_VERIFY_WITH_TIMEOUT(texts().contains("Begin the path with /"), patience_ms);
  QVERIFY(!export_button()->isEnabled());
}

void ExportDialogTest::aFolderOfSomethingElseIsRefused() {
  QVERIFY(QDir(folder_->path()).mkdir("mine"));
  QFile file(folder_->filePath("mine/thesis.tex"));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.close();
  dialog_->choose(views::ExportKind::BestKernel);
  dialog_->set_path(folder_->filePath("mine"));
  QTRY_VERIFY_WITH_TIMEOUT(texts().contains("holds no earlier export"), patience_ms);
  QVERIFY(!export_button()->isEnabled());
}

void ExportDialogTest::anErrorStandsInPlace() {
  const QString path = folder_->filePath("a/b.json");
  dialog_->set_path(path);
  QTRY_VERIFY_WITH_TIMEOUT(export_button()->isEnabled(), patience_ms);
  // Between the look and the click somebody puts a file where the folder should be made.
  QFile file(folder_->filePath("a"));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.close();
  QTest::mouseClick(export_button(), Qt::LeftButton);
  QTRY_VERIFY_WITH_TIMEOUT(texts().contains("cannot make the folder"), patience_ms);
  QVERIFY(workspace_->notices().all().empty());
  dialog_->set_path(folder_->filePath("c.json"));
  QVERIFY(!texts().contains("cannot make the folder"));
}

void ExportDialogTest::somethingElseIsReplacedOnlyWhenTheUserSaysSo() {
  const QString path = folder_->filePath("mine.json");
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{\"mine\": 1}\n") > 0);
  file.close();
  dialog_->set_path(path);
  QTRY_VERIFY_WITH_TIMEOUT(texts().contains("Asks before it replaces"), patience_ms);
  QVERIFY(export_button()->isEnabled());
  const auto question = [this] { return dialog_->findChild<QMessageBox*>(); };
  QTest::mouseClick(export_button(), Qt::LeftButton);
  QTRY_VERIFY_WITH_TIMEOUT(question() != nullptr, patience_ms);
  QVERIFY(question()->text().contains(path));
  QPointer<QMessageBox> first = question();
  first->button(QMessageBox::Cancel)->click();
  QTRY_VERIFY_WITH_TIMEOUT(!first, patience_ms);
  QCOMPARE(content(path), QByteArray("{\"mine\": 1}\n"));

  QSignalSpy done(dialog_.data(), &views::ExportDialog::exported);
  QTest::mouseClick(export_button(), Qt::LeftButton);
  QTRY_VERIFY_WITH_TIMEOUT(question() != nullptr, patience_ms);
  for (QAbstractButton* button : question()->buttons())
    if (question()->buttonRole(button) == QMessageBox::DestructiveRole) {
      button->click();
      break;
    }
  QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, patience_ms);
  QVERIFY(content(path).contains("kernelscape-configuration"));
}

void ExportDialogTest::theDatabaseIsRefused() {
  dialog_->set_path(QString::fromStdString(database_->path().string()));
  QTRY_VERIFY_WITH_TIMEOUT(texts().contains("never replaced"), patience_ms);
  QVERIFY(!export_button()->isEnabled());
}

void ExportDialogTest::theNameGoesAlongUntilItIsTheUsers() {
  dialog_->set_path(folder_->path() + "/" + dialog_->path().section('/', -1));
  dialog_->choose(views::ExportKind::AllTrials);
  QCOMPARE(dialog_->path(), folder_->filePath(QStringLiteral("resnet18_C6-session-%1.csv").arg(session_)));
  dialog_->set_path(folder_->filePath("mine.csv"));
  dialog_->choose(views::ExportKind::BestConfiguration);
  QCOMPARE(dialog_->path(), folder_->filePath("mine.csv"));
}

void ExportDialogTest::pathsAreCompleted() {
  QVERIFY(QDir(folder_->path()).mkdir("results"));
  dialog_->set_path(folder_->path() + "/res");
  QAbstractItemModel* model = field("Where to write")->completer()->model();
  const auto offered = [&] {
    QStringList all;
    for (int row = 0; row < model->rowCount(); ++row) all.append(model->index(row, 0).data().toString());
    return all;
  };
  QTRY_VERIFY_WITH_TIMEOUT(offered().contains(folder_->filePath("results")), patience_ms);
}

void ExportDialogTest::withoutASessionItSaysWhatToDo() {
  workspace_->close_source();
  QVERIFY(texts().contains("No session is open"));
  QVERIFY(!export_button()->isEnabled());
}

void ExportDialogTest::aLogHasNoKernelsToExport() {
  const QString path = folder_->filePath("cache.json");
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(R"({"device_name": "A GPU", "kernel_name": "vector_add", "problem_size": 1000,
"tune_params_keys": ["block_size_x"], "tune_params": {"block_size_x": [32, 64]}, "objective": "time", "cache": {
"32": {"block_size_x": 32, "time": 2.5, "times": [2.5], "compile_time": 1, "verification_time": 0, "benchmark_time": 5},
"64": {"block_size_x": 64, "time": 1.5, "times": [1.5], "compile_time": 1, "verification_time": 0, "benchmark_time": 3}}})");
  file.close();
  workspace::FileImport imports(*workspace_);
  store::SessionId log = 0;
  connect(&imports, &workspace::FileImport::imported, this,
          [&](const std::vector<exchange::ImportedSession>& sessions) { log = sessions.front().session; });
  imports.start({path});
  QTRY_VERIFY_WITH_TIMEOUT(log > 0, patience_ms);
  workspace_->open_session(log);
  QTRY_VERIFY_WITH_TIMEOUT(workspace_->source() && workspace_->source()->id() == log, patience_ms);
  const auto buttons = dialog_->findChildren<QRadioButton*>();
  QVERIFY(buttons[static_cast<int>(views::ExportKind::BestConfiguration)]->isEnabled());
  QVERIFY(!buttons[static_cast<int>(views::ExportKind::BestKernel)]->isEnabled());
  QVERIFY(texts().contains("known only from its log"));
  workspace_->set_current_row(0);
  QVERIFY(!buttons[static_cast<int>(views::ExportKind::TrialKernel)]->isEnabled());
}

void ExportDialogTest::libraryNamesAreDistinct() {
  const std::vector<std::string> names = views::library_kernel_names(
      {{1, 1, "resnet18/C6"}, {2, 1, "resnet18/C6"}, {3, 1, "resnet18-C6"}, {4, 1, "x"}});
  QCOMPARE(std::set(names.begin(), names.end()).size(), names.size());
  QCOMPARE(names[0], std::string("resnet18_C6"));
}

KERNELSCAPE_TEST(ExportDialogTest, QApplication)

}  // namespace kernelscape::export_dialog_test
#include "export_dialog_test.moc"
