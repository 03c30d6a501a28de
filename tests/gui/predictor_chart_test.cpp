#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "tests/gui/series_session.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "ui/charts/curves/prediction_chart.h"
#include "ui/charts/curves/predictor_curve_chart.h"

namespace kernelscape::predictor_chart_test {
namespace {

using namespace chart_tests;

/** A predictor that learns for a while, and then its tasks by heart. */
charts::PredictorCurveData losses(std::size_t epochs) {
  charts::PredictorCurveData data{.quantity = charts::PredictorQuantity::Loss, .curves = {}};
  charts::PredictorCurve validation{.predictor = 0, .name = QStringLiteral("a, validation"), .marked_x = 3};
  charts::PredictorCurve training{
      .predictor = 0, .name = QStringLiteral("a, training"), .kind = charts::PredictorCurveKind::Training};
  for (std::size_t epoch = 1; epoch <= epochs; ++epoch) {
    const auto x = static_cast<double>(epoch);
    validation.points.emplace_back(x, 0.2 + 0.05 * std::abs(x - 3));
    training.points.emplace_back(x, 1 / (1 + x));
  }
  data.curves = {validation, training};
  return data;
}

charts::PredictorCurveData regrets() {
  charts::PredictorCurveData data{.quantity = charts::PredictorQuantity::Regret, .curves = {}};
  data.curves.push_back(
      {.predictor = 0, .name = QStringLiteral("a"), .points = {{1, 0.3}, {4, 0.1}, {16, 0.02}, {64, 0}}});
  data.curves.push_back({.predictor = 0,
                         .name = QStringLiteral("random"),
                         .kind = charts::PredictorCurveKind::Random,
                         .points = {{1, 0.6}, {4, 0.4}, {16, 0.2}, {64, 0.05}}});
  return data;
}

}  // namespace

class PredictorChartTest : public QObject {
  Q_OBJECT

 private slots:
  void nothing_yet_is_painted_too() {
    for (const charts::PredictorQuantity quantity :
         {charts::PredictorQuantity::Loss, charts::PredictorQuantity::Tau,
          charts::PredictorQuantity::Regret}) {
      charts::PredictorCurveChart chart;
      chart.resize(400, 300);
      chart.set_data({.quantity = quantity, .curves = {{.predictor = 0, .name = QStringLiteral("a")}}});
      check_painting(chart);
      QVERIFY(chart.accessibleName().contains(QStringLiteral("nothing yet")));
      chart.show();
      QTest::keyClick(&chart, Qt::Key_Right);
      QVERIFY(!chart.readout());
    }
  }

  void curves_stand_at_their_values() {
    const auto chart = shown_chart<charts::PredictorCurveChart>({640, 420});
    chart->set_data(losses(8));
    check_painting(*chart);
    const charts::PlotFrame frame = chart->frame();
    for (const charts::PredictorCurve& curve : chart->data().curves)
      for (const QPointF& point : curve.points) {
        QVERIFY(frame.x.range.contains(point.x()));
        QVERIFY(frame.y.range.contains(point.y()));
      }
    QVERIFY(has_colour_near(chart->to_image(1), frame.map(5, 0.3), charts::arm_ink(0).colour));
    QCOMPARE(chart->table().rows.size(), std::size_t{16});
    // A logarithmic axis is for losses alone: regret can be 0.
    chart->set_y_scale(charts::AxisScale::Log10);
    check_painting(*chart);
    chart->set_data(regrets());
    QCOMPARE(chart->y_scale(), charts::AxisScale::Linear);
    check_painting(*chart);
    QCOMPARE(chart->x_axis().scale, charts::AxisScale::Log2);
    QCOMPARE(number_in(chart->table(), 0, 2), 30.0);
  }

  void readouts_tell_all_curves_of_an_epoch() {
    const auto chart = shown_chart<charts::PredictorCurveChart>({640, 420});
    chart->set_data(losses(8));
    const charts::PlotFrame frame = chart->frame();
    const auto readout = chart->readout_at(frame.map(3, 0.2));
    QVERIFY(readout.has_value());
    QCOMPARE(readout->lines[0], QStringLiteral("epoch 3"));
    QCOMPARE(readout->lines.size(), 3);
    QVERIFY(readout->lines[1].contains(QStringLiteral("weights")));
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QCOMPARE(chart->readout()->lines[0], QStringLiteral("epoch 8"));
    QTest::keyClick(chart.get(), Qt::Key_Left);
    QCOMPARE(chart->readout()->lines[0], QStringLiteral("epoch 7"));
    const QPointF above = chart->readout()->position;
    QTest::keyClick(chart.get(), Qt::Key_Down);
    QCOMPARE(chart->readout()->lines[0], QStringLiteral("epoch 7"));
    QVERIFY(chart->readout()->position != above);
    QTest::keyClick(chart.get(), Qt::Key_Up);
    QCOMPARE(chart->readout()->position, above);
    chart->set_data(regrets());
    QCOMPARE(chart->readout_at(chart->frame().map(16, 2))->lines[0], QStringLiteral("after 16 measurements"));
  }

  /** Whatever comes: values that are missing, a single point, another quantity in the middle. */
  void random_data_are_painted() {
    base::Random random(testing::random_seed());
    const auto chart = shown_chart<charts::PredictorCurveChart>({500, 300});
    for (int round = 0; round < 40; ++round) {
      charts::PredictorCurveData data{.quantity = static_cast<charts::PredictorQuantity>(random.below(3)),
                                      .curves = {}};
      for (std::uint64_t curve = random.below(5); curve > 0; --curve) {
        charts::PredictorCurve& made = data.curves.emplace_back();
        made.predictor = random.below(2);
        made.kind = static_cast<charts::PredictorCurveKind>(random.below(3));
        made.name = QStringLiteral("curve %1").arg(curve);
        for (double x = 1; random.chance(0.8); ++x)
          made.points.emplace_back(
              x, random.chance(0.1) ? std::numeric_limits<double>::quiet_NaN() : 2 * random.uniform() - 0.5);
      }
      chart->set_data(data);
      check_painting(*chart);
      QTest::keyClick(chart.get(), Qt::Key_Right);
      QTest::keyClick(chart.get(), Qt::Key_Down);
    }
  }

  /** Samples have no batches: none stands out, and nothing says when it was measured. */
  void samples_that_no_tuner_drew() {
    charts::SeriesData samples = small_session().data();
    samples.proposed = false;
    const auto chart = shown_chart<charts::PredictionChart>({640, 420});
    chart->set_data(samples);
    check_painting(*chart);
    QVERIFY(chart->latest_batch().empty());
    const auto readout = chart->readout_at(*chart->position_of(4));
    QVERIFY(readout->lines[0].startsWith(QStringLiteral("sample 4: predicted 200")));
    for (const QString& line : readout->lines) QVERIFY(!line.contains(QStringLiteral("batch")));
    QVERIFY(!chart->explanation().contains(QStringLiteral("tuner chose")));
    // Shown again they keep the view; those of another task are another picture, though they look alike.
    chart->zoom_to({100, 150}, {100, 150});
    chart->set_data(samples);
    QVERIFY(!chart->at_home());
    ++samples.session;
    chart->set_data(samples);
    QVERIFY(chart->at_home());
  }
};

KERNELSCAPE_TEST(PredictorChartTest, QApplication)

}  // namespace kernelscape::predictor_chart_test
#include "predictor_chart_test.moc"
