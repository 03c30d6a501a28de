#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/exchange/kernels/c_text.h"
#include "core/exchange/kernels/kernel_files.h"
#include "core/exchange/kernels/vendor_choice.h"

namespace kernelscape {
namespace {

constexpr Literal readme_begin = R"(# @L@

@COUNT@ found by Kernelscape: C11 with GCC's and clang's vector extensions, no other header.@VENDORS@
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
outputs of large ones; integers must be equal, with inputs from all of their types' values), times it (7 repeats of at least 20 ms after a warm-up) and prints one line per kernel. Its exit
code is 1 where a kernel is wrong. The flags may name this machine's processor (`-march=native`): build where you run.

## Use

```c
#include "@L@.h"

@EXAMPLE@
```

A call computes part `part` of `parts` of the output. **The caller owns the threads**: call it with `part` = 0, 1, ...,
`parts` - 1, in any order or at the same time; a kernel starts none. Tensors are packed in the layouts below, aligned
to their elements. Packed elements that no plain element maps to must be 0 in inputs and are not meant in outputs. The
output is written as a whole, need not be initialised and must not overlap the inputs.
`@L@_pack` and `@L@_unpack` convert from and to plain row-major tensors; pack weights once.
`@L@_find(task)` finds a kernel by its task.
)";

constexpr Literal readme_vendor = R"(
## Layers that oneDNN computes

Where oneDNN was measured to be faster beyond doubt it computes the layer: the interval that holds its median (95 %) lay
wholly below this library's, in turns on the same machine. The table and the sections say of each layer which was taken,
and why. `@L@_vendor.cpp` has their functions, with the contract of the others and layouts of oneDNN's choice. Building
them takes oneDNN (`libdnnl-dev`) and a C++ compiler with OpenMP.

Part 0 of such a call does all of it, on as many of OpenMP's threads as there are parts; the other parts return at once.
Threads of your own that wait busily meanwhile take the processors from it, as OpenMP's do from them afterwards: use
OpenMP's for the other layers, and call part 0 of these outside of parallel regions, as `check` and `pass` do
(`vendor` in the table of kernels says which).
)";

constexpr Literal readme_pass = R"(
## A pass over the network

```sh
build/pass                     # or build/pass THREADS; --rounds N, --json
```

`pass` makes all calls of @NETWORK@ in their order, on one arena of memory, with weights and arena flushed from the
caches before each pass, and tells the median of 15. @ORDER@
What the network computes beside these layers is left out@OTHERS@.
Where CMake finds oneDNN (`libdnnl-dev`) and a C++ compiler, oneDNN's pass over the same layers takes turns with this
one, with layouts of its own choice, its own conversions between them, and the same left out.
)";

constexpr Literal readme_conversions = R"(Where layers follow each other in
different layouts the tensor is converted, and the time of this is reported separately; `@L@_conversions` has these functions. A
result is converted once for all its readers in a layout; what comes into the network and leaves it is plain.)";

/** Returns "packed_data, packed_weight, packed_output". */
CSourceText packed_names(const ExportedKernel& kernel) {
  std::vector<CSourceText> names;
  for (const KernelArgument& argument : kernel.source.arguments)
    names.push_back("packed_" + CSource::name(argument.name));
  return joined<CSource>(names, ", ");
}

/** Returns "[1][64][56][56]". */
MarkdownText plain_extents(const Layout& layout) {
  MarkdownText text;
  for (const std::int64_t extent : layout.shape) text += write<Markdown>("[{}]", extent);
  return text;
}

/** Returns "[1][4][56][56][16]". */
MarkdownText packed_extents(const Layout& layout) {
  MarkdownText text;
  for (const LayoutDimension& dimension : layout.dimensions)
    text += write<Markdown>("[{}]", dimension.extent);
  return text;
}

/** Returns the loops that pack a plain tensor, or unpack it, with exact index arithmetic. */
CSourceText packing_loops(const KernelArgument& argument) {
  const Layout& layout = argument.layout;
  const CSourceText name = CSource::name(argument.name);
  CSourceText text;
  std::size_t depth = 0;
  for (const std::int64_t extent : layout.shape) {
    text += write<CSource>("{0:{1}}for (long long i{2} = 0; i{2} < {3}; ++i{2})\n", Literal(""), 2 * depth,
                           depth, extent);
    ++depth;
  }
  const CSourceText packed = write<CSource>("packed_{}[{}]", name, offset_expression(layout));
  const CSourceText plain = indexed(name, layout);
  return text + write<CSource>("{:{}}{} = {};", Literal(""), 2 * depth, argument.output ? plain : packed,
                               argument.output ? packed : plain);
}

/** Returns the description of how a plain tensor is packed. */
MarkdownText packing_text(const KernelArgument& argument) {
  const Layout& layout = argument.layout;
  return write<Markdown>(
      "- {} {}, layout {}: plain row-major as {}, packed as {}, {} {} elements\n\n  ```c\n{}\n  ```\n\n",
      argument.output ? Literal("output") : Literal("input"), Markdown::code(argument.name),
      Markdown::code(layout.name), plain_extents(layout), packed_extents(layout), layout.physical_count(),
      argument.element_type, Markdown::block(packing_loops(argument), 2));
}

/** Returns "8 x 4 x 1". */
MarkdownText extents_text(const std::array<std::int64_t, 3>& extents) {
  return write<Markdown>("{} x {} x {}", extents[0], extents[1], extents[2]);
}

MarkdownText machine_text(const MeasuredConfiguration& measured) {
  const TargetDescription& target = measured.target;
  if (target.architecture_only) return write<Markdown>("none: built for {}", target.isa);
  if (target.kind != TargetKind::Cpu)
    return write<Markdown>("{}, {}", Markdown::code(target.device), target.instructions());
  return write<Markdown>("{}, {}, {} cores, {} threads", Markdown::code(target.device), target.instructions(),
                         target.cores, measured.threads());
}

MarkdownText readme_row(Literal name, const MarkdownText& value) {
  return write<Markdown>("| {} | {} |\n", name, value);
}

/** Returns all facts except the layouts of the tensors. */
MarkdownText facts_table(const ExportedKernel& kernel) {
  const MeasuredConfiguration& measured = kernel.measured;
  MarkdownText text = "| | |\n|---|---|\n" + readme_row("task", Markdown::code(measured.task.text));
  text += readme_row("result", Markdown::code(result_text(kernel)));
  if (kernel.vendor) text += readme_row("choice", Markdown::code(kernel.vendor->why));
  if (kernel.is_vendors()) {
    text += readme_row("computed by", Markdown::code(vendor_text(measured.vendor)));
    return text + readme_row("machine", machine_text(measured));
  }
  if (const std::string& from = measured.provenance.origin; !from.empty())
    text += readme_row("origin", Markdown::code(from));
  for (const std::string& disturbance : measured.disturbances)
    text += readme_row("while it was tuned", Markdown::code(disturbance));
  text += readme_row("machine", machine_text(measured));
  text += readme_row("compiler", write<Markdown>("{} {}", Markdown::code(measured.target.compiler_version),
                                                 Markdown::code(join(kernel.source.flags.words(), " "))));
  if (!kernel.unused_flags.empty()) {
    text +=
        readme_row("flags that are not used",
                   Markdown::code(join(kernel.unused_flags, " ")) +
                       ": the session names them; without them the speed may differ from the measured one");
  }
  text += readme_row("template", write<Markdown>("{} version {}", Markdown::code(measured.template_name),
                                                 measured.template_version));
  text += readme_row("configuration", Markdown::code(measured.space.describe(measured.configuration)));
  if (kernel.source.dialect != Dialect::C) {
    text += readme_row("grid, in blocks", extents_text(kernel.source.launch.grid));
    text += readme_row("block, in threads", extents_text(kernel.source.launch.block));
    text += readme_row("static shared memory", write<Markdown>("{} bytes", kernel.source.shared_bytes));
  }
  return text;
}

/** Returns ": Relu (49), layer resnet/L3"; empty if nothing is known. */
MarkdownText left_out_text(const KernelOrder& order) {
  MarkdownText text;
  const auto add = [&](const MarkdownText& what) {
    text += (text.empty() ? MarkdownText(": ") : MarkdownText(", ")) + what;
  };
  for (const OtherOperators& other : order.others)
    if (!other.once) add(write<Markdown>("{} ({})", Markdown::code(other.name), other.count));
  for (const std::string& layer : order.left_out) add(write<Markdown>("layer {}", Markdown::code(layer)));
  return text;
}

MarkdownText pass_section(const KernelLibrary& library) {
  const MarkdownText name = Markdown::block(CSource::name(library.name));
  const MarkdownText order =
      library.pass->order.known
          ? filled<Markdown>(readme_conversions, {{"@L@", name}})
          : MarkdownText(
                "In which order the network\ncalls its layers is not known: they stand as "
                "they are listed, and nothing is converted between them.");
  return filled<Markdown>(readme_pass, {{"@NETWORK@", Markdown::code(library.pass->network)},
                                        {"@ORDER@", order},
                                        {"@OTHERS@", left_out_text(library.pass->order)}});
}

}  // namespace

MarkdownText contents_table(const KernelLibrary& library) {
  if (library.kernels.size() < 2) return {};
  const bool layers = std::ranges::any_of(
      library.kernels, [](const ExportedKernel& kernel) { return kernel.multiplicity > 0; });
  MarkdownText text =
      layers ? MarkdownText("\n## Layers\n\n| layer | times |") : MarkdownText("\n## Kernels\n\n| task |");
  const bool choices = std::ranges::any_of(
      library.kernels, [](const ExportedKernel& kernel) { return kernel.vendor.has_value(); });
  text += " kernel | first input | second input | output | result |";
  if (choices) text += " choice |";
  text += "\n|---|---|---|---|---|---|";
  if (choices) text += "---|";
  text += layers ? MarkdownText("---|\n") : MarkdownText("\n");
  for (const ExportedKernel& kernel : library.kernels) {
    text += write<Markdown>("| {} |", Markdown::code(kernel.measured.task.name));
    if (layers) text += write<Markdown>(" {} |", kernel.multiplicity);
    text += write<Markdown>(" {} |", Markdown::code(kernel.name));
    for (const KernelArgument& argument : kernel.source.arguments)
      text += write<Markdown>(" {} |", Markdown::code(argument.layout.name));
    text += write<Markdown>(" {} |", Markdown::code(result_text(kernel)));
    if (kernel.vendor) text += write<Markdown>(" {} |", Markdown::code(kernel.vendor->why));
    text += "\n";
  }
  return text;
}

MarkdownText readme_section(const ExportedKernel& kernel) {
  const Provenance& from = kernel.measured.provenance;
  MarkdownText text = write<Markdown>("\n## {}\n\n", kernel.name) + facts_table(kernel) + "\n";
  for (const KernelArgument& argument : kernel.source.arguments) text += packing_text(argument);
  const MarkdownText session_name =
      from.session_name.empty() ? MarkdownText() : " " + Markdown::code(from.session_name);
  const MarkdownText made =
      from.created_utc.empty() ? MarkdownText("at an unknown time") : Markdown::words(from.created_utc);
  return text + write<Markdown>(
                    "{}rial {} of session {}{}, made {} by version {}. Find it again:\n\n```sh\n{}\n```\n",
                    kernel.is_vendors() ? Literal("It was compared with t") : Literal("T"), from.trial,
                    from.session, session_name, made, from.program_version,
                    Markdown::block(reproduce_command(kernel.measured)));
}

MarkdownText library_readme(const KernelLibrary& library) {
  const ExportedKernel& first = library.kernels.front();
  const std::size_t count = library.kernels.size();
  const CSourceText example = write<CSource>("for (int part = 0; part < parts; ++part) {}(part, parts, {});",
                                             CSource::name(first.name), packed_names(first));
  MarkdownText text = filled<Markdown>(
      readme_begin,
      {{"@L@", Markdown::block(CSource::name(library.name))},
       {"@VENDORS@", library.has_vendors() ? MarkdownText("\nSome layers are computed by oneDNN, see below.")
                                           : MarkdownText()},
       {"@COUNT@", count == 1 ? MarkdownText("A kernel") : write<Markdown>("{} kernels", count)},
       {"@COMMAND@", Markdown::block(plain_build_command(library))},
       {"@EXAMPLE@", Markdown::block(example)}});
  if (library.has_vendors())
    text += filled<Markdown>(readme_vendor, {{"@L@", Markdown::block(CSource::name(library.name))}});
  if (library.pass != nullptr) text += pass_section(library);
  text += contents_table(library);
  for (const ExportedKernel& kernel : library.kernels) text += readme_section(kernel);
  return text;
}

}  // namespace kernelscape
