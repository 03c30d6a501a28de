#include <fmt/format.h>

#include <stdexcept>

#include "core/base/memory.h"
#include "core/base/random.h"
#include "core/task/reference.h"

namespace kernelscape::task {
namespace {

/** Returns the number of bits k such that the type represents the values i / 2^k - 1 exactly. */
int fraction_bits(ScalarType type) {
  switch (type) {
    case ScalarType::BF16:
      return 7;
    case ScalarType::F16:
      return 10;
    case ScalarType::F32:
      return 23;
    case ScalarType::F64:
      return 52;
    default:
      throw std::logic_error("an integer type has no fraction");
  }
}

/** The magnitude of 32-bit inputs: small, so that sums of many products do not overflow 32 bits. */
constexpr std::int64_t small_integers = 16;
constexpr double min_small_integer = -8;

/**
 * Draws one of the type's 256 values, starting at `least`; a quarter of all draws are the minimum or the
 * maximum. The sum of two neighbouring products of extremes exceeds 16 bits, and half of all values have the
 * bit in which signed and unsigned types differ: a kernel that saturates intermediate results or confuses the
 * types gives another sum.
 */
double draw_byte(base::Random& random, double least) {
  constexpr std::uint64_t values = 256;
  constexpr std::uint64_t one_in = 4;
  if (random.below(one_in) == 0) return least + (random.below(2) == 0 ? 0 : static_cast<double>(values - 1));
  return least + static_cast<double>(random.below(values));
}

double draw(base::Random& random, ScalarType type) {
  switch (type) {
    case ScalarType::U8:
      return draw_byte(random, 0);
    case ScalarType::I8:
      return draw_byte(random, -128);
    case ScalarType::I32:
      return min_small_integer + static_cast<double>(random.below(small_integers));
    default:
      break;
  }
  const int bits = fraction_bits(type);
  const auto numerator = static_cast<double>(random.bits() >> (63 - bits));
  return numerator / static_cast<double>(std::int64_t{1} << bits) - 1.0;
}

/** Returns the number of elements of all tensors that an operator reads. */
double read_elements(const TensorOperator& op) {
  double elements = 0;
  for (const TensorAccess& input : op.inputs) elements += static_cast<double>(input.element_count());
  for (const TensorAccess& operand : op.operands) elements += static_cast<double>(operand.element_count());
  return elements;
}

}  // namespace

ReferenceInputs make_reference_inputs(const TensorOperator& op, std::uint64_t seed) {
  ReferenceInputs inputs;
  std::vector<TensorAccess> accesses = op.inputs;
  accesses.insert(accesses.end(), op.operands.begin(), op.operands.end());
  for (const TensorAccess& access : accesses) {
    base::Random random = base::Random(seed).fork(access.tensor);
    std::vector<double>& tensor =
        inputs.tensors.emplace_back(static_cast<std::size_t>(access.element_count()));
    for (double& value : tensor) value = draw(random, access.type);
  }
  return inputs;
}

double reference_bytes(const TensorOperator& op) {
  // values, magnitudes and an output
  return (3 * static_cast<double>(op.output.element_count()) + read_elements(op)) * sizeof(double);
}

Status check_reference_memory(const TensorOperator& op) {
  constexpr double bytes_per_gibibyte = 1 << 30;
  const double needed = (static_cast<double>(op.output.element_count()) + read_elements(op)) * sizeof(double);
  const auto available = static_cast<double>(base::available_memory_bytes());
  if (needed <= available) return {};
  return fail(ErrorCode::Environment,
              fmt::format("there is not enough memory for the task's tensors: they need {:.1f} GiB in double "
                          "precision, {:.1f} GiB are available",
                          needed / bytes_per_gibibyte, available / bytes_per_gibibyte),
              "choose a smaller task, or free memory");
}

}  // namespace kernelscape::task
