#include "ui/charts/plot_axes.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "ui/charts/plot_frame.h"
#include "ui/charts/zoom.h"

namespace kernelscape::plot_axes_test {
namespace {

using Ranges = std::pair<charts::Interval, charts::Interval>;

double between(base::Random& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random.below(1'000'001)) / 1e6;
}

/** Returns a part of [1, 100] that is wide enough to be shown on every scale. */
charts::Interval random_part(base::Random& random) {
  const double low = between(random, 1, 50);
  return {low, low + between(random, 1, 50)};
}

charts::PlotAxes axes_with(charts::AxisScale scale) {
  charts::PlotAxes axes;
  axes.set_home({.scale = scale, .range = {1, 100}}, {.scale = scale, .range = {1, 100}});
  return axes;
}

charts::PlotFrame frame_of(const charts::PlotAxes& axes) {
  charts::PlotFrame frame;
  frame.plot = QRectF(40, 20, 400, 200);
  frame.x = axes.x();
  frame.y = axes.y();
  return frame;
}

bool about(double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::max(std::abs(a), std::abs(b))); }

}  // namespace

/** The visible part of a chart's axes. */
class PlotAxesTest : public QObject {
  Q_OBJECT

 private slots:
  /** The reference is a list of ranges with a position in it. */
  void the_history_is_that_of_a_browser() {
    base::Random random(testing::random_seed());
    const Ranges home{{1, 100}, {1, 100}};
    for (int round = 0; round < 50; ++round) {
      charts::PlotAxes axes = axes_with(charts::AxisScale::Linear);
      std::vector<Ranges> views{home};
      std::size_t place = 0;
      for (int step = 0; step < 40; ++step) {
        const bool changes = [&] {
          switch (random.below(4)) {
            case 0: {
              const Ranges wanted{random_part(random), random_part(random)};
              views.resize(++place);
              views.push_back(wanted);
              return axes.zoom_to(wanted.first, wanted.second);
            }
            case 1:
              if (place == 0) return !axes.back();
              --place;
              return axes.back();
            case 2:
              if (place + 1 == views.size()) return !axes.forward();
              ++place;
              return axes.forward();
            default:
              if (views[place] == home) return !axes.reset();
              views.resize(++place);
              views.push_back(home);
              return axes.reset();
          }
        }();
        QVERIFY(changes);
        QCOMPARE(axes.x().range, views[place].first);
        QCOMPARE(axes.y().range, views[place].second);
      }
    }
  }

  void what_is_moved_stays_below_the_pointer() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 200; ++round) {
      charts::PlotAxes axes =
          axes_with(std::array{charts::AxisScale::Linear, charts::AxisScale::Log10}[random.below(2)]);
      const bool zoomed = random.below(2) == 0;
      if (zoomed) QVERIFY(axes.zoom_to(random_part(random), random_part(random)));
      const charts::PlotFrame before = frame_of(axes);
      const QPointF start(between(random, 40, 440), between(random, 20, 220));
      axes.begin_pan();
      QVERIFY(!axes.panned());
      QPointF way;
      for (int step = 0; step < 3; ++step) {
        way = {between(random, -100, 100), between(random, -100, 100)};
        axes.pan(frame_of(axes), way, /*y_moves=*/true);
      }
      QVERIFY(axes.panned());
      const charts::PlotFrame after = frame_of(axes);
      QVERIFY(about(after.x_at(start.x() + way.x()), before.x_at(start.x())));
      QVERIFY(about(after.y_at(start.y() + way.y()), before.y_at(start.y())));
      // All of it is one step of the history.
      QVERIFY(axes.back());
      QCOMPARE(axes.x().range, before.x.range);
      QCOMPARE(axes.history().at_home(), !zoomed);
    }
  }

  void y_moves_only_where_it_may() {
    charts::PlotAxes axes = axes_with(charts::AxisScale::Linear);
    axes.begin_pan();
    axes.pan(frame_of(axes), {30, 30}, /*y_moves=*/false);
    QVERIFY(axes.x().range.low < 1);
    QCOMPARE(axes.y().range, (charts::Interval{1, 100}));
    QVERIFY(axes.zoom_x_to({10, 20}));
    QCOMPARE(axes.y().range, (charts::Interval{1, 100}));
    QVERIFY(!axes.zoom_x_to({10, 10}));
  }

  void zooming_keeps_what_is_below_the_pointer() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 200; ++round) {
      charts::PlotAxes axes = axes_with(charts::AxisScale::Linear);
      QVERIFY(axes.zoom_to(random_part(random), random_part(random)));
      const charts::PlotFrame before = frame_of(axes);
      const QPointF position(between(random, 40, 440), between(random, 20, 220));
      const bool same_step = random.below(2) == 0;
      QVERIFY(axes.zoom_around(before, {.position = position, .factor = 0.7}, same_step));
      const charts::PlotFrame after = frame_of(axes);
      QVERIFY(about(after.x_at(position.x()), before.x_at(position.x())));
      QVERIFY(about(after.y_at(position.y()), before.y_at(position.y())));
      QVERIFY(axes.back());
      QCOMPARE(axes.history().at_home(), same_step);
    }
  }

  void a_view_that_follows_keeps_its_width() {
    charts::PlotAxes axes = axes_with(charts::AxisScale::Linear);
    QVERIFY(!axes.show_last());
    QVERIFY(axes.zoom_to({10, 30}, {1, 100}));
    axes.set_home({.range = {1, 200}}, {.range = {1, 100}});
    QVERIFY(axes.show_last());
    QCOMPARE(axes.x().range, (charts::Interval{180, 200}));
    QVERIFY(!axes.show_last());
    QVERIFY(axes.back());
    QVERIFY(axes.history().at_home());
  }

  void a_scale_that_was_chosen_is_kept() {
    charts::PlotAxes axes;
    QVERIFY(!axes.has_y_scales());
    axes.set_y_scales({charts::AxisScale::Linear, charts::AxisScale::Log10});
    QVERIFY(axes.has_y_scales());
    QCOMPARE(axes.other_y_scale(), charts::AxisScale::Log10);
    axes.set_y_scale(axes.other_y_scale());
    axes.set_home({}, {.scale = charts::AxisScale::Linear, .range = {1, 100}});
    QCOMPARE(axes.home_y().scale, charts::AxisScale::Log10);
    QCOMPARE(axes.other_y_scale(), charts::AxisScale::Linear);
  }
};

KERNELSCAPE_PLAIN_TEST(PlotAxesTest)

}  // namespace kernelscape::plot_axes_test
#include "plot_axes_test.moc"
