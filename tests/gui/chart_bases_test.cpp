#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/random.h"
#include "tests/gui/chart_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "ui/charts/curves/curve_points.h"
#include "ui/charts/curves/fleet_share_chart.h"
#include "ui/charts/trial_chart.h"

namespace kernelscape::chart_bases_test {
namespace {

using namespace chart_tests;

struct Curve {
  std::vector<QPointF> points;
};

/** Up to 5 curves over some of the x 1, 2, ... 8; a tenth of the values is no number. */
std::vector<Curve> random_curves(base::Random& random) {
  std::vector<Curve> curves(random.below(6));
  for (Curve& curve : curves)
    for (int x = 1; x <= 8; ++x)
      if (random.chance(0.6))
        curve.points.emplace_back(x, random.chance(0.1) ? std::nan("") : 20 * random.uniform());
  return curves;
}

/** Counts what the base calls. */
class CountingChart : public charts::TrialChart {
 public:
  int rows = 0;
  int selections = 0;

  charts::Table table() const override { return {}; }
  std::int64_t shown_row() const { return current_row(); }
  const analysis::RowSet& shown_selection() const { return selection(); }
  void show_other_session() { forget_rows(); }

 protected:
  void paint_data(charts::Canvas&, const charts::PlotFrame&) override {}
  void current_row_changed() override { ++rows; }
  void selection_changed() override { ++selections; }
};

}  // namespace

class ChartBasesTest : public QObject {
  Q_OBJECT

 private slots:
  void the_nearest_point_is_nearest_in_x_and_then_in_y() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 300; ++round) {
      const std::vector<Curve> curves = random_curves(random);
      const charts::CurvePoints points(curves);
      const auto place = [](QPointF point) { return QPointF(10 * point.x(), 5 * point.y()); };
      const QPointF mouse(100 * random.uniform(), 100 * random.uniform());
      const auto nearest = points.nearest(mouse, place);
      std::map<std::pair<double, double>, charts::CurvePoint> by_distance;
      for (std::size_t curve = 0; curve < curves.size(); ++curve)
        for (std::size_t point = 0; point < curves[curve].points.size(); ++point) {
          const QPointF at = place(curves[curve].points[point]);
          const double y = std::isfinite(at.y()) ? std::abs(at.y() - mouse.y()) : HUGE_VAL;
          by_distance.try_emplace({std::round(std::abs(at.x() - mouse.x())), y},
                                  charts::CurvePoint{curve, point});
        }
      QCOMPARE(nearest.has_value(), !by_distance.empty());
      QCOMPARE(points.first_curve().has_value(), !by_distance.empty());
      if (!nearest) continue;
      QVERIFY(*nearest == by_distance.begin()->second);
      QVERIFY(points.with_mark(charts::CurvePoints::mark_of(*nearest)) == nearest);
    }
  }

  void arrow_keys_stay_on_points_that_exist() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 300; ++round) {
      const std::vector<Curve> curves = random_curves(random);
      const charts::CurvePoints points(curves);
      const std::optional<std::size_t> first = points.first_curve();
      if (!first) continue;
      charts::CurvePoint here{*first, 0};
      const auto at = [&](charts::CurvePoint point) { return curves.at(point.curve).points.at(point.point); };
      for (int step = 0; step < 20; ++step) {
        const bool level = random.chance(0.5);
        const bool up = random.chance(0.5);
        const charts::CurvePoint next =
            points.step(here, level ? (up ? Qt::Key_Right : Qt::Key_Left) : (up ? Qt::Key_Up : Qt::Key_Down));
        QVERIFY(at(next).x() > 0);  // at() throws for a point that does not exist
        if (level) {
          const std::size_t last = curves[here.curve].points.size() - 1;
          QCOMPARE(next.curve, here.curve);
          QCOMPARE(next.point,
                   up ? std::min(here.point + 1, last) : std::max<std::size_t>(here.point, 1) - 1);
        } else {
          std::vector<std::size_t> others;  // the curves in this direction that have a point at this x
          for (std::size_t other = 0; other < curves.size(); ++other)
            if ((up ? other < here.curve : other > here.curve) &&
                std::ranges::find(curves[other].points, at(here).x(), &QPointF::x) !=
                    curves[other].points.end())
              others.push_back(other);
          QCOMPARE(at(next).x(), at(here).x());
          QCOMPARE(next.curve, others.empty() ? here.curve : up ? others.back() : others.front());
        }
        here = next;
      }
    }
  }

  void a_mark_beyond_the_points_has_none() {
    const std::vector<Curve> curves{{{{1, 2}, {2, 3}}}, {}};
    const charts::CurvePoints points(curves);
    QVERIFY(!points.with_mark(-1));
    QVERIFY(!points.with_mark(charts::CurvePoints::mark_of({0, 2})));
    QVERIFY(!points.with_mark(charts::CurvePoints::mark_of({1, 0})));
    QVERIFY(!points.with_mark(charts::CurvePoints::mark_of({2, 0})));
    QVERIFY(points.with_mark(charts::CurvePoints::mark_of({0, 1})).has_value());
  }

  void enter_on_a_mark_activates_no_row() {
    const auto chart = shown_chart<charts::FleetShareChart>({500, 300});
    chart->set_data(
        {.share = QStringLiteral("efficiency"), .curves = {{QStringLiteral("one"), {{1, 0.9}, {2, 0.8}}}}});
    QSignalSpy rows(chart.get(), &charts::Chart::row_activated);
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QVERIFY(chart->readout().has_value());
    QCOMPARE(chart->readout()->row, std::int64_t{-1});
    QCOMPARE(chart->readout()->mark, charts::CurvePoints::mark_of({0, 1}));
    QTest::keyClick(chart.get(), Qt::Key_Return);
    QCOMPARE(rows.size(), 0);
  }

  void the_current_trial_and_the_selection_are_kept_until_another_session() {
    CountingChart chart;
    QCOMPARE(chart.shown_row(), std::int64_t{-1});
    chart.set_current_row(3);
    chart.set_current_row(3);
    QCOMPARE(chart.rows, 1);
    QCOMPARE(chart.shown_row(), std::int64_t{3});
    const analysis::RowSet two = analysis::RowSet::of(10, std::vector<std::int64_t>{2, 7});
    chart.set_selection(two);
    QCOMPARE(chart.selections, 1);
    QVERIFY(chart.shown_selection() == two);
    chart.show_other_session();
    QCOMPARE(chart.shown_row(), std::int64_t{-1});
    QVERIFY(chart.shown_selection().none());
    QCOMPARE(chart.rows + chart.selections, 2);
  }

  void an_explanation_is_stored_or_derived_from_the_data() {
    CountingChart chart;
    QVERIFY(chart.explanation().isEmpty());
    const charts::FleetShareChart fleets;
    QVERIFY(fleets.explanation().startsWith(QStringLiteral("Event-driven simulation")));
    QCOMPARE(fleets.full_explanation(), fleets.explanation());
  }
};

KERNELSCAPE_TEST(ChartBasesTest, QApplication)

}  // namespace kernelscape::chart_bases_test
#include "chart_bases_test.moc"
