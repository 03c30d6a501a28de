#pragma once

#include <QAbstractTableModel>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/filter/row_order.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::models {

/**
 * Table model of the trials of the workspace's current source that pass its filters, one per row, with the
 * columns of TrialColumns. A *position* is a trial's place in the table, a *row* is its index in the source.
 *
 * Large tables are sorted and filtered in the background, and the result replaces the rows at once; new
 * trials of a running session are inserted at their place in the order. `rows_about_to_change` and
 * `rows_changed` surround every change of positions, so that a view keeps its place.
 */
class TrialTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  explicit TrialTableModel(workspace::Workspace& workspace, QObject* parent = nullptr);

  /** Returns the source that is shown, which lags behind the workspace while a job runs; may be null. */
  const workspace::Source& source() const { return source_; }

  /** Returns the current order; nullopt: in order of arrival. */
  const std::optional<analysis::RowOrder>& order() const { return by_; }
  /** Sorts in the background; `order_changed` is emitted at once, the rows change later. */
  void set_order(std::optional<analysis::RowOrder> by);

  /** Sets whether only selected trials are shown, as long as any trial is selected. */
  void set_only_selected(bool only);
  bool only_selected() const { return only_selected_; }  ///< false at first
  /**
   * Replaces the workspace's selection, but shows the same trials as before, so that none disappears under
   * the pointer. The new selection decides which trials are shown when it is changed elsewhere.
   */
  void select_in_place(analysis::RowSet selection);

  /** Returns the rows of the source by position. */
  std::span<const std::uint32_t> rows() const { return rows_; }
  std::int64_t row_at(int position) const;        ///< no_row if the position is outside the table
  int position_of(std::int64_t trial_row) const;  ///< -1: not shown
  /** Returns true while the table is being sorted or filtered in the background. */
  bool busy() const { return job_.busy(); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  /** Sorts by a column. @param column negative: in order of arrival */
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

 signals:
  /** Emitted before any change of positions, so that a view can save its place. */
  void rows_about_to_change();
  /** Emitted after any change of positions: `rows()` returns the new positions. */
  void rows_changed();
  /** Another order was requested, or another source is shown; the rows may change later. */
  void order_changed();
  /** Background sorting or filtering began or ended. */
  void busy_changed(bool busy);

 private:
  /** Inputs of an arrangement of the rows. */
  struct Request {
    workspace::Source source;
    std::optional<analysis::RowOrder> by;
    std::optional<analysis::RowSet> filtered;
  };
  using Rows = std::vector<std::uint32_t>;

  std::optional<analysis::RowSet> rows_to_show() const;
  static std::optional<Rows> arrange(const Request& request, const std::function<bool()>& proceed);
  void reset();
  void follow_selection();
  void arrange_again();
  void take(const workspace::Source& source, Rows rows);
  void catch_up();
  void append(const workspace::Source& source);
  void replace_rows(Rows rows);
  void move_persistent_indexes(const Rows& rows, std::size_t count);
  void notify_best_changed(std::int64_t before);

  const analysis::Column& column_at(int column) const;
  double value_at(const QModelIndex& index) const;
  QString tool_tip(const QModelIndex& index) const;

  workspace::Workspace& workspace_;
  workspace::Source source_;
  std::optional<analysis::RowOrder> by_;
  Rows rows_;
  bool only_selected_ = false;
  bool keeps_rows_ = false;    ///< select_in_place() changes the selection
  analysis::RowSet selected_;  ///< the selection whose trials are shown if `only_selected_`
  workspace::JobTracker job_;
};

}  // namespace kernelscape::models
