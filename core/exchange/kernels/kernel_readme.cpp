#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/exchange/kernels/c_text.h"
#include "core/exchange/kernels/kernel_files.h"

namespace kernelscape {
namespace {

constexpr std::string_view readme_begin = R"(# @L@

@COUNT@ found by Kernelscape: C11 with GCC's and clang's vector extensions, no other header.
`@L@.h` declares everything; `kernelscape.json` says the same for programs.

## Build and check

```sh
cmake -S . -B build && cmake --build build && build/check     # or build/check THREADS
```

or without CMake:

```sh
@COMMAND@ && ./check
```

`check` makes random inputs, packs them, compares each kernel's output with plain loops in double precision (4,096
outputs of large ones), times it (7 repeats of at least 20 ms after a warm-up) and prints one line per kernel. Its exit
code is 1 where a kernel is wrong. The flags may name this machine's processor (`-march=native`): build where you run.

## Use

```c
#include "@L@.h"

@EXAMPLE@
```

A call computes part `part` of `parts` of the output. **The caller owns the threads**: call it with `part` = 0, 1, ...,
`parts` - 1, in any order or at the same time; a kernel starts none. Tensors are packed floats in the layouts below,
aligned to floats. Packed elements that no plain element maps to must be 0 in inputs and are not meant in outputs. The
output is written as a whole, need not be initialised and must not overlap the inputs.
`@L@_pack` and `@L@_unpack` convert from and to plain row-major tensors; pack weights once.
`@L@_find(task)` finds a kernel by its task.
)";

std::string replaced(std::string text, std::string_view mark, std::string_view value) {
  const std::size_t found = text.find(mark);
  return found == std::string::npos ? text : text.replace(found, mark.size(), value);
}

/** A text inside `code` of Markdown. */
std::string code(std::string_view text) {
  std::string safe(text);
  std::ranges::replace_if(safe, [](char c) { return c == '`' || c == '\n' || c == '\r'; }, ' ');
  return "`" + safe + "`";
}

std::string argument_names(const ExportedKernel& kernel) {
  std::vector<std::string> names;
  for (const KernelArgument& argument : kernel.source.arguments) names.push_back("packed_" + argument.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/** How a plain tensor is packed, as code with exact index arithmetic. */
std::string packing_text(const KernelArgument& argument) {
  const Layout& layout = argument.layout;
  std::string text =
      fmt::format("- {} {}, layout {}: plain {} as [{}], packed as {}, {} {} elements\n\n  ```c\n",
                  argument.output ? "output" : "input", code(argument.name), code(layout.name), "row-major",
                  fmt::join(layout.shape, "]["), physical_extents(layout), layout.physical_count(),
                  argument.element_type);
  std::string indent = "  ";
  for (std::size_t i = 0; i < layout.shape.size(); ++i) {
    text += fmt::format("{0}for (long long i{1} = 0; i{1} < {2}; ++i{1})\n", indent, i, layout.shape[i]);
    indent += "  ";
  }
  const std::string packed = fmt::format("packed_{}[{}]", argument.name, offset_expression(layout));
  const std::string plain = indexed(argument.name, layout);
  text += fmt::format("{}{} = {};\n  ```\n\n", indent, argument.output ? plain : packed,
                      argument.output ? packed : plain);
  return text;
}

/** "8 x 4 x 1". */
std::string extents_text(const std::array<std::int64_t, 3>& extents) {
  return fmt::format("{}", fmt::join(extents, " x "));
}

std::string machine_text(const MeasuredConfiguration& measured) {
  const TargetDescription& target = measured.target;
  if (target.architecture_only) return fmt::format("none: built for {}", target.isa);
  if (target.kind != TargetKind::Cpu) return fmt::format("{}, {}", code(target.device), target.isa);
  return fmt::format("{}, {}, {} cores, {} threads", code(target.device), target.isa, target.cores,
                     measured.threads());
}

}  // namespace

std::string readme_section(const ExportedKernel& kernel) {
  const MeasuredConfiguration& measured = kernel.measured;
  const Provenance& from = measured.provenance;
  const auto row = [](std::string_view name, const std::string& value) {
    return fmt::format("| {} | {} |\n", name, value);
  };
  std::string text = fmt::format("\n## {}\n\n| | |\n|---|---|\n", kernel.name);
  text += row("task", code(measured.task.text));
  text += row("result", result_text(measured));
  if (!from.origin.empty()) text += row("origin", code(from.origin));
  text += row("machine", machine_text(measured));
  text += row("compiler", fmt::format("{} {}", code(measured.target.compiler_version),
                                      code(fmt::format("{}", fmt::join(kernel.source.flags.words(), " ")))));
  if (!kernel.unused_flags.empty()) {
    text += row("flags that are not used",
                code(fmt::format("{}", fmt::join(kernel.unused_flags, " "))) +
                    ": the session names them; without them the speed may differ from the measured one");
  }
  text +=
      row("template", fmt::format("{} version {}", code(measured.template_name), measured.template_version));
  text += row("configuration", code(measured.space.describe(measured.configuration)));
  if (kernel.source.dialect != Dialect::C) {
    text += row("grid, in blocks", extents_text(kernel.source.launch.grid));
    text += row("block, in threads", extents_text(kernel.source.launch.block));
    text += row("static shared memory", fmt::format("{} bytes", kernel.source.shared_bytes));
  }
  text += "\n";
  for (const KernelArgument& argument : kernel.source.arguments) text += packing_text(argument);
  text +=
      fmt::format("Trial {} of session {}{}, made {} by version {}. Find it again:\n\n```sh\n{}\n```\n",
                  from.trial, from.session, from.session_name.empty() ? "" : " " + code(from.session_name),
                  from.created_utc.empty() ? "at an unknown time" : from.created_utc, from.program_version,
                  reproduce_command(measured));
  return text;
}

std::string library_readme(const KernelLibrary& library) {
  std::string text(readme_begin);
  const ExportedKernel& first = library.kernels.front();
  const std::size_t count = library.kernels.size();
  text = replaced(std::move(text), "@COUNT@", count == 1 ? "A kernel" : fmt::format("{} kernels", count));
  text = replaced(std::move(text), "@COMMAND@", plain_build_command(library));
  text = replaced(std::move(text), "@EXAMPLE@",
                  fmt::format("for (int part = 0; part < parts; ++part) {}(part, parts, {});", first.name,
                              argument_names(first)));
  text = with_library_name(text, library.name);
  for (const ExportedKernel& kernel : library.kernels) text += readme_section(kernel);
  return text;
}

}  // namespace kernelscape
