#pragma once

#include "ui/figures/constraint_figure.h"
#include "ui/views/explore/explore_page.h"

class QLineEdit;
class QModelIndex;
class QPlainTextEdit;
class QTableView;

namespace kernelscape::widgets {
class WordFilter;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class ConstraintModel;

/**
 * Shows the constraints of the space and the limits of its target (Heron, table 7): as a graph, as a list,
 * and as text for the item that is chosen in either, with the values of the current trial.
 */
class ConstraintsPage : public ExplorePage {
  Q_OBJECT

 public:
  explicit ConstraintsPage(workspace::Workspace& workspace, QWidget* parent = nullptr);

  void follow_selection() override {}

  bool has_content(const figures::ShownTrials& shown) override;

 protected:
  void compute() override;
  void show_current() override { refresh(); }
  void forget() override;
  void changeEvent(QEvent* event) override;

 private:
  QWidget* make_list();
  void show_figure(const figures::FigureOf<charts::ConstraintData>& figure);
  void choose_row(const QModelIndex& index);
  void choose_node(qint64 node);
  void clear_choice();
  void show_text();

  charts::ConstraintChart* chart_ = nullptr;
  ConstraintModel* model_ = nullptr;
  widgets::WordFilter* filter_ = nullptr;
  QLineEdit* search_ = nullptr;
  QTableView* table_ = nullptr;
  QPlainTextEdit* words_ = nullptr;
  std::shared_ptr<const workspace::SourceOrigin> origin_;  ///< the source origin that the scene was made from
  std::shared_ptr<const charts::ConstraintScene> scene_;
};

}  // namespace kernelscape::views
