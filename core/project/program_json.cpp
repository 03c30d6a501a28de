#include "core/project/program_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/project/in_list.h"
#include "core/project/names.h"
#include "core/project/program_pattern.h"
#include "core/project/reading.h"
#include "core/trial/metric.h"

namespace kernelscape::project {
namespace {

constexpr std::array<std::string_view, 7> reading_kinds{"WallTime", "PeakMemory", "FileSize",       "Pattern",
                                                        "Pointer",  "Hyperfine",  "GoogleBenchmark"};
/** The member with the text of each kind; empty: the kind has none. */
constexpr std::array<const char*, 7> text_members{"", "", "", "Pattern", "Pointer", "", "Benchmark"};
constexpr std::array<std::string_view, 4> number_choices{"Only", "First", "Last", "All"};
constexpr std::size_t max_commands = 64;
constexpr std::size_t max_arguments = 1024;
constexpr std::size_t max_metrics = 32;
constexpr std::size_t max_pattern_letters = 512;
/** Counted repeats copy their parts of a pattern, and each copy makes matching slower. */
constexpr double max_counted_repeats = 1000;
constexpr double max_timeout_seconds = 1e6;
constexpr double max_memory_bytes = 1e15;

/** Returns how many copies the counted repeats of a pattern, such as {2,9}, make if they are nested. */
double counted_repeats(std::string_view pattern) {
  double copies = 1;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '\\')
      ++at;
    else if (pattern[at] == '{') {
      double count = 0;
      double most = 1;
      while (at + 1 < pattern.size() && std::string_view("0123456789,").contains(pattern[at + 1])) {
        const char letter = pattern[++at];
        count = letter == ',' ? 0 : count * 10 + (letter - '0');
        most = std::max(most, count);
      }
      copies *= most;
    }
  }
  return copies;
}

/** Reads the members of a program, which a project file and a stored project write in the same way. */
class ProgramReader {
 public:
  explicit ProgramReader(const ProgramText& text) : text_(text) {}

  Result<Program> read(const JsonPlace& place) const {
    Program program;
    program.build = TRY(step(place["Build"]));
    program.run = TRY(step(place["Run"]));
    program.check = TRY(step(place["Check"]));
    if (program.run.commands.size() != 1)
      return fail_at(place["Run"], fmt::format("has {} commands", program.run.commands.size()),
                     "give one in Run.Command: it is timed");
    if (program.check.commands.size() > 1)
      return fail_at(place["Check"], "has several commands", "give one in Check.Command");
    program.objective = TRY(number(place["Objective"]));
    if (program.objective.name.empty()) program.objective.name = "time";
    if (program.objective.higher_is_better && is_time_unit(program.objective.unit))
      return fail_at(place["Objective"]["Better"], "is \"higher\" for a time", "write \"lower\"");
    const JsonPlace metrics = place["Metrics"];
    TRY(check_list(metrics, max_metrics));
    for (std::size_t index = 0; index < metrics.size(); ++index)
      program.metrics.push_back(TRY(metric(metrics[index], program)));
    program.permissions = TRY(permissions(place["Allow"]));
    return program;
  }

 private:
  std::unexpected<Error> fail_at(const JsonPlace& place, std::string_view what, std::string hint = {}) const {
    return fail(text_.code, fmt::format("{} {}", text_.name_of(place.path), what), std::move(hint));
  }

  Result<std::string> text_at(const JsonPlace& place, std::optional<std::string> otherwise = {}) const {
    if (!place.exists() && otherwise) return *std::move(otherwise);
    if (!place.exists()) return fail_at(place, "is missing");
    if (!place.value->is_string()) return fail_at(place, "is not a text", "put it between double quotes");
    return place.value->get<std::string>();
  }

  Result<double> number_at(const JsonPlace& place, double otherwise, double least, double most) const {
    if (!place.exists()) return otherwise;
    const double number = place.value->is_number() ? place.value->get<double>() : -1;
    if (number >= least && number <= most) return number;
    return fail_at(place, fmt::format("is no number from {} to {}", least, most));
  }

  Result<bool> truth_at(const JsonPlace& place) const {
    if (!place.exists()) return false;
    if (!place.value->is_boolean()) return fail_at(place, "is not true or false");
    return place.value->get<bool>();
  }

  Status check_object(const JsonPlace& place) const {
    if (place.exists() && !place.value->is_object()) return fail_at(place, "is not an object");
    return {};
  }

  Status check_list(const JsonPlace& place, std::size_t most) const {
    if (place.exists() && !place.value->is_array()) return fail_at(place, "is not a list");
    if (place.size() > most) return fail_at(place, fmt::format("has over {} entries", most));
    return {};
  }

  /** Reads a text with expressions between braces. */
  Result<std::string> braced_text(const JsonPlace& place) const {
    std::string text = TRY(text_at(place));
    if (text.contains('\0')) return fail_at(place, "has a null byte", "remove it");
    const auto parts = brace_parts(text);
    if (!parts) return fail_at(place, parts.error().message, parts.error().hint);
    for (const BracePart& part : *parts) {
      if (!part.value) continue;
      for (const std::string& name : part.value->names())
        if (!in_list(text_.names, name))
          return fail_at(place,
                         fmt::format("names {} in braces, which is not a parameter", base::quoted_line(name)),
                         base::suggest(name, text_.names) + "; write {{ and }} for braces of the text");
    }
    return text;
  }

  Result<std::vector<std::string>> command(const JsonPlace& place) const {
    if (!place.exists() || !place.value->is_array() || place.size() == 0)
      return fail_at(place, "is not a list of a program and its arguments",
                     R"(write ["make", "-j4"]: no shell is involved; for one write ["sh", "-c", "..."])");
    TRY(check_list(place, max_arguments));
    std::vector<std::string> arguments;
    for (std::size_t index = 0; index < place.size(); ++index)
      arguments.push_back(TRY(braced_text(place[index])));
    if (arguments.front().empty()) return fail_at(place[0], "is empty", "name a program");
    return arguments;
  }

  Result<ProgramStep> step(const JsonPlace& place) const {
    ProgramStep step;
    if (!place.exists()) return step;
    TRY(check_object(place));
    const JsonPlace list = place["Commands"];
    if (place["Command"].exists()) step.commands.push_back(TRY(command(place["Command"])));
    TRY(check_list(list, max_commands));
    for (std::size_t index = 0; index < list.size(); ++index)
      step.commands.push_back(TRY(command(list[index])));
    const JsonPlace environment = place["Environment"];
    TRY(check_object(environment));
    if (environment.exists()) {
      for (const auto& [name, unused] : environment.value->items()) {
        const JsonPlace variable = environment[name];
        if (!is_identifier(name)) return fail_at(variable, "is not the name of a variable");
        step.environment[name] = TRY(braced_text(variable));
      }
    }
    step.timeout_seconds = TRY(number_at(place["TimeoutSeconds"], 0, 0, max_timeout_seconds));
    return step;
  }

  Status check_pattern(const JsonPlace& place, const std::string& pattern) const {
    if (pattern.size() > max_pattern_letters)
      return fail_at(place, fmt::format("has over {} letters", max_pattern_letters));
    if (counted_repeats(pattern) > max_counted_repeats)
      return fail_at(place, fmt::format("repeats parts over {} times", max_counted_repeats),
                     "write * or + in place of counts such as {1,1000}");
    try {
      if (std::regex(pattern, program_pattern_syntax).mark_count() == 1) return {};
    } catch (const std::regex_error& problem) {
      return fail_at(place, fmt::format("is no regular expression: {}", problem.what()),
                     "ECMAScript's syntax without references back is supported");
    }
    return fail_at(place, "does not have exactly one group",
                   R"(put the number into brackets: "time: ([0-9.]+) ms"; (?:...) groups without counting)");
  }

  /** Reads a relative path of a file that stays in the folder of the run. */
  Result<std::string> file_at(const JsonPlace& place, bool needed) const {
    const std::string name = TRY(text_at(place, needed ? std::nullopt : std::optional(std::string())));
    if (name.empty() && !needed) return name;
    if (is_name_within_folder(name)) return name;
    return fail_at(place, fmt::format("is {}", base::quoted_line(name)),
                   "write a path below the folder of the run, such as \"build/result.json\"");
  }

  /** Checks a name or a unit, which is stored with each session. */
  Status check_metric_text(const JsonPlace& place, const std::string& text) const {
    if (text.size() > trial::max_metric_name_bytes)
      return fail_at(place, fmt::format("has over {} bytes", trial::max_metric_name_bytes), "shorten it");
    const auto control = [](char letter) { return (letter >= 0 && letter < ' ') || letter == 0x7f; };
    if (std::ranges::any_of(text, control)) return fail_at(place, "has a control character", "remove it");
    return {};
  }

  static std::string usual_unit(ReadingKind kind) {
    return kind == ReadingKind::PeakMemory || kind == ReadingKind::FileSize ? "bytes" : "s";
  }

  Result<ProgramNumber> number(const JsonPlace& place) const {
    TRY(check_object(place));
    ProgramNumber number;
    number.name = TRY(text_at(place["Name"], ""));
    TRY(check_metric_text(place["Name"], number.name));
    const std::string kind = TRY(text_at(place["Kind"], std::string(reading_kinds.front())));
    const auto known = value_named<ReadingKind>(reading_kinds, kind);
    if (!known)
      return fail_at(place["Kind"], fmt::format("is {}", base::quoted_line(kind)),
                     base::join(std::vector<std::string>(reading_kinds.begin(), reading_kinds.end()), ", "));
    number.kind = *known;
    if (const char* member = text_members[static_cast<std::size_t>(*known)]; *member != '\0') {
      const bool benchmark = *known == ReadingKind::GoogleBenchmark;
      number.text = TRY(text_at(place[member], benchmark ? std::optional(std::string()) : std::nullopt));
    }
    if (*known == ReadingKind::Pattern) TRY(check_pattern(place["Pattern"], number.text));
    if (*known == ReadingKind::Pointer && !number.text.empty() && !number.text.starts_with('/'))
      return fail_at(place["Pointer"], "is no JSON pointer", "it begins with /, as in \"/results/0/mean\"");
    number.file = TRY(file_at(place["File"], *known == ReadingKind::FileSize));
    const std::string choice = TRY(text_at(place["Take"], std::string(number_choices.front())));
    const auto taken = value_named<NumberChoice>(number_choices, choice);
    if (!taken) return fail_at(place["Take"], "is unknown", "write Only, First, Last or All");
    number.choice = *taken;
    const bool all_times = *known == ReadingKind::Hyperfine || *known == ReadingKind::GoogleBenchmark;
    if (all_times && (*taken == NumberChoice::First || *taken == NumberChoice::Last))
      return fail_at(place["Take"], fmt::format("is {}, and all times of {} are samples", choice, kind),
                     "leave it out");
    number.unit = TRY(text_at(place["Unit"], usual_unit(*known)));
    TRY(check_metric_text(place["Unit"], number.unit));
    const bool fixed = *known != ReadingKind::Pattern && *known != ReadingKind::Pointer;
    if (fixed && number.unit != usual_unit(*known))
      return fail_at(place["Unit"], fmt::format("is not {}", usual_unit(*known)), "leave it out");
    const std::string better = TRY(text_at(place["Better"], is_rate_unit(number.unit) ? "higher" : "lower"));
    if (better != "higher" && better != "lower")
      return fail_at(place["Better"], "is unknown", "write \"higher\" or \"lower\"");
    number.higher_is_better = better == "higher";
    return number;
  }

  Result<ProgramNumber> metric(const JsonPlace& place, const Program& program) const {
    if (!place.exists()) return fail_at(place, "is not an object");
    ProgramNumber metric = TRY(number(place));
    if (metric.name.empty()) return fail_at(place["Name"], "is missing", "give each metric a name");
    // An objective that is no time is a metric as well.
    if (in_list(program.metrics, metric.name, &ProgramNumber::name) ||
        (!is_time_unit(program.objective.unit) && metric.name == program.objective.name))
      return fail_at(place["Name"], "occurs twice", "give each metric a different name");
    return metric;
  }

  Result<std::vector<std::string>> paths(const JsonPlace& place) const {
    TRY(check_list(place, max_arguments));
    std::vector<std::string> paths;
    for (std::size_t index = 0; index < place.size(); ++index) {
      paths.push_back(TRY(text_at(place[index])));
      const bool usable = paths.back().starts_with('/') || paths.back().starts_with("~/");
      if (!usable || paths.back().contains('\0'))
        return fail_at(place[index], "is no absolute path", "begin it with / or ~/");
    }
    return paths;
  }

  Result<ProgramPermissions> permissions(const JsonPlace& place) const {
    TRY(check_object(place));
    ProgramPermissions allowed;
    allowed.network = TRY(truth_at(place["Network"]));
    allowed.read = TRY(paths(place["Read"]));
    allowed.write = TRY(paths(place["Write"]));
    allowed.memory_bytes = TRY(number_at(place["MemoryBytes"], -1, 0, max_memory_bytes));
    return allowed;
  }

  const ProgramText& text_;
};

space::Json step_json(const ProgramStep& step) {
  space::Json json = {{"TimeoutSeconds", step.timeout_seconds}};
  json["Commands"] = step.commands;
  json["Environment"] = step.environment;
  return json;
}

space::Json number_json(const ProgramNumber& number) {
  space::Json json = {{"Name", number.name},
                      {"Unit", number.unit},
                      {"Kind", name_of(reading_kinds, number.kind)},
                      {"Take", name_of(number_choices, number.choice)},
                      {"Better", number.higher_is_better ? "higher" : "lower"}};
  if (!number.file.empty()) json["File"] = number.file;
  if (const char* member = text_members[static_cast<std::size_t>(number.kind)]; *member != '\0')
    json[member] = number.text;
  return json;
}

}  // namespace

bool is_name_within_folder(const std::string& name) {
  const std::filesystem::path path(name);
  const bool leaves = !path.is_relative() || !path.has_filename() ||
                      std::ranges::any_of(path, [](const auto& part) { return part == ".." || part == "."; });
  return !leaves && std::ranges::none_of(name, [](char letter) {
    return letter == '"' || letter == '\\' || (letter >= 0 && letter < ' ');
  });
}

Result<Program> program_from_json(const JsonPlace& place, const ProgramText& text) {
  return ProgramReader(text).read(place);
}

space::Json program_json(const Program& program) {
  space::Json json = {{"Build", step_json(program.build)},
                      {"Run", step_json(program.run)},
                      {"Check", step_json(program.check)},
                      {"Objective", number_json(program.objective)}};
  json["Metrics"] = space::Json::array();
  for (const ProgramNumber& metric : program.metrics) json["Metrics"].push_back(number_json(metric));
  const ProgramPermissions& allowed = program.permissions;
  json["Allow"] = {{"Network", allowed.network}};
  json["Allow"]["Read"] = allowed.read;
  json["Allow"]["Write"] = allowed.write;
  if (allowed.memory_bytes >= 0) json["Allow"]["MemoryBytes"] = allowed.memory_bytes;
  return json;
}

}  // namespace kernelscape::project
