#include <QAbstractItemModelTester>
#include <QTest>

#include "tests/gui/network_view_support.h"
#include "tests/test_program.h"
#include "ui/models/network_layer_model.h"
#include "ui/views/network/network_setup.h"

namespace kernelscape::network_model_test {

namespace {

schedule::TargetDescription target() {
  return *measure::describe_cpu_target(measure::CompilerNeed::Optional);
}

QString cell(const QAbstractItemModel& model, int row, int column, int role = Qt::DisplayRole) {
  return model.index(row, column).data(role).toString();
}

views::NetworkSetup usual_setup() {
  views::NetworkSetup setup;
  setup.network = "models/my model.onnx";
  setup.dimensions = {{"batch", 1}, {"data[0]", 2}};
  setup.request.scheduler = "gradient";
  setup.request.budget.trials = 40;
  setup.seed = 7;
  return setup;
}

}  // namespace

/** What the view of networks shows and asks for, without its widgets. */
class NetworkModelTest : public QObject {
  Q_OBJECT

 private slots:
  void layers_say_what_they_are_before_anything_is_measured() {
    models::NetworkLayerModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const task::WholeNetwork network = gui_tests::tiny_network();
    model.set_layers(models::network_layer_rows(network, target(), {}));
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(cell(model, 0, models::NetworkLayerModel::CallsColumn), QStringLiteral("3"));
    QCOMPARE(cell(model, 0, models::NetworkLayerModel::TemplateColumn),
             QStringLiteral("conv2d-winograd-4x4"));
    QVERIFY(cell(model, 0, models::NetworkLayerModel::LayerColumn, Qt::ToolTipRole)
                .endsWith(QStringLiteral("first (Conv)\nsecond (Conv)")));
    QCOMPARE(cell(model, 0, models::NetworkLayerModel::AllTimeColumn), QStringLiteral("–"));
    QCOMPARE(cell(model, 0, models::NetworkLayerModel::StateColumn), QString());
    double share = 0;
    double flops = 0;
    for (const models::NetworkLayerRow& row : model.layers()) {
      share += row.share;
      flops += row.flops;
    }
    QVERIFY(std::abs(share - 1) < 1e-12);
    QCOMPARE(flops, network.flops());
    // One template for all: what it does not fit says why.
    model.set_layers(models::network_layer_rows(network, target(), {.template_name = "conv2d-packed"}));
    QCOMPARE(cell(model, 2, models::NetworkLayerModel::TemplateColumn), QStringLiteral("none"));
    const QString why = cell(model, 2, models::NetworkLayerModel::StateColumn);
    QVERIFY(!why.isEmpty());
    QCOMPARE(cell(model, 2, models::NetworkLayerModel::TemplateColumn, Qt::ToolTipRole), why);
  }

  void rows_stay_where_the_layers_are_the_same() {
    models::NetworkLayerModel model;
    int resets = 0;
    connect(&model, &QAbstractItemModel::modelReset, this, [&] { ++resets; });
    std::vector<models::NetworkLayerRow> rows =
        models::network_layer_rows(gui_tests::tiny_network(), target(), {});
    model.set_layers(rows);
    QCOMPARE(resets, 1);
    study::NetworkLayerOutcome outcome;
    outcome.task = "a layer";
    outcome.trial = 3;
    outcome.seconds = 2e-3;
    outcome.flops = 4e6;
    outcome.vendor_seconds = 1e-3;
    outcome.trials = 16;
    rows[0].outcome = outcome;
    model.set_layers(rows);
    QCOMPARE(resets, 1);
    QCOMPARE(cell(model, 0, models::NetworkLayerModel::TimeColumn), QStringLiteral("2 ms"));
    QCOMPARE(cell(model, 0, models::NetworkLayerModel::AllTimeColumn), QStringLiteral("6 ms"));
    QCOMPARE(cell(model, 0, models::NetworkLayerModel::SpeedColumn), QStringLiteral("2 GFLOPS"));
    QCOMPARE(cell(model, 0, models::NetworkLayerModel::VendorColumn), QStringLiteral("50 %"));
    QCOMPARE(cell(model, 0, models::NetworkLayerModel::StateColumn), QStringLiteral("not confirmed"));
    rows[0].tuned_now = true;
    model.set_layers(rows);
    QCOMPARE(cell(model, 0, models::NetworkLayerModel::StateColumn), QStringLiteral("tuned now"));
  }

  void other_operators_say_how_many_and_why() {
    models::OtherOperatorModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.set_operators({{.name = "Relu", .count = 3, .bytes = 4096},
                         {.name = "Add", .count = 2, .bytes = 1024, .unknown = 1},
                         {.name = "Mul", .count = 1, .bytes = 8, .once = true},
                         {.name = "MatMul", .count = 1, .bytes = 0, .reason = "its shape is not known"}});
    QCOMPARE(model.rowCount(), 4);
    QCOMPARE(cell(model, 0, models::OtherOperatorModel::BytesColumn), QStringLiteral("4 KiB"));
    QCOMPARE(cell(model, 1, models::OtherOperatorModel::BytesColumn), QStringLiteral("1 KiB, unknown for 1"));
    QVERIFY(cell(model, 2, models::OtherOperatorModel::ReasonColumn).contains(QStringLiteral("once")));
    QCOMPARE(cell(model, 3, models::OtherOperatorModel::ReasonColumn),
             QStringLiteral("its shape is not known"));
  }

  void the_set_up_is_a_command_line() {
    const QString line = QString::fromStdString(views::network_command_line(usual_setup()));
    QVERIFY2(line.startsWith(QStringLiteral("kernelscape tune ")), qPrintable(line));
    for (const char* part : {" --network 'models/my model.onnx'", " --dim batch=1", " --scheduler gradient",
                             " --trials 40", " --seed 7"})
      QVERIFY2(line.contains(QLatin1String(part)), qPrintable(line));
    QVERIFY2(line.contains(QLatin1String("data[0]=2")), qPrintable(line));
    views::NetworkSetup alone = usual_setup();
    alone.request.scheduler.clear();
    QVERIFY(
        !QString::fromStdString(views::network_command_line(alone)).contains(QStringLiteral("--scheduler")));
  }

  void open_dimensions_are_those_of_the_reader() {
    const gui_tests::ModelFolder folder;
    testing::ModelBuilder builder;
    builder.input("x", {std::string("batch"), 8, std::string("a, b"), 6}).weight("w", {8, 8, 1, 1});
    builder.node("Conv", {"x", "w"}, {"y"});
    const views::NetworkReading reading =
        views::read_network(folder.write(QStringLiteral("m.onnx"), builder.bytes()).toStdString(), {}, {});
    QVERIFY(reading.network == nullptr);
    QCOMPARE(views::open_dimensions(reading.error),
             (std::vector<views::OpenDimension>{{"a, b", "x"}, {"batch", "x"}}));
    QVERIFY(views::open_dimensions({ErrorCode::InvalidArgument, "it is no ONNX model", {}}).empty());
    QVERIFY(views::open_dimensions(
                {ErrorCode::InvalidArgument, "the model leaves open how long a dimension is: \"batch", {}})
                .empty());
  }

  void a_set_up_is_checked_with_its_network() {
    views::NetworkSetup setup = usual_setup();
    const views::NetworkCheck good = views::check_network(setup, gui_tests::tiny_network(), nullptr);
    QVERIFY(good.problem() == nullptr);
    QCOMPARE(good.layers.size(), std::size_t{3});
    QCOMPARE(good.study->tasks.size(), std::size_t{3});
    QCOMPARE(good.study->scheduler, std::string("gradient"));
    QVERIFY(std::ranges::find(good.templates, "conv2d-packed") != good.templates.end());
    setup.request.target = "no such target";
    QVERIFY(views::check_network(setup, gui_tests::tiny_network(), nullptr).target_error);
    setup = usual_setup();
    task::WholeNetwork nothing = gui_tests::tiny_network();
    nothing.layers.erase(nothing.layers.begin(), nothing.layers.begin() + 2);
    setup.request.template_name = "conv2d-packed";
    const views::NetworkCheck none = views::check_network(setup, nothing, nullptr);
    QVERIFY(none.template_error && !none.study);
  }

  void a_budget_too_small_for_all_layers_is_reported() {
    views::NetworkSetup setup = usual_setup();
    setup.request.budget.trials = 2;
    QVERIFY(views::budget_warning(setup, 3).contains(QStringLiteral("2 trials are fewer than the 3 layers")));
    QVERIFY(views::budget_warning(setup, 2).isEmpty());
    setup.request.budget = {.trials = 0, .minutes = 1};
    QVERIFY(views::budget_warning(setup, 3).isEmpty());
    setup = usual_setup();
    setup.request.budget.trials = 1;
    setup.request.scheduler.clear();  // each has them for itself
    QVERIFY(views::budget_warning(setup, 3).isEmpty());
  }
};

KERNELSCAPE_TEST(NetworkModelTest, QApplication)

}  // namespace kernelscape::network_model_test
#include "network_model_test.moc"
