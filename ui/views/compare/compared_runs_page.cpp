#include "ui/views/compare/compared_runs_page.h"

#include <QBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <algorithm>

#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/widgets/library_table.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
ComparedRunsPage::ComparedRunsPage(QWidget* parent)
    : QWidget(parent),
      filter_(
          [this](int row) {
            QStringList words;
            for (int column = 0; column < models::ComparedRunModel::column_count; ++column)
              words.append(model_.index(row, column).data().toString());
            return words.join(QLatin1Char(' '));
          },
          models::ComparedRunModel::SortRole),
      search_(new QLineEdit),
      count_(new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text)),
      hide_(new QPushButton(tr("Exclude"))),
      tune_(new QPushButton(tr("Open in Tune"))),
      explore_(new QPushButton(tr("Open in Explore"))),
      table_(new widgets::LibraryTable(tr("Compared runs"))) {
  setAccessibleName(tr("Runs"));
  search_->setPlaceholderText(tr("Search tuner, task, state, error"));
  search_->setAccessibleName(tr("Search runs"));
  search_->setClearButtonEnabled(true);
  filter_.setSourceModel(&model_);
  table_->setModel(&filter_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(-1, Qt::AscendingOrder);
  auto* line = new QHBoxLayout;
  line->setSpacing(style::grid_pixels);
  line->addWidget(search_, 1);
  line->addWidget(count_);
  for (QPushButton* button : {hide_, tune_, explore_}) line->addWidget(button);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(style::grid_pixels);
  layout->addLayout(line);
  layout->addWidget(table_, 1);
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
    filter_.set_search(text);
    update_state();
  });
  connect(table_, &widgets::LibraryTable::rows_selected, this, &ComparedRunsPage::update_state);
  connect(table_, &widgets::LibraryTable::row_opened, this,
          [this] { open_selected(QStringLiteral("Explore")); });
  connect(hide_, &QPushButton::clicked, this, &ComparedRunsPage::hide_selected);
  connect(tune_, &QPushButton::clicked, this, [this] { open_selected(QStringLiteral("Tune")); });
  connect(explore_, &QPushButton::clicked, this, [this] { open_selected(QStringLiteral("Explore")); });
  connect(&model_, &models::ComparedRunModel::hidden_changed, this, [this] {
    update_state();
    emit hidden_changed();
  });
  update_state();
}

void ComparedRunsPage::set_runs(const std::shared_ptr<const analysis::ComparedRuns>& runs, bool running) {
  model_.set_runs(runs, running);
  update_state();
}

void ComparedRunsPage::show_all() {
  for (const std::int64_t session : std::set<std::int64_t>(hidden())) model_.set_hidden(session, false);
}

void ComparedRunsPage::focus_search() { search_->setFocus(Qt::ShortcutFocusReason); }

/** Returns the sessions of the selected runs. Runs without a session can't be opened and are left out. */
std::vector<std::int64_t> ComparedRunsPage::selected_sessions() const {
  std::vector<std::int64_t> sessions;
  for (const int row : table_->selected_rows()) {
    const std::int64_t session = model_.run(filter_.mapToSource(filter_.index(row, 0)).row()).session;
    if (session > 0) sessions.push_back(session);
  }
  return sessions;
}

void ComparedRunsPage::open_selected(const QString& view) {
  const std::vector<std::int64_t> sessions = selected_sessions();
  if (!sessions.empty()) emit run_opened(sessions.front(), view);
}

/** Excludes the selected runs, or includes them if all of them are excluded. */
void ComparedRunsPage::hide_selected() {
  const std::vector<std::int64_t> sessions = selected_sessions();
  const bool all = std::ranges::all_of(sessions, [&](std::int64_t id) { return hidden().contains(id); });
  for (const std::int64_t session : sessions) model_.set_hidden(session, !all);
}

void ComparedRunsPage::update_state() {
  const std::vector<std::int64_t> sessions = selected_sessions();
  const bool all = !sessions.empty() &&
                   std::ranges::all_of(sessions, [&](std::int64_t id) { return hidden().contains(id); });
  hide_->setText(all ? tr("Include") : tr("Exclude"));
  hide_->setEnabled(!sessions.empty());
  tune_->setEnabled(sessions.size() == 1);
  explore_->setEnabled(sessions.size() == 1);
  const int runs = filter_.rowCount();
  QString text = runs == 1 ? tr("1 run") : tr("%1 runs").arg(style::format_count(runs));
  if (!hidden().empty()) text += tr(", %1 excluded").arg(hidden().size());
  count_->setText(text);
}

}  // namespace kernelscape::views
