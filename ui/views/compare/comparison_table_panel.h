#pragma once

#include "ui/models/comparison_model.h"
#include "ui/widgets/library_table.h"
#include "ui/widgets/word_filter.h"

namespace kernelscape::views {

/** The sortable table of a comparison. Ctrl+C copies the selected rows, or all rows if none is selected. */
class ComparisonTablePanel : public widgets::LibraryTable {
  Q_OBJECT

 public:
  explicit ComparisonTablePanel(QWidget* parent = nullptr);

  models::ComparisonModel& rows() { return rows_; }  ///< the model, unsorted
  /** Returns the selected rows with a title line; cells are separated by tabs. */
  QString selected_text() const;

 public slots:
  /** Copies `selected_text` to the clipboard. */
  void copy();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  models::ComparisonModel rows_;
  widgets::WordFilter sorted_;
};

}  // namespace kernelscape::views
