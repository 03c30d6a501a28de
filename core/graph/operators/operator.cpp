#include "core/graph/operators/operator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/visible_text.h"

namespace kernelscape::graph {

namespace {

// 8 GiB of doubles: a tensor of a model that this program tunes has fewer elements.
constexpr std::int64_t max_elements = std::int64_t{1} << 30;

}  // namespace

std::unexpected<Error> Call::refuse(std::string_view why) const {
  return fail(ErrorCode::InvalidArgument, fmt::format("node {} ({}): {}", base::quoted_line(node_.name),
                                                      base::one_line(node_.operation), why));
}

Status check_size(const Call& call, const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return call.refuse(fmt::format("its result would have the shape {}", shape_text(shape)));
    // Extents beside one of 0 are those of loops, too.
    const std::int64_t factor = std::max<std::int64_t>(extent, 1);
    if (count > max_elements / factor)
      return call.refuse(fmt::format("its result of shape {} is too large", shape_text(shape)));
    count *= factor;
  }
  return {};
}

Result<Tensor> new_tensor(const Call& call, ElementType type, const Shape& shape, double element) {
  TRY(check_size(call, shape));
  return Tensor{type, shape, std::vector<double>(static_cast<std::size_t>(element_count(shape)), element)};
}

std::string shape_text(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

}  // namespace kernelscape::graph
