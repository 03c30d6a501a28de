#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/session/session_run.h"

namespace kernelscape {
namespace {

// How far the first valid configuration is looked for: indices walked, members among them, and failed probes.
constexpr std::uint32_t most_indices = 200'000;
constexpr std::size_t most_members = 1024;
constexpr std::size_t most_probed_failures = 64;
constexpr std::size_t probes_at_once = 8;

/** The first members in index order. */
std::vector<Configuration> first_members(const SearchSpace& space) {
  std::vector<Configuration> members;
  if (const std::vector<Configuration>* all = space.explicit_members()) {
    members.assign(all->begin(),
                   all->begin() + static_cast<std::ptrdiff_t>(std::min(most_members, all->size())));
    return members;
  }
  for (uint128 index = 0; index < space.size() && index < most_indices && members.size() < most_members;
       ++index) {
    Configuration configuration = space.at(index);
    if (space.contains(configuration)) members.push_back(std::move(configuration));
  }
  return members;
}

using KnownCategories = std::map<Configuration, ErrorCategory>;

/** What the session's own trials say of these configurations. */
Result<KnownCategories> known_categories(const Store& store, SessionId id,
                                         std::vector<Configuration> wanted) {
  std::ranges::sort(wanted);
  const std::vector<Store::ArrivedRow> rows = TRY(store.rows(id));
  KnownCategories known;
  for (const Store::ArrivedRow& row : rows) {
    if (std::ranges::binary_search(wanted, row.configuration)) known.emplace(row.configuration, row.category);
  }
  return known;
}

}  // namespace

Result<SessionOutcome> SessionRun::finish(const Ending& ending) {
  if (ending.state == SessionState::Done && tools_.confirmer && tools_.stop.level() == 0) {
    const bool wanted = TRY(needs_confirmation());
    const Status confirmed = wanted ? confirm() : Status();
    if (!confirmed) {
      tools_.observer.message({MessageKind::Problem, "the best trials could not be measured again: " +
                                                         describe(confirmed.error())});
    }
  }
  status_.state = ending.state;
  status_.state_reason = ending.reason;
  TRY(store_.update_status(id_, status_now()));
  if (ending.state == SessionState::Interrupted)
    TRY(store_.append_interruption(id_, status_.session_seconds, "stopped"));
  return SessionOutcome{id_, status_, tools_.stop.level() > 0};
}

/** What was confirmed before stands while no trial was added. */
Result<bool> SessionRun::needs_confirmation() const {
  if (best_.entries().empty()) return false;
  if (measured_) return true;
  const std::vector<Confirmation> confirmations = TRY(store_.confirmations(id_));
  return std::ranges::find(confirmations, best_.entries().front().trial, &Confirmation::trial) ==
         confirmations.end();
}

Status SessionRun::confirm() {
  enter(SessionPhase::Confirming);
  Result<Baselines> earlier = baselines_from_json(status_.vendor_json);
  Baselines baselines = earlier ? std::move(*earlier) : Baselines();
  baselines.first_valid.reset();
  baselines.first_valid_reason.clear();
  const std::optional<Configuration> first = TRY(find_first_valid(baselines.first_valid_reason));
  std::vector<Configuration> configurations;
  for (const BestTrials::Entry& entry : best_.entries()) configurations.push_back(entry.configuration);
  if (first) configurations.push_back(*first);

  accounting_.begin_measuring();
  Confirmations measured = TRY(tools_.confirmer(configurations, tools_.stop));
  accounting_.charge(measured.busy);
  if (measured.interrupted) return fail(ErrorCode::Refused, "stopped by the user");
  if (measured.configurations.size() != configurations.size()) {
    return fail(ErrorCode::Internal, "the confirmation has another number of results than configurations");
  }
  TRY(store_confirmations(measured));
  baselines.vendor = std::move(measured.vendor);
  if (first) {
    Measurement& measurement = measured.configurations.back();
    if (measurement.valid()) {
      baselines.first_valid = FirstValid{*first, std::move(measurement.samples_seconds)};
    } else {
      baselines.first_valid_reason = measurement.message;
    }
  }
  status_.vendor_json = baselines_to_json(baselines);
  return {};
}

Status SessionRun::store_confirmations(const Confirmations& measured) {
  const std::string now = utc_now();
  std::vector<Confirmation> confirmations;
  for (std::size_t i = 0; i < best_.entries().size(); ++i) {
    const std::int64_t trial = best_.entries()[i].trial;
    const Measurement& measurement = measured.configurations[i];
    if (measurement.valid()) {
      confirmations.push_back({trial, now, measurement.samples_seconds});
    } else {
      tools_.observer.message(
          {MessageKind::Problem, fmt::format("trial {} was not confirmed: {}: {}", trial,
                                             to_string(measurement.category), measurement.message)});
    }
  }
  if (!measured.vendor.samples_seconds.empty()) {
    confirmations.push_back({-1, now, measured.vendor.samples_seconds});
  }
  return store_.append_confirmations(id_, confirmations);
}

Result<std::optional<Configuration>> SessionRun::find_first_valid(std::string& reason) {
  const std::vector<Configuration> members = first_members(setup_.space);
  const KnownCategories known = TRY(known_categories(store_, id_, members));
  std::size_t failures = 0;
  for (std::size_t next = 0; next < members.size() && failures < most_probed_failures;) {
    if (const auto found = known.find(members[next]); found != known.end()) {
      if (found->second == ErrorCategory::NoError) return members[next];
      ++next;
      continue;
    }
    std::size_t end = next;
    while (end < members.size() && end - next < probes_at_once && !known.contains(members[end])) ++end;
    const std::span<const Configuration> chunk(members.data() + next, end - next);
    const std::vector<ErrorCategory> categories = TRY(probe(chunk));
    const auto valid = std::ranges::find(categories, ErrorCategory::NoError);
    if (valid != categories.end()) return chunk[static_cast<std::size_t>(valid - categories.begin())];
    failures += chunk.size() -
                static_cast<std::size_t>(std::ranges::count(categories, ErrorCategory::InstantiationError));
    next = end;
  }
  reason =
      fmt::format("none of the first {} configurations in index order is known to be valid", members.size());
  return std::nullopt;
}

/** Measures configurations that are no trials: their categories alone. */
Result<std::vector<ErrorCategory>> SessionRun::probe(std::span<const Configuration> configurations) {
  std::vector<ErrorCategory> categories(configurations.size(), ErrorCategory::UnknownError);
  accounting_.begin_measuring();
  TRY(tools_.measurer.submit(configurations));
  for (std::size_t remaining = configurations.size(); remaining > 0;) {
    const Result<std::vector<Completed>> completed = collect();
    if (!completed || tools_.stop.level() > 0) {
      tools_.measurer.abort();
      return completed ? fail(ErrorCode::Refused, "stopped by the user") : std::unexpected(completed.error());
    }
    for (const Completed& item : *completed) categories.at(item.position) = item.measurement.category;
    remaining -= completed->size();
  }
  return categories;
}

}  // namespace kernelscape
