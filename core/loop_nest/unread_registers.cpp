#include <set>

#include "core/loop_nest/passes.h"
#include "core/loop_nest/rewrite.h"

namespace kernelscape::loop_nest {
namespace {

/**
 * Returns the elements of a tile that are read: first elements of vectors, whose lanes are never read
 * separately.
 */
std::set<std::int64_t> read_elements(const Allocate& allocate) {
  std::set<std::int64_t> result;
  for_each_compute(allocate.body, [&](const Compute& compute) {
    for (const BufferAccess& source : compute.sources)
      if (source.buffer == allocate.buffer) result.insert(source.offset.constant());
  });
  return result;
}

StatementPtr without_writes_of_unread(const StatementPtr& statement, int buffer,
                                      const std::set<std::int64_t>& read) {
  const auto* compute = std::get_if<Compute>(&statement->node);
  if (compute == nullptr)
    return rewrite_parts(
        statement, [&](const StatementPtr& part) { return without_writes_of_unread(part, buffer, read); });
  const BufferAccess& destination = compute->destination;
  return destination.buffer != buffer || read.contains(destination.offset.constant()) ? statement : nullptr;
}

StatementPtr drop(const StatementPtr& statement, const LoopNest& nest) {
  const auto* allocate = std::get_if<Allocate>(&statement->node);
  // The read elements of an array depend on loops and are not known here.
  if (allocate == nullptr ||
      nest.buffers[static_cast<std::size_t>(allocate->buffer)].scope != BufferScope::Registers)
    return rewrite_parts(statement, [&](const StatementPtr& part) { return drop(part, nest); });
  const std::set<std::int64_t> read = read_elements(*allocate);
  return rewrite_parts(statement, [&](const StatementPtr& body) {
    return without_writes_of_unread(body, allocate->buffer, read);
  });
}

}  // namespace

LoopNest drop_unread_registers(const LoopNest& nest) {
  LoopNest result = nest;
  if (nest.body) result.body = drop(nest.body, nest);
  return result;
}

}  // namespace kernelscape::loop_nest
