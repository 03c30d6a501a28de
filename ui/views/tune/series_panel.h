#pragma once

#include <QWidget>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/filter/row_set.h"
#include "ui/charts/bars/relevance_chart.h"
#include "ui/charts/courses/prediction_chart.h"
#include "ui/charts/courses/series_chart.h"
#include "ui/workspace/source.h"

class QComboBox;
class QStackedWidget;

namespace kernelscape {

/**
 * What a session's tuner reported, one chart at a time, and which one: what its model expected against what
 * was measured, which columns matter to it, or one of its series over the trials. Series that differ in their
 * column only are one choice, with a second one for the column.
 */
class SeriesPanel : public QWidget {
  Q_OBJECT

 public:
  explicit SeriesPanel(QWidget* parent = nullptr);

  void set_source(const Source& source);
  /** The session has nothing to draw. */
  bool empty() const { return entries_.empty(); }

  void set_current_row(std::int64_t row);
  void set_selection(const RowSet& selection);
  /** In place of every chart until the next source; empty: none. */
  void set_notice(const QString& text);
  void set_least_chart_size(QSize size);

  SeriesChart& chart() { return *chart_; }
  PredictionChart& prediction() { return *prediction_; }
  RelevanceChart& relevance() { return *relevance_; }
  std::array<Chart*, 3> charts() { return {prediction_, relevance_, chart_}; }
  QComboBox& picker() { return *picker_; }
  QComboBox& column_picker() { return *column_picker_; }

 private:
  enum class Shows : std::uint8_t { Prediction, Relevance, Series };
  /** What the user chooses from. */
  struct Entry {
    Shows shows = Shows::Series;
    std::string name = {};  ///< of the series or of their group
    QString title = {};
    std::vector<SeriesFigure> figures = {};  ///< one, or those of a group

    bool is(const Entry& other) const { return shows == other.shows && name == other.name; }
    bool operator==(const Entry&) const = default;
  };

  static std::vector<Entry> entries_of(const SourceData& source);
  static void add_figure(std::vector<Entry>& entries, const SeriesFigure& figure);
  void lay_out();
  void connect_choices();
  void fill_picker();
  void show_entry();
  void show_series(const Entry& entry);
  void fill_column_picker(const Entry& entry);
  void show_lengthscale(const QString& column);

  QComboBox* picker_ = nullptr;
  QComboBox* column_picker_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  PredictionChart* prediction_ = nullptr;
  RelevanceChart* relevance_ = nullptr;
  SeriesChart* chart_ = nullptr;
  std::vector<Entry> entries_;
  std::optional<Entry> wanted_;  ///< what the user chose; none: the first
  QStringList columns_;          ///< in the column's picker
  QString wanted_column_;        ///< the same of a group; empty: the first
  Source source_;
};

}  // namespace kernelscape
