#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTabWidget>

#include "tests/gui/gui_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "ui/models/kernel_model.h"
#include "ui/style/theme.h"
#include "ui/views/export/export_dialog.h"
#include "ui/views/library/library_view.h"
#include "ui/widgets/library_table.h"
#include "ui/workspace/source.h"

namespace kernelscape::library_kernels_test {
using namespace kernelscape::gui_tests;

namespace {

constexpr int patience_ms = 20'000;

LibraryKernel make_kernel(const std::string& task, const std::string& target, double seconds) {
  LibraryKernel kernel;
  kernel.task = *parse_task(task);
  kernel.target_json = target;
  kernel.value = median_value(quartiles(std::vector{seconds * 0.9, seconds, seconds * 1.1}));
  return kernel;
}

}  // namespace

/** The best kernel per task and target, as a model and as the library's page. */
class LibraryKernelsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Database> database_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<ActionRegistry> actions_;
  std::unique_ptr<LibraryView> view_;
  LibraryTable* table_ = nullptr;

  void show_kernels();

 private slots:
  void initTestCase() { apply_theme(*qApp, ThemeChoice::Light); }
  void cleanup();
  void rowsKeepTheirPlace();
  void theCellsSayTheKernel();
  void oneRowPerTaskAndTheBetterSession();
  void openingShowsTheTrial();
  void theSelectionIsExported();
};

void LibraryKernelsTest::cleanup() {
  view_.reset();
  actions_.reset();
  JobTracker::wait_for_all();
  workspace_.reset();
  database_.reset();
}

void LibraryKernelsTest::show_kernels() {
  workspace_ = std::make_unique<Workspace>(database_->path(), run_scripted);
  actions_ = std::make_unique<ActionRegistry>();
  view_ = std::make_unique<LibraryView>(ViewContext{*workspace_, *actions_});
  view_->resize(1400, 700);
  view_->show();
  QVERIFY(QTest::qWaitForWindowActive(view_.get()));
  view_->findChild<QTabWidget*>()->setCurrentIndex(1);
  for (LibraryTable* table : view_->findChildren<LibraryTable*>()) {
    if (table->accessibleName() == QStringLiteral("Best kernels")) table_ = table;
  }
  QTRY_VERIFY_WITH_TIMEOUT(table_->isVisible(), patience_ms);
}

void LibraryKernelsTest::rowsKeepTheirPlace() {
  Random random(testing::random_seed());
  KernelModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  std::vector<std::string> order;  // the reference: the tasks in the model's rows
  for (int step = 0; step < 60; ++step) {
    std::vector<LibraryKernel> kernels;
    std::vector<std::string> now;
    for (int size = 1; size <= 12; ++size) {
      if (!random.chance(0.5)) continue;
      now.push_back("matmul 8x8 8x" + std::to_string(size) + " f32");
      kernels.push_back(make_kernel(now.back(), "{}", 1e-3 * (random.uniform() + 0.1)));
    }
    std::erase_if(order, [&](const std::string& task) { return std::ranges::find(now, task) == now.end(); });
    for (const std::string& task : now) {
      if (std::ranges::find(order, task) == order.end()) order.push_back(task);
    }
    model.set_kernels(kernels);
    QCOMPARE(static_cast<std::size_t>(model.rowCount()), order.size());
    for (int row = 0; row < model.rowCount(); ++row) {
      QCOMPARE(model.kernel(row).task.text, order[static_cast<std::size_t>(row)]);
      const auto made = std::ranges::find(kernels, model.kernel(row).task.text,
                                          [](const LibraryKernel& kernel) { return kernel.task.text; });
      QCOMPARE(model.kernel(row).value.seconds, made->value.seconds);
    }
  }
}

void LibraryKernelsTest::theCellsSayTheKernel() {
  LibraryKernel kernel = make_kernel("matmul 100x100 100x100 f32", "{}", 1e-5);  // 2 MFLOP: 200 GFLOPS
  kernel.confirmed = true;
  kernel.share_of_vendor = 1.25;
  kernel.session = 3;
  kernel.trial = 17;
  KernelModel model;
  model.set_kernels({kernel});
  const auto cell = [&](int column, int role = Qt::DisplayRole) { return model.index(0, column).data(role); };
  QCOMPARE(cell(KernelModel::SpeedColumn).toString(), QStringLiteral("200 GFLOPS"));
  QCOMPARE(cell(KernelModel::QuartilesColumn).toString(), QStringLiteral("190.5 GFLOPS \u2013 210.5 GFLOPS"));
  QCOMPARE(cell(KernelModel::VendorColumn).toString(), QStringLiteral("125 %"));
  QCOMPARE(cell(KernelModel::ConfirmedColumn).toString(), QStringLiteral("confirmed"));
  QCOMPARE(cell(KernelModel::SessionColumn).toString(), QStringLiteral("session 3, trial 17"));
  QVERIFY(std::fabs(cell(KernelModel::SpeedColumn, KernelModel::SortRole).toDouble() - 200) < 1e-9);
  // One sample has no spread.
  kernel.value = median_value(quartiles(std::vector{1e-5}));
  model.set_kernels({kernel});
  QCOMPARE(cell(KernelModel::SpeedColumn).toString(), QStringLiteral("200 GFLOPS"));
  QCOMPARE(cell(KernelModel::QuartilesColumn).toString(), QStringLiteral("\u2013"));
  QVERIFY(cell(KernelModel::TaskColumn, KernelModel::SearchRole).toString().contains("100x100"));
}

void LibraryKernelsTest::oneRowPerTaskAndTheBetterSession() {
  database_ = std::make_unique<Database>();
  database_->add_session(10, "random", "resnet18/C6");
  const SessionId confirmed = database_->add_session(30, "ga", "resnet18/C6");
  database_->confirm(confirmed, 0.8);
  database_->add_session(10, "random", "resnet18/C2");
  show_kernels();
  QTRY_COMPARE_WITH_TIMEOUT(table_->model()->rowCount(), 2, patience_ms);
  const auto cell = [&](int row, int column) {
    return table_->model()->index(row, column).data().toString();
  };
  // Sorted by the task's name.
  QCOMPARE(cell(0, KernelModel::TaskColumn), QStringLiteral("resnet18/C2"));
  QCOMPARE(cell(0, KernelModel::ConfirmedColumn), QStringLiteral("unconfirmed"));
  QCOMPARE(cell(1, KernelModel::ConfirmedColumn), QStringLiteral("confirmed"));
  QVERIFY(cell(1, KernelModel::SessionColumn).startsWith(QStringLiteral("session %1").arg(confirmed)));
  // A new session appears by itself.
  table_->selectRow(1);
  database_->add_session(10, "random", "resnet18/C1");
  QTRY_COMPARE_WITH_TIMEOUT(table_->model()->rowCount(), 3, patience_ms);
  QCOMPARE(table_->selected_rows(), std::vector<int>{2});
}

void LibraryKernelsTest::openingShowsTheTrial() {
  database_ = std::make_unique<Database>();
  const SessionId id = database_->add_session(30);
  show_kernels();
  table_->selectRow(0);
  table_->setFocus();
  QTest::keyClick(table_, Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(workspace_->current_row() != no_row, patience_ms);
  QCOMPARE(workspace_->source()->id(), id);
  QCOMPARE(workspace_->source()->trials.row(workspace_->current_row()).number,
           Store::open(database_->path())->session(id)->status.best_trial);
}

void LibraryKernelsTest::theSelectionIsExported() {
  database_ = std::make_unique<Database>();
  database_->add_session(10, "random", "resnet18/C6");
  database_->add_session(10, "random", "resnet18/C2");
  show_kernels();
  QVERIFY(!actions_->find("library.kernels_export")->isEnabled());
  table_->selectAll();
  view_->export_current();
  auto* dialog = view_->findChild<ExportDialog*>();
  QVERIFY(dialog != nullptr);
  QVERIFY(dialog->isVisible());
  QVERIFY(!dialog->isModal());
  QCOMPARE(dialog->kind(), ExportKind::KernelLibrary);
  QVERIFY(dialog->path().endsWith("/tuned_kernels"));
}

KERNELSCAPE_TEST(LibraryKernelsTest, QApplication)

}  // namespace kernelscape::library_kernels_test
#include "library_kernels_test.moc"
