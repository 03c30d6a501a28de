#include "ui/views/library/kernels_page.h"

#include <QVBoxLayout>
#include <algorithm>

#include "ui/models/session_text.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/views/library/searched_table.h"
#include "ui/widgets/library_table.h"
#include "ui/widgets/themed_label.h"
#include "ui/workspace/notices.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::views {
namespace {

Result<session::LibraryKernels> read_kernels(const std::filesystem::path& database,
                                             const workspace::JobControl& control) {
  const store::Store store = TRY(store::Store::open(database, store::OpenMode::ReadOnly));
  if (!control.proceed()) return fail(ErrorCode::Refused, "cancelled");
  return session::best_kernels(store);
}

/** Returns true if the properties that determine a session's best kernel are equal. */
bool same_kernel(const workspace::SessionEntry& first, const workspace::SessionEntry& second) {
  return first.summary.record.id == second.summary.record.id &&
         first.summary.record.name == second.summary.record.name &&
         first.summary.status.best_trial == second.summary.status.best_trial &&
         first.summary.status.vendor_json == second.summary.status.vendor_json && first.best == second.best;
}

QString maker_text(const session::LibraryKernel& kernel) {
  if (!kernel.project_hash.empty())
    return models::kernel_maker_text(kernel.task.name, kernel.project_hash, kernel.template_name,
                                     kernel.template_version);
  return KernelsPage::tr("template %1 version %2")
      .arg(QString::fromStdString(kernel.template_name), QString::number(kernel.template_version));
}

}  // namespace

KernelsPage::KernelsPage(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      table_(new SearchedTable(
          model_,
          [this](int row) { return model_.index(row, 0).data(models::KernelModel::SearchRole).toString(); },
          models::KernelModel::SortRole,
          {.name = tr("Best kernels"),
           .rows = tr("kernels"),
           .search_hint = tr("Search task, target, configuration, session"),
           .no_match = tr("No kernel matches"),
           .searched = tr("No kernel has all the words of \u201c%1\u201d.")},
          models::KernelModel::TaskColumn, Qt::AscendingOrder)),
      details_(new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text)) {
  setAccessibleName(tr("Kernels"));
  table_->table().setTextElideMode(Qt::ElideMiddle);
  details_->setWordWrap(true);
  details_->setMargin(style::grid_pixels);
  details_->setTextFormat(Qt::PlainText);
  details_->setTextInteractionFlags(Qt::TextSelectableByMouse);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(table_, 1);
  layout->addWidget(details_);

  connect(table_, &SearchedTable::rows_selected, this, [this] {
    update_details();
    emit selection_changed();
  });
  connect(table_, &SearchedTable::row_opened, this,
          [this](int row) { emit kernel_opened(model_.kernel(row)); });
  connect(&workspace_, &workspace::Workspace::sessions_changed, this, &KernelsPage::load_if_changed);
  update_shown();
  update_details();
}

void KernelsPage::set_actions(const QList<QAction*>& actions) { table_->set_actions(actions, actions); }

void KernelsPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  load_if_changed();
}

/**
 * Reads the kernels if the sessions changed. The current reading is finished first, because a running session
 * changes twice a second and most changes do not affect the kernels.
 */
void KernelsPage::load_if_changed() {
  if (!isVisible() || job_.busy()) return;
  if (!read_ || !std::ranges::equal(*read_, *workspace_.sessions(), same_kernel)) load();
}

void KernelsPage::load() {
  read_ = workspace_.sessions();
  job_.start([database = workspace_.database()](
                 const workspace::JobControl& control) { return read_kernels(database, control); },
             [this](Result<session::LibraryKernels> library) {
               error_ = library ? std::nullopt : std::optional(library.error());
               if (library) take(std::move(*library));
               update_shown();
               update_details();
               emit selection_changed();
               load_if_changed();
             });
  update_shown();
}

void KernelsPage::take(session::LibraryKernels library) {
  for (const session::UnreadableSession& session : library.unreadable)
    if (notified_.insert(session.session).second)
      workspace_.notices().warn(QString::fromStdString(session::left_out_text(session)));
  std::vector<trial::ComparedVendor> vendors;
  for (const session::LibraryKernel& kernel : library.kernels)
    if (kernel.share_of_vendor) vendors.push_back(kernel.compared_with());
  vendor_notice_ = QString::fromStdString(trial::vendor_difference_text(vendors, {"kernel", "kernels"}));
  model_.set_kernels(std::move(library.kernels));
}

void KernelsPage::update_shown() {
  const int all = model_.rowCount();
  EmptyText empty{
      tr("No kernel yet"),
      tr("The best kernel of each task and target appears here as soon as a session has a valid trial."),
      {}};
  if (error_) {
    empty = {tr("The kernels can't be read"), QString::fromStdString(describe(*error_)), {}};
  } else if (job_.busy()) {
    empty = {tr("Reading the sessions\u2026"), {}, {}};
  }
  table_->show_rows(all == 1 ? tr("1 kernel") : tr("%1 kernels").arg(style::format_count(all)), empty,
                    !error_);
}

std::vector<session::LibraryKernel> KernelsPage::selected() const {
  std::vector<session::LibraryKernel> kernels;
  for (const int row : table_->selected_rows()) kernels.push_back(model_.kernel(row));
  return kernels;
}

/** Shows the whole configuration and provenance of one kernel, which do not fit in a column. */
void KernelsPage::update_details() {
  const std::vector<session::LibraryKernel> kernels = selected();
  details_->setVisible(model_.rowCount() > 0);
  if (kernels.size() == 1) {
    const session::LibraryKernel& kernel = kernels.front();
    details_->setText(
        tr("%1\n%2\n%3 (%4), %5, %6")
            .arg(QString::fromStdString(kernel.task.text), QString::fromStdString(kernel.configuration_text),
                 models::kernel_speed_text(kernel),
                 kernel.measured_here() ? models::kernel_state_text(kernel)
                                        : QString::fromStdString(kernel.origin),
                 models::kernel_provenance_text(kernel), maker_text(kernel)) +
        (kernel.disturbances.empty() ? QString()
                                     : QLatin1Char('\n') + models::kernel_disturbance_text(kernel)) +
        (kernel.claimed ? QLatin1Char('\n') + models::kernel_claim_text(kernel) : QString()));
  } else if (kernels.empty()) {
    details_->setText(
        tr("Select kernels to export them as one CMake library, or open one to see its session."));
  } else {
    details_->setText(tr("%1 kernels are selected.").arg(style::format_count(std::ssize(kernels))));
  }
  if (!vendor_notice_.isEmpty()) details_->setText(details_->text() + QLatin1Char('\n') + vendor_notice_);
}

void KernelsPage::focus_search() { table_->focus_search(); }

}  // namespace kernelscape::views
