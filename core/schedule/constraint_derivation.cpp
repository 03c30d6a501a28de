#include "core/schedule/constraint_derivation.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

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

  VariableId bytes() {
    std::vector<VariableId> tensors;
    for (const SharedCopy& copy : schedule_.shared_copies()) tensors.push_back(bytes_of(copy));
    return builder_.sum("shared_bytes", tensors);
  }

 private:
  VariableId bytes_of(const SharedCopy& copy) {
    const TensorAccess& tensor = schedule_.op().inputs[static_cast<std::size_t>(copy.input)];
    const std::string name = fmt::format("shared_{}", tensor.tensor);
    std::vector<VariableId> factors;
    for (std::size_t dimension = 0; dimension < tensor.indices.size(); ++dimension)
      factors.push_back(extent_of(tensor.indices[dimension], copy.at, fmt::format("{}_{}", name, dimension)));
    factors.push_back(builder_.constant(bytes_of_type(tensor.type) * copy.copies));
    return builder_.product(name + "_bytes", factors);
  }

  static std::int64_t bytes_of_type(ScalarType type) { return kernelscape::bytes_of(type); }

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

}  // namespace

VariableId ConstraintBuilder::constant(std::int64_t value) {
  const auto [place, added] = constants_.try_emplace(value, 0);
  if (added) place->second = system_.add_constant(fmt::format("{}", value), value);
  return place->second;
}

VariableId ConstraintBuilder::length_of(LoopId loop) {
  const LoopLength& length = schedule_.loop(loop).length;
  if (length.kind == LoopLength::Kind::Fixed) return constant(length.fixed);
  if (length.kind == LoopLength::Kind::CeilQuotient)
    throw std::logic_error("constraints speak of tiles, not of how many there are");
  const auto [place, added] = lengths_.try_emplace(loop.number, 0);
  if (added) {
    const Knob& knob = schedule_.knobs()[static_cast<std::size_t>(length.knob.number)];
    const std::string name =
        knob.element_count() > 1 ? fmt::format("{}.{}", knob.name(), length.position) : knob.name();
    place->second =
        system_.add_element(name, static_cast<std::uint32_t>(length.knob.number), length.position);
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

ConstraintSystem derive_limits(const Schedule& schedule, const TargetDescription& target) {
  ConstraintBuilder builder(schedule);
  for (const ProductBound& limit : schedule.product_limits()) builder.require(limit);
  if (target.kind == TargetKind::Cpu) return std::move(builder).take();
  limit_threads(schedule, target, builder);
  if (!schedule.shared_copies().empty())
    builder.require_at_most(SharedMemory(schedule, builder).bytes(), target.shared_bytes,
                            "shared memory of a block");
  return std::move(builder).take();
}

}  // namespace kernelscape
