#pragma once

#include <QObject>
#include <QPoint>
#include <QStringList>

#include "ui/models/trial_table_model.h"

class QMenu;
class QTableView;

namespace kernelscape::views {

/** The columns of the table of trials: which are visible, their order, their widths, and the header. */
class TrialTableColumns : public QObject {
  Q_OBJECT

 public:
  /** Gives the table its header. @param table shows the model, and owns this object */
  TrialTableColumns(QTableView& table, models::TrialTableModel& model);

  /** Returns the names of the visible columns, in their order. */
  QStringList visible() const;
  /** Sets the visible columns. Names that the source does not have are left out; empty: the usual columns. */
  void set_visible(const QStringList& names);
  /** Fills a menu with a check box per column, grouped into measured columns and knobs. */
  void fill_menu(QMenu& menu);
  /** Returns the first visible column, by its position in the model. */
  int first_visible() const;
  /** Applies the visible columns and their widths; to be called when the source or the font changed. */
  void apply();
  /** Shows the order of the model in the header. */
  void show_order();

 signals:
  /** The user showed, hid or moved columns. */
  void visible_changed();

 private:
  void make_header();
  void open_menu(QPoint place);
  int width_of(std::size_t position) const;
  void set_shown(const QString& name, bool shown);
  void add_to_menu(QMenu& menu, const analysis::Column& column, bool shown);

  QTableView& table_;
  models::TrialTableModel& model_;
  QStringList wanted_;
  bool applying_ = false;  ///< the header is changed by this object and not by the user
};

}  // namespace kernelscape::views
