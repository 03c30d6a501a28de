#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/json_output.h"
#include "app/command_line/shared_options.h"
#include "core/base/text.h"
#include "core/session/preparation.h"

namespace kernelscape {
namespace {

void print_text(const TargetDescription& target) {
  constexpr std::int64_t kibibyte = 1024;
  fmt::print("{}  {}\n", target.name, target.device);
  fmt::print("  instructions  {}, {} registers of {} bits\n", target.isa, target.vector_registers,
             target.vector_bits);
  fmt::print("  cores         {}\n", target.cores);
  fmt::print("  caches        L1 {} KiB, L2 {} KiB, L3 {} KiB\n", target.l1_bytes / kibibyte,
             target.l2_bytes / kibibyte, target.l3_bytes / kibibyte);
  fmt::print("  compiler      {}\n  flags         {}\n",
             target.compiler.empty() ? "none: kernels can't be built; install gcc or set CC"
                                     : fmt::format("{} ({})", target.compiler, target.compiler_version),
             join(target.flags, " "));
}

}  // namespace

Command add_devices_command(CLI::App& program) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* app = program.add_subcommand("devices", "Targets of this machine");
  add_json_option(*app, *as_json);
  return {app, [as_json]() -> Result<int> {
            const Result<TargetDescription> target = resolve_target("cpu", CompilerNeed::Optional);
            if (!target) return std::unexpected(target.error());
            if (*as_json) {
              print_json_line(nlohmann::json::parse(target_to_json(*target), nullptr, false));
            } else {
              print_text(*target);
            }
            return exit_done;
          }};
}

}  // namespace kernelscape
