#pragma once

#include <QString>
#include <QStringList>
#include <string>
#include <utility>
#include <vector>

#include "core/project/kernel_project.h"

namespace kernelscape {

/** A text of a project that is compiled. */
struct ProjectFile {
  QString name;  ///< as the project calls it; what it is for follows where that is not plain
  QString text;  ///< what would steer a display is shown as a picture or a number
  Dialect dialect = Dialect::C;
};

/** Rows of the same kind: a name and what the project says of it. */
struct ProjectFacts {
  QString title;
  std::vector<std::pair<QString, QString>> rows;
};

/** The kernel's source first, then what it includes, then the reference with what that includes. */
std::vector<ProjectFile> project_texts(const KernelProject& project);

/** Parameters and their values: names are those of the space's knobs. */
ProjectFacts parameter_facts(const KernelProject& project);
/** Conditions, launch, flags, arguments with what they hold, what is right: without those that it has none
 * of.
 */
std::vector<ProjectFacts> other_facts(const KernelProject& project);
/** All that would be compiled, run and read, files with their sizes, and the content that this is. */
std::vector<ProjectFacts> trusted_facts(const KernelProject& project);

/** The project, its language and kernel: "stencil: C, stencil of stencil.c". */
QString project_title(const KernelProject& project);

}  // namespace kernelscape
