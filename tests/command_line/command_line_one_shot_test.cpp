#include <QTest>
#include <algorithm>

#include "tests/command_line/command_line_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_one_shot_test {
using namespace kernelscape::command_line_tests;
using nlohmann::json;

namespace {

QString recording_of(int layer) {
  return QStringLiteral("recorded:" KERNELSCAPE_SOURCE_DIR "/data/recorded/resnet18-C%1-conv2d-nchwc.ksrec")
      .arg(layer);
}

}  // namespace

/** From recorded spaces to a predictor, and with it to a layer that it never saw. */
class CommandLineOneShotTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;

  std::vector<json> run(const QStringList& arguments) {
    const CommandResult result = shell_.run(QStringList(arguments) << "--json");
    if (result.code != 0) qWarning("%s", result.all().c_str());
    return result.code == 0 ? json_lines(result.output) : std::vector<json>();
  }

  /** The one line of that event; null where there is another number of them. */
  static json only(const std::vector<json>& lines, const std::string& event) {
    const std::vector<json> found = events(lines, event);
    return found.size() == 1 ? found.front() : json();
  }

 private slots:
  void learns_from_layers_and_tunes_another_in_one_round() {
    QStringList sources;
    for (const int layer : {2, 4, 7, 9, 10}) sources << recording_of(layer);
    const json trained =
        only(run({"train", "--data", sources.join(','), "--name", "five-layers", "--set", "width=16", "--set",
                  "layers=1", "--set", "heads=2", "--set", "feed_forward=32", "--set", "epochs=2"}),
             "summary");
    QVERIFY(trained.is_object());
    QCOMPARE(trained["interrupted"].get<bool>(), false);
    const auto hash = trained["hash"].get<std::string>();

    const std::vector<json> listed = run({"predictors"});
    const auto own = std::ranges::find_if(
        listed, [](const json& line) { return line.is_object() && line.value("name", "") == "five-layers"; });
    QVERIFY(own != listed.end());
    QCOMPARE((*own)["state"].get<std::string>(), std::string("done"));
    QCOMPARE((*own)["hash"].get<std::string>(), hash);
    QCOMPARE((*own)["template"].get<std::string>(), std::string("conv2d-nchwc"));

    const std::vector<json> tuned = run({"tune", "--target", recording_of(6), "--tuner", "one-shot",
                                         "--trials", "1000", "--search-time", "none"});
    const json session = only(tuned, "session");
    QVERIFY(session.is_object());
    QCOMPARE(session["settings"]["predictor"].get<std::string>(), "five-layers " + hash);
    const json summary = only(tuned, "summary");
    QVERIFY(summary.is_object());
    QCOMPARE(summary["trials"].get<int>(), 64);
    QCOMPARE(summary["reason"].get<std::string>(),
             std::string("one round: the 64 best predictions were measured"));
    QVERIFY(summary["best"].is_object());
  }
};

KERNELSCAPE_TEST(CommandLineOneShotTest, QCoreApplication)

}  // namespace kernelscape::command_line_one_shot_test
#include "command_line_one_shot_test.moc"
