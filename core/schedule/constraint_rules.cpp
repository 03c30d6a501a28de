#include "core/schedule/constraint_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

#include "core/schedule/lowered_loops.h"
#include "core/schedule/resolved_record.h"
#include "core/schedule/stage_copies.h"

namespace kernelscape::schedule {
namespace {

bool on_gpu(const RuleSubject& subject) { return subject.target.kind != TargetKind::Cpu; }

std::vector<LoopId> loops_bound_to(const Schedule& schedule, Binding binding) {
  std::vector<LoopId> result;
  for (std::size_t i = 0; i < schedule.loops().size(); ++i)
    if (schedule.loops()[i].binding == binding) result.push_back(LoopId{static_cast<int>(i)});
  return result;
}

std::int64_t largest_value(const Schedule& schedule, const LoopLength& length) {
  const space::Knob& knob = schedule.knobs()[static_cast<std::size_t>(length.knob.number)];
  std::int64_t largest = 1;
  for (std::uint32_t index = 0; index < knob.count(); ++index)
    largest = std::max(largest, knob.element(index, length.position));
  return largest;
}

std::int64_t max_iterations(const Schedule& schedule, const std::vector<LoopId>& loops);

/** Returns the maximum number of iterations of a loop in any configuration. */
std::int64_t max_iterations(const Schedule& schedule, LoopId loop) {
  const LoopLength& length = schedule.loop(loop).length;
  switch (length.kind) {
    case LoopLength::Kind::Element:
      return largest_value(schedule, length);
    case LoopLength::Kind::CeilQuotient:
      return max_iterations(schedule, length.whole);
    case LoopLength::Kind::Product:
      return max_iterations(schedule, length.loops);
    case LoopLength::Kind::Select: {
      std::int64_t most = 1;
      for (const LoopId choice : length.loops) most = std::max(most, max_iterations(schedule, choice));
      return most;
    }
    case LoopLength::Kind::Fixed:
    case LoopLength::Kind::Quotient:
      break;
  }
  return length.fixed;
}

std::int64_t max_iterations(const Schedule& schedule, const std::vector<LoopId>& loops) {
  std::int64_t product = 1;
  for (const LoopId loop : loops)
    if (__builtin_mul_overflow(product, max_iterations(schedule, loop), &product)) return INT64_MAX;
  return product;
}

space::VariableId tile_product(const Schedule& schedule, const std::vector<LoopId>& tile,
                               ConstraintBuilder& builder) {
  std::vector<space::VariableId> lengths;
  for (const LoopId loop : tile) lengths.push_back(builder.length_of(loop));
  const auto axis = static_cast<std::size_t>(schedule.loop(tile.front()).axis);
  return builder.product(fmt::format("tile_of_{}", schedule.op().axes[axis].name), lengths);
}

// --- C1: split loops ---

/** Returns true if the tile of every configuration divides the length. */
bool always_divides(const Schedule& schedule, const LoopLength& quotient) {
  if (quotient.loops.size() != 1) return false;
  const LoopLength& divisor = schedule.loop(quotient.loops.front()).length;
  if (divisor.kind != LoopLength::Kind::Element) return false;
  const space::Knob& knob = schedule.knobs()[static_cast<std::size_t>(divisor.knob.number)];
  for (std::uint32_t index = 0; index < knob.count(); ++index)
    if (quotient.fixed % knob.element(index, divisor.position) != 0) return false;
  return true;
}

bool tiles_may_not_divide(const Schedule& schedule, const Loop& loop) {
  return loop.length.kind == LoopLength::Kind::Quotient && !always_divides(schedule, loop.length);
}

bool has_uneven_tiles(const RuleSubject& subject) {
  const std::vector<Loop>& loops = subject.schedule.loops();
  return on_gpu(subject) && std::ranges::any_of(loops, [&](const Loop& loop) {
           return tiles_may_not_divide(subject.schedule, loop);
         });
}

void divide_tiles(const RuleSubject& subject, ConstraintBuilder& builder) {
  const Schedule& schedule = subject.schedule;
  for (const Loop& loop : schedule.loops()) {
    if (!tiles_may_not_divide(schedule, loop)) continue;
    const LoopLength& length = loop.length;
    std::vector<std::int64_t> divisors;
    const std::int64_t most = std::min(length.fixed, max_iterations(schedule, length.loops));
    for (std::int64_t tile = 1; tile <= most; ++tile)
      if (length.fixed % tile == 0) divisors.push_back(tile);
    const std::string& axis = schedule.op().axes[static_cast<std::size_t>(loop.axis)].name;
    builder.require_in(tile_product(schedule, length.loops, builder), std::move(divisors),
                       fmt::format("a tile divides the {} of {}", length.fixed, axis));
  }
}

// --- C2: fused loops ---

bool is_open_fusion(const Loop& loop) {
  return !loop.fuses.empty() && loop.length.kind == LoopLength::Kind::Product;
}

bool fuses_by_knobs(const RuleSubject& subject) {
  return std::ranges::any_of(subject.schedule.loops(), is_open_fusion);
}

void multiply_fused(const RuleSubject& subject, ConstraintBuilder& builder) {
  const std::vector<Loop>& loops = subject.schedule.loops();
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (is_open_fusion(loops[i])) builder.length_of(LoopId{static_cast<int>(i)});
}

// --- C3: candidates ---

/**
 * Returns true if a knob sets how many elements a copy moves at once, and an operation's operands allow only
 * some numbers.
 */
bool restricts_lanes(const RuleSubject& subject) {
  const std::optional<Tensorized>& tensorized = subject.schedule.tensorized();
  if (!tensorized || tensorized->intrinsic->load_lanes.empty()) return false;
  return std::ranges::any_of(subject.schedule.stages(), [&](const Stage& stage) {
    if (!stage.options.lanes_by) return false;
    const space::Knob& knob =
        subject.schedule.knobs()[static_cast<std::size_t>(stage.options.lanes_by->number)];
    for (std::uint32_t index = 0; index < knob.count(); ++index)
      if (std::ranges::find(tensorized->intrinsic->load_lanes, knob.element(index, 0)) ==
          tensorized->intrinsic->load_lanes.end())
        return true;
    return false;
  });
}

void choose_lanes(const RuleSubject& subject, ConstraintBuilder& builder) {
  const Intrinsic& intrinsic = *subject.schedule.tensorized()->intrinsic;
  for (const Stage& stage : subject.schedule.stages())
    if (stage.options.lanes_by)
      builder.require_in(builder.element_of(*stage.options.lanes_by), intrinsic.load_lanes,
                         fmt::format("elements that {} loads at once", intrinsic.name));
}

// --- C4 and C5: stages and their memory ---

/** The memory sizes of stages, by the loops that they are attached to. */
class StageMemory {
 public:
  StageMemory(const Schedule& schedule, ConstraintBuilder& builder, loop_nest::BufferScope scope)
      : schedule_(schedule), builder_(builder), scope_(scope) {
    // Schedule::check ensures that these stages are attached in orders that no knob permutes.
    for (const OrderItem& item : schedule.order()) {
      const std::vector<LoopId>& loops = item.choice ? item.alternatives.front() : item.loops;
      order_.insert(order_.end(), loops.begin(), loops.end());
    }
  }

  /**
   * Returns the bytes of the stages that are alive at the same time: all copies of inputs, and results in a
   * CPU's local memory.
   */
  space::VariableId bytes_of_all() {
    std::vector<space::VariableId> tensors;
    for (const Stage* stage : schedule_.stages(StageKind::CacheRead, scope_))
      tensors.push_back(bytes_of(*stage));
    if (scope_ == loop_nest::BufferScope::Local)
      for (const Stage* stage : schedule_.stages(StageKind::CacheWrite, scope_))
        tensors.push_back(bytes_of(*stage));
    return builder_.sum(fmt::format("{}_bytes", loop_nest::to_string(scope_)), tensors);
  }

  /** Returns the bytes of the tiles of the input and of the results between Winograd's transforms. */
  space::VariableId bytes_of_transformed() {
    const TileTransform& transform = *schedule_.tile_transform();
    std::vector<space::VariableId> stages;
    for (const StageKind kind : {StageKind::CacheRead, StageKind::CacheWrite}) {
      const Stage& stage = *schedule_.stages(kind, scope_).front();
      const auto place = std::ranges::find(order_, stage.at.loops.front());
      std::vector<space::VariableId> factors{builder_.length_of(transform.positions)};
      for (auto loop = place + 1; loop != order_.end(); ++loop) {
        const bool reduction =
            schedule_.op().axes[static_cast<std::size_t>(schedule_.loop(*loop).axis)].reduction;
        const bool held = kind == StageKind::CacheWrite ? !reduction : moves_through(schedule_, 0, *loop);
        if (held && schedule_.loop(*loop).part_of != transform.positions)
          factors.push_back(builder_.length_of(*loop));
      }
      const task::TensorAccess& tensor =
          tensor_access(schedule_.op(), static_cast<std::size_t>(stage.tensor));
      factors.push_back(builder_.constant(kernelscape::task::bytes_of(tensor.type)));
      stages.push_back(builder_.product(fmt::format("transformed_{}_bytes", tensor.tensor), factors));
    }
    return builder_.sum("transformed_bytes", stages);
  }

  /** Returns the bytes of a stage; selected by its attach point if a knob chooses it (C4). */
  space::VariableId bytes_of(const Stage& stage) {
    const std::string name =
        fmt::format("{}_{}", loop_nest::to_string(scope_),
                    tensor_access(schedule_.op(), static_cast<std::size_t>(stage.tensor)).tensor);
    if (!stage.at.knob) return bytes_at(stage, stage.at.loops.front(), name);
    if (stage.options.index == CopyIndex::Loops)
      return builder_.select(name + "_bytes", *stage.at.knob, nested_bytes(stage, name));
    std::vector<space::VariableId> places;
    for (const LoopId at : stage.at.loops)
      places.push_back(
          bytes_at(stage, at, at == nowhere ? name : fmt::format("{}_in_{}", name, schedule_.loop(at).name)));
    return builder_.select(name + "_bytes", *stage.at.knob, std::move(places));
  }

 private:
  space::VariableId bytes_at(const Stage& stage, LoopId at, const std::string& name) {
    if (at == nowhere) return builder_.constant(0);
    const task::TensorAccess& tensor = tensor_access(schedule_.op(), static_cast<std::size_t>(stage.tensor));
    std::vector<space::VariableId> factors =
        stage.options.index == CopyIndex::Loops ? lengths_inside(stage, at) : box_inside(stage, at, name);
    factors.push_back(builder_.constant(kernelscape::task::bytes_of(tensor.type) * stage.options.copies));
    return builder_.product(name + "_bytes", factors);
  }

  /**
   * Returns the bytes at each position of a stage that is numbered by loops. Each product extends that of the
   * next position inside of it, since a solver propagates short products faster.
   */
  std::vector<space::VariableId> nested_bytes(const Stage& stage, const std::string& name) {
    const task::TensorAccess& tensor = tensor_access(schedule_.op(), static_cast<std::size_t>(stage.tensor));
    const std::int64_t element = kernelscape::task::bytes_of(tensor.type) * stage.options.copies;
    std::vector<space::VariableId> places(stage.at.loops.size());
    std::vector<space::VariableId> held{builder_.constant(element)};  // lengths of the position inside
    space::VariableId bytes = held.front();
    for (std::size_t place = places.size(); place-- > 0;) {
      const LoopId at = stage.at.loops[place];
      if (at == nowhere) {
        places[place] = builder_.constant(0);
        continue;
      }
      std::vector<space::VariableId> all = lengths_inside(stage, at);
      all.push_back(builder_.constant(element));
      std::vector<space::VariableId> factors = all;
      if (factors.size() >= held.size() && std::equal(held.rbegin(), held.rend(), factors.rbegin())) {
        factors.resize(factors.size() - held.size());
        factors.push_back(bytes);
      }
      bytes = builder_.product(fmt::format("{}_in_{}_bytes", name, schedule_.loop(at).name), factors);
      held = std::move(all);
      places[place] = bytes;
    }
    return places;
  }

  std::vector<space::VariableId> box_inside(const Stage& stage, LoopId at, const std::string& name) {
    const task::TensorAccess& tensor = tensor_access(schedule_.op(), static_cast<std::size_t>(stage.tensor));
    std::vector<space::VariableId> factors;
    for (std::size_t dimension = 0; dimension < tensor.indices.size(); ++dimension)
      factors.push_back(extent_of(tensor.indices[dimension], at, fmt::format("{}_{}", name, dimension)));
    if (stage.options.row_padding) {
      space::VariableId& row = factors[static_cast<std::size_t>(schedule_.innermost_dimension(stage.tensor))];
      row = builder_.sum(name + "_row", {row, builder_.element_of(*stage.options.row_padding)});
    }
    return factors;
  }

  std::vector<space::VariableId> lengths_inside(const Stage& stage, LoopId at) {
    const auto place = std::ranges::find(order_, at);
    std::vector<space::VariableId> lengths;
    for (auto loop = order_.begin(); loop != order_.end(); ++loop)
      if (held(*loop, loop > place) &&
          moves_through(schedule_, static_cast<std::size_t>(stage.tensor), *loop))
        lengths.push_back(builder_.length_of(*loop));
    return lengths;
  }

  /**
   * Returns the number of elements that a tile accesses along one dimension: 1 + the sum over its axes of
   * coefficient * (length - 1).
   */
  space::VariableId extent_of(const task::AccessIndex& index, LoopId at, const std::string& name) {
    std::vector<space::VariableId> terms;
    std::int64_t constant = 1;
    for (std::size_t axis = 0; axis < index.coefficients.size(); ++axis) {
      const std::int64_t coefficient = index.coefficients[axis];
      if (coefficient == 0) continue;
      std::vector<space::VariableId> factors = tile_of(static_cast<int>(axis), at);
      if (factors.empty()) continue;  // a single element adds nothing
      constant -= coefficient;
      if (coefficient != 1) factors.push_back(builder_.constant(coefficient));
      terms.push_back(builder_.product(fmt::format("{}_{}", name, schedule_.op().axes[axis].name), factors));
    }
    if (constant != 0 || terms.empty()) terms.push_back(builder_.constant(constant));
    return builder_.sum(name, terms);
  }

  /** Returns the lengths of an axis's loops whose elements are held by a stage attached to `at`. */
  std::vector<space::VariableId> tile_of(int axis, LoopId at) {
    const auto place = std::ranges::find(order_, at);
    std::vector<space::VariableId> lengths;
    for (auto loop = order_.begin(); loop != order_.end(); ++loop)
      if (schedule_.loop(*loop).axis == axis && held(*loop, loop > place))
        lengths.push_back(builder_.length_of(*loop));
    return lengths;
  }

  bool held(LoopId loop, bool inside) const {
    switch (place_of(schedule_.loop(loop).binding)) {
      case LoopPlace::Block:
      case LoopPlace::Dealt:
        return false;
      case LoopPlace::Thread:
      case LoopPlace::VirtualThread:
        return scope_ == loop_nest::BufferScope::Shared || inside;
      case LoopPlace::Serial:
        break;
    }
    return inside;
  }

  const Schedule& schedule_;
  ConstraintBuilder& builder_;
  loop_nest::BufferScope scope_;
  std::vector<LoopId> order_;
};

bool shares_memory(const RuleSubject& subject) {
  return on_gpu(subject) &&
         !subject.schedule.stages(StageKind::CacheRead, loop_nest::BufferScope::Shared).empty();
}

void limit_shared(const RuleSubject& subject, ConstraintBuilder& builder) {
  StageMemory memory(subject.schedule, builder, loop_nest::BufferScope::Shared);
  builder.require_at_most(memory.bytes_of_all(), subject.target.shared_bytes, "shared memory of a block");
  for (const Stage* result : subject.schedule.stages(StageKind::CacheWrite, loop_nest::BufferScope::Shared))
    builder.require_at_most(memory.bytes_of(*result), subject.target.shared_bytes,
                            "shared memory of a block's result");
}

bool keeps_local_memory(const RuleSubject& subject) {
  constexpr auto scope = loop_nest::BufferScope::Local;
  return !subject.schedule.stages(StageKind::CacheRead, scope).empty() ||
         !subject.schedule.stages(StageKind::CacheWrite, scope).empty();
}

void limit_local(const RuleSubject& subject, ConstraintBuilder& builder) {
  StageMemory memory(subject.schedule, builder, loop_nest::BufferScope::Local);
  if (subject.schedule.tile_transform())
    return builder.require_at_most(memory.bytes_of_transformed(), max_transformed_bytes,
                                   "local memory of a thread's transformed tiles");
  builder.require_at_most(memory.bytes_of_all(), max_local_bytes, "local memory of a thread");
}

// --- C6: the machine ---

bool is_launched(const RuleSubject& subject) { return on_gpu(subject); }

void limit_threads(const RuleSubject& subject, ConstraintBuilder& builder) {
  struct Dimension {
    Binding binding;
    const char* name;
    std::int64_t limit;
  };
  const TargetDescription& target = subject.target;
  const Dimension dimensions[] = {{Binding::ThreadX, "threads_x", target.block_x},
                                  {Binding::ThreadY, "threads_y", target.block_y},
                                  {Binding::ThreadZ, "threads_z", target.block_z}};
  const std::optional<Tensorized>& tensorized = subject.schedule.tensorized();
  std::vector<space::VariableId> all;
  for (const Dimension& dimension : dimensions) {
    std::vector<space::VariableId> lengths;
    if (dimension.binding == Binding::ThreadX && tensorized && tensorized->intrinsic->threads > 1)
      lengths.push_back(builder.constant(tensorized->intrinsic->threads));
    for (const LoopId loop : loops_bound_to(subject.schedule, dimension.binding))
      lengths.push_back(builder.length_of(loop));
    if (lengths.empty()) continue;
    all.insert(all.end(), lengths.begin(), lengths.end());
    builder.require_at_most(builder.product(dimension.name, lengths), dimension.limit,
                            fmt::format("threads of a block along {}", dimension.name[8]));
  }
  if (!all.empty())
    builder.require_at_most(builder.product("threads", all), target.threads_per_block, "threads per block");
}

/** Limits the blocks along a dimension of the launch if a task can exceed the limit. */
void limit_blocks_along(const Schedule& schedule, Binding binding, char name, std::int64_t limit,
                        ConstraintBuilder& builder) {
  const std::vector<LoopId> loops = loops_bound_to(schedule, binding);
  if (limit == 0 || max_iterations(schedule, loops) <= limit) return;
  const std::string reason = fmt::format("blocks of a launch along {}", name);
  std::vector<space::VariableId> lengths;
  std::vector<space::VariableId> tiles;  // a larger product of tiles means fewer blocks
  std::int64_t undivided = 1;
  for (const LoopId loop : loops) {
    const LoopLength& length = schedule.loop(loop).length;
    if (length.kind == LoopLength::Kind::Quotient) {
      undivided *= length.fixed;
      tiles.push_back(tile_product(schedule, length.loops, builder));
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
  if (!lengths.empty()) throw std::logic_error("one dimension of a launch cannot mix kinds of tiles");
  const std::int64_t min_tile = (undivided + limit - 1) / limit;
  builder.require_not_more(builder.constant(min_tile),
                           builder.product(fmt::format("tile_of_blocks_{}", name), tiles), reason);
}

void limit_blocks(const RuleSubject& subject, ConstraintBuilder& builder) {
  limit_blocks_along(subject.schedule, Binding::BlockX, 'x', subject.target.grid_x, builder);
  limit_blocks_along(subject.schedule, Binding::BlockY, 'y', subject.target.grid_y, builder);
  limit_blocks_along(subject.schedule, Binding::BlockZ, 'z', subject.target.grid_z, builder);
}

}  // namespace

std::span<const ConstraintRule> constraint_rules() {
  static constexpr std::array<ConstraintRule, 7> rules{{
      {"C1 AddLoopSplit", "a loop that knobs tile freely is divided by its tile", has_uneven_tiles,
       divide_tiles},
      {"C2 AddLoopFuse", "the length of a fused loop is the product of its parts' lengths", fuses_by_knobs,
       multiply_fused},
      {"C3 AddCandidates",
       "operands of an operation of the machine can only be loaded by certain numbers of elements",
       restricts_lanes, choose_lanes},
      {"C6 AddDLASpecific: threads",
       "a block has a maximum number of threads, in total and along each dimension", is_launched,
       limit_threads},
      {"C6 AddDLASpecific: blocks", "a launch has a maximum number of blocks along each dimension",
       is_launched, limit_blocks},
      {"C4 AddStageFuse, C5 AddMemLimit: shared memory",
       "the copies that a block shares fit into its shared memory together, wherever they are made, and so "
       "does a result that takes their place",
       shares_memory, limit_shared},
      {"C4 AddStageFuse, C5 AddMemLimit: local memory",
       "a CPU thread's copies and results fit into its stack and caches", keeps_local_memory, limit_local},
  }};
  return rules;
}

space::ConstraintSystem derive_limits(const Schedule& schedule, const TargetDescription& target) {
  ConstraintBuilder builder(schedule);
  for (const ProductBound& limit : schedule.product_limits()) builder.require(limit);
  const RuleSubject subject{schedule, target};
  for (const ConstraintRule& rule : constraint_rules())
    if (rule.applies(subject)) rule.add(subject, builder);
  return std::move(builder).take();
}

}  // namespace kernelscape::schedule
