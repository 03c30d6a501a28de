#include "core/project/space_file.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <utility>

#include "core/base/file.h"
#include "core/base/foreign_file.h"
#include "core/base/visible_text.h"
#include "core/project/reading.h"
#include "core/project/value_list.h"

namespace kernelscape::project {
namespace {

/** Files that list their members are long. */
constexpr std::uintmax_t max_space_file_bytes = 256ULL << 20;

/** Adds notices for members that nothing reads. Those of a kernel are ignored silently. */
void notice_unread(Reading& reading) {
  static constexpr std::array<std::string_view, 6> top{
      "General", "ConfigurationSpace", "KernelSpecification", "kernelscape", "Search", "Budget"};
  static constexpr std::array<std::string_view, 11> own{"Language",  "Parts",   "Flags",  "Tolerance",
                                                        "Reference", "FLOPs",   "Bytes",  "Arguments",
                                                        "DataFiles", "Version", "Members"};
  reading.notice_unknown(reading.root(), top);
  reading.notice_unknown(reading.ours(), own);
}

/** Reads the members that a file lists: rows of values in the order of the parameters. */
class MemberReader {
 public:
  MemberReader(const Reading& reading, const std::vector<space::Knob>& knobs)
      : reading_(reading), knobs_(knobs), indices_(knobs.size()) {
    for (std::size_t knob = 0; knob < knobs.size(); ++knob)
      for (std::uint32_t index = 0; index < knobs[knob].count(); ++index)
        indices_[knob].emplace(knobs[knob].value(index), index);
  }

  Result<std::vector<space::Configuration>> read(const JsonPlace& list) const {
    if (!list.value->is_array() || list.size() == 0)
      return reading_.fail_at(list, "is no list of configurations",
                              "list at least one, as a list of values in the order of the parameters");
    std::vector<space::Configuration> members;
    members.reserve(list.size());
    for (std::size_t row = 0; row < list.size(); ++row) members.push_back(TRY(member(list[row])));
    return members;
  }

 private:
  Result<space::Configuration> member(const JsonPlace& row) const {
    if (!row.exists() || row.size() != knobs_.size())
      return reading_.fail_at(row, fmt::format("has {} values for {} parameters", row.size(), knobs_.size()),
                              "list one value for each parameter, in their order");
    space::Configuration member;
    for (std::size_t knob = 0; knob < knobs_.size(); ++knob) {
      const JsonPlace place = row[knob];
      const auto value = place.exists() ? space::value_from_json(*place.value) : std::nullopt;
      if (!value) return reading_.fail_at(place, "is not a value");
      auto typed = value_of_type(*value, reading_.project.parameters[knob].type);
      if (!typed) return reading_.placed(place, std::move(typed).error());
      const auto found = indices_[knob].find(*typed);
      if (found == indices_[knob].end())
        return reading_.fail_at(place, fmt::format("is {}, which is not a value of {}",
                                                   base::quoted_line(space::to_string(*typed), 80),
                                                   base::quoted_line(knobs_[knob].name())));
      member.indices.push_back(found->second);
    }
    return member;
  }

  const Reading& reading_;
  const std::vector<space::Knob>& knobs_;
  std::vector<std::map<space::KnobValue, std::uint32_t>> indices_;  ///< of each knob's values
};

Result<Space> read_tuned_space(Reading& reading) {
  const JsonPlace listed = reading.ours()["Members"];
  Space made = TRY(make_project_space(reading.project.parameters, reading.project.conditions,
                                      reading.project.problem_size));
  if (!listed.exists()) return made;
  if (!reading.project.conditions.empty())
    return reading.fail_at(listed, "stands beside ConfigurationSpace.Conditions",
                           "list the feasible configurations, or give conditions");
  const std::vector<space::Knob> knobs = made.space.knobs();
  std::vector<space::Configuration> members = TRY(MemberReader(reading, knobs).read(listed));
  made.space = TRY(space::SearchSpace::make_explicit(knobs, std::move(members)));
  return made;
}

Result<SpaceFile> read_space(Reading& reading, const std::string& file_name) {
  const JsonPlace place = reading.root()["ConfigurationSpace"];
  if (!place.exists() || !place.value->is_object())
    return reading.fail_at(place, "is missing: this file has no search space in the T1 format",
                           "give each parameter in ConfigurationSpace.TuningParameters: Name, Type, Values");
  if (reading.ours().exists() && !reading.ours().value->is_object())
    return reading.fail_at(reading.ours(), "is not an object");
  std::string name = TRY(reading.text_of(reading.root()["General"]["BenchmarkName"], file_name));
  TRY(read_parameters(reading));
  TRY(read_conditions(reading));
  TRY(read_problem_size(reading));
  Space made = TRY(read_tuned_space(reading));
  SpaceFile file{.name = std::move(name), .space = std::move(made.space)};
  file.flops = TRY(read_amount(reading, reading.ours()["FLOPs"]));
  file.bytes = TRY(read_amount(reading, reading.ours()["Bytes"]));
  notice_unread(reading);
  file.notices = std::move(reading.project.notices);
  file.notices.insert(file.notices.end(), made.notices.begin(), made.notices.end());
  return file;
}

}  // namespace

Result<SpaceFile> read_space_file(const std::filesystem::path& file) {
  TRY(base::check_no_foreign_file(file));
  Files files = TRY(Files::open(file, false));
  const std::string text = TRY(base::read_text_file(file, max_space_file_bytes));
  Text parsed = TRY(Text::parse(base::visible_text(file.filename().string()), text));
  Reading reading{std::move(parsed), std::move(files)};
  return read_space(reading, file.stem().string());
}

}  // namespace kernelscape::project
