#include <QTest>
#include <vector>

#include "core/trial/slow_phase_notice.h"
#include "tests/test_program.h"

namespace kernelscape::trial_slow_phase_notice_test {

constexpr const char* steal = "steal 31 %, cores at 1.2 of 3.1 GHz";

trial::SlowPhase phase_of(std::int64_t first, std::int64_t last) {
  return {.first_trial = first,
          .last_trial = last,
          .begin_seconds = 10,
          .end_seconds = 48,
          .speed = {.compute = 0.28, .memory = 0.5},
          .ended = true};
}

trial::SessionNotice notice_of(const trial::SlowPhase& phase, const std::string& explanation) {
  return {std::string(trial::machine_notice), trial::slow_phase_notice(phase, "the machine", explanation), 0};
}

class TrialSlowPhaseNoticeTest : public QObject {
  Q_OBJECT

 private slots:
  void a_notice_ends_with_the_explanation() {
    QCOMPARE(trial::slow_phase_notice(phase_of(48, 97), "the machine", steal),
             std::string("trials 48 to 97: the machine ran at 0.28 of its speed for 38 s; meanwhile: steal "
                         "31 %, cores at 1.2 of 3.1 GHz"));
    QCOMPARE(trial::slow_phase_notice(phase_of(48, 97), "the machine", ""),
             trial::describe(phase_of(48, 97)));
    trial::SlowPhase open = phase_of(5, 5);
    open.ended = false;
    QVERIFY(trial::slow_phase_notice(open, "worker a", steal)
                .contains(", and had not recovered when the search ended; meanwhile: steal"));
  }

  void the_explanation_of_a_phase_is_found() {
    const std::vector<trial::SessionNotice> notices{notice_of(phase_of(3, 9), ""),
                                                    notice_of(phase_of(48, 97), steal),
                                                    notice_of(phase_of(120, 120), "throttled once by heat")};
    QCOMPARE(trial::explanation_in(notices, phase_of(48, 97)), std::string(steal));
    QCOMPARE(trial::explanation_in(notices, phase_of(50, 99)),
             std::string(steal));  // later readings moved it
    QCOMPARE(trial::explanation_in(notices, phase_of(120, 121)), std::string("throttled once by heat"));
    QCOMPARE(trial::explanation_in(notices, phase_of(3, 9)), std::string());
    QCOMPARE(trial::explanation_in(notices, phase_of(98, 119)), std::string());
    QCOMPARE(trial::explanation_in({}, phase_of(1, 2)), std::string());
  }

  void a_phase_that_goes_on_continues_its_notice() {
    trial::SlowPhase open = phase_of(48, 97);
    open.ended = false;
    const trial::SessionNotice earlier = notice_of(open, steal);
    QVERIFY(trial::continues_phase(notice_of(phase_of(48, 120), ""), earlier));
    QVERIFY(trial::continues_phase(notice_of(phase_of(50, 97), ""), earlier));  // later readings moved it
    QVERIFY(!trial::continues_phase(notice_of(phase_of(98, 120), ""), earlier));
    QVERIFY(!trial::continues_phase(earlier, notice_of(phase_of(48, 97), "")));  // it had recovered
    const std::string of_worker = trial::slow_phase_notice(phase_of(48, 120), "worker a", "");
    QVERIFY(!trial::continues_phase({std::string(trial::machine_notice), of_worker, 0}, earlier));
    QVERIFY(!trial::continues_phase({std::string(trial::note_notice), earlier.text, 0}, earlier));
    QVERIFY(
        !trial::continues_phase({std::string(trial::machine_notice), "the machine was loaded", 0}, earlier));
  }

  void other_notices_are_no_explanations() {
    std::vector<trial::SessionNotice> notices{notice_of(phase_of(48, 97), steal)};
    notices.front().kind = trial::note_notice;
    for (const char* text :
         {"; meanwhile: x", "trials 48; meanwhile: x", "trials 48 to: 5; meanwhile: x",
          "trials 99999999999999999999 to 5: ; meanwhile: x", "trials a to b; meanwhile: x"})
      notices.push_back({std::string(trial::machine_notice), text, 0});
    QCOMPARE(trial::explanation_in(notices, phase_of(48, 97)), std::string());
  }
};

KERNELSCAPE_PLAIN_TEST(TrialSlowPhaseNoticeTest)

}  // namespace kernelscape::trial_slow_phase_notice_test
#include "trial_slow_phase_notice_test.moc"
