#include "core/analysis/column_labels.h"

#include <algorithm>
#include <stdexcept>

namespace kernelscape::analysis {

std::string ColumnLabels::at(std::size_t position) const {
  if (!made_) return listed_.at(position);
  if (position >= size()) throw std::out_of_range("the column has no such label");
  return made_->knob().describe(static_cast<std::uint32_t>(position));
}

std::vector<std::string> ColumnLabels::first(std::size_t most) const {
  std::vector<std::string> labels;
  for (std::size_t position = 0; position < std::min(most, size()); ++position)
    labels.push_back(at(position));
  return labels;
}

bool ColumnLabels::operator==(const ColumnLabels& other) const {
  if (size() != other.size()) return false;
  for (std::size_t position = 0; position < size(); ++position)
    if (at(position) != other.at(position)) return false;
  return true;
}

}  // namespace kernelscape::analysis
