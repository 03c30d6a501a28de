#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/base/json_size.h"
#include "core/base/long_json.h"
#include "core/space/constraint_json.h"
#include "core/space/search_space.h"
#include "core/space/table_allowance.h"

namespace kernelscape::space {
namespace {

constexpr std::int64_t format_version = 1;
constexpr std::uint64_t max_listed_numbers = 1ULL << 26;  // of all knobs' whole tables together: 512 MiB

std::unexpected<Error> malformed_space(std::string_view what) {
  return fail(ErrorCode::InvalidArgument, fmt::format("this JSON is not a search space: {}", what));
}

Result<std::vector<Knob>> knobs_from_json(const Json& list) {
  // Before any is made: a short text may name a number that takes milliseconds to factorize.
  if (list.size() > max_space_knobs)
    return malformed_space(fmt::format("it has {} knobs, at most {} are read", list.size(), max_space_knobs));
  // All of a table, of which "kept" may leave little: it is made before.
  const TableAllowance allowance(max_listed_numbers);
  std::vector<Knob> knobs;
  for (const Json& json : list) knobs.push_back(TRY(knob_from_json(json)));
  return knobs;
}

Result<std::vector<Configuration>> members_from_json(const Json& list) {
  std::vector<Configuration> members;
  for (const Json& indices : list) {
    if (!indices.is_array()) return malformed_space("a member is not a list");
    Configuration member;
    for (const Json& json : indices) {
      const auto index = integer_of(json);
      if (!index || *index < 0 || *index >= (std::int64_t{1} << 32))
        return malformed_space("a member's index is out of range");
      member.indices.push_back(static_cast<std::uint32_t>(*index));
    }
    members.push_back(std::move(member));
  }
  return members;
}

/** Returns ,"members":[[0,1],[2,0]]. */
std::string members_text(const std::vector<Configuration>& members) {
  std::string text = ",\"members\":[";
  char separator = 0;
  for (const Configuration& member : members) {
    if (separator != 0) text += separator;
    separator = '[';
    for (const std::uint32_t index : member.indices) {
      text += separator;
      text += std::to_string(index);
      separator = ',';
    }
    text += ']';
  }
  text += ']';
  return text;
}

std::string write_space(const SearchSpace& space) {
  Json knobs = Json::array();
  for (const Knob& knob : space.knobs()) knobs.push_back(knob_to_json(knob));
  Json json{{"version", format_version}, {"knobs", std::move(knobs)}};
  const auto* members = space.explicit_members();
  if (members == nullptr) json["constraints"] = to_json(space.constraints());
  std::string text = to_text(*base::LongJson(std::move(json)));
  if (members == nullptr) return text;
  // A million members as JSON values take ten times the memory of their text. Keys are in alphabetical order.
  const std::size_t after_knobs = text.rfind(",\"version\":");
  text.insert(after_knobs, members_text(*members));
  return text;
}

/**
 * The last long texts by the fingerprint of their space: thousands of sessions may store the same one, and
 * listing some ten thousand members takes longer than such a session.
 */
class LongTexts {
 public:
  std::optional<std::string> find(std::uint64_t fingerprint) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(texts_, fingerprint, &Entry::first);
    return found == texts_.end() ? std::nullopt : std::optional(found->second);
  }

  void keep(std::uint64_t fingerprint, const std::string& text) {
    constexpr std::size_t max_texts = 16;
    constexpr std::size_t min_bytes = 16 << 10;
    constexpr std::size_t max_bytes = 8 << 20;
    if (text.size() < min_bytes || text.size() > max_bytes) return;
    const std::scoped_lock lock(mutex_);
    if (texts_.size() == max_texts) texts_.pop_front();
    texts_.emplace_back(fingerprint, text);
  }

 private:
  using Entry = std::pair<std::uint64_t, std::string>;
  std::mutex mutex_;
  std::deque<Entry> texts_;
};

}  // namespace

std::string space_to_json(const SearchSpace& space) {
  static LongTexts long_texts;
  if (auto known = long_texts.find(space.fingerprint())) return *std::move(known);
  std::string text = write_space(space);
  long_texts.keep(space.fingerprint(), text);
  return text;
}

Result<SearchSpace> space_from_json(std::string_view text) {
  const base::LongJson document(parse_json(text));
  const Json& json = *document;
  if (json.is_discarded())
    return malformed_space(fmt::format("it is damaged, or has over {} values", base::max_json_values));
  const Json* version = member_of(json, "version");
  const Json* knobs_json = member_of(json, "knobs");
  const Json* members_json = member_of(json, "members");
  const Json* constraints_json = member_of(json, "constraints");
  if (!version || !knobs_json || !knobs_json->is_array())
    return malformed_space("it has no version or no knobs");
  if (integer_of(*version) != format_version)
    return fail(ErrorCode::Refused,
                fmt::format("this search space has format {}, not {}", to_text(*version), format_version),
                "it was written by another version of the program");
  if (members_json && constraints_json) return malformed_space("it has constraints and listed members");
  std::vector<Knob> knobs = TRY(knobs_from_json(*knobs_json));
  if (members_json) {
    if (!members_json->is_array()) return malformed_space("its members are not a list");
    std::vector<Configuration> members = TRY(members_from_json(*members_json));
    return SearchSpace::make_explicit(std::move(knobs), std::move(members));
  }
  if (!constraints_json) return SearchSpace::make(std::move(knobs));
  ConstraintSystem constraints = TRY(constraints_from_json(*constraints_json));
  return SearchSpace::make(std::move(knobs), std::move(constraints));
}

}  // namespace kernelscape::space
