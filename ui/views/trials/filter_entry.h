#pragma once

#include <QLineEdit>
#include <QModelIndex>
#include <optional>

#include "core/analysis/filter/filter.h"
#include "core/analysis/filter/filter_completion.h"

class QCompleter;
class QStandardItemModel;

namespace kernelscape::views {

/**
 * An entry for a filter: completes columns, values and keywords at the cursor, and underlines the wrong
 * place.
 */
class FilterEntry : public QLineEdit {
  Q_OBJECT

 public:
  explicit FilterEntry(QWidget* parent = nullptr);

  /** Sets the columns that completion offers; nullopt: nothing is completed. */
  void set_columns(std::optional<analysis::TrialColumns> columns);
  /** Underlines the place of the error; nullopt: nothing is underlined. */
  void set_error(const std::optional<analysis::FilterError>& error);

 signals:
  /** Emitted on Enter: the text is to be accepted as it is. */
  void accepted();
  /** Emitted on Backspace in the empty entry. */
  void backspace_in_empty();

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void offer_completions();
  void complete(const QModelIndex& chosen);
  /** Returns the x coordinate of a text position in the widget. */
  double x_of(qsizetype position) const;

  std::optional<analysis::TrialColumns> columns_;
  std::optional<analysis::FilterError> error_;
  QCompleter* completer_ = nullptr;
  QStandardItemModel* offers_ = nullptr;
};

}  // namespace kernelscape::views
