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

namespace kernelscape {

/**
 * The trials of the workspace's current source that pass its filters, one per row, with the columns of
 * TrialColumns. A *position* is where a trial stands in the table, a *row* which trial of the source it is.
 *
 * Large tables are sorted and filtered in the background and swapped in at once; new trials of a running
 * session go where the order wants them. `rows_about_to_change` and `rows_changed` surround every change of
 * positions, so that a view keeps its place.
 */
class TrialTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  explicit TrialTableModel(Workspace& workspace, QObject* parent = nullptr);

  /** What is shown, which lags behind the workspace while a job runs; may be null. */
  const Source& source() const { return source_; }

  /** None: as the trials arrived. */
  const std::optional<RowOrder>& order() const { return by_; }
  /** Sorts in the background; `order_changed` comes at once, the rows later. */
  void set_order(std::optional<RowOrder> by);

  /** Rows of the source by position. */
  std::span<const std::uint32_t> rows() const { return rows_; }
  std::int64_t row_at(int position) const;        ///< no_row outside
  int position_of(std::int64_t trial_row) const;  ///< -1: not shown
  /** Sorting or filtering in the background. */
  bool busy() const { return job_.busy(); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  /** A negative column: as the trials arrived. */
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

 signals:
  /** Before any change of positions: time for a view to note its place. */
  void rows_about_to_change();
  /** After any change of positions: `rows()` are the new ones. */
  void rows_changed();
  /** Another order was asked for, or the source is another; rows may come later. */
  void order_changed();
  /** Sorting or filtering in the background began or ended. */
  void busy_changed(bool busy);

 private:
  /** What an arrangement is made from. */
  struct Request {
    Source source;
    std::optional<RowOrder> by;
    std::optional<RowSet> filtered;
  };
  using Rows = std::vector<std::uint32_t>;

  static std::optional<Rows> arrange(const Request& request, const std::function<bool()>& proceed);
  void reset();
  void arrange_again();
  void take(const Source& source, Rows rows);
  void catch_up();
  void append(const Source& source);
  void replace_rows(Rows rows);
  void move_persistent_indexes(const Rows& rows, std::size_t count);
  void tell_best_changed(std::int64_t before);

  const Column& column_at(int column) const;
  double value_at(const QModelIndex& index) const;
  QString tool_tip(const QModelIndex& index) const;

  Workspace& workspace_;
  Source source_;
  std::optional<RowOrder> by_;
  Rows rows_;
  JobTracker job_;
};

}  // namespace kernelscape
