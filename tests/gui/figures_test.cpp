#include <QApplication>
#include <QComboBox>
#include <QHelpEvent>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <future>
#include <iterator>
#include <set>

#include "core/study/comparison_reader.h"
#include "tests/gui/study_gui_support.h"
#include "tests/test_program.h"
#include "ui/charts/chart.h"
#include "ui/figures/frequent_messages.h"
#include "ui/figures/knob_statistics.h"
#include "ui/figures/registry.h"
#include "ui/report/report.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/explore/column_box.h"
#include "ui/views/explore/explore_view.h"
#include "ui/views/tune/live_charts.h"
#include "ui/views/tune/series_panel.h"

namespace kernelscape::figures_test {
namespace {

constexpr int deadline_milliseconds = 60'000;
constexpr int explore_pages = 13;

/** What a reader takes from charts: title, notice, caption and numbers of each. */
using Read = std::set<QString>;

QString read(const charts::Chart& chart) {
  return QStringList{chart.title(), chart.notice(), chart.caption(),
                     QString::fromStdString(charts::to_csv(chart.table()))}
      .join(QLatin1Char('\n'));
}

Read read(const std::vector<figures::Figure>& figures) {
  Read texts;
  for (const figures::Figure& figure : figures) texts.insert(read(*figure.make()));
  return texts;
}

Read read(const report::Document& report) {
  Read texts;
  for (const report::Block& block : report.blocks)
    if (const auto* figure = std::get_if<figures::Figure>(&block)) texts.insert(read(*figure->make()));
  return texts;
}

/** Of the second that the first has not. */
QStringList missing(const Read& from, const Read& wanted) {
  QStringList texts;
  std::ranges::set_difference(wanted, from, std::back_inserter(texts));
  return texts;
}

Read texts_with(const Read& texts, const QString& begin) {
  Read some;
  std::ranges::copy_if(texts, std::inserter(some, some.end()),
                       [&](const QString& text) { return text.startsWith(begin); });
  return some;
}

/** On a thread of its own, as jobs make them. */
std::vector<figures::Figure> figures_of(const figures::Kind& kind, const figures::Source& source) {
  return std::async(std::launch::async, [&] { return kind.figures(source, figures::uncontrolled_job()); })
      .get();
}

bool stands_in(const figures::Kind& kind, std::initializer_list<figures::Place> places) {
  return std::ranges::find(places, kind.place) != places.end();
}

/** A widget that shows figures, and all that was read in it so far. */
template <typename View>
struct Seen {
  View& view;
  Read texts = {};

  void look() {
    for (const charts::Chart* chart : view.template findChildren<charts::Chart*>())
      texts.insert(read(*chart));
  }
  bool wait_for(const Read& wanted) {
    return QTest::qWaitFor(
        [&] {
          look();
          return missing(texts, wanted).isEmpty();
        },
        deadline_milliseconds);
  }
  /** Waits for what is being computed for the charts in sight, and reads it. */
  bool settle() {
    const auto waits = [&] {
      workspace::JobTracker::wait_for_all();
      const auto charts = view.template findChildren<charts::Chart*>();
      return std::ranges::any_of(charts, [](const charts::Chart* chart) {
        return chart->isVisible() && chart->notice().contains(QStringLiteral("..."));
      });
    };
    QTest::qWait(20);
    const bool settled = QTest::qWaitFor([&] { return !waits(); }, deadline_milliseconds);
    QTest::qWait(20);
    look();
    return settled;
  }
  QComboBox* box(const QString& name) {
    for (QComboBox* box : view.template findChildren<QComboBox*>())
      if (box->accessibleName() == name) return box;
    return nullptr;
  }
};

QByteArray complaint(const Read& from, const Read& wanted) {
  return missing(from, wanted).join(QStringLiteral("\n---\n")).left(4000).toUtf8();
}

}  // namespace

class FiguresTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  store::SessionId session_ = 0;
  store::StudyId study_ = 0;

  figures::Source source_of(store::SessionId id) const {
    store::Store store = *store::Store::open(database_.path(), store::OpenMode::ReadOnly);
    const workspace::Source session = *workspace::SourceReader(store, id).read();
    const figures::Shown shown = figures::make_shown(session, {}, std::nullopt, figures::uncontrolled_job());
    return {.session = session,
            .shown = shown,
            .database = database_.path(),
            .importance = std::make_shared<const figures::FigureOf<charts::ImportanceData>>(
                figures::importance_of(*shown, false, figures::uncontrolled_job()))};
  }
  figures::Source study_source(std::size_t baseline) const {
    store::Store store = *store::Store::open(database_.path(), store::OpenMode::ReadOnly);
    study::ComparisonReader reader(store, study_);
    reader.read_member_shares();
    return {.runs = *reader.read(), .choice = {.baseline = baseline}};
  }

  /** All that Tune's charts say of a session, by every button and choice. */
  static Read read_in_tune(views::LiveCharts& charts, const Read& wanted) {
    Seen<views::LiveCharts> seen{charts};
    for (const char* name : {"Best so far against session time", "Best so far against trials"}) {
      for (auto* button : charts.findChildren<QToolButton*>())
        if (button->accessibleName() == QLatin1String(name)) button->click();
      seen.look();
    }
    QComboBox& picker = charts.series().picker();
    QComboBox& columns = charts.series().column_picker();
    for (int index = 0; index < picker.count(); ++index) {
      picker.setCurrentIndex(index);
      emit picker.activated(index);
      seen.look();
      for (int column = 0; column < columns.count(); ++column) {
        columns.setCurrentIndex(column);
        emit columns.activated(column);
        seen.look();
      }
    }
    seen.wait_for(wanted);
    return seen.texts;
  }

 private slots:
  void every_chart_explains_itself() {
    for (const figures::Kind& kind : figures::figure_kinds()) {
      const std::unique_ptr<charts::Chart> chart = kind.make_chart();
      QVERIFY2(chart->explanation().size() > 60, kind.name.data());
      QHelpEvent asked(QEvent::QueryWhatsThis, QPoint(), QPoint());
      asked.ignore();
      QApplication::sendEvent(chart.get(), &asked);
      QVERIFY2(asked.isAccepted(), kind.name.data());
      chart->set_caption(QStringLiteral("a caption"));
      QVERIFY2(chart->full_explanation().contains(QStringLiteral("a caption")), kind.name.data());
    }
  }

  void initTestCase() {
    session_ = database_.add_session(160);
    database_.confirm(session_);
    store::Store store = *store::Store::open(database_.path());
    std::vector<store::StoredSeries> values;
    for (std::int64_t trial = 10; trial < 160; ++trial) {
      values.push_back({trial, "predicted_mean", 100.0 + static_cast<double>(trial)});
      values.push_back({trial, "predicted_deviation", 10});
      values.push_back({trial, "epsilon", 0.5});
      for (const std::string column : {"tile_oc[0]", "tile_oc[1]"})
        values.push_back({trial, "lengthscale " + column, 0.5});
    }
    QVERIFY(store.series().append(session_, values));
    study_ = gui_tests::add_study(database_.path(), gui_tests::small_study());
    gui_tests::add_member_shares(database_.path(), study_, 0);
  }

  void every_kind_has_a_name_of_its_own() {
    std::set<std::string_view> names;
    for (const figures::Kind& kind : figures::figure_kinds()) QVERIFY(names.insert(kind.name).second);
  }

  void tune_has_a_chart_for_every_kind() {
    workspace::Workspace workspace(database_.path(), gui_tests::run_scripted);
    views::LiveCharts charts(workspace);
    QStringList wanted;
    for (const figures::Place place : {figures::Place::Tune, figures::Place::TuneModel})
      for (const figures::Kind* kind : figures::figure_kinds(place))
        wanted.append(QString::fromLatin1(kind->make_chart()->metaObject()->className()));
    QStringList shown;
    for (const charts::Chart* chart : charts.findChildren<charts::Chart*>())
      shown.append(QString::fromLatin1(chart->metaObject()->className()));
    wanted.sort();
    shown.sort();
    QCOMPARE(shown, wanted);
  }

  void tune_and_reports_show_the_same() {
    const figures::Source source = source_of(session_);
    workspace::Workspace workspace(database_.path(), gui_tests::run_scripted);
    views::LiveCharts charts(workspace);
    charts.resize(1000, 800);
    charts.show();
    QVERIFY(gui_tests::open_and_wait(workspace, session_));
    store::Store store = *store::Store::open(database_.path(), store::OpenMode::ReadOnly);
    const Read reported = read(*report::session_report_document(store, session_));
    for (const figures::Kind& kind : figures::figure_kinds()) {
      if (!stands_in(kind, {figures::Place::Tune, figures::Place::TuneModel})) continue;
      std::vector<figures::Figure> figures = figures_of(kind, source);
      QVERIFY2(!figures.empty(), kind.name.data());
      const Read shown = read_in_tune(charts, read(figures));
      QVERIFY2(missing(shown, read(figures)).isEmpty(), complaint(shown, read(figures)));
      std::erase_if(figures, [](const figures::Figure& figure) { return !figure.group.isEmpty(); });
      QVERIFY2(missing(reported, read(figures)).isEmpty(), complaint(reported, read(figures)));
    }
  }

  void explore_and_reports_show_the_same() {
    const figures::Source source = source_of(session_);
    workspace::Workspace workspace(database_.path(), gui_tests::run_scripted);
    views::ActionRegistry actions;
    views::ExploreView view{{workspace, actions}};
    view.resize(1200, 800);
    view.show();
    QVERIFY(gui_tests::open_and_wait(workspace, session_));
    store::Store store = *store::Store::open(database_.path(), store::OpenMode::ReadOnly);
    const Read reported = read(*report::session_report_document(store, session_));
    Read wanted;
    for (const figures::Kind& kind : figures::figure_kinds()) {
      if (kind.place != figures::Place::Explore && kind.name != "outcomes") continue;
      const std::vector<figures::Figure> figures = figures_of(kind, source);
      QVERIFY2(!figures.empty(), kind.name.data());
      wanted.merge(read(figures));
      if (kind.part == figures::ReportPart::None) continue;
      // Which knobs' effects a report shows depends on what they decide.
      const QString words = figures.front().text.title.left(9);
      const Read of_kind = texts_with(reported, words);
      QVERIFY2(!of_kind.empty() || !figures.front().text.notice.isEmpty(), kind.name.data());
      wanted.merge(Read(of_kind));
    }
    Seen<views::ExploreView> seen{view};
    for (int page = 0; page < explore_pages; ++page) {
      view.show_page(page);
      QVERIFY(seen.settle());
    }
    view.show_page(2);
    auto* effects = static_cast<views::ColumnBox*>(seen.box(QStringLiteral("Column whose effect is shown")));
    const analysis::TrialColumns& columns = source.session->columns();
    for (std::size_t knob = 0; knob < source.session->space().knobs().size(); ++knob) {
      effects->set_column(columns.default_column(knob));
      QVERIFY(seen.settle());
    }
    seen.box(QStringLiteral("Outcome explained by the importance"))->setCurrentIndex(1);
    QVERIFY2(seen.wait_for(wanted), complaint(seen.texts, wanted));
  }

  void compare_and_reports_show_the_same() {
    const figures::Source source = study_source(1);
    workspace::Workspace workspace(database_.path(), gui_tests::run_scripted);
    views::ActionRegistry actions;
    views::CompareView view{{workspace, actions}};
    view.resize(1200, 800);
    view.show();
    view.open_study(study_);
    store::Store store = *store::Store::open(database_.path(), store::OpenMode::ReadOnly);
    const Read reported = read(*report::study_report_document(store, study_));
    Read wanted;
    Read by_trials;
    for (const figures::Kind& kind : figures::figure_kinds()) {
      const bool over_tasks = kind.part == figures::ReportPart::OverTasks;
      if (kind.part != figures::ReportPart::Comparison && kind.part != figures::ReportPart::Tasks &&
          !over_tasks)
        continue;
      std::vector<figures::Figure> figures = figures_of(kind, source);
      QVERIFY2(!figures.empty(), kind.name.data());
      const bool chosen = kind.place == figures::Place::Chosen;
      // Another measure is chosen elsewhere than another axis.
      if (!over_tasks || !chosen) (chosen ? by_trials : wanted).merge(read(figures));
      // What has nothing to draw says why in the window alone.
      std::erase_if(figures, [](const figures::Figure& figure) { return !figure.text.notice.isEmpty(); });
      QVERIFY2(missing(reported, read(figures)).isEmpty(), complaint(reported, read(figures)));
    }
    Seen<views::CompareView> seen{view};
    QVERIFY2(seen.wait_for(wanted), complaint(seen.texts, wanted));
    QComboBox* axis = seen.box(QStringLiteral("Horizontal axis of the curves"));
    axis->setCurrentIndex(1);
    emit axis->activated(1);
    QVERIFY2(seen.wait_for(by_trials), complaint(seen.texts, by_trials));
    workspace::JobTracker::wait_for_all();
  }

  void shares_of_members_name_who_draws_none() {
    const auto kind =
        std::ranges::find(figures::figure_kinds(), std::string_view("member share"), &figures::Kind::name);
    const figures::Source source = study_source(1);
    const std::vector<figures::Figure> figures = figures_of(*kind, source);
    QCOMPARE(figures.size(), std::size_t{1});
    QVERIFY(figures.front().text.caption.endsWith(QStringLiteral("report no offspring: grid.")));
    analysis::ComparedRuns without = *source.runs;
    for (analysis::ComparedRun& run : without.runs) run.member_share = {};
    const figures::Source none{.runs = std::make_shared<const analysis::ComparedRuns>(without),
                               .choice = source.choice};
    QVERIFY(figures_of(*kind, none).empty());
  }

  void without_a_valid_trial_all_say_why() {
    MeasurementScript script;
    script.measure = [](const space::Configuration&) {
      trial::Measurement measurement;
      measurement.category = trial::ErrorCategory::CompileHost;
      measurement.message = "nothing compiles today";
      return measurement;
    };
    const store::SessionId failed =
        database_.add_session(session_tests::make_setup("random", 5, 60, 32), script);
    const figures::Source source = source_of(failed);
    workspace::Workspace workspace(database_.path(), gui_tests::run_scripted);
    views::ActionRegistry actions;
    views::ExploreView view{{workspace, actions}};
    view.resize(1200, 800);
    view.show();
    QVERIFY(gui_tests::open_and_wait(workspace, failed));
    Seen<views::ExploreView> seen{view};
    for (const auto& [name, page] :
         {std::pair{"distribution", 1}, std::pair{"cumulative", 1}, std::pair{"effects", 2},
          std::pair{"importance", 2}, std::pair{"parallel", 3}}) {
      view.show_page(page);
      const auto kind =
          std::ranges::find(figures::figure_kinds(), std::string_view(name), &figures::Kind::name);
      const figures::Figure figure = figures_of(*kind, source).front();
      QVERIFY2(!figure.text.notice.isEmpty(), name);
      const std::unique_ptr<charts::Chart> made = figure.make();
      const auto says_so = [&] {
        return std::ranges::any_of(view.findChildren<charts::Chart*>(), [&](const charts::Chart* chart) {
          return chart->title() == made->title() && chart->notice() == made->notice();
        });
      };
      QTRY_VERIFY2_WITH_TIMEOUT(says_so(), name, deadline_milliseconds);
    }
    store::Store store = *store::Store::open(database_.path(), store::OpenMode::ReadOnly);
    for (const QString& text : read(*report::session_report_document(store, failed)))
      QVERIFY2(text.section(QLatin1Char('\n'), 1, 1).isEmpty(), qPrintable(text));
  }
};

KERNELSCAPE_TEST(FiguresTest, QApplication)

}  // namespace kernelscape::figures_test
#include "figures_test.moc"
