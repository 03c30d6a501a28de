#include "core/space/features.h"

#include <fmt/format.h>

namespace kernelscape {
namespace {

/** A number as it is; a text has none, so its place in the list stands for it. */
float number_of(const Knob& knob, std::uint32_t index) {
  if (const auto* real = std::get_if<double>(&knob.value(index))) return static_cast<float>(*real);
  return static_cast<float>(knob.element(index, 0));
}

}  // namespace

KnobFeatures::KnobFeatures(SearchSpace space) : space_(std::move(space)) {
  for (const Knob& knob : space_.knobs()) {
    if (knob.kind() == KnobKind::Factorization) {
      for (int i = 0; i < knob.element_count(); ++i) names_.push_back(fmt::format("{}.{}", knob.name(), i));
    } else if (knob.kind() == KnobKind::Permutation) {
      for (const std::string& item : knob.items()) names_.push_back(fmt::format("{}.{}", knob.name(), item));
    } else {
      names_.push_back(knob.name());
    }
  }
}

std::vector<float> KnobFeatures::compute(const Configuration& configuration) const {
  std::vector<float> numbers;
  numbers.reserve(names_.size());
  for (std::size_t i = 0; i < space_.knobs().size(); ++i) {
    const Knob& knob = space_.knobs()[i];
    const std::span<const std::int64_t> row = knob.row(configuration.indices[i]);
    if (knob.kind() == KnobKind::Factorization) {
      for (const std::int64_t factor : row) numbers.push_back(static_cast<float>(factor));
    } else if (knob.kind() == KnobKind::Permutation) {
      const std::size_t first = numbers.size();
      numbers.resize(first + row.size());
      for (std::size_t position = 0; position < row.size(); ++position)
        numbers[first + static_cast<std::size_t>(row[position])] = static_cast<float>(position);
    } else {
      numbers.push_back(number_of(knob, configuration.indices[i]));
    }
  }
  return numbers;
}

}  // namespace kernelscape
