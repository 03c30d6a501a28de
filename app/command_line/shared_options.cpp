#include "app/command_line/shared_options.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <system_error>

namespace kernelscape::command_line {

void add_json_option(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "One JSON object per line instead of text");
}

void add_database_option(CLI::App& command, std::string& path) {
  command.add_option("--db", path, "The database (default: " + store::Store::default_path().string() + ")")
      ->type_name("FILE")
      ->check(CLI::Validator(
          [](std::string& text) {
            return text.empty()
                       ? std::string("an empty text names no file; leave --db out to use the default")
                       : std::string();
          },
          ""));
}

void add_force_option(CLI::App& command, bool& force) {
  command.add_flag("--force", force,
                   "Replace an existing file of another format; never a database, a link out of the folder "
                   "or a file that is read");
}

void add_outside_files_option(CLI::App& command, bool& outside_files) {
  command.add_flag("--outside-files", outside_files,
                   "For a project: allow it to name files outside its folder");
}

void add_architecture_option(CLI::App& command, std::string& architecture) {
  command
      .add_option("--arch", architecture,
                  "With --target cuda: build kernels for an architecture such as sm_90a, without running "
                  "them; needs no GPU")
      ->type_name("SM");
}

Result<store::Store> open_store(const std::string& path, store::OpenMode mode) {
  if (!path.empty()) return store::Store::open(path, mode);
  const std::filesystem::path own = store::Store::default_path();
  std::error_code unknown;
  const bool missing = std::filesystem::status(own, unknown).type() == std::filesystem::file_type::not_found;
  return missing && mode == store::OpenMode::ReadOnly ? store::Store::nothing_yet(own)
                                                      : store::Store::open(own, mode);
}

Result<store::SessionId> find_one_session(const store::Store& store, const std::string& id_or_name) {
  Result<store::SessionId> session = store.sessions().find(id_or_name);
  if (session || session.error().code != ErrorCode::NotFound) return session;
  for (const store::CollectionSummary& collection : TRY(store.collections().all())) {
    if (collection.name != id_or_name) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is a collection of {} sessions, but a single session is needed", id_or_name,
                            collection.sessions),
                fmt::format("`kernelscape sessions --collection {}` lists them; name one by its number",
                            collection.id));
  }
  return session;
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

CLI::Validator whole_in_range(std::uint64_t minimum, std::uint64_t maximum) {
  const std::string range = fmt::format("{} to {}", minimum, maximum);
  return CLI::Validator(
      [minimum, maximum, range](std::string& text) {
        std::uint64_t value = 0;
        const char* const end = text.data() + text.size();
        const auto [read, error] = std::from_chars(text.data(), end, value);
        const bool too_large = error == std::errc::result_out_of_range && read == end;
        if (!too_large && (error != std::errc{} || read != end))
          return fmt::format("\"{}\" is not a whole number; give {}", text, range);
        // What reads the number after this would take it for an octal one.
        if (text.size() > 1 && text.starts_with('0') && !too_large)
          return fmt::format("\"{}\" begins with 0; write {}", text, value);
        if (!too_large && value >= minimum && value <= maximum) return std::string();
        return fmt::format("{} is out of range; give {}", text, range);
      },
      range);
}

void refuse_options_as_values(CLI::App& command) {
  std::set<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.insert("--" + name);
  for (CLI::Option* option : command.get_options()) {
    if (option->get_items_expected_max() == 0) continue;
    const std::string name = option->get_name();
    option->check(CLI::Validator(
        [names, name](std::string& text) {
          if (!names.contains(text)) return std::string();
          return fmt::format("{} needs a value, but {} is an option; write ./{} for a file of that name",
                             name, text, text);
        },
        ""));
  }
}

}  // namespace kernelscape::command_line
