#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "ui/models/kernel_model.h"
#include "ui/widgets/word_filter.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

class QStackedWidget;

namespace kernelscape {

class EmptyState;
class LibraryTable;
class PageHead;
class ThemedLabel;

/** The best kernel of each task and target over all sessions; read in the background while it is shown. */
class KernelsPage : public QWidget {
  Q_OBJECT

 public:
  explicit KernelsPage(Workspace& workspace, QWidget* parent = nullptr);

  void set_actions(const QList<QAction*>& actions);
  /** In the order of the table. */
  std::vector<LibraryKernel> selected() const;
  void focus_search();

 signals:
  void selection_changed();
  void kernel_opened(const kernelscape::LibraryKernel& kernel);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void load_if_changed();
  void load();
  void update_shown();
  void update_details();

  Workspace& workspace_;
  JobTracker job_;
  KernelModel model_;
  WordFilter filter_;
  SessionEntries read_;  ///< the sessions that the kernels were read with; null: not yet
  std::optional<Error> error_;
  PageHead* head_;
  QStackedWidget* stack_;
  LibraryTable* table_;
  EmptyState* empty_;
  ThemedLabel* details_;
};

}  // namespace kernelscape
