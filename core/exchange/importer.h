#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/store/store.h"
#include "core/trial/recording.h"

namespace kernelscape {

class ImportText;

/** A trial of a file, in the file's order. */
struct ImportedTrial {
  Configuration configuration;
  Measurement measurement;
  double finished_seconds = 0;  ///< since the file's first trial began, where the file has times; else a sum
                                ///< of the trials' work seconds
  std::int32_t batch = 0;       ///< where the file says
  std::int32_t position = 0;    ///< in its batch, where the file says
};

/** What only our own files say of a session; numbers of trials are positions in ImportedTrials::trials. */
struct ImportedOwnSession {
  SessionRecord record;
  SessionAnnotation annotation = {};
  SessionStatus status = {};
  std::vector<Confirmation> confirmations = {};
  std::vector<StoredSeries> series = {};
  std::vector<SessionInterruption> interruptions = {};
  std::vector<SessionNotice> notices = {};  ///< that the session said where it was made
};

/** Trials of one task, target and space in a file. */
struct ImportedTrials {
  RecordingHeader header;  ///< task, target, template and options as the file has them
  SearchSpace space;       ///< explicit members, or a template's own where the file maps onto it
  std::vector<ImportedTrial> trials;
  std::vector<RecordedColumn> columns = {};    ///< by trial: what the file measured beside time
  std::string tuner = {};                      ///< where the file says; empty: unknown
  bool closed = true;                          ///< the file was finished: it is all there is to be
  std::optional<ImportedOwnSession> own = {};  ///< of our own files
};

enum class ImportAs : std::uint8_t {
  Automatic,  ///< what the format is by nature: a recorded space, or a session where trials have an order
  Session,    ///< every trial in its order
  Recorded    ///< members only; the samples of a configuration's trials count together
};

/** What a file holds, read into memory; nothing is stored yet. What a reader returns still has to pass the
 * gate (gate.h), which read_import() sees to. */
struct ImportedFile {
  std::string format;
  std::filesystem::path path;
  ImportAs natural = ImportAs::Recorded;  ///< never Automatic
  std::vector<ImportedTrials> parts = {};
  std::vector<std::string> notices = {};  ///< what could not be taken over, in words
};

/**
 * To add a format: one file formats/import_NAME.cpp with its reader, what its files are recognised by and a
 * function that gives this, and that function's line in import_formats.cpp; a fuzzer is its test. Readers
 * treat every file as hostile: they walk its text once, count what they keep against its budget
 * (import_text.h), and hand on its errors. An error names the file, the line or offset, and what was
 * expected.
 */
struct ImportFormat {
  std::string name;     ///< one word, as `import` prints it: "autotvm"
  std::string summary;  ///< one line
  std::string files;    ///< what such files are called: "AutoTVM logs"
  /** Of the names that they usually have: ".log". Others are read as well. */
  std::vector<std::string> endings;
  /** Whether the text looks like this format: asked of its first 64 KiB. */
  bool (*recognises)(std::string_view head);
  Result<ImportedFile> (*read)(ImportText& file);
  /** Whether a recognised text has no trials, but says what those of another file are of: it is given to
   * that one's reader (ImportText::companions()). Null where the format has no such files. */
  bool (*accompanies)(std::string_view head) = nullptr;
};

/** In the order in which recognises() is asked; constant while the program runs. */
const std::vector<ImportFormat>& import_formats();

/** What formats are told by: the beginning of a text of which nothing was read. */
std::string_view import_head(ImportText& text);

/** The first format whose text begins so; null: none does. */
const ImportFormat* recognised_format(std::string_view head);

/** What import_file() takes, for who chooses files: "AutoTVM logs", ..., "recorded spaces". */
std::vector<std::string> importable_files();

/** How names of these end, each once and packed ones as well: ".json", ".json.gz", ..., ".ksrec". */
std::vector<std::string> importable_endings();

/** A file to import, with those given with it that say more of it. */
struct ImportSource {
  std::filesystem::path path;
  std::vector<std::filesystem::path> companions{};
};

/**
 * What importing these files comes to, in their order: those that accompany others are with them, and stand
 * alone only where nothing of their format has trials.
 */
std::vector<ImportSource> import_sources(const std::vector<std::filesystem::path>& files);

/**
 * Reads a file of any known format, plain or gzip, told by its content, and lets it through the gate. A
 * recorded space's own file is no text: see open_recording() and import_file().
 */
Result<ImportedFile> read_import(const ImportSource& source);
/** The same of a file alone. */
Result<ImportedFile> read_import(const std::filesystem::path& path);

/** Whether the file is a recorded space's own, told by its first bytes; false where it can't be read. */
bool is_recording_file(const std::filesystem::path& path);

/** The recorded space of a part. Several trials of one configuration become one (repeated_trials.h). */
Result<std::shared_ptr<const Recording>> recording_of(const ImportedTrials& part);

/** A session made by an import. */
struct ImportedSession {
  SessionId session = 0;
  SessionKind kind = SessionKind::Recorded;
  std::int64_t trials = 0;
  std::string name;
  bool existed = false;  ///< the very same recorded space was here already: nothing was added
};

/** What holds the sessions of a file with several. */
struct ImportedCollection {
  StudyId id = 0;
  std::string name;
  std::int64_t tasks = 0;  ///< different ones; several sessions may be of one
};

/** What became of a file. */
struct ImportOutcome {
  std::string format;
  std::vector<ImportedSession> sessions;
  std::vector<std::string> notices;                   ///< what is said of many tasks alike stands there once
  std::optional<ImportedCollection> collection = {};  ///< of all the sessions, where there are several
};

/**
 * A recording as a session of kind Recorded; the one that is there where it was imported before. It passes
 * the gate first.
 */
Result<ImportedSession> store_recording(Store& store, std::shared_ptr<const Recording> recording);

/** The session that store_recording() made of a recording before; nothing where there is none. */
Result<std::optional<SessionId>> stored_recording(const Store& store, const Recording& recording);

/**
 * Reads the file - any import format, or a recorded space's own file - and stores all of it in one
 * transaction: also a kill leaves all or nothing. Several sessions become a collection, in the file's order.
 */
Result<ImportOutcome> import_file(Store& store, const ImportSource& source,
                                  ImportAs as = ImportAs::Automatic);
/** The same of a file alone. */
Result<ImportOutcome> import_file(Store& store, const std::filesystem::path& path,
                                  ImportAs as = ImportAs::Automatic);

}  // namespace kernelscape
