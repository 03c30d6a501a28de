#include "ui/workspace/trial_details.h"

#include <fmt/format.h>

#include "core/schedule/template.h"
#include "core/session/session_report.h"
#include "core/trial/measure_options.h"

namespace kernelscape {

Result<ScheduleFamily> kernel_family_of(const SourceData& source) {
  const SessionRecord& record = source.record();
  if (!source.origin->target) {
    return fail(ErrorCode::Refused, fmt::format("session {} does not say what it was built for", record.id),
                "only sessions of this program's templates have sources");
  }
  ScheduledKernel kernel = TRY(apply_template(source.task(), *source.origin->target, record.template_name));
  if (kernel.template_version() != record.template_version) {
    return fail(ErrorCode::Refused,
                fmt::format("template {} is now version {}; the session was made with version {}",
                            record.template_name, kernel.template_version(), record.template_version),
                "run the task again with today's template");
  }
  const Result<MeasureOptions> options = stored_measure_options(record.options_json);
  if (options && options->beyond_limits) kernel = kernel.without_limits();
  return ScheduleFamily(std::move(kernel));
}

Result<KernelSource> kernel_source_of(const SourceData& source, const Configuration& configuration) {
  return TRY(kernel_family_of(source)).source(configuration);
}

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
  const Result<KernelSource> kernel = kernel_source_of(*source, details.trial.configuration);
  if (kernel) {
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
