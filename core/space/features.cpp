#include "core/space/features.h"

#include <fmt/format.h>

namespace kernelscape::space {
namespace {

/** A number as it is; a text has none, so its place in the list stands for it. */
float number_of(const Knob& knob, std::uint32_t index) {
  if (const auto* real = std::get_if<double>(&knob.value(index))) return static_cast<float>(*real);
  return static_cast<float>(knob.element(index, 0));
}

}  // namespace

std::vector<float> FeatureExtractor::compute(const Configuration& configuration) const {
  std::vector<float> row(names().size());
  write(configuration, row);
  return row;
}

KnobFeatures::KnobFeatures(SearchSpace space, KnobSelection selection) : space_(std::move(space)) {
  for (std::size_t i = 0; i < space_.knobs().size(); ++i) {
    const Knob& knob = space_.knobs()[i];
    if (selection == KnobSelection::Options && knob.kind() == KnobKind::Factorization) continue;
    selected_.push_back(i);
    if (knob.kind() == KnobKind::Factorization) {
      for (int part = 0; part < knob.element_count(); ++part)
        names_.push_back(fmt::format("{}.{}", knob.name(), part));
    } else if (knob.kind() == KnobKind::Permutation) {
      for (const std::string& item : knob.items()) names_.push_back(fmt::format("{}.{}", knob.name(), item));
    } else {
      names_.push_back(knob.name());
    }
  }
}

void KnobFeatures::write(const Configuration& configuration, std::span<float> row) const {
  std::size_t next = 0;
  for (const std::size_t i : selected_) {
    const Knob& knob = space_.knobs()[i];
    const KnobRow elements = knob.row(configuration.indices[i]);
    if (knob.kind() == KnobKind::Factorization) {
      for (const std::int64_t factor : elements) row[next++] = static_cast<float>(factor);
    } else if (knob.kind() == KnobKind::Permutation) {
      for (std::size_t position = 0; position < elements.size(); ++position)
        row[next + static_cast<std::size_t>(elements[position])] = static_cast<float>(position);
      next += elements.size();
    } else {
      row[next++] = number_of(knob, configuration.indices[i]);
    }
  }
}

}  // namespace kernelscape::space
