#pragma once

#include <QWidget>
#include <vector>

#include "core/schedule/stage_tree.h"

class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace kernelscape {

class ThemedLabel;

/** The stages of a kernel's schedule and their loops as a tree, below a line that says how many there are;
 * for views in which what belongs together is selected together. */
class StagePanel : public QWidget {
  Q_OBJECT

 public:
  explicit StagePanel(QWidget* parent = nullptr);

  /** In place of the one before; all of it is unfolded, and nothing is chosen. */
  void show_tree(const StageTree& tree);
  /** Chooses a node and scrolls it into view, without `node_chosen`; -1: none. */
  void choose(int node);
  int chosen() const;  ///< -1: none

  QTreeWidget& tree() { return *tree_; }  ///< the nodes alone, without the line above them
  /** All nodes, each indented below the one around it: what is copied. */
  QString whole_text() const;
  /** Copies it, as the button does. */
  void copy();

 signals:
  /** By the user, with the pointer or keys. */
  void node_chosen(int node);
  /** The pointer is on this node; -1: on none any more. */
  void node_hovered(int node);
  /** Something to tell in passing: the tree was copied. */
  void notified(const QString& text);

 protected:
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void make_tree();
  void apply_theme();

  ThemedLabel* note_ = nullptr;
  QToolButton* copy_ = nullptr;
  QTreeWidget* tree_ = nullptr;
  std::vector<QTreeWidgetItem*> items_;  ///< by node
  bool silent_ = false;                  ///< the program chooses
};

}  // namespace kernelscape
