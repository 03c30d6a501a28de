#pragma once

#include "core/project/kernel_project.h"
#include "ui/widgets/code_view.h"

namespace kernelscape::views {

/**
 * Returns a text with the lines that `before` does not have marked as added. Lines that only `before` has are
 * inserted and marked as removed. Labels are the line numbers in `now`, and + or -.
 */
widgets::MarkedCode changed_code(const QString& before, const QString& now);

/**
 * Returns the differences between two versions of a project, one line each, marked as removed or added. The
 * last line counts the differences beyond the first 5,000.
 */
widgets::MarkedCode project_changes(const project::KernelProject& before, const project::KernelProject& now);

}  // namespace kernelscape::views
