#include "core/project/cpp_call.h"

#include <fmt/format.h>

#include <array>

#include "core/base/text.h"
#include "core/project/project_source.h"

namespace kernelscape {
namespace {

/**
 * The source around the call. Its names begin with kernelscape_, so that they differ from all names of the
 * user's source.
 */
constexpr std::string_view call_frame = R"(namespace kernelscape_call {{
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
extern "C" void {1}(int kernelscape_part, int kernelscape_parts, void* const* kernelscape_arguments) noexcept {{
  static_cast<void>(kernelscape_part), static_cast<void>(kernelscape_parts);
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

}  // namespace

std::string cpp_call(const KernelSource& source, const std::vector<ProgramArgument>& arguments) {
  std::vector<std::string> values{"0"};
  if (source.parts) values.insert(values.end(), {"kernelscape_part", "kernelscape_parts"});
  std::size_t index = 0;
  for (const ProgramArgument& argument : arguments) {
    const bool scalar = argument.memory == ArgumentMemory::Scalar;
    const std::string at = fmt::format("kernelscape_arguments[{}]", index++);
    values.push_back(
        scalar ? fmt::format("*static_cast<const {}*>({})", type_of(argument), at)
               : fmt::format("kernelscape_call::kernelscape_pointer<{}>{{{}}}", type_of(argument), at));
  }
  const std::string call = fmt::format(call_frame, source.entry, program_entry, join(values, ", "));
  return fmt::format("\n{}#line 1 \"the call of the kernel\"\n{}", without_macros(call, source.entry), call);
}

}  // namespace kernelscape
