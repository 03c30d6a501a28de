#pragma once

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/order_statistics.h"
#include "core/store/store.h"
#include "tests/benchmarks/benchmark_support.h"
#include "tests/benchmarks/drift/driven_session.h"
#include "tests/benchmarks/tuning_runs.h"

/** What a session says about its numbers and its machine, as JSON for the file of results. */
namespace kernelscape::drift {

using tuning_runs::number;

constexpr double detectable_seconds = 5;    ///< phases longer than this have to be found
constexpr double noticed_wait_seconds = 1;  ///< a session that waits so long has noticed a phase

/** A slow phase that the session reports, by trial numbers. */
struct ReportedPhase {
  std::int64_t first_trial = 0;
  std::int64_t last_trial = 0;
};

/** Reads the phases from the field `slow_phases` of the summary, else from its notices; none: a program of
 * before. */
inline std::vector<ReportedPhase> reported_phases(const Json& summary) {
  std::vector<ReportedPhase> phases;
  if (const auto listed = summary.find("slow_phases"); listed != summary.end() && listed->is_array()) {
    for (const Json& phase : *listed)
      phases.push_back(
          {phase.value("first_trial", std::int64_t{0}), phase.value("last_trial", std::int64_t{0})});
    return phases;
  }
  static const std::regex sentence(R"(trials? (\d+)(?: to (\d+))?: the machine ran at [0-9.]+ of its speed)");
  for (const Json& notice : summary.value("notices", Json::array())) {
    const std::string text = tuning_runs::text(notice, "text");
    std::smatch match;
    if (!std::regex_search(text, match, sentence)) continue;
    const std::int64_t first = std::stoll(match[1]);
    phases.push_back({first, match[2].matched ? std::stoll(match[2]) : first});
  }
  return phases;
}

/** Returns true if the session says that its best value is not that of the machine's usual speed. */
inline bool marked(const Json& summary) {
  const Json best = summary.value("best", Json());
  if (!best.is_object() || !best.value("confirmed", false)) return true;
  // "confirmed" alone is no mark: the value was confirmed at the usual speed.
  const std::string mark = tuning_runs::text(best, "mark");
  if (!mark.empty() && mark != "confirmed") return true;
  constexpr double usual = 0.97;
  const double speed = number(best, "machine_speed");
  return speed > 0 && speed < usual;
}

/** When the trials of a reported phase were measured: from the arrival before to the arrival after them. */
struct PhaseTime {
  double begin_seconds = 0;
  double end_seconds = 0;
};

inline PhaseTime time_of(const ReportedPhase& phase, const DrivenSession& session) {
  PhaseTime time{0, session.wall_seconds};
  for (const ArrivedTrial& trial : session.trials) {
    const std::int64_t trial_number = trial.event.value("trial", std::int64_t{-1});
    if (trial_number < phase.first_trial) time.begin_seconds = std::max(time.begin_seconds, trial.seconds);
    if (trial_number > phase.last_trial) time.end_seconds = std::min(time.end_seconds, trial.seconds);
  }
  return time;
}

inline double overlap_seconds(const AppliedPhase& applied, double begin, double end) {
  return std::min(applied.end_seconds, end) - std::max(applied.begin_seconds, begin);
}

/**
 * Returns how long the session waited for the machine between the arrivals of trials around and within a
 * phase: the wall time that the session's clock, which stands while it waits, does not have.
 */
inline double waited_seconds(const AppliedPhase& applied, const DrivenSession& session) {
  double waited = 0;
  for (std::size_t i = 1; i < session.trials.size(); ++i) {
    const ArrivedTrial& before = session.trials[i - 1];
    const ArrivedTrial& after = session.trials[i];
    if (overlap_seconds(applied, before.seconds, after.seconds) <= 0) continue;
    const double worked = number(after.event, "finished_seconds") - number(before.event, "finished_seconds");
    waited += std::max(0.0, after.seconds - before.seconds - worked);
  }
  return waited;
}

/**
 * Adds how many phases there were to find, how many of them were found, and how many reports were wrong. A
 * phase is found that is reported, or during which the session waited: then none of its trials is slow.
 */
inline void add_phase_facts(const DrivenSession& session, Json& facts) {
  const std::vector<ReportedPhase> reported = reported_phases(session.summary);
  const double first = session.trials.empty() ? 0 : session.trials.front().seconds;
  const double last = session.trials.empty() ? 0 : session.trials.back().seconds;
  int to_find = 0;
  int found = 0;
  int wrong = 0;
  for (const AppliedPhase& applied : session.phases) {
    if (overlap_seconds(applied, first, last) < detectable_seconds) continue;
    ++to_find;
    const bool is_reported = std::ranges::any_of(reported, [&](const ReportedPhase& phase) {
      const PhaseTime time = time_of(phase, session);
      return overlap_seconds(applied, time.begin_seconds, time.end_seconds) > 0;
    });
    found += is_reported || waited_seconds(applied, session) >= noticed_wait_seconds ? 1 : 0;
  }
  for (const ReportedPhase& phase : reported) {
    const PhaseTime time = time_of(phase, session);
    wrong += std::ranges::none_of(session.phases, [&](const AppliedPhase& applied) {
      return overlap_seconds(applied, time.begin_seconds, time.end_seconds) > 0;
    });
  }
  facts["phases_to_find"] = to_find;
  facts["phases_found"] = found;
  facts["false_alarms"] = wrong;
  facts["reported_phases"] = reported.size();
}

/** Adds how many trials came per second inside and outside of the phases: what the disturbance did. */
inline void add_rates(const DrivenSession& session, Json& facts) {
  if (session.trials.size() < 2) return;
  const double first = session.trials.front().seconds;
  const double last = session.trials.back().seconds;
  double inside = 0;
  for (const AppliedPhase& phase : session.phases)
    inside += std::max(0.0, overlap_seconds(phase, first, last));
  const auto in_phase = [&](const ArrivedTrial& trial) {
    return std::ranges::any_of(session.phases, [&](const AppliedPhase& phase) {
      return trial.seconds >= phase.begin_seconds && trial.seconds < phase.end_seconds;
    });
  };
  const auto count = std::ranges::count_if(session.trials, in_phase);
  const auto others = static_cast<std::ptrdiff_t>(session.trials.size()) - count;
  facts["disturbed_share"] = inside / (last - first);
  if (inside > 0 && last - first > inside && others > 0)
    facts["rate_in_phases"] =
        static_cast<double>(count) / inside / (static_cast<double>(others) / (last - first - inside));
}

/** The time of the probes around all trials; one between two trials counts once. 0: the program has no probe.
 */
inline double probe_seconds(const DrivenSession& session) {
  double total = 0;
  double last = 0;
  for (const ArrivedTrial& trial : session.trials) {
    const auto both = [&](const char* when) {
      return number(trial.event, fmt::format("compute_probe_{}_seconds", when).c_str()) +
             number(trial.event, fmt::format("memory_probe_{}_seconds", when).c_str());
    };
    const double before = both("before");
    const double after = both("after");
    total += after + (before == last ? 0 : before);
    last = after > 0 ? after : before;  // short trials have no reading after them
  }
  return total;
}

/** Adds the confirmed configurations with the 95 % intervals of their medians. */
inline void add_confirmed(const DrivenSession& session, const std::string& database, Json& facts) {
  std::map<std::int64_t, Json> configurations;
  for (const ArrivedTrial& trial : session.trials)
    configurations[trial.event.value("trial", std::int64_t{-1})] = trial.event.value("configuration", Json());
  const store::Store store = value_or_stop(store::Store::open(database, store::OpenMode::ReadOnly));
  std::map<std::int64_t, std::vector<double>> samples;
  for (trial::Confirmation& stored :
       value_or_stop(store.confirmations().of(session.summary.value("session", store::SessionId{0}))))
    samples[stored.trial] = std::move(stored.samples_seconds);
  Json list = Json::array();
  for (const Json& confirmed : session.summary.value("confirmed", Json::array())) {
    const std::int64_t trial = confirmed.value("trial", std::int64_t{-1});
    const auto found = samples.find(trial);
    if (found == samples.end() || !configurations.contains(trial)) continue;
    const std::optional<analysis::MedianInterval> interval = analysis::median_interval(found->second);
    if (interval)
      list.push_back(
          {{"configuration", configurations[trial]}, {"low", interval->low}, {"high", interval->high}});
  }
  facts["confirmed"] = std::move(list);
}

/** Returns all facts of a session for the file of results; null if the session has no best kernel. */
inline Json facts_of(const DrivenSession& session, const std::string& database) {
  if (!session.summary.is_object()) return {};
  const Json best = session.summary.value("best", Json());
  if (!best.is_object()) return {};
  const Json time = session.summary.value("time", Json::object());
  Json facts = {{"wall_seconds", session.wall_seconds},
                {"session_seconds", number(time, "session_seconds")},
                {"run_seconds", number(time, "run_seconds")},
                {"trials", session.trials.size()},
                {"headline_seconds", number(best, "median_seconds")},
                {"configuration", best.value("configuration", Json())},
                {"marked", marked(session.summary)},
                {"probe_seconds", probe_seconds(session)}};
  add_phase_facts(session, facts);
  add_rates(session, facts);
  add_confirmed(session, database, facts);
  return facts;
}

}  // namespace kernelscape::drift
