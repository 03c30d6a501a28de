#include "ui/workspace/trial_details.h"

#include "core/kernel/project_family.h"
#include "core/session/kernels.h"
#include "core/session/report.h"

namespace kernelscape::workspace {

Result<TrialDetails> load_trial_details(const std::filesystem::path& database, const Source& source,
                                        std::int64_t row) {
  const store::Store store = TRY(store::Store::open(database, store::OpenMode::ReadOnly));
  TrialDetails details;
  details.row = row;
  details.trial = TRY(store.trials().get(source->id(), source->trials.row(row).number));
  Result<std::vector<store::StoredSeries>> series = store.series().of(source->id());
  if (series) {
    for (store::StoredSeries& value : *series) {
      if (value.trial == details.trial.number) details.series.push_back(std::move(value));
    }
  }
  using Family = Result<std::shared_ptr<const kernel::Family>>;
  const Family family = source->origin->project_family ? Family(source->origin->project_family)
                                                       : session::family_of_session(store, source->record());
  const Result<codegen::KernelSource> kernel =
      family ? (*family)->source(details.trial.configuration) : std::unexpected(family.error());
  if (kernel) {
    details.family = *family;
    details.source_text = kernel->text;
    details.layouts = session::layouts_text(*kernel);
    details.dialect = kernel->dialect;
    details.launch = kernel->launch;
  } else {
    details.source_problem = describe(kernel.error());
    // A program has parameters to show, although it has no kernel.
    const auto project = family ? std::dynamic_pointer_cast<const kernel::ProjectFamily>(*family) : nullptr;
    if (project && project->project().program) details.family = project;
  }
  return details;
}

}  // namespace kernelscape::workspace
