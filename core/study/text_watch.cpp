#include "core/study/text_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/base/json_size.h"
#include "core/base/visible_text.h"

namespace kernelscape::study {
namespace {

constexpr std::size_t deepest_nesting = 16;
constexpr std::uint64_t max_study_values = 1ULL << 23;  // counted as in JsonSize: 512 MiB at most

/**
 * Reads the events of a text and keeps only the keys of the objects that are open. It therefore detects,
 * before any value is created, what a parser would accept and drop: two members with one name. (The library's
 * own callback searches a whole list at the end of each object in it: minutes for a megabyte.)
 */
class StudyTextWatch {
 public:
  bool null() { return add(); }
  bool boolean(bool) { return add(); }
  bool number_integer(std::int64_t) { return add(); }
  bool number_unsigned(std::uint64_t) { return add(); }
  bool number_float(double, const std::string&) { return add(); }
  bool string(const std::string&) { return add(); }
  bool binary(const nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return start(); }
  bool start_array(std::size_t) { return start(); }
  bool end_object() { return finish(); }
  bool end_array() { return finish(); }

  bool key(const std::string& name) {
    if (open_.back().insert(name).second) return true;
    return refuse(fmt::format("the key {} occurs twice", base::quoted_line(name)), "write every key once");
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    // Extracts the text from "line" on of "[json.exception.parse_error.101] parse error at line 3, column 7:
    // ...".
    const std::string_view what = error.what();
    const std::size_t place = std::min(what.find("line "), what.size());
    return refuse(
        fmt::format("invalid JSON: {}", base::one_line(place < what.size() ? what.substr(place) : what, 200)),
        R"(write {"name": "...", "tuners": ["nose", "random"], "tasks": ["resnet18/C6"]})");
  }

  const Error& error() const { return error_; }  ///< why an event was refused

 private:
  bool refuse(std::string message, std::string hint) {
    error_ = fail(ErrorCode::InvalidArgument, std::move(message), std::move(hint)).error();
    return false;
  }

  bool add() {
    size_.add_value();
    return size_.values <= max_study_values ||
           refuse(fmt::format("it has over {} values", max_study_values), "split the study");
  }

  bool start() {
    size_.add_container();
    open_.emplace_back();
    if (open_.size() > deepest_nesting)
      return refuse("it is nested too deeply", "remove brackets: studies do not need so many levels");
    return add();
  }

  bool finish() {
    open_.pop_back();
    return true;
  }

  std::vector<std::set<std::string>> open_;  ///< the keys of each object so far; of a list none
  base::JsonSize size_;
  Error error_;
};

}  // namespace

Result<nlohmann::json> parse_study_text(std::string_view text) {
  StudyTextWatch watch;
  if (!nlohmann::json::sax_parse(text, &watch)) return std::unexpected(watch.error());
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace kernelscape::study
