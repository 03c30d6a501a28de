#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_output.h"
#include "app/command_line/shared_options.h"
#include "app/command_line/standard_output.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/compact_trials.h"
#include "core/exchange/importer.h"
#include "core/exchange/join.h"
#include "core/session/preparation.h"

namespace kernelscape::command_line {
namespace {

struct ImportOptions {
  std::vector<std::string> files;
  std::string as;
  std::string name;
  std::string database;
  exchange::TableOptions table;
  std::string join;
  std::vector<std::string> missing;
  bool preview = false;
  bool json = false;
};

exchange::ImportAs import_as(const std::string& text) {
  if (text == "session") return exchange::ImportAs::Session;
  return text == "recorded" ? exchange::ImportAs::Recorded : exchange::ImportAs::Automatic;
}

std::string import_format_help() {
  std::string text = "Files of other tuners or of this one, plain or gzip: recorded spaces (.ksrec)";
  for (const exchange::ImportFormat& format : exchange::import_formats()) text += "; " + format.summary;
  return text +
         "; a storage of Optuna or a database of OpenTuner (SQLite); a database of this program with all its "
         "sessions; with --join, also recorded: with the number or name of a session";
}

/**
 * Returns the name of --name, numbered if it applies to several sessions; a collection is named as a whole.
 */
Status name_sessions(store::Store& store, const std::string& name, std::size_t& named,
                     exchange::ImportOutcome& outcome) {
  if (outcome.collection) {
    ++named;
    outcome.collection->name = named == 1 ? name : fmt::format("{} {}", name, named);
    return store.studies().set_name(outcome.collection->id, outcome.collection->name);
  }
  for (exchange::ImportedSession& session : outcome.sessions) {
    if (session.existed) continue;
    ++named;
    session.name = named == 1 ? name : fmt::format("{} {}", name, named);
    TRY(store.sessions().set_name(session.session, session.name));
  }
  return {};
}

void print_session(const std::string& file, const exchange::ImportOutcome& outcome,
                   const exchange::ImportedSession& session, bool as_json) {
  if (as_json) {
    print_json_line(
        {{"file", file},
         {"format", outcome.format},
         {"session", session.session},
         {"name", session.name},
         {"kind", store::to_string(session.kind)},
         {"trials", session.trials},
         {"existed", session.existed},
         {"collection", outcome.collection ? nlohmann::json(outcome.collection->id) : nlohmann::json()},
         {"notices", outcome.notices}});
    return;
  }
  const bool recorded = session.kind == store::SessionKind::Recorded;
  const std::string next =
      recorded ? fmt::format("tune on it with `kernelscape tune --target recorded:{}`", session.session)
               : fmt::format("see it with `kernelscape show {}`", session.session);
  print("session {}: {} {}, {} trials{}; {}\n", session.session,
        recorded ? "recorded space" : "imported session", session.name, session.trials,
        session.existed ? " (already imported)" : "", next);
}

/** "1 task", "814 tasks". */
std::string counted(std::int64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

/** One line for all that a collection holds. */
void print_collection(const exchange::ImportOutcome& outcome) {
  const exchange::ImportedCollection& collection = *outcome.collection;
  std::int64_t trials = 0;
  for (const exchange::ImportedSession& session : outcome.sessions) trials += session.trials;
  print("{} of {} in collection {} ({}): {}; `kernelscape sessions --collection {}` lists them\n",
        counted(std::ssize(outcome.sessions), "session"), counted(collection.tasks, "task"), collection.id,
        collection.name, counted(trials, "trial"), collection.id);
}

void print_outcome(const std::string& file, const exchange::ImportOutcome& outcome, bool as_json) {
  if (outcome.collection && !as_json) {
    print_collection(outcome);
  } else {
    for (const exchange::ImportedSession& session : outcome.sessions)
      print_session(file, outcome, session, as_json);
  }
  if (as_json) return;
  for (const std::string& notice : outcome.notices) print_note(notice);
}

/** Prints what an import of a file would store. */
void print_preview(const std::string& file, const exchange::ImportedFile& read, bool as_json) {
  for (const exchange::ImportedTrials& part : read.parts) {
    const std::size_t trials = exchange::trial_count(part);
    std::vector<std::string> knobs;
    for (const space::Knob& knob : part.space.knobs()) knobs.push_back(knob.name());
    if (as_json) {
      print_json_line({{"file", file},
                       {"format", read.format},
                       {"name", part.header.name},
                       {"trials", trials},
                       {"knobs", knobs},
                       {"notices", read.notices}});
      continue;
    }
    print("{}: {} of {}, {}; nothing was stored\n", file, counted(static_cast<std::int64_t>(trials), "trial"),
          part.header.name, read.format);
    for (const space::Knob& knob : part.space.knobs())
      print("  {}: {}\n", knob.name(), counted(knob.count(), "value"));
  }
  if (as_json) return;
  for (const std::string& notice : read.notices) print_note(notice);
}

Result<int> run_preview(const ImportOptions& options) {
  keep_going_without_output();
  int code = exit_done;
  std::vector<exchange::ImportSource> sources =
      exchange::import_sources({options.files.begin(), options.files.end()});
  for (exchange::ImportSource& source : sources) {
    source.table = options.table;
    const Result<exchange::ImportedFile> read = exchange::read_import(source);
    if (read) {
      print_preview(source.path.string(), *read, options.json);
      continue;
    }
    if (sources.size() == 1) return std::unexpected(read.error());
    print_error(read.error());
    code = std::max(code, exit_code_of(read.error()));
  }
  return code;
}

/** Parses "num_stages=3". */
Result<std::map<std::string, std::string>> parse_missing(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> values;
  for (const std::string& text : texts) {
    const std::size_t at = text.find('=');
    if (at == 0 || at == std::string::npos || !values.emplace(text.substr(0, at), text.substr(at + 1)).second)
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("--missing is no value of a parameter: {}", base::quoted_line(text)),
                  "state each parameter once, as in --missing num_stages=3");
  }
  return values;
}

/** Reads what is joined: files, and sessions of the database named as recorded:NAME. */
Result<std::vector<exchange::JoinSource>> read_join_sources(const ImportOptions& options,
                                                            const std::optional<store::Store>& store) {
  std::vector<exchange::JoinSource> sources;
  std::vector<std::filesystem::path> files;
  const auto read_files = [&]() -> Status {
    for (exchange::ImportSource& source : exchange::import_sources(std::exchange(files, {}))) {
      source.table = options.table;
      sources.push_back(TRY(exchange::join_source_of_file(source)));
    }
    return {};
  };
  for (const std::string& name : options.files) {
    if (!session::is_recorded_target(name)) {
      files.emplace_back(name);
      continue;
    }
    const std::string named = name.substr(session::recorded_target_prefix.size());
    std::error_code unknown;
    if (std::filesystem::is_regular_file(named, unknown)) {
      files.emplace_back(named);
      continue;
    }
    // The order of the arguments is kept.
    TRY(read_files());
    sources.push_back(TRY(exchange::join_source_of_session(*store, TRY(store->sessions().find(named)))));
  }
  TRY(read_files());
  return sources;
}

void print_joined_preview(const exchange::JoinedSpace& joined, const ImportOptions& options) {
  const trial::Recording& recording = *joined.recording;
  std::vector<std::string> knobs;
  for (const space::Knob& knob : recording.whole_space().knobs()) knobs.push_back(knob.name());
  if (options.json)
    return print_json_line({{"file", base::join(options.files, ", ")},
                            {"format", "joined"},
                            {"name", options.join},
                            {"trials", recording.size()},
                            {"knobs", knobs},
                            {"notices", joined.notices}});
  print("{}: {}, joined; nothing was stored\n", options.join, counted(recording.size(), "trial"));
  for (const space::Knob& knob : recording.whole_space().knobs())
    print("  {}: {}\n", knob.name(), counted(knob.count(), "value"));
  for (const std::string& notice : joined.notices) print_note(notice);
}

Result<int> run_join(const ImportOptions& options) {
  exchange::JoinRequest request{.name = options.join};
  request.missing = TRY(parse_missing(options.missing));
  const bool of_sessions = std::ranges::any_of(options.files, session::is_recorded_target);
  std::optional<store::Store> store;
  if (of_sessions || !options.preview)
    store.emplace(TRY(open_store(options.database,
                                 options.preview ? store::OpenMode::ReadOnly : store::OpenMode::ReadWrite)));
  keep_going_without_output();
  const std::vector<exchange::JoinSource> sources = TRY(read_join_sources(options, store));
  if (options.preview) {
    print_joined_preview(TRY(exchange::join_recordings(sources, request)), options);
    return exit_done;
  }
  print_outcome(base::join(options.files, ", "), TRY(exchange::import_joined(*store, sources, request)),
                options.json);
  return exit_done;
}

Result<int> run_import(const ImportOptions& options) {
  if (!options.join.empty()) return run_join(options);
  if (!options.missing.empty())
    return fail(ErrorCode::InvalidArgument, "--missing states a value for a join",
                "name the joined space: --join NAME");
  if (options.preview) return run_preview(options);
  store::Store store = TRY(open_store(options.database, store::OpenMode::ReadWrite));
  keep_going_without_output();
  int code = exit_done;
  std::size_t named = 0;
  std::vector<exchange::ImportSource> sources =
      exchange::import_sources({options.files.begin(), options.files.end()});
  for (exchange::ImportSource& source : sources) {
    source.table = options.table;
    Result<exchange::ImportOutcome> outcome = exchange::import_file(store, source, import_as(options.as));
    if (!outcome) {
      // The other files may be all right.
      if (sources.size() == 1) return std::unexpected(outcome.error());
      print_error(outcome.error());
      code = std::max(code, exit_code_of(outcome.error()));
      continue;
    }
    if (!options.name.empty()) TRY(name_sessions(store, options.name, named, *outcome));
    print_outcome(source.path.string(), *outcome, options.json);
  }
  return code;
}

/** Adds the options that correct what is guessed about the columns of a table. */
void add_table_options(CLI::App& app, exchange::TableOptions& table) {
  app.add_option("--parameters", table.parameters,
                 "Tables: the columns that form a configuration, as a,b,c (default: guessed and shown)")
      ->delimiter(',');
  app.add_option("--objective", table.objective,
                 "Tables: the column that ranks (default: guessed from its name)");
  app.add_option("--metrics", table.metrics,
                 "Tables: columns of numbers that are kept beside the objective, as a,b (default: guessed)")
      ->delimiter(',');
  app.add_option("--ignore", table.ignored, "Tables: columns that are left out, as a,b (default: guessed)")
      ->delimiter(',');
  app.add_option(
      "--unit", table.unit,
      "Tables: the unit of the objective: s, ms, us, ns, GFLOPS, GB/s, another rate such as it/s, or "
      "none (default: from its name, as in time_ms)");
  app.add_option("--failed-when", table.failed_when,
                 "Tables: when a row failed, as 'status!=ok' or 'time_ms>=1000'; may be given several times")
      ->allow_extra_args(false);
}

}  // namespace

Command add_import_command(CLI::App& program) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* app = program.add_subcommand("import", "Import another tuner's log or a recorded space");
  app->add_option("FILE", options->files, import_format_help())->required();
  CLI::Option* as =
      app->add_option(
             "--as", options->as,
             "session: all trials in order; recorded: a space to tune on (default: depends on the format)")
          ->check(CLI::IsMember({"session", "recorded"}));
  CLI::Option* name =
      app->add_option("--name", options->name, "Name of the session (default: from the file)");
  CLI::Option* join = app->add_option("--join", options->join,
                                      "Join all files, and sessions named as recorded:3, into one recorded "
                                      "space of this name: measurements of "
                                      "one kernel on one device with different lists of configurations");
  join->excludes(as)->excludes(name);
  app->add_option(
         "--missing", options->missing,
         "With --join: the value of a parameter where a file lacks it, as num_stages=3; may be given "
         "several times")
      ->allow_extra_args(false);
  add_table_options(*app, options->table);
  app->add_flag("--preview", options->preview, "Show what the import would store, and store nothing");
  add_database_option(*app, options->database);
  add_json_option(*app, options->json);
  return {app, [options] { return run_import(*options); }};
}

}  // namespace kernelscape::command_line
