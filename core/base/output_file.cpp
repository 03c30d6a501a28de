#include "core/base/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <tuple>
#include <utility>

#include "core/base/open_database.h"

namespace kernelscape::base {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t recognised_bytes = 1 << 20;  // of a file, by which its kind is recognised
constexpr int max_links = 8;
constexpr std::string_view recorded_space_magic = "KSREC";
constexpr std::array<std::string_view, 3> database_suffixes{"-wal", "-shm", "-journal"};

/** Where a file is to be written: nothing below follows a link any more. */
struct OutputSpot {
  OpenFolder folder;
  std::string name;

  bool find(struct stat& state, const std::string& file) const {
    return fstatat(folder.descriptor(), file.c_str(), &state, AT_SYMLINK_NOFOLLOW) == 0;
  }
};

std::unexpected<Error> never_replaced(const fs::path& path, std::string_view what) {
  return fail(ErrorCode::Refused, fmt::format("{} is {}, which is never replaced", path.string(), what),
              "name another file");
}

std::unexpected<Error> not_followed(const fs::path& path, const fs::path& target) {
  return fail(ErrorCode::Refused,
              fmt::format("{} is a symbolic link out of its folder, to {}", path.string(), target.string()),
              "links that lead elsewhere are not followed: name the file that you mean");
}

/** Describes a file of another program: "it begins with "int main"". */
std::string look_of(std::string_view head) {
  constexpr std::size_t shown_bytes = 40;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> known{
      {{"\x89PNG", "a picture (PNG)"},
       {"%PDF-", "a PDF file"},
       {"\x1f\x8b", "a gzip file"},
       {"PK\x03\x04", "a zip file"},
       {"\x7f"
        "ELF",
        "a program or library"},
       {recorded_space_magic, "a recorded space"}}};
  for (const auto& [magic, name] : known)
    if (head.starts_with(magic)) return fmt::format("it is {}", name);
  std::string shown;
  for (const char c : head.substr(0, std::min(head.find_first_of("\r\n"), shown_bytes)))
    shown += c >= ' ' && c <= '~' && c != '"' ? c : '?';
  return fmt::format("it begins with \"{}\"", shown);
}

bool same_file(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/** Returns true for a source under any of its names, and for files that belong to a source database. */
bool is_source(const struct stat& found, const std::vector<fs::path>& sources) {
  if (database_use(found) != DatabaseUse::None) return true;
  return std::ranges::any_of(sources, [&](const fs::path& source) {
    struct stat state{};
    if (stat(source.c_str(), &state) == 0 && same_file(state, found)) return true;
    return std::ranges::any_of(database_suffixes, [&](std::string_view suffix) {
      const std::string beside = source.string() + std::string(suffix);
      return stat(beside.c_str(), &state) == 0 && same_file(state, found);
    });
  });
}

/** An empty database may have all of its pages in its log. */
bool has_log(const OutputSpot& spot) {
  struct stat state{};
  return spot.find(state, spot.name + "-wal") || spot.find(state, spot.name + "-journal");
}

/** Also if the file does not exist now: SQLite would take the written file for its own. */
Status check_belongs_to_no_database(const OutputSpot& spot, const OutputRequest& request) {
  for (const std::string_view suffix : database_suffixes) {
    if (!spot.name.ends_with(suffix)) continue;
    const std::string database = spot.name.substr(0, spot.name.size() - suffix.size());
    struct stat state{};
    if (database.empty() || !spot.find(state, database)) continue;
    bool is_database = is_source(state, request.sources);
    if (!is_database) {
      const auto head = read_beginning_in(spot.folder, database, recognised_bytes);
      is_database = head && *head && (begins_as_database(**head) || (*head)->empty());
    }
    if (is_database) return never_replaced(request.path, fmt::format("a part of the database {}", database));
  }
  return {};
}

Status check_content(const OutputSpot& spot, const OutputRequest& request, std::string_view head) {
  if (begins_as_database(head) || (head.empty() && has_log(spot)))
    return never_replaced(request.path, "a database or a part of one");
  const bool recording = head.starts_with(recorded_space_magic);
  if (recording && !request.kind.recording) return never_replaced(request.path, "a recorded space");
  const OutputKind& kind = request.kind;
  if (head.empty() || request.force) return {};
  if (recording) {
    return fail(
        ErrorCode::Occupied,
        fmt::format("{} is a recorded space already, which holds measurements", request.path.string()),
        "name another file, or replace it with --force");
  }
  if (kind.recognises_own && kind.recognises_own(head)) return {};
  return fail(ErrorCode::Occupied,
              fmt::format("{} exists and is not a {}: {}", request.path.string(), kind.name, look_of(head)),
              "name another file, or replace it with --force");
}

/** Returns true if there is a file that may be replaced; an error if it may not. */
Result<bool> look_at(const OutputSpot& spot, const OutputRequest& request) {
  TRY(check_belongs_to_no_database(spot, request));
  struct stat found{};
  if (!spot.find(found, spot.name)) {
    if (errno == ENOENT) return false;
    return cannot_write_file(request.path, errno);
  }
  if (S_ISDIR(found.st_mode)) return cannot_write_file(request.path, EISDIR);
  if (is_source(found, request.sources)) return never_replaced(request.path, "being read");
  const std::optional<std::string> head = TRY(read_beginning_in(spot.folder, spot.name, recognised_bytes));
  if (head) TRY(check_content(spot, request, *head));
  return head.has_value();
}

/** Where the last part of the path leads, through links that stay in the folder. */
Result<OutputSpot> find_spot(const fs::path& path) {
  if (!path.has_filename()) return cannot_write_file(path, EISDIR);
  const OpenFolder folder = TRY(OpenFolder::open(path.parent_path(), path));
  OutputSpot spot{folder, path.filename()};
  for (int link = 0; link < max_links; ++link) {
    std::array<char, PATH_MAX> target{};
    const ssize_t size =
        readlinkat(spot.folder.descriptor(), spot.name.c_str(), target.data(), target.size());
    if (size < 0) return spot;  // not a link, or no file: look_at() distinguishes them
    const fs::path to(std::string(target.data(), static_cast<std::size_t>(size)));
    const bool stays = !to.has_parent_path() || TRY(spot.folder.is_same_as(to.parent_path()));
    if (!stays || !to.has_filename()) return not_followed(path, to);
    spot.name = to.filename();
  }
  return cannot_write_file(path, ELOOP);
}

/** The number of /dev/stdout, /dev/fd/5 and the like: descriptors that the caller gave this program. */
std::optional<int> own_descriptor(fs::path path) {
  const fs::path descriptors = fmt::format("/proc/{}/fd", getpid());
  for (int link = 0; link < max_links; ++link) {
    std::error_code error;
    const fs::path folder = fs::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
    if (error) return std::nullopt;
    if (folder == descriptors) {
      const std::string name = path.filename();
      int number = -1;
      const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
      if (failed == std::errc() && end == name.data() + name.size()) return number;
      return std::nullopt;
    }
    const fs::path target = fs::read_symlink(path, error);
    if (error) return std::nullopt;
    path = target.is_absolute() ? target : folder / target;
  }
  return std::nullopt;
}

/** Files that this program opened itself, such as a database, are not outputs given by its caller. */
Status check_was_given(int descriptor, const fs::path& path) {
  const int flags = fcntl(descriptor, F_GETFD);
  struct stat found{};
  if (flags < 0 || fstat(descriptor, &found) != 0) return cannot_write_file(path, errno);
  if ((flags & FD_CLOEXEC) == 0 && database_use(found) == DatabaseUse::None) return {};
  return fail(ErrorCode::Refused,
              fmt::format("{} leads to a file that this program has open itself", path.string()),
              "name another file");
}

/** Links of other users may lead anywhere; links of the system lead to what they are named after. */
Status check_leads_to_streams(const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error))) return {};
  const std::string folder = fs::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
  for (const std::string_view of_system : {"/dev", "/proc"})
    if (!error && (folder == of_system || folder.starts_with(std::string(of_system) + '/'))) return {};
  return fail(ErrorCode::Refused, fmt::format("{} is a link to something other than a file", path.string()),
              "name what it leads to, or another file");
}

/**
 * Returns a descriptor to write to if the path is a device or a pipe; -1 if it is a file on a disk, or does
 * not exist.
 */
Result<int> open_stream(const fs::path& path) {
  if (const std::optional<int> own = own_descriptor(path)) {
    TRY(check_was_given(*own, path));
    TRY(check_leads_to_streams(path));
    const int copy = fcntl(*own, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return cannot_write_file(path, errno);
    return copy;
  }
  struct stat found{};
  if (stat(path.c_str(), &found) != 0 || S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)) return -1;
  TRY(check_leads_to_streams(path));
  const int descriptor = open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return cannot_write_file(path, errno);
  if (fstat(descriptor, &found) == 0 && !S_ISREG(found.st_mode)) return descriptor;
  close(descriptor);
  return fail(ErrorCode::Refused, fmt::format("{} became a file while it was opened", path.string()),
              "try again");
}

}  // namespace

struct OutputFile::State {
  OutputRequest request;
  std::optional<OutputSpot> spot;  ///< none: written directly
  AtomicFile file;
};

OutputFile::OutputFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

Result<OutputFile> OutputFile::create(OutputRequest request) {
  if (const int stream = TRY(open_stream(request.path)); stream >= 0) {
    AtomicFile direct = AtomicFile::onto(stream, request.path);
    return OutputFile(std::make_unique<State>(State{std::move(request), std::nullopt, std::move(direct)}));
  }
  const OutputSpot spot = TRY(find_spot(request.path));
  return create_in(spot.folder, spot.name, std::move(request));
}

Result<OutputFile> OutputFile::create_in(const OpenFolder& folder, const std::string& name,
                                         OutputRequest request) {
  const OutputSpot spot{folder, name};
  std::ignore = TRY(look_at(spot, request));
  AtomicFile file = TRY(AtomicFile::create_in(folder, name, request.mode));
  return OutputFile(std::make_unique<State>(State{std::move(request), spot, std::move(file)}));
}

Status OutputFile::write(std::string_view bytes) { return state_->file.write(bytes); }

Status OutputFile::commit() {
  if (!state_->spot) return state_->file.commit();
  const bool replaces = TRY(look_at(*state_->spot, state_->request));
  return replaces ? state_->file.commit() : state_->file.commit_as_new();
}

Status write_output(OutputRequest request, std::string_view bytes) {
  OutputFile file = TRY(OutputFile::create(std::move(request)));
  TRY(file.write(bytes));
  return file.commit();
}

Status check_output(const OutputRequest& request) {
  struct stat found{};
  const bool exists = stat(request.path.c_str(), &found) == 0;
  if (const std::optional<int> own = own_descriptor(request.path)) {
    TRY(check_was_given(*own, request.path));
    return check_leads_to_streams(request.path);
  }
  if (exists && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode))
    return check_leads_to_streams(request.path);
  const OutputSpot spot = TRY(find_spot(request.path));
  return check_output_in(spot.folder, spot.name, request);
}

Status check_output_in(const OpenFolder& folder, const std::string& name, const OutputRequest& request) {
  std::ignore = TRY(look_at({folder, name}, request));
  return {};
}

}  // namespace kernelscape::base
