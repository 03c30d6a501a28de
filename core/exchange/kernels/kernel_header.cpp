#include "core/exchange/kernels/c_text.h"
#include "core/exchange/kernels/kernel_files.h"
#include "core/exchange/kernels/vendor_choice.h"
#include "core/task/winograd.h"
#include "export_text.h"

namespace kernelscape::exchange {
namespace {

constexpr base::Literal vendor_member =
    R"(  const char *vendor;     /* whose it is: part 0 does all of it on threads of OpenMP's; null: of this library */
)";

constexpr base::Literal operands_note =
    R"([3] on are the
 * operands of an epilogue, as many as have a name; `run` takes them packed, in this order. None may be the output.)";

constexpr base::Literal header_end = R"(
#ifdef __cplusplus
}
#endif
#endif
)";

constexpr base::Literal table_functions = R"(
const LIBRARY_kernel *LIBRARY_find(const char *task) {
  for (int i = 0; i < LIBRARY_kernel_count; ++i)
    if (strcmp(LIBRARY_kernels[i].task, task) == 0 || strcmp(LIBRARY_kernels[i].definition, task) == 0)
      return &LIBRARY_kernels[i];
  return NULL;
}
)";

/** Returns the type of an argument of a checked kernel, which is known. */
TensorElement type_of(const codegen::KernelArgument& argument) {
  return tensor_element(argument.element_type).value();
}

base::CSourceText tensor_lines(const ExportedKernel& kernel, std::size_t number) {
  const codegen::KernelArgument& argument = kernel.source.arguments[number];
  const loop_nest::Layout& layout = argument.layout;
  const base::CSourceText name = base::CSource::name(argument.name);
  return base::write<base::CSource>(
      " *   {} {}: plain [{}], packed {} ({}), {} elements of {}\n *     {}{} lies at {}\n",
      role_of_argument(number), name, number_list(plain_shape(layout), "]["), physical_extents(layout),
      base::CSource::comment(layout.name), layout.physical_count(), type_of(argument).name,
      layout.winograd_tile > 0 ? base::Literal("transformed ") : base::Literal(""), indexed(name, layout),
      offset_expression(layout));
}

base::CSourceText parameters(const ExportedKernel& kernel) {
  base::CSourceText text;
  for (const codegen::KernelArgument& argument : kernel.source.arguments)
    text += base::write<base::CSource>(", {}{} *{}",
                                       argument.output ? base::Literal("") : base::Literal("const "),
                                       type_of(argument).c_name, base::CSource::name(argument.name));
  return text;
}

base::CSourceText prototype(const ExportedKernel& kernel) {
  base::CSourceText text =
      base::write<base::CSource>("/**\n * {}\n * {}\n", base::CSource::comment(kernel.measured.task.text),
                                 base::CSource::comment(result_text(kernel)));
  if (kernel.vendor)
    text += base::write<base::CSource>(" * {}\n", base::CSource::comment(kernel.vendor->why));
  if (kernel.is_vendors()) text += " * Part 0 computes the whole, on threads of OpenMP's.\n";
  for (const std::string& disturbance : kernel.measured.disturbances)
    text += base::write<base::CSource>(" * While it was tuned: {}\n", base::CSource::comment(disturbance));
  for (std::size_t i = 0; i < kernel.source.arguments.size(); ++i) text += tensor_lines(kernel, i);
  return text + base::write<base::CSource>(" */\nvoid {}(int part, int parts{});\n\n",
                                           base::CSource::name(kernel.name), parameters(kernel));
}

std::int64_t plain_count(const loop_nest::Layout& layout) {
  std::int64_t count = 1;
  for (const std::int64_t extent : plain_shape(layout)) count *= extent;
  return count;
}

/** Returns the matrix that transforms kernels before they are packed; empty if nothing is transformed. */
base::CSourceText transform_data(const base::CSourceText& owner, const base::CSourceText& which,
                                 const loop_nest::Layout& layout) {
  if (layout.winograd_tile == 0) return {};
  std::vector<base::CSourceText> values;
  for (const std::vector<task::Rational>& row : task::winograd_transform(layout.winograd_tile).weight)
    for (const task::Rational& value : row)
      values.push_back(base::write<base::CSource>("{}.0 / {}.0", value.numerator(), value.denominator()));
  return base::write<base::CSource>("static const double {}_transform_{}[] = {{{}}};\n", owner, which,
                                    base::joined<base::CSource>(values, ", "));
}

/** Returns the members of a tensor that describe its transform. */
base::CSourceText transform_entry(const base::CSourceText& owner, const base::CSourceText& which,
                                  const loop_nest::Layout& layout) {
  if (layout.winograd_tile == 0) return base::CSourceText("NULL, 0");
  return base::write<base::CSource>("{}_transform_{}, {}", owner, which, layout.shape.back());
}

/** Returns the name of the function for this kernel number that accepts tensors of any type. */
base::CSourceText runner_name(const KernelLibrary& library, std::size_t number) {
  return base::write<base::CSource>("{}_run_{}", base::CSource::name(library.name), number);
}

base::CSourceText runner(const KernelLibrary& library, std::size_t number) {
  const ExportedKernel& kernel = library.kernels[number];
  base::CSourceText operands;
  for (std::size_t i = 3; i < kernel.source.arguments.size(); ++i)
    operands += base::write<base::CSource>(", operands[{}]", i - 3);
  const bool unused = library.has_operands() && operands.empty();
  return base::write<base::CSource>(
      "static void {}(int part, int parts, const void *first, const void *second, void *output{}) {{\n"
      "{}  {}(part, parts, first, second, output{});\n}}\n",
      runner_name(library, number),
      library.has_operands() ? base::Literal(", const void *const *operands") : base::Literal(""),
      unused ? base::Literal("  (void)operands;\n") : base::Literal(""), base::CSource::name(kernel.name),
      operands);
}

base::CSourceText kernel_entry(const KernelLibrary& library, std::size_t number) {
  const ExportedKernel& kernel = library.kernels[number];
  const task::Task& task = kernel.measured.task;
  base::CSourceText vendor;
  if (library.has_vendors())
    vendor = base::write<base::CSource>(
        " {},", kernel.is_vendors() ? base::CSource::string(vendor_text(kernel.measured.vendor))
                                    : base::CSourceText("NULL"));
  base::CSourceText text =
      base::write<base::CSource>("    {{{}, {}, {}, {:.1f}, {},{} {{\n", base::CSource::string(kernel.name),
                                 base::CSource::string(task.name), base::CSource::string(task.text),
                                 task.flops(), runner_name(library, number), vendor);
  for (std::size_t i = 0; i < kernel.source.arguments.size(); ++i) {
    const codegen::KernelArgument& argument = kernel.source.arguments[i];
    text += base::write<base::CSource>(
        "      {},\n",
        tensor_entry(base::CSource::name(kernel.name), base::write<base::CSource>("{}", i),
                     base::CSource::string(argument.name), argument.element_type, argument.layout));
  }
  return text + "    }},\n";
}

}  // namespace

base::Literal role_of_argument(std::size_t number) {
  if (number < 2) return "input";
  return number == 2 ? base::Literal("output") : base::Literal("operand");
}

base::CSourceText number_list(const std::vector<std::int64_t>& values, base::Literal separator) {
  std::vector<base::CSourceText> texts;
  for (const std::int64_t value : values) texts.push_back(base::write<base::CSource>("{}", value));
  return base::joined<base::CSource>(texts, separator);
}

std::vector<std::int64_t> plain_shape(const loop_nest::Layout& layout) {
  std::vector<std::int64_t> shape = layout.shape;
  if (layout.winograd_tile > 0) shape[2] = shape[3] = task::winograd_kernel;
  return shape;
}

base::CSourceText tensor_data(const base::CSourceText& library, const base::CSourceText& owner,
                              const base::CSourceText& which, const loop_nest::Layout& layout) {
  std::vector<base::CSourceText> dimensions;
  for (const loop_nest::LayoutDimension& dimension : layout.dimensions)
    dimensions.push_back(
        base::write<base::CSource>("{{{}, {}, {}}}", dimension.source, dimension.divisor, dimension.extent));
  return base::write<base::CSource>(
             "static const long long {0}_shape_{1}[] = {{{2}}};\n"
             "static const {4}_dimension {0}_dimensions_{1}[] = {{{3}}};\n",
             owner, which, number_list(plain_shape(layout), ", "),
             base::joined<base::CSource>(dimensions, ", "), library) +
         transform_data(owner, which, layout);
}

base::CSourceText tensor_entry(const base::CSourceText& owner, const base::CSourceText& which,
                               const base::CSourceText& quoted_name, std::string_view type,
                               const loop_nest::Layout& layout) {
  return base::write<base::CSource>(
      "{{{0}, {8}, {9}, {1}, {2}, {3}_shape_{4}, {5}, {3}_dimensions_{4}, {6}, {7}, {10}}}", quoted_name,
      base::CSource::string(layout.name), layout.shape.size(), owner, which, layout.dimensions.size(),
      plain_count(layout), layout.physical_count(), base::CSource::string(type),
      tensor_element(type).value().bytes, transform_entry(owner, which, layout));
}

base::CSourceText with_library_name(base::Literal frame, const KernelLibrary& library) {
  return base::filled<base::CSource>(frame, {{"LIBRARY", base::CSource::name(library.name)}});
}

base::CSourceText library_header(const KernelLibrary& library) {
  base::CSourceText text = with_library_name(
      "/*\n"
      " * Kernels found by Kernelscape. README.md says how they were measured.\n"
      " *\n"
      " * A kernel computes part `part` of `parts` of its output: call it with part = 0, 1, ..., parts - 1,\n"
      " * in any order and, for speed, from as many threads at the same time. The caller owns the threads. "
      "All\n"
      " * tensors are packed and aligned to their elements. The output overlaps neither the inputs nor the\n"
      " * operands of an epilogue: a residual is another tensor. It is written as a whole and need not be\n"
      " * initialised.\n"
      " */\n"
      "#ifndef LIBRARY_H\n#define LIBRARY_H\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
      library);
  for (const ExportedKernel& kernel : library.kernels) text += prototype(kernel);
  text += base::filled<base::CSource>(
      export_text::header_h,
      {{"LIBRARY", base::CSource::name(library.name)},
       {" EXPORT_OPERANDS_NOTE",
        library.has_operands() ? " " + base::CSourceText(operands_note) : base::CSourceText()},
       {" EXPORT_OPERANDS",
        library.has_operands() ? base::CSourceText(", const void *const *operands") : base::CSourceText()},
       {"EXPORT_TENSORS", base::write<base::CSource>("{}", library.tensors())},
       {"  EXPORT_VENDOR\n",
        library.has_vendors() ? base::CSourceText(vendor_member) : base::CSourceText()}});
  if (library.pass != nullptr) text += conversion_declarations(library);
  return text + header_end;
}

base::CSourceText library_table(const KernelLibrary& library) {
  base::CSourceText text = with_library_name(
      "/* The kernels of LIBRARY.h and the layouts of their tensors. */\n"
      "#include <string.h>\n\n#include \"LIBRARY.h\"\n\n",
      library);
  const base::CSourceText name = base::CSource::name(library.name);
  for (const ExportedKernel& kernel : library.kernels)
    for (std::size_t i = 0; i < kernel.source.arguments.size(); ++i)
      text += tensor_data(name, base::CSource::name(kernel.name), base::write<base::CSource>("{}", i),
                          kernel.source.arguments[i].layout);
  text += "\n";
  for (std::size_t i = 0; i < library.kernels.size(); ++i) text += runner(library, i);
  text += with_library_name("\nconst LIBRARY_kernel LIBRARY_kernels[] = {\n", library);
  for (std::size_t i = 0; i < library.kernels.size(); ++i) text += kernel_entry(library, i);
  text +=
      base::write<base::CSource>("}};\n\nconst int {}_kernel_count = {};\n", name, library.kernels.size());
  return text + with_library_name(table_functions, library) +
         with_library_name(export_text::offset_c, library) +
         with_library_name(export_text::packing_c, library);
}

}  // namespace kernelscape::exchange
