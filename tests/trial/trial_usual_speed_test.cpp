#include <QTest>

#include "core/base/random.h"
#include "core/trial/baselines.h"
#include "core/trial/session_speeds.h"
#include "core/trial/usual_speed.h"
#include "core/trial/worker_tracks.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "tests/trial/slow_session.h"

namespace kernelscape::trial_usual_speed_test {
namespace {

constexpr trial::ProbeSeconds usual{.compute = 1e-3, .memory = 2e-3};
constexpr double day = 86'400;
constexpr double first_day = 19'700 * day;

trial::MachineReading reading_at(double slowdown, double days, bool loaded = false) {
  return {.taken_seconds = first_day + days * day,
          .probe = {usual.compute * slowdown, usual.memory * slowdown},
          .loaded = loaded};
}

double slowdown_of(const std::vector<trial::MachineReading>& readings) {
  return trial::usual_speed(readings).seconds.compute / usual.compute;
}

/** The text of the worker's phases in a session. */
std::vector<std::string> phase_texts(const trial::SessionSpeeds& speeds) {
  std::vector<std::string> texts;
  for (const trial::SlowPhase& phase : speeds.phases) texts.push_back(trial::phase_text(speeds, phase));
  return texts;
}

}  // namespace

/** What the readings of earlier sessions say of a machine's usual speed, and of a fleet's workers. */
class TrialUsualSpeedTest : public QObject {
  Q_OBJECT

 private slots:
  void slow_sessions_change_nothing() {
    std::vector<trial::MachineReading> readings{reading_at(1, 0)};
    for (const double slowdown : {3.0, 1.02, 0.97, 2.5}) {
      trial::add_reading(readings, reading_at(slowdown, 0.1));
      QCOMPARE(slowdown_of(readings), 1.0);
    }
    trial::add_reading(readings, reading_at(0.9, 0.2));
    QCOMPARE(slowdown_of(readings), 0.9);
    QVERIFY(!trial::usual_speed({}).seconds.known());
  }

  void a_machine_that_got_slower_for_good_is_learned_again() {
    std::vector<trial::MachineReading> readings;
    for (int session = 0; session < 10; ++session) trial::add_reading(readings, reading_at(1, session));
    // Six sessions of one afternoon show only that the machine is slow today.
    for (int session = 0; session < 6; ++session) {
      trial::add_reading(readings, reading_at(1.5, 20 + 0.01 * session));
      QCOMPARE(slowdown_of(readings), 1.0);
    }
    QCOMPARE(readings.size(), std::size_t(11));
    for (int later = 1; later < 5; ++later) {
      QCOMPARE(slowdown_of(readings), 1.0);
      trial::add_reading(readings, reading_at(1.5 + 0.02 * later, 20 + later));
    }
    QCOMPARE(slowdown_of(readings), 1.5);
    // The first fast day ends it.
    trial::add_reading(readings, reading_at(1, 25));
    QCOMPARE(slowdown_of(readings), 1.0);
  }

  void a_speed_that_changes_is_not_the_usual_one() {
    std::vector<trial::MachineReading> readings{reading_at(1, 0)};
    for (int session = 1; session < 12; ++session) {
      trial::add_reading(readings, reading_at(session % 2 == 0 ? 1.5 : 2, session));
      QCOMPARE(slowdown_of(readings), 1.0);
    }
  }

  void twenty_days_age_any_reading() {
    std::vector<trial::MachineReading> readings{{.probe = usual}};
    for (int session = 0; session < 19; ++session)
      trial::add_reading(readings, reading_at(session % 2 == 0 ? 1.5 : 2, session));
    QCOMPARE(slowdown_of(readings), 1.0);
    trial::add_reading(readings, reading_at(2, 19));
    QCOMPARE(readings.size(), std::size_t(20));
    QCOMPARE(slowdown_of(readings), 1.5);
  }

  void a_loaded_machine_has_no_usual_speed() {
    std::vector<trial::MachineReading> readings{reading_at(3, 0, true)};
    QVERIFY(trial::usual_speed(readings).loaded);
    for (int session = 1; session < 30; ++session) trial::add_reading(readings, reading_at(2, session, true));
    QVERIFY(trial::usual_speed(readings).loaded);
    QCOMPARE(slowdown_of(readings), 2.0);
    trial::add_reading(readings, reading_at(1.2, 31));
    QVERIFY(!trial::usual_speed(readings).loaded);
    QCOMPARE(slowdown_of(readings), 1.2);
    // Load does not make a machine faster, and pushes no quiet reading out.
    for (int session = 0; session < 30; ++session)
      trial::add_reading(readings, reading_at(1, 40 + session, true));
    QVERIFY(!trial::usual_speed(readings).loaded);
    QCOMPARE(slowdown_of(readings), 1.2);
  }

  void readings_are_read_back() {
    base::Random random(testing::random_seed());
    std::vector<trial::MachineReading> readings;
    for (int session = 0; session < 30; ++session)
      trial::add_reading(readings, reading_at(1 + random.uniform(), session, random.chance(0.3)));
    QVERIFY(trial::machine_readings_from_json(trial::machine_readings_to_json(readings)) == readings);
    for (const char* damaged : {"", "{}", "[3]", "[{\"compute_probe_seconds\": -1}]", "[{\"loaded\": 1}]"})
      QVERIFY(trial::machine_readings_from_json(damaged).empty());
  }

  void the_best_of_a_session_is_read_back() {
    trial::Baselines baselines;
    baselines.confirmation_speeds.push_back(
        {.measured_utc = "2026-01-01T00:00:00Z", .probe = usual, .machine_share = 0.5, .loaded = true});
    baselines.measured_best = trial::StoredMeasuredBest{
        .trials = 12, .trial = 7, .row = 6, .machine = {{0.3, 0.4}, true, 0.4, 0.01}, .usual = usual};
    QVERIFY(*trial::baselines_from_json(trial::baselines_to_json(baselines)) == baselines);
    const std::string damaged = R"({"measured_best": {"trials": 3, "trial": 1, "row": 7}})";
    QVERIFY(!trial::baselines_from_json(damaged)->measured_best);
  }

  void a_phase_of_a_worker_names_it_and_its_own_trials() {
    base::Random random(testing::random_seed());
    trial::SessionSpeedReader reader({}, trial::KernelBound::Compute);
    trial::Table table(0);
    for (std::int64_t number = 0; number < 200; ++number) {
      trial::Row row{.number = number};
      row.finished_seconds = static_cast<double>(number);
      row.worker = number % 2 == 0 ? 1 : 2;
      set_probes(random, row, row.worker == 2 && number >= 80 && number < 140 ? 3 : 1);
      trial::set_samples(row, {1e-3});
      table.append(row, {});
      reader.add(row);
    }
    QVERIFY(phase_texts(*reader.speeds()).front().contains("worker 2 ran at"));
    reader.set_workers({"desk1", "desk2"});
    const std::shared_ptr<const trial::SessionSpeeds> speeds = reader.speeds();
    QCOMPARE(speeds->phases.size(), std::size_t(1));
    QVERIFY2(phase_texts(*speeds).front().contains("worker desk2 ran at 0.3"),
             phase_texts(*speeds).front().c_str());
    const trial::Snapshot trials = trial::with_speeds(table.snapshot(), speeds);
    for (std::int64_t row = 0; row < trials.size(); ++row) {
      const bool slow = trial::worker_phase(*speeds, trials.row(row), row) != nullptr;
      QCOMPARE(slow, trials.row(row).machine.slow_phase);
      if (trials.row(row).worker == 1) QVERIFY(!slow);
      if (row >= 90 && row < 130) QCOMPARE(slow, trials.row(row).worker == 2);
    }
  }

  void a_worker_keeps_the_usual_times_that_were_given() {
    trial::WorkerTracks tracks({}, trial::KernelBound::Unknown);
    QVERIFY(!tracks.usual_of(3).known());
    tracks.set_usual(3, made_usual_probe);
    QVERIFY(tracks.usual_of(3) == made_usual_probe);
    base::Random random(testing::random_seed());
    for (std::int64_t number = 0; number < 20; ++number) {
      trial::Row row{.number = number};
      set_probes(random, row, 3);
      tracks.add(trial::speed_reading(row), 3);
    }
    QVERIFY(tracks.of_row(10).slow_phase);
  }
};

KERNELSCAPE_PLAIN_TEST(TrialUsualSpeedTest)

}  // namespace kernelscape::trial_usual_speed_test
#include "trial_usual_speed_test.moc"
