#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/exchange/kernels/c_text.h"
#include "core/exchange/kernels/kernel_files.h"

namespace kernelscape {
namespace {

constexpr std::string_view header_frame =
    R"(/** One dimension of a packed tensor, outermost first: (index[source] / divisor) % extent. */
typedef struct @L@_dimension {
  int source;
  long long divisor;
  long long extent;
} @L@_dimension;

/** How a tensor of floats lies in memory. Packed elements that no plain element maps to hold 0 in inputs. */
typedef struct @L@_tensor {
  const char *name;
  const char *layout;
  int rank;
  const long long *shape; /* plain, row-major */
  int dimension_count;
  const @L@_dimension *dimensions;
  long long elements;        /* product of the shape */
  long long packed_elements; /* floats to allocate */
} @L@_tensor;

/** A kernel of this library; tensors[0] and [1] are the inputs, [2] is the output. */
typedef struct @L@_kernel {
  const char *name;
  const char *task;       /* "resnet18/C6" */
  const char *definition; /* "conv2d 1x64x56x56 ..." */
  double flops;
  void (*run)(int part, int parts, const float *first, const float *second, float *output);
  @L@_tensor tensors[3];
} @L@_kernel;

extern const @L@_kernel @L@_kernels[];
extern const int @L@_kernel_count;

/** The kernel of a task, by the task's name or its definition; null where there is none. */
const @L@_kernel *@L@_find(const char *task);

/** From plain row-major to packed; fills what no element maps to with 0. */
void @L@_pack(const @L@_tensor *tensor, const float *plain, float *packed);
/** From packed to plain row-major. */
void @L@_unpack(const @L@_tensor *tensor, const float *packed, float *plain);

#ifdef __cplusplus
}
#endif
#endif
)";

constexpr std::string_view table_functions = R"(
const @L@_kernel *@L@_find(const char *task) {
  for (int i = 0; i < @L@_kernel_count; ++i)
    if (strcmp(@L@_kernels[i].task, task) == 0 || strcmp(@L@_kernels[i].definition, task) == 0)
      return &@L@_kernels[i];
  return NULL;
}

/** Where the element with this row-major number lies. */
static long long offset_of(const @L@_tensor *tensor, long long element) {
  long long offset = 0;
  for (int d = 0; d < tensor->dimension_count; ++d) {
    const @L@_dimension *dimension = &tensor->dimensions[d];
    long long index = element;
    for (int i = tensor->rank - 1; i > dimension->source; --i) index /= tensor->shape[i];
    index %= tensor->shape[dimension->source];
    offset = offset * dimension->extent + index / dimension->divisor % dimension->extent;
  }
  return offset;
}

void @L@_pack(const @L@_tensor *tensor, const float *plain, float *packed) {
  for (long long i = 0; i < tensor->packed_elements; ++i) packed[i] = 0.0f;
  for (long long i = 0; i < tensor->elements; ++i) packed[offset_of(tensor, i)] = plain[i];
}

void @L@_unpack(const @L@_tensor *tensor, const float *packed, float *plain) {
  for (long long i = 0; i < tensor->elements; ++i) plain[i] = packed[offset_of(tensor, i)];
}
)";

std::string tensor_lines(const KernelArgument& argument) {
  const Layout& layout = argument.layout;
  return fmt::format(" *   {} {}: plain [{}], packed {} ({}), {} floats\n *     {} lies at {}\n",
                     argument.output ? "output" : "input", c_comment(argument.name),
                     fmt::join(layout.shape, "]["), physical_extents(layout), c_comment(layout.name),
                     layout.physical_count(), indexed(c_comment(argument.name), layout),
                     offset_expression(layout));
}

std::string parameters(const ExportedKernel& kernel) {
  std::string text;
  for (const KernelArgument& argument : kernel.source.arguments)
    text += fmt::format(", {}float *{}", argument.output ? "" : "const ", argument.name);
  return text;
}

std::string prototype(const ExportedKernel& kernel) {
  std::string text = fmt::format("/**\n * {}\n * {}\n", c_comment(kernel.measured.task.text),
                                 c_comment(result_text(kernel.measured)));
  for (const KernelArgument& argument : kernel.source.arguments) text += tensor_lines(argument);
  return text + fmt::format(" */\nvoid {}(int part, int parts{});\n\n", kernel.name, parameters(kernel));
}

std::string tensor_data(const ExportedKernel& kernel, std::size_t number) {
  const Layout& layout = kernel.source.arguments[number].layout;
  std::string dimensions;
  for (const LayoutDimension& dimension : layout.dimensions) {
    dimensions += fmt::format("{}{{{}, {}, {}}}", dimensions.empty() ? "" : ", ", dimension.source,
                              dimension.divisor, dimension.extent);
  }
  return fmt::format(
      "static const long long {0}_shape_{1}[] = {{{2}}};\n"
      "static const @L@_dimension {0}_dimensions_{1}[] = {{{3}}};\n",
      kernel.name, number, fmt::join(layout.shape, ", "), dimensions);
}

std::string tensor_entry(const ExportedKernel& kernel, std::size_t number) {
  const KernelArgument& argument = kernel.source.arguments[number];
  const Layout& layout = argument.layout;
  return fmt::format("      {{{0}, {1}, {2}, {3}_shape_{4}, {5}, {3}_dimensions_{4}, {6}, {7}}},\n",
                     c_string(argument.name), c_string(layout.name), layout.shape.size(), kernel.name, number,
                     layout.dimensions.size(), layout.logical_count(), layout.physical_count());
}

std::string kernel_entry(const ExportedKernel& kernel) {
  const Task& task = kernel.measured.task;
  std::string text = fmt::format("    {{{}, {}, {}, {:.1f}, {}, {{\n", c_string(kernel.name),
                                 c_string(task.name), c_string(task.text), task.flops(), kernel.name);
  for (std::size_t i = 0; i < kernel.source.arguments.size(); ++i) text += tensor_entry(kernel, i);
  return text + "    }},\n";
}

}  // namespace

std::string with_library_name(std::string_view text, std::string_view name) {
  constexpr std::string_view mark = "@L@";
  std::string result;
  while (true) {
    const std::size_t found = text.find(mark);
    result += text.substr(0, found);
    if (found == std::string_view::npos) return result;
    result += name;
    text.remove_prefix(found + mark.size());
  }
}

std::string library_header(const KernelLibrary& library) {
  std::string text = with_library_name(
      "/*\n"
      " * Kernels found by Kernelscape. README.md says how they were measured.\n"
      " *\n"
      " * A kernel computes part `part` of `parts` of its output: call it with part = 0, 1, ..., parts - 1, "
      "in any\n"
      " * order and, for speed, from as many threads at the same time. The caller owns the threads. All "
      "tensors are\n"
      " * packed floats, aligned to floats; the output does not overlap the inputs, is written as a whole "
      "and need\n"
      " * not be initialised.\n"
      " */\n"
      "#ifndef @L@_H\n#define @L@_H\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
      library.name);
  for (const ExportedKernel& kernel : library.kernels) text += prototype(kernel);
  return text + with_library_name(header_frame, library.name);
}

std::string library_table(const KernelLibrary& library) {
  std::string text = with_library_name(
      "/* The kernels of @L@.h and the layouts of their tensors. */\n"
      "#include <string.h>\n\n#include \"@L@.h\"\n\n",
      library.name);
  for (const ExportedKernel& kernel : library.kernels)
    for (std::size_t i = 0; i < kernel.source.arguments.size(); ++i)
      text += with_library_name(tensor_data(kernel, i), library.name);
  text += with_library_name("\nconst @L@_kernel @L@_kernels[] = {\n", library.name);
  for (const ExportedKernel& kernel : library.kernels) text += kernel_entry(kernel);
  text += with_library_name(fmt::format("}};\n\nconst int @L@_kernel_count = {};\n", library.kernels.size()),
                            library.name);
  return text + with_library_name(table_functions, library.name);
}

}  // namespace kernelscape
