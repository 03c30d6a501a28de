#include "core/tuner/infeasible_ranking.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "core/tuner/genes.h"

namespace kernelscape::tuner {
namespace {

std::vector<std::size_t> first_numbers(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

double violation_of(const Individual& individual, std::size_t constraint) {
  return constraint < individual.violations.size() ? individual.violations[constraint] : 0;
}

/** Returns the share of a range; equal for all if the range is 0. */
double share_of(double distance, double range) { return range > 0 ? distance / range : 0; }

/** Appends a front, which is given with the best score first, by crowding distance. */
void append_front(std::vector<std::size_t>& order, const std::vector<std::size_t>& front,
                  std::span<const double> scores, std::span<const double> costs) {
  std::vector<double> crowding(front.size(), std::numeric_limits<double>::infinity());
  const double scores_range = scores[front.front()] - scores[front.back()];
  const double costs_range = costs[front.front()] - costs[front.back()];
  for (std::size_t i = 1; i + 1 < front.size(); ++i)
    crowding[i] = share_of(scores[front[i - 1]] - scores[front[i + 1]], scores_range) +
                  share_of(costs[front[i - 1]] - costs[front[i + 1]], costs_range);
  for (const std::size_t place : best_positions(crowding, front.size())) order.push_back(front[place]);
}

}  // namespace

double total_violation(const Individual& individual) {
  return std::accumulate(individual.violations.begin(), individual.violations.end(), 0.0);
}

std::vector<std::size_t> stochastic_ranking(std::span<const Individual> individuals, std::int64_t sweeps,
                                            double by_prediction, base::Random& random) {
  std::vector<double> violations;
  for (const Individual& individual : individuals) violations.push_back(total_violation(individual));
  std::vector<std::size_t> order = first_numbers(individuals.size());
  bool swapped = true;
  for (std::int64_t sweep = 0; sweep < sweeps && swapped; ++sweep) {
    swapped = false;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      const std::size_t a = order[i];
      const std::size_t b = order[i + 1];
      const bool members = individuals[a].member() && individuals[b].member();
      const bool worse = members || random.chance(by_prediction)
                             ? individuals[a].prediction < individuals[b].prediction
                             : violations[a] > violations[b];
      if (!worse) continue;
      std::swap(order[i], order[i + 1]);
      swapped = true;
    }
  }
  return order;
}

std::vector<double> violation_measures(std::span<const Individual> individuals) {
  std::size_t constraints = 0;
  for (const Individual& individual : individuals)
    constraints = std::max(constraints, individual.violations.size());
  std::vector<double> measures(individuals.size(), 0.0);
  for (std::size_t constraint = 0; constraint < constraints; ++constraint) {
    std::vector<double> different{0.0};
    for (const Individual& individual : individuals)
      different.push_back(violation_of(individual, constraint));
    std::ranges::sort(different);
    different.erase(std::ranges::unique(different).begin(), different.end());
    for (std::size_t i = 0; i < individuals.size(); ++i) {
      const auto place = std::ranges::lower_bound(different, violation_of(individuals[i], constraint));
      measures[i] += static_cast<double>(place - different.begin());
    }
  }
  return measures;
}

std::vector<std::size_t> nondominated_order(std::span<const double> scores, std::span<const double> costs) {
  std::vector<std::size_t> sorted = first_numbers(scores.size());
  std::ranges::stable_sort(sorted, [&](std::size_t a, std::size_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : costs[a] < costs[b];
  });
  // The last individual of a front has the smallest cost in it, so that it dominates if any does.
  std::vector<std::vector<std::size_t>> fronts;
  const auto free_of_dominance = [&](const std::vector<std::size_t>& front, std::size_t number) {
    const std::size_t last = front.back();
    return costs[number] < costs[last] || (costs[number] == costs[last] && scores[number] == scores[last]);
  };
  for (const std::size_t number : sorted) {
    const auto front = std::ranges::find_if(
        fronts, [&](const std::vector<std::size_t>& one) { return free_of_dominance(one, number); });
    if (front == fronts.end())
      fronts.push_back({number});
    else
      front->push_back(number);
  }
  std::vector<std::size_t> order;
  for (const std::vector<std::size_t>& front : fronts) append_front(order, front, scores, costs);
  return order;
}

std::vector<std::size_t> infeasibility_driven_ranking(std::span<const Individual> individuals,
                                                      std::size_t count, double infeasible_share) {
  std::vector<std::size_t> members;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < individuals.size(); ++i)
    (individuals[i].member() ? members : others).push_back(i);
  const std::size_t kept = std::min(count, individuals.size());
  const auto wanted = static_cast<std::size_t>(std::round(infeasible_share * static_cast<double>(count)));
  // Places that members cannot fill are filled by infeasible individuals.
  const std::size_t needed = kept - std::min(kept, members.size());
  const std::size_t infeasible = std::min({std::max(wanted, needed), others.size(), kept});

  std::vector<Individual> infeasible_ones;
  std::vector<double> predictions;
  for (const std::size_t number : others) {
    infeasible_ones.push_back(individuals[number]);
    predictions.push_back(individuals[number].prediction);
  }
  std::vector<std::size_t> order;
  for (const std::size_t place : nondominated_order(predictions, violation_measures(infeasible_ones))) {
    if (order.size() == infeasible) break;
    order.push_back(others[place]);
  }
  std::vector<double> of_members;
  for (const std::size_t number : members) of_members.push_back(individuals[number].prediction);
  for (const std::size_t place : best_positions(of_members, kept - infeasible))
    order.push_back(members[place]);
  return order;
}

}  // namespace kernelscape::tuner
