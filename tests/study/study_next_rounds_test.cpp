#include <QTest>
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/study/next_rounds.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::study_next_rounds_test {

namespace {

/** A network whose rounds are made by chance, as due_rounds() says. */
class RandomNetwork {
 public:
  explicit RandomNetwork(base::Random random) : random_(std::move(random)), layers_(1 + random_.below(12)) {
    study_.purpose = study::Purpose::Network;
    study_.tasks.resize(layers_.size());
    study_.seed = random_.below(1000);
    study_.first_trials = 1 + static_cast<std::int64_t>(random_.below(4));
    study_.layers_at_once = 1 + static_cast<int>(random_.below(3));
    study_.budget.trials = random_.chance(0.3) ? 0 : static_cast<std::int64_t>(1 + random_.below(600));
    study_.budget.minutes = study_.budget.trials == 0 ? 1 + 5 * random_.uniform() : 0;
    if (random_.chance(0.75)) {
      scheduler_ = static_cast<study::LayerScheduler>(random_.below(3));
      study_.scheduler = study::to_string(*scheduler_);
    }
    for (study::StoredRounds& layer : layers_) {
      layer.progress.weight = static_cast<double>(1 + random_.below(3));
      layer.progress.flops = static_cast<double>(1 + random_.below(5));
      layer.progress.max_first_rounds = study::max_first_rounds(study_);
      chances_.push_back(random_.chance(0.1) ? 0 : random_.uniform());
    }
  }

  void verify_rounds() {
    std::int64_t used = 0;
    for (int made = 0;; ++made) {
      QVERIFY2(made < 5000, "the network has no end");
      const std::vector<study::DueRound> due = study::due_rounds(study_, scheduler_, layers_);
      if (due.empty()) break;
      verify(due);
      if (QTest::currentTestFailed()) return;
      for (const study::DueRound& round : due) {
        used += round.limit - allotted(round.layer);
        make(round);
      }
    }
    if (scheduler_ && study_.budget.trials > 0) QVERIFY(used <= study_.budget.trials);
    // Without a scheduler only first kernels are looked for, and all of them are.
    if (scheduler_) return;
    for (std::size_t i = 0; i < layers_.size(); ++i)
      QVERIFY(!waits(i) || allotted(i) == study_.budget.trials);
  }

 private:
  std::int64_t allotted(std::size_t i) const {
    return layers_[i].limits.empty() ? 0 : layers_[i].limits.back();
  }
  bool waits(std::size_t i) const {
    return !layers_[i].progress.ended && study::waits_for_kernel(layers_[i].progress);
  }

  void verify(const std::vector<study::DueRound>& due) const {
    bool any_waits = false;
    bool any_is_new = false;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      any_waits = any_waits || waits(i);
      any_is_new = any_is_new || (waits(i) && layers_[i].limits.empty());
    }
    for (const study::DueRound& round : due) {
      const std::int64_t trials = round.limit - allotted(round.layer);
      QVERIFY(trials > 0);
      QVERIFY(!layers_[round.layer].progress.ended);
      if (!any_waits) continue;
      QVERIFY2(waits(round.layer), "a layer has a later round while another has no kernel");
      QVERIFY(trials <= study_.first_trials);
    }
    if (any_is_new) QVERIFY(layers_[due.front().layer].limits.empty());
    if (!scheduler_) QVERIFY(any_waits);
  }

  void make(const study::DueRound& round) {
    study::StoredRounds& layer = layers_[round.layer];
    std::vector<double>& best = layer.progress.best_seconds;
    double now = best.empty() ? 0 : best.back();
    for (std::int64_t trial = allotted(round.layer); trial < round.limit; ++trial) {
      if (!random_.chance(chances_[round.layer])) continue;
      const double seconds = 1e-3 * (1 + random_.uniform());
      now = now == 0 ? seconds : std::min(now, seconds);
    }
    best.push_back(now);
    layer.limits.push_back(round.limit);
    layer.trials = round.limit;
    layer.session_seconds += 1;
    if (random_.chance(0.02)) layer.progress.ended = true;
  }

  base::Random random_;
  study::Definition study_;
  std::optional<study::LayerScheduler> scheduler_;
  std::vector<study::StoredRounds> layers_;
  std::vector<double> chances_;  ///< that a trial of the layer is valid
};

}  // namespace

/** Which rounds of layers that share a budget are due, of what is stored. */
class StudyNextRoundsTest : public QObject {
  Q_OBJECT

 private slots:
  /**
   * Random networks whose trials fail at random: every layer has its first kernel, or had all of its first
   * rounds, before any layer has a later round. Rounds end in any order, and what is next follows from what
   * is stored.
   */
  void first_kernels_come_before_all_else() {
    const base::Random random(testing::random_seed());
    for (int i = 0; i < 300; ++i) {
      RandomNetwork network(random.fork("network " + std::to_string(i)));
      network.verify_rounds();
      QVERIFY2(!QTest::currentTestFailed(), qPrintable(QStringLiteral("in network %1").arg(i)));
    }
  }

  /** Without first trials a study is what it was before there were any. */
  void studies_of_before_have_their_rounds() {
    study::Definition study = *study::study_from_json(
        R"({"name": "x", "purpose": "network", "network": "n", "tuners": ["ga"], "scheduler": "round-robin",
            "tasks": ["resnet18/C1", "resnet18/C2"], "trials": 500, "rules": 2})",
        {}, study::first_study_rules);
    QCOMPARE(study.first_trials, std::int64_t{0});
    std::vector<study::StoredRounds> layers(2);
    layers[1].progress.flops = 1;
    for (study::StoredRounds& layer : layers)
      layer.progress.max_first_rounds = study::max_first_rounds(study);
    QCOMPARE(study::due_rounds(study, study::LayerScheduler::RoundRobin, layers),
             (std::vector<study::DueRound>{{1, 16}}));
    layers[1].limits = {16};
    layers[1].progress.best_seconds = {0};
    QCOMPARE(study::due_rounds(study, study::LayerScheduler::RoundRobin, layers),
             (std::vector<study::DueRound>{{0, 16}}));
    layers[0] = layers[1];
    // No right kernel: it is no reason for another turn.
    QCOMPARE(study::due_rounds(study, study::LayerScheduler::RoundRobin, layers),
             (std::vector<study::DueRound>{{0, 32}}));
  }

  void layers_before_are_those_of_earlier_groups() {
    study::Definition study;
    std::vector<study::StoredRounds> layers(4);
    for (std::size_t i = 0; i < layers.size(); ++i) layers[i].progress.flops = static_cast<double>(10 + i);
    QCOMPARE(study::layers_before(study, layers, 1), (std::vector<std::size_t>{3, 2}));
    study.layers_at_once = 2;
    QCOMPARE(study::layers_before(study, layers, 2), std::vector<std::size_t>{});
    QCOMPARE(study::layers_before(study, layers, 1), (std::vector<std::size_t>{3, 2}));
    QCOMPARE(study::layers_before(study, layers, 0), (std::vector<std::size_t>{3, 2}));
    // One that never began had no turn.
    layers[3].progress.ended = true;
    QCOMPARE(study::layers_before(study, layers, 0), (std::vector<std::size_t>{2, 1}));
  }

  /**
   * Two layers at a time. One failed at trial 20 of its second round; what it left went to the other, whose
   * third round, to 48, was broken off. After a restart the first one went on, and less is left than was.
   */
  void a_broken_round_keeps_its_limit() {
    study::Definition study;
    study.purpose = study::Purpose::Network;
    study.tasks.resize(2);
    study.layers_at_once = 2;
    study.budget.trials = 70;
    QCOMPARE(study::round_trials(study), 16);
    study::StoredRounds broken{.limits = {16, 32, 48}, .in_round = true, .trials = 40, .session_seconds = 1};
    broken.progress = {.weight = 1, .flops = 1e6, .kind = "a", .best_seconds = {2e-3, 1e-3}};
    study::StoredRounds failed{.limits = {16, 32}, .in_round = false, .trials = 32, .session_seconds = 1};
    failed.progress = broken.progress;
    for (const study::LayerScheduler scheduler :
         {study::LayerScheduler::RoundRobin, study::LayerScheduler::Proportional,
          study::LayerScheduler::Gradient}) {
      // Whichever of the two is chosen first.
      for (const auto& layers : {std::vector{broken, failed}, std::vector{failed, broken}}) {
        for (const study::DueRound& due : study::due_rounds(study, scheduler, layers)) {
          const study::StoredRounds& layer = layers[due.layer];
          QVERIFY2(due.limit >= layer.limits.back(), std::to_string(due.limit).c_str());
          QCOMPARE(due.limit, layer.in_round ? 48 : 38);
        }
      }
    }
  }
};

KERNELSCAPE_PLAIN_TEST(StudyNextRoundsTest)

}  // namespace kernelscape::study_next_rounds_test
#include "study_next_rounds_test.moc"
