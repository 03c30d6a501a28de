#include <QFile>
#include <QRegularExpression>

#include "core/tuner/advice.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_advice_test {
using namespace kernelscape::tuner_fixture;

namespace {

const QString root = QStringLiteral(KERNELSCAPE_SOURCE_DIR "/");

QString text_of(const QString& path) {
  QFile file(root + path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QString::fromUtf8(file.readAll());
}

/** Returns the section of a page below the heading that has this anchor; empty if there is none. */
QString section_of(const QString& page, const QString& anchor) {
  QString section;
  qsizetype level = 0;
  for (const QString& line : text_of(page).split(QLatin1Char('\n'))) {
    const qsizetype depth = line.startsWith(QLatin1Char('#')) ? line.indexOf(QLatin1Char(' ')) : 0;
    if (level > 0 && depth > 0 && depth <= level) break;
    const QString name = line.mid(depth).trimmed().toLower().replace(QLatin1Char(' '), QLatin1Char('-'));
    if (depth > 0 && name == anchor) level = depth;
    if (level > 0) section += line + QLatin1Char('\n');
  }
  return section;
}

/** Facts of all kinds: known and unknown, small and large. */
tuner::SearchFacts random_facts(base::Random& random) {
  tuner::SearchFacts facts;
  if (random.chance(0.8)) facts.members = random.below(std::uint64_t{1} << (1 + random.below(40)));
  if (random.chance(0.8)) facts.knobs = random.below(30);
  if (random.chance(0.8)) facts.trials = static_cast<std::int64_t>(random.below(2'000));
  if (random.chance(0.5)) facts.failed_share = random.uniform();
  facts.has_sources = random.chance(0.2);
  return facts;
}

std::string study_for(const tuner::SearchFacts& facts) { return tuner::advise_tuner(facts).study; }

bool limits(const tuner::SearchFacts& facts, const char* text) {
  return tuner::advise_tuner(facts).reason.find(text) != std::string::npos;
}

}  // namespace

class TunerAdviceTest : public QObject {
  Q_OBJECT

 private slots:
  void the_first_study_that_applies_decides() {
    QCOMPARE(study_for({}), std::string("gp-recorded"));
    QCOMPARE(study_for({.members = 400, .knobs = 6, .trials = 100}), std::string("gp-recorded"));
    QCOMPARE(study_for({.members = 1'000, .knobs = 6, .trials = 100}), std::string("gp-recorded"));
    QCOMPARE(study_for({.members = 1'001, .knobs = 6, .trials = 100}), std::string("all-tuners-public"));
    QCOMPARE(study_for({.knobs = 6, .trials = 100}), std::string("all-tuners-public"));  // not countable
    QCOMPARE(study_for({.members = 400, .knobs = 16, .trials = 100}), std::string("all-tuners-public"));
    QCOMPARE(study_for({.members = 5'000, .knobs = 6, .trials = 500}), std::string("whole-multiplication"));
    QCOMPARE(study_for({.members = 50'000, .knobs = 6, .trials = 500}), std::string("all-tuners-public"));
    QCOMPARE(study_for({.knobs = 6, .trials = 500}), std::string("all-tuners-public"));  // not countable
    QCOMPARE(study_for({.members = 5'000, .knobs = 6, .trials = 500, .failed_share = 0.5}),
             std::string("failing-space"));
    QCOMPARE(study_for({.members = 5'000, .knobs = 6, .trials = 100, .failed_share = 0.49}),
             std::string("all-tuners-public"));
    QCOMPARE(study_for({.members = 400, .trials = 400, .failed_share = 0.9}), std::string("gp-recorded"));
    QVERIFY(limits({.members = 400, .trials = 400}, "covers the whole space"));
    QVERIFY(!limits({.members = 401, .trials = 400}, "covers the whole space"));
    QCOMPARE(study_for({.members = 400, .trials = 400, .failed_share = 0.9, .has_sources = true}),
             std::string("transfer-layers"));
  }

  void says_what_no_study_decides() {
    QVERIFY(limits({.members = 17'957, .knobs = 6}, "no study compares tuners on more than"));
    QVERIFY(!limits({.members = 17'956, .knobs = 15}, "no study compares"));
    QVERIFY(limits({.members = 400, .knobs = 16}, "no study compares tuners on more than"));
    QVERIFY(limits({.members = 400, .trials = 4}, "fewer than five trials"));
    QVERIFY(!limits({.members = 400, .trials = 5}, "fewer than five trials"));
  }

  void every_number_stands_in_the_section_that_is_named() {
    base::Random random(printed_seed());
    std::set<std::string> studies;
    for (int repeat = 0; repeat < 2'000; ++repeat) {
      const tuner::SearchFacts facts = random_facts(random);
      const tuner::TunerAdvice advice = tuner::advise_tuner(facts);
      if (!studies.insert(advice.study + advice.reason.substr(0, 40)).second) continue;
      const auto tuner = tuner::find_tuner(advice.tuner);
      QVERIFY(tuner);
      QVERIFY(!facts.has_sources || (*tuner)->learns_from_sources);
      const QString study = QStringLiteral("data/studies/%1.json").arg(advice.study.c_str());
      QVERIFY2(!text_of(study).isEmpty(), qPrintable(study));
      const QStringList place = QString::fromStdString(advice.page).split(QLatin1Char('#'));
      QCOMPARE(place.size(), 2);
      const QString section = section_of(place[0], place[1]);
      QVERIFY2(!section.isEmpty(), advice.page.c_str());
      static const QRegularExpression number(QStringLiteral(R"(\d*\.\d+|\d+ \(\d+ to \d+\))"));
      auto match = number.globalMatch(QString::fromStdString(advice.reason));
      int found = 0;
      for (; match.hasNext(); ++found) {
        QString text = match.next().captured().replace(QLatin1String("7 ("), QLatin1String("7** ("));
        if (text.startsWith(QLatin1String("0."))) text.remove(0, 1);  // tables write ".93"
        QVERIFY2(section.contains(text), qPrintable(text + " of " + advice.page.c_str()));
      }
      QVERIFY2(found > 0, advice.reason.c_str());
    }
    QCOMPARE(studies.size(), std::size_t{6});
  }

  void the_advice_is_one_sentence() {
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 200; ++repeat) {
      const tuner::TunerAdvice advice = tuner::advise_tuner(random_facts(random));
      const QString sentence = QString::fromStdString(advice.sentence());
      QVERIFY(sentence.startsWith("Take " + QString::fromStdString(advice.tuner) + ": "));
      QVERIFY(sentence.endsWith(QLatin1Char('.')) && !sentence.contains(QLatin1String(". ")));
    }
  }
};

KERNELSCAPE_PLAIN_TEST(TunerAdviceTest)

}  // namespace kernelscape::tuner_advice_test
#include "tuner_advice_test.moc"
