#include "ui/views/explore/timeline_page.h"

#include <QApplication>
#include <QTest>

#include "tests/gui/explore_bench.h"
#include "tests/test_program.h"
#include "ui/charts/curves/timeline_chart.h"
#include "ui/figures/timeline_figure.h"

namespace kernelscape::timeline_page_test {

using namespace explore_tests;
using analysis::Activity;

/** Explore's page of the timeline, of sessions in a database. */
class TimelinePageTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  store::SessionId session_ = 0;

  static double seconds_of(const analysis::Timeline& timeline, Activity activity) {
    double seconds = 0;
    for (const analysis::TimelineLane& lane : timeline.lanes)
      for (const analysis::TimelineBlock& block : lane.blocks)
        if (lane.activity == activity) seconds += block.end_seconds - block.begin_seconds;
    return seconds;
  }
  figures::FigureOf<charts::TimelineData> figure_of(const workspace::Source& source) const {
    const workspace::JobControl control = figures::uncontrolled_job();
    const figures::Shown shown = figures::make_shown(source, {}, std::nullopt, control);
    return figures::timeline_figure(*shown, database_.path(), control);
  }
  workspace::Source read(store::SessionId id) const {
    const store::Store store = *store::Store::open(database_.path(), store::OpenMode::ReadOnly);
    return *workspace::SourceReader(store, id).read();
  }

 private slots:
  void initTestCase() { session_ = database_.add_session(trial_count, "random"); }

  /** The lanes of search and run add up to what the session was charged. */
  void lanes_agree_with_the_time_breakdown() {
    const workspace::Source source = read(session_);
    const figures::FigureOf<charts::TimelineData> figure = figure_of(source);
    QVERIFY2(figure.text.notice.isEmpty(), qPrintable(figure.text.notice));
    QCOMPARE(figure.data.timeline->untimed, 0);
    const analysis::TimeSplit split = source->time();
    const auto agrees = [](double a, double b) { return std::abs(a - b) <= 1e-6 + 0.01 * b; };
    QVERIFY(agrees(seconds_of(*figure.data.timeline, Activity::Run), split.run_seconds));
    QVERIFY(agrees(seconds_of(*figure.data.timeline, Activity::Search), split.search_seconds));
    QVERIFY(figure.text.caption.contains(QStringLiteral("derived")));
  }

  /** Only the phases of this machine are shaded; the curve of a worker shows those of the worker. */
  void the_caption_names_what_shows_slow_phases() {
    const auto caption_with = [this](std::uint16_t worker) {
      auto source = std::make_shared<workspace::SourceData>(*read(session_));
      auto speeds = std::make_shared<trial::SessionSpeeds>();
      speeds->trials.resize(static_cast<std::size_t>(source->trials.size()));
      speeds->phases = {{.end_seconds = 1, .worker = worker}};
      source->speeds = speeds;
      return figure_of(source).text.caption;
    };
    QVERIFY2(caption_with(0).contains("Shaded"), qPrintable(caption_with(0)));
    QVERIFY2(!caption_with(0).contains("A worker"), qPrintable(caption_with(0)));
    QVERIFY2(!caption_with(2).contains("Shaded"), qPrintable(caption_with(2)));
    QVERIFY2(caption_with(2).contains("speed curve"), qPrintable(caption_with(2)));
  }

  void a_trial_that_is_clicked_becomes_the_current_one() {
    Bench bench(database_);
    QVERIFY(bench.open(session_));
    views::TimelinePage page(bench.workspace);
    bench.show(page);
    auto* chart = page.findChild<charts::TimelineChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(chart->notice().isEmpty(), deadline_milliseconds);
    const auto& lanes = chart->data().timeline->lanes;
    const auto run = std::ranges::find(lanes, Activity::Run, &analysis::TimelineLane::activity);
    const analysis::TimelineBlock block = run->blocks[run->blocks.size() / 2];
    chart->zoom_to({block.begin_seconds, block.end_seconds}, chart->y_axis().range);
    const QRectF lane = chart->band_place(static_cast<std::size_t>(run - lanes.begin()));
    QTest::mouseClick(chart, Qt::LeftButton, {}, lane.center().toPoint());
    QCOMPARE(bench.workspace.current_row(), block.row);
  }

  void a_session_without_times_says_so() {
    const workspace::Source source = read(session_);
    const auto with_trials = [&](bool some) {
      trial::Table table(source->trials.knob_count());
      for (std::int64_t row = 0; row < 10; ++row) {
        trial::Row trial = source->trials.row(row);
        if (!some || row > 3) trial.finished_seconds = 0;
        table.append(trial, source->trials.configuration(row));
      }
      auto data = std::make_shared<workspace::SourceData>(*source);
      data->trials = table.snapshot();
      return figure_of(data);
    };
    QVERIFY(with_trials(false).text.notice.contains(QStringLiteral("have no times")));
    const figures::FigureOf<charts::TimelineData> some = with_trials(true);
    QVERIFY(some.text.notice.isEmpty());
    QVERIFY(some.text.caption.contains(QStringLiteral("6 trials without a time are left out")));
  }

  void an_empty_session_says_so() {
    auto data = std::make_shared<workspace::SourceData>(*read(session_));
    data->trials = trial::Table(data->trials.knob_count()).snapshot();
    QVERIFY(figure_of(data).text.notice.contains(QStringLiteral("no trial")));
  }

  void cleanupTestCase() { workspace::JobTracker::wait_for_all(); }
};

KERNELSCAPE_TEST(TimelinePageTest, QApplication)

}  // namespace kernelscape::timeline_page_test
#include "timeline_page_test.moc"
