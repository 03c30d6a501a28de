#include "core/trial/trial_fields.h"

namespace kernelscape {
namespace {

/** Of the part's own members. */
template <typename Part>
std::string_view implausible_member(const Part& part) {
  std::string_view found;
  for_each_field<trial_fields>([&](auto field) {
    if constexpr (std::is_same_v<typename decltype(field)::Owner, Part>)
      if (found.empty() && !plausible(field, value_in(field, part))) found = field.facts.key;
  });
  return found;
}

}  // namespace

std::string_view implausible_field(const Trial& trial) {
  const std::string_view found = implausible_member(trial);
  return found.empty() ? implausible_field(trial.measurement) : found;
}

std::string_view implausible_field(const Measurement& measurement) { return implausible_member(measurement); }

}  // namespace kernelscape
