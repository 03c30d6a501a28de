#pragma once

#include <limits>
#include <vector>

#include "core/base/random.h"
#include "core/loop_nest/loop_nest.h"
#include "core/loop_nest/rewrite.h"

namespace kernelscape::testing {

/**
 * Random loop nests as a lowering could make them, and odder: a parallel loop with decoded variables, tiles
 * in registers, padding and strided accesses under conditions with divisors, loops of any kind that start
 * anywhere. Operand elements are small integers, so that sums are exact in any order and in any type.
 */
class RandomNest {
 public:
  explicit RandomNest(base::Random& random) : random_(random) {
    constexpr std::int64_t lanes[] = {4, 8, 16};
    nest_.vector_lanes = lanes[random.below(3)];
    build();
  }

  const loop_nest::LoopNest& nest() const { return nest_; }

  /** Contents of the buffers: the output starts as NaN. */
  std::vector<std::vector<double>> arguments() {
    std::vector<std::vector<double>> result;
    for (const loop_nest::Buffer& buffer : nest_.buffers) {
      if (buffer.scope != loop_nest::BufferScope::Global) continue;
      std::vector<double>& values = result.emplace_back(
          static_cast<std::size_t>(buffer.layout.physical_count()), std::numeric_limits<double>::quiet_NaN());
      if (buffer.written) continue;
      for (double& value : values) value = static_cast<double>(random_.below(9)) - 4;
    }
    return result;
  }

 private:
  enum { A, B, Output };
  static constexpr std::int64_t max_element_operations = 4000;  ///< the interpreter's time

  static std::int64_t element_operations(const loop_nest::StatementPtr& statement) {
    if (std::holds_alternative<loop_nest::Compute>(statement->node)) return 1;
    std::int64_t total = 0;
    loop_nest::rewrite_parts(statement, [&](const loop_nest::StatementPtr& part) {
      total += element_operations(part);
      return part;
    });
    const auto* loop = std::get_if<loop_nest::Loop>(&statement->node);
    return loop == nullptr ? total : total * (loop->end - loop->begin);
  }

  std::int64_t number(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(high - low + 1)));
  }

  int add_variable(const std::string& name, std::int64_t low, std::int64_t high) {
    nest_.variables.push_back(name + "_" + std::to_string(nest_.variables.size()));
    nest_.ranges.push_back({low, high});
    return static_cast<int>(nest_.variables.size()) - 1;
  }

  loop_nest::Loop random_loop(const std::string& name, std::int64_t most, loop_nest::LoopKind kind) {
    loop_nest::Loop loop;
    loop.begin = random_.chance(0.3) ? number(0, 2) : 0;
    loop.end = loop.begin + number(1, most);
    loop.kind = kind;
    loop.variable = add_variable(name, loop.begin, loop.end - 1);
    if (kind == loop_nest::LoopKind::Serial && random_.chance(0.3)) loop.unroll_hint = number(2, 4);
    return loop;
  }

  loop_nest::LoopKind serial_or_unrolled(double unrolled) {
    return random_.chance(unrolled) ? loop_nest::LoopKind::Unrolled : loop_nest::LoopKind::Serial;
  }

  static loop_nest::StatementPtr wrap(std::vector<loop_nest::Loop> loops, loop_nest::StatementPtr body) {
    for (std::size_t i = loops.size(); i-- > 0;) {
      loops[i].body = std::move(body);
      body = loop_nest::make_statement(loops[i]);
    }
    return body;
  }

  void add_global(const std::string& name, bool written) {
    loop_nest::Buffer buffer;
    buffer.name = name;
    buffer.written = written;
    nest_.buffers.push_back(std::move(buffer));
  }

  /** An affine index over some of the loops, often below zero or beyond its bound, and the condition for it.
   */
  loop_nest::Condition random_condition(const std::vector<loop_nest::Loop>& loops) {
    loop_nest::Condition condition;
    condition.divisor = random_.chance(0.3) ? number(2, 3) : 1;
    condition.value = loop_nest::IndexExpression(number(-3, 1));
    for (const loop_nest::Loop& loop : loops)
      if (random_.chance(0.6))
        condition.value +=
            loop_nest::IndexExpression::variable(loop.variable) * (random_.chance(0.1) ? -1 : number(1, 3));
    const std::int64_t high = condition.value.range(nest_.ranges).high / condition.divisor;
    condition.bound = std::max<std::int64_t>(1, high + number(-3, 1));
    return condition;
  }

  /** buffer[index * row + lane * stride], the index inside by a condition. */
  loop_nest::BufferAccess padded_access(int buffer, const std::vector<loop_nest::Loop>& loops,
                                        const loop_nest::Loop& lane, std::int64_t stride,
                                        std::vector<loop_nest::Condition>& conditions) {
    const loop_nest::Condition condition = random_condition(loops);
    conditions.push_back(condition);
    const std::int64_t row = lane.end * std::max<std::int64_t>(stride, 1);
    grow(buffer, condition.bound * row);
    loop_nest::IndexExpression index =
        loop_nest::floor_divide(condition.value, condition.divisor, nest_.ranges) * row;
    index += loop_nest::IndexExpression::variable(lane.variable) * stride;
    return {buffer, index, 0};
  }

  void grow(int buffer, std::int64_t count) {
    loop_nest::Layout& layout = nest_.buffers[static_cast<std::size_t>(buffer)].layout;
    if (layout.dimensions.empty() || layout.physical_count() < count)
      layout = loop_nest::row_major("plain", {count});
  }

  /** zero; sum of products under conditions; store, perhaps under a condition. */
  loop_nest::StatementPtr tile(const std::vector<loop_nest::Loop>& outer, std::int64_t output_base) {
    std::vector<loop_nest::Loop> spatial;
    for (std::int64_t i = number(0, 2); i > 0; --i)
      spatial.push_back(random_loop("tile", 4, loop_nest::LoopKind::Unrolled));
    const loop_nest::Loop lane = random_loop("lane", 20, loop_nest::LoopKind::Vectorized);

    loop_nest::Buffer sum;
    sum.name = "sum";
    sum.scope = loop_nest::BufferScope::Registers;
    sum.written = true;
    loop_nest::IndexExpression sum_offset;
    loop_nest::IndexExpression output_offset(output_base);
    std::int64_t count = 1;
    std::vector<loop_nest::Loop> places = spatial;
    places.push_back(lane);
    for (std::size_t i = places.size(); i-- > 0;) {
      sum_offset += loop_nest::IndexExpression::variable(places[i].variable) * count;
      sum.extents.insert(sum.extents.begin(), places[i].end);
      count *= places[i].end;
    }
    const int sum_buffer = static_cast<int>(nest_.buffers.size());
    nest_.buffers.push_back(sum);
    output_offset += sum_offset;
    std::int64_t stride = count;
    for (const loop_nest::Loop& loop : outer) {
      output_offset += loop_nest::IndexExpression::variable(loop.variable) * stride;
      stride *= loop.end;
    }
    grow(Output, output_base + stride);

    std::vector<loop_nest::Loop> reduction;
    for (std::int64_t i = number(1, 3); i > 0; --i)
      reduction.push_back(random_loop("reduce", 5, serial_or_unrolled(0.3)));
    std::vector<loop_nest::Loop> all = outer;
    all.insert(all.end(), reduction.begin(), reduction.end());
    all.insert(all.end(), spatial.begin(), spatial.end());
    std::vector<loop_nest::Condition> conditions;
    const loop_nest::BufferAccess a = padded_access(A, all, lane, number(0, 2), conditions);
    const loop_nest::BufferAccess b = padded_access(B, all, lane, number(0, 1), conditions);
    while (random_.chance(0.3)) conditions.push_back(random_condition(all));

    std::vector<loop_nest::Loop> nested = reduction;
    nested.insert(nested.end(), places.begin(), places.end());
    const loop_nest::BufferAccess register_access{sum_buffer, sum_offset, 0};
    std::vector<loop_nest::Loop> outer_and_places = outer;
    outer_and_places.insert(outer_and_places.end(), spatial.begin(), spatial.end());
    std::vector<loop_nest::Condition> store_conditions;
    if (random_.chance(0.5)) store_conditions.push_back(random_condition(outer_and_places));
    std::vector<loop_nest::StatementPtr> parts;
    parts.push_back(wrap(places, loop_nest::make_statement(loop_nest::Compute{
                                     loop_nest::Operation::SetZero, register_access, {}, 1, {}})));
    parts.push_back(wrap(
        nested,
        loop_nest::make_statement(loop_nest::Compute{
            loop_nest::Operation::MultiplyAccumulate, register_access, {a, b}, 1, std::move(conditions)})));
    parts.push_back(wrap(places, loop_nest::make_statement(loop_nest::Compute{loop_nest::Operation::Copy,
                                                                              {Output, output_offset, 0},
                                                                              {register_access},
                                                                              1,
                                                                              std::move(store_conditions)})));
    return loop_nest::make_statement(
        loop_nest::Allocate{sum_buffer, loop_nest::make_statement(loop_nest::Sequence{std::move(parts)})});
  }

  void build() {
    add_global("a", false);
    add_global("b", false);
    add_global("output", true);
    for (const int buffer : {A, B, Output}) grow(buffer, 1);
    loop_nest::Loop block;
    block.end = number(1, 6);
    block.kind = loop_nest::LoopKind::Parallel;
    block.variable = add_variable("block", 0, block.end - 1);

    const std::int64_t extent = number(1, 3);
    const loop_nest::IndexExpression index = loop_nest::IndexExpression::variable(block.variable);
    loop_nest::Loop high;  // decoded, not looped over
    high.end = (block.end + extent - 1) / extent;
    high.variable = add_variable("high", 0, high.end - 1);
    loop_nest::Loop low;
    low.end = extent;
    low.variable = add_variable("low", 0, extent - 1);

    std::vector<loop_nest::StatementPtr> tiles;
    for (std::int64_t i = number(1, 2); i > 0; --i) {
      std::vector<loop_nest::Loop> loops;
      for (std::int64_t j = number(0, 2); j > 0; --j)
        loops.push_back(random_loop("outer", 6, serial_or_unrolled(0.2)));
      std::vector<loop_nest::Loop> outer{low, high};
      outer.insert(outer.end(), loops.begin(), loops.end());
      const std::int64_t used = nest_.buffers[Output].layout.physical_count();
      tiles.push_back(wrap(loops, tile(outer, used)));
    }
    loop_nest::StatementPtr body = loop_nest::make_statement(loop_nest::Sequence{std::move(tiles)});
    body = loop_nest::make_statement(
        loop_nest::Let{low.variable, loop_nest::modulo(index, extent, nest_.ranges), std::move(body)});
    body = loop_nest::make_statement(
        loop_nest::Let{high.variable, loop_nest::floor_divide(index, extent, nest_.ranges), std::move(body)});
    block.body = std::move(body);
    nest_.body = loop_nest::make_statement(block);
  }

  base::Random& random_;
  loop_nest::LoopNest nest_;
};

}  // namespace kernelscape::testing
