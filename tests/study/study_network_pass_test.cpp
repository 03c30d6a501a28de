#include <QTest>

#include "core/study/network_pass.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::study_network_pass_test {
using namespace kernelscape::testing;

namespace {

study::PassSide random_side(base::Random& random, std::size_t rounds) {
  study::PassSide side{static_cast<std::int64_t>(random.below(100)), {}, {}};
  for (std::size_t i = 0; i < rounds; ++i) {
    side.seconds.push_back(random.uniform());
    side.conversion_seconds.push_back(side.seconds.back() * random.uniform());
  }
  return side;
}

}  // namespace

/** What a program tells of a pass may be anything. */
class StudyNetworkPassTest : public QObject {
  Q_OBJECT

 private slots:
  void whatIsKeptReadsBack() {
    base::Random random(random_seed());
    for (int i = 0; i < 200; ++i) {
      study::MeasuredPass pass{"2026-01-02T03:04:05Z", 1 + static_cast<int>(random.below(64)), 12,
                               random.chance(0.5)};
      if (random.chance(0.5)) pass.left_out = {"conv2d \"x\"", "b"};
      if (random.chance(0.5)) pass.choices = {"a layer: ours stays", "another"};
      const std::size_t rounds = 1 + random.below(20);
      pass.ours = random_side(random, rounds);
      if (random.chance(0.5)) {
        pass.vendor = random_side(random, rounds);
        pass.vendor_name = "oneDNN 2.6.3";
      } else {
        pass.vendor_problem = "it is not here";
      }
      const Result<study::MeasuredPass> back =
          study::network_pass_from_json(study::network_pass_to_json(pass));
      QVERIFY2(back.has_value(), study::network_pass_to_json(pass).c_str());
      QCOMPARE(*back, pass);
      QCOMPARE(back->share_of_vendor().has_value(), !pass.vendor_name.empty());
    }
  }

  void theShareIsThatOfMedians() {
    study::MeasuredPass pass;
    pass.ours.seconds = {2, 1, 9};
    QVERIFY(!pass.share_of_vendor().has_value());
    pass.vendor.seconds = {3, 0.5, 8};
    QCOMPARE(*pass.share_of_vendor(), 1.5);
  }

  void otherTextsAreRefused_data() {
    QTest::addColumn<QString>("text");
    const QString sides = R"("conversions": 1, "seconds": [1], "conversion_seconds": [0])";
    const auto row = [](const QString& text) { QTest::newRow(qPrintable(text)) << text; };
    row("");
    row("[]");
    row("{" + sides + "}");
    row(R"({"threads": 1, "calls": 3})");
    row(R"({"threads": 1, "calls": 0, )" + sides + "}");
    row(R"({"threads": "1", "calls": 3, )" + sides + "}");
    row(R"({"threads": 1, "calls": 3, "conversions": -1, "seconds": [1], "conversion_seconds": [0]})");
    row(R"({"threads": 1, "calls": 3, "conversions": 1, "seconds": [], "conversion_seconds": []})");
    row(R"({"threads": 1, "calls": 3, "conversions": 1, "seconds": [1], "conversion_seconds": [0, 1]})");
    row(R"({"threads": 1, "calls": 3, "conversions": 1, "seconds": [-1], "conversion_seconds": [0]})");
    row(R"({"threads": 1, "calls": 3, "vendor": "v", )" + sides + "}");
  }
  void otherTextsAreRefused() {
    QFETCH(QString, text);
    QVERIFY(!study::network_pass_from_json(text.toStdString()).has_value());
  }
};

KERNELSCAPE_TEST(StudyNetworkPassTest, QCoreApplication)

}  // namespace kernelscape::study_network_pass_test
#include "study_network_pass_test.moc"
