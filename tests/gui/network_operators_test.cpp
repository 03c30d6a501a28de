#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "core/study/model_export.h"
#include "tests/gui/network_view_support.h"
#include "tests/test_program.h"
#include "ui/style/numbers.h"
#include "ui/views/export/export_dialog.h"
#include "ui/views/network/network_form.h"
#include "ui/views/network/network_tables.h"
#include "ui/views/network/network_view.h"
#include "ui/views/network/operators_page.h"
#include "ui/widgets/library_table.h"

namespace kernelscape::network_operators_test {
namespace {

using Column = models::ModelOperatorModel;

constexpr int deadline_milliseconds = 60'000;

/** Two convolutions: an activation can be fused into the first, and the addition of its result into the
 * second. */
testing::ModelBuilder residual_model(const testing::Dimension& batch = std::int64_t{1}) {
  testing::ModelBuilder builder;
  builder.input("x", {batch, 8, 6, 6}).weight("w", {8, 8, 1, 1}).weight("v", {8, 8, 1, 1});
  builder.node("Conv", {"x", "w"}, {"y"}, {}, "first").node("Relu", {"y"}, {"r"}, {}, "activation");
  builder.node("Conv", {"r", "v"}, {"z"}, {}, "second").node("Add", {"z", "r"}, {"o"}, {}, "sum");
  return builder.output("o");
}

/** A layer, and an operator that no graph has. */
testing::ModelBuilder unsupported_model(const testing::Dimension& batch = std::int64_t{1}) {
  testing::ModelBuilder builder;
  builder.input("x", {batch, 8, 6, 6}).weight("w", {8, 8, 1, 1});
  builder.node("Conv", {"x", "w"}, {"y"}, {}, "first").node("Hardmax", {"y"}, {"o"}, {}, "strange");
  return builder.output("o");
}

struct Bench {
  explicit Bench(const gui_tests::Database& database)
      : workspace(database.path(), gui_tests::run_rounds, gui_tests::no_gpus) {
    view.resize(1300, 800);
    view.show();
  }
  ~Bench() { workspace::JobTracker::wait_for_all(); }

  views::OperatorsPage& page() { return view.tables().operators(); }
  bool has_page() { return view.tables().isTabVisible(view.tables().indexOf(&page())); }
  void show_page() { view.tables().setCurrentWidget(&page()); }
  bool wait_for_layers() {
    return QTest::qWaitFor(
        [&] { return view.tables().layers().rowCount() > 0 && view.form().problem().isEmpty(); },
        deadline_milliseconds);
  }
  bool wait_for_snapshot() {
    return QTest::qWaitFor([&] { return view.snapshot() != nullptr; }, deadline_milliseconds);
  }
  bool wait_for_operators(int count) {
    return QTest::qWaitFor([&] { return page().operators().rowCount() == count; }, deadline_milliseconds);
  }
  bool wait_for_note(const QString& text) {
    return QTest::qWaitFor([&] { return page().note().contains(text); }, deadline_milliseconds);
  }
  QAction* action(const char* id) { return actions.find(QLatin1String(id)); }

  workspace::Workspace workspace;
  views::ActionRegistry actions;
  views::NetworkView view{{workspace, actions}};
};

/** Stores a study of the tiny network as if it had been read from a model's file. */
store::StudyId add_study(const gui_tests::Database& database, std::optional<study::ModelSource> source) {
  study::Definition study = gui_tests::tiny_study(24);
  study.model_source = std::move(source);
  store::Store store = *store::Store::open(database.path());
  const Result<store::StudyId> id = study::create_study(store, study);
  if (!id) qFatal("%s", describe(id.error()).c_str());
  return *id;
}

QString shown(const models::ModelOperatorModel& model, int row, int column, int role = Qt::DisplayRole) {
  return model.index(row, column).data(role).toString();
}

}  // namespace

class NetworkOperatorsTest : public QObject {
  Q_OBJECT

 private slots:
  void a_model_in_the_set_up_shows_what_was_fused() {
    const gui_tests::Database database;
    const gui_tests::ModelFolder folder;
    Bench bench(database);
    bench.view.open_network(folder.write("my model.onnx", residual_model().bytes()));
    QVERIFY(bench.wait_for_layers());
    QVERIFY(bench.has_page());
    // Not read before it is looked at.
    QCOMPARE(bench.page().operators().rowCount(), 0);
    bench.show_page();
    QVERIFY(bench.wait_for_operators(2));
    const models::ModelOperatorModel& operators = bench.page().operators();
    QCOMPARE(shown(operators, 0, Column::NameColumn), QString("first"));
    QCOMPARE(shown(operators, 0, Column::OperatorColumn), QString("Conv"));
    QCOMPARE(shown(operators, 0, Column::ResultColumn), QString("f32 1x8x6x6"));
    QCOMPARE(shown(operators, 0, Column::EpilogueColumn), QString("+relu"));
    QCOMPARE(shown(operators, 0, Column::KernelColumn), QString("default configuration"));
    QCOMPARE(operators.at(0).nodes, QStringList({"first (Conv)", "activation (Relu)"}));
    QCOMPARE(shown(operators, 1, Column::EpilogueColumn), QString("+add"));
    QVERIFY(shown(operators, 1, Column::NodesColumn, Qt::ToolTipRole).contains("sum (Add)"));
    QVERIFY(bench.page().note().contains("2 operators") && bench.page().note().contains(" 4;"));
    // The search looks at fused nodes too.
    auto* search = bench.page().findChild<QLineEdit*>();
    search->setText("activation");
    QCOMPARE(bench.page().table().model()->rowCount(), 1);
    bench.view.focus_filter();
    QVERIFY(search->hasSelectedText());
    // A network of the catalogue has no model.
    bench.view.open_network("resnet-18");
    QTRY_VERIFY_WITH_TIMEOUT(!bench.has_page(), deadline_milliseconds);
    QVERIFY(!bench.view.model());
    QVERIFY(!bench.action("network.export_model")->isEnabled());
    QVERIFY(!bench.action("network.export_model")->toolTip().isEmpty());
  }

  void what_no_library_can_compute_is_named() {
    const gui_tests::Database database;
    const gui_tests::ModelFolder folder;
    Bench bench(database);
    bench.view.open_network(folder.write("strange.onnx", unsupported_model().bytes()));
    QVERIFY(bench.wait_for_layers());
    bench.show_page();
    QVERIFY2(bench.wait_for_note("Hardmax"), qPrintable(bench.page().note()));
    QVERIFY(bench.page().note().contains("strange"));
    QVERIFY(bench.page().note().contains("can still be tuned"));
    QCOMPARE(bench.page().operators().rowCount(), 0);
    QCOMPARE(bench.view.form().problem(), QString());
  }

  void a_study_finds_its_model_and_reports_its_changes() {
    const gui_tests::Database database;
    const gui_tests::ModelFolder folder;
    const testing::Dimension batch = std::string("batch");
    const QString path = folder.write("net.onnx", residual_model(batch).bytes());
    const store::StudyId id = add_study(database, study::model_source_of(path.toStdString(), {{"batch", 1}}));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadWrite) &&
            file.setFileTime(QDateTime::currentDateTime().addDays(-1), QFileDevice::FileModificationTime));
    file.close();
    Bench bench(database);
    bench.view.open_study(id);
    QVERIFY(bench.wait_for_snapshot());
    QCOMPARE(bench.view.model()->file, path.toStdString());
    QCOMPARE(bench.view.model()->dimensions.at("batch"), std::int64_t{1});
    bench.show_page();
    QVERIFY2(bench.wait_for_operators(2), qPrintable(bench.page().note()));
    QVERIFY(!bench.page().note().contains("was changed"));
    // Another model takes its place.
    folder.write("net.onnx", unsupported_model(batch).bytes());
    QVERIFY2(bench.wait_for_note("Hardmax"), qPrintable(bench.page().note()));
    folder.write("net.onnx", residual_model(batch).bytes());
    QVERIFY(file.open(QIODevice::ReadWrite) &&
            file.setFileTime(QDateTime::currentDateTime().addDays(1), QFileDevice::FileModificationTime));
    file.close();
    QVERIFY2(bench.wait_for_note("was changed after its layers were stored"),
             qPrintable(bench.page().note()));
    QCOMPARE(bench.page().operators().rowCount(), 2);
    QVERIFY(QFile::remove(path));
    QVERIFY2(bench.wait_for_note("The model's file can't be read"), qPrintable(bench.page().note()));
  }

  void a_study_without_a_model_asks_for_it() {
    const gui_tests::Database database;
    const gui_tests::ModelFolder folder;
    const store::StudyId id = add_study(database, std::nullopt);
    Bench bench(database);
    bench.view.open_study(id);
    QVERIFY(bench.wait_for_snapshot());
    QVERIFY(bench.has_page());
    bench.action("network.export_model")->trigger();
    QVERIFY(bench.page().note().startsWith("The model's file is not known"));
    auto* dialog = bench.page().findChild<QFileDialog*>();
    QVERIFY(dialog != nullptr);
    const QString path = folder.write("found.onnx", residual_model().bytes());
    emit dialog->fileSelected(path);
    dialog->close();
    QVERIFY(bench.wait_for_operators(2));
    QCOMPARE(bench.view.model()->file, path.toStdString());
  }

  void an_operator_leads_to_the_session_of_its_layer() {
    const gui_tests::Database database;
    const store::StudyId id = add_study(database, std::nullopt);
    study::Options options;
    options.runner = gui_tests::run_rounds;
    study::Observer observer;
    QVERIFY(study::run_study(database.path(), id, options, observer, session::StopRequest()).has_value());
    Bench bench(database);
    bench.view.open_study(id);
    QVERIFY(bench.wait_for_snapshot());
    QSignalSpy wanted(&bench.view, &views::View::view_requested);
    const study::NetworkLayerOutcome& layer = bench.view.snapshot()->progress->outcome.layers[1];
    emit bench.page().layer_opened(layer.text);
    QCOMPARE(wanted.takeLast()[0].toString(), QString("Tune"));
    QCOMPARE(*bench.workspace.opened(), *layer.session);
    QSignalSpy notified(&bench.view, &views::View::notified);
    emit bench.page().layer_opened("matmul 3x3 3x3");
    QCOMPARE(notified.count(), 1);
    QVERIFY(wanted.isEmpty());
  }

  void tuned_kernels_are_named_with_their_speed() {
    models::ModelOperatorModel model;
    model.set_operators(
        {{.name = "first",
          .operation = "Conv",
          .result = {},
          .epilogue = {},
          .nodes = {},
          .task = "conv2d 1x8x6x6 8x8x1x1"},
         {.name = "pool", .operation = "MaxPool", .result = {}, .epilogue = {}, .nodes = {}}});
    study::NetworkLayerOutcome layer;
    layer.text = "conv2d 1x8x6x6 8x8x1x1";
    layer.flops = 4e9;
    layer.seconds = 0.1;
    model.set_layers({layer});
    QCOMPARE(shown(model, 0, Column::KernelColumn), QString("default configuration"));  // no trial yet
    layer.trial = 3;
    QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
    model.set_layers({layer});
    QCOMPARE(changes.count(), 1);
    QCOMPARE(shown(model, 0, Column::KernelColumn), QString("tuned"));
    QCOMPARE(shown(model, 0, Column::SpeedColumn), style::format_quantity(40e9, "FLOPS"));
    QCOMPARE(shown(model, 1, Column::KernelColumn), QString("operator in C"));
    QCOMPARE(shown(model, 1, Column::SpeedColumn), style::no_number());
  }

  void the_whole_model_is_exported_in_two_clicks() {
    const gui_tests::Database database;
    const gui_tests::ModelFolder folder;
    const QTemporaryDir target;
    Bench bench(database);
    bench.view.open_network(folder.write("my model.onnx", residual_model().bytes()));
    QVERIFY(bench.wait_for_layers());
    bench.action("network.export_model")->trigger();
    auto* dialog = bench.view.findChild<views::ExportDialog*>();
    QVERIFY(dialog != nullptr);
    QCOMPARE(dialog->kind(), views::ExportKind::ModelLibrary);
    QVERIFY2(dialog->path().endsWith("/my_model"), qPrintable(dialog->path()));
    const QString path = target.filePath("library");
    dialog->set_path(path);
    const auto named = [&](const QString& name) {
      for (QLineEdit* field : dialog->findChildren<QLineEdit*>())
        if (field->accessibleName() == name) return field->text();
      return QString();
    };
    QPushButton* button = nullptr;
    for (QPushButton* found : dialog->findChildren<QPushButton*>())
      if (found->text().contains("Export")) button = found;
    QVERIFY(button != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(button->isEnabled(), deadline_milliseconds);
    QSignalSpy exported(dialog, &views::ExportDialog::exported);
    button->click();
    QTRY_COMPARE_WITH_TIMEOUT(exported.count(), 1, deadline_milliseconds);
    for (const char* file : {"CMakeLists.txt", "my_model.h", "my_model.c", "check.c", "bench.c"})
      QVERIFY2(QFile::exists(QDir(path).filePath(file)), file);
    QVERIFY(named("Build it").startsWith("cmake -S ") && named("Build it").contains(path));
    QVERIFY(named("Check it").contains(path + "/build/check"));
    QVERIFY(named("Measure its latency").contains(path + "/build/bench"));
  }

  void a_cancelled_export_writes_nothing() {
    const gui_tests::ModelFolder folder;
    const QTemporaryDir target;
    const QString model = folder.write("net.onnx", residual_model().bytes());
    for (int steps = 0; steps < study::model_export_steps; ++steps) {
      const QString path = target.filePath("library");
      int begun = 0;
      const Result<study::ExportedModel> exported =
          study::export_model({.model = model.toStdString(),
                               .folder = path.toStdString(),
                               .proceed =
                                   [&](study::ModelExportStep step) {
                                     return static_cast<int>(step) == begun++ && begun <= steps;
                                   }},
                              {});
      QVERIFY(!exported);
      QCOMPARE(exported.error().code, ErrorCode::Refused);
      QCOMPARE(begun, steps + 1);
      QVERIFY(!QFile::exists(path));
    }
  }
};

KERNELSCAPE_TEST(NetworkOperatorsTest, QApplication)

}  // namespace kernelscape::network_operators_test
#include "network_operators_test.moc"
