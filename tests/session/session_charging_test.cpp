#include <QTemporaryDir>
#include <QTest>

#include "core/session/run_features.h"
#include "tests/session/replay_support.h"
#include "tests/session/watched_tuner.h"
#include "tests/test_program.h"

namespace kernelscape::session_charging_test {
using namespace kernelscape::session_tests;

namespace {

/// CPU time: well above what the tuners of these tests take by themselves.
constexpr double making_seconds = 0.1;
constexpr double observing_seconds = 0.05;
constexpr double row_seconds = 0.002;

bool nearly_equal(double a, double b) { return std::fabs(a - b) <= 1e-9; }

/** Knob features that take their time. */
class SlowRows final : public space::FeatureExtractor {
 public:
  explicit SlowRows(const space::SearchSpace& space) : knobs_(space) {}
  std::string name() const override { return knobs_.name(); }
  int version() const override { return knobs_.version(); }
  const std::vector<std::string>& names() const override { return knobs_.names(); }
  void write(const space::Configuration& configuration, std::span<float> row) const override {
    ++computed;
    use_cpu(row_seconds);
    knobs_.write(configuration, row);
  }

  mutable std::int64_t computed = 0;

 private:
  space::KnobFeatures knobs_;
};

std::vector<double> search_of_batches(const store::Store& store, store::SessionId id) {
  std::vector<double> seconds;
  const auto batches = *store.batches().of(id);
  for (const store::StoredBatch& batch : batches) seconds.push_back(batch.search_seconds);
  return seconds;
}

/** A replay of 24 trials, 8 at a time, whose tuner is slow to make and slow to tell. */
struct SlowReplay {
  explicit SlowReplay(const std::filesystem::path& path) : bench(path) {}

  static TunerHooks hooks() {
    return {.made = [](const tuner::Context&) { use_cpu(making_seconds); },
            .reported = [] { use_cpu(observing_seconds); }};
  }
  Result<session::Outcome> run(const trial::SearchTime& time, trial::BatchClock clock) {
    session::TuningRequest request = replay_request("random", 5, 24);
    request.measuring.search_time = time;
    request.measuring.clock = clock;
    Result<session::PreparedTuning> tuning = session::prepare_replay(request, bench.store, recording);
    if (!tuning) return std::unexpected(tuning.error());
    tuning->setup.batch_size = 8;
    tuning->setup.make_tuner = watched("random", hooks());
    return session::run_replay(bench.store, *tuning, std::nullopt, bench.observer, bench.stop);
  }
  Result<session::Outcome> resume(store::SessionId id) {
    Result<session::PreparedTuning> tuning = session::prepare_resume(bench.store, id);
    if (!tuning) return std::unexpected(tuning.error());
    tuning->setup.make_tuner = watched("random", hooks());
    return session::run_replay(bench.store, *tuning, id, bench.observer, bench.stop);
  }
  /** The first batches of a session, as if its process had been killed after storing them. */
  store::SessionId killed_after(store::SessionId id, std::size_t count) {
    store::SessionRecord record = bench.store.sessions().get(id)->record;
    const store::Owner owner = store::Owner::this_process();
    const store::SessionId killed = *bench.store.sessions().create(record, owner);
    const auto trials = *bench.store.trials().of(id);
    std::vector<store::ReplayedBatch> batches;
    store::SessionStatus status;
    const auto stored_batches = *bench.store.batches().of(id);
    for (std::size_t i = 0; i < count; ++i) {
      const store::StoredBatch& stored = stored_batches[i];
      store::ReplayedBatch& batch = batches.emplace_back();
      batch.batch = stored.batch;
      batch.first_trial = status.trial_count;
      batch.search_seconds = stored.search_seconds;
      for (const space::Configuration& candidate : stored.candidates) {
        batch.rows.push_back(*recording->find(candidate));
        batch.finished_seconds.push_back(
            trials[static_cast<std::size_t>(status.trial_count++)].finished_seconds);
      }
      status.search_seconds += stored.search_seconds;
    }
    if (!bench.store.batches().append_replayed(killed, batches, {}, status)) std::abort();
    if (!bench.store.sessions().release(killed, owner)) std::abort();
    return killed;
  }

  ReplayBench bench;
  std::shared_ptr<const trial::Recording> recording = make_recording(RecordedSpace::Complete);
};

}  // namespace

/** What of a tuner's time is charged, and to whom. */
class SessionChargingTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void replaysChargeMakingAndNotTelling();
  void replaysOfBeforeChargeAsTheyDid();
  void otherSearchTimesStay();
  void resumedReplaysChargeMakingOnce();
  void measuredSessionsChargeMakingAndNotTelling();
  void resumedSessionsChargeMakingOnce();
  void rowsAreBilledOnce();
  void rowsCostEveryReplayTheSame();

 private:
  std::filesystem::path path() const { return folder_->filePath("test.db").toStdString(); }
  std::unique_ptr<QTemporaryDir> folder_;
};

void SessionChargingTest::replaysChargeMakingAndNotTelling() {
  SlowReplay replay(path());
  const auto outcome = replay.run({}, trial::BatchClock::Waves);
  VERIFY_RESULT(outcome);
  const std::vector<double> search = search_of_batches(replay.bench.store, outcome->id);
  QCOMPARE(search.size(), std::size_t{3});
  QVERIFY(search[0] >= making_seconds);
  QVERIFY(search[1] < observing_seconds && search[2] < observing_seconds);
  QVERIFY(outcome->status.search_seconds < making_seconds + 3 * observing_seconds);
  QVERIFY(replay.bench.store.trials().of(outcome->id)->front().finished_seconds > making_seconds);
}

void SessionChargingTest::replaysOfBeforeChargeAsTheyDid() {
  SlowReplay replay(path());
  const auto outcome = replay.run({}, trial::BatchClock::Batches);
  VERIFY_RESULT(outcome);
  const std::vector<double> search = search_of_batches(replay.bench.store, outcome->id);
  QCOMPARE(search.size(), std::size_t{3});
  QVERIFY(search[0] < making_seconds);
  QVERIFY(search[1] >= observing_seconds && search[2] >= observing_seconds);
  QVERIFY(outcome->status.search_seconds >= 3 * observing_seconds);
}

void SessionChargingTest::otherSearchTimesStay() {
  SlowReplay replay(path());
  const auto none = replay.run({trial::SearchTime::Kind::None, 0}, trial::BatchClock::Waves);
  const auto constant = replay.run({trial::SearchTime::Kind::Constant, 0.25}, trial::BatchClock::Waves);
  VERIFY_RESULT(none);
  VERIFY_RESULT(constant);
  QCOMPARE(search_of_batches(replay.bench.store, none->id), (std::vector<double>{0, 0, 0}));
  QCOMPARE(search_of_batches(replay.bench.store, constant->id), (std::vector<double>{2, 2, 2}));
  QCOMPARE(constant->status.search_seconds, 6.0);
}

void SessionChargingTest::resumedReplaysChargeMakingOnce() {
  SlowReplay replay(path());
  const auto whole = replay.run({}, trial::BatchClock::Waves);
  VERIFY_RESULT(whole);
  const double charged = search_of_batches(replay.bench.store, whole->id).front();
  for (const std::size_t kept : {std::size_t{0}, std::size_t{1}}) {
    const store::SessionId killed = replay.killed_after(whole->id, kept);
    VERIFY_RESULT(replay.resume(killed));
    const std::vector<double> search = search_of_batches(replay.bench.store, killed);
    QCOMPARE(search.size(), std::size_t{3});
    // What was not charged yet is; what was stays as it was.
    QVERIFY(kept == 0 ? search[0] >= making_seconds && search[0] < 2 * making_seconds : search[0] == charged);
    QVERIFY(search[1] < observing_seconds && search[2] < observing_seconds);
  }
}

namespace {

/** On a clock that the hooks and the script alone move. */
TunerHooks hooks_of(Bench& bench) {
  const auto pass = [&bench](double seconds) { bench.measurer.clock().seconds += seconds; };
  return {.made = [pass](const tuner::Context&) { pass(3); },
          .proposed = [pass] { pass(1); },
          .observed = [pass] { pass(0.25); },
          .reported = [pass] { pass(8); }};
}

double work_seconds(const store::Store& store, store::SessionId id) {
  double seconds = 0;
  const auto trials = *store.trials().of(id);
  for (const trial::Trial& trial : trials)
    seconds += trial.measurement.build_seconds + trial.measurement.run_seconds;
  return seconds;
}

}  // namespace

void SessionChargingTest::measuredSessionsChargeMakingAndNotTelling() {
  for (const trial::BatchClock clock : {trial::BatchClock::Waves, trial::BatchClock::Batches}) {
    Bench bench(folder_->filePath(clock == trial::BatchClock::Waves ? "new.db" : "old.db").toStdString());
    session::Setup setup = make_setup("random", 1, 20, 8);
    setup.options.clock = clock;
    setup.make_tuner = watched("random", hooks_of(bench));
    const auto outcome = bench.run(setup);
    VERIFY_RESULT(outcome);
    const store::SessionStatus& status = outcome->status;
    const double asked = 3 * (1 + 0.25);
    const double reported = 3 * 8;
    const double work = work_seconds(bench.store, outcome->id);
    const std::vector<double> search = search_of_batches(bench.store, outcome->id);
    if (clock == trial::BatchClock::Waves) {
      QVERIFY(nearly_equal(status.search_seconds, 3 + asked));
      // What is told passes, and belongs to nobody.
      QVERIFY(nearly_equal(status.session_seconds, 3 + asked + reported + work));
      QVERIFY(nearly_equal(search.front(), 3 + 1) && nearly_equal(search.back(), 1 + 0.25));
    } else {
      QVERIFY(nearly_equal(status.search_seconds, asked + reported));
      QVERIFY(nearly_equal(status.session_seconds, asked + reported + work));
      QVERIFY(nearly_equal(search.front(), 1) && nearly_equal(search.back(), 1 + 0.25 + 8));
    }
  }
}

void SessionChargingTest::resumedSessionsChargeMakingOnce() {
  // Stopped before its first batch, and within its second.
  for (const int trials : {0, 13}) {
    const std::string file = folder_->filePath(QString("%1.db").arg(trials)).toStdString();
    Bench first(file);
    session::Setup setup = make_setup("random", 1, 20, 8);
    setup.make_tuner = watched("random", hooks_of(first));
    if (trials == 0) first.stop.stop_gracefully();
    first.observer.on_trial = [&](const trial::Trial&) {
      if (std::ssize(first.observer.trials) == trials) first.stop.stop_at_once();
    };
    const auto stopped = first.run(setup);
    VERIFY_RESULT(stopped);
    QVERIFY(stopped->interrupted);

    Bench second(file);
    setup.make_tuner = watched("random", hooks_of(second));
    const auto whole = second.resume(stopped->id, setup);
    VERIFY_RESULT(whole);
    QCOMPARE(whole->status.trial_count, std::int64_t{20});
    QVERIFY(nearly_equal(whole->status.search_seconds, 3 + 3 * (1 + 0.25)));
    QVERIFY(nearly_equal(search_of_batches(second.store, stopped->id).front(), 3 + 1));
  }
}

void SessionChargingTest::rowsAreBilledOnce() {
  const space::SearchSpace space = make_space();
  const auto slow = std::make_shared<SlowRows>(space);
  const auto shared = std::make_shared<const space::CachedFeatures>(slow, space);
  const space::KnobFeatures plain(space);
  const auto owed = [](session::FeatureBill& bill, const space::FeatureExtractor& features,
                       const std::vector<space::Configuration>& asked) {
    bill.open();
    for (const space::Configuration& configuration : asked) features.compute(configuration);
    return bill.close();
  };
  base::Random random = seeded_random();
  std::vector<space::Configuration> asked;
  for (int i = 0; i < 20; ++i) asked.push_back(space.at(static_cast<std::uint64_t>(i) * 7));
  random.shuffle(std::span(asked));
  const std::vector<space::Configuration> some(asked.begin(), asked.begin() + 10);

  const auto first_bill = std::make_shared<session::FeatureBill>();
  const session::RunFeatures first(shared, first_bill);
  QCOMPARE(first.compute(some[0]), plain.compute(some[0]));  // nobody pays: the tuner's time is not charged
  const double of_one = owed(*first_bill, first, some);
  QVERIFY(of_one >= 0.9 * row_seconds);
  QCOMPARE(owed(*first_bill, first, some), 0.0);
  QCOMPARE(slow->computed, std::int64_t{10});

  double expected = 0;
  std::vector<float> row(plain.names().size());
  for (const space::Configuration& configuration : some)
    expected += shared->write_kept(configuration, row)->compute_seconds;
  QVERIFY(expected >= 10 * row_seconds * 0.9);
  const auto second_bill = std::make_shared<session::FeatureBill>();
  const session::RunFeatures second(shared, second_bill);
  QVERIFY(nearly_equal(owed(*second_bill, second, asked), expected));
  QCOMPARE(slow->computed, std::int64_t{20});
  QCOMPARE(owed(*second_bill, second, asked), 0.0);
  for (const space::Configuration& configuration : asked)
    QCOMPARE(second.compute(configuration), plain.compute(configuration));
}

/** The first computes the rows, the second finds them: both are charged what they cost. */
void SessionChargingTest::rowsCostEveryReplayTheSame() {
  constexpr int rows = 60;
  ReplayBench bench(path());
  const auto recording = make_recording(RecordedSpace::Complete);
  for (const trial::BatchClock clock : {trial::BatchClock::Waves, trial::BatchClock::Batches}) {
    const auto slow = std::make_shared<SlowRows>(recording->space());
    const auto shared = std::make_shared<const space::CachedFeatures>(slow, recording->space());
    std::vector<double> charged;
    for (int run = 0; run < 2; ++run) {
      session::TuningRequest request = replay_request("random", 5, 16);
      request.measuring.search_time = {};
      request.measuring.clock = clock;
      auto tuning = session::prepare_replay(request, bench.store, recording);
      VERIFY_RESULT(tuning);
      tuning->setup.features.itervar = shared;
      const auto features = std::make_shared<std::shared_ptr<const space::FeatureExtractor>>();
      tuning->setup.make_tuner = watched(
          "random", {.made = [=](const tuner::Context& context) { *features = context.features.itervar; },
                     .proposed =
                         [=] {
                           for (std::uint64_t i = 0; i < rows; ++i)
                             (*features)->compute(recording->space().at(i));
                         }});
      const auto outcome =
          session::run_replay(bench.store, *tuning, std::nullopt, bench.observer, bench.stop);
      VERIFY_RESULT(outcome);
      charged.push_back(outcome->status.search_seconds);
      QCOMPARE(slow->computed, std::int64_t{rows});
    }
    QVERIFY(charged[0] >= 0.9 * rows * row_seconds);
    QCOMPARE(charged[1] >= 0.9 * rows * row_seconds, clock == trial::BatchClock::Waves);
  }
}

KERNELSCAPE_TEST(SessionChargingTest, QCoreApplication)

}  // namespace kernelscape::session_charging_test
#include "session_charging_test.moc"
