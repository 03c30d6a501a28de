#include "core/exchange/formats/log_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/exchange/import_json.h"

namespace kernelscape::exchange {
namespace {

constexpr std::string_view only_line = "line 1, ";

/**
 * Removes a token and the blanks before it from the beginning of the text; returns false if the text begins
 * otherwise.
 */
bool take_token(std::string_view& text, std::string_view token) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r"), text.size()));
  if (!text.starts_with(token)) return false;
  text.remove_prefix(token.size());
  return true;
}

/**
 * Recognises {"i": [[...: a task that is a list. In a log of AutoTVM 0.1 the list begins with the target's
 * text.
 */
bool is_ansor_line(std::string_view line) {
  if (!names_key(line, "i") || !line.starts_with('{')) return false;
  std::string_view rest = line.substr(line.find("\"i\"") + 3);
  return take_token(rest, ":") && take_token(rest, "[") && take_token(rest, "[");
}

/** Recognises a tuning record, [NUMBER, [.... */
bool is_tuning_record(std::string_view line) {
  if (!take_token(line, "[")) return false;
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  if (digits == 0) return false;
  line.remove_prefix(digits);
  return take_token(line, ",") && take_token(line, "[");
}

/** Recognises a workload, ["HASH", ".... */
bool is_workload(std::string_view line) {
  if (!take_token(line, "[") || !take_token(line, "\"")) return false;
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  if (digits == 0) return false;
  line.remove_prefix(digits);
  return line.starts_with('"') && (line.remove_prefix(1), take_token(line, ",")) && take_token(line, "\"");
}

TvmLog log_of_line(std::string_view line) {
  if (is_ansor_line(line)) return TvmLog::Ansor;
  if (is_tuning_record(line) || is_workload(line)) return TvmLog::MetaSchedule;
  const bool autotvm = (names_key(line, "input") && names_key(line, "config")) ||
                       (names_key(line, "i") && names_key(line, "r"));
  return line.starts_with('{') && autotvm ? TvmLog::AutoTvm : TvmLog::Unknown;
}

/** Returns the first line of a known log; empty if there is none. */
std::string_view first_known_line(std::string_view head) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = base::trimmed(head.substr(0, end));
    if (log_of_line(line) != TvmLog::Unknown) return line;
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return {};
}

}  // namespace

TvmLog tvm_log_of(std::string_view head) { return log_of_line(first_known_line(head)); }

bool begins_with_workload(std::string_view head) { return is_workload(first_known_line(head)); }

std::string line_place(std::size_t line) { return fmt::format("line {}", line); }

void set_error(std::int64_t number, trial::ErrorCategory& category, std::string& message) {
  if (number < static_cast<std::int64_t>(trial::error_category_count)) {
    category = static_cast<trial::ErrorCategory>(number);
  } else {
    category = trial::ErrorCategory::UnknownError;
    message = fmt::format("error number {}", number);
  }
}

Error error_in_log(const ImportText& file, Error error) {
  error.message = fmt::format("{}, {}", file.path().string(), error.message);
  return error;
}

Status read_log_lines(ImportText& file, SkippedEntries& skipped,
                      const std::function<Status(std::string_view line, std::size_t number)>& take,
                      const std::function<bool()>& enough) {
  std::size_t number = 0;
  while (!enough || !enough()) {
    const std::optional<std::string_view> whole = file.next_line();
    if (!whole) break;
    ++number;
    const std::string_view line = base::trimmed(*whole);
    if (line.empty() || line.front() == '#') continue;
    const Status taken = take(line, number);
    if (taken) continue;
    Error why = taken.error();
    // The error of one-line JSON names the line as well.
    if (why.message.starts_with(only_line)) why.message.erase(0, only_line.size());
    if (const Status passed = skipped.skip(line_place(number), why); !passed)
      return std::unexpected(error_in_log(file, passed.error()));
  }
  const std::optional<Error>& error = file.error();
  if (!error) return {};
  return fail(error->code, fmt::format("{}: {}", file.path().string(), error->message), error->hint);
}

}  // namespace kernelscape::exchange
