#include "core/trial/series.h"

namespace kernelscape::trial {

std::optional<std::string> member_of_family(std::string_view family, std::string_view name) {
  const std::size_t place = family.find(series_member);
  if (place == std::string_view::npos || name.size() <= place || !name.starts_with(family.substr(0, place)))
    return std::nullopt;
  return std::string(name.substr(place));
}

std::string name_member(std::string_view family, std::string_view member) {
  std::string name(family);
  if (const std::size_t place = name.find(series_member); place != std::string::npos)
    name.replace(place, series_member.size(), member);
  return name;
}

}  // namespace kernelscape::trial
