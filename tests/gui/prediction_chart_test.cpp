#include "ui/charts/curves/prediction_chart.h"

#include <QSignalSpy>
#include <QTest>
#include <QXmlStreamReader>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "tests/gui/series_session.h"
#include "tests/test_program.h"
#include "ui/style/theme.h"

namespace kernelscape::prediction_chart_test {
namespace {

using namespace chart_tests;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

class TestChart : public charts::PredictionChart {
 public:
  using charts::PredictionChart::rows_in;
};

/** A tuner that is off by one of its deviations, now up, now down; every tenth trial fails. */
SeriesSession long_session(std::int64_t trials) {
  SeriesSession session;
  for (std::int64_t number = 0; number < trials; ++number) {
    const double predicted = 100 + static_cast<double>(number);
    session.trials.append(number % 10 == 9 ? failed_row(number, trial::ErrorCategory::WrongAnswer)
                                           : valid_row(number, predicted + (number % 2 == 0 ? 4.0 : -4.0)),
                          {});
    session.predict(number, predicted, number % 4 == 0 ? 5 : 3);
  }
  return session;
}

/** The next session that the chart shows. */
charts::SeriesData next(charts::SeriesData data) {
  ++data.session;
  return data;
}

}  // namespace

class PredictionChartTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    chart_ = std::make_unique<TestChart>();
    chart_->resize(640, 420);
    chart_->set_data(small_session().data());
    chart_->show();
  }

  void words_never_hide_a_trial() {
    // Faster than expected, and much slower: every corner of the plot has trials.
    SeriesSession session;
    for (std::int64_t number = 0; number < 60; ++number) {
      const double predicted = number % 2 == 0 ? 20 + static_cast<double>(number) : 200;
      session.trials.append(valid_row(number, number % 4 < 2 ? 200 - static_cast<double>(number) : 30), {});
      session.predict(number, predicted, 4);
    }
    for (const double scale : {1.0, 1.5}) {
      style::set_text_scale(scale);
      for (const QSize size : {QSize(640, 420), QSize(330, 300), QSize(240, 160)}) {
        chart_->resize(size);
        chart_->set_data(next(session.data()));
        const QByteArray svg = chart_->to_svg();
        const QRectF plot = chart_->frame().plot;
        QVERIFY(plot.height() >= 1);
        QXmlStreamReader reader(svg);
        while (!reader.atEnd()) {
          if (reader.readNext() != QXmlStreamReader::StartElement || reader.name() != QLatin1String("text"))
            continue;
          const double y = reader.attributes().value(QLatin1String("y")).toDouble();
          const QString words = reader.readElementText(QXmlStreamReader::IncludeChildElements);
          if (words.contains(QLatin1String("correlation")) || words.contains(QLatin1String("within")))
            QVERIFY2(y <= plot.top(), qPrintable(words));
        }
        if (size.width() == 640) QVERIFY(svg.contains("rank correlation"));
      }
    }
    style::set_text_scale(1);
  }

  void before_anything_is_predicted() {
    charts::PredictionChart chart;
    chart.resize(400, 300);
    check_painting(chart);
    QVERIFY(chart.accessibleName().contains(QStringLiteral("no prediction yet")));
    QVERIFY(chart.table().rows.empty());
    chart.show();
    QTest::keyClick(&chart, Qt::Key_Right);
    QVERIFY(!chart.readout());
  }

  void what_came_true_stands_on_the_diagonal() {
    const charts::PlotFrame frame = chart_->frame();
    QCOMPARE(frame.x.range, frame.y.range);
    QCOMPARE(frame.x.unit, QStringLiteral("GFLOPS"));
    const auto stands_at = [](std::optional<QPointF> position, QPointF expected) {
      return position && std::hypot(position->x() - expected.x(), position->y() - expected.y()) < 1e-6;
    };
    QVERIFY(stands_at(chart_->position_of(4), frame.map(200, 180)));
    QVERIFY(stands_at(chart_->position_of(7), frame.map(100, 125)));
    // The one that failed: in its lane, at what was expected of it.
    QCOMPARE(frame.lanes.size(), std::size_t{1});
    QVERIFY(frame.lanes[0].contains(*chart_->position_of(5)));
    QVERIFY(std::abs(chart_->position_of(5)->x() - frame.map_x(220)) < 1e-6);
    for (const std::int64_t row : {0, 3, 6, 8, -1}) QVERIFY(!chart_->position_of(row));
    for (const double value : {100.0, 125.0, 180.0, 200.0, 220.0}) QVERIFY(frame.x.range.contains(value));
    const QImage image = chart_->to_image(1);
    QVERIFY(has_colour_near(image, *chart_->position_of(7), style::colours().accent));
    QVERIFY(has_colour_near(image, *chart_->position_of(5),
                            style::colours().of(trial::ErrorCategory::CompileHost).colour));
    // The diagonal, dashed: somewhere near its middle.
    const auto middle = (frame.x.range.low + frame.x.range.high) / 2;
    int painted = 0;
    for (int step = -10; step <= 10; ++step)
      if (image.pixelColor(
              (frame.map(middle, middle) + QPointF(step, -step * frame.plot.height() / frame.plot.width()))
                  .toPoint()) != style::colours().surface)
        ++painted;
    QVERIFY(painted > 5);
    check_painting(*chart_);
  }

  void a_deviation_reaches_to_either_side() {
    const charts::PlotFrame frame = chart_->frame();
    const QImage image = chart_->to_image(1);
    const auto is_bar = [&](double predicted, double measured) {
      const QPoint at = frame.map(predicted, measured).toPoint();
      return image.pixelColor(at) != style::colours().surface ||
             image.pixelColor(at + QPoint(0, 1)) != style::colours().surface;
    };
    // Trial 7: 100 ± 30, measured 125, between lines of the grid.
    QVERIFY(is_bar(80, 125) && is_bar(115, 125));
    QVERIFY(!is_bar(66, 125) && !is_bar(134, 125));
  }

  void readouts_keys_and_activation() {
    QSignalSpy spy(chart_.get(), &charts::Chart::row_activated);
    QTest::mouseMove(chart_.get(), chart_->position_of(4)->toPoint());
    QTRY_VERIFY(chart_->readout().has_value());
    QCOMPARE(chart_->readout()->lines[0], QStringLiteral("trial 4: predicted 200 GFLOPS ± 20 GFLOPS"));
    QCOMPARE(chart_->readout()->lines[1], QStringLiteral("measured 180 GFLOPS, predicted 11.1 % too high"));
    QVERIFY(chart_->readout()->lines[2].startsWith(QStringLiteral("1 standard deviation")));
    const auto failed = chart_->readout_at(*chart_->position_of(5));
    QVERIFY(failed->lines.contains(QStringLiteral("failed: COMPILE_HOST")));
    QTest::mouseClick(chart_.get(), Qt::LeftButton, {}, chart_->position_of(5)->toPoint());
    QCOMPARE(spy.takeFirst()[0].toLongLong(), 5);

    QTest::keyClick(chart_.get(), Qt::Key_Escape);
    QTest::keyClick(chart_.get(), Qt::Key_Right);
    QCOMPARE(chart_->readout()->row, std::int64_t{7});  // the last one that is shown
    QTest::keyClick(chart_.get(), Qt::Key_Left);
    QCOMPARE(chart_->readout()->row, std::int64_t{5});
    QTest::keyClick(chart_.get(), Qt::Key_Left);
    QTest::keyClick(chart_.get(), Qt::Key_Left);
    QCOMPARE(chart_->readout()->row, std::int64_t{4});  // nothing before it
    QTest::keyClick(chart_.get(), Qt::Key_Return);
    QCOMPARE(spy.takeFirst()[0].toLongLong(), 4);
    chart_->set_data(next(long_session(40).data()));
    QTest::keyClick(chart_.get(), Qt::Key_Right);
    QTest::keyClick(chart_.get(), Qt::Key_Down);
    QCOMPARE(chart_->data().trials.row(chart_->readout()->row).batch, 8);
  }

  void order_and_calibration_are_reported() {
    QVERIFY(!chart_->quality() && !chart_->calibration());
    chart_->set_data(next(long_session(200).data()));
    QCOMPARE(chart_->quality()->trials, 180);
    QVERIFY(chart_->quality()->tau > 0.8);
    // Every fourth trial has a deviation of 5, the others 3; all are off by 4. Rows 9, 19, ... failed.
    QVERIFY(chart_->calibration() == (analysis::Calibration{50.0 / 180, 1, 180}));
    const QByteArray svg = chart_->to_svg();
    QVERIFY(chart_->accessibleName().contains(QStringLiteral("27.8 % within 1 sd, 100 % within 2 sd")));
    QVERIFY(svg.contains("latest batch") && svg.contains("27.8 % within 1 sd") &&
            svg.contains("Predicted against measured"));
    // Without deviations there is nothing to calibrate.
    SeriesSession estimates;
    for (std::int64_t number = 0; number < 20; ++number) {
      estimates.trials.append(valid_row(number, 100 + static_cast<double>(number)), {});
      estimates.series.set(number, "estimated_fitness", 100 - static_cast<double>(number));
    }
    chart_->set_data(estimates.data("estimated_fitness"));
    QVERIFY(!chart_->calibration());
    QCOMPARE(chart_->quality()->tau, -1.0);
    QVERIFY(!chart_->explanation().contains(QStringLiteral("68 %")));
    QVERIFY(!chart_->to_svg().contains("1 sd"));
  }

  void the_latest_batch_stands_out() {
    SeriesSession session = long_session(400);
    chart_->set_data(next(session.data()));
    QCOMPARE(chart_->latest_batch(), std::vector<std::int64_t>({396, 397, 398}));
    const auto is_accent = [this](std::int64_t row) {
      return has_colour_near(chart_->to_image(1), *chart_->position_of(row), style::colours().accent);
    };
    QVERIFY(is_accent(396) && !is_accent(20));
    // The next one takes its place, once its predictions are known.
    for (std::int64_t number = 400; number < 404; ++number) session.trials.append(valid_row(number, 200), {});
    chart_->set_data(next(session.data()));
    QVERIFY(is_accent(396));
    for (std::int64_t number = 400; number < 404; ++number) session.predict(number, 480, 5);
    chart_->set_data(next(session.data()));
    QCOMPARE(chart_->latest_batch(), std::vector<std::int64_t>({400, 401, 402, 403}));
    QVERIFY(is_accent(400) && !is_accent(396));
  }

  void selection_current_and_rectangles() {
    QCOMPARE(chart_->rows_in(QRectF(*chart_->position_of(4) - QPointF(3, 3), QSizeF(6, 6))),
             std::vector<qint64>{4});
    QCOMPARE(chart_->rows_in(chart_->frame().plot), std::vector<qint64>({4, 7}));
    analysis::RowSet selection(8);
    selection.set(4);
    selection.set(6);  // without a prediction: nothing to mark
    chart_->set_selection(selection);
    const QPointF fourth = *chart_->position_of(4);
    const QColor marked = chart_->to_image(2).pixelColor((fourth * 2).toPoint());
    QVERIFY(std::abs(marked.red() - style::colours().marked.red()) < 20 &&
            std::abs(marked.green() - style::colours().marked.green()) < 20);
    const QPointF ring = *chart_->position_of(7) + QPointF(0, 6.5);
    QVERIFY(!has_colour_near(chart_->grab().toImage(), ring, style::colours().text));
    chart_->set_current_row(7);
    QVERIFY(has_colour_near(chart_->grab().toImage(), ring, style::colours().text));
    // Its deviation is drawn in full: 100 - 30 to 100 + 30.
    const QPointF end = chart_->frame().map(128, 125);
    QVERIFY(has_colour_near(chart_->grab().toImage(), end, style::colours().text));
    chart_->set_current_row(6);
    QVERIFY(!has_colour_near(chart_->grab().toImage(), ring, style::colours().text));
  }

  void the_table_has_what_is_shown() {
    const charts::Table table = chart_->table();
    QCOMPARE(table.columns,
             std::vector<std::string>({"row", "trial", "batch", "category", "predicted (GFLOPS)",
                                       "deviation (GFLOPS)", "measured (GFLOPS)"}));
    QCOMPARE(table.rows.size(), std::size_t{3});  // the predicted ones
    QCOMPARE(number_in(table, 0, 4), 200.0);
    QVERIFY(std::abs(number_in(table, 0, 6) - 180) < 1e-9);
    QVERIFY(std::isnan(number_in(table, 1, 6)));
    QCOMPARE(number_in(table, 2, 5), 30.0);
  }

  void both_axes_become_logarithmic() {
    chart_->setFocus();
    QTest::keyClick(chart_.get(), Qt::Key_L);
    const charts::PlotFrame frame = chart_->frame();
    QVERIFY(frame.x.scale == charts::AxisScale::Log10 && frame.y.scale == charts::AxisScale::Log10);
    QCOMPARE(frame.x.range, frame.y.range);
    QVERIFY(std::abs(chart_->position_of(7)->x() - frame.map_x(100)) < 1e-6);
    QCOMPARE(chart_->readout_at(*chart_->position_of(7))->row, std::int64_t{7});
    QCOMPARE(chart_->readout_at(*chart_->position_of(5))->row, std::int64_t{5});
    // A failure of which less than nothing was expected has no place.
    SeriesSession session = small_session();
    session.trials.append(failed_row(8, trial::ErrorCategory::RunTimeout), {});
    session.predict(8, -5, 10);
    chart_->set_data(session.data());
    QVERIFY(!chart_->position_of(8));
    QVERIFY(chart_->readout_at(*chart_->position_of(5)));
  }

  void values_that_come_late_give_the_picture_of_a_new_chart() {
    std::mt19937_64 random = seeded();
    SeriesSession session;
    chart_->set_data({});
    for (std::int64_t batch = 0; batch < 10; ++batch) {
      const std::int64_t first = session.trials.size();
      const std::int64_t size = batch < 6 ? 8 : 2000;
      for (std::int64_t number = first; number < first + size; ++number)
        session.trials.append(random() % 5 == 0
                                  ? failed_row(number, static_cast<trial::ErrorCategory>(1 + random() % 8))
                                  : valid_row(number, 1 + static_cast<double>(random() % 300)),
                              {});
      chart_->set_data(session.data("predicted_mean"));
      for (std::int64_t number = first; number < first + size; ++number)
        if (random() % 4 != 0)
          session.predict(number, static_cast<double>(random() % 300), static_cast<double>(random() % 30));
      chart_->set_data(session.data("predicted_mean"));
      TestChart fresh;
      fresh.resize(chart_->size());
      fresh.set_data(session.data("predicted_mean"));
      QVERIFY(chart_->to_image(1) == fresh.to_image(1));
      QCOMPARE(chart_->summary(), fresh.summary());
    }
  }

  void the_zoom_stays_while_it_grows() {
    SeriesSession session = small_session();
    chart_->zoom_to({90, 210}, {100, 190});
    session.trials.append(valid_row(8, 400), {});
    session.predict(8, 390, 5);
    chart_->set_data(session.data());
    QCOMPARE(chart_->x_axis().range.high, 210.0);
    QTest::keyClick(chart_.get(), Qt::Key_Home);
    QVERIFY(chart_->x_axis().range.contains(400));
    QCOMPARE(chart_->x_axis().range, chart_->y_axis().range);
  }

  void strange_data_do_no_harm() {
    std::mt19937_64 random = seeded();
    const std::array strange = {0.0, none, HUGE_VAL, -HUGE_VAL, -1.0, 1e-300, 1e300, 1e-3, 2e-3};
    const auto any = [&] { return strange[random() % strange.size()]; };
    for (int round = 0; round < 150; ++round) {
      SeriesSession session;
      const std::size_t size = std::array<std::size_t, 4>{0, 1, 2, 90}[random() % 4];
      for (std::size_t number = 0; number < size; ++number) {
        trial::Row row = valid_row(static_cast<std::int64_t>(number), 100);
        row.median_seconds = any();
        if (random() % 4 == 0) row.category = static_cast<trial::ErrorCategory>(1 + random() % 8);
        session.trials.append(row, {});
        session.predict(row.number, any(), any());
      }
      charts::SeriesData data = session.data("predicted_mean");
      data.session = round;
      data.flops = any();
      chart_->resize(static_cast<int>(1 + random() % 700), static_cast<int>(1 + random() % 400));
      chart_->set_data(data);
      chart_->set_y_scale(random() % 2 == 0 ? charts::AxisScale::Linear : charts::AxisScale::Log10);
      QVERIFY(!chart_->to_image(1).isNull());
      const QByteArray svg = chart_->to_svg();
      QVERIFY(!svg.contains("nan\"") && !svg.contains("inf\""));
      chart_->set_current_row(static_cast<std::int64_t>(random() % 4) - 1);
      for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Down, Qt::Key_Plus})
        QTest::keyClick(chart_.get(), key);
      QTest::mouseMove(chart_.get(),
                       QPoint(static_cast<int>(random() % 300), static_cast<int>(random() % 200)));
      QVERIFY(!chart_->grab().isNull());
    }
  }

 private:
  std::unique_ptr<TestChart> chart_;
};

KERNELSCAPE_TEST(PredictionChartTest, QApplication)

}  // namespace kernelscape::prediction_chart_test
#include "prediction_chart_test.moc"
