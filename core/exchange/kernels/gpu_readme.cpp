#include <array>

#include "core/exchange/kernels/kernel_files.h"

namespace kernelscape {
namespace {

constexpr Literal begin = R"(# @L@

GPU kernels found by Kernelscape. A kernel takes pointers to the device's memory, the two inputs and then the output, and
computes the whole output in one launch with exactly the grid and the block given below. Inputs and output lie as the
sections say; the output is written as a whole and must not overlap the inputs. `kernelscape.json` says the same for
programs.

There is no library to link: how memory, streams and launches are made is up to your program's runtime.
)";

constexpr Literal cuda_build = R"(
### Build and launch

```sh
@COMMAND@
```

makes a cubin for the architecture that the kernel was built for; NVRTC takes the same source, which includes no header.
With the driver API:

```c
CUmodule module;
CUfunction kernel;
cuModuleLoad(&module, "@K@.cubin");
cuModuleGetFunction(&kernel, module, "@K@");
void *arguments[] = {@POINTERS@}; /* CUdeviceptr each */
cuLaunchKernel(kernel, @GRID@, @BLOCK@, 0, stream, arguments, NULL);
```
)";

constexpr Literal opencl_build = R"(
### Build and launch

Give the text of `@K@.cl` to `clCreateProgramWithSource` and build it@OPTIONS@.
OpenCL counts work-items, not groups: the global size is grid x block.

```c
cl_kernel kernel = clCreateKernel(program, "@K@", &error);
cl_mem arguments[] = {@BUFFERS@};
for (cl_uint i = 0; i < 3; ++i) clSetKernelArg(kernel, i, sizeof(cl_mem), &arguments[i]);
const size_t global[] = {@GLOBAL@};
const size_t local[] = {@BLOCK@};
clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, NULL);
```
)";

/** Returns "device_data, device_weight, device_output", each with the prefix. */
CSourceText argument_list(const KernelSource& source, Literal prefix) {
  std::vector<CSourceText> names;
  for (const KernelArgument& argument : source.arguments)
    names.push_back(prefix + CSource::name(argument.name));
  return joined<CSource>(names, ", ");
}

/** Returns the flags, each after a space. */
ShellText flag_words(const KnownFlags& flags) {
  ShellText words;
  for (const std::string& flag : flags.words()) words += write<ShellScript>(" {}", flag);
  return words;
}

/**
 * Returns " -arch=sm_90a"; empty if the description has no name of an architecture: nvcc uses its default.
 */
ShellText architecture_words(const TargetDescription& target) {
  return flag_words(sort_flags(Dialect::Cuda, {"-arch=" + target.isa}).known);
}

MarkdownText numbers_text(const std::array<std::int64_t, 3>& numbers) {
  return write<Markdown>("{}, {}, {}", numbers[0], numbers[1], numbers[2]);
}

MarkdownText kernel_word(const ExportedKernel& kernel) { return Markdown::block(CSource::name(kernel.name)); }

MarkdownText cuda_text(const ExportedKernel& kernel) {
  const KernelSource& source = kernel.source;
  const ShellText command =
      write<ShellScript>("nvcc -cubin{}{} -o {} {}", architecture_words(kernel.measured.target),
                         flag_words(source.flags), kernel.name + ".cubin", kernel.name + ".cu");
  return filled<Markdown>(cuda_build, {{"@COMMAND@", Markdown::block(command)},
                                       {"@K@", kernel_word(kernel)},
                                       {"@POINTERS@", Markdown::block(argument_list(source, "&device_"))},
                                       {"@GRID@", numbers_text(source.launch.grid)},
                                       {"@BLOCK@", numbers_text(source.launch.block)}});
}

MarkdownText opencl_text(const ExportedKernel& kernel) {
  const KernelSource& source = kernel.source;
  std::array<std::int64_t, 3> global{};
  for (std::size_t i = 0; i < global.size(); ++i) global[i] = source.launch.grid[i] * source.launch.block[i];
  const ShellText flags = flag_words(source.flags);
  return filled<Markdown>(
      opencl_build,
      {{"@OPTIONS@",
        flags.empty() ? MarkdownText() : " with the options " + Markdown::code(flags.text().substr(1))},
       {"@K@", kernel_word(kernel)},
       {"@BUFFERS@", Markdown::block(argument_list(source, "device_"))},
       {"@GLOBAL@", numbers_text(global)},
       {"@BLOCK@", numbers_text(source.launch.block)}});
}

}  // namespace

MarkdownText gpu_readme(const KernelLibrary& library) {
  MarkdownText text = filled<Markdown>(begin, {{"@L@", Markdown::block(CSource::name(library.name))}});
  text += contents_table(library);
  for (const ExportedKernel& kernel : library.kernels) {
    text += readme_section(kernel);
    text += kernel.source.dialect == Dialect::Cuda ? cuda_text(kernel) : opencl_text(kernel);
  }
  return text;
}

}  // namespace kernelscape
