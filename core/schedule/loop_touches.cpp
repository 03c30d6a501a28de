#include "core/schedule/loop_touches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/schedule/resolved_record.h"

namespace kernelscape::schedule {
namespace {

constexpr std::size_t tabled_logarithms = 4096;

const std::array<double, tabled_logarithms> logarithms = [] {
  std::array<double, tabled_logarithms> table{};
  for (std::size_t value = 1; value < table.size(); ++value)
    table[value] = std::log2(static_cast<double>(value));
  return table;
}();

/** Returns the step of an iteration in a dimension whose index has a division; see Touch::stride. */
std::int64_t divided_step(std::int64_t step, std::int64_t divisor, std::int64_t iterations) {
  const std::int64_t whole = step / divisor;
  if (whole != 0) return whole;
  const std::int64_t distance = (step < 0 ? -step : step) * (iterations - 1);
  if (distance < divisor) return 0;
  return step < 0 ? -1 : 1;
}

/** Returns AutoTVM's level of parallelism: blocks contain threads, threads contain the remaining loops. */
std::size_t parallel_level(LoopAnnotation annotation) {
  switch (annotation) {
    case LoopAnnotation::BlockX:
    case LoopAnnotation::BlockY:
    case LoopAnnotation::BlockZ:
      return 2;
    case LoopAnnotation::ThreadX:
    case LoopAnnotation::ThreadY:
    case LoopAnnotation::ThreadZ:
    case LoopAnnotation::Parallel:
      return 1;
    default:
      return 0;
  }
}

/** Computes counts and reuse from the innermost loop outwards. */
void accumulate(std::vector<TouchedLoop>& loops) {
  for (std::size_t tensor = 0; tensor < touched_tensors; ++tensor) {
    std::int64_t count = 1;
    std::int64_t reuse = 1;
    for (std::size_t i = loops.size(); i-- > 0;) {
      Touch& touch = loops[i].touches[tensor];
      (touch.stride != 0 ? count : reuse) *= loops[i].length;
      touch.count = count;
      touch.reuse = reuse;
      loops[i].bottomup = std::max(loops[i].bottomup, count * reuse);
    }
  }
}

/**
 * Computes counts and reuse relative to the loop directly inside a level of parallelism: AutoTVM uses its
 * count and reuse for all loops of that level around it.
 */
void relate_to_threads(std::vector<TouchedLoop>& loops) {
  std::array<const TouchedLoop*, 3> bases{};
  for (std::size_t i = loops.size(); i-- > 0;) {
    const std::size_t level = parallel_level(loops[i].annotation);
    if (i > 0 && parallel_level(loops[i - 1].annotation) == level + 1) bases.at(level + 1) = &loops[i];
    const TouchedLoop* base = bases.at(level);
    if (base == nullptr) continue;
    for (std::size_t tensor = 0; tensor < touched_tensors; ++tensor) {
      Touch& touch = loops[i].touches[tensor];
      touch.thread_count = touch.count / base->touches[tensor].count;
      touch.thread_reuse = touch.reuse / base->touches[tensor].reuse;
    }
  }
}

}  // namespace

const std::array<const char*, annotation_count> annotation_names{
    "blockIdx.x", "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y",   "threadIdx.z",
    "unrolled",   "vectorized", "parallel",   "serial",      "virtual thread"};

double binary_logarithm(std::int64_t value) {
  const auto place = static_cast<std::size_t>(value);
  return place < logarithms.size() ? logarithms[place] : std::log2(static_cast<double>(value));
}

/** A dimension as stored in memory; see PackedDimension. */
struct LoopTouches::PhysicalDimension {
  int source = 0;
  std::int64_t divisor = 1;
  std::int64_t extent = 1;
  std::int64_t stride = 1;
  bool wraps = false;

  /** Returns the offset in this dimension of a step along the source. */
  std::int64_t offset(std::int64_t step) const {
    const std::int64_t steps = step / divisor;
    return (wraps ? steps % extent : steps) * stride;
  }
};

LoopTouches::LoopTouches(std::shared_ptr<const Schedule> schedule) : schedule_(std::move(schedule)) {
  const task::TensorOperator& op = schedule_->op();
  if (op.inputs.size() + 1 != touched_tensors)
    throw std::logic_error(fmt::format("an operator with {} inputs", op.inputs.size()));
  std::array<int, touched_tensors> numbers{0, 1, 2};
  std::ranges::sort(numbers, {},
                    [&](int number) { return tensor_access(op, static_cast<std::size_t>(number)).tensor; });
  for (std::size_t i = 0; i < touched_tensors; ++i) {
    tensors_[i] = read_tensor(numbers[i]);
    names_[i] = tensor_access(op, static_cast<std::size_t>(numbers[i])).tensor;
  }
  name_loops();
}

LoopTouches::Tensor LoopTouches::read_tensor(int number) const {
  const task::TensorAccess& access = tensor_access(schedule_->op(), static_cast<std::size_t>(number));
  Tensor tensor;
  tensor.number = number;
  tensor.by_axis.resize(schedule_->op().axes.size());
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const auto dimension = static_cast<int>(d);
    tensor.extents.push_back(stored_extent(*schedule_, access, dimension));
    const task::AccessIndex& index = access.indices[d];
    for (std::size_t axis = 0; axis < index.coefficients.size(); ++axis)
      if (index.coefficients[axis] != 0)
        tensor.by_axis[axis].push_back({dimension, index.coefficients[axis], index.divisor});
  }
  return tensor;
}

void LoopTouches::name_loops() {
  const auto add = [&](bool same, LoopId loop) {
    loop_names_.push_back(same ? schedule_->loop(loop).name : fmt::format("loop {}", loop_names_.size() + 1));
  };
  for (const OrderItem& item : schedule_->order()) {
    if (item.choice) {
      const std::vector<LoopId>& first = item.alternatives.front();
      for (const std::vector<LoopId>& other : item.alternatives)
        if (other.size() != first.size()) throw std::logic_error("orders of different lengths");
      for (std::size_t place = 0; place < first.size(); ++place) {
        const bool same = std::ranges::all_of(item.alternatives, [&](const std::vector<LoopId>& other) {
          return other[place] == first[place];
        });
        add(same, first[place]);
      }
    } else {
      for (const LoopId loop : item.loops) add(!item.permutation || item.loops.size() == 1, loop);
    }
  }
}

std::vector<TouchedLoop> LoopTouches::of(const space::Configuration& configuration) const {
  std::vector<TouchedLoop> loops = in_order(configuration);
  set_strides(loops, configuration);
  accumulate(loops);
  relate_to_threads(loops);
  return loops;
}

std::vector<TouchedLoop> LoopTouches::in_order(const space::Configuration& configuration) const {
  std::vector<TouchedLoop> loops(loop_names_.size());
  std::int64_t topdown = 1;
  std::size_t place = 0;
  for (const LoopId id : schedule_->ordered_loops(configuration)) {
    TouchedLoop& loop = loops[place++];
    loop.loop = id;
    loop.annotation = annotation_of(schedule_->loop(id), configuration);
    loop.length = schedule_->length(id, configuration);
    loop.topdown = topdown *= loop.length;
  }
  return loops;
}

LoopAnnotation LoopTouches::annotation_of(const Loop& loop, const space::Configuration& configuration) const {
  switch (loop.binding) {
    case Binding::Parallel:
      return LoopAnnotation::Parallel;
    case Binding::BlockX:
      return LoopAnnotation::BlockX;
    case Binding::BlockY:
      return LoopAnnotation::BlockY;
    case Binding::BlockZ:
      return LoopAnnotation::BlockZ;
    case Binding::ThreadX:
      return LoopAnnotation::ThreadX;
    case Binding::ThreadY:
      return LoopAnnotation::ThreadY;
    case Binding::ThreadZ:
      return LoopAnnotation::ThreadZ;
    case Binding::VirtualThread:
      return LoopAnnotation::VirtualThread;
    case Binding::None:
      break;
  }
  if (loop.vectorized) return LoopAnnotation::Vectorized;
  return is_unrolled(*schedule_, loop, configuration) ? LoopAnnotation::Unrolled : LoopAnnotation::Serial;
}

void LoopTouches::set_strides(std::vector<TouchedLoop>& loops,
                              const space::Configuration& configuration) const {
  // The step of each loop along its axis. Parts come after the loops that they are parts of.
  const std::vector<Loop>& records = schedule_->loops();
  std::vector<std::int64_t> steps(records.size(), 1);
  for (std::size_t whole = 0; whole < records.size(); ++whole) {
    std::int64_t step = steps[whole];
    for (std::size_t i = records[whole].parts.size(); i-- > 0;) {
      const LoopId part = records[whole].parts[i];
      steps[static_cast<std::size_t>(part.number)] = step;
      step *= schedule_->length(part, configuration);
    }
  }
  for (std::size_t tensor = 0; tensor < touched_tensors; ++tensor) {
    const std::vector<PhysicalDimension> physical = physical_dimensions(tensors_[tensor], configuration);
    for (TouchedLoop& loop : loops) {
      if (loop.length == 1) continue;
      const auto axis = static_cast<std::size_t>(schedule_->loop(loop.loop).axis);
      for (const Move& move : tensors_[tensor].by_axis[axis]) {
        const std::int64_t along = move.coefficient * steps[static_cast<std::size_t>(loop.loop.number)];
        const std::int64_t step = divided_step(along, move.divisor, loop.length);
        for (const PhysicalDimension& dimension : physical)
          if (dimension.source == move.dimension) loop.touches[tensor].stride += dimension.offset(step);
      }
    }
  }
}

std::vector<LoopTouches::PhysicalDimension> LoopTouches::physical_dimensions(
    const Tensor& tensor, const space::Configuration& configuration) const {
  const std::vector<PackedDimension>& packed = schedule_->layout_of(tensor.number, configuration).dimensions;
  std::vector<PhysicalDimension> physical;
  physical.reserve(packed.size());
  std::int64_t stride = 1;
  for (std::size_t i = packed.size(); i-- > 0;) {
    const std::int64_t divisor = product_of(packed[i].inner, configuration);
    const std::int64_t size = tensor.extents[static_cast<std::size_t>(packed[i].source)];
    const bool wraps = !packed[i].extent.empty();
    const std::int64_t extent =
        wraps ? product_of(packed[i].extent, configuration) : (size + divisor - 1) / divisor;
    if (extent == 1) continue;
    physical.push_back({packed[i].source, divisor, extent, stride, wraps});
    stride *= extent;
  }
  return physical;
}

std::int64_t LoopTouches::product_of(const std::vector<LoopId>& loops,
                                     const space::Configuration& configuration) const {
  std::int64_t product = 1;
  for (const LoopId loop : loops) product *= schedule_->length(loop, configuration);
  return product;
}

}  // namespace kernelscape::schedule
