#include "core/exchange/kernels/c_text.h"
#include "core/exchange/kernels/kernel_files.h"
#include "export_text.h"

namespace kernelscape::exchange {
namespace {

constexpr base::Literal element_wise = R"(
/* Element by element, for layouts that divide a dimension in ways that don't nest; the first part does all. */
static void convert_elements(int part, const LIBRARY_conversion *conversion, const float *from, float *to) {
  if (part > 0) return;
  for (long long i = 0; i < conversion->to.packed_elements; ++i) to[i] = 0.0f;
  for (long long i = 0; i < conversion->to.elements; ++i)
    to[offset_of(&conversion->to, i)] = from[offset_of(&conversion->from, i)];
}
)";

base::CSourceText name_of(const KernelLibrary& library, std::size_t number) {
  return base::write<base::CSource>("{}_convert_{}", base::CSource::name(library.name), number);
}

/** Returns "NCHW16c to plain, 1x64x56x56". */
base::CSourceText about(const LayoutConversion& conversion) {
  return base::write<base::CSource>("{} to {}, {}", base::CSource::comment(conversion.from.name),
                                    base::CSource::comment(conversion.to.name),
                                    number_list(conversion.to.shape, "x"));
}

}  // namespace

base::CSourceText conversion_declarations(const KernelLibrary& library) {
  base::CSourceText text = with_library_name(export_text::conversions_h, library);
  for (std::size_t i = 0; i < library.pass->plan.conversions.size(); ++i)
    text +=
        base::write<base::CSource>("/** {} */\nvoid {}(int part, int parts, const float *from, float *to);\n",
                                   about(library.pass->plan.conversions[i]), name_of(library, i));
  return text;
}

base::CSourceText library_conversions(const KernelLibrary& library) {
  const std::vector<LayoutConversion>& conversions = library.pass->plan.conversions;
  base::CSourceText text = with_library_name(
      "/* Conversions between the layouts of LIBRARY.h, where layers follow each other. */\n"
      "#include <stddef.h>\n\n#include \"LIBRARY.h\"\n\n",
      library);
  const base::CSourceText library_name = base::CSource::name(library.name);
  base::CSourceText functions;
  base::CSourceText entries;
  bool all_nest = true;
  for (std::size_t i = 0; i < conversions.size(); ++i) {
    const LayoutConversion& conversion = conversions[i];
    const base::CSourceText name = name_of(library, i);
    text += tensor_data(library_name, name, base::Literal("from"), conversion.from) +
            tensor_data(library_name, name, base::Literal("to"), conversion.to);
    const std::optional<base::CSourceText> function = conversion_function(name, conversion);
    all_nest = all_nest && function;
    functions += base::write<base::CSource>("/* {} */\n", about(conversion));
    functions += function
                     ? *function
                     : base::write<base::CSource>(
                           "void {0}(int part, int parts, const float *from, float *to) {{\n"
                           "  (void)parts;\n  convert_elements(part, &{1}_conversions[{2}], from, to);\n}}\n",
                           name, base::CSource::name(library.name), i);
    functions += "\n";
    entries += base::write<base::CSource>(
        "    {{\"{}\", {}, {}, {}}},\n", name,
        tensor_entry(name, base::Literal("from"), base::CSource::string("from"), "f32", conversion.from),
        tensor_entry(name, base::Literal("to"), base::CSource::string("to"), "f32", conversion.to), name);
  }
  if (!all_nest)
    text += with_library_name(export_text::offset_c, library) + with_library_name(element_wise, library);
  text += "\n" + functions;
  text += with_library_name("const LIBRARY_conversion LIBRARY_conversions[] = {\n", library) + entries;
  return text + base::write<base::CSource>(
                    "    {{NULL, {{NULL, NULL, 0, NULL, 0, NULL, 0, NULL, 0, 0, NULL, 0}}, "
                    "{{NULL, NULL, 0, NULL, 0, NULL, 0, NULL, 0, 0, NULL, 0}}, "
                    "NULL}}}};\n\nconst int {}_conversion_count = {};\n",
                    base::CSource::name(library.name), conversions.size());
}

}  // namespace kernelscape::exchange
