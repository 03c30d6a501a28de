#include "core/codegen/c_emitter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/codegen/dot_text.h"
#include "core/codegen/epilogue_text.h"
#include "core/codegen/half_text.h"
#include "core/loop_nest/rewrite.h"
#include "core/loop_nest/shared_memory.h"

namespace kernelscape::codegen {
namespace {

constexpr std::size_t names_per_line = 8;

/** Returns the C name of an element type: "float" for f32. */
std::string_view c_type(std::string_view element_type) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> names{
      {{"f32", "float"},
       {"i32", "int"},
       {"u8", "unsigned char"},
       {"i8", "signed char"},
       {"f16", "unsigned short"},
       {"bf16", "unsigned short"}}};
  for (const auto& [type, name] : names)
    if (type == element_type) return name;
  throw std::logic_error(fmt::format("no CPU kernel computes with {}", element_type));
}

/**
 * Returns the accumulator type of a CPU's kernel: that of its register tile, which is also that of its
 * output.
 */
std::string_view sum_type(const loop_nest::LoopNest& nest) {
  for (const loop_nest::Buffer& buffer : nest.buffers)
    if (buffer.scope == loop_nest::BufferScope::Registers) return c_type(buffer.element_type);
  return "float";
}

/** A compute with its number among the nest's statements. */
struct NumberedCompute {
  const loop_nest::Compute* compute = nullptr;
  int number = -1;
};

class CEmitter : private KernelBody {
 public:
  explicit CEmitter(const loop_nest::LoopNest& nest) : KernelBody(nest), sum_type_(sum_type(nest)) {}

  std::string run(const KernelDescription& description) {
    if (nest_.body) print(nest_.body, 1);
    std::vector<std::string> notes{"Computes part `part` of `parts`; parts may run at the same time."};
    if (group_ == bytes_per_group)
      notes.emplace_back(
          "A lane adds up the products of groups of four bytes: by vpdpbusd where the compiler's flags allow "
          "it, else in plain C.");
    if (group_ == bf16_per_group) notes.emplace_back(bf16_group_note(body_));
    head_ = header_comment(nest_, description, notes) + half_scalar_functions(body_) + types() +
            signature(description);
    return head_ + body_ + "}\n";
  }

  /** Returns the statements by line; valid after run(). */
  LineStatements lines() const { return line_statements(head_, statements()); }

 private:
  // --- the frame ---

  std::string types() const {
    std::string text;
    for (const std::int64_t lanes : vector_widths_) {
      const std::string name = vector_type(lanes);
      const std::int64_t bytes = 4 * lanes;
      text += fmt::format("typedef {} {} __attribute__((vector_size({})));\n", sum_type_, name, bytes);
      // Tensors are aligned to elements only: the compiler must not assume a whole vector's alignment.
      text +=
          fmt::format("typedef {} unaligned_{} __attribute__((vector_size({}), aligned({}), may_alias));\n",
                      sum_type_, name, bytes, group_ == bytes_per_group ? 1 : 4);
      text += helper(fmt::format("load_x{}", lanes), name,
                     fmt::format("(const {} *p) {{ return *(const unaligned_{} *)p; }}", sum_type_, name));
      text += helper(fmt::format("store_x{}", lanes), "void",
                     fmt::format("({1} *p, {0} v) {{ *(unaligned_{0} *)p = v; }}", name, sum_type_));
      text += helper(fmt::format("broadcast_x{}", lanes), name,
                     fmt::format("({} x) {{ return x - ({}){{0}}; }}", sum_type_, name));
      text += half_vector_functions(body_, lanes);
      const std::string steps = step_functions(lanes);
      if (group_ == bf16_per_group || !steps.empty())  // groups of int8 have the type of their sums
        text += fmt::format("typedef int int_x{} __attribute__((vector_size({})));\n", lanes, bytes);
      text += dot_helpers(lanes) + steps + "\n";
    }
    if (const std::string functions = step_functions(1); !functions.empty()) text += functions + "\n";
    return text;
  }

  /** Returns the functions of the steps that are applied to this many lanes. */
  std::string step_functions(std::int64_t lanes) const {
    const auto found = steps_.find(lanes);
    return found == steps_.end() ? std::string() : epilogue_functions(found->second, lanes);
  }

  /**
   * Returns the functions for dot products, if the body calls them: a 32-bit lane holds a group of four int8
   * or two bf16 values.
   */
  std::string dot_helpers(std::int64_t lanes) const {
    if (group_ == 1) return {};
    const bool pairs = group_ == bf16_per_group;
    const int alignment = pairs ? 2 : 1;  // of a tensor's elements
    const std::string name = group_vector_type(lanes);
    std::string text;
    if (pairs)  // those of int8 have the type of their sums
      text += fmt::format(
          "typedef int unaligned_{0} __attribute__((vector_size({1}), aligned({2}), may_alias));\n", name,
          4 * lanes, alignment);
    text += helper(fmt::format("load_groups_x{}", lanes), name,
                   fmt::format("(const void *p) {{ return *(const unaligned_{} *)p; }}", name));
    const std::string group =
        helper(fmt::format("broadcast_group_x{}", lanes), name,
               fmt::format("(const void *p) {{ return *(const unaligned_int *)p - ({}){{0}}; }}", name));
    if (!group.empty())
      text += fmt::format("typedef int unaligned_int __attribute__((aligned({}), may_alias));\n", alignment) +
              group;
    text += helper(fmt::format("add_products_x{}", lanes), vector_type(lanes),
                   fmt::format("({0} sum, {1} data, {1} weight) {{\n{2}}}", vector_type(lanes), name,
                               bf16_products(lanes)));
    text += helper(fmt::format("add_dot_x{}", lanes), vector_type(lanes),
                   fmt::format("({0} sum, {1} data, {1} weight) {{\n{2}}}", vector_type(lanes), name,
                               pairs ? bf16_dot_product(lanes) : byte_dot_product(lanes)));
    return text;
  }

  /** Returns a small function, if the body calls it. */
  std::string helper(const std::string& name, const std::string& type, const std::string& definition) const {
    if (body_.find(name + "(") == std::string::npos) return {};
    return fmt::format("static inline {} {}{}\n", type, name, definition);
  }

  std::string signature(const KernelDescription& description) const {
    std::string arguments;
    for (const loop_nest::Buffer& buffer : nest_.buffers) {
      if (buffer.scope != loop_nest::BufferScope::Global) continue;
      arguments += fmt::format(", {}{} *restrict {}", buffer.written ? "" : "const ",
                               c_type(buffer.element_type), buffer.name);
    }
    return fmt::format("void {}(int part, int parts{}) {{\n", description.entry, arguments);
  }

  // --- statements ---

  void print(const loop_nest::StatementPtr& statement, int depth) {
    as_next_statement(
        [&] { std::visit([&](const auto& node) { print_node(node, depth); }, statement->node); });
  }

  void print_node(const loop_nest::Loop& loop, int depth) {
    const std::string& name = name_of(loop.variable);
    if (loop.kind == loop_nest::LoopKind::Parallel) {
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

  void print_node(const loop_nest::Let& let, int depth) {
    line(depth, fmt::format("const long {} = {};", name_of(let.variable), spell(let.value)));
    print(let.body, depth);
  }

  void print_node(const loop_nest::Guard& guard, int depth) {
    line(depth, fmt::format("if ({}) {{", tests(guard.conditions)));
    print(guard.body, depth + 1);
    line(depth, "}");
  }

  void print_node(const loop_nest::Sequence& sequence, int depth) {
    std::vector<NumberedCompute> block;
    for (const loop_nest::StatementPtr& part : sequence.statements) {
      if (const auto* compute = std::get_if<loop_nest::Compute>(&part->node)) {
        as_next_statement([&] { block.push_back({compute, statement_}); });
        continue;
      }
      print_block(block, depth);
      block.clear();
      print(part, depth);
    }
    print_block(block, depth);
  }

  void print_node(const loop_nest::Allocate& allocate, int depth) {
    // Copies of the tile (peeled borders) have the same names, so each has its own scope.
    line(depth, "{");
    if (const loop_nest::Buffer& allocated = buffer(allocate.buffer);
        allocated.scope == loop_nest::BufferScope::Local) {
      line(depth + 1, fmt::format("{} {}[{}] __attribute__((aligned(64)));", c_type(allocated.element_type),
                                  allocated.name, loop_nest::element_count(allocated)));
      print(allocate.body, depth + 1);
      line(depth, "}");
      return;
    }
    std::map<std::int64_t, std::vector<std::string>> names;  // by lanes
    loop_nest::for_each_compute(allocate.body, [&](const loop_nest::Compute& compute) {
      for (const loop_nest::BufferAccess* access : accesses(compute))
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

  [[noreturn]] static void print_node(const loop_nest::Barrier&, int) {
    throw std::logic_error("a CPU's kernel has no barriers");
  }

  [[noreturn]] static void print_node(const loop_nest::FragmentOperation&, int) {
    throw std::logic_error("a CPU's kernel has no fragments");
  }

  void print_node(const loop_nest::Compute& compute, int depth) {
    print_block({{&compute, statement_}}, depth);
  }

  static std::vector<const loop_nest::BufferAccess*> accesses(const loop_nest::Compute& compute) {
    std::vector<const loop_nest::BufferAccess*> result{&compute.destination};
    for (const loop_nest::BufferAccess& source : compute.sources) result.push_back(&source);
    return result;
  }

  // --- operations ---

  std::string vector_type(std::int64_t lanes) const {
    return lanes == 1 ? sum_type_ : fmt::format("{}_x{}", sum_type_, lanes);
  }

  std::string type_of(std::int64_t lanes) {
    if (lanes > 1) vector_widths_.insert(lanes);
    return vector_type(lanes);
  }

  /** Returns the type of a vector of groups: a lane holds the elements of one, whatever the sums are. */
  static std::string group_vector_type(std::int64_t lanes) { return fmt::format("int_x{}", lanes); }

  bool in_registers(const loop_nest::BufferAccess& access) const {
    return buffer(access.buffer).scope == loop_nest::BufferScope::Registers;
  }

  /** sum_2_1: the element's place in the tile; lanes of one vector share the name. */
  std::string register_name(const loop_nest::BufferAccess& access, std::int64_t lanes) const {
    if (!access.offset.is_constant())
      throw std::logic_error("a register tile is indexed by a loop that was not unrolled");
    const loop_nest::Buffer& tile = buffer(access.buffer);
    std::int64_t offset = access.offset.constant();
    std::string suffix;
    for (std::size_t i = tile.extents.size(); i-- > 0;) {
      const bool one_vector = i + 1 == tile.extents.size() && tile.extents[i] == lanes;
      if (!one_vector) suffix = fmt::format("_{}{}", offset % tile.extents[i], suffix);
      offset /= tile.extents[i];
    }
    return tile.name + suffix;
  }

  /** Prints straight-line operations: loads that several of them share are emitted once. */
  void print_block(const std::vector<NumberedCompute>& block, int depth) {
    if (block.empty()) return;
    const bool accumulates = std::ranges::any_of(block, [](const NumberedCompute& compute) {
      return compute.compute->operation == loop_nest::Operation::MultiplyAccumulate;
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
      for (const loop_nest::BufferAccess& source : compute->sources) {
        // Compilers take a broadcast float from memory; a converted one is worth a name.
        const bool broadcast =
            source.lane_stride == 0 && compute->group == 1 && !is_half(element_type(source));
        if (in_registers(source) || broadcast || compute->lanes == 1) continue;
        const std::string load = operand(source, *compute);
        const auto [place, added] = vectors.try_emplace(load, vector_name(source, vectors.size()));
        if (added)
          line(depth + 1,
               fmt::format("const {} {} = {};",
                           compute->group == 1 ? type_of(compute->lanes) : group_vector_type(compute->lanes),
                           place->second, load));
      }
      line(depth + 1, statement(*compute, vectors));
    }
    statement_ = around;
    line(depth, "}");
  }

  /** Returns "weight_0", or another name if a loop has that name. */
  std::string vector_name(const loop_nest::BufferAccess& source, std::size_t number) const {
    std::string name = fmt::format("{}_{}", buffer(source.buffer).name, number);
    while (std::ranges::find(nest_.variables, name) != nest_.variables.end()) name += "v";
    return name;
  }

  std::string statement(const loop_nest::Compute& compute,
                        const std::map<std::string, std::string>& vectors) {
    type_of(compute.lanes);
    const auto source = [&](std::size_t number) {
      std::string text = operand(compute.sources[number], compute);
      const auto named = vectors.find(text);
      return named == vectors.end() ? text : named->second;
    };
    switch (compute.operation) {
      case loop_nest::Operation::SetZero:
        return write(compute.destination, compute.lanes, zero(compute.lanes));
      case loop_nest::Operation::Copy:
        return write(compute.destination, compute.lanes, finished(compute, 1, source(0), source));
      case loop_nest::Operation::CopyOrZero:
        return fmt::format("if ({}) {} else {}", tests(compute.conditions),
                           write(compute.destination, compute.lanes, source(0)),
                           write(compute.destination, compute.lanes, zero(compute.lanes)));
      case loop_nest::Operation::Combine:
        return write(compute.destination, compute.lanes,
                     finished(compute, compute.coefficients.size(), combination(compute), source));
      case loop_nest::Operation::MultiplyAccumulate:
        const std::string sum = register_name(compute.destination, compute.lanes);
        if (compute.group == 1) return fmt::format("{} += {} * {};", sum, source(0), source(1));
        return fmt::format("{0} = {4}_x{1}({0}, {2}, {3});", sum, compute.lanes, source(0), source(1),
                           compute.by_elements ? "add_products" : "add_dot");
    }
    throw std::logic_error("unknown kind of operation");
  }

  /**
   * Returns a value after the steps of an operation's epilogue: "relu_x8((sum + load_x8(bias + f)))".
   * @param first number of the source that is the first operand
   */
  template <typename Source>
  std::string finished(const loop_nest::Compute& compute, std::size_t first, std::string value,
                       const Source& source) {
    if (!compute.epilogue.empty() && sum_type_ != "float")
      throw std::logic_error("the steps of an epilogue are functions of f32");
    if (compute.operation == loop_nest::Operation::Combine && !compute.epilogue.empty())
      value = fmt::format("({})", value);
    for (const task::EpilogueStep& step : compute.epilogue) {
      if (task::has_operand(step.kind)) {
        const char* sign = step.kind == task::EpilogueKind::Scale ? "*" : "+";
        value = fmt::format("({} {} {})", value, sign, source(first++));
        continue;
      }
      steps_[compute.lanes].insert(step.kind);
      value = step_expression(step, value, compute.lanes);
    }
    return value;
  }

  /** Returns "4.0f * a - 5.0f * b + c". */
  std::string combination(const loop_nest::Compute& compute) {
    std::string text;
    for (std::size_t i = 0; i < compute.coefficients.size(); ++i) {
      const double coefficient = compute.coefficients[i];
      const double size = std::fabs(coefficient);
      if (i > 0)
        text += coefficient < 0 ? " - " : " + ";
      else if (coefficient < 0)
        text += "-";
      if (size != 1) text += fmt::format("{}{}f * ", size, size == std::floor(size) ? ".0" : "");
      text += read(compute.sources[i], compute.lanes);
    }
    return text;
  }

  std::string zero(std::int64_t lanes) const {
    if (lanes > 1) return fmt::format("({}){{0}}", vector_type(lanes));
    return sum_type_ == "float" ? "0.0f" : "0";
  }

  /** Returns a source operand of an operation: lanes of elements, or of groups. */
  std::string operand(const loop_nest::BufferAccess& access, const loop_nest::Compute& compute) {
    if (compute.group == 1) return read(access, compute.lanes);
    const bool known = is_half(element_type(access))
                           ? compute.group == bf16_per_group
                           : compute.group == bytes_per_group && !compute.by_elements;
    if (!known || compute.lanes == 1)
      throw std::logic_error("a dot product needs groups of four int8 or two bf16 elements in vectors");
    group_ = compute.group;
    type_of(compute.lanes);
    const std::string place = fmt::format("{} + {}", buffer(access.buffer).name, spell(access.offset));
    if (access.lane_stride == 0) return fmt::format("broadcast_group_x{}({})", compute.lanes, place);
    if (access.lane_stride == compute.group) return fmt::format("load_groups_x{}({})", compute.lanes, place);
    throw std::logic_error("groups of a dot product must be contiguous");
  }

  std::string read(const loop_nest::BufferAccess& access, std::int64_t lanes) {
    if (in_registers(access)) return register_name(access, lanes);
    const std::string type = is_half(element_type(access)) ? "_" + element_type(access) : "";
    if (lanes == 1) return converted(access, element(access));
    type_of(lanes);
    if (access.lane_stride == 0) return fmt::format("broadcast{}_x{}({})", type, lanes, element(access));
    if (access.lane_stride == 1)
      return fmt::format("load{}_x{}({} + {})", type, lanes, buffer(access.buffer).name,
                         spell(access.offset));
    return gather(access, lanes);
  }

  const std::string& element_type(const loop_nest::BufferAccess& access) const {
    return buffer(access.buffer).element_type;
  }

  /** Returns an element in the type of the sums: f16 and bf16 are converted to f32. */
  std::string converted(const loop_nest::BufferAccess& access, const std::string& element) const {
    const std::string& type = element_type(access);
    return is_half(type) ? fmt::format("from_{}({})", type, element) : element;
  }

  std::string gather(const loop_nest::BufferAccess& access, std::int64_t lanes) const {
    std::vector<std::string> elements;
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      elements.push_back(converted(
          access, fmt::format("{}[{}]", buffer(access.buffer).name,
                              spell(access.offset + loop_nest::IndexExpression(lane * access.lane_stride)))));
    return fmt::format("({}){{{}}}", vector_type(lanes), fmt::join(elements, ", "));
  }

  std::string write(const loop_nest::BufferAccess& access, std::int64_t lanes, const std::string& value) {
    if (in_registers(access)) return fmt::format("{} = {};", register_name(access, lanes), value);
    if (is_half(element_type(access))) throw std::logic_error("f16 and bf16 are read and never written");
    if (lanes == 1) return fmt::format("{} = {};", element(access), value);
    if (access.lane_stride != 1) throw std::logic_error("vectors are stored to consecutive elements only");
    return fmt::format("store_x{}({} + {}, {});", lanes, buffer(access.buffer).name, spell(access.offset),
                       value);
  }

  static constexpr std::int64_t bytes_per_group = 4;
  static constexpr std::int64_t bf16_per_group = 2;

  std::string sum_type_;  ///< C type of sums and of the output
  std::set<std::int64_t> vector_widths_;
  std::map<std::int64_t, std::set<task::EpilogueKind>> steps_;  ///< steps of epilogues, by lanes
  std::int64_t group_ = 1;  ///< elements of a group of the dot products that were emitted; 1: none
  std::string head_;        ///< the source before the body
};

}  // namespace

KernelSource emit_c(const loop_nest::LoopNest& nest, const KernelDescription& description,
                    LineStatements* lines) {
  KernelSource source;
  CEmitter emitter(nest);
  source.text = emitter.run(description);
  if (lines != nullptr) *lines = emitter.lines();
  source.entry = description.entry;
  source.flags = description.flags;
  source.arguments = kernel_arguments(nest);
  return source;
}

}  // namespace kernelscape::codegen
