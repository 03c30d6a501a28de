#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/session/kernel_library.h"

namespace kernelscape {

/** The best kernel of each task and target. Rows keep their place when the library is read again. */
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
    SortRole = Qt::UserRole,  ///< a number where the column is one
    SearchRole                ///< the words of the whole row
  };

  using QAbstractTableModel::QAbstractTableModel;

  /** The library as it was read now: rows of new kernels come, others change or go one by one. */
  void set_kernels(std::vector<LibraryKernel> kernels);
  /** Of a row of the model, not of a sorted view. */
  const LibraryKernel& kernel(int row) const { return kernels_.at(static_cast<std::size_t>(row)); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  std::vector<LibraryKernel> kernels_;
};

/** "341 GFLOPS", or the time of a call where no FLOPs are known; "341 GFLOPS (mean)" where the value is not
 * the median of the samples. */
QString kernel_speed_text(const LibraryKernel& kernel);

/** "confirmed" or "unconfirmed"; "not measured here" for what a file says. */
QString kernel_state_text(const LibraryKernel& kernel);

/** "Trial 3 of session 7 says 2.1x faster: imported from ..., not measured here."; empty where none does. */
QString kernel_claim_text(const LibraryKernel& kernel);

/** What disturbed its session, a line each; empty where nothing did. */
QString kernel_disturbance_text(const LibraryKernel& kernel);

/** "session 12, trial 288, nose with seed 7". */
QString kernel_provenance_text(const LibraryKernel& kernel);

}  // namespace kernelscape
