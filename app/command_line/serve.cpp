#include <memory>
#include <utility>

#include "app/command_line/command.h"
#include "app/command_line/shared_options.h"

namespace kernelscape::command_line {

Command add_serve_command(CLI::App& program, PageServer serve_pages) {
  constexpr std::uint64_t largest_port = 65'535;
  auto options = std::make_shared<ServeOptions>();
  CLI::App* app = program.add_subcommand(
      "serve", "Show sessions and studies live in a browser on this machine, read-only, until Ctrl+C");
  app->add_option("--port", options->port, "The port on 127.0.0.1 (default: 0, any free one)")
      ->check(whole_in_range(0, largest_port));
  add_database_option(*app, options->database);
  return {app, [options, serve_pages = std::move(serve_pages)] { return serve_pages(*options); }};
}

}  // namespace kernelscape::command_line
