#include "tests/faults/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <set>

#include "core/store/store.h"

namespace kernelscape::faults {
namespace {

std::unexpected<Error> lost(std::string what) { return fail(ErrorCode::Corrupt, std::move(what)); }

Status check_integrity(const std::filesystem::path& path) {
  sqlite3* database = nullptr;
  std::string answer = "cannot be opened";
  if (sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK) {
    sqlite3_busy_timeout(database, 10'000);
    const auto take = [](void* text, int, char** values, char**) {
      *static_cast<std::string*>(text) = values[0];
      return 0;
    };
    sqlite3_exec(database, "PRAGMA integrity_check(1)", take, &answer, nullptr);
  }
  sqlite3_close(database);
  return answer == "ok" ? Status{} : lost("the database is damaged: " + answer);
}

/** @param whole none may be missing; else those of a batch may have come in any order so far */
Status check_trials(const store::SessionSummary& session, const std::vector<trial::Trial>& trials,
                    bool whole) {
  std::set<space::Configuration> seen;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (whole && trials[i].number != static_cast<std::int64_t>(i))
      return lost(fmt::format("trial {} is missing", i));
    if (!seen.insert(trials[i].configuration).second)
      return lost(fmt::format("the configuration of trial {} was measured twice", i));
  }
  if (session.status.trial_count != std::ssize(trials))
    return lost(
        fmt::format("{} trials are counted, {} are there", session.status.trial_count, trials.size()));
  return {};
}

}  // namespace

Result<Kept> read_kept(const std::filesystem::path& path, bool with_times) {
  Kept kept;
  if (!std::filesystem::exists(path)) return kept;
  TRY(check_integrity(path));
  const store::Store store = TRY(store::Store::open(path));
  const std::vector<store::SessionSummary> sessions = TRY(store.sessions().all());
  kept.session_count = std::ssize(sessions);
  if (sessions.empty()) return kept;
  const store::SessionSummary& session = sessions.back();
  kept.done = session.status.state == store::SessionState::Done;
  kept.trials = TRY(store.trials().of(session.record.id));
  TRY(check_trials(session, kept.trials, kept.done || with_times));
  for (trial::Trial& trial : kept.trials) {
    trial.finished_seconds = 0;
    if (!with_times) trial.measurement = {};
  }
  return kept;
}

std::size_t KeptStudy::trial_count() const {
  std::size_t count = 0;
  for (const std::vector<trial::Trial>& run : trials) count += run.size();
  return count;
}

Result<KeptStudy> read_kept_study(const std::filesystem::path& path) {
  KeptStudy kept;
  if (!std::filesystem::exists(path)) return kept;
  TRY(check_integrity(path));
  const store::Store store = TRY(store::Store::open(path));
  if (!TRY(store.sessions().all()).empty()) return lost("a session stands outside its study");
  const std::vector<store::StudySummary> studies = TRY(store.studies().all());
  kept.study_count = std::ssize(studies);
  if (studies.empty()) return kept;
  const store::StudySummary& study = studies.back();
  kept.done = study.done_runs == study.record.run_count;
  for (const store::StudyRun& run : TRY(store.studies().runs(study.record.id))) {
    std::vector<trial::Trial>& trials = kept.trials.emplace_back();
    std::string& budget = kept.budgets.emplace_back();
    if (!run.session) continue;
    const store::SessionSummary session = TRY(store.sessions().get(*run.session));
    trials = TRY(store.trials().of(*run.session));
    TRY(check_trials(session, trials, true));
    for (trial::Trial& trial : trials) trial.finished_seconds = 0;
    budget = session.record.budget_json;
  }
  return kept;
}

WriteLock::WriteLock(const std::filesystem::path& path) {
  sqlite3* database = nullptr;
  if (sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK) {
    sqlite3_busy_timeout(database, 1000);
    sqlite3_exec(database, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
  }
  database_ = database;
}

WriteLock::~WriteLock() { sqlite3_close(static_cast<sqlite3*>(database_)); }

}  // namespace kernelscape::faults
