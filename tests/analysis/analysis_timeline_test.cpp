#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/analysis/timeline.h"
#include "tests/analysis/random_trials.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_timeline_test {
namespace {

using analysis::Activity;
using analysis::TimelineBlock;

/** Results are known up to this time after a kernel ended. */
constexpr double delay_seconds = 1e-3;
constexpr double tolerance_seconds = 0.02;

/** What a machine did, as it happened. */
struct History {
  std::vector<trial::Row> rows;
  std::vector<analysis::BatchSearch> searches;
  std::map<std::int64_t, TimelineBlock> builds;  ///< by number of the trial
  std::map<std::int64_t, TimelineBlock> runs;
  std::vector<TimelineBlock> searched;
  double now = 0;

  /** Returns the rows in order of arrival. */
  trial::Snapshot trials() {
    std::ranges::stable_sort(rows, {}, &trial::Row::finished_seconds);
    trial::Table table(0);
    for (const trial::Row& row : rows) table.append(row, {});
    return table.snapshot();
  }
  void search(std::int32_t batch, double seconds) {
    searches.push_back({batch, seconds});
    searched.push_back({now, now + seconds});
    now += seconds;
  }
};

trial::Row random_row(base::Random& random, std::int64_t number, std::int32_t batch, bool fails) {
  trial::Row row;
  row.number = number;
  row.batch = batch;
  row.build_seconds = 0.2 + random.uniform();
  if (fails) {
    row.category = trial::ErrorCategory::CompileHost;
    return row;
  }
  row.run_seconds = 0.05 + 0.3 * random.uniform();
  if (random.chance(0.1)) row.category = trial::ErrorCategory::WrongAnswer;
  return row;
}

/** Waves as large as the number of builders: each is built, then run. One trial of each wave runs. */
History waves(base::Random& random, std::size_t builders) {
  History history;
  std::int64_t number = 0;
  for (std::int32_t batch = 0; batch < 6; ++batch) {
    history.search(batch, 0.1 + random.uniform());
    for (int wave = 0; wave < 3; ++wave) {
      std::vector<trial::Row> rows;
      const double begin = history.now;
      for (std::size_t builder = 0; builder < builders; ++builder) {
        rows.push_back(random_row(random, number++, batch, builder > 0 && random.chance(0.3)));
        trial::Row& row = rows.back();
        const double end = begin + row.build_seconds;
        history.builds[row.number] = {begin, end};
        history.now = std::max(history.now, end);
        if (row.run_seconds == 0) row.finished_seconds = end;
      }
      for (trial::Row& row : rows) {
        if (row.run_seconds > 0) {
          history.runs[row.number] = {history.now, history.now + row.run_seconds};
          history.now += row.run_seconds;
          row.finished_seconds = history.now + delay_seconds * random.uniform();
        }
        history.rows.push_back(row);
      }
    }
  }
  return history;
}

/** Builds continue while the device runs kernels, in the order of the proposals. */
History pipeline(base::Random& random, std::size_t builders) {
  History history;
  std::int64_t number = 0;
  for (std::int32_t batch = 0; batch < 5; ++batch) {
    history.search(batch, 0.1 + random.uniform());
    std::vector<double> free(builders, history.now);
    double device = history.now;
    for (int position = 0; position < 12; ++position) {
      trial::Row row = random_row(random, number++, batch, random.chance(0.2));
      double& builder = *std::ranges::min_element(free);
      history.builds[row.number] = {builder, builder + row.build_seconds};
      builder += row.build_seconds;
      row.finished_seconds = builder;
      if (row.run_seconds > 0) {
        device = std::max(device, builder);
        history.runs[row.number] = {device, device + row.run_seconds};
        row.finished_seconds = device += row.run_seconds;
      }
      history.now = std::max(history.now, row.finished_seconds);
      history.rows.push_back(row);
    }
  }
  return history;
}

std::vector<TimelineBlock> blocks_of(const analysis::Timeline& timeline, Activity activity) {
  std::vector<TimelineBlock> blocks;
  for (const analysis::TimelineLane& lane : timeline.lanes)
    if (lane.activity == activity) blocks.insert(blocks.end(), lane.blocks.begin(), lane.blocks.end());
  return blocks;
}

bool near(const TimelineBlock& a, const TimelineBlock& b, double slack) {
  return std::abs(a.begin_seconds - b.begin_seconds) <= slack &&
         std::abs(a.end_seconds - b.end_seconds) <= slack;
}

/** Compares the blocks of trials with those that really were. */
void compare(const std::vector<TimelineBlock>& blocks, const trial::Snapshot& trials,
             const std::map<std::int64_t, TimelineBlock>& expected, double slack) {
  QCOMPARE(blocks.size(), expected.size());
  for (const TimelineBlock& block : blocks) {
    const std::int64_t number = trials.row(block.row).number;
    const TimelineBlock& was = expected.at(number);
    QVERIFY2(near(block, was, slack), qPrintable(QStringLiteral("trial %1: [%2, %3], was [%4, %5]")
                                                     .arg(number)
                                                     .arg(block.begin_seconds)
                                                     .arg(block.end_seconds)
                                                     .arg(was.begin_seconds)
                                                     .arg(was.end_seconds)));
  }
}

bool covers(const std::vector<TimelineBlock>& blocks, double seconds) {
  return std::ranges::any_of(blocks, [seconds](const TimelineBlock& block) {
    return block.begin_seconds <= seconds && seconds <= block.end_seconds;
  });
}

/** Blocks of a lane follow each other, within the session. */
void check_order(const analysis::Timeline& timeline) {
  for (const analysis::TimelineLane& lane : timeline.lanes) {
    QVERIFY(!lane.blocks.empty());
    for (std::size_t i = 0; i < lane.blocks.size(); ++i) {
      const TimelineBlock& block = lane.blocks[i];
      QVERIFY(block.begin_seconds >= 0 && block.begin_seconds <= block.end_seconds);
      QVERIFY(block.end_seconds <= timeline.end_seconds + 1e-9);
      if (i == 0) continue;
      QVERIFY(lane.blocks[i - 1].begin_seconds <= block.begin_seconds);
      QVERIFY(lane.blocks[i - 1].end_seconds <= block.end_seconds);
    }
  }
}

}  // namespace

class AnalysisTimelineTest : public QObject {
  Q_OBJECT

 private slots:
  void waves_are_found_again() {
    base::Random random = printed_random();
    for (int round = 0; round < 20; ++round) {
      const std::size_t builders = 1 + random.below(6);
      History history = waves(random, builders);
      const trial::Snapshot trials = history.trials();
      // Without the number of builders too: a wave begins on all of them at once.
      for (const std::size_t known : {builders, std::size_t{0}}) {
        const analysis::Timeline timeline = analysis::make_timeline({.trials = trials,
                                                                     .searches = history.searches,
                                                                     .session_seconds = history.now,
                                                                     .builders = known});
        check_order(timeline);
        QCOMPARE(timeline.untimed, 0);
        compare(blocks_of(timeline, Activity::Run), trials, history.runs, tolerance_seconds);
        compare(blocks_of(timeline, Activity::Build), trials, history.builds, tolerance_seconds);
        const std::vector<TimelineBlock> searched = blocks_of(timeline, Activity::Search);
        QCOMPARE(searched.size(), history.searched.size());
        for (std::size_t i = 0; i < searched.size(); ++i)
          QVERIFY(near(searched[i], history.searched[i], tolerance_seconds));
        const auto lanes =
            std::ranges::count(timeline.lanes, Activity::Build, &analysis::TimelineLane::activity);
        QCOMPARE(static_cast<std::size_t>(lanes), builders);
      }
    }
  }

  void builds_beside_runs_begin_with_their_batch() {
    base::Random random = printed_random();
    for (int round = 0; round < 20; ++round) {
      const std::size_t builders = 1 + random.below(6);
      History history = pipeline(random, builders);
      const trial::Snapshot trials = history.trials();
      const analysis::Timeline timeline = analysis::make_timeline({.trials = trials,
                                                                   .searches = history.searches,
                                                                   .session_seconds = history.now,
                                                                   .builders = builders,
                                                                   .builds_beside_runs = true});
      check_order(timeline);
      compare(blocks_of(timeline, Activity::Run), trials, history.runs, 1e-9);
      compare(blocks_of(timeline, Activity::Build), trials, history.builds, 1e-6);
    }
  }

  void a_machine_waits_exactly_while_nothing_else_happens() {
    base::Random random = printed_random();
    History history = waves(random, 3);
    const double end = history.now + 7;  // the session continues after its last trial
    const analysis::Timeline timeline = analysis::make_timeline(
        {.trials = history.trials(), .searches = history.searches, .session_seconds = end, .builders = 3});
    QCOMPARE(timeline.end_seconds, end);
    const std::vector<TimelineBlock> waits = blocks_of(timeline, Activity::Wait);
    for (int sample = 0; sample < 2000; ++sample) {
      const double seconds = end * random.uniform();
      const bool busy = covers(blocks_of(timeline, Activity::Search), seconds) ||
                        covers(blocks_of(timeline, Activity::Build), seconds) ||
                        covers(blocks_of(timeline, Activity::Run), seconds);
      // Shorter waits than a microsecond are not shown.
      if (busy == covers(waits, seconds))
        QVERIFY(covers(waits, seconds - 2e-6) || covers(waits, seconds + 2e-6));
    }
    QVERIFY(covers(waits, end - 1));
  }

  void results_that_are_known_at_once_ran_one_after_the_other() {
    trial::Table table(0);
    for (std::int64_t number = 0; number < 3; ++number) {
      trial::Row row;
      row.number = number;
      row.run_seconds = 1;
      row.finished_seconds = 10;
      table.append(row, {});
    }
    const analysis::Timeline timeline =
        analysis::make_timeline({.trials = table.snapshot(), .session_seconds = 10});
    QCOMPARE(blocks_of(timeline, Activity::Run),
             (std::vector<TimelineBlock>{{7, 8, 0}, {8, 9, 1}, {9, 10, 2}}));
  }

  /** A session that continued after its end has one confirmation in its middle. */
  void confirmations_follow_the_last_trial_before_them() {
    trial::Table table(0);
    for (const double finished : {2.0, 4.0, 12.0}) {
      trial::Row row;
      row.number = table.size();
      row.run_seconds = 1;
      row.finished_seconds = finished;
      table.append(row, {});
    }
    const std::vector<double> confirmed{10, 20};
    const analysis::Timeline timeline = analysis::make_timeline(
        {.trials = table.snapshot(), .session_seconds = 20, .confirmed_seconds = confirmed});
    QCOMPARE(blocks_of(timeline, Activity::Confirm), (std::vector<TimelineBlock>{{4, 10}, {12, 20}}));
    QCOMPARE(blocks_of(timeline, Activity::Wait), (std::vector<TimelineBlock>{{0, 1}, {2, 3}, {10, 11}}));
  }

  void failures_are_marked_where_they_happened() {
    trial::Table table(0);
    const auto add = [&](double finished, double run, trial::ErrorCategory category) {
      trial::Row row;
      row.number = table.size();
      row.build_seconds = 1;
      row.run_seconds = run;
      row.finished_seconds = finished;
      row.category = category;
      table.append(row, {});
    };
    add(3, 1, trial::ErrorCategory::NoError);
    add(6, 0, trial::ErrorCategory::CompileHost);
    add(9, 1, trial::ErrorCategory::RunTimeout);
    const analysis::Timeline timeline =
        analysis::make_timeline({.trials = table.snapshot(), .session_seconds = 9});
    for (const TimelineBlock& build : blocks_of(timeline, Activity::Build))
      QCOMPARE(build.failure,
               build.row == 1 ? trial::ErrorCategory::CompileHost : trial::ErrorCategory::NoError);
    for (const TimelineBlock& run : blocks_of(timeline, Activity::Run))
      QCOMPARE(run.failure, run.row == 2 ? trial::ErrorCategory::RunTimeout : trial::ErrorCategory::NoError);
  }

  void workers_of_a_fleet_have_lanes_of_their_own() {
    base::Random random = printed_random();
    std::vector<History> workers{waves(random, 1), waves(random, 1), waves(random, 1)};
    History all;
    for (std::size_t worker = 0; worker < workers.size(); ++worker)
      for (trial::Row row : workers[worker].rows) {
        row.number += static_cast<std::int64_t>(1000 * worker);
        row.worker = static_cast<std::uint16_t>(worker + 1);
        all.rows.push_back(row);
      }
    const trial::Snapshot trials = all.trials();
    const analysis::Timeline timeline = analysis::make_timeline({.trials = trials, .session_seconds = 1000});
    check_order(timeline);
    std::map<std::uint16_t, std::vector<TimelineBlock>> runs;
    for (const analysis::TimelineLane& lane : timeline.lanes) {
      for (const TimelineBlock& block : lane.blocks)
        if (block.row >= 0) QCOMPARE(trials.row(block.row).worker, lane.machine);
      if (lane.activity == Activity::Run) runs[lane.machine] = lane.blocks;
      // A worker waits between its tasks, not before it joined or after it left.
      if (lane.activity == Activity::Wait) QVERIFY(lane.blocks.back().end_seconds < 1000);
    }
    QCOMPARE(runs.size(), workers.size());
    for (std::size_t worker = 0; worker < workers.size(); ++worker) {
      std::vector<TimelineBlock>& blocks = runs[static_cast<std::uint16_t>(worker + 1)];
      QCOMPARE(blocks.size(), workers[worker].runs.size());
      for (const TimelineBlock& block : blocks) {
        const std::int64_t number = trials.row(block.row).number - static_cast<std::int64_t>(1000 * worker);
        QVERIFY(near(block, workers[worker].runs.at(number), tolerance_seconds));
      }
    }
  }

  /** Files of other programs have any times, and old ones none. */
  void any_times_give_a_timeline() {
    base::Random random = printed_random();
    for (int round = 0; round < 30; ++round) {
      trial::Table table(0);
      std::int64_t untimed = 0;
      std::set<std::int64_t> ran;
      for (std::int64_t number = 0; number < 200; ++number) {
        trial::Row row = random_trial_row(random, number);
        row.worker = static_cast<std::uint16_t>(random.below(3));
        if (random.chance(0.3)) row.run_seconds = 0;
        if (random.chance(0.2)) row.finished_seconds = random.chance(0.5) ? 0 : std::nan("");
        const bool timed = row.finished_seconds > 0;
        if (!timed) ++untimed;
        if (timed && row.run_seconds > 0) ran.insert(number);
        table.append(row, {});
      }
      const std::vector<analysis::BatchSearch> searches{{0, 1}, {3, 1e9}, {7, -1}, {400, 2}};
      const analysis::Timeline timeline = analysis::make_timeline({.trials = table.snapshot(),
                                                                   .searches = searches,
                                                                   .session_seconds = 100 * random.uniform(),
                                                                   .builders = random.below(4),
                                                                   .builds_beside_runs = random.chance(0.5)});
      check_order(timeline);
      QCOMPARE(timeline.untimed, untimed);
      std::set<std::int64_t> shown;
      for (const TimelineBlock& run : blocks_of(timeline, Activity::Run))
        QVERIFY(shown.insert(run.row).second);
      QVERIFY(shown == ran);
    }
    QVERIFY(analysis::make_timeline({}).lanes.empty());
  }

  void speeds_are_those_of_the_trials() {
    trial::Table table(0);
    auto speeds = std::make_shared<std::vector<trial::Speed>>();
    for (std::int64_t number = 0; number < 4; ++number) {
      trial::Row row;
      row.number = number;
      row.finished_seconds = static_cast<double>(number + 1);
      table.append(row, {});
      trial::Speed speed;
      if (number != 2) speed.speed = {.compute = 0.5, .memory = 1.0 / static_cast<double>(number + 1)};
      speeds->push_back(speed);
    }
    const analysis::Timeline timeline =
        analysis::make_timeline({.trials = table.snapshot().with_speeds(speeds), .session_seconds = 4});
    QCOMPARE(timeline.speeds.size(), std::size_t{1});
    QCOMPARE(timeline.speeds.front().points,
             (std::vector<analysis::TimelineSpeed>{{1, 0.5, 0}, {2, 0.5, 1}, {4, 0.25, 3}}));
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisTimelineTest)

}  // namespace kernelscape::analysis_timeline_test
#include "analysis_timeline_test.moc"
