#include <QComboBox>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <map>

#include "core/analysis/filter/filter.h"
#include "core/session/stored_limits.h"
#include "tests/gui/chart_support.h"
#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/views/explore/shown_watch.h"
#include "ui/views/explore/variables_page.h"

namespace kernelscape::variable_plane_test {
namespace {

using namespace chart_tests;

constexpr int deadline_milliseconds = 60'000;
constexpr std::int64_t trial_count = 200;

class TestChart : public charts::VariablePlaneChart {
 public:
  using charts::VariablePlaneChart::rows_in;
};

/** Threads and bytes: two points that were measured, one that failed, and what members have. */
charts::VariablePlaneData some_data() {
  charts::VariablePlaneData data;
  data.x = {QStringLiteral("bytes"), true};
  data.y = {QStringLiteral("threads"), true};
  data.quantity = QStringLiteral("speed");
  data.unit = QStringLiteral("GFLOPS");
  data.points = {{.x = 256, .y = 32, .valid = 2, .best = 100, .row = 4, .rows = {1, 4}},
                 {.x = 256, .y = 256, .valid = 0, .best = {}, .row = 2, .rows = {2}},
                 {.x = 4096, .y = 128, .valid = 1, .best = 340, .row = 0, .rows = {0, 3}}};
  data.region = {
      {{256, 32, true}, {256, 256, true}, {1024, 64, true}, {4096, 128, true}, {65536, 512, false}},
      500,
      true,
      true};
  data.bounds = {{analysis::VariableBound::Kind::XAtMost, 49152, "shared memory of a block"},
                 {analysis::VariableBound::Kind::YAtMost, 1024, "threads per block"}};
  return data;
}

/** A page of a workspace with an open session. */
struct Bench {
  explicit Bench(const gui_tests::Database& database) : workspace(database.path(), gui_tests::run_scripted) {
    watch.set_active(true);
    QObject::connect(
        &page, &views::ExplorePage::rows_picked, &workspace,
        [this](const analysis::RowSet& rows, const QStringList&) { workspace.set_selection(rows); });
    QObject::connect(&workspace, &workspace::Workspace::selection_changed, &page,
                     &views::ExplorePage::follow_selection);
    QObject::connect(&workspace, &workspace::Workspace::current_row_changed, &page,
                     &views::ExplorePage::follow_current);
    page.resize(1000, 700);
    page.show();
  }
  /** A job may use what the page has. */
  ~Bench() { workspace::JobTracker::wait_for_all(); }

  bool open(store::SessionId session) {
    page.set_shown(nullptr);
    workspace.open_session(session);
    const bool opened =
        QTest::qWaitFor([&] { return watch.shown() != nullptr && watch.shown()->source->id() == session; },
                        deadline_milliseconds);
    if (opened) page.set_shown(watch.shown());
    return opened;
  }
  bool wait_for_points() {
    return QTest::qWaitFor([&] { return chart().notice().isEmpty() && !chart().data().points.empty(); },
                           deadline_milliseconds);
  }
  charts::VariablePlaneChart& chart() { return *page.findChild<charts::VariablePlaneChart*>(); }
  QComboBox& box(const QString& name) {
    for (QComboBox* box : page.findChildren<QComboBox*>())
      if (box->accessibleName() == name) return *box;
    qFatal("there is no such box");
  }
  QComboBox& x() { return box(QStringLiteral("Horizontal variable")); }
  QComboBox& y() { return box(QStringLiteral("Vertical variable")); }

  workspace::Workspace workspace;
  views::ShownWatch watch{workspace};
  views::VariablesPage page{workspace};
};

/** What is shown, from each trial's own evaluation. */
void check_points(const workspace::SourceData& source, const charts::VariablePlaneData& data) {
  const std::optional<space::ConstraintSystem> limits =
      session::stored_limits(source.record(), source.task(), *source.origin->target, source.space());
  const analysis::SpaceVariables variables(source.space(), limits);
  const space::VariableId x = *variables.system().find(data.x.name.toStdString());
  const space::VariableId y = *variables.system().find(data.y.name.toStdString());
  const std::size_t speed = *source.columns().find(trial::Measured::Gflops);
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> rows;
  for (std::int64_t row = 0; row < source.trials.size(); ++row) {
    const space::Evaluation all =
        variables.system().evaluate(source.space().knobs(), source.trials.configuration(row));
    rows[{all.values[x], all.values[y]}].push_back(row);
  }
  QCOMPARE(data.points.size(), rows.size());
  auto expected = rows.begin();
  for (const charts::VariablePoint& point : data.points) {
    QCOMPARE(std::pair(point.x, point.y), expected->first);
    QCOMPARE(point.rows, expected->second);
    std::optional<double> best;
    for (const std::int64_t row : point.rows) {
      const double value = source.columns().value(source.trials, row, speed);
      if (!std::isnan(value)) best = std::max(best.value_or(0), value);
    }
    QVERIFY(point.best == best);
    if (best) QCOMPARE(source.columns().value(source.trials, point.row, speed), *best);
    ++expected;
  }
}

}  // namespace

class VariablePlaneTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  store::SessionId gpu_ = 0;
  store::SessionId cpu_ = 0;

 private slots:
  void initTestCase() {
    gpu_ = database_.add_gpu_session(trial_count, false);
    cpu_ = database_.add_session(trial_count);
  }

  void nothing_yet_is_painted_too() {
    charts::VariablePlaneChart chart;
    chart.resize(400, 300);
    check_painting(chart);
    chart.show();
    QTest::keyClick(&chart, Qt::Key_Right);
    QVERIFY(!chart.readout());
  }

  void points_stand_at_their_values() {
    const auto chart = shown_chart<TestChart>({640, 420});
    chart->set_data(some_data());
    const charts::PlotFrame frame = chart->frame();
    QCOMPARE(frame.x.scale, charts::AxisScale::Log2);
    QCOMPARE(frame.y.scale, charts::AxisScale::Log2);
    for (const charts::VariablePoint& point : chart->data().points) {
      QVERIFY(frame.x.range.contains(static_cast<double>(point.x)));
      QVERIFY(frame.y.range.contains(static_cast<double>(point.y)));
    }
    const QPointF at = frame.map(256, 32);
    QVERIFY(std::hypot(chart->position_of(0)->x() - at.x(), chart->position_of(0)->y() - at.y()) < 1e-6);
    // The best is the brightest, the slowest the darkest.
    const QImage image = chart->to_image(1);
    QVERIFY(has_colour_near(image, *chart->position_of(2), style::viridis(1)));
    QVERIFY(has_colour_near(image, *chart->position_of(0), style::viridis(0)));
    QVERIFY(chart->to_svg().contains("best speed, by rank"));
    const QColor shade = image.pixelColor(frame.map(1024, 64).toPoint());
    QVERIFY(image.pixelColor(chart->position_of(1)->toPoint()) != shade);
    // What members have is shaded, where no trial is too; elsewhere nothing is.
    const auto plain = [&](double x, double y) {
      return image.pixelColor(frame.map(x, y).toPoint()) == style::colours().surface;
    };
    QVERIFY(!plain(1024, 64));
    QVERIFY(plain(1500, 300));
    check_painting(*chart);
  }

  void a_slow_dot_does_not_darken_the_others() {
    const auto chart = shown_chart<TestChart>({640, 420});
    charts::VariablePlaneData data = some_data();
    data.higher_is_better = false;
    data.points = {{.x = 256, .y = 32, .valid = 1, .best = 9000, .row = 0, .rows = {0}},
                   {.x = 1024, .y = 64, .valid = 1, .best = 6, .row = 1, .rows = {1}},
                   {.x = 4096, .y = 128, .valid = 1, .best = 5, .row = 2, .rows = {2}}};
    chart->set_data(data);
    const QImage image = chart->to_image(1);
    for (const std::size_t point : {0U, 1U, 2U})
      QVERIFY(
          has_colour_near(image, *chart->position_of(point), style::viridis(static_cast<double>(point) / 2)));
    for (const char* text : {">9,000<", ">6<", ">5 GFLOPS<"}) QVERIFY2(chart->to_svg().contains(text), text);
  }

  void readouts_keys_and_activation() {
    const auto chart = shown_chart<TestChart>({640, 420});
    chart->set_data(some_data());
    QSignalSpy spy(chart.get(), &charts::Chart::row_activated);
    const auto readout = chart->readout_at(*chart->position_of(0));
    QVERIFY(readout.has_value());
    QCOMPARE(readout->lines[0], QStringLiteral("bytes = 256, threads = 32"));
    QVERIFY(readout->lines.contains(QStringLiteral("best speed 100 GFLOPS")));
    QVERIFY(readout->lines.contains(QStringLiteral("2 trials, 2 valid")));
    QTest::mouseClick(chart.get(), Qt::LeftButton, {}, chart->position_of(0)->toPoint());
    QCOMPARE(spy.takeFirst()[0].toLongLong(), 4);
    const auto free = chart->readout_at(chart->frame().map(1024, 64));
    QVERIFY(free.has_value());
    QCOMPARE(free->row, std::int64_t{-1});
    QVERIFY(free->lines[1].contains(QStringLiteral("no trial")));
    QVERIFY(chart->readout_at(chart->frame().map(65536, 512))
                ->lines[1]
                .contains(QStringLiteral("exceed the device limits")));

    // From the best one through all of them.
    QTest::keyClick(chart.get(), Qt::Key_Escape);
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QCOMPARE(chart->readout()->row, std::int64_t{0});
    QTest::keyClick(chart.get(), Qt::Key_Down);
    QCOMPARE(chart->readout()->row, std::int64_t{2});
    QTest::keyClick(chart.get(), Qt::Key_Down);
    QTest::keyClick(chart.get(), Qt::Key_Down);
    QCOMPARE(chart->readout()->row, std::int64_t{4});
    QTest::keyClick(chart.get(), Qt::Key_Right);
    QCOMPARE(chart->readout()->row, std::int64_t{0});
    QTest::keyClick(chart.get(), Qt::Key_Return);
    QCOMPARE(spy.takeFirst()[0].toLongLong(), 0);
  }

  void rectangles_hold_all_trials_of_their_points() {
    const auto chart = shown_chart<TestChart>({640, 420});
    chart->set_data(some_data());
    const QRectF around(*chart->position_of(0) - QPointF(3, 3), QSizeF(6, 6));
    QCOMPARE(chart->rows_in(around), (std::vector<qint64>{1, 4}));
    QCOMPARE(chart->rows_in(chart->frame().plot), (std::vector<qint64>{0, 1, 2, 3, 4}));
  }

  void words_and_numbers_have_it_all() {
    const auto chart = shown_chart<TestChart>({640, 420});
    chart->set_data(some_data());
    QVERIFY(chart->accessibleName().contains(QStringLiteral("bytes <= 49,152: shared memory of a block")));
    QVERIFY(chart->accessibleName().contains(QStringLiteral("best 340 GFLOPS at bytes = 4,096")));
    const charts::Table table = chart->table();
    QCOMPARE(table.rows.size(), std::size_t{3 + 5 + 2});
    QCOMPARE(std::get<std::string>(table.rows[7][0]), std::string("feasible beyond the limits"));
    QVERIFY(chart->explanation().contains(QStringLiteral("Heron, figure 11")));
    // The user's scale stays while the variables do.
    chart->set_y_scale(charts::AxisScale::Linear);
    chart->set_data(some_data());
    QCOMPARE(chart->y_axis().scale, charts::AxisScale::Linear);
    charts::VariablePlaneData other = some_data();
    other.y.name = QStringLiteral("warps");
    chart->set_data(other);
    QCOMPARE(chart->y_axis().scale, charts::AxisScale::Log2);
    other.y = {QStringLiteral("order"), false};
    chart->set_data(other);
    QCOMPARE(chart->y_axis().scale, charts::AxisScale::Linear);
    check_painting(*chart);
  }

  void dense_regions_are_one_picture() {
    charts::VariablePlaneData data = some_data();
    data.x.logarithmic = data.y.logarithmic = false;
    data.region.pairs.clear();
    for (std::int64_t x = 1; x <= 150; ++x)
      for (std::int64_t y = x % 2; y <= 200; y += 2) data.region.pairs.push_back({x * 30, y * 3, y % 4 == 0});
    const auto chart = shown_chart<TestChart>({640, 420});
    chart->set_data(data);
    check_painting(*chart);
  }

  void a_gpu_begins_with_what_limits_it() {
    Bench bench(database_);
    QVERIFY(bench.open(gpu_));
    QVERIFY(bench.wait_for_points());
    const charts::VariablePlaneData data = bench.chart().data();
    QCOMPARE(bench.x().currentText(), data.x.name);
    QCOMPARE(bench.y().currentText(), data.y.name);
    QVERIFY(!data.bounds.empty());
    QVERIFY(bench.chart().caption().contains(charts::bound_text(data.bounds.front(), data)));
    QVERIFY(bench.x().findText(QStringLiteral("threads")) >= 0);
    check_points(*bench.workspace.source(), data);
    QVERIFY(data.region.members > 0);
    QCOMPARE(bench.chart().caption().contains(QStringLiteral("random feasible configurations")),
             !data.region.all);
    if (data.region.all) {
      for (const charts::VariablePoint& point : data.points)
        QVERIFY(std::ranges::any_of(data.region.pairs, [&](const analysis::RegionPair& pair) {
          return pair.x == point.x && pair.y == point.y;
        }));
    }
  }

  void a_click_chooses_the_best_trial_of_a_point() {
    Bench bench(database_);
    QVERIFY(bench.open(gpu_));
    QVERIFY(bench.wait_for_points());
    charts::VariablePlaneChart& chart = bench.chart();
    const std::size_t point = chart.data().points.size() / 2;
    const QPoint at = chart.position_of(point)->toPoint();
    const auto readout = chart.readout_at(at);
    QVERIFY(readout.has_value());
    QTest::mouseClick(&chart, Qt::LeftButton, {}, at);
    QCOMPARE(bench.workspace.current_row(), readout->row);
    // The selection is counted in its points.
    analysis::RowSet selected(trial_count);
    for (const std::int64_t row : chart.data().points[point].rows) selected.set(row);
    bench.workspace.set_selection(selected);
    const auto marked = [&] {
      return point < chart.data().points.size() &&
             chart.data().points[point].selected == std::ssize(chart.data().points[point].rows);
    };
    QTRY_VERIFY_WITH_TIMEOUT(marked(), deadline_milliseconds);
  }

  void chosen_variables_are_kept_where_they_are_known() {
    Bench bench(database_);
    QVERIFY(bench.open(gpu_));
    QVERIFY(bench.wait_for_points());
    const QString chosen = bench.x().itemText(0);
    bench.x().setCurrentIndex(0);
    QTRY_COMPARE_WITH_TIMEOUT(bench.chart().data().x.name, chosen, deadline_milliseconds);
    check_points(*bench.workspace.source(), bench.chart().data());
    const QString other = bench.chart().data().y.name;
    // The CPU's template has other variables.
    QVERIFY(bench.open(cpu_));
    QTRY_VERIFY_WITH_TIMEOUT(bench.chart().notice().isEmpty() && bench.x().findText(chosen) < 0,
                             deadline_milliseconds);
    check_points(*bench.workspace.source(), bench.chart().data());
    QVERIFY(bench.chart().data().y.name != other);
  }

  void filters_leave_trials_out() {
    Bench bench(database_);
    QVERIFY(bench.open(gpu_));
    QVERIFY(bench.wait_for_points());
    QVERIFY(bench.workspace.set_filters({QStringLiteral("trial < 50")}));
    QTRY_COMPARE_WITH_TIMEOUT(std::ssize(bench.watch.shown()->rows), std::ptrdiff_t{50},
                              deadline_milliseconds);
    bench.page.set_shown(bench.watch.shown());
    const auto shown = [&] {
      std::ptrdiff_t rows = 0;
      for (const charts::VariablePoint& point : bench.chart().data().points) rows += std::ssize(point.rows);
      return rows;
    };
    QTRY_COMPARE_WITH_TIMEOUT(shown(), std::ptrdiff_t{50}, deadline_milliseconds);
  }

  void one_variable_says_so() {
    session::Setup setup = session_tests::make_setup("random", 5, 4, 4);
    setup.space = *space::SearchSpace::make({*space::Knob::ordinal(
        "unroll", {space::KnobValue(std::int64_t{1}), space::KnobValue(std::int64_t{2}),
                   space::KnobValue(std::int64_t{4}), space::KnobValue(std::int64_t{8})})});
    const store::SessionId session = database_.add_session(setup);
    Bench bench(database_);
    QVERIFY(bench.open(session));
    QTRY_VERIFY_WITH_TIMEOUT(bench.chart().notice().contains(QStringLiteral("one variable")),
                             deadline_milliseconds);
    QVERIFY(!bench.x().isEnabled());
  }
};

KERNELSCAPE_TEST(VariablePlaneTest, QApplication)

}  // namespace kernelscape::variable_plane_test
#include "variable_plane_test.moc"
