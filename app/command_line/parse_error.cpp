#include "app/command_line/parse_error.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/base/text.h"

namespace kernelscape::command_line {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

Error explain_extra(const CLI::App& program, const CLI::App* command, const std::string& extra) {
  const CLI::App& app = command != nullptr ? *command : program;
  const std::string of = command != nullptr ? "kernelscape " + command->get_name() : "kernelscape";
  if (extra.starts_with('-')) {
    const std::string name = extra.substr(0, extra.find('='));
    return {ErrorCode::InvalidArgument, fmt::format("{} has no option {}", of, name),
            base::suggest(name, option_names(app))};
  }
  if (command == nullptr) {
    return {ErrorCode::InvalidArgument, fmt::format("there is no command \"{}\"", extra),
            base::suggest(extra, subcommand_names(program))};
  }
  return {ErrorCode::InvalidArgument, fmt::format("{} does not take \"{}\"", of, extra),
          fmt::format("put a task or name with spaces in quotes; see `{} --help`", of)};
}

}  // namespace

Error explain_parse_error(const CLI::App& program, const CLI::ParseError& error) {
  const std::vector<CLI::App*> parsed = program.get_subcommands();
  const CLI::App* command = parsed.empty() ? nullptr : parsed.front();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> extras = program.remaining(true);
    if (!extras.empty()) return explain_extra(program, command, extras.front());
  }
  const std::string of = command != nullptr ? "kernelscape " + command->get_name() : "kernelscape";
  return {ErrorCode::InvalidArgument, error.what(), fmt::format("see `{} --help`", of)};
}

}  // namespace kernelscape::command_line
