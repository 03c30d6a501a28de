#include "ui/workspace/kernel_pair.h"

#include <algorithm>

namespace kernelscape::workspace {
namespace {

/** Returns a trial's samples from one confirmation, or null if the trial was not part of it. */
const std::vector<double>* confirmed_samples(const SourceData& source, const std::string& measured_utc,
                                             std::int64_t trial) {
  for (const trial::Confirmation& confirmation : source.confirmations)
    if (confirmation.trial == trial && confirmation.measured_utc == measured_utc &&
        !confirmation.samples_seconds.empty())
      return &confirmation.samples_seconds;
  return nullptr;
}

/**
 * Chooses the samples of the newest confirmation that contains both trials, otherwise the trials' own
 * samples.
 */
void choose_samples(KernelPair& pair) {
  pair.a.samples_seconds = pair.a.details.trial.measurement.samples_seconds;
  pair.b.samples_seconds = pair.b.details.trial.measurement.samples_seconds;
  std::string newest;
  for (const trial::Confirmation& confirmation : pair.source->confirmations) {
    const std::string& when = confirmation.measured_utc;
    if (when < newest) continue;
    const auto* a = confirmed_samples(*pair.source, when, pair.a.details.trial.number);
    const auto* b = confirmed_samples(*pair.source, when, pair.b.details.trial.number);
    if (a == nullptr || b == nullptr) continue;
    newest = when;
    pair.a.samples_seconds = *a;
    pair.b.samples_seconds = *b;
    pair.interleaved = true;
  }
}

Result<PairedKernel> read_paired(const std::filesystem::path& database, const Source& source,
                                 std::int64_t row, const std::function<bool()>& proceed) {
  PairedKernel kernel;
  kernel.details = TRY(load_trial_details(database, source, row));
  if (!proceed()) return kernel;
  if (kernel.details.source_text.empty()) {
    kernel.insight_problem = kernel.details.source_problem;
    return kernel;
  }
  Result<TrialInsight> insight = trial_insight(database, *source, kernel.details.trial);
  if (!insight)
    kernel.insight_problem = describe(insight.error());
  else if (!insight->kernel.code_problem.empty())
    kernel.insight_problem = insight->kernel.code_problem;
  else
    kernel.insight = std::move(*insight);
  return kernel;
}

session::ComparedKernel compared(const char* name, const PairedKernel& kernel) {
  return session::compared_kernel(name, kernel.samples_seconds,
                                  kernel.insight ? &kernel.insight->kernel : nullptr);
}

}  // namespace

void compare_pair(KernelPair& pair) {
  choose_samples(pair);
  pair.knobs.clear();
  std::vector<std::string> names;
  const std::vector<space::Knob>& knobs = pair.source->space().knobs();
  for (std::size_t knob = 0; knob < knobs.size(); ++knob) {
    if (pair.a.details.trial.configuration.indices[knob] == pair.b.details.trial.configuration.indices[knob])
      continue;
    pair.knobs.push_back(knob);
    names.push_back(knobs[knob].name());
  }
  pair.difference = session::kernel_difference(compared("A", pair.a), compared("B", pair.b), names);
}

Result<KernelPair> kernel_pair(const std::filesystem::path& database, const Source& source,
                               std::int64_t row_a, std::int64_t row_b, const std::function<bool()>& proceed) {
  KernelPair pair;
  pair.source = source;
  pair.a = TRY(read_paired(database, source, row_a, proceed));
  if (!proceed()) return pair;
  pair.b = TRY(read_paired(database, source, row_b, proceed));
  compare_pair(pair);
  return pair;
}

}  // namespace kernelscape::workspace
