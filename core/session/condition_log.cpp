#include "core/session/condition_log.h"

#include <algorithm>
#include <span>
#include <utility>

namespace kernelscape::session {
namespace {

constexpr double condition_interval_seconds = 1;
constexpr std::ptrdiff_t kept_readings = 600;  ///< ten minutes are enough to say what is usual

}  // namespace

void ConditionLog::add(double now_seconds, std::int64_t row, measure::MachineConditions conditions,
                       bool slow) {
  if (!slow && std::ssize(readings_) >= 2 * kept_readings) {
    rows_.erase(rows_.begin(), rows_.begin() + kept_readings);
    readings_.erase(readings_.begin(), readings_.begin() + kept_readings);
  }
  next_seconds_ = now_seconds + condition_interval_seconds;
  rows_.push_back(row);
  readings_.push_back(std::move(conditions));
}

std::string ConditionLog::explain(const trial::SlowPhase& phase, std::int64_t usual_from) const {
  const auto first_of = [&](std::int64_t row) {
    return static_cast<std::size_t>(std::ranges::lower_bound(rows_, row) - rows_.begin());
  };
  const std::size_t usual = first_of(usual_from);
  const std::size_t begin = std::max(usual, first_of(phase.first_row));
  const std::size_t end = std::max(begin, first_of(phase.last_row + 1));
  const std::span<const measure::MachineConditions> all(readings_);
  const std::optional<std::string> causes =
      measure::explain_slowness(all.subspan(usual, begin - usual), all.subspan(begin, end - begin));
  if (!causes) return {};
  return causes->empty() ? "the system reports no cause" : *causes;
}

}  // namespace kernelscape::session
