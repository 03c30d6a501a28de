#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "core/analysis/filter/row_set.h"
#include "ui/charts/bars/relevance_chart.h"
#include "ui/charts/curves/prediction_chart.h"
#include "ui/charts/curves/series_chart.h"
#include "ui/figures/registry.h"

class QComboBox;
class QStackedWidget;

namespace kernelscape::views {

/**
 * Shows the figures of what a session's tuner reported, one at a time: predicted against measured values,
 * which columns matter to the model, or one of its series over the trials. The figures of a group are one
 * entry, with a second box for the member.
 */
class SeriesPanel : public QWidget {
  Q_OBJECT

 public:
  explicit SeriesPanel(QWidget* parent = nullptr);

  /** Makes all figures again. The user's choice is kept if the session has it. */
  void set_source(const workspace::Source& source, const charts::PassingRows& passing = {});
  /** Returns true if the session has nothing to draw. */
  bool empty() const { return entries_.empty(); }

  /** Marks a row in every chart; no_row: none. */
  void set_current_row(std::int64_t row);
  /** Highlights the selection in every chart. */
  void set_selection(const analysis::RowSet& selection);
  /** Shows a text in place of every chart until the next source; empty: none. */
  void set_notice(const QString& text);
  /** Sets the minimum size of each chart in pixels. */
  void set_least_chart_size(QSize size);

  charts::SeriesChart& chart() {
    return *findChild<charts::SeriesChart*>();
  }  ///< one reported series over the trials
  /** Returns the chart of predicted against measured values. */
  charts::PredictionChart& prediction() { return *findChild<charts::PredictionChart*>(); }
  /** Returns the chart of the columns that matter to the model. */
  charts::RelevanceChart& relevance() { return *findChild<charts::RelevanceChart*>(); }
  /** Returns the charts, one for each kind of figure of the panel. */
  const std::vector<charts::Chart*>& charts() const { return charts_; }
  QComboBox& picker() { return *picker_; }                ///< chooses the figure, or group of figures
  QComboBox& column_picker() { return *column_picker_; }  ///< chooses the member of a group

 private:
  /** An entry of the picker. */
  struct Entry {
    charts::Chart* chart = nullptr;
    QString title = {};
    std::vector<figures::Figure> figures = {};  ///< one figure, or those of a group

    bool is(const Entry& other) const { return chart == other.chart && title == other.title; }
  };

  static void add_figure(std::vector<Entry>& entries, charts::Chart* chart, figures::Figure figure);
  void lay_out();
  void connect_choices();
  void fill_picker();
  void show_entry();
  void fill_column_picker(const Entry& entry);
  void show_lengthscale(const QString& column);

  QComboBox* picker_ = nullptr;
  QComboBox* column_picker_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  std::vector<charts::Chart*> charts_;
  std::vector<Entry> entries_;
  std::optional<Entry> wanted_;  ///< the user's choice; nullopt: the first
  QStringList columns_;          ///< entries of the column picker
  QString wanted_column_;        ///< the user's choice in a group; empty: the first
};

}  // namespace kernelscape::views
