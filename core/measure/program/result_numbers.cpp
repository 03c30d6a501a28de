#include "core/measure/program/result_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <string_view>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/measure/program/run_folder.h"
#include "core/project/program_pattern.h"
#include "core/space/knob_json.h"

namespace kernelscape::measure {
namespace {

using Numbers = Result<std::vector<double>>;

/** A pattern is applied to the end of a longer output, and to the beginning of a longer line. */
constexpr std::size_t max_searched_bytes = 1U << 16U;
constexpr std::size_t max_line_bytes = 512;

std::unexpected<Error> not_read(std::string message, std::string hint = {}) {
  return fail(ErrorCode::InvalidArgument, std::move(message), std::move(hint));
}

std::string place_of(const project::ProgramNumber& number) {
  return number.file.empty() ? std::string("the output") : fmt::format("the file {}", number.file);
}

Result<std::string> searched_text(const project::ProgramNumber& number, const CommandReply& reply,
                                  const std::string& folder) {
  if (number.file.empty()) return reply.output;
  std::optional<std::string> text = read_run_file(folder, number.file, max_printed_bytes);
  if (!text) return not_read(fmt::format("the run left no file {} that can be read", number.file));
  return *std::move(text);
}

std::optional<double> parsed_number(std::string_view text) {
  text = base::trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<double> finite_number(const space::Json& json) {
  const double value = json.is_number() ? json.get<double>() : std::nan("");
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/** Applies the choice among several numbers of one run. */
Numbers chosen_numbers(const project::ProgramNumber& number, std::vector<double> values) {
  if (values.empty())
    return not_read(fmt::format("{} has no number for {}", place_of(number), base::quoted_line(number.text)));
  switch (number.choice) {
    case project::NumberChoice::All:
      return values;
    case project::NumberChoice::First:
      return std::vector{values.front()};
    case project::NumberChoice::Last:
      return std::vector{values.back()};
    case project::NumberChoice::Only:
      break;
  }
  if (values.size() == 1) return values;
  return not_read(fmt::format("{} has {} numbers for {}, and one is expected", place_of(number),
                              values.size(), base::quoted_line(number.text)),
                  "set \"Take\" to First, Last or All");
}

/** Appends the numbers of a line; returns the text of a group that is no number. */
std::optional<std::string> add_matches(std::string_view line, const std::regex& pattern,
                                       std::vector<double>& values) {
  line = line.substr(0, max_line_bytes);
  for (std::cregex_iterator match(line.data(), line.data() + line.size(), pattern), end; match != end;
       ++match) {
    const std::string group = (*match)[1].str();
    const std::optional<double> value = parsed_number(group);
    if (!value) return group;
    values.push_back(*value);
  }
  return std::nullopt;
}

Numbers numbers_of_pattern(const project::ProgramNumber& number, std::string_view text,
                           const Interruption& interruption) {
  if (text.size() > max_searched_bytes) text.remove_prefix(text.size() - max_searched_bytes);
  std::vector<double> values;
  try {
    const std::regex pattern(number.text, project::program_pattern_syntax);
    while (!text.empty()) {
      if (interruption.now()) return not_read("the search for a pattern was interrupted");
      const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
      if (const auto wrong = add_matches(text.substr(0, end), pattern, values))
        return not_read(fmt::format("{} has {} for {}, which is not a number", place_of(number),
                                    base::quoted_line(*wrong), base::quoted_line(number.text)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  } catch (const std::regex_error& problem) {
    return not_read(
        fmt::format("the pattern {} cannot be applied: {}", base::quoted_line(number.text), problem.what()));
  }
  return chosen_numbers(number, std::move(values));
}

/** Returns the value at a JSON pointer (RFC 6901); null if there is none. */
const space::Json* pointed_value(const space::Json& json, const std::string& pointer) {
  const space::Json* value = &json;
  std::vector<std::string> keys = base::split_text(pointer, '/');
  for (auto key = keys.begin() + 1; key < keys.end() && value != nullptr; ++key) {
    for (const auto& [escaped, letter] : {std::pair("~1", "/"), std::pair("~0", "~")}) {
      for (std::size_t at = key->find(escaped); at != std::string::npos; at = key->find(escaped, at + 1))
        key->replace(at, 2, letter);
    }
    if (!value->is_array()) {
      value = space::member_of(*value, *key);
      continue;
    }
    std::size_t index = 0;
    const auto [end, problem] = std::from_chars(key->data(), key->data() + key->size(), index);
    const bool valid = problem == std::errc() && end == key->data() + key->size() && index < value->size();
    value = valid ? &(*value)[index] : nullptr;
  }
  return value;
}

Numbers numbers_of_pointer(const project::ProgramNumber& number, const space::Json& json) {
  const space::Json* value = pointed_value(json, number.text);
  const auto not_found = [&] {
    return not_read(fmt::format("{} has no number at {}", place_of(number), base::quoted_line(number.text)));
  };
  if (value == nullptr) return not_found();
  std::vector<double> values;
  for (const space::Json& one : value->is_array() ? *value : space::Json::array({*value})) {
    const std::optional<double> read = finite_number(one);
    if (!read) return not_found();
    values.push_back(*read);
  }
  return chosen_numbers(number, std::move(values));
}

Numbers numbers_of_hyperfine(const project::ProgramNumber& number, const space::Json& json) {
  const space::Json* results = space::member_of(json, "results");
  if (results == nullptr || !results->is_array() || results->size() != 1)
    return not_read(fmt::format("{} is not a result of hyperfine for one command", place_of(number)),
                    "let hyperfine time one command, with --export-json");
  const space::Json* times = space::member_of(results->front(), "times");
  std::vector<double> values;
  if (times != nullptr && times->is_array())
    for (const space::Json& time : *times)
      if (const auto value = finite_number(time)) values.push_back(*value);
  if (values.empty()) return not_read(fmt::format("{} has no times of hyperfine", place_of(number)));
  return values;
}

std::string member_text(const space::Json& json, const char* name) {
  const space::Json* member = space::member_of(json, name);
  return member != nullptr && member->is_string() ? member->get<std::string>() : std::string();
}

double seconds_of_unit(const std::string& unit) {
  if (unit == "s") return 1;
  if (unit == "ms") return 1e-3;
  return unit == "us" ? 1e-6 : 1e-9;
}

Numbers numbers_of_google_benchmark(const project::ProgramNumber& number, const space::Json& json) {
  const space::Json* benchmarks = space::member_of(json, "benchmarks");
  std::vector<double> values;
  std::set<std::string> names;
  if (benchmarks == nullptr || !benchmarks->is_array())
    return not_read(fmt::format("{} is no JSON of google-benchmark", place_of(number)),
                    "pass --benchmark_format=json");
  for (const space::Json& one : *benchmarks) {
    const std::string name = member_text(one, "name");
    const std::string run_name = member_text(one, "run_name");
    if (member_text(one, "run_type") == "aggregate") continue;
    if (!number.text.empty() && name != number.text && run_name != number.text) continue;
    if (const std::string error = member_text(one, "error_message"); !error.empty())
      return not_read(
          fmt::format("the benchmark {} failed: {}", base::quoted_line(name), base::one_line(error)));
    const space::Json* time = space::member_of(one, "real_time");
    const auto value = time != nullptr ? finite_number(*time) : std::nullopt;
    if (!value) continue;
    names.insert(run_name.empty() ? name : run_name);
    values.push_back(*value * seconds_of_unit(member_text(one, "time_unit")));
  }
  if (names.size() > 1)
    return not_read(fmt::format("{} has {} benchmarks, and one is expected", place_of(number), names.size()),
                    "name one in \"Benchmark\", or pass --benchmark_filter");
  if (values.empty()) return not_read(fmt::format("{} has no time of the benchmark", place_of(number)));
  return values;
}

Numbers file_size_of(const project::ProgramNumber& number, const std::string& folder) {
  const std::optional<std::uint64_t> bytes = size_of_run_file(folder, number.file);
  if (!bytes) return not_read(fmt::format("the run left no file {}", number.file));
  return std::vector{static_cast<double>(*bytes)};
}

}  // namespace

Result<std::vector<double>> read_numbers(const project::ProgramNumber& number, const CommandReply& reply,
                                         const std::string& folder, const Interruption& interruption) {
  switch (number.kind) {
    case project::ReadingKind::WallTime:
      return std::vector{reply.seconds};
    case project::ReadingKind::PeakMemory:
      return std::vector{static_cast<double>(reply.peak_memory_bytes)};
    case project::ReadingKind::FileSize:
      return file_size_of(number, folder);
    default:
      break;
  }
  const std::string text = TRY(searched_text(number, reply, folder));
  if (number.kind == project::ReadingKind::Pattern) return numbers_of_pattern(number, text, interruption);
  const space::Json json = space::parse_json(text);
  if (json.is_discarded()) return not_read(fmt::format("{} is not JSON", place_of(number)));
  if (number.kind == project::ReadingKind::Pointer) return numbers_of_pointer(number, json);
  if (number.kind == project::ReadingKind::Hyperfine) return numbers_of_hyperfine(number, json);
  return numbers_of_google_benchmark(number, json);
}

}  // namespace kernelscape::measure
