#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/session/kernel_library.h"

namespace kernelscape::models {

/**
 * Table model of the best kernel of each task and target. Rows keep their place when the library is read
 * again.
 */
class KernelModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    TaskColumn,
    TargetColumn,
    SpeedColumn,
    QuartilesColumn,
    TimeColumn,
    VendorColumn,
    ConfirmedColumn,
    ConfigurationColumn,
    TemplateColumn,
    TunerColumn,
    SessionColumn,
    CreatedColumn,
    column_count
  };
  enum Role {
    SortRole = Qt::UserRole,  ///< a number if the column is numeric
    SearchRole                ///< the text of the whole row
  };

  using QAbstractTableModel::QAbstractTableModel;

  /**
   * Updates the rows to the library that was just read: new kernels are inserted, other rows are changed or
   * removed one by one.
   */
  void set_kernels(std::vector<session::LibraryKernel> kernels);
  /** Returns the kernel of a row of this model, not of a sorted view. */
  const session::LibraryKernel& kernel(int row) const { return kernels_.at(static_cast<std::size_t>(row)); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  std::vector<session::LibraryKernel> kernels_;
};

/**
 * Returns "341 GFLOPS", or the time of a call if the FLOPs are not known; "341 GFLOPS (mean)" if the value is
 * not the median of the samples.
 */
QString kernel_speed_text(const session::LibraryKernel& kernel);

/** Returns "confirmed" or "unconfirmed"; "not measured here" for numbers from an imported file. */
QString kernel_state_text(const session::LibraryKernel& kernel);

/**
 * Returns "Trial 3 of session 7 says 2.1x faster: imported from ..., not measured here."; empty if no
 * imported trial is faster.
 */
QString kernel_claim_text(const session::LibraryKernel& kernel);

/** Returns the disturbances of the kernel's session, one per line; empty if there were none. */
QString kernel_disturbance_text(const session::LibraryKernel& kernel);

/** Returns "session 12, trial 288, nose with seed 7". */
QString kernel_provenance_text(const session::LibraryKernel& kernel);

}  // namespace kernelscape::models
