#include "ui/charts/curves/timeline_chart.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "tests/gui/chart_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::timeline_chart_test {
namespace {

using analysis::Activity;

constexpr int trials_of_session = 12;

/** One builder and one device, in turn: a second of building, then a second of running. Trial 5 does not
 * compile. */
charts::TimelineData small_data(std::uint16_t workers = 0) {
  trial::Table table(0);
  for (std::int64_t number = 0; number < trials_of_session; ++number) {
    trial::Row row;
    row.number = number;
    row.build_seconds = 1;
    row.run_seconds = number == 5 ? 0 : 1;
    row.finished_seconds = static_cast<double>(2 * number) + (number == 5 ? 1.0 : 2.0);
    if (number == 5) row.category = trial::ErrorCategory::CompileHost;
    if (workers > 0) row.worker = static_cast<std::uint16_t>(1 + number % workers);
    table.append(row, {});
  }
  charts::TimelineData data{.trials = table.snapshot()};
  data.timeline = std::make_shared<const analysis::Timeline>(analysis::make_timeline(
      {.trials = data.trials, .session_seconds = 2.0 * trials_of_session, .builders = 1}));
  return data;
}

/** A session of many short trials on eight builders, with the machine's speed. */
charts::TimelineData large_data(base::Random& random, std::int64_t trials) {
  trial::Table table(0);
  auto speeds = std::make_shared<std::vector<trial::Speed>>();
  double now = 0;
  for (std::int64_t number = 0; number < trials; ++number) {
    trial::Row row;
    row.number = number;
    row.batch = static_cast<std::int32_t>(number / 64);
    row.build_seconds = 0.1 + 0.1 * random.uniform();
    if (number % 8 == 0) now += 0.2;
    row.run_seconds = 0.1 * random.uniform();
    if (random.chance(0.1)) row.category = trial::ErrorCategory::WrongAnswer;
    row.finished_seconds = now += row.run_seconds;
    table.append(row, {});
    trial::Speed speed;
    speed.speed = {.compute = 0.5 + random.uniform() / 2, .memory = 1};
    speeds->push_back(speed);
  }
  charts::TimelineData data{.trials = table.snapshot().with_speeds(speeds)};
  data.timeline = std::make_shared<const analysis::Timeline>(
      analysis::make_timeline({.trials = data.trials, .session_seconds = now, .builders = 8}));
  return data;
}

/** Returns the position of a lane among the bands of a chart of one machine. */
std::size_t band_of(const charts::TimelineData& data, Activity activity) {
  const auto found = std::ranges::find(data.timeline->lanes, activity, &analysis::TimelineLane::activity);
  return static_cast<std::size_t>(found - data.timeline->lanes.begin());
}

/** Returns the middle of a trial's block. */
QPointF place_of(const charts::TimelineChart& chart, Activity activity, std::int64_t row) {
  const std::size_t band = band_of(chart.data(), activity);
  for (const analysis::TimelineBlock& block : chart.data().timeline->lanes[band].blocks)
    if (block.row == row)
      return {chart.frame().map_x((block.begin_seconds + block.end_seconds) / 2),
              chart.band_place(band).center().y()};
  return {};
}

void turn_wheel(QWidget& widget, QPointF at, Qt::KeyboardModifiers modifiers) {
  QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, 120}, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                    false);
  QApplication::sendEvent(&widget, &event);
}

}  // namespace

class TimelineChartTest : public QObject {
  Q_OBJECT

 private slots:
  void a_click_on_a_block_activates_its_trial() {
    const auto chart = chart_tests::shown_chart<charts::TimelineChart>({900, 400});
    chart->set_data(small_data());
    chart_tests::check_painting(*chart);
    QSignalSpy activated(chart.get(), &charts::Chart::row_activated);
    for (const Activity activity : {Activity::Build, Activity::Run}) {
      const QPointF place = place_of(*chart, activity, 7);
      QTest::mouseClick(chart.get(), Qt::LeftButton, {}, place.toPoint());
      QCOMPARE(activated.size(), 1);
      QCOMPARE(activated.takeFirst()[0].toLongLong(), 7);
      const auto readout = chart->readout_at(place);
      QVERIFY(readout.has_value());
      QVERIFY(readout->lines.front().startsWith(QStringLiteral("trial 7: ")));
      QVERIFY(readout->lines.front().endsWith(QStringLiteral("1 s")));
      const bool derived = readout->lines.join(QLatin1Char(' ')).contains(QStringLiteral("derived"));
      QCOMPARE(derived, activity == Activity::Build);
    }
    const auto failed = chart->readout_at(place_of(*chart, Activity::Build, 5));
    QVERIFY(failed && failed->lines.join(QLatin1Char(' ')).contains(QStringLiteral("COMPILE_HOST")));
  }

  void arrow_keys_visit_blocks_and_lanes() {
    const auto chart = chart_tests::shown_chart<charts::TimelineChart>({900, 400});
    chart->set_data(small_data());
    chart->setFocus();
    QTest::mouseMove(chart.get(), place_of(*chart, Activity::Run, 0).toPoint());
    QTRY_VERIFY(chart->readout() && chart->readout()->row == 0);
    std::vector<std::int64_t> visited{0};
    for (int step = 0; step < trials_of_session; ++step) {
      QTest::keyClick(chart.get(), Qt::Key_Right);
      if (chart->readout()->row != visited.back()) visited.push_back(chart->readout()->row);
    }
    std::vector<std::int64_t> expected;
    for (std::int64_t row = 0; row < trials_of_session; ++row)
      if (row != 5) expected.push_back(row);  // it was not run
    QCOMPARE(visited, expected);
    QTest::keyClick(chart.get(), Qt::Key_Left);
    QCOMPARE(chart->readout()->row, trials_of_session - 2);
    QTest::keyClick(chart.get(), Qt::Key_Up);
    QVERIFY(chart->readout()->lines.front().contains(QStringLiteral("build")));
    QTest::keyClick(chart.get(), Qt::Key_Down);
    QVERIFY(chart->readout()->lines.front().contains(QStringLiteral("run")));
    QSignalSpy activated(chart.get(), &charts::Chart::row_activated);
    QTest::keyClick(chart.get(), Qt::Key_Return);
    QCOMPARE(activated.size(), 1);
  }

  void marks_at_one_time_are_all_visited() {
    trial::Table table(0);
    auto speeds = std::make_shared<std::vector<trial::Speed>>();
    for (std::int64_t number = 0; number < 5; ++number) {
      trial::Row row;
      row.number = number;
      row.finished_seconds = 3;
      table.append(row, {});
      speeds->push_back({.speed = {.compute = 1, .memory = 1}});
    }
    charts::TimelineData data{.trials = table.snapshot().with_speeds(speeds)};
    data.timeline = std::make_shared<const analysis::Timeline>(
        analysis::make_timeline({.trials = data.trials, .session_seconds = 6}));
    const auto chart = chart_tests::shown_chart<charts::TimelineChart>({900, 400});
    chart->set_data(data);
    chart->setFocus();
    const std::size_t band = chart->band_count() - 1;
    QTest::mouseMove(chart.get(),
                     QPointF(chart->frame().map_x(3), chart->band_place(band).center().y()).toPoint());
    QTRY_VERIFY(chart->readout().has_value());
    for (int step = 0; step < 5; ++step) QTest::keyClick(chart.get(), Qt::Key_Left);
    QCOMPARE(chart->readout()->row, 0);
    for (std::int64_t row = 1; row < 5; ++row) {
      QTest::keyClick(chart.get(), Qt::Key_Right);
      QCOMPARE(chart->readout()->row, row);
    }
  }

  void the_wheel_zooms_time_and_with_alt_lanes() {
    const auto chart = chart_tests::shown_chart<charts::TimelineChart>({900, 400});
    chart->set_data(small_data());
    const charts::Interval all = chart->x_axis().range;
    const charts::Interval lanes = chart->y_axis().range;
    turn_wheel(*chart, chart->frame().plot.center(), {});
    QVERIFY(chart->x_axis().range.span() < all.span());
    QCOMPARE(chart->y_axis().range, lanes);
    chart->setFocus();
    QTest::keyClick(chart.get(), Qt::Key_Plus);
    QCOMPARE(chart->y_axis().range, lanes);
    turn_wheel(*chart, chart->frame().plot.center(), Qt::AltModifier);
    QVERIFY(chart->y_axis().range.span() < lanes.span());
    QTest::keyClick(chart.get(), Qt::Key_Home);
    QCOMPARE(chart->x_axis().range, all);
    QCOMPARE(chart->y_axis().range, lanes);
  }

  void keys_with_alt_zoom_lanes_and_arrows_keep_them_in_view() {
    const auto chart = chart_tests::shown_chart<charts::TimelineChart>({900, 400});
    chart->set_data(small_data(2));
    chart->setFocus();
    const charts::Interval all = chart->x_axis().range;
    const charts::Interval lanes = chart->y_axis().range;
    for (int step = 0; step < 4; ++step) QTest::keyClick(chart.get(), Qt::Key_Plus, Qt::AltModifier);
    QCOMPARE(chart->x_axis().range, all);
    QVERIFY(chart->y_axis().range.span() < 0.7 * lanes.span());
    const double span = chart->y_axis().range.span();
    QTest::keyClick(chart.get(), Qt::Key_Down);
    for (const Qt::Key direction : {Qt::Key_Up, Qt::Key_Down}) {
      for (std::size_t step = 0; step < chart->band_count(); ++step) {
        QTest::keyClick(chart.get(), direction);
        QVERIFY(chart->readout().has_value());
        QVERIFY(chart->frame().plot.contains(chart->readout()->position));
        QVERIFY(std::abs(chart->y_axis().range.span() - span) < 1e-9);
      }
      const charts::Interval shown = chart->y_axis().range;
      QVERIFY(direction == Qt::Key_Up ? shown.high > lanes.high - span : shown.low < lanes.low + span);
    }
    for (int step = 0; step < 20; ++step) QTest::keyClick(chart.get(), Qt::Key_Minus, Qt::AltModifier);
    QCOMPARE(chart->y_axis().range, lanes);
  }

  /** The lanes of a second worker appear and move the lanes of the first. */
  void the_readout_stays_in_its_lane() {
    const auto chart = chart_tests::shown_chart<charts::TimelineChart>({900, 400});
    for (const Activity activity : {Activity::Build, Activity::Run}) {
      chart->set_data(small_data(1));
      const QString name = activity == Activity::Build ? QStringLiteral("build") : QStringLiteral("run");
      QTest::mouseMove(chart.get(), place_of(*chart, activity, 2).toPoint());
      QTRY_VERIFY(chart->readout() && chart->readout()->row == 2 &&
                  chart->readout()->lines.front().contains(name));
      chart->set_data(small_data(2));
      QVERIFY(chart->readout() && chart->readout()->row == 2);
      QVERIFY(chart->readout()->lines.front().contains(name));
    }
  }

  /** New trials neither move a zoomed view nor fold lanes that appear. */
  void a_zoomed_rectangle_keeps_all_lanes() {
    const auto chart = chart_tests::shown_chart<charts::TimelineChart>({900, 400});
    chart->set_data(small_data());
    const charts::PlotFrame frame = chart->frame();
    const QPointF from = frame.map(4, frame.y.value_at(0.9));
    const QPointF to = frame.map(12, frame.y.value_at(0.3));
    QTest::mousePress(chart.get(), Qt::LeftButton, {}, from.toPoint());
    QTest::mouseRelease(chart.get(), Qt::LeftButton, {}, to.toPoint());
    QVERIFY(std::abs(chart->x_axis().range.low - 4) < 0.2 && std::abs(chart->x_axis().range.high - 12) < 0.2);
    const charts::Interval zoomed = chart->x_axis().range;
    base::Random random(testing::random_seed());
    chart->set_data(large_data(random, 200));
    QCOMPARE(chart->x_axis().range, zoomed);
    for (std::size_t band = 0; band < chart->band_count(); ++band)
      QVERIFY(chart->frame().plot.adjusted(0, -2, 0, 2).contains(chart->band_place(band)));
  }

  void a_rectangle_with_control_selects_its_trials() {
    const auto chart = chart_tests::shown_chart<charts::TimelineChart>({900, 400});
    chart->set_data(small_data());
    QSignalSpy selected(chart.get(), &charts::XyChart::rows_selected);
    // The runs of trials 2 to 4 end after 6, 8 and 10 seconds.
    const QRectF lane = chart->band_place(band_of(chart->data(), Activity::Run));
    const QPointF from(chart->frame().map_x(5.3), lane.top() + 2);
    const QPointF to(chart->frame().map_x(9.7), lane.bottom() - 2);
    QTest::mousePress(chart.get(), Qt::LeftButton, Qt::ControlModifier, from.toPoint());
    QTest::mouseRelease(chart.get(), Qt::LeftButton, Qt::ControlModifier, to.toPoint());
    QCOMPARE(selected.size(), 1);
    QCOMPARE(selected.front()[0].value<std::vector<qint64>>(), (std::vector<qint64>{2, 3, 4}));
  }

  void filters_and_selections_are_seen() {
    const auto chart = chart_tests::shown_chart<charts::TimelineChart>({900, 400});
    charts::TimelineData data = small_data();
    const auto colour_of = [&](std::int64_t row, const QColor& colour) {
      // Beside the trial's number.
      const QPointF place = place_of(*chart, Activity::Run, row) -
                            QPointF(0, chart->band_place(band_of(data, Activity::Run)).height() / 2 - 4);
      return chart_tests::has_colour_near(chart->to_image(1), place, colour);
    };
    chart->set_data(data);
    QVERIFY(colour_of(3, style::colours().phases.run));
    const std::vector<std::int64_t> passing{3};
    data.passing = {QStringLiteral("trial = 3"), std::make_shared<const analysis::RowSet>(
                                                     analysis::RowSet::of(trials_of_session, passing))};
    chart->set_data(data);
    QVERIFY(colour_of(3, style::colours().phases.run));
    QVERIFY(!colour_of(4, style::colours().phases.run));
    const std::vector<std::int64_t> chosen{4};
    chart->set_selection(analysis::RowSet::of(trials_of_session, chosen));
    QVERIFY(colour_of(4, charts::marked_ink().colour));
    QVERIFY(!colour_of(3, charts::marked_ink().colour));
  }

  void the_table_has_every_block() {
    charts::TimelineChart chart;
    const charts::TimelineData data = small_data();
    chart.set_data(data);
    const charts::Table table = chart.table();
    std::size_t row = 0;
    for (const analysis::TimelineLane& lane : data.timeline->lanes)
      for (const analysis::TimelineBlock& block : lane.blocks) {
        const std::vector<charts::Cell>& cells = table.rows.at(row++);
        QCOMPARE(std::get<double>(cells[4]), block.begin_seconds);
        QCOMPARE(std::get<double>(cells[5]), block.end_seconds);
        QCOMPARE(std::isnan(std::get<double>(cells[3])), block.row < 0);
      }
    QCOMPARE(table.rows.size(), row);
    QVERIFY(chart.accessibleName().contains(QStringLiteral("12 trials")));
    QVERIFY(chart.accessibleName().contains(QStringLiteral("run 11 s")));
  }

  void workers_are_named() {
    charts::TimelineChart chart;
    chart.resize(900, 600);
    charts::TimelineData data = small_data(2);
    data.workers = {QStringLiteral("red"), QStringLiteral("blue")};
    chart.set_data(data);
    const QString svg = QString::fromUtf8(chart.to_svg());
    for (const char* name : {"red: build", "red: run", "blue: build", "blue: run"})
      QVERIFY2(svg.contains(QLatin1String(name)), name);
  }

  void a_long_name_of_a_worker_leaves_room_for_its_activity() {
    charts::TimelineChart chart;
    chart.resize(900, 600);
    charts::TimelineData data = small_data(1);
    data.workers = {QStringLiteral("a-worker-with-the-longest-name-of-all-in-the-cluster")};
    chart.set_data(data);
    const std::vector<charts::Tick> names = chart.y_axis().named;
    QVERIFY(!names.empty());
    for (const char* name : {": build", ": run"})
      QVERIFY2(std::ranges::any_of(names,
                                   [name](const charts::Tick& tick) {
                                     return tick.label.startsWith(QStringLiteral("a-w")) &&
                                            tick.label.endsWith(QLatin1String(name));
                                   }),
               name);
  }

  /** A picture has as many parts as its pixels need, not one for each block. */
  void many_trials_are_summed_to_pixels() {
    base::Random random(testing::random_seed());
    charts::TimelineChart chart;
    chart.resize(900, 500);
    chart.set_data(large_data(random, 100'000));
    const QByteArray all = chart.to_svg();
    QVERIFY(chart_tests::is_xml(all));
    QVERIFY2(all.count("<polygon") + all.count("<rect") < 4000, QByteArray::number(all.count("<polygon")));
    QVERIFY(all.size() < 2'000'000);
    // A build's lane is busy for between a third and all of the time: its polygons are neither empty nor
    // full.
    const std::size_t build = band_of(chart.data(), Activity::Build);
    const QImage image = chart.to_image(1);
    const QRectF lane = chart.band_place(build);
    const QColor colour = style::colours().phases.build;
    QVERIFY(chart_tests::has_colour_near(image, {lane.center().x(), lane.bottom() - 2}, colour));
    // Zoomed in, blocks are single again.
    const double middle = chart.data().timeline->end_seconds / 2;
    chart.zoom_to({middle, middle + 5}, chart.y_axis().range);
    QVERIFY(chart.to_svg().count("<rect") > 20);
  }
};

KERNELSCAPE_TEST(TimelineChartTest, QApplication)

}  // namespace kernelscape::timeline_chart_test
#include "timeline_chart_test.moc"
