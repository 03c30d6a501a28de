#include "core/tuner/auc_credit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>

namespace kernelscape::tuner {

AucCredit::AucCredit(std::size_t arms, std::size_t window, double exploration)
    : arms_(arms), window_(window), exploration_(exploration) {}

void AucCredit::add(std::size_t arm, bool new_best) {
  results_.emplace_back(arm, new_best);
  if (results_.size() > window_) results_.pop_front();
}

double AucCredit::area(std::size_t arm) const {
  double sum = 0;
  double uses = 0;
  for (const auto& [used, new_best] : results_) {
    if (used != arm) continue;
    ++uses;
    if (new_best) sum += uses;
  }
  return uses > 0 ? 2 * sum / (uses * (uses + 1)) : 0;
}

double AucCredit::score(std::size_t arm) const {
  const auto uses = std::ranges::count(results_, arm, &std::pair<std::size_t, bool>::first);
  if (uses == 0) return std::numeric_limits<double>::infinity();
  const double results = static_cast<double>(results_.size());
  return area(arm) + exploration_ * std::sqrt(2 * std::log2(results) / static_cast<double>(uses));
}

std::vector<std::size_t> AucCredit::order(base::Random& random) const {
  std::vector<std::size_t> arms(arms_);
  std::iota(arms.begin(), arms.end(), std::size_t{0});
  random.shuffle(std::span(arms));
  std::vector<double> scores(arms_);
  for (std::size_t arm = 0; arm < arms_; ++arm) scores[arm] = score(arm);
  std::ranges::stable_sort(arms, std::greater{}, [&](std::size_t arm) { return scores[arm]; });
  return arms;
}

}  // namespace kernelscape::tuner
