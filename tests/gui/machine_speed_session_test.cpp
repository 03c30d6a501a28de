#include <QApplication>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

#include "core/analysis/filter/filter.h"
#include "core/base/random.h"
#include "core/trial/worker_tracks.h"
#include "tests/gui/gui_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "tests/trial/slow_session.h"
#include "ui/charts/curves/machine_strip.h"
#include "ui/figures/headline.h"
#include "ui/figures/progress_figure.h"
#include "ui/figures/slice_figures.h"
#include "ui/models/trial_table_model.h"

namespace kernelscape::machine_speed_session_test {
namespace {

constexpr std::int64_t trials = 300;

/** A session in a database, on a machine with slow phases; without readings if `probes` is false. */
store::SessionId add_session(const gui_tests::Database& database, base::Random& random, bool probes) {
  const std::vector<double> slowdowns = random_slowdowns(random, trials);
  std::size_t measured = 0;
  MeasurementScript script = gui_tests::make_script();
  script.measure = [&](const space::Configuration& configuration) {
    trial::Measurement measurement = gui_tests::scripted_measurement(configuration);
    const double slowdown = slowdowns[std::min(measured++, slowdowns.size() - 1)];
    if (!probes) return measurement;
    const trial::ProbeSeconds before = made_probe(random, slowdown);
    const trial::ProbeSeconds after = made_probe(random, slowdown);
    measurement.compute_probe_before_seconds = before.compute;
    measurement.memory_probe_before_seconds = before.memory;
    measurement.compute_probe_after_seconds = after.compute;
    measurement.memory_probe_after_seconds = after.memory;
    return measurement;
  };
  return database.add_session(session_tests::make_setup("random", 5, trials, 20), script);
}

/** The phases of the stored rows, without the classes that views use. */
trial::WorkerTracks stored_tracks(const gui_tests::Database& database, store::SessionId session) {
  const store::Store store = *store::Store::open(database.path());
  trial::WorkerTracks tracks(store.sessions().get(session)->record.usual_probe, trial::KernelBound::Unknown);
  const std::vector<store::ArrivedRow> rows = *store.trials().rows(session);
  for (const store::ArrivedRow& row : rows) tracks.add(trial::speed_reading(row), 0);
  return tracks;
}

}  // namespace

class MachineSpeedSessionTest : public QObject {
  Q_OBJECT

 private slots:
  void views_know_the_phases_of_the_stored_rows() {
    base::Random random(testing::random_seed());
    const gui_tests::Database database;
    const store::SessionId session = add_session(database, random, true);
    const trial::WorkerTracks tracks = stored_tracks(database, session);
    QVERIFY(!tracks.phases().empty());
    workspace::Workspace workspace(database.path());
    models::TrialTableModel model(workspace);
    QVERIFY(gui_tests::open_and_wait(workspace, session));
    const workspace::SourceData& source = *workspace.source();
    QVERIFY(source.speeds != nullptr);
    QVERIFY(std::ranges::equal(source.slow_phases(), tracks.phases()));
    QVERIFY(source.coverage_text().contains("slower than usual"));
    const charts::ProgressData data = figures::progress_data(source);
    QCOMPARE(data.speeds, source.speeds);
    QVERIFY(workspace.set_filters({QStringLiteral("speed < 90")}));
    QTRY_VERIFY(!model.busy());
    std::vector<std::uint32_t> slow;
    for (std::int64_t row = 0; row < tracks.rows(); ++row)
      if (const trial::MachineSpeed speed = tracks.of_row(row).speed; speed.known() && speed.lowest() < 0.9)
        slow.push_back(static_cast<std::uint32_t>(row));
    QVERIFY(!slow.empty());
    QCOMPARE(std::vector<std::uint32_t>(model.rows().begin(), model.rows().end()), slow);
  }

  void slices_compare_with_corrected_times() {
    base::Random random(testing::random_seed());
    const gui_tests::Database database;
    workspace::Workspace workspace(database.path());
    QVERIFY(gui_tests::open_and_wait(workspace, add_session(database, random, true)));
    const workspace::Source source = workspace.source();
    std::int64_t slow = 0;
    const auto in_slice = [&](std::int64_t row) {
      const trial::Row trial = source->trials.row(row);
      return trial.category == trial::ErrorCategory::NoError && charts::is_corrected(trial);
    };
    while (slow < source->trials.size() && !in_slice(slow)) ++slow;
    QVERIFY(slow < source->trials.size());
    const workspace::JobControl control(std::make_shared<std::atomic<bool>>(false), [](double) {});
    const figures::Shown shown = figures::make_shown(source, {}, std::nullopt, control);
    const auto [x, y] = figures::slice_knobs(source->space());
    // The slice through a trial of a slow phase has this trial.
    const figures::SliceOutcome outcome =
        figures::slices_of({.shown = shown, .x = x, .y = y, .row = slow}, {}, control);
    const auto compare = [&](const std::vector<analysis::HeatCell>& cells,
                             const std::vector<bool>& corrected) {
      QCOMPARE(corrected.size(), cells.size());
      QVERIFY(std::ranges::any_of(corrected, std::identity()));
      for (std::size_t cell = 0; cell < cells.size(); ++cell) {
        if (cells[cell].valid == 0) continue;
        const trial::Row best = source->trials.row(cells[cell].best_row);
        const double seconds = best.median_seconds * best.machine.correction;
        const double expected = shown->higher_is_better ? source->flops() / seconds / 1e9 : seconds * 1e3;
        QVERIFY(std::abs(cells[cell].best / expected - 1) < 1e-9);
        QCOMPARE(static_cast<bool>(corrected[cell]), charts::is_corrected(best));
      }
    };
    compare(outcome.slice.data.measured, outcome.slice.data.corrected);
    compare(outcome.contour.data.cells, outcome.contour.data.corrected);
  }

  void a_session_without_readings_has_no_speed() {
    base::Random random(testing::random_seed());
    const gui_tests::Database database;
    const store::SessionId session = add_session(database, random, false);
    workspace::Workspace workspace(database.path());
    QVERIFY(gui_tests::open_and_wait(workspace, session));
    const workspace::SourceData& source = *workspace.source();
    QVERIFY(source.speeds == nullptr && source.slow_phases().empty());
    QVERIFY(!source.columns().find(trial::Measured::Speed) &&
            !source.columns().find(trial::Measured::SlowPhase));
    QVERIFY(!source.coverage_text().contains("slower than usual"));
    QVERIFY(!workspace.set_filters({QStringLiteral("speed < 90")}));
  }

  void the_headline_says_how_fast_the_machine_is() {
    const gui_tests::Database database;
    const store::SessionId session = database.add_session(10);
    workspace::Workspace workspace(database.path());
    QVERIFY(gui_tests::open_and_wait(workspace, session));
    workspace::RunView run;
    run.state = workspace::RunState::Running;
    run.batch.speed = {.compute = 0.28, .memory = 0.5};
    QVERIFY(figures::headline_text(*workspace.source(), run).state.contains("machine at 28 % of its speed"));
    run.batch.waiting = true;
    QVERIFY(figures::headline_text(*workspace.source(), run).state.contains("waiting for the machine"));
    run.batch = {.speed = {.compute = 0.99, .memory = 1}};
    QVERIFY(!figures::headline_text(*workspace.source(), run).state.contains("machine"));
  }
};

KERNELSCAPE_TEST(MachineSpeedSessionTest, QApplication)

}  // namespace kernelscape::machine_speed_session_test
#include "machine_speed_session_test.moc"
