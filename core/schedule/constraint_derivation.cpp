#include "core/schedule/constraint_derivation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "core/schedule/resolved_record.h"

namespace kernelscape {
namespace {

bool is_thread(Binding binding) {
  return binding == Binding::ThreadX || binding == Binding::ThreadY || binding == Binding::ThreadZ;
}

bool is_block(Binding binding) {
  return binding == Binding::BlockX || binding == Binding::BlockY || binding == Binding::BlockZ;
}

std::vector<LoopId> loops_bound_to(const Schedule& schedule, Binding binding) {
  std::vector<LoopId> result;
  for (std::size_t i = 0; i < schedule.loops().size(); ++i)
    if (schedule.loops()[i].binding == binding) result.push_back(LoopId{static_cast<int>(i)});
  return result;
}

/** Sizes of the tiles that a block's threads share. */
class SharedMemory {
 public:
  SharedMemory(const Schedule& schedule, ConstraintBuilder& builder)
      : schedule_(schedule), builder_(builder) {
    // GPU templates fix their order: no knob permutes it.
    for (const OrderItem& item : schedule.order())
      order_.insert(order_.end(), item.loops.begin(), item.loops.end());
  }

  /** Of the inputs' copies, which live at the same time. */
  VariableId bytes() {
    std::vector<VariableId> tensors;
    for (const SharedCopy& copy : schedule_.shared_copies())
      tensors.push_back(bytes_of_tile(copy.input, copy.at, copy.copies, copy.row_padding));
    return builder_.sum("shared_bytes", tensors);
  }

  VariableId bytes_of_result(const SharedResult& result) {
    const auto output = static_cast<int>(schedule_.op().inputs.size());
    return bytes_of_tile(output, result.at, 1, result.row_padding);
  }

 private:
  VariableId bytes_of_tile(int number, LoopId at, std::int64_t copies, std::optional<KnobId> row_padding) {
    const TensorAccess& tensor = tensor_access(schedule_.op(), static_cast<std::size_t>(number));
    const std::string name = fmt::format("shared_{}", tensor.tensor);
    std::vector<VariableId> factors;
    for (std::size_t dimension = 0; dimension < tensor.indices.size(); ++dimension)
      factors.push_back(extent_of(tensor.indices[dimension], at, fmt::format("{}_{}", name, dimension)));
    if (row_padding) {
      VariableId& row = factors[static_cast<std::size_t>(schedule_.innermost_dimension(number))];
      row = builder_.sum(name + "_row", {row, builder_.element_of(*row_padding)});
    }
    factors.push_back(builder_.constant(bytes_of(tensor.type) * copies));
    return builder_.product(name + "_bytes", factors);
  }

  /** Elements that a tile touches along one dimension: 1 + the sum over its axes of coefficient * (length -
   * 1). */
  VariableId extent_of(const AccessIndex& index, LoopId at, const std::string& name) {
    std::vector<VariableId> terms;
    std::int64_t constant = 1;
    for (std::size_t axis = 0; axis < index.coefficients.size(); ++axis) {
      const std::int64_t coefficient = index.coefficients[axis];
      if (coefficient == 0) continue;
      std::vector<VariableId> factors = tile_of(static_cast<int>(axis), at);
      if (factors.empty()) continue;  // one element: it adds nothing
      constant -= coefficient;
      if (coefficient != 1) factors.push_back(builder_.constant(coefficient));
      terms.push_back(builder_.product(fmt::format("{}_{}", name, schedule_.op().axes[axis].name), factors));
    }
    if (constant != 0 || terms.empty()) terms.push_back(builder_.constant(constant));
    return builder_.sum(name, terms);
  }

  /** Lengths of an axis's loops that a block's copy covers: its threads', and all inside `at`. */
  std::vector<VariableId> tile_of(int axis, LoopId at) {
    const auto place = std::ranges::find(order_, at);
    std::vector<VariableId> lengths;
    for (auto loop = order_.begin(); loop != order_.end(); ++loop) {
      const ScheduleLoop& record = schedule_.loop(*loop);
      if (record.axis != axis || is_block(record.binding)) continue;
      const bool threads = is_thread(record.binding) || record.binding == Binding::VirtualThread;
      if (threads || loop > place) lengths.push_back(builder_.length_of(*loop));
    }
    return lengths;
  }

  const Schedule& schedule_;
  ConstraintBuilder& builder_;
  std::vector<LoopId> order_;
};

void limit_threads(const Schedule& schedule, const TargetDescription& target, ConstraintBuilder& builder) {
  struct Dimension {
    Binding binding;
    const char* name;
    std::int64_t limit;
  };
  const Dimension dimensions[] = {{Binding::ThreadX, "threads_x", target.block_x},
                                  {Binding::ThreadY, "threads_y", target.block_y},
                                  {Binding::ThreadZ, "threads_z", target.block_z}};
  std::vector<VariableId> all;
  for (const Dimension& dimension : dimensions) {
    std::vector<VariableId> lengths;
    if (dimension.binding == Binding::ThreadX && schedule.tensor_core_tile())
      lengths.push_back(builder.constant(TensorCoreTile::warp_threads));
    for (const LoopId loop : loops_bound_to(schedule, dimension.binding))
      lengths.push_back(builder.length_of(loop));
    if (lengths.empty()) continue;
    all.insert(all.end(), lengths.begin(), lengths.end());
    builder.require_at_most(builder.product(dimension.name, lengths), dimension.limit,
                            fmt::format("threads of a block along {}", dimension.name[8]));
  }
  if (!all.empty())
    builder.require_at_most(builder.product("threads", all), target.threads_per_block, "threads per block");
}

std::int64_t largest_element(const Schedule& schedule, const LoopLength& length) {
  const Knob& knob = schedule.knobs()[static_cast<std::size_t>(length.knob.number)];
  std::int64_t largest = 1;
  for (std::uint32_t index = 0; index < knob.count(); ++index)
    largest = std::max(largest, knob.element(index, length.position));
  return largest;
}

/** The most iterations that a loop has in any configuration. */
std::int64_t most_iterations(const Schedule& schedule, LoopId loop) {
  const LoopLength& length = schedule.loop(loop).length;
  switch (length.kind) {
    case LoopLength::Kind::Element:
      return largest_element(schedule, length);
    case LoopLength::Kind::CeilQuotient:
      return most_iterations(schedule, length.whole);
    case LoopLength::Kind::Fixed:
    case LoopLength::Kind::Quotient:
      break;
  }
  return length.fixed;
}

std::int64_t most_iterations(const Schedule& schedule, const std::vector<LoopId>& loops) {
  std::int64_t product = 1;
  for (const LoopId loop : loops)
    if (__builtin_mul_overflow(product, most_iterations(schedule, loop), &product)) return INT64_MAX;
  return product;
}

VariableId tile_product(const Schedule& schedule, const std::vector<LoopId>& tile,
                        ConstraintBuilder& builder) {
  std::vector<VariableId> lengths;
  for (const LoopId loop : tile) lengths.push_back(builder.length_of(loop));
  const auto axis = static_cast<std::size_t>(schedule.loop(tile.front()).axis);
  return builder.product(fmt::format("tile_of_{}", schedule.op().axes[axis].name), lengths);
}

/** Whether every configuration's tile divides. */
bool always_divides(const Schedule& schedule, const LoopLength& quotient) {
  if (quotient.divisors.size() != 1) return false;
  const LoopLength& divisor = schedule.loop(quotient.divisors.front()).length;
  if (divisor.kind != LoopLength::Kind::Element) return false;
  const Knob& knob = schedule.knobs()[static_cast<std::size_t>(divisor.knob.number)];
  for (std::uint32_t index = 0; index < knob.count(); ++index)
    if (quotient.fixed % knob.element(index, divisor.position) != 0) return false;
  return true;
}

/** Heron's rule C1 for loops that knobs tile freely: a tile divides its loop. */
void limit_tiles(const Schedule& schedule, ConstraintBuilder& builder) {
  for (const ScheduleLoop& loop : schedule.loops()) {
    const LoopLength& length = loop.length;
    if (length.kind != LoopLength::Kind::Quotient || always_divides(schedule, length)) continue;
    std::vector<std::int64_t> divisors;
    const std::int64_t most = std::min(length.fixed, most_iterations(schedule, length.divisors));
    for (std::int64_t tile = 1; tile <= most; ++tile)
      if (length.fixed % tile == 0) divisors.push_back(tile);
    const std::string& axis = schedule.op().axes[static_cast<std::size_t>(loop.axis)].name;
    builder.require_in(tile_product(schedule, length.divisors, builder), std::move(divisors),
                       fmt::format("a tile divides the {} of {}", length.fixed, axis));
  }
}

/** Blocks along a dimension of the launch, where a task can ask for more than there may be. */
void limit_blocks(const Schedule& schedule, Binding binding, char name, std::int64_t limit,
                  ConstraintBuilder& builder) {
  const std::vector<LoopId> loops = loops_bound_to(schedule, binding);
  if (limit == 0 || most_iterations(schedule, loops) <= limit) return;
  const std::string reason = fmt::format("blocks of a launch along {}", name);
  std::vector<VariableId> lengths;
  std::vector<VariableId> tiles;  // the more of them, the fewer blocks
  std::int64_t undivided = 1;
  for (const LoopId loop : loops) {
    const LoopLength& length = schedule.loop(loop).length;
    if (length.kind == LoopLength::Kind::Quotient) {
      undivided *= length.fixed;
      tiles.push_back(tile_product(schedule, length.divisors, builder));
    } else if (length.kind == LoopLength::Kind::Fixed) {
      undivided *= length.fixed;
    } else {
      lengths.push_back(builder.length_of(loop));
    }
  }
  if (tiles.empty()) {
    lengths.push_back(builder.constant(undivided));
    builder.require_at_most(builder.product(fmt::format("blocks_{}", name), lengths), limit, reason);
    return;
  }
  if (!lengths.empty()) throw std::logic_error("one dimension of a launch holds tiles of one kind");
  const std::int64_t least_tile = (undivided + limit - 1) / limit;
  builder.require_not_more(builder.constant(least_tile),
                           builder.product(fmt::format("tile_of_blocks_{}", name), tiles), reason);
}

}  // namespace

VariableId ConstraintBuilder::constant(std::int64_t value) {
  const auto [place, added] = constants_.try_emplace(value, 0);
  if (added) place->second = system_.add_constant(fmt::format("{}", value), value);
  return place->second;
}

VariableId ConstraintBuilder::length_of(LoopId id) {
  const ScheduleLoop& loop = schedule_.loop(id);
  switch (loop.length.kind) {
    case LoopLength::Kind::Fixed:
      return constant(loop.length.fixed);
    case LoopLength::Kind::Element:
      return element_of(loop.length.knob, loop.length.position);
    case LoopLength::Kind::Quotient:
      return quotient_of(id);
    case LoopLength::Kind::CeilQuotient:
      break;
  }
  throw std::logic_error("constraints speak of tiles, not of how many there are");
}

VariableId ConstraintBuilder::element_of(KnobId id, int position) {
  const auto [place, added] = elements_.try_emplace({id.number, position}, 0);
  if (added) {
    const Knob& knob = schedule_.knobs()[static_cast<std::size_t>(id.number)];
    const std::string name =
        knob.element_count() > 1 ? fmt::format("{}.{}", knob.name(), position) : knob.name();
    place->second = system_.add_element(name, static_cast<std::uint32_t>(id.number), position);
  }
  return place->second;
}

/** A table by the value of the one knob that divides. */
VariableId ConstraintBuilder::quotient_of(LoopId id) {
  const ScheduleLoop& loop = schedule_.loop(id);
  if (loop.length.divisors.size() != 1)
    throw std::logic_error("constraints speak of tiles, not of how many there are");
  const LoopLength& by = schedule_.loop(loop.length.divisors.front()).length;
  if (by.kind != LoopLength::Kind::Element) throw std::logic_error("a quotient is taken by a knob's value");
  const auto [place, added] = quotients_.try_emplace(id.number, 0);
  if (added) {
    const std::int64_t whole = loop.length.fixed;
    std::vector<VariableId> choices{constant(whole)};
    for (std::int64_t value = 1; value <= largest_element(schedule_, by); ++value)
      choices.push_back(constant((whole + value - 1) / value));
    const VariableId divisor = element_of(by.knob, by.position);
    place->second = system_.add_derived(loop.name);
    system_.add({SelectConstraint{place->second, divisor, std::move(choices)}, loop.name});
  }
  return place->second;
}

VariableId ConstraintBuilder::product(const std::string& name, const std::vector<VariableId>& factors) {
  if (factors.size() == 1) return factors.front();
  const VariableId result = system_.add_derived(name);
  system_.add({ProdConstraint{result, factors}, name});
  return result;
}

VariableId ConstraintBuilder::sum(const std::string& name, const std::vector<VariableId>& terms) {
  if (terms.size() == 1) return terms.front();
  const VariableId result = system_.add_derived(name);
  system_.add({SumConstraint{result, terms}, name});
  return result;
}

void ConstraintBuilder::require(const ProductBound& bound) {
  std::vector<VariableId> factors;
  for (const LoopId loop : bound.loops) factors.push_back(length_of(loop));
  require_at_most(product(bound.name, factors), bound.bound, bound.reason);
}

void ConstraintBuilder::require_at_most(VariableId variable, std::int64_t bound, const std::string& reason) {
  require_not_more(variable, constant(bound), reason);
}

void ConstraintBuilder::require_not_more(VariableId variable, VariableId bound, const std::string& reason) {
  system_.add({LeConstraint{variable, bound}, reason});
}

void ConstraintBuilder::require_in(VariableId variable, std::vector<std::int64_t> values,
                                   const std::string& reason) {
  system_.add({InConstraint{variable, std::move(values)}, reason});
}

ConstraintSystem derive_limits(const Schedule& schedule, const TargetDescription& target) {
  ConstraintBuilder builder(schedule);
  for (const ProductBound& limit : schedule.product_limits()) builder.require(limit);
  if (target.kind == TargetKind::Cpu) return std::move(builder).take();
  limit_tiles(schedule, builder);
  limit_threads(schedule, target, builder);
  limit_blocks(schedule, Binding::BlockX, 'x', target.grid_x, builder);
  limit_blocks(schedule, Binding::BlockY, 'y', target.grid_y, builder);
  limit_blocks(schedule, Binding::BlockZ, 'z', target.grid_z, builder);
  if (schedule.shared_copies().empty()) return std::move(builder).take();
  SharedMemory memory(schedule, builder);
  builder.require_at_most(memory.bytes(), target.shared_bytes, "shared memory of a block");
  if (const std::optional<SharedResult>& result = schedule.shared_result())
    builder.require_at_most(memory.bytes_of_result(*result), target.shared_bytes,
                            "shared memory of a block's result");
  return std::move(builder).take();
}

}  // namespace kernelscape
