#pragma once

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

#include "core/project/kernel_project.h"
#include "ui/widgets/code_view.h"

class QSplitter;
class QTabWidget;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class ProjectSpaceView;

/**
 * Shows the files of a user's own kernel with its space beside them. Lines and the parameters that they
 * mention are linked.
 */
class SourceAndSpace : public QWidget {
  Q_OBJECT

 public:
  explicit SourceAndSpace(QWidget* parent = nullptr);

  /**
   * Shows a project. A project that is shown already keeps its scroll position and selection. Null: there is
   * nothing to show.
   */
  void show_project(const std::shared_ptr<const project::KernelProject>& project,
                    const std::string& content_hash);

  bool shows_project() const { return !shown_hash_.empty(); }  ///< false: shows that there is no project

  QTabWidget& files() { return *files_; }        ///< a CodeView for each file
  ProjectSpaceView& space() { return *space_; }  ///< parameters, conditions, launch

 protected:
  /** Moves the space below the source if the widget is narrow. */
  void resizeEvent(QResizeEvent* event) override;

 private:
  std::string shown_hash_;
  widgets::ThemedLabel* title_ = nullptr;
  QSplitter* halves_ = nullptr;
  QTabWidget* files_ = nullptr;
  ProjectSpaceView* space_ = nullptr;
};

/** A file of a project, as its tab shows it. */
struct ShownFile {
  QString name;
  codegen::Dialect dialect = codegen::Dialect::C;
  bool changed = false;      ///< differs from an earlier version
  widgets::MarkedCode code;  ///< the whole text; the marks are empty if nothing is marked
};

/**
 * Returns the files of a project. Takes time for comparing large files.
 * @param before an earlier version: lines that differ from it are marked, unless both versions have more than
 * 2^20 characters; null: nothing is marked
 */
std::vector<ShownFile> shown_files(const project::KernelProject& project,
                                   const project::KernelProject* before = nullptr);

/** Adds a tab with syntax colours for each file. */
void show_files(QTabWidget& tabs, const std::vector<ShownFile>& files);

}  // namespace kernelscape::views
