#include "core/exchange/kernels/pass_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace kernelscape::exchange {
namespace {

constexpr std::int64_t floats_per_line = 16;  // of a cache line: every tensor begins at a line
constexpr std::size_t network_input = static_cast<std::size_t>(-1);

/** A tensor's place in the arena, and the range of calls during which it is needed. */
struct ArenaTensor {
  std::int64_t floats = 0;
  std::size_t first = 0;
  std::size_t last = 0;
  std::int64_t offset = 0;
};

/** Identifies the form in which a reader needs a result: a layout, independent of its name. */
using LayoutKey = std::vector<std::int64_t>;

LayoutKey key_of(const loop_nest::Layout& layout) {
  LayoutKey key = layout.shape;
  for (const loop_nest::LayoutDimension& dimension : layout.dimensions)
    if (dimension.extent > 1) key.insert(key.end(), {dimension.source, dimension.divisor, dimension.extent});
  return key;
}

/** Places tensors, the largest first, each at the lowest offset that is free while the tensor is needed. */
std::int64_t place_tensors(std::vector<ArenaTensor>& tensors) {
  std::vector<ArenaTensor*> order;
  for (ArenaTensor& tensor : tensors) order.push_back(&tensor);
  std::ranges::stable_sort(order, std::greater(), &ArenaTensor::floats);
  std::vector<const ArenaTensor*> placed;  // by offset
  std::int64_t end = 0;
  for (ArenaTensor* tensor : order) {
    std::int64_t offset = 0;
    for (const ArenaTensor* other : placed) {
      const bool together = other->first <= tensor->last && tensor->first <= other->last;
      if (!together) continue;
      if (offset + tensor->floats <= other->offset) break;
      offset = std::max(offset, other->offset + other->floats);
    }
    tensor->offset = offset;
    placed.insert(std::ranges::upper_bound(placed, offset, {}, &ArenaTensor::offset), tensor);
    end = std::max(end, offset + tensor->floats);
  }
  return end;
}

class PassPlanner {
 public:
  PassPlanner(std::span<const std::array<loop_nest::Layout, 3>> layouts, const KernelOrder& order)
      : layouts_(layouts), order_(order) {}

  PassPlan run() {
    std::set<std::size_t> read;
    for (step_ = 0; step_ < order_.calls.size(); ++step_) {
      add_call(order_.calls[step_]);
      for (const task::CallOperand& operand : order_.calls[step_].operands)
        read.insert(operand.calls.begin(), operand.calls.end());
    }
    for (std::size_t call = 0; order_.known && call < order_.calls.size(); ++call)
      if (!read.contains(call)) leave_plain(call);
    plan_.arena_floats = place_tensors(tensors_);
    settle_offsets();
    return std::move(plan_);
  }

 private:
  std::size_t new_tensor(const loop_nest::Layout& layout) {
    const std::int64_t lines = (layout.physical_count() + floats_per_line - 1) / floats_per_line;
    tensors_.push_back({lines * floats_per_line, step_, step_});
    return tensors_.size() - 1;
  }

  std::size_t use(std::size_t tensor) {
    tensors_[tensor].last = std::max(tensors_[tensor].last, step_);
    return tensor;
  }

  const loop_nest::Layout& output_of(std::size_t call) const { return layouts_[order_.calls[call].layer][2]; }

  void add_call(const task::LayerCall& call) {
    PassCall& planned = plan_.calls.emplace_back();
    planned.kernel = call.layer;
    for (std::size_t i = 0; i < 2; ++i) {
      planned.constant[i] = call.operands[i].constant;
      if (planned.constant[i]) continue;
      operands_[{step_, i}] = operand(call.operands[i], layouts_[call.layer][i], planned.before);
    }
    outputs_.push_back(new_tensor(layouts_[call.layer][2]));
  }

  /** Returns the tensor from which an operand is read. */
  std::size_t operand(const task::CallOperand& operand, const loop_nest::Layout& wanted,
                      std::vector<PassConversion>& before) {
    if (!order_.known) return new_tensor(wanted);
    if (operand.calls.empty()) return from_input(wanted, before);
    if (operand.calls.size() == 1 && output_of(operand.calls.front()).shape == wanted.shape)
      return from_result(operand.calls.front(), wanted, before);
    const std::size_t own = new_tensor(wanted);
    std::set<LayoutKey> done;
    for (const std::size_t call : operand.calls) convert_for_others(call, wanted, own, done, before);
    return own;
  }

  std::size_t from_input(const loop_nest::Layout& wanted, std::vector<PassConversion>& before) {
    const auto known = converted_.find({network_input, key_of(wanted)});
    if (known != converted_.end()) return use(known->second);
    const std::size_t own = new_tensor(wanted);
    if (!is_plain(wanted)) {
      const loop_nest::Layout plain = loop_nest::row_major("plain", wanted.shape);
      before.push_back({conversion(plain, wanted), place(new_tensor(plain)), place(own)});
    }
    converted_[{network_input, key_of(wanted)}] = own;
    return own;
  }

  /** Returns the tensor of a result that is read directly. */
  std::size_t from_result(std::size_t call, const loop_nest::Layout& wanted,
                          std::vector<PassConversion>& before) {
    const std::size_t result = outputs_[call];
    if (lie_alike(output_of(call), wanted)) return use(result);
    const auto known = converted_.find({call, key_of(wanted)});
    if (known != converted_.end()) return use(known->second);
    const std::size_t own = new_tensor(wanted);
    before.push_back({conversion(output_of(call), wanted), place(use(result)), place(own)});
    converted_[{call, key_of(wanted)}] = own;
    return own;
  }

  /**
   * Converts a result that another operator turns into the operand: the input of that operator is converted
   * as often as needed.
   */
  void convert_for_others(std::size_t call, const loop_nest::Layout& wanted, std::size_t own,
                          std::set<LayoutKey>& done, std::vector<PassConversion>& before) {
    const loop_nest::Layout& given = output_of(call);
    const std::optional<loop_nest::Layout> carried = carried_to(given, wanted.shape);
    if (carried && lie_alike(*carried, wanted)) return;
    const bool first = converted_.emplace(std::pair(call, key_of(wanted)), own).second;
    if (!carried) {
      leave_plain_before(call, before);
      if (!first || is_plain(wanted) || !done.insert(key_of(wanted)).second) return;
      const loop_nest::Layout plain = loop_nest::row_major("plain", wanted.shape);
      before.push_back({conversion(plain, wanted), place(new_tensor(plain)), place(own)});
      return;
    }
    // Results with the same layout are already one tensor.
    if (!first || !done.insert(key_of(*carried)).second) return;
    before.push_back({conversion(*carried, wanted), place(new_tensor(*carried)), place(own)});
  }

  void leave_plain_before(std::size_t call, std::vector<PassConversion>& before) {
    const loop_nest::Layout& given = output_of(call);
    const loop_nest::Layout plain = loop_nest::row_major("plain", given.shape);
    if (is_plain(given) || converted_.contains({call, key_of(plain)})) return;
    const std::size_t own = new_tensor(plain);
    converted_[{call, key_of(plain)}] = own;
    before.push_back({conversion(given, plain), place(use(outputs_[call])), place(own)});
  }

  void leave_plain(std::size_t call) { leave_plain_before(call, plan_.after); }

  std::size_t conversion(const loop_nest::Layout& from, const loop_nest::Layout& to) {
    const auto [found, added] =
        numbers_.emplace(std::pair(key_of(from), key_of(to)), plan_.conversions.size());
    if (added) plan_.conversions.push_back({from, to});
    return found->second;
  }

  /** Returns a tensor's number, which is used until places are known. */
  static std::int64_t place(std::size_t tensor) { return static_cast<std::int64_t>(tensor); }

  void settle_offsets() {
    const auto settle = [&](std::vector<PassConversion>& conversions) {
      for (PassConversion& one : conversions) {
        one.from = tensors_[static_cast<std::size_t>(one.from)].offset;
        one.to = tensors_[static_cast<std::size_t>(one.to)].offset;
      }
    };
    for (std::size_t call = 0; call < plan_.calls.size(); ++call) {
      PassCall& planned = plan_.calls[call];
      settle(planned.before);
      for (std::size_t i = 0; i < 2; ++i)
        if (!planned.constant[i]) planned.operands[i] = tensors_[operands_.at({call, i})].offset;
      planned.output = tensors_[outputs_[call]].offset;
    }
    settle(plan_.after);
  }

  std::span<const std::array<loop_nest::Layout, 3>> layouts_;
  const KernelOrder& order_;
  std::size_t step_ = 0;  ///< the call that is planned; after the last call: the end
  std::vector<ArenaTensor> tensors_;
  std::vector<std::size_t> outputs_;  ///< by call: its output tensor
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> operands_;
  std::map<std::pair<std::size_t, LayoutKey>, std::size_t> converted_;  ///< by call and layout: the converted
                                                                        ///< tensor
  std::map<std::pair<LayoutKey, LayoutKey>, std::size_t> numbers_;
  PassPlan plan_;
};

}  // namespace

std::size_t PassPlan::conversion_count() const {
  std::size_t count = after.size();
  for (const PassCall& call : calls) count += call.before.size();
  return count;
}

PassPlan plan_pass(std::span<const std::array<loop_nest::Layout, 3>> layouts, const KernelOrder& order) {
  return PassPlanner(layouts, order).run();
}

PassPlan plan_pass(std::span<const ExportedKernel> kernels, const KernelOrder& order) {
  std::vector<std::array<loop_nest::Layout, 3>> layouts;
  for (const ExportedKernel& kernel : kernels) {
    const std::vector<codegen::KernelArgument>& arguments = kernel.source.arguments;
    layouts.push_back({arguments[0].layout, arguments[1].layout, arguments[2].layout});
  }
  return plan_pass(layouts, order);
}

KernelOrder kernel_order(std::span<const task::LayerCall> calls, std::span<const std::int64_t> multiplicities,
                         std::span<const std::optional<std::size_t>> kernels) {
  KernelOrder order;
  order.known = !calls.empty();
  if (!order.known) {
    // Weights are assumed to be the second operand.
    for (std::size_t layer = 0; layer < kernels.size(); ++layer)
      for (std::int64_t i = 0; kernels[layer] && i < multiplicities[layer]; ++i)
        order.calls.push_back({*kernels[layer], {task::CallOperand{}, task::CallOperand{.constant = true}}});
    return order;
  }
  std::vector<std::optional<std::size_t>> places(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::optional<std::size_t> kernel = kernels[calls[i].layer];
    if (!kernel) continue;
    task::LayerCall call{*kernel, calls[i].operands};
    for (task::CallOperand& operand : call.operands) {
      std::vector<std::size_t> sources;
      for (const std::size_t source : operand.calls)
        if (places[source]) sources.push_back(*places[source]);
      operand.calls = std::move(sources);
    }
    places[i] = order.calls.size();
    order.calls.push_back(std::move(call));
  }
  return order;
}

}  // namespace kernelscape::exchange
