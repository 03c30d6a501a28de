#include <fmt/format.h>

#include <QTest>

#include "core/study/sum_caveats.h"
#include "tests/test_program.h"

namespace kernelscape::study_sum_caveats_test {
namespace {

study::NetworkLayerOutcome layer_of(const std::string& task, analysis::BestKind kind,
                                    const std::string& mark) {
  study::NetworkLayerOutcome layer;
  layer.task = task;
  layer.trial = 3;
  layer.seconds = 1e-3;
  layer.kind = kind;
  layer.mark = mark;
  return layer;
}

}  // namespace

/** What a network's sum is read with. */
class StudySumCaveatsTest : public QObject {
  Q_OBJECT

 private slots:
  void quiet_layers_need_none() {
    study::NetworkOutcome outcome;
    outcome.layers = {layer_of("matmul 8x64 64x32", analysis::BestKind::Confirmed, "confirmed"),
                      layer_of("matmul 8x64 64x48", analysis::BestKind::Measured, "unconfirmed")};
    QVERIFY(study::sum_caveats(outcome).empty());
  }

  void layers_of_a_disturbed_machine_are_named_with_their_marks() {
    study::NetworkOutcome outcome;
    outcome.layers = {layer_of("matmul 8x64 64x32", analysis::BestKind::Confirmed, "confirmed"),
                      layer_of("matmul 8x64 64x48", analysis::BestKind::ConfirmedSlow, "confirmed at 28 %"),
                      layer_of("matmul 8x64 64x16", analysis::BestKind::ConfirmedLoaded, "under load")};
    const std::vector<std::string> caveats = study::sum_caveats(outcome);
    QCOMPARE(caveats.size(), std::size_t(1));
    QVERIFY2(caveats.front().contains("(confirmed at 28 %)"), caveats.front().c_str());
    QVERIFY2(caveats.front().contains("(under load)"), caveats.front().c_str());
    QVERIFY(!caveats.front().contains("(confirmed)"));
    // A layer without a kernel is in no sum.
    for (study::NetworkLayerOutcome& layer : outcome.layers) layer.trial = -1;
    QVERIFY(study::sum_caveats(outcome).empty());
  }

  void a_limit_of_another_speed_is_named() {
    study::NetworkOutcome outcome;
    outcome.layers = {layer_of("matmul 8x64 64x32", analysis::BestKind::Confirmed, "confirmed")};
    outcome.layers.front().limit_withheld = "not compared with the FMA peak";
    const std::vector<std::string> caveats = study::sum_caveats(outcome);
    QCOMPARE(caveats.size(), std::size_t(1));
    QVERIFY2(caveats.front().contains("not compared with the FMA peak"), caveats.front().c_str());
  }

  void many_layers_are_counted() {
    study::NetworkOutcome outcome;
    for (int i = 0; i < 9; ++i) {
      outcome.layers.push_back(layer_of(fmt::format("matmul 8x64 64x{}", 16 * (i + 1)),
                                        analysis::BestKind::ConfirmedSlow, "confirmed at 28 %"));
      outcome.layers.back().limit_withheld = i < 8 ? "not compared with the FMA peak" : "not known";
    }
    const std::vector<std::string> caveats = study::sum_caveats(outcome);
    QCOMPARE(caveats.size(), std::size_t(3));
    QVERIFY2(caveats[0].contains("; and 6 more."), caveats[0].c_str());
    QVERIFY2(caveats[1].contains("; and 5 more are not compared"), caveats[1].c_str());
    QVERIFY2(caveats[2].contains(" is not known."), caveats[2].c_str());
  }
};

KERNELSCAPE_PLAIN_TEST(StudySumCaveatsTest)

}  // namespace kernelscape::study_sum_caveats_test
#include "study_sum_caveats_test.moc"
