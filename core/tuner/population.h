#pragma once

#include <span>
#include <vector>

#include "core/trial/trial.h"
#include "core/tuner/visited.h"

namespace kernelscape::tuner {

/** A generation of candidates that is taken in pieces, and the observations of its candidates. */
class Generation {
 public:
  Generation() = default;
  explicit Generation(std::vector<space::Configuration> candidates) : candidates_(std::move(candidates)) {}

  /** Returns the next candidates, at most n; empty when all were taken. */
  std::vector<space::Configuration> take(std::size_t n);

  /** Returns the number in the generation of the candidate at `position` of the last piece. */
  std::size_t number_of(std::size_t position) const { return piece_begin_ + position; }
  /** Returns true if all candidates were taken; not all need to be observed. */
  bool exhausted() const { return taken_ == candidates_.size(); }

  /** Adds the trials of the pieces taken, in their order. */
  void observe(std::span<const trial::Observation> observations) {
    observed_.insert(observed_.end(), observations.begin(), observations.end());
  }
  /**
   * Returns the observations in the order of the candidates; complete once all candidates were taken and
   * observed.
   */
  const std::vector<trial::Observation>& observed() const { return observed_; }

 private:
  std::vector<space::Configuration> candidates_;
  std::vector<trial::Observation> observed_;
  std::size_t piece_begin_ = 0;
  std::size_t taken_ = 0;
};

/** Returns the next candidates of a generation, at most n, or the reason why there are none. */
Proposal next_proposal(Generation& generation, std::size_t n, const Visited& visited);

/**
 * Returns the valid members among the history's trials, best first, each once, at most `count`: the start of
 * a warm start.
 */
std::vector<space::Configuration> best_of_history(const space::SearchSpace& space,
                                                  std::span<const trial::Observation> history,
                                                  std::size_t count);

/**
 * Takes the first candidates of an evolutionary search: up to half of them the best of the history, the
 * others random. Returns fewer if the space has fewer.
 */
std::vector<space::Configuration> initial_population(const Context& context, Visited& visited,
                                                     std::size_t size);

}  // namespace kernelscape::tuner
