#pragma once

#include <QString>
#include <QStringList>
#include <string>
#include <utility>
#include <vector>

#include "core/project/kernel_project.h"

namespace kernelscape::views {

/** A source text of a project that is compiled. */
struct ProjectFile {
  QString name;  ///< name in the project, followed by its purpose if that is not obvious
  QString text;  ///< control characters are replaced by a picture or a number
  codegen::Dialect dialect = codegen::Dialect::C;
};

/** Facts of one kind: each has a name and a description from the project. */
struct ProjectFacts {
  QString title;
  std::vector<std::pair<QString, QString>> rows;
};

/**
 * Returns the kernel's source, the files that it includes, then the reference and the files that it includes.
 */
std::vector<ProjectFile> project_texts(const project::KernelProject& project);

/** Returns the parameters and their values. Names are those of the space's knobs. */
ProjectFacts parameter_facts(const project::KernelProject& project);
/**
 * Returns conditions, launch, flags, arguments with their contents, and the reference. Kinds that the project
 * does not have are left out.
 */
std::vector<ProjectFacts> other_facts(const project::KernelProject& project);
/** Returns everything that would be compiled, run and read: files with their sizes, and the content hash. */
std::vector<ProjectFacts> trusted_facts(const project::KernelProject& project);

/** Returns the project, its language and kernel: "stencil: C, stencil of stencil.c". */
QString project_title(const project::KernelProject& project);

}  // namespace kernelscape::views
