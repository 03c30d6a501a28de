// How many configurations a GPU's compiler and limits refuse, without a GPU: everything is built for sm_80 by
// NVRTC and nothing runs. Needs the CUDA toolkit.
//   validity_benchmark [--kernels N] [--seconds N] [--tasks "TASK;TASK"] [PART...]
//   wmma        configurations of `matmul-wmma` drawn from all combinations of its knobs: what refuses them.
//               Heron counts 95 % invalid ones in AutoTVM's space of 32x1000x4096
//   generated   members within the limits of `generated`, by its solver: how many build in time
#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string_view>

#include "core/base/quantile.h"
#include "core/base/text.h"
#include "core/kernel/family.h"
#include "core/measure/builder_pool.h"
#include "core/measure/gpu/device_compiler.h"
#include "core/measure/gpu/gpu_target.h"
#include "core/measure/interruption.h"
#include "core/space/solver_model.h"
#include "core/task/catalogue.h"
#include "tests/benchmarks/benchmark_parts.h"
#include "tests/benchmarks/benchmark_support.h"

namespace {

using namespace kernelscape;

constexpr const char* architecture = "sm_80";

struct Options {
  std::size_t kernels = 0;  ///< 0: those of the part
  int seconds = 60;         ///< that a build may take
  std::string tasks;        ///< with semicolons; empty: those of the part
};

std::vector<task::Task> tasks_of(const Options& options, std::string own_tasks) {
  const task::Catalogue catalogue = value_or_stop(task::Catalogue::load_default());
  std::vector<task::Task> tasks;
  std::string name;
  for (const char c : (options.tasks.empty() ? std::move(own_tasks) : options.tasks) + ";") {
    if (c != ';') {
      name += c;
      continue;
    }
    if (name.empty()) continue;
    Result<task::Task> known = catalogue.find(name);
    tasks.push_back(known ? std::move(*known) : value_or_stop(task::parse_task(name)));
    name.clear();
  }
  return tasks;
}

/** Nothing, and a word to the reader, where there is no compiler. */
std::optional<schedule::TargetDescription> target_to_build_for() {
  if (const auto compiler = measure::make_cuda_compiler(); !compiler) {
    fmt::print("not run: {}\n", describe(compiler.error()));
    return std::nullopt;
  }
  return value_or_stop(measure::describe_cuda_architecture(architecture));
}

std::vector<measure::BuildOutcome> build_each(const schedule::TargetDescription& target,
                                              const Options& options,
                                              const std::vector<codegen::KernelSource>& sources) {
  trial::MeasureOptions measuring;
  measuring.build_timeout_seconds = options.seconds;
  measure::BuilderPool pool(target, measuring);
  std::vector<measure::BuildOutcome> outcomes(sources.size());
  const measure::BuildJobs jobs{
      sources.size(),
      [&](std::size_t index) -> std::optional<codegen::KernelSource> { return sources[index]; },
      [&](std::size_t index, measure::BuildOutcome outcome) { outcomes[index] = std::move(outcome); }};
  const measure::Interruption never{};
  value_or_stop(pool.build(jobs, never));
  return outcomes;
}

/** "built", or what is wrong: the compiler, its time, or a block that a multiprocessor cannot hold. */
std::string class_of(const measure::BuildOutcome& outcome, const codegen::KernelSource& source,
                     const schedule::TargetDescription& target) {
  if (outcome.category == trial::ErrorCategory::BuildTimeout) return "time-out";
  if (outcome.category != trial::ErrorCategory::NoError) {
    const bool shared = outcome.message.contains("shared data");
    return shared ? "ptxas: too much shared memory" : "build error";
  }
  const std::int64_t threads = source.launch.threads();
  return measure::with_occupancy(outcome.resources, threads, target).occupancy > 0 &&
                 threads <= target.threads_per_block
             ? "built"
             : "out of resources";
}

std::string percent(std::size_t part, std::size_t whole) {
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

// --- tensor cores, unconstrained ---

/** "threads per block", the words before the numbers of the first limit that is violated; empty: none is. */
std::string refusing_limit(const schedule::ScheduledKernel& kernel,
                           const space::Configuration& configuration) {
  const space::Evaluation evaluation = kernel.limits().evaluate(kernel.space().knobs(), configuration);
  if (evaluation.violated.empty()) return "";
  return kernel.limits().constraints()[evaluation.violated.front()].reason;
}

/** The source that a kernel would have if nothing refused it; none where it cannot be lowered. */
std::optional<codegen::KernelSource> source_beyond_limits(const schedule::ScheduledKernel& kernel,
                                                          const space::Configuration& configuration) {
  try {
    Result<codegen::KernelSource> source =
        kernel::ScheduleFamily(kernel.without_limits()).source(configuration);
    if (source) return std::move(*source);
  } catch (const std::exception&) {  // a schedule that has no such kernel
  }
  return std::nullopt;
}

/** A combination of knobs. */
struct Candidate {
  std::string limit;  ///< that refuses it; empty: none
  std::optional<codegen::KernelSource> source;
  std::string outcome = "not lowered";  ///< of its build, where limits refused nothing
};

std::vector<Candidate> draw_candidates(const schedule::ScheduledKernel& kernel, std::size_t count) {
  base::Random random(1);
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < count; ++i) {
    const space::Configuration configuration = kernel.space().at(random.below_wide(kernel.space().size()));
    candidates.push_back(
        {refusing_limit(kernel, configuration), source_beyond_limits(kernel, configuration)});
  }
  return candidates;
}

void build_candidates(std::vector<Candidate>& candidates, const schedule::TargetDescription& target,
                      const Options& options) {
  std::vector<codegen::KernelSource> sources;
  for (const Candidate& candidate : candidates)
    if (candidate.source) sources.push_back(*candidate.source);
  const std::vector<measure::BuildOutcome> outcomes = build_each(target, options, sources);
  std::size_t next = 0;
  for (Candidate& candidate : candidates)
    if (candidate.source) candidate.outcome = class_of(outcomes[next++], *candidate.source, target);
}

/** "build error 3, built 12". */
std::string counts_text(const std::map<std::string, std::size_t>& counts) {
  std::vector<std::string> words;
  for (const auto& [what, count] : counts) words.push_back(fmt::format("{} {}", what, count));
  return base::join(words, ", ");
}

void count_invalid(const task::Task& task, const schedule::TargetDescription& target,
                   const Options& options) {
  const schedule::ScheduledKernel kernel =
      value_or_stop(schedule::apply_template(task, target, "matmul-wmma"));
  std::vector<Candidate> candidates = draw_candidates(kernel, options.kernels > 0 ? options.kernels : 300);
  build_candidates(candidates, target, options);
  std::map<std::string, std::map<std::string, std::size_t>> outcomes;  ///< by limit
  std::size_t valid = 0;
  for (const Candidate& candidate : candidates) {
    ++outcomes[candidate.limit][candidate.outcome];
    valid += candidate.limit.empty() && candidate.outcome == "built" ? 1U : 0U;
  }
  fmt::print("\n{}, {} combinations, {} drawn: **{}** invalid\n\n", task.text,
             static_cast<std::uint64_t>(kernel.space().size()), candidates.size(),
             percent(candidates.size() - valid, candidates.size()));
  fmt::print("| refused by | share | what the compiler says where no limit refuses them |\n|---|---|---|\n");
  for (const auto& [limit, counts] : outcomes) {
    std::size_t sum = 0;
    for (const auto& [outcome, count] : counts) sum += count;
    fmt::print("| {} | {} | {} |\n", limit.empty() ? "no limit" : limit, percent(sum, candidates.size()),
               counts_text(counts));
  }
  std::fflush(stdout);
}

void print_invalid(const Options& options) {
  const std::optional<schedule::TargetDescription> target = target_to_build_for();
  if (!target) return;
  for (const task::Task& task : tasks_of(options,
                                         "matmul 32x4096 4096x1000 f16;matmul 1024x1024 1024x1024 f16;"
                                         "matmul 32x4096 4096x4096 f16"))
    count_invalid(task, *target, options);
}

// --- generated ---

std::vector<space::Configuration> solver_samples(const space::SearchSpace& space, std::size_t count) {
  base::Random random(1);
  std::vector<space::Configuration> samples;
  while (samples.size() < count) {
    const space::Solution solution = value_or_stop(space.solver().solve({}, {}, base::Random(random.bits())));
    if (!std::holds_alternative<space::Configuration>(solution))
      stop("no solution within the limit of nodes");
    samples.push_back(std::get<space::Configuration>(solution));
  }
  return samples;
}

struct Totals {
  std::size_t built = 0;
  std::size_t kernels = 0;
};

void build_generated(const task::Task& task, const schedule::TargetDescription& target, std::size_t count,
                     const Options& options, Totals& totals) {
  const kernel::ScheduleFamily family(value_or_stop(schedule::apply_template(task, target, "generated")));
  const schedule::ScheduledKernel& kernel = family.kernel();
  const space::SearchSpace members = value_or_stop(kernel.space().restricted_by(kernel.limits()));
  std::vector<space::Configuration> drawn = solver_samples(members, count);
  std::vector<codegen::KernelSource> sources;
  std::vector<std::string> words;
  std::map<std::string, std::size_t> classes;
  for (const space::Configuration& configuration : drawn) {
    Result<codegen::KernelSource> source = family.source(configuration);
    if (!source) {
      fmt::print(stderr, "{}: {}: {}\n", task.name, kernel.space().describe(configuration),
                 describe(source.error()));
      ++classes["not lowered"];
      continue;
    }
    sources.push_back(std::move(*source));
    words.push_back(kernel.space().describe(configuration));
  }
  const std::vector<measure::BuildOutcome> outcomes = build_each(target, options, sources);
  std::vector<double> seconds;
  std::string bad;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string outcome = class_of(outcomes[i], sources[i], target);
    ++classes[outcome];
    seconds.push_back(outcomes[i].build_seconds);
    if (outcome != "built") bad += fmt::format("  {}: {}: {}\n", outcome, task.name, words[i]);
  }
  totals.built += classes["built"];
  totals.kernels += count;
  fmt::print("| {} | {} of {} | {} | {:.2f} | {:.2f} | {:.1f} |\n", task.name, classes["built"], count,
             classes["time-out"], base::quantile(seconds, 0.5), base::quantile(seconds, 0.9),
             base::quantile(seconds, 1.0));
  if (!bad.empty()) fmt::print(stderr, "{}", bad);
  std::fflush(stdout);
}

void print_generated(const Options& options) {
  const std::optional<schedule::TargetDescription> target = target_to_build_for();
  if (!target) return;
  const std::vector<task::Task> tasks = tasks_of(options,
                                                 "resnet18/C1;resnet18/C2;resnet18/C6;resnet18/C12;matmul "
                                                 "1024x1024 1024x1024 f32;bmm 12x512x64 12x64x512 f32");
  const std::size_t kernels = options.kernels > 0 ? options.kernels : 150;
  fmt::print(
      "| shape | built | time-outs of {} s | build seconds, median | 90th percentile | longest |\n"
      "|---|---|---|---|---|---|\n",
      options.seconds);
  Totals totals;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    build_generated(tasks[i], *target, kernels * (i + 1) / tasks.size() - kernels * i / tasks.size(), options,
                    totals);
  fmt::print("\n{} of {} built: {} (goal 98 %)\n", totals.built, totals.kernels,
             percent(totals.built, totals.kernels));
}

constexpr std::array<BenchmarkPart<Options>, 2> parts{
    {{"wmma", print_invalid}, {"generated", print_generated}}};

}  // namespace

int main(int argc, char** argv) {
  const auto take = [](Options& options, std::string_view name, const char* value) {
    if (name == "--kernels") {
      options.kernels = static_cast<std::size_t>(std::max(1, std::atoi(value)));
    } else if (name == "--seconds") {
      options.seconds = std::max(1, std::atoi(value));
    } else if (name == "--tasks") {
      options.tasks = value;
    } else {
      return false;
    }
    return true;
  };
  return run_parts<Options>(argc, argv, parts, take);
}
