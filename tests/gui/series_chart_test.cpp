#include "ui/charts/curves/series_chart.h"

#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <utility>

#include "tests/gui/gui_support.h"
#include "tests/gui/series_session.h"
#include "tests/test_program.h"
#include "ui/charts/bars/relevance_chart.h"
#include "ui/charts/curves/prediction_chart.h"
#include "ui/figures/model_belief.h"
#include "ui/report/report.h"

namespace kernelscape::series_chart_test {
namespace {

using namespace chart_tests;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

class TestChart : public charts::SeriesChart {
 public:
  using charts::SeriesChart::rows_in;
};

}  // namespace

class SeriesChartTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    chart_ = std::make_unique<TestChart>();
    chart_->resize(800, 400);
    chart_->set_data(small_session().data());
    chart_->show();
  }

  void predictions_stand_over_what_was_measured() {
    const charts::PlotFrame frame = chart_->frame();
    const auto stands_at = [](std::optional<QPointF> position, QPointF expected) {
      return position && std::hypot(position->x() - expected.x(), position->y() - expected.y()) < 1e-6;
    };
    QVERIFY(stands_at(chart_->position_of(4), frame.map(4, 200)));
    QVERIFY(stands_at(chart_->measured_position_of(4), frame.map(4, 180)));
    QVERIFY(stands_at(chart_->position_of(5), frame.map(5, 220)));
    QCOMPARE(frame.lanes.size(), std::size_t{1});
    QVERIFY(frame.lanes[0].contains(*chart_->measured_position_of(5)));
    // Before the first model, and drawn at random: missing, not zero.
    for (const std::int64_t row : {0, 3, 6}) {
      QVERIFY(!chart_->position_of(row));
      QVERIFY(!chart_->measured_position_of(row));
    }
    QVERIFY(!chart_->position_of(8) && !chart_->position_of(-1));
    QVERIFY(chart_->y_axis().range.low == 0 && chart_->y_axis().range.high > 230);
    const QByteArray svg = chart_->to_svg();
    for (const char* text : {"predicted", "± deviation", "measured"}) QVERIFY2(svg.contains(text), text);
    QCOMPARE(chart_->y_axis().unit, QStringLiteral("GFLOPS"));
    const QImage image = chart_->to_image(1);
    QVERIFY(has_colour_near(image, *chart_->measured_position_of(5),
                            style::colours().of(trial::ErrorCategory::CompileHost).colour));
    // The band reaches one deviation to either side and no further: 100 - 30 to 100 + 30.
    const auto is_band = [&](double y) {
      const QPoint middle = frame.map(7, y).toPoint();
      int painted = 0;
      for (int dx = -3; dx <= 3; ++dx)
        if (image.pixelColor(middle + QPoint(dx, 0)) != style::colours().surface) ++painted;
      return painted > 2;  // more than a line of the grid
    };
    QVERIFY(is_band(115) && is_band(75));
    QVERIFY(!is_band(60) && !is_band(140));
  }

  void readouts_keys_and_activation() {
    QSignalSpy spy(chart_.get(), &charts::Chart::row_activated);
    QTest::mouseMove(chart_.get(), chart_->position_of(4)->toPoint());
    QTRY_VERIFY(chart_->readout().has_value());
    QCOMPARE(chart_->readout()->lines[0], QStringLiteral("trial 4: predicted 200 GFLOPS ± 20 GFLOPS"));
    QCOMPARE(chart_->readout()->lines[1], QStringLiteral("measured 180 GFLOPS, predicted 11.1 % too high"));
    // The measured dot and the failure's mark tell of the same trial.
    QCOMPARE(chart_->readout_at(*chart_->measured_position_of(7))->row, std::int64_t{7});
    const auto failed = chart_->readout_at(*chart_->measured_position_of(5));
    QVERIFY(failed->lines.contains(QStringLiteral("failed: COMPILE_HOST")));
    QTest::mouseClick(chart_.get(), Qt::LeftButton, {}, chart_->measured_position_of(5)->toPoint());
    QCOMPARE(spy.takeFirst()[0].toLongLong(), 5);

    QTest::keyClick(chart_.get(), Qt::Key_Escape);
    QTest::keyClick(chart_.get(), Qt::Key_Right);
    QCOMPARE(chart_->readout()->row, std::int64_t{7});  // the last one with a value
    QTest::keyClick(chart_.get(), Qt::Key_Left);
    QCOMPARE(chart_->readout()->row, std::int64_t{5});
    QTest::keyClick(chart_.get(), Qt::Key_K);
    QTest::keyClick(chart_.get(), Qt::Key_K);
    QCOMPARE(chart_->readout()->row, std::int64_t{4});  // nothing before it
    QTest::keyClick(chart_.get(), Qt::Key_Return);
    QCOMPARE(spy.takeFirst()[0].toLongLong(), 4);
    // Another batch.
    chart_->set_data(small_session().data("epsilon"));
    QTest::keyClick(chart_.get(), Qt::Key_Right);
    QTest::keyClick(chart_.get(), Qt::Key_Down);
    QCOMPARE(chart_->readout()->row, std::int64_t{3});
    QTest::keyClick(chart_.get(), Qt::Key_Up);
    QCOMPARE(chart_->readout()->row, std::int64_t{4});
    QTest::keyClick(chart_.get(), Qt::Key_Up);
    QCOMPARE(chart_->readout()->row, std::int64_t{4});
  }

  void a_state_of_the_tuner_is_a_line_of_steps() {
    chart_->set_data(small_session().data("epsilon"));
    QCOMPARE(chart_->y_axis().range.low, 0.0);
    QVERIFY(chart_->y_axis().range.high > 0.25 && chart_->y_axis().range.high <= 1);
    QVERIFY(chart_->frame().lanes.empty());
    const charts::PlotFrame frame = chart_->frame();
    const QImage image = chart_->to_image(1);
    QVERIFY(has_colour_near(image, frame.map(2.5, 0.05), style::colours().accent));
    QVERIFY(has_colour_near(image, frame.map(6.5, 0.25), style::colours().accent));
    QVERIFY(!has_colour_near(image, frame.map(3.5, 0.25), style::colours().accent));
    QVERIFY(has_colour_near(image, frame.map(4, 0.15), style::colours().accent));  // the step itself
    QVERIFY(chart_->explanation().contains(QStringLiteral("equation 3")));
  }

  void a_series_of_an_unknown_name_is_drawn_as_it_is() {
    SeriesSession session;
    for (std::int64_t number = 0; number < 30; ++number) {
      session.trials.append(valid_row(number, 100), {});
      session.series.set(number, "weird_score", static_cast<double>(number) - 40);
    }
    chart_->set_data(session.data("weird_score"));
    QVERIFY(chart_->accessibleName().startsWith(QStringLiteral("Weird score, 30 of 30 trials, -40 to -11")));
    QVERIFY(chart_->y_axis().range.contains(-40) && chart_->y_axis().range.contains(-11));
    QVERIFY(chart_->y_axis().range.high < 0);
    QCOMPARE(chart_->readout_at(*chart_->position_of(3))->lines[0], QStringLiteral("trial 3: -37"));
    QVERIFY(!chart_->quality());
    QVERIFY(chart_->explanation().contains(QStringLiteral("weird_score")));
    QCOMPARE(chart_->table().columns[4], std::string("weird_score"));
  }

  void stray_values_do_not_ruin_the_axis() {
    std::mt19937_64 random = seeded();
    SeriesSession session;
    for (std::int64_t number = 0; number < 2000; ++number) {
      session.trials.append(valid_row(number, 100), {});
      session.series.set(number, "score", number == 700 ? 1e9 : static_cast<double>(random() % 1000) / 100);
    }
    chart_->set_data(session.data("score"));
    QVERIFY(chart_->y_axis().range.contains(9.9) && chart_->y_axis().range.high < 100);
    chart_->set_show_all(true);
    QVERIFY(chart_->y_axis().range.contains(1e9));
  }

  void samples_that_were_not_needed() {
    SeriesSession session;
    for (std::int64_t number = 0; number < 10; ++number) {
      trial::Row row = number == 4 ? failed_row(4, trial::ErrorCategory::RunTimeout) : valid_row(number, 100);
      row.samples_saved = number % 2 == 0 ? 450 : 0;
      session.trials.append(row, {});
    }
    chart_->set_data(session.data());
    QCOMPARE(chart_->data().figure.name, std::string(analysis::saved_samples_figure));
    QVERIFY(!chart_->position_of(4));
    QVERIFY(chart_->position_of(1));
    QCOMPARE(chart_->readout_at(*chart_->position_of(2))->lines[0], QStringLiteral("trial 2: 450 samples"));
    QCOMPARE(number_in(chart_->table(), 2, 4), 450.0);
    QVERIFY(std::isnan(number_in(chart_->table(), 4, 4)));
  }

  void table_equals_the_data() {
    const charts::Table table = chart_->table();
    QCOMPARE(table.columns[4], std::string("predicted_mean (GFLOPS)"));
    QCOMPARE(table.columns[5], std::string("predicted_deviation (GFLOPS)"));
    QCOMPARE(table.columns[6], std::string("measured (GFLOPS)"));
    QCOMPARE(table.rows.size(), std::size_t{8});
    QVERIFY(std::isnan(number_in(table, 0, 4)));
    QCOMPARE(number_in(table, 0, 6), 50.0);
    QCOMPARE(number_in(table, 5, 4), 220.0);
    QVERIFY(std::isnan(number_in(table, 5, 6)));
    QCOMPARE(number_in(table, 7, 5), 30.0);
    QVERIFY(
        QString::fromStdString(charts::to_csv(table)).contains(QStringLiteral("\n6,6,NO_ERROR,3,,,300\n")));
  }

  void values_that_come_late_give_the_picture_of_a_new_chart() {
    std::mt19937_64 random = seeded();
    SeriesSession session;
    chart_->set_data({});
    for (std::int64_t batch = 0; batch < 12; ++batch) {
      const std::int64_t first = session.trials.size();
      const std::int64_t size = batch < 6 ? 8 : 3000;
      // The trials of a batch arrive in any order, one after the other; its values after all of them.
      std::vector<std::int64_t> numbers;
      for (std::int64_t number = first; number < first + size; ++number) numbers.push_back(number);
      std::ranges::shuffle(numbers, random);
      for (const std::int64_t number : numbers) {
        session.trials.append(random() % 5 == 0
                                  ? failed_row(number, static_cast<trial::ErrorCategory>(1 + random() % 8))
                                  : valid_row(number, 1 + static_cast<double>(random() % 300)),
                              {});
        if (random() % 1000 == 0) chart_->set_data(session.data("predicted_mean"));
      }
      chart_->set_data(session.data("predicted_mean"));
      for (const std::int64_t number : numbers)
        if (random() % 4 != 0)
          session.predict(number, static_cast<double>(random() % 300), static_cast<double>(random() % 30));
      chart_->set_data(session.data("predicted_mean"));
      TestChart fresh;
      fresh.resize(chart_->size());
      fresh.set_data(session.data("predicted_mean"));
      QVERIFY(chart_->to_image(1) == fresh.to_image(1));
      QCOMPARE(chart_->summary(), fresh.summary());
      QVERIFY(chart_->quality() == fresh.quality());
      const std::int64_t last = session.trials.size() - 1;
      for (std::int64_t row = std::max<std::int64_t>(0, last - 20); row <= last; ++row)
        QCOMPARE(chart_->position_of(row).has_value(),
                 !std::isnan(session.series.snapshot()
                                 .find("predicted_mean")
                                 ->at(session.trials.snapshot().row(row).number)));
    }
  }

  void the_zoom_stays_while_it_grows_and_goes_with_the_figure() {
    SeriesSession session = small_session();
    chart_->set_data(session.data("epsilon"));
    chart_->zoom_to({2, 6}, {0.1, 0.2});
    session.trials.append(valid_row(8, 100), {});
    session.series.set(8, "epsilon", 0.9);
    chart_->set_data(session.data("epsilon"));
    QCOMPARE(chart_->x_axis().range.high, 6.0);
    chart_->set_data(session.data("predicted_mean"));
    QVERIFY(chart_->at_home());
  }

  void predictions_are_judged_by_their_order() {
    SeriesSession session;
    for (std::int64_t number = 0; number < 40; ++number) {
      const bool fails = number % 10 == 9;
      session.trials.append(fails ? failed_row(number, trial::ErrorCategory::WrongAnswer)
                                  : valid_row(number, 100 + static_cast<double>(number)),
                            {});
      session.series.set(number, "predicted_score", static_cast<double>(number) * 1e-3);
    }
    chart_->set_data(session.data("predicted_score"));
    QVERIFY(chart_->quality() == (analysis::PredictionQuality{1, 36, true}));
    QVERIFY(chart_->to_svg().contains("rank correlation 1 (36 valid trials)"));
    // A score is not in the unit of what is measured: it does not stand over it.
    QVERIFY(!chart_->measured_position_of(3));
    QVERIFY(chart_->measured_position_of(9));
    QVERIFY(chart_->y_axis().range.high < 1);
  }

  void against_session_time_and_logarithmic() {
    chart_->set_x(charts::ProgressX::Seconds);
    QCOMPARE(chart_->position_of(4)->x(), chart_->frame().map_x(2.0));
    QVERIFY(chart_->frame().lanes[0].contains(*chart_->measured_position_of(5)));
    chart_->setFocus();
    QTest::keyClick(chart_.get(), Qt::Key_L);
    QCOMPARE(chart_->y_scale(), charts::AxisScale::Log10);
    QVERIFY(std::abs(chart_->position_of(7)->y() - chart_->frame().map_y(100)) < 1e-6);
    const QRectF all = chart_->frame().plot;
    QCOMPARE(chart_->rows_in(all), std::vector<qint64>({4, 5, 7}));
  }

  void selection_current_and_rectangles() {
    QCOMPARE(chart_->rows_in(QRectF(*chart_->position_of(4) - QPointF(3, 3), QSizeF(6, 6))),
             std::vector<qint64>{4});
    QCOMPARE(chart_->rows_in(QRectF(*chart_->measured_position_of(7) - QPointF(3, 3), QSizeF(6, 6))),
             std::vector<qint64>{7});
    analysis::RowSet selection(8);
    selection.set(5);
    selection.set(6);  // without a value: nothing to mark
    chart_->set_selection(selection);
    const QPointF fifth = *chart_->position_of(5);
    const QColor marked = chart_->to_image(2).pixelColor((fifth * 2).toPoint());
    QVERIFY(std::abs(marked.red() - style::colours().marked.red()) < 20 &&
            std::abs(marked.green() - style::colours().marked.green()) < 20);
    const QImage without = chart_->grab().toImage();
    chart_->set_current_row(7);
    const QPointF ring = *chart_->position_of(7) + QPointF(6.5, 0);
    QVERIFY(has_colour_near(chart_->grab().toImage(), ring, style::colours().text));
    QVERIFY(!has_colour_near(without, ring, style::colours().text));
    chart_->set_current_row(6);
    QVERIFY(!has_colour_near(chart_->grab().toImage(), ring, style::colours().text));
  }

  void a_million_trials() {
    std::mt19937_64 random = seeded();
    SeriesSession session;
    for (std::int64_t number = 0; number < 1'000'000; ++number) {
      session.trials.append(valid_row(number, 100 + static_cast<double>(random() % 50)), {});
      session.series.set(number, "estimated_fitness", 200 + static_cast<double>(random() % 50));
    }
    const charts::SeriesData data = session.data();
    chart_->set_data(data);
    const charts::PlotFrame frame = chart_->frame();
    QVERIFY(frame.x.range.contains(1e6) && frame.y.range.contains(249));
    const QImage image = chart_->to_image(1);
    const QColor ground = image.pixelColor(frame.map(5e5, 180).toPoint());
    QVERIFY(image.pixelColor(frame.map(5e5, 225).toPoint()) != ground);
    QVERIFY(image.pixelColor(frame.map(5e5, 125).toPoint()) != ground);
    QVERIFY(!chart_->quality()->all);
    // The same values again: nothing is read, nothing is painted anew but the picture.
    chart_->set_data(data);
    QVERIFY(chart_->to_image(1) == image);
    QVERIFY(chart_->readout_at(*chart_->position_of(123'456)).has_value());
  }

  void strange_data_do_no_harm() {
    std::mt19937_64 random = seeded();
    const std::array strange = {0.0, none, HUGE_VAL, -HUGE_VAL, -1.0, 1e-300, 1e300, 1e-3, 2e-3};
    const auto any = [&] { return strange[random() % strange.size()]; };
    for (int round = 0; round < 150; ++round) {
      SeriesSession session;
      const std::size_t size = std::array<std::size_t, 4>{0, 1, 2, 60}[random() % 4];
      for (std::size_t number = 0; number < size; ++number) {
        trial::Row row = valid_row(static_cast<std::int64_t>(number), 100);
        row.median_seconds = any();
        if (random() % 3 == 0) row.finished_seconds = any();
        if (random() % 4 == 0) row.category = static_cast<trial::ErrorCategory>(1 + random() % 8);
        session.trials.append(row, {});
        session.predict(row.number, any(), any());
        session.series.set(row.number, "epsilon", any());
      }
      charts::SeriesData data = session.data(random() % 2 == 0 ? "epsilon" : "predicted_mean");
      data.session = round;
      data.flops = any();
      data.interruption_seconds = {any()};
      data.session_seconds = any();
      chart_->resize(static_cast<int>(1 + random() % 700), static_cast<int>(1 + random() % 400));
      chart_->set_data(data);
      chart_->set_x(random() % 2 == 0 ? charts::ProgressX::Trials : charts::ProgressX::Seconds);
      chart_->set_y_scale(random() % 2 == 0 ? charts::AxisScale::Linear : charts::AxisScale::Log10);
      QVERIFY(!chart_->to_image(1).isNull());
      const QByteArray svg = chart_->to_svg();
      QVERIFY(!svg.contains("nan\"") && !svg.contains("inf\""));
      chart_->set_current_row(static_cast<std::int64_t>(random() % 4) - 1);
      QTest::keyClick(chart_.get(), Qt::Key_Right);
      QTest::keyClick(chart_.get(), Qt::Key_Down);
      QTest::keyClick(chart_.get(), Qt::Key_Plus);
      QTest::mouseMove(chart_.get(),
                       QPoint(static_cast<int>(random() % 300), static_cast<int>(random() % 200)));
      QVERIFY(!chart_->grab().isNull());
      QVERIFY(!chart_->explanation().isEmpty());
    }
  }

  void a_session_is_read_on_and_its_snapshots_stay() {
    const gui_tests::Database database;
    const store::SessionId id = database.add_session(60);
    store::Store store = *store::Store::open(database.path());
    workspace::SourceReader reader(store, id);
    const workspace::Source before = *reader.read();
    QVERIFY(before->series.empty() && figures::series_figures_of(*before).empty());
    QCOMPARE(before->time().saved.samples, 0);
    // Its values come after its trials.
    std::vector<store::StoredSeries> values;
    for (std::int64_t trial = 0; trial < 60; ++trial) values.push_back({trial, "epsilon", 0.5});
    QVERIFY(store.series().append(id, values));
    const workspace::Source with_values = *reader.read();
    QCOMPARE(with_values->trials.size(), 60);
    QCOMPARE(with_values->series.value_count(), 60);
    QCOMPARE(figures::series_figures_of(*with_values).size(), std::size_t{1});
    // The next batch: first its trials, then its values. One saved samples.
    store::SessionStatus status = with_values->status;
    trial::Trial trial = *store.trials().get(id, 0);
    trial.number = status.trial_count++;
    trial.batch += 1000;
    trial.measurement.category = trial::ErrorCategory::NoError;
    trial.measurement.samples_seconds = {1e-3, 1e-3};
    trial.measurement.samples_saved = 40;
    QVERIFY(store.trials().append(id, std::vector{trial}, status));
    const workspace::Source with_trial = *reader.read();
    QCOMPARE(with_trial->trials.size(), 61);
    QCOMPARE(with_trial->series.value_count(), 60);
    QCOMPARE(with_trial->time().saved.samples, 40);
    QVERIFY(with_trial->time().saved.seconds > 0.039);
    QCOMPARE(figures::series_figures_of(*with_trial).size(), std::size_t{2});
    QVERIFY(
        store.series().append(id, std::vector<store::StoredSeries>{{60, "epsilon", 0.25}, {60, "new", 1}}));
    const workspace::Source whole = *reader.read();
    QCOMPARE(whole->series.find("epsilon")->at(60), 0.25);
    QCOMPARE(figures::series_figures_of(*whole).size(), std::size_t{3});
    // Who holds an old one sees what it was.
    QVERIFY(before->series.empty());
    QVERIFY(std::isnan(with_values->series.find("epsilon")->at(60)));
    QVERIFY(with_trial->series.find("new") == nullptr);
    // A reader that begins now sees the same.
    const workspace::Source fresh = *workspace::SourceReader(store, id).read();
    QCOMPARE(fresh->series.value_count(), whole->series.value_count());
    QCOMPARE(fresh->time().saved.seconds, whole->time().saved.seconds);
  }

  void a_report_draws_what_the_tuner_reported() {
    const gui_tests::Database database;
    const store::SessionId silent = database.add_session(30);
    const store::SessionId reported = database.add_session(30);
    store::Store store = *store::Store::open(database.path());
    std::vector<store::StoredSeries> values;
    for (std::int64_t trial = 10; trial < 30; ++trial) {
      values.push_back({trial, "predicted_mean", 100});
      values.push_back({trial, "predicted_deviation", 10});
      values.push_back({trial, "epsilon", 0.5});
      for (const std::string column : {"a", "b"}) values.push_back({trial, "lengthscale " + column, 0.5});
    }
    QVERIFY(store.series().append(reported, values));
    const auto series_in = [&](store::SessionId id) {
      QStringList titles;
      const report::Document document = report::session_report_document(store, id).value();
      for (const report::Block& block : document.blocks) {
        const auto* figure = std::get_if<figures::Figure>(&block);
        if (figure == nullptr) continue;
        const std::unique_ptr<charts::Chart> chart = figure->make();
        const bool all = qobject_cast<charts::SeriesChart*>(chart.get()) != nullptr;
        const bool of_model = qobject_cast<charts::PredictionChart*>(chart.get()) != nullptr ||
                              qobject_cast<charts::RelevanceChart*>(chart.get()) != nullptr;
        if (!all && !of_model) continue;
        titles << chart->title();
        const std::size_t rows = chart->table().rows.size();
        if (rows == 0 || (all && rows != 30) || figure->text.caption.isEmpty())
          titles << QStringLiteral("empty");
      }
      return titles;
    };
    QVERIFY(series_in(silent).isEmpty());
    QCOMPARE(series_in(reported), QStringList({QStringLiteral("Predicted against measured"),
                                               QStringLiteral("Relevance of columns so far"),
                                               QStringLiteral("Predicted performance"),
                                               QStringLiteral("Exploration: share of random candidates")}));
  }

 private:
  std::unique_ptr<TestChart> chart_;
};

KERNELSCAPE_TEST(SeriesChartTest, QApplication)

}  // namespace kernelscape::series_chart_test
#include "series_chart_test.moc"
