#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <variant>
#include <vector>

#include "core/loop_nest/loop_nest.h"
#include "core/loop_nest/shared_memory.h"

namespace kernelscape::testing {

/**
 * Executes a GPU's loop nest block by block, all threads of a block in lockstep statement by statement, in
 * double precision, before or after any pass. What a kernel must never do is an exception: leave a buffer or
 * a variable's range, write an input, read what was never written, meet a barrier or a warp's operation with
 * some of the threads missing, touch an element of shared memory that another thread touches between the same
 * two barriers, one of them writing, or write an element of the output that another thread writes.
 */
class GpuInterpreter {
 public:
  static constexpr std::int64_t warp_threads = 32;

  /** @param arguments physical contents of the global buffers, in order */
  GpuInterpreter(const loop_nest::LoopNest& nest, std::vector<std::vector<double>> arguments)
      : nest_(nest), global_(std::move(arguments)), memory_(loop_nest::place_shared_buffers(nest)) {
    for (const loop_nest::LaunchIndex& index : nest.launch)
      counts_[static_cast<std::size_t>(index.dimension)] =
          nest.ranges.at(static_cast<std::size_t>(index.variable)).high + 1;
    threads_ = counts_[3] * counts_[4] * counts_[5];
    for (const std::vector<double>& buffer : global_) writers_.emplace_back(buffer.size(), nobody);
    tiles_.resize(nest.buffers.size());
  }

  void run() {
    for (std::int64_t z = 0; z < counts_[2]; ++z)
      for (std::int64_t y = 0; y < counts_[1]; ++y)
        for (std::int64_t x = 0; x < counts_[0]; ++x) run_block({x, y, z});
  }

  const std::vector<double>& buffer(std::size_t number) const { return global_[number]; }
  std::int64_t threads() const { return threads_; }

 private:
  static constexpr std::int64_t unbound = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t nobody = -1;
  static constexpr std::int64_t several = -2;

  /** An element of a shared, register or fragment buffer. */
  struct Cell {
    double value = 0;
    bool written = false;
  };
  /** Who touched a byte of shared memory since the last barrier: a thread, or a warp after all threads. */
  struct Touched {
    std::int64_t reader = nobody;
    std::int64_t writer = nobody;
  };
  /** A buffer that is alive: one copy for the block, one per thread or one per warp. */
  struct Tile {
    std::int64_t elements = 0;
    std::vector<Cell> cells;
  };

  [[noreturn]] static void reject(const std::string& reason) { throw std::runtime_error(reason); }

  void run_block(const std::array<std::int64_t, 3>& block) {
    ++block_;
    values_.assign(static_cast<std::size_t>(threads_),
                   std::vector<std::int64_t>(nest_.variables.size(), unbound));
    active_.assign(static_cast<std::size_t>(threads_), true);
    touched_.assign(static_cast<std::size_t>(memory_.bytes), {});
    for (std::int64_t thread = 0; thread < threads_; ++thread) {
      const std::array<std::int64_t, 6> indices{block[0],
                                                block[1],
                                                block[2],
                                                thread % counts_[3],
                                                thread / counts_[3] % counts_[4],
                                                thread / counts_[3] / counts_[4]};
      for (const loop_nest::LaunchIndex& index : nest_.launch)
        value(thread, index.variable) = indices[static_cast<std::size_t>(index.dimension)];
    }
    if (nest_.body) execute(nest_.body);
  }

  // --- variables and conditions of a thread ---

  std::int64_t& value(std::int64_t thread, int variable) {
    return values_[static_cast<std::size_t>(thread)].at(static_cast<std::size_t>(variable));
  }

  const std::string& name(int variable) const { return nest_.variables[static_cast<std::size_t>(variable)]; }

  std::int64_t evaluate(std::int64_t thread, const loop_nest::IndexExpression& expression) const {
    const std::vector<std::int64_t>& values = values_[static_cast<std::size_t>(thread)];
    for (const int variable : expression.variables())
      if (values.at(static_cast<std::size_t>(variable)) == unbound)
        reject(fmt::format("{} is used outside of its loop", name(variable)));
    return expression.evaluate(values);
  }

  void set(std::int64_t thread, int variable, std::int64_t to) {
    const loop_nest::Range range = nest_.ranges.at(static_cast<std::size_t>(variable));
    if (to < range.low || to > range.high)
      reject(fmt::format("{} = {} is outside of [{}, {}]", name(variable), to, range.low, range.high));
    value(thread, variable) = to;
  }

  bool holds(std::int64_t thread, const std::vector<loop_nest::Condition>& conditions) const {
    return std::ranges::all_of(conditions, [&](const loop_nest::Condition& condition) {
      const std::int64_t at = evaluate(thread, condition.value);
      if (at % condition.divisor != 0) return false;
      const std::int64_t quotient = at / condition.divisor;
      return quotient >= 0 && quotient < condition.bound;
    });
  }

  template <typename Action>
  void for_active(const Action& action) {
    for (std::int64_t thread = 0; thread < threads_; ++thread)
      if (active_[static_cast<std::size_t>(thread)]) action(thread);
  }

  bool all_active() const {
    return std::ranges::all_of(active_, [](bool active) { return active; });
  }
  bool none_active() const {
    return std::ranges::none_of(active_, [](bool active) { return active; });
  }

  // --- statements ---

  void execute(const loop_nest::StatementPtr& statement) {
    if (none_active()) return;
    std::visit([&](const auto& node) { execute_node(node); }, statement->node);
  }

  void execute_node(const loop_nest::Loop& loop) {
    if (loop.kind == loop_nest::LoopKind::Parallel) reject("a GPU's loop nest has no parallel loops");
    for (std::int64_t at = loop.begin; at < loop.end; ++at) {
      for_active([&](std::int64_t thread) { set(thread, loop.variable, at); });
      execute(loop.body);
    }
    for_active([&](std::int64_t thread) { value(thread, loop.variable) = unbound; });
  }

  void execute_node(const loop_nest::Let& let) {
    for_active([&](std::int64_t thread) { set(thread, let.variable, evaluate(thread, let.value)); });
    execute(let.body);
    for_active([&](std::int64_t thread) { value(thread, let.variable) = unbound; });
  }

  void execute_node(const loop_nest::Guard& guard) {
    const std::vector<bool> before = active_;
    for_active([&](std::int64_t thread) {
      active_[static_cast<std::size_t>(thread)] = holds(thread, guard.conditions);
    });
    execute(guard.body);
    active_ = before;
  }

  void execute_node(const loop_nest::Sequence& sequence) {
    for (const loop_nest::StatementPtr& part : sequence.statements) execute(part);
  }

  void execute_node(const loop_nest::Allocate& allocate) {
    const loop_nest::Buffer& buffer = nest_.buffers.at(static_cast<std::size_t>(allocate.buffer));
    std::int64_t copies = 1;
    if (buffer.scope == loop_nest::BufferScope::Registers) copies = threads_;
    if (buffer.scope == loop_nest::BufferScope::Fragments) copies = warps();
    if (buffer.scope == loop_nest::BufferScope::Global) reject(fmt::format("{} is an argument", buffer.name));
    Tile& tile = tiles_[static_cast<std::size_t>(allocate.buffer)];
    if (tile.elements != 0) reject(fmt::format("{} is allocated inside of its own lifetime", buffer.name));
    tile.elements = loop_nest::element_count(buffer);
    const std::int64_t per_element = buffer.scope == loop_nest::BufferScope::Fragments ? fragment_cells : 1;
    tile.cells.assign(static_cast<std::size_t>(tile.elements * copies * per_element), {});
    execute(allocate.body);
    tile = {};
  }

  void execute_node(const loop_nest::Barrier&) {
    if (!all_active()) reject("some threads of a block never come to a barrier");
    touched_.assign(touched_.size(), {});
  }

  void execute_node(const loop_nest::Compute& compute) {
    for_active([&](std::int64_t thread) {
      const bool inside = holds(thread, compute.conditions);
      if (!inside && compute.operation != loop_nest::Operation::CopyOrZero) return;
      for (std::int64_t lane = 0; lane < compute.lanes; ++lane)
        write(thread, compute.destination, lane, result(thread, compute, lane, inside));
    });
  }

  double result(std::int64_t thread, const loop_nest::Compute& compute, std::int64_t lane, bool inside) {
    switch (compute.operation) {
      case loop_nest::Operation::SetZero:
        return 0;
      case loop_nest::Operation::Copy:
        return finished(thread, compute, read(thread, compute.sources.at(0), lane), lane);
      case loop_nest::Operation::CopyOrZero:
        return inside ? read(thread, compute.sources.at(0), lane) : 0;
      case loop_nest::Operation::MultiplyAccumulate:
        return read(thread, compute.destination, lane) +
               read(thread, compute.sources.at(0), lane) * read(thread, compute.sources.at(1), lane);
      case loop_nest::Operation::Combine:
        reject("a GPU's loop nest has no linear transforms");
    }
    reject("an operation of no kind");
  }

  /** A value after the steps of the epilogue. */
  double finished(std::int64_t thread, const loop_nest::Compute& compute, double value, std::int64_t lane) {
    std::size_t next = 1;
    for (const task::EpilogueStep& step : compute.epilogue) {
      const double operand =
          task::has_operand(step.kind) ? read(thread, compute.sources.at(next++), lane) : 0;
      value = task::apply(step, value, operand);
    }
    return value;
  }

  // --- memory ---

  double read(std::int64_t thread, const loop_nest::BufferAccess& access, std::int64_t lane) {
    return *element(thread, access, evaluate(thread, access.offset) + lane * access.lane_stride, false);
  }
  void write(std::int64_t thread, const loop_nest::BufferAccess& access, std::int64_t lane, double to) {
    *element(thread, access, evaluate(thread, access.offset) + lane * access.lane_stride, true) = to;
  }

  /** @param actor a thread; or, for shared memory, a warp after all threads */
  double* element(std::int64_t actor, const loop_nest::BufferAccess& access, std::int64_t offset,
                  bool writes) {
    const auto number = static_cast<std::size_t>(access.buffer);
    const loop_nest::Buffer& buffer = nest_.buffers.at(number);
    switch (buffer.scope) {
      case loop_nest::BufferScope::Global:
        return global_element(actor, number, offset, writes);
      case loop_nest::BufferScope::Shared:
        touch(actor, number, offset, writes);
        return cell(number, 0, offset, writes);
      case loop_nest::BufferScope::Registers:
        return cell(number, actor, offset, writes);
      case loop_nest::BufferScope::Local:
        reject(fmt::format("{} is local memory, which a CPU's threads have", buffer.name));
      case loop_nest::BufferScope::Fragments:
        break;
    }
    reject(fmt::format("{} is a fragment, which no thread reads alone", buffer.name));
  }

  double* global_element(std::int64_t thread, std::size_t number, std::int64_t offset, bool writes) {
    const loop_nest::Buffer& buffer = nest_.buffers[number];
    check_bounds(buffer, offset, static_cast<std::int64_t>(global_[number].size()));
    const auto place = static_cast<std::size_t>(offset);
    if (writes && !buffer.written) reject(fmt::format("{} is written and is an input", buffer.name));
    if (buffer.written) {
      const std::int64_t self = block_ * threads_ + thread;
      std::int64_t& writer = writers_[number][place];
      if (!writes && writer == nobody) reject(fmt::format("{}[{}] was never written", buffer.name, offset));
      if (writer != nobody && writer != self)
        reject(fmt::format("two threads share {}[{}]", buffer.name, offset));
      writer = self;
    }
    return &global_[number][place];
  }

  double* cell(std::size_t number, std::int64_t copy, std::int64_t offset, bool writes) {
    const loop_nest::Buffer& buffer = nest_.buffers[number];
    Tile& tile = tiles_[number];
    if (tile.elements == 0) reject(fmt::format("{} is used outside of its lifetime", buffer.name));
    check_bounds(buffer, offset, tile.elements);
    Cell& at = tile.cells[static_cast<std::size_t>(copy * tile.elements + offset)];
    if (!writes && !at.written) reject(fmt::format("{}[{}] was never written", buffer.name, offset));
    at.written = at.written || writes;
    return &at.value;
  }

  static void check_bounds(const loop_nest::Buffer& buffer, std::int64_t offset, std::int64_t elements) {
    if (offset < 0 || offset >= elements)
      reject(fmt::format("{}[{}] is outside of its {} elements", buffer.name, offset, elements));
  }

  /** Bytes, since buffers whose lifetimes are apart share them. */
  void touch(std::int64_t actor, std::size_t number, std::int64_t offset, bool writes) {
    const loop_nest::Buffer& buffer = nest_.buffers[number];
    check_bounds(buffer, offset, loop_nest::element_count(buffer));
    const std::int64_t bytes = loop_nest::element_bytes(buffer);
    for (std::int64_t i = 0; i < bytes; ++i) {
      Touched& at = touched_[static_cast<std::size_t>(memory_.first_bytes[number] + offset * bytes + i)];
      const bool other_wrote = at.writer != nobody && at.writer != actor;
      const bool other_read = at.reader != nobody && at.reader != actor;
      if (other_wrote || (writes && other_read))
        reject(fmt::format("threads race for {}[{}]", buffer.name, offset));
      if (writes) at.writer = actor;
      if (!writes) at.reader = at.reader == nobody || at.reader == actor ? actor : several;
    }
  }

  // --- what a warp does together ---

  static constexpr std::int64_t fragment_cells = 1024;  ///< more than any fragment has

  std::int64_t warps() const {
    if (threads_ % warp_threads != 0) reject("a block of fragment operations consists of whole warps");
    return threads_ / warp_threads;
  }

  void execute_node(const loop_nest::FragmentOperation& operation) {
    for (std::int64_t warp = 0; warp < warps(); ++warp) {
      std::int64_t present = 0;
      for (std::int64_t lane = 0; lane < warp_threads; ++lane)
        present += active_[static_cast<std::size_t>(warp * warp_threads + lane)] ? 1 : 0;
      if (present == 0) continue;
      if (present != warp_threads) reject("some threads of a warp miss its operation");
      run_warp(warp, operation);
    }
  }

  /** An offset that all threads of a warp agree on. */
  std::int64_t agreed(std::int64_t warp, const loop_nest::IndexExpression& offset) const {
    const std::int64_t first = evaluate(warp * warp_threads, offset);
    for (std::int64_t lane = 1; lane < warp_threads; ++lane)
      if (evaluate(warp * warp_threads + lane, offset) != first)
        reject("the threads of a warp name different matrices");
    return first;
  }

  /** Element (row, column) of a matrix with `columns` columns in a warp's registers. */
  double& fragment(std::int64_t warp, const loop_nest::BufferAccess& access, std::int64_t row,
                   std::int64_t column, std::int64_t columns, bool writes) {
    const auto number = static_cast<std::size_t>(access.buffer);
    const loop_nest::Buffer& buffer = nest_.buffers.at(number);
    if (buffer.scope != loop_nest::BufferScope::Fragments)
      reject(fmt::format("{} is no fragment", buffer.name));
    Tile& tile = tiles_[number];
    const std::int64_t which = agreed(warp, access.offset);
    check_bounds(buffer, which, tile.elements);
    const std::int64_t place = (warp * tile.elements + which) * fragment_cells + row * columns + column;
    Cell& at = tile.cells[static_cast<std::size_t>(place)];
    if (!writes && !at.written) reject(fmt::format("{} [{}] was never written", buffer.name, which));
    at.written = true;
    return at.value;
  }

  double& shared(std::int64_t warp, const loop_nest::FragmentOperation& operation,
                 const loop_nest::BufferAccess& access, std::int64_t row, std::int64_t column, bool writes) {
    const bool by_rows = operation.orders.at(0) == loop_nest::MatrixOrder::RowMajor;
    const std::int64_t offset = agreed(warp, access.offset) +
                                (by_rows ? row : column) * operation.line_stride + (by_rows ? column : row);
    if (nest_.buffers.at(static_cast<std::size_t>(access.buffer)).scope != loop_nest::BufferScope::Shared)
      reject("fragments are loaded from and stored to shared memory");
    return *element(threads_ + warp, access, offset, writes);
  }

  void run_warp(std::int64_t warp, const loop_nest::FragmentOperation& operation) {
    const auto& [rows, columns, depth] = operation.shape;
    if (rows * columns != 256 || depth != 16 || (rows != 8 && rows != 16 && rows != 32))
      reject("tensor cores have no such shape");
    switch (operation.action) {
      case loop_nest::FragmentAction::SetZero:
        for_each(rows, columns, [&](std::int64_t row, std::int64_t column) {
          fragment(warp, operation.destination, row, column, columns, true) = 0;
        });
        return;
      case loop_nest::FragmentAction::LoadA:
        return load(warp, operation, rows, depth);
      case loop_nest::FragmentAction::LoadB:
        return load(warp, operation, depth, columns);
      case loop_nest::FragmentAction::MultiplyAccumulate:
        for_each(rows, columns, [&](std::int64_t row, std::int64_t column) {
          double sum = fragment(warp, operation.destination, row, column, columns, false);
          for (std::int64_t k = 0; k < depth; ++k)
            sum += fragment(warp, operation.sources.at(0), row, k, depth, false) *
                   fragment(warp, operation.sources.at(1), k, column, columns, false);
          fragment(warp, operation.destination, row, column, columns, true) = sum;
        });
        return;
      case loop_nest::FragmentAction::Store:
        for_each(rows, columns, [&](std::int64_t row, std::int64_t column) {
          shared(warp, operation, operation.destination, row, column, true) =
              fragment(warp, operation.sources.at(0), row, column, columns, false);
        });
        return;
    }
  }

  void load(std::int64_t warp, const loop_nest::FragmentOperation& operation, std::int64_t rows,
            std::int64_t columns) {
    // Rows and pointers of shared memory that hardware loads 16 bytes at once from.
    if (operation.line_stride % 8 != 0 || agreed(warp, operation.sources.at(0).offset) % 8 != 0)
      reject("a matrix of halves is not aligned");
    for_each(rows, columns, [&](std::int64_t row, std::int64_t column) {
      fragment(warp, operation.destination, row, column, columns, true) =
          shared(warp, operation, operation.sources.at(0), row, column, false);
    });
  }

  template <typename Action>
  static void for_each(std::int64_t rows, std::int64_t columns, const Action& action) {
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column) action(row, column);
  }

  const loop_nest::LoopNest& nest_;
  std::vector<std::vector<double>> global_;
  loop_nest::SharedMemory memory_;
  std::array<std::int64_t, 6> counts_{1, 1, 1, 1, 1, 1};
  std::int64_t threads_ = 1;
  std::int64_t block_ = -1;
  std::vector<std::vector<std::int64_t>> values_;   ///< by thread and variable
  std::vector<bool> active_;                        ///< by thread
  std::vector<Tile> tiles_;                         ///< by buffer
  std::vector<Touched> touched_;                    ///< by byte of shared memory
  std::vector<std::vector<std::int64_t>> writers_;  ///< which thread of which block wrote an element
};

/** The output after all blocks have run. */
inline std::vector<double> interpret_gpu(const loop_nest::LoopNest& nest,
                                         const std::vector<std::vector<double>>& arguments) {
  GpuInterpreter interpreter(nest, arguments);
  interpreter.run();
  std::size_t output = 0;
  while (!nest.buffers.at(output).written) ++output;
  return interpreter.buffer(output);
}

}  // namespace kernelscape::testing
