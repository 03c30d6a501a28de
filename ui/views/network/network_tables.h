#pragma once

#include <QTabWidget>
#include <optional>
#include <vector>

#include "ui/models/network_layer_model.h"
#include "ui/widgets/word_filter.h"

class QAction;
class QLineEdit;

namespace kernelscape {

class LibraryTable;
class ThemedLabel;

/** The layers of a network as a table, what else it computes, and what its reader said. */
class NetworkTables : public QTabWidget {
  Q_OBJECT

 public:
  explicit NetworkTables(QWidget* parent = nullptr);

  /** @param tuned of a study: with the columns that say what became of them */
  void set_layers(std::vector<NetworkLayerRow> layers, bool tuned);
  /** In place of those before. */
  void set_others(const std::vector<OtherOperators>& others, const std::vector<std::string>& notices);
  const NetworkLayerModel& layers() const { return layers_; }   ///< as set, unsorted
  const OtherOperatorModel& others() const { return others_; }  ///< as set, unsorted
  LibraryTable& layer_table() { return *layer_table_; }         ///< sorted and filtered
  QString notices() const;                                      ///< as they are shown

  /** The one layer that is selected; null: none, or several. */
  const NetworkLayerRow* selected() const;
  /** Selects a layer of the study, and brings it to sight. */
  void select(std::size_t layer);
  /** Entries of the layers' context menu. */
  void set_actions(const QList<QAction*>& actions);
  /** The keyboard goes to the search. */
  void focus_search();

 signals:
  /** Another layer is selected, or none. */
  void selection_changed();
  /** A layer was double-clicked, or Enter pressed on it. */
  void layer_opened(const kernelscape::NetworkLayerRow& layer);

 private:
  QWidget* make_layers_page();
  QWidget* make_others_page();
  const NetworkLayerRow& shown_layer(int row) const;

  NetworkLayerModel layers_;
  OtherOperatorModel others_;
  WordFilter layer_filter_;
  WordFilter other_filter_;
  QLineEdit* search_ = nullptr;
  LibraryTable* layer_table_ = nullptr;
  LibraryTable* other_table_ = nullptr;
  ThemedLabel* others_text_ = nullptr;
  ThemedLabel* notices_ = nullptr;
};

}  // namespace kernelscape
