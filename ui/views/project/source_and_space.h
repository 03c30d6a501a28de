#pragma once

#include <QWidget>
#include <memory>

#include "core/project/kernel_project.h"

class QSplitter;
class QTabWidget;

namespace kernelscape {

class ProjectSpaceView;
class ThemedLabel;

/** The files of a user's own kernel, and its space beside them: lines and the parameters that they mention
 * are linked. */
class SourceAndSpace : public QWidget {
  Q_OBJECT

 public:
  explicit SourceAndSpace(QWidget* parent = nullptr);

  /** What is shown already stays as it is, scrolled and chosen. Null: nothing to show. */
  void show_project(const std::shared_ptr<const KernelProject>& project, const std::string& content_hash);

  bool shows_project() const { return !shown_hash_.empty(); }  ///< not only that there is none

  QTabWidget& files() { return *files_; }        ///< a CodeView each
  ProjectSpaceView& space() { return *space_; }  ///< parameters, conditions, launch

 protected:
  /** With little room the space stands below the source. */
  void resizeEvent(QResizeEvent* event) override;

 private:
  std::string shown_hash_;
  ThemedLabel* title_ = nullptr;
  QSplitter* halves_ = nullptr;
  QTabWidget* files_ = nullptr;
  ProjectSpaceView* space_ = nullptr;
};

/** A tab with syntax colours for each file. */
void show_files(QTabWidget& tabs, const KernelProject& project);

}  // namespace kernelscape
