#include "core/session/learnt_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/importer.h"
#include "core/exchange/validation.h"
#include "core/session/preparation.h"
#include "core/session/setup.h"
#include "core/session/warm_start.h"
#include "core/trial/observed_row.h"
#include "core/tuner/transfer.h"

namespace kernelscape::session {
namespace {

/** Returns a hash of what a tuner learns from. */
std::string hash_of(const tuner::SourceTrials& source) {
  std::string bytes = space::space_to_json(source.space);
  for (const trial::Observation& trial : source.trials) {
    bytes += space::to_blob(trial.configuration);
    bytes += fmt::format(" {:x} {:x} {}\n", std::bit_cast<std::uint64_t>(trial.fitness),
                         std::bit_cast<std::uint64_t>(trial.spread), static_cast<int>(trial.category));
  }
  return base::sha256(bytes);
}

ReadSource identified(LearntSource identity, tuner::SourceTrials trials) {
  identity.sha256 = hash_of(trials);
  return {std::move(identity), std::make_shared<const tuner::SourceTrials>(std::move(trials))};
}

/** Calls per second: a model learns from the logarithm, to which FLOP counts only add a constant. */
tuner::SourceTrials trials_of(const trial::Recording& recording, std::string name) {
  tuner::SourceTrials source{std::move(name), recording.whole_space(), {}};
  for (std::uint32_t row = 0; row < recording.size(); ++row) {
    const double seconds = recording.seconds(row);
    const trial::ErrorCategory category = recording.category(row);
    if (category == trial::ErrorCategory::NoError && !(seconds > 0)) continue;
    const bool valid = category == trial::ErrorCategory::NoError;
    source.trials.push_back(
        {recording.configuration(row), valid ? trial::fitness_of(seconds, 0) : 0, category});
  }
  return source;
}

Result<std::shared_ptr<const trial::Recording>> recording_in(const std::filesystem::path& file) {
  if (exchange::is_recording_file(file)) {
    exchange::ValidatedRecording passed = TRY(exchange::open_recording(file));
    return std::move(passed.recording);
  }
  const exchange::ImportedFile imported = TRY(exchange::read_import(file));
  if (imported.parts.size() == 1) return exchange::recording_of(imported.parts.front());
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} contains {} spaces", base::quoted_line(file.string()), imported.parts.size()),
              "import it with `kernelscape import`, and learn from the collection that this makes");
}

Result<ReadSource> read_file(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(file, error).lexically_normal();
  if (error) absolute = file;
  const std::shared_ptr<const trial::Recording> recording = TRY(recording_in(absolute));
  return identified({.file = absolute.string()}, trials_of(*recording, absolute.stem().string()));
}

/** @param trials only the first ones in order of arrival; -1: all */
Result<ReadSource> read_session(const store::Store& store, store::SessionId id, std::int64_t trials) {
  const store::SessionRecord record = TRY(store.sessions().get(id)).record;
  const std::string name = fmt::format("session {}", id);
  if (record.kind == store::SessionKind::Recorded) {
    const std::shared_ptr<const trial::Recording> recording = TRY(store.recordings().get(record.recording));
    return identified({.session = id, .trials = recording->size()}, trials_of(*recording, name));
  }
  const auto rows = TRY(source_rows(store, record, trials));
  tuner::SourceTrials source{name, TRY(space::space_from_json(record.space_json)), {}};
  for (const store::ArrivedRow& row : rows) {
    if (has_speed(row) && source.space.contains(row.configuration))
      source.trials.push_back(trial::observe_row(row, row.configuration, 0));
  }
  return identified({.session = id, .trials = std::ssize(rows)}, std::move(source));
}

Result<std::vector<ReadSource>> read_collection(const store::Store& store, store::StudyId id) {
  std::vector<ReadSource> sources;
  for (const store::StudyRun& run : TRY(store.studies().runs(id)))
    if (run.session) sources.push_back(TRY(read_session(store, *run.session, -1)));
  return sources;
}

/** Returns the name without the prefix of a recorded target, which users may write. */
std::string without_prefix(const std::string& name) {
  return is_recorded_target(name) ? name.substr(recorded_target_prefix.size()) : name;
}

Result<std::vector<ReadSource>> usable_of_name(const store::Store& store, const std::string& name,
                                               const space::SearchSpace& space) {
  std::vector<ReadSource> sources = TRY(read_sources(store, name));
  std::vector<ReadSource> usable;
  Status unusable = {};
  for (ReadSource& source : sources) {
    if (Status fits = tuner::check_source(space, *source.trials); !fits)
      unusable = std::move(fits);
    else
      usable.push_back(std::move(source));
  }
  if (!usable.empty()) return usable;
  if (!unusable) return std::unexpected(unusable.error());
  return fail(ErrorCode::InvalidArgument, fmt::format("{} has no sessions", base::quoted_line(name)),
              "learn from a session or a recorded space");
}

Status check_learner(const std::string& name) {
  const tuner::Declaration* declaration = TRY(tuner::find_tuner(name));
  if (declaration->learns_from_sources) return {};
  std::vector<std::string> learners;
  for (const tuner::Declaration& tuner : tuner::tuner_registry())
    if (tuner.learns_from_sources) learners.push_back(tuner.name);
  return fail(ErrorCode::InvalidArgument,
              fmt::format("tuner {} does not learn from related spaces", declaration->name),
              fmt::format("leave --learn-from out, or choose one of: {}", base::join(learners, ", ")));
}

}  // namespace

Result<std::vector<ReadSource>> read_sources(const store::Store& store, const std::string& name) {
  const std::string plain = without_prefix(name);
  std::error_code error;
  if (std::filesystem::is_regular_file(plain, error)) return std::vector{TRY(read_file(plain))};
  const Result<store::SessionId> session = store.sessions().find(plain);
  if (session) return std::vector{TRY(read_session(store, *session, -1))};
  if (const Result<store::StudyId> collection = store.collections().find(plain); collection)
    return read_collection(store, *collection);
  return fail(session.error().code,
              fmt::format("there is nothing to learn from named {}: no such file or collection, and {}",
                          base::quoted_line(name), session.error().message),
              session.error().hint);
}

Result<ReadSource> read_stored_source(const store::Store& store, const LearntSource& source) {
  ReadSource now =
      TRY(source.file.empty() ? read_session(store, source.session, source.trials) : read_file(source.file));
  if (now.source.sha256 == source.sha256) return now;
  return fail(ErrorCode::Refused,
              fmt::format("the trials of {} have changed since the session learnt from them",
                          source.file.empty() ? fmt::format("session {}", source.session)
                                              : base::quoted_line(source.file)),
              source.file.empty() ? "start a new session" : "restore the file, or start a new session");
}

Result<std::vector<ReadSource>> usable_sources(const store::Store& store,
                                               const std::vector<std::string>& names,
                                               const space::SearchSpace& space) {
  std::vector<ReadSource> sources;
  for (const std::string& name : names) {
    std::vector<ReadSource> named = TRY(usable_of_name(store, name, space));
    std::ranges::move(named, std::back_inserter(sources));
  }
  if (sources.size() <= max_sources) return sources;
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("{} sources were given, but a session learns from at most {}", sources.size(), max_sources),
      "name the sessions of the most similar kernels instead of a collection");
}

Status take_sources(std::span<const ReadSource> sources, Setup& setup) {
  setup.learnt_sources.clear();
  setup.sources.clear();
  if (sources.empty()) return {};
  TRY(check_learner(setup.tuner));
  std::set<std::string> names;
  for (const ReadSource& source : sources) {
    setup.learnt_sources.push_back(source.source);
    std::string name = source.trials->name;
    for (int number = 2; !names.insert(name).second; ++number)
      name = fmt::format("{} #{}", source.trials->name, number);
    if (name == source.trials->name) {
      setup.sources.push_back(source.trials);
      continue;
    }
    // Series are named after their sources.
    auto renamed = std::make_shared<tuner::SourceTrials>(*source.trials);
    renamed->name = name;
    setup.sources.push_back(std::move(renamed));
  }
  return {};
}

Status take_stored_sources(const store::Store& store, const std::vector<LearntSource>& sources,
                           Setup& setup) {
  std::vector<ReadSource> read;
  for (const LearntSource& source : sources) read.push_back(TRY(read_stored_source(store, source)));
  return take_sources(read, setup);
}

std::string source_name(const LearntSource& source) {
  return source.file.empty() ? std::to_string(source.session) : source.file;
}

}  // namespace kernelscape::session
