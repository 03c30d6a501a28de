#include "core/project/cpp_call.h"

#include <fmt/format.h>

#include <array>

#include "core/base/media/c_source.h"
#include "core/base/text.h"
#include "core/project/source.h"

namespace kernelscape::project {
namespace {

/** Names begin with kernelscape_, so that they differ from all names of the user's source. */
constexpr std::string_view caller_frame = R"(namespace kernelscape_call {{
template <typename kernelscape_type>
struct kernelscape_pointer {{
  void* kernelscape_at;
  template <typename kernelscape_any>
  operator kernelscape_any*() const {{ return static_cast<kernelscape_any*>(kernelscape_at); }}
}};
template <typename kernelscape_type>
kernelscape_type* kernelscape_typed(kernelscape_pointer<kernelscape_type> kernelscape_value) {{
  return static_cast<kernelscape_type*>(kernelscape_value.kernelscape_at);
}}
template <typename kernelscape_type>
kernelscape_type kernelscape_typed(kernelscape_type kernelscape_value) {{ return kernelscape_value; }}
template <typename... kernelscape_types>
auto kernelscape_run(int, kernelscape_types... kernelscape_values)
    -> decltype(static_cast<void>({0}(kernelscape_typed(kernelscape_values)...))) {{
  {0}(kernelscape_typed(kernelscape_values)...);
}}
template <typename... kernelscape_types>
void kernelscape_run(long, kernelscape_types... kernelscape_values) {{
  {0}(kernelscape_values...);
}}
}}  // namespace kernelscape_call
)";

constexpr std::string_view worker_frame =
    R"(extern "C" void {0}(int kernelscape_part, int kernelscape_parts, void* const* kernelscape_arguments) noexcept {{
  static_cast<void>(kernelscape_part), static_cast<void>(kernelscape_parts);
  kernelscape_call::kernelscape_run({1});
}}
)";

constexpr std::string_view wrapper_frame = R"(extern "C" void {0}({1}) {{
  kernelscape_call::kernelscape_run({2});
}}
)";

/**
 * Returns an element's type. C++ before C++23 has no half type, so pointers to half are pointers to 16-bit
 * integers.
 */
std::string type_of(const ProgramArgument& argument) {
  static constexpr std::array<std::string_view, element_type_count> names{
      "bool",         "signed char", "unsigned char",      "short",          "unsigned short", "int",
      "unsigned int", "long long",   "unsigned long long", "unsigned short", "float",          "double"};
  std::string type(names[static_cast<std::size_t>(argument.type)]);
  if (argument.type == ElementType::F16 && argument.memory == ArgumentMemory::Scalar) type = "_Float16";
  if (argument.lanes > 1)
    type += fmt::format(" __attribute__((vector_size({})))",
                        element_bytes(argument.type) * static_cast<std::size_t>(argument.lanes));
  return type;
}

/** A vector that the kernel reads alone is const. */
std::string parameter_type(const ProgramArgument& argument) {
  if (argument.memory == ArgumentMemory::Scalar) return type_of(argument);
  const bool reads = argument.access == ArgumentAccess::ReadOnly;
  return fmt::format("{}{}*", reads ? "const " : "", type_of(argument));
}

/** What begins the list of the values that the entry is called with. */
std::vector<std::string> first_values(const codegen::KernelSource& source) {
  if (source.parts) return {"0", "kernelscape_part", "kernelscape_parts"};
  return {"0"};
}

}  // namespace

std::string cpp_call(const codegen::KernelSource& source, const std::vector<ProgramArgument>& arguments) {
  std::vector<std::string> values = first_values(source);
  std::size_t index = 0;
  for (const ProgramArgument& argument : arguments) {
    const bool scalar = argument.memory == ArgumentMemory::Scalar;
    const std::string at = fmt::format("kernelscape_arguments[{}]", index++);
    values.push_back(
        scalar ? fmt::format("*static_cast<const {}*>({})", type_of(argument), at)
               : fmt::format("kernelscape_call::kernelscape_pointer<{}>{{{}}}", type_of(argument), at));
  }
  const std::string call = fmt::format(caller_frame, source.entry) +
                           fmt::format(worker_frame, program_entry, base::join(values, ", "));
  return fmt::format("\n{}#line 1 \"the call of the kernel\"\n{}", without_macros(call, source.entry), call);
}

CppWrapper cpp_wrapper(const codegen::KernelSource& source, const std::vector<ProgramArgument>& arguments,
                       std::string_view name) {
  std::vector<std::string> values = first_values(source);
  std::vector<std::string> parameters;
  // Names of arguments are any text: the declaration has them in comments, the definition has none of them.
  std::vector<std::string> declared;
  if (source.parts) {
    parameters = {"int kernelscape_part", "int kernelscape_parts"};
    declared = {"int part", "int parts"};
  }
  std::size_t index = 0;
  for (const ProgramArgument& argument : arguments) {
    const std::string value = fmt::format("kernelscape_argument{}", index++);
    const std::string type = parameter_type(argument);
    parameters.push_back(fmt::format("{} {}", type, value));
    declared.push_back(fmt::format("{} /* {} */", type, base::CSource::comment(argument.name).text()));
    values.push_back(argument.memory == ArgumentMemory::Scalar
                         ? value
                         : fmt::format("kernelscape_call::kernelscape_pointer<{0}>{{const_cast<{0}*>({1})}}",
                                       type_of(argument), value));
  }
  if (parameters.empty()) parameters = declared = {"void"};
  const std::string call =
      fmt::format(caller_frame, source.entry) +
      fmt::format(wrapper_frame, name, base::join(parameters, ", "), base::join(values, ", "));
  return {fmt::format("void {}({})", name, base::join(declared, ", ")),
          fmt::format("\n{}{}", without_macros(call, source.entry), call)};
}

}  // namespace kernelscape::project
