#include "core/schedule/tile_transform.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "core/loop_nest/rewrite.h"
#include "core/schedule/resolved_record.h"
#include "core/schedule/stage_copies.h"
#include "core/task/winograd.h"

namespace kernelscape::schedule {
namespace {

/** Endings of the names of temporaries: a part of the image, tiles transformed along columns, shared sums. */
constexpr std::array<std::string_view, 3> temporary_endings{"_patch", "_columns", "_halves"};

using Statements = std::vector<loop_nest::StatementPtr>;
/** Returns the access to an element of a vector of tiles' elements. */
using ElementAccess = std::function<loop_nest::BufferAccess(std::size_t)>;

/** A loop that only the transforms have. */
struct Counter {
  int variable = LoweredLoops::no_variable;
  std::int64_t count = 1;
  loop_nest::IndexExpression index;

  loop_nest::StatementPtr around(loop_nest::StatementPtr body,
                                 loop_nest::LoopKind kind = loop_nest::LoopKind::Serial) const {
    if (count == 1) return body;
    return loop_nest::make_statement(loop_nest::Loop{variable, 0, count, kind, 1, std::move(body)});
  }
};

Counter make_counter(LoweredLoops& loops, const std::string& name, std::int64_t count) {
  if (count == 1) return {};
  const int variable = loops.add_variable(name, count);
  return {variable, count, loop_nest::IndexExpression::variable(variable)};
}

/** A linear map of vectors: rows of coefficients. */
using Matrix = std::vector<std::vector<double>>;

Matrix matrix_of(const task::RationalMatrix& exact) {
  Matrix matrix;
  for (const std::vector<task::Rational>& row : exact) {
    std::vector<double>& values = matrix.emplace_back();
    for (const task::Rational& value : row) values.push_back(boost::rational_cast<double>(value));
  }
  return matrix;
}

/** Two rows as sum and difference of a common even and a common odd part. */
struct RowPair {
  std::vector<double> even;
  std::vector<double> odd;
};

std::size_t terms_of(const std::vector<double>& row) {
  return row.size() - static_cast<std::size_t>(std::ranges::count(row, 0.0));
}

/**
 * Returns the parts of two rows whose elements are equal or opposite, as those of two opposite points are;
 * nullopt for other rows, or if sharing the parts saves nothing.
 */
std::optional<RowPair> pair_of(const std::vector<double>& first, const std::vector<double>& second) {
  RowPair pair{std::vector<double>(first.size(), 0.0), std::vector<double>(first.size(), 0.0)};
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] == second[i])
      pair.even[i] = first[i];
    else if (first[i] == -second[i])
      pair.odd[i] = first[i];
    else
      return std::nullopt;
  }
  const std::size_t even = terms_of(pair.even);
  const std::size_t odd = terms_of(pair.odd);
  if (even == 0 || odd == 0 || even + odd == 2) return std::nullopt;
  return pair;
}

/** Writes matrix * source to the destination, for one vector of elements. */
class LinearMap {
 public:
  LinearMap(Matrix matrix, ElementAccess halves) : matrix_(std::move(matrix)), halves_(std::move(halves)) {}

  /** @param finish if set, changes the operation that writes a row of the destination */
  void add(Statements& statements, const ElementAccess& source, const ElementAccess& destination,
           const std::function<void(std::size_t, loop_nest::Compute&)>& finish = {}) const {
    const auto combine = [&](loop_nest::BufferAccess to, const std::vector<double>& row,
                             const ElementAccess& from) {
      statements.push_back(loop_nest::make_statement(combination(std::move(to), row, from)));
    };
    const auto write = [&](std::size_t number, const std::vector<double>& row, const ElementAccess& from) {
      loop_nest::Compute compute = combination(destination(number), row, from);
      if (finish) finish(number, compute);
      statements.push_back(loop_nest::make_statement(std::move(compute)));
    };
    std::vector<bool> done(matrix_.size(), false);
    for (std::size_t row = 0; row < matrix_.size(); ++row) {
      if (done[row]) continue;
      std::optional<RowPair> pair;
      std::size_t partner = row + 1;
      for (; partner < matrix_.size(); ++partner)
        if (!done[partner] && (pair = pair_of(matrix_[row], matrix_[partner]))) break;
      if (!pair) {
        write(row, matrix_[row], source);
        continue;
      }
      done[partner] = true;
      combine(halves_(0), pair->even, source);
      combine(halves_(1), pair->odd, source);
      write(row, {1, 1}, halves_);
      write(partner, {1, -1}, halves_);
    }
  }

 private:
  static loop_nest::Compute combination(loop_nest::BufferAccess to, const std::vector<double>& row,
                                        const ElementAccess& from) {
    loop_nest::Compute compute{loop_nest::Operation::Combine, std::move(to), {}, 1, {}, 1, {}};
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] == 0) continue;
      compute.sources.push_back(from(i));
      compute.coefficients.push_back(row[i]);
    }
    if (compute.coefficients == std::vector<double>{1}) {
      compute.operation = loop_nest::Operation::Copy;
      compute.coefficients.clear();
    }
    return compute;
  }

  Matrix matrix_;
  ElementAccess halves_;
};

/** What the two transforms share: the loops over the tiles of a block, and temporaries. */
class TransformLowering {
 public:
  TransformLowering(LoweredLoops& loops, std::size_t tensor, std::int64_t lanes)
      : loops_(loops),
        transform_(*loops.schedule().tile_transform()),
        tensor_(tensor_access(loops.schedule().op(), tensor)),
        size_(static_cast<std::size_t>(loops.length(transform_.element_row))),
        tile_row_(make_counter(loops, tensor_.tensor + "_tile_row", loops.length(transform_.tile_row))),
        tile_column_(
            make_counter(loops, tensor_.tensor + "_tile_column", loops.length(transform_.tile_column))),
        lane_(make_counter(loops, tensor_.tensor + "_lane", lanes)) {}

 protected:
  /** Adds a temporary. Returns the number of its buffer. */
  int add_temporary(std::string_view ending, loop_nest::BufferScope scope,
                    std::vector<std::int64_t> extents) {
    loop_nest::Buffer buffer;
    buffer.name = tensor_.tensor + std::string(ending);
    buffer.element_type = task::to_string(tensor_.type);
    buffer.scope = scope;
    buffer.written = true;
    buffer.extents = std::move(extents);
    buffer.extents.push_back(lane_.count);
    return loops_.add_buffer(std::move(buffer));
  }

  /** Returns the access to vector `number` of a temporary. */
  loop_nest::BufferAccess vector_of(int buffer, const loop_nest::IndexExpression& number) const {
    return {buffer, number * lane_.count + lane_.index, 0};
  }

  LinearMap map(const task::RationalMatrix& matrix) const {
    return {matrix_of(matrix),
            [this](std::size_t half) { return vector_of(halves_, static_cast<std::int64_t>(half)); }};
  }

  /** Returns the value of a loop that numbers transformed tiles, for an element of the current tile. */
  loop_nest::IndexExpression value(LoopId loop, std::size_t row, std::size_t column) const {
    if (loop == transform_.element_row) return static_cast<std::int64_t>(row);
    if (loop == transform_.element_column) return static_cast<std::int64_t>(column);
    if (loop == transform_.positions) return tile_row_.index * tile_column_.count + tile_column_.index;
    return lane_.index;
  }

  /** Returns the statements of a tile with temporaries, in the lanes of a vector, for all tiles of the block.
   */
  loop_nest::StatementPtr for_tiles(const Statements& statements) const {
    loop_nest::StatementPtr body = loop_nest::make_sequence(statements);
    for (const int buffer : {halves_, columns_})
      body = loop_nest::make_statement(loop_nest::Allocate{buffer, std::move(body)});
    body = lane_.around(std::move(body), loop_nest::LoopKind::Vectorized);
    return tile_row_.around(tile_column_.around(std::move(body)));
  }

  void add_registers(std::int64_t rows) {
    columns_ = add_temporary("_columns", loop_nest::BufferScope::Registers,
                             {rows, static_cast<std::int64_t>(size_)});
    halves_ = add_temporary("_halves", loop_nest::BufferScope::Registers, {2});
  }

  loop_nest::BufferAccess column_element(std::size_t row, std::size_t column) const {
    return vector_of(columns_, static_cast<std::int64_t>(row * size_ + column));
  }

  /** Returns an index plus a number of elements. */
  static loop_nest::IndexExpression moved(const loop_nest::IndexExpression& index, std::size_t elements) {
    return index + loop_nest::IndexExpression(static_cast<std::int64_t>(elements));
  }

  void add_condition(std::vector<loop_nest::Condition>& conditions, const loop_nest::IndexExpression& index,
                     std::size_t dimension) const {
    const loop_nest::Condition inside{index, tensor_.shape[dimension], 1};
    if (loop_nest::decide(inside, loops_.ranges()) != loop_nest::Certainty::Always)
      conditions.push_back(inside);
  }

  LoweredLoops& loops_;
  const TileTransform& transform_;
  const task::TensorAccess& tensor_;
  std::size_t size_;  ///< rows and columns of a transformed tile
  Counter tile_row_;
  Counter tile_column_;
  Counter lane_;
  int columns_ = 0;
  int halves_ = 0;
};

class InputTransform : private TransformLowering {
 public:
  InputTransform(LoweredLoops& loops, const InputCopy& copy)
      : TransformLowering(loops, copy.input(), loops.length(loops.schedule().tile_transform()->channel_lane)),
        copy_(copy),
        block_(make_counter(loops, "channel_block", loops.length(transform_.channel_block))),
        rows_((tile_row_.count - 1) * transform_.tile + static_cast<std::int64_t>(size_)),
        columns_of_patch_((tile_column_.count - 1) * transform_.tile + static_cast<std::int64_t>(size_)) {}

  loop_nest::StatementPtr run() {
    patch_ = add_temporary("_patch", loop_nest::BufferScope::Local, {rows_, columns_of_patch_});
    add_registers(static_cast<std::int64_t>(size_));
    loop_nest::StatementPtr fill = fill_patch();
    return block_.around(loop_nest::make_statement(loop_nest::Allocate{
        patch_, loop_nest::make_sequence({std::move(fill), for_tiles(transform_tile())})}));
  }

 private:
  loop_nest::StatementPtr fill_patch() {
    const Counter row = make_counter(loops_, "patch_row", rows_);
    const Counter column = make_counter(loops_, "patch_column", columns_of_patch_);
    const auto axes = loops_.axis_values([this](LoopId loop) { return !copy_.held(loop); });
    std::vector<loop_nest::IndexExpression> indices;
    for (const task::AccessIndex& index : tensor_.indices)
      indices.push_back(LoweredLoops::numerator(index, axes));
    indices[1] += block_.index * lane_.count + lane_.index;
    indices[2] += row.index;
    indices[3] += column.index;
    loop_nest::Compute copy{loop_nest::Operation::CopyOrZero,
                            vector_of(patch_, row.index * columns_of_patch_ + column.index),
                            {loops_.global(copy_.input(), indices)},
                            1,
                            {}};
    add_condition(copy.conditions, indices[2], 2);
    add_condition(copy.conditions, indices[3], 3);
    if (copy.conditions.empty()) copy.operation = loop_nest::Operation::Copy;
    return row.around(column.around(
        lane_.around(loop_nest::make_statement(std::move(copy)), loop_nest::LoopKind::Vectorized)));
  }

  Statements transform_tile() const {
    const LinearMap linear = map(task::winograd_transform(transform_.tile).input);
    const loop_nest::IndexExpression first_row = tile_row_.index * transform_.tile;
    const loop_nest::IndexExpression first_column = tile_column_.index * transform_.tile;
    Statements statements;
    for (std::size_t column = 0; column < size_; ++column)
      linear.add(
          statements,
          [&](std::size_t row) {
            return vector_of(patch_, moved(first_row, row) * columns_of_patch_ + moved(first_column, column));
          },
          [&](std::size_t row) { return column_element(row, column); });
    for (std::size_t row = 0; row < size_; ++row)
      linear.add(
          statements, [&](std::size_t column) { return column_element(row, column); },
          [&](std::size_t column) {
            return loop_nest::BufferAccess{copy_.buffer,
                                           transformed_place(loops_, copy_.indexed,
                                                             [&](LoopId loop) {
                                                               return loop == transform_.channel_block
                                                                          ? block_.index
                                                                          : value(loop, row, column);
                                                             }),
                                           0};
          });
    return statements;
  }

  const InputCopy& copy_;
  Counter block_;
  std::int64_t rows_;              ///< of the part of the image that a block's tiles read
  std::int64_t columns_of_patch_;  ///< its columns
  int patch_ = 0;
};

class ResultTransform : private TransformLowering {
 public:
  ResultTransform(LoweredLoops& loops, const Stage& stage, const TransformedTile& results)
      : TransformLowering(loops, loops.schedule().op().inputs.size(),
                          loops.length(loops.schedule().tile_transform()->output_lane)),
        results_(results) {
    const LoopId at = loops.schedule().attached_at(stage, loops.configuration());
    for (const LoopId loop : results.numbered)
      if (is_channel(loop))
        channels_.push_back(
            {loop, make_counter(loops, "output_" + loops.schedule().loop(loop).name, loops.length(loop))});
    // The tiles' own loops are counted here; the channels' loops have other variables here.
    const auto axes = loops.axis_values([&](LoopId loop) {
      return !loops.serial_inside(loop, at) || is_channel(loop) || loop == transform_.output_lane;
    });
    for (const task::AccessIndex& index : tensor_.indices) {
      loop_nest::IndexExpression value = LoweredLoops::numerator(index, axes);
      for (const auto& [loop, counter] : channels_) value = replaced(value, loop, counter);
      first_.push_back(replaced(value, transform_.output_lane, lane_));
    }
  }

  loop_nest::StatementPtr run() {
    add_registers(transform_.tile);
    loop_nest::StatementPtr body = for_tiles(transform_tile());
    for (std::size_t i = channels_.size(); i-- > 0;) body = channels_[i].second.around(std::move(body));
    return body;
  }

 private:
  /** Returns true for loops over vectors of output channels. */
  bool is_channel(LoopId loop) const {
    return loop != transform_.output_lane &&
           loops_.schedule().loop(loop).axis == loops_.schedule().loop(transform_.output_lane).axis;
  }

  loop_nest::IndexExpression replaced(const loop_nest::IndexExpression& value, LoopId loop,
                                      const Counter& counter) const {
    return loops_.runs(loop) ? value.substitute(loops_.variable_of(loop), counter.index, loops_.ranges())
                             : value;
  }

  loop_nest::BufferAccess result(std::size_t row, std::size_t column) const {
    return {results_.buffer,
            transformed_place(loops_, results_.numbered,
                              [&](LoopId loop) {
                                for (const auto& [channel, counter] : channels_)
                                  if (channel == loop) return counter.index;
                                return value(loop, row, column);
                              }),
            0};
  }

  Statements transform_tile() const {
    const LinearMap linear = map(task::winograd_transform(transform_.tile).output);
    Statements statements;
    for (std::size_t column = 0; column < size_; ++column)
      linear.add(
          statements, [&](std::size_t row) { return result(row, column); },
          [&](std::size_t row) { return column_element(row, column); });
    for (std::size_t row = 0; row < static_cast<std::size_t>(transform_.tile); ++row) {
      std::vector<loop_nest::IndexExpression> indices = first_;
      indices[2] = moved(indices[2] + tile_row_.index * transform_.tile, row);
      const loop_nest::IndexExpression first_column = first_[3] + tile_column_.index * transform_.tile;
      linear.add(
          statements, [&](std::size_t column) { return column_element(row, column); },
          [&](std::size_t column) {
            indices[3] = moved(first_column, column);
            return loops_.global(loops_.schedule().op().inputs.size(), indices);
          },
          [&](std::size_t column, loop_nest::Compute& compute) {
            indices[3] = moved(first_column, column);
            add_condition(compute.conditions, indices[2], 2);
            add_condition(compute.conditions, indices[3], 3);
            add_epilogue(compute, indices);
          });
    }
    return statements;
  }

  void add_epilogue(loop_nest::Compute& compute,
                    const std::vector<loop_nest::IndexExpression>& indices) const {
    compute.epilogue = loops_.schedule().op().epilogue;
    for (loop_nest::BufferAccess& operand : loops_.operands_at(indices))
      compute.sources.push_back(std::move(operand));
  }

  const TransformedTile& results_;
  std::vector<std::pair<LoopId, Counter>> channels_;
  std::vector<loop_nest::IndexExpression> first_;  ///< indices of the first output of a block's first tile
};

}  // namespace

TransformedTile make_transformed_tile(LoweredLoops& loops, loop_nest::Buffer buffer,
                                      std::vector<LoopId> numbered_by) {
  const TileTransform& transform = *loops.schedule().tile_transform();
  const std::vector<LoopId>& parts = loops.schedule().loop(transform.positions).parts;
  std::ranges::replace(numbered_by, parts.back(), transform.positions);
  std::erase_if(numbered_by, [&](LoopId loop) { return loop_nest::contains(parts, loop); });
  // A transform stores vectors of channels.
  if (std::erase(numbered_by, transform.channel_lane) > 0) numbered_by.push_back(transform.channel_lane);
  std::int64_t plane = loops.length(numbered_by.back());  // one vector of padding against cache conflicts
  std::int64_t elements = 1;
  for (std::size_t i = 2; i < numbered_by.size(); ++i) elements *= loops.length(numbered_by[i]);
  plane += elements;
  buffer.extents = {loops.length(numbered_by[0]), loops.length(numbered_by[1]), plane};
  return {loops.add_buffer(std::move(buffer)), std::move(numbered_by)};
}

TransformedTile make_transformed_results(LoweredLoops& loops, const Stage& stage) {
  const LoopId at = loops.schedule().attached_at(stage, loops.configuration());
  std::vector<LoopId> numbered_by;
  for (const LoopId loop : loops.order())
    if (loops.serial_inside(loop, at) && !loops.is_reduction(loop)) numbered_by.push_back(loop);
  loop_nest::Buffer buffer;
  buffer.name = tensor_access(loops.schedule().op(), loops.schedule().op().inputs.size()).tensor + "_tiles";
  buffer.element_type = task::to_string(loops.schedule().op().accumulator);
  buffer.scope = stage.scope;
  buffer.written = true;
  return make_transformed_tile(loops, std::move(buffer), std::move(numbered_by));
}

loop_nest::IndexExpression transformed_place(const LoweredLoops& loops, const std::vector<LoopId>& numbered,
                                             const LoopValue& value) {
  std::vector<std::int64_t> extents;
  std::vector<loop_nest::IndexExpression> indices;
  std::int64_t plane = 1;
  for (std::size_t i = 2; i < numbered.size(); ++i) {
    extents.push_back(loops.length(numbered[i]));
    indices.push_back(value(numbered[i]));
    plane *= extents.back();
  }
  plane += extents.back();
  return (value(numbered[0]) * loops.length(numbered[1]) + value(numbered[1])) * plane +
         box_offset(extents, indices);
}

loop_nest::IndexExpression transformed_place(const LoweredLoops& loops, const std::vector<LoopId>& numbered) {
  const LoopId positions = loops.schedule().tile_transform()->positions;
  return transformed_place(loops, numbered, [&](LoopId loop) {
    if (loop != positions) return loops.index_of(loop);
    return loops.value_of(
        positions, [](LoopId) { return true; }, [](LoopId, const loop_nest::IndexExpression&) {});
  });
}

loop_nest::StatementPtr transform_input(LoweredLoops& loops, const InputCopy& copy) {
  return InputTransform(loops, copy).run();
}

loop_nest::StatementPtr transform_results(LoweredLoops& loops, const Stage& stage,
                                          const TransformedTile& results) {
  return ResultTransform(loops, stage, results).run();
}

bool is_transform_buffer(const loop_nest::Buffer& buffer, const std::string& tensor) {
  return std::ranges::any_of(temporary_endings, [&](std::string_view ending) {
    return buffer.name == tensor + std::string(ending);
  });
}

}  // namespace kernelscape::schedule
