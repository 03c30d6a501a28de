#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <clocale>
#include <random>

#include "core/base/random.h"
#include "core/trial/session_notice.h"
#include "tests/test_program.h"

namespace kernelscape::trial_session_notice_test {

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
    const std::vector<trial::RepeatedText> wanted{{"took up to 5 to 30 % longer", 3},
                                                  {"load average 1.4 to 10.25 on 2 processors", 2},
                                                  {"3.5 to 4.5.", 2},
                                                  {"load 1.4", 1},
                                                  {"", 1}};
    QVERIFY(trial::repeated_texts(texts) == wanted);
    QVERIFY(trial::repeated_texts({}).empty());
  }

  /** Which trial, process, machine it was is no quantity, and what is no plain number has no least. */
  void names_are_not_merged() {
    for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
             {"trial 12 was not confirmed", "trial 57 was not confirmed"},
             {"ninja (process 812) kept a processor", "ninja (process 9) kept a processor"},
             {"worker host-1 is slow", "worker host-2 is slow"},
             {"off by 1.2e-05", "off by 3.4e-03"},
             {"off by -3", "off by -4"},
             {"gpu sm_80", "gpu sm_90"},
             {"version 14.0.6", "version 15.0.7"},
             {"after 3:20", "after 4:10"},
             {"1,024 kB", "2,048 kB"}})
      QCOMPARE(trial::repeated_texts(std::vector{one, other}),
               (std::vector<trial::RepeatedText>{{one, 1}, {other, 1}}));
  }

  /** The window sets the desktop's locale, whose numbers may have commas. */
  void the_locale_changes_nothing() {
    const std::string before = std::setlocale(LC_NUMERIC, nullptr);
    for (const char* locale : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
      std::setlocale(LC_NUMERIC, locale);
      QCOMPARE(trial::repeated_texts(std::vector<std::string>{"load 1.9", "load 1.2", "load 1.5"}),
               (std::vector<trial::RepeatedText>{{"load 1.2 to 1.9", 3}}));
    }
    std::setlocale(LC_NUMERIC, before.c_str());
  }

  void nothing_is_lost_whatever_was_said() {
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int round = 0; round < 2000; ++round) {
      std::vector<std::string> texts(random.below(8));
      for (std::string& text : texts)
        for (std::uint64_t letters = random.below(12); letters > 0; --letters)
          text += "0123456789.. a%"[random.below(15)];
      const std::vector<trial::RepeatedText> reported = trial::repeated_texts(texts);
      std::int64_t times = 0;
      for (const trial::RepeatedText& one : reported) {
        times += one.times;
        if (one.times == 1) QVERIFY(std::ranges::find(texts, one.text) != texts.end());
      }
      QCOMPARE(times, std::ssize(texts));
      for (const std::string& text : texts)
        QCOMPARE(trial::repeated_texts(std::vector{text, text}),
                 (std::vector<trial::RepeatedText>{{text, 2}}));
    }
  }
};

KERNELSCAPE_PLAIN_TEST(TrialSessionNoticeTest)

}  // namespace kernelscape::trial_session_notice_test
#include "trial_session_notice_test.moc"
