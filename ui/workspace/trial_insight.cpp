#include "ui/workspace/trial_insight.h"

#include "core/session/insight.h"
#include "core/session/trial_roofline.h"
#include "core/store/store.h"

namespace kernelscape::workspace {
namespace {

constexpr double insight_timeout_seconds = 30;

std::optional<trial::CounterReading> stored_counters(const std::filesystem::path& database,
                                                     store::SessionId session, std::int64_t trial) {
  const Result<store::Store> store = store::Store::open(database, store::OpenMode::ReadOnly);
  if (!store) return std::nullopt;
  const Result<std::optional<std::string>> json =
      store->trials().insight(session, trial, session::counters_kind);
  if (!json || !*json) return std::nullopt;
  Result<trial::CounterReading> reading = trial::counter_reading_from_json(**json);
  if (!reading) return std::nullopt;
  return std::move(*reading);
}

}  // namespace

Result<TrialInsight> trial_insight(const std::filesystem::path& database, const SourceData& source,
                                   const trial::Trial& trial) {
  measure::InsightRequest request = TRY(session::insight_request_of(source.record(), trial.configuration));
  request.timeout_seconds = insight_timeout_seconds;
  TrialInsight insight;
  insight.kernel = TRY(measure::kernel_insight(request));
  insight.schedule = TRY(session::schedule_facts(source.record(), trial.configuration));
  insight.counters = stored_counters(database, source.id(), trial.number);
  return insight;
}

}  // namespace kernelscape::workspace
