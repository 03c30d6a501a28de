#include "core/tuner/feasible_values.h"

#include <algorithm>
#include <variant>

namespace kernelscape::tuner {

Status FeasibleValues::draw(const BreedingTools& tools) {
  if (!values_.empty()) return {};
  values_.resize(tools.space.space().knobs().size());
  for (std::size_t i = 0; i < samples_; ++i) {
    const space::Solution solution = TRY(tools.space.solve({}, {}, tools.random));
    const auto* member = std::get_if<space::Configuration>(&solution);
    if (member == nullptr) break;
    for (std::size_t knob = 0; knob < values_.size(); ++knob) values_[knob].push_back(member->indices[knob]);
  }
  for (std::vector<std::uint32_t>& of_knob : values_) {
    std::ranges::sort(of_knob);
    of_knob.erase(std::ranges::unique(of_knob).begin(), of_knob.end());
  }
  return {};
}

void FeasibleValues::change_one(space::Configuration& configuration, base::Random& random) const {
  const std::size_t knob = random.below(knobs());
  const std::vector<std::uint32_t>& values = of(knob);
  if (!values.empty()) configuration.indices[knob] = values[random.below(values.size())];
}

}  // namespace kernelscape::tuner
