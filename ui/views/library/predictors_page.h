#pragma once

#include <QWidget>
#include <optional>

#include "ui/models/predictor_model.h"
#include "ui/workspace/file_import.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/learning_watch.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::views {

class SearchedTable;

/**
 * Lists all predictors: those of the database, including those in training, and the built-in ones. Predictors
 * can be searched, exported as files, imported and deleted. Reads them in the background while the page is
 * shown.
 */
class PredictorsPage : public QWidget {
  Q_OBJECT

 public:
  explicit PredictorsPage(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /** Sets the actions of the buttons above the table and of its context menu. */
  void set_actions(const QList<QAction*>& bar, const QList<QAction*>& menu);
  /** Returns the selected predictors in the order of the table. */
  std::vector<study::KnownPredictor> selected() const;
  /** Moves the keyboard focus to the search. */
  void focus_search();
  /** Asks for a file and writes the selected predictor to it. */
  void export_selected();
  /** Writes the predictor; asks before it replaces something else. */
  void write(const study::KnownPredictor& predictor, const QString& path, bool replace = false);
  /** Asks for predictor files and imports them. */
  void import_files();
  /** Deletes the selected predictors after a confirmation, because it cannot be undone. */
  void delete_selected();

 signals:
  /** Emitted when the selection changed, or the predictors were read again. */
  void selection_changed();
  /** Emitted when a row was double-clicked, or Enter pressed on it. */
  void predictor_opened(const QString& key);
  /** Emitted by the button of the empty state. */
  void learn_requested();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void show_lists(const workspace::LearningListsPointer& lists);
  void update_shown();
  void remove(const std::vector<study::KnownPredictor>& predictors);

  workspace::Workspace& workspace_;
  workspace::JobTracker job_;
  workspace::FileImport imports_;
  bool read_ = false;  ///< the list was read at least once
  models::PredictorModel model_;
  SearchedTable* table_;
};

/**
 * Returns true if the predictor can be deleted now: it is stored in the database, and no process trains it.
 */
bool can_delete(const study::KnownPredictor& predictor);

}  // namespace kernelscape::views
