#pragma once

#include <QWidget>
#include <optional>
#include <set>
#include <vector>

#include "ui/models/kernel_model.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class SearchedTable;

/**
 * Lists the best kernel of each task and target over all sessions; reads them in the background while the
 * page is shown.
 */
class KernelsPage : public QWidget {
  Q_OBJECT

 public:
  explicit KernelsPage(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /** Sets the actions of the buttons above the table and of its context menu. */
  void set_actions(const QList<QAction*>& actions);
  /** Returns the selected kernels in the order of the table. */
  std::vector<session::LibraryKernel> selected() const;
  /** Moves the keyboard focus to the search. */
  void focus_search();

 signals:
  /** Emitted when the selection changed, or the kernels were read again. */
  void selection_changed();
  /** Emitted when a row was double-clicked, or Enter pressed on it. */
  void kernel_opened(const kernelscape::session::LibraryKernel& kernel);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void load_if_changed();
  void load();
  /** Shows the kernels, and reports each session that can't be read once. */
  void take(session::LibraryKernels library);
  void update_shown();
  void update_details();

  workspace::Workspace& workspace_;
  workspace::JobTracker job_;
  models::KernelModel model_;
  workspace::SessionEntries read_;       ///< the sessions that the kernels were read with; null: not read yet
  std::set<store::SessionId> notified_;  ///< unreadable sessions that were reported
  std::optional<Error> error_;
  SearchedTable* table_;
  QString vendor_notice_;  ///< the kernels were compared with different libraries; empty: they were not
  widgets::ThemedLabel* details_;
};

}  // namespace kernelscape::views
