#include "core/exchange/kernels/layout_conversion.h"

#include <algorithm>
#include <functional>
#include <set>

namespace kernelscape::exchange {
namespace {

/** A loop over a part of a dimension's index: index = sum of piece * divisor. */
struct IndexPiece {
  int source = 0;
  std::int64_t divisor = 1;
  std::int64_t extent = 1;
  std::int64_t from_stride = 0;
  std::int64_t to_stride = 0;
};

/** Returns the dimensions with an extent above 1. */
std::vector<loop_nest::LayoutDimension> lasting_dimensions(const loop_nest::Layout& layout) {
  std::vector<loop_nest::LayoutDimension> dimensions = layout.dimensions;
  std::erase_if(dimensions,
                [](const loop_nest::LayoutDimension& dimension) { return dimension.extent == 1; });
  return dimensions;
}

std::int64_t divided_up(std::int64_t value, std::int64_t divisor) { return (value + divisor - 1) / divisor; }

/** Returns the number of elements of a dimension for which memory has places. */
std::int64_t places_of(const loop_nest::Layout& layout, int source) {
  std::int64_t places = 1;
  for (const loop_nest::LayoutDimension& dimension : layout.dimensions)
    if (dimension.source == source) places = std::max(places, dimension.divisor * dimension.extent);
  return places;
}

/** Returns the divisors of a dimension, largest first; 1 is always included. */
std::set<std::int64_t, std::greater<>> divisors_of(const LayoutConversion& conversion, int source) {
  std::set<std::int64_t, std::greater<>> divisors{1};
  for (const loop_nest::Layout* layout : {&conversion.from, &conversion.to})
    for (const loop_nest::LayoutDimension& dimension : layout->dimensions)
      if (dimension.source == source) divisors.insert(dimension.divisor);
  return divisors;
}

/** Returns true if a layout's parts of a dimension are those between consecutive divisors, each once. */
bool parts_nest(const loop_nest::Layout& layout, int source) {
  std::vector<loop_nest::LayoutDimension> parts;
  for (const loop_nest::LayoutDimension& dimension : layout.dimensions)
    if (dimension.source == source) parts.push_back(dimension);
  std::ranges::sort(parts, {}, &loop_nest::LayoutDimension::divisor);
  std::int64_t expected = 1;
  for (const loop_nest::LayoutDimension& part : parts) {
    if (part.divisor != expected) return false;
    expected = part.divisor * part.extent;
  }
  return expected >= layout.shape[static_cast<std::size_t>(source)];
}

/**
 * Returns the change of the offset for one step of a piece: the part of the layout that contains it, and its
 * position in the part.
 */
std::int64_t stride_of(const loop_nest::Layout& layout, const IndexPiece& piece) {
  std::int64_t stride = 1;
  for (auto part = layout.dimensions.rbegin(); part != layout.dimensions.rend(); ++part) {
    const bool inside = part->source == piece.source && part->divisor <= piece.divisor &&
                        piece.divisor < part->divisor * part->extent;
    if (inside) return stride * (piece.divisor / part->divisor);
    stride *= part->extent;
  }
  return 0;
}

/** Returns the pieces of all dimensions; nullopt if divisors do not nest. */
std::optional<std::vector<IndexPiece>> pieces_of(const LayoutConversion& conversion) {
  std::vector<IndexPiece> pieces;
  for (std::size_t d = 0; d < conversion.to.shape.size(); ++d) {
    const int source = static_cast<int>(d);
    if (!parts_nest(conversion.from, source) || !parts_nest(conversion.to, source)) return std::nullopt;
    std::int64_t above = std::max(places_of(conversion.from, source), places_of(conversion.to, source));
    bool outermost = true;
    for (const std::int64_t divisor : divisors_of(conversion, source)) {
      if (!outermost && above % divisor != 0) return std::nullopt;
      IndexPiece piece{source, divisor, divided_up(above, divisor)};
      piece.from_stride = stride_of(conversion.from, piece);
      piece.to_stride = stride_of(conversion.to, piece);
      if (piece.extent > 1) pieces.push_back(piece);
      above = divisor;
      outermost = false;
    }
  }
  return pieces;
}

class ConversionWriter {
 public:
  ConversionWriter(base::CSourceText name, const LayoutConversion& conversion, std::vector<IndexPiece> pieces)
      : name_(std::move(name)), conversion_(conversion), pieces_(std::move(pieces)) {
    // In the order of the target's memory: it is written once and sequentially.
    std::ranges::stable_sort(pieces_, std::greater(), &IndexPiece::to_stride);
  }

  base::CSourceText run() {
    line(base::write<base::CSource>("void {}(int part, int parts, const float *from, float *to) {{", name_));
    ++depth_;
    shared_loop();
    for (std::size_t i = shared_; i < pieces_.size(); ++i) {
      line(base::write<base::CSource>("for (long long x{0} = 0; x{0} < {1}; ++x{0}) {{", i,
                                      pieces_[i].extent));
      ++depth_;
    }
    move_element();
    while (depth_ > 0) {
      --depth_;
      line(base::Literal("}"));
    }
    return text_;
  }

 private:
  void line(const base::CSourceText& text) {
    text_ += base::write<base::CSource>("{:{}}{}\n", base::Literal(""), 2 * depth_, text);
  }

  /** Writes the outer loops as a single loop, of which each part executes a range. */
  void shared_loop() {
    constexpr std::int64_t enough = 64;
    std::int64_t count = 1;
    while (shared_ + 1 < pieces_.size() && count < enough) count *= pieces_[shared_++].extent;
    line(base::write<base::CSource>("const long long end = {}LL * (part + 1) / parts;", count));
    line(base::write<base::CSource>("for (long long step = {}LL * part / parts; step < end; ++step) {{",
                                    count));
    ++depth_;
    std::int64_t step = 1;
    for (std::size_t i = shared_; i-- > 0;) {
      line(base::write<base::CSource>("const long long x{} = step / {} % {};", i, step, pieces_[i].extent));
      step *= pieces_[i].extent;
    }
    // A tensor of one element, or of one piece, is converted by a single part.
    if (shared_ == 0) line(base::Literal("(void)step;"));
  }

  /** Returns "x0 * 16 + x3". */
  base::CSourceText sum(std::int64_t (*factor)(const IndexPiece&), int source) const {
    base::CSourceText text;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (source >= 0 && pieces_[i].source != source) continue;
      const std::int64_t stride = factor(pieces_[i]);
      if (stride == 0) continue;
      if (!text.empty()) text += " + ";
      text += stride == 1 ? base::write<base::CSource>("x{}", i)
                          : base::write<base::CSource>("x{} * {}", i, stride);
    }
    return text.empty() ? base::CSourceText("0") : text;
  }

  /**
   * For dimensions whose pieces exceed the end: returns the condition that the index is below a limit in all
   * of them.
   */
  base::CSourceText below(const std::function<std::int64_t(int source)>& limit) const {
    base::CSourceText text;
    for (std::size_t d = 0; d < conversion_.to.shape.size(); ++d) {
      const int source = static_cast<int>(d);
      std::int64_t reach = 1;
      for (const IndexPiece& piece : pieces_)
        if (piece.source == source) reach += (piece.extent - 1) * piece.divisor;
      if (reach <= limit(source)) continue;
      if (!text.empty()) text += " && ";
      text += base::write<base::CSource>(
          "{} < {}", sum([](const IndexPiece& piece) { return piece.divisor; }, source), limit(source));
    }
    return text;
  }

  void move_element() {
    const base::CSourceText to = sum([](const IndexPiece& piece) { return piece.to_stride; }, -1);
    const base::CSourceText from = sum([](const IndexPiece& piece) { return piece.from_stride; }, -1);
    const base::CSourceText there =
        below([&](int source) { return conversion_.to.shape[static_cast<std::size_t>(source)]; });
    const base::CSourceText padded = below([&](int source) { return places_of(conversion_.to, source); });
    if (there.empty()) {
      line(base::write<base::CSource>("to[{}] = from[{}];", to, from));
      return;
    }
    if (!padded.empty()) line(base::write<base::CSource>("if ({})", padded));
    line(base::write<base::CSource>("{}to[{}] = {} ? from[{}] : 0.0f;",
                                    padded.empty() ? base::Literal("") : base::Literal("  "), to, there,
                                    from));
  }

  base::CSourceText name_;
  const LayoutConversion& conversion_;
  std::vector<IndexPiece> pieces_;
  std::size_t shared_ = 0;  ///< outer loops that the parts share
  base::CSourceText text_;
  int depth_ = 0;
};

}  // namespace

bool lie_alike(const loop_nest::Layout& one, const loop_nest::Layout& other) {
  return one.shape == other.shape && lasting_dimensions(one) == lasting_dimensions(other);
}

bool is_plain(const loop_nest::Layout& layout) {
  return lie_alike(layout, loop_nest::row_major({}, layout.shape));
}

std::optional<loop_nest::Layout> carried_to(const loop_nest::Layout& layout,
                                            const std::vector<std::int64_t>& shape) {
  if (layout.shape.size() != shape.size()) return std::nullopt;
  loop_nest::Layout carried{layout.name, shape, layout.dimensions};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    loop_nest::LayoutDimension* outermost = nullptr;
    for (loop_nest::LayoutDimension& dimension : carried.dimensions) {
      if (dimension.source != static_cast<int>(d)) continue;
      if (outermost == nullptr || dimension.divisor > outermost->divisor) outermost = &dimension;
    }
    if (outermost == nullptr) return std::nullopt;
    outermost->extent = divided_up(shape[d], outermost->divisor);
  }
  return carried;
}

std::optional<base::CSourceText> conversion_function(const base::CSourceText& name,
                                                     const LayoutConversion& conversion) {
  std::optional<std::vector<IndexPiece>> pieces = pieces_of(conversion);
  if (!pieces) return std::nullopt;
  return ConversionWriter(name, conversion, std::move(*pieces)).run();
}

}  // namespace kernelscape::exchange
