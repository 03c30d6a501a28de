#include <QTest>
#include <cmath>
#include <limits>
#include <queue>
#include <random>

#include "core/measure/measurer.h"
#include "core/measure/recorded_measurer.h"
#include "core/trial/recording_builder.h"
#include "tests/test_program.h"

namespace kernelscape::measure_replay_test {

namespace {

base::Random seeded_random() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return base::Random(seed);
}

/** Times that binary fractions hold exactly: sums in any order are equal. */
double exact_seconds(base::Random& random) { return static_cast<double>(random.below(64)) / 16; }

trial::Measurement random_measurement(base::Random& random) {
  trial::Measurement measurement;
  measurement.category = static_cast<trial::ErrorCategory>(random.below(trial::error_category_count));
  if (measurement.valid()) measurement.samples_seconds = {1e-3};
  measurement.build_seconds = exact_seconds(random);
  if (random.chance(0.7)) measurement.run_seconds = exact_seconds(random);
  return measurement;
}

std::shared_ptr<const trial::Recording> random_recording(base::Random& random, int builders, bool pipelined) {
  trial::RecordingHeader header;
  header.builders = builders;
  header.pipelined = pipelined;
  std::vector<space::KnobValue> values;
  for (std::int64_t value = 0; value < 200; ++value) values.emplace_back(value);
  const space::SearchSpace space = *space::SearchSpace::make({*space::Knob::ordinal("knob", values)});
  trial::RecordingBuilder builder(header, space);
  for (std::uint32_t value = 0; value < 200; ++value)
    if (!builder.add({{value}}, random_measurement(random))) std::abort();
  return *builder.build();
}

bool over_after_build(const trial::Recording& recording, std::uint32_t row) {
  const auto code = static_cast<int>(recording.category(row));
  return recording.run_seconds(row) == 0 && (code == 1 || code == 2 || code == 3 || code == 6 || code == 8);
}

/** The measurer as a machine whose clock ticks sixteenths of a second. */
struct Simulation {
  std::vector<double> finished;
  double build_seconds = 0;
  double run_seconds = 0;
};

Simulation simulate(const trial::Recording& recording, const std::vector<std::uint32_t>& rows) {
  constexpr double tick = 1.0 / 16;
  const auto ticks = [](double seconds) { return static_cast<int>(std::lround(seconds / tick)); };
  const auto builders = static_cast<std::size_t>(recording.header().builders);
  Simulation result{std::vector<double>(rows.size(), -1)};
  std::vector<int> building(rows.size());
  std::vector<int> built(rows.size(), 0);
  std::size_t next_build = 0;
  std::size_t next_run = 0;
  std::vector<std::size_t> in_builders;
  std::optional<std::pair<std::size_t, int>> on_device;
  for (int now = 0;; ++now) {
    const auto finish_builds = [&] {
      std::erase_if(in_builders, [&](std::size_t i) {
        if (building[i] > 0) return false;
        built[i] = 1;
        if (over_after_build(recording, rows[i])) result.finished[i] = now * tick;
        return true;
      });
    };
    // What takes no time makes room for the next at the same instant.
    do {
      finish_builds();
      while (in_builders.size() < builders && next_build < rows.size()) {
        building[next_build] = ticks(recording.build_seconds(rows[next_build]));
        in_builders.push_back(next_build++);
      }
    } while (std::ranges::any_of(in_builders, [&](std::size_t i) { return building[i] == 0; }));
    const bool all_built = next_build == rows.size() && in_builders.empty();
    for (;;) {
      if (on_device && on_device->second == 0) {
        result.finished[on_device->first] = now * tick;
        on_device.reset();
      }
      if (on_device) break;
      while (next_run < rows.size() && built[next_run] != 0 && over_after_build(recording, rows[next_run]))
        ++next_run;
      if (next_run == rows.size() || (recording.header().pipelined ? built[next_run] == 0 : !all_built))
        break;
      on_device = {next_run, ticks(recording.run_seconds(rows[next_run]))};
      ++next_run;
    }
    if (all_built && !on_device && next_run == rows.size()) return result;
    if (on_device) {
      --on_device->second;
      result.run_seconds += tick;
    } else if (!in_builders.empty()) {
      result.build_seconds += tick;
    }
    for (const std::size_t i : in_builders) --building[i];
  }
}

/** The same, wave after wave: the next is submitted once all of the last is known. */
Simulation simulate_waves(const trial::Recording& recording, const std::vector<std::uint32_t>& rows,
                          trial::BatchClock clock) {
  if (clock == trial::BatchClock::Batches || recording.header().pipelined) return simulate(recording, rows);
  Simulation whole;
  double begin = 0;
  for (std::size_t first = 0; first < rows.size();) {
    std::vector<std::uint32_t> wave;
    for (int builder = 0; builder < recording.header().builders && first < rows.size(); ++builder)
      wave.push_back(rows[first++]);
    const Simulation part = simulate(recording, wave);
    for (const double finished : part.finished) whole.finished.push_back(begin + finished);
    begin += *std::ranges::max_element(part.finished);
    whole.build_seconds += part.build_seconds;
    whole.run_seconds += part.run_seconds;
  }
  return whole;
}

trial::BatchClock random_clock(base::Random& random) {
  return random.chance(0.5) ? trial::BatchClock::Waves : trial::BatchClock::Batches;
}

}  // namespace

class MeasureReplayTest : public QObject {
  Q_OBJECT

 private slots:
  void schedulesAsASimulationDoes();
  void wavesAreKnownEarlier();
  void cutsAreThoseOfTheWhole();
  void searchTimesSurviveTheirText();
  void optionsKeepTheirText();
};

void MeasureReplayTest::schedulesAsASimulationDoes() {
  base::Random random = seeded_random();
  measure::ReplaySchedule schedule;
  for (int round = 0; round < 300; ++round) {
    const auto recording =
        random_recording(random, static_cast<int>(1 + random.below(5)), random.chance(0.5));
    std::vector<std::uint32_t> rows;
    for (std::uint64_t i = random.below(40); i > 0; --i)
      rows.push_back(static_cast<std::uint32_t>(random.below(recording->size())));
    const trial::BatchClock clock = random_clock(random);
    measure::ReplayClock(*recording, clock).schedule(rows, schedule);
    if (rows.empty()) {
      QCOMPARE(schedule.end_seconds, 0.0);
      continue;
    }
    const Simulation expected = simulate_waves(*recording, rows, clock);
    QCOMPARE(schedule.finished_seconds, expected.finished);
    QCOMPARE(schedule.end_seconds, *std::ranges::max_element(expected.finished));
    QCOMPARE(schedule.run_seconds, expected.run_seconds);
    QCOMPARE(schedule.build_seconds, expected.build_seconds);
  }
}

/** Two builders, 2 s each build, 1 s each run; the third does not compile. */
void MeasureReplayTest::wavesAreKnownEarlier() {
  trial::RecordingHeader header;
  header.builders = 2;
  std::vector<space::KnobValue> values;
  for (std::int64_t value = 0; value < 5; ++value) values.emplace_back(value);
  trial::RecordingBuilder builder(header, *space::SearchSpace::make({*space::Knob::ordinal("knob", values)}));
  for (std::uint32_t value = 0; value < 5; ++value) {
    trial::Measurement measurement;
    measurement.build_seconds = 2;
    if (value == 2) {
      measurement.category = trial::ErrorCategory::CompileHost;
    } else {
      measurement.samples_seconds = {1e-3};
      measurement.run_seconds = 1;
    }
    QVERIFY(builder.add({{value}}, measurement));
  }
  const auto recording = *builder.build();
  const std::vector<std::uint32_t> rows{0, 1, 2, 3, 4};
  measure::ReplaySchedule schedule;
  measure::ReplayClock(*recording, trial::BatchClock::Batches).schedule(rows, schedule);
  QCOMPARE(schedule.finished_seconds, (std::vector<double>{7, 8, 4, 9, 10}));
  const measure::ReplayClock waves(*recording, trial::BatchClock::Waves);
  waves.schedule(rows, schedule);
  QCOMPARE(schedule.finished_seconds, (std::vector<double>{3, 4, 6, 7, 10}));
  QCOMPARE(schedule.build_seconds, 6.0);
  QCOMPARE(schedule.run_seconds, 4.0);
  // Within 4 s nothing but the first wave begins; within 5 the build that fails does, and no run of its wave.
  QCOMPARE(measure::begun_before(schedule, 4), std::size_t{2});
  QCOMPARE(measure::begun_before(schedule, 5), std::size_t{3});
  waves.cut(rows, 3, schedule);
  QCOMPARE(schedule.end_seconds, 6.0);
  QCOMPARE(schedule.build_seconds, 4.0);
  QCOMPARE(schedule.run_seconds, 2.0);
}

void MeasureReplayTest::cutsAreThoseOfTheWhole() {
  base::Random random = seeded_random();
  measure::ReplaySchedule schedule;
  for (int round = 0; round < 200; ++round) {
    const auto recording =
        random_recording(random, static_cast<int>(1 + random.below(5)), random.chance(0.5));
    std::vector<std::uint32_t> rows(1 + random.below(30));
    for (std::uint32_t& row : rows) row = static_cast<std::uint32_t>(random.below(recording->size()));
    const measure::ReplayClock clock(*recording, random_clock(random));
    clock.schedule(rows, schedule);
    const measure::ReplaySchedule whole = schedule;
    const double limit = exact_seconds(random) * 4;
    const std::size_t count = measure::begun_before(schedule, limit);
    for (std::size_t i = 0; i < count; ++i) QVERIFY(schedule.started_seconds[i] < limit);
    if (count < rows.size()) QVERIFY(schedule.started_seconds[count] >= limit);
    clock.cut(rows, count, schedule);
    QCOMPARE(schedule.finished_seconds, whole.finished_seconds);
    double end = 0;
    double run = 0;
    for (std::size_t i = 0; i < count; ++i) {
      end = std::max(end, whole.finished_seconds[i]);
      run += recording->run_seconds(rows[i]);
    }
    QCOMPARE(schedule.end_seconds, end);
    QCOMPARE(schedule.run_seconds, run);
    QVERIFY(schedule.build_seconds + schedule.run_seconds <= end);
    // On a CPU something is busy at every instant.
    if (!recording->header().pipelined) QCOMPARE(schedule.build_seconds + schedule.run_seconds, end);
    // What a batch that goes on adds is never negative.
    double built = 0;
    for (std::size_t i = 0; i <= rows.size(); ++i) {
      clock.cut(rows, i, schedule);
      QVERIFY(schedule.build_seconds >= built);
      built = schedule.build_seconds;
    }
    QCOMPARE(schedule.build_seconds, whole.build_seconds);
    QCOMPARE(schedule.run_seconds, whole.run_seconds);
    QCOMPARE(schedule.end_seconds, whole.end_seconds);
  }
}

void MeasureReplayTest::searchTimesSurviveTheirText() {
  QVERIFY(*trial::parse_search_time("measured") == trial::SearchTime{});
  QVERIFY(*trial::parse_search_time("none") == (trial::SearchTime{trial::SearchTime::Kind::None, 0}));
  QVERIFY(*trial::parse_search_time("0.5") == (trial::SearchTime{trial::SearchTime::Kind::Constant, 0.5}));
  base::Random random = seeded_random();
  for (int i = 0; i < 1000; ++i) {
    const trial::SearchTime time{trial::SearchTime::Kind::Constant,
                                 random.uniform() * std::pow(10, random.uniform() * 12 - 9)};
    if (time.seconds_per_candidate > 86'400) continue;
    QVERIFY(*trial::parse_search_time(trial::to_string(time)) == time);
  }
  for (const char* wrong :
       {"", "None", "-1", "nan", "inf", "1e999", "1s", " 1", "86401", "measured ", "0x1"}) {
    const Result<trial::SearchTime> time = trial::parse_search_time(wrong);
    QVERIFY2(!time, wrong);
    QVERIFY(!time.error().hint.empty());
  }
}

void MeasureReplayTest::optionsKeepTheirText() {
  trial::MeasureOptions options;
  QVERIFY(!trial::measure_options_to_json(options).contains("search_time"));
  for (const trial::SearchTime& time :
       {trial::SearchTime{}, trial::SearchTime{trial::SearchTime::Kind::None, 0},
        trial::SearchTime{trial::SearchTime::Kind::Constant, 0.125}}) {
    options.search_time = time;
    QVERIFY(*trial::measure_options_from_json(trial::measure_options_to_json(options)) == options);
  }
  QVERIFY(!trial::measure_options_from_json(R"({"search_time": "soon"})"));
  QVERIFY(!trial::measure_options_from_json(R"({"search_time": 1})"));
}

KERNELSCAPE_TEST(MeasureReplayTest, QCoreApplication)

}  // namespace kernelscape::measure_replay_test
#include "measure_replay_test.moc"
