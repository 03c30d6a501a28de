#pragma once

#include <QDialog>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/project/kernel_project.h"

class QPushButton;

namespace kernelscape {

class ThemedLabel;

/**
 * Asks whether a user's own kernel may be compiled and run: shows all that would be, and why it asks. Not
 * modal: runs go on meanwhile. Deletes itself when it is closed.
 */
class TrustDialog : public QDialog {
  Q_OBJECT

 public:
  TrustDialog(std::shared_ptr<const KernelProject> project, std::string content_hash, QWidget* parent);

  const std::string& content_hash() const { return hash_; }  ///< that is asked for
  /** What is done when it is trusted. @param asker whose earlier action this replaces; null: nobody's */
  void then(const void* asker, std::function<void()> action);
  /** Says yes: the content is trusted from now on, and all that waits for it is done. What can't be kept is
   * said in the dialog. */
  void trust_and_run();

 private:
  QWidget* make_files();

  std::shared_ptr<const KernelProject> project_;
  std::string hash_;
  std::vector<std::pair<const void*, std::function<void()>>> actions_;
  ThemedLabel* problem_ = nullptr;
};

/**
 * Does it at once where the content is trusted already, else when its user says so; never where not. One
 * dialog asks for a content, however often it is asked for.
 * @param asker asks for one thing at a time: who clicks twice means it once. Null: each time for another
 */
void ask_for_trust(QWidget& window, const std::shared_ptr<const KernelProject>& project,
                   std::function<void()> then, const void* asker = nullptr);

}  // namespace kernelscape
