#include "core/exchange/model/loop_text.h"

#include <algorithm>

namespace kernelscape::exchange {
namespace {

using Text = base::CSourceText;

/** A nest of loops in C, of which the outer loops, or the innermost one, are divided among the parts. */
class NestWriter {
 public:
  NestWriter(const StridedNest& nest, int depth) : nest_(nest), depth_(depth) {}

  void line(const Text& text) {
    text_ += base::write<base::CSource>("{:{}}{}\n", base::Literal(""), 2 * depth_, text);
  }

  void open(const Text& text) {
    line(text);
    ++depth_;
  }

  /** Opens the loops. @param divided the parts share them; otherwise one thread runs all iterations */
  void open_loops(base::Literal variable, bool divided) {
    opened_ = depth_;
    open(base::Literal("{"));
    const std::size_t count = nest_.loops.size();
    std::size_t first = 0;
    bool divide_innermost = false;
    if (divided) {
      constexpr std::int64_t enough = 64;
      std::int64_t outer = 1;
      while (first + 1 < count && outer < enough) outer *= nest_.loops[first++].extent;
      divide_innermost = count > 0 && outer < 16 && nest_.loops.back().extent >= 256;
      if (divide_innermost) first = 0;
      if (count == 0) open(base::Literal("if (part == 0) {"));
      if (count > 0 && !divide_innermost) open_shared(variable, first, outer);
    }
    for (std::size_t i = first; i < count; ++i) {
      const std::int64_t extent = nest_.loops[i].extent;
      if (divide_innermost && i + 1 == count)
        open(base::write<base::CSource>(
            "for (long long {0}{1} = {2}LL * part / parts, end = {2}LL * (part + 1) / parts; {0}{1} < end; "
            "++{0}{1}) {{",
            variable, i, extent));
      else
        open(base::write<base::CSource>("for (long long {0}{1} = 0; {0}{1} < {2}; ++{0}{1}) {{", variable, i,
                                        extent));
    }
  }

  void close_loops() {
    while (depth_ > opened_) {
      --depth_;
      line(base::Literal("}"));
    }
  }

  /** Returns the offset of a view at the current index. @param base the nest's start is added */
  Text offset(base::Literal variable, std::size_t view) const {
    Text text = base::write<base::CSource>("{}", nest_.bases[view]);
    for (std::size_t i = 0; i < nest_.loops.size(); ++i) {
      const std::int64_t stride = nest_.loops[i].strides[view];
      if (stride != 0) text += base::write<base::CSource>(" + {}{} * {}", variable, i, stride);
    }
    return text;
  }

  Text take() { return std::move(text_); }
  void add(const Text& text) { text_ += text; }
  int depth() const { return depth_; }

 private:
  /** Opens one loop over the outer loops together, of which each part has a range. */
  void open_shared(base::Literal variable, std::size_t first, std::int64_t outer) {
    const bool one = first == 0;
    const std::int64_t count = one ? 1 : outer;
    if (one) {
      open(base::Literal("if (part == 0) {"));
      return;
    }
    open(
        base::write<base::CSource>("for (long long item = {0}LL * part / parts, last = {0}LL * (part + 1) / "
                                   "parts; item < last; ++item) {{",
                                   count));
    std::int64_t step = 1;
    for (std::size_t i = first; i-- > 0;) {
      line(base::write<base::CSource>("const long long {}{} = item / {} % {};", variable, i, step,
                                      nest_.loops[i].extent));
      step *= nest_.loops[i].extent;
    }
  }

  const StridedNest& nest_;
  int depth_;
  int opened_ = 0;
  Text text_;
};

/** Declares the pointers. Memory that is written is read through its own pointer only. */
Text pointer_lines(std::span<const LoopPointer> pointers) {
  Text text;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    if (pointers[i].in_place) continue;
    text += base::write<base::CSource>("  {}{} *restrict p{} = {};\n",
                                       i == 0 ? base::Literal("") : base::Literal("const "), pointers[i].type,
                                       i, pointers[i].address);
  }
  return text;
}

}  // namespace

Text loop_text(std::span<const StridedNest> nests, std::span<const LoopPointer> pointers,
               const std::function<Text(const std::vector<Text>&)>& statement) {
  Text text = pointer_lines(pointers);
  for (const StridedNest& nest : nests) {
    NestWriter writer(nest, 1);
    writer.open_loops("x", true);
    std::vector<Text> names{base::write<base::CSource>("p0[{}]", writer.offset("x", 0))};
    for (std::size_t i = 1; i < pointers.size(); ++i) {
      names.push_back(base::write<base::CSource>("v{}", i));
      writer.line(base::write<base::CSource>("const {} v{} = p{}[{}];", pointers[i].type, i,
                                             pointers[i].in_place ? std::size_t{0} : i,
                                             writer.offset("x", i)));
    }
    writer.line(statement(names));
    writer.close_loops();
    text += writer.take();
  }
  return text;
}

Text reduction_text(std::span<const StridedNest> outer, std::span<const StridedNest> inner,
                    std::span<const LoopPointer> pointers, base::Literal begin, base::Literal statement,
                    const Text& end) {
  Text text = pointer_lines(pointers);
  for (const StridedNest& nest : outer) {
    NestWriter writer(nest, 1);
    writer.open_loops("x", true);
    writer.line(begin);
    writer.line(
        base::write<base::CSource>("const {} *q = p1 + {};", pointers[1].type, writer.offset("x", 1)));
    for (const StridedNest& reduced : inner) {
      NestWriter loops(reduced, writer.depth());
      loops.open_loops("r", false);
      loops.line(base::write<base::CSource>("const {} v = q[{}];", pointers[1].type, loops.offset("r", 1)));
      loops.line(statement);
      loops.close_loops();
      writer.add(loops.take());
    }
    writer.line(base::write<base::CSource>("p0[{}] = {};", writer.offset("x", 0), end));
    writer.close_loops();
    text += writer.take();
  }
  return text;
}

}  // namespace kernelscape::exchange
