#pragma once

#include <span>
#include <vector>

#include "core/trial/trial.h"
#include "core/tuner/visited.h"

namespace kernelscape {

/** A generation of candidates, handed out in pieces, and what was observed of it. */
class Generation {
 public:
  Generation() = default;
  explicit Generation(std::vector<Configuration> candidates) : candidates_(std::move(candidates)) {}

  /** The next candidates, at most n; empty when all were handed out. */
  std::vector<Configuration> take(std::size_t n);

  /** The number in the generation of the candidate at `position` of the last piece. */
  std::size_t number_of(std::size_t position) const { return piece_begin_ + position; }
  /** All candidates were handed out; not all need to be observed. */
  bool exhausted() const { return taken_ == candidates_.size(); }

  /** Trials of the pieces handed out, in their order. */
  void observe(std::span<const Observation> observations) {
    observed_.insert(observed_.end(), observations.begin(), observations.end());
  }
  /** In the order of the candidates: complete once all were handed out and observed. */
  const std::vector<Observation>& observed() const { return observed_; }

 private:
  std::vector<Configuration> candidates_;
  std::vector<Observation> observed_;
  std::size_t piece_begin_ = 0;
  std::size_t taken_ = 0;
};

/** The next candidates of a generation, at most n, or why there are none. */
Proposal next_proposal(Generation& generation, std::size_t n, const Visited& visited);

/** The valid members among the history's trials, best first, each once, at most `count`: where a warm start
 * begins. */
std::vector<Configuration> best_of_history(const SearchSpace& space, std::span<const Observation> history,
                                           std::size_t count);

/**
 * Takes the first candidates of an evolutionary search: up to half of them the best of the history, the
 * others random. Fewer where the space has fewer.
 */
std::vector<Configuration> initial_population(const TunerContext& context, Visited& visited,
                                              std::size_t size);

}  // namespace kernelscape
