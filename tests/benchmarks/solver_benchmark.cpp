// Members of a space found by solving its constraints, per second of one core, and how much they differ: what
// a constraint-based search waits for.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/thread_cpu_time.h"
#include "core/schedule/template.h"
#include "core/space/encoding.h"
#include "core/space/member_walk.h"
#include "core/space/solver_model.h"
#include "core/task/catalogue.h"
#include "tests/benchmarks/benchmark_support.h"

namespace {

using namespace kernelscape;

constexpr int solutions = 10'000;
constexpr std::size_t population_size = 200;
constexpr std::size_t key_variables = 6;
/** Larger spaces are not walked to see which values their members have. */
constexpr base::uint128 max_walked = 1 << 24;

using Population = std::vector<std::vector<std::int64_t>>;  ///< every variable's value

double processor_seconds_of(const auto& work) {
  const double start = base::thread_cpu_seconds();
  work();
  return base::thread_cpu_seconds() - start;
}

/** With tensor cores, whatever machine this runs on; sixteen lanes of a CPU. */
schedule::TargetDescription target_of(schedule::TargetKind kind) {
  schedule::TargetDescription target =
      kind == schedule::TargetKind::Cpu ? schedule::TargetDescription() : schedule::default_cuda_target();
  if (kind == schedule::TargetKind::Cpu) {
    target.vector_bits = 512;
    target.vector_registers = 32;
  } else {
    target.isa = "sm_80";
  }
  return target;
}

space::SearchSpace space_of(const std::string& task, schedule::TargetKind kind, const std::string& name) {
  const schedule::ScheduledKernel kernel =
      value_or_stop(schedule::apply_template(value_or_stop(task::parse_task(task)), target_of(kind), name));
  return value_or_stop(kernel.space().restricted_by(kernel.limits()));
}

space::Configuration solution_of(const space::SearchSpace& space, std::span<const space::InConstraint> lists,
                                 base::Random& random) {
  const space::Solution solution =
      value_or_stop(space.solver().solve(lists, {}, base::Random(random.bits())));
  if (!std::holds_alternative<space::Configuration>(solution)) stop("no solution within the limit of nodes");
  return std::get<space::Configuration>(solution);
}

/** Some of the variables that the population differs in. */
std::vector<space::VariableId> draw_keys(const Population& population, base::Random& random) {
  std::vector<space::VariableId> keys;
  for (space::VariableId id = 0; id < population[0].size(); ++id)
    if (std::ranges::any_of(population, [&](const auto& own) { return own[id] != population[0][id]; }))
      keys.push_back(id);
  random.shuffle(std::span(keys));
  keys.resize(std::min(keys.size(), key_variables));
  return keys;
}

/** A child of CGA: it has a parent's value of each key variable but one. */
std::vector<space::InConstraint> lists_of_child(const Population& population, base::Random& random) {
  const std::vector<space::VariableId> keys = draw_keys(population, random);
  const auto& first = population[random.below(population.size())];
  const auto& second = population[random.below(population.size())];
  const std::size_t left_out = random.below(keys.size());
  std::vector<space::InConstraint> lists;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (i != left_out) lists.push_back({keys[i], {first[keys[i]], second[keys[i]]}});
  return lists;
}

/** How many values of knobs members have, but not those found; none: there are too many members. */
std::string values_left_out(const space::SearchSpace& space, const std::vector<space::Configuration>& found) {
  space::MemberWalk walk(space);
  if (walk.length() > max_walked) return "not walked";
  std::set<std::pair<std::size_t, std::uint32_t>> missing;
  const auto for_values = [&](const space::Configuration& one, const auto& visit) {
    for (std::size_t knob = 0; knob < one.indices.size(); ++knob) visit(std::pair(knob, one.indices[knob]));
  };
  while (const auto member = walk.next(~std::uint64_t{0}))
    for_values(*member, [&](const auto& value) { missing.insert(value); });
  for (const space::Configuration& one : found)
    for_values(one, [&](const auto& value) { missing.erase(value); });
  return fmt::format("{}", missing.size());
}

void measure(const std::string& name, const space::SearchSpace& space) {
  base::Random random(1);
  const double posting = processor_seconds_of([&] { static_cast<void>(space.solver()); });
  std::vector<space::Configuration> found;
  const double first = processor_seconds_of([&] {
    for (int i = 0; i < solutions; ++i) found.push_back(solution_of(space, {}, random));
  });
  Population population;
  for (std::size_t i = 0; i < population_size; ++i)
    population.push_back(space.constraints().evaluate(space.knobs(), found[i]).values);
  std::vector<std::vector<space::InConstraint>> children;
  for (int i = 0; i < solutions; ++i) children.push_back(lists_of_child(population, random));
  const double later = processor_seconds_of([&] {
    for (const auto& lists : children) static_cast<void>(solution_of(space, lists, random));
  });
  const std::set<space::Configuration> different(found.begin(), found.end());
  fmt::print("| {} | {} | {} | {:.1f} | {:.0f} | {:.0f} | {:.1f} % | {} |\n", name,
             space.constraints().variables().size(), space.constraints().constraints().size(), 1e3 * posting,
             solutions / first, solutions / later, 100.0 * static_cast<double>(different.size()) / solutions,
             values_left_out(space, found));
}

}  // namespace

int main() {
  fmt::print(
      "| space | variables | constraints | posting ms | first solutions/s (goal 2,500) | children/s (goal "
      "2,500) | different of {} (goal 95 %) | values left out (goal 0) "
      "|\n|---|---|---|---|---|---|---|---|\n",
      solutions);
  const space::SearchSpace packed =
      space_of("matmul 1024x1024 1024x1024 f32", schedule::TargetKind::Cpu, "matmul-packed");
  measure("1024^3, `matmul-packed`", packed);
  measure("1024^3, `matmul-packed`, independent levels",
          value_or_stop(space::EncodedSpace::make(packed)).space());
  measure("1024^3 on tensor cores, `matmul-wmma`",
          space_of("matmul 1024x1024 1024x1024 f16", schedule::TargetKind::Cuda, "matmul-wmma"));
  measure("resnet18/C2, `conv2d-direct`",
          space_of("conv2d 1x64x56x56 64x64x3x3 pad=1 f32", schedule::TargetKind::Cuda, "conv2d-direct"));
  return 0;
}
