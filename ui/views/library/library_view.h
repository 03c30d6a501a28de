#pragma once

#include <optional>

#include "ui/views/view.h"
#include "ui/workspace/remeasurement.h"

class QTabWidget;

namespace kernelscape::session {
struct LibraryKernel;
}  // namespace kernelscape::session

namespace kernelscape::workspace {
struct CompareSource;
}  // namespace kernelscape::workspace

namespace kernelscape::views {

class KernelsPage;
class PredictorsPage;
class SessionsPage;
class StudiesPage;

/**
 * The view Library: the contents of this database. Sessions can be searched, tagged, compared, run again and
 * deleted; it also lists studies, predictors and the best kernels.
 */
class LibraryView : public View {
  Q_OBJECT

 public:
  /** Makes the view. @param remeasure the function of "Measure the best again"; tests replace it */
  explicit LibraryView(ViewContext context, workspace::Remeasure remeasure = session::measure_best_again);

  void focus_filter() override;
  /** Exports one selected session, or the selected kernels. */
  void export_current() override;

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QAction* add(const QString& id, const QString& text, const QString& icon_name, const QString& help,
               const QKeySequence& shortcut, std::function<void()> triggered);
  void add_session_actions();
  void add_kernel_actions();
  void add_study_actions();
  void add_predictor_actions();
  void update_actions();

  void open(store::SessionId id, const QString& view_name);
  void open_kernel(const session::LibraryKernel& kernel);
  void duplicate_selected();
  void resume_selected();
  void export_session();
  void export_kernels();
  void compare(const workspace::CompareSource& source);
  void compare_selected();
  void join_selected();
  void open_study(const store::StudySummary& study);
  void open_predictor(const QString& key);

  workspace::JobTracker duplicate_job_;
  std::optional<store::SessionId>
      kernel_session_;  ///< session opened for one of its kernels' trials, not read yet
  std::int64_t kernel_trial_ = -1;
  QTabWidget* tabs_;
  SessionsPage* sessions_;
  KernelsPage* kernels_;
  StudiesPage* studies_;
  PredictorsPage* predictors_;
  QAction* open_ = nullptr;
  QAction* explore_ = nullptr;
  QAction* side_by_side_ = nullptr;
  QAction* compare_ = nullptr;
  QAction* join_ = nullptr;
  QAction* rename_ = nullptr;
  QAction* duplicate_ = nullptr;
  QAction* resume_ = nullptr;
  QAction* measure_again_ = nullptr;
  QAction* export_ = nullptr;
  QAction* delete_ = nullptr;
  QAction* undo_delete_ = nullptr;
  QAction* open_kernel_ = nullptr;
  QAction* export_kernels_ = nullptr;
  QAction* open_study_ = nullptr;
  QAction* rename_study_ = nullptr;
  QAction* delete_study_ = nullptr;
  QAction* undo_delete_study_ = nullptr;
  QAction* open_predictor_ = nullptr;
  QAction* export_predictor_ = nullptr;
  QAction* import_predictor_ = nullptr;
  QAction* delete_predictor_ = nullptr;
};

}  // namespace kernelscape::views
