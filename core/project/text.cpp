#include "core/project/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/visible_text.h"

namespace kernelscape::project {
namespace {

std::string member_path(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string element_path(const std::string& path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

std::size_t line_at(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, std::min(position, text.size()));
  return 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
}

/** Finds where the parser stops. */
struct SyntaxCheck {
  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(std::int64_t) { return true; }
  bool number_unsigned(std::uint64_t) { return true; }
  bool number_float(double, const std::string&) { return true; }
  bool string(std::string&) { return true; }
  bool binary(space::Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return true; }
  bool end_object() { return true; }
  bool start_array(std::size_t) { return true; }
  bool end_array() { return true; }
  bool key(std::string&) { return true; }
  bool parse_error(std::size_t position, const std::string&, const space::Json::exception&) {
    stopped = position;
    return false;
  }
  std::size_t stopped = 0;
};

/** Walks over valid JSON text and stores the line of each value. */
class LineWalk {
 public:
  LineWalk(std::string_view text, std::map<std::string, std::size_t>& lines,
           std::vector<std::string>& repeated)
      : text_(text), lines_(lines), repeated_(repeated) {}

  void value(const std::string& path) {
    skip_blanks();
    if (at_ == text_.size()) return;
    if (!lines_.emplace(path, line_).second && !path.empty()) repeated_.push_back(path);
    if (text_[at_] == '{')
      object(path);
    else if (text_[at_] == '[')
      list(path);
    else if (text_[at_] == '"')
      string();
    else
      at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
  }

 private:
  void skip_blanks() {
    for (; at_ < text_.size() && !std::string_view("{}[]\",:").contains(text_[at_]); ++at_) {
      if (text_[at_] == '\n') ++line_;
      // Skips a byte-order mark and blanks, for which there is no event.
      if (std::string_view("-0123456789tfn").contains(text_[at_])) return;
    }
  }

  bool take(char wanted) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  std::string_view string() {
    const std::size_t start = at_++;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
    return text_.substr(start, at_ - start);
  }

  void object(const std::string& path) {
    ++at_;
    while (!take('}') && at_ < text_.size()) {
      const space::Json key = space::parse_json(string());
      if (!key.is_string() || !take(':')) return;
      value(member_path(path, key.get_ref<const std::string&>()));
      std::ignore = take(',');
    }
  }

  void list(const std::string& path) {
    ++at_;
    for (std::size_t index = 0; !take(']') && at_ < text_.size(); ++index) {
      value(element_path(path, index));
      std::ignore = take(',');
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::map<std::string, std::size_t>& lines_;
  std::vector<std::string>& repeated_;
};

/** Maximum depth, which limits the length of paths: a project has six levels. */
constexpr int max_levels = 32;

bool is_deeper(const space::Json& json, int levels) {
  if (!json.is_structured()) return false;
  return levels == 0 ||
         std::ranges::any_of(json, [levels](const space::Json& one) { return is_deeper(one, levels - 1); });
}

}  // namespace

JsonPlace JsonPlace::operator[](std::string_view key) const {
  const space::Json* member = value == nullptr ? nullptr : space::member_of(*value, key);
  return {member != nullptr && member->is_null() ? nullptr : member, member_path(path, key)};
}

JsonPlace JsonPlace::operator[](std::size_t index) const {
  return {index < size() ? &(*value)[index] : nullptr, element_path(path, index)};
}

Result<Text> Text::parse(std::string name, std::string_view text) {
  Text made;
  made.name_ = std::move(name);
  made.json_ = space::parse_json(text);
  if (made.json_.is_discarded()) {
    SyntaxCheck check;
    if (space::Json::sax_parse(text, &check))
      return fail(ErrorCode::InvalidArgument, fmt::format("{}: more values than a project has", made.name_));
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}:{}: not valid JSON from here on", made.name_, line_at(text, check.stopped)),
                "members are separated by commas, with none behind the last; JSON has no comments");
  }
  if (!made.json_.is_object() || is_deeper(made.json_, max_levels))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: not a project, which is one JSON object", made.name_),
                "`kernelscape new-kernel NAME` writes one to start from");
  LineWalk(text, made.lines_, made.repeated_).value({});
  return made;
}

std::string Text::name_of(const std::string& path) const {
  std::string known = path;
  auto found = lines_.find(known);
  while (found == lines_.end() && !known.empty()) {
    const std::size_t end = known.find_last_of(".[");
    known.resize(end == std::string::npos ? 0 : end);
    found = lines_.find(known);
  }
  const std::size_t line = found == lines_.end() ? 1 : found->second;
  if (path.empty()) return name_;
  return fmt::format("{}:{}: {}", name_, line, base::visible_text(path, 120));
}

}  // namespace kernelscape::project
