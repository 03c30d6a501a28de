#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QXmlStreamReader>
#include <cmath>
#include <random>

#include "tests/gui/chart_support.h"
#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/charts/curves/progress_chart.h"
#include "ui/charts/direct_labels.h"
#include "ui/frame/main_window.h"
#include "ui/views/tune/live_charts.h"
#include "ui/views/tune/tune_view.h"

namespace kernelscape::speed_axis_test {
namespace {

using namespace chart_tests;

constexpr int deadline_milliseconds = 30'000;
constexpr double slow_speed = 10;

/** One trial in twelve is slow, the others reach 200 to 300 GFLOPS. */
charts::ProgressData random_data(std::mt19937_64& random, std::int64_t trials) {
  trial::Table table(0);
  for (std::int64_t number = 0; number < trials; ++number)
    table.append(valid_row(number, number % 12 == 0 ? slow_speed
                                                    : 200 + static_cast<double>(random() % 100'000) / 1000),
                 {});
  charts::ProgressData data;
  data.session = trials;
  data.trials = table.snapshot();
  data.flops = flops;
  data.improvements = analysis::best_so_far(data.trials);
  return data;
}

/** Returns the grounds of the labels in a picture. */
std::vector<QRectF> label_grounds(const QByteArray& svg) {
  std::vector<QRectF> grounds;
  QXmlStreamReader reader(svg);
  while (!reader.atEnd()) {
    if (reader.readNext() != QXmlStreamReader::StartElement || reader.name() != QLatin1String("rect"))
      continue;
    const QXmlStreamAttributes attributes = reader.attributes();
    if (!attributes.value(QLatin1String("class")).contains(QLatin1String("label-ground"))) continue;
    const auto number = [&](const char* name) { return attributes.value(QLatin1String(name)).toDouble(); };
    grounds.emplace_back(number("x"), number("y"), number("width"), number("height"));
  }
  return grounds;
}

/** Returns the pixels of a curve's steps: level to the next improvement, then upright. */
std::vector<QPointF> curve_pixels(const charts::ProgressData& data, const charts::PlotFrame& frame) {
  std::vector<QPointF> pixels;
  double y = NAN;
  auto next = data.improvements.begin();
  for (double x = frame.plot.left(); x <= frame.plot.right(); x += 1) {
    for (; next != data.improvements.end() && frame.map_x(static_cast<double>(next->row)) <= x; ++next) {
      const double reached = frame.map_y(flops / next->median_seconds / 1e9);
      for (double between = y; between > reached; between -= 1) pixels.emplace_back(x, between);
      y = reached;
    }
    if (std::isfinite(y) && x <= frame.map_x(static_cast<double>(data.trials.size())))
      pixels.emplace_back(x, y);
  }
  return pixels;
}

}  // namespace

class SpeedAxisTest : public QObject {
  Q_OBJECT

 private slots:
  void cleanup() { style::set_text_scale(1); }

  void the_slowest_tenth_is_left_out_and_this_is_marked() {
    std::mt19937_64 random = seeded();
    charts::ProgressChart chart;
    chart.resize(900, 400);
    const charts::ProgressData data = random_data(random, 240);
    chart.set_data(data);
    const charts::Interval focused = chart.y_axis().range;
    QVERIFY2(focused.low > 100 && focused.low < 215, qPrintable(QString::number(focused.low)));
    QVERIFY(focused.contains(flops / data.improvements.back().median_seconds / 1e9));
    const QByteArray svg = chart.to_svg();
    QVERIFY(svg.contains("axis not from 0"));
    QVERIFY(svg.contains("20 slower trials outside"));
    chart.set_show_all(true);
    QCOMPARE(chart.y_axis().range.low, 0.0);
    const QByteArray whole = chart.to_svg();
    QVERIFY(!whole.contains("axis not from 0") && !whole.contains("slower trials outside"));
  }

  void few_trials_are_all_shown() {
    std::mt19937_64 random = seeded();
    charts::ProgressChart chart;
    chart.resize(900, 400);
    chart.set_data(random_data(random, 15));
    QCOMPARE(chart.y_axis().range.low, 0.0);
  }

  /** A slower session beside this one, and the confirmed result, have to be in sight. */
  void what_is_compared_stays_in_sight() {
    std::mt19937_64 random = seeded();
    charts::ProgressChart chart;
    chart.resize(900, 400);
    charts::ProgressData data = random_data(random, 240);
    charts::GhostCurve ghost{QStringLiteral("slower"), data.improvements, 240, 120, 1};
    for (analysis::ImprovementPoint& point : ghost.improvements) point.median_seconds *= 2;
    data.ghosts = {ghost};
    chart.set_data(data);
    QVERIFY(chart.y_axis().range.contains(flops / ghost.improvements.back().median_seconds / 1e9));
  }

  void labels_never_cover_the_curve_data() {
    QTest::addColumn<double>("scale");
    QTest::addColumn<QSize>("size");
    for (const double scale : {1.0, 1.5})
      for (const QSize size : {QSize(900, 400), QSize(460, 300)})
        QTest::addRow("%d x %d at %g", size.width(), size.height(), scale) << scale << size;
  }

  void labels_never_cover_the_curve() {
    QFETCH(const double, scale);
    QFETCH(const QSize, size);
    style::set_text_scale(scale);
    std::mt19937_64 random = seeded();
    for (int round = 0; round < 20; ++round) {
      charts::ProgressChart chart;
      chart.resize(size);
      charts::ProgressData data = random_data(random, 200 + static_cast<std::int64_t>(random() % 400));
      const double fastest = data.improvements.back().median_seconds;
      // Measured again, the best is slower than its luckiest measurement, on which the curve ends.
      data.best = {fastest * (1 + static_cast<double>(random() % 40) / 1000), QStringLiteral("confirmed")};
      data.references = {{QStringLiteral("oneDNN"), fastest * 1.1}, {QStringLiteral("peak"), fastest / 20}};
      for (std::size_t arm = 1; arm < 4; ++arm) {
        charts::GhostCurve ghost{QStringLiteral("ga, seed %1").arg(arm), data.improvements,
                                 static_cast<double>(data.trials.size()), 100, arm};
        for (analysis::ImprovementPoint& point : ghost.improvements)
          point.median_seconds *= 1 + 0.03 * static_cast<double>(arm);
        data.ghosts.push_back(ghost);
      }
      chart.set_data(data);
      const std::vector<QRectF> grounds = label_grounds(chart.to_svg());
      QCOMPARE(grounds.size(), std::size_t{6});
      const std::vector<QPointF> curve = curve_pixels(data, chart.frame());
      QVERIFY(!curve.empty());
      for (const QRectF& ground : grounds)
        for (const QPointF& pixel : curve)
          QVERIFY2(!ground.contains(pixel), qPrintable(QStringLiteral("a label at %1, %2 covers the curve at "
                                                                      "%3, %4")
                                                           .arg(ground.x())
                                                           .arg(ground.y())
                                                           .arg(pixel.x())
                                                           .arg(pixel.y())));
    }
  }

  void free_labels_give_way() {
    charts::LabelObstacles obstacles(QRectF(0, 0, 200, 100));
    obstacles.add_steps(std::vector<QPointF>{{0, 50}, {100, 20}, {200, 20}}, 2);
    QVERIFY(obstacles.hit_by(QRectF(40, 45, 20, 10)));
    QVERIFY(obstacles.hit_by(QRectF(95, 30, 20, 5)));  // the upright part
    QVERIFY(!obstacles.hit_by(QRectF(40, 15, 20, 10)));
    obstacles.add(QRectF(300, 300, 10, 10));
    QVERIFY(!obstacles.hit_by(QRectF(290, 290, 50, 50)));  // outside of the plot
  }

  void the_choice_is_remembered() {
    const gui_tests::Database database;
    const store::SessionId session = database.add_session(120);
    const QTemporaryDir folder;
    frame::PreferencesFile preferences(folder.filePath(QStringLiteral("p.json")).toStdString());
    preferences.change([](frame::Preferences& p) { p.first_start_dismissed = true; });
    workspace::Workspace workspace(database.path(), gui_tests::run_scripted, gui_tests::no_gpus);
    for (const bool whole : {true, false}) {
      frame::MainWindow window(workspace, preferences);
      window.show();
      QVERIFY(gui_tests::open_and_wait(workspace, session));
      window.show_view(QStringLiteral("Tune"));
      auto* charts = window.findChild<views::LiveCharts*>();
      QCOMPARE(charts->show_all(), !whole);
      QCOMPARE(charts->progress().show_all(), !whole);
      QToolButton* button = nullptr;
      for (QToolButton* found : charts->findChildren<QToolButton*>())
        if (found->text() == QStringLiteral("All")) button = found;
      QVERIFY(button != nullptr);
      button->click();
      QCOMPARE(charts->progress().show_all(), whole);
      QSignalSpy left(&window, &frame::MainWindow::left);
      window.close();
      QTRY_COMPARE_WITH_TIMEOUT(left.size(), 1, deadline_milliseconds);
      QCOMPARE(preferences.get().whole_speed_axis, whole);
    }
    workspace::JobTracker::wait_for_all();
  }
};

KERNELSCAPE_TEST(SpeedAxisTest, QApplication)

}  // namespace kernelscape::speed_axis_test
#include "speed_axis_test.moc"
