#pragma once

#include <QWidget>
#include <vector>

#include "core/schedule/stage_tree.h"

class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/**
 * Shows the stages of a kernel's schedule and their loops as a tree, below a line with their number. For
 * windows in which linked items are selected together.
 */
class StagePanel : public QWidget {
  Q_OBJECT

 public:
  explicit StagePanel(QWidget* parent = nullptr);

  /** Replaces the tree. All nodes are unfolded, and none is chosen. */
  void show_tree(const schedule::StageTree& tree);
  /** Chooses a node and scrolls it into view, without emitting `node_chosen`; -1: none. */
  void choose(int node);
  int chosen() const;  ///< -1: none

  QTreeWidget& tree() { return *tree_; }  ///< the nodes alone, without the line above them
  /** Returns the text that is copied: all nodes, each indented below its parent. */
  QString whole_text() const;
  /** Copies the text, like the button. */
  void copy();

 signals:
  /** Emitted when the user chose a node, with the pointer or keys. */
  void node_chosen(int node);
  /** Emitted when the pointer is on this node; -1: it left the nodes. */
  void node_hovered(int node);
  /** Emitted with a message for the notice bar: the tree was copied. */
  void notified(const QString& text);

 protected:
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void make_tree();
  void apply_theme();

  widgets::ThemedLabel* note_ = nullptr;
  QToolButton* copy_ = nullptr;
  QTreeWidget* tree_ = nullptr;
  std::vector<QTreeWidgetItem*> items_;  ///< by node
  bool silent_ = false;                  ///< the program is changing the selection
};

}  // namespace kernelscape::views
