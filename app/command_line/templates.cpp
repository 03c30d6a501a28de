#include <fmt/format.h>

#include <memory>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_output.h"
#include "app/command_line/shared_options.h"
#include "core/schedule/template.h"

namespace kernelscape {

Command add_templates_command(CLI::App& program) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* app = program.add_subcommand("templates", "Templates: schedules with open knobs");
  add_json_option(*app, *as_json);
  return {app, [as_json]() -> Result<int> {
            TextTable table({"template", "target", "version", "summary", "source"});
            for (const TemplateDeclaration& declared : template_registry()) {
              const std::string target(to_string(declared.target));
              if (*as_json) {
                const nlohmann::json row = {{"name", declared.name},
                                            {"target", target},
                                            {"version", declared.version},
                                            {"summary", declared.summary},
                                            {"source", declared.source}};
                print_json_line(row);
              } else {
                table.add({declared.name, target, std::to_string(declared.version), declared.summary,
                           declared.source});
              }
            }
            if (!*as_json) fmt::print("{}", table.text());
            return exit_done;
          }};
}

}  // namespace kernelscape
