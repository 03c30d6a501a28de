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
#include "ui/report/report.h"
#include "ui/report/report_writers.h"
#include "ui/style/numbers.h"

namespace kernelscape::network_figures_test {
namespace {

using namespace chart_tests;

LayerTimeData some_layers() {
  LayerTimeData data{{}, QStringLiteral("oneDNN")};
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

NetworkCurveData some_curve() {
  NetworkCurveData data;
  data.points = {
      {10, 8e-3, QStringLiteral("begin")}, {20, 6e-3, QStringLiteral("C1 saved 2 ms")}, {50, 5e-3, {}}};
  data.end = 100;
  data.references = {{QStringLiteral("oneDNN"), 7e-3}, {QStringLiteral("limit"), 2e-3}};
  data.confirmed_seconds = 5.5e-3;
  return data;
}

/** What it draws. */
class ShownLayerTimes final : public LayerTimeChart {
 public:
  using LayerTimeChart::bars;
};

const FigureKind& kind_named(std::string_view name) {
  return *std::ranges::find(figure_kinds(), name, &FigureKind::name);
}

}  // namespace

class NetworkFiguresTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  StudyId study_ = 0;

  NetworkSource network() const {
    return std::make_shared<const NetworkProgress>(
        *read_network_progress(*Store::open(database_.path(), OpenMode::ReadOnly), study_));
  }

 private slots:
  void initTestCase() { study_ = gui_tests::add_study(database_.path(), gui_tests::gui_network_study()); }

  void a_layer_is_named_by_click_and_key() {
    const auto chart = shown_chart<LayerTimeChart>({700, 300});
    chart->set_data(some_layers());
    QSignalSpy activated(chart.get(), &LayerTimeChart::layer_activated);
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
    const BarRows bars = chart.bars();
    for (std::size_t row = 0; row < bars.rows.size(); ++row) {
      const LayerTime layer = some_layers().layers[row];
      const std::vector<BarPart>& parts = bars.rows[row].bars.front().parts;
      QCOMPARE(parts[1].value > 0, layer.limit_seconds > 0 && layer.tuned_seconds > layer.limit_seconds);
      QCOMPARE(parts[2].value > 0, layer.limit_seconds <= 0 && layer.tuned_seconds > 0);
      QCOMPARE(parts[0].value + parts[1].value + parts[2].value, 1e3 * layer.tuned_seconds);
    }
  }

  void bars_say_what_is_left_to_win() {
    const auto chart = shown_chart<LayerTimeChart>({700, 300});
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
    const ChartTable table = chart->table();
    QCOMPARE(table.rows.size(), std::size_t{3});
    for (const auto& row : table.rows) QCOMPARE(row.size(), table.columns.size());
    // A new order leaves the readout on its layer.
    QTest::mouseMove(chart.get(), chart->row_rect(1).center().toPoint());
    LayerTimeData turned = some_layers();
    std::ranges::reverse(turned.layers);
    std::swap(turned.layers[0], turned.layers[1]);
    chart->set_data(turned);
    if (chart->readout()) QVERIFY(chart->readout()->lines.front() == QStringLiteral("small"));
  }

  void a_limit_above_the_time_leaves_nothing() {
    LayerTime layer;
    layer.tuned_seconds = 1e-3;
    layer.limit_seconds = 2e-3;
    QCOMPARE(layer.left_seconds(), 0.0);
  }

  void the_curve_is_read_point_by_point() {
    const auto chart = shown_chart<NetworkCurveChart>({700, 400});
    chart->set_data(some_curve());
    QVERIFY(chart->frame().y.range.contains(8) && chart->frame().y.range.contains(2));
    const PlotFrame frame = chart->frame();
    QVERIFY(!chart->readout_at(QPointF(frame.map_x(2), frame.plot.center().y())));
    const auto readout = chart->readout_at(QPointF(frame.map_x(35), frame.plot.center().y()));
    QVERIFY(readout.has_value());
    QVERIFY(readout->lines[0].startsWith(QStringLiteral("6 ms, after 20 s")));
    QCOMPARE(readout->lines[1], QStringLiteral("C1 saved 2 ms"));
    QCOMPARE(readout->lines[2], QStringLiteral("117 % of the speed of oneDNN"));
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QCOMPARE(chart->readout()->row, std::int64_t{2});
    QTest::keyClick(chart.get(), Qt::Key_Left);
    QCOMPARE(chart->readout()->row, std::int64_t{1});
    const ChartTable table = chart->table();
    QCOMPARE(table.rows.size(), std::size_t{3 + 2 + 1});
    for (const auto& row : table.rows) QCOMPARE(row.size(), table.columns.size());
    chart->set_y_scale(AxisScale::Log10);
    check_painting(*chart);
    chart->set_data({});
    check_painting(*chart);
  }

  void figures_have_what_was_read() {
    const NetworkSource source = network();
    for (const ProgressX x : {ProgressX::Seconds, ProgressX::Trials}) {
      const FigureOf<NetworkCurveData> figure = network_curve_figure(*source, x);
      QVERIFY2(figure.text.notice.isEmpty(), qPrintable(figure.text.notice));
      QCOMPARE(figure.data.points.size(), source->points.size());
      QCOMPARE(figure.data.points.back().seconds, source->seconds);
      QVERIFY(!figure.text.caption.isEmpty());
    }
    const FigureOf<LayerTimeData> bars = layer_time_figure(*source);
    QCOMPARE(bars.data.layers.size(), source->outcome.layers.size());
    double all = 0;
    for (const LayerTime& layer : bars.data.layers) all += layer.tuned_seconds;
    QVERIFY(std::abs(all - source->outcome.seconds) < 1e-12 + 1e-9 * all);
    QVERIFY(std::ranges::is_sorted(bars.data.layers, std::greater(), &LayerTime::left_seconds));
    for (const FigureKind* kind : figure_kinds(FigurePlace::Network)) {
      const auto figures =
          kind->figures({.database = database_.path(), .network = source}, uncontrolled_job());
      QVERIFY2(!figures.empty(), kind->name.data());
      QVERIFY(kind->figures({}, uncontrolled_job()).empty());
    }
  }

  void what_is_not_tuned_is_named_in_place_of_a_sum() {
    Store store = *Store::open(database_.path());
    const StudyId untouched = create_study(store, gui_tests::gui_network_study()).value();
    const NetworkProgress progress = *read_network_progress(store, untouched);
    const FigureOf<NetworkCurveData> figure = network_curve_figure(progress, ProgressX::Seconds);
    QVERIFY(figure.data.points.empty());
    QVERIFY2(figure.text.notice.contains(QStringLiteral("0 of 3 layers")), qPrintable(figure.text.notice));
    for (const NetworkLayerOutcome& layer : progress.outcome.layers)
      QVERIFY2(figure.text.notice.contains(QString::fromStdString(layer_title(layer))), layer.task.c_str());
    QVERIFY(!layer_time_figure(progress).text.notice.isEmpty());
    const ReportDocument document = study_report_document(store, untouched).value();
    QVERIFY(std::get<ReportHeadline>(document.blocks.front()).number.contains(QStringLiteral("no complete")));
  }

  /** Without ceilings the report says so in place of the figure; with them layers are squares with names. */
  void layers_stand_in_the_roofline() {
    const NetworkSource source = network();
    const FigureKind& kind = kind_named("layers in the roofline");
    const FigureSource of{.database = database_.path(), .network = source};
    const Figure without = kind.figures(of, uncontrolled_job()).front();
    QVERIFY2(without.text.notice.contains(QStringLiteral("ceilings")), qPrintable(without.text.notice));
    Store store = *Store::open(database_.path());
    const RooflineSession session =
        *roofline_session(store.session(*source->outcome.layers[0].session)->record);
    const MachineCeilings ceilings{
        .peak_gflops = 1000,
        .levels = {{MemoryLevel::L1, 4e12, 32e3}, {MemoryLevel::Memory, 4e10, 256e6}},
        .threads = session.threads,
        .measured_utc = "2024-01-01T00:00:00Z",
        .notices = {}};
    QVERIFY(store.save_machine_measure(machine_key(session.kernel.target(), session.threads), ceilings_kind,
                                       machine_ceilings_to_json(ceilings)));
    const FigureOf<RooflineData> figure = network_roofline_figure(*source, database_.path(), MemoryLevel::L1);
    QVERIFY2(figure.text.notice.isEmpty(), qPrintable(figure.text.notice));
    QCOMPARE(figure.data.layers.size(), std::size_t{3});
    const auto chart = shown_chart<RooflineChart>({700, 420});
    figure.show_in(*chart);
    QSignalSpy activated(chart.get(), &RooflineChart::layer_activated);
    QSignalSpy rows(chart.get(), &Chart::row_activated);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto readout = chart->readout_at(*chart->position_of(i));
      QVERIFY(readout.has_value());
      QTest::mouseClick(chart.get(), Qt::LeftButton, {}, chart->position_of(i)->toPoint());
      const qint64 layer = activated.takeFirst()[0].toLongLong();
      QVERIFY(readout->lines[0].startsWith(
          QString::fromStdString(layer_title(source->outcome.layers[static_cast<std::size_t>(layer)]))));
    }
    QVERIFY(rows.isEmpty());
    check_painting(*chart);
    // Beside the trials of one of its sessions, as in Explore.
    const Source shown = *SourceReader(store, *source->outcome.layers[1].session).read();
    const RooflineQuery query{make_shown(shown, {}, std::nullopt, uncontrolled_job()), database_.path()};
    const RooflineOutcome outcome = roofline_of(query, {}, uncontrolled_job());
    QVERIFY(!outcome.figure.data.trials.empty());
    QCOMPARE(outcome.figure.data.layers.size(), std::size_t{3});
    QCOMPARE(outcome.parts.network->sessions[1], *source->outcome.layers[1].session);
    QVERIFY(outcome.figure.text.caption.contains(QStringLiteral("square")));
  }

  void a_report_answers_and_names_what_is_not_in_it() {
    Store store = *Store::open(database_.path(), OpenMode::ReadOnly);
    const NetworkSource source = network();
    const ReportDocument document = study_report_document(store, study_).value();
    const auto& headline = std::get<ReportHeadline>(document.blocks.front());
    QCOMPARE(headline.number, format_quantity(source->outcome.seconds, QStringLiteral("s")));
    std::size_t layer_rows = 0;
    // The time by both axes, and the bars; the roofline where the ceilings are known.
    QVERIFY(std::ranges::count_if(document.blocks, [](const ReportBlock& block) {
              return std::holds_alternative<Figure>(block);
            }) >= 3);
    QString all;
    for (const ReportBlock& block : document.blocks) {
      if (const auto* table = std::get_if<ReportTable>(&block)) {
        for (const QStringList& row : table->rows) {
          QCOMPARE(row.size(), std::ssize(table->columns));
          all += row.join(QLatin1Char(' ')) + QLatin1Char('\n');
        }
        if (table->columns.back().title == QStringLiteral("state")) layer_rows = table->rows.size();
      }
      if (const auto* paragraph = std::get_if<ReportParagraph>(&block)) all += paragraph->text;
    }
    QCOMPARE(layer_rows, std::size_t{3});
    QVERIFY(all.contains(QStringLiteral("Relu 3")) && all.contains(QStringLiteral("<reader>")));
    QVERIFY(all.contains(QStringLiteral("its first round")));
    const QString html = QString::fromUtf8(to_html(document));
    QVERIFY(html.contains(QStringLiteral("my &lt;network&gt;")) &&
            !html.contains(QStringLiteral("<network>")));
    QVERIFY(to_pdf(document).value().startsWith("%PDF"));
  }
};

KERNELSCAPE_TEST(NetworkFiguresTest, QApplication)

}  // namespace kernelscape::network_figures_test
#include "network_figures_test.moc"
