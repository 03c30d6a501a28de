#include "core/session/collect_results.h"

#include <chrono>
#include <string>
#include <utility>

namespace kernelscape::session {

Result<std::vector<measure::Completed>> collect_results(const RunningSession& session,
                                                        measure::Measurer& measurer, Accounting& accounting) {
  constexpr std::chrono::milliseconds patience{100};
  Result<std::vector<measure::Completed>> completed = measurer.collect(patience);
  accounting.charge(measurer.take_busy_times());
  for (std::string& notice : measurer.take_notices())
    session.observer.message({MessageKind::Problem, std::move(notice)});
  return completed;
}

}  // namespace kernelscape::session
