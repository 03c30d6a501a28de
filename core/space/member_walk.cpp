#include "core/space/member_walk.h"

#include <algorithm>
#include <limits>
#include <ranges>
#include <span>
#include <utility>

namespace kernelscape::space {
namespace {

constexpr base::uint128 max_walked = 1 << 20;

/** Finds a member's row among millions, which are in the order of their indices: the last knob counts most.
 */
std::uint32_t row_of(const TiedKnobs& tied, const Configuration& member) {
  const auto row_at = [&](std::uint32_t row) {
    return std::span(tied.indices).subspan(std::size_t{row} * tied.count, tied.count);
  };
  const auto values = std::span(member.indices).subspan(tied.first, tied.count);
  const auto rows = std::views::iota(std::uint32_t{0}, static_cast<std::uint32_t>(tied.rows()));
  const auto precedes = [&](std::uint32_t row, std::span<const std::uint32_t> sought) {
    const auto indices = row_at(row);
    return std::lexicographical_compare(indices.rbegin(), indices.rend(), sought.rbegin(), sought.rend());
  };
  return static_cast<std::uint32_t>(std::lower_bound(rows.begin(), rows.end(), values, precedes) -
                                    rows.begin());
}

}  // namespace

std::vector<MemberWalk::Digit> MemberWalk::digits_of(const SearchSpace& space) {
  std::vector<Digit> digits;
  if (space.explicit_members() != nullptr) return digits;
  std::vector<TiedKnobs> ties = tied_knobs(space);
  auto tie = ties.begin();
  for (std::uint32_t knob = 0; knob < space.knobs().size();) {
    if (tie != ties.end() && tie->first == knob) {
      const auto rows = static_cast<std::uint32_t>(tie->rows());
      knob += tie->count;
      digits.push_back({std::move(*tie++), rows});
    } else {
      digits.push_back({TiedKnobs{knob, 1}, space.knobs()[knob].count()});
      ++knob;
    }
  }
  return digits;
}

MemberWalk::MemberWalk(SearchSpace space)
    : space_(std::move(space)), digits_(digits_of(space_)), length_(full_length()) {
  if (length_ > 0) start_at(0);
}

MemberWalk::MemberWalk(SearchSpace space, base::Random& random)
    : space_(std::move(space)), digits_(digits_of(space_)), length_(full_length()) {
  if (length_ > 0) start_at(random.below_wide(length_));
}

base::uint128 MemberWalk::full_length() const {
  if (const auto* members = space_.explicit_members()) return members->size();
  base::uint128 length = 1;
  for (const Digit& digit : digits_) length *= digit.size;
  return length;
}

void MemberWalk::start_at(base::uint128 position) {
  if (space_.explicit_members() != nullptr) {
    position_ = static_cast<std::size_t>(position);
    return;
  }
  current_.indices.resize(space_.knobs().size());
  for (Digit& digit : digits_) {
    digit.at = static_cast<std::uint32_t>(position % digit.size);
    position /= digit.size;
    write(digit);
  }
}

/** The inverse of start_at(), of a configuration that the walk comes to. */
base::uint128 MemberWalk::position_of(const Configuration& member) const {
  base::uint128 position = 0;
  base::uint128 stride = 1;
  for (const Digit& digit : digits_) {
    position += stride * (digit.knobs.indices.empty() ? member.indices[digit.knobs.first]
                                                      : row_of(digit.knobs, member));
    stride *= digit.size;
  }
  return position;
}

void MemberWalk::write(const Digit& digit) {
  const auto& [first, count, rows] = digit.knobs;
  if (rows.empty())
    current_.indices[first] = digit.at;
  else
    std::copy_n(rows.begin() + std::ptrdiff_t{digit.at} * count, count, current_.indices.begin() + first);
}

void MemberWalk::advance() {
  ++looked_at_;
  if (const auto* members = space_.explicit_members()) {
    position_ = (position_ + 1) % members->size();
    return;
  }
  for (Digit& digit : digits_) {
    const bool carries = ++digit.at == digit.size;
    if (carries) digit.at = 0;
    write(digit);
    if (!carries) return;
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

bool MemberWalk::skip(SolverLimits& limits) {
  if (space_.explicit_members() != nullptr || !space_.has_restrictions()) return true;
  while (!done()) {
    const Result<Solution> solution = space_.solver().first_from(current_, limits);
    if (!solution || *solution == Solution(NoSolution::NodeLimit)) return false;
    const base::uint128 here = position_of(current_);
    const auto* found = std::get_if<Configuration>(&*solution);
    const base::uint128 there = found != nullptr ? position_of(*found) : length_;
    looked_at_ += std::min(there - here, length_ - looked_at_);
    start_at(there % length_);
    if (found != nullptr) break;
  }
  return true;
}

std::optional<std::vector<Configuration>> listed_members(const SearchSpace& space, std::size_t most) {
  const std::vector<Configuration>* listed = space.explicit_members();
  if (listed != nullptr && listed->size() > most) return std::nullopt;
  MemberWalk walk(space);
  if (listed == nullptr && walk.length() > max_walked) return std::nullopt;
  std::vector<Configuration> members;
  while (auto member = walk.next(std::numeric_limits<std::uint64_t>::max())) {
    if (members.size() == most) return std::nullopt;
    members.push_back(std::move(*member));
  }
  return members;
}

}  // namespace kernelscape::space
