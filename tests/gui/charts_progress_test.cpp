#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QXmlStreamReader>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <utility>

#include "tests/gui/chart_support.h"
#include "tests/test_program.h"
#include "ui/charts/curves/progress_chart.h"

namespace kernelscape::charts_progress_test {
namespace {

using namespace chart_tests;

charts::ProgressData data_of(const trial::Table& table) {
  charts::ProgressData data;
  data.trials = table.snapshot();
  data.flops = flops;
  data.improvements = analysis::best_so_far(data.trials);
  return data;
}

/** Speeds 100, 200, failed, 150, 300, failed, 250. */
trial::Table small_table() {
  trial::Table table(0);
  table.append(valid_row(0, 100), {});
  table.append(valid_row(1, 200), {});
  table.append(failed_row(2, trial::ErrorCategory::CompileHost), {});
  table.append(valid_row(3, 150), {});
  table.append(valid_row(4, 300), {});
  table.append(failed_row(5, trial::ErrorCategory::RunTimeout), {});
  table.append(valid_row(6, 250), {});
  return table;
}

trial::Table random_table(std::mt19937_64& random, std::int64_t size) {
  trial::Table table(0);
  for (std::int64_t number = 0; number < size; ++number) {
    const bool failed = random() % 5 == 0;
    table.append(failed ? failed_row(number, static_cast<trial::ErrorCategory>(1 + random() % 8))
                        : valid_row(number, 1 + static_cast<double>(random() % 300000) / 1000),
                 {});
  }
  return table;
}

charts::PassingRows passing_rows_of(std::int64_t size, const std::vector<std::int64_t>& rows) {
  return {QStringLiteral("a filter"),
          std::make_shared<const analysis::RowSet>(analysis::RowSet::of(size, rows))};
}

class TestChart : public charts::ProgressChart {
 public:
  using charts::ProgressChart::rows_in;
};

}  // namespace

class ChartsProgressTest : public QObject {
  Q_OBJECT

 private slots:
  void what_does_not_pass_is_faint() {
    TestChart chart;
    chart.resize(600, 400);
    trial::Table table = small_table();
    charts::ProgressData data = data_of(table);
    data.passing = passing_rows_of(7, {1, 4, 5});
    chart.set_data(data);
    QCOMPARE(chart.faint_count(), std::size_t{3});
    QVERIFY(chart.position_of(5));   // a failure that passes has its lane
    QVERIFY(!chart.position_of(2));  // one that does not has none
    const QRectF everything = chart.frame().plot;
    QCOMPARE(chart.rows_in(everything), (std::vector<qint64>{1, 4}));
    QVERIFY(chart.summary().contains("3 of 7 trials pass the filter"));
    // Later trials of the same filter are judged as well; another filter judges all anew.
    table.append(valid_row(7, 120), {});
    table.append(valid_row(8, 130), {});
    data = data_of(table);
    data.passing = passing_rows_of(9, {1, 4, 5, 8});
    chart.set_data(data);
    QCOMPARE(chart.faint_count(), std::size_t{4});
    data.passing = {};
    chart.set_data(data);
    QCOMPARE(chart.faint_count(), std::size_t{0});
    QVERIFY(chart.position_of(2));
    QCOMPARE(chart.rows_in(everything).size(), std::size_t{7});
  }

  void init() {
    chart_ = std::make_unique<TestChart>();
    chart_->resize(800, 400);
    chart_->set_data(data_of(small_table()));
    chart_->show();
  }

  void trials_stand_where_the_axes_say() {
    const charts::PlotFrame frame = chart_->frame();
    const QPointF third = *chart_->position_of(3);
    QCOMPARE(third.x(), frame.map_x(3));
    QVERIFY(std::abs(third.y() - frame.map_y(150)) < 1e-6);
    QVERIFY(std::abs(frame.y_at(third.y()) - 150) < 1e-6);
    QCOMPARE(frame.lanes.size(), std::size_t{2});
    QVERIFY(frame.lanes[0].contains(*chart_->position_of(2)));
    QVERIFY(frame.lanes[1].contains(*chart_->position_of(5)));
    QVERIFY(frame.lanes[0].top() >= frame.plot.bottom());
    QVERIFY(!chart_->position_of(7) && !chart_->position_of(-1));
    const QImage image = chart_->to_image(1);
    QVERIFY(has_colour_near(image, *chart_->position_of(4), style::colours().accent));
    QVERIFY(has_colour_near(image, *chart_->position_of(2),
                            style::colours().of(trial::ErrorCategory::CompileHost).colour));
    // The line between two improvements: at 200 from trial 1 to trial 4.
    QVERIFY(has_colour_near(image, frame.map(2.5, 200), style::colours().accent));
    QVERIFY(!has_colour_near(image, frame.map(2.5, 230), style::colours().accent));
  }

  void readouts_and_activation() {
    QSignalSpy spy(chart_.get(), &charts::Chart::row_activated);
    QTest::mouseMove(chart_.get(), chart_->position_of(3)->toPoint());
    QTRY_VERIFY(chart_->readout().has_value());
    QCOMPARE(chart_->readout()->row, std::int64_t{3});
    QCOMPARE(chart_->readout()->lines[0], QStringLiteral("trial 3: 150 GFLOPS"));
    QTest::mouseClick(chart_.get(), Qt::LeftButton, {}, chart_->position_of(5)->toPoint());
    QCOMPARE(spy.takeFirst()[0].toLongLong(), 5);
    QVERIFY(chart_->readout_at(*chart_->position_of(5))->lines[0].contains(QStringLiteral("RUN_TIMEOUT")));
    QTest::keyClick(chart_.get(), Qt::Key_B);
    QCOMPARE(chart_->readout()->row, std::int64_t{4});
    QCOMPARE(spy.takeFirst()[0].toLongLong(), 4);
    QTest::keyClick(chart_.get(), Qt::Key_Left);
    QTest::keyClick(chart_.get(), Qt::Key_K);
    QCOMPARE(chart_->readout()->row, std::int64_t{2});
    QTest::keyClick(chart_.get(), Qt::Key_Down);
    QCOMPARE(chart_->readout()->row, std::int64_t{1});
    QTest::keyClick(chart_.get(), Qt::Key_Up);
    QCOMPARE(chart_->readout()->row, std::int64_t{4});
    QTest::keyClick(chart_.get(), Qt::Key_J);
    QTest::keyClick(chart_.get(), Qt::Key_Return);
    QCOMPARE(spy.takeFirst()[0].toLongLong(), 5);
  }

  void hits_are_those_of_a_search_over_all() {
    std::mt19937_64 random = seeded();
    const trial::Table table = random_table(random, 3000);
    charts::ProgressData data = data_of(table);
    data.session = 2;
    data.improvements.clear();
    for (const charts::ProgressX x : {charts::ProgressX::Trials, charts::ProgressX::Seconds}) {
      chart_->set_x(x);
      chart_->set_data(data);
      const charts::PlotFrame frame = chart_->frame();
      std::vector<std::pair<qint64, QPointF>> positions;
      for (std::int64_t row = 0; row < 3000; ++row) {
        const trial::Row trial = table.snapshot().row(row);
        const double along =
            x == charts::ProgressX::Trials ? static_cast<double>(row) : trial.finished_seconds;
        if (trial.category == trial::ErrorCategory::NoError)
          positions.emplace_back(row, frame.map(along, flops / trial.median_seconds / 1e9));
      }
      for (int round = 0; round < 200; ++round) {
        const QPointF at = frame.plot.topLeft() +
                           QPointF(static_cast<double>(random() % 700), static_cast<double>(random() % 250));
        if (!frame.plot.contains(at)) continue;
        double least = 10;
        for (const auto& [row, position] : positions)
          least = std::min(least, std::hypot(position.x() - at.x(), position.y() - at.y()));
        const auto readout = chart_->readout_at(at);
        QCOMPARE(readout.has_value(), least < 10);
        if (!readout) continue;
        const QPointF way = readout->position - at;
        QVERIFY(std::abs(std::hypot(way.x(), way.y()) - least) < 1e-6);
      }
      const QRectF band(frame.plot.center() - QPointF(80, 60), QSizeF(120, 90));
      std::vector<qint64> expected;
      for (const auto& [row, position] : positions)
        if (band.contains(position)) expected.push_back(row);
      QVERIFY(!expected.empty());
      QCOMPARE(chart_->rows_in(band), expected);
    }
  }

  void new_trials_give_the_picture_of_a_new_chart() {
    std::mt19937_64 random = seeded();
    trial::Table table(0);
    chart_->set_data(data_of(table));  // fewer trials than before: a new start
    for (int update = 0; update < 6; ++update) {
      const std::int64_t wanted = table.size() + (update < 3 ? 30 : 20000);
      while (table.size() < wanted) {
        const bool failed = random() % 9 == 0;
        table.append(failed ? failed_row(table.size(), trial::ErrorCategory::WrongAnswer)
                            : valid_row(table.size(), 1 + static_cast<double>(random() % 1000)),
                     {});
      }
      chart_->set_data(data_of(table));
      chart_->zoom_to({10, 90000}, {100, 900});
      TestChart fresh;
      fresh.resize(chart_->size());
      fresh.set_data(data_of(table));
      fresh.zoom_to({10, 90000}, {100, 900});
      QVERIFY(chart_->to_image(1) == fresh.to_image(1));
    }
    // Another session starts anew.
    charts::ProgressData other = data_of(small_table());
    other.session = 8;
    chart_->set_data(other);
    QVERIFY(chart_->summary().startsWith(QStringLiteral("7 trials, 2 failed")));
  }

  void density_shows_where_trials_are() {
    std::mt19937_64 random = seeded();
    trial::Table table(0);
    for (std::int64_t number = 0; number < 200000; ++number)
      table.append(valid_row(number, (number < 100000 ? 50 : 200) + static_cast<double>(random() % 50)), {});
    charts::ProgressData data = data_of(table);
    data.session = 3;
    data.improvements.clear();
    chart_->set_data(data);
    const charts::PlotFrame frame = chart_->frame();
    const QImage image = chart_->to_image(1);
    const auto painted = [&](double x, double y) {
      int count = 0;
      const QPoint centre = frame.map(x, y).toPoint();
      for (int dy = -6; dy <= 6; ++dy)
        for (int dx = -6; dx <= 6; ++dx) {
          const QColor pixel = image.pixelColor(centre + QPoint(dx, dy));
          if (pixel.green() - pixel.red() > 20) ++count;
        }
      return count;
    };
    QVERIFY(painted(50000, 75) > 80);
    QVERIFY(painted(150000, 225) > 80);
    QCOMPARE(painted(50000, 225), 0);
    QCOMPARE(painted(150000, 75), 0);
  }

  void selection_current_and_confirmed() {
    analysis::RowSet selection(7);
    selection.set(3);
    chart_->set_selection(selection);
    const QPointF third = *chart_->position_of(3);
    const QColor marked = chart_->to_image(2).pixelColor((third * 2).toPoint());
    QVERIFY(std::abs(marked.red() - style::colours().marked.red()) < 20 &&
            std::abs(marked.green() - style::colours().marked.green()) < 20);
    chart_->set_selection(analysis::RowSet(7));
    QVERIFY(chart_->to_image(2).pixelColor((third * 2).toPoint()) != marked);
    const QImage without = chart_->grab().toImage();
    chart_->set_current_row(3);
    QVERIFY(has_colour_near(chart_->grab().toImage(), third + QPointF(6.5, 0), style::colours().text));
    QVERIFY(!has_colour_near(without, third + QPointF(6.5, 0), style::colours().text));
    charts::ProgressData data = data_of(small_table());
    const double median = flops / 300e9;
    data.confirmed = charts::ConfirmedBest{4, median * 0.98, median, median * 1.02};
    chart_->set_data(data);
    QVERIFY(has_colour_near(chart_->to_image(1), *chart_->position_of(4), style::colours().text));
  }

  void no_label_covers_the_interval_of_the_confirmation() {
    std::mt19937_64 random = seeded();
    int labels = 0;
    for (int round = 0; round < 60; ++round) {
      charts::ProgressData data = data_of(small_table());
      // The label stands at the right border: the last trials are below it.
      const std::int64_t row = std::array<std::int64_t, 3>{3, 4, 6}[random() % 3];
      const double gflops = 240 + static_cast<double>(random() % 60);
      const double width = 0.002 + static_cast<double>(random() % 200) / 1000;
      const double median = flops / gflops / 1e9;
      data.session = 100 + round;
      data.confirmed = charts::ConfirmedBest{row, median * (1 - width), median, median * (1 + width)};
      data.best = {median, QStringLiteral("confirmed")};
      chart_->resize(static_cast<int>(500 + random() % 500), static_cast<int>(260 + random() % 300));
      chart_->set_y(random() % 2 == 0 ? charts::ProgressY::Gflops : charts::ProgressY::Milliseconds);
      chart_->set_data(data);
      const charts::PlotFrame frame = chart_->frame();
      const auto y_of = [&](double seconds) {
        return frame.map_y(chart_->y() == charts::ProgressY::Gflops ? flops / seconds / 1e9 : seconds * 1e3);
      };
      const double x = frame.map_x(static_cast<double>(row));
      const QRectF whisker = QRectF(QPointF(x - 4, y_of(data.confirmed->first_quartile_seconds)),
                                    QPointF(x + 4, y_of(data.confirmed->third_quartile_seconds)))
                                 .normalized();
      QXmlStreamReader reader(chart_->to_svg());
      while (!reader.atEnd()) {
        if (reader.readNext() != QXmlStreamReader::StartElement) continue;
        const QXmlStreamAttributes attributes = reader.attributes();
        if (attributes.value(QLatin1String("class")) != QLatin1String("label-ground-fill")) continue;
        const auto number = [&](const char* name) {
          return attributes.value(QLatin1String(name)).toDouble();
        };
        const QRectF label(number("x"), number("y"), number("width"), number("height"));
        ++labels;
        QVERIFY2(!label.intersects(whisker), qPrintable(QStringLiteral("round %1").arg(round)));
      }
    }
    QVERIFY(labels >= 60);
  }

  void scales_units_and_axes() {
    chart_->set_x(charts::ProgressX::Seconds);
    QCOMPARE(chart_->frame().map_x(1.5), chart_->position_of(3)->x());
    chart_->set_y(charts::ProgressY::Milliseconds);
    QVERIFY(std::abs(chart_->frame().map_y(flops / 150e9 * 1e3) - chart_->position_of(3)->y()) < 1e-6);
    chart_->set_show_all(true);
    chart_->setFocus();
    QTest::keyClick(chart_.get(), Qt::Key_L);
    QCOMPARE(chart_->y_scale(), charts::AxisScale::Log10);
    QVERIFY(std::abs(chart_->frame().map_y(flops / 150e9 * 1e3) - chart_->position_of(3)->y()) < 1e-6);
    for (const std::int64_t row : {0, 1, 3, 4, 6})
      QVERIFY(chart_->frame().plot.contains(*chart_->position_of(row)));
    charts::ProgressData data = data_of(small_table());
    data.flops = 0;
    chart_->set_y(charts::ProgressY::Gflops);
    chart_->set_data(data);
    QCOMPARE(chart_->y(), charts::ProgressY::Milliseconds);
    QCOMPARE(chart_->y_axis().unit, QStringLiteral("ms"));
  }

  void references_ghosts_and_interruptions() {
    charts::ProgressData data = data_of(small_table());
    data.references = {{QStringLiteral("oneDNN"), flops / 320e9}, {QStringLiteral("peak"), flops / 5000e9}};
    data.ghosts = {{QStringLiteral("ga, seed 3"), data.improvements, 20, 10, 1}};
    data.interruption_seconds = {1.2};
    chart_->set_data(data);
    QVERIFY2(chart_->y_axis().range.contains(320), "a near reference is in sight at home");
    QVERIFY2(!chart_->y_axis().range.contains(5000), "a far one does not squeeze the data");
    QVERIFY(chart_->x_axis().range.contains(20));
    const QByteArray svg = chart_->to_svg();
    for (const char* text :
         {"oneDNN 320 GFLOPS", "↑ peak 5,000 GFLOPS", "ga, seed 3", "paused", "best 300 GFLOPS"})
      QVERIFY2(svg.contains(text), text);
  }

  void the_word_at_an_interruption_is_never_cut() {
    const trial::Table table = small_table();
    const double end = table.snapshot().row(table.snapshot().size() - 1).finished_seconds;
    for (const double at : {0.0, end / 2, end * 0.98, end}) {
      charts::ProgressData data = data_of(table);
      data.interruption_seconds = {at};
      data.session = 20 + static_cast<std::int64_t>(100 * at);
      chart_->set_data(data);
      const QRectF plot = chart_->frame().plot;
      const double width = charts::text_width(QStringLiteral("paused"), style::TextSize::Small);
      QXmlStreamReader reader(chart_->to_svg());
      int words = 0;
      while (!reader.atEnd()) {
        if (reader.readNext() != QXmlStreamReader::StartElement || reader.name() != QLatin1String("text"))
          continue;
        const double x = reader.attributes().value(QLatin1String("x")).toDouble();
        const bool from_right =
            reader.attributes().value(QLatin1String("text-anchor")) == QLatin1String("end");
        if (reader.readElementText(QXmlStreamReader::IncludeChildElements) != QLatin1String("paused"))
          continue;
        ++words;
        QVERIFY((from_right ? x - width : x) >= plot.left());
        QVERIFY((from_right ? x : x + width) <= plot.right() + 0.5);
      }
      QCOMPARE(words, 1);
    }
  }

  void one_trial_stands_beside_its_label_on_whole_numbers() {
    trial::Table table(0);
    table.append(valid_row(0, 100), {});
    charts::ProgressData data = data_of(table);
    data.session = 9;
    chart_->set_data(data);
    const QPointF only = *chart_->position_of(0);
    const charts::PlotFrame frame = chart_->frame();
    QVERIFY(frame.plot.adjusted(4, 4, -4, 0).contains(only));
    QVERIFY(has_colour_near(chart_->to_image(1), only, style::colours().accent));
    for (const charts::Tick& tick : chart_->x_axis().ticks(8)) QCOMPARE(tick.value, std::round(tick.value));
    QCOMPARE(chart_->x_axis().text(16.32323), QStringLiteral("16"));
    QVERIFY(chart_->summary().startsWith(QStringLiteral("1 trial, 0 failed")));
  }

  void no_label_hides_the_only_trial() {
    trial::Table table(0);
    table.append(valid_row(0, 100), {});
    charts::ProgressData data = data_of(table);
    for (const double peak : {99.0, 100.0, 101.0, 5000.0}) {
      data.references = {{QStringLiteral("peak"), flops / (peak * 1e9)}};
      data.session = 30 + static_cast<std::int64_t>(peak);
      chart_->set_data(data);
      const QPointF only = *chart_->position_of(0);
      const QImage image = chart_->to_image(1);
      for (int dx = -1; dx <= 1; ++dx)
        for (int dy = -1; dy <= 1; ++dy)
          QCOMPARE(image.pixelColor(static_cast<int>(only.x()) + dx, static_cast<int>(only.y()) + dy),
                   style::colours().accent);
    }
  }

  void b_chooses_the_confirmed_best() {
    charts::ProgressData data = data_of(small_table());
    const double median = flops / 280e9;
    data.confirmed = charts::ConfirmedBest{6, median, median, median};  // trial 4 was only faster once
    chart_->set_data(data);
    QSignalSpy spy(chart_.get(), &charts::Chart::row_activated);
    QTest::keyClick(chart_.get(), Qt::Key_B);
    QCOMPARE(chart_->readout()->row, std::int64_t{6});
    QCOMPARE(spy.size(), 1);
    QCOMPARE(spy.front().front().toLongLong(), 6);
  }

  void table_equals_the_data() {
    const charts::Table table = chart_->table();
    QCOMPARE(table.rows.size(), std::size_t{7});
    QCOMPARE(std::get<std::string>(table.rows[2][2]), std::string("COMPILE_HOST"));
    QVERIFY(std::isnan(std::get<double>(table.rows[2][4])));
    QCOMPARE(std::get<double>(table.rows[2][7]), 200.0);
    QCOMPARE(std::get<double>(table.rows[6][6]), 250.0);
    QCOMPARE(std::get<double>(table.rows[6][7]), 300.0);
    QCOMPARE(chart_->accessibleName(),
             QStringLiteral("Best so far over every trial, 7 trials, 2 failed, best 300 GFLOPS at trial 4"));
    QVERIFY(chart_->explanation().contains(QStringLiteral("NoSE")));
  }

  void strange_data_do_no_harm() {
    std::mt19937_64 random = seeded();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::array strange = {0.0, nan, HUGE_VAL, -1.0, 1e-300, 1e300, 1e-3, 2e-3};
    for (int round = 0; round < 150; ++round) {
      trial::Table table(0);
      const std::size_t size = std::array<std::size_t, 4>{0, 1, 2, 60}[random() % 4];
      const bool all_fail = random() % 4 == 0;
      for (std::size_t number = 0; number < size; ++number) {
        trial::Row row = valid_row(static_cast<std::int64_t>(number), 100);
        row.median_seconds = strange[random() % strange.size()];
        if (random() % 3 == 0) row.finished_seconds = strange[random() % strange.size()];
        if (all_fail || random() % 4 == 0) row.category = static_cast<trial::ErrorCategory>(1 + random() % 8);
        table.append(row, {});
      }
      charts::ProgressData data = data_of(table);
      data.session = round;
      data.flops = strange[random() % strange.size()];
      data.references = {{QStringLiteral("r"), strange[random() % strange.size()]}};
      data.ghosts = {{QStringLiteral("g"), data.improvements, strange[random() % strange.size()],
                      strange[random() % strange.size()], random() % 12}};
      data.interruption_seconds = {strange[random() % strange.size()]};
      data.session_seconds = strange[random() % strange.size()];
      data.confirmed = charts::ConfirmedBest{static_cast<std::int64_t>(random() % 3), 1e-3,
                                             strange[random() % strange.size()], 2e-3};
      chart_->resize(static_cast<int>(1 + random() % 700), static_cast<int>(1 + random() % 400));
      chart_->set_data(data);
      chart_->set_x(random() % 2 == 0 ? charts::ProgressX::Trials : charts::ProgressX::Seconds);
      chart_->set_y_scale(random() % 2 == 0 ? charts::AxisScale::Linear : charts::AxisScale::Log10);
      QVERIFY(!chart_->to_image(1).isNull());
      const QByteArray svg = chart_->to_svg();
      QVERIFY(!svg.contains("nan\"") && !svg.contains("inf\""));
      QTest::keyClick(chart_.get(), Qt::Key_Right);
      QTest::keyClick(chart_.get(), Qt::Key_Plus);
      QTest::mouseMove(chart_.get(),
                       QPoint(static_cast<int>(random() % 300), static_cast<int>(random() % 200)));
      QVERIFY(!chart_->grab().isNull());
    }
  }

 private:
  std::unique_ptr<TestChart> chart_;
};

KERNELSCAPE_TEST(ChartsProgressTest, QApplication)

}  // namespace kernelscape::charts_progress_test
#include "charts_progress_test.moc"
