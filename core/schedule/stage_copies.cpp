#include "core/schedule/stage_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/loop_nest/rewrite.h"
#include "core/schedule/resolved_record.h"
#include "core/schedule/tile_transform.h"

namespace kernelscape::schedule {
namespace {

constexpr std::int64_t max_result_lanes = 4;  ///< maximum number of floats per store

bool divides(std::int64_t divisor, const loop_nest::IndexExpression& value, const loop_nest::Ranges& ranges) {
  const loop_nest::IndexExpression rest = loop_nest::modulo(value, divisor, ranges);
  return rest.is_constant() && rest.constant() == 0;
}

const task::TensorAccess& tensor_of(const LoweredLoops& loops, std::size_t number) {
  return tensor_access(loops.schedule().op(), number);
}

std::int64_t knob_or(const LoweredLoops& loops, const std::optional<KnobId>& knob, std::int64_t otherwise) {
  return knob ? loops.schedule().knob_value(*knob, loops.configuration()) : otherwise;
}

/**
 * Returns the indices into a tensor for these values of the axes, for boxes: no index of the tensor has a
 * division.
 */
std::vector<loop_nest::IndexExpression> whole_indices(const LoweredLoops& loops, std::size_t tensor,
                                                      const std::vector<loop_nest::IndexExpression>& axes) {
  std::vector<loop_nest::IndexExpression> indices;
  for (const task::AccessIndex& index : tensor_of(loops, tensor).indices) {
    if (index.divisor != 1) throw std::logic_error("an index with a division gives no box");
    indices.push_back(LoweredLoops::numerator(index, axes));
  }
  return indices;
}

/**
 * Returns the position in a box of the elements that the chosen loops access: indices without the box's first
 * element.
 */
std::vector<loop_nest::IndexExpression> indices_in_box(const LoweredLoops& loops, std::size_t tensor,
                                                       const LoopFilter& chosen) {
  std::vector<loop_nest::IndexExpression> indices = whole_indices(loops, tensor, loops.axis_values(chosen));
  for (std::size_t d = 0; d < indices.size(); ++d)
    indices[d] += loop_nest::IndexExpression(-tensor_of(loops, tensor).indices[d].offset);
  return indices;
}

/**
 * Returns the logical dimensions of a tensor by the distance of their consecutive elements in memory, the
 * smallest last.
 */
std::vector<std::size_t> storage_order(const loop_nest::Layout& layout) {
  std::vector<std::size_t> order;
  for (std::size_t i = layout.dimensions.size(); i-- > 0;) {
    const auto source = static_cast<std::size_t>(layout.dimensions[i].source);
    if (!loop_nest::contains(order, source)) order.insert(order.begin(), source);
  }
  return order;
}

bool is_blocked(const loop_nest::Layout& layout) {
  return std::ranges::any_of(
      layout.dimensions, [](const loop_nest::LayoutDimension& dimension) { return dimension.divisor != 1; });
}

loop_nest::IndexExpression offset_in_box(const CopyBox& box,
                                         const std::vector<loop_nest::IndexExpression>& indices) {
  std::vector<std::int64_t> stored;
  std::vector<loop_nest::IndexExpression> places;
  for (const std::size_t dimension : box.order) {
    stored.push_back(box.extents[dimension]);
    places.push_back(indices[dimension]);
  }
  stored.back() = box.row_elements;
  return box_offset(stored, places);
}

/** Returns the indices in a box of the element with this number, not counting the padding of rows. */
std::vector<loop_nest::IndexExpression> indices_of_element(const CopyBox& box,
                                                           const loop_nest::IndexExpression& element,
                                                           const loop_nest::Ranges& ranges) {
  std::vector<loop_nest::IndexExpression> indices(box.extents.size());
  std::int64_t stride = 1;
  for (std::size_t i = box.order.size(); i-- > 0;) {
    const std::int64_t extent = box.extents[box.order[i]];
    indices[box.order[i]] =
        loop_nest::modulo(loop_nest::floor_divide(element, stride, ranges), extent, ranges);
    stride *= extent;
  }
  return indices;
}

loop_nest::Buffer local_buffer(const LoweredLoops& loops, std::size_t tensor, loop_nest::BufferScope scope) {
  loop_nest::Buffer buffer;
  buffer.name = fmt::format("{}_{}", tensor_of(loops, tensor).tensor, loop_nest::to_string(scope));
  buffer.element_type = task::to_string(tensor_of(loops, tensor).type);
  buffer.scope = scope;
  buffer.written = true;
  return buffer;
}

/** Adds the extents of a box as stored in memory. */
void add_extents(loop_nest::Buffer& buffer, const CopyBox& box) {
  for (const std::size_t dimension : box.order) buffer.extents.push_back(box.extents[dimension]);
  buffer.extents.back() = box.row_elements;
}

/**
 * Returns a loop in which the threads of a block process `groups` groups of `lanes` elements together, each
 * thread one group after the other. `body` returns the statement for the group with this first element.
 * `name` is for its variables.
 */
loop_nest::StatementPtr cooperate(
    LoweredLoops& loops, const std::string& name, std::int64_t groups, std::int64_t lanes,
    const std::function<loop_nest::StatementPtr(const loop_nest::IndexExpression& element)>& body) {
  const std::int64_t iterations = (groups + loops.threads() - 1) / loops.threads();
  loop_nest::IndexExpression group = loops.thread();
  int iteration = LoweredLoops::no_variable;
  if (iterations > 1) {
    iteration = loops.add_variable("pass_" + name, iterations);
    group += loop_nest::IndexExpression::variable(iteration) * loops.threads();
  }
  const int element = loops.add_variable("element_" + name, groups * lanes - lanes + 1);
  loop_nest::StatementPtr result = body(loop_nest::IndexExpression::variable(element));
  result = loop_nest::make_statement(loop_nest::Let{element, group * lanes, std::move(result)});
  if (iterations * loops.threads() > groups)
    result = loop_nest::make_statement(
        loop_nest::Guard{{loop_nest::Condition{group, groups, 1}}, std::move(result)});
  if (iteration != LoweredLoops::no_variable)
    result = loop_nest::make_statement(
        loop_nest::Loop{iteration, 0, iterations, loop_nest::LoopKind::Serial, 1, std::move(result)});
  return result;
}

loop_nest::Compute copy_element(loop_nest::BufferAccess to, GlobalRead from, std::int64_t lanes) {
  return {from.conditions.empty() ? loop_nest::Operation::Copy : loop_nest::Operation::CopyOrZero,
          std::move(to),
          {std::move(from.access)},
          lanes,
          std::move(from.conditions)};
}

const std::string& name_of(LoweredLoops& loops, int buffer) {
  return loops.nest().buffers[static_cast<std::size_t>(buffer)].name;
}

/** Builds the statement that fills one copy. */
class CopyFill {
 public:
  CopyFill(LoweredLoops& loops, const InputCopy& copy, const InputCopy* from)
      : loops_(loops), copy_(copy), from_(from) {}

  loop_nest::StatementPtr run() {
    switch (copy_.stage->scope) {
      case loop_nest::BufferScope::Shared:
        return together();
      case loop_nest::BufferScope::Registers:
      case loop_nest::BufferScope::Local:
        return alone();
      case loop_nest::BufferScope::Global:
      case loop_nest::BufferScope::Fragments:
        break;
    }
    throw std::logic_error("copies in this scope are not supported");
  }

 private:
  /** Fills the copy with all threads of a block. */
  loop_nest::StatementPtr together() {
    const std::string name = name_of(loops_, copy_.buffer);
    if (!copy_.by_box()) {
      return cooperate(loops_, name, copy_.box.elements(), 1, [&](const loop_nest::IndexExpression& element) {
        const auto values = indices_of_element(copy_.box, element, loops_.ranges());
        return loop_nest::make_statement(
            copy_element({copy_.buffer, copy_.first_offset + element, 0}, read_at_loops(values), 1));
      });
    }
    const std::int64_t lanes = fitting_lanes();
    const CopyBox& box = copy_.box;
    const auto copy = [&](const loop_nest::IndexExpression& element) {
      const std::vector<loop_nest::IndexExpression> inside =
          indices_of_element(box, element, loops_.ranges());
      const bool padded = box.row_elements != box.extents[box.order.back()];
      const loop_nest::IndexExpression place =
          copy_.first_offset + (padded ? offset_in_box(box, inside) : element);
      GlobalRead source = read_in_box(inside, lanes > 1);
      const std::int64_t lane_stride = lanes > 1 ? 1 : 0;
      source.access.lane_stride = lane_stride;
      return loop_nest::make_statement(
          copy_element({copy_.buffer, place, lane_stride}, std::move(source), lanes));
    };
    return cooperate(loops_, name, box.elements() / lanes, lanes, copy);
  }

  /** Returns the number of lanes that stay in a row, are aligned, and are inside the tensor together. */
  std::int64_t fitting_lanes() const {
    const task::TensorAccess& tensor = tensor_of(loops_, copy_.input());
    const CopyBox& box = copy_.box;
    const std::size_t last = box.order.back();
    if (is_blocked(loops_.nest().buffers[copy_.input()].layout)) return 1;
    const loop_nest::Condition inside{box.first[last], tensor.shape[last] - box.extents[last] + 1, 1};
    const bool whole_rows = loop_nest::decide(inside, loops_.ranges()) == loop_nest::Certainty::Always;
    std::int64_t lanes = copy_.lanes;
    while (lanes > 1 &&
           !(box.extents[last] % lanes == 0 && tensor.shape[last] % lanes == 0 &&
             box.row_elements % lanes == 0 && divides(lanes, box.first[last], loops_.ranges()) && whole_rows))
      lanes /= 2;
    return lanes;
  }

  /** Fills the copy with one thread: registers one by one, an array in vectors along consecutive elements. */
  loop_nest::StatementPtr alone() {
    const CopyBox& box = copy_.box;
    const std::string name = name_of(loops_, copy_.buffer);
    std::vector<loop_nest::IndexExpression> inside(box.extents.size());
    std::vector<int> variables(box.extents.size(), LoweredLoops::no_variable);
    for (const std::size_t d : box.order) {
      if (box.extents[d] == 1) continue;
      variables[d] = loops_.add_variable(fmt::format("{}_{}", name, d), box.extents[d]);
      inside[d] = loop_nest::IndexExpression::variable(variables[d]);
    }
    const bool registers = copy_.stage->scope == loop_nest::BufferScope::Registers;
    std::int64_t factor = knob_or(loops_, copy_.stage->options.unroll_by, 1);
    const loop_nest::BufferAccess place{copy_.buffer, first() + offset_in_box(box, inside), 0};
    const GlobalRead source = copy_.by_box() ? read_in_box(inside, false) : read_at_loops(inside);
    loop_nest::StatementPtr fill = loop_nest::make_statement(copy_element(place, source, 1));
    for (std::size_t i = box.order.size(); i-- > 0;) {
      const std::size_t d = box.order[i];
      if (variables[d] == LoweredLoops::no_variable) continue;
      const bool innermost = i + 1 == box.order.size();
      if (innermost && !registers) {
        fill = row(variables[d], box.extents[d], place, source);
        continue;
      }
      const std::int64_t unrolled = registers ? box.extents[d] : std::min(box.extents[d], factor);
      factor = 1;
      fill = loop_nest::make_statement(loop_nest::Loop{
          variables[d], 0, box.extents[d], loop_nest::LoopKind::Serial, unrolled, std::move(fill)});
    }
    return loops_.wrap(copy_.boxes, std::move(fill));
  }

  /**
   * Fills a row of the copy: zeros where the whole column is padding, vectors between them where floats are
   * consecutive.
   */
  loop_nest::StatementPtr row(int variable, std::int64_t elements, const loop_nest::BufferAccess& place,
                              const GlobalRead& source) const {
    const auto loop = [&](std::int64_t begin, std::int64_t end, loop_nest::LoopKind kind,
                          loop_nest::Compute body) {
      return begin == end ? nullptr
                          : loop_nest::make_statement(loop_nest::Loop{
                                variable, begin, end, kind, 1, loop_nest::make_statement(std::move(body))});
    };
    const std::optional<loop_nest::Range> within = within_tensor(source, variable, elements);
    if (!within) return loop(0, elements, loop_nest::LoopKind::Serial, copy_element(place, source, 1));
    GlobalRead rest = source;
    std::erase_if(rest.conditions, [&](const loop_nest::Condition& condition) {
      return condition.value.depends_on(variable);
    });
    const bool together = tensor_of(loops_, copy_.input()).type == task::ScalarType::F32 &&
                          source.access.offset.coefficient(variable) == 1;
    const loop_nest::Compute zero{loop_nest::Operation::SetZero, place, {}, 1, {}};
    return loop_nest::make_sequence(
        {loop(0, within->low, loop_nest::LoopKind::Serial, zero),
         loop(within->low, within->high + 1,
              together ? loop_nest::LoopKind::Vectorized : loop_nest::LoopKind::Serial,
              copy_element(place, rest, 1)),
         loop(within->high + 1, elements, loop_nest::LoopKind::Serial, zero)});
  }

  /**
   * Returns the values of a variable for which none of its conditions fails, if these are the same in all
   * iterations of other loops.
   */
  static std::optional<loop_nest::Range> within_tensor(const GlobalRead& source, int variable,
                                                       std::int64_t values) {
    loop_nest::Range range{0, values - 1};
    for (const loop_nest::Condition& condition : source.conditions) {
      if (!condition.value.depends_on(variable)) continue;
      if (condition.divisor != 1 || condition.value.variables() != std::vector<int>{variable} ||
          condition.value.coefficient(variable) != 1)
        return std::nullopt;
      range.low = std::max(range.low, -condition.value.constant());
      range.high = std::min(range.high, condition.bound - 1 - condition.value.constant());
    }
    if (range.low > range.high) return std::nullopt;
    return range;
  }

  /** Returns the offset in the copy's buffer at which this thread's box begins. */
  loop_nest::IndexExpression first() const {
    return copy_.first_offset + place_by(loops_, copy_.boxes) * copy_.box.stored_elements();
  }

  /** Returns the source of the element at these indices of the box. */
  GlobalRead read_in_box(const std::vector<loop_nest::IndexExpression>& inside, bool in_lanes) const {
    if (from_ != nullptr) {
      const LoopFilter standing = [&](LoopId loop) { return from_->held(loop) && !copy_.held(loop); };
      std::vector<loop_nest::IndexExpression> source = indices_in_box(loops_, copy_.input(), standing);
      for (std::size_t d = 0; d < source.size(); ++d) source[d] += inside[d];
      return {{from_->buffer, from_->first_offset + offset_in_box(from_->box, source), 0}, {}};
    }
    const task::TensorAccess& tensor = tensor_of(loops_, copy_.input());
    std::vector<loop_nest::IndexExpression> indices = copy_.box.first;
    std::vector<loop_nest::Condition> conditions;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      indices[d] += inside[d];
      if (holds_padding(loops_.schedule(), tensor.indices[d])) continue;
      const bool lane_row = in_lanes && d == copy_.box.order.back();
      const loop_nest::Condition condition{indices[d], tensor.shape[d], 1};
      if (!lane_row && loop_nest::decide(condition, loops_.ranges()) != loop_nest::Certainty::Always)
        conditions.push_back(condition);
    }
    return {loops_.global(copy_.input(), indices), std::move(conditions)};
  }

  /**
   * Returns the source of an element that is numbered by loops: the element that the sums read in the
   * iteration with these values.
   */
  GlobalRead read_at_loops(const std::vector<loop_nest::IndexExpression>& values) const {
    const LoopFilter any = [](LoopId) { return true; };
    GlobalRead read = from_ != nullptr ? GlobalRead{{from_->buffer, place_in(loops_, *from_, any), 0}, {}}
                                       : global_read(loops_, copy_.input(), loops_.axis_values(any));
    for (std::size_t i = 0; i < copy_.indexed.size(); ++i) {
      if (!loops_.runs(copy_.indexed[i])) continue;
      const int variable = loops_.variable_of(copy_.indexed[i]);
      read.access.offset = read.access.offset.substitute(variable, values[i], loops_.ranges());
      for (loop_nest::Condition& condition : read.conditions)
        condition.value = condition.value.substitute(variable, values[i], loops_.ranges());
    }
    return read;
  }

  LoweredLoops& loops_;
  const InputCopy& copy_;
  const InputCopy* from_;
};

/** Returns the filter for loops whose elements are held by a stage attached to `at`. */
LoopFilter held_by(const LoweredLoops& loops, loop_nest::BufferScope scope, LoopId at) {
  std::vector<LoopId> whole;
  if (scope == loop_nest::BufferScope::Fragments) whole = loops.schedule().tensorized()->loops;
  return [&loops, scope, at, whole](LoopId loop) {
    if (loop_nest::contains(whole, loop)) return false;
    const LoopPlace where = loops.place(loop);
    if (scope == loop_nest::BufferScope::Shared &&
        (where == LoopPlace::Thread || where == LoopPlace::VirtualThread))
      return true;
    return loops.serial_inside(loop, at);
  };
}

}  // namespace

std::int64_t CopyBox::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  return count;
}

std::int64_t CopyBox::stored_elements() const { return elements() / extents[order.back()] * row_elements; }

bool InputCopy::by_box() const {
  return stage->options.index == CopyIndex::Box && stage->scope != loop_nest::BufferScope::Fragments;
}

bool moves_through(const Schedule& schedule, std::size_t tensor, LoopId loop) {
  const Loop& record = schedule.loop(loop);
  if (record.part_of) return moves_through(schedule, tensor, *record.part_of);
  if (!record.fuses.empty())
    return std::ranges::any_of(record.fuses,
                               [&](LoopId fused) { return moves_through(schedule, tensor, fused); });
  const auto axis = static_cast<std::size_t>(record.axis);
  return std::ranges::any_of(tensor_access(schedule.op(), tensor).indices,
                             [&](const task::AccessIndex& index) { return index.coefficients[axis] != 0; });
}

GlobalRead global_read(const LoweredLoops& loops, std::size_t tensor,
                       const std::vector<loop_nest::IndexExpression>& axes) {
  const task::TensorAccess& access = tensor_of(loops, tensor);
  const bool output = tensor == loops.schedule().op().inputs.size();
  std::vector<loop_nest::IndexExpression> indices;
  std::vector<loop_nest::Condition> conditions;
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const task::AccessIndex& index = access.indices[d];
    const loop_nest::IndexExpression numerator = LoweredLoops::numerator(index, axes);
    const loop_nest::Condition condition{numerator, access.shape[d], index.divisor};
    if (!output && !holds_padding(loops.schedule(), index) &&
        loop_nest::decide(condition, loops.ranges()) != loop_nest::Certainty::Always)
      conditions.push_back(condition);
    indices.push_back(loop_nest::floor_divide(numerator, index.divisor, loops.ranges()));
  }
  return {loops.global(tensor, indices), std::move(conditions)};
}

CopyBox box_of(const LoweredLoops& loops, std::size_t tensor, const LoopFilter& chosen,
               std::int64_t row_padding) {
  CopyBox box;
  box.first = whole_indices(loops, tensor, loops.axis_values([&](LoopId loop) { return !chosen(loop); }));
  for (const task::AccessIndex& index : tensor_of(loops, tensor).indices) {
    std::int64_t extent = 1;
    for (std::size_t axis = 0; axis < index.coefficients.size(); ++axis)
      if (index.coefficients[axis] != 0)
        extent += index.coefficients[axis] * (loops.axis_extent(axis, chosen) - 1);
    box.extents.push_back(extent);
  }
  box.order = storage_order(resolved_layout(loops.schedule(), tensor, loops.configuration()));
  box.row_elements = box.extents[box.order.back()] + row_padding;
  return box;
}

loop_nest::IndexExpression place_in_box(const LoweredLoops& loops, std::size_t tensor, const CopyBox& box,
                                        const LoopFilter& chosen) {
  return offset_in_box(box, indices_in_box(loops, tensor, chosen));
}

loop_nest::IndexExpression place_by(const LoweredLoops& loops, const std::vector<LoopId>& numbered_by) {
  std::vector<std::int64_t> extents;
  std::vector<loop_nest::IndexExpression> indices;
  for (const LoopId loop : numbered_by) {
    extents.push_back(loops.length(loop));
    indices.push_back(loops.index_of(loop));
  }
  return box_offset(extents, indices);
}

int add_fragments(LoweredLoops& loops, const std::string& name, const std::string& element_type,
                  const std::vector<LoopId>& numbered_by) {
  loop_nest::Buffer buffer;
  buffer.name = name;
  buffer.element_type = element_type;
  buffer.scope = loop_nest::BufferScope::Fragments;
  buffer.written = true;
  for (const LoopId loop : numbered_by) buffer.extents.push_back(loops.length(loop));
  return loops.add_buffer(std::move(buffer));
}

InputCopy make_copy(LoweredLoops& loops, const Stage& stage) {
  InputCopy copy;
  copy.stage = &stage;
  copy.at = loops.schedule().attached_at(stage, loops.configuration());
  copy.held = held_by(loops, stage.scope, copy.at);
  copy.lanes = knob_or(loops, stage.options.lanes_by, stage.options.lanes);
  const auto moving = [&](LoopId loop) { return moves_through(loops.schedule(), copy.input(), loop); };
  loop_nest::Buffer buffer = local_buffer(loops, copy.input(), stage.scope);
  if (stage.scope == loop_nest::BufferScope::Registers)
    for (const LoopId loop : loops.order())
      if (loops.place(loop) == LoopPlace::VirtualThread && moving(loop)) copy.boxes.push_back(loop);
  if (!copy.by_box())
    for (const LoopId loop : loops.order())
      if (copy.held(loop) && moving(loop)) copy.indexed.push_back(loop);
  if (loops.schedule().tile_transform()) {
    const TransformedTile tile = make_transformed_tile(loops, std::move(buffer), copy.indexed);
    copy.indexed = tile.numbered;
    copy.buffer = tile.buffer;
    return copy;
  }
  if (stage.scope == loop_nest::BufferScope::Fragments) {
    copy.buffer = add_fragments(loops, buffer.name, buffer.element_type, copy.indexed);
    return copy;
  }
  if (stage.options.copies > 1) buffer.extents.push_back(stage.options.copies);
  for (const LoopId loop : copy.boxes)
    if (loops.runs(loop)) buffer.extents.push_back(loops.length(loop));
  if (copy.by_box()) {
    copy.box = box_of(loops, copy.input(), copy.held, knob_or(loops, stage.options.row_padding, 0));
  } else {
    for (const LoopId loop : copy.indexed) copy.box.extents.push_back(loops.length(loop));
    if (copy.box.extents.empty()) copy.box.extents.push_back(1);
    for (std::size_t d = 0; d < copy.box.extents.size(); ++d) copy.box.order.push_back(d);
    copy.box.row_elements = copy.box.extents.back();
  }
  add_extents(buffer, copy.box);
  copy.buffer = loops.add_buffer(std::move(buffer));
  if (stage.options.copies > 1 && loops.runs(copy.at))
    copy.first_offset = loop_nest::modulo(loops.index_of(copy.at), stage.options.copies, loops.ranges()) *
                        copy.box.stored_elements();
  return copy;
}

loop_nest::IndexExpression place_in(const LoweredLoops& loops, const InputCopy& copy,
                                    const LoopFilter& chosen) {
  if (loops.schedule().tile_transform()) return transformed_place(loops, copy.indexed);
  if (!copy.by_box()) return copy.first_offset + place_by(loops, copy.indexed);
  const LoopFilter held = [&](LoopId loop) { return copy.held(loop) && chosen(loop); };
  return copy.first_offset + place_by(loops, copy.boxes) * copy.box.stored_elements() +
         place_in_box(loops, copy.input(), copy.box, held);
}

loop_nest::StatementPtr fill_copy(LoweredLoops& loops, const InputCopy& copy, const InputCopy* from) {
  return CopyFill(loops, copy, from).run();
}

KeptResults make_kept_results(LoweredLoops& loops, const Stage& stage) {
  const LoopId at = loops.schedule().attached_at(stage, loops.configuration());
  KeptResults results;
  loop_nest::Buffer buffer = local_buffer(loops, static_cast<std::size_t>(stage.tensor), stage.scope);
  for (const LoopId loop : loops.order()) {
    if (loops.is_reduction(loop) || !loops.serial_inside(loop, at)) continue;
    results.numbered.push_back(loop);
    buffer.extents.push_back(loops.length(loop));
  }
  results.lanes = knob_or(loops, stage.options.lanes_by, stage.options.lanes);
  results.buffer = loops.add_buffer(std::move(buffer));
  return results;
}

loop_nest::StatementPtr write_kept_results(LoweredLoops& loops, const KeptResults& results,
                                           loop_nest::Compute move) {
  loop_nest::StatementPtr body = loop_nest::make_statement(std::move(move));
  const auto lane = std::ranges::find_if(results.numbered,
                                         [&](LoopId loop) { return loops.schedule().loop(loop).vectorized; });
  if (lane == results.numbered.end() || results.lanes >= loops.length(*lane))
    return loops.wrap(results.numbered, body);
  const std::int64_t width = std::gcd(results.lanes, loops.length(*lane));
  const std::int64_t vectors = loops.length(*lane) / width;
  const std::string name = name_of(loops, results.buffer);
  const int vector = loops.add_variable(name + "_vector", vectors);
  loop_nest::IndexExpression place = loop_nest::IndexExpression::variable(vector) * width;
  const int element = width == 1 ? LoweredLoops::no_variable : loops.add_variable(name + "_element", width);
  if (width > 1) place += loop_nest::IndexExpression::variable(element);
  body = loop_nest::substitute(body, loops.variable_of(*lane), place, loops.ranges());
  if (width > 1)
    body = loop_nest::make_statement(
        loop_nest::Loop{element, 0, width, loop_nest::LoopKind::Vectorized, 1, std::move(body)});
  body = loop_nest::make_statement(
      loop_nest::Loop{vector, 0, vectors, loop_nest::LoopKind::Serial, 1, std::move(body)});
  std::vector<LoopId> around = results.numbered;
  std::erase(around, *lane);
  return loops.wrap(around, std::move(body));
}

ResultTile make_result_tile(LoweredLoops& loops, const Stage& stage) {
  const auto output = static_cast<std::size_t>(stage.tensor);
  ResultTile tile;
  tile.held = held_by(loops, stage.scope, loops.schedule().attached_at(stage, loops.configuration()));
  tile.box = box_of(loops, output, tile.held, knob_or(loops, stage.options.row_padding, 0));
  tile.lanes = knob_or(loops, stage.options.lanes_by, stage.options.lanes);
  loop_nest::Buffer buffer = local_buffer(loops, output, stage.scope);
  add_extents(buffer, tile.box);
  tile.buffer = loops.add_buffer(std::move(buffer));
  return tile;
}

loop_nest::StatementPtr store_result(LoweredLoops& loops, const ResultTile& tile) {
  const std::size_t output = loops.schedule().op().inputs.size();
  const auto store = [&](const loop_nest::IndexExpression& element) {
    const std::vector<loop_nest::IndexExpression> inside =
        indices_of_element(tile.box, element, loops.ranges());
    std::vector<loop_nest::IndexExpression> indices = tile.box.first;
    for (std::size_t d = 0; d < indices.size(); ++d) indices[d] += inside[d];
    const loop_nest::BufferAccess destination = loops.global(output, indices);
    const loop_nest::IndexExpression source = offset_in_box(tile.box, inside);
    // Uses as few stores as possible.
    const std::int64_t lanes = std::min(tile.lanes, max_result_lanes);
    const std::int64_t lane_stride = lanes > 1 ? 1 : 0;
    std::vector<loop_nest::StatementPtr> stores;
    for (std::int64_t first = 0; first < tile.lanes; first += lanes)
      stores.push_back(loop_nest::make_statement(loop_nest::Compute{
          loop_nest::Operation::Copy,
          {destination.buffer, destination.offset + loop_nest::IndexExpression(first), lane_stride},
          {{tile.buffer, source + loop_nest::IndexExpression(first), lane_stride}},
          lanes,
          {}}));
    return loop_nest::make_sequence(stores);
  };
  return cooperate(loops, name_of(loops, tile.buffer), tile.box.elements() / tile.lanes, tile.lanes, store);
}

}  // namespace kernelscape::schedule
