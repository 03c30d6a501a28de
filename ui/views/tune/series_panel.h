#pragma once

#include <QWidget>

#include "ui/charts/series_chart.h"
#include "ui/workspace/source.h"

class QComboBox;

namespace kernelscape {

/** What can be drawn of what the session's tuner reported, and the samples that were not needed. */
std::vector<SeriesFigure> series_figures_of(const SourceData& source);

SeriesData series_data_of(const SourceData& source, const SeriesFigure& figure);

/** A chart of one of a session's series, and which one. */
class SeriesPanel : public QWidget {
  Q_OBJECT

 public:
  explicit SeriesPanel(QWidget* parent = nullptr);

  void set_source(const Source& source);
  /** The session has nothing to draw. */
  bool empty() const { return figures_.empty(); }

  SeriesChart& chart() { return *chart_; }
  QComboBox& picker() { return *picker_; }

 private:
  void fill_picker();
  void show_figure();

  QComboBox* picker_ = nullptr;
  SeriesChart* chart_ = nullptr;
  std::vector<SeriesFigure> figures_;
  QString wanted_;  ///< name of what the user chose; empty: the first
  Source source_;
};

}  // namespace kernelscape
