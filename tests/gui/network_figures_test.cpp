#include "ui/figures/network_figures.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "core/measure/cpu/memory_ceilings.h"
#include "core/session/trial_roofline.h"
#include "tests/gui/chart_support.h"
#include "tests/gui/network_gui_support.h"
#include "tests/test_program.h"
#include "ui/figures/registry.h"
#include "ui/figures/roofline_figure.h"
#include "ui/models/network_layer_model.h"
#include "ui/report/report.h"
#include "ui/report/writers.h"
#include "ui/style/numbers.h"

namespace kernelscape::network_figures_test {
namespace {

using namespace chart_tests;

charts::LayerTimeData some_layers() {
  charts::LayerTimeData data{{}, QStringLiteral("oneDNN")};
  data.layers.push_back({.layer = 4,
                         .name = QStringLiteral("big"),
                         .multiplicity = 2,
                         .tuned_seconds = 4e-3,
                         .vendor_seconds = 5e-3,
                         .limit_seconds = 1e-3,
                         .confirmed = true});
  data.layers.push_back({.layer = 1, .name = QStringLiteral("small"), .tuned_seconds = 1e-3});
  data.layers.push_back({.layer = 7,
                         .name = QStringLiteral("none"),
                         .vendor_seconds = 2e-3,
                         .missing = QStringLiteral("no valid kernel was found")});
  return data;
}

charts::NetworkCurveData some_curve() {
  charts::NetworkCurveData data;
  data.points = {
      {10, 8e-3, QStringLiteral("begin")}, {20, 6e-3, QStringLiteral("C1 saved 2 ms")}, {50, 5e-3, {}}};
  data.end = 100;
  data.references = {{QStringLiteral("oneDNN"), 7e-3}, {QStringLiteral("limit"), 2e-3}};
  data.confirmed_seconds = 5.5e-3;
  return data;
}

/** What it draws. */
class ShownLayerTimes final : public charts::LayerTimeChart {
 public:
  using charts::LayerTimeChart::bars;
};

const figures::Kind& kind_named(std::string_view name) {
  return *std::ranges::find(figures::figure_kinds(), name, &figures::Kind::name);
}

}  // namespace

class NetworkFiguresTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  store::StudyId study_ = 0;

  study::NetworkSource network() const {
    return std::make_shared<const study::NetworkProgress>(*study::read_network_progress(
        *store::Store::open(database_.path(), store::OpenMode::ReadOnly), study_));
  }

 private slots:
  void initTestCase() { study_ = gui_tests::add_study(database_.path(), gui_tests::gui_network_study()); }

  void a_layer_is_named_by_click_and_key() {
    const auto chart = shown_chart<charts::LayerTimeChart>({700, 300});
    chart->set_data(some_layers());
    QSignalSpy activated(chart.get(), &charts::LayerTimeChart::layer_activated);
    for (std::size_t row = 0; row < 3; ++row) {
      // Behind the bar too, and where there is none.
      const QRectF rectangle = chart->row_rect(row);
      QTest::mouseClick(chart.get(), Qt::LeftButton, {},
                        QPointF(rectangle.right() - 4, rectangle.center().y()).toPoint());
      QCOMPARE(activated.takeFirst()[0].toLongLong(), qint64(some_layers().layers[row].layer));
    }
    for (int step = 0; step < 2; ++step) QTest::keyClick(chart.get(), Qt::Key_Down);
    QTest::keyClick(chart.get(), Qt::Key_Return);
    QCOMPARE(activated.takeFirst()[0].toLongLong(), 1);
    check_painting(*chart);
  }

  /** Nobody knows how much of it could be won. */
  void a_bar_without_a_limit_promises_nothing() {
    ShownLayerTimes chart;
    chart.set_data(some_layers());
    const charts::BarRows bars = chart.bars();
    for (std::size_t row = 0; row < bars.rows.size(); ++row) {
      const charts::LayerTime layer = some_layers().layers[row];
      const std::vector<charts::BarPart>& parts = bars.rows[row].bars.front().parts;
      QCOMPARE(parts[1].value > 0, layer.limit_seconds > 0 && layer.tuned_seconds > layer.limit_seconds);
      QCOMPARE(parts[2].value > 0, layer.limit_seconds <= 0 && layer.tuned_seconds > 0);
      QCOMPARE(parts[0].value + parts[1].value + parts[2].value, 1e3 * layer.tuned_seconds);
    }
  }

  /** One layer takes most of the time: the others are bars, not slivers, and the cut is marked and named. */
  void bars_beside_an_outlier_can_be_read() {
    charts::LayerTimeData data;
    data.layers.push_back({.layer = 0, .name = QStringLiteral("giant"), .tuned_seconds = 2.0});
    for (std::size_t layer = 1; layer < 9; ++layer)
      data.layers.push_back({.layer = layer,
                             .name = QStringLiteral("layer %1").arg(layer),
                             .tuned_seconds = 1e-3 * static_cast<double>(layer),
                             .vendor_seconds = 1e-3});
    data.layers[3].vendor_seconds = 3.0;
    ShownLayerTimes chart;
    chart.resize(800, 400);
    chart.set_data(data);
    const charts::BarRows bars = chart.bars();
    const charts::BarLayout layout(bars, QRectF(0, 0, 800, 400));
    const auto length_of = [&](std::size_t row) {
      double length = 0;
      for (std::size_t part = 0; part < layout.parts(); ++part) length += layout.part({row, part}).width();
      return length;
    };
    for (std::size_t row = 1; row < data.layers.size(); ++row) {
      QVERIFY(!layout.is_cut(row));
      // In proportion to each other, from zero.
      QVERIFY(std::abs(length_of(row) - length_of(8) * data.layers[row].tuned_seconds / 8e-3) < 0.01);
    }
    QVERIFY(layout.is_cut(0));
    QVERIFY(length_of(8) > 0.5 * length_of(0) && length_of(8) < length_of(0));
    QVERIFY2(bars.note.contains(QStringLiteral("giant")) && bars.note.contains(QStringLiteral("layer 3")),
             qPrintable(bars.note));
    QVERIFY(!bars.note.contains(QStringLiteral("layer 8")));
    QVERIFY(bars.rows[0].bars.front().text.startsWith(QStringLiteral("2 s")));
    check_painting(chart);
    // Without an outlier nothing is cut.
    data.layers[0].tuned_seconds = 12e-3;
    data.layers[3].vendor_seconds = 0;
    chart.set_data(data);
    const charts::BarRows whole = chart.bars();
    QVERIFY(whole.note.isEmpty());
    const charts::BarLayout all(whole, QRectF(0, 0, 800, 400));
    for (std::size_t row = 0; row < data.layers.size(); ++row) QVERIFY(!all.is_cut(row));
  }

  void bars_say_what_is_left_to_win() {
    const auto chart = shown_chart<charts::LayerTimeChart>({700, 300});
    chart->set_data(some_layers());
    const auto lines_at = [&](std::size_t row) {
      return chart->readout_at(chart->row_rect(row).center())->lines.join(QLatin1Char('\n'));
    };
    QVERIFY(lines_at(0).contains(QStringLiteral("4 ms: 2 calls of 2 ms each")));
    QVERIFY(lines_at(0).contains(QStringLiteral("possible saving: at most 3 ms")));
    QVERIFY(lines_at(0).contains(QStringLiteral("125 % ")) || lines_at(0).contains(QStringLiteral("125 %")));
    QVERIFY(lines_at(1).contains(QStringLiteral("not confirmed")));
    QVERIFY(lines_at(1).contains(QStringLiteral("the machine's limit is unknown")));
    QVERIFY(lines_at(2).contains(QStringLiteral("no kernel: no valid kernel was found")));
    QVERIFY(chart->summary().contains(QStringLiteral("none no kernel")));
    const charts::Table table = chart->table();
    QCOMPARE(table.rows.size(), std::size_t{3});
    for (const auto& row : table.rows) QCOMPARE(row.size(), table.columns.size());
    // A new order leaves the readout on its layer.
    QTest::mouseMove(chart.get(), chart->row_rect(1).center().toPoint());
    charts::LayerTimeData turned = some_layers();
    std::ranges::reverse(turned.layers);
    std::swap(turned.layers[0], turned.layers[1]);
    chart->set_data(turned);
    if (chart->readout()) QVERIFY(chart->readout()->lines.front() == QStringLiteral("small"));
  }

  void a_limit_above_the_time_leaves_nothing() {
    charts::LayerTime layer;
    layer.tuned_seconds = 1e-3;
    layer.limit_seconds = 2e-3;
    QCOMPARE(layer.left_seconds(), 0.0);
  }

  void the_curve_is_read_point_by_point() {
    const auto chart = shown_chart<charts::NetworkCurveChart>({700, 400});
    chart->set_data(some_curve());
    QVERIFY(chart->frame().y.range.contains(8) && chart->frame().y.range.contains(2));
    const charts::PlotFrame frame = chart->frame();
    QVERIFY(!chart->readout_at(QPointF(frame.map_x(2), frame.plot.center().y())));
    const auto readout = chart->readout_at(QPointF(frame.map_x(35), frame.plot.center().y()));
    QVERIFY(readout.has_value());
    QVERIFY(readout->lines[0].startsWith(QStringLiteral("6 ms, after 20 s")));
    QCOMPARE(readout->lines[1], QStringLiteral("C1 saved 2 ms"));
    QCOMPARE(readout->lines[2], QStringLiteral("117 % of the speed of oneDNN"));
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QCOMPARE(chart->readout()->mark, std::int64_t{2});
    QTest::keyClick(chart.get(), Qt::Key_Left);
    QCOMPARE(chart->readout()->mark, std::int64_t{1});
    const charts::Table table = chart->table();
    QCOMPARE(table.rows.size(), std::size_t{3 + 2 + 1});
    for (const auto& row : table.rows) QCOMPARE(row.size(), table.columns.size());
    chart->set_y_scale(charts::AxisScale::Log10);
    check_painting(*chart);
    chart->set_data({});
    check_painting(*chart);
  }

  void figures_have_what_was_read() {
    const study::NetworkSource source = network();
    for (const charts::ProgressX x : {charts::ProgressX::Seconds, charts::ProgressX::Trials}) {
      const figures::FigureOf<charts::NetworkCurveData> figure = figures::network_curve_figure(*source, x);
      QVERIFY2(figure.text.notice.isEmpty(), qPrintable(figure.text.notice));
      QCOMPARE(figure.data.points.size(), source->points.size());
      QCOMPARE(figure.data.points.back().seconds, source->seconds);
      QVERIFY(!figure.text.caption.isEmpty());
    }
    const figures::FigureOf<charts::LayerTimeData> bars = figures::layer_time_figure(*source);
    QCOMPARE(bars.data.layers.size(), source->outcome.layers.size());
    double all = 0;
    for (const charts::LayerTime& layer : bars.data.layers) all += layer.tuned_seconds;
    QVERIFY(std::abs(all - source->outcome.seconds) < 1e-12 + 1e-9 * all);
    QVERIFY(std::ranges::is_sorted(bars.data.layers, std::greater(), &charts::LayerTime::left_seconds));
    for (const figures::Kind* kind : figures::figure_kinds(figures::Place::Network)) {
      const auto figures =
          kind->figures({.database = database_.path(), .network = source}, figures::uncontrolled_job());
      QVERIFY2(!figures.empty(), kind->name.data());
      QVERIFY(kind->figures({}, figures::uncontrolled_job()).empty());
    }
  }

  /** The points whose kernels the model keeps, over both axes, with what was measured at the end. */
  void the_latency_of_the_model_is_a_curve() {
    study::NetworkProgress progress = *network();
    QVERIFY(!figures::model_latency_figure(progress, charts::ProgressX::Seconds).text.notice.isEmpty());
    progress.definition.model_source = study::ModelSource{"/a model.onnx"};
    QVERIFY(!figures::model_latency_figure(progress, charts::ProgressX::Seconds).text.notice.isEmpty());
    const std::size_t layers = progress.outcome.layers.size();
    for (int i = 1; i <= 4; ++i) {
      study::LatencyPoint& point = progress.outcome.latencies.points.emplace_back();
      point.elapsed_seconds = i;
      point.trials = 10 * i;
      point.times = {4e-3 / i, 3e-3 / i, 5e-3 / i};
      point.parts = {6e-3, 3e-3, 1e-3};
      point.layer_seconds.assign(layers, 2e-3);
      point.changed = {0};
      point.slower = i == 3;
    }
    progress.outcome.latency = study::ModelLatency{.times = {9e-4, 8e-4, 1e-3}};
    progress.outcome.latency->vendor =
        study::LatencyComparison{.name = "onnxruntime", .times = {7e-4, 7e-4, 7e-4}};
    for (const charts::ProgressX x : {charts::ProgressX::Seconds, charts::ProgressX::Trials}) {
      const figures::FigureOf<charts::NetworkCurveData> figure = figures::model_latency_figure(progress, x);
      QVERIFY(figure.text.notice.isEmpty());
      QCOMPARE(figure.data.points.size(), std::size_t{3});
      QCOMPARE(figure.data.points.back().seconds, 1e-3);
      QCOMPARE(figure.data.points.back().x, x == charts::ProgressX::Seconds ? 4.0 : 40.0);
      QVERIFY(figure.data.points.back().cause.contains(
          QString::fromStdString(study::layer_title(progress.outcome.layers[0]))));
      QCOMPARE(figure.data.confirmed_seconds, std::optional(9e-4));
      QCOMPARE(figure.data.references.front().seconds, 7e-4);
      for (const int percent : {60, 30, 10, 20})
        QVERIFY2(figure.text.caption.contains(style::format_percent(percent / 100.0)),
                 qPrintable(figure.text.caption));
      const auto chart = shown_chart<charts::ModelLatencyChart>({700, 400});
      figure.show_in(*chart);
      check_painting(*chart);
      QVERIFY(chart->table().columns[2].starts_with("latency"));
    }
    const std::vector<models::NetworkLayerRow> rows = models::network_layer_rows(
        workspace::NetworkSnapshot{std::make_shared<const study::NetworkProgress>(progress), nullptr});
    QVERIFY(std::abs(rows.front().share_of_latency.value_or(0) - 0.2) < 1e-12);
    models::NetworkLayerModel model;
    model.set_layers(rows);
    QCOMPARE(model.index(0, models::NetworkLayerModel::LatencyColumn).data().toString(),
             style::format_percent(0.2));
  }

  void what_is_not_tuned_is_named_in_place_of_a_sum() {
    store::Store store = *store::Store::open(database_.path());
    const store::StudyId untouched = study::create_study(store, gui_tests::gui_network_study()).value();
    const study::NetworkProgress progress = *study::read_network_progress(store, untouched);
    const figures::FigureOf<charts::NetworkCurveData> figure =
        figures::network_curve_figure(progress, charts::ProgressX::Seconds);
    QVERIFY(figure.data.points.empty());
    QVERIFY2(figure.text.notice.contains(QStringLiteral("0 of 3 layers")), qPrintable(figure.text.notice));
    for (const study::NetworkLayerOutcome& layer : progress.outcome.layers)
      QVERIFY2(figure.text.notice.contains(QString::fromStdString(study::layer_title(layer))),
               layer.task.c_str());
    QVERIFY(!figures::layer_time_figure(progress).text.notice.isEmpty());
    const report::Document document = report::study_report_document(store, untouched).value();
    QVERIFY(
        std::get<report::Headline>(document.blocks.front()).number.contains(QStringLiteral("no complete")));
  }

  /** Without ceilings the report says so in place of the figure; with them layers are squares with names. */
  void layers_stand_in_the_roofline() {
    const study::NetworkSource source = network();
    const figures::Kind& kind = kind_named("layers in the roofline");
    const figures::Source of{.database = database_.path(), .network = source};
    const figures::Figure without = kind.figures(of, figures::uncontrolled_job()).front();
    QVERIFY2(without.text.notice.contains(QStringLiteral("ceilings")), qPrintable(without.text.notice));
    store::Store store = *store::Store::open(database_.path());
    const session::RooflineSession session =
        *session::roofline_session(store.sessions().get(*source->outcome.layers[0].session)->record);
    const trial::MachineCeilings ceilings{
        .peak_gflops = 1000,
        .levels = {{base::MemoryLevel::L1, 4e12, 32e3}, {base::MemoryLevel::Memory, 4e10, 256e6}},
        .threads = session.threads,
        .measured_utc = "2024-01-01T00:00:00Z",
        .notices = {}};
    QVERIFY(store.machines().save_measure(measure::machine_key(session.kernel.target(), session.threads),
                                          measure::ceilings_kind, trial::machine_ceilings_to_json(ceilings)));
    const figures::FigureOf<charts::RooflineData> figure =
        figures::network_roofline_figure(*source, database_.path(), base::MemoryLevel::L1);
    QVERIFY2(figure.text.notice.isEmpty(), qPrintable(figure.text.notice));
    QCOMPARE(figure.data.layers.size(), std::size_t{3});
    const auto chart = shown_chart<charts::RooflineChart>({700, 420});
    figure.show_in(*chart);
    QSignalSpy activated(chart.get(), &charts::RooflineChart::layer_activated);
    QSignalSpy rows(chart.get(), &charts::Chart::row_activated);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto readout = chart->readout_at(*chart->position_of(i));
      QVERIFY(readout.has_value());
      QTest::mouseClick(chart.get(), Qt::LeftButton, {}, chart->position_of(i)->toPoint());
      const qint64 layer = activated.takeFirst()[0].toLongLong();
      QVERIFY(readout->lines[0].startsWith(QString::fromStdString(
          study::layer_title(source->outcome.layers[static_cast<std::size_t>(layer)]))));
    }
    QVERIFY(rows.isEmpty());
    check_painting(*chart);
    // Beside the trials of one of its sessions, as in Explore.
    const workspace::Source shown =
        *workspace::SourceReader(store, *source->outcome.layers[1].session).read();
    const figures::RooflineQuery query{
        figures::make_shown(shown, {}, std::nullopt, figures::uncontrolled_job()), database_.path()};
    const figures::RooflineOutcome outcome = figures::roofline_of(query, {}, figures::uncontrolled_job());
    QVERIFY(!outcome.figure.data.trials.empty());
    QCOMPARE(outcome.figure.data.layers.size(), std::size_t{3});
    QCOMPARE(outcome.parts.network->sessions[1], *source->outcome.layers[1].session);
    QVERIFY(outcome.figure.text.caption.contains(QStringLiteral("square")));
  }

  void a_report_answers_and_names_what_is_not_in_it() {
    store::Store store = *store::Store::open(database_.path(), store::OpenMode::ReadOnly);
    const study::NetworkSource source = network();
    const report::Document document = report::study_report_document(store, study_).value();
    const auto& headline = std::get<report::Headline>(document.blocks.front());
    QCOMPARE(headline.number, style::format_quantity(source->outcome.seconds, QStringLiteral("s")));
    std::size_t layer_rows = 0;
    // The time by both axes, and the bars; the roofline where the ceilings are known.
    QVERIFY(std::ranges::count_if(document.blocks, [](const report::Block& block) {
              return std::holds_alternative<figures::Figure>(block);
            }) >= 3);
    QString all;
    for (const report::Block& block : document.blocks) {
      if (const auto* table = std::get_if<report::Table>(&block)) {
        for (const QStringList& row : table->rows) {
          QCOMPARE(row.size(), std::ssize(table->columns));
          all += row.join(QLatin1Char(' ')) + QLatin1Char('\n');
        }
        if (table->columns.back().title == QStringLiteral("state")) layer_rows = table->rows.size();
      }
      if (const auto* paragraph = std::get_if<report::Paragraph>(&block)) all += paragraph->text;
    }
    QCOMPARE(layer_rows, std::size_t{3});
    QVERIFY(all.contains(QStringLiteral("Relu 3")) && all.contains(QStringLiteral("<reader>")));
    QVERIFY(all.contains(QStringLiteral("its first round")));
    const QString html = QString::fromUtf8(report::to_html(document));
    QVERIFY(html.contains(QStringLiteral("my &lt;network&gt;")) &&
            !html.contains(QStringLiteral("<network>")));
    QVERIFY(report::to_pdf(document).value().startsWith("%PDF"));
  }
};

KERNELSCAPE_TEST(NetworkFiguresTest, QApplication)

}  // namespace kernelscape::network_figures_test
#include "network_figures_test.moc"
