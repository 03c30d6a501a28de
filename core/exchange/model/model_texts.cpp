#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/media/shell_script.h"
#include "core/exchange/model/model_files.h"
#include "export_text.h"

namespace kernelscape::exchange {
namespace {

/** Returns the flags for the steps: this program's own that choose a processor, and all optimizations. */
std::vector<std::string> flags_of_steps() {
  std::vector<std::string> flags{"-O3", "-fno-math-errno", "-fno-trapping-math"};
  // A kernel may have been tuned with the flags of another processor.
  for (const std::string& flag : codegen::own_flags(codegen::Dialect::C).words())
    if (flag.starts_with("-m")) flags.push_back(flag);
  return flags;
}

base::CMakeText source_properties(const ModelTexts& texts) {
  base::CMakeText text;
  for (const LibrarySource& source : model_sources(texts)) {
    text += base::write<base::CMakeScript>("set_property(SOURCE {}.c PROPERTY COMPILE_OPTIONS",
                                           base::CMakeScript::name(source.name));
    for (const std::string& flag : source.flags) text += base::write<base::CMakeScript>(" {}", flag);
    text += ")\n";
  }
  return text;
}

/** Returns a row for each tensor that the caller passes. */
base::MarkdownText tensor_rows(const graph::Graph& graph, base::Literal kind,
                               const std::vector<std::size_t>& values) {
  base::MarkdownText text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const graph::Value& value = graph.values[values[i]];
    text += base::write<base::Markdown>("| {} {} | {} | {} | {} |\n", kind, i,
                                        base::Markdown::code(value.name), graph::to_string(value.type),
                                        fmt::format("{}", fmt::join(value.shape, " x ")));
  }
  return text;
}

base::MarkdownText kernel_rows(const ModelTexts& texts) {
  base::MarkdownText text("| kernel | task | result |\n|---|---|---|\n");
  for (const ExportedKernel& kernel : texts.kernels)
    text += base::write<base::Markdown>("| {} | {} | {} |\n", base::Markdown::code(kernel.name),
                                        base::Markdown::code(kernel.measured.task.text), result_text(kernel));
  return text;
}

constexpr base::Literal readme_build = R"(
## Build and run

```
cmake -B build && cmake --build build
build/check          compares the outputs with stored references; the exit code is 0 if they agree
build/bench          measures the latency; --threads N, --steps, --json
build/bench_onnxruntime MODEL.onnx   measures it beside onnxruntime's, in turns; --threads N, --seconds S, --json
cmake --install build --prefix /where/you/want
```

Any C11 compiler with GNU vector types (gcc, clang) builds it; nothing but libc, libm and pthreads is needed. With
`cmake -DLIBRARY_NO_THREADS=ON` it has no threads of its own and needs no pthreads. Another project uses
`find_package(LIBRARY)` and links with `LIBRARY::LIBRARY`.

`bench_onnxruntime` is built where CMake finds onnxruntime's C API (`libonnxruntime-dev` on Debian 13; pass
`-DCMAKE_PREFIX_PATH=FOLDER` for one unpacked elsewhere). Pass it the model that the library was written from. It
compares all outputs, and then prints the latency of both with equal threads and the ratio with its interval.

## Use

```
#include "LIBRARY.h"

LIBRARY_model *model;
int error = LIBRARY_create("LIBRARY_weights.tensors", 2, &model);
LIBRARY_buffer inputs[] = {{input_data, input_bytes}};
LIBRARY_buffer outputs[] = {{output_data, output_bytes}};
if (error == LIBRARY_OK) error = LIBRARY_run(model, inputs, 1, outputs, 1);
if (error != LIBRARY_OK) puts(LIBRARY_error_text(error));
LIBRARY_destroy(model);
```

`example.py` does the same with ctypes. Tensors are row-major. A model may be used by one thread at a time;
several models may run at the same time.
)";

constexpr base::Literal example_text =
    R"(# Part of a model's library written by Kernelscape: runs the model with ctypes.
# Build the library first: cmake -B build && cmake --build build
import ctypes
import pathlib
import sys

folder = pathlib.Path(__file__).resolve().parent
library = ctypes.CDLL(str(folder / "build" / "libLIBRARY_model.so"))


class Tensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_char_p), ("rank", ctypes.c_int),
                ("shape", ctypes.POINTER(ctypes.c_longlong)), ("bytes", ctypes.c_size_t)]


class Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


for name in ("input", "output"):
    getattr(library, f"LIBRARY_{name}").restype = ctypes.POINTER(Tensor)
library.LIBRARY_error_text.restype = ctypes.c_char_p


def checked(error):
    if error != 0:
        sys.exit(library.LIBRARY_error_text(error).decode())


def buffers(count, tensor):
    made = (Buffer * max(count, 1))()
    memory = []
    for i in range(count):
        memory.append(ctypes.create_string_buffer(max(tensor(i).contents.bytes, 1)))
        made[i] = Buffer(ctypes.cast(memory[-1], ctypes.c_void_p), tensor(i).contents.bytes)
    return made, memory


model = ctypes.c_void_p()
checked(library.LIBRARY_create(str(folder / "LIBRARY_weights.tensors").encode(), 2, ctypes.byref(model)))
input_count = library.LIBRARY_input_count()
output_count = library.LIBRARY_output_count()
inputs, input_memory = buffers(input_count, library.LIBRARY_input)  # all zeros: put your data here
outputs, output_memory = buffers(output_count, library.LIBRARY_output)
checked(library.LIBRARY_run(model, inputs, input_count, outputs, output_count))
for i in range(output_count):
    tensor = library.LIBRARY_output(i).contents
    shape = [tensor.shape[d] for d in range(tensor.rank)]
    print(repr(tensor.name.decode(errors="replace")), tensor.type.decode(), shape)
    if tensor.type == b"f32":
        numbers = ctypes.cast(output_memory[i], ctypes.POINTER(ctypes.c_float))
        print([numbers[j] for j in range(min(5, tensor.bytes // 4))])
library.LIBRARY_destroy(model)
)";

base::CSourceText named_source(base::Literal frame, const ModelTexts& texts) {
  const std::string weights = texts.name + "_weights.tensors";
  const std::string reference = texts.name + "_reference.tensors";
  return base::filled<base::CSource>(
      frame, {{"LIBRARY", base::CSource::name(texts.name)},
              {"EXPORT_MODEL", base::CSource::comment(texts.graph.name)},
              {"EXPORT_WEIGHTS", base::CSource::name(texts.name) + base::Literal("_weights.tensors")},
              {"EXPORT_REFERENCE", base::CSource::name(texts.name) + base::Literal("_reference.tensors")},
              {"EXPORT_TOLERANCE", base::write<base::CSource>("{:g}", texts.tolerance)}});
}

}  // namespace

std::vector<LibrarySource> model_sources(const ModelTexts& texts) {
  std::vector<LibrarySource> sources;
  for (const ExportedKernel& kernel : texts.kernels)
    sources.push_back({kernel.name, kernel.source.flags.words()});
  sources.push_back({texts.name, flags_of_steps()});
  return sources;
}

base::CMakeText model_cmake(const ModelTexts& texts) {
  const base::CMakeText name = base::CMakeScript::name(texts.name);
  base::CMakeText text = base::write<base::CMakeScript>(
      "cmake_minimum_required(VERSION 3.16)\nproject({0} C)\n\nset(CMAKE_C_STANDARD 11)\n"
      "set(CMAKE_C_STANDARD_REQUIRED ON)\nset(THREADS_PREFER_PTHREAD_FLAG ON)\n\n"
      "add_library({0}_objects OBJECT {0}.c",
      name);
  for (const ExportedKernel& kernel : texts.kernels)
    text += base::write<base::CMakeScript>(" {}.c", base::CMakeScript::name(kernel.name));
  text += base::write<base::CMakeScript>(
      ")\nset_target_properties({0}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)\n"
      "add_library({0} STATIC $<TARGET_OBJECTS:{0}_objects>)\n"
      "# The flags that each kernel was measured with, as far as they are known, whatever the build type.\n",
      name);
  text += source_properties(texts);
  return text + base::filled<base::CMakeScript>(export_text::model_cmake, {{"@L@", name}});
}

base::MarkdownText model_readme(const ModelTexts& texts) {
  const base::MarkdownText name = base::Markdown::words(texts.name);
  const ModelLibrarySummary& summary = texts.summary;
  base::MarkdownText text = base::write<base::Markdown>(
      "# {}\n\nThe model {} as a library in C, with kernels found by Kernelscape: {} kernels of layers, of "
      "which {} "
      "were tuned, {} steps, of which {} change a memory layout, {:.1f} MiB of weights, and {:.1f} MiB of "
      "other "
      "memory.\n\n| tensor | name | type | shape |\n|---|---|---|---|\n",
      texts.name, base::Markdown::code(texts.graph.name), summary.kernels, summary.tuned_kernels,
      summary.steps, summary.conversions, static_cast<double>(summary.weight_bytes) / (1 << 20),
      static_cast<double>(summary.arena_bytes) / (1 << 20));
  text += tensor_rows(texts.graph, "input", texts.graph.inputs);
  text += tensor_rows(texts.graph, "output", texts.graph.outputs);
  text += base::filled<base::Markdown>(readme_build, {{"LIBRARY", name}});
  return text + base::Literal("\n## Kernels\n\n") + kernel_rows(texts);
}

std::string model_example(const ModelTexts& texts) {
  // The name is an identifier of C, and so of Python.
  return named_source(example_text, texts).text();
}

std::vector<ExportedFile> model_text_files(const ModelTexts& texts, std::uint64_t checksum) {
  std::vector<ExportedFile> files;
  for (const ExportedKernel& kernel : texts.kernels)
    files.push_back({kernel.name + ".c", kernel.source.text});
  files.push_back({texts.name + ".h", named_source(export_text::model_h, texts).text()});
  files.push_back({texts.name + "_operators.h", named_source(export_text::model_operators_h, texts).text()});
  files.push_back({texts.name + "_programs.h", named_source(export_text::model_programs_h, texts).text()});
  files.push_back({texts.name + ".c", model_source(texts, checksum).text()});
  files.push_back({"check.c", named_source(export_text::model_check_c, texts).text()});
  files.push_back({"bench.c", named_source(export_text::model_bench_c, texts).text()});
  files.push_back(
      {"bench_onnxruntime.c", named_source(export_text::model_bench_onnxruntime_c, texts).text()});
  files.push_back({"CMakeLists.txt", model_cmake(texts).text()});
  files.push_back({"README.md", model_readme(texts).text()});
  files.push_back({"example.py", model_example(texts)});
  return files;
}

}  // namespace kernelscape::exchange
