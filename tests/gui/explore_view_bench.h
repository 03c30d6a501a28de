#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTabBar>
#include <QTest>
#include <cstdint>

#include "tests/gui/gui_support.h"
#include "ui/charts/bars/effects_chart.h"
#include "ui/charts/bars/importance_chart.h"
#include "ui/charts/chart.h"
#include "ui/charts/landscape/heat_map_chart.h"
#include "ui/views/explore/column_box.h"
#include "ui/views/explore/explore_page.h"
#include "ui/views/explore/explore_view.h"

namespace kernelscape::explore_view_tests {

inline constexpr std::int64_t trial_count = 300;
inline constexpr int deadline_milliseconds = 60'000;
/** Pages of the view, in their order. */
enum Page { Errors, Distribution, Knobs, Parallel, Neighbourhood };

/** Explore beside a workspace. */
struct Bench {
  explicit Bench(const gui_tests::Database& database) : workspace(database.path(), gui_tests::run_scripted) {
    view.resize(1200, 800);
    view.show();
  }

  bool open(store::SessionId session, Page page) {
    view.show_page(page);
    return gui_tests::open_and_wait(workspace, session);
  }
  double value(std::size_t column, std::int64_t row) const {
    return workspace.source()->columns().value(workspace.source()->trials, row, column);
  }
  /** By its accessible name. */
  views::ColumnBox* column_box(const QString& name) const {
    for (views::ColumnBox* box : view.findChildren<views::ColumnBox*>())
      if (box->accessibleName() == name) return box;
    return nullptr;
  }
  views::ColumnBox* effects_column() const {
    return column_box(QStringLiteral("Column whose effect is shown"));
  }
  views::ColumnBox* along() const { return column_box(QStringLiteral("Horizontal column of the heat map")); }
  views::ColumnBox* up() const { return column_box(QStringLiteral("Vertical column of the heat map")); }
  /** The page of knobs, once importance is known and its charts show it. */
  bool open_knobs(store::SessionId session) {
    if (!open(session, Knobs)) return false;
    const auto* importance = view.findChild<charts::ImportanceChart*>();
    const auto* effects = view.findChild<charts::EffectsChart*>();
    const auto* map = page(Knobs).findChild<charts::HeatMapChart*>();
    return QTest::qWaitFor(
        [&] {
          const bool learnt = !importance->data().bars.empty() &&
                              !importance->notice().contains(QStringLiteral("Learning")) &&
                              !importance->notice().contains(QStringLiteral("..."));
          return learnt && effects->data().column == effects_column()->currentText() &&
                 map->data().x_column == along()->currentText() &&
                 map->data().y_column == up()->currentText();
        },
        deadline_milliseconds);
  }
  QComboBox* heat_measure() const {
    for (QComboBox* box : view.findChildren<QComboBox*>())
      if (box->accessibleName() == QStringLiteral("Colour of the heat map")) return box;
    return nullptr;
  }
  /** A button by its text, where it can be pressed. */
  QPushButton* button(const QString& text) const {
    for (QPushButton* button : view.findChildren<QPushButton*>())
      if (button->text() == text && button->isVisible()) return button;
    return nullptr;
  }
  views::ExplorePage& page(Page page) const {
    const QString name = view.findChild<QTabBar*>()->tabText(page);
    for (views::ExplorePage* found : view.findChildren<views::ExplorePage*>())
      if (found->accessibleName() == name) return *found;
    qFatal("there is no such page");
  }
  bool says(const QString& text) const {
    for (const QLabel* label : view.findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(text)) return true;
    return false;
  }
  /** Walks a chart's readout to its nth thing and clicks there. */
  static void click(charts::Chart* chart, int steps) {
    chart->setFocus();
    QTest::keyClick(chart, Qt::Key_Escape);
    for (int step = 0; step <= steps; ++step) QTest::keyClick(chart, Qt::Key_Right);
    QTest::mouseClick(chart, Qt::LeftButton, {}, chart->readout().value().position.toPoint());
  }

  workspace::Workspace workspace;
  views::ActionRegistry actions;
  views::ExploreView view{{workspace, actions}};
};

/** Of four knobs the third decides, then the fourth; the first two nothing. */
inline session::Setup last_knobs_decide(MeasurementScript& script, std::uint64_t seed) {
  script.measure = [](const space::Configuration& configuration) {
    trial::Measurement measurement;
    const double seconds = 1e-4 * (1 + 2.0 * configuration.indices[2] + 0.7 * configuration.indices[3]);
    measurement.samples_seconds = {seconds, seconds, seconds};
    return measurement;
  };
  return session_tests::make_setup("random", seed, trial_count, 50);
}

/** Every trial fails to compile, with one of three messages. */
inline MeasurementScript all_fail() {
  MeasurementScript script;
  script.measure = [](const space::Configuration& configuration) {
    trial::Measurement measurement;
    measurement.category = trial::ErrorCategory::CompileHost;
    const auto kind = session_tests::hash_of(configuration) % 7;
    measurement.message = kind < 4 ? "the most frequent" : kind < 6 ? "the second" : "the third";
    return measurement;
  };
  return script;
}

}  // namespace kernelscape::explore_view_tests
