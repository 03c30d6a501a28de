#include "ui/workspace/trial_details.h"

#include "core/session/session_kernels.h"
#include "core/session/session_report.h"

namespace kernelscape {

Result<TrialDetails> load_trial_details(const std::filesystem::path& database, const Source& source,
                                        std::int64_t row) {
  const Store store = TRY(Store::open(database, OpenMode::ReadOnly));
  TrialDetails details;
  details.row = row;
  details.trial = TRY(store.trial(source->id(), source->trials.row(row).number));
  Result<std::vector<StoredSeries>> series = store.series(source->id());
  if (series) {
    for (StoredSeries& value : *series) {
      if (value.trial == details.trial.number) details.series.push_back(std::move(value));
    }
  }
  using Family = Result<std::shared_ptr<const KernelFamily>>;
  const Family family = source->origin->project_family ? Family(source->origin->project_family)
                                                       : family_of_session(store, source->record());
  const Result<KernelSource> kernel =
      family ? (*family)->source(details.trial.configuration) : std::unexpected(family.error());
  if (kernel) {
    details.family = *family;
    details.source_text = kernel->text;
    details.layouts = layouts_text(*kernel);
    details.dialect = kernel->dialect;
    details.launch = kernel->launch;
  } else {
    details.source_problem = describe(kernel.error());
  }
  return details;
}

}  // namespace kernelscape
