#pragma once

#include <QLineEdit>
#include <QModelIndex>
#include <optional>

#include "core/analysis/filter/filter.h"
#include "core/analysis/filter/filter_completion.h"

class QCompleter;
class QStandardItemModel;

namespace kernelscape {

/** A line for a filter: completes columns, values and words at the cursor, underlines the wrong place. */
class FilterEntry : public QLineEdit {
  Q_OBJECT

 public:
  explicit FilterEntry(QWidget* parent = nullptr);

  /** What completion offers; none: nothing is completed. */
  void set_columns(std::optional<TrialColumns> columns);
  /** Underlines the place; none: nothing. */
  void set_error(const std::optional<FilterError>& error);

 signals:
  /** Enter: the text as it stands is meant. */
  void accepted();
  /** Backspace in the empty entry. */
  void backspace_in_empty();

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void offer_completions();
  void complete(const QModelIndex& chosen);
  /** Where a position of the text is in the widget. */
  double x_of(qsizetype position) const;

  std::optional<TrialColumns> columns_;
  std::optional<FilterError> error_;
  QCompleter* completer_ = nullptr;
  QStandardItemModel* offers_ = nullptr;
};

}  // namespace kernelscape
