#include <QComboBox>
#include <QTest>
#include <QToolButton>

#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/charts/bars/distribution_chart.h"
#include "ui/charts/bars/effects_chart.h"
#include "ui/charts/bars/error_chart.h"
#include "ui/charts/bars/importance_chart.h"
#include "ui/charts/bars/time_chart.h"
#include "ui/charts/curves/cumulative_chart.h"
#include "ui/charts/curves/progress_chart.h"
#include "ui/charts/landscape/heat_map_chart.h"
#include "ui/charts/landscape/parallel_chart.h"
#include "ui/frame/notices/run_notices.h"
#include "ui/models/session_text.h"
#include "ui/views/explore/explore_view.h"
#include "ui/views/explore/knobs_page.h"
#include "ui/views/explore/message_model.h"
#include "ui/views/runs/headline_bar.h"
#include "ui/views/tune/live_charts.h"
#include "ui/views/tune/tune_view.h"

namespace kernelscape::tune_build_only_test {
namespace {

constexpr int deadline_milliseconds = 30'000;
constexpr std::int64_t trial_count = 200;

/** By Explore's order. */
enum Page { Errors, Distribution, Knobs, Parallel };

}  // namespace

/** A session that builds kernels and runs none: nothing that the window shows of it may look like a speed. */
class TuneBuildOnlyTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  store::SessionId session_ = 0;
  std::unique_ptr<workspace::Workspace> workspace_;

  /** As the list of sessions has it; null: not read yet. */
  const workspace::SessionEntry* entry() const {
    for (const workspace::SessionEntry& listed : *workspace_->sessions())
      if (listed.summary.record.id == session_) return &listed;
    return nullptr;
  }
  std::int64_t built() const {
    std::int64_t count = 0;
    const trial::Snapshot& trials = workspace_->source()->trials;
    for (std::int64_t row = 0; row < trials.size(); ++row)
      count += trials.row(row).category == trial::ErrorCategory::NoError ? 1 : 0;
    return count;
  }

 private slots:
  void initTestCase() { session_ = database_.add_gpu_session(trial_count, true); }
  void init() {
    workspace_ =
        std::make_unique<workspace::Workspace>(database_.path(), gui_tests::run_scripted, gui_tests::no_gpus);
    QVERIFY(gui_tests::open_and_wait(*workspace_, session_));
    QVERIFY(workspace_->source()->build_only() && workspace_->source()->has_resources());
  }
  void cleanup() {
    workspace::JobTracker::wait_for_all();
    workspace_.reset();
  }

  void the_headline_counts_builds() {
    const figures::HeadlineText text = figures::headline_text(*workspace_->source(), std::nullopt);
    QCOMPARE(text.speed, QString("build only: no timings"));
    QCOMPARE(text.spread, QString("%1 of %2 kernels built").arg(built()).arg(trial_count));
    QVERIFY(text.comparisons.isEmpty() && text.trust.isEmpty());
    QCOMPARE(workspace_->source()->headline.row, analysis::no_row);
  }

  void the_list_of_sessions_says_build_only() {
    QTRY_VERIFY_WITH_TIMEOUT(entry() != nullptr, deadline_milliseconds);
    QVERIFY(entry()->build_only);
    QCOMPARE(models::session_best_text(*entry()), QString("build only"));
    QCOMPARE(models::session_best_speed(*entry()), 0.0);
  }

  void tunes_charts_show_errors_and_time_and_say_why_there_is_no_speed() {
    views::ActionRegistry actions;
    views::TuneView view(views::ViewContext{*workspace_, actions});
    view.resize(1280, 800);
    view.show();
    views::LiveCharts& charts = view.charts();
    QTRY_VERIFY_WITH_TIMEOUT(charts.progress().notice().contains("Build only: no timings"),
                             deadline_milliseconds);
    QVERIFY(charts.errors().notice().isEmpty() && charts.time().notice().isEmpty());
    const std::vector<trial::ErrorCategory> categories = charts.errors().categories();
    for (const trial::ErrorCategory category :
         {trial::ErrorCategory::InstantiationError, trial::ErrorCategory::CompileDevice,
          trial::ErrorCategory::BuildTimeout})
      QVERIFY(std::ranges::find(categories, category) != categories.end());
    for (const QToolButton* button : charts.findChildren<QToolButton*>())
      if (button->accessibleName().startsWith("Best so far")) QVERIFY(!button->isVisible());
    QVERIFY(!actions.find("run.measure-again")->isEnabled());
    // A session with timings has its chart and buttons back.
    QVERIFY(gui_tests::open_and_wait(*workspace_, database_.add_gpu_session(40, false)));
    QTRY_VERIFY_WITH_TIMEOUT(charts.progress().notice().isEmpty(), deadline_milliseconds);
    for (const QToolButton* button : charts.findChildren<QToolButton*>())
      if (button->accessibleName().startsWith("Best so far")) QVERIFY(button->isVisible());
  }

  void explore_says_why_a_page_is_empty_and_shows_what_there_is() {
    views::ActionRegistry actions;
    views::ExploreView view(views::ViewContext{*workspace_, actions});
    view.resize(1280, 800);
    view.show();
    view.show_page(Errors);
    const auto* messages = view.findChild<views::MessageModel*>();
    QTRY_VERIFY_WITH_TIMEOUT(messages->rowCount() > 0, deadline_milliseconds);
    std::int64_t failed = 0;
    for (int row = 0; row < messages->rowCount(); ++row) failed += messages->message(row).count;
    QCOMPARE(failed, trial_count - built());
    view.show_page(Distribution);
    for (charts::Chart* chart : std::initializer_list<charts::Chart*>{
             view.findChild<charts::DistributionChart*>(), view.findChild<charts::CumulativeChart*>()})
      QTRY_VERIFY_WITH_TIMEOUT(chart->notice().contains("Build only"), deadline_milliseconds);
    view.show_page(Knobs);
    QTRY_VERIFY_WITH_TIMEOUT(view.findChild<charts::EffectsChart*>()->notice().contains("Build only"),
                             deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(view.findChild<charts::ImportanceChart*>()->notice().contains("validity"),
                             deadline_milliseconds);
    view.show_page(Parallel);
    auto* parallel = view.findChild<charts::ParallelChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(parallel->notice().isEmpty(), deadline_milliseconds);
    QVERIFY(parallel->summary().contains("occupancy") && !parallel->summary().contains("GFLOPS"));
  }

  void the_heat_map_counts_what_can_be_built() {
    views::ActionRegistry actions;
    views::ExploreView view(views::ViewContext{*workspace_, actions});
    view.resize(1280, 800);
    view.show();
    view.show_page(Knobs);
    auto* map = view.findChild<views::KnobsPage*>()->findChild<charts::HeatMapChart*>();
    QTRY_VERIFY_WITH_TIMEOUT(map->notice().contains("share valid"), deadline_milliseconds);
    for (QComboBox* box : view.findChildren<QComboBox*>())
      if (box->accessibleName() == "Colour of the heat map") box->setCurrentText("share valid");
    QTRY_VERIFY_WITH_TIMEOUT(map->notice().isEmpty(), deadline_milliseconds);
    std::int64_t count = 0;
    std::int64_t valid = 0;
    for (const analysis::HeatCell& cell : map->data().cells) {
      count += cell.count;
      valid += cell.valid;
    }
    QCOMPARE(count, trial_count);
    QCOMPARE(valid, built());
  }

  void the_time_split_stays_whole_where_builds_and_runs_overlap() {
    charts::TimeChart chart;
    chart.resize(500, 160);
    chart.set_data({.session_seconds = 10, .search_seconds = 1, .build_seconds = 2, .run_seconds = 7});
    double width = 0;
    for (const QRectF& part : chart.parts()) width += part.width();
    chart.set_data({.session_seconds = 10, .search_seconds = 4, .build_seconds = 9, .run_seconds = 8});
    double overlapping = 0;
    for (const QRectF& part : chart.parts()) overlapping += part.width();
    QVERIFY(std::abs(width - overlapping) < 1e-6);
    QVERIFY(chart.parts()[3].width() < 1e-6);  // nothing is idle
  }

  void an_ended_run_is_reported_without_a_best() {
    workspace::RunView run;
    run.status.trial_count = 12;
    QTRY_VERIFY_WITH_TIMEOUT(entry() != nullptr, deadline_milliseconds);
    QCOMPARE(frame::outcome_text(run, entry()), QString("12 trials, built only"));
    QCOMPARE(frame::outcome_text(run, nullptr), QString("12 trials, no valid kernel"));
  }
};

KERNELSCAPE_TEST(TuneBuildOnlyTest, QApplication)

}  // namespace kernelscape::tune_build_only_test
#include "tune_build_only_test.moc"
