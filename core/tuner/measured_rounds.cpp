#include "core/tuner/measured_rounds.h"

#include <algorithm>
#include <unordered_set>

#include "core/tuner/population.h"

namespace kernelscape::tuner {
namespace {

/// Maximum number of trials of the history that searches begin with.
constexpr std::size_t max_history_starts = 64;

}  // namespace

MeasuredRounds::MeasuredRounds(const Context& context, int idle_rounds)
    : space_(context.space),
      random_(context.random.fork("search")),
      idle_rounds_(idle_rounds),
      visited_(context.space, context.random.fork("random members")),
      history_(best_of_history(context.space, context.history, max_history_starts)) {
  std::ranges::reverse(history_);
}

Result<Proposal> MeasuredRounds::propose(std::size_t n) {
  for (int idle_rounds = 0;; ++idle_rounds) {
    read_known();
    if (read_.size() < round_.size()) break;
    begin_round(idle_rounds);
    if (round_.empty()) return visited_.finished();
  }
  std::vector<space::Configuration> candidates = next_unknown(n);
  for (const space::Configuration& candidate : candidates) visited_.insert(candidate);
  return candidates;
}

void MeasuredRounds::observe(std::span<const trial::Observation> observations) {
  for (const trial::Observation& observation : observations)
    known_.insert_or_assign(observation.configuration, observation);
}

std::vector<trial::SeriesValue> MeasuredRounds::series(std::size_t /*position*/) const {
  std::vector<trial::SeriesValue> values;
  drawn_.report(values);
  return values;
}

bool MeasuredRounds::decides(const trial::Observation& /*observation*/) const { return false; }

std::vector<space::Configuration> MeasuredRounds::take_fresh(std::size_t count) {
  std::vector<space::Configuration> fresh;
  while (!history_.empty() && fresh.size() < std::max<std::size_t>(1, count / 2)) {
    if (visited_.insert(history_.back())) fresh.push_back(history_.back());
    history_.pop_back();
  }
  visited_.fill(fresh, count);
  return fresh;
}

/** Reads the round up to the first configuration that has to be measured, or that decides the round. */
void MeasuredRounds::read_known() {
  while (read_.size() < round_.size()) {
    const space::Configuration& configuration = round_[read_.size()];
    if (const auto known = known_.find(configuration); known != known_.end()) {
      read_.push_back(known->second);
    } else if (!space_.contains(configuration)) {
      read_.push_back({configuration, 0, trial::ErrorCategory::InstantiationError});
    } else {
      return;
    }
    if (decides(read_.back())) round_.resize(read_.size());
  }
}

void MeasuredRounds::begin_round(int idle_rounds) {
  const bool finished_one = !read_.empty();
  if (finished_one) finish_round(read_);
  read_.clear();
  round_.clear();
  drawn_ = {};
  if (finished_one && idle_rounds < idle_rounds_) round_ = next_round();
  if (round_.empty()) {
    round_ = start_round();
    return;
  }
  for (const space::Configuration& configuration : round_) drawn_.count(space_.contains(configuration));
}

/** Returns the next members of the round that have to be measured, each once. */
std::vector<space::Configuration> MeasuredRounds::next_unknown(std::size_t n) const {
  std::vector<space::Configuration> unknown;
  std::unordered_set<space::Configuration> taken;
  for (std::size_t i = read_.size(); i < round_.size() && unknown.size() < n; ++i) {
    const space::Configuration& configuration = round_[i];
    if (known_.contains(configuration) || !space_.contains(configuration)) continue;
    if (taken.insert(configuration).second) unknown.push_back(configuration);
  }
  return unknown;
}

}  // namespace kernelscape::tuner
