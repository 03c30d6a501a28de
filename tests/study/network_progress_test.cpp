#include "core/study/network_progress.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "core/measure/cpu/machine_limits.h"
#include "core/study/network_roofline.h"
#include "core/study/next_rounds.h"
#include "tests/study/network_support.h"
#include "tests/test_program.h"

namespace kernelscape::network_progress_test {
using namespace kernelscape::study_tests;

namespace {

/** A trial as the study told it, in the order in which all layers' trials came. */
struct ToldTrial {
  std::int64_t run = 0;
  double seconds = 0;           ///< 0: not valid
  double finished_seconds = 0;  ///< on the clock of its session
};

/** What was told of a network while it was tuned: the reference that knows nothing of what is stored. */
class ToldTrials final : public study::Observer {
 public:
  void trial_finished(const study::PlannedRun& run, const trial::Trial& trial,
                      const store::SessionStatus&) override {
    const trial::Measurement& measurement = trial.measurement;
    const bool valid = measurement.category == trial::ErrorCategory::NoError;
    trials.push_back({run.run, valid ? measurement.median_seconds() : 0, trial.finished_seconds});
  }
  void run_failed(const study::PlannedRun& run, const Error&) override { failed.push_back(run.run); }

  std::vector<ToldTrial> trials;
  std::vector<std::int64_t> failed;
};

/** The network's time after each trial, from what was told; none: a layer has no kernel yet. */
std::vector<study::NetworkPoint> points_of(const std::vector<ToldTrial>& trials,
                                           const study::Definition& study) {
  std::map<std::int64_t, double> best;
  std::map<std::int64_t, double> clock;
  std::vector<study::NetworkPoint> points;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const ToldTrial& trial = trials[i];
    clock[trial.run] = trial.finished_seconds;
    if (!(trial.seconds > 0) || (best.contains(trial.run) && best[trial.run] <= trial.seconds)) continue;
    best[trial.run] = trial.seconds;
    if (best.size() < study.tasks.size()) continue;
    study::NetworkPoint& point = points.emplace_back();
    point.trials = static_cast<std::int64_t>(i) + 1;
    for (const auto& [run, seconds] : clock) point.elapsed_seconds += seconds;
    for (const auto& [run, seconds] : best)
      point.seconds += seconds * static_cast<double>(study.tasks[static_cast<std::size_t>(run)].multiplicity);
  }
  return points;
}

bool is_near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

void verify_points(const std::vector<study::NetworkPoint>& points,
                   const std::vector<study::NetworkPoint>& wanted) {
  QCOMPARE(points.size(), wanted.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    QCOMPARE(points[i].trials, wanted[i].trials);
    QVERIFY2(is_near(points[i].seconds, wanted[i].seconds),
             qPrintable(QStringLiteral("%1 and %2").arg(points[i].seconds).arg(wanted[i].seconds)));
    QVERIFY2(is_near(points[i].elapsed_seconds, wanted[i].elapsed_seconds),
             qPrintable(
                 QStringLiteral("%1 and %2").arg(points[i].elapsed_seconds).arg(wanted[i].elapsed_seconds)));
  }
}

/** Each trial has the round that its layer was in when it was told. */
void verify_rounds(const study::NetworkProgress& progress, const std::vector<ToldTrial>& reported) {
  std::size_t next = 0;
  for (const study::NetworkRound& round : progress.rounds) {
    QCOMPARE(round.first_trial, static_cast<std::int64_t>(next));
    for (std::int64_t i = 0; i < round.trials; ++i, ++next)
      QCOMPARE(static_cast<std::size_t>(reported[next].run), round.layer);
  }
  QCOMPARE(next, reported.size());
}

study::NetworkProgress progress_of(const store::Store& store, store::StudyId id) {
  Result<study::NetworkProgress> progress = study::read_network_progress(store, id);
  if (!progress) qFatal("%s", describe(progress.error()).c_str());
  return std::move(*progress);
}

}  // namespace

class NetworkProgressTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  /** Against what the study told while it ran, stopped anywhere and gone on with. */
  void the_curve_is_what_was_reported() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int i = 0; i < 6; ++i) {
      const auto scheduler = static_cast<study::LayerScheduler>(i % 3);
      store::Store store = *store::Store::open(database(std::to_string(i)));
      study::Definition study = planned_network(scheduler, static_cast<std::int64_t>(20 + random.below(120)));
      study.seed = random.bits() >> 12;
      if (random.chance(0.3)) study.budget.patience = static_cast<std::int64_t>(10 + random.below(20));
      const store::StudyId id = created_network(store, study);
      ToldTrials reported;
      for (bool interrupted = true; interrupted;) {
        session::StopRequest stop;
        const int stop_after = random.chance(0.5) ? static_cast<int>(2 + random.below(12)) : 0;
        interrupted = ran_network(store, id, rounds_runner(&stop, stop_after), reported, stop).interrupted;
        const study::NetworkProgress now = progress_of(store, id);
        QVERIFY(now.order_known);
        QCOMPARE(now.trials, std::ssize(reported.trials));
        verify_rounds(now, reported.trials);
        if (now.waiting.empty() && now.without_kernel.empty())
          verify_points(now.points, points_of(reported.trials, study));
        else
          QVERIFY(!now.waiting.empty() || points_of(reported.trials, study).empty());
        QCOMPARE(now.waiting.empty() || now.points.empty(), true);
      }
      const study::NetworkProgress whole = progress_of(store, id);
      QVERIFY(!whole.next && !whole.in_round);
      QVERIFY(whole.confirmed_seconds > 0 && is_near(whole.confirmed_seconds, whole.outcome.seconds));
      QVERIFY(whole.elapsed_seconds >= whole.points.back().elapsed_seconds);
    }
  }

  void each_round_says_why_and_what_it_gained() {
    store::Store store = *store::Store::open(database("a.db"));
    const study::Definition study = planned_network(study::LayerScheduler::Gradient, 200);
    const store::StudyId id = created_network(store, study);
    ToldTrials reported;
    ran_network(store, id, rounds_runner(), reported);
    const study::NetworkProgress progress = progress_of(store, id);
    std::vector<study::LayerProgress> known;
    for (std::size_t i = 0; i < progress.layers.size(); ++i)
      known.push_back({.weight = static_cast<double>(study.tasks[i].multiplicity),
                       .flops = progress.layers[i].flops,
                       .kind = progress.layers[i].template_name,
                       .max_first_rounds = study::max_first_rounds(study)});
    double gained = 0;
    double first = 0;
    for (const study::NetworkRound& round : progress.rounds) {
      QVERIFY(round.choice.has_value());
      QCOMPARE(*round.choice, *study::explain_next_layer(study::LayerScheduler::Gradient, known, study.seed));
      QCOMPARE(round.choice->reason == study::LayerReason::FirstRound, round.round == 0);
      QCOMPARE(round.round, std::ssize(known[round.layer].best_seconds));
      QVERIFY(!study::choice_text(*round.choice).empty());
      known[round.layer].best_seconds.push_back(round.seconds_after);
      gained += round.gained_seconds;
      if (round.seconds_before == 0) first += known[round.layer].weight * round.seconds_after;
      QVERIFY(round.end_seconds >= round.begin_seconds);
    }
    // What it began with less what the rounds won is where the curve ends.
    QVERIFY2(is_near(first - gained, progress.seconds),
             qPrintable(QStringLiteral("%1 and %2").arg(first - gained).arg(progress.seconds)));
  }

  void layers_with_a_budget_each_are_one_after_the_other() {
    store::Store store = *store::Store::open(database("a.db"));
    study::Definition study = planned_network(study::LayerScheduler::Gradient, 20);
    study.scheduler.clear();
    const store::StudyId id = created_network(store, study);
    ToldTrials reported;
    for (bool interrupted = true; interrupted;) {
      session::StopRequest stop;
      interrupted = ran_network(store, id, rounds_runner(&stop, 5), reported, stop).interrupted;
    }
    const study::NetworkProgress progress = progress_of(store, id);
    QVERIFY(progress.order_known && !progress.next);
    verify_rounds(progress, reported.trials);
    verify_points(progress.points, points_of(reported.trials, study));
    std::map<std::size_t, std::int64_t> trials;
    for (const study::NetworkRound& round : progress.rounds) {
      QVERIFY(!round.choice);
      trials[round.layer] += round.trials;
    }
    for (std::size_t layer = 0; layer < study.tasks.size(); ++layer)
      QCOMPARE(trials[layer], std::int64_t{20});
    // The time is there before any layer has more than its first trials.
    QVERIFY(!progress.points.empty());
    QVERIFY(progress.points.front().trials < std::ssize(study.tasks) * 10);
  }

  void there_is_no_sum_before_all_layers_have_a_kernel() {
    store::Store store = *store::Store::open(database("a.db"));
    const study::Definition study = planned_network(study::LayerScheduler::Gradient, 80);
    const store::StudyId id = created_network(store, study);
    study::NetworkProgress progress = progress_of(store, id);
    QCOMPARE(progress.waiting.size(), study.tasks.size());
    QVERIFY(progress.points.empty() && progress.rounds.empty());
    QVERIFY(progress.share_with_kernel == 0 && progress.seconds == 0);
    // The first is known before anything ran: that with the most FLOPs.
    QVERIFY(progress.next && progress.next->reason == study::LayerReason::FirstRound);
    for (std::size_t i = 0; i < progress.layers.size(); ++i)
      QVERIFY(progress.layers[i].share_of_flops <= progress.layers[progress.next->layer].share_of_flops);
    ToldTrials reported;
    session::StopRequest stop;
    ran_network(store, id, rounds_runner(&stop, 1), reported, stop);
    progress = progress_of(store, id);
    QVERIFY(progress.points.empty() && !progress.waiting.empty());
    QVERIFY(progress.share_with_kernel > 0 && progress.share_with_kernel < 1);
  }

  /** A layer without any right kernel is in no sum, and named. */
  void a_layer_that_never_works_is_named_and_left_out() {
    store::Store store = *store::Store::open(database("a.db"));
    const study::Definition study = planned_network(study::LayerScheduler::RoundRobin, 80);
    const store::StudyId id = created_network(store, study);
    MeasurementScript failing;
    failing.measure = [](const space::Configuration&) {
      trial::Measurement measurement;
      measurement.category = trial::ErrorCategory::WrongAnswer;
      measurement.message = "nothing is right today";
      return measurement;
    };
    ToldTrials reported;
    ran_network(store, id,
                rounds_runner(nullptr, 0,
                              [&](const session::Setup& setup) {
                                return setup.task.text.starts_with("matmul") ? failing
                                                                             : session_tests::make_script();
                              }),
                reported);
    const study::NetworkProgress progress = progress_of(store, id);
    QCOMPARE(progress.without_kernel, std::vector<std::size_t>{3});
    QVERIFY(progress.waiting.empty() && !progress.points.empty());
    std::vector<ToldTrial> others = reported.trials;
    double last = 0;
    for (std::size_t layer = 0; layer < 3; ++layer) {
      double best = HUGE_VAL;
      for (const ToldTrial& trial : others)
        if (trial.run == static_cast<std::int64_t>(layer) && trial.seconds > 0)
          best = std::min(best, trial.seconds);
      last += best * static_cast<double>(study.tasks[layer].multiplicity);
    }
    QVERIFY(is_near(progress.seconds, last));
    QVERIFY(progress.share_with_kernel < 1);
  }

  void a_network_begins_with_what_was_tuned_before() {
    store::Store store = *store::Store::open(database("a.db"));
    const store::StudyId first =
        created_network(store, planned_network(study::LayerScheduler::RoundRobin, 80));
    ToldTrials reported;
    ran_network(store, first, rounds_runner(), reported);
    const study::NetworkProgress before = progress_of(store, first);
    const store::StudyId second =
        created_network(store, planned_network(study::LayerScheduler::RoundRobin, 8));
    ran_network(store, second, rounds_runner(), reported);
    const study::NetworkProgress after = progress_of(store, second);
    QVERIFY(is_near(after.points.front().seconds, before.seconds));
    QVERIFY(!after.points.front().round && after.points.front().trials == 0);
    QVERIFY(after.seconds <= before.seconds);
    QVERIFY(after.confirmed_seconds > 0);
  }

  /** The lines are sums over the layers of the curve, or missing. */
  void the_vendor_and_the_limit_are_of_the_same_layers() {
    store::Store store = *store::Store::open(database("a.db"));
    study::Definition study = planned_network(study::LayerScheduler::RoundRobin, 40);
    // The peak of multiplications is no limit of Winograd's algorithm.
    for (study::Task& task : study.tasks) task.template_name.clear();
    const store::StudyId id = created_network(store, study);
    ToldTrials reported;
    ran_network(store, id, rounds_runner(), reported);
    const study::NetworkProgress without = progress_of(store, id);
    QVERIFY(is_near(without.vendor_seconds, without.outcome.vendor_seconds));
    const std::vector<store::StudyRun> runs = *store.studies().runs(id);
    double limit = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      store::SessionStatus status = store.sessions().get(*runs[i].session)->status;
      trial::Baselines baselines = *trial::baselines_from_json(status.vendor_json);
      baselines.limits = {100, 1e10, 1e6};
      status.vendor_json = trial::baselines_to_json(baselines);
      QVERIFY(store.sessions().update_status(*runs[i].session, status));
      const task::Task task = *task::task_from_json(store.sessions().get(*runs[i].session)->record.task_json);
      const double gflops =
          std::min(100.0 / measure::needed_share(*task.op), task.flops() / task::task_bytes(task) * 10);
      limit += static_cast<double>(study.tasks[i].multiplicity) * task.flops() / (gflops * 1e9);
    }
    study::NetworkProgress progress = progress_of(store, id);
    QVERIFY2(is_near(progress.limit_seconds, limit), std::to_string(progress.limit_seconds / limit).c_str());
    store::SessionStatus status = store.sessions().get(*runs[2].session)->status;
    status.vendor_json.clear();
    QVERIFY(store.sessions().update_status(*runs[2].session, status));
    progress = progress_of(store, id);
    QVERIFY(progress.vendor_seconds == 0 && progress.limit_seconds == 0);
    QCOMPARE(progress.without_limit, std::vector<std::size_t>{2});
  }

  /** One that was made anew comes later than the scheduler would have it: the order is called a guess. */
  void what_does_not_follow_is_called_a_guess() {
    store::Store store = *store::Store::open(database("a.db"));
    const study::Definition study = planned_network(study::LayerScheduler::RoundRobin, 80);
    const store::StudyId id = created_network(store, study);
    session::StopRequest stop;
    ToldTrials reported;
    ran_network(store, id, rounds_runner(&stop, 8), reported, stop);
    const std::vector<store::StudyRun> runs = *store.studies().runs(id);
    const auto first = std::ranges::min_element(
        runs, {}, [](const store::StudyRun& run) { return run.session.value_or(1'000'000); });
    store::SessionStatus status = first->status;
    status.state = store::SessionState::Failed;
    status.state_reason = "the disk was full";
    QVERIFY(store.sessions().update_status(*first->session, status));
    ran_network(store, id, rounds_runner(), reported);
    const study::NetworkProgress progress = progress_of(store, id);
    QVERIFY(!progress.order_known);
    QCOMPARE(progress.waiting.size(), std::size_t{0});
    QVERIFY(!progress.points.empty());
    std::int64_t trials = 0;
    for (const study::NetworkRound& round : progress.rounds) trials += round.trials;
    QCOMPARE(trials, progress.trials);
    QCOMPARE(trials, std::int64_t{80});
  }

  void what_no_template_fits_is_listed() {
    store::Store store = *store::Store::open(database("a.db"));
    study::Definition study = planned_network(study::LayerScheduler::RoundRobin, 40);
    study.tasks.pop_back();
    const study::NetworkProgress progress = progress_of(store, created_network(store, study));
    QCOMPARE(progress.left_out.size(), std::size_t{1});
    QCOMPARE(progress.left_out.front().multiplicity, std::int64_t{4});
    QCOMPARE(progress.others.size(), std::size_t{1});
    QCOMPARE(progress.others.front().name, std::string("Relu"));
  }

  void another_purpose_is_refused() {
    store::Store store = *store::Store::open(database("a.db"));
    const study::Definition comparison = make_study({"random"}, {"nowhere.ksrec"}, 1, 8);
    store::StudyRecord record;
    record.name = "c";
    record.study_json = study::study_to_json(comparison);
    record.run_count = 1;
    const Result<store::StudyId> id = store.studies().create(record);
    QVERIFY(id);
    const Result<study::NetworkProgress> progress = study::read_network_progress(store, *id);
    QVERIFY(!progress && progress.error().code == ErrorCode::InvalidArgument);
    QVERIFY(!study::read_network_progress(store, 4711));
  }

  void a_session_knows_its_network() {
    store::Store store = *store::Store::open(database("a.db"));
    const store::StudyId id = created_network(store, planned_network(study::LayerScheduler::RoundRobin, 8));
    ToldTrials reported;
    ran_network(store, id, rounds_runner(), reported);
    QCOMPARE(*study::network_study_of(store, *store.studies().runs(id)->front().session), std::optional(id));
  }

 private:
  std::string database(std::string_view name) const {
    return folder_->filePath(QString::fromStdString(std::string(name))).toStdString();
  }

  std::unique_ptr<QTemporaryDir> folder_;
};

KERNELSCAPE_TEST(NetworkProgressTest, QCoreApplication)

}  // namespace kernelscape::network_progress_test
#include "network_progress_test.moc"
