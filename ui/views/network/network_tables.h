#pragma once

#include <QDateTime>
#include <QTabWidget>
#include <optional>
#include <vector>

#include "core/study/study.h"
#include "ui/models/network_layer_model.h"
#include "ui/widgets/word_filter.h"

class QAction;
class QLineEdit;

namespace kernelscape::widgets {
class LibraryTable;
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class OperatorsPage;

/**
 * Shows the layers of a network as a table, its other operators with the notices of its reader, and the
 * operators of its model.
 */
class NetworkTables : public QTabWidget {
  Q_OBJECT

 public:
  explicit NetworkTables(QWidget* parent = nullptr);

  /** Sets the layers. @param tuned true: layers of a study, with the columns of results */
  void set_layers(std::vector<models::NetworkLayerRow> layers, bool tuned);
  /** Replaces the other operators and the notices. */
  void set_others(const std::vector<task::OtherOperators>& others, const std::vector<std::string>& notices);
  /** Shows the page of the model's operators, for a network of a file: see OperatorsPage::set_model(). */
  void show_model(const std::optional<study::ModelSource>& model, const QDateTime& known_since);
  /** Hides that page: the network is not from a model. */
  void hide_model();
  OperatorsPage& operators() { return *operators_; }                    ///< operators of the model
  const models::NetworkLayerModel& layers() const { return layers_; }   ///< as set, unsorted
  const models::OtherOperatorModel& others() const { return others_; }  ///< as set, unsorted
  widgets::LibraryTable& layer_table() { return *layer_table_; }        ///< sorted and filtered
  QString notices() const;                                              ///< Returns the notices as shown.

  /** Returns the selected layer; null: none or several are selected. */
  const models::NetworkLayerRow* selected() const;
  /** Selects a layer of the study and scrolls it into view. */
  void select(std::size_t layer);
  /** Sets the entries of the layers' context menu. */
  void set_actions(const QList<QAction*>& actions);
  /** Moves the keyboard focus to the search of the operators, if they are shown, else of the layers. */
  void focus_search();

 signals:
  /** Emitted when the selection changed. */
  void selection_changed();
  /** Emitted when a layer was double-clicked, or Enter pressed on it. */
  void layer_opened(const kernelscape::models::NetworkLayerRow& layer);

 private:
  QWidget* make_layers_page();
  QWidget* make_others_page();
  const models::NetworkLayerRow& shown_layer(int row) const;

  models::NetworkLayerModel layers_;
  models::OtherOperatorModel others_;
  widgets::WordFilter layer_filter_;
  widgets::WordFilter other_filter_;
  QLineEdit* search_ = nullptr;
  widgets::LibraryTable* layer_table_ = nullptr;
  widgets::LibraryTable* other_table_ = nullptr;
  widgets::ThemedLabel* others_text_ = nullptr;
  widgets::ThemedLabel* notices_ = nullptr;
  OperatorsPage* operators_ = nullptr;
};

}  // namespace kernelscape::views
