#include <QTemporaryDir>
#include <QTest>
#include <set>

#include "tests/session/replay_support.h"
#include "tests/session/watched_tuner.h"
#include "tests/test_program.h"

namespace kernelscape::session_replay_test {
using namespace kernelscape::session_tests;

namespace {

bool nearly(double a, double b) { return std::fabs(a - b) <= 1e-9 * std::max({1.0, a, b}); }

/** Trials with all that a replay says of them; the clock bit by bit. */
bool same_trials(const store::Store& a, store::SessionId in_a, const store::Store& b, store::SessionId in_b) {
  return *a.trials().of(in_a) == *b.trials().of(in_b);
}

std::vector<space::Configuration> configurations_of(const store::Store& store, store::SessionId id) {
  std::vector<space::Configuration> configurations;
  const auto trials = *store.trials().of(id);
  for (const trial::Trial& trial : trials) configurations.push_back(trial.configuration);
  return configurations;
}

/** The same trials at the same instants, and the same times, whatever pieces batches were stored in. */
bool same_curve(const store::Store& store, store::SessionId a, store::SessionId b) {
  const auto trials_a = *store.trials().of(a);
  const auto trials_b = *store.trials().of(b);
  const store::SessionStatus of_a = store.sessions().get(a)->status;
  const store::SessionStatus of_b = store.sessions().get(b)->status;
  return std::ranges::equal(trials_a, trials_b,
                            [](const trial::Trial& one, const trial::Trial& other) {
                              return one.configuration == other.configuration &&
                                     one.finished_seconds == other.finished_seconds;
                            }) &&
         of_a.session_seconds == of_b.session_seconds && of_a.build_seconds == of_b.build_seconds &&
         of_a.run_seconds == of_b.run_seconds && of_a.best_trial == of_b.best_trial;
}

/** The first `count` batches of a session as if a process had been killed after storing them. */
store::SessionId killed_after(store::Store& from, store::SessionId id, store::Store& to, std::size_t count,
                              const trial::Recording& recording) {
  const auto whole = *from.sessions().get(id);
  const auto trials = *from.trials().of(id);
  store::SessionRecord record = whole.record;
  record.recording = *to.recordings().add(recording);
  const store::Owner owner = store::Owner::this_process();
  const store::SessionId killed = *to.sessions().create(record, owner);
  std::vector<store::ReplayedBatch> batches;
  store::SessionStatus status;
  const auto stored_batches = *from.batches().of(id);
  for (const store::StoredBatch& stored : stored_batches) {
    if (batches.size() == count) break;
    store::ReplayedBatch& batch = batches.emplace_back();
    batch.batch = stored.batch;
    batch.first_trial = status.trial_count;
    batch.search_seconds = stored.search_seconds;
    for (const space::Configuration& candidate : stored.candidates) {
      batch.rows.push_back(*recording.find(candidate));
      batch.finished_seconds.push_back(
          trials[static_cast<std::size_t>(status.trial_count++)].finished_seconds);
    }
    status.search_seconds += stored.search_seconds;
  }
  std::vector<store::StoredSeries> series = *from.series().of(id);
  std::erase_if(series, [&](const store::StoredSeries& value) { return value.trial >= status.trial_count; });
  if (!to.batches().append_replayed(killed, batches, series, status)) std::abort();
  if (!to.sessions().release(killed, owner)) std::abort();
  return killed;
}

}  // namespace

class SessionReplayTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<ReplayBench> bench_;
  void compare_with_simulation(store::SessionId id, const trial::Recording& recording,
                               double search_per_candidate);

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    bench_ = std::make_unique<ReplayBench>(folder_->filePath("test.db").toStdString());
  }

  void everyTunerOnEverySpace_data();
  void everyTunerOnEverySpace();
  void sameSeedSameTrials();
  void exhaustedSpaceIsTheReason();
  void minutesEndWhereTheClockDoes();
  void cutBatchesResumeWithMoreMinutes();
  void sessionsOfBeforeKeepTheirClock();
  void targetAndPatienceEnd();
  void resumedAnywhereEqualsWhole_data();
  void resumedAnywhereEqualsWhole();
  void stoppedAndResumedEqualsWhole();
  void raisedTrialsResume();
  void trialsRaisedBeforeTheFirstAreTheTuners();
  void storedSearchTimeStays();
  void changedTrialsAreRefused();
  void ownedSessionsAreRefused();
};

/** Measurements are the recording's, times those of a simulation of each batch after the other. */
void SessionReplayTest::compare_with_simulation(store::SessionId id, const trial::Recording& recording,
                                                double search_per_candidate) {
  const auto batches = *bench_->store.batches().of(id);
  const auto trials = *bench_->store.trials().of(id);
  const auto session = *bench_->store.sessions().get(id);
  const space::SearchSpace space = *space::space_from_json(session.record.space_json);
  std::set<space::Configuration> seen;
  std::size_t number = 0;
  double now = 0;
  double best = 0;
  double run_seconds = 0;
  for (const store::StoredBatch& batch : batches) {
    now += search_per_candidate * static_cast<double>(batch.candidates.size());
    std::vector<trial::Measurement> measurements;
    for (const space::Configuration& candidate : batch.candidates)
      measurements.push_back(recorded_measurement(candidate));
    const std::vector<double> finished =
        simulated_finish(measurements, recording.header().builders, recording.header().pipelined,
                         trial::stored_measure_options(session.record.options_json)->clock);
    double end = 0;
    for (std::size_t position = 0; position < batch.candidates.size(); ++position, ++number) {
      QVERIFY(number < trials.size());
      const trial::Trial& trial = trials[number];
      QCOMPARE(trial.number, static_cast<std::int64_t>(number));
      QCOMPARE(trial.batch, batch.batch);
      QCOMPARE(trial.position, static_cast<std::int32_t>(position));
      QVERIFY(trial.configuration == batch.candidates[position]);
      QVERIFY(trial.measurement == measurements[position]);
      QVERIFY(space.contains(trial.configuration));
      QVERIFY(seen.insert(trial.configuration).second);
      QVERIFY(nearly(trial.finished_seconds, now + finished[position]));
      end = std::max(end, finished[position]);
      run_seconds += trial.measurement.run_seconds;
      const double seconds = trial.measurement.valid() ? trial.measurement.ranking_seconds() : 0;
      if (seconds > 0 && (best == 0 || seconds < best)) best = seconds;
    }
    now += end;
  }
  QCOMPARE(number, trials.size());
  QCOMPARE(session.status.trial_count, static_cast<std::int64_t>(number));
  QCOMPARE(session.status.best_seconds, best);
  QVERIFY(nearly(session.status.session_seconds, now));
  QVERIFY(nearly(session.status.run_seconds, run_seconds));
  QVERIFY(nearly(session.status.search_seconds, search_per_candidate * static_cast<double>(number)));
  const double shares =
      session.status.search_seconds + session.status.build_seconds + session.status.run_seconds;
  QVERIFY(shares <= now + 1e-6);
  if (!recording.header().pipelined) QVERIFY(nearly(shares, now));
}

void SessionReplayTest::everyTunerOnEverySpace_data() {
  QTest::addColumn<QString>("tuner");
  QTest::addColumn<int>("kind");
  QTest::addColumn<int>("builders");
  QTest::addColumn<bool>("pipelined");
  for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
    // A predictor knows kernels of templates alone: session_predictor_test.
    if (tuner.uses_predictor) continue;
    for (const RecordedSpace kind :
         {RecordedSpace::Complete, RecordedSpace::Constrained, RecordedSpace::Sample}) {
      const int builders = 1 + static_cast<int>(kind) * 2;
      for (const bool pipelined : {false, true})
        QTest::addRow("%s, space %d, %s", tuner.name.c_str(), static_cast<int>(kind),
                      pipelined ? "GPU" : "CPU")
            << QString::fromStdString(tuner.name) << static_cast<int>(kind) << builders << pipelined;
    }
  }
}

void SessionReplayTest::everyTunerOnEverySpace() {
  QFETCH(QString, tuner);
  QFETCH(int, kind);
  QFETCH(int, builders);
  QFETCH(bool, pipelined);
  const auto recording = make_recording(static_cast<RecordedSpace>(kind), builders, pipelined,
                                        make_space_for(tuner.toStdString()));
  QCOMPARE(recording->complete(), static_cast<RecordedSpace>(kind) != RecordedSpace::Sample);
  session::TuningRequest request = replay_request(tuner.toStdString(), 7, 150);
  for (const double seconds : {0.0, 0.03125}) {
    request.measuring.search_time = {
        seconds > 0 ? trial::SearchTime::Kind::Constant : trial::SearchTime::Kind::None, seconds};
    const auto outcome = bench_->run(request, recording);
    VERIFY_RESULT(outcome);
    QVERIFY(outcome->status.state == store::SessionState::Done);
    QCOMPARE(outcome->status.trial_count, std::int64_t{150});
    compare_with_simulation(outcome->id, *recording, seconds);
    const store::SessionRecord record = bench_->store.sessions().get(outcome->id)->record;
    QVERIFY(record.kind == store::SessionKind::Replayed);
    QVERIFY(!record.real_measurements);
    QCOMPARE(record.batch_size, tuner::own_batch(**tuner::find_tuner(tuner.toStdString()), builders));
    QCOMPARE(record.target_name, std::string("recorded:a recorded space"));
    QCOMPARE(record.target_json, recording->header().target_json);
    const trial::MeasureOptions options = *trial::stored_measure_options(record.options_json);
    QCOMPARE(options.repeats, 3);
    QVERIFY(options.search_time == request.measuring.search_time);
  }
}

void SessionReplayTest::sameSeedSameTrials() {
  const auto recording = make_recording(RecordedSpace::Complete, 3, true);
  for (const char* tuner : {"random", "ga", "nose"}) {
    const auto first = bench_->run(replay_request(tuner, 5, 200), recording);
    const auto second = bench_->run(replay_request(tuner, 5, 200), recording);
    const auto other = bench_->run(replay_request(tuner, 6, 200), recording);
    QVERIFY(first && second && other);
    QVERIFY(same_trials(bench_->store, first->id, bench_->store, second->id));
    QVERIFY(!same_trials(bench_->store, first->id, bench_->store, other->id));
  }
}

void SessionReplayTest::exhaustedSpaceIsTheReason() {
  const auto recording = make_recording(RecordedSpace::Sample);
  const auto outcome = bench_->run(replay_request("random", 1, 0), recording);
  VERIFY_RESULT(outcome);
  QVERIFY(outcome->status.state == store::SessionState::Done);
  QCOMPARE(outcome->status.state_reason, std::string("the whole space was visited"));
  QCOMPARE(outcome->status.trial_count, static_cast<std::int64_t>(recording->size()));
  QCOMPARE(outcome->status.best_seconds, recording->seconds(*recording->best()));
  // It ends again at once, with the same trials.
  const auto again = bench_->resume(outcome->id);
  VERIFY_RESULT(again);
  QVERIFY(again->status.state == store::SessionState::Done);
  QCOMPARE(again->status.trial_count, outcome->status.trial_count);
  QCOMPARE(again->status.session_seconds, outcome->status.session_seconds);
}

void SessionReplayTest::minutesEndWhereTheClockDoes() {
  base::Random random = seeded_random();
  for (const bool pipelined : {false, true}) {
    const auto recording = make_recording(RecordedSpace::Complete, 2, pipelined);
    const auto whole = bench_->run(replay_request("random", 3, 320), recording);
    VERIFY_RESULT(whole);
    const auto all = *bench_->store.trials().of(whole->id);
    for (int round = 0; round < 15; ++round) {
      session::TuningRequest request = replay_request("random", 3, 320);
      const double limit = random.uniform() * whole->status.session_seconds;
      request.budget.minutes = limit / 60;
      const auto outcome = bench_->run(request, recording);
      VERIFY_RESULT(outcome);
      QVERIFY(outcome->status.state == store::SessionState::Done);
      const auto trials = *bench_->store.trials().of(outcome->id);
      QCOMPARE(std::ssize(trials), outcome->status.trial_count);
      // A limit within the last trial, which is begun in time and finished, cuts nothing.
      if (trials.size() == all.size()) {
        QCOMPARE(outcome->status.state_reason, std::string("320 trials"));
        QVERIFY(limit > all.back().finished_seconds - all.back().measurement.run_seconds -
                            all.back().measurement.build_seconds - 1e-9);
        continue;
      }
      const std::string reason = outcome->status.state_reason;
      QVERIFY2(reason.ends_with(" minutes"), reason.c_str());
      QVERIFY(std::ranges::equal(trials, std::span(all).first(trials.size())));
      // What was begun in time is there, and nothing else.
      for (const trial::Trial& trial : trials)
        QVERIFY(trial.finished_seconds -
                    std::max(trial.measurement.run_seconds, trial.measurement.build_seconds) <
                limit + 1e-9);
      const trial::Trial& next = all[trials.size()];
      QVERIFY(next.finished_seconds >= limit);
    }
  }
}

void SessionReplayTest::cutBatchesResumeWithMoreMinutes() {
  base::Random random = seeded_random();
  const auto recording = make_recording(RecordedSpace::Constrained, 2, false);
  for (const char* tuner : {"ga", "sa", "nose", "random"}) {
    const auto whole = bench_->run(replay_request(tuner, 11, 200), recording);
    VERIFY_RESULT(whole);
    session::TuningRequest request = replay_request(tuner, 11, 200);
    double minutes = 0.01;
    request.budget.minutes = minutes;
    auto outcome = bench_->run(request, recording);
    VERIFY_RESULT(outcome);
    while (outcome->status.state_reason.ends_with("minutes")) {
      minutes += random.uniform() * 0.7;
      const double before = outcome->status.session_seconds;
      outcome = bench_->resume(outcome->id, [&](trial::Budget& budget) { budget.minutes = minutes; });
      VERIFY_RESULT(outcome);
      QVERIFY(outcome->status.session_seconds >= before);
    }
    QCOMPARE(outcome->status.trial_count, std::int64_t{200});
    // Wherever they were cut, they went on in their waves as if they had not been.
    QVERIFY(same_curve(bench_->store, outcome->id, whole->id));
    compare_with_simulation(whole->id, *recording, 0);
    // So they do where a process dies between two pieces of a batch.
    const std::size_t pieces = bench_->store.batches().of(outcome->id)->size();
    const std::size_t kept = random.below(pieces + 1);
    const store::SessionId killed = killed_after(bench_->store, outcome->id, bench_->store, kept, *recording);
    VERIFY_RESULT(bench_->resume(killed));
    QVERIFY(same_curve(bench_->store, killed, whole->id));
  }
}

/** Their batches are built whole, and what a budget has cut is submitted anew. */
void SessionReplayTest::sessionsOfBeforeKeepTheirClock() {
  constexpr double search_per_candidate = 0.03125;
  constexpr std::size_t trial_count = 200;
  base::Random random = seeded_random();
  for (const bool pipelined : {false, true}) {
    const auto recording = make_recording(RecordedSpace::Complete, 3, pipelined);
    session::TuningRequest request = replay_request("random", 21, trial_count);
    request.measuring.clock = trial::BatchClock::Batches;
    request.measuring.search_time = {trial::SearchTime::Kind::Constant, search_per_candidate};
    const auto whole = bench_->run(request, recording);
    VERIFY_RESULT(whole);
    QVERIFY(!bench_->store.sessions().get(whole->id)->record.options_json.contains("clock"));
    compare_with_simulation(whole->id, *recording, search_per_candidate);

    double minutes = 0.01;
    request.budget.minutes = minutes;
    auto outcome = bench_->run(request, recording);
    VERIFY_RESULT(outcome);
    while (outcome->status.state_reason.ends_with("minutes")) {
      minutes += 0.05 + random.uniform() * 0.7;
      outcome = bench_->resume(outcome->id, [&](trial::Budget& budget) { budget.minutes = minutes; });
      VERIFY_RESULT(outcome);
    }
    const auto trials = *bench_->store.trials().of(outcome->id);
    QCOMPARE(trials.size(), trial_count);
    QVERIFY(configurations_of(bench_->store, outcome->id) == configurations_of(bench_->store, whole->id));
    const auto batch_size =
        static_cast<std::size_t>(bench_->store.sessions().get(outcome->id)->record.batch_size);
    std::size_t first = 0;
    double now = 0;
    const auto pieces = *bench_->store.batches().of(outcome->id);
    for (const store::StoredBatch& piece : pieces) {
      const std::size_t begin = first / batch_size * batch_size;
      const std::size_t end = std::min(begin + batch_size, trial_count);
      if (first == begin) now += search_per_candidate * static_cast<double>(end - begin);
      std::vector<trial::Measurement> submitted;
      for (std::size_t i = first; i < end; ++i) submitted.push_back(trials[i].measurement);
      const std::vector<double> finished =
          simulated_finish(submitted, 3, pipelined, trial::BatchClock::Batches);
      double known = 0;
      for (std::size_t i = 0; i < piece.candidates.size(); ++i) {
        QVERIFY(nearly(trials[first + i].finished_seconds, now + finished[i]));
        known = std::max(known, finished[i]);
      }
      now += known;
      first += piece.candidates.size();
    }
    QCOMPARE(first, trial_count);
    QVERIFY(nearly(outcome->status.session_seconds, now));
  }
}

void SessionReplayTest::targetAndPatienceEnd() {
  const auto recording = make_recording(RecordedSpace::Complete);
  session::TuningRequest request = replay_request("random", 2, 0);
  request.budget.patience = 60;
  const auto patient = bench_->run(request, recording);
  VERIFY_RESULT(patient);
  QVERIFY(patient->status.state_reason.ends_with("without improvement"));
  QVERIFY(patient->status.trial_count - 1 - patient->status.best_trial >= 60);
  request.budget.patience = 0;
  const double flops = task::task_from_json(recording->header().task_json)->flops();
  request.budget.target_gflops = flops / patient->status.best_seconds * 1e-9 * 0.9;
  const auto reached = bench_->run(request, recording);
  VERIFY_RESULT(reached);
  QVERIFY(reached->status.state_reason.contains("reached the target"));
  QVERIFY(reached->status.trial_count <= patient->status.trial_count);
}

void SessionReplayTest::resumedAnywhereEqualsWhole_data() {
  QTest::addColumn<QString>("tuner");
  for (const tuner::Declaration& tuner : tuner::tuner_registry())
    if (!tuner.uses_predictor) QTest::addRow("%s", tuner.name.c_str()) << QString::fromStdString(tuner.name);
}

void SessionReplayTest::resumedAnywhereEqualsWhole() {
  QFETCH(QString, tuner);
  base::Random random = seeded_random();
  const auto recording = make_recording(RecordedSpace::Sample, 2, false, make_space_for(tuner.toStdString()));
  session::TuningRequest request = replay_request(tuner.toStdString(), random.below(1000), 240);
  if (random.chance(0.5)) request.measuring.search_time = {trial::SearchTime::Kind::Constant, 0.1};
  const auto whole = bench_->run(request, recording);
  VERIFY_RESULT(whole);
  const auto batches = bench_->store.batches().of(whole->id)->size();
  for (int round = 0; round < 4; ++round) {
    const std::size_t count = random.below(batches + 1);
    const store::SessionId killed = killed_after(bench_->store, whole->id, bench_->store, count, *recording);
    QVERIFY(bench_->store.sessions().get(killed)->status.state == store::SessionState::Interrupted);
    const auto resumed = bench_->resume(killed);
    VERIFY_RESULT(resumed);
    QVERIFY(same_trials(bench_->store, killed, bench_->store, whole->id));
    const store::SessionStatus now = bench_->store.sessions().get(killed)->status;
    const store::SessionStatus then = bench_->store.sessions().get(whole->id)->status;
    QVERIFY(now.state == store::SessionState::Done);
    QCOMPARE(now.session_seconds, then.session_seconds);
    QCOMPARE(now.search_seconds, then.search_seconds);
    QCOMPARE(now.build_seconds, then.build_seconds);
    QCOMPARE(now.run_seconds, then.run_seconds);
    QCOMPARE(now.best_trial, then.best_trial);
    QVERIFY(*bench_->store.series().of(killed) == *bench_->store.series().of(whole->id));
  }
}

void SessionReplayTest::stoppedAndResumedEqualsWhole() {
  const auto recording = make_recording(RecordedSpace::Complete);
  const auto whole = bench_->run(replay_request("ga", 4, 300), recording);
  VERIFY_RESULT(whole);
  ReplayBench stopping((folder_->filePath("stopping.db")).toStdString());
  int events = 0;
  stopping.observer.on_event = [&] {
    if (++events == 1) stopping.stop.stop_gracefully();
  };
  const auto stopped = stopping.run(replay_request("ga", 4, 300), recording);
  VERIFY_RESULT(stopped);
  QVERIFY(stopped->interrupted);
  QVERIFY(stopped->status.state == store::SessionState::Interrupted);
  QVERIFY(stopped->status.trial_count < 300);
  ReplayBench going((folder_->filePath("stopping.db")).toStdString());
  const auto resumed = going.resume(stopped->id);
  VERIFY_RESULT(resumed);
  QVERIFY(same_trials(going.store, resumed->id, bench_->store, whole->id));
}

void SessionReplayTest::raisedTrialsResume() {
  const auto recording = make_recording(RecordedSpace::Complete);
  const auto first = bench_->run(replay_request("random", 9, 100), recording);
  VERIFY_RESULT(first);
  const auto before = *bench_->store.trials().of(first->id);
  const auto second = bench_->resume(first->id, [](trial::Budget& budget) { budget.trials = 170; });
  VERIFY_RESULT(second);
  const auto third = bench_->resume(first->id, [](trial::Budget& budget) { budget.trials = 400; });
  VERIFY_RESULT(third);
  const auto after = *bench_->store.trials().of(first->id);
  QCOMPARE(after.size(), std::size_t{400});
  QVERIFY(std::ranges::equal(before, std::span(after).first(before.size())));
  compare_with_simulation(first->id, *recording, 0);
  const auto lowered = bench_->resume(first->id, [](trial::Budget& budget) { budget.trials = 300; });
  QVERIFY(!lowered);
  QVERIFY(lowered.error().message.contains("can only be raised"));
}

/** Else the next resume would make another tuner than the one that proposed. */
void SessionReplayTest::trialsRaisedBeforeTheFirstAreTheTuners() {
  const auto recording = make_recording(RecordedSpace::Complete);
  bench_->stop.stop_gracefully();
  const auto stopped = bench_->run(replay_request("random", 9, 100), recording);
  VERIFY_RESULT(stopped);
  QCOMPARE(stopped->status.trial_count, std::int64_t{0});
  std::vector<std::int64_t> limits;
  for (int resumed = 0; resumed < 2; ++resumed) {
    ReplayBench going(folder_->filePath("test.db").toStdString());
    auto tuning = session::prepare_resume(going.store, stopped->id);
    VERIFY_RESULT(tuning);
    tuning->setup.budget.trials = 170;
    tuning->setup.make_tuner = watched(
        "random", {.made = [&](const tuner::Context& context) { limits.push_back(context.trial_budget); }});
    VERIFY_RESULT(session::run_replay(going.store, *tuning, stopped->id, going.observer, going.stop));
  }
  QCOMPARE(limits, (std::vector<std::int64_t>{170, 170}));
}

void SessionReplayTest::storedSearchTimeStays() {
  const auto recording = make_recording(RecordedSpace::Complete);
  session::TuningRequest request = replay_request("nose", 13, 200);
  request.measuring.search_time = {};
  const auto whole = bench_->run(request, recording);
  VERIFY_RESULT(whole);
  QVERIFY(whole->status.search_seconds > 0);
  const auto batches = *bench_->store.batches().of(whole->id);
  const store::SessionId killed = killed_after(bench_->store, whole->id, bench_->store, 3, *recording);
  const auto resumed = bench_->resume(killed);
  VERIFY_RESULT(resumed);
  const auto again = *bench_->store.batches().of(killed);
  const auto then = *bench_->store.trials().of(whole->id);
  const auto now = *bench_->store.trials().of(killed);
  QCOMPARE(again.size(), batches.size());
  for (std::size_t i = 0; i < 3; ++i) QCOMPARE(again[i].search_seconds, batches[i].search_seconds);
  const std::size_t stored = batches[0].candidates.size() + batches[1].candidates.size();
  for (std::size_t i = 0; i < now.size(); ++i) {
    QVERIFY(now[i].configuration == then[i].configuration);
    if (i < stored) QCOMPARE(now[i].finished_seconds, then[i].finished_seconds);
    if (i > 0 && now[i].batch > now[i - 1].batch) QVERIFY(now[i].finished_seconds > 0);
  }
}

void SessionReplayTest::changedTrialsAreRefused() {
  const auto recording = make_recording(RecordedSpace::Complete);
  const auto whole = bench_->run(replay_request("ga", 4, 200), recording);
  const auto other = bench_->run(replay_request("ga", 5, 200), recording);
  QVERIFY(whole && other);
  const store::SessionId mixed = killed_after(bench_->store, whole->id, bench_->store, 0, *recording);
  // The trials of another seed under this one's record.
  std::vector<store::ReplayedBatch> batches(1);
  store::SessionStatus status;
  const auto others = *bench_->store.batches().of(other->id);
  for (const space::Configuration& candidate : others.front().candidates) {
    batches[0].rows.push_back(*recording->find(candidate));
    batches[0].finished_seconds.push_back(static_cast<double>(++status.trial_count));
  }
  QVERIFY(bench_->store.sessions().claim(mixed, store::Owner::this_process()));
  QVERIFY(bench_->store.batches().append_replayed(mixed, batches, {}, status));
  QVERIFY(bench_->store.sessions().release(mixed, store::Owner::this_process()));
  const auto refused = bench_->resume(mixed);
  QVERIFY(!refused);
  QVERIFY(refused.error().code == ErrorCode::Refused);
  QVERIFY(refused.error().message.contains("cannot be resumed exactly"));
  QVERIFY(refused.error().hint.contains("--warm-start"));
  QCOMPARE(bench_->store.sessions().get(mixed)->status.trial_count, status.trial_count);
}

void SessionReplayTest::ownedSessionsAreRefused() {
  const auto recording = make_recording(RecordedSpace::Complete);
  const auto outcome = bench_->run(replay_request("random", 4, 50), recording);
  VERIFY_RESULT(outcome);
  QVERIFY(bench_->store.sessions().claim(outcome->id, store::Owner::this_process()));
  const auto refused = bench_->resume(outcome->id);
  QVERIFY(!refused);
  QVERIFY(bench_->store.sessions().release(outcome->id, store::Owner::this_process()));
}

KERNELSCAPE_TEST(SessionReplayTest, QCoreApplication)

}  // namespace kernelscape::session_replay_test
#include "session_replay_test.moc"
