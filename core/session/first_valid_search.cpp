#include "core/session/first_valid_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/numbers.h"
#include "core/measure/interruption.h"
#include "core/session/collect_results.h"
#include "core/session/program_run.h"
#include "core/session/stop_request.h"
#include "core/session/time_limits.h"
#include "core/space/member_search.h"

namespace kernelscape::session {
namespace {

// Limits of the search for the first valid configuration: members, and failed probes.
constexpr std::size_t max_members = 1024;
constexpr std::size_t max_probed_failures = 64;
constexpr std::size_t probes_at_once = 8;

/** Time for a probe to be checked, warmed up and timed once where it is a hundred times slower than the best.
 */
double probe_timeout_seconds(double best_seconds) {
  constexpr double least = 2;
  constexpr double calls_of_the_best = 300;
  return std::max(least, calls_of_the_best * best_seconds);
}

/** Returns false for a program whose objective does not say how long its runs take. */
bool objective_is_run_time(const Setup& setup) {
  return !is_program(setup) || setup.project->program->objective.kind == project::ReadingKind::WallTime;
}

using KnownCategories = std::map<space::Configuration, trial::ErrorCategory>;

/** Facts from the session's own trials. */
struct OwnTrials {
  KnownCategories known;                            ///< of the configurations that were asked for
  std::optional<space::Configuration> first_valid;  ///< of all, in index order
};

Result<OwnTrials> own_trials(const store::Store& store, store::SessionId id, const space::SearchSpace& space,
                             std::vector<space::Configuration> wanted) {
  std::ranges::sort(wanted);
  const std::vector<store::ArrivedRow> rows = TRY(store.trials().rows(id));
  OwnTrials own;
  base::uint128 first_index = 0;
  for (const store::ArrivedRow& row : rows) {
    if (std::ranges::binary_search(wanted, row.configuration))
      own.known.emplace(row.configuration, row.category);
    if (row.category != trial::ErrorCategory::NoError || !space.contains(row.configuration)) continue;
    const base::uint128 index = space.index_of(row.configuration);
    if (own.first_valid && first_index <= index) continue;
    own.first_valid = row.configuration;
    first_index = index;
  }
  return own;
}

/**
 * Lists the members that are looked at. Where no time is left for probes it takes a second all the same: the
 * session's own trials may be among the members. Wall time, since no trial's time is in it.
 */
space::FirstMembers list_members(const space::SearchSpace& space, double max_seconds,
                                 const StopRequest& stop) {
  constexpr double min_seconds = 1;
  const measure::Deadline end = measure::deadline_after(std::max(min_seconds, max_seconds));
  return space::first_members(space, max_members,
                              [&] { return stop.level() > 0 || std::chrono::steady_clock::now() >= end; });
}

/** How far the walk came. */
struct Walk {
  std::size_t looked_at = 0;  ///< members whose validity is known, from the first on
  std::size_t failures = 0;   ///< failed probes whose kernels could be made
  std::size_t given_up = 0;   ///< among these: did not end in a probe's time, and would have had more
  bool probed = false;        ///< a member was to be measured, and there was time
};

/** A note on what was found behind probes that were given up; empty: there are none. */
std::string passed_over_text(const Walk& walk, double timeout_seconds) {
  if (walk.given_up == 0) return {};
  return fmt::format("{} before it in index order did not end within {} s and {} skipped", walk.given_up,
                     timeout_seconds, walk.given_up == 1 ? "was" : "were");
}

/** Says why no first valid configuration was found. */
std::string not_found_text(const space::FirstMembers& first, const Walk& walk, double max_seconds) {
  if (!first.in_order)
    return "the constraint solver gave up before it found the first configuration in index order";
  const bool unlisted = first.end == space::SearchEnd::Stopped && first.members.size() < max_members;
  if (unlisted && first.members.empty())
    return "the time was over before the first configuration in index order was found";
  const bool failures_left = walk.failures < max_probed_failures;
  if (walk.looked_at < first.members.size() && failures_left && !walk.probed)
    return "the budget left no time to look for the first valid configuration";
  const bool out_of_time = (unlisted || walk.looked_at < first.members.size()) && failures_left;
  return fmt::format(
      "none of the first {} configurations in index order is known to be valid{}", walk.looked_at,
      out_of_time ? fmt::format(" after {} of looking", base::duration_text(max_seconds)) : "");
}

}  // namespace

Result<FoundFirstValid> FirstValidSearch::find() {
  const double max_seconds = probing_seconds(session_.plan.budget, accounting_.session_seconds());
  const double end_seconds = accounting_.session_seconds() + max_seconds;
  const space::FirstMembers first = list_members(session_.setup.space, max_seconds, session_.stop);
  if (session_.stop.level() > 0) return fail(ErrorCode::Refused, "stopped by the user");
  // Random members have no first among them.
  const std::vector<space::Configuration> members =
      first.in_order ? first.members : std::vector<space::Configuration>();
  OwnTrials own = TRY(own_trials(session_.store, session_.id, session_.setup.space, members));
  const double timeout_seconds = probe_timeout_seconds(session_.status.best_seconds);
  const bool cheaper =
      objective_is_run_time(session_.setup) && timeout_seconds < session_.setup.options.run_timeout_seconds;
  Walk walk;
  while (walk.looked_at < members.size() && walk.failures < max_probed_failures) {
    const std::size_t next = walk.looked_at;
    if (const auto found = own.known.find(members[next]); found != own.known.end()) {
      if (found->second == trial::ErrorCategory::NoError)
        return FoundFirstValid{members[next], passed_over_text(walk, timeout_seconds)};
      ++walk.looked_at;
      continue;
    }
    if (accounting_.session_seconds() >= end_seconds) break;
    if (!std::exchange(walk.probed, true)) {
      session_.observer.message(
          {MessageKind::Step, fmt::format("looking for the first valid configuration, {} at most",
                                          base::duration_text(max_seconds))});
    }
    std::size_t end = next;
    while (end < members.size() && end - next < probes_at_once && !own.known.contains(members[end])) ++end;
    const std::span<const space::Configuration> chunk(members.data() + next, end - next);
    measurer_.set_best_seconds(session_.status.best_seconds);
    measurer_.set_run_timeout(cheaper ? timeout_seconds : 0);
    const Result<std::vector<std::optional<trial::ErrorCategory>>> probed = probe(chunk, end_seconds);
    measurer_.set_run_timeout(0);
    const std::vector<std::optional<trial::ErrorCategory>> categories = TRY(probed);
    for (const std::optional<trial::ErrorCategory>& category : categories) {
      if (!category) break;
      if (*category == trial::ErrorCategory::NoError)
        return FoundFirstValid{members[walk.looked_at], passed_over_text(walk, timeout_seconds)};
      ++walk.looked_at;
      if (*category != trial::ErrorCategory::InstantiationError) ++walk.failures;
      if (cheaper && *category == trial::ErrorCategory::RunTimeout) ++walk.given_up;
    }
  }
  std::string reason = not_found_text(first, walk, max_seconds);
  if (own.first_valid) reason += ": this is the first in that order among the session's own trials";
  return FoundFirstValid{std::move(own.first_valid), std::move(reason)};
}

Result<std::vector<std::optional<trial::ErrorCategory>>> FirstValidSearch::probe(
    std::span<const space::Configuration> configurations, double end_seconds) {
  std::vector<std::optional<trial::ErrorCategory>> categories(configurations.size());
  const auto decided = [&] {
    const auto end = std::ranges::find_if(categories, [](const auto& category) {
      return !category || *category == trial::ErrorCategory::NoError;
    });
    return end == categories.end() || end->has_value();
  };
  accounting_.begin_measuring();
  TRY(measurer_.submit(configurations));
  for (std::size_t remaining = configurations.size(); remaining > 0;) {
    const Result<std::vector<measure::Completed>> completed =
        collect_results(session_, measurer_, accounting_);
    if (!completed || session_.stop.level() > 0) {
      measurer_.abort();
      return completed ? fail(ErrorCode::Refused, "stopped by the user") : std::unexpected(completed.error());
    }
    for (const measure::Completed& item : *completed)
      categories.at(item.position) = item.measurement.category;
    remaining -= completed->size();
    session_.observer.progress(measurer_.progress(), session_.status_now());
    if (remaining == 0 || (!decided() && accounting_.session_seconds() < end_seconds)) continue;
    measurer_.abort();
    accounting_.charge(measurer_.take_busy_times());
    break;
  }
  return categories;
}

}  // namespace kernelscape::session
