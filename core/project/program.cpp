#include "core/project/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/project/kernel_project.h"
#include "core/project/reading.h"

namespace kernelscape::project {
namespace {

constexpr double work_of_rate = 1e9;

struct ScaledUnit {
  std::string_view name;
  double scale;
};

constexpr std::array<ScaledUnit, 8> time_units{{{"s", 1},
                                                {"ms", 1e-3},
                                                {"us", 1e-6},
                                                {"\u00b5s", 1e-6},
                                                {"\u03bcs", 1e-6},
                                                {"ns", 1e-9},
                                                {"min", 60},
                                                {"h", 3600}}};
constexpr std::array<ScaledUnit, 11> unit_prefixes{{{"", 1},
                                                    {"k", 1e3},
                                                    {"K", 1e3},
                                                    {"M", 1e6},
                                                    {"G", 1e9},
                                                    {"T", 1e12},
                                                    {"P", 1e15},
                                                    {"Ki", 1024.0},
                                                    {"Mi", 1048576.0},
                                                    {"Gi", 1073741824.0},
                                                    {"Ti", 1099511627776.0}}};

template <std::size_t count>
std::optional<double> scale_in(const std::array<ScaledUnit, count>& units, std::string_view name) {
  const auto found = std::ranges::find(units, name, &ScaledUnit::name);
  if (found == units.end()) return std::nullopt;
  return found->scale;
}

/** Returns the scale of a unit such as "GFLOPS"; nullopt if the unit does not end in one of these texts. */
std::optional<double> scale_before(std::string_view unit, std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings)
    if (unit.ends_with(ending)) return scale_in(unit_prefixes, unit.substr(0, unit.size() - ending.size()));
  return std::nullopt;
}

std::optional<double> flops_scale(std::string_view unit) {
  return scale_before(unit, {"FLOPS", "FLOP/s", "flops", "flop/s"});
}

std::optional<double> bytes_scale(std::string_view unit) { return scale_before(unit, {"B/s"}); }

Result<std::string> expanded(std::string_view text, const PythonNames& names) {
  std::string result;
  for (const BracePart& part : TRY(brace_parts(text))) {
    result += part.text;
    if (part.value) result += flag_text(TRY(part.value->evaluate(names)));
  }
  if (!result.contains('\0')) return result;
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} has a null byte, which no command can receive", base::quoted_line(result)),
              "remove it from the value of the parameter");
}

std::string quoted_argument(const std::string& argument) {
  const auto plain = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           std::string_view("_-+./=:,{}@%").contains(letter);
  };
  if (!argument.empty() && std::ranges::all_of(argument, plain)) return argument;
  return fmt::format("'{}'", base::visible_text(argument));
}

}  // namespace

Result<std::vector<BracePart>> brace_parts(std::string_view text) {
  const auto unbalanced = [&] {
    return fail(ErrorCode::InvalidArgument, fmt::format("{} has an unmatched brace", base::quoted_line(text)),
                "braces hold expressions: \"-O{LEVEL}\"; write {{ and }} for braces of the text");
  };
  std::vector<BracePart> parts;
  std::string literal;
  for (std::size_t at = 0; at < text.size();) {
    const char letter = text[at];
    const bool brace = letter == '{' || letter == '}';
    if (!brace || text.substr(at + 1).starts_with(letter)) {
      literal += letter;
      at += brace ? 2 : 1;
      continue;
    }
    if (letter == '}') return unbalanced();
    const std::size_t end = text.find_first_of("{}", at + 1);
    if (end == std::string_view::npos || text[end] == '{') return unbalanced();
    PythonExpression value = TRY(PythonExpression::parse(text.substr(at + 1, end - at - 1)));
    parts.push_back({std::exchange(literal, {}), std::move(value)});
    at = end + 1;
  }
  if (!literal.empty()) parts.push_back({std::move(literal), std::nullopt});
  return parts;
}

Result<StepCommands> step_commands(const ProgramStep& step, const PythonNames& names) {
  StepCommands made;
  for (const std::vector<std::string>& command : step.commands) {
    std::vector<std::string>& arguments = made.commands.emplace_back();
    for (const std::string& argument : command) arguments.push_back(TRY(expanded(argument, names)));
  }
  for (const auto& [name, value] : step.environment)
    made.environment.push_back(name + "=" + TRY(expanded(value, names)));
  return made;
}

std::vector<std::string> command_lines(const std::vector<std::vector<std::string>>& commands) {
  std::vector<std::string> lines;
  for (const std::vector<std::string>& command : commands) {
    std::vector<std::string> arguments;
    for (const std::string& argument : command) arguments.push_back(quoted_argument(argument));
    lines.push_back(base::join(arguments, " "));
  }
  return lines;
}

std::vector<std::string> program_lines(const Program& program) {
  std::vector<std::string> lines;
  for (const auto& [name, step] : {std::pair("build", &program.build), std::pair("run", &program.run),
                                   std::pair("check", &program.check)}) {
    std::string variables;
    for (const auto& [variable, value] : step->environment)
      variables += fmt::format("{}={} ", variable, quoted_argument(value));
    for (const std::string& line : command_lines(step->commands))
      lines.push_back(fmt::format("{}: {}{}", name, variables, line));
  }
  return lines;
}

std::vector<std::string> permission_lines(const ProgramPermissions& permissions) {
  std::vector<std::string> lines;
  if (permissions.network) lines.emplace_back("may use the network");
  for (const std::string& path : permissions.read) lines.push_back("may read " + quoted_argument(path));
  for (const std::string& path : permissions.write)
    lines.push_back("may read and change " + quoted_argument(path));
  return lines;
}

bool is_time_unit(std::string_view unit) { return scale_in(time_units, unit).has_value(); }

bool is_rate_unit(std::string_view unit) { return unit.ends_with("/s") || flops_scale(unit).has_value(); }

bool follows_machine_speed(const ProgramNumber& number) {
  return is_time_unit(number.unit) || is_rate_unit(number.unit);
}

double objective_seconds(const KernelProject& project, double value) {
  const ProgramNumber& objective = project.program->objective;
  if (!objective.higher_is_better) return value * scale_in(time_units, objective.unit).value_or(1);
  if (const auto scale = flops_scale(objective.unit)) return project.flops / (value * *scale);
  if (const auto scale = bytes_scale(objective.unit)) return project.bytes / (value * *scale);
  return 1 / value;
}

void set_work_of_rate(KernelProject& project) {
  const ProgramNumber& objective = project.program->objective;
  if (!objective.higher_is_better) return;
  if (flops_scale(objective.unit) && project.flops == 0) project.flops = work_of_rate;
  if (bytes_scale(objective.unit) && project.bytes == 0) project.bytes = work_of_rate;
}

}  // namespace kernelscape::project
