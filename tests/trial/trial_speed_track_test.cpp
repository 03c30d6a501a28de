#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/quantile.h"
#include "core/base/random.h"
#include "core/trial/speed_track.h"
#include "tests/test_program.h"

namespace kernelscape::trial_speed_track_test {

constexpr trial::ProbeSeconds usual{.compute = 1e-3, .memory = 1.2e-3};
constexpr double noise = 0.02;

/** What disturbs a machine during a part of a session. */
struct Disturbance {
  double begin_seconds = 0;
  double end_seconds = 0;
  double compute = 1;  ///< factor of the time
  double memory = 1;
  double on_seconds =
      0;  ///< a hypervisor runs the machine this long, then stops it for off_seconds; 0: never
  double off_seconds = 0;
};

/** A machine with its own clock on which probes and kernels run. */
class Machine {
 public:
  Machine(std::uint64_t seed, std::vector<Disturbance> disturbances)
      : random_(seed), disturbances_(std::move(disturbances)) {}

  double now() const { return now_; }
  void pass(double seconds) {
    now_ += seconds;
    left_on_ = -1;
  }
  /** Returns the wall time of work that takes `seconds` at the usual speed. */
  double run(double seconds, bool memory) {
    const Disturbance* slow = disturbance();
    stopped_seconds_ = 0;
    double wall = seconds * std::exp(deviation_ * random_.normal());
    if (random_.uniform() < 0.01 && seconds < 0.01) wall *= 1 + random_.uniform();
    if (slow == nullptr) return advance(wall);
    wall *= memory ? slow->memory : slow->compute;
    if (slow->on_seconds <= 0) return advance(wall);
    if (left_on_ < 0) left_on_ = slow->on_seconds * random_.uniform();
    double work = wall;
    for (; work > left_on_; left_on_ = slow->on_seconds) {
      work -= left_on_;
      stopped_seconds_ += slow->off_seconds;
    }
    left_on_ -= work;
    return advance(wall + stopped_seconds_);
  }
  /** Returns how long the machine was stopped in the latest run. */
  double stopped_seconds() const { return stopped_seconds_; }
  trial::ProbeSeconds probe() {
    trial::ProbeSeconds times;
    times.compute = run(usual.compute, false);
    times.memory = run(usual.memory, true);
    return times;
  }
  const Disturbance* disturbance() const {
    for (const Disturbance& one : disturbances_)
      if (now_ >= one.begin_seconds && now_ < one.end_seconds) return &one;
    return nullptr;
  }
  void set_deviation(double deviation) { deviation_ = deviation; }
  double uniform() { return random_.uniform(); }

 private:
  double advance(double seconds) {
    now_ += seconds;
    return seconds;
  }

  base::Random random_;
  std::vector<Disturbance> disturbances_;
  double deviation_ = noise;
  double now_ = 0;
  double stopped_seconds_ = 0;
  double left_on_ = -1;  ///< until the hypervisor stops the machine
};

struct Session {
  std::vector<trial::SpeedReading> readings;
  std::vector<double> slowdowns;  ///< of each trial's median
};

/** The samples of a trial, taken and watched as by a worker: see measure::Interruptions. */
std::vector<double> sample(Machine& machine, double work, bool memory_bound, trial::SpeedReading& reading) {
  constexpr std::size_t wanted = 7;
  std::vector<double> samples;
  std::vector<double> uninterrupted;
  double seconds = 0;
  double lost = 0;
  for (std::size_t repeated = 0; samples.size() < wanted;) {
    const double sample_seconds = machine.run(work, memory_bound);
    seconds += sample_seconds;
    lost += machine.stopped_seconds();
    if (machine.stopped_seconds() > 0 && repeated++ < wanted) continue;
    samples.push_back(sample_seconds);
    uninterrupted.push_back(sample_seconds - machine.stopped_seconds());
  }
  if (lost > 0) {
    reading.interrupted_share = lost / seconds;
    reading.interrupted_slowdown =
        base::quantile(samples, 0.5) / base::quantile(std::move(uninterrupted), 0.5);
  }
  return samples;
}

/** Two kernels are built, then run, and so on. Samples of a kernel take 20 to 30 ms. */
Session measure(Machine& machine, std::int64_t trials, bool memory_bound = false) {
  Session session;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    const bool first_of_wave = trial % 2 == 0;
    if (first_of_wave) machine.pass(0.2 + 0.5 * machine.uniform());
    trial::SpeedReading reading{.trial = trial};
    reading.before = first_of_wave ? machine.probe() : session.readings.back().after;
    const double work = 0.02 + 0.01 * machine.uniform();
    std::vector<double> samples = sample(machine, work, memory_bound, reading);
    reading.after = machine.probe();
    reading.finished_seconds = machine.now();
    session.readings.push_back(reading);
    session.slowdowns.push_back(base::quantile(std::move(samples), 0.5) / work);
  }
  return session;
}

trial::SpeedTrack track_of(const Session& session, const trial::ProbeSeconds& known = usual,
                           trial::KernelBound bound = trial::KernelBound::Unknown) {
  trial::SpeedTrack track(known, bound);
  for (const trial::SpeedReading& reading : session.readings) track.add(reading);
  return track;
}

bool overlaps(const trial::SlowPhase& phase, const Disturbance& disturbance) {
  return phase.begin_seconds < disturbance.end_seconds && phase.end_seconds >= disturbance.begin_seconds;
}

/** Returns true if the phase was found before it was over. */
bool found_in_time(const Session& session, const Disturbance& disturbance) {
  trial::SpeedTrack track(usual, trial::KernelBound::Unknown);
  for (const trial::SpeedReading& reading : session.readings) {
    if (reading.finished_seconds >= disturbance.end_seconds) break;
    track.add(reading);
  }
  return std::ranges::any_of(track.phases(),
                             [&](const trial::SlowPhase& phase) { return overlaps(phase, disturbance); });
}

/** Means of the logarithms of time ratios: 0 is right, positive values are too slow. */
struct Errors {
  double sum = 0;
  double squares = 0;
  double count = 0;
  double worst = 0;  ///< the largest over-correction, which invents a fast kernel

  void add(double error) {
    sum += error;
    squares += error * error;
    ++count;
    worst = std::min(worst, error);
  }
  double mean() const { return sum / count; }
  double deviation() const { return std::sqrt(squares / count); }
};

/** Outcomes of sessions that one kind of disturbance disturbs for a while. */
struct Tally {
  int sessions = 0;
  int found = 0;
  int false_alarms = 0;
  Errors corrected;

  double share() const { return static_cast<double>(found) / sessions; }
  std::string text() const {
    return fmt::format("found {} of {}, {} false alarms, correction {:+.3f}, deviation {:.3f}, worst {:.3f}",
                       found, sessions, false_alarms, corrected.mean(), corrected.deviation(),
                       corrected.worst);
  }
};

/** Adds the corrections of a session's trials, except for those that were measured before an end of a phase.
 */
void compare(const Session& session, const Disturbance& disturbance, Tally& tally) {
  const trial::SpeedTrack track = track_of(session);
  for (const trial::SlowPhase& phase : track.phases())
    if (!overlaps(phase, disturbance)) ++tally.false_alarms;
  for (std::size_t row = 0; row < session.readings.size(); ++row) {
    const trial::Speed speed = track.of_row(static_cast<std::int64_t>(row));
    if (speed.slow_phase) tally.corrected.add(std::log(session.slowdowns[row] * speed.correction));
  }
}

/** Disturbs sessions for 5 to 40 s each. */
template <typename Kind>
Tally disturb(std::uint64_t seed, int sessions, Kind&& kind) {
  Tally tally;
  base::Random random(seed);
  for (int i = 0; i < sessions; ++i) {
    Disturbance disturbance = kind(random);
    disturbance.begin_seconds = 20 + 20 * random.uniform();
    disturbance.end_seconds = disturbance.begin_seconds + 5 + 35 * random.uniform();
    Machine machine(seed * 1000 + static_cast<std::uint64_t>(i), {disturbance});
    const Session session = measure(machine, 250);
    ++tally.sessions;
    if (found_in_time(session, disturbance)) ++tally.found;
    compare(session, disturbance, tally);
  }
  return tally;
}

class TrialSpeedTrackTest : public QObject {
  Q_OBJECT

 private slots:
  void quiet_sessions_raise_no_alarm();
  void lower_clocks_are_found_and_corrected();
  void a_slower_memory_is_found();
  void interruptions_are_found_and_corrected();
  void an_interrupted_machine_is_slow_between_interruptions();
  void single_readings_decide_nothing();
  void short_trials_share_one_reading();
  void a_session_that_begins_slowly();
  void faster_sessions_raise_the_usual_speed();
  void values_do_not_depend_on_when_they_are_read();
  void trials_after_the_end_are_not_corrected();
  void waiting_ends_a_phase();
  void phases_name_their_trials();
  void nothing_is_known_without_readings();
};

void TrialSpeedTrackTest::quiet_sessions_raise_no_alarm() {
  for (const double deviation : {0.005, noise, 0.05}) {
    int alarms = 0;
    int unknown_usual = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      Machine machine(seed, {});
      machine.set_deviation(deviation);
      const Session session = measure(machine, 500);
      if (!track_of(session).phases().empty()) ++alarms;
      if (!track_of(session, {}).phases().empty()) ++unknown_usual;
    }
    qInfo("seeds 1 to 100, noise %g: %d alarms, %d without known usual times", deviation, alarms,
          unknown_usual);
    QVERIFY(alarms <= 1);
    QVERIFY(unknown_usual <= 1);
  }
}

void TrialSpeedTrackTest::lower_clocks_are_found_and_corrected() {
  const Tally tally = disturb(11, 200, [](base::Random& random) {
    const double slowdown = 1 / (0.28 + (0.85 - 0.28) * random.uniform());
    return Disturbance{.compute = slowdown, .memory = slowdown};
  });
  qInfo("seed 11: %s", tally.text().c_str());
  QVERIFY(tally.share() >= 0.95);
  QVERIFY(tally.false_alarms <= 2);
  QVERIFY(std::abs(tally.corrected.mean()) < 0.03);
  QVERIFY(tally.corrected.deviation() < 0.1);
  QVERIFY(tally.corrected.worst > -0.3);
}

void TrialSpeedTrackTest::a_slower_memory_is_found() {
  const Tally tally = disturb(12, 200, [](base::Random& random) {
    return Disturbance{.memory = 1 / (0.28 + (0.85 - 0.28) * random.uniform())};
  });
  // The kernels do not read memory, and are not corrected as long as nobody says that they do.
  qInfo("seed 12: %s", tally.text().c_str());
  QVERIFY(tally.share() >= 0.95);
  QVERIFY(std::abs(tally.corrected.mean()) < 0.03);
  QVERIFY(tally.corrected.worst > -0.15);

  Machine machine(13, {{.begin_seconds = 10, .end_seconds = 60, .memory = 3}});
  const Session session = measure(machine, 100, /*memory_bound=*/true);
  const trial::SpeedTrack track = track_of(session, usual, trial::KernelBound::Memory);
  Errors errors;
  for (std::int64_t row = track.phases().front().first_row + 1; row < track.phases().front().last_row; ++row)
    errors.add(std::log(session.slowdowns[static_cast<std::size_t>(row)] * track.of_row(row).correction));
  QVERIFY(std::abs(errors.mean()) < 0.03);
}

void TrialSpeedTrackTest::interruptions_are_found_and_corrected() {
  struct Kind {
    double shortest, longest, found;
  };
  for (const Kind kind : {Kind{0.010, 0.020, 0.95}, Kind{0.020, 0.050, 0.95}, Kind{0.050, 0.200, 0.95}}) {
    const Tally tally = disturb(14, 200, [&](base::Random& random) {
      return Disturbance{.on_seconds = kind.shortest + (kind.longest - kind.shortest) * random.uniform(),
                         .off_seconds = kind.shortest + (kind.longest - kind.shortest) * random.uniform()};
    });
    qInfo("seed 14, %g to %g s: %s", kind.shortest, kind.longest, tally.text().c_str());
    QVERIFY(tally.share() >= kind.found);
    QVERIFY(tally.false_alarms <= 2);
    QVERIFY(std::abs(tally.corrected.mean()) < 0.02);
    QVERIFY(tally.corrected.deviation() < 0.05);
    QVERIFY(tally.corrected.worst > -0.3);
  }
}

/** Returns a reading of a machine at these slow-downs before and after a trial. */
trial::SpeedReading reading_at(std::int64_t trial, double before, double after) {
  const auto probe = [](double slowdown, std::int64_t number) {
    const double different = 1 + 1e-6 * static_cast<double>(number);  // no two readings are equal
    return trial::ProbeSeconds{usual.compute * slowdown * different, usual.memory * slowdown * different};
  };
  return {.trial = trial,
          .finished_seconds = static_cast<double>(trial),
          .before = probe(before, 2 * trial),
          .after = probe(after, 2 * trial + 1)};
}

void TrialSpeedTrackTest::an_interrupted_machine_is_slow_between_interruptions() {
  trial::SpeedTrack track(usual, trial::KernelBound::Unknown);
  for (std::int64_t trial = 0; trial < 40; ++trial) {
    trial::SpeedReading reading = reading_at(trial, 1, 1);
    if (trial >= 20) {
      reading.interrupted_share = 0.5;
      reading.interrupted_slowdown = 2;
    }
    track.add(reading);
  }
  QVERIFY(track.slow());
  QVERIFY(std::abs(track.now().lowest() - 0.5) < 0.05);
  QVERIFY(std::abs(track.phases().front().speed.lowest() - 0.5) < 0.05);
  QVERIFY(std::abs(track.of_row(30).correction - 0.5) < 0.05);
  QCOMPARE(track.of_row(10).correction, 1.0);
}

void TrialSpeedTrackTest::single_readings_decide_nothing() {
  for (const double slowdown : {1.5, 3.0, 60.0, 1000.0}) {
    trial::SpeedTrack track(usual, trial::KernelBound::Unknown);
    for (std::int64_t trial = 0; trial < 100; ++trial) {
      const bool hit = trial % 30 == 15;
      track.add(reading_at(trial, 1, hit ? slowdown : 1));
      // The probe after a trial can be the one before the next: it is still a single reading.
      if (hit) {
        trial::SpeedReading next = reading_at(++trial, 1, 1);
        next.before = reading_at(trial - 1, 1, slowdown).after;
        track.add(next);
      }
      QVERIFY(!track.slow());
    }
    QVERIFY(track.phases().empty());
  }
}

/** Returns a trial that shares the reading before an earlier one, and has none after it. */
trial::SpeedReading short_trial(std::int64_t trial, const trial::ProbeSeconds& shared,
                                double interrupted_share = 0) {
  return {.trial = trial,
          .finished_seconds = static_cast<double>(trial),
          .before = shared,
          .interrupted_share = interrupted_share};
}

void TrialSpeedTrackTest::short_trials_share_one_reading() {
  for (const double slowdown : {1.5, 3.0, 60.0}) {
    trial::SpeedTrack track(usual, trial::KernelBound::Unknown);
    std::int64_t trial = 0;
    for (int group = 0; group < 20; ++group) {
      const trial::ProbeSeconds shared = reading_at(trial, group == 10 ? slowdown : 1, 1).before;
      for (int i = 0; i < 10; ++i, ++trial) {
        // A build that fails between two trials does not make the reading another one.
        track.add(i == 5 ? trial::SpeedReading{.trial = trial} : short_trial(trial, shared));
        QVERIFY(!track.slow());
      }
    }
    QVERIFY(track.of_row(5).speed == trial::MachineSpeed());
    QVERIFY(std::abs(track.of_row(6).speed.compute - 1) < 0.01);
  }
  // Interruptions of short trials count for each of them.
  trial::SpeedTrack uneven(usual, trial::KernelBound::Unknown);
  for (std::int64_t trial = 0; trial < 20; ++trial)
    uneven.add(short_trial(trial, reading_at(0, 1, 1).before));
  QVERIFY(!uneven.slow());
  for (std::int64_t trial = 20; trial < 23; ++trial)
    uneven.add(short_trial(trial, reading_at(0, 1, 1).before, 0.5));
  QVERIFY(uneven.slow());
}

void TrialSpeedTrackTest::a_session_that_begins_slowly() {
  for (std::uint64_t seed = 31; seed < 41; ++seed) {
    Machine machine(seed, {{.begin_seconds = 0, .end_seconds = 20, .compute = 3, .memory = 3}});
    const Session session = measure(machine, 200);
    for (const trial::ProbeSeconds& known : {usual, trial::ProbeSeconds{}}) {
      const trial::SpeedTrack track = track_of(session, known);
      QCOMPARE(track.phases().size(), std::size_t(1));
      const trial::SlowPhase& phase = track.phases().front();
      QCOMPARE(phase.first_row, 0);
      QVERIFY(phase.ended);
      QVERIFY(std::abs(phase.end_seconds - 20) < 1.5);
      QVERIFY(std::abs(phase.speed.lowest() - 1.0 / 3) < 0.02);
      QVERIFY(std::abs(track.of_row(10).correction - 1.0 / 3) < 0.03);
      QVERIFY(std::abs(track.usual().compute / usual.compute - 1) < 0.05);
    }
  }
}

void TrialSpeedTrackTest::faster_sessions_raise_the_usual_speed() {
  Machine machine(41, {});
  const Session session = measure(machine, 100);
  const trial::SpeedTrack track = track_of(session, {.compute = 1.3 * usual.compute, .memory = usual.memory});
  QVERIFY(std::abs(track.usual().compute / usual.compute - 1) < 0.02);
  QCOMPARE(track.usual().memory, usual.memory);
  QVERIFY(track.phases().empty());
}

void TrialSpeedTrackTest::values_do_not_depend_on_when_they_are_read() {
  Machine machine(51, {{.begin_seconds = 0, .end_seconds = 15, .compute = 2, .memory = 2},
                       {.begin_seconds = 40, .end_seconds = 60, .on_seconds = 0.02, .off_seconds = 0.03}});
  const Session session = measure(machine, 250);
  trial::SpeedTrack step_by_step({}, trial::KernelBound::Compute);
  std::int64_t sum = 0;
  for (std::size_t count = 0; count < session.readings.size(); ++count) {
    step_by_step.add(session.readings[count]);
    for (std::int64_t row = 0; row < step_by_step.rows(); ++row) sum += step_by_step.of_row(row).slow_phase;
    if (count % 50 != 0) continue;
    Session first;
    first.readings.assign(session.readings.begin(),
                          session.readings.begin() + static_cast<std::ptrdiff_t>(count) + 1);
    const trial::SpeedTrack at_once = track_of(first, {}, trial::KernelBound::Compute);
    QVERIFY(std::ranges::equal(at_once.phases(), step_by_step.phases()));
    QVERIFY(at_once.now() == step_by_step.now());
    for (std::int64_t row = 0; row < at_once.rows(); ++row)
      QVERIFY(at_once.of_row(row) == step_by_step.of_row(row));
  }
  QVERIFY(sum > 0);
}

/** After waiting the machine is as usual, and the phase's end is not noticed yet: too much is worse. */
void TrialSpeedTrackTest::trials_after_the_end_are_not_corrected() {
  trial::SpeedTrack track(usual, trial::KernelBound::Unknown);
  for (std::int64_t trial = 0; trial < 40; ++trial) track.add(reading_at(trial, 3, 3));
  track.add(reading_at(40, 1, 1));
  QVERIFY(track.slow());
  QVERIFY(track.of_row(39).correction < 0.35);
  QCOMPARE(track.of_row(40).correction, 1.0);
  // In a trial during which the phase ended an unknown part was slow.
  trial::SpeedTrack within(usual, trial::KernelBound::Unknown);
  for (std::int64_t trial = 0; trial < 40; ++trial) within.add(reading_at(trial, 3, 3));
  within.add(reading_at(40, 3, 1));
  QVERIFY(within.of_row(40).slow_phase);
  QVERIFY(within.of_row(40).correction > 0.99);
  QVERIFY(within.of_row(40).correction_error > 0.4);
}

void TrialSpeedTrackTest::waiting_ends_a_phase() {
  trial::SpeedTrack track(usual, trial::KernelBound::Unknown);
  for (std::int64_t trial = 0; trial < 20; ++trial) track.add(reading_at(trial, 3, 3));
  QVERIFY(track.slow());
  int polls = 0;
  for (; track.slow() && polls < 100; ++polls) track.add_idle(20, usual);
  QVERIFY(polls >= 2 && polls <= 8);
  QVERIFY(track.phases().front().ended);
  QCOMPARE(track.phases().front().last_row, 19);
  // A phase without a trial.
  for (int poll = 0; poll < 10; ++poll) track.add_idle(21, {3 * usual.compute, 3 * usual.memory});
  QVERIFY(track.slow());
  QVERIFY(track.phases().back().last_row < track.phases().back().first_row);
  for (int poll = 0; poll < 10; ++poll) track.add_idle(22, usual);
  track.add(reading_at(20, 1, 1));
  QVERIFY(!track.of_row(20).slow_phase);
}

void TrialSpeedTrackTest::phases_name_their_trials() {
  trial::SpeedTrack track(usual, trial::KernelBound::Unknown);
  const auto slow = [](std::int64_t trial) { return trial >= 48 && trial <= 85; };
  for (std::int64_t trial = 0; trial < 100; ++trial) {
    // Trials 86 and 87 arrive in the opposite order, and 60 was not built.
    const std::int64_t number = trial == 86 ? 87 : trial == 87 ? 86 : trial;
    trial::SpeedReading reading =
        reading_at(number, slow(number) ? 1 / 0.28 : 1, slow(number) ? 1 / 0.28 : 1);
    reading.finished_seconds = static_cast<double>(trial);
    if (trial == 60) reading = {.trial = 60, .finished_seconds = 60};
    track.add(reading);
  }
  QCOMPARE(track.phases().size(), std::size_t(1));
  QCOMPARE(trial::describe(track.phases().front()),
           std::string("trials 48 to 85: the machine ran at 0.28 of its speed for 38 s"));
  QVERIFY(track.of_row(60).slow_phase);
}

void TrialSpeedTrackTest::nothing_is_known_without_readings() {
  trial::SpeedTrack track({}, trial::KernelBound::Unknown);
  for (std::int64_t trial = 0; trial < 20; ++trial)
    track.add({.trial = trial, .finished_seconds = static_cast<double>(trial)});
  for (std::int64_t row = 0; row < 20; ++row) QVERIFY(track.of_row(row) == trial::Speed());
  QVERIFY(!track.now().known());
  QVERIFY(!track.usual().known());
}

KERNELSCAPE_PLAIN_TEST(TrialSpeedTrackTest)

}  // namespace kernelscape::trial_speed_track_test
#include "trial_speed_track_test.moc"
