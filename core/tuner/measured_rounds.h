#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "core/tuner/tuner.h"
#include "core/tuner/visited.h"

namespace kernelscape::tuner {

/**
 * Base of tuners whose algorithm asks for the fitness of configurations round by round, such as a generation
 * or a neighbourhood, and may ask for one again. A configuration is measured once: later its fitness is known
 * and costs no trial, as in Kernel Tuner. One outside of the space counts as failed, with fitness 0, and is
 * not measured. A search that ends, or needs nothing new for many rounds, begins again with unvisited
 * members, until the whole space was visited.
 */
class MeasuredRounds : public Tuner {
 public:
  Result<Proposal> propose(std::size_t n) final;
  void observe(std::span<const trial::Observation> observations) final;
  std::vector<trial::SeriesValue> series(std::size_t position) const override;

 protected:
  /**
   * @param idle_rounds number of consecutive rounds without a new configuration after which the search begins
   * again
   */
  explicit MeasuredRounds(const Context& context, int idle_rounds = 100);

  /**
   * Begins the search, or begins it again. Returns the first round, of members from take_fresh(); empty if
   * there are none.
   */
  virtual std::vector<space::Configuration> start_round() = 0;
  /** Returns the next round, of any configurations; empty if the search has ended. */
  virtual std::vector<space::Configuration> next_round() = 0;
  /**
   * Learns a round, in its order, before the next begins. The round ends with the observation that decided
   * it, or is complete.
   */
  virtual void finish_round(std::span<const trial::Observation> round) = 0;
  /**
   * Returns true if the rest of the round is not needed. Called in the order of the round, after each batch,
   * so that some of the rest may have been measured with it. Not to be used in the first round.
   */
  virtual bool decides(const trial::Observation& observation) const;

  /** Takes unvisited members: at first up to half of them, or one, are the best of the history. */
  std::vector<space::Configuration> take_fresh(std::size_t count);

  const space::SearchSpace& space() const { return space_; }  ///< as in the context
  base::Random& random() { return random_; }                  ///< for the decisions of the search

 private:
  void read_known();
  void begin_round(int idle_rounds);
  std::vector<space::Configuration> next_unknown(std::size_t n) const;

  space::SearchSpace space_;
  base::Random random_;
  int idle_rounds_;
  Visited visited_;
  std::vector<space::Configuration> history_;  ///< the best of the history, the best last
  std::unordered_map<space::Configuration, trial::Observation> known_;
  std::vector<space::Configuration> round_;
  std::vector<trial::Observation> read_;  ///< observations of the first configurations of the round
  DrawnChildren drawn_;                   ///< of the round; none in a first round
};

}  // namespace kernelscape::tuner
