#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "ui/models/model_operator_model.h"
#include "ui/widgets/word_filter.h"
#include "ui/workspace/jobs.h"

class QLineEdit;
class QStackedWidget;

namespace kernelscape::widgets {
class EmptyState;
class LibraryTable;
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/**
 * Shows the operators of a model after the passes over its graph, and what was fused into each. The model is
 * read in the background when the page is first visible, and again when its file changes.
 */
class OperatorsPage : public QWidget {
  Q_OBJECT

 public:
  explicit OperatorsPage(QWidget* parent = nullptr);

  /**
   * Shows another model.
   * @param model nullopt: its file is not known; the page offers to choose it
   * @param known_since when the model's layers were stored: a file that changed later is reported; invalid:
   * no change is reported
   */
  void set_model(std::optional<study::ModelSource> model, const QDateTime& known_since = {});
  /** Sets the layers of the study whose kernels are shown; none: no layer was tuned. */
  void set_layers(const std::vector<study::NetworkLayerOutcome>& layers) { operators_.set_layers(layers); }
  const std::optional<study::ModelSource>& model() const { return model_; }   ///< as set or chosen
  const models::ModelOperatorModel& operators() const { return operators_; }  ///< as read, unsorted
  widgets::LibraryTable& table() { return *table_; }                          ///< sorted and filtered
  QString note() const;  ///< Returns the lines above the table, or why there is none.
  /** Moves the keyboard focus to the search. */
  void focus_search();

 public slots:
  /** Asks for the model's file. */
  void choose_file();

 signals:
  /** Emitted when the user chose the file of the model. */
  void file_chosen(const QString& path);
  /** Emitted when the model's file changed after it was read. */
  void file_changed();
  /** Emitted when a layer was double-clicked, or Enter pressed on it. @param task its text */
  void layer_opened(const std::string& task);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  /** A model that was read, with the state of its file just before. */
  struct Reading {
    workspace::ModelStamp stamp;
    Result<workspace::ModelOperators> operators;
  };

  QWidget* make_table_page();
  void read();
  void look();
  void show_reading(Reading reading);
  void show_operators(const workspace::ModelOperators& read);
  void show_empty(const QString& headline, const QString& text, const QString& action = {});

  std::optional<study::ModelSource> model_;
  QDateTime known_since_;
  std::optional<workspace::ModelStamp> stamp_;  ///< of the file that was read; nullopt: none was read
  models::ModelOperatorModel operators_;
  widgets::WordFilter filter_;
  workspace::JobTracker read_job_;
  workspace::JobTracker look_job_;
  QTimer look_timer_;

  QStackedWidget* stack_ = nullptr;
  QWidget* table_page_ = nullptr;
  QLineEdit* search_ = nullptr;
  widgets::LibraryTable* table_ = nullptr;
  widgets::ThemedLabel* summary_ = nullptr;
  widgets::ThemedLabel* warning_ = nullptr;
  widgets::EmptyState* empty_ = nullptr;
  QString empty_text_;
};

}  // namespace kernelscape::views
