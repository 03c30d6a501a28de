// Schedules that rules make (template `generated`) against those written by hand: for each shape both are
// tuned with equal trials, then the best kernels of both run in turns, so that what the machine does meets
// both. Which of the two is tuned first changes from shape to shape.
//   generated_benchmark [--trials N] [--tuner NAME] [--sketch TEMPLATE] [--tasks "TASK;TASK"] [--results
//   FILE]
//                       [PART...]
//   spaces   how long spaces take to make, and how many members they have; needs nothing
//   csp      how many variables and constraints describe them, beside Heron's Table 5; needs nothing
//   f32      ResNet-18's convolutions and three multiplications; half an hour
//   int8     multiplications and convolutions of bytes
// With --results each shape's outcome is appended to a file of JSON lines as soon as it is known, and shapes
// that it has are not measured again: a run that was interrupted goes on.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string_view>

#include "core/base/quantile.h"
#include "core/measure/confirmation.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/schedule/template.h"
#include "core/session/kernels.h"
#include "core/space/csp.h"
#include "core/space/encoding.h"
#include "core/task/catalogue.h"
#include "tests/benchmarks/benchmark_parts.h"
#include "tests/benchmarks/benchmark_support.h"
#include "tests/benchmarks/tuning_runs.h"

namespace {

using namespace kernelscape;
using namespace kernelscape::tuning_runs;
using Json = nlohmann::json;

constexpr std::size_t finalists = 3;  ///< of each side, that run in turns at the end
constexpr int final_samples = 20;

struct Options {
  int trials = 100;
  std::string tuner = "gp";
  std::string sketch = "generated";
  std::string tasks;    ///< with semicolons; empty: those of the part
  std::string results;  ///< file; empty: none
};

// --- shapes ---

const task::Catalogue& catalogue() {
  static const task::Catalogue loaded = value_or_stop(task::Catalogue::load_default());
  return loaded;
}

task::Task task_of(const std::string& name) {
  Result<task::Task> known = catalogue().find(name);
  return known ? std::move(*known) : value_or_stop(task::parse_task(name));
}

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names(1);
  for (const char c : list) {
    if (c == ';')
      names.emplace_back();
    else
      names.back() += c;
  }
  std::erase(names, "");
  return names;
}

std::vector<std::string> f32_tasks() {
  std::vector<std::string> names;
  for (int layer = 1; layer <= 12; ++layer) names.push_back(fmt::format("resnet18/C{}", layer));
  for (const char* shapes : {"512x1024 1024x1024", "1024x1024 1024x1024", "32x2048 2048x1000"})
    names.push_back(fmt::format("matmul {} f32", shapes));
  return names;
}

std::vector<std::string> int8_tasks() {
  return {"heron-i8/GEMM1", "heron-i8/GEMM3", "heron-i8/GEMM4",
          "heron-i8/C2D1",  "heron-i8/C2D3",  "heron-i8/C2D5"};
}

// --- best kernels in turns ---

/** Kernels of several sessions of a task, as one family: its only knob says which. */
class KernelsInTurns final : public kernel::Family {
 public:
  KernelsInTurns(task::Task task, std::vector<codegen::KernelSource> sources)
      : task_(std::move(task)), sources_(std::move(sources)), space_(numbers_below(sources_.size())) {}
  const task::Task& task() const override { return task_; }
  const space::SearchSpace& space() const override { return space_; }
  Result<codegen::KernelSource> source(const space::Configuration& configuration) const override {
    return sources_.at(configuration.indices.at(0));
  }

 private:
  static space::SearchSpace numbers_below(std::size_t count) {
    std::vector<space::KnobValue> values;
    for (std::size_t i = 0; i < count; ++i) values.emplace_back(static_cast<std::int64_t>(i));
    return value_or_stop(
        space::SearchSpace::make({value_or_stop(space::Knob::ordinal("kernel", std::move(values)))}));
  }

  task::Task task_;
  std::vector<codegen::KernelSource> sources_;
  space::SearchSpace space_;
};

/** The confirmed best kernels of a tuning run; none where it found none. */
std::vector<codegen::KernelSource> best_kernels(const Json& summary, const Workspace& workspace) {
  const store::Store store =
      value_or_stop(store::Store::open(workspace.database(), store::OpenMode::ReadOnly));
  const store::SessionId session = summary.value("session", store::SessionId{0});
  const kernel::ScheduleFamily family =
      value_or_stop(session::session_kernels(value_or_stop(store.sessions().get(session)).record));
  std::vector<codegen::KernelSource> sources;
  for (const Json& confirmed : summary.value("confirmed", Json::array())) {
    if (sources.size() == finalists) break;
    const trial::Trial trial =
        value_or_stop(store.trials().get(session, confirmed.value("trial", std::int64_t{-1})));
    sources.push_back(value_or_stop(family.source(trial.configuration)));
  }
  return sources;
}

struct Finals {
  double generated_seconds = 0;  ///< least median of the side's kernels; 0: it has none
  double written_seconds = 0;
  double vendor_seconds = 0;  ///< 0: the library has no kernel
};

double min_median(std::span<const trial::Measurement> measurements) {
  double least = 0;
  for (const trial::Measurement& measurement : measurements) {
    if (!measurement.valid() || measurement.samples_seconds.empty()) continue;
    const double median = measurement.median_seconds();
    if (least == 0 || median < least) least = median;
  }
  return least;
}

Finals measure_in_turns(const task::Task& task, const std::vector<codegen::KernelSource>& ours,
                        const std::vector<codegen::KernelSource>& written) {
  std::vector<codegen::KernelSource> all = ours;
  all.insert(all.end(), written.begin(), written.end());
  std::vector<space::Configuration> configurations;
  for (std::uint32_t i = 0; i < all.size(); ++i) configurations.push_back({{i}});
  const KernelsInTurns family(task, std::move(all));
  const measure::Confirmations measured =
      value_or_stop(measure::measure_interleaved(family, value_or_stop(measure::describe_cpu_target()),
                                                 trial::MeasureOptions{}, configurations, final_samples));
  const std::span measurements(measured.configurations);
  Finals finals{min_median(measurements.first(ours.size())), min_median(measurements.subspan(ours.size()))};
  if (!measured.vendor.samples_seconds.empty())
    finals.vendor_seconds = base::quantile(measured.vendor.samples_seconds, 0.5);
  return finals;
}

// --- a shape ---

std::string written_template(const task::Task& task) {
  return value_or_stop(schedule::apply_template(task, value_or_stop(measure::describe_cpu_target())))
      .template_name();
}

std::optional<Json> tune(const std::string& task, const std::string& template_name, const Options& options,
                         const Workspace& workspace) {
  const Comparison comparison{.vendor = "oneDNN", .trials = options.trials};
  std::optional<Json> summary = run_tuning({task, template_name, options.tuner}, comparison, workspace);
  if (!summary || !(*summary)["best"].is_object()) {
    fmt::print(stderr, "{}, {}: no kernel was found\n", task, template_name);
    return std::nullopt;
  }
  return summary;
}

/** One line of the results' file; nothing where a side has no kernel. */
std::optional<Json> compare_shape(const std::string& name, bool generated_first, const Options& options) {
  const task::Task task = task_of(name);
  const std::string written = written_template(task);
  const Workspace workspace;
  std::map<std::string, std::vector<codegen::KernelSource>> kernels;
  Json line = {{"task", name},
               {"template", written},
               {"trials", options.trials},
               {"tuner", options.tuner},
               {"sketch", options.sketch},
               {"flops", task.flops()},
               {"generated_first", generated_first}};
  std::vector<std::string> sides{written, options.sketch};
  if (generated_first) std::ranges::reverse(sides);
  for (const std::string& side : sides) {
    const std::optional<Json> summary = tune(name, side, options, workspace);
    if (!summary) return std::nullopt;
    kernels[side] = best_kernels(*summary, workspace);
    const std::string key = side == written ? "written" : "generated";
    line[key + "_configuration"] = (*summary)["best"]["configuration"];
    line[key + "_tuning_seconds"] = number((*summary)["time"], "session_seconds");
    line[key + "_trial"] = (*summary)["best"]["trial"];
  }
  const Finals finals = measure_in_turns(task, kernels[options.sketch], kernels[written]);
  if (finals.generated_seconds == 0 || finals.written_seconds == 0) return std::nullopt;
  line["generated_seconds"] = finals.generated_seconds;
  line["written_seconds"] = finals.written_seconds;
  line["vendor_seconds"] = finals.vendor_seconds;
  return line;
}

// --- results ---

/** Lines of earlier runs with the same settings, by task. */
std::map<std::string, Json> known_results(const Options& options) {
  std::map<std::string, Json> known;
  std::ifstream file(options.results);
  for (std::string text; std::getline(file, text);) {
    const Json line = Json::parse(text, nullptr, false);  // a killed run's last line may be half of one
    if (line.is_object() && line.value("trials", 0) == options.trials &&
        line.value("tuner", std::string()) == options.tuner &&
        line.value("sketch", std::string()) == options.sketch && number(line, "generated_seconds") > 0)
      known[line.value("task", std::string())] = line;
  }
  return known;
}

void append_result(const Json& line, const Options& options) {
  if (options.results.empty()) return;
  std::ofstream file(options.results, std::ios::app);
  file << line.dump() << "\n";
  if (!file.flush()) stop(options.results + " cannot be written");
}

double speed_ratio(const Json& line) {
  return number(line, "written_seconds") / number(line, "generated_seconds");
}

void print_result(const Json& line) {
  const auto speed = [&](const char* seconds) {
    const double value = number(line, seconds);
    return value > 0 ? fmt::format("{:.1f}", number(line, "flops") / value / 1e9) : std::string();
  };
  fmt::print("| {} | {} | {} | `{}`, {} | **{:.2f}** | {:.0f} |\n", text(line, "task"),
             speed("vendor_seconds"), speed("generated_seconds"), text(line, "template"),
             speed("written_seconds"), speed_ratio(line),
             number(line, "generated_tuning_seconds") + number(line, "written_tuning_seconds"));
  std::fflush(stdout);
}

void compare_all(const Options& options, const std::vector<std::string>& own_tasks) {
  const std::vector<std::string> names = options.tasks.empty() ? own_tasks : names_in(options.tasks);
  const std::map<std::string, Json> known = known_results(options);
  fmt::print("{}, {} trials each, seed 1, GFLOP/s (of bytes GOP/s)\n\n", options.tuner, options.trials);
  fmt::print(
      "| shape | oneDNN | `{}` | written by hand | generated / written | seconds of both tunings |\n"
      "|---|---|---|---|---|---|\n",
      options.sketch);
  double logarithms = 0;
  int compared = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto before = known.find(names[i]);
    std::optional<Json> line;
    if (before != known.end()) {
      line = before->second;
    } else if ((line = compare_shape(names[i], i % 2 == 1, options))) {
      append_result(*line, options);
    }
    if (!line) {
      fmt::print("| {} | failed: see above | | | | |\n", names[i]);
      continue;
    }
    print_result(*line);
    logarithms += std::log(speed_ratio(*line));
    ++compared;
  }
  if (compared > 0)
    fmt::print("\ngeometric mean of {}: {:.3f} (goal 0.95)\n", compared, std::exp(logarithms / compared));
}

void compare_f32(const Options& options) { compare_all(options, f32_tasks()); }
void compare_int8(const Options& options) { compare_all(options, int8_tasks()); }

// --- spaces ---

/** A description that is the same everywhere: sixteen lanes and their dot products, or a GPU of any kind. */
schedule::TargetDescription target_of(schedule::TargetKind kind) {
  schedule::TargetDescription target =
      kind == schedule::TargetKind::Cpu ? schedule::TargetDescription() : schedule::default_cuda_target();
  if (kind == schedule::TargetKind::Cpu) {
    target.isa = "avx512";
    target.extensions = {"avx512_vnni"};
    target.vector_bits = 512;
    target.vector_registers = 32;
  }
  return target;
}

void print_space(const std::string& name, const schedule::TargetDescription& target,
                 const std::string& sketch) {
  const task::Task task = task_of(name);
  std::vector<double> milliseconds;
  std::optional<schedule::ScheduledKernel> kernel;
  for (int round = 0; round < 5; ++round)
    milliseconds.push_back(
        1e3 * seconds_of([&] { kernel = value_or_stop(schedule::apply_template(task, target, sketch)); }));
  base::Random random(1);
  constexpr int drawn = 2000;
  int accepted = 0;
  for (int i = 0; i < drawn; ++i) {
    const space::Configuration configuration = kernel->space().at(random.below_wide(kernel->space().size()));
    accepted += kernel->space().contains(configuration) && kernel->within_limits(configuration) ? 1 : 0;
  }
  const double size = static_cast<double>(kernel->space().size());
  fmt::print("| {} | {} | {:.2f} | {} | {:.3g} | {:.1f} % | {:.2g} |\n", name, target.name,
             base::quantile(milliseconds, 0.5), kernel->space().knobs().size(), size,
             100.0 * accepted / drawn, size * accepted / drawn);
}

void print_spaces(const Options& options) {
  fmt::print(
      "| shape | target | made in ms (goal 50) | knobs | combinations | of 2,000 drawn ones accepted | "
      "members "
      "within limits, about (goal 1,000) |\n|---|---|---|---|---|---|---|\n");
  std::vector<std::string> names = names_in(options.tasks);
  if (names.empty()) {
    names = f32_tasks();
    const std::vector<std::string> bytes = int8_tasks();
    names.insert(names.end(), bytes.begin(), bytes.end());
  }
  for (const schedule::TargetKind kind : {schedule::TargetKind::Cpu, schedule::TargetKind::Cuda}) {
    const schedule::TargetDescription target = target_of(kind);
    const Result<const schedule::TemplateDeclaration*> declaration =
        schedule::find_template(options.sketch, kind);
    if (!declaration) continue;
    for (const std::string& name : names)
      if ((*declaration)->fits(task_of(name), target)) print_space(name, target, options.sketch);
  }
}

// --- constraint systems ---

/** "13 / 26 / 14": knobs, variables and constraints, limits of the target among them. */
std::string csp_text(const std::string& task, const schedule::TargetDescription& target, const char* name) {
  const schedule::ScheduledKernel kernel =
      value_or_stop(schedule::apply_template(task_of(task), target, name));
  space::ConstraintSystem all = kernel.space().constraints();
  all.append(kernel.limits());
  const space::ConstraintSystem csp = space::csp_of(kernel.space().knobs(), all);
  return fmt::format("{} / {} / {}", kernel.space().knobs().size(), csp.variables().size(),
                     csp.constraints().size());
}

/** "27 / 76 / 34": tunables, variables and constraints with a level for each factor, as Heron has them. */
std::string levels_text(const std::string& task, const schedule::TargetDescription& target,
                        const char* name) {
  const schedule::ScheduledKernel kernel =
      value_or_stop(schedule::apply_template(task_of(task), target, name));
  const space::SearchSpace all = value_or_stop(kernel.space().restricted_by(kernel.limits()));
  const space::EncodedSpace levels = value_or_stop(space::EncodedSpace::make(all));
  const space::ConstraintSystem csp = space::csp_of(levels.space());
  return fmt::format("{} / {} / {}", levels.space().knobs().size(), csp.variables().size(),
                     csp.constraints().size());
}

void print_csp(const Options&) {
  constexpr const char* generated = "generated";
  struct Operator {
    const char* name;
    const char* shapes;
    const char* packed;
    const char* tensor_cores;  ///< null: no template has it
  };
  const Operator operators[] = {
      {"GEMM", "matmul 1024x1024 1024x1024", "matmul-packed", "matmul-wmma"},
      {"BMM", "bmm 12x512x64 12x64x512", "batch-matmul-packed", "batch-matmul-wmma"},
      {"C1D", "conv1d 16x64x256 128x64x3 stride=2 pad=1", "conv1d-packed", nullptr},
      {"C2D", "conv2d 16x64x56x56 64x64x3x3 pad=1", "conv2d-packed", "conv2d-wmma"},
      {"C3D", "conv3d 16x64x8x14x14 64x64x3x3x3 pad=1", "conv3d-packed", nullptr}};
  const schedule::TargetDescription cpu = target_of(schedule::TargetKind::Cpu);
  schedule::TargetDescription gpu = target_of(schedule::TargetKind::Cuda);
  gpu.isa = "sm_80";
  fmt::print("Knobs / variables / constraints:\n\n");
  fmt::print(
      "| operator | `generated`, CPU f32 | CPU int8 | CUDA f32 | by hand for a CPU | by hand for tensor "
      "cores |\n"
      "|---|---|---|---|---|---|\n");
  for (const Operator& one : operators) {
    const std::string f32 = fmt::format("{} f32", one.shapes);
    fmt::print("| {} | {} | {} | {} | {} | {} |\n", one.name, csp_text(f32, cpu, generated),
               csp_text(fmt::format("{} i8", one.shapes), cpu, generated), csp_text(f32, gpu, generated),
               csp_text(f32, cpu, one.packed),
               one.tensor_cores == nullptr
                   ? ""
                   : csp_text(fmt::format("{} f16", one.shapes), gpu, one.tensor_cores));
  }
  fmt::print("\nTunables / variables / constraints of `generated-vnni` with `encoding=levels`:\n\n");
  for (const Operator& one : operators)
    fmt::print("| {} | {} |\n", one.name,
               levels_text(fmt::format("{} i8", one.shapes), cpu, "generated-vnni"));
}

constexpr std::array<BenchmarkPart<Options>, 4> parts{
    {{"spaces", print_spaces}, {"csp", print_csp}, {"f32", compare_f32}, {"int8", compare_int8}}};

}  // namespace

int main(int argc, char** argv) {
  const auto take = [](Options& options, std::string_view name, const char* value) {
    if (name == "--trials") {
      options.trials = std::max(1, std::atoi(value));
    } else if (name == "--tuner") {
      options.tuner = value;
    } else if (name == "--sketch") {
      options.sketch = value;
    } else if (name == "--tasks") {
      options.tasks = value;
    } else if (name == "--results") {
      options.results = value;
    } else {
      return false;
    }
    return true;
  };
  return run_parts<Options>(argc, argv, parts, take);
}
