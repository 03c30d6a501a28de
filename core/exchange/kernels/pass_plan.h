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

namespace kernelscape::exchange {

/** The calls of a network's kernels. */
struct KernelOrder {
  /** Calls by the kernels' positions in the library; operands are indices of calls in this list. */
  std::vector<task::LayerCall> calls;
  bool known = true;  ///< false: the calls are in the order of the list, and the sources of operands are
                      ///< unknown
  std::vector<std::string> left_out = {};         ///< layers without a kernel and therefore without calls
  std::vector<task::OtherOperators> others = {};  ///< operators of the network beside its layers
};

/** A conversion within a pass; offsets into the arena, in floats. */
struct PassConversion {
  std::size_t conversion = 0;  ///< index in PassPlan::conversions
  std::int64_t from = 0;
  std::int64_t to = 0;
};

/** One call of a pass. */
struct PassCall {
  std::size_t kernel = 0;
  std::vector<PassConversion> before = {};
  std::array<bool, 2> constant = {};              ///< the operand is weights, which are packed before the
                                                  ///< pass
  std::array<std::int64_t, 2> operands = {0, 0};  ///< offsets into the arena, in floats; unused for weights
  std::int64_t output = 0;
};

/** All calls of a network in their order, on one arena. */
struct PassPlan {
  std::vector<LayoutConversion> conversions;  ///< distinct conversions
  std::vector<PassCall> calls;
  std::vector<PassConversion> after;  ///< conversions of the network's results to plain layouts
  std::int64_t arena_floats = 0;

  /** Returns the number of conversions in a pass. */
  std::size_t conversion_count() const;
};

/** Maximum number of calls of a network for which a pass is generated. */
constexpr std::size_t max_pass_calls = 10'000;

/**
 * Plans a pass. If consecutive layers have different layouts, a tensor is converted by these rules:
 *
 * - an operand is read in its kernel's layout. A result in another layout is converted once for all readers
 *   with the same layout, in the shape in which the first of them reads it (a network may pool or add in
 *   between; these other operators accept any layout);
 * - if the number of dimensions changes in between, the tensor is converted to plain and from plain;
 * - the network's inputs and results are plain; weights are packed before the pass and are not counted.
 *
 * An operand that is a result, unchanged or converted, is read from its place; the result of another operator
 * has a separate place with undefined content. Places are reused when no later call reads them.
 */
PassPlan plan_pass(std::span<const ExportedKernel> kernels, const KernelOrder& order);

/** Plans a pass from the layouts of the kernels: two inputs and the output of each. */
PassPlan plan_pass(std::span<const std::array<loop_nest::Layout, 3>> layouts, const KernelOrder& order);

/**
 * Returns the order of the calls of a network, of whose layers some may have no kernel. @param kernels for
 * each layer of the network, the position of its kernel, or a value that means none
 */
KernelOrder kernel_order(std::span<const task::LayerCall> calls, std::span<const std::int64_t> multiplicities,
                         std::span<const std::optional<std::size_t>> kernels);

}  // namespace kernelscape::exchange
