#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>

#include "core/exchange/kernels/c_text.h"
#include "core/exchange/kernels/kernel_files.h"

namespace kernelscape {
namespace {

constexpr std::string_view begin = R"(# @L@

GPU kernels found by Kernelscape. A kernel takes pointers to the device's memory, the two inputs and then the output, and
computes the whole output in one launch with exactly the grid and the block given below. Inputs and output lie as the
sections say; the output is written as a whole and must not overlap the inputs. `kernelscape.json` says the same for
programs.

There is no library to link: how memory, streams and launches are made is up to your program's runtime.
)";

constexpr std::string_view cuda_build = R"(
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

constexpr std::string_view opencl_build = R"(
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

using Marks = std::vector<std::pair<std::string_view, std::string>>;

std::string with_marks(std::string_view text, const Marks& marks) {
  std::string filled(text);
  for (const auto& [mark, value] : marks) {
    for (std::size_t at = filled.find(mark); at != std::string::npos;
         at = filled.find(mark, at + value.size()))
      filled.replace(at, mark.size(), value);
  }
  return filled;
}

std::string argument_list(const KernelSource& source, std::string_view prefix) {
  std::vector<std::string> names;
  for (const KernelArgument& argument : source.arguments)
    names.push_back(std::string(prefix) + argument.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string flag_words(const KnownFlags& flags) {
  std::string words;
  for (const std::string& flag : flags.words()) words += " " + shell_word(flag);
  return words;
}

/** " -arch=sm_90a"; nothing where the description has no name of an architecture: nvcc takes its default. */
std::string architecture_words(const TargetDescription& target) {
  return flag_words(sort_flags(Dialect::Cuda, {"-arch=" + target.isa}).known);
}

std::string cuda_text(const ExportedKernel& kernel) {
  const KernelSource& source = kernel.source;
  return with_marks(cuda_build, {{"@COMMAND@", fmt::format("nvcc -cubin{0}{2} -o {1}.cubin {1}.cu",
                                                           architecture_words(kernel.measured.target),
                                                           kernel.name, flag_words(source.flags))},
                                 {"@K@", kernel.name},
                                 {"@POINTERS@", argument_list(source, "&device_")},
                                 {"@GRID@", fmt::format("{}", fmt::join(source.launch.grid, ", "))},
                                 {"@BLOCK@", fmt::format("{}", fmt::join(source.launch.block, ", "))}});
}

std::string opencl_text(const ExportedKernel& kernel) {
  const KernelSource& source = kernel.source;
  std::array<std::int64_t, 3> global{};
  for (std::size_t i = 0; i < global.size(); ++i) global[i] = source.launch.grid[i] * source.launch.block[i];
  const std::string flags = flag_words(source.flags);
  return with_marks(
      opencl_build,
      {{"@OPTIONS@", flags.empty() ? "" : fmt::format(" with the options `{}`", flags.substr(1))},
       {"@K@", kernel.name},
       {"@BUFFERS@", argument_list(source, "device_")},
       {"@GLOBAL@", fmt::format("{}", fmt::join(global, ", "))},
       {"@BLOCK@", fmt::format("{}", fmt::join(source.launch.block, ", "))}});
}

}  // namespace

std::string gpu_readme(const KernelLibrary& library) {
  std::string text = with_library_name(begin, library.name);
  for (const ExportedKernel& kernel : library.kernels) {
    text += readme_section(kernel);
    text += kernel.source.dialect == Dialect::Cuda ? cuda_text(kernel) : opencl_text(kernel);
  }
  return text;
}

}  // namespace kernelscape
