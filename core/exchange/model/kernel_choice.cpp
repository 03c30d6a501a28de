#include "core/exchange/model/kernel_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/random.h"
#include "core/exchange/model/strided_loops.h"
#include "core/schedule/kernel_traffic.h"
#include "core/schedule/template.h"

namespace kernelscape::exchange {
namespace {

/** Returns a factor of a knob's value; nullopt if the space has no such knob. @param last or the first one */
std::optional<std::int64_t> factor_of(const space::SearchSpace& space,
                                      const space::Configuration& configuration, std::string_view name,
                                      bool last) {
  const std::optional<std::uint32_t> knob = space.find_knob(name);
  if (!knob) return std::nullopt;
  const space::Knob& found = space.knobs()[*knob];
  return found.element(configuration.indices[*knob], last ? found.element_count() - 1 : 0);
}

/** Returns the last factor of the first of these knobs that the space has; 1 if it has none. */
std::int64_t first_of(const space::SearchSpace& space, const space::Configuration& configuration,
                      std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const std::optional<std::int64_t> factor = factor_of(space, configuration, name, true))
      return *factor;
  return 1;
}

/** Returns the cost of a register tile per multiply-add: loads, and the latency that it does not hide. */
double tile_cost(std::int64_t vectors, std::int64_t positions) {
  constexpr double accumulators_for_latency = 8;  // two units of four cycles
  const auto columns = static_cast<double>(vectors);
  const auto rows = static_cast<double>(positions);
  const double latency = std::max(1.0, accumulators_for_latency / (columns * rows));
  return latency * (1 + 1 / rows + 0.5 / columns);
}

/** Returns the number of products of one element of a task's result. */
double products_of_sum(const task::Task& task) {
  double products = 1;
  for (const task::TensorAxis& axis : task.op->axes)
    if (axis.reduction) products *= static_cast<double>(axis.extent);
  return products;
}

/** Returns the cost per multiply-add of loading and storing sums, whose registers are filled once per block.
 */
double sums_cost(const schedule::ScheduledKernel& kernel, const space::Configuration& configuration) {
  // Sums of a block lie in the L2 cache, from which they come in the middle of the products.
  constexpr double load = 3;
  constexpr double store = 3;
  const space::SearchSpace& space = kernel.space();
  std::int64_t blocks = 1;
  for (const std::string_view name : {"tile_k", "tile_ic"})
    blocks = factor_of(space, configuration, name, false).value_or(blocks);
  const double transfers = static_cast<double>(blocks) * store + static_cast<double>(blocks - 1) * load;
  return transfers / products_of_sum(kernel.task());
}

/** Returns the length of the loop that a knob divides into the positions of register tiles; 1: unknown. */
std::int64_t length_of_positions(const schedule::ScheduledKernel& kernel,
                                 const space::Configuration& configuration) {
  const space::SearchSpace& space = kernel.space();
  if (const auto strip = factor_of(space, configuration, "tile_positions", true)) return *strip;
  if (space.find_knob("tile_ow")) {
    const std::vector<task::TensorAxis>& axes = kernel.task().op->axes;
    const auto column = std::ranges::find(axes, "x", &task::TensorAxis::name);
    return column == axes.end() ? 1 : column->extent;
  }
  // A knob of one number counts tiles, and not rows.
  const std::optional<std::uint32_t> block = space.find_knob("tile_rows");
  if (!block || space.knobs()[*block].element_count() < 2) return 1;
  const std::int64_t rows = factor_of(space, configuration, "tile_rows", true).value_or(1);
  if (!space.find_knob("register_positions")) return rows;
  return rows * factor_of(space, configuration, "tile_columns", true).value_or(1);
}

/**
 * Returns the cost of the register tiles per multiply-add. Positions that are no whole tile, at the end of
 * their loop, make a smaller tile.
 */
double register_cost(const schedule::ScheduledKernel& kernel, const space::Configuration& configuration) {
  const space::SearchSpace& space = kernel.space();
  const std::int64_t vectors = first_of(space, configuration, {"tile_oc", "tile_c", "tile_columns"});
  const std::int64_t positions =
      first_of(space, configuration, {"tile_ow", "register_rows", "register_positions"});
  const std::int64_t length = std::max(length_of_positions(kernel, configuration), positions);
  const std::int64_t rest = length % positions;
  double cost = tile_cost(vectors, positions) * static_cast<double>(length - rest);
  if (rest > 0) cost += tile_cost(vectors, rest) * static_cast<double>(rest);
  return cost / static_cast<double>(length) + sums_cost(kernel, configuration);
}

/** Returns the estimated cost of a configuration, in units of one multiply-add per vector. */
double estimated_cost(const schedule::ScheduledKernel& kernel, const space::Configuration& configuration,
                      int threads) {
  double cost = register_cost(kernel, configuration);
  const Result<loop_nest::TrafficEstimate> traffic =
      schedule::estimate_kernel_traffic(kernel, configuration, threads);
  if (traffic) {
    const double multiply_adds = kernel.task().flops() / 2;
    const auto lanes = static_cast<double>(kernel.target().vector_lanes_f32());
    // Bytes per cycle that a core waits for: of the L2 cache's most come ahead of their use, and its part of
    // the memory's.
    constexpr double l2_bytes_per_cycle = 128;
    constexpr double memory_bytes_per_cycle = 6;
    const double cycles =
        traffic->levels[base::place_of(base::MemoryLevel::L2)].bytes / l2_bytes_per_cycle +
        traffic->levels[base::place_of(base::MemoryLevel::Memory)].bytes / memory_bytes_per_cycle;
    cost += cycles / (multiply_adds / lanes / 2);
  }
  // A plain operand needs no conversion.
  if (const auto knob = kernel.space().find_knob("row_layout");
      knob && kernel.space().knobs()[*knob].value(configuration.indices[*knob]) !=
                  space::KnobValue{std::string("rows")})
    cost *= 2;
  return cost;
}

/** Returns the number of steps before the first Add whose operand has a layout with gaps. */
std::size_t first_padded_addition(const ExportedKernel& kernel) {
  const std::vector<task::EpilogueStep>& steps = kernel.measured.task.op->epilogue;
  std::size_t argument = 3;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!task::has_operand(steps[i].kind)) continue;
    const loop_nest::Layout& layout = kernel.source.arguments[argument++].layout;
    if (steps[i].kind == task::EpilogueKind::Add && has_gaps(layout)) return i;
  }
  return steps.size();
}

}  // namespace

Result<space::Configuration> default_configuration(const schedule::ScheduledKernel& kernel, int threads) {
  constexpr int draws = 256;
  constexpr std::size_t estimated = 24;
  base::Random random(1);
  std::vector<std::pair<double, space::Configuration>> found;
  for (int i = 0; i < draws; ++i) {
    std::optional<space::Configuration> drawn = kernel.space().random_member(random);
    if (!drawn) break;
    if (kernel.within_limits(*drawn)) found.emplace_back(register_cost(kernel, *drawn), std::move(*drawn));
  }
  if (found.empty())
    return fail(ErrorCode::NotFound,
                fmt::format("no configuration of template {} was found for {}", kernel.template_name(),
                            kernel.task().text),
                "tune the layer");
  std::ranges::stable_sort(found, {}, &std::pair<double, space::Configuration>::first);
  if (found.size() > estimated) found.resize(estimated);
  for (auto& [cost, configuration] : found) cost = estimated_cost(kernel, configuration, threads);
  return std::ranges::min_element(found, {}, &std::pair<double, space::Configuration>::first)->second;
}

int winograd_tile(const ExportedKernel& kernel) {
  int tile = 0;
  for (const codegen::KernelArgument& argument : kernel.source.arguments)
    tile = std::max(tile, argument.layout.winograd_tile);
  return tile;
}

KernelChoice::KernelChoice(std::span<const ExportedKernel> tuned, schedule::TargetDescription target,
                           bool exact)
    : tuned_(tuned), target_(std::move(target)), exact_(exact) {}

Result<FusedKernel> KernelChoice::kernel_of(const task::Task& sums,
                                            const std::vector<task::EpilogueStep>& steps,
                                            bool computed_weights) {
  const task::Task task = TRY(task::with_epilogue(sums, steps));
  const bool exact = exact_ || computed_weights;
  const std::pair key(task.text, exact);
  if (const auto found = known_.find(key); found != known_.end()) {
    ++kernels_[found->second.number].multiplicity;
    return found->second;
  }
  // Named by their number: the names of tasks could be those of other functions of the library.
  ExportedKernel kernel = TRY(make_kernel(sums, task, exact, fmt::format("layer_{}", kernels_.size() + 1)));
  const std::size_t copied = first_padded_addition(kernel);
  if (copied < steps.size())
    return known_[key] = TRY(kernel_of(
               sums, {steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(copied)}, computed_weights));
  kernel.multiplicity = 1;
  kernels_.push_back(std::move(kernel));
  if (tuned_kernel(task, exact) != nullptr || tuned_kernel(sums, exact) != nullptr) ++tuned_count_;
  return known_[key] = {kernels_.size() - 1, steps.size()};
}

const ExportedKernel* KernelChoice::tuned_kernel(const task::Task& task, bool exact) const {
  const auto found = std::ranges::find_if(tuned_, [&](const ExportedKernel& kernel) {
    return kernel.measured.task.text == task.text && !(exact && winograd_tile(kernel) > 0);
  });
  return found == tuned_.end() ? nullptr : &*found;
}

Result<ExportedKernel> KernelChoice::make_kernel(const task::Task& sums, const task::Task& task, bool exact,
                                                 const std::string& name) {
  const ExportedKernel* tuned = tuned_kernel(task, exact);
  const bool own = tuned != nullptr;
  if (!own) tuned = tuned_kernel(sums, exact);
  if (tuned == nullptr) return default_kernel(task, exact, name);
  MeasuredConfiguration measured = tuned->measured;
  if (!own) {
    // The samples are those of a kernel without the steps.
    measured.task = task;
    measured.samples_seconds.clear();
    measured.confirmed_seconds.clear();
    measured.result = {};
  }
  return make_exported_kernel(std::move(measured), name);
}

Result<ExportedKernel> KernelChoice::default_kernel(const task::Task& task, bool exact,
                                                    const std::string& name) {
  const std::string template_name = schedule::default_template(task, target_, exact);
  const schedule::ScheduledKernel kernel = TRY(schedule::apply_template(task, target_, template_name));
  MeasuredConfiguration measured{.space = kernel.space()};
  measured.options.threads = static_cast<int>(target_.cores);
  measured.configuration = TRY(default_configuration(kernel, measured.options.threads));
  measured.task = task;
  measured.target = target_;
  measured.template_name = kernel.template_name();
  measured.template_version = kernel.template_version();
  return make_exported_kernel(std::move(measured), name);
}

}  // namespace kernelscape::exchange
