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

  bool open(store::SessionId session) {
    workspace.open_session(session);
    return QTest::qWaitFor([&] { return watch.shown() != nullptr; }, deadline_milliseconds);
  }
  const trial::Snapshot& trials() const { return workspace.source()->trials; }
  double value(const char* column, std::int64_t row) const {
    const analysis::TrialColumns& columns = workspace.source()->columns();
    return columns.value(trials(), row, *columns.find(column));
  }
  /** Shows a page; what it picks becomes the selection, as the view does it. */
  void show(views::ExplorePage& page) {
    QObject::connect(&page, &views::ExplorePage::rows_picked, &workspace,
                     [this](const analysis::RowSet& rows, const QStringList& said) {
                       filters = said;
                       workspace.set_selection(rows);
                     });
    QObject::connect(&workspace, &workspace::Workspace::selection_changed, &page,
                     &views::ExplorePage::follow_selection);
    QObject::connect(&workspace, &workspace::Workspace::current_row_changed, &page,
                     &views::ExplorePage::follow_current);
    page.resize(1000, 700);
    page.show();
    page.set_shown(watch.shown());
  }
  /** The rows that the filters of the last pick pass. */
  analysis::RowSet passing() const {
    std::vector<std::string> texts;
    for (const QString& filter : filters) texts.push_back(filter.toStdString());
    const analysis::TrialColumns& columns = workspace.source()->columns();
    return analysis::Filter::parse(analysis::conjunction(texts), columns).value().evaluate(trials(), columns);
  }

  workspace::Workspace workspace;
  views::ShownWatch watch{workspace};
  QStringList filters;
};

}  // namespace kernelscape::explore_tests
