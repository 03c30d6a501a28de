#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/space/search_space.h"

namespace kernelscape::analysis {

/**
 * The texts of a column by their position: a list, or generated on demand for a knob with too many values.
 */
class ColumnLabels {
 public:
  ColumnLabels() = default;
  ColumnLabels(std::vector<std::string> listed) : listed_(std::move(listed)) {}
  ColumnLabels(std::initializer_list<std::string> listed) : listed_(listed) {}
  /** Generates the texts of the values of the knob at this position. */
  ColumnLabels(space::SearchSpace space, std::size_t knob) : made_(Made{std::move(space), knob}) {}

  /** Returns the number of texts. */
  std::size_t size() const { return made_ ? made_->knob().count() : listed_.size(); }
  /** Returns the text at a position. @param position below size(), else throws std::out_of_range */
  std::string at(std::size_t position) const;
  /** Returns the first texts, at most `most`. */
  std::vector<std::string> first(std::size_t most) const;

  /** Returns true if both have the same texts at the same positions. */
  bool operator==(const ColumnLabels& other) const;

 private:
  struct Made {
    space::SearchSpace space;
    std::size_t position = 0;

    const space::Knob& knob() const { return space.knobs()[position]; }
  };

  std::vector<std::string> listed_;
  std::optional<Made> made_;
};

}  // namespace kernelscape::analysis
