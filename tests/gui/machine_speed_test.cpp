#include <QApplication>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <ranges>

#include "core/trial/session_speeds.h"
#include "tests/gui/series_session.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "tests/trial/slow_session.h"
#include "ui/charts/curves/machine_strip.h"
#include "ui/charts/curves/prediction_chart.h"
#include "ui/charts/curves/progress_chart.h"
#include "ui/charts/curves/series_chart.h"

namespace kernelscape::machine_speed_test {
namespace {

constexpr std::int64_t trials_of_session = 400;

/** A session on a machine with slow phases; without readings if `probes` is false. */
charts::ProgressData random_data(base::Random& random, bool probes) {
  trial::Table table(0);
  trial::SessionSpeedReader reader(made_usual_probe, trial::KernelBound::Compute);
  const std::vector<double> slowdowns = random_slowdowns(random, trials_of_session);
  for (std::int64_t number = 0; number < trials_of_session; ++number) {
    trial::Row row = random.chance(0.2) ? chart_tests::failed_row(number, trial::ErrorCategory::CompileHost)
                                        : chart_tests::valid_row(number, 50 + 300 * random.uniform());
    if (probes && row.category == trial::ErrorCategory::NoError)
      set_probes(random, row, slowdowns[static_cast<std::size_t>(number)]);
    table.append(row, {});
    reader.add(row);
  }
  charts::ProgressData data;
  data.speeds = reader.speeds();
  data.trials = trial::with_speeds(table.snapshot(), data.speeds);
  data.flops = chart_tests::flops;
  data.improvements = analysis::best_so_far(data.trials);
  return data;
}

/** A session of two workers of a fleet, the second of which is slow from trial 100 to 199. */
charts::ProgressData fleet_data(base::Random& random) {
  trial::Table table(0);
  trial::SessionSpeedReader reader({}, trial::KernelBound::Compute);
  for (std::int64_t number = 0; number < trials_of_session; ++number) {
    trial::Row row = chart_tests::valid_row(number, 50 + 300 * random.uniform());
    row.worker = random.chance(0.5) ? 1 : 2;
    set_probes(random, row, row.worker == 2 && number >= 100 && number < 200 ? 3 : 1);
    table.append(row, {});
    reader.add(row);
  }
  reader.set_workers({"desk1", "desk2"});
  charts::ProgressData data;
  data.speeds = reader.speeds();
  data.trials = trial::with_speeds(table.snapshot(), data.speeds);
  data.flops = chart_tests::flops;
  data.improvements = analysis::best_so_far(data.trials);
  return data;
}

/** The session with a prediction of 200 for each trial. */
charts::SeriesData predicted(const charts::ProgressData& session) {
  chart_tests::SeriesSession values;
  for (std::int64_t number = 0; number < trials_of_session; ++number) values.predict(number, 200, 20);
  charts::SeriesData data = values.data();
  data.trials = session.trials;
  data.speeds = session.speeds;
  return data;
}

/** Compares where both charts draw the measured values with the trials' own times, times their corrections.
 */
void compare_measured(charts::PredictionChart& predictions, charts::SeriesChart& series,
                      const charts::SeriesData& data, bool corrected) {
  predictions.set_data(data);
  series.set_data(data);
  for (std::int64_t row = 0; row < trials_of_session; ++row) {
    const trial::Row trial = data.trials.row(row);
    if (trial.category != trial::ErrorCategory::NoError) continue;
    const double factor = corrected ? trial.machine.correction : 1;
    const double gflops = chart_tests::flops / (trial.median_seconds * factor) / 1e9;
    QVERIFY(std::abs(predictions.position_of(row).value().y() - predictions.frame().map_y(gflops)) < 1e-6);
    QVERIFY(std::abs(series.measured_position_of(row).value().y() - series.frame().map_y(gflops)) < 1e-6);
  }
  for (charts::Chart* chart : std::initializer_list<charts::Chart*>{&predictions, &series}) {
    QCOMPARE(QString::fromUtf8(chart->to_svg()).contains(charts::corrected_label()), corrected);
    chart_tests::check_painting(*chart);
  }
}

/** By the plainest means: phases of a track that was given the rows. */
std::vector<trial::SlowPhase> phases_of(const trial::Snapshot& trials) {
  trial::SpeedTrack track(made_usual_probe, trial::KernelBound::Compute);
  for (std::int64_t row = 0; row < trials.size(); ++row) track.add(trial::speed_reading(trials.row(row)));
  return {track.phases().begin(), track.phases().end()};
}

void compare_shading(const charts::XyChart& chart, const std::vector<trial::SlowPhase>& phases,
                     charts::ProgressX x) {
  QCOMPARE(chart.shaded().size(), phases.size());
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const charts::ShadedInterval& shown = chart.shaded()[i];
    const trial::SlowPhase& phase = phases[i];
    QCOMPARE(shown.text.toStdString(), trial::describe(phase));
    if (x == charts::ProgressX::Seconds) {
      QCOMPARE(shown.x, (charts::Interval{phase.begin_seconds, phase.end_seconds}));
    } else {
      for (std::int64_t row = 0; row < trials_of_session; ++row)
        QCOMPARE(shown.x.contains(static_cast<double>(row)), row >= phase.first_row && row <= phase.last_row);
    }
  }
}

}  // namespace

class MachineSpeedTest : public QObject {
  Q_OBJECT

 private slots:
  void charts_shade_the_phases_of_the_track() {
    base::Random random(testing::random_seed());
    const charts::ProgressData data = random_data(random, true);
    const std::vector<trial::SlowPhase> phases = phases_of(data.trials);
    QVERIFY(!phases.empty());
    charts::ProgressChart progress;
    charts::SeriesChart series;
    for (charts::Chart* chart : std::initializer_list<charts::Chart*>{&progress, &series})
      chart->resize(700, 400);
    progress.set_data(data);
    charts::SeriesData series_data = chart_tests::small_session().data();
    series_data.trials = data.trials;
    series_data.speeds = data.speeds;
    series.set_data(series_data);
    for (const charts::ProgressX x : {charts::ProgressX::Trials, charts::ProgressX::Seconds}) {
      progress.set_x(x);
      series.set_x(x);
      compare_shading(progress, phases, x);
      compare_shading(series, phases, x);
    }
    chart_tests::check_painting(progress);
    chart_tests::check_painting(series);
    QVERIFY(progress.summary().contains(QString::fromStdString(trial::describe(phases.front()))));
    QVERIFY(QString::fromUtf8(progress.to_svg()).contains(charts::slow_phase_label()));
  }

  void measured_values_of_slow_phases_are_corrected() {
    base::Random random(testing::random_seed());
    const charts::ProgressData session = random_data(random, true);
    std::int64_t slow = 0;
    while (!charts::is_corrected(session.trials.row(slow))) ++slow;
    charts::PredictionChart predictions;
    charts::SeriesChart series;
    for (charts::Chart* chart : std::initializer_list<charts::Chart*>{&predictions, &series})
      chart->resize(900, 500);
    const charts::SeriesData data = predicted(session);
    compare_measured(predictions, series, data, true);
    const auto readout = predictions.readout_at(predictions.position_of(slow).value());
    QVERIFY(readout.has_value());
    // A later reading can end or change a correction: earlier trials move.
    charts::SeriesData uncorrected = data;
    auto no_speeds = std::make_shared<trial::SessionSpeeds>();
    no_speeds->trials.resize(data.speeds->trials.size());
    uncorrected.speeds = no_speeds;
    uncorrected.trials = trial::with_speeds(session.trials, uncorrected.speeds);
    compare_measured(predictions, series, uncorrected, false);
    compare_measured(predictions, series, data, true);
  }

  void the_strip_names_phases_and_speeds() {
    base::Random random(testing::random_seed());
    charts::ProgressChart chart;
    chart.resize(900, 400);
    const charts::ProgressData data = random_data(random, true);
    chart.set_data(data);
    const charts::PlotFrame frame = chart.frame();
    QVERIFY(!frame.strip.isEmpty());
    QVERIFY(frame.strip.top() > frame.lanes.back().bottom());
    const trial::SlowPhase phase = data.speeds->phases.front();
    const double middle = static_cast<double>(phase.first_row + phase.last_row) / 2;
    const auto readout = chart.readout_at({frame.map_x(middle), frame.strip.center().y()});
    QVERIFY(readout.has_value());
    QCOMPARE(readout->lines.front().toStdString(), trial::describe(phase));
    const auto strip =
        charts::strip_position(frame, data.trials.row(phase.first_row), phase.first_row, chart.x());
    if (strip) QVERIFY(frame.strip.contains(*strip));
  }

  void a_slow_worker_marks_only_its_own_trials() {
    base::Random random(testing::random_seed());
    const charts::ProgressData data = fleet_data(random);
    std::vector<std::int64_t> slow;
    for (std::int64_t row = 0; row < trials_of_session; ++row)
      if (data.trials.row(row).machine.slow_phase) slow.push_back(row);
    QVERIFY(slow.size() > 20);
    QVERIFY(std::ranges::all_of(slow, [&](std::int64_t row) { return data.trials.row(row).worker == 2; }));
    QCOMPARE(charts::slow_worker_rows(data.speeds.get(), data.trials), slow);
    charts::ProgressChart chart;
    chart.resize(900, 400);
    chart.set_data(data);
    for (const charts::ProgressX x : {charts::ProgressX::Trials, charts::ProgressX::Seconds}) {
      chart.set_x(x);
      QVERIFY(chart.shaded().empty());
      QCOMPARE(chart.slow_worker_count(), slow.size());
    }
    chart_tests::check_painting(chart);
    QVERIFY(chart.summary().contains(QStringLiteral("worker desk2 ran at")));
    QVERIFY(QString::fromUtf8(chart.to_svg()).contains(QStringLiteral("worker slower than usual")));
    QVERIFY(charts::worker_phase_text(data.speeds.get(), data.trials.row(slow.front()), slow.front())
                .contains(QStringLiteral("desk2")));
    const auto quick =
        std::ranges::find_if(std::views::iota(std::int64_t{100}, std::int64_t{200}),
                             [&](std::int64_t row) { return data.trials.row(row).worker == 1; });
    QVERIFY(charts::worker_phase_text(data.speeds.get(), data.trials.row(*quick), *quick).isEmpty());
    // Trials that do not pass a filter are faint, without a mark.
    charts::ProgressData filtered = data;
    const std::vector<std::int64_t> passing{slow[0], slow[1], slow[5]};
    filtered.passing = {QStringLiteral("some"), std::make_shared<const analysis::RowSet>(
                                                    analysis::RowSet::of(trials_of_session, passing))};
    chart.set_data(filtered);
    QCOMPARE(chart.slow_worker_count(), passing.size());
    chart.set_data(data);
    QCOMPARE(chart.slow_worker_count(), slow.size());
    // A later snapshot of the same rows, in which no worker is slow.
    charts::ProgressData corrected = data;
    corrected.speeds = std::make_shared<const trial::SessionSpeeds>();
    chart.set_data(corrected);
    QCOMPARE(chart.slow_worker_count(), std::size_t(0));
    chart.set_data(data);
    QCOMPARE(chart.slow_worker_count(), slow.size());
    // Data of one machine, then: no mark stays.
    chart.set_data(random_data(random, true));
    QCOMPARE(chart.slow_worker_count(), std::size_t(0));
  }

  void tables_have_the_speed_of_each_trial() {
    base::Random random(testing::random_seed());
    charts::ProgressChart chart;
    const charts::ProgressData data = random_data(random, true);
    chart.set_data(data);
    const charts::Table table = chart.table();
    const auto column = static_cast<std::size_t>(
        std::ranges::find(table.columns, std::string("machine speed (%)")) - table.columns.begin());
    QVERIFY(column + 1 < table.columns.size());
    for (std::int64_t row = 0; row < trials_of_session; ++row) {
      const std::vector<charts::Cell>& cells = table.rows[static_cast<std::size_t>(row)];
      const trial::Speed& machine = data.speeds->trials[static_cast<std::size_t>(row)];
      const double speed = std::get<double>(cells[column]);
      QCOMPARE(std::isnan(speed), !machine.speed.known());
      if (machine.speed.known()) QCOMPARE(speed, 100 * machine.speed.lowest());
      QCOMPARE(std::get<std::string>(cells[column + 1]), std::string(machine.slow_phase ? "yes" : "no"));
    }
  }

  void a_session_without_readings_looks_as_before() {
    base::Random random(testing::random_seed());
    charts::ProgressChart chart;
    chart.resize(700, 400);
    chart.set_data(random_data(random, false));
    QVERIFY(chart.shaded().empty());
    QVERIFY(chart.frame().strip.isEmpty());
    const std::vector<std::string> columns = chart.table().columns;
    QVERIFY(std::ranges::find(columns, "slow phase") == columns.end());
    QVERIFY(!chart.explanation().contains(QStringLiteral("usual speed")));
    QVERIFY(!QString::fromUtf8(chart.to_svg()).contains(charts::slow_phase_label()));
    // Data with readings, then without: nothing of them stays.
    chart.set_data(random_data(random, true));
    QVERIFY(!chart.frame().strip.isEmpty());
    chart.set_data(random_data(random, false));
    QVERIFY(chart.shaded().empty() && chart.frame().strip.isEmpty());
  }

  void arrow_keys_go_on_from_the_best_after_a_phase_was_shown() {
    base::Random random(testing::random_seed());
    charts::ProgressChart chart;
    chart.resize(900, 400);
    const charts::ProgressData data = random_data(random, true);
    chart.set_data(data);
    const charts::PlotFrame frame = chart.frame();
    const double x = frame.map_x(static_cast<double>(data.speeds->phases.front().first_row) + 1);
    QTest::mouseMove(&chart, QPointF(x, frame.strip.center().y()).toPoint());
    QTest::keyClick(&chart, Qt::Key_Left);
    QVERIFY(!chart.readout() || chart.readout()->row < trials_of_session);
  }
};

KERNELSCAPE_TEST(MachineSpeedTest, QApplication)

}  // namespace kernelscape::machine_speed_test
#include "machine_speed_test.moc"
