#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "core/analysis/best_result.h"
#include "core/exchange/stored_best.h"
#include "core/session/notice_keeper.h"
#include "core/session/report.h"
#include "core/session/usual_speed.h"
#include "core/store/stored_speeds.h"
#include "core/trial/baselines.h"
#include "core/trial/slow_phase_notice.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_slow_phases_test {
using namespace kernelscape::session_tests;

constexpr trial::ProbeSeconds usual{.compute = 1e-3, .memory = 1.2e-3};

/** A machine that is slow during some trials of a session. */
struct SlowMachine {
  std::int64_t first = 0;
  std::int64_t last = -1;
  double speed = 0.3;

  double slowdown(std::int64_t trial) const { return trial >= first && trial <= last ? 1 / speed : 1; }
};

trial::ProbeSeconds probe_at(double slowdown, std::int64_t reading) {
  const double noise = 1 + 1e-4 * static_cast<double>(reading * 37 % 100);
  return {.compute = usual.compute * slowdown * noise, .memory = usual.memory * slowdown * noise};
}

/** Measures trials in proposal order, beginning with `next`. */
MeasurementScript slow_script(const SlowMachine& machine, std::int64_t next = 0) {
  MeasurementScript script;
  script.measure = [machine, next](const space::Configuration& configuration) mutable {
    const std::int64_t trial = next++;
    trial::Measurement measurement = scripted_measurement(configuration);
    if (!measurement.valid()) return measurement;
    for (double& seconds : measurement.samples_seconds) seconds *= machine.slowdown(trial);
    const trial::ProbeSeconds before = probe_at(machine.slowdown(trial), 2 * trial);
    const trial::ProbeSeconds after = probe_at(machine.slowdown(trial), 2 * trial + 1);
    measurement.compute_probe_before_seconds = before.compute;
    measurement.memory_probe_before_seconds = before.memory;
    measurement.compute_probe_after_seconds = after.compute;
    measurement.memory_probe_after_seconds = after.memory;
    return measurement;
  };
  return script;
}

class SessionSlowPhasesTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  int benches_ = 0;

  std::string new_path() { return folder_->filePath(QString("%1.db").arg(++benches_)).toStdString(); }
  std::unique_ptr<Bench> make_bench(const std::string& path, const SlowMachine& machine,
                                    std::int64_t next = 0) {
    auto bench = std::make_unique<Bench>(path, slow_script(machine, next));
    bench->measurer.probe = usual;
    bench->confirmer = confirm_by_script;
    return bench;
  }

 private slots:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }
  void theBestIsThatOfAnUndisturbedSession();
  void aTunerObservesCorrectedTimes();
  void resumedInASlowPhase();
  void aPhaseIsReportedOnce();
  void trialsOfAPhaseAreMeasuredAgainAfterIt();
  void aPhaseAtTheEnd();
  void theUsualSpeedIsStoredOnce();
  void aMachineThatWasAlwaysLoadedHasNoUsualSpeed();
  void aMachineThatGotSlowerIsLearnedAgain();
  void theBestIsStoredForLists();
  void withoutReadingsNothingChanges();
  void waitingIsNoSessionTime();
  void aWaitIsReportedWhenItIsOver();
  void aPhaseSaysWhatTheSystemReported();
  void withoutACauseThatIsSaid();
  void aWorkerSaysWhatItsSystemReported();
  void aDeviceWithoutAProbeIsReportedOnce();
};

/** Returns the best trial by the confirmations of a session. */
analysis::ConfirmedTrial confirmed_best_of(const store::Store& store, store::SessionId id) {
  const trial::Baselines baselines =
      *trial::baselines_from_json(store.sessions().get(id)->status.vendor_json);
  return analysis::last_confirmed(*store.confirmations().of(id), baselines.confirmation_speeds).front();
}

std::vector<std::string> phase_messages(const RecordingObserver& observer) {
  std::vector<std::string> texts;
  for (const session::Message& message : observer.messages)
    if (message.kind == session::MessageKind::Machine && message.text.contains("of its speed"))
      texts.push_back(message.text);
  return texts;
}

void SessionSlowPhasesTest::theBestIsThatOfAnUndisturbedSession() {
  // These tuners' proposals do not depend on times: both sessions measure the same kernels.
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    qInfo("seed %d", static_cast<int>(seed));
    const session::Setup setup = make_setup("random", seed, 100, 8);
    const auto quiet = make_bench(new_path(), {});
    const auto disturbed = make_bench(new_path(), {.first = 20, .last = 60});
    const auto expected = quiet->run(setup);
    const auto outcome = disturbed->run(setup);
    QVERIFY(expected && outcome);
    const analysis::ConfirmedTrial best = confirmed_best_of(disturbed->store, outcome->id);
    QCOMPARE(best.trial, confirmed_best_of(quiet->store, expected->id).trial);
    QCOMPARE(best.seconds.median, confirmed_best_of(quiet->store, expected->id).seconds.median);
    QVERIFY(phase_messages(quiet->observer).empty());
  }
}

void SessionSlowPhasesTest::aTunerObservesCorrectedTimes() {
  // A tuner that learns proposes almost the same kernels, since it observes almost the same times.
  const session::Setup setup = make_setup("nose", 3, 120, 8);
  const auto quiet = make_bench(new_path(), {});
  const auto disturbed = make_bench(new_path(), {.first = 20, .last = 60});
  const auto expected = quiet->run(setup);
  const auto outcome = disturbed->run(setup);
  QVERIFY(expected && outcome);
  const double best = confirmed_best_of(disturbed->store, outcome->id).seconds.median;
  QVERIFY(best < 1.15 * confirmed_best_of(quiet->store, expected->id).seconds.median);
}

void SessionSlowPhasesTest::resumedInASlowPhase() {
  const SlowMachine machine{.first = 20, .last = 60};
  for (const char* tuner : {"nose", "gp", "ga"}) {
    const session::Setup setup = make_setup(tuner, 5, 90, 8);
    const auto whole = make_bench(new_path(), machine);
    const auto expected = whole->run(setup);
    QVERIFY(expected);
    const std::string path = new_path();
    auto first = make_bench(path, machine);
    first->observer.on_trial = [&](const trial::Trial& trial) {
      if (trial.number == 44) first->stop.stop_gracefully();
    };
    const auto stopped = first->run(setup);
    QVERIFY(stopped && stopped->interrupted);
    const std::int64_t known = stopped->status.trial_count;
    QVERIFY(known >= 45 && known < 60);
    first.reset();
    const auto second = make_bench(path, machine, known);
    const auto outcome = second->resume(stopped->id, setup);
    QVERIFY2(outcome, outcome ? "" : outcome.error().message.c_str());
    QVERIFY(comparable_trials(second->store, outcome->id) == comparable_trials(whole->store, expected->id));
  }
}

void SessionSlowPhasesTest::aPhaseIsReportedOnce() {
  const SlowMachine machine{.first = 20, .last = 60};
  const std::string path = new_path();
  auto first = make_bench(path, machine);
  const auto outcome = first->run(make_setup("random", 6, 100, 8));
  QVERIFY(outcome);
  const std::vector<std::string> texts = phase_messages(first->observer);
  QCOMPARE(texts.size(), std::size_t(1));
  QVERIFY2(texts.front().contains("the machine ran at 0.30 of its speed"), texts.front().c_str());
  first.reset();
  const auto second = make_bench(path, machine, 100);
  QVERIFY(second->resume(outcome->id, make_setup("random", 6, 120, 8)));
  QVERIFY(phase_messages(second->observer).empty());
}

void SessionSlowPhasesTest::trialsOfAPhaseAreMeasuredAgainAfterIt() {
  const auto bench = make_bench(new_path(), {.first = 20, .last = 60});
  std::vector<double> limits;
  bench->confirmer = [&](std::span<const space::Configuration> configurations,
                         const session::StopRequest& stop, double max_seconds) {
    limits.push_back(max_seconds);
    measure::Confirmations confirmed = *confirm_by_script(configurations, stop, max_seconds);
    confirmed.probe = usual;
    return confirmed;
  };
  const auto outcome = bench->run(make_setup("random", 7, 100, 8));
  QVERIFY(outcome);
  QCOMPARE(limits.size(), std::size_t(2));
  QVERIFY(limits.front() < limits.back());
  const std::vector<trial::Confirmation> confirmations = *bench->store.confirmations().of(outcome->id);
  // The trials keep their own samples.
  const std::vector<trial::Trial> trials = *bench->store.trials().of(outcome->id);
  for (const trial::Confirmation& confirmation : confirmations) {
    if (confirmation.trial < 20 || confirmation.trial > 60) continue;
    const double own = trials[static_cast<std::size_t>(confirmation.trial)].measurement.median_seconds();
    QVERIFY(own > 3 * confirmation.samples_seconds.front());
  }
  QVERIFY(std::ranges::any_of(confirmations,
                              [](const trial::Confirmation& c) { return c.trial >= 20 && c.trial <= 60; }));
}

void SessionSlowPhasesTest::aPhaseAtTheEnd() {
  const auto bench = make_bench(new_path(), {.first = 60, .last = 200});
  bench->confirmer = [](std::span<const space::Configuration> configurations,
                        const session::StopRequest& stop, double limit) {
    measure::Confirmations confirmed = *confirm_by_script(configurations, stop, limit);
    confirmed.probe = probe_at(1 / 0.3, 0);
    confirmed.slow = true;
    confirmed.machine_share = 0.3;
    confirmed.limits.peak_gflops = 140;
    return confirmed;
  };
  const auto outcome = bench->run(make_setup("random", 8, 100, 8));
  QVERIFY(outcome);
  const std::vector<std::string> texts = phase_messages(bench->observer);
  QCOMPARE(texts.size(), std::size_t(2));
  QVERIFY2(texts[0].contains("had not recovered"), texts[0].c_str());
  QVERIFY2(texts[1].contains("at 0.30 of its speed while the best trials"), texts[1].c_str());
  const trial::Baselines baselines = *trial::baselines_from_json(outcome->status.vendor_json);
  QCOMPARE(baselines.confirmation_speeds.size(), std::size_t(1));
  QVERIFY(baselines.confirmation_speeds.front().slow);
  QCOMPARE(baselines.confirmation_speeds.front().peak_gflops, 140.0);
  QCOMPARE(baselines.limits.peak_gflops, 0.0);  // the peak of a slow machine is no limit of the session
}

void SessionSlowPhasesTest::theUsualSpeedIsStoredOnce() {
  const std::string path = new_path();
  store::SessionId id = 0;
  {
    const auto bench = make_bench(path, {});
    const auto outcome = bench->run(make_setup("random", 9, 20, 8));
    QVERIFY(outcome);
    id = outcome->id;
    QVERIFY(bench->store.sessions().get(id)->record.usual_probe == usual);
    QVERIFY(bench->measurer.usual_probe == usual);
  }
  // A resumed session keeps its own, whatever the machine does now; a new one takes that of this machine.
  const auto slow = make_bench(path, {.first = 0, .last = 1000}, 20);
  slow->measurer.probe = probe_at(3, 0);
  QVERIFY(slow->resume(id, make_setup("random", 9, 30, 8)));
  QVERIFY(slow->store.sessions().get(id)->record.usual_probe == usual);
  QVERIFY(slow->measurer.usual_probe == usual);
  const auto next = slow->run(make_setup("random", 10, 20, 8));
  QVERIFY(next);
  QVERIFY(slow->store.sessions().get(next->id)->record.usual_probe == usual);
}

void SessionSlowPhasesTest::aMachineThatWasAlwaysLoadedHasNoUsualSpeed() {
  const auto bench = make_bench(new_path(), {});
  bench->loaded = true;
  bench->confirmer = [](std::span<const space::Configuration> configurations,
                        const session::StopRequest& stop, double limit) {
    measure::Confirmations confirmed = *confirm_by_script(configurations, stop, limit);
    confirmed.probe = usual;
    confirmed.loaded = true;
    return confirmed;
  };
  const auto outcome = bench->run(make_setup("random", 12, 40, 8));
  QVERIFY(outcome);
  QVERIFY(!bench->store.sessions().get(outcome->id)->record.usual_probe.known());
  QVERIFY(std::ranges::any_of(bench->observer.messages, [](const session::Message& message) {
    return message.text.contains("usual speed is not known");
  }));
  // The confirmer has the fastest readings of the session, and looks for load itself.
  QVERIFY(bench->usual_speed.loaded && bench->usual_speed.seconds.known());
  const session::Report report = *session::make_session_report(bench->store, outcome->id);
  QCOMPARE(report.result.kind, analysis::BestKind::ConfirmedLoaded);
  QVERIFY(!report.best_confirmed);
  QCOMPARE(report.compared.vendor.share, 0.0);
  QVERIFY2(report.compared.vendor.withheld.contains("other programs"),
           report.compared.vendor.withheld.c_str());
  // A quiet session knows the usual speed; load during a later one does not change that.
  for (const bool loaded : {false, true}) {
    bench->loaded = loaded;
    const auto next = bench->run(make_setup("random", 13, 20, 8));
    QVERIFY(next);
    QVERIFY(bench->store.sessions().get(next->id)->record.usual_probe == usual);
    QVERIFY(!bench->usual_speed.loaded);
  }
}

void SessionSlowPhasesTest::aMachineThatGotSlowerIsLearnedAgain() {
  const auto bench = make_bench(new_path(), {});
  const auto outcome = bench->run(make_setup("random", 14, 10, 8));
  QVERIFY(outcome);
  const std::string machine = bench->store.sessions().get(outcome->id)->record.probe_machine;
  // Sessions of the last days, as if the clock had moved.
  const trial::ProbeSeconds slower = probe_at(1.5, 0);
  std::vector<trial::MachineReading> readings{{.taken_seconds = 1e9, .probe = usual}};
  for (int session = 0; session < 4; ++session)
    readings.push_back({.taken_seconds = 1.1e9 + session * 100'000.0, .probe = slower});
  const std::string kind = "speed readings " + std::to_string(trial::probe_version);
  QVERIFY(bench->store.machines().save_measure(machine, kind, trial::machine_readings_to_json(readings)));
  QVERIFY(session::stored_usual_speed(bench->store, machine)->seconds == usual);
  bench->measurer.probe = slower;
  const auto next = bench->run(make_setup("random", 15, 10, 8));
  QVERIFY(next);
  QVERIFY(bench->store.sessions().get(next->id)->record.usual_probe == slower);
  QVERIFY(std::ranges::any_of(bench->observer.messages, [](const session::Message& message) {
    return message.kind == session::MessageKind::Note && message.text.contains("0.67 of its earlier speed");
  }));
}

void SessionSlowPhasesTest::theBestIsStoredForLists() {
  for (const SlowMachine& machine : {SlowMachine{}, SlowMachine{.first = 10, .last = 200}}) {
    const auto bench = make_bench(new_path(), machine);
    bench->confirmer = {};
    const auto outcome = bench->run(make_setup("random", 16, 60, 8));
    QVERIFY(outcome);
    store::SessionSummary session = *bench->store.sessions().get(outcome->id);
    trial::Baselines baselines = *trial::baselines_from_json(session.status.vendor_json);
    QVERIFY(baselines.measured_best);
    QCOMPARE(baselines.measured_best->trials, std::int64_t{60});
    const analysis::BestResult listed = *exchange::read_best(bench->store, session);
    // Without it all trials are read; a stored one of fewer trials does not count.
    const auto same_as_listed = [&](const std::optional<trial::StoredMeasuredBest>& stored) {
      baselines.measured_best = stored;
      session.status.vendor_json = trial::baselines_to_json(baselines);
      const analysis::BestResult read = *exchange::read_best(bench->store, session);
      return read.trial == listed.trial && read.row == listed.row && read.kind == listed.kind &&
             std::abs(read.value.seconds - listed.value.seconds) < 1e-12 &&
             read.machine_share == listed.machine_share;
    };
    trial::StoredMeasuredBest older = *baselines.measured_best;
    older.trial = older.trial == 0 ? 1 : 0;
    older.row = 0;
    older.trials = 10;
    QVERIFY(same_as_listed(std::nullopt));
    QVERIFY(same_as_listed(older));
    // Resuming stores it again, and surveys only once.
    QVERIFY(bench->resume(outcome->id, make_setup("random", 16, 80, 8)));
    baselines = *trial::baselines_from_json(bench->store.sessions().get(outcome->id)->status.vendor_json);
    QCOMPARE(baselines.measured_best->trials, std::int64_t{80});
  }
}

void SessionSlowPhasesTest::withoutReadingsNothingChanges() {
  const session::Setup setup = make_setup("nose", 11, 60, 8);
  Bench bench(new_path());
  const auto outcome = bench.run(setup);
  QVERIFY(outcome);
  QVERIFY(!bench.store.sessions().get(outcome->id)->record.usual_probe.known());
  QVERIFY(phase_messages(bench.observer).empty());
  QVERIFY(!bench.measurer.usual_probe.known());
}

void SessionSlowPhasesTest::waitingIsNoSessionTime() {
  double now = 100;
  session::Accounting accounting([&now] { return now; }, {}, 0);
  accounting.start();
  accounting.begin_measuring();
  now += 10;
  accounting.charge({.run_seconds = 2, .build_seconds = 1, .waiting_seconds = 6});
  QCOMPARE(accounting.session_seconds(), 4.0);
  store::SessionStatus status;
  accounting.write(status);
  QCOMPARE(status.run_seconds, 2.0);
  QCOMPARE(status.build_seconds, 1.0);
  now += 1;
  accounting.charge({.waiting_seconds = 5});  // never more than the time that passed
  QCOMPARE(accounting.session_seconds(), 4.0);
}

void SessionSlowPhasesTest::aWaitIsReportedWhenItIsOver() {
  Bench bench(new_path());
  int collects = 0;
  bench.measurer.on_collect = [&] {
    ++collects;
    const bool waits = collects > 3 && collects <= 6;
    bench.measurer.waits_at.reset();
    if (!waits) return;
    bench.measurer.waits_at = trial::MachineSpeed{collects == 5 ? 0.25 : 0.5, 1};
    bench.measurer.clock().seconds += 9;
    bench.measurer.waited_seconds = 9;
  };
  QVERIFY(bench.run(make_setup("random", 17, 60, 8)));
  std::vector<std::string> texts;
  for (const session::Message& message : bench.observer.messages)
    if (message.kind == session::MessageKind::Note && message.text.starts_with("waited "))
      texts.push_back(message.text);
  // The times of all waits until a candidate could be measured again, and the lowest speed meanwhile.
  QCOMPARE(texts, (std::vector<std::string>{"waited 27 s for the machine, which ran at 0.25 of its speed"}));
}

void SessionSlowPhasesTest::aPhaseSaysWhatTheSystemReported() {
  const std::string path = new_path();
  store::SessionId id = 0;
  {
    const auto bench = make_bench(path, {.first = 20, .last = 60});
    measure::MachineConditions now{.total_processor_seconds = 0, .total_steal_seconds = 0};
    bench->conditions = [&] {
      const std::size_t arrived = bench->observer.trials.size();
      const bool slow = arrived >= 20 && arrived <= 60;
      now.at_seconds += 1;
      *now.total_processor_seconds += 4;
      *now.total_steal_seconds += slow ? 2 : 0;
      now.hertz = slow ? 1e9 : 3e9;
      return now;
    };
    session::NoticeKeeper keeper(bench->store, bench->observer);
    const session::Tools known = bench->tools();
    const session::Tools tools{.measurer = known.measurer,
                               .observer = keeper,
                               .stop = known.stop,
                               .clock = known.clock,
                               .confirmer = known.confirmer,
                               .conditions = known.conditions};
    const auto outcome = session::run_session(bench->store, make_setup("random", 12, 100, 8), tools);
    QVERIFY(outcome);
    id = outcome->id;
    const std::vector<std::string> texts = phase_messages(bench->observer);
    QCOMPARE(texts.size(), std::size_t(1));
    QVERIFY2(texts.front().contains("; meanwhile: steal "), texts.front().c_str());
    QVERIFY2(texts.front().contains(", cores at 1") && texts.front().contains("of 3 GHz"),
             texts.front().c_str());
  }
  // Whoever reads the session later finds the explanation with the phase that the readings give.
  const store::Store store = *store::Store::open(path);
  const auto read = store::read_trials(store, store.sessions().get(id)->record);
  QVERIFY(read && read->speeds && read->speeds->phases.size() == 1);
  const std::string explanation =
      trial::explanation_in(*store.notices().of(id), read->speeds->phases.front());
  QVERIFY2(explanation.starts_with("steal ") && explanation.ends_with(" GHz"), explanation.c_str());
}

void SessionSlowPhasesTest::withoutACauseThatIsSaid() {
  const auto bench = make_bench(new_path(), {.first = 20, .last = 60});
  measure::MachineConditions now{.total_processor_seconds = 0, .total_steal_seconds = 0};
  bench->conditions = [&] {
    now.at_seconds += 1;
    *now.total_processor_seconds += 4;
    return now;
  };
  QVERIFY(bench->run(make_setup("random", 13, 100, 8)));
  const std::vector<std::string> texts = phase_messages(bench->observer);
  QCOMPARE(texts.size(), std::size_t(1));
  QVERIFY2(texts.front().ends_with("; meanwhile: the system reports no cause"), texts.front().c_str());
}

/** Two workers take turns; only the machine of the second one is slow, and reports why. */
void SessionSlowPhasesTest::aWorkerSaysWhatItsSystemReported() {
  for (const bool reports : {true, false}) {
    const auto is_slow = [](std::int64_t trial) { return trial % 2 == 1 && trial >= 60 && trial <= 140; };
    std::int64_t next = 0;
    MeasurementScript script;
    script.measure = [&](const space::Configuration& configuration) {
      const std::int64_t trial = next++;
      const double slowdown = is_slow(trial) ? 3 : 1;
      trial::Measurement measurement = scripted_measurement(configuration);
      measurement.worker = trial % 2 == 1 ? "desk2" : "desk1";
      if (!measurement.valid()) return measurement;
      for (double& seconds : measurement.samples_seconds) seconds *= slowdown;
      const trial::ProbeSeconds probe = probe_at(slowdown, trial);
      measurement.compute_probe_before_seconds = measurement.compute_probe_after_seconds = probe.compute;
      measurement.memory_probe_before_seconds = measurement.memory_probe_after_seconds = probe.memory;
      return measurement;
    };
    measure::MachineConditions now{.total_processor_seconds = 0, .total_steal_seconds = 0};
    if (reports) {
      script.conditions = [&] {
        const bool slow = is_slow(next - 1);
        now.at_seconds += 1;
        *now.total_processor_seconds += 4;
        *now.total_steal_seconds += slow ? 2 : 0;
        now.hertz = slow ? 1e9 : 3e9;
        return now;
      };
    }
    Bench bench(new_path(), script);
    bench.confirmer = confirm_by_script;
    QVERIFY(bench.run(make_setup("random", 15, 200, 8)));
    const std::vector<std::string> texts = phase_messages(bench.observer);
    QCOMPARE(texts.size(), std::size_t(1));
    QVERIFY2(texts.front().contains("worker desk2 ran at"), texts.front().c_str());
    const bool explained = texts.front().contains("; meanwhile: steal ") &&
                           texts.front().contains(", cores at 1") && texts.front().contains("of 3 GHz");
    QVERIFY2(explained == reports, texts.front().c_str());
    if (!reports) QVERIFY2(!texts.front().contains("meanwhile"), texts.front().c_str());
  }
}

void SessionSlowPhasesTest::aDeviceWithoutAProbeIsReportedOnce() {
  const auto bench = make_bench(new_path(), {});
  bench->measurer.probe.reset();
  bench->measurer.problem = "NVRTC is not found";
  const auto outcome = bench->run(make_setup("random", 14, 20, 8));
  QVERIFY(outcome);
  const auto says_why = [](const session::Message& message) {
    return message.kind == session::MessageKind::Note && message.text.ends_with("NVRTC is not found");
  };
  QCOMPARE(std::ranges::count_if(bench->observer.messages, says_why), 1);
  QVERIFY(bench->resume(outcome->id, make_setup("random", 14, 30, 8)));
  QCOMPARE(std::ranges::count_if(bench->observer.messages, says_why), 1);
}

KERNELSCAPE_PLAIN_TEST(SessionSlowPhasesTest)

}  // namespace kernelscape::session_slow_phases_test
#include "session_slow_phases_test.moc"
