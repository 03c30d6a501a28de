#include "core/study/latency_series.h"

#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::latency_series_test {
using namespace kernelscape::testing;

namespace {

constexpr std::size_t layer_count = 5;

std::vector<double> random_numbers(base::Random& random) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < layer_count; ++i) numbers.push_back(random.chance(0.2) ? 0 : random.uniform());
  return numbers;
}

study::LatencyPoint random_point(base::Random& random, std::int64_t rounds) {
  const double median = random.uniform();
  study::LatencyPoint point{.measured_utc = "2026-01-02T03:04:05Z",
                            .elapsed_seconds = static_cast<double>(rounds) * 2.5,
                            .trials = rounds * 16,
                            .rounds = rounds,
                            .times = {median, median / 2, median * 2},
                            .parts = {random.uniform(), random.uniform(), random.uniform()},
                            .layer_seconds = random_numbers(random),
                            .layer_weights = random_numbers(random)};
  for (std::size_t layer = 0; layer < layer_count; ++layer)
    if (random.chance(0.4)) point.changed.push_back(layer);
  point.slower = random.chance(0.3);
  return point;
}

study::LatencySeries random_series(base::Random& random) {
  study::LatencySeries series;
  std::int64_t rounds = 0;
  for (std::uint64_t left = random.below(8); left > 0; --left) {
    rounds += 1 + static_cast<std::int64_t>(random.below(4));
    series.points.push_back(random_point(random, rounds));
  }
  for (std::size_t layer = 0; layer < layer_count; ++layer)
    series.in_place.push_back(
        {static_cast<store::SessionId>(layer) + 1, static_cast<std::int64_t>(random.below(10)) - 1});
  if (random.chance(0.5)) series.held_back.push_back({{3, 14}, {3, 2}});
  series.skipped = static_cast<std::int64_t>(random.below(4));
  series.cost_seconds = random.uniform();
  return series;
}

}  // namespace

class LatencySeriesTest : public QObject {
  Q_OBJECT

 private slots:
  void stored_series_read_back() {
    base::Random random(random_seed());
    for (int i = 0; i < 200; ++i) {
      const study::LatencySeries series = random_series(random);
      const std::string json = study::latency_series_to_json(series);
      const Result<study::LatencySeries> back = study::latency_series_from_json(json);
      QVERIFY2(back.has_value(), json.c_str());
      QCOMPARE(*back, series);
    }
  }

  void damaged_series_are_refused() {
    base::Random random(random_seed());
    study::LatencySeries series = random_series(random);
    series.points.push_back(random_point(random, 100));
    series.held_back = {{{1, 2}, {3, 4}}};
    const std::string json = study::latency_series_to_json(series);
    for (const char* member :
         {"\"points\"", "\"seconds_of_layers\"", "\"weights_of_layers\"", "\"changed\"", "\"median_seconds\"",
          "\"held_back\"", "\"used\"", "\"in_place\"", "\"skipped\""}) {
      std::string damaged = json;
      damaged.replace(damaged.find(member) + 1, 1, "_");
      QVERIFY2(!study::latency_series_from_json(damaged).has_value(), member);
    }
    series.points.back().changed = {layer_count};
    QVERIFY(!study::latency_series_from_json(study::latency_series_to_json(series)).has_value());
    for (const char* other : {"", "[]", "{}", "null"})
      QVERIFY2(!study::latency_series_from_json(other).has_value(), other);
  }

  /** The weight of a layer is that of the last kept point that was measured by then. */
  void weights_are_those_of_the_time() {
    base::Random random(random_seed());
    for (int i = 0; i < 100; ++i) {
      const study::LatencySeries series = random_series(random);
      for (std::int64_t rounds = 0; rounds < 40; ++rounds) {
        const study::LatencyPoint* expected = nullptr;
        for (const study::LatencyPoint& point : series.points)
          if (!point.slower && point.rounds <= rounds) expected = &point;
        QCOMPARE(series.after(rounds), expected);
        for (std::size_t layer = 0; layer < layer_count; ++layer)
          QCOMPARE(series.weight_after(rounds, layer),
                   expected == nullptr ? 0.0 : expected->layer_weights[layer]);
        QCOMPARE(series.weight_after(rounds, layer_count), 0.0);
      }
      QCOMPARE(series.current(), series.after(1000));
    }
  }

  void shares_are_of_the_time_of_all_parts() {
    study::LatencyPoint point;
    point.parts = {6e-3, 3e-3, 1e-3};
    point.layer_seconds = {4e-3, 0};
    QVERIFY(std::abs(point.share_of(0).value_or(0) - 0.4) < 1e-12);
    QVERIFY(!point.share_of(1).has_value());
    QVERIFY(!point.share_of(2).has_value());
  }

  /** Of the changed layers that had a kernel, the one that grew most. */
  void the_layer_that_grew_most_is_held_back() {
    base::Random random(random_seed());
    for (int i = 0; i < 200; ++i) {
      study::LatencySeries series = random_series(random);
      const study::LatencyPoint slower = random_point(random, 100);
      const std::optional<std::size_t> held = study::layer_to_hold_back(series, slower);
      const study::LatencyPoint* before = series.current();
      std::vector<std::size_t> possible;
      for (const std::size_t layer : slower.changed)
        if (series.in_place[layer].trial >= 0) possible.push_back(layer);
      QCOMPARE(held.has_value(), before != nullptr && !possible.empty());
      if (!held) continue;
      QVERIFY(std::ranges::find(possible, *held) != possible.end());
      const auto grown = [&](std::size_t layer) {
        return slower.layer_seconds[layer] - before->layer_seconds[layer];
      };
      for (const std::size_t layer : possible) QVERIFY(grown(layer) <= grown(*held));
    }
  }

  void sentences_name_what_was_held_back_and_skipped() {
    study::LatencySeries series;
    series.skipped = 3;
    QVERIFY(study::latency_series_sentences(series).empty());
    study::LatencyPoint point;
    point.times = {4e-3, 3.9e-3, 4.1e-3};
    point.trials = 40;
    series.points = {point};
    series.held_back = {{{1, 2}, {1, 1}}};
    std::string all;
    for (const std::string& sentence : study::latency_series_sentences(series)) all += sentence + "\n";
    for (const char* part : {"4 ms", "after 40 trials", "1 kernel was", "After 3 rounds"})
      QVERIFY2(all.contains(part), all.c_str());
  }
};

KERNELSCAPE_TEST(LatencySeriesTest, QCoreApplication)

}  // namespace kernelscape::latency_series_test
#include "latency_series_test.moc"
