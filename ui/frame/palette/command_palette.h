#pragma once

#include <QFrame>
#include <QIcon>
#include <QPointer>
#include <functional>
#include <vector>

class QLineEdit;
class QListView;

namespace kernelscape::frame {

class PaletteModel;

/** A line of the command palette. */
struct PaletteCommand {
  QString text;      ///< the searched text: "Tune resnet18/C6"
  QString detail;    ///< "Run", "session 12, 341 GFLOPS"
  QString shortcut;  ///< as displayed
  QIcon icon = {};
  int rank = 0;  ///< added to the score, so that actions come before sessions, and sessions before tasks
  std::function<void()> run;
  QString number = {};  ///< id of a session: an input equal to it selects this session first
};

/**
 * Searches all commands of the window by keyboard alone. It is a frame on top of its parent, not a window.
 */
class CommandPalette : public QFrame {
  Q_OBJECT

 public:
  explicit CommandPalette(QWidget* parent);

  /** Shows the palette with these commands, and selects the previous search text. */
  void open_with(std::vector<PaletteCommand> commands);
  QLineEdit& entry() { return *entry_; }  ///< input field of the search
  QListView& list() { return *list_; }    ///< the matching commands, best first

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

}  // namespace kernelscape::frame
