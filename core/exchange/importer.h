#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/table_options.h"
#include "core/store/store.h"
#include "core/trial/recording.h"

namespace kernelscape::exchange {

class ImportText;
struct CompactTrials;

/** A trial of a file, in the file's order. */
struct ImportedTrial {
  space::Configuration configuration;
  trial::Measurement measurement;
  double finished_seconds = 0;  ///< since the file's first trial began, if the file has times; else the sum
                                ///< of the trials' build and run times
  std::int32_t batch = 0;       ///< 0 unless the file contains it
  std::int32_t position = 0;    ///< position in its batch; 0 unless the file contains it
};

/**
 * The parts of a session that only files of this program contain. Numbers of trials are positions in
 * ImportedTrials::trials.
 */
struct ImportedOwnSession {
  store::SessionRecord record;
  store::SessionAnnotation annotation = {};
  store::SessionStatus status = {};
  std::vector<trial::Confirmation> confirmations = {};
  std::vector<store::StoredSeries> series = {};
  std::vector<store::SessionInterruption> interruptions = {};
  std::vector<trial::SessionNotice> notices = {};  ///< notices of the original session
};

/** The trials of one task, target and space in a file. */
struct ImportedTrials {
  trial::RecordingHeader header;  ///< task, target, template and options of the file
  space::SearchSpace space;       ///< explicit members, or a template's space if the file maps onto it
  std::vector<ImportedTrial> trials;
  std::vector<trial::RecordedColumn> columns = {};  ///< by trial: metrics of the file
  std::string tuner = {};                           ///< empty: unknown
  bool closed = true;                               ///< the file is complete: no further trials are expected
  std::optional<ImportedOwnSession> own = {};       ///< for files of this program
  /** The trials of a table, instead of `trials` (compact_trials.h); the space has its knobs only. */
  std::shared_ptr<const CompactTrials> compact = {};
};

enum class ImportAs : std::uint8_t {
  Automatic,  ///< the natural kind of the format: a recorded space, or a session if trials have an order
  Session,    ///< all trials in their order
  Recorded    ///< a space of its members only; the samples of a configuration's trials are merged
};

/**
 * The content of a file, read into memory; nothing is stored yet. The result of a reader must be validated
 * (gate.h), which read_import() does.
 */
struct ImportedFile {
  std::string format;
  std::filesystem::path path;
  ImportAs natural = ImportAs::Recorded;  ///< never Automatic
  std::vector<ImportedTrials> parts = {};
  std::vector<std::string> notices = {};  ///< texts that report what could not be imported
};

/**
 * A format of imported files. To add a format, write one file formats/import_NAME.cpp with the reader, a
 * recogniser of its files and a function that returns this struct, and add that function's line to
 * import_formats.cpp; a fuzzer is its test. Readers treat every file as hostile: they read its text once,
 * count what they keep against its budget (import_text.h), and return its errors. An error names the file,
 * the line or offset, and what was expected.
 */
struct ImportFormat {
  std::string name;     ///< one word, as `import` prints it: "autotvm"
  std::string summary;  ///< one line
  std::string files;    ///< the name of such files: "AutoTVM logs"
  /** Common extensions of such files: ".log". Files with other extensions are read as well. */
  std::vector<std::string> endings;
  /** Returns true if the text looks like this format, given its first 64 KiB. */
  bool (*recognises)(std::string_view head);
  Result<ImportedFile> (*read)(ImportText& file);
  /**
   * Returns true if a recognised text has no trials, but describes the trials of another file: it is passed
   * to the reader of that file (ImportText::companions()). Null if the format has no such files.
   */
  bool (*accompanies)(std::string_view head) = nullptr;
};

/** Returns the formats in the order in which recognises() is called; constant while the program runs. */
const std::vector<ImportFormat>& import_formats();

/**
 * Returns the beginning of a text by which formats are recognised. Nothing may have been read from the text.
 */
std::string_view import_head(ImportText& text);

/** Returns a file's name without the extensions that imported files have: "gemm" for "logs/gemm.json.gz". */
std::string file_stem(const std::filesystem::path& path);

/** Returns the first format that recognises the beginning, or null. */
const ImportFormat* recognised_format(std::string_view head);

/** Returns the format of tables if the beginning is that of a table, even of a known program's; else null. */
const ImportFormat* table_format(std::string_view head);

/** Returns the files that import_file() accepts, for file dialogs: "AutoTVM logs", ..., "recorded spaces". */
std::vector<std::string> importable_files();

/** Returns their distinct extensions, including compressed ones: ".json", ".json.gz", ..., ".ksrec". */
std::vector<std::string> importable_endings();

/** A file to import, with the files that accompany it. */
struct ImportSource {
  std::filesystem::path path;
  std::vector<std::filesystem::path> companions{};
  TableOptions table{};  ///< if anything is given, the file is read as a table
};

/**
 * Groups files into sources, in their order: accompanying files are attached to the file that they describe,
 * and are separate only if no file of their format has trials.
 */
std::vector<ImportSource> import_sources(const std::vector<std::filesystem::path>& files);

/**
 * Reads a plain or gzip file of any known format, recognised by its content, and validates it. The file of a
 * recorded space is not a text: see open_recording() and import_file().
 */
Result<ImportedFile> read_import(const ImportSource& source);
/** Reads and validates a single file. */
Result<ImportedFile> read_import(const std::filesystem::path& path);

/** Returns true if the file is a recorded space, according to its first bytes; false if it cannot be read. */
bool is_recording_file(const std::filesystem::path& path);

/**
 * Returns the recorded space of a part. Several trials of one configuration become one trial
 * (repeated_trials.h).
 */
Result<std::shared_ptr<const trial::Recording>> recording_of(const ImportedTrials& part);

/** A session created by an import. */
struct ImportedSession {
  store::SessionId session = 0;
  store::SessionKind kind = store::SessionKind::Recorded;
  std::int64_t trials = 0;
  std::string name;
  bool existed = false;  ///< the same recorded space was imported before: nothing was added
};

/** The collection of the sessions of a file with several sessions. */
struct ImportedCollection {
  store::StudyId id = 0;
  std::string name;
  std::int64_t tasks = 0;  ///< number of different tasks; several sessions may have the same task
};

/** The result of importing a file. */
struct ImportOutcome {
  std::string format;
  std::vector<ImportedSession> sessions;
  std::vector<std::string> notices;                   ///< a notice about several tasks is reported once
  std::optional<ImportedCollection> collection = {};  ///< the collection of all sessions, if there are
                                                      ///< several
};

/**
 * Stores a recording as a session of kind Recorded, or returns the existing session if the recording was
 * imported before. The recording is validated first. @param notices notices about it, stored with a new
 * session
 */
Result<ImportedSession> store_recording(store::Store& store,
                                        std::shared_ptr<const trial::Recording> recording,
                                        const std::vector<std::string>& notices = {});

/** Returns the session that store_recording() created for a recording before, or nullopt. */
Result<std::optional<store::SessionId>> stored_recording(const store::Store& store,
                                                         const trial::Recording& recording);

/**
 * Reads a file of any import format, or the file of a recorded space, and stores it in one transaction: if
 * the process is killed, either all or nothing is stored. Several sessions become a collection, in the file's
 * order.
 */
Result<ImportOutcome> import_file(store::Store& store, const ImportSource& source,
                                  ImportAs as = ImportAs::Automatic);
/** Imports a single file. */
Result<ImportOutcome> import_file(store::Store& store, const std::filesystem::path& path,
                                  ImportAs as = ImportAs::Automatic);

}  // namespace kernelscape::exchange
