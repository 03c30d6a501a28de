#include "core/exchange/model/strided_loops.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

namespace kernelscape::exchange {
namespace {

using Extents = std::vector<std::int64_t>;

/** A digit of a dimension's index: index / divisor % extent. */
struct Digit {
  std::int64_t divisor = 1;
  std::int64_t extent = 1;
};

/** A range of a dimension's index, from `start`, that digits describe exactly. */
struct Segment {
  std::int64_t start = 0;
  std::vector<Digit> digits;
};

std::int64_t view_stride(const TensorView& view, std::size_t dimension, std::int64_t divisor) {
  std::int64_t stride = 1;
  const std::vector<loop_nest::LayoutDimension>& parts = view.layout.dimensions;
  const std::int64_t step = view.step.empty() ? 1 : view.step[dimension];
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    const bool inside = part->source == static_cast<int>(dimension) && part->extent > 1 &&
                        part->divisor <= divisor && divisor < part->divisor * part->extent;
    if (inside) return stride * (divisor / part->divisor) * step;
    stride *= part->extent;
  }
  return 0;
}

/** Returns the physical offset of an index of which dimensions of extent 1 are 0. */
std::int64_t offset_of_start(const TensorView& view, const Extents& index) {
  Extents own = index;
  for (std::size_t d = 0; d < own.size(); ++d)
    own[d] = view.layout.shape[d] == 1 ? 0 : own[d] * (view.step.empty() ? 1 : view.step[d]);
  return view.base + view.layout.offset(own);
}

/** Divides the indices 0 to extent - 1 into ranges of whole digits. @param divisors descending, the last is 1
 */
void add_segments(std::int64_t start, std::int64_t extent, std::span<const std::int64_t> divisors,
                  std::vector<Segment>& segments) {
  while (divisors.size() > 1 && extent < divisors.front()) divisors = divisors.subspan(1);
  Segment segment{start, {}};
  const std::int64_t top = divisors.front();
  segment.digits.push_back({top, extent / top});
  for (std::size_t i = 1; i < divisors.size(); ++i)
    segment.digits.push_back({divisors[i], divisors[i - 1] / divisors[i]});
  segments.push_back(std::move(segment));
  const std::int64_t rest = extent % top;
  if (rest > 0) add_segments(start + extent - rest, rest, divisors.subspan(1), segments);
}

/** Returns the segments of a dimension; nullopt if the views' divisors do not divide each other. */
std::optional<std::vector<Segment>> segments_of(std::size_t dimension, std::int64_t extent,
                                                std::span<const TensorView> views) {
  std::set<std::int64_t, std::greater<>> divisors{1};
  for (const TensorView& view : views)
    for (const loop_nest::LayoutDimension& part : view.layout.dimensions)
      if (part.source == static_cast<int>(dimension) && part.extent > 1 && part.divisor < extent)
        divisors.insert(part.divisor);
  const Extents list(divisors.begin(), divisors.end());
  for (std::size_t i = 1; i < list.size(); ++i)
    if (list[i - 1] % list[i] != 0) return std::nullopt;
  std::vector<Segment> segments;
  add_segments(0, extent, list, segments);
  return segments;
}

/** Orders loops by the first view's memory and joins those that are contiguous in all views. */
void simplify(std::vector<StridedLoop>& loops) {
  std::erase_if(loops, [](const StridedLoop& loop) { return loop.extent == 1; });
  std::ranges::stable_sort(loops, [](const StridedLoop& one, const StridedLoop& other) {
    return std::abs(one.strides[0]) > std::abs(other.strides[0]);
  });
  for (std::size_t i = loops.size(); i-- > 1;) {
    StridedLoop& outer = loops[i - 1];
    const StridedLoop& inner = loops[i];
    bool joined = true;
    for (std::size_t v = 0; v < inner.strides.size(); ++v)
      joined = joined && outer.strides[v] == inner.strides[v] * inner.extent;
    if (!joined) continue;
    outer = {outer.extent * inner.extent, inner.strides};
    loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/** Adds the nests of the dimensions from `dimension` on, for the segments chosen before it. */
void add_nests(const std::vector<std::vector<Segment>>& segments, std::span<const TensorView> views,
               std::vector<const Segment*>& chosen, std::vector<StridedNest>& nests) {
  if (chosen.size() < segments.size()) {
    for (const Segment& segment : segments[chosen.size()]) {
      chosen.push_back(&segment);
      add_nests(segments, views, chosen, nests);
      chosen.pop_back();
    }
    return;
  }
  Extents start;
  StridedNest nest;
  for (std::size_t d = 0; d < chosen.size(); ++d) {
    start.push_back(chosen[d]->start);
    for (const Digit& digit : chosen[d]->digits) {
      StridedLoop loop{digit.extent, {}};
      for (const TensorView& view : views) loop.strides.push_back(view_stride(view, d, digit.divisor));
      nest.loops.push_back(std::move(loop));
    }
  }
  for (const TensorView& view : views) nest.bases.push_back(offset_of_start(view, start));
  simplify(nest.loops);
  nests.push_back(std::move(nest));
}

/** Returns the products of the extents behind each dimension. */
Extents weights_of(const Extents& shape) {
  Extents weights(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) weights[d - 1] = weights[d] * shape[d];
  return weights;
}

/** Divides a digit of the row-major index into parts of the dimensions of a shape, innermost first. */
std::optional<std::vector<loop_nest::LayoutDimension>> divided_digit(std::int64_t low, std::int64_t high,
                                                                     std::int64_t end_of_source,
                                                                     const Extents& shape) {
  const Extents weights = weights_of(shape);
  std::vector<loop_nest::LayoutDimension> parts;
  for (std::size_t d = shape.size(); d-- > 0 && low < high;) {
    const std::int64_t end = weights[d] * shape[d];
    if (shape[d] == 1 || low >= end) continue;
    if (low < weights[d] || low % weights[d] != 0) return std::nullopt;
    const bool last = high <= end || end == end_of_source;
    // The gaps of a source that continues in the new dimension would lie among its elements.
    if (last && high > end_of_source && end != end_of_source) return std::nullopt;
    const std::int64_t top = last ? high : end;
    if (top % low != 0) return std::nullopt;
    parts.push_back({static_cast<int>(d), low / weights[d], top / low});
    low = top;
  }
  if (low < high) return std::nullopt;
  return parts;
}

/** Returns the parts of a layout that have more than one element, joined where they are contiguous. */
std::vector<loop_nest::LayoutDimension> joined_parts(const loop_nest::Layout& layout) {
  std::vector<loop_nest::LayoutDimension> parts;
  for (const loop_nest::LayoutDimension& part : layout.dimensions) {
    if (part.extent == 1) continue;
    if (!parts.empty() && parts.back().source == part.source &&
        parts.back().divisor == part.divisor * part.extent) {
      parts.back().divisor = part.divisor;
      parts.back().extent *= part.extent;
    } else {
      parts.push_back(part);
    }
  }
  return parts;
}

std::int64_t product(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

std::optional<std::vector<StridedNest>> strided_nests(const Extents& shape,
                                                      std::span<const TensorView> given) {
  // Blocks that are contiguous, such as those of the channels of one pixel, divide nothing.
  std::vector<TensorView> views(given.begin(), given.end());
  for (TensorView& view : views) view.layout.dimensions = joined_parts(view.layout);
  std::vector<std::vector<Segment>> segments;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::optional<std::vector<Segment>> found = segments_of(d, shape[d], views);
    if (!found) return std::nullopt;
    segments.push_back(std::move(*found));
  }
  std::vector<StridedNest> nests;
  if (product(shape) == 0) return nests;
  std::vector<const Segment*> chosen;
  add_nests(segments, views, chosen, nests);
  return nests;
}

std::optional<loop_nest::Layout> reshaped(const loop_nest::Layout& layout, const Extents& shape) {
  if (layout.shape == shape) return layout;
  if (product(layout.shape) != product(shape)) return std::nullopt;
  const Extents weights = weights_of(layout.shape);
  loop_nest::Layout result{layout.name, shape, {}};
  for (const loop_nest::LayoutDimension& part : layout.dimensions) {
    if (part.extent == 1) continue;
    const auto source = static_cast<std::size_t>(part.source);
    const std::int64_t low = weights[source] * part.divisor;
    const std::optional<std::vector<loop_nest::LayoutDimension>> parts =
        divided_digit(low, low * part.extent, weights[source] * layout.shape[source], shape);
    if (!parts) return std::nullopt;
    result.dimensions.insert(result.dimensions.end(), parts->rbegin(), parts->rend());
  }
  return result;
}

bool same_order(const loop_nest::Layout& one, const loop_nest::Layout& other) {
  return one.shape == other.shape && joined_parts(one) == joined_parts(other);
}

bool is_row_major(const loop_nest::Layout& layout) {
  return same_order(layout, loop_nest::row_major({}, layout.shape));
}

bool has_gaps(const loop_nest::Layout& layout) { return layout.physical_count() != layout.logical_count(); }

loop_nest::Layout blocked_channels(const Extents& shape, std::int64_t block) {
  loop_nest::Layout layout = loop_nest::row_major("plain", shape);
  if (block == 1 || shape.size() < 2) return layout;
  layout.name = "channel blocks";
  layout.dimensions[1] = {1, block, (shape[1] + block - 1) / block};
  layout.dimensions.push_back({1, 1, block});
  return layout;
}

std::int64_t channel_block(const loop_nest::Layout& layout) {
  if (is_row_major(layout)) return 1;
  const std::vector<loop_nest::LayoutDimension> parts = joined_parts(layout);
  if (parts.empty() || parts.back().source != 1 || parts.back().divisor != 1 || has_gaps(layout)) return 0;
  const std::int64_t block = parts.back().extent;
  return same_order(layout, blocked_channels(layout.shape, block)) ? block : 0;
}

loop_nest::Layout with_rank(loop_nest::Layout layout, std::size_t rank) {
  if (layout.shape.size() >= rank) return layout;
  const std::size_t added = rank - layout.shape.size();
  layout.shape.insert(layout.shape.begin(), added, 1);
  for (loop_nest::LayoutDimension& part : layout.dimensions) part.source += static_cast<int>(added);
  return layout;
}

}  // namespace kernelscape::exchange
