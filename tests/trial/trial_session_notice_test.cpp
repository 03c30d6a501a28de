#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <random>

#include "core/base/random.h"
#include "core/trial/session_notice.h"
#include "tests/test_program.h"

using namespace kernelscape;

/** What sessions say, where it is told once for many times. */
class TrialSessionNoticeTest : public QObject {
  Q_OBJECT

 private slots:
  void texts_with_other_numbers_are_one() {
    const std::vector<std::string> texts{"took up to 7 % longer",
                                         "load average 1.4 on 2 processors",
                                         "took up to 30 % longer",
                                         "3.5.",
                                         "load 1.4",
                                         "took up to 5 % longer",
                                         "",
                                         "4.5.",
                                         "load average 10.25 on 2 processors"};
    const std::vector<RepeatedText> wanted{{"took up to 5 to 30 % longer", 3},
                                           {"load average 1.4 to 10.25 on 2 processors", 2},
                                           {"3.5 to 4.5.", 2},
                                           {"load 1.4", 1},
                                           {"", 1}};
    QVERIFY(repeated_texts(texts) == wanted);
    QVERIFY(repeated_texts({}).empty());
  }

  void nothing_is_lost_whatever_was_said() {
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Random random(seed);
    for (int round = 0; round < 2000; ++round) {
      std::vector<std::string> texts(random.below(8));
      for (std::string& text : texts)
        for (std::uint64_t letters = random.below(12); letters > 0; --letters)
          text += "0123456789.. a%"[random.below(15)];
      const std::vector<RepeatedText> told = repeated_texts(texts);
      std::int64_t times = 0;
      for (const RepeatedText& one : told) {
        times += one.times;
        if (one.times == 1) QVERIFY(std::ranges::find(texts, one.text) != texts.end());
      }
      QCOMPARE(times, std::ssize(texts));
      for (const std::string& text : texts)
        QCOMPARE(repeated_texts(std::vector{text, text}), (std::vector<RepeatedText>{{text, 2}}));
    }
  }
};

KERNELSCAPE_PLAIN_TEST(TrialSessionNoticeTest)
#include "trial_session_notice_test.moc"
