#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/exchange/kernels/exported_kernel.h"
#include "core/exchange/kernels/layout_conversion.h"
#include "core/task/catalogue.h"

namespace kernelscape {

/** What of a network its kernels are called for. */
struct KernelOrder {
  /** By the kernels' places in the library; operands name calls of this list. */
  std::vector<LayerCall> calls;
  bool known = true;  ///< false: the order of the list, and where operands come from is not known
  std::vector<std::string> left_out = {};   ///< layers without a kernel, which no call is of
  std::vector<OtherOperators> others = {};  ///< that the network computes beside its layers
};

/** A conversion within a pass; offsets into the arena, in floats. */
struct PassConversion {
  std::size_t conversion = 0;  ///< of PassPlan::conversions
  std::int64_t from = 0;
  std::int64_t to = 0;
};

/** One call of a pass. */
struct PassCall {
  std::size_t kernel = 0;
  std::vector<PassConversion> before = {};
  std::array<bool, 2> constant = {};              ///< the operand is weights, packed before
  std::array<std::int64_t, 2> operands = {0, 0};  ///< offsets into the arena, in floats; of weights: none
  std::int64_t output = 0;
};

/** All calls of a network in their order, on one arena. */
struct PassPlan {
  std::vector<LayoutConversion> conversions;  ///< distinct ones
  std::vector<PassCall> calls;
  std::vector<PassConversion> after;  ///< of the network's results, to plain
  std::int64_t arena_floats = 0;

  /** How many conversions one pass does. */
  std::size_t conversion_count() const;
};

/** More than this in a network, and no pass is made of it. */
constexpr std::size_t most_pass_calls = 10'000;

/**
 * Plans a pass. Where layers follow each other in different layouts, a tensor is converted, by one rule:
 *
 * - an operand is read in its kernel's layout. A result that reaches it in another layout, packed in the same
 *   way, is converted once for all readers in the same layout, in the shape in which the first of them reads
 * it (a network may pool or add in between; these other operators take any layout);
 * - where the number of dimensions changes in between, it is converted to plain and from plain;
 * - the network's inputs come plain, its results leave plain; weights are packed before and count nowhere.
 *
 * An operand that is a result as it was written, or converted, is read from there; what another operator
 * would have computed has a place of its own, whatever stands there. Places are reused once nobody reads
 * them.
 */
PassPlan plan_pass(std::span<const ExportedKernel> kernels, const KernelOrder& order);

/** The same of kernels' layouts alone: two inputs and the output of each. */
PassPlan plan_pass(std::span<const std::array<Layout, 3>> layouts, const KernelOrder& order);

/**
 * The order of a network whose layers have kernels, or don't.
 * @param kernels of each layer of the network its kernel's place, or none
 */
KernelOrder kernel_order(std::span<const LayerCall> calls, std::span<const std::int64_t> multiplicities,
                         std::span<const std::optional<std::size_t>> kernels);

}  // namespace kernelscape
