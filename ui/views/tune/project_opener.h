#pragma once

#include <QObject>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/codegen/dialect.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::views {

class SetupForm;

/**
 * Makes a project of the user's own kernel the task of the form, with the target that runs its language. The
 * project is read in the background, because reading takes one file or more.
 */
class ProjectOpener : public QObject {
  Q_OBJECT

 public:
  /** @param form must outlive this object @param parent owner of this object */
  ProjectOpener(workspace::Workspace& workspace, SetupForm& form, QObject* parent);

  /** Opens a project; a project whose language needs a device waits until the devices are known. */
  void open(const QString& path);

 signals:
  /** The form has the project, or shows what is wrong with it. */
  void opened();

 private:
  void receive_devices();
  void fill_form(const std::filesystem::path& file, std::optional<codegen::Dialect> language);

  workspace::Workspace& workspace_;
  SetupForm& form_;
  workspace::JobTracker job_;
  std::optional<std::pair<std::filesystem::path, codegen::Dialect>>
      waiting_;  ///< a project that waits until the devices are known
};

}  // namespace kernelscape::views
