#include "app/command_line/shared_options.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace kernelscape {

void add_json_option(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "One JSON object per line instead of text");
}

void add_database_option(CLI::App& command, std::string& path) {
  command.add_option("--db", path, "The database (default: " + Store::default_path().string() + ")")
      ->type_name("FILE");
}

void add_architecture_option(CLI::App& command, std::string& architecture) {
  command
      .add_option(
          "--arch", architecture,
          "With --target cuda: an architecture such as sm_90a, which needs no GPU; its kernels are built, "
          "not run")
      ->type_name("SM");
}

Result<Store> open_store(const std::string& path, OpenMode mode) {
  return Store::open(path.empty() ? Store::default_path() : std::filesystem::path(path), mode);
}

CLI::Validator in_range(double minimum, double maximum) {
  const auto plain = [](double value) {
    return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
  };
  const std::string range = plain(minimum) + " to " + plain(maximum);
  return CLI::Validator(
      [minimum, maximum, range](std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (text.empty() || *end != '\0') return fmt::format("\"{}\" is not a number", text);
        if (value >= minimum && value <= maximum) return std::string();
        return fmt::format("{} is out of range; give {}", text, range);
      },
      range);
}

}  // namespace kernelscape
