#pragma once

#include <QWidget>
#include <optional>
#include <set>
#include <vector>

#include "ui/models/kernel_model.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

namespace kernelscape {

class SearchedTable;
class ThemedLabel;

/** The best kernel of each task and target over all sessions; read in the background while it is shown. */
class KernelsPage : public QWidget {
  Q_OBJECT

 public:
  explicit KernelsPage(Workspace& workspace, QWidget* parent = nullptr);

  /** For the tool bar and the table's context menu. */
  void set_actions(const QList<QAction*>& actions);
  /** In the order of the table. */
  std::vector<LibraryKernel> selected() const;
  /** The keyboard goes to the search. */
  void focus_search();

 signals:
  /** Other rows are selected, or the kernels were read again. */
  void selection_changed();
  /** A row was double-clicked, or Enter pressed on it. */
  void kernel_opened(const kernelscape::LibraryKernel& kernel);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void load_if_changed();
  void load();
  /** Shows the kernels, and says once of each session that can't be read that it was left out. */
  void take(LibraryKernels library);
  void update_shown();
  void update_details();

  Workspace& workspace_;
  JobTracker job_;
  KernelModel model_;
  SessionEntries read_;       ///< the sessions that the kernels were read with; null: not yet
  std::set<SessionId> told_;  ///< sessions that were said to be left out
  std::optional<Error> error_;
  SearchedTable* table_;
  QString vendor_notice_;  ///< kernels were compared with different libraries; empty: they were not
  ThemedLabel* details_;
};

}  // namespace kernelscape
