#include <QTest>
#include <cmath>
#include <stdexcept>

#include "core/analysis/filter/filter.h"
#include "core/trial/session_speeds.h"
#include "tests/analysis/random_trials.h"
#include "tests/test_program.h"
#include "tests/trial/slow_session.h"

namespace kernelscape::analysis_machine_speed_test {
namespace {

/** A session with slow phases, some of whose trials have no readings. */
struct Session {
  Session(base::Random& random, std::int64_t trials, std::int64_t first_reading = 0)
      : space(space_of_all_kinds()), table(space.knobs().size()) {
    const std::vector<double> slowdowns = random_slowdowns(random, trials);
    for (std::int64_t number = 0; number < trials; ++number) {
      trial::Row row = random_trial_row(random, number);
      // Samples that spread widely would look like those of an interrupted machine.
      row.first_quartile_seconds = row.third_quartile_seconds = row.median_seconds;
      if (number >= first_reading && random.chance(0.8))
        set_probes(random, row, slowdowns[static_cast<std::size_t>(number)]);
      table.append(row, random_choice(random, space));
    }
  }

  trial::Snapshot trials() const { return table.snapshot(); }

  std::shared_ptr<const trial::SessionSpeeds> speeds(std::int64_t rows, bool in_time_order = true) const {
    trial::SessionSpeedReader reader(made_usual_probe, trial::KernelBound::Compute, in_time_order);
    for (std::int64_t row = 0; row < rows; ++row) reader.add(trials().row(row));
    return reader.speeds();
  }

  space::SearchSpace space;
  trial::Table table;
};

/** What is known without the classes under test. */
trial::SpeedTrack track_of(const trial::Snapshot& trials) {
  trial::SpeedTrack track(made_usual_probe, trial::KernelBound::Compute);
  for (std::int64_t row = 0; row < trials.size(); ++row) track.add(trial::speed_reading(trials.row(row)));
  return track;
}

std::vector<std::int64_t> passing(const std::string& text, const trial::Snapshot& trials,
                                  const analysis::TrialColumns& columns) {
  const auto filter = analysis::Filter::parse(text, columns);
  if (!filter) throw std::invalid_argument(filter.error().message);
  return filter->evaluate(trials, columns).rows();
}

template <typename Passes>
std::vector<std::int64_t> expected(const trial::SpeedTrack& track, const Passes& passes) {
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < track.rows(); ++row)
    if (passes(track.of_row(row))) rows.push_back(row);
  return rows;
}

}  // namespace

class MachineSpeedTest : public QObject {
  Q_OBJECT

 private slots:
  void filters_pass_the_trials_that_were_measured_at_this_speed() {
    base::Random random = printed_random();
    for (int round = 0; round < 5; ++round) {
      const Session session(random, 300 + static_cast<std::int64_t>(random.below(300)));
      const trial::SpeedTrack track = track_of(session.trials());
      QVERIFY(!track.phases().empty());
      const trial::Snapshot trials =
          trial::with_speeds(session.trials(), session.speeds(session.table.size()));
      const analysis::TrialColumns columns(session.space, 1e9, false, {}, false, true);
      const auto rows = [&](const char* text) { return passing(text, trials, columns); };
      QCOMPARE(rows("speed < 90"), expected(track, [](const trial::Speed& trial) {
                 return trial.speed.known() && 100 * trial.speed.lowest() < 90;
               }));
      QCOMPARE(rows("speed >= 40 %"), expected(track, [](const trial::Speed& trial) {
                 return trial.speed.known() && 100 * trial.speed.lowest() >= 40;
               }));
      QCOMPARE(rows("slow_phase"),
               expected(track, [](const trial::Speed& trial) { return trial.slow_phase; }));
      QCOMPARE(rows("slow_phase = false"), expected(track, [](const trial::Speed& trial) {
                 return trial.speed.known() && !trial.slow_phase;
               }));
      QVERIFY(!rows("slow_phase").empty() && !rows("slow_phase = false").empty());
    }
  }

  void a_reader_that_follows_a_session_knows_what_a_later_one_knows() {
    base::Random random = printed_random();
    const Session session(random, 500, 30);
    const trial::Snapshot trials = session.trials();
    trial::SessionSpeedReader reader(made_usual_probe, trial::KernelBound::Compute);
    std::shared_ptr<const trial::SessionSpeeds> before;
    for (std::int64_t row = 0; row < trials.size(); ++row) {
      reader.add(trials.row(row));
      if (!random.chance(0.1)) continue;
      const std::shared_ptr<const trial::SessionSpeeds> speeds = reader.speeds();
      const std::shared_ptr<const trial::SessionSpeeds> again = session.speeds(row + 1);
      QCOMPARE(speeds == nullptr, again == nullptr);
      if (!speeds) continue;
      QVERIFY(*speeds == *again);
      QCOMPARE(std::ssize(speeds->trials), row + 1);
      QCOMPARE(reader.speeds(), speeds);  // nothing new: nothing is made
      const bool same =
          !before || std::equal(before->trials.begin(), before->trials.end(), speeds->trials.begin());
      if (before) QCOMPARE(trial::earlier_rows_changed(before.get(), speeds.get()), !same);
      before = speeds;
    }
    const trial::SpeedTrack track = track_of(trials);
    QVERIFY(std::ranges::equal(reader.speeds()->phases, track.phases()));
    std::int64_t slow = 0;
    for (const trial::Speed& trial : reader.speeds()->trials) slow += trial.slow_phase ? 1 : 0;
    QCOMPARE(reader.speeds()->slow_trials, slow);
    QVERIFY(!trial::slow_share_text(*reader.speeds()).empty());
  }

  void trials_without_readings_stay_as_they_were() {
    base::Random random = printed_random();
    const Session session(random, 200, 200);
    QVERIFY(session.speeds(200) == nullptr);
    const trial::Snapshot trials = trial::with_speeds(session.trials(), nullptr);
    for (std::int64_t row = 0; row < trials.size(); ++row) QVERIFY(trials.row(row).machine == trial::Speed());
    const analysis::TrialColumns columns(session.space, 1e9);
    QVERIFY(!columns.find("speed") && !columns.find("slow_phase"));
    QVERIFY(!analysis::Filter::parse("speed < 90", columns));
  }

  void the_order_of_a_recorded_space_makes_no_phases() {
    base::Random random = printed_random();
    const Session session(random, 300);
    const std::shared_ptr<const trial::SessionSpeeds> speeds = session.speeds(300, false);
    QVERIFY(speeds != nullptr);
    QVERIFY(speeds->phases.empty() && !speeds->slow && !speeds->now.known());
    std::int64_t slow = 0;
    for (std::int64_t row = 0; row < 300; ++row) {
      const trial::Row trial = session.trials().row(row);
      const trial::Speed& machine = speeds->trials.at(static_cast<std::size_t>(row));
      QCOMPARE(machine.speed.known(), trial.probe_before.known());
      QVERIFY(!machine.slow_phase && machine.correction == 1);
      if (!machine.speed.known()) continue;
      const double mean = (trial.probe_before.compute + trial.probe_after.compute) / 2;
      QCOMPARE(machine.speed.compute, made_usual_probe.compute / mean);
      slow += machine.speed.lowest() < 0.9 ? 1 : 0;
    }
    QVERIFY(slow > 0);
    QCOMPARE(speeds->slow_trials, slow);
  }

  void other_columns_keep_their_positions_and_names() {
    const analysis::TrialColumns before(space_of_all_kinds(), 1e9);
    const analysis::TrialColumns after(space_of_all_kinds(), 1e9, false, {}, false, true);
    QVERIFY(after.columns().size() > before.columns().size());
    for (std::size_t column = 0; column < before.columns().size(); ++column)
      QCOMPARE(after.columns()[column].name, before.columns()[column].name);
    QCOMPARE(after.columns().back().name, std::string("slow_phase"));
    const space::SearchSpace space = *space::SearchSpace::make({*space::Knob::ordinal("speed", {1, 2})});
    const analysis::TrialColumns beside(space, 1e9, false, {}, false, true);
    QVERIFY(beside.columns()[beside.find("speed").value()].knob.has_value());
    QCOMPARE(beside.find(trial::Measured::Speed), beside.find("machine.speed"));
  }
};

KERNELSCAPE_PLAIN_TEST(MachineSpeedTest)

}  // namespace kernelscape::analysis_machine_speed_test
#include "analysis_machine_speed_test.moc"
