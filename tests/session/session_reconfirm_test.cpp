#include <QTemporaryDir>
#include <QTest>
#include <future>
#include <set>

#include "core/measure/device_lease.h"
#include "core/session/local_run.h"
#include "core/session/preparation.h"
#include "core/session/reconfirm.h"
#include "core/session/report.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_reconfirm_test {
using namespace kernelscape::session_tests;

namespace {

constexpr std::int64_t trials_made = 12;

/** Whether this process has the right to measure on the processor now. */
bool holds_the_processor() {
  const std::optional<std::string> holder = measure::DeviceLease::holder_of("cpu");
  return holder && holder->contains("process " + std::to_string(getpid()));
}

/** Counts trials, and those that were measured under the lease. */
class LeaseWatch final : public session::Observer {
 public:
  void trial_finished(const trial::Trial&, const store::SessionStatus&) override {
    ++trials;
    if (holds_the_processor()) ++under_lease;
  }
  std::int64_t trials = 0;
  std::int64_t under_lease = 0;
};

/** A real session of a tiny task, run on this machine. */
Result<store::SessionId> run_tiny_session(store::Store& store) {
  session::TuningRequest request;
  request.task = "matmul 16x16 16x16 f32";
  request.tuner = "random";
  request.seed = 5;
  request.budget.trials = trials_made;
  request.measuring.threads = 1;
  request.measuring.repeats = 2;
  request.measuring.min_repeat_seconds = 1e-4;
  const Result<session::PreparedTuning> prepared = session::prepare_tuning(request, store);
  if (!prepared) return std::unexpected(prepared.error());
  LeaseWatch observer;
  const session::StopRequest stop;
  const Result<session::Outcome> outcome =
      session::run_on_this_machine(store, *prepared, std::nullopt, observer, stop);
  if (!outcome) return std::unexpected(outcome.error());
  if (observer.under_lease != trials_made || holds_the_processor())
    return fail(ErrorCode::Internal, "the lease was not held from the first trial to the last");
  return outcome->id;
}

}  // namespace

/** Measuring the best of a stored session once more. */
class SessionReconfirmTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::optional<store::Store> store_;
  store::SessionId id_ = 0;
  session::StopRequest stop_;

  std::vector<std::int64_t> valid_trials() const;

 private slots:
  void initTestCase();
  void theBestAndTheBaselinesAreMeasuredAgain();
  void anExtraTrialIsMeasuredToo();
  void refusals();
  void aStopStoresNothing();
  void nobodyElseHasTheSessionOrTheDeviceMeanwhile();
};

void SessionReconfirmTest::initTestCase() {
  store_.emplace(*store::Store::open(folder_.filePath("test.db").toStdString()));
  const Result<store::SessionId> id = run_tiny_session(*store_);
  QVERIFY2(id, id ? "" : describe(id.error()).c_str());
  id_ = *id;
}

/** By their own medians, then by number. */
std::vector<std::int64_t> SessionReconfirmTest::valid_trials() const {
  std::vector<trial::Trial> trials = *store_->trials().of(id_);
  std::erase_if(trials, [](const trial::Trial& trial) { return !trial.measurement.valid(); });
  std::ranges::stable_sort(trials, {},
                           [](const trial::Trial& trial) { return trial.measurement.median_seconds(); });
  std::vector<std::int64_t> numbers;
  for (const trial::Trial& trial : trials) numbers.push_back(trial.number);
  return numbers;
}

void SessionReconfirmTest::theBestAndTheBaselinesAreMeasuredAgain() {
  const std::vector<trial::Confirmation> before = *store_->confirmations().of(id_);
  const store::SessionSummary session = *store_->sessions().get(id_);
  const trial::Baselines old = *trial::baselines_from_json(session.status.vendor_json);
  const auto measured = session::measure_best_again(*store_, id_, std::nullopt, stop_);
  QVERIFY2(measured, measured ? "" : describe(measured.error()).c_str());

  std::vector<std::int64_t> best = valid_trials();
  best.resize(std::min<std::size_t>(best.size(), 5));
  // More trials, if other programs made this machine slow while they were measured.
  QVERIFY(measured->configurations.size() >= best.size() + (old.first_valid ? 1 : 0));
  std::vector<trial::Confirmation> added = *store_->confirmations().of(id_);
  added.erase(added.begin(), added.begin() + static_cast<std::ptrdiff_t>(before.size()));
  std::vector<std::int64_t> numbers;
  for (const trial::Confirmation& confirmation : added) {
    if (confirmation.trial < 0) continue;
    numbers.push_back(confirmation.trial);
    QCOMPARE(confirmation.samples_seconds.size(), std::size_t(2));
  }
  QVERIFY(numbers.size() >= best.size());
  numbers.resize(best.size());
  QVERIFY(numbers == best);
  const store::SessionSummary after = *store_->sessions().get(id_);
  const trial::Baselines now = *trial::baselines_from_json(after.status.vendor_json);
  // Other programs may slow this machine down, and such samples replace none.
  QVERIFY(
      now.vendor.samples_seconds ==
      (measured->slow || measured->loaded ? old.vendor.samples_seconds : measured->vendor.samples_seconds));
  if (old.first_valid) {
    QVERIFY(now.first_valid->configuration == old.first_valid->configuration);
    QVERIFY(now.first_valid->samples_seconds == measured->configurations.back().samples_seconds);
  }
  // Nothing else changed, and it is nobody's any more.
  QCOMPARE(after.status.state, session.status.state);
  QCOMPARE(after.status.trial_count, trials_made);
  QCOMPARE(after.status.session_seconds, session.status.session_seconds);
  QVERIFY(!after.owner);
  QVERIFY(session::make_session_report(*store_, id_)->best_confirmed || measured->slow || measured->loaded);
}

void SessionReconfirmTest::anExtraTrialIsMeasuredToo() {
  const std::vector<std::int64_t> valid = valid_trials();
  QVERIFY(valid.size() > 5);
  const std::size_t before = store_->confirmations().of(id_)->size();
  QVERIFY(session::measure_best_again(*store_, id_, valid.back(), stop_));
  const std::vector<trial::Confirmation> all = *store_->confirmations().of(id_);
  std::set<std::int64_t> added;
  for (std::size_t i = before; i < all.size(); ++i) added.insert(all[i].trial);
  added.erase(-1);
  std::set<std::int64_t> expected(valid.begin(), valid.begin() + 5);
  expected.insert(valid.back());
  QVERIFY(std::ranges::includes(added, expected));
}

void SessionReconfirmTest::refusals() {
  const auto message = [&](store::SessionId id, std::optional<std::int64_t> extra) {
    const auto measured = session::measure_best_again(*store_, id, extra, stop_);
    return QString::fromStdString(measured ? "measured" : describe(measured.error()));
  };
  QVERIFY(message(999, {}).contains("999"));
  QVERIFY(message(id_, 4711).contains("trial 4711 of the session has no valid kernel"));
  // Owned by a living process: this one.
  QVERIFY(store_->sessions().claim(id_, store::Owner::this_process()));
  const QString owned = message(id_, {});
  QVERIFY(store_->sessions().release(id_, store::Owner::this_process()));
  QVERIFY2(owned.contains(QString::number(getpid())), qPrintable(owned));
  // Made by another template than today's: what cannot be resumed.
  Bench bench(folder_.filePath("test.db").toStdString());
  const store::SessionId foreign = bench.run(make_setup("random", 3, 8, 4))->id;
  QVERIFY2(message(foreign, {}).contains("can be viewed, not resumed"), qPrintable(message(foreign, {})));
}

void SessionReconfirmTest::aStopStoresNothing() {
  const auto before = *store_->confirmations().of(id_);
  session::StopRequest stop;
  stop.stop_gracefully();
  const auto measured = session::measure_best_again(*store_, id_, std::nullopt, stop);
  QVERIFY(!measured);
  QCOMPARE(measured.error().code, ErrorCode::Refused);
  QVERIFY(*store_->confirmations().of(id_) == before);
  QVERIFY(!store_->sessions().get(id_)->owner);
}

void SessionReconfirmTest::nobodyElseHasTheSessionOrTheDeviceMeanwhile() {
  const store::Store reader = *store::Store::open(folder_.filePath("test.db").toStdString());
  bool owned = false;
  bool leased = false;
  auto measured = std::async(std::launch::async,
                             [&] { return session::measure_best_again(*store_, id_, std::nullopt, stop_); });
  while (measured.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    owned = owned || reader.sessions().get(id_)->owner == store::Owner::this_process();
    leased = leased || holds_the_processor();
  }
  QVERIFY(measured.get());
  QVERIFY(owned);
  QVERIFY(leased);
  QVERIFY(!reader.sessions().get(id_)->owner);
  QVERIFY(!holds_the_processor());
}

KERNELSCAPE_PLAIN_TEST(SessionReconfirmTest)

}  // namespace kernelscape::session_reconfirm_test
#include "session_reconfirm_test.moc"
