#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/loop_nest/loop_nest.h"

namespace kernelscape::testing {

/** A fully associative cache that evicts the least recently used line, allocates on writes and writes back.
 */
class LruCache {
 public:
  LruCache(std::int64_t bytes, std::int64_t line_bytes)
      : lines_(static_cast<std::size_t>(bytes / line_bytes)), line_bytes_(line_bytes) {}

  void access(std::int64_t address, bool write) {
    const std::int64_t line = address / line_bytes_;
    if (const auto found = places_.find(line); found != places_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      order_.front().dirty |= write;
      return;
    }
    ++moved_;
    if (order_.size() == lines_) {
      moved_ += order_.back().dirty ? 1 : 0;
      places_.erase(order_.back().number);
      order_.pop_back();
    }
    order_.push_front({line, write});
    places_[line] = order_.begin();
  }

  /** Bytes that came in and went out, what is still to be written back included. */
  double moved_bytes() const {
    const auto dirty = std::ranges::count_if(order_, [](const Line& line) { return line.dirty; });
    return static_cast<double>((moved_ + dirty) * line_bytes_);
  }

 private:
  struct Line {
    std::int64_t number;
    bool dirty;
  };
  std::size_t lines_;
  std::int64_t line_bytes_;
  std::int64_t moved_ = 0;
  std::list<Line> order_;
  std::unordered_map<std::int64_t, std::list<Line>::iterator> places_;
};

/** Walks through a CPU's nest, and tells each access of an argument or a local array by its address, buffers
 * far apart. */
class AccessWalk {
 public:
  using Visit = std::function<void(std::int64_t address, bool write)>;

  AccessWalk(const loop_nest::LoopNest& nest, Visit visit)
      : nest_(nest), visit_(std::move(visit)), values_(nest.variables.size(), 0) {}

  void run() { walk(nest_.body); }

 private:
  static constexpr std::int64_t bytes_between_buffers = std::int64_t{1} << 32;

  void walk(const loop_nest::StatementPtr& statement) {
    std::visit([&](const auto& node) { walk_node(node); }, statement->node);
  }
  void walk_node(const loop_nest::Loop& loop) {
    std::int64_t& value = values_[static_cast<std::size_t>(loop.variable)];
    for (value = loop.begin; value < loop.end; ++value) walk(loop.body);
  }
  void walk_node(const loop_nest::Let& let) {
    values_[static_cast<std::size_t>(let.variable)] = let.value.evaluate(values_);
    walk(let.body);
  }
  void walk_node(const loop_nest::Guard& guard) { walk(guard.body); }
  void walk_node(const loop_nest::Sequence& sequence) {
    for (const loop_nest::StatementPtr& part : sequence.statements) walk(part);
  }
  void walk_node(const loop_nest::Allocate& allocate) { walk(allocate.body); }
  void walk_node(const loop_nest::Barrier&) {}
  void walk_node(const loop_nest::FragmentOperation&) {}
  void walk_node(const loop_nest::Compute& compute) {
    for (std::int64_t lane = 0; lane < compute.lanes; ++lane) {
      for (const loop_nest::BufferAccess& source : compute.sources)
        for (std::int64_t place = 0; place < compute.group; ++place) notify(source, lane, false, place);
      if (compute.operation == loop_nest::Operation::MultiplyAccumulate)
        notify(compute.destination, lane, false);
      notify(compute.destination, lane, true);
    }
  }
  void notify(const loop_nest::BufferAccess& access, std::int64_t lane, bool write,
              std::int64_t place_in_group = 0) {
    const loop_nest::BufferScope scope = nest_.buffers[static_cast<std::size_t>(access.buffer)].scope;
    if (scope != loop_nest::BufferScope::Global && scope != loop_nest::BufferScope::Local) return;
    const std::int64_t offset = access.offset.evaluate(values_) + lane * access.lane_stride + place_in_group;
    const std::string& type = nest_.buffers[static_cast<std::size_t>(access.buffer)].element_type;
    const std::int64_t element_bytes = type.ends_with("32") ? 4 : 1;
    visit_(access.buffer * bytes_between_buffers + offset * element_bytes, write);
  }

  const loop_nest::LoopNest& nest_;
  Visit visit_;
  std::vector<std::int64_t> values_;
};

/** Bytes through a cache when one thread runs the whole nest once. */
inline double simulated_bytes(const loop_nest::LoopNest& nest, std::int64_t cache_bytes,
                              std::int64_t line_bytes) {
  LruCache cache(cache_bytes, line_bytes);
  AccessWalk(nest, [&](std::int64_t address, bool write) { cache.access(address, write); }).run();
  return cache.moved_bytes();
}

}  // namespace kernelscape::testing
