#include "core/session/parameter_effect.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/base/numbers.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/measure/builder_pool.h"
#include "core/measure/interruption.h"
#include "core/project/source_macros.h"
#include "core/session/preparation.h"
#include "core/session/stop_request.h"

namespace kernelscape::session {
namespace {

constexpr std::size_t max_values = 4;
constexpr int max_attempts = 20;
constexpr std::size_t max_parameters = 16;

/** Configurations that differ in one parameter alone; empty where none were found. */
std::vector<space::Configuration> variants(const space::SearchSpace& space, std::size_t knob,
                                           base::Random& random) {
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    std::optional<space::Configuration> member = space.random_member(random);
    if (!member) return {};
    std::vector<space::Configuration> found;
    for (std::uint32_t value = 0; value < space.knobs()[knob].count() && found.size() < max_values; ++value) {
      member->indices[knob] = value;
      if (space.contains(*member)) found.push_back(*member);
    }
    if (found.size() > 1) return found;
  }
  return {};
}

/** What the builds of these configurations gave; nullopt unless all were built. */
std::optional<std::vector<std::string>> artefacts_of(measure::BuilderPool& pool, const kernel::Family& family,
                                                     const std::vector<space::Configuration>& configurations,
                                                     const std::function<bool()>& over) {
  std::vector<std::string> artefacts(configurations.size());
  const measure::BuildJobs jobs{
      .count = configurations.size(),
      .source = [&](std::size_t index) -> std::optional<codegen::KernelSource> {
        Result<codegen::KernelSource> source = family.source(configurations[index]);
        return source ? std::optional(*std::move(source)) : std::nullopt;
      },
      .done = [&](std::size_t index,
                  measure::BuildOutcome built) { artefacts[index] = std::move(built.artefact); }};
  const measure::Interruption interruption{.descriptor = -1, .requested = over};
  const Result<bool> built = pool.build(jobs, interruption);
  if (!built || !*built || std::ranges::find(artefacts, std::string()) != artefacts.end())
    return std::nullopt;
  return artefacts;
}

/** @param launched with a grid of its own, which the parameter may change */
std::string sentence(const space::SearchSpace& space, std::size_t knob,
                     const std::vector<space::Configuration>& tried, bool launched) {
  std::vector<std::string> values;
  for (const space::Configuration& configuration : tried)
    values.push_back(space.knobs()[knob].describe(configuration.indices[knob]));
  return fmt::format(
      "the values {} of {} give the same machine code if everything else is equal ({}): in the source, the "
      "parameter does not reach the kernel there, so that {}",
      base::join(values, ", "), base::one_line(space.knobs()[knob].name()),
      base::one_line(space.describe(tried.front())),
      launched ? "at most the launch differs" : "differences between these trials are noise");
}

}  // namespace

ParameterEffects parameters_without_effect(const PreparedTuning& tuning, const EffectComparison& comparison,
                                           const StopRequest& stop) {
  ParameterEffects effects;
  if (!tuning.setup.project || tuning.setup.project->program || !tuning.family) return effects;
  const space::SearchSpace& space = tuning.setup.space;
  const std::vector<std::string> doubtful = project::doubtful_parameters(*tuning.setup.project);
  const measure::Deadline end = measure::deadline_after(comparison.max_seconds);
  const auto over = [&] { return stop.level() > 0 || std::chrono::steady_clock::now() >= end; };
  std::optional<measure::BuilderPool> pool;
  base::Random random(1);
  std::size_t tried = 0;
  for (std::size_t knob = 0; knob < space.knobs().size() && tried < max_parameters && !over(); ++knob) {
    if (std::ranges::find(doubtful, space.knobs()[knob].name()) == doubtful.end()) continue;
    const std::vector<space::Configuration> configurations = variants(space, knob, random);
    if (configurations.empty()) continue;
    if (tried++ == 0 && comparison.step)
      comparison.step(fmt::format("comparing the machine code of different values of parameters, {} at most",
                                  base::duration_text(comparison.max_seconds)));
    if (!pool) pool.emplace(tuning.setup.target, tuning.setup.options);
    const auto artefacts = artefacts_of(*pool, *tuning.family, configurations, over);
    if (!artefacts) continue;
    ++effects.compared;
    if (std::ranges::all_of(*artefacts, [&](const std::string& one) { return one == artefacts->front(); }))
      effects.sentences.push_back(
          sentence(space, knob, configurations, tuning.setup.project->dialect != codegen::Dialect::C));
  }
  return effects;
}

}  // namespace kernelscape::session
