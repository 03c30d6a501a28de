#pragma once

#include <QTest>
#include <string>
#include <vector>

#include "core/analysis/filter/filter.h"
#include "tests/gui/gui_support.h"
#include "ui/views/explore/explore_page.h"
#include "ui/views/explore/shown_watch.h"

namespace kernelscape::explore_tests {

inline constexpr std::int64_t trial_count = 300;
inline constexpr int deadline_milliseconds = 30'000;

/** A workspace with an open session and what passes its filters. */
struct Bench {
  explicit Bench(const gui_tests::Database& database) : workspace(database.path(), gui_tests::run_scripted) {
    watch.set_active(true);
  }

  bool open(SessionId session) {
    workspace.open_session(session);
    return QTest::qWaitFor([&] { return watch.shown() != nullptr; }, deadline_milliseconds);
  }
  const TrialSnapshot& trials() const { return workspace.source()->trials; }
  double value(const char* column, std::int64_t row) const {
    const TrialColumns& columns = workspace.source()->columns();
    return columns.value(trials(), row, *columns.find(column));
  }
  /** Shows a page; what it picks becomes the selection, as the view does it. */
  void show(ExplorePage& page) {
    QObject::connect(&page, &ExplorePage::rows_picked, &workspace,
                     [this](const RowSet& rows, const QStringList& said) {
                       filters = said;
                       workspace.set_selection(rows);
                     });
    QObject::connect(&workspace, &Workspace::selection_changed, &page, &ExplorePage::follow_selection);
    QObject::connect(&workspace, &Workspace::current_row_changed, &page, &ExplorePage::follow_current);
    page.resize(1000, 700);
    page.show();
    page.set_shown(watch.shown());
  }
  /** The rows that the filters of the last pick pass. */
  RowSet passing() const {
    std::vector<std::string> texts;
    for (const QString& filter : filters) texts.push_back(filter.toStdString());
    const TrialColumns& columns = workspace.source()->columns();
    return Filter::parse(conjunction(texts), columns).value().evaluate(trials(), columns);
  }

  Workspace workspace;
  ShownWatch watch{workspace};
  QStringList filters;
};

}  // namespace kernelscape::explore_tests
