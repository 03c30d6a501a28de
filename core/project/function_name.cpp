#include "core/project/function_name.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/project/host_language.h"
#include "core/project/reading.h"

namespace kernelscape::project {
namespace {

/** Returns the name without the template's arguments. */
std::string_view without_arguments(std::string_view name) {
  return base::trimmed(name.substr(0, name.find('<')));
}

std::string value_text(const PythonValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "1" : "0";
  return space::to_string(value);
}

}  // namespace

bool names_as_cpp(codegen::Dialect dialect, const std::vector<std::string>& flags) {
  return dialect == codegen::Dialect::Cuda || (dialect == codegen::Dialect::C && is_cpp(flags));
}

bool is_function_name(std::string_view name, bool as_cpp) {
  if (!as_cpp) return is_identifier(name);
  if (name.contains('\n') || (name.contains('<') && !base::trimmed(name).ends_with('>'))) return false;
  std::string_view rest = without_arguments(name);
  if (rest.starts_with("::")) rest.remove_prefix(2);
  for (std::size_t end = rest.find("::"); end != std::string_view::npos; end = rest.find("::")) {
    if (!is_identifier(base::trimmed(rest.substr(0, end)))) return false;
    rest.remove_prefix(end + 2);
  }
  return is_identifier(base::trimmed(rest));
}

std::string_view identifier_of_function(std::string_view name) {
  const std::string_view plain = without_arguments(name);
  const std::size_t colons = plain.rfind("::");
  return colons == std::string_view::npos ? plain : base::trimmed(plain.substr(colons + 2));
}

Result<std::string> entry_of(const KernelProject& project, const PythonNames& names) {
  std::string name = project.kernel_name;
  std::size_t start = 0;
  for (const PythonExpression& expression : TRY(values_in_flag(project.kernel_name))) {
    const std::string value = value_text(TRY(expression.evaluate(names)));
    start = name.find('{', start);
    name.replace(start, name.find('}', start) + 1 - start, value);
    start += value.size();
  }
  return name;
}

}  // namespace kernelscape::project
