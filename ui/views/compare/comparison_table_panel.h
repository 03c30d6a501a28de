#pragma once

#include "ui/models/comparison_model.h"
#include "ui/widgets/library_table.h"
#include "ui/widgets/word_filter.h"

namespace kernelscape {

/** The table of a comparison: sortable, Ctrl+C copies the selected rows (all without a selection). */
class ComparisonTablePanel : public LibraryTable {
  Q_OBJECT

 public:
  explicit ComparisonTablePanel(QWidget* parent = nullptr);

  ComparisonModel& rows() { return rows_; }  ///< the model, unsorted
  /** With a line of titles; cells are separated by tabs. */
  QString selected_text() const;

 public slots:
  /** `selected_text` to the clipboard. */
  void copy();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  ComparisonModel rows_;
  WordFilter sorted_;
};

}  // namespace kernelscape
