#include "core/exchange/import_database.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/media/shell_script.h"
#include "core/exchange/chosen_trials.h"
#include "core/exchange/formats/own_session_reader.h"
#include "core/exchange/formats/session_json.h"
#include "core/exchange/formats/session_key.h"
#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/store/store.h"

namespace kernelscape::exchange {
namespace {

namespace fs = std::filesystem;

std::string look_into(const fs::path& path) {
  return fmt::format("list its content: `kernelscape sessions --db {}`",
                     base::ShellScript::escaped(path.string()));
}

/** Returns the text that export writes for a session. @param max_bytes limit for all texts together */
Result<std::string> text_of_session(const store::Store& store, store::SessionId id, std::uint64_t max_bytes) {
  const ExportRequest request{.store = store, .session = id};
  const ExportedSession session = TRY(read_exported_session(request));
  std::string text;
  TRY(write_session_json(request, session, [&](std::string_view piece) -> Status {
    if (text.size() + piece.size() > max_bytes)
      return fail(ErrorCode::InvalidArgument, "its sessions are more than can be read at once",
                  "open the database instead: --db");
    text += piece;
    return {};
  }));
  return text;
}

/** Reads a session with the reader of exported sessions: a database is validated like a file. */
Result<ImportedTrials> read_session(const fs::path& path, std::string text, const ReadingBudget& budget) {
  ImportText file(path, std::move(text), budget);
  OwnSessionReader reader(file);
  const StreamedJson json = TRY(stream_import_json(file, reader.members({})));
  ImportedFile read = TRY(reader.finish(*json.rest));
  return std::move(read.parts.front());
}

/** The sessions of a database to import, and notices about the others. */
struct ChosenSessions {
  std::vector<store::SessionId> ids;  ///< oldest first
  std::vector<std::string> notices;
};

Result<ChosenSessions> choose_sessions(const store::Store& store) {
  ChosenSessions chosen;
  std::vector<Error> unreadable;
  std::size_t spaces = 0;
  for (const store::SessionSummary& session : TRY(store.sessions().list(&unreadable))) {
    if (session.record.kind == store::SessionKind::Recorded) {
      ++spaces;
    } else {
      chosen.ids.push_back(session.record.id);
    }
  }
  std::ranges::reverse(chosen.ids);
  if (spaces > 0)
    chosen.notices.push_back(
        fmt::format("{} recorded spaces were not imported: use export --format recorded for each", spaces));
  if (const std::size_t studies = TRY(store.studies().all()).size(); studies > 0)
    chosen.notices.push_back(fmt::format("the runs of {} studies were not imported", studies));
  for (const Error& error : unreadable) chosen.notices.push_back(describe(error));
  return chosen;
}

}  // namespace

Result<ImportedFile> read_database(const fs::path& path) {
  const ReadingBudget budget = ReadingBudget::of_this_machine();
  const store::Store store = TRY(store::Store::open(path, store::OpenMode::ReadOnly));
  ChosenSessions chosen = TRY(choose_sessions(store));
  if (chosen.ids.empty())
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is a database without a session to import", path.string()), look_into(path));
  TRY(check_part_count(chosen.ids.size()));
  ImportedFile imported{.format = "database", .path = path, .natural = ImportAs::Session};
  imported.notices = std::move(chosen.notices);
  std::uint64_t left_bytes = std::min(budget.max_bytes, budget.max_memory_bytes);
  for (const store::SessionId id : chosen.ids) {
    std::string text = TRY(text_of_session(store, id, left_bytes));
    left_bytes -= text.size();
    Result<ImportedTrials> part = read_session(path, std::move(text), budget);
    if (!part)
      return fail(part.error().code,
                  fmt::format("{}, session {}: {}", path.string(), id, part.error().message),
                  part.error().hint);
    imported.parts.push_back(std::move(*part));
  }
  return imported;
}

}  // namespace kernelscape::exchange
