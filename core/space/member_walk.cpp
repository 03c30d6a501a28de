#include "core/space/member_walk.h"

#include <limits>
#include <utility>

namespace kernelscape {
namespace {

constexpr uint128 most_walked = 1 << 20;

uint128 walk_length(const SearchSpace& space) {
  const auto* members = space.explicit_members();
  return members != nullptr ? uint128{members->size()} : space.size();
}

}  // namespace

MemberWalk::MemberWalk(SearchSpace space, uint128 length) : space_(std::move(space)), length_(length) {}

MemberWalk::MemberWalk(SearchSpace space) : MemberWalk(space, walk_length(space)) {
  if (length_ > 0) start_at(0);
}

MemberWalk::MemberWalk(SearchSpace space, Random& random) : MemberWalk(space, walk_length(space)) {
  if (length_ > 0) start_at(random.below_wide(length_));
}

void MemberWalk::start_at(uint128 position) {
  if (space_.explicit_members() != nullptr) {
    position_ = static_cast<std::size_t>(position);
  } else {
    current_ = space_.at(position);
  }
}

void MemberWalk::advance() {
  ++looked_at_;
  if (const auto* members = space_.explicit_members()) {
    position_ = (position_ + 1) % members->size();
    return;
  }
  for (std::size_t knob = 0; knob < current_.indices.size(); ++knob) {
    if (++current_.indices[knob] < space_.knobs()[knob].count()) return;
    current_.indices[knob] = 0;
  }
}

std::optional<Configuration> MemberWalk::next(std::uint64_t steps) {
  const auto* members = space_.explicit_members();
  const bool restricted = members == nullptr && space_.has_restrictions();
  for (; steps > 0 && !done(); --steps) {
    Configuration candidate = members != nullptr ? (*members)[position_] : current_;
    advance();
    if (!restricted || space_.contains(candidate)) return candidate;
  }
  return std::nullopt;
}

std::optional<std::vector<Configuration>> listed_members(const SearchSpace& space, std::size_t most) {
  const std::vector<Configuration>* listed = space.explicit_members();
  if (listed != nullptr && listed->size() > most) return std::nullopt;
  if (listed == nullptr && space.size() > most_walked) return std::nullopt;
  std::vector<Configuration> members;
  MemberWalk walk(space);
  while (auto member = walk.next(std::numeric_limits<std::uint64_t>::max())) {
    if (members.size() == most) return std::nullopt;
    members.push_back(std::move(*member));
  }
  return members;
}

}  // namespace kernelscape
