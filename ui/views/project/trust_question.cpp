#include "ui/views/project/trust_question.h"

#include <optional>
#include <utility>

#include "core/project/trust.h"
#include "core/project/trusted_version.h"
#include "ui/views/project/changed_code.h"

namespace kernelscape::views {

TrustQuestion make_trust_question(std::shared_ptr<const project::KernelProject> project) {
  TrustQuestion question{.project = std::move(project)};
  const project::KernelProject& now = *question.project;
  question.content_hash = project::content_hash(now);
  question.trusted = project::is_trusted(question.content_hash);
  if (question.trusted) return question;
  const std::optional<project::KernelProject> before = project::last_trusted_version(now);
  question.has_trusted_version = before.has_value();
  if (before) question.changes = project_changes(*before, now);
  question.facts = trusted_facts(now);
  question.files = shown_files(now, before ? &*before : nullptr);
  return question;
}

}  // namespace kernelscape::views
