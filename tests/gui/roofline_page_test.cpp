#include "ui/views/explore/roofline_page.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/measure/cpu/memory_ceilings.h"
#include "tests/gui/chart_support.h"
#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/views/explore/shown_watch.h"
#include "ui/widgets/wrapped_label.h"
#include "ui/workspace/notices.h"

namespace kernelscape::roofline_page_test {
namespace {

using namespace chart_tests;

constexpr int roofline_deadline_milliseconds = 60'000;
constexpr std::int64_t roofline_trial_count = 60;

class TestRooflineChart : public charts::RooflineChart {
 public:
  using charts::RooflineChart::rows_in;
};

trial::MachineCeilings gui_ceilings() {
  return {.peak_gflops = 1000,
          .levels = {{base::MemoryLevel::L1, 4e12, 32e3},
                     {base::MemoryLevel::L2, 1e12, 512e3},
                     {base::MemoryLevel::L3, 400e9, 16e6},
                     {base::MemoryLevel::Memory, 40e9, 256e6}},
          .threads = 2,
          .measured_utc = "2024-01-01T00:00:00Z",
          .notices = {}};
}

/** Three trials, the last of which has no bytes of memory. */
charts::RooflineData some_roofline() {
  charts::RooflineData data{gui_ceilings(), base::MemoryLevel::Memory, {}};
  const auto add = [&](std::int64_t row, double gflops, std::optional<double> intensity) {
    charts::RooflineTrial trial{.row = row, .number = row + 10, .gflops = gflops};
    trial.intensities = {0.5, 4, 10, intensity};
    trial.place.sentence = "compute: 50 % of the FMA peak at this intensity";
    data.trials.push_back(trial);
  };
  add(1, 100, 5);
  add(4, 500, 100);
  add(6, 200, std::nullopt);
  return data;
}

/** A page whose measurements are a test's. */
struct RooflineBench {
  explicit RooflineBench(const gui_tests::Database& database)
      : workspace(database.path(), gui_tests::run_scripted) {
    watch.set_active(true);
    QObject::connect(&workspace, &workspace::Workspace::current_row_changed, &page,
                     &views::ExplorePage::follow_current);
    page.resize(1000, 700);
    page.show();
  }
  ~RooflineBench() { workspace::JobTracker::wait_for_all(); }

  bool open(store::SessionId session) {
    page.set_shown(nullptr);
    workspace.open_session(session);
    const bool opened =
        QTest::qWaitFor([&] { return watch.shown() != nullptr && watch.shown()->source->id() == session; },
                        roofline_deadline_milliseconds);
    if (opened) page.set_shown(watch.shown());
    return opened;
  }
  charts::RooflineChart& chart() { return *page.findChild<charts::RooflineChart*>(); }
  QComboBox& level() { return *page.findChild<QComboBox*>(); }
  QPushButton& button(const QString& text) {
    for (QPushButton* button : page.findChildren<QPushButton*>())
      if (button->text() == text) return *button;
    qFatal("there is no such button");
  }
  QString label(const QString& name) {
    for (widgets::WrappedLabel* label : page.findChildren<widgets::WrappedLabel*>())
      if (label->accessibleName() == name) return label->text();
    qFatal("there is no such label");
  }
  QString answer() { return label(QStringLiteral("Compute or memory")); }
  bool has_trials() {
    return QTest::qWaitFor([&] { return chart().notice().isEmpty() && !chart().data().trials.empty(); },
                           roofline_deadline_milliseconds);
  }

  static Result<trial::MachineCeilings> keep_ceilings(store::Store& store,
                                                      const schedule::TargetDescription& target, int threads,
                                                      const session::StopRequest&) {
    TRY(store.machines().save_measure(measure::machine_key(target, threads), measure::ceilings_kind,
                                      trial::machine_ceilings_to_json(gui_ceilings())));
    return gui_ceilings();
  }
  static Result<trial::CounterReading> keep_counters(store::Store& store, store::SessionId id,
                                                     std::int64_t trial, const session::StopRequest&) {
    trial::CounterReading reading;
    reading.instructions = 2e6;
    reading.cycles = 1e6;
    reading.llc_misses = 1e5;
    reading.calls = 10;
    reading.seconds = 1e-3;
    reading.missing = {{"stalled cycles", "the processor gives none", "run on the machine itself"}};
    TRY(store.trials().save_insight(id, trial, session::counters_kind,
                                    trial::counter_reading_to_json(reading)));
    return reading;
  }

  workspace::Workspace workspace;
  views::ShownWatch watch{workspace};
  views::RooflinePage page{workspace, {keep_ceilings, keep_counters}};
};

}  // namespace

class RooflinePageTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  store::SessionId cpu_ = 0;
  store::SessionId gpu_ = 0;

 private slots:
  void initTestCase() {
    cpu_ = database_.add_session(roofline_trial_count);
    gpu_ = database_.add_gpu_session(roofline_trial_count, false);
  }

  void nothing_yet_is_painted_too() {
    charts::RooflineChart chart;
    chart.resize(400, 300);
    check_painting(chart);
    chart.show();
    QTest::keyClick(&chart, Qt::Key_Right);
    QVERIFY(!chart.readout());
  }

  void trials_stand_under_the_roofs() {
    const auto chart = shown_chart<TestRooflineChart>({640, 420});
    chart->set_data(some_roofline());
    const charts::PlotFrame frame = chart->frame();
    QCOMPARE(frame.x.scale, charts::AxisScale::Log10);
    QCOMPARE(frame.y.scale, charts::AxisScale::Log10);
    // The peak, every ridge and every trial are in sight.
    QVERIFY(frame.y.range.contains(1000));
    for (const double ridge : {0.25, 1.0, 2.5, 25.0}) QVERIFY(frame.x.range.contains(ridge));
    const QPointF at = frame.map(5, 100);
    QVERIFY(std::hypot(chart->position_of(0)->x() - at.x(), chart->position_of(0)->y() - at.y()) < 1e-6);
    QVERIFY(!chart->position_of(2));
    QCOMPARE(chart->rows_in(frame.plot), (std::vector<qint64>{1, 4}));
    QVERIFY(chart->shows(6) && !chart->shows(5));
    charts::RooflineData other = some_roofline();
    other.level = base::MemoryLevel::L2;
    chart->set_data(other);
    QVERIFY(chart->position_of(2).has_value());
    check_painting(*chart);
  }

  void readouts_keys_and_activation() {
    const auto chart = shown_chart<TestRooflineChart>({640, 420});
    chart->set_data(some_roofline());
    QSignalSpy spy(chart.get(), &charts::Chart::row_activated);
    const auto readout = chart->readout_at(*chart->position_of(0));
    QVERIFY(readout.has_value());
    QCOMPARE(readout->lines[0], QStringLiteral("trial 11: 100 GFLOPS"));
    QVERIFY(readout->lines[1].startsWith(QStringLiteral("compute")));
    QCOMPARE(readout->lines[2], QStringLiteral("5 flop for each byte of memory, estimated"));
    // From the best one down to the other, and back by intensity.
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QCOMPARE(chart->readout()->row, std::int64_t{4});
    QTest::keyClick(chart.get(), Qt::Key_Down);
    QCOMPARE(chart->readout()->row, std::int64_t{1});
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QCOMPARE(chart->readout()->row, std::int64_t{4});
    QTest::keyClick(chart.get(), Qt::Key_Return);
    QCOMPARE(spy.takeFirst()[0].toLongLong(), 4);
  }

  void words_and_numbers_have_it_all() {
    const auto chart = shown_chart<TestRooflineChart>({640, 420});
    chart->set_data(some_roofline());
    QVERIFY(chart->accessibleName().contains(QStringLiteral("FMA peak")));
    QVERIFY(chart->accessibleName().contains(QStringLiteral("best 500 GFLOPS")));
    const charts::Table table = chart->table();
    QCOMPARE(table.rows.size(), std::size_t{3 + 1 + 4});
    for (const std::vector<charts::Cell>& row : table.rows) QCOMPARE(row.size(), table.columns.size());
    QVERIFY(chart->explanation().contains(QStringLiteral("Williams")));
  }

  void each_peak_is_drawn_of_what_computes_with_it() {
    const auto chart = shown_chart<TestRooflineChart>({640, 420});
    charts::RooflineData data = some_roofline();
    data.ceilings.byte_peak_gflops = 4000;
    chart->set_data(data);
    QVERIFY(!chart->accessibleName().contains(QStringLiteral("8-bit peak")));
    data.trials[1].place.peak = trial::PeakKind::ByteProducts;
    chart->set_data(data);
    QVERIFY(chart->accessibleName().contains(QStringLiteral("FMA peak 1,000 GFLOPS")));
    QVERIFY(chart->accessibleName().contains(QStringLiteral("8-bit peak 4,000 GFLOPS")));
    QCOMPARE(chart->table().rows.size(), std::size_t{3 + 2 + 4});
    for (charts::RooflineTrial& trial : data.trials) trial.place.peak = trial::PeakKind::ByteProducts;
    chart->set_data(data);
    QVERIFY(!chart->accessibleName().contains(QStringLiteral("FMA peak 1,000")));
    check_painting(*chart);
  }

  void ceilings_are_measured_when_they_are_asked_for() {
    RooflineBench bench(database_);
    QVERIFY(bench.open(cpu_));
    QPushButton& measure = bench.button(QStringLiteral("Measure this machine's ceilings"));
    QTRY_VERIFY_WITH_TIMEOUT(bench.chart().notice().contains(QStringLiteral("have not been measured yet")),
                             roofline_deadline_milliseconds);
    QVERIFY(measure.isEnabled());
    measure.click();
    QVERIFY(bench.has_trials());
    const charts::RooflineData data = bench.chart().data();
    QCOMPARE(data.ceilings, gui_ceilings());
    const workspace::SourceData& source = *bench.workspace.source();
    const auto session = session::roofline_session(source.record());
    QVERIFY(session);
    for (const charts::RooflineTrial& trial : data.trials) {
      const trial::Row row = source.trials.row(trial.row);
      QCOMPARE(trial.number, row.number);
      const auto kernel =
          session::roofline_kernel(*session, source.trials.configuration(trial.row), row.median_seconds);
      QVERIFY(kernel);
      QCOMPARE(trial.gflops, kernel->gflops());
      for (std::size_t level = 0; level < base::memory_level_count; ++level)
        QCOMPARE(*trial.intensities[level], kernel->flops / *kernel->traffic[level].bytes);
      QVERIFY(!trial.place.sentence.empty());
    }
    // Another level is another axis.
    const int l2 = bench.level().findText(QStringLiteral("L2"));
    bench.level().setCurrentIndex(l2);
    QTRY_VERIFY_WITH_TIMEOUT(bench.chart().data().level == base::MemoryLevel::L2,
                             roofline_deadline_milliseconds);
  }

  void the_current_trial_is_answered_and_counted() {
    RooflineBench bench(database_);
    {
      store::Store store = *store::Store::open(database_.path());
      const auto session = session::roofline_session(store.sessions().get(cpu_)->record);
      QVERIFY(RooflineBench::keep_ceilings(store, session->kernel.target(), session->threads,
                                           session::StopRequest()));
    }
    QVERIFY(bench.open(cpu_));
    QVERIFY(bench.has_trials());
    QPushButton& count = bench.button(QStringLiteral("Count this trial"));
    QVERIFY(!count.isEnabled());
    QVERIFY(bench.answer().contains(QStringLiteral("Choose a trial")));
    const charts::RooflineTrial trial = bench.chart().data().trials.front();
    bench.workspace.set_current_row(trial.row);
    QTRY_VERIFY_WITH_TIMEOUT(bench.answer().contains(QString::fromStdString(trial.place.sentence)),
                             roofline_deadline_milliseconds);
    QVERIFY(count.isEnabled());
    count.click();
    const auto details = [&] { return bench.label(QStringLiteral("Counter values")); };
    QTRY_VERIFY_WITH_TIMEOUT(details().contains(QStringLiteral("2 instructions per cycle")),
                             roofline_deadline_milliseconds);
    QVERIFY(details().contains(QStringLiteral("Missing: stalled cycles (the processor gives none)")));
    QVERIFY(details().contains(QStringLiteral("run on the machine itself")));
    const auto counted = [&] {
      const charts::RooflineTrial& now = bench.chart().data().trials.front();
      const auto point =
          std::ranges::find(now.place.points, base::MemoryLevel::Memory, &analysis::RooflinePoint::level);
      return point != now.place.points.end() && point->origin == analysis::TrafficOrigin::Counted;
    };
    QTRY_VERIFY_WITH_TIMEOUT(counted(), roofline_deadline_milliseconds);
  }

  void the_keyboard_stays_on_the_page() {
    const gui_tests::Database database;  // nothing was measured on it
    const store::SessionId session = database.add_session(roofline_trial_count);
    RooflineBench bench(database);
    // Behind the buttons, as other parts of the window are.
    QLineEdit search(&bench.page);
    search.show();
    QVERIFY(QTest::qWaitForWindowActive(&bench.page));
    QVERIFY(bench.open(session));
    QPushButton& measure = bench.button(QStringLiteral("Measure this machine's ceilings"));
    QTRY_VERIFY_WITH_TIMEOUT(measure.isEnabled(), roofline_deadline_milliseconds);
    measure.setFocus();
    QTest::keyClick(&measure, Qt::Key_Space);
    QVERIFY(bench.chart().hasFocus());
    QVERIFY(bench.has_trials());
    QVERIFY(bench.chart().hasFocus());
    bench.workspace.set_current_row(bench.chart().data().trials.front().row);
    QPushButton& count = bench.button(QStringLiteral("Count this trial"));
    QTRY_VERIFY_WITH_TIMEOUT(count.isEnabled(), roofline_deadline_milliseconds);
    count.setFocus();
    QTest::keyClick(&count, Qt::Key_Space);
    QVERIFY(bench.chart().hasFocus());
    QTRY_VERIFY_WITH_TIMEOUT(count.isEnabled(), roofline_deadline_milliseconds);
    QVERIFY(bench.chart().hasFocus());
  }

  void a_gpu_says_why_there_is_none() {
    RooflineBench bench(database_);
    QVERIFY(bench.open(gpu_));
    QTRY_VERIFY_WITH_TIMEOUT(bench.chart().notice().contains(QStringLiteral("GPU")),
                             roofline_deadline_milliseconds);
    QVERIFY(!bench.button(QStringLiteral("Measure this machine's ceilings")).isEnabled());
  }

  void a_failure_is_reported() {
    workspace::Workspace workspace(database_.path(), gui_tests::run_scripted);
    views::RooflinePage page(workspace, {[](store::Store&, const schedule::TargetDescription&, int,
                                            const session::StopRequest&) -> Result<trial::MachineCeilings> {
                                           return fail(ErrorCode::Environment, "no lock file", "make one");
                                         },
                                         RooflineBench::keep_counters});
    // Without a session nothing begins.
    page.measure_ceilings_now();
    page.count_current_trial();
    workspace::JobTracker::wait_for_all();
    QCoreApplication::processEvents();
    QVERIFY(workspace.notices().all().empty());
  }
};

KERNELSCAPE_TEST(RooflinePageTest, QApplication)

}  // namespace kernelscape::roofline_page_test
#include "roofline_page_test.moc"
