#include "core/codegen/gpu_emitter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "core/codegen/epilogue_text.h"
#include "core/codegen/tensor_core_text.h"
#include "core/loop_nest/nest_text.h"
#include "core/loop_nest/rewrite.h"
#include "core/loop_nest/shared_memory.h"

namespace kernelscape::codegen {
namespace {

/** The spellings that differ between the two dialects. */
struct GpuDialect {
  std::string_view kernel;          ///< the text before its name, with {} for the threads of a block
  std::string_view global;          ///< address space of tensors
  std::string_view shared;          ///< address space of a block's arrays
  std::string_view shared_pointer;  ///< address space of pointers to a block's arrays
  std::string_view aligned;         ///< attribute of arrays that vectors are stored to
  std::string_view restrict_keyword;
  std::string_view barrier;
  std::string_view half_type;
  std::array<std::string_view, 6> indices;  ///< by LaunchDimension
};

constexpr GpuDialect cuda{
    "extern \"C\" __global__ void __launch_bounds__({})\n",
    "",
    "__shared__ ",
    "",
    "__align__(16) ",
    "__restrict__",
    "__syncthreads();",
    "unsigned short",
    {"blockIdx.x", "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y", "threadIdx.z"}};

constexpr GpuDialect opencl{"__kernel __attribute__((reqd_work_group_size({})))\nvoid ",
                            "__global ",
                            "__local ",
                            "__local ",
                            "__attribute__((aligned(16))) ",
                            "restrict",
                            "barrier(CLK_LOCAL_MEM_FENCE);",
                            "ushort",
                            {"get_group_id(0)", "get_group_id(1)", "get_group_id(2)", "get_local_id(0)",
                             "get_local_id(1)", "get_local_id(2)"}};

const GpuDialect& dialect_of(Dialect dialect) {
  switch (dialect) {
    case Dialect::Cuda:
      return cuda;
    case Dialect::OpenCl:
      return opencl;
    case Dialect::C:
      break;
  }
  throw std::logic_error("C has no GPU kernels");
}

class GpuEmitter : private KernelBody {
 public:
  GpuEmitter(const loop_nest::LoopNest& nest, Dialect dialect)
      : KernelBody(nest),
        dialect_(dialect),
        words_(dialect_of(dialect)),
        integer_(index_type()),
        memory_(loop_nest::place_shared_buffers(nest)) {}

  std::string run(const KernelDescription& description) {
    for (const loop_nest::LaunchIndex& index : nest_.launch)
      line(1, fmt::format("const {} {} = {};", integer_, name_of(index.variable),
                          words_.indices[static_cast<std::size_t>(index.dimension)]));
    if (nest_.body) print(nest_.body, 1);
    head_ = header_comment(nest_, description, notes()) + tensor_core_functions(nest_) +
            signature(description) + overlay() + aligned_ + shared_;
    return head_ + body_ + "}\n";
  }

  /** Returns the statements by line; valid after run(). */
  LineStatements lines() const { return line_statements(head_, statements()); }

 private:
  // --- the frame ---

  std::vector<std::string> notes() const {
    const Launch launch = launch_of(nest_);
    return {fmt::format("Launched as {} blocks of {} threads; {} bytes of shared memory.",
                        fmt::join(launch.grid, " x "), fmt::join(launch.block, " x "), memory_.bytes)};
  }

  std::string signature(const KernelDescription& description) const {
    const Launch launch = launch_of(nest_);
    const std::string threads = dialect_ == Dialect::Cuda ? fmt::format("{}", launch.threads())
                                                          : fmt::format("{}", fmt::join(launch.block, ", "));
    std::vector<std::string> arguments;
    for (const loop_nest::Buffer& buffer : nest_.buffers) {
      if (buffer.scope != loop_nest::BufferScope::Global) continue;
      arguments.push_back(fmt::format("{}{}{} *{} {}", words_.global, buffer.written ? "" : "const ",
                                      type_of(buffer), words_.restrict_keyword, buffer.name));
    }
    return fmt::format(fmt::runtime(words_.kernel), threads) +
           fmt::format("{}({}) {{\n", description.entry, fmt::join(arguments, ", "));
  }

  /** Returns int if every offset into a tensor fits into it. */
  std::string_view index_type() const {
    for (const loop_nest::Buffer& buffer : nest_.buffers)
      if (buffer.scope == loop_nest::BufferScope::Global &&
          buffer.layout.physical_count() > std::numeric_limits<std::int32_t>::max())
        return "long";
    return "int";
  }

  /**
   * Returns the declaration of one array, if buffers with disjoint lifetimes share the same place; aligned as
   * matrices need it.
   */
  std::string overlay() const {
    if (!memory_.overlaid) return {};
    const std::string_view aligned =
        dialect_ == Dialect::Cuda ? "__align__(32)" : "__attribute__((aligned(32)))";
    return fmt::format("  {}{} unsigned char shared_memory[{}];\n", words_.shared, aligned, memory_.bytes);
  }

  // --- statements ---

  std::string_view type_of(const loop_nest::Buffer& of) const {
    return loop_nest::element_bytes(of) == 2 ? words_.half_type : "float";
  }

  void print(const loop_nest::StatementPtr& statement, int depth) {
    as_next_statement(
        [&] { std::visit([&](const auto& node) { print_node(node, depth); }, statement->node); });
  }

  void print_node(const loop_nest::Loop& loop, int depth) {
    const std::int64_t iterations = loop.end - loop.begin;
    if (iterations <= 0) return skip_statements(loop_nest::count_statements(loop.body));
    const std::string& name = name_of(loop.variable);
    if (loop.unroll_hint > 1)
      line(depth, fmt::format("#pragma unroll {}", std::min(loop.unroll_hint, iterations)));
    line(depth,
         fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1}) {{", integer_, name, loop.begin, loop.end));
    print(loop.body, depth + 1);
    line(depth, "}");
  }

  void print_node(const loop_nest::Let& let, int depth) {
    line(depth, fmt::format("const {} {} = {};", integer_, name_of(let.variable), spell(let.value)));
    print(let.body, depth);
  }

  void print_node(const loop_nest::Guard& guard, int depth) {
    line(depth, fmt::format("if ({}) {{", tests(guard.conditions)));
    print(guard.body, depth + 1);
    line(depth, "}");
  }

  void print_node(const loop_nest::Sequence& sequence, int depth) {
    for (const loop_nest::StatementPtr& part : sequence.statements) {
      const bool names = std::holds_alternative<loop_nest::Let>(part->node);
      if (names) line(depth, "{");
      print(part, names ? depth + 1 : depth);
      if (names) line(depth, "}");
    }
  }

  void print_node(const loop_nest::Allocate& allocate, int depth) {
    const loop_nest::Buffer& allocated = buffer(allocate.buffer);
    if (allocated.scope == loop_nest::BufferScope::Shared && memory_.overlaid) {
      line(depth, "{");
      line(depth + 1,
           fmt::format("{}{} *const {} = ({}{} *)(shared_memory + {});", words_.shared_pointer,
                       type_of(allocated), allocated.name, words_.shared_pointer, type_of(allocated),
                       memory_.first_bytes[static_cast<std::size_t>(allocate.buffer)]));
      print(allocate.body, depth + 1);
      line(depth, "}");
      return;
    }
    if (allocated.scope == loop_nest::BufferScope::Shared) {
      // OpenCL declares a block's shared arrays at the top of the kernel; so does CUDA here, for uniformity.
      // Arrays that must be aligned come first, so that there is no padding between them.
      const bool aligned = holds_vectors(allocate);
      (aligned ? aligned_ : shared_) +=
          fmt::format("  {}{}{} {}[{}];\n", words_.shared, aligned ? words_.aligned : std::string_view(),
                      type_of(allocated), allocated.name, loop_nest::element_count(allocated));
      print(allocate.body, depth);
      return;
    }
    line(depth, "{");
    line(depth + 1, allocated.scope == loop_nest::BufferScope::Fragments
                        ? fragment_declaration(allocated) + ";"
                        : fmt::format("{} {}[{}];", type_of(allocated), allocated.name,
                                      loop_nest::element_count(allocated)));
    print(allocate.body, depth + 1);
    line(depth, "}");
  }

  static bool holds_vectors(const loop_nest::Allocate& allocate) {
    bool vectors = false;
    loop_nest::for_each_compute(allocate.body, [&](const loop_nest::Compute& compute) {
      vectors = vectors || (compute.lanes > 1 && compute.destination.buffer == allocate.buffer);
    });
    return vectors;
  }

  void print_node(const loop_nest::Barrier&, int depth) { line(depth, std::string(words_.barrier)); }

  // --- operations ---

  void print_node(const loop_nest::FragmentOperation& operation, int depth) {
    if (dialect_ != Dialect::Cuda) throw std::logic_error("tensor cores are only supported in CUDA");
    line(depth, fragment_call(nest_, operation,
                              [&](const loop_nest::IndexExpression& value) { return spell(value); }));
  }

  void print_node(const loop_nest::Compute& compute, int depth) {
    const std::string value = compute.lanes == 1 ? scalar_operation(compute) : vector_copy(compute);
    if (compute.conditions.empty() || compute.operation == loop_nest::Operation::CopyOrZero) {
      line(depth, value);
      return;
    }
    line(depth, fmt::format("if ({}) {{", tests(compute.conditions)));
    line(depth + 1, value);
    line(depth, "}");
  }

  std::string_view zero(const loop_nest::BufferAccess& access) const {
    return loop_nest::element_bytes(buffer(access.buffer)) == 2 ? "0" : "0.0f";
  }

  std::string scalar_operation(const loop_nest::Compute& compute) const {
    const std::string destination = element(compute.destination);
    switch (compute.operation) {
      case loop_nest::Operation::SetZero:
        return fmt::format("{} = {};", destination, zero(compute.destination));
      case loop_nest::Operation::Copy:
        if (!compute.epilogue.empty()) return finished_copy(compute);
        return fmt::format("{} = {};", destination, element(compute.sources[0]));
      case loop_nest::Operation::CopyOrZero:
        return fmt::format("{} = {} ? {} : {};", destination, tests(compute.conditions),
                           element(compute.sources[0]), zero(compute.destination));
      case loop_nest::Operation::MultiplyAccumulate:
        return fmt::format("{} += {} * {};", destination, element(compute.sources[0]),
                           element(compute.sources[1]));
      case loop_nest::Operation::Combine:
        throw std::logic_error("a GPU's kernel has no linear transforms");
    }
    throw std::logic_error("unknown kind of operation");
  }

  /** Returns a copy of one element with the steps of its epilogue. */
  std::string finished_copy(const loop_nest::Compute& compute) const {
    std::string text = fmt::format("{{ float value = {};", element(compute.sources[0]));
    std::size_t operand = 1;
    for (const task::EpilogueStep& step : compute.epilogue) {
      if (!task::has_operand(step.kind))
        text += fmt::format(" value = {};", gpu_step_expression(step, dialect_));
      else
        text += fmt::format(" value {} {};", step.kind == task::EpilogueKind::Scale ? "*=" : "+=",
                            element(compute.sources[operand++]));
    }
    return text + fmt::format(" {} = value; }}", element(compute.destination));
  }

  /** Returns the type that moves this many elements at once. */
  std::string vector_type(const loop_nest::Buffer& of, std::int64_t lanes) const {
    if (loop_nest::element_bytes(of) == 4) return fmt::format("float{}", lanes);
    switch (lanes) {
      case 2:
        return dialect_ == Dialect::Cuda ? "unsigned int" : "ushort2";
      case 4:
        return dialect_ == Dialect::Cuda ? "uint2" : "ushort4";
      case 8:
        return dialect_ == Dialect::Cuda ? "uint4" : "ushort8";
      default:
        throw std::logic_error("there is no f16 vector with this number of lanes");
    }
  }

  std::string vector_copy(const loop_nest::Compute& compute) const {
    if (!compute.epilogue.empty()) throw std::logic_error("a GPU's thread finishes one sum at a time");
    const loop_nest::Buffer& from =
        buffer(compute.sources.empty() ? compute.destination.buffer : compute.sources[0].buffer);
    const loop_nest::Buffer& to = buffer(compute.destination.buffer);
    const std::string type = vector_type(from, compute.lanes);
    const auto at = [&](const loop_nest::Buffer& of, const loop_nest::BufferAccess& access) {
      return fmt::format("{} + {}", of.name, spell(access.offset));
    };
    std::string value = fmt::format("({})(0)", type);
    if (dialect_ == Dialect::Cuda) value = type == "unsigned int" ? "0u" : type + "{}";
    if (compute.operation != loop_nest::Operation::SetZero) {
      const std::string source = at(from, compute.sources[0]);
      std::string load = dialect_ == Dialect::Cuda ? fmt::format("*(const {} *)({})", type, source)
                                                   : fmt::format("vload{}(0, {})", compute.lanes, source);
      value = compute.operation == loop_nest::Operation::CopyOrZero
                  ? fmt::format("{} ? {} : {}", tests(compute.conditions), load, value)
                  : load;
    }
    const std::string destination = at(to, compute.destination);
    return dialect_ == Dialect::Cuda ? fmt::format("*({} *)({}) = {};", type, destination, value)
                                     : fmt::format("vstore{}({}, 0, {});", compute.lanes, value, destination);
  }

  Dialect dialect_;
  const GpuDialect& words_;
  std::string_view integer_;
  loop_nest::SharedMemory memory_;
  std::string aligned_;
  std::string shared_;
  std::string head_;  ///< the source before the body
};

}  // namespace

std::int64_t shared_bytes(const loop_nest::LoopNest& nest) {
  return loop_nest::place_shared_buffers(nest).bytes;
}

Launch launch_of(const loop_nest::LoopNest& nest) {
  Launch launch;
  for (const loop_nest::LaunchIndex& index : nest.launch) {
    const std::int64_t count = nest.ranges[static_cast<std::size_t>(index.variable)].high + 1;
    const auto dimension = static_cast<std::size_t>(index.dimension);
    (dimension < 3 ? launch.grid[dimension] : launch.block[dimension - 3]) = count;
  }
  return launch;
}

KernelSource emit_gpu(const loop_nest::LoopNest& nest, Dialect dialect, const KernelDescription& description,
                      LineStatements* lines) {
  KernelSource source;
  source.dialect = dialect;
  GpuEmitter emitter(nest, dialect);
  source.text = emitter.run(description);
  if (lines != nullptr) *lines = emitter.lines();
  source.entry = description.entry;
  source.flags = description.flags;
  source.arguments = kernel_arguments(nest);
  source.launch = launch_of(nest);
  source.shared_bytes = shared_bytes(nest);
  return source;
}

}  // namespace kernelscape::codegen
