#pragma once

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <variant>
#include <vector>

#include "core/loop_nest/loop_nest.h"

namespace kernelscape::testing {

/**
 * Executes a loop nest as its definition reads, in double precision, before or after any pass. What a kernel
 * must never do is an exception: leave a buffer, leave a variable's range, write an input, touch an output
 * element of another part, use a variable outside of its loop.
 */
class Interpreter {
 public:
  /** @param arguments physical contents of the global buffers, in order */
  Interpreter(const loop_nest::LoopNest& nest, std::vector<std::vector<double>> arguments)
      : nest_(nest), buffers_(std::move(arguments)), values_(nest.variables.size(), unbound) {
    for (const std::vector<double>& buffer : buffers_) writers_.emplace_back(buffer.size(), nobody);
    buffers_.resize(nest.buffers.size());
  }

  void run(int part, int parts) {
    part_ = part;
    parts_ = parts;
    if (nest_.body) execute(nest_.body);
  }

  const std::vector<double>& buffer(std::size_t number) const { return buffers_[number]; }

 private:
  static constexpr std::int64_t unbound = std::numeric_limits<std::int64_t>::min();
  static constexpr int nobody = -1;

  [[noreturn]] static void reject(const std::string& reason) { throw std::runtime_error(reason); }

  std::int64_t evaluate(const loop_nest::IndexExpression& expression) const {
    for (const int variable : expression.variables())
      if (values_.at(static_cast<std::size_t>(variable)) == unbound)
        reject(fmt::format("{} is used outside of its loop",
                           nest_.variables[static_cast<std::size_t>(variable)]));
    return expression.evaluate(values_);
  }

  void bind(int variable, std::int64_t value, const loop_nest::StatementPtr& body) {
    const auto number = static_cast<std::size_t>(variable);
    const loop_nest::Range range = nest_.ranges.at(number);
    if (value < range.low || value > range.high)
      reject(fmt::format("{} = {} is outside of [{}, {}]", nest_.variables[number], value, range.low,
                         range.high));
    values_[number] = value;
    execute(body);
    values_[number] = unbound;
  }

  bool holds(const std::vector<loop_nest::Condition>& conditions) const {
    for (const loop_nest::Condition& condition : conditions) {
      const std::int64_t value = evaluate(condition.value);
      if (value % condition.divisor != 0) return false;
      const std::int64_t quotient = value / condition.divisor;
      if (quotient < 0 || quotient >= condition.bound) return false;
    }
    return true;
  }

  void execute(const loop_nest::StatementPtr& statement) {
    std::visit([&](const auto& node) { execute_node(node); }, statement->node);
  }

  void execute_node(const loop_nest::Loop& loop) {
    std::int64_t begin = loop.begin;
    std::int64_t end = loop.end;
    if (loop.kind == loop_nest::LoopKind::Parallel) {
      begin = loop.end * part_ / parts_;
      end = loop.end * (part_ + 1) / parts_;
    }
    for (std::int64_t value = begin; value < end; ++value) bind(loop.variable, value, loop.body);
  }
  void execute_node(const loop_nest::Let& let) { bind(let.variable, evaluate(let.value), let.body); }
  void execute_node(const loop_nest::Guard& guard) {
    if (holds(guard.conditions)) execute(guard.body);
  }
  void execute_node(const loop_nest::Sequence& sequence) {
    for (const loop_nest::StatementPtr& part : sequence.statements) execute(part);
  }
  void execute_node(const loop_nest::Allocate& allocate) {
    std::int64_t count = 1;
    for (const std::int64_t extent : nest_.buffers.at(static_cast<std::size_t>(allocate.buffer)).extents)
      count *= extent;
    std::vector<double>& tile = buffers_[static_cast<std::size_t>(allocate.buffer)];
    tile.assign(static_cast<std::size_t>(count), std::numeric_limits<double>::quiet_NaN());
    execute(allocate.body);
    tile.clear();
  }

  [[noreturn]] static void execute_node(const loop_nest::Barrier&) {
    reject("a CPU's loop nest has no barriers");
  }

  [[noreturn]] static void execute_node(const loop_nest::FragmentOperation&) {
    reject("a CPU's loop nest has no fragments");
  }

  void execute_node(const loop_nest::Compute& compute) {
    const bool zero = !holds(compute.conditions);
    if (zero && compute.operation != loop_nest::Operation::CopyOrZero) return;
    for (std::int64_t lane = 0; lane < compute.lanes; ++lane) {
      switch (compute.operation) {
        case loop_nest::Operation::SetZero:
          element(compute.destination, lane, true) = 0;
          break;
        case loop_nest::Operation::CopyOrZero:
        case loop_nest::Operation::Copy: {
          const double value = zero ? 0 : element(compute.sources.at(0), lane, false);
          element(compute.destination, lane, true) = finished(compute, 1, value, lane);
          break;
        }
        case loop_nest::Operation::MultiplyAccumulate: {
          for (std::int64_t place = 0; place < compute.group; ++place) {
            const double a = element(compute.sources.at(0), lane, false, place);
            const double b = element(compute.sources.at(1), lane, false, place);
            element(compute.destination, lane, true) += a * b;
          }
          break;
        }
        case loop_nest::Operation::Combine: {
          double sum = 0;
          for (std::size_t i = 0; i < compute.coefficients.size(); ++i)
            sum += compute.coefficients[i] * element(compute.sources.at(i), lane, false);
          element(compute.destination, lane, true) =
              finished(compute, compute.coefficients.size(), sum, lane);
          break;
        }
      }
    }
  }

  /** A value after the steps of the epilogue, whose operands are the sources from `first` on. */
  double finished(const loop_nest::Compute& compute, std::size_t first, double value, std::int64_t lane) {
    for (const task::EpilogueStep& step : compute.epilogue) {
      const double operand =
          task::has_operand(step.kind) ? element(compute.sources.at(first++), lane, false) : 0;
      value = task::apply(step, value, operand);
    }
    if (!compute.epilogue.empty() && first != compute.sources.size())
      reject("an epilogue has more operands than steps that take one");
    return value;
  }

  /** Of a group of elements the one at `place_in_group`. */
  double& element(const loop_nest::BufferAccess& access, std::int64_t lane, bool write,
                  std::int64_t place_in_group = 0) {
    const auto number = static_cast<std::size_t>(access.buffer);
    const loop_nest::Buffer& buffer = nest_.buffers.at(number);
    const std::int64_t offset = evaluate(access.offset) + lane * access.lane_stride + place_in_group;
    if (offset < 0 || offset >= static_cast<std::int64_t>(buffers_[number].size()))
      reject(
          fmt::format("{}[{}] is outside of its {} elements", buffer.name, offset, buffers_[number].size()));
    const auto place = static_cast<std::size_t>(offset);
    if (write && !buffer.written) reject(fmt::format("{} is written and is an input", buffer.name));
    if (buffer.scope == loop_nest::BufferScope::Global && buffer.written) {
      int& writer = writers_[number][place];
      if (writer != nobody && writer != part_)
        reject(fmt::format("parts {} and {} share {}[{}]", writer, part_, buffer.name, offset));
      if (write) writer = part_;
    }
    return buffers_[number][place];
  }

  const loop_nest::LoopNest& nest_;
  std::vector<std::vector<double>> buffers_;
  std::vector<std::vector<int>> writers_;  ///< which part wrote an element
  std::vector<std::int64_t> values_;
  int part_ = 0;
  int parts_ = 1;
};

/** The output after all parts have run, the last part first. */
inline std::vector<double> interpret(const loop_nest::LoopNest& nest,
                                     const std::vector<std::vector<double>>& arguments, int parts = 1) {
  Interpreter interpreter(nest, arguments);
  for (int part = parts; part-- > 0;) interpreter.run(part, parts);
  std::size_t output = 0;
  while (!nest.buffers.at(output).written) ++output;
  return interpreter.buffer(output);
}

}  // namespace kernelscape::testing
