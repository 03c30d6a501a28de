#include "core/space/contradiction.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/space/constraint_graph.h"

namespace kernelscape::space {
namespace {

constexpr std::size_t max_described = 8;

/** Whether these, with the definitions that they rest on, are proven to have no solution. */
bool contradict(const std::vector<Knob>& knobs, const ConstraintSystem& system,
                const std::vector<Check>& checks, const SolverLimits& limits) {
  std::vector<std::size_t> kept;
  for (const Check& check : checks) {
    kept.insert(kept.end(), check.definitions.begin(), check.definitions.end());
    kept.push_back(check.constraint);
  }
  std::ranges::sort(kept);
  kept.erase(std::ranges::unique(kept).begin(), kept.end());
  const ConstraintSystem part = system.with_constraints(kept);
  const Result<Solution> solution = SolverModel(knobs, part).solve({}, {}, base::Random(0), limits);
  return solution && *solution == Solution(NoSolution::Proven);
}

}  // namespace

std::vector<std::size_t> contradicting_constraints(const std::vector<Knob>& knobs,
                                                   const ConstraintSystem& system,
                                                   const SolverLimits& limits) {
  std::vector<Check> checks = checks_of(system);
  if (!contradict(knobs, system, checks, limits)) return {};
  // Constraints are removed in large groups, then smaller ones, finally one by one. The order is from the
  // last to the first, so that uses of a value are removed before its definition.
  for (std::size_t size = std::max<std::size_t>(1, checks.size() / 2); size > 0; size /= 2) {
    for (std::size_t end = checks.size(); end > 0;) {
      const std::size_t first = end - std::min(size, end);
      std::vector<Check> fewer = checks;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(first),
                  fewer.begin() + static_cast<std::ptrdiff_t>(end));
      if (contradict(knobs, system, fewer, limits)) checks = std::move(fewer);
      end = first;
    }
  }
  std::vector<std::size_t> contradicting;
  for (const Check& check : checks) contradicting.push_back(check.constraint);
  return contradicting;
}

std::string describe_constraints(const ConstraintSystem& system,
                                 const std::vector<std::size_t>& constraints) {
  std::vector<std::string> words;
  for (const std::size_t number : constraints) {
    if (words.size() == max_described) {
      words.push_back(fmt::format("and {} more", constraints.size() - max_described));
      break;
    }
    const std::string& reason = system.constraints()[number].reason;
    words.push_back(reason.empty() ? system.describe(number)
                                   : fmt::format("{} ({})", system.describe(number), reason));
  }
  return base::join(words, "; ");
}

}  // namespace kernelscape::space
