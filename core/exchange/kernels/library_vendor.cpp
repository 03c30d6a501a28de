#include <array>

#include "core/exchange/kernels/kernel_files.h"
#include "core/exchange/kernels/onednn_layout.h"
#include "core/exchange/kernels/onednn_text.h"
#include "core/task/library_tensors.h"
#include "export_text.h"

namespace kernelscape::exchange {
namespace {

/** Returns "{{0, 1, 64, 3136}, {1, 16, 4, 784}}". */
base::CSourceText parts_text(const loop_nest::Layout& layout) {
  std::vector<base::CSourceText> parts;
  std::int64_t stride = layout.physical_count();
  for (const loop_nest::LayoutDimension& dimension : layout.dimensions) {
    stride /= dimension.extent;
    if (dimension.extent > 1)
      parts.push_back(braced_list({dimension.source, dimension.divisor, dimension.extent, stride}));
  }
  return base::write<base::CSource>("{{{}}}", base::joined<base::CSource>(parts, ", "));
}

base::CSourceText layer_entry(const ExportedKernel& kernel) {
  const task::Task& task = kernel.measured.task;
  const task::LibraryTensors tensors = task::library_tensors(task);
  const std::array<const task::StridedTensor*, 3> all{&tensors.data, &tensors.weight, &tensors.output};
  std::vector<base::CSourceText> layouts;
  for (std::size_t i = 0; i < all.size(); ++i)
    layouts.push_back(parts_text(renumbered(kernel.source.arguments[i].layout, *all[i])));
  return base::write<base::CSource>("      /* {} */\n      {{{}, {}, {{{}}}}},\n",
                                    base::CSource::comment(task.text), base::CSource::string(kernel.name),
                                    onednn_layer(task), base::joined<base::CSource>(layouts, ", "));
}

base::CSourceText function(const ExportedKernel& kernel, std::size_t number) {
  const std::vector<codegen::KernelArgument>& arguments = kernel.source.arguments;
  return base::write<base::CSource>(
      "void {0}(int part, int parts, const float *{1}, const float *{2}, float *{3}) {{\n"
      "  if (part == 0) compute({4}, parts, {1}, {2}, {3});\n}}\n",
      base::CSource::name(kernel.name), base::CSource::name(arguments[0].name),
      base::CSource::name(arguments[1].name), base::CSource::name(arguments[2].name), number);
}

}  // namespace

base::CSourceText library_vendor(const KernelLibrary& library) {
  base::CSourceText text = with_library_name(export_text::vendor_begin_cpp, library) +
                           export_text::onednn_layer_cpp + export_text::vendor_types_cpp;
  text +=
      "const std::vector<TakenLayer> &taken_layers() {\n"
      "  static const std::vector<TakenLayer> all = {\n";
  base::CSourceText functions;
  std::size_t number = 0;
  for (const ExportedKernel& kernel : library.kernels) {
    if (!kernel.is_vendors()) continue;
    text += layer_entry(kernel);
    functions += function(kernel, number++);
  }
  return text + "  };\n  return all;\n}\n" + export_text::vendor_program_cpp + "extern \"C\" {\n\n" +
         functions + "}\n";
}

}  // namespace kernelscape::exchange
