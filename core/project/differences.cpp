#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/line_diff.h"
#include "core/base/visible_text.h"
#include "core/project/json.h"

namespace kernelscape::project {
namespace {

using Lines = std::vector<std::string>;

/** Appends the lines of a text that differ, each with its number. */
void compare_texts(const std::string& name, std::string_view before, std::string_view now, Lines& lines) {
  if (before == now) return;
  lines.push_back(fmt::format("{}:", base::visible_text(name)));
  for (const base::DiffLine& line : base::diff_lines(before, now)) {
    if (line.change == base::LineChange::Removed)
      lines.push_back(fmt::format("  -{}: {}", line.before, base::visible_text(line.text)));
    if (line.change == base::LineChange::Added)
      lines.push_back(fmt::format("  +{}: {}", line.after, base::visible_text(line.text)));
  }
}

/** Returns the name of an element of a list: its member "name", else its index. */
std::string key_of(const space::Json& element, std::size_t index) {
  const space::Json* name = space::member_of(element, "name");
  return name != nullptr && name->is_string() ? name->get<std::string>() : std::to_string(index);
}

constexpr std::size_t max_shown_characters = 160;

/** Returns where a text is shown from: slightly before its first difference from `other`. */
std::size_t shown_from(std::string_view text, std::string_view other) {
  constexpr std::size_t shown_before = 40;
  const auto difference = static_cast<std::size_t>(std::ranges::mismatch(text, other).in1 - text.begin());
  std::size_t from = difference > shown_before ? difference - shown_before : 0;
  // Do not begin within a UTF-8 character.
  while (from > 0 && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80U) --from;
  return from;
}

/** Returns a value on one line; of a long one the part around its first difference from `other`. */
std::string shown(const space::Json* json, const space::Json* other) {
  if (json == nullptr) return "none";
  const std::string text = space::to_text(*json);
  const std::string other_text = other == nullptr ? std::string() : space::to_text(*other);
  const bool fits = std::max(text.size(), other_text.size()) <= max_shown_characters;
  const std::size_t from = fits ? 0 : shown_from(text, other_text);
  return (from > 0 ? "..." : "") + base::one_line(std::string_view(text).substr(from), max_shown_characters);
}

/** Returns the elements of a list of numbers, texts and truth values, one a line. */
std::string element_lines(const space::Json& list) {
  std::string lines;
  for (const space::Json& element : list) lines += space::to_text(element) + '\n';
  return lines;
}

/** Compares two projects: members and named elements one by one, sources by lines. */
class ProjectComparison {
 public:
  explicit ProjectComparison(Lines& lines) : lines_(lines) {}

  void compare(const std::string& path, const space::Json* before, const space::Json* now) {
    if (before != nullptr && now != nullptr && *before == *now) return;
    const bool text = path == "source" || path.ends_with(".text");
    if (text && (before == nullptr || before->is_string()) && (now == nullptr || now->is_string())) {
      compare_texts(path, before == nullptr ? "" : before->get<std::string>(),
                    now == nullptr ? "" : now->get<std::string>(), lines_);
    } else if (both(before, now, &space::Json::is_object)) {
      members(path, *before, *now);
    } else if (both(before, now, &space::Json::is_array) && (has_members(*before) || has_members(*now))) {
      elements(path, *before, *now);
    } else if (both(before, now, &space::Json::is_array) && (is_long(*before) || is_long(*now))) {
      compare_texts(path, element_lines(*before), element_lines(*now), lines_);
    } else {
      lines_.push_back(
          fmt::format("{}: {} -> {}", base::visible_text(path), shown(before, now), shown(now, before)));
    }
  }

 private:
  static bool both(const space::Json* before, const space::Json* now,
                   bool (space::Json::*is)() const noexcept) {
    return before != nullptr && now != nullptr && (before->*is)() && (now->*is)();
  }

  /** Returns true if a list has elements that are compared one by one: objects or lists. */
  static bool has_members(const space::Json& list) { return !list.empty() && list[0].is_structured(); }

  static bool is_long(const space::Json& list) { return space::to_text(list).size() > max_shown_characters; }

  void members(const std::string& path, const space::Json& before, const space::Json& now) {
    std::set<std::string> names;
    for (const auto& [name, value] : before.items()) names.insert(name);
    for (const auto& [name, value] : now.items()) names.insert(name);
    for (const std::string& name : names)
      compare(path.empty() ? name : fmt::format("{}.{}", path, name), space::member_of(before, name),
              space::member_of(now, name));
  }

  void elements(const std::string& path, const space::Json& before, const space::Json& now) {
    space::Json first = space::Json::object();
    space::Json second = space::Json::object();
    for (std::size_t index = 0; index < before.size(); ++index)
      first[key_of(before[index], index)] = before[index];
    for (std::size_t index = 0; index < now.size(); ++index) second[key_of(now[index], index)] = now[index];
    const std::size_t reported = lines_.size();
    members(path, first, second);
    if (lines_.size() == reported)
      lines_.push_back(fmt::format("{}: in another order", base::visible_text(path)));
  }

  Lines& lines_;
};

}  // namespace

std::vector<std::string> project_differences(const KernelProject& before, const KernelProject& now) {
  Lines lines;
  const space::Json first = project_object(before, ProjectBytes::Hashed);
  const space::Json second = project_object(now, ProjectBytes::Hashed);
  ProjectComparison(lines).compare({}, &first, &second);
  return lines;
}

}  // namespace kernelscape::project
