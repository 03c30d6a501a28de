#include "core/schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/schedule/constraint_derivation.h"
#include "core/schedule/resolved_record.h"
#include "core/schedule/schedule_check.h"

namespace kernelscape::schedule {

Schedule::Schedule(task::TensorOperator op) : op_(std::move(op)), padded_(op_.axes.size(), false) {
  for (std::size_t i = 0; i < op_.axes.size(); ++i) {
    Loop loop;
    loop.name = op_.axes[i].name;
    loop.axis = static_cast<int>(i);
    loop.length.fixed = op_.axes[i].extent;
    loops_.push_back(std::move(loop));
  }
  for (std::size_t i = 0; i <= op_.inputs.size(); ++i) {
    const task::TensorAccess& tensor = tensor_access(op_, i);
    PackedLayout plain{"row-major", {}};
    for (std::size_t d = 0; d < tensor.shape.size(); ++d)
      plain.dimensions.push_back({static_cast<int>(d), {}, {}});
    layouts_.push_back({std::nullopt, {std::move(plain)}});
  }
  Stage sums;
  sums.tensor = static_cast<int>(op_.inputs.size());
  stages_.push_back(std::move(sums));
}

bool Schedule::has_axis(std::string_view name) const {
  return std::ranges::any_of(op_.axes, [&](const task::TensorAxis& axis) { return axis.name == name; });
}

int Schedule::tensor(std::string_view name) const {
  for (std::size_t i = 0; i <= op_.inputs.size(); ++i)
    if (tensor_access(op_, i).tensor == name) return static_cast<int>(i);
  throw std::logic_error(fmt::format("the operator has no tensor {}", name));
}

LoopId Schedule::axis(std::string_view name) const {
  for (std::size_t i = 0; i < op_.axes.size(); ++i)
    if (op_.axes[i].name == name) return LoopId{static_cast<int>(i)};
  throw std::logic_error(fmt::format("the operator has no axis {}", name));
}

std::int64_t Schedule::fixed_length(LoopId loop) const {
  const LoopLength& length = this->loop(loop).length;
  if (length.kind != LoopLength::Kind::Fixed)
    throw std::logic_error(fmt::format("the length of {} depends on a knob", this->loop(loop).name));
  return length.fixed;
}

void Schedule::pad(LoopId axis, std::int64_t multiple) {
  LoopLength& length = at(axis).length;
  const std::int64_t rounded = (length.fixed + multiple - 1) / multiple * multiple;
  padded_[static_cast<std::size_t>(axis.number)] = true;
  length.fixed = rounded;
}

KnobId Schedule::add_knob(Result<space::Knob> knob) {
  if (!knob) {
    if (!error_) error_ = knob.error();
    knob = space::Knob::ordinal("unusable", {space::KnobValue{std::int64_t{1}}});
  }
  knobs_.push_back(std::move(*knob));
  return KnobId{static_cast<int>(knobs_.size()) - 1};
}

LoopId Schedule::add_part(LoopId whole, std::size_t number, LoopLength length) {
  Loop part;
  part.name = fmt::format("{}_{}", loop(whole).name, number);
  part.axis = loop(whole).axis;
  part.part_of = whole;
  part.length = std::move(length);
  const LoopId id{static_cast<int>(loops_.size())};
  loops_.push_back(std::move(part));
  at(whole).parts.push_back(id);
  return id;
}

std::vector<LoopId> Schedule::split(LoopId loop, int parts, const std::string& knob,
                                    std::int64_t last_at_most) {
  const KnobId id = add_knob(space::Knob::factorization(knob, fixed_length(loop), parts, last_at_most));
  for (int i = 0; i < parts; ++i)
    add_part(loop, static_cast<std::size_t>(i), {LoopLength::Kind::Element, 1, id, i, {}, {}});
  return this->loop(loop).parts;
}

std::vector<LoopId> Schedule::tile(LoopId loop, const std::string& knob,
                                   const std::vector<std::int64_t>& inner) {
  const KnobId id = ordinal(knob, inner);
  const LoopId tile{static_cast<int>(loops_.size()) + 1};
  add_part(loop, 0, {LoopLength::Kind::CeilQuotient, 1, {}, 0, loop, tile});
  add_part(loop, 1, {LoopLength::Kind::Element, 1, id, 0, {}, {}});
  return this->loop(loop).parts;
}

std::vector<LoopId> Schedule::tile_evenly(LoopId loop, const std::vector<LoopLength>& inner) {
  const std::int64_t whole = fixed_length(loop);
  std::vector<LoopId> tile;
  for (std::size_t i = 0; i < inner.size(); ++i)
    tile.push_back(LoopId{static_cast<int>(loops_.size() + 1 + i)});
  add_part(loop, 0, LoopLength::quotient(whole, tile));
  for (std::size_t i = 0; i < inner.size(); ++i) add_part(loop, i + 1, inner[i]);
  return this->loop(loop).parts;
}

std::vector<LoopId> Schedule::split_by(LoopId loop, std::int64_t inner) {
  const std::int64_t whole = fixed_length(loop);
  if (whole % inner != 0)
    throw std::logic_error(fmt::format("{} does not divide {}", inner, this->loop(loop).name));
  add_part(loop, 0, {LoopLength::Kind::Fixed, whole / inner, {}, 0, {}, {}});
  add_part(loop, 1, {LoopLength::Kind::Fixed, inner, {}, 0, {}, {}});
  return this->loop(loop).parts;
}

LoopId Schedule::fuse(const std::vector<LoopId>& loops, const std::string& name) {
  const LoopId id{static_cast<int>(loops_.size())};
  Loop fused;
  fused.name = name;
  fused.axis = loop(loops.back()).axis;  // the axis along which one iteration moves
  std::int64_t product = 1;
  bool fixed = true;
  for (const LoopId one : loops) {
    Loop& record = at(one);
    if (!record.parts.empty() || record.fused_into)
      throw std::logic_error(fmt::format("fuse: {} is split or fused already", record.name));
    if (op_.axes[static_cast<std::size_t>(record.axis)].reduction !=
        op_.axes[static_cast<std::size_t>(fused.axis)].reduction)
      throw std::logic_error(fmt::format("fuse: {} is a reduction, or not, unlike the others", record.name));
    record.fused_into = id;
    fixed = fixed && record.length.kind == LoopLength::Kind::Fixed;
    product *= record.length.fixed;
  }
  // A fixed length can be split by a knob's factors.
  fused.length = fixed ? LoopLength::of_number(product) : LoopLength::product(loops);
  fused.fuses = loops;
  loops_.push_back(std::move(fused));
  return id;
}

KnobId Schedule::ordinal(const std::string& name, const std::vector<std::int64_t>& values) {
  return add_knob(space::Knob::ordinal(name, std::vector<space::KnobValue>(values.begin(), values.end())));
}

KnobId Schedule::categorical(const std::string& name, std::vector<space::KnobValue> values) {
  return add_knob(space::Knob::categorical(name, std::move(values)));
}

KnobId Schedule::permutation(const std::string& name, const std::vector<LoopId>& loops) {
  std::vector<std::string> items;
  for (const LoopId id : loops) items.push_back(loop(id).name);
  return add_knob(space::Knob::permutation(name, std::move(items)));
}

void Schedule::reorder(std::vector<OrderItem> order) { order_ = std::move(order); }
void Schedule::bind(LoopId loop, Binding binding) { at(loop).binding = binding; }

void Schedule::parallel(const std::vector<LoopId>& loops) {
  parallel_ = loops;
  for (const LoopId loop : loops) at(loop).binding = Binding::Parallel;
}

void Schedule::vectorize(LoopId loop) { at(loop).vectorized = true; }

void Schedule::tensorize(const Intrinsic& intrinsic, std::vector<LoopId> loops) {
  if (loops.size() != intrinsic.loops.size())
    throw std::logic_error(
        fmt::format("tensorize: {} takes {} loops", intrinsic.name, intrinsic.loops.size()));
  if (intrinsic.form == IntrinsicForm::DotProduct) at(loops.front()).vectorized = true;
  tensorized_ = Tensorized{&intrinsic, std::move(loops)};
}

void Schedule::tensorize_if(KnobId knob) { tensorized_.value().used_if = knob; }

void Schedule::unroll(LoopId loop) { at(loop).unrolled = true; }
void Schedule::unroll_if(LoopId loop, KnobId knob) { at(loop).unrolled_if = knob; }
void Schedule::unroll_hint(LoopId loop, KnobId factor) { at(loop).unroll_hint = factor; }
AttachPoint Schedule::attach_by(const std::string& knob, std::vector<LoopId> loops) {
  std::vector<std::int64_t> places;
  while (places.size() < loops.size()) places.push_back(std::ssize(places));
  return {ordinal(knob, places), std::move(loops)};
}

void Schedule::cache_read(int input, loop_nest::BufferScope scope, AttachPoint at, CopyOptions options) {
  stages_.push_back({StageKind::CacheRead, input, scope, std::move(at), options});
}

void Schedule::cache_write(loop_nest::BufferScope scope, AttachPoint at, CopyOptions options) {
  stages_.push_back(
      {StageKind::CacheWrite, static_cast<int>(op_.inputs.size()), scope, std::move(at), options});
}

std::vector<const Stage*> Schedule::stages(StageKind kind, loop_nest::BufferScope scope) const {
  std::vector<const Stage*> result;
  for (const Stage& stage : stages_)
    if (stage.kind == kind && stage.scope == scope) result.push_back(&stage);
  return result;
}

const Stage* Schedule::accumulator() const {
  const auto found = std::ranges::find(stages_, StageKind::CacheWrite, &Stage::kind);
  return found == stages_.end() ? nullptr : &*found;
}

std::optional<LoopId> Schedule::dot_group() const {
  if (!tensorized_ || tensorized_->intrinsic->form != IntrinsicForm::DotProduct) return std::nullopt;
  return tensorized_->loops.front();
}

bool Schedule::multiplies_elements(const space::Configuration& configuration) const {
  return tensorized_ && tensorized_->used_if && knob_value(*tensorized_->used_if, configuration) == 0;
}

LoopId Schedule::attached_at(const Stage& stage, const space::Configuration& configuration) const {
  if (!stage.at.knob) return stage.at.loops.front();
  return stage.at.loops.at(static_cast<std::size_t>(knob_value(*stage.at.knob, configuration)));
}

void Schedule::transform_tiles(const TileTransform& transform) { tile_transform_ = transform; }

void Schedule::auto_unroll(const std::vector<std::int64_t>& max_steps) {
  const KnobId steps = ordinal("auto_unroll_max_step", max_steps);
  const KnobId in_source =
      categorical("unroll_explicit", {space::KnobValue{std::int64_t{0}}, space::KnobValue{std::int64_t{1}}});
  auto_unroll_ = {steps, in_source};
}

void Schedule::layout(int tensor, PackedLayout layout) {
  layouts_[static_cast<std::size_t>(tensor)] = {std::nullopt, {std::move(layout)}};
}

void Schedule::layout_by(int tensor, KnobId knob, std::vector<PackedLayout> layouts) {
  layouts_[static_cast<std::size_t>(tensor)] = {knob, std::move(layouts)};
}

void Schedule::require_product_at_most(const std::string& name, const std::vector<LoopId>& loops,
                                       std::int64_t bound, const std::string& reason) {
  bounds_.push_back({name, loops, bound, reason});
}

void Schedule::limit_product(const std::string& name, const std::vector<LoopId>& loops, std::int64_t bound,
                             const std::string& reason) {
  product_limits_.push_back({name, loops, bound, reason});
}

void Schedule::require_not_longer(LoopId loop, LoopId than, const std::string& reason) {
  length_orders_.push_back({loop, than, reason});
}

void Schedule::require_length_in(LoopId loop, std::vector<std::int64_t> lengths, const std::string& reason) {
  length_candidates_.push_back({loop, std::move(lengths), reason});
}

void Schedule::name(const std::vector<LoopId>& loops, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < loops.size(); ++i) at(loops[i]).name = names.at(i);
}

Result<space::SearchSpace> Schedule::finish() const {
  if (error_) return std::unexpected(*error_);
  ConstraintBuilder builder(*this);
  for (const ProductBound& bound : bounds_) builder.require(bound);
  for (const LengthOrder& order : length_orders_)
    builder.require_not_more(builder.length_of(order.shorter), builder.length_of(order.longer), order.reason);
  for (const LengthCandidates& candidates : length_candidates_)
    builder.require_in(builder.length_of(candidates.loop), candidates.lengths, candidates.reason);
  return space::SearchSpace::make(knobs_, std::move(builder).take());
}

Status Schedule::check(TargetKind target) const { return check_schedule(*this, target); }

std::int64_t Schedule::knob_value(KnobId knob, const space::Configuration& configuration) const {
  const auto number = static_cast<std::size_t>(knob.number);
  return knobs_[number].element(configuration.indices[number], 0);
}

std::int64_t Schedule::length(LoopId id, const space::Configuration& configuration) const {
  const LoopLength& length = loop(id).length;
  switch (length.kind) {
    case LoopLength::Kind::Fixed:
      return length.fixed;
    case LoopLength::Kind::Element: {
      const auto number = static_cast<std::size_t>(length.knob.number);
      return knobs_[number].element(configuration.indices[number], length.position);
    }
    case LoopLength::Kind::CeilQuotient: {
      const std::int64_t tile = this->length(length.tile, configuration);
      return (this->length(length.whole, configuration) + tile - 1) / tile;
    }
    case LoopLength::Kind::Quotient: {
      std::int64_t divisor = 1;
      for (const LoopId tile : length.loops) divisor *= this->length(tile, configuration);
      return (length.fixed + divisor - 1) / divisor;
    }
    case LoopLength::Kind::Product:
      return length_product(*this, length.loops, configuration);
    case LoopLength::Kind::Select:
      return this->length(length.loops.at(static_cast<std::size_t>(knob_value(length.knob, configuration))),
                          configuration);
  }
  throw std::logic_error("unknown kind of loop length");
}

std::vector<LoopId> Schedule::ordered_loops(const space::Configuration& configuration) const {
  std::vector<LoopId> result;
  for (const OrderItem& item : order_) {
    if (item.permutation) {
      const auto number = static_cast<std::size_t>(item.permutation->number);
      const std::uint32_t index = configuration.indices[number];
      for (int i = 0; i < knobs_[number].element_count(); ++i)
        result.push_back(item.loops[static_cast<std::size_t>(knobs_[number].element(index, i))]);
    } else if (item.choice) {
      const std::uint32_t index = configuration.indices[static_cast<std::size_t>(item.choice->number)];
      result.insert(result.end(), item.alternatives[index].begin(), item.alternatives[index].end());
    } else {
      result.insert(result.end(), item.loops.begin(), item.loops.end());
    }
  }
  return result;
}

const PackedLayout& Schedule::layout_of(int tensor, const space::Configuration& configuration) const {
  const TensorLayouts& layouts = layouts_[static_cast<std::size_t>(tensor)];
  if (!layouts.knob) return layouts.layouts.front();
  return layouts.layouts[configuration.indices[static_cast<std::size_t>(layouts.knob->number)]];
}

int Schedule::innermost_dimension(int tensor) const {
  return layouts_[static_cast<std::size_t>(tensor)].layouts.front().dimensions.back().source;
}

}  // namespace kernelscape::schedule
