#include "core/loop_nest/shared_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/loop_nest/rewrite.h"

namespace kernelscape::loop_nest {
namespace {

class Placement {
 public:
  explicit Placement(const LoopNest& nest) : nest_(nest) {
    result_.first_bytes.assign(nest.buffers.size(), 0);
    placed_.assign(nest.buffers.size(), false);
  }

  SharedMemory run() && {
    if (nest_.body) place(nest_.body, 0);
    result_.overlaid = result_.bytes < together_;
    return std::move(result_);
  }

 private:
  void place(const StatementPtr& statement, std::int64_t alive_bytes) {
    if (const auto* allocate = std::get_if<Allocate>(&statement->node)) {
      const auto number = static_cast<std::size_t>(allocate->buffer);
      const Buffer& buffer = nest_.buffers[number];
      if (buffer.scope == BufferScope::Shared) alive_bytes = place_buffer(number, alive_bytes);
    }
    rewrite_parts(statement, [&](const StatementPtr& part) {
      place(part, alive_bytes);
      return part;
    });
  }

  /**
   * Places a buffer after the bytes that are alive around it, and returns the bytes in use including the
   * buffer.
   */
  std::int64_t place_buffer(std::size_t number, std::int64_t alive_bytes) {
    const Buffer& buffer = nest_.buffers[number];
    const std::int64_t bytes = element_count(buffer) * element_bytes(buffer);
    if (!placed_[number]) together_ += bytes;
    placed_[number] = true;
    // Copies of one Allocate, which unrolling makes, share one place.
    std::int64_t& first = result_.first_bytes[number];
    first = std::max(first, alive_bytes);
    result_.bytes = std::max(result_.bytes, first + bytes);
    return first + bytes;
  }

  const LoopNest& nest_;
  SharedMemory result_;
  std::vector<bool> placed_;
  std::int64_t together_ = 0;  ///< bytes of all buffers without sharing
};

}  // namespace

std::int64_t element_count(const Buffer& buffer) {
  std::int64_t count = 1;
  for (const std::int64_t extent : buffer.extents) count *= extent;
  return count;
}

std::int64_t element_bytes(const Buffer& buffer) {
  if (buffer.element_type == "f32") return 4;
  if (buffer.element_type == "f16") return 2;
  throw std::logic_error(fmt::format("no GPU kernel computes with {}", buffer.element_type));
}

SharedMemory place_shared_buffers(const LoopNest& nest) { return Placement(nest).run(); }

}  // namespace kernelscape::loop_nest
