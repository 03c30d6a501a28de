#include <fmt/format.h>

#include <algorithm>

#include "core/exchange/model/model_files.h"
#include "export_text.h"

namespace kernelscape::exchange {
namespace {

using Text = base::CSourceText;

/** Returns the arrays and the entries of tensors that the caller passes. */
Text tensor_table(const ModelTexts& texts, base::Literal which, const std::vector<std::size_t>& values) {
  const Text library = base::CSource::name(texts.name);
  Text shapes;
  Text entries;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const graph::Value& value = texts.graph.values[values[i]];
    shapes += base::write<base::CSource>("static const long long {}_shape_{}[] = {{", which, i);
    for (const std::int64_t extent : value.shape) shapes += base::write<base::CSource>("{}, ", extent);
    shapes += base::Literal("0};\n");
    entries += base::write<base::CSource>(
        "    {{{}, {}, {}, {}_shape_{}, {}}},\n", base::CSource::string(value.name),
        base::CSource::string(graph::to_string(value.type)), value.shape.size(), which, i,
        graph::element_count(value.shape) * graph::bytes_of(value.type));
  }
  return shapes + base::write<base::CSource>(
                      "static const {0}_tensor model_{1}s[] = {{\n{2}    {{NULL, NULL, 0, NULL, 0}}}};\n\n"
                      "int {0}_{1}_count(void) {{\n  return {3};\n}}\n\n",
                      library, which, entries, values.size());
}

Text kernel_prototypes(const ModelTexts& texts) {
  Text text;
  for (const ExportedKernel& kernel : texts.kernels) {
    text += base::write<base::CSource>(
        "void {}(int part, int parts, const float *first, const float *second, float *output",
        base::CSource::name(kernel.name));
    for (std::size_t i = 3; i < kernel.source.arguments.size(); ++i)
      text += base::write<base::CSource>(", const float *operand_{}", i - 3);
    text += base::Literal(");\n");
  }
  return text;
}

Text places(const ModelTexts& texts, std::uint64_t checksum) {
  Text text;
  for (std::size_t i = 0; i < texts.memory.offsets.size(); ++i)
    text += base::write<base::CSource>("#define place_{} ((size_t){})\n", i, texts.memory.offsets[i]);
  return text + base::write<base::CSource>(
                    "static const size_t arena_bytes = {};\nstatic const size_t weights_bytes = {};\n"
                    "static const uint64_t weights_checksum = {:#x}u;\n",
                    texts.memory.arena_bytes, texts.steps.weights().size(), checksum);
}

/** Returns the kind of a step as a string of C. */
base::Literal name_of(StepKind kind) {
  switch (kind) {
    case StepKind::Layer:
      return base::Literal("\"layer\"");
    case StepKind::Operator:
      return base::Literal("\"operator\"");
    case StepKind::Conversion:
      break;
  }
  return base::Literal("\"conversion\"");
}

Text step_functions(const ModelTexts& texts) {
  const Text library = base::CSource::name(texts.name);
  const std::vector<ModelStep>& steps = texts.steps.steps();
  Text functions;
  Text table;
  Text names;
  Text kinds;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    functions += base::write<base::CSource>(
        "/* {} */\nstatic void step_{}(const struct run *run, int part, int parts) {{\n  (void)run, "
        "(void)part, (void)parts;\n{}}}\n\n",
        base::CSource::comment(steps[i].about), i, steps[i].text);
    table += base::write<base::CSource>("    step_{},\n", i);
    names += base::write<base::CSource>("    {},\n", base::CSource::string(steps[i].about));
    kinds += base::write<base::CSource>("    {},\n", name_of(steps[i].kind));
  }
  return functions + base::write<base::CSource>(
                         "enum {{ {0}_steps_size = {1}, {0}_inputs_size = {2} }};\n\n"
                         "static step_function *const model_steps[] = {{\n{3}    NULL}};\n\n"
                         "static const char *const step_names[] = {{\n{4}    NULL}};\n\n"
                         "static const char *const step_kinds[] = {{\n{5}    NULL}};\n\n",
                         library, steps.size(), std::max<std::size_t>(texts.graph.inputs.size(), 1), table,
                         names, kinds);
}

/** Returns the function that says where an output is after a run. */
Text output_addresses(const ModelTexts& texts) {
  Text text(
      "static const void *output_address(const struct run *run, int position) {\n  switch (position) {\n");
  for (std::size_t i = 0; i < texts.outputs.size(); ++i) {
    const ValueForm& form = texts.outputs[i];
    text += base::write<base::CSource>("    case {}:\n", i);
    if (form.memory == ModelMemory::Arena)
      text += base::write<base::CSource>("      return run->arena + place_{} + {};\n", form.place,
                                         form.byte_offset);
    else if (form.memory == ModelMemory::Weights)
      text +=
          base::write<base::CSource>("      return run->weights + {} + {};\n", form.place, form.byte_offset);
    else
      text += base::write<base::CSource>("      return (const char *)run->inputs[{}] + {};\n", form.place,
                                         form.byte_offset);
  }
  return text + base::Literal("    default:\n      return run->arena;\n  }\n}\n");
}

}  // namespace

Text model_source(const ModelTexts& texts, std::uint64_t checksum) {
  const Text library = base::CSource::name(texts.name);
  const Text begin = base::filled<base::CSource>(
      export_text::model_begin_c,
      {{"LIBRARY", library}, {"EXPORT_MODEL", base::CSource::comment(texts.graph.name)}});
  return begin + kernel_prototypes(texts) + base::Literal("\n") + places(texts, checksum) +
         base::Literal("\n") + tensor_table(texts, "input", texts.graph.inputs) +
         tensor_table(texts, "output", texts.graph.outputs) + step_functions(texts) +
         output_addresses(texts) +
         base::filled<base::CSource>(export_text::model_runtime_c, {{"LIBRARY", library}});
}

}  // namespace kernelscape::exchange
