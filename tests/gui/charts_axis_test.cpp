#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "tests/test_program.h"
#include "ui/charts/axis.h"
#include "ui/charts/direct_labels.h"
#include "ui/charts/landscape/value_sketch.h"
#include "ui/charts/view_history.h"

namespace kernelscape::charts_axis_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::array scales = {charts::AxisScale::Linear, charts::AxisScale::Log2, charts::AxisScale::Log10};

std::mt19937_64 seeded() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return std::mt19937_64(seed);
}

double uniform(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random() >> 11) / 9007199254740992.0);
}

/** A range such as charts have: of any size and offset, positive where the scale needs it. */
charts::Interval random_range(std::mt19937_64& random, charts::AxisScale scale) {
  const double size = std::pow(10, uniform(random, -8, 12));
  if (scale != charts::AxisScale::Linear) return {size, size * std::pow(10, uniform(random, 0.02, 9))};
  const double offset = random() % 2 == 0 ? 0 : uniform(random, -20, 20) * size;
  return {offset, offset + size};
}

/** Whether a number is 1, 2 or 5 times a power of ten. */
bool is_round_step(double step) {
  const double leading = step / std::pow(10, std::floor(std::log10(step) + 1e-6));
  for (const double round : {1.0, 2.0, 5.0})
    if (std::abs(leading - round) < 1e-4) return true;
  return false;
}

double number_in(QString label) { return label.remove(QLatin1Char(',')).toDouble(); }

std::vector<charts::Tick> majors(const std::vector<charts::Tick>& ticks) {
  std::vector<charts::Tick> result;
  for (const charts::Tick& tick : ticks)
    if (tick.major) result.push_back(tick);
  return result;
}

}  // namespace

class ChartsAxisTest : public QObject {
  Q_OBJECT

 private slots:
  /** Names stand at their places; of too many every second, third, ... is left. */
  void named_places_replace_ticks() {
    std::mt19937_64 random = seeded();
    for (int round = 0; round < 300; ++round) {
      charts::Axis axis{.range = {-40, 0}};
      const int count = 1 + static_cast<int>(random() % 40);
      for (int place = count; place > 0; --place)
        axis.named.push_back({-place + 0.5, QStringLiteral("lane %1").arg(place), true});
      if (random() % 2 == 0) axis.range = {uniform(random, -40, -20), uniform(random, -19, 0)};
      const int at_most = 2 + static_cast<int>(random() % 10);
      const std::vector<charts::Tick> ticks = axis.ticks(at_most);
      QVERIFY(std::ssize(ticks) <= 2 * at_most);
      const auto visible = std::ranges::count_if(
          axis.named, [&](const charts::Tick& tick) { return axis.range.contains(tick.value); });
      QVERIFY(visible == 0 || !ticks.empty());
      if (visible <= 2 * at_most) QCOMPARE(std::ssize(ticks), visible);
      for (const charts::Tick& tick : ticks) {
        QVERIFY(axis.range.contains(tick.value));
        QVERIFY(std::ranges::find(axis.named, tick) != axis.named.end());
        QCOMPARE(axis.text(tick.value + 0.4), tick.label);
      }
    }
  }

  void mapping_is_inverse() {
    std::mt19937_64 random = seeded();
    for (int round = 0; round < 3000; ++round) {
      const charts::AxisScale scale = scales[random() % scales.size()];
      const charts::Axis axis{{}, {}, scale, random_range(random, scale)};
      const double fraction = uniform(random, -0.5, 1.5);
      QVERIFY(std::abs(axis.fraction(axis.value_at(fraction)) - fraction) < 1e-6);
      QVERIFY(std::abs(axis.fraction(axis.range.low)) < 1e-9);
      QVERIFY(std::abs(axis.fraction(axis.range.high) - 1) < 1e-9);
      QVERIFY(axis.fraction(axis.value_at(0.3)) < axis.fraction(axis.value_at(0.6)));
    }
  }

  void mapping_of_known_values() {
    const charts::Axis linear{{}, {}, charts::AxisScale::Linear, {10, 30}};
    QCOMPARE(linear.fraction(15), 0.25);
    const charts::Axis decades{{}, {}, charts::AxisScale::Log10, {1, 1000}};
    QCOMPARE(decades.fraction(10), 1.0 / 3);
    const charts::Axis octaves{{}, {}, charts::AxisScale::Log2, {1, 16}};
    QCOMPARE(octaves.value_at(0.5), 4.0);
    QVERIFY(std::isnan(decades.fraction(0)));
    QVERIFY(std::isnan(decades.fraction(-3)));
    QVERIFY(std::isnan(linear.fraction(nan)));
  }

  void ticks_of_random_ranges() {
    std::mt19937_64 random = seeded();
    for (int round = 0; round < 5000; ++round) {
      const charts::AxisScale scale = scales[random() % scales.size()];
      const charts::Axis axis{{}, {}, scale, random_range(random, scale)};
      const int at_most = 2 + static_cast<int>(random() % 14);
      const std::vector<charts::Tick> ticks = axis.ticks(at_most);
      for (std::size_t index = 0; index < ticks.size(); ++index) {
        QVERIFY(axis.range.contains(ticks[index].value));
        QVERIFY(index == 0 || ticks[index - 1].value <= ticks[index].value);
        QCOMPARE(ticks[index].label.isEmpty(), !ticks[index].major);
      }
      const std::vector<charts::Tick> labelled = majors(ticks);
      QVERIFY2(static_cast<int>(labelled.size()) <= at_most,
               qPrintable(QStringLiteral("%1 ticks, scale %2, %3 to %4")
                              .arg(labelled.size())
                              .arg(static_cast<int>(scale))
                              .arg(axis.range.low)
                              .arg(axis.range.high)));
      QVERIFY(!labelled.empty() || at_most < 4);
      for (std::size_t index = 1; index < labelled.size(); ++index)
        QVERIFY2(labelled[index].label != labelled[index - 1].label, qPrintable(labelled[index].label));
    }
  }

  void linear_ticks_are_round_and_labels_say_their_value() {
    std::mt19937_64 random = seeded();
    for (int round = 0; round < 3000; ++round) {
      const charts::Axis axis{
          {}, {}, charts::AxisScale::Linear, random_range(random, charts::AxisScale::Linear)};
      const std::vector<charts::Tick> labelled = majors(axis.ticks(3 + static_cast<int>(random() % 10)));
      for (std::size_t index = 0; index < labelled.size(); ++index) {
        const double value = labelled[index].value;
        QVERIFY2(std::abs(number_in(labelled[index].label) - value) <=
                     1e-5 * axis.range.span() + 1e-9 * std::abs(value),
                 qPrintable(labelled[index].label));
        if (index == 0) continue;
        const double step = value - labelled[index - 1].value;
        if (step > 1e-6 * std::abs(value)) QVERIFY(is_round_step(step));
      }
    }
  }

  void what_counts_has_whole_ticks() {
    for (const double end : {1.0, 2.0, 3.0, 7.0, 12.0, 30.0, 101.0, 4e6}) {
      const charts::Axis axis{.range = {-0.01 * end, 1.01 * end}, .whole = true};
      const std::vector<charts::Tick> ticks = axis.ticks(8);
      QVERIFY(ticks.size() >= 2);
      for (const charts::Tick& tick : ticks) QCOMPARE(tick.value, std::round(tick.value));
    }
    QCOMPARE(charts::Axis({.whole = true}).text(1234.4), QStringLiteral("1,234"));
  }

  void logarithmic_labels() {
    const auto labels = [](const charts::Axis& axis, int at_most) {
      QStringList texts;
      for (const charts::Tick& tick : majors(axis.ticks(at_most))) texts.append(tick.label);
      return texts;
    };
    QCOMPARE(labels({{}, {}, charts::AxisScale::Log10, {1, 1000}}, 6),
             QStringList({"1", "10", "100", "1,000"}));
    QCOMPARE(labels({{}, {}, charts::AxisScale::Log2, {1, 64}}, 8),
             QStringList({"1", "2", "4", "8", "16", "32", "64"}));
    QCOMPARE(labels({{}, {}, charts::AxisScale::Log10, {10, 60}}, 8), QStringList({"10", "20", "50"}));
    // Less than a factor of two: as on a linear axis.
    QCOMPARE(labels({{}, {}, charts::AxisScale::Log10, {300, 340}}, 5),
             QStringList({"300", "310", "320", "330", "340"}));
    QVERIFY(labels({{}, {}, charts::AxisScale::Log10, {1e-20, 1e20}}, 5).size() >= 3);
  }

  void time_axes() {
    charts::Axis axis{"session time", "s", charts::AxisScale::Linear, {0, 90}};
    QCOMPARE(axis.full_title(), QStringLiteral("session time (s)"));
    axis.range = {0, 1200};
    QCOMPARE(axis.full_title(), QStringLiteral("session time (min)"));
    QCOMPARE(majors(axis.ticks(5)).back().value, 1200.0);
    QCOMPARE(majors(axis.ticks(5)).back().label, QStringLiteral("20"));
    axis.range = {0, 36000};
    QCOMPARE(axis.full_title(), QStringLiteral("session time (h)"));
    QCOMPARE(majors(axis.ticks(6)).back().label, QStringLiteral("10"));
    QCOMPARE(axis.text(250), QStringLiteral("4 min 10 s"));
  }

  void impossible_ranges() {
    const double infinity = std::numeric_limits<double>::infinity();
    const double huge = std::numeric_limits<double>::max();
    for (const charts::AxisScale scale : scales) {
      for (const double low : {0.0, 1.0, -1.0, nan, infinity, -infinity, huge, -huge, 5e-324}) {
        for (const double high : {0.0, 1.0, -1.0, nan, infinity, -infinity, huge, -huge, 5e-324}) {
          const charts::Interval range = charts::valid_range({low, high}, scale);
          QVERIFY(std::isfinite(range.low) && std::isfinite(range.high) && range.low < range.high);
          QVERIFY(scale == charts::AxisScale::Linear || range.low > 0);
          QVERIFY(charts::valid_range(range, scale) == range);
          const charts::Axis axis{{}, {}, scale, {low, high}};
          QVERIFY(std::abs(axis.fraction(axis.value_at(0.5)) - 0.5) < 1e-3);
          for (const charts::Tick& tick : axis.ticks(6)) QVERIFY(range.contains(tick.value));
          const charts::Interval wider = charts::padded_range(range, scale, 0.1);
          QVERIFY(wider.low <= range.low && wider.high >= range.high);
        }
      }
    }
    QVERIFY((charts::valid_range({5, 5}, charts::AxisScale::Linear).contains(5)));
    QVERIFY((charts::valid_range({3, 1}, charts::AxisScale::Linear) == charts::Interval{1, 3}));
  }

  void quantiles_of_the_sketch() {
    std::mt19937_64 random = seeded();
    charts::ValueSketch sketch;
    std::vector<double> values;
    for (int index = 0; index < 5000; ++index) {
      values.push_back(std::pow(10, uniform(random, -6, 3)));
      sketch.add(values.back());
    }
    for (const double none : {0.0, -1.0, nan, HUGE_VAL}) sketch.add(none);
    QCOMPARE(sketch.count(), std::uint64_t{5000});
    std::ranges::sort(values);
    for (const double share : {0.0, 0.01, 0.5, 0.95, 1.0}) {
      const double exact = values[static_cast<std::size_t>(share * 4999)];
      QVERIFY(std::abs(sketch.quantile(share) / exact - 1) < 0.02);
    }
    QCOMPARE(charts::ValueSketch().quantile(0.5), 0.0);
  }

  void labels_are_spread() {
    std::mt19937_64 random = seeded();
    for (int round = 0; round < 500; ++round) {
      std::vector<double> heights(random() % 8);
      for (double& height : heights) height = uniform(random, -50, 250);
      const std::vector<double> placed = charts::spread_labels(heights, 20, 0, 200);
      std::vector<double> sorted = placed;
      std::ranges::sort(sorted);
      for (std::size_t index = 0; index < sorted.size(); ++index) {
        QVERIFY(sorted[index] >= 10 - 1e-9 && sorted[index] <= 190 + 1e-9);
        QVERIFY(index == 0 || sorted[index] - sorted[index - 1] >= 20 - 1e-9);
      }
      for (std::size_t a = 0; a < heights.size(); ++a)
        for (std::size_t b = 0; b < heights.size(); ++b)
          if (heights[a] < heights[b]) QVERIFY(placed[a] < placed[b]);
    }
    QCOMPARE(charts::spread_labels({50, 120}, 20, 0, 200), std::vector<double>({50, 120}));
  }

  void history_of_views() {
    charts::ViewHistory history;
    QVERIFY(history.at_home() && !history.can_go_back());
    const charts::Range first{charts::Interval{1, 2}, charts::Interval{3, 4}};
    const charts::Range second{charts::Interval{1.2, 1.8}, std::nullopt};
    history.push(first);
    history.push(second);
    history.push(second);
    history.back();
    QVERIFY(history.current() == first && history.can_go_forward());
    history.back();
    QVERIFY(history.at_home());
    history.back();
    history.forward();
    history.push(second);
    QVERIFY(!history.can_go_forward());
    for (int index = 0; index < 300; ++index)
      history.push({charts::Interval{0.0, index + 1.0}, std::nullopt});
    int steps = 0;
    while (history.can_go_back()) {
      history.back();
      ++steps;
    }
    QVERIFY(history.at_home());
    QCOMPARE(steps, 99);
  }
};

KERNELSCAPE_TEST(ChartsAxisTest, QApplication)

}  // namespace kernelscape::charts_axis_test
#include "charts_axis_test.moc"
