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

session::LibraryKernel make_kernel(const std::string& task, const std::string& target, double seconds) {
  session::LibraryKernel kernel;
  kernel.task = *task::parse_task(task);
  kernel.target_json = target;
  kernel.value =
      analysis::median_value(analysis::quartiles(std::vector{seconds * 0.9, seconds, seconds * 1.1}));
  return kernel;
}

}  // namespace

/** The best kernel per task and target, as a model and as the library's page. */
class LibraryKernelsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Database> database_;
  std::unique_ptr<workspace::Workspace> workspace_;
  std::unique_ptr<views::ActionRegistry> actions_;
  std::unique_ptr<views::LibraryView> view_;
  widgets::LibraryTable* table_ = nullptr;

  void show_kernels();

 private slots:
  void initTestCase() { style::apply_theme(*qApp, style::ThemeChoice::Light); }
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
  workspace::JobTracker::wait_for_all();
  workspace_.reset();
  database_.reset();
}

void LibraryKernelsTest::show_kernels() {
  workspace_ = std::make_unique<workspace::Workspace>(database_->path(), run_scripted);
  actions_ = std::make_unique<views::ActionRegistry>();
  view_ = std::make_unique<views::LibraryView>(views::ViewContext{*workspace_, *actions_});
  view_->resize(1400, 700);
  view_->show();
  QVERIFY(QTest::qWaitForWindowActive(view_.get()));
  view_->findChild<QTabWidget*>()->setCurrentIndex(1);
  for (widgets::LibraryTable* table : view_->findChildren<widgets::LibraryTable*>()) {
    if (table->accessibleName() == QStringLiteral("Best kernels")) table_ = table;
  }
  QTRY_VERIFY_WITH_TIMEOUT(table_->isVisible(), patience_ms);
}

void LibraryKernelsTest::rowsKeepTheirPlace() {
  base::Random random(testing::random_seed());
  models::KernelModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  std::vector<std::string> order;  // the reference: the tasks in the model's rows
  for (int step = 0; step < 60; ++step) {
    std::vector<session::LibraryKernel> kernels;
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
      const auto made =
          std::ranges::find(kernels, model.kernel(row).task.text,
                            [](const session::LibraryKernel& kernel) { return kernel.task.text; });
      QCOMPARE(model.kernel(row).value.seconds, made->value.seconds);
    }
  }
}

void LibraryKernelsTest::theCellsSayTheKernel() {
  session::LibraryKernel kernel =
      make_kernel("matmul 100x100 100x100 f32", "{}", 1e-5);  // 2 MFLOP: 200 GFLOPS
  kernel.confirmed = true;
  kernel.mark = "confirmed";
  kernel.share_of_vendor = 1.25;
  kernel.session = 3;
  kernel.trial = 17;
  models::KernelModel model;
  model.set_kernels({kernel});
  const auto cell = [&](int column, int role = Qt::DisplayRole) { return model.index(0, column).data(role); };
  QCOMPARE(cell(models::KernelModel::SpeedColumn).toString(), QStringLiteral("200 GFLOPS"));
  QCOMPARE(cell(models::KernelModel::QuartilesColumn).toString(),
           QStringLiteral("190.5 GFLOPS \u2013 210.5 GFLOPS"));
  QCOMPARE(cell(models::KernelModel::VendorColumn).toString(), QStringLiteral("125 %"));
  QCOMPARE(cell(models::KernelModel::ConfirmedColumn).toString(), QStringLiteral("confirmed"));
  QCOMPARE(cell(models::KernelModel::SessionColumn).toString(), QStringLiteral("session 3, trial 17"));
  QVERIFY(std::fabs(cell(models::KernelModel::SpeedColumn, models::KernelModel::SortRole).toDouble() - 200) <
          1e-9);
  // One sample has no spread.
  kernel.value = analysis::median_value(analysis::quartiles(std::vector{1e-5}));
  model.set_kernels({kernel});
  QCOMPARE(cell(models::KernelModel::SpeedColumn).toString(), QStringLiteral("200 GFLOPS"));
  QCOMPARE(cell(models::KernelModel::QuartilesColumn).toString(), QStringLiteral("\u2013"));
  QVERIFY(
      cell(models::KernelModel::TaskColumn, models::KernelModel::SearchRole).toString().contains("100x100"));
}

void LibraryKernelsTest::oneRowPerTaskAndTheBetterSession() {
  database_ = std::make_unique<Database>();
  database_->add_session(10, "random", "resnet18/C6");
  const store::SessionId confirmed = database_->add_session(30, "ga", "resnet18/C6");
  database_->confirm(confirmed, 0.8);
  database_->add_session(10, "random", "resnet18/C2");
  show_kernels();
  QTRY_COMPARE_WITH_TIMEOUT(table_->model()->rowCount(), 2, patience_ms);
  const auto cell = [&](int row, int column) {
    return table_->model()->index(row, column).data().toString();
  };
  // Sorted by the task's name.
  QCOMPARE(cell(0, models::KernelModel::TaskColumn), QStringLiteral("resnet18/C2"));
  QCOMPARE(cell(0, models::KernelModel::ConfirmedColumn), QStringLiteral("unconfirmed"));
  QCOMPARE(cell(1, models::KernelModel::ConfirmedColumn), QStringLiteral("confirmed"));
  QVERIFY(
      cell(1, models::KernelModel::SessionColumn).startsWith(QStringLiteral("session %1").arg(confirmed)));
  // A new session appears by itself.
  table_->selectRow(1);
  database_->add_session(10, "random", "resnet18/C1");
  QTRY_COMPARE_WITH_TIMEOUT(table_->model()->rowCount(), 3, patience_ms);
  QCOMPARE(table_->selected_rows(), std::vector<int>{2});
}

void LibraryKernelsTest::openingShowsTheTrial() {
  database_ = std::make_unique<Database>();
  const store::SessionId id = database_->add_session(30);
  show_kernels();
  table_->selectRow(0);
  table_->setFocus();
  QTest::keyClick(table_, Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(workspace_->current_row() != analysis::no_row, patience_ms);
  QCOMPARE(workspace_->source()->id(), id);
  QCOMPARE(workspace_->source()->trials.row(workspace_->current_row()).number,
           store::Store::open(database_->path())->sessions().get(id)->status.best_trial);
}

void LibraryKernelsTest::theSelectionIsExported() {
  database_ = std::make_unique<Database>();
  database_->add_session(10, "random", "resnet18/C6");
  database_->add_session(10, "random", "resnet18/C2");
  show_kernels();
  QVERIFY(!actions_->find("library.kernels_export")->isEnabled());
  table_->selectAll();
  view_->export_current();
  auto* dialog = view_->findChild<views::ExportDialog*>();
  QVERIFY(dialog != nullptr);
  QVERIFY(dialog->isVisible());
  QVERIFY(!dialog->isModal());
  QCOMPARE(dialog->kind(), views::ExportKind::KernelLibrary);
  QVERIFY(dialog->path().endsWith("/tuned_kernels"));
}

KERNELSCAPE_TEST(LibraryKernelsTest, QApplication)

}  // namespace kernelscape::library_kernels_test
#include "library_kernels_test.moc"
