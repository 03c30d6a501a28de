#include <array>

#include "core/exchange/kernels/kernel_files.h"

namespace kernelscape::exchange {
namespace {

constexpr base::Literal begin = R"(# @L@

GPU kernels found by Kernelscape. A kernel takes pointers to the device's memory, the two inputs, then the output, then the
operands of an epilogue if its task has one, and computes the whole output in one launch with exactly the grid and the
block given below. Tensors lie as the sections say; the output is written as a whole and must overlap neither the inputs
nor the operands of an epilogue: a residual is another tensor. `kernelscape.json` says the same for programs.

There is no library to link: how memory, streams and launches are made is up to your program's runtime.
)";

constexpr base::Literal cuda_build = R"(
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

constexpr base::Literal opencl_build = R"(
### Build and launch

Give the text of `@K@.cl` to `clCreateProgramWithSource` and build it@OPTIONS@.
OpenCL counts work-items, not groups: the global size is grid x block.

```c
cl_kernel kernel = clCreateKernel(program, "@K@", &error);
cl_mem arguments[] = {@BUFFERS@};
for (cl_uint i = 0; i < @COUNT@; ++i) clSetKernelArg(kernel, i, sizeof(cl_mem), &arguments[i]);
const size_t global[] = {@GLOBAL@};
const size_t local[] = {@BLOCK@};
clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, NULL);
```
)";

/** Returns "device_data, device_weight, device_output", each with the prefix. */
base::CSourceText argument_list(const codegen::KernelSource& source, base::Literal prefix) {
  std::vector<base::CSourceText> names;
  for (const codegen::KernelArgument& argument : source.arguments)
    names.push_back(prefix + base::CSource::name(argument.name));
  return base::joined<base::CSource>(names, ", ");
}

/** Returns the flags, each after a space. */
base::ShellText flag_words(const codegen::KnownFlags& flags) {
  base::ShellText words;
  for (const std::string& flag : flags.words()) words += base::write<base::ShellScript>(" {}", flag);
  return words;
}

/**
 * Returns " -arch=sm_90a"; empty if the description has no name of an architecture: nvcc uses its default.
 */
base::ShellText architecture_words(const schedule::TargetDescription& target) {
  return flag_words(codegen::sort_flags(codegen::Dialect::Cuda, {"-arch=" + target.isa}).known);
}

base::MarkdownText numbers_text(const std::array<std::int64_t, 3>& numbers) {
  return base::write<base::Markdown>("{}, {}, {}", numbers[0], numbers[1], numbers[2]);
}

base::MarkdownText kernel_word(const ExportedKernel& kernel) {
  return base::Markdown::block(base::CSource::name(kernel.name));
}

base::MarkdownText cuda_text(const ExportedKernel& kernel) {
  const codegen::KernelSource& source = kernel.source;
  const base::ShellText command =
      base::write<base::ShellScript>("nvcc -cubin{}{} -o {} {}", architecture_words(kernel.measured.target),
                                     flag_words(source.flags), kernel.name + ".cubin", kernel.name + ".cu");
  return base::filled<base::Markdown>(
      cuda_build, {{"@COMMAND@", base::Markdown::block(command)},
                   {"@K@", kernel_word(kernel)},
                   {"@POINTERS@", base::Markdown::block(argument_list(source, "&device_"))},
                   {"@GRID@", numbers_text(source.launch.grid)},
                   {"@BLOCK@", numbers_text(source.launch.block)}});
}

base::MarkdownText opencl_text(const ExportedKernel& kernel) {
  const codegen::KernelSource& source = kernel.source;
  std::array<std::int64_t, 3> global{};
  for (std::size_t i = 0; i < global.size(); ++i) global[i] = source.launch.grid[i] * source.launch.block[i];
  const base::ShellText flags = flag_words(source.flags);
  return base::filled<base::Markdown>(
      opencl_build,
      {{"@OPTIONS@", flags.empty() ? base::MarkdownText()
                                   : " with the options " + base::Markdown::code(flags.text().substr(1))},
       {"@K@", kernel_word(kernel)},
       {"@COUNT@", base::write<base::Markdown>("{}", source.arguments.size())},
       {"@BUFFERS@", base::Markdown::block(argument_list(source, "device_"))},
       {"@GLOBAL@", numbers_text(global)},
       {"@BLOCK@", numbers_text(source.launch.block)}});
}

}  // namespace

base::MarkdownText gpu_readme(const KernelLibrary& library) {
  base::MarkdownText text = base::filled<base::Markdown>(
      begin, {{"@L@", base::Markdown::block(base::CSource::name(library.name))}});
  text += contents_table(library);
  for (const ExportedKernel& kernel : library.kernels) {
    text += readme_section(kernel);
    text += kernel.source.dialect == codegen::Dialect::Cuda ? cuda_text(kernel) : opencl_text(kernel);
  }
  return text;
}

}  // namespace kernelscape::exchange
