#include <QTest>
#include <cmath>
#include <memory>

#include "core/base/random.h"
#include "core/simulation/fleet_scaling.h"
#include "tests/gui/chart_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "ui/charts/curves/fleet_share_chart.h"
#include "ui/figures/registry.h"
#include "ui/report/report.h"
#include "ui/report/writers.h"

namespace kernelscape::fleet_figures_test {
namespace {

using namespace chart_tests;

std::shared_ptr<const simulation::FleetScaling> small_scaling() {
  simulation::FleetScalingRequest request;
  request.recording = *trial::Recording::open(std::filesystem::path(KERNELSCAPE_SOURCE_DIR) /
                                              "data/recorded/resnet18-C6-conv2d-nchwc.ksrec");
  request.fleet.trials = 40;
  request.fleet.sessions = 4;
  request.fleet.workers = 4;
  request.workers = {1, 2, 4, 8};
  return std::make_shared<const simulation::FleetScaling>(*simulation::simulate_scaling(request));
}

charts::FleetShareData two_curves() {
  return {charts::FleetAxis::Workers,
          QStringLiteral("efficiency"),
          {{QStringLiteral("many"), {{1, 1}, {4, 0.9}, {64, 0.8}}},
           {QStringLiteral("one"), {{1, 1}, {64, 0.1}}}}};
}

}  // namespace

class FleetFiguresTest : public QObject {
  Q_OBJECT

 private slots:
  void every_figure_shows_the_simulation() {
    const std::shared_ptr<const simulation::FleetScaling> scaling = small_scaling();
    int figures = 0;
    for (const figures::Kind& kind : figures::figure_kinds()) {
      if (kind.part != figures::ReportPart::Fleet) continue;
      QVERIFY(kind.figures({}, figures::uncontrolled_job()).empty());
      for (const figures::Figure& figure : kind.figures({.fleet = scaling}, figures::uncontrolled_job())) {
        ++figures;
        const std::unique_ptr<charts::Chart> chart = figure.make();
        check_painting(*chart);
        for (const charts::FleetShareCurve& curve :
             static_cast<const charts::FleetShareChart&>(*chart).data().curves) {
          QVERIFY(!curve.points.empty());
          for (const QPointF& point : curve.points) QVERIFY(point.y() >= 0 && point.y() <= 1 + 1e-9);
        }
      }
    }
    QCOMPARE(figures, 3);
  }

  void a_report_says_all_of_it() {
    const QByteArray page = report::to_html(report::fleet_report_document(small_scaling()));
    QVERIFY(is_xml(page));
    QCOMPARE(page.count("<svg "), 3);
    for (const char* text :
         {"4 sessions at once", "a session for each worker", "one session", "dead letters"})
      QVERIFY2(page.contains(text), text);
  }

  void points_stand_at_their_values_and_say_them() {
    const auto chart = shown_chart<charts::FleetShareChart>({640, 420});
    chart->set_data(two_curves());
    check_painting(*chart);
    const charts::PlotFrame frame = chart->frame();
    QVERIFY(has_colour_near(chart->to_image(1), frame.map(4, 90), charts::arm_ink(0).colour));
    const auto readout = chart->readout_at(frame.map(64, 12));
    QVERIFY(readout);
    QCOMPARE(readout->lines, QStringList({"64 workers", "many  80 %", "one  10 %"}));
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QCOMPARE(chart->readout()->lines[0], QStringLiteral("1 worker"));
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QCOMPARE(chart->readout()->lines, QStringList({"4 workers", "many  90 %"}));
    // The other curve has no such fleet: the readout stays.
    QTest::keyClick(chart.get(), Qt::Key_Down);
    QCOMPARE(chart->readout()->lines[0], QStringLiteral("4 workers"));
    QTest::keyClick(chart.get(), Qt::Key_Right);
    const QPointF above = chart->readout()->position;
    QTest::keyClick(chart.get(), Qt::Key_Down);
    QVERIFY(chart->readout()->position.y() > above.y());
    QCOMPARE(number_in_table(*chart, 4, 2), 10.0);
  }

  void random_data_are_painted() {
    base::Random random(testing::random_seed());
    const auto chart = shown_chart<charts::FleetShareChart>({500, 300});
    for (int round = 0; round < 30; ++round) {
      charts::FleetShareData data{random.chance(0.5) ? charts::FleetAxis::Workers : charts::FleetAxis::Batch,
                                  QStringLiteral("share"),
                                  {}};
      for (std::uint64_t curve = random.below(5); curve > 0; --curve) {
        charts::FleetShareCurve& made = data.curves.emplace_back(QStringLiteral("curve %1").arg(curve));
        for (double x = 1; random.chance(0.8); x *= 2) made.points.emplace_back(x, random.uniform());
      }
      chart->set_data(data);
      check_painting(*chart);
      for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Down, Qt::Key_Up, Qt::Key_Left})
        QTest::keyClick(chart.get(), key);
    }
  }

 private:
  static double number_in_table(const charts::Chart& chart, std::size_t row, std::size_t column) {
    return std::get<double>(chart.table().rows[row][column]);
  }
};

KERNELSCAPE_TEST(FleetFiguresTest, QApplication)

}  // namespace kernelscape::fleet_figures_test
#include "fleet_figures_test.moc"
