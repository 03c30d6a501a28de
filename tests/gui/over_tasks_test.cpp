#include <QApplication>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/analysis/compared_runs_support.h"
#include "tests/gui/chart_support.h"
#include "tests/test_program.h"
#include "ui/charts/bars/mean_rank_chart.h"
#include "ui/charts/chart_file.h"
#include "ui/charts/curves/profile_chart.h"
#include "ui/figures/registry.h"
#include "ui/style/theme.h"
#include "ui/views/compare/over_tasks_page.h"

namespace kernelscape::over_tasks_test {
namespace {

constexpr int repeats = 5;

/** Every arm gets to the optimum, each later than the one before it on every task; the last arm's first run
 * never does. */
analysis::ComparedRuns ordered_runs(std::size_t arms, std::size_t tasks) {
  analysis::ComparedRuns runs = empty_comparison(arms, tasks);
  for (std::size_t task = 0; task < tasks; ++task) {
    for (std::size_t arm = 0; arm < arms; ++arm) {
      for (int repeat = 0; repeat < repeats; ++repeat) {
        const double there = static_cast<double>(100 * (arm + 1) + task) + static_cast<double>(repeat);
        std::vector<CurveStep> steps{{1, 1, 0.5}, {there, there, 1}};
        if (arm + 1 == arms && repeat == 0) steps.pop_back();
        runs.runs.push_back(finished_run(arm, task, repeat, curve_of_steps(steps, 1000, 1000)));
      }
    }
  }
  return runs;
}

figures::Source source_of_runs(analysis::ComparedRuns runs) {
  return {.runs = std::make_shared<const analysis::ComparedRuns>(std::move(runs))};
}

/** The only figure of a kind. */
figures::Figure figure_of(std::string_view name, const figures::Source& source) {
  const auto kind = std::ranges::find(figures::figure_kinds(), name, &figures::Kind::name);
  std::vector<figures::Figure> figures = kind->figures(source, figures::uncontrolled_job());
  return figures.front();
}

template <typename ChartType>
std::unique_ptr<ChartType> chart_of(const figures::Figure& figure) {
  std::unique_ptr<ChartType> chart(static_cast<ChartType*>(figure.make().release()));
  chart->resize(700, 340);
  return chart;
}

/** In all files, and in both themes. */
void check_files(charts::Chart& chart) {
  chart_tests::check_painting(chart);
  const QTemporaryDir folder;
  for (const char* name : {"chart.png", "chart.svg", "chart.csv"})
    QVERIFY2(charts::save_chart(chart, folder.filePath(QLatin1String(name))), name);
  const auto in_theme = [&](const style::Colours& theme) {
    const style::ColoursScope scope(theme);
    return chart.to_image(1);
  };
  QVERIFY(in_theme(style::light_colours()) != in_theme(style::dark_colours()));
}

}  // namespace

class OverTasksTest : public QObject {
  Q_OBJECT

 private slots:
  void ranks_are_joined_where_they_are_not_distinguished() {
    // Nemenyi's critical difference of four on six: 2.569 x sqrt(4 x 5 / (6 x 6)) = 1.915.
    const figures::Figure figure = figure_of("ranks", source_of_runs(ordered_runs(4, 6)));
    QVERIFY2(figure.text.notice.isEmpty(), qPrintable(figure.text.notice));
    QVERIFY2(figure.text.caption.contains(QStringLiteral("over 6 tasks by its median trials to 95 %")),
             qPrintable(figure.text.caption));
    QVERIFY(figure.text.caption.contains(QStringLiteral("joined by a bar")));
    const auto chart = chart_of<charts::MeanRankChart>(figure);
    QCOMPARE(chart->data().tuners.size(), std::size_t{4});
    for (std::size_t place = 0; place < 4; ++place) {
      QCOMPARE(chart->data().tuners[place].arm, place);
      QVERIFY(std::abs(chart->data().tuners[place].mean_rank - static_cast<double>(place + 1)) < 1e-9);
    }
    QVERIFY(std::abs(chart->data().critical_difference - 1.915) < 0.005);
    const std::vector<std::pair<std::size_t, std::size_t>> bars{{0, 1}, {1, 2}, {2, 3}};
    QCOMPARE(chart->joined(), bars);
    QVERIFY(chart->accessibleName().contains(QStringLiteral("arm 0  1.00")));
    check_files(*chart);
  }

  void ranks_are_read_by_keys_and_keep_hidden_tuners() {
    const auto chart =
        chart_of<charts::MeanRankChart>(figure_of("ranks", source_of_runs(ordered_runs(4, 6))));
    chart->show();
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QCOMPARE(chart->readout()->lines[0], QStringLiteral("arm 0"));
    QCOMPARE(chart->readout()->lines[2], QStringLiteral("not distinguishable from arm 1"));
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QCOMPARE(chart->readout()->lines[2], QStringLiteral("not distinguishable from arm 0, arm 2"));
    QSignalSpy activated(chart.get(), &charts::MeanRankChart::arm_activated);
    QTest::keyClick(chart.get(), Qt::Key_Return);
    QCOMPARE(activated.count(), 1);
    QCOMPARE(activated[0][0].toLongLong(), 1);
    chart->set_hidden({1});
    chart->set_highlighted(2);
    QCOMPARE(chart->table().rows.size(), std::size_t{4});
    QVERIFY(!chart->to_image(1).isNull());
  }

  void ranks_that_friedman_does_not_tell_apart_are_joined_all() {
    analysis::ComparedRuns runs = ordered_runs(3, 2);
    // On the second task the order is the other way round: all mean ranks are 2.
    for (analysis::ComparedRun& run : runs.runs)
      if (run.task == 1) run.arm = 2 - run.arm;
    const figures::Figure figure = figure_of("ranks", source_of_runs(std::move(runs)));
    QVERIFY2(figure.text.caption.contains(QStringLiteral("the ranks are not distinguishable")),
             qPrintable(figure.text.caption));
    const auto chart = chart_of<charts::MeanRankChart>(figure);
    const std::vector<std::pair<std::size_t, std::size_t>> all{{0, 2}};
    QCOMPARE(chart->joined(), all);
  }

  void ranks_by_final_performance_share_what_is_equal() {
    const figures::Figure figure =
        figure_of("ranks of final performance", source_of_runs(ordered_runs(4, 6)));
    QVERIFY(figure.text.caption.contains(QStringLiteral("mean final performance")));
    const auto chart = chart_of<charts::MeanRankChart>(figure);
    for (std::size_t place = 0; place < 4; ++place)
      QVERIFY(std::abs(chart->data().tuners[place].mean_rank - (place == 3 ? 4.0 : 2.0)) < 1e-9);
  }

  void without_ranks_it_says_why() {
    const auto notice = [](analysis::ComparedRuns runs) {
      const figures::Figure figure = figure_of("ranks", source_of_runs(std::move(runs)));
      // Nothing is drawn, whatever the mouse does.
      const auto chart = chart_of<charts::MeanRankChart>(figure);
      if (chart->readout_at(chart->rect().center()) || !chart->table().rows.empty()) return QString();
      return figure.text.notice;
    };
    QVERIFY(notice(ordered_runs(4, 1)).contains(QStringLiteral("Only one task")));
    QVERIFY(notice(ordered_runs(2, 6)).contains(QStringLiteral("Fewer than three tuners")));
    analysis::ComparedRuns begun = ordered_runs(4, 6);
    for (analysis::ComparedRun& run : begun.runs) run.finished = false;
    QVERIFY(!notice(begun).isEmpty());
    analysis::ComparedRuns noisy = ordered_runs(4, 6);
    for (analysis::ComparedTask& task : noisy.tasks) task.noise = 0.5;
    QVERIFY2(notice(noisy).contains(QStringLiteral("within the noise")), qPrintable(notice(noisy)));
  }

  void profiles_are_steps_that_end_where_runs_do_not_get_there() {
    const figures::Figure figure = figure_of("performance profiles", source_of_runs(ordered_runs(4, 6)));
    QVERIFY2(figure.text.notice.isEmpty(), qPrintable(figure.text.notice));
    QVERIFY(figure.text.caption.contains(QStringLiteral("trials to 95 %")));
    const auto chart = chart_of<charts::ProfileChart>(figure);
    QCOMPARE(chart->shown().size(), std::size_t{4});
    const auto last = [&](std::size_t arm) { return chart->data().profiles[arm].shares.back(); };
    QVERIFY(std::abs(last(0) - 1) < 1e-12);
    // One of five runs on each task.
    QVERIFY(std::abs(last(3) - 0.8) < 1e-12);
    QVERIFY(std::ranges::is_sorted(chart->data().profiles[1].ratios));
    QVERIFY(chart->x_axis().logarithmic() && chart->x_axis().range.contains(1));
    QVERIFY(chart->x_axis().range.high > 4);
    const auto far = chart->readout_at(chart->frame().map(4.2, 80));
    QVERIFY2(far && far->lines.back().startsWith(QStringLiteral("arm 3  80 % [")) &&
                 far->lines.back().endsWith(QStringLiteral("] (n = 30)")),
             qPrintable(far ? far->lines.join(QLatin1Char('\n')) : QString()));
    check_files(*chart);
    chart->set_hidden({3});
    QCOMPARE(chart->shown().size(), std::size_t{3});
    for (const auto& row : chart->table().rows) QVERIFY(std::get<std::string>(row[0]) != "arm 3");
    chart->show();
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QVERIFY(chart->readout());
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QSignalSpy activated(chart.get(), &charts::ProfileChart::arm_activated);
    QTest::keyClick(chart.get(), Qt::Key_Return);
    QCOMPARE(activated.count(), 1);
  }

  void without_profiles_it_says_why() {
    const auto notice = [](analysis::ComparedRuns runs) {
      return figure_of("performance profiles", source_of_runs(std::move(runs))).text.notice;
    };
    QVERIFY(notice(ordered_runs(1, 6)).contains(QStringLiteral("Only one tuner")));
    analysis::ComparedRuns never = ordered_runs(3, 2);
    for (analysis::ComparedRun& run : never.runs) run.curve = curve_of_steps({{1, 1, 0.5}}, 1000, 1000);
    QVERIFY(notice(never).contains(QStringLiteral("half of its runs")));
    for (analysis::ComparedRun& run : never.runs) run.finished = false;
    QVERIFY(notice(never).contains(QStringLiteral("No run has finished")));
    analysis::ComparedRuns noisy = ordered_runs(3, 2);
    for (analysis::ComparedTask& task : noisy.tasks) task.noise = 0.5;
    QVERIFY(notice(noisy).contains(QStringLiteral("within the noise")));
  }

  void the_page_shows_them_and_follows_the_legend() {
    const figures::Source source = source_of_runs(ordered_runs(4, 6));
    std::vector<figures::Figure> figures;
    for (const figures::Kind* kind : figures::figure_kinds(figures::Place::CompareOverTasks))
      figures.push_back(kind->figures(source, figures::uncontrolled_job()).front());
    views::OverTasksPage page;
    page.resize(900, 700);
    page.show();
    QCOMPARE(page.charts().size(), figures.size());
    page.show_figures(figures);
    for (std::size_t chart = 0; chart < figures.size(); ++chart)
      QCOMPARE(page.charts()[chart]->caption(), figures[chart].text.caption);
    auto* profiles = page.findChild<charts::ProfileChart*>();
    page.set_hidden({0, 2});
    QCOMPARE(profiles->shown().size(), std::size_t{2});
    page.set_highlighted(1);
    QSignalSpy activated(&page, &views::OverTasksPage::arm_activated);
    emit profiles->arm_activated(3);
    emit page.findChild<charts::MeanRankChart*>()->arm_activated(2);
    QCOMPARE(activated.count(), 2);
    QVERIFY(!page.grab().isNull());
  }

  void strange_data_do_no_harm() {
    charts::MeanRankChart ranks;
    charts::ProfileChart profiles;
    const double infinity = HUGE_VAL;
    for (const QSize& size : {QSize(1, 1), QSize(60, 30), QSize(900, 500)}) {
      ranks.resize(size);
      profiles.resize(size);
      for (const double value : {0.0, 1.0, infinity, -3.0, std::nan("")}) {
        ranks.set_data({.tuners = {{0, QStringLiteral("a"), value}, {11, QStringLiteral("b"), 2}},
                        .alike = {{0, 11}, {7}},
                        .critical_difference = value,
                        .p = value,
                        .tasks = 0,
                        .of_what = {}});
        profiles.set_data({.profiles = {{0, QStringLiteral("a"), {value, 2, infinity}, {0.1, 0.5, 1}, 3},
                                        {1, QStringLiteral("never"), {}, {}, 3, {value}, {0.1}, {0.2}}},
                           .cost = {},
                           .tasks = 1});
        for (charts::Chart* chart :
             {static_cast<charts::Chart*>(&ranks), static_cast<charts::Chart*>(&profiles)})
          QVERIFY(!chart->to_image(1).isNull() && chart->to_svg().endsWith("</svg>\n"));
      }
      ranks.set_data({});
      profiles.set_data({});
      QVERIFY(!ranks.to_image(1).isNull() && !profiles.to_image(1).isNull());
    }
  }
};

KERNELSCAPE_TEST(OverTasksTest, QApplication)

}  // namespace kernelscape::over_tasks_test
#include "over_tasks_test.moc"
