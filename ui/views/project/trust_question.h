#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/project/kernel_project.h"
#include "ui/views/project/project_text.h"
#include "ui/views/project/source_and_space.h"
#include "ui/widgets/code_view.h"

namespace kernelscape::views {

/** Everything that a TrustDialog shows about a project. */
struct TrustQuestion {
  std::shared_ptr<const project::KernelProject> project;
  std::string content_hash = {};
  bool trusted = false;              ///< the user trusts the content already
  bool has_trusted_version = false;  ///< the user trusted an earlier version
  widgets::MarkedCode changes = {};  ///< since the trusted version, if there is one
  std::vector<ProjectFacts> facts = {};
  std::vector<ShownFile> files = {};
};

/**
 * Returns the question whether a project is trusted. For a background job: reads files, and hashes and
 * compares the content. If the content is trusted already, only that and its hash are filled in.
 */
TrustQuestion make_trust_question(std::shared_ptr<const project::KernelProject> project);

}  // namespace kernelscape::views
