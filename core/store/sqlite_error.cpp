#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/foreign_file.h"
#include "core/base/media/shell_script.h"
#include "core/base/read_file.h"
#include "core/store/sqlite.h"

namespace kernelscape::store::sqlite {
namespace {

Error constraint_error(int code, std::string_view detail, const std::string& path) {
  switch (code) {
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return {ErrorCode::NotFound, fmt::format("the session was deleted from the database {}", path),
              "another process may have deleted it; start a new session"};
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_UNIQUE:
      return {ErrorCode::Refused, fmt::format("the database {} holds this already: {}", path, detail),
              "another process writes the same session; end one of them and resume"};
    default:
      return {ErrorCode::Internal, fmt::format("the database {} refuses a value: {}", path, detail),
              "nothing of this step was stored; please report it"};
  }
}

bool is_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

/** Returns the error for a folder, which SQLite opens for reading and detects only when it reads. */
Error folder_error(const std::filesystem::path& path) {
  return {ErrorCode::InvalidArgument, fmt::format("the database {} is a folder", path.string()),
          "name a file, for example kernelscape.db in it"};
}

Error cannot_open(int code, std::string_view detail, const std::filesystem::path& path) {
  if (code == SQLITE_CANTOPEN_ISDIR || is_folder(path)) return folder_error(path);
  const std::filesystem::path folder = base::absolute_path(path).value_or(path).parent_path();
  if (is_folder(folder) && faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) != 0) {
    return {ErrorCode::Refused,
            fmt::format("the database {} is in a folder that cannot be written", path.string()),
            "make the folder writable, or name another database with --db"};
  }
  return {ErrorCode::Environment, fmt::format("cannot open the database {}: {}", path.string(), detail),
          "check the path and your rights to it, or name another database with --db"};
}

/** Returns the size limit for files that this process writes; empty: no limit. */
std::string file_size_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  return fmt::format(" within the file size limit (ulimit -f) of {} bytes", limit.rlim_cur);
}

/**
 * Returns the commands that recover a database. The tool prints the schema of the file, and its shell
 * executes lines that look like its own commands: a foreign schema is not passed to it, and a schema of this
 * program is passed to a shell that starts no programs. Paths are absolute, because a name may begin like an
 * option.
 */
std::string recovery_hint(const Subject& subject) {
  if (!subject.has_own_schema) return "restore a copy; do not use the file if it came from elsewhere";
  std::error_code ignored;
  const std::string whole = std::filesystem::absolute(subject.path, ignored).string();
  return base::write<base::ShellScript>(
             "restore a copy, or save what can be read with: sqlite3 {} .recover | sqlite3 -safe {}", whole,
             whole + ".recovered")
      .text();
}

Error out_of_memory(std::string_view detail, const std::string& path) {
  return {ErrorCode::Environment,
          fmt::format("the database {} needs more memory than is available: {}", path, detail),
          "close other programs and try again: everything committed is kept"};
}

}  // namespace

Error make_error(int code, std::string_view detail, const Subject& subject) {
  constexpr int primary_code_mask = 0xff;
  const std::filesystem::path& path = subject.path;
  const std::string name = path.string();
  switch (code & primary_code_mask) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return {ErrorCode::Refused, fmt::format("the database {} is locked by another process", name),
              "wait until it finishes, or end the program that holds the lock, then try again"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {ErrorCode::Refused, fmt::format("the database {} is read-only: {}", name, detail),
              "make the file and its folder writable, or name another database with --db"};
    case SQLITE_FULL:
      return {ErrorCode::Environment, fmt::format("the disk of the database {} is full", name),
              "free some space and try again: everything committed is kept"};
    case SQLITE_IOERR:
      if (is_folder(path)) return folder_error(path);
      if (code == SQLITE_IOERR_NOMEM) return out_of_memory(detail, name);
      if (code == SQLITE_IOERR_SHMMAP || code == SQLITE_IOERR_MMAP) {
        return {
            ErrorCode::Environment,
            fmt::format("the database {} cannot be mapped into memory (code {})", name, code),
            "close other programs, or keep it on a local disk, then try again: everything committed is kept"};
      }
      return {ErrorCode::Environment,
              fmt::format("the database {} cannot be read or written{}: {} (code {})", name,
                          file_size_limit(), detail, code),
              "check the disk, its space, quotas and file size limits, then try again: everything committed "
              "is kept"};
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:
    case SQLITE_SCHEMA:
      return {ErrorCode::Corrupt, fmt::format("the database {} is damaged: {}", name, detail),
              recovery_hint(subject)};
    case SQLITE_NOTADB:
      if (const Status known = base::check_no_foreign_file(path); !known) return known.error();
      return {ErrorCode::Corrupt,
              fmt::format("the file {} is not a database, or its beginning is damaged", name),
              "name another file with --db, or restore a copy"};
    case SQLITE_CANTOPEN:
      return cannot_open(code, detail, path);
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
      return out_of_memory(detail, name);
    case SQLITE_CONSTRAINT:
      return constraint_error(code, detail, name);
    default:
      return {ErrorCode::Internal, fmt::format("the database {}: {} (code {})", name, detail, code),
              "please report it"};
  }
}

}  // namespace kernelscape::store::sqlite
