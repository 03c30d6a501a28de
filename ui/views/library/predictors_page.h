#pragma once

#include <QWidget>
#include <optional>

#include "ui/models/predictor_model.h"
#include "ui/workspace/file_import.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/learning_watch.h"
#include "ui/workspace/workspace.h"

namespace kernelscape {

class SearchedTable;

/** All predictors: those of the database, in training too, and the shipped ones. To search, to take home as a
 * file, to bring in and to delete. Read in the background while it is shown. */
class PredictorsPage : public QWidget {
  Q_OBJECT

 public:
  explicit PredictorsPage(Workspace& workspace, QWidget* parent = nullptr);

  /** For the tool bar and the table's context menu. */
  void set_actions(const QList<QAction*>& bar, const QList<QAction*>& menu);
  /** In the order of the table. */
  std::vector<KnownPredictor> selected() const;
  /** The keyboard goes to the search. */
  void focus_search();
  /** Asks for a file and writes the selected predictor. */
  void export_selected();
  /** Writes it; asks before something else is replaced. */
  void write(const KnownPredictor& predictor, const QString& path, bool replace = false);
  /** Asks for files of predictors. */
  void import_files();
  /** Asks first: it is for good. */
  void delete_selected();

 signals:
  /** Other rows are selected, or the predictors were read again. */
  void selection_changed();
  /** A row was double-clicked, or Enter pressed on it. */
  void predictor_opened(const QString& key);
  /** From the empty state. */
  void learn_requested();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void show_lists(const LearningListsPointer& lists);
  void update_shown();
  void remove(const std::vector<KnownPredictor>& predictors);

  Workspace& workspace_;
  JobTracker job_;
  FileImport imports_;
  bool read_ = false;  ///< a list has come
  PredictorModel model_;
  SearchedTable* table_;
};

/** Whether a predictor can be deleted now: it is of the database, and nobody trains it. */
bool can_delete(const KnownPredictor& predictor);

}  // namespace kernelscape
