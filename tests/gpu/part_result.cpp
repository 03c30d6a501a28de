#include "tests/gpu/part_result.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "core/base/utf8.h"

namespace kernelscape::gpu_proof {
namespace {

using nlohmann::json;

constexpr std::size_t max_failures = 60;
constexpr std::size_t max_message_bytes = 1500;
constexpr std::size_t max_text_bytes = 40'000;

std::string cut(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

}  // namespace

PartResult::PartResult(std::filesystem::path file, const std::string& part, double seconds,
                       const json& earlier)
    : file_(std::move(file)), limit_seconds_(seconds) {
  json_ = {{"part", part},
           {"state", "ended early"},
           {"numbers", json::object()},
           {"tables", json::object()},
           {"failures", json::array()},
           {"failure_count", 0},
           {"notes", json::array()},
           {"environment", json::object()}};
  if (earlier.is_object()) json_["earlier"] = earlier;
}

void PartResult::count(const std::string& name, std::int64_t by) {
  json& number = json_["numbers"][name];
  number = (number.is_number() ? number.get<std::int64_t>() : 0) + by;
}

void PartResult::fail(const std::string& what, const std::string& message, const std::string& text) {
  json_["failure_count"] = json_["failure_count"].get<int>() + 1;
  if (json_["failures"].size() >= max_failures) return;
  json failure{{"what", cut(what, max_message_bytes)}, {"message", cut(message, max_message_bytes)}};
  if (!text.empty()) failure["text"] = cut(text, max_text_bytes);
  json_["failures"].push_back(std::move(failure));
}

void PartResult::note(const std::string& text) {
  for (const json& note : json_["notes"])
    if (note == text) return;
  json_["notes"].push_back(cut(text, max_message_bytes));
}

void PartResult::skip(const std::string& reason) {
  json_["state"] = "not possible here";
  note(reason);
}

void PartResult::pause(const std::string& what_is_left) {
  json_["state"] = "to be continued";
  note(what_is_left);
}

void PartResult::save() {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  json_["seconds"] = spent.count();
  json without = json_;
  without.erase("earlier");
  write_whole(file_, without.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

double PartResult::seconds_left() const {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  return limit_seconds_ - spent.count();
}

json PartResult::earlier_rows(const std::string& table) const {
  const auto earlier = json_.find("earlier");
  if (earlier == json_.end() || !earlier->contains("tables")) return json::array();
  const json& tables = (*earlier)["tables"];
  return tables.is_object() && tables.contains(table) && tables[table].is_array() ? tables[table]
                                                                                  : json::array();
}

bool is_complete(const json& result) {
  if (!result.is_object() || result.value("failure_count", 0) > 0) return false;
  const std::string state = result.value("state", "");
  return state == "done" || state == "not possible here";
}

json read_json(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  json parsed = json::parse(text, nullptr, false);
  return parsed.is_discarded() ? json() : parsed;
}

void write_whole(const std::filesystem::path& file, std::string_view text) {
  const std::filesystem::path beside = file.string() + ".part";
  std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream) std::filesystem::rename(beside, file, error);
  if (!stream || error) fmt::print(stderr, "{} can't be written\n", file.string());
}

}  // namespace kernelscape::gpu_proof
