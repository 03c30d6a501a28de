#include "ui/views/library/kernels_page.h"

#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/views/library/page_head.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/library_table.h"
#include "ui/widgets/themed_label.h"
#include "ui/workspace/notices.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape {
namespace {

Result<LibraryKernels> read_kernels(const std::filesystem::path& database, const JobControl& control) {
  const Store store = TRY(Store::open(database, OpenMode::ReadOnly));
  if (!control.proceed()) return fail(ErrorCode::Refused, "cancelled");
  return best_kernels(store);
}

/** What of a session decides its kernel. */
bool same_kernel(const SessionEntry& first, const SessionEntry& second) {
  return first.summary.record.id == second.summary.record.id &&
         first.summary.record.name == second.summary.record.name &&
         first.summary.status.best_trial == second.summary.status.best_trial &&
         first.summary.status.vendor_json == second.summary.status.vendor_json &&
         first.confirmed_seconds == second.confirmed_seconds;
}

}  // namespace

KernelsPage::KernelsPage(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      filter_([this](int row) { return model_.index(row, 0).data(KernelModel::SearchRole).toString(); },
              KernelModel::SortRole),
      head_(new PageHead(tr("Search task, target, configuration, session"), tr("kernels"))),
      stack_(new QStackedWidget),
      table_(new LibraryTable(tr("Best kernels"))),
      empty_(new EmptyState),
      details_(new ThemedLabel(TextSize::Normal, &Colours::muted_text)) {
  setAccessibleName(tr("Kernels"));
  filter_.setSourceModel(&model_);
  table_->setModel(&filter_);
  table_->setTextElideMode(Qt::ElideMiddle);
  table_->setSortingEnabled(true);
  table_->sortByColumn(KernelModel::TaskColumn, Qt::AscendingOrder);
  stack_->addWidget(table_);
  stack_->addWidget(empty_);
  details_->setWordWrap(true);
  details_->setMargin(grid_pixels);
  details_->setTextFormat(Qt::PlainText);
  details_->setTextInteractionFlags(Qt::TextSelectableByMouse);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(head_);
  layout->addWidget(stack_, 1);
  layout->addWidget(details_);

  connect(head_, &PageHead::searched, this, [this](const QString& text) {
    filter_.set_search(text);
    update_shown();
  });
  connect(table_, &LibraryTable::rows_selected, this, [this] {
    update_details();
    emit selection_changed();
  });
  connect(table_, &LibraryTable::row_opened, this, [this](int row) {
    emit kernel_opened(model_.kernel(filter_.mapToSource(filter_.index(row, 0)).row()));
  });
  connect(empty_, &EmptyState::action_triggered, head_, &PageHead::clear_search);
  connect(&workspace_, &Workspace::sessions_changed, this, &KernelsPage::load_if_changed);
  update_shown();
  update_details();
}

void KernelsPage::set_actions(const QList<QAction*>& actions) {
  head_->add_actions(actions);
  table_->set_actions(actions);
}

void KernelsPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  load_if_changed();
}

/** A running session changes twice a second: what goes on is finished first, and most news is no news here.
 */
void KernelsPage::load_if_changed() {
  if (!isVisible() || job_.busy()) return;
  if (!read_ || !std::ranges::equal(*read_, *workspace_.sessions(), same_kernel)) load();
}

void KernelsPage::load() {
  read_ = workspace_.sessions();
  job_.start([database = workspace_.database()](
                 const JobControl& control) { return read_kernels(database, control); },
             [this](Result<LibraryKernels> library) {
               error_ = library ? std::nullopt : std::optional(library.error());
               if (library) take(std::move(*library));
               update_shown();
               update_details();
               emit selection_changed();
               load_if_changed();
             });
  update_shown();
}

void KernelsPage::take(LibraryKernels library) {
  for (const UnreadableSession& session : library.unreadable)
    if (told_.insert(session.session).second)
      workspace_.notices().warn(QString::fromStdString(left_out_text(session)));
  model_.set_kernels(std::move(library.kernels));
}

void KernelsPage::update_shown() {
  const int all = model_.rowCount();
  const int shown = filter_.rowCount();
  head_->set_count(filter_.searching()
                       ? tr("%1 of %2").arg(format_count(shown), format_count(all))
                       : (all == 1 ? tr("1 kernel") : tr("%1 kernels").arg(format_count(all))));
  if (error_) {
    empty_->set_text(tr("The kernels can't be read"), QString::fromStdString(describe(*error_)), QString());
  } else if (all > 0) {
    empty_->set_text(tr("No kernel matches"),
                     tr("No kernel has all the words of \u201c%1\u201d.").arg(head_->search()),
                     tr("Clear the search"));
  } else if (job_.busy()) {
    empty_->set_text(tr("Reading the sessions\u2026"), QString(), QString());
  } else {
    empty_->set_text(
        tr("No kernel yet"),
        tr("The best kernel of each task and target appears here as soon as a session has a valid "
           "trial."),
        QString());
  }
  stack_->setCurrentIndex(shown == 0 || error_ ? 1 : 0);
}

std::vector<LibraryKernel> KernelsPage::selected() const {
  std::vector<LibraryKernel> kernels;
  for (const int row : table_->selected_rows())
    kernels.push_back(model_.kernel(filter_.mapToSource(filter_.index(row, 0)).row()));
  return kernels;
}

/** The whole configuration and provenance of one kernel, for which no column is wide enough. */
void KernelsPage::update_details() {
  const std::vector<LibraryKernel> kernels = selected();
  details_->setVisible(model_.rowCount() > 0);
  if (kernels.size() == 1) {
    const LibraryKernel& kernel = kernels.front();
    details_->setText(
        tr("%1\n%2\n%3 (%4), %5, template %6 version %7")
            .arg(QString::fromStdString(kernel.task.text), QString::fromStdString(kernel.configuration_text),
                 kernel_speed_text(kernel),
                 kernel.measured_here() ? kernel_state_text(kernel) : QString::fromStdString(kernel.origin),
                 kernel_provenance_text(kernel), QString::fromStdString(kernel.template_name),
                 QString::number(kernel.template_version)) +
        (kernel.disturbances.empty() ? QString() : QLatin1Char('\n') + kernel_disturbance_text(kernel)) +
        (kernel.claimed ? QLatin1Char('\n') + kernel_claim_text(kernel) : QString()));
  } else if (kernels.empty()) {
    details_->setText(
        tr("Select kernels to take them home as one CMake library, or open one to see its session."));
  } else {
    details_->setText(tr("%1 kernels are selected.").arg(format_count(std::ssize(kernels))));
  }
}

void KernelsPage::focus_search() { head_->focus_search(); }

}  // namespace kernelscape
