#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_output.h"
#include "app/command_line/shared_options.h"
#include "core/schedule/template.h"

namespace kernelscape::command_line {

Command add_templates_command(CLI::App& program) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* app = program.add_subcommand("templates", "List the templates: schedules with tunable knobs");
  add_json_option(*app, *as_json);
  return {app, [as_json]() -> Result<int> {
            TextTable table({"template", "targets", "version", "summary", "source"});
            for (const schedule::TemplateDeclaration& declared : schedule::template_registry()) {
              if (*as_json) {
                nlohmann::json targets = nlohmann::json::array();
                for (const schedule::TargetKind target : declared.targets)
                  targets.push_back(schedule::to_string(target));
                const nlohmann::json row = {{"name", declared.name},
                                            {"targets", targets},
                                            {"version", declared.version},
                                            {"summary", declared.summary},
                                            {"source", declared.source}};
                print_json_line(row);
              } else {
                table.add({declared.name, schedule::targets_text(declared), std::to_string(declared.version),
                           declared.summary, declared.source});
              }
            }
            if (!*as_json) print(table.text());
            return exit_done;
          }};
}

}  // namespace kernelscape::command_line
