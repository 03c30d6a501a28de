#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/space/search_space.h"

namespace kernelscape {

/** The texts of a column by their position: listed, or made as they are asked for where a knob has too many.
 */
class ColumnLabels {
 public:
  ColumnLabels() = default;
  ColumnLabels(std::vector<std::string> listed) : listed_(std::move(listed)) {}
  ColumnLabels(std::initializer_list<std::string> listed) : listed_(listed) {}
  /** What the knob at this position says of its values. */
  ColumnLabels(SearchSpace space, std::size_t knob) : made_(Made{std::move(space), knob}) {}

  /** How many there are. */
  std::size_t size() const { return made_ ? made_->knob().count() : listed_.size(); }
  /** @param position below size(), else it throws std::out_of_range */
  std::string at(std::size_t position) const;
  /** The first of them, at most so many. */
  std::vector<std::string> first(std::size_t most) const;

  /** The same texts at the same positions. */
  bool operator==(const ColumnLabels& other) const;

 private:
  struct Made {
    SearchSpace space;
    std::size_t position = 0;

    const Knob& knob() const { return space.knobs()[position]; }
  };

  std::vector<std::string> listed_;
  std::optional<Made> made_;
};

}  // namespace kernelscape
