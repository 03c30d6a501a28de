#pragma once

#include <QTest>
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/tuner/tuner.h"

namespace kernelscape::tuner_fixture {

inline std::uint64_t printed_seed() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return seed;
}

inline space::Knob numbers(std::string name, std::int64_t count) {
  std::vector<space::KnobValue> values;
  for (std::int64_t i = 0; i < count; ++i) values.emplace_back(i);
  return *space::Knob::ordinal(std::move(name), std::move(values));
}

inline std::vector<space::Knob> knobs(const std::vector<std::int64_t>& counts) {
  std::vector<space::Knob> result;
  for (const std::int64_t count : counts)
    result.push_back(numbers("knob" + std::to_string(result.size()), count));
  return result;
}

inline space::SearchSpace plain_space(const std::vector<std::int64_t>& counts) {
  return *space::SearchSpace::make(knobs(counts));
}

/**
 * Factorizations of powers of two into two parts. Their neighbours are those of ordinals: the next values.
 * @param counts of values, 1 to 41 each; value i is [2^(count - 1 - i), 2^i]
 */
inline std::vector<space::Knob> two_part_knobs(const std::vector<std::int64_t>& counts) {
  std::vector<space::Knob> result;
  for (const std::int64_t count : counts) {
    const std::int64_t product = std::int64_t{1} << (count - 1);
    result.push_back(*space::Knob::factorization("tile" + std::to_string(result.size()), product, 2));
  }
  return result;
}

inline space::SearchSpace two_part_space(const std::vector<std::int64_t>& counts) {
  return *space::SearchSpace::make(two_part_knobs(counts));
}

/** Members: the sum of the knobs' first elements is at most `bound`. */
inline space::SearchSpace bounded_sum_space(const std::vector<space::Knob>& knobs, std::int64_t bound) {
  space::ConstraintSystem constraints;
  space::SumConstraint sum{};
  for (std::uint32_t knob = 0; knob < knobs.size(); ++knob) {
    sum.terms.push_back(constraints.add_element(knobs[knob].name(), knob, 0));
  }
  sum.result = constraints.add_derived("sum");
  const space::VariableId limit = constraints.add_constant("bound", bound);
  const space::VariableId result = sum.result;
  constraints.add({sum, "the sum"});
  constraints.add({space::LeConstraint{result, limit}, "the sum's bound"});
  return *space::SearchSpace::make(knobs, constraints);
}

/** Members: the sum of the knobs' values is at most `bound`. */
inline space::SearchSpace sum_space(const std::vector<std::int64_t>& counts, std::int64_t bound) {
  return bounded_sum_space(knobs(counts), bound);
}

/** Five members far from each other. */
inline space::SearchSpace explicit_space(const std::vector<space::Knob>& knobs) {
  return *space::SearchSpace::make_explicit(
      knobs, {{{0, 0, 0}}, {{6, 4, 8}}, {{3, 2, 1}}, {{3, 2, 2}}, {{1, 0, 7}}});
}

inline std::vector<space::Configuration> all_members(const space::SearchSpace& space) {
  std::vector<space::Configuration> members;
  for (base::uint128 index = 0; index < space.size(); ++index) {
    space::Configuration configuration = space.at(index);
    if (space.contains(configuration)) members.push_back(std::move(configuration));
  }
  return members;
}

/** Expects of a configuration what it was told to, and counts what it was asked. */
class ToldPredictor final : public space::PerformancePredictor {
 public:
  explicit ToldPredictor(std::function<double(const space::Configuration&)> fitness)
      : fitness_(std::move(fitness)) {}

  Result<std::vector<float>> predict(std::span<const space::Configuration> configurations) const override {
    std::vector<float> predictions;
    for (const space::Configuration& configuration : configurations) {
      asked.insert(configuration);
      predictions.push_back(static_cast<float>(fitness_(configuration)));
    }
    return predictions;
  }
  const std::string& text() const override { return text_; }

  mutable std::set<space::Configuration> asked;

 private:
  std::function<double(const space::Configuration&)> fitness_;
  std::string text_ = "told 0123456789ab";
};

/** Fitness that depends on every knob, a tenth of it errors. */
inline double rough_fitness(const space::Configuration& configuration) {
  const std::size_t hash = std::hash<space::Configuration>{}(configuration);
  return hash % 10 == 0 ? 0 : static_cast<double>(hash % 1000);
}

/** A tuner with a predictor has a rough one, and goes on after its round as all others do. */
inline tuner::Context make_context(const std::string& tuner, const space::SearchSpace& space,
                                   std::uint64_t seed, std::map<std::string, std::string> settings = {}) {
  const tuner::Declaration& declaration = **tuner::find_tuner(tuner);
  if (declaration.uses_predictor) settings.emplace("refit", "true");
  tuner::Context context{.space = space,
                         .task = {},
                         .features = {},
                         .history = {},
                         .trial_budget = 0,
                         .settings = *tuner::parse_settings(declaration, settings),
                         .random = base::Random(seed)};
  if (declaration.uses_predictor) {
    context.predictor = std::make_shared<ToldPredictor>(
        [](const space::Configuration& one) { return 1 + rough_fitness(one); });
  }
  return context;
}

/** Whether a tuner refuses all knobs but factorizations. */
inline bool needs_factorizations(const std::string& tuner) {
  const tuner::Declaration& declaration = **tuner::find_tuner(tuner);
  return declaration.fits && !declaration.fits(make_context(tuner, plain_space({2, 2}), 1));
}

inline std::unique_ptr<tuner::Tuner> make_tuner(const std::string& name, tuner::Context context) {
  return std::move(*(*tuner::find_tuner(name))->make(std::move(context)));
}

/** Candidates of a tuner that has some. */
inline std::vector<space::Configuration> propose(tuner::Tuner& tuner, std::size_t n) {
  auto proposal = tuner.propose(n);
  if (!proposal) throw std::runtime_error(proposal.error().message);
  return std::get<std::vector<space::Configuration>>(std::move(*proposal));
}

using Fitness = std::function<double(const space::Configuration&)>;

inline std::vector<trial::Observation> measure(const std::vector<space::Configuration>& candidates,
                                               const Fitness& fitness) {
  std::vector<trial::Observation> observations;
  for (const space::Configuration& candidate : candidates) {
    const double value = fitness(candidate);
    observations.push_back(
        {candidate, value,
         value > 0 ? trial::ErrorCategory::NoError : trial::ErrorCategory::InstantiationError});
  }
  return observations;
}

/** The candidates of a tuner until it finishes or `trials` were measured. */
inline std::vector<space::Configuration> run_tuner(tuner::Tuner& tuner, const Fitness& fitness,
                                                   std::size_t trials,
                                                   const std::function<std::size_t()>& batch) {
  std::vector<space::Configuration> all;
  while (all.size() < trials) {
    const std::size_t n = std::min(batch(), trials - all.size());
    const auto proposal = tuner.propose(n);
    if (!proposal) throw std::runtime_error(proposal.error().message);
    if (std::holds_alternative<tuner::Finished>(*proposal)) break;
    const auto& candidates = std::get<std::vector<space::Configuration>>(*proposal);
    if (candidates.empty() || candidates.size() > n) throw std::runtime_error("not 1..n candidates");
    all.insert(all.end(), candidates.begin(), candidates.end());
    tuner.observe(measure(candidates, fitness));
  }
  return all;
}

inline std::function<std::size_t()> always(std::size_t n) {
  return [n] { return n; };
}

inline std::size_t differing_knobs(const space::Configuration& a, const space::Configuration& b) {
  std::size_t differing = 0;
  for (std::size_t knob = 0; knob < a.indices.size(); ++knob) {
    if (a.indices[knob] != b.indices[knob]) ++differing;
  }
  return differing;
}

/** All members one prime factor's move away, each found by what its factors are. */
inline std::set<space::Configuration> one_move_away(const space::SearchSpace& space,
                                                    const space::Configuration& from) {
  const auto is_move = [](std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
    std::vector<std::int64_t> ratios;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] != b[i]) ratios.push_back(a[i] > b[i] ? a[i] / b[i] : b[i] / a[i]);
      if (std::max(a[i], b[i]) % std::min(a[i], b[i]) != 0) return false;
    }
    const auto is_prime = [](std::int64_t number) {
      for (std::int64_t divisor = 2; divisor < number; ++divisor)
        if (number % divisor == 0) return false;
      return true;
    };
    return ratios.size() == 2 && ratios[0] == ratios[1] && is_prime(ratios[0]);
  };
  std::set<space::Configuration> found;
  for (std::size_t knob = 0; knob < space.knobs().size(); ++knob) {
    space::Configuration to = from;
    for (std::uint32_t index = 0; index < space.knobs()[knob].count(); ++index) {
      to.indices[knob] = index;
      if (space.contains(to) &&
          is_move(space.knobs()[knob].row(from.indices[knob]), space.knobs()[knob].row(index)))
        found.insert(to);
    }
  }
  return found;
}

/** Genes in which a child differs from the most similar single-point crossover of two different parents. */
inline std::size_t genes_beyond_crossover(const space::Configuration& child,
                                          const std::vector<space::Configuration>& parents) {
  std::size_t least = child.indices.size();
  for (const space::Configuration& first : parents) {
    for (const space::Configuration& second : parents) {
      if (first == second) continue;
      for (std::size_t point = 0; point < child.indices.size(); ++point) {
        space::Configuration expected = second;
        std::copy_n(first.indices.begin(), point, expected.indices.begin());
        least = std::min(least, differing_knobs(child, expected));
      }
    }
  }
  return least;
}

}  // namespace kernelscape::tuner_fixture
