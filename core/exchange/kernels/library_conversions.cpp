#include "core/exchange/kernels/c_text.h"
#include "core/exchange/kernels/kernel_files.h"
#include "export_text.h"

namespace kernelscape {
namespace {

constexpr Literal element_wise = R"(
/* Element by element, for layouts that divide a dimension in ways that don't nest; the first part does all. */
static void convert_elements(int part, const LIBRARY_conversion *conversion, const float *from, float *to) {
  if (part > 0) return;
  for (long long i = 0; i < conversion->to.packed_elements; ++i) to[i] = 0.0f;
  for (long long i = 0; i < conversion->to.elements; ++i)
    to[offset_of(&conversion->to, i)] = from[offset_of(&conversion->from, i)];
}
)";

CSourceText name_of(const KernelLibrary& library, std::size_t number) {
  return write<CSource>("{}_convert_{}", CSource::name(library.name), number);
}

/** Returns "NCHW16c to plain, 1x64x56x56". */
CSourceText about(const LayoutConversion& conversion) {
  return write<CSource>("{} to {}, {}", CSource::comment(conversion.from.name),
                        CSource::comment(conversion.to.name), number_list(conversion.to.shape, "x"));
}

}  // namespace

CSourceText conversion_declarations(const KernelLibrary& library) {
  CSourceText text = with_library_name(export_text::conversions_h, library);
  for (std::size_t i = 0; i < library.pass->plan.conversions.size(); ++i)
    text += write<CSource>("/** {} */\nvoid {}(int part, int parts, const float *from, float *to);\n",
                           about(library.pass->plan.conversions[i]), name_of(library, i));
  return text;
}

CSourceText library_conversions(const KernelLibrary& library) {
  const std::vector<LayoutConversion>& conversions = library.pass->plan.conversions;
  CSourceText text = with_library_name(
      "/* Conversions between the layouts of LIBRARY.h, where layers follow each other. */\n"
      "#include <stddef.h>\n\n#include \"LIBRARY.h\"\n\n",
      library);
  const CSourceText library_name = CSource::name(library.name);
  CSourceText functions;
  CSourceText entries;
  bool all_nest = true;
  for (std::size_t i = 0; i < conversions.size(); ++i) {
    const LayoutConversion& conversion = conversions[i];
    const CSourceText name = name_of(library, i);
    text += tensor_data(library_name, name, Literal("from"), conversion.from) +
            tensor_data(library_name, name, Literal("to"), conversion.to);
    const std::optional<CSourceText> function = conversion_function(name, conversion);
    all_nest = all_nest && function;
    functions += write<CSource>("/* {} */\n", about(conversion));
    functions += function
                     ? *function
                     : write<CSource>(
                           "void {0}(int part, int parts, const float *from, float *to) {{\n"
                           "  (void)parts;\n  convert_elements(part, &{1}_conversions[{2}], from, to);\n}}\n",
                           name, CSource::name(library.name), i);
    functions += "\n";
    entries +=
        write<CSource>("    {{\"{}\", {}, {}, {}}},\n", name,
                       tensor_entry(name, Literal("from"), CSource::string("from"), "f32", conversion.from),
                       tensor_entry(name, Literal("to"), CSource::string("to"), "f32", conversion.to), name);
  }
  if (!all_nest)
    text += with_library_name(export_text::offset_c, library) + with_library_name(element_wise, library);
  text += "\n" + functions;
  text += with_library_name("const LIBRARY_conversion LIBRARY_conversions[] = {\n", library) + entries;
  return text + write<CSource>(
                    "    {{NULL, {{NULL, NULL, 0, NULL, 0, NULL, 0, NULL, 0, 0}}, "
                    "{{NULL, NULL, 0, NULL, 0, NULL, 0, NULL, 0, 0}}, "
                    "NULL}}}};\n\nconst int {}_conversion_count = {};\n",
                    CSource::name(library.name), conversions.size());
}

}  // namespace kernelscape
