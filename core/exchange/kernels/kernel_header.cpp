#include "core/exchange/kernels/c_text.h"
#include "core/exchange/kernels/kernel_files.h"
#include "core/exchange/kernels/vendor_choice.h"
#include "export_text.h"

namespace kernelscape {
namespace {

constexpr Literal vendor_member =
    R"(  const char *vendor;     /* whose it is: part 0 does all of it on threads of OpenMP's; null: of this library */
)";

constexpr Literal header_end = R"(
#ifdef __cplusplus
}
#endif
#endif
)";

constexpr Literal table_functions = R"(
const LIBRARY_kernel *LIBRARY_find(const char *task) {
  for (int i = 0; i < LIBRARY_kernel_count; ++i)
    if (strcmp(LIBRARY_kernels[i].task, task) == 0 || strcmp(LIBRARY_kernels[i].definition, task) == 0)
      return &LIBRARY_kernels[i];
  return NULL;
}
)";

/** Returns the type of an argument of a checked kernel, which is known. */
TensorElement type_of(const KernelArgument& argument) {
  return tensor_element(argument.element_type).value();
}

CSourceText tensor_lines(const KernelArgument& argument) {
  const Layout& layout = argument.layout;
  const CSourceText name = CSource::name(argument.name);
  return write<CSource>(" *   {} {}: plain [{}], packed {} ({}), {} elements of {}\n *     {} lies at {}\n",
                        argument.output ? Literal("output") : Literal("input"), name,
                        number_list(layout.shape, "]["), physical_extents(layout),
                        CSource::comment(layout.name), layout.physical_count(), type_of(argument).name,
                        indexed(name, layout), offset_expression(layout));
}

CSourceText parameters(const ExportedKernel& kernel) {
  CSourceText text;
  for (const KernelArgument& argument : kernel.source.arguments)
    text += write<CSource>(", {}{} *{}", argument.output ? Literal("") : Literal("const "),
                           type_of(argument).c_name, CSource::name(argument.name));
  return text;
}

CSourceText prototype(const ExportedKernel& kernel) {
  CSourceText text = write<CSource>("/**\n * {}\n * {}\n", CSource::comment(kernel.measured.task.text),
                                    CSource::comment(result_text(kernel)));
  if (kernel.vendor) text += write<CSource>(" * {}\n", CSource::comment(kernel.vendor->why));
  if (kernel.is_vendors()) text += " * Part 0 computes the whole, on threads of OpenMP's.\n";
  for (const std::string& disturbance : kernel.measured.disturbances)
    text += write<CSource>(" * While it was tuned: {}\n", CSource::comment(disturbance));
  for (const KernelArgument& argument : kernel.source.arguments) text += tensor_lines(argument);
  return text + write<CSource>(" */\nvoid {}(int part, int parts{});\n\n", CSource::name(kernel.name),
                               parameters(kernel));
}

/** Returns the name of the function for this kernel number that accepts tensors of any type. */
CSourceText runner_name(const KernelLibrary& library, std::size_t number) {
  return write<CSource>("{}_run_{}", CSource::name(library.name), number);
}

CSourceText runner(const KernelLibrary& library, std::size_t number) {
  return write<CSource>(
      "static void {}(int part, int parts, const void *first, const void *second, void *output) {{\n"
      "  {}(part, parts, first, second, output);\n}}\n",
      runner_name(library, number), CSource::name(library.kernels[number].name));
}

CSourceText kernel_entry(const KernelLibrary& library, std::size_t number) {
  const ExportedKernel& kernel = library.kernels[number];
  const Task& task = kernel.measured.task;
  CSourceText vendor;
  if (library.has_vendors())
    vendor = write<CSource>(" {},", kernel.is_vendors() ? CSource::string(vendor_text(kernel.measured.vendor))
                                                        : CSourceText("NULL"));
  CSourceText text = write<CSource>("    {{{}, {}, {}, {:.1f}, {},{} {{\n", CSource::string(kernel.name),
                                    CSource::string(task.name), CSource::string(task.text), task.flops(),
                                    runner_name(library, number), vendor);
  for (std::size_t i = 0; i < kernel.source.arguments.size(); ++i) {
    const KernelArgument& argument = kernel.source.arguments[i];
    text += write<CSource>(
        "      {},\n", tensor_entry(CSource::name(kernel.name), write<CSource>("{}", i),
                                    CSource::string(argument.name), argument.element_type, argument.layout));
  }
  return text + "    }},\n";
}

}  // namespace

CSourceText number_list(const std::vector<std::int64_t>& values, Literal separator) {
  std::vector<CSourceText> texts;
  for (const std::int64_t value : values) texts.push_back(write<CSource>("{}", value));
  return joined<CSource>(texts, separator);
}

CSourceText tensor_data(const CSourceText& library, const CSourceText& owner, const CSourceText& which,
                        const Layout& layout) {
  std::vector<CSourceText> dimensions;
  for (const LayoutDimension& dimension : layout.dimensions)
    dimensions.push_back(
        write<CSource>("{{{}, {}, {}}}", dimension.source, dimension.divisor, dimension.extent));
  return write<CSource>(
      "static const long long {0}_shape_{1}[] = {{{2}}};\n"
      "static const {4}_dimension {0}_dimensions_{1}[] = {{{3}}};\n",
      owner, which, number_list(layout.shape, ", "), joined<CSource>(dimensions, ", "), library);
}

CSourceText tensor_entry(const CSourceText& owner, const CSourceText& which, const CSourceText& quoted_name,
                         std::string_view type, const Layout& layout) {
  return write<CSource>("{{{0}, {8}, {9}, {1}, {2}, {3}_shape_{4}, {5}, {3}_dimensions_{4}, {6}, {7}}}",
                        quoted_name, CSource::string(layout.name), layout.shape.size(), owner, which,
                        layout.dimensions.size(), layout.logical_count(), layout.physical_count(),
                        CSource::string(type), tensor_element(type).value().bytes);
}

CSourceText with_library_name(Literal frame, const KernelLibrary& library) {
  return filled<CSource>(frame, {{"LIBRARY", CSource::name(library.name)}});
}

CSourceText library_header(const KernelLibrary& library) {
  CSourceText text = with_library_name(
      "/*\n"
      " * Kernels found by Kernelscape. README.md says how they were measured.\n"
      " *\n"
      " * A kernel computes part `part` of `parts` of its output: call it with part = 0, 1, ..., parts - 1, "
      "in any\n"
      " * order and, for speed, from as many threads at the same time. The caller owns the threads. All "
      "tensors are\n"
      " * packed and aligned to their elements; the output does not overlap the inputs, is written as a "
      "whole "
      "and need\n"
      " * not be initialised.\n"
      " */\n"
      "#ifndef LIBRARY_H\n#define LIBRARY_H\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
      library);
  for (const ExportedKernel& kernel : library.kernels) text += prototype(kernel);
  text += filled<CSource>(
      export_text::header_h,
      {{"LIBRARY", CSource::name(library.name)},
       {"  EXPORT_VENDOR\n", library.has_vendors() ? CSourceText(vendor_member) : CSourceText()}});
  if (library.pass != nullptr) text += conversion_declarations(library);
  return text + header_end;
}

CSourceText library_table(const KernelLibrary& library) {
  CSourceText text = with_library_name(
      "/* The kernels of LIBRARY.h and the layouts of their tensors. */\n"
      "#include <string.h>\n\n#include \"LIBRARY.h\"\n\n",
      library);
  const CSourceText name = CSource::name(library.name);
  for (const ExportedKernel& kernel : library.kernels)
    for (std::size_t i = 0; i < kernel.source.arguments.size(); ++i)
      text += tensor_data(name, CSource::name(kernel.name), write<CSource>("{}", i),
                          kernel.source.arguments[i].layout);
  text += "\n";
  for (std::size_t i = 0; i < library.kernels.size(); ++i) text += runner(library, i);
  text += with_library_name("\nconst LIBRARY_kernel LIBRARY_kernels[] = {\n", library);
  for (std::size_t i = 0; i < library.kernels.size(); ++i) text += kernel_entry(library, i);
  text += write<CSource>("}};\n\nconst int {}_kernel_count = {};\n", name, library.kernels.size());
  return text + with_library_name(table_functions, library) +
         with_library_name(export_text::offset_c, library) +
         with_library_name(export_text::packing_c, library);
}

}  // namespace kernelscape
