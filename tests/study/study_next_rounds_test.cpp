#include <QTest>

#include "core/study/next_rounds.h"
#include "tests/test_program.h"

namespace kernelscape::study_next_rounds_test {

/** Which rounds of layers that share a budget are due, of what is stored. */
class StudyNextRoundsTest : public QObject {
  Q_OBJECT

 private slots:
  /**
   * Two layers at a time. One failed at trial 20 of its second round; what it left went to the other, whose
   * third round, to 48, was broken off. After a restart the first one went on, and less is left than was.
   */
  void a_broken_round_keeps_its_limit() {
    StudyDefinition study;
    study.purpose = StudyPurpose::Network;
    study.tasks.resize(2);
    study.layers_at_once = 2;
    study.budget.trials = 70;
    QCOMPARE(round_trials(study), 16);
    StoredRounds broken{.limits = {16, 32, 48}, .in_round = true, .trials = 40, .session_seconds = 1};
    broken.progress = {.weight = 1, .flops = 1e6, .kind = "a", .best_seconds = {2e-3, 1e-3}};
    StoredRounds failed{.limits = {16, 32}, .in_round = false, .trials = 32, .session_seconds = 1};
    failed.progress = broken.progress;
    for (const LayerScheduler scheduler :
         {LayerScheduler::RoundRobin, LayerScheduler::Proportional, LayerScheduler::Gradient}) {
      // Whichever of the two is chosen first.
      for (const auto& layers : {std::vector{broken, failed}, std::vector{failed, broken}}) {
        for (const DueRound& due : due_rounds(study, scheduler, layers)) {
          const StoredRounds& layer = layers[due.layer];
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
