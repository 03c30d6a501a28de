#include <QApplication>
#include <QRegularExpression>
#include <QTest>
#include <fstream>
#include <random>

#include "core/exchange/importer.h"
#include "core/session/kernel_library.h"
#include "tests/exchange/random_cache.h"
#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/charts/curves/progress_chart.h"
#include "ui/figures/headline.h"
#include "ui/figures/progress_figure.h"
#include "ui/models/kernel_model.h"
#include "ui/models/trial_values.h"
#include "ui/report/report.h"
#include "ui/report/writers.h"
#include "ui/style/theme.h"
#include "ui/views/library/session_differences.h"
#include "ui/views/trials/trial_headline.h"

namespace kernelscape::objective_texts_test {
using namespace kernelscape::gui_tests;

namespace {

double seconds_in(const QRegularExpressionMatch& match, int group) {
  const QString unit = match.captured(group + 1);
  const double factor = unit == QStringLiteral("ms")   ? 1e-3
                        : unit == QStringLiteral("µs") ? 1e-6
                        : unit == QStringLiteral("ns") ? 1e-9
                                                       : 1;
  return match.captured(group).toDouble() * factor;
}

/** "0.5536 ms (0.5489 ms to 0.5499 ms)": a value with an interval that is presented as its own. */
bool values_lie_in_their_intervals(const QString& text) {
  static const QRegularExpression interval(QStringLiteral(
      "([\\d.]+) (ns|µs|ms|s) \\(([\\d.]+) ?(ns|µs|ms|s)? (?:to|–) ([\\d.]+) ?(ns|µs|ms|s)?\\)"));
  auto matches = interval.globalMatch(text);
  while (matches.hasNext()) {
    const QRegularExpressionMatch match = matches.next();
    const bool has_units = !match.captured(4).isEmpty();
    const double value = has_units ? seconds_in(match, 1) : match.captured(1).toDouble();
    const double low = has_units ? seconds_in(match, 3) : match.captured(3).toDouble();
    const double high = has_units ? seconds_in(match, 5) : match.captured(5).toDouble();
    if (value < low || value > high) return false;
  }
  return true;
}

class SteppedChart : public charts::ProgressChart {
 public:
  using charts::ProgressChart::step_readout;
};

const QString mean_text = QStringLiteral("objective of the file: mean of the samples");

}  // namespace

/** A file that ranks by another number than the median of the samples: no text passes it off as the median.
 */
class ObjectiveTextsTest : public QObject {
  Q_OBJECT

 private:
  Database database_;
  store::SessionId session_ = 0;
  workspace::Source source_;

 private slots:
  void initTestCase() {
    style::apply_theme(*qApp, style::ThemeChoice::Light);
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    const std::filesystem::path cache = database_.path().parent_path() / "cache.json";
    std::ofstream(cache) << exchange_tests::random_cache(60, random);
    store::Store store = *store::Store::open(database_.path());
    const Result<exchange::ImportOutcome> imported =
        exchange::import_file(store, cache, exchange::ImportAs::Session);
    QVERIFY2(imported.has_value(), imported ? "" : imported.error().message.c_str());
    session_ = imported->sessions.at(0).session;
    source_ = workspace::SourceReader(store, session_).read().value();
  }

  void the_headline() {
    const figures::HeadlineText text = figures::headline_text(*source_, std::nullopt);
    const QString all = text.spread + QLatin1Char('\n') + text.comparisons.join(QLatin1Char('\n'));
    QVERIFY2(all.contains(mean_text) && all.contains(QStringLiteral("samples: median ")), qPrintable(all));
    QVERIFY2(values_lie_in_their_intervals(all), qPrintable(all));
  }

  void the_table() {
    const analysis::TrialColumns& columns = source_->columns();
    const auto title = [&](const char* name) {
      return models::column_title(columns.columns()[columns.find(name).value()]);
    };
    QCOMPARE(title("ms"), QStringLiteral("objective (ms)"));
    QCOMPARE(title("ms_q1"), QStringLiteral("sample first quartile (ms)"));
    const std::vector<std::size_t> shown = columns.usual_columns(true);
    QVERIFY(std::ranges::find(shown, columns.find("objective").value()) != shown.end());
  }

  void tooltips_of_every_trial() {
    SteppedChart chart;
    chart.resize(800, 400);
    chart.set_data(figures::progress_data(*source_));
    std::optional<charts::Readout> readout = chart.step_readout(std::nullopt, Qt::Key_Right);
    int named = 0;
    for (std::int64_t row = 0; row < source_->trials.size(); ++row) {
      while (readout && readout->row > row) readout = chart.step_readout(readout, Qt::Key_Left);
      while (readout && readout->row < row) readout = chart.step_readout(readout, Qt::Key_Right);
      if (!readout || readout->row != row) continue;
      const QString text = readout->lines.join(QLatin1Char('\n'));
      QVERIFY2(values_lie_in_their_intervals(text), qPrintable(text));
      const bool median = source_->trials.row(row).objective == trial::ObjectiveKind::Median;
      QCOMPARE(text.contains(QStringLiteral("objective of the file")), !median);
      named += median ? 0 : 1;
    }
    QVERIFY(named > 0);
  }

  void the_trial_panel() {
    views::TrialHeadline headline;
    const store::Store store = *store::Store::open(database_.path());
    for (std::int64_t row = 0; row < source_->trials.size(); ++row) {
      workspace::TrialDetails details;
      details.row = row;
      details.trial = *store.trials().get(session_, source_->trials.row(row).number);
      headline.show_trial(*source_, details);
      QVERIFY2(values_lie_in_their_intervals(headline.text()), qPrintable(headline.text()));
      QCOMPARE(headline.text().contains(QStringLiteral("objective of the file")),
               source_->trials.row(row).objective != trial::ObjectiveKind::Median);
    }
  }

  void the_library() {
    const store::Store store = *store::Store::open(database_.path());
    models::KernelModel model;
    model.set_kernels(session::best_kernels(store)->kernels);
    QCOMPARE(model.rowCount(), 1);
    const auto cell = [&](int column) { return model.index(0, column).data().toString(); };
    QVERIFY2(cell(models::KernelModel::TimeColumn).contains(QStringLiteral("(mean)")),
             qPrintable(cell(models::KernelModel::TimeColumn)));
    QVERIFY2(cell(models::KernelModel::QuartilesColumn).startsWith(QStringLiteral("samples: ")),
             qPrintable(cell(models::KernelModel::QuartilesColumn)));
  }

  void the_report() {
    const store::Store store = *store::Store::open(database_.path(), store::OpenMode::ReadOnly);
    const QString page =
        QString::fromUtf8(report::to_html(report::session_report_document(store, session_).value()));
    QVERIFY(page.contains(mean_text));
    QVERIFY(page.contains(QStringLiteral("objective is")));
    QVERIFY(page.contains(QStringLiteral("median of the samples")));
    QVERIFY(values_lie_in_their_intervals(page));
  }

  void a_comparison_of_two_sessions() {
    for (const views::SessionDifference& line : views::session_differences(*source_, *source_))
      QVERIFY2(line.what != QStringLiteral("best") || line.first.contains(mean_text), qPrintable(line.first));
  }
};

KERNELSCAPE_TEST(ObjectiveTextsTest, QApplication)

}  // namespace kernelscape::objective_texts_test

#include "objective_texts_test.moc"
