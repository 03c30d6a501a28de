#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/exchange/kernels/c_text.h"
#include "core/exchange/kernels/kernel_files.h"
#include "core/exchange/kernels/vendor_choice.h"

namespace kernelscape::exchange {
namespace {

constexpr base::Literal readme_begin = R"(# @L@

@COUNT@ found by Kernelscape: C11 with GCC's and clang's vector extensions, no other header.@VENDORS@
`@L@.h` declares everything; `kernelscape.json` says the same for programs.

## Build and check

```sh
cmake -S . -B build
cmake --build build
build/check                    # or build/check THREADS
```

or without CMake:

```sh
@COMMAND@
./check
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
output is written as a whole, need not be initialised and must overlap neither the inputs nor the operands of an epilogue.
`@L@_pack` and `@L@_unpack` convert from and to plain row-major tensors; pack weights once.
`@L@_find(task)` finds a kernel by its task.
)";

constexpr base::Literal readme_operands = R"(
The steps of an epilogue, which end a task's text (`+bias+add+relu`), read tensors of their own, the operands: a function
takes them after the output, in the order of the sections below. They are packed as inputs are; a residual is another
tensor than the output. `run` in the table of kernels has one more parameter than without them: an array of the
pointers to its operands, which kernels without operands do not read.
)";

constexpr base::Literal readme_no_pass = R"(
## No pass over the network

There is no program that makes all calls of the network in their order: @WHY@.
)";

constexpr base::Literal readme_vendor = R"(
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

constexpr base::Literal readme_pass = R"(
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

constexpr base::Literal readme_conversions = R"(Where layers follow each other in
different layouts the tensor is converted, and the time of this is reported separately; `@L@_conversions` has these functions. A
result is converted once for all its readers in a layout; what comes into the network and leaves it is plain.)";

/** Returns "packed_data, packed_weight, packed_output". */
base::CSourceText packed_names(const ExportedKernel& kernel) {
  std::vector<base::CSourceText> names;
  for (const codegen::KernelArgument& argument : kernel.source.arguments)
    names.push_back("packed_" + base::CSource::name(argument.name));
  return base::joined<base::CSource>(names, ", ");
}

/** Returns "[1][64][56][56]". */
base::MarkdownText plain_extents(const loop_nest::Layout& layout) {
  base::MarkdownText text;
  for (const std::int64_t extent : plain_shape(layout)) text += base::write<base::Markdown>("[{}]", extent);
  return text;
}

/** Returns "[1][4][56][56][16]". */
base::MarkdownText packed_extents(const loop_nest::Layout& layout) {
  base::MarkdownText text;
  for (const loop_nest::LayoutDimension& dimension : layout.dimensions)
    text += base::write<base::Markdown>("[{}]", dimension.extent);
  return text;
}

/** Returns the loops that pack a plain tensor, or unpack it, with exact index arithmetic. */
base::CSourceText packing_loops(const codegen::KernelArgument& argument) {
  const loop_nest::Layout& layout = argument.layout;
  const base::CSourceText name = base::CSource::name(argument.name);
  base::CSourceText text;
  base::CSourceText plain = indexed(name, layout);
  if (layout.winograd_tile > 0) {
    text = base::write<base::CSource>(
        "/* transformed_{0}: each 3x3 kernel k as G k G', {1}x{1}; G is `transform` of the tensor in the "
        "table */\n",
        name, layout.shape.back());
    plain = base::write<base::CSource>("transformed_{}", plain);
  }
  std::size_t depth = 0;
  for (const std::int64_t extent : layout.shape) {
    text += base::write<base::CSource>("{0:{1}}for (long long i{2} = 0; i{2} < {3}; ++i{2})\n",
                                       base::Literal(""), 2 * depth, depth, extent);
    ++depth;
  }
  const base::CSourceText packed =
      base::write<base::CSource>("packed_{}[{}]", name, offset_expression(layout));
  return text + base::write<base::CSource>("{:{}}{} = {};", base::Literal(""), 2 * depth,
                                           argument.output ? plain : packed,
                                           argument.output ? packed : plain);
}

/** Returns the description of how a plain tensor is packed. */
base::MarkdownText packing_text(const ExportedKernel& kernel, std::size_t number) {
  const codegen::KernelArgument& argument = kernel.source.arguments[number];
  const loop_nest::Layout& layout = argument.layout;
  return base::write<base::Markdown>(
      "- {} {}, layout {}: plain row-major as {}, packed as {}, {} {} elements\n\n  ```c\n{}\n  ```\n\n",
      role_of_argument(number), base::Markdown::code(argument.name), base::Markdown::code(layout.name),
      plain_extents(layout), packed_extents(layout), layout.physical_count(), argument.element_type,
      base::Markdown::block(packing_loops(argument), 2));
}

/** Returns "8 x 4 x 1". */
base::MarkdownText extents_text(const std::array<std::int64_t, 3>& extents) {
  return base::write<base::Markdown>("{} x {} x {}", extents[0], extents[1], extents[2]);
}

base::MarkdownText machine_text(const MeasuredConfiguration& measured) {
  const schedule::TargetDescription& target = measured.target;
  if (target.architecture_only) return base::write<base::Markdown>("none: built for {}", target.isa);
  if (target.kind != schedule::TargetKind::Cpu)
    return base::write<base::Markdown>("{}, {}", base::Markdown::code(target.device), target.instructions());
  return base::write<base::Markdown>("{}, {}, {} cores, {} threads", base::Markdown::code(target.device),
                                     target.instructions(), target.cores, measured.threads());
}

base::MarkdownText readme_row(base::Literal name, const base::MarkdownText& value) {
  return base::write<base::Markdown>("| {} | {} |\n", name, value);
}

/** Returns all facts except the layouts of the tensors. */
base::MarkdownText facts_table(const ExportedKernel& kernel) {
  const MeasuredConfiguration& measured = kernel.measured;
  base::MarkdownText text =
      "| | |\n|---|---|\n" + readme_row("task", base::Markdown::code(measured.task.text));
  text += readme_row("result", base::Markdown::code(result_text(kernel)));
  if (kernel.vendor) text += readme_row("choice", base::Markdown::code(kernel.vendor->why));
  if (kernel.is_vendors()) {
    text += readme_row("computed by", base::Markdown::code(vendor_text(measured.vendor)));
    return text + readme_row("machine", machine_text(measured));
  }
  if (const std::string& from = measured.provenance.origin; !from.empty())
    text += readme_row("origin", base::Markdown::code(from));
  for (const std::string& disturbance : measured.disturbances)
    text += readme_row("while it was tuned", base::Markdown::code(disturbance));
  text += readme_row("machine", machine_text(measured));
  text += readme_row("compiler", base::write<base::Markdown>(
                                     "{} {}", base::Markdown::code(measured.target.compiler_version),
                                     base::Markdown::code(base::join(kernel.source.flags.words(), " "))));
  if (!kernel.unused_flags.empty()) {
    text +=
        readme_row("flags that are not used",
                   base::Markdown::code(base::join(kernel.unused_flags, " ")) +
                       ": the session names them; without them the speed may differ from the measured one");
  }
  text += readme_row(
      "template", base::write<base::Markdown>("{} version {}", base::Markdown::code(measured.template_name),
                                              measured.template_version));
  text += readme_row("configuration", base::Markdown::code(measured.space.describe(measured.configuration)));
  if (kernel.source.dialect != codegen::Dialect::C) {
    text += readme_row("grid, in blocks", extents_text(kernel.source.launch.grid));
    text += readme_row("block, in threads", extents_text(kernel.source.launch.block));
    text += readme_row("static shared memory",
                       base::write<base::Markdown>("{} bytes", kernel.source.shared_bytes));
  }
  return text;
}

/** Returns ": Relu (49), layer resnet/L3"; empty if nothing is known. */
base::MarkdownText left_out_text(const KernelOrder& order) {
  base::MarkdownText text;
  const auto add = [&](const base::MarkdownText& what) {
    text += (text.empty() ? base::MarkdownText(": ") : base::MarkdownText(", ")) + what;
  };
  for (const task::OtherOperators& other : order.others)
    if (!other.once)
      add(base::write<base::Markdown>("{} ({})", base::Markdown::code(other.name), other.count));
  for (const std::string& layer : order.left_out)
    add(base::write<base::Markdown>("layer {}", base::Markdown::code(layer)));
  return text;
}

base::MarkdownText pass_section(const KernelLibrary& library) {
  const base::MarkdownText name = base::Markdown::block(base::CSource::name(library.name));
  const base::MarkdownText order =
      library.pass->order.known
          ? base::filled<base::Markdown>(readme_conversions, {{"@L@", name}})
          : base::MarkdownText(
                "In which order the network\ncalls its layers is not known: they stand as "
                "they are listed, and nothing is converted between them.");
  return base::filled<base::Markdown>(readme_pass,
                                      {{"@NETWORK@", base::Markdown::code(library.pass->network)},
                                       {"@ORDER@", order},
                                       {"@OTHERS@", left_out_text(library.pass->order)}});
}

}  // namespace

base::MarkdownText contents_table(const KernelLibrary& library) {
  if (library.kernels.size() < 2) return {};
  const bool layers = std::ranges::any_of(
      library.kernels, [](const ExportedKernel& kernel) { return kernel.multiplicity > 0; });
  base::MarkdownText text = layers ? base::MarkdownText("\n## Layers\n\n| layer | times |")
                                   : base::MarkdownText("\n## Kernels\n\n| task |");
  const bool choices = std::ranges::any_of(
      library.kernels, [](const ExportedKernel& kernel) { return kernel.vendor.has_value(); });
  text += " kernel | first input | second input | output | result |";
  if (choices) text += " choice |";
  text += "\n|---|---|---|---|---|---|";
  if (choices) text += "---|";
  text += layers ? base::MarkdownText("---|\n") : base::MarkdownText("\n");
  for (const ExportedKernel& kernel : library.kernels) {
    text += base::write<base::Markdown>("| {} |", base::Markdown::code(kernel.measured.task.name));
    if (layers) text += base::write<base::Markdown>(" {} |", kernel.multiplicity);
    text += base::write<base::Markdown>(" {} |", base::Markdown::code(kernel.name));
    for (std::size_t i = 0; i < 3; ++i)
      text +=
          base::write<base::Markdown>(" {} |", base::Markdown::code(kernel.source.arguments[i].layout.name));
    text += base::write<base::Markdown>(" {} |", base::Markdown::code(result_text(kernel)));
    if (kernel.vendor) text += base::write<base::Markdown>(" {} |", base::Markdown::code(kernel.vendor->why));
    text += "\n";
  }
  return text;
}

base::MarkdownText readme_section(const ExportedKernel& kernel) {
  const Provenance& from = kernel.measured.provenance;
  base::MarkdownText text =
      base::write<base::Markdown>("\n## {}\n\n", kernel.name) + facts_table(kernel) + "\n";
  for (std::size_t i = 0; i < kernel.source.arguments.size(); ++i) text += packing_text(kernel, i);
  const base::MarkdownText session_name =
      from.session_name.empty() ? base::MarkdownText() : " " + base::Markdown::code(from.session_name);
  const base::MarkdownText made = from.created_utc.empty() ? base::MarkdownText("at an unknown time")
                                                           : base::Markdown::words(from.created_utc);
  return text + base::write<base::Markdown>(
                    "{}rial {} of session {}{}, made {} by version {}. Find it again:\n\n```sh\n{}\n```\n",
                    kernel.is_vendors() ? base::Literal("It was compared with t") : base::Literal("T"),
                    from.trial, from.session, session_name, made, from.program_version,
                    base::Markdown::block(reproduce_command(kernel.measured)));
}

base::MarkdownText library_readme(const KernelLibrary& library) {
  const ExportedKernel& first = library.kernels.front();
  const std::size_t count = library.kernels.size();
  const base::CSourceText example =
      base::write<base::CSource>("for (int part = 0; part < parts; ++part) {}(part, parts, {});",
                                 base::CSource::name(first.name), packed_names(first));
  base::MarkdownText text = base::filled<base::Markdown>(
      readme_begin,
      {{"@L@", base::Markdown::block(base::CSource::name(library.name))},
       {"@VENDORS@", library.has_vendors()
                         ? base::MarkdownText("\nSome layers are computed by oneDNN, see below.")
                         : base::MarkdownText()},
       {"@COUNT@",
        count == 1 ? base::MarkdownText("A kernel") : base::write<base::Markdown>("{} kernels", count)},
       {"@COMMAND@", base::Markdown::block(plain_build_command(library))},
       {"@EXAMPLE@", base::Markdown::block(example)}});
  if (library.has_operands()) text += base::MarkdownText(readme_operands);
  if (library.has_vendors())
    text += base::filled<base::Markdown>(readme_vendor,
                                         {{"@L@", base::Markdown::block(base::CSource::name(library.name))}});
  if (library.pass != nullptr) text += pass_section(library);
  if (!library.why_no_pass.empty())
    text +=
        base::filled<base::Markdown>(readme_no_pass, {{"@WHY@", base::Markdown::words(library.why_no_pass)}});
  text += contents_table(library);
  for (const ExportedKernel& kernel : library.kernels) text += readme_section(kernel);
  return text;
}

}  // namespace kernelscape::exchange
