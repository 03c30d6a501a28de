#pragma once

#include <QDialog>
#include <functional>
#include <utility>
#include <vector>

#include "ui/views/project/trust_question.h"

class QPushButton;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/**
 * Asks whether a user's own kernel may be compiled and run: shows everything that would be run, what has
 * changed since the user trusted an earlier version, and why the dialog asks. Not modal: runs continue
 * meanwhile. Deletes itself when it is closed.
 */
class TrustDialog : public QDialog {
  Q_OBJECT

 public:
  TrustDialog(TrustQuestion question, QWidget* parent);

  const std::string& content_hash() const {
    return question_.content_hash;
  }  ///< hash of the content that the dialog asks for
  /**
   * Sets an action to do when the content is trusted.
   * @param asker the object whose earlier action this one replaces; null: replaces none
   */
  void then(const void* asker, std::function<void()> action);
  /**
   * Trusts the content from now on and runs all actions that wait for it. If the decision can't be stored,
   * the dialog shows the error.
   */
  void trust_and_run();

 private:
  QWidget* make_files();

  TrustQuestion question_;
  std::vector<std::pair<const void*, std::function<void()>>> actions_;
  widgets::ThemedLabel* problem_ = nullptr;
};

/**
 * Runs an action at once if the content was trusted already, else when the user trusts it; never if the user
 * does not. There is one dialog for each content, however often this function is called.
 * @param asker the object that asks for one action at a time, so that a double click runs it once; null:
 * every action is run
 */
void ask_for_trust(QWidget& window, TrustQuestion question, std::function<void()> then,
                   const void* asker = nullptr);

}  // namespace kernelscape::views
