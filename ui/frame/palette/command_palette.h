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
  int rank = 0;  ///< added to the score: 20 for actions, 10 for tasks
  std::function<void()> run;
  QString number = {};  ///< id of a session: an input equal to it selects this session first
  QString subject =
      {};  ///< name of a session, task or network: a search for it finds this command before actions
  bool last = false;  ///< comes after all other matches until its whole text is entered: "Quit"
};

/**
 * Searches all commands of the window by keyboard alone. It is a frame on top of its parent, not a window.
 */
class CommandPalette : public QFrame {
  Q_OBJECT

 public:
  explicit CommandPalette(QWidget* parent);

  /**
   * Shows the palette with these commands and without a search text. The command that was used last is the
   * first and selected; if none was used yet, no command is selected, so that Enter does nothing.
   */
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
  QString last_used_;  ///< text of the command that was used last; empty: none
};

}  // namespace kernelscape::frame
