#pragma once

#include "ui/figures/knob_statistics.h"
#include "ui/views/explore/cell_beliefs.h"
#include "ui/views/explore/explore_page.h"

class QComboBox;

namespace kernelscape::views {

class ColumnBox;

/**
 * Shows the influence of the knobs: the effect of one column, a heat map of two columns, and the parameter
 * importance.
 */
class KnobsPage : public ExplorePage {
  Q_OBJECT

 public:
  explicit KnobsPage(workspace::Workspace& workspace, QWidget* parent = nullptr);

  bool has_content(const figures::ShownTrials& shown) override;

 protected:
  void compute() override;
  void show_current() override;
  void forget() override;

 private:
  QWidget* make_effects_panel();
  QWidget* make_importance_panel();
  QWidget* make_heat_map_panel();
  void fill_boxes();
  /** Shows the most important knobs, once per source, unless the user chose others. */
  void open_with_what_decides(const figures::FigureOf<charts::ImportanceData>& importance);
  void compute_effects();
  void compute_heat_map();
  charts::HeatMeasure measure() const;
  /** Returns true if the heat map shows predictions of a model and can be drawn. */
  bool predicts() const;
  void show_heat_map(figures::HeatMapFigure figure);
  void compute_importance();
  bool importance_is_fresh(bool validity) const;
  void pick_box(int index);
  void pick_cell(int x, int y);
  void choose_knobs(int first, int second);

  charts::EffectsChart* effects_ = nullptr;
  charts::ImportanceChart* importance_ = nullptr;
  charts::HeatMapChart* heat_map_ = nullptr;
  ColumnBox* effects_column_ = nullptr;
  ColumnBox* x_column_ = nullptr;
  ColumnBox* y_column_ = nullptr;
  QComboBox* measure_ = nullptr;
  QComboBox* of_what_ = nullptr;
  CellBeliefs beliefs_;
  workspace::JobTracker heat_map_jobs_;
  workspace::JobTracker importance_jobs_;
  figures::EffectsFigure effects_shown_;
  figures::HeatMapFigure heat_map_shown_;
  figures::Shown importance_of_;  ///< the trials whose importance is shown or being computed
  bool validity_shown_ = false;
  bool opened_ =
      false;  ///< the charts' columns were set for this source and no longer change with the importance
  bool effect_chosen_ = false;  ///< the user chose the column of the effect
  bool cross_chosen_ = false;   ///< the user chose the columns of the heat map
};

}  // namespace kernelscape::views
