#pragma once

#include <cstdint>

#include "ui/models/trial_table_model.h"

namespace kernelscape::views {

/** Changes the selection of trials, which belongs to the workspace, by rows of the table. */
class TrialSelection {
 public:
  TrialSelection(workspace::Workspace& workspace, models::TrialTableModel& model)
      : workspace_(workspace), model_(model) {}

  /**
   * Returns a selection with as many rows as the model shows; the workspace's selection may be smaller while
   * new trials arrive.
   */
  analysis::RowSet rows() const;
  /** Adds a trial to the selection or removes it. */
  void toggle(std::int64_t row);
  /** Selects exactly the trials between two rows in the order of the table; nothing if `row` is not shown. */
  void select_range(std::int64_t start, std::int64_t row);
  /** Selects exactly the trials that pass the filters. */
  void select_shown();
  /** Clears the selection. */
  void clear();

 private:
  workspace::Workspace& workspace_;
  models::TrialTableModel& model_;
};

}  // namespace kernelscape::views
