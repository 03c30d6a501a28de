#include "core/codegen/c_emitter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <stdexcept>

#include "core/loop_nest/rewrite.h"

namespace kernelscape {
namespace {

constexpr std::size_t names_per_line = 8;

std::string vector_type(std::int64_t lanes) { return lanes == 1 ? "float" : fmt::format("float_x{}", lanes); }

/** A compute with its number among the nest's statements. */
struct NumberedCompute {
  const Compute* compute = nullptr;
  int number = -1;
};

class CEmitter : private KernelBody {
 public:
  explicit CEmitter(const LoopNest& nest) : KernelBody(nest) {}

  std::string run(const KernelDescription& description) {
    if (nest_.body) print(nest_.body, 1);
    head_ = header_comment(nest_, description,
                           {"Computes part `part` of `parts`; parts may run at the same time."}) +
            types() + signature(description);
    return head_ + body_ + "}\n";
  }

  /** After run(). */
  LineStatements lines() const { return line_statements(head_, statements()); }

 private:
  // --- the frame ---

  std::string types() const {
    std::string text;
    for (const std::int64_t lanes : vector_widths_) {
      const std::string name = vector_type(lanes);
      const std::int64_t bytes = 4 * lanes;
      text += fmt::format("typedef float {} __attribute__((vector_size({})));\n", name, bytes);
      // Tensors are aligned to elements only: the compiler must not assume a whole vector's alignment.
      text +=
          fmt::format("typedef float unaligned_{} __attribute__((vector_size({}), aligned(4), may_alias));\n",
                      name, bytes);
      text += helper(fmt::format("load_x{}", lanes), name,
                     fmt::format("(const float *p) {{ return *(const unaligned_{} *)p; }}", name));
      text += helper(fmt::format("store_x{}", lanes), "void",
                     fmt::format("(float *p, {0} v) {{ *(unaligned_{0} *)p = v; }}", name));
      text += helper(fmt::format("broadcast_x{}", lanes), name,
                     fmt::format("(float x) {{ return x - ({}){{0}}; }}", name));
      text += "\n";
    }
    return text;
  }

  /** A small function, where the body calls it. */
  std::string helper(const std::string& name, const std::string& type, const std::string& definition) const {
    if (body_.find(name + "(") == std::string::npos) return {};
    return fmt::format("static inline {} {}{}\n", type, name, definition);
  }

  std::string signature(const KernelDescription& description) const {
    std::string arguments;
    for (const Buffer& buffer : nest_.buffers) {
      if (buffer.scope != BufferScope::Global) continue;
      arguments += fmt::format(", {}float *restrict {}", buffer.written ? "" : "const ", buffer.name);
    }
    return fmt::format("void {}(int part, int parts{}) {{\n", description.entry, arguments);
  }

  // --- statements ---

  void print(const StatementPtr& statement, int depth) {
    as_next_statement(
        [&] { std::visit([&](const auto& node) { print_node(node, depth); }, statement->node); });
  }

  void print_node(const Loop& loop, int depth) {
    const std::string& name = name_of(loop.variable);
    if (loop.kind == LoopKind::Parallel) {
      line(depth,
           fmt::format("for (long {0} = {1}L * part / parts; {0} < {1}L * (part + 1) / parts; ++{0}) {{",
                       name, loop.end));
    } else {
      if (loop.unroll_hint > 1) line(depth, fmt::format("#pragma GCC unroll {}", loop.unroll_hint));
      line(depth, fmt::format("for (long {0} = {1}; {0} < {2}; ++{0}) {{", name, loop.begin, loop.end));
    }
    print(loop.body, depth + 1);
    line(depth, "}");
  }

  void print_node(const Let& let, int depth) {
    line(depth, fmt::format("const long {} = {};", name_of(let.variable), spell(let.value)));
    print(let.body, depth);
  }

  void print_node(const Guard& guard, int depth) {
    line(depth, fmt::format("if ({}) {{", tests(guard.conditions)));
    print(guard.body, depth + 1);
    line(depth, "}");
  }

  void print_node(const Sequence& sequence, int depth) {
    std::vector<NumberedCompute> block;
    for (const StatementPtr& part : sequence.statements) {
      if (const auto* compute = std::get_if<Compute>(&part->node)) {
        as_next_statement([&] { block.push_back({compute, statement_}); });
        continue;
      }
      print_block(block, depth);
      block.clear();
      print(part, depth);
    }
    print_block(block, depth);
  }

  void print_node(const Allocate& allocate, int depth) {
    // Copies of the tile (peeled borders) have the same names: each in a scope of its own.
    line(depth, "{");
    std::map<std::int64_t, std::vector<std::string>> names;  // by lanes
    for_each_compute(allocate.body, [&](const Compute& compute) {
      for (const BufferAccess* access : accesses(compute))
        if (access->buffer == allocate.buffer)
          names[compute.lanes].push_back(register_name(*access, compute.lanes));
    });
    for (auto& [lanes, registers] : names) {
      std::ranges::sort(registers);
      registers.erase(std::ranges::unique(registers).begin(), registers.end());
      for (std::size_t first = 0; first < registers.size(); first += names_per_line) {
        const std::size_t count = std::min(names_per_line, registers.size() - first);
        line(depth + 1, fmt::format("{} {};", type_of(lanes),
                                    fmt::join(std::span(registers).subspan(first, count), ", ")));
      }
    }
    print(allocate.body, depth + 1);
    line(depth, "}");
  }

  [[noreturn]] static void print_node(const Barrier&, int) {
    throw std::logic_error("a CPU's kernel has no barriers");
  }

  [[noreturn]] static void print_node(const FragmentOperation&, int) {
    throw std::logic_error("a CPU's kernel has no fragments");
  }

  void print_node(const Compute& compute, int depth) { print_block({{&compute, statement_}}, depth); }

  static std::vector<const BufferAccess*> accesses(const Compute& compute) {
    std::vector<const BufferAccess*> result{&compute.destination};
    for (const BufferAccess& source : compute.sources) result.push_back(&source);
    return result;
  }

  // --- operations ---

  std::string type_of(std::int64_t lanes) {
    if (lanes > 1) vector_widths_.insert(lanes);
    return vector_type(lanes);
  }

  bool in_registers(const BufferAccess& access) const {
    return buffer(access.buffer).scope == BufferScope::Registers;
  }

  /** sum_2_1: the element's place in the tile; lanes of one vector share the name. */
  std::string register_name(const BufferAccess& access, std::int64_t lanes) const {
    if (!access.offset.is_constant())
      throw std::logic_error("a register tile is indexed by a loop that was not unrolled");
    const Buffer& tile = buffer(access.buffer);
    std::int64_t offset = access.offset.constant();
    std::string suffix;
    for (std::size_t i = tile.extents.size(); i-- > 0;) {
      const bool one_vector = i + 1 == tile.extents.size() && tile.extents[i] == lanes;
      if (!one_vector) suffix = fmt::format("_{}{}", offset % tile.extents[i], suffix);
      offset /= tile.extents[i];
    }
    return tile.name + suffix;
  }

  /** Straight-line operations: loads that several of them share are made once. */
  void print_block(const std::vector<NumberedCompute>& block, int depth) {
    if (block.empty()) return;
    const bool accumulates = std::ranges::any_of(block, [](const NumberedCompute& compute) {
      return compute.compute->operation == Operation::MultiplyAccumulate;
    });
    const int around = statement_;
    if (accumulates && block.size() > 1) {
      print_accumulation(block, depth);
      return;
    }
    for (const auto& [compute, number] : block) {
      statement_ = number;
      line(depth, statement(*compute, {}));
    }
    statement_ = around;
  }

  void print_accumulation(const std::vector<NumberedCompute>& block, int depth) {
    const int around = statement_;
    std::map<std::string, std::string> vectors;  // load -> name
    line(depth, "{");
    for (const auto& [compute, number] : block) {
      statement_ = number;
      for (const BufferAccess& source : compute->sources) {
        if (in_registers(source) || source.lane_stride == 0 || compute->lanes == 1) continue;
        const std::string load = read(source, compute->lanes);
        const auto [place, added] =
            vectors.try_emplace(load, fmt::format("{}_{}", buffer(source.buffer).name, vectors.size()));
        if (added)
          line(depth + 1, fmt::format("const {} {} = {};", type_of(compute->lanes), place->second, load));
      }
      line(depth + 1, statement(*compute, vectors));
    }
    statement_ = around;
    line(depth, "}");
  }

  std::string statement(const Compute& compute, const std::map<std::string, std::string>& vectors) {
    const std::string type = type_of(compute.lanes);
    const auto operand = [&](const BufferAccess& access) {
      std::string text = read(access, compute.lanes);
      const auto named = vectors.find(text);
      return named == vectors.end() ? text : named->second;
    };
    switch (compute.operation) {
      case Operation::SetZero:
        return write(compute.destination, compute.lanes,
                     compute.lanes == 1 ? "0.0f" : fmt::format("({}){{0}}", type));
      case Operation::Copy:
        return write(compute.destination, compute.lanes, operand(compute.sources[0]));
      case Operation::CopyOrZero:
        break;  // of shared tiles alone
      case Operation::MultiplyAccumulate:
        return fmt::format("{} += {} * {};", register_name(compute.destination, compute.lanes),
                           operand(compute.sources[0]), operand(compute.sources[1]));
    }
    throw std::logic_error("an operation of no kind");
  }

  std::string read(const BufferAccess& access, std::int64_t lanes) {
    if (in_registers(access)) return register_name(access, lanes);
    if (lanes == 1) return element(access);
    type_of(lanes);
    if (access.lane_stride == 0) return fmt::format("broadcast_x{}({})", lanes, element(access));
    if (access.lane_stride == 1)
      return fmt::format("load_x{}({} + {})", lanes, buffer(access.buffer).name, spell(access.offset));
    return gather(access, lanes);
  }

  std::string gather(const BufferAccess& access, std::int64_t lanes) const {
    std::vector<std::string> elements;
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      elements.push_back(fmt::format("{}[{}]", buffer(access.buffer).name,
                                     spell(access.offset + IndexExpression(lane * access.lane_stride))));
    return fmt::format("({}){{{}}}", vector_type(lanes), fmt::join(elements, ", "));
  }

  std::string write(const BufferAccess& access, std::int64_t lanes, const std::string& value) {
    if (in_registers(access)) return fmt::format("{} = {};", register_name(access, lanes), value);
    if (lanes == 1) return fmt::format("{} = {};", element(access), value);
    if (access.lane_stride != 1) throw std::logic_error("vectors are stored to consecutive elements only");
    return fmt::format("store_x{}({} + {}, {});", lanes, buffer(access.buffer).name, spell(access.offset),
                       value);
  }

  std::set<std::int64_t> vector_widths_;
  std::string head_;  ///< all in front of the body
};

}  // namespace

KernelSource emit_c(const LoopNest& nest, const KernelDescription& description, LineStatements* lines) {
  KernelSource source;
  CEmitter emitter(nest);
  source.text = emitter.run(description);
  if (lines != nullptr) *lines = emitter.lines();
  source.entry = description.entry;
  source.flags = description.flags;
  source.arguments = kernel_arguments(nest);
  return source;
}

}  // namespace kernelscape
