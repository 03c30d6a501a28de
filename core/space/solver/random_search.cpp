#include "core/space/solver/random_search.h"

#include <algorithm>
#include <numeric>

namespace kernelscape::space {
namespace {

constexpr std::uint64_t first_attempt_nodes = 256;

std::unique_ptr<SolverSpace> copy_of(const SolverSpace& space) {
  return std::unique_ptr<SolverSpace>(static_cast<SolverSpace*>(space.clone()));
}

}  // namespace

RandomSearch::RandomSearch(std::unique_ptr<SolverSpace> start, const SolverHints& hints, base::Random random)
    : hints_(static_cast<std::size_t>(start->knobs.size()), -1),
      random_(std::move(random)),
      propagations_(start->propagations) {
  for (std::size_t knob = 0; knob < std::min(hints.size(), hints_.size()); ++knob)
    if (hints[knob] && representable(*hints[knob])) hints_[knob] = static_cast<int>(*hints[knob]);
  kept_.push_back({0, std::move(start)});
}

Solution RandomSearch::run(std::uint64_t nodes) {
  // An attempt needs a node for every knob, if all goes well.
  std::uint64_t of_attempt = first_attempt_nodes + hints_.size();
  for (; nodes > 0 && propagations_ > 0; of_attempt *= 2) {
    const std::uint64_t allowed = std::min(of_attempt, nodes);
    std::uint64_t left = allowed;
    shuffle_knobs();
    const End end = attempt(left);
    if (end != End::NodeLimit) return solution_of(end);
    nodes -= allowed;
  }
  return NoSolution::NodeLimit;
}

Solution RandomSearch::run_in_order(std::uint64_t& nodes) {
  in_order_ = true;
  order_.resize(hints_.size());
  std::iota(order_.rbegin(), order_.rend(), 0);
  return solution_of(attempt(nodes));
}

Solution RandomSearch::solution_of(End end) const {
  if (end == End::Proven) return NoSolution::Proven;
  if (end == End::NodeLimit) return NoSolution::NodeLimit;
  Configuration found;
  for (const Gecode::IntVar& index : current_->knobs)
    found.indices.push_back(static_cast<std::uint32_t>(index.val()));
  return found;
}

void RandomSearch::shuffle_knobs() {
  order_.resize(hints_.size());
  std::iota(order_.begin(), order_.end(), 0);
  random_.shuffle(std::span(order_));
  std::ranges::stable_partition(order_,
                                [this](int knob) { return hints_[static_cast<std::size_t>(knob)] >= 0; });
}

RandomSearch::End RandomSearch::attempt(std::uint64_t& nodes) {
  decisions_.clear();
  kept_.resize(1);
  current_ = copy_of(*kept_.front().space);
  const auto open = [this](int knob) { return !current_->knobs[knob].assigned(); };
  for (;; --nodes) {
    const auto knob = std::ranges::find_if(order_, open);
    if (knob == order_.end()) return End::Found;
    if (nodes == 0) return End::NodeLimit;
    decisions_.push_back({*knob, choose_value(*knob), true});
    decide(decisions_.back());
    if (!propagate() && !step_back()) return propagations_ > 0 ? End::Proven : End::NodeLimit;
  }
}

bool RandomSearch::propagate() {
  current_->propagations = propagations_;
  const bool consistent = current_->propagate();
  propagations_ = current_->propagations;
  return consistent;
}

bool RandomSearch::step_back() {
  do {
    if (propagations_ == 0) return false;
    while (!decisions_.empty() && !decisions_.back().given) decisions_.pop_back();
    if (decisions_.empty()) return false;
    decisions_.back().given = false;
    rebuild();
  } while (!propagate());
  // A knob that loses one value after the other needs the last of these spaces alone.
  if (kept_.size() > 1 && kept_.back().decisions + 1 == decisions_.size()) kept_.pop_back();
  kept_.push_back({decisions_.size(), copy_of(*current_)});
  return true;
}

/** Rebuilds the current space from the last space kept before the changed decision. */
void RandomSearch::rebuild() {
  while (kept_.back().decisions >= decisions_.size()) kept_.pop_back();
  current_ = copy_of(*kept_.back().space);
  for (std::size_t i = kept_.back().decisions; i < decisions_.size(); ++i) decide(decisions_[i]);
}

void RandomSearch::decide(const Decision& decision) {
  Gecode::rel(*current_, current_->knobs[decision.knob], decision.given ? Gecode::IRT_EQ : Gecode::IRT_NQ,
              decision.value);
}

int RandomSearch::choose_value(int knob) {
  const Gecode::IntVar& index = current_->knobs[knob];
  if (in_order_) return index.min();
  const int hint = hints_[static_cast<std::size_t>(knob)];
  if (hint >= 0 && index.in(hint)) return hint;
  auto skipped = static_cast<unsigned>(random_.below(index.size()));
  for (Gecode::IntVarRanges range(index); range(); ++range) {
    if (skipped < range.width()) return range.min() + static_cast<int>(skipped);
    skipped -= range.width();
  }
  return index.min();
}

}  // namespace kernelscape::space
