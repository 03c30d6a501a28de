#include "tests/gpu/summary.h"

#include <fmt/format.h>

namespace kernelscape::gpu_proof {
namespace {

using nlohmann::json;

constexpr std::size_t max_bytes = 11'000;
constexpr std::size_t max_rows = 24;
constexpr std::size_t max_failures = 5;
constexpr std::size_t line_bytes = 260;

std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  if (text.size() > line_bytes) text = text.substr(0, line_bytes) + "...";
  return text;
}

std::string value_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void add_rows(std::string& text, const std::string& name, const json& rows) {
  text += fmt::format("  {}:\n", name);
  std::size_t shown = 0;
  for (const json& row : rows) {
    if (shown++ == max_rows) {
      text += fmt::format("    and {} more\n", rows.size() - max_rows);
      break;
    }
    std::string line;
    for (const auto& [field, value] : row.items()) {
      if (value.is_null() || value == "" || (value.is_object() && value.size() > 12)) continue;
      line += fmt::format("{}{}={}", line.empty() ? "" : ", ", field, value_text(value));
    }
    text += "    " + one_line(line) + "\n";
  }
}

void add_part(std::string& text, const json& part) {
  text += fmt::format("\n{}: {}, {:.0f} s, {} failures\n", part.value("part", "?"), part.value("state", "?"),
                      part.value("seconds", 0.0), part.value("failure_count", 0));
  for (const auto& [name, value] : part["numbers"].items())
    text += fmt::format("  {}: {}\n", name, one_line(value_text(value)));
  std::size_t shown = 0;
  for (const json& failure : part["failures"]) {
    if (shown++ == max_failures) break;
    text += fmt::format("  FAILED {}: {}\n", one_line(failure.value("what", "")),
                        one_line(failure.value("message", "")));
  }
  for (const json& note : part["notes"]) text += "  note: " + one_line(value_text(note)) + "\n";
}

/** Behind all numbers and failures, since they may be long. */
void add_tables(std::string& text, const json& part) {
  if (part["tables"].empty()) return;
  text += fmt::format("\n{}, in detail\n", part.value("part", "?"));
  for (const auto& [name, rows] : part["tables"].items()) add_rows(text, name, rows);
}

}  // namespace

std::string summary_text(const json& summary) {
  std::string text =
      fmt::format("Kernelscape {} on a GPU, begun {}{}\n", summary.value("version", ""),
                  summary.value("begun", ""), summary.value("fake", false) ? ", AGAINST STAND-INS" : "");
  for (const auto& [name, value] : summary["machine"].items())
    text += fmt::format("  {}: {}\n", name, one_line(value_text(value)));
  for (const json& part : summary["parts"]) add_part(text, part);
  for (const json& part : summary["parts"]) add_tables(text, part);
  if (text.size() > max_bytes) text = text.substr(0, max_bytes) + "\n... the rest is in summary.json\n";
  return text;
}

std::string failures_text(const json& summary) {
  std::string text;
  for (const json& part : summary["parts"]) {
    for (const json& failure : part["failures"])
      text += fmt::format("== {}: {}\n{}\n{}\n", part.value("part", "?"), failure.value("what", ""),
                          failure.value("message", ""), failure.value("text", ""));
  }
  return text;
}

}  // namespace kernelscape::gpu_proof
