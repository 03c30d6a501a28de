#include "ui/workspace/study_list.h"

#include <algorithm>

namespace kernelscape::workspace {
namespace {

bool same_study(const store::StudySummary& a, const store::StudySummary& b) {
  return a.record.id == b.record.id && a.record.name == b.record.name && a.done_runs == b.done_runs &&
         a.failed_runs == b.failed_runs && a.owner == b.owner && a.annotation == b.annotation;
}

}  // namespace

Result<std::vector<store::StudySummary>> read_studies(
    const store::Store& store, const std::function<bool(const store::StudyRecord&)>& wanted) {
  std::vector<store::StudySummary> studies = TRY(store.studies().all());
  std::erase_if(studies, [&](const store::StudySummary& study) { return !wanted(study.record); });
  for (store::StudySummary& study : studies)
    if (study.owner && !study.owner->alive()) study.owner.reset();
  return studies;
}

bool same_studies(const std::vector<store::StudySummary>& a, const std::vector<store::StudySummary>& b) {
  return std::ranges::equal(a, b, same_study);
}

}  // namespace kernelscape::workspace
