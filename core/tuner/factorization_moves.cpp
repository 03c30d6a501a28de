#include "core/tuner/factorization_moves.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/space/factorization.h"
#include "core/tuner/population.h"

namespace kernelscape::tuner {
namespace {

constexpr std::size_t max_named = 3;

bool can_move(const space::Knob& knob) { return knob.count() > 1; }

/** Returns, for each value, the number of moves to [C, 1, ..., 1]: the primes outside its first factor. */
std::vector<int> moves_from_first_factor(const space::Knob& knob) {
  std::vector<int> counts(knob.count(), 0);
  if (!can_move(knob)) return counts;
  const std::vector<std::int64_t> primes = space::distinct_primes(knob.product());
  for (std::uint32_t index = 0; index < knob.count(); ++index) {
    std::int64_t rest = knob.product() / knob.element(index, 0);
    for (const std::int64_t prime : primes) {
      for (; rest % prime == 0; rest /= prime) ++counts[index];
    }
  }
  return counts;
}

/** Returns for each knob the value with the fewest moves, or the explicit member. */
space::Configuration nearest_to_first_factors(const space::SearchSpace& space) {
  std::vector<std::vector<int>> distances;
  for (const space::Knob& knob : space.knobs()) distances.push_back(moves_from_first_factor(knob));
  if (const auto* members = space.explicit_members()) {
    return *std::ranges::min_element(*members, {}, [&](const space::Configuration& member) {
      int moves = 0;
      for (std::size_t knob = 0; knob < distances.size(); ++knob)
        moves += distances[knob][member.indices[knob]];
      return moves;
    });
  }
  space::Configuration nearest;
  for (const std::vector<int>& counts : distances) {
    nearest.indices.push_back(static_cast<std::uint32_t>(std::ranges::min_element(counts) - counts.begin()));
  }
  return nearest;
}

}  // namespace

Status require_factorizations(const space::SearchSpace& space, std::string_view tuner) {
  std::vector<std::string> others;
  for (const space::Knob& knob : space.knobs()) {
    if (!can_move(knob) || knob.kind() == space::KnobKind::Factorization) continue;
    others.push_back(fmt::format("\"{}\" ({})", knob.name(), space::to_string(knob.kind())));
  }
  if (others.empty()) return {};
  std::string rest;
  if (others.size() > max_named + 1) {
    rest = fmt::format(" and {} more", others.size() - max_named);
    others.resize(max_named);
  }
  return fail(ErrorCode::InvalidArgument,
              fmt::format("tuner {} can only move factors, and these knobs are not factorizations: {}{}",
                          tuner, base::join(others, ", "), rest),
              "choose another tuner (opevo supports knobs of every kind), or a template that has only "
              "factorizations, such as matmul-tiled");
}

std::optional<space::Configuration> take_start(const Context& context, Visited& visited) {
  const space::SearchSpace& space = context.space;
  std::vector<space::Configuration> starts = best_of_history(space, context.history, 1);
  if (starts.empty()) starts.push_back(nearest_to_first_factors(space));
  if (!space.contains(starts.front())) return visited.take_random();
  visited.insert(starts.front());
  return std::move(starts.front());
}

std::vector<FactorizationMove> factorization_moves(const space::SearchSpace& space) {
  std::vector<FactorizationMove> all;
  for (std::size_t knob = 0; knob < space.knobs().size(); ++knob) {
    if (!can_move(space.knobs()[knob])) continue;
    const std::vector<std::int64_t> primes = space::distinct_primes(space.knobs()[knob].product());
    const auto positions = static_cast<std::size_t>(space.knobs()[knob].element_count());
    for (std::size_t from = 0; from < positions; ++from) {
      for (std::size_t to = 0; to < positions; ++to) {
        if (from == to) continue;
        for (const std::int64_t prime : primes) all.push_back({knob, from, to, prime});
      }
    }
  }
  return all;
}

std::optional<space::Configuration> apply_move(const space::SearchSpace& space,
                                               const space::Configuration& from,
                                               const FactorizationMove& move) {
  const space::Knob& knob = space.knobs()[move.knob];
  const space::KnobRow row = knob.row(from.indices[move.knob]);
  if (row[move.from] % move.prime != 0) return std::nullopt;
  std::vector<std::int64_t> factors(row.begin(), row.end());
  factors[move.from] /= move.prime;
  factors[move.to] *= move.prime;
  const Result<std::uint32_t> index = knob.find(factors);
  if (!index) return std::nullopt;
  space::Configuration to = from;
  to.indices[move.knob] = *index;
  return to;
}

std::vector<double> factor_shares(const space::SearchSpace& space,
                                  const space::Configuration& configuration) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < space.knobs().size(); ++i) {
    const space::Knob& knob = space.knobs()[i];
    if (!can_move(knob)) continue;
    for (const std::int64_t factor : knob.row(configuration.indices[i])) {
      shares.push_back(static_cast<double>(factor) / static_cast<double>(knob.product()) - 0.5);
    }
  }
  return shares;
}

}  // namespace kernelscape::tuner
