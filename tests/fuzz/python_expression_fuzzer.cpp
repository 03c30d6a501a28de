#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/project/condition_lowering.h"
#include "core/project/space.h"
#include "core/space/member_search.h"

namespace {

using namespace kernelscape;

std::vector<project::Parameter> fuzzed_parameters() {
  return {{"a", "int", {std::int64_t{-1}, std::int64_t{0}, std::int64_t{3}}},
          {"b", "int", {std::int64_t{1}, std::int64_t{2}, std::int64_t{8}}},
          {"r", "float", {0.5, 2.0}},
          {"t", "string", {std::string("x"), std::string("y")}}};
}

}  // namespace

/** Any text as a condition: an error, or a space whose members are those for which the text is true. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<project::PythonExpression> expression = project::PythonExpression::parse(text);
  if (!expression) return 0;
  const auto made =
      project::make_project_space(fuzzed_parameters(), {{std::string(text), *expression}}, {64, 7});
  if (!made) return 0;
  const std::vector<space::Knob>& knobs = made->space.knobs();
  for (base::uint128 index = 0; index < made->space.size(); ++index) {
    const space::Configuration configuration = made->space.at(index);
    const project::PythonNames names = [&](std::string_view name) -> std::optional<project::PythonBinding> {
      if (name == "ProblemSize") return project::PythonBinding{{std::int64_t{64}, std::int64_t{7}}, true};
      for (std::size_t knob = 0; knob < knobs.size(); ++knob)
        if (knobs[knob].name() == name)
          return project::PythonBinding{{knobs[knob].value(configuration.indices[knob])}};
      return std::nullopt;
    };
    if (made->space.contains(configuration) != expression->evaluate_truth(names).value_or(false))
      std::abort();
  }
  return 0;
}
