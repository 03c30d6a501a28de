#pragma once

#include <QFrame>
#include <QIcon>
#include <QPointer>
#include <functional>
#include <vector>

class QLineEdit;
class QListView;

namespace kernelscape {

class PaletteModel;

/** One line of the palette. */
struct PaletteCommand {
  QString text;      ///< what is searched: "Tune resnet18/C6"
  QString detail;    ///< "Run", "session 12, 341 GFLOPS"
  QString shortcut;  ///< as shown
  QIcon icon = {};
  int rank = 0;  ///< added to the score: actions before sessions before tasks
  std::function<void()> run;
  QString number = {};  ///< of a session: who types it means this one
};

/** Search over all that the window can do, by keyboard alone. It lies over its parent, without a window. */
class CommandPalette : public QFrame {
  Q_OBJECT

 public:
  explicit CommandPalette(QWidget* parent);

  /** Shows it with these commands; what was typed before is selected. */
  void open_with(std::vector<PaletteCommand> commands);
  QLineEdit& entry() { return *entry_; }  ///< where the search is typed
  QListView& list() { return *list_; }    ///< the commands found, the best first

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void place();
  void search();
  bool handle_key(int key);
  void run_current();
  void close_palette();

  QLineEdit* entry_;
  QListView* list_;
  PaletteModel* model_;
  QPointer<QWidget> focus_before_;
};

}  // namespace kernelscape
