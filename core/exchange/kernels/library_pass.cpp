#include "core/exchange/kernels/kernel_files.h"
#include "export_text.h"

namespace kernelscape::exchange {
namespace {

base::CSourceText conversion_row(const PassConversion& conversion) {
  return base::write<base::CSource>("    {{{}, {}, {}}},\n", conversion.conversion, conversion.from,
                                    conversion.to);
}

base::CSourceText conversion_rows(const PassPlan& plan) {
  base::CSourceText text("static const pass_conversion pass_conversions[pass_conversion_count + 1] = {\n");
  for (const PassCall& call : plan.calls)
    for (const PassConversion& conversion : call.before) text += conversion_row(conversion);
  for (const PassConversion& conversion : plan.after) text += conversion_row(conversion);
  return text + "    {0, 0, 0},\n};\n\n";
}

base::CSourceText call_rows(const PassPlan& plan) {
  base::CSourceText text("static const pass_call pass_calls[pass_call_count] = {\n");
  std::size_t converted = 0;
  for (const PassCall& call : plan.calls) {
    converted += call.before.size();
    text += base::write<base::CSource>("    {{{}, {}, {{{}, {}}}, {{{}, {}}}, {}}},\n", call.kernel,
                                       converted, int{call.constant[0]}, int{call.constant[1]},
                                       call.operands[0], call.operands[1], call.output);
  }
  return text + "};\n";
}

/** Returns ": Relu (49), Add (16)"; empty if nothing is known. */
base::CSourceText others_text(const KernelOrder& order) {
  base::CSourceText text;
  for (const task::OtherOperators& other : order.others) {
    if (other.once) continue;
    text += base::write<base::CSource>("{} {} ({})", text.empty() ? base::Literal(":") : base::Literal(","),
                                       base::CSource::comment(other.name), other.count);
  }
  for (const std::string& layer : order.left_out)
    text += base::write<base::CSource>("{} layer {}", text.empty() ? base::Literal(":") : base::Literal(","),
                                       base::CSource::comment(layer));
  return text;
}

}  // namespace

base::CSourceText library_pass(const KernelLibrary& library) {
  const LibraryPass& pass = *library.pass;
  const base::Literal order = pass.order.known
                                  ? base::Literal(
                                        "Where layers follow each other in\n * different layouts the "
                                        "tensor is converted, which counts.")
                                  : base::Literal(
                                        "The network's order is not known: the\n * layers stand as "
                                        "they are listed, and nothing is converted "
                                        "between them.");
  base::CSourceText text = base::filled<base::CSource>(
      export_text::pass_begin_c,
      {{"LIBRARY", base::CSource::name(library.name)},
       {"EXPORT_OPENMP", openmp_include(library)},
       {"EXPORT_NETWORK", base::CSource::comment(pass.network)},
       {"EXPORT_ORDER", base::CSourceText(order)},
       {" EXPORT_OTHERS", others_text(pass.order)},
       {"EXPORT_CALLS", base::write<base::CSource>("{}", pass.plan.calls.size())},
       {"EXPORT_CONVERSIONS", base::write<base::CSource>("{}", pass.plan.conversion_count())},
       {"EXPORT_ARENA", base::write<base::CSource>("{}", pass.plan.arena_floats)}});
  text += conversion_rows(pass.plan) + call_rows(pass.plan);
  return text + team_text(library, TeamThreads::Bound) +
         base::filled<base::CSource>(
             export_text::pass_program_c,
             {{"LIBRARY", base::CSource::name(library.name)},
              {"EXPORT_CALL;", kernel_call(library, "pass_now.kernel", "pass_run_part")}});
}

}  // namespace kernelscape::exchange
