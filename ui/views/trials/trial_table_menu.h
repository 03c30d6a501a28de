#pragma once

#include <QMenu>

#include "ui/models/trial_table_model.h"

namespace kernelscape::views {

class TrialClipboard;
class TrialSelection;
class TrialTableView;

/** The context menu of one cell of the table of trials. Deletes itself when it is closed. */
class TrialTableMenu : public QMenu {
  Q_OBJECT

 public:
  /** What the menu changes, beside the table. */
  struct Parts {
    workspace::Workspace& workspace;
    TrialSelection& selection;
    TrialClipboard& clipboard;
  };

  /** @param measurable true: the menu offers to measure the configuration again */
  TrialTableMenu(TrialTableView& table, const Parts& parts, const QModelIndex& index, bool measurable);

 private:
  void add_selection_actions();
  void add_filter_actions(int column);
  void add_filter_action(const std::string& filter);
  void add_pair_actions();
  void add_copy_actions();

  TrialTableView& table_;
  Parts parts_;
  std::int64_t row_;  ///< of the current source
};

}  // namespace kernelscape::views
