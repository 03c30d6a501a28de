#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <ranges>
#include <set>

#include "core/analysis/distribution.h"
#include "core/analysis/landscape/column_effects.h"
#include "core/analysis/landscape/heat_map.h"
#include "core/analysis/landscape/parallel_coordinates.h"
#include "core/analysis/landscape/value_bins.h"
#include "core/base/random.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_explore_test {

namespace {

std::uint64_t printed_seed() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return seed;
}

/** Columns by row, of which some rows are looked at. */
struct Table {
  std::vector<std::vector<double>> columns;
  std::vector<double> performance;
  std::vector<std::int64_t> rows;

  std::vector<double> seen(std::size_t column) const {
    std::vector<double> values;
    for (const std::int64_t row : rows) values.push_back(columns[column][static_cast<std::size_t>(row)]);
    return values;
  }
};

/** Column c has values[c] distinct values; holes: share of rows without one, and of failed trials. */
Table random_table(base::Random& random, std::size_t size, const std::vector<std::uint64_t>& values,
                   double holes) {
  Table table;
  for (std::size_t row = 0; row < size; ++row) {
    table.performance.push_back(random.chance(holes) ? std::nan("")
                                                     : 1 + static_cast<double>(random.below(300)));
    if (random.chance(0.7)) table.rows.push_back(static_cast<std::int64_t>(row));
  }
  for (const std::uint64_t count : values) {
    table.columns.emplace_back();
    for (std::size_t row = 0; row < size; ++row)
      table.columns.back().push_back(
          random.chance(holes / 5) ? std::nan("") : 0.5 * static_cast<double>(1 + random.below(count)));
  }
  return table;
}

bool near(double a, double b) {
  return std::fabs(a - b) <= 1e-9 * std::max({1.0, std::fabs(a), std::fabs(b)});
}

/** What every kind of bins promises; gives the number of rows in each. */
QString broken_promise(const analysis::ValueBins& bins, const std::vector<double>& values, std::size_t most,
                       std::vector<std::size_t>& counts) {
  std::set<double> distinct;
  for (const double value : values)
    if (std::isfinite(value)) distinct.insert(value);
  if (bins.exact() != (distinct.size() <= most)) return "exact";
  if (bins.count() > most || (bins.exact() && bins.count() != distinct.size())) return "count";
  counts.assign(bins.count(), 0);
  std::int32_t before = 0;
  for (const double value : distinct) {
    const std::int32_t bin = bins.find(value);
    if (bin < before || static_cast<std::size_t>(bin) >= bins.count()) return "order";
    before = bin;
    const auto number = static_cast<std::size_t>(bin);
    if (value < bins.low(number) || value > bins.high(number)) return QString("ends of bin %1").arg(number);
    counts[number] += static_cast<std::size_t>(std::ranges::count(values, value));
  }
  return bins.find(std::nan("")) == analysis::ValueBins::no_bin ? "" : "NaN has a bin";
}

}  // namespace

class AnalysisExploreTest : public QObject {
  Q_OBJECT

 private slots:
  void bins_hold_all_values_in_order_data() {
    QTest::addColumn<std::uint64_t>("values");
    QTest::addColumn<std::size_t>("most");
    QTest::newRow("as many as allowed") << std::uint64_t{64} << std::size_t{64};
    QTest::newRow("one more") << std::uint64_t{65} << std::size_t{64};
    QTest::newRow("one") << std::uint64_t{1} << std::size_t{4};
    QTest::newRow("one bin") << std::uint64_t{20} << std::size_t{1};
    QTest::newRow("exact ones of a thousand") << std::uint64_t{1000} << std::size_t{1000};
    QTest::newRow("thousands") << std::uint64_t{5000} << std::size_t{10};
  }

  void bins_hold_all_values_in_order() {
    QFETCH(std::uint64_t, values);
    QFETCH(std::size_t, most);
    base::Random random(printed_seed());
    const Table table = random_table(random, 9000, {values}, 0.1);
    const std::vector<double> seen = table.seen(0);
    std::vector<std::size_t> counts;
    const analysis::ValueBins by_rank = analysis::ValueBins::by_rank(table.columns[0], table.rows, most);
    QCOMPARE(broken_promise(by_rank, seen, most, counts), QString());
    if (!by_rank.exact()) {
      std::map<double, std::size_t> frequencies;
      for (const double value : seen)
        if (std::isfinite(value)) ++frequencies[value];
      const std::size_t rows = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
      const std::size_t most_frequent = std::ranges::max(std::views::values(frequencies));
      for (const std::size_t count : counts) QVERIFY(count <= rows / most + 1 + most_frequent);
    }
    for (const bool logarithmic : {false, true}) {
      const analysis::ValueBins by_width =
          analysis::ValueBins::by_width(table.columns[0], table.rows, most, logarithmic);
      QCOMPARE(broken_promise(by_width, seen, most, counts), QString());
      if (by_width.exact()) continue;
      QCOMPARE(by_width.count(), most);
      for (std::size_t bin = 0; bin + 1 < most; ++bin) {
        QCOMPARE(by_width.high(bin), by_width.low(bin + 1));
        const auto width = [&](std::size_t number) {
          return logarithmic ? by_width.high(number) / by_width.low(number)
                             : by_width.high(number) - by_width.low(number);
        };
        QVERIFY(near(width(bin), width(bin + 1)));
      }
      QCOMPARE(by_width.find(-1e9), 0);
      QCOMPARE(by_width.find(1e9), static_cast<std::int32_t>(most - 1));
    }
  }

  void a_frequent_value_stays_in_one_bin() {
    std::vector<double> values(1000, 7);
    for (int i = 0; i < 100; ++i) values.push_back(i);
    std::vector<std::int64_t> rows(values.size());
    std::iota(rows.begin(), rows.end(), 0);
    const analysis::ValueBins bins = analysis::ValueBins::by_rank(values, rows, 10);
    QVERIFY(!bins.exact() && bins.count() < 10);
    const auto heavy = static_cast<std::size_t>(bins.find(7));
    QVERIFY(bins.low(heavy) <= 7 && bins.high(heavy) >= 7);
    QVERIFY(bins.find(99) > bins.find(7));
    const std::vector<double> zeros{0.0, -0.0};
    QCOMPARE(analysis::ValueBins::by_rank(zeros, std::span(rows).first(2), 5).count(), std::size_t{1});
    QCOMPARE(analysis::ValueBins::by_rank(zeros, {}, 5).count(), std::size_t{0});
  }

  void students_quantiles_are_those_of_tables() {
    const std::map<std::int64_t, double> table{{1, 12.7062},   {2, 4.30265},   {3, 3.18245},   {5, 2.57058},
                                               {10, 2.22814},  {29, 2.04523},  {30, 2.04227},  {60, 2.00030},
                                               {120, 1.97993}, {200, 1.97190}, {1000, 1.96234}};
    for (const auto& [degrees, quantile] : table)
      QVERIFY2(std::fabs(analysis::student_quantile_95(degrees) - quantile) < 1e-5 * quantile,
               qPrintable(QString::number(degrees)));
    for (std::int64_t degrees = 1; degrees < 400; ++degrees)
      QVERIFY(analysis::student_quantile_95(degrees) > analysis::student_quantile_95(degrees + 1));
  }

  void intervals_by_hand() {
    QVERIFY(!analysis::mean_interval_95(std::vector<double>{3}));
    // mean 4, deviation 2, standard error 2 / sqrt(3), t with two degrees 4.30265
    const auto interval = analysis::mean_interval_95(std::vector<double>{2, 4, 6});
    QVERIFY(std::fabs(interval->low - (4 - 4.30265 * 2 / std::sqrt(3.0))) < 1e-4);
    QVERIFY(std::fabs(interval->high - (4 + 4.30265 * 2 / std::sqrt(3.0))) < 1e-4);
    QVERIFY(analysis::wilson_interval_95(0, 0) == (analysis::ConfidenceInterval{0, 1}));
  }

  void wilsons_ends_are_rejected_by_just_so_much() {
    base::Random random(printed_seed());
    for (int i = 0; i < 200; ++i) {
      const auto trials = static_cast<std::int64_t>(1 + random.below(500));
      const auto successes = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(trials) + 1));
      const double share = static_cast<double>(successes) / static_cast<double>(trials);
      const analysis::ConfidenceInterval interval = analysis::wilson_interval_95(successes, trials);
      QVERIFY(interval.low <= share && share <= interval.high);
      for (const double end : {interval.low, interval.high}) {
        if (end == share) continue;  // 0 or 1
        const double z = (share - end) / std::sqrt(end * (1 - end) / static_cast<double>(trials));
        QVERIFY(std::fabs(std::fabs(z) - 1.959963984540054) < 1e-6);
      }
      QCOMPARE(interval.low == share, successes == 0);
      QCOMPARE(interval.high == share, successes == trials);
    }
  }

  void effects_are_those_of_each_value() {
    base::Random random(printed_seed());
    for (const std::uint64_t values : {1U, 7U, 300U}) {
      const Table table = random_table(random, 2000, {values}, 0.3);
      const analysis::ColumnEffect effect =
          analysis::column_effect(table.columns[0], {table.performance}, table.rows, 20);
      QCOMPARE(effect.exact, values <= 20);
      std::int64_t counted = effect.without_value;
      double before = 0;
      for (const analysis::EffectGroup& group : effect.groups) {
        QVERIFY(group.low > before && group.high >= group.low);
        before = group.high;
        std::int64_t count = 0;
        std::vector<double> valid;
        for (const std::int64_t row : table.rows) {
          const double value = table.columns[0][static_cast<std::size_t>(row)];
          const double performance = table.performance[static_cast<std::size_t>(row)];
          if (!(value >= group.low && value <= group.high)) continue;
          ++count;
          if (!std::isnan(performance)) valid.push_back(performance);
        }
        counted += count;
        QCOMPARE(group.count, count);
        QCOMPARE(group.valid, static_cast<std::int64_t>(valid.size()));
        QCOMPARE(group.performance, analysis::quartiles(valid));
        QVERIFY(group.share_valid_95 == analysis::wilson_interval_95(group.valid, group.count));
        QVERIFY(near(group.share_valid * static_cast<double>(count), static_cast<double>(valid.size())));
        QCOMPARE(group.mean.has_value(), !valid.empty());
        if (group.mean)
          QVERIFY(near(*group.mean,
                       std::accumulate(valid.begin(), valid.end(), 0.0) / static_cast<double>(valid.size())));
        QVERIFY(group.mean_95 == analysis::mean_interval_95(valid));
      }
      QCOMPARE(counted, static_cast<std::int64_t>(table.rows.size()));
    }
    QVERIFY(analysis::column_effect({}, {}, {}).groups.empty());
  }

  void heat_cells_are_those_of_both_values() {
    base::Random random(printed_seed());
    for (const bool higher : {true, false}) {
      const Table table = random_table(random, 1500, {9, 200}, 0.4);
      const analysis::PerformanceColumn performance{table.performance, higher};
      const analysis::HeatMap map =
          analysis::heat_map(table.columns[0], table.columns[1], performance, table.rows);
      QVERIFY(map.x.exact() && !map.y.exact());
      QCOMPARE(map.cells.size(), map.x.count() * map.y.count());
      std::int64_t counted = map.without_value;
      std::set<analysis::HeatCellState> states;
      for (std::size_t x = 0; x < map.x.count(); ++x) {
        for (std::size_t y = 0; y < map.y.count(); ++y) {
          analysis::HeatCell expected;
          double sum = 0;
          for (const std::int64_t row : table.rows) {
            if (table.columns[0][static_cast<std::size_t>(row)] != map.x.low(x)) continue;
            const double value = table.columns[1][static_cast<std::size_t>(row)];
            if (!(value >= map.y.low(y) && value <= map.y.high(y))) continue;
            ++expected.count;
            const double speed = table.performance[static_cast<std::size_t>(row)];
            if (std::isnan(speed)) continue;
            ++expected.valid;
            sum += speed;
            if (expected.best_row >= 0 && !(higher ? speed > expected.best : speed < expected.best)) continue;
            expected.best = speed;
            expected.best_row = row;
          }
          const analysis::HeatCell& cell = map.at(x, y);
          QCOMPARE(cell.count, expected.count);
          QCOMPARE(cell.valid, expected.valid);
          QCOMPARE(cell.best, expected.best);
          QCOMPARE(cell.best_row, expected.best_row);
          QVERIFY(cell.valid == 0 ? cell.mean == 0 : near(cell.mean, sum / static_cast<double>(cell.valid)));
          counted += cell.count;
          states.insert(cell.state());
        }
      }
      QCOMPARE(counted, static_cast<std::int64_t>(table.rows.size()));
      QVERIFY(states.contains(analysis::HeatCellState::Few));
    }
  }

  void heat_cells_tell_their_states_apart() {
    QCOMPARE(analysis::HeatCell{}.state(), analysis::HeatCellState::Unmeasured);
    QCOMPARE((analysis::HeatCell{.count = 9}).state(), analysis::HeatCellState::AllInvalid);
    QCOMPARE((analysis::HeatCell{.count = 9, .valid = 4}).state(), analysis::HeatCellState::Few);
    QCOMPARE((analysis::HeatCell{.count = 9, .valid = 5}).state(), analysis::HeatCellState::Enough);
    QCOMPARE((analysis::HeatCell{.count = 8, .valid = 2}).share_valid(), 0.25);
  }

  void histograms_count_between_their_edges() {
    base::Random random(printed_seed());
    const Table table = random_table(random, 3000, {}, 0.3);
    const analysis::PerformanceColumn performance{table.performance};
    std::set<double> seen;
    for (const std::int64_t row : table.rows)
      if (performance.valid(row)) seen.insert(performance.at(row));
    const double least = *seen.begin();
    const double greatest = *seen.rbegin();
    for (const bool logarithmic : {false, true}) {
      const analysis::Histogram found = analysis::histogram(performance, table.rows, 13, logarithmic);
      QCOMPARE(found.edges.size(), std::size_t{14});
      QCOMPARE(found.counts.size(), std::size_t{13});
      QCOMPARE(found.valid + found.invalid, static_cast<std::int64_t>(table.rows.size()));
      QCOMPARE(std::accumulate(found.counts.begin(), found.counts.end(), std::int64_t{0}), found.valid);
      QCOMPARE(found.edges.front(), least);
      QCOMPARE(found.edges.back(), greatest);
      for (std::size_t bin = 0; bin < 13; ++bin) {
        const double low = found.edges[bin];
        const double high = found.edges[bin + 1];
        QVERIFY(near(logarithmic ? std::log(high / low) : high - low,
                     (logarithmic ? std::log(greatest / least) : greatest - least) / 13));
        const auto inside = [&](std::int64_t row) {
          const double value = table.performance[static_cast<std::size_t>(row)];
          return value >= low && (value < high || (bin == 12 && value == high));
        };
        QCOMPARE(found.counts[bin], std::ranges::count_if(table.rows, inside));
      }
    }
    const std::vector<double> equal{4, 4, std::nan("")};
    const std::vector<std::int64_t> three{0, 1, 2};
    const analysis::Histogram one = analysis::histogram({equal}, three, 10, false);
    QCOMPARE(one.counts, std::vector<std::int64_t>{2});
    QVERIFY(one.edges[0] < 4 && one.edges[1] > 4);
    QVERIFY(analysis::histogram({equal}, std::span(three).last(1), 10, true).edges.empty());
  }

  void the_distribution_reads_from_the_top() {
    const std::vector<double> gflops{100, 50, std::nan(""), 95, 50, 100, 10, 1};
    const std::vector<std::int64_t> rows{0, 1, 2, 3, 4, 5, 6};
    const auto points = analysis::distribution_from_top({gflops}, rows);
    QCOMPARE(points.size(), std::size_t{4});
    QCOMPARE(points[0], (analysis::TopPoint{0, 2, 2.0 / 7}));
    QVERIFY(near(points[1].below_best, 0.05));
    QCOMPARE(points[1].count, 3);
    QCOMPARE(points[2], (analysis::TopPoint{0.5, 5, 5.0 / 7}));
    QVERIFY(near(points[3].below_best, 0.9));
    std::vector<double> seconds;
    for (const double speed : gflops) seconds.push_back(1000 / speed);
    const auto by_time = analysis::distribution_from_top({seconds, false}, rows);
    QCOMPARE(by_time.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      QVERIFY(near(by_time[i].below_best, points[i].below_best));
      QCOMPARE(by_time[i].count, points[i].count);
    }
    QVERIFY(analysis::distribution_from_top({gflops}, std::span(rows).subspan(2, 1)).empty());
  }

  void reduced_distributions_keep_their_shape() {
    base::Random random(printed_seed());
    std::vector<double> speeds;
    std::vector<std::int64_t> rows;
    for (std::int64_t row = 0; row < 20'000; ++row) {
      speeds.push_back(std::exp(random.normal()));
      rows.push_back(row);
    }
    const auto points = analysis::distribution_from_top({speeds}, rows);
    for (const std::size_t most : {2U, 3U, 500U, 30'000U}) {
      const auto few = analysis::reduced(points, most);
      QVERIFY(few.size() <= most && few.size() >= 2);
      QCOMPARE(few.front(), points.front());
      QCOMPARE(few.back(), points.back());
      const double interval = points.back().below_best / static_cast<double>(most / 2) + 1e-9;
      auto kept = few.begin();
      for (const analysis::TopPoint& point : points) {
        while (std::next(kept) != few.end() && std::next(kept)->below_best <= point.below_best) ++kept;
        // The step that a chart draws at this point is off by no more than the interval is wide.
        QVERIFY(kept->count <= point.count);
        QVERIFY(point.below_best - kept->below_best <= interval);
      }
      QVERIFY(std::ranges::all_of(few, [&](const analysis::TopPoint& point) {
        return std::ranges::binary_search(points, point.count, {}, &analysis::TopPoint::count);
      }));
    }
  }

  void bands_count_the_lines_between_axes() {
    base::Random random(printed_seed());
    for (const bool higher : {true, false}) {
      const Table table = random_table(random, 2500, {6, 400, 1, 30}, 0.3);
      std::vector<std::int64_t> chosen;
      for (std::int64_t row = 0; row < 2500; ++row)
        if (random.chance(0.2)) chosen.push_back(row);  // some of them are not looked at
      const std::vector<analysis::ParallelColumn> columns{
          {table.columns[0]}, {table.columns[1], true}, {table.columns[2]}, {table.columns[3]}};
      const auto found =
          analysis::parallel_coordinates(columns, {table.performance, higher}, table.rows, chosen);
      QCOMPARE(found.axes.size(), std::size_t{4});
      QCOMPARE(found.bands.size(), std::size_t{3});
      QCOMPARE(found.axes[1].bins.count(), analysis::ParallelAxis::max_bins);
      std::vector<std::map<std::pair<std::size_t, std::size_t>, analysis::ParallelBand>> expected(3);
      std::vector<std::map<std::size_t, std::pair<std::int64_t, std::int64_t>>> on_axis(4);
      for (const std::int64_t row : table.rows) {
        const auto at = static_cast<std::size_t>(row);
        const bool is_chosen = std::ranges::binary_search(chosen, row);
        std::vector<std::size_t> places;
        for (std::size_t axis = 0; axis < 4; ++axis) {
          const std::int32_t bin = found.axes[axis].bins.find(table.columns[axis][at]);
          places.push_back(bin < 0 ? found.axes[axis].missing() : static_cast<std::size_t>(bin));
          ++on_axis[axis][places.back()].first;
          on_axis[axis][places.back()].second += is_chosen ? 1 : 0;
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
          analysis::ParallelBand& band = expected[axis][{places[axis], places[axis + 1]}];
          ++band.count;
          band.highlighted += is_chosen ? 1 : 0;
          const double speed = table.performance[at];
          if (std::isnan(speed)) continue;
          const auto take = [&](double& best) {
            if (best == 0 || (higher ? speed > best : speed < best)) best = speed;
          };
          take(band.best);
          if (is_chosen) take(band.best_highlighted);
        }
      }
      for (std::size_t axis = 0; axis < 4; ++axis) {
        for (std::size_t place = 0; place < found.axes[axis].places(); ++place) {
          QCOMPARE(found.axes[axis].counts[place], on_axis[axis][place].first);
          QCOMPARE(found.axes[axis].highlighted[place], on_axis[axis][place].second);
          for (std::size_t next = 0; axis < 3 && next < found.axes[axis + 1].places(); ++next) {
            const analysis::ParallelBand& band = found.at(axis, place, next);
            const analysis::ParallelBand& wanted = expected[axis][{place, next}];
            QCOMPARE(band.count, wanted.count);
            QCOMPARE(band.highlighted, wanted.highlighted);
            QCOMPARE(band.best, wanted.best);
            QCOMPARE(band.best_highlighted, wanted.best_highlighted);
          }
        }
      }
    }
  }

  void lines_pass_through_the_places_of_their_rows() {
    base::Random random(printed_seed());
    const Table table = random_table(random, 900, {6, 400}, 0.3);
    std::vector<std::int64_t> chosen;
    for (std::int64_t row = 0; row < 900; ++row)
      if (random.chance(0.2)) chosen.push_back(row);
    const std::vector<analysis::ParallelColumn> columns{{table.columns[0]}, {table.columns[1], true}};
    for (const bool some : {true, false}) {
      const auto found = analysis::parallel_coordinates(columns, {table.performance, true}, table.rows,
                                                        some ? chosen : std::vector<std::int64_t>());
      auto line = found.lines.begin();
      for (const std::int64_t row : table.rows) {
        if (some && !std::ranges::binary_search(chosen, row)) continue;
        QVERIFY(line != found.lines.end());
        const double speed = table.performance[static_cast<std::size_t>(row)];
        QCOMPARE(line->performance, std::isnan(speed) ? 0 : speed);
        for (std::size_t axis = 0; axis < 2; ++axis) {
          const std::int32_t bin =
              found.axes[axis].bins.find(table.columns[axis][static_cast<std::size_t>(row)]);
          QCOMPARE(line->places[axis], bin < 0 ? found.axes[axis].missing() : static_cast<std::size_t>(bin));
        }
        ++line;
      }
      QVERIFY(line == found.lines.end());
    }
  }

  void charts_of_nothing_are_empty() {
    const std::vector<double> none;
    const std::vector<analysis::ParallelColumn> columns{{none}, {none}};
    const auto found = analysis::parallel_coordinates(columns, {}, {}, {});
    QCOMPARE(found.axes[1].places(), std::size_t{1});
    QCOMPARE(found.at(0, 0, 0).count, 0);
    QVERIFY(analysis::parallel_coordinates({}, {}, {}, {}).axes.empty());
    QVERIFY(analysis::heat_map(none, none, {}, {}).cells.empty());
    QVERIFY(analysis::reduced({}, 5).empty());
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisExploreTest)

}  // namespace kernelscape::analysis_explore_test
#include "analysis_explore_test.moc"
