#include "core/exchange/kernels/kernel_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/output_file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/space/knob_json.h"

namespace kernelscape::exchange {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_kernel_file_bytes = 64 << 20;
constexpr std::string_view build_folder_name = "build";  // name from the README

/** The content of a manifest about its folder: the SHA-256 of the written text, by name. */
struct EarlierExport {
  std::multimap<std::string, std::string> written_texts{};
};

/**
 * Returns true for files that no build uses automatically, and for results of the README's builds; writing
 * those would follow a link.
 */
bool is_let_be(const base::OpenFolder& folder, const std::string& name) {
  struct stat found{};
  const int failed = fstatat(folder.descriptor(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW);
  if (failed != 0 || !S_ISREG(found.st_mode)) return false;
  constexpr std::array<std::string_view, 5> endings{".txt", ".md", ".log", ".o", ".tensors"};
  return name != "CMakeLists.txt" && name != "CMakeCache.txt" &&
         std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

/** Returns the source folder that a CMakeCache.txt names. */
std::optional<fs::path> source_folder(std::string_view cache) {
  constexpr std::string_view name = "\nCMAKE_HOME_DIRECTORY:INTERNAL=";
  const std::size_t found = cache.find(name);
  if (found == std::string_view::npos) return std::nullopt;
  cache.remove_prefix(found + name.size());
  return fs::path(cache.substr(0, cache.find('\n')));
}

/**
 * Returns true if the README's build may continue in `build`: it is empty, or CMake created it for this
 * folder. CMake obeys the content of its build folder, such as the compiler that its cache names.
 */
bool is_build_of(const base::OpenFolder& folder, const std::string& build) {
  constexpr std::size_t max_cache_bytes = 4 << 20;
  const fs::path path = folder.path_of(build);
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(path, error))) return false;
  const Result<base::OpenFolder> opened = base::OpenFolder::open(path);
  if (!opened) return false;
  if (const Result<bool> empty = opened->is_empty(); empty && *empty) return true;
  const auto cache = base::read_beginning_in(*opened, "CMakeCache.txt", max_cache_bytes);
  const fs::path sources = fs::canonical(folder.path(), error);
  return !error && cache && *cache && source_folder(**cache) == sources;
}

/** Returns true if the name cannot refer to a path outside of the folder. */
bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && !name.contains('/') && !name.contains('\0');
}

std::unexpected<Error> foreign_folder(const fs::path& folder) {
  return fail(ErrorCode::Refused,
              fmt::format("the folder {} is not empty and holds no earlier export", folder.string()),
              "name a new or an empty folder");
}

std::optional<EarlierExport> read_manifest(std::string_view text) {
  const space::Json manifest = space::parse_json(text);
  const space::Json* format = space::member_of(manifest, "format");
  const space::Json* files = space::member_of(manifest, "files");
  if (format == nullptr || *format != kernel_manifest_format || files == nullptr || !files->is_array())
    return std::nullopt;
  EarlierExport earlier;
  if (!std::ranges::all_of(*files, [](const space::Json& file) { return file.is_string(); }))
    return std::nullopt;
  const space::Json* written = space::member_of(manifest, written_files_name);
  if (written == nullptr) return earlier;
  if (!written->is_array()) return std::nullopt;
  for (const space::Json& file : *written) {
    const space::Json* name = space::member_of(file, "name");
    const space::Json* hash = space::member_of(file, "sha256");
    if (name == nullptr || hash == nullptr || !name->is_string() || !hash->is_string()) return std::nullopt;
    if (is_plain_name(name->get<std::string>()))
      earlier.written_texts.emplace(name->get<std::string>(), hash->get<std::string>());
  }
  return earlier;
}

/**
 * Returns the earlier export; nullopt: the folder is empty. Returns Refused if the folder has other content.
 */
Result<std::optional<EarlierExport>> earlier_export(const base::OpenFolder& folder) {
  const std::string name(kernel_manifest_name);
  const std::optional<std::string> text = TRY(base::read_beginning_in(folder, name, max_kernel_file_bytes));
  if (!text) {
    if (TRY(folder.is_empty())) return std::nullopt;
    return foreign_folder(folder.path());
  }
  std::optional<EarlierExport> earlier = read_manifest(*text);
  if (!earlier) return foreign_folder(folder.path());
  return earlier;
}

bool is_from_earlier(const EarlierExport& earlier, const std::string& name, std::string_view text) {
  if (!is_own_kernel_file(name, text)) return false;
  const auto [first, last] = earlier.written_texts.equal_range(name);
  if (first == last) return false;
  const std::string hash = base::sha256(text);
  return std::any_of(first, last, [&](const auto& entry) { return entry.second == hash; });
}

/** Writes into a folder after checking that nothing prevents it. */
class FolderWriter {
 public:
  FolderWriter(base::OpenFolder folder, const std::vector<ExportedFile>& files,
               std::optional<EarlierExport> earlier, bool force)
      : folder_(std::move(folder)), files_(files), earlier_(std::move(earlier)), force_(force) {}

  Status run() {
    TRY(look());
    // The manifest comes first, so that a partly written folder is recognised as an export.
    TRY(write({std::string(kernel_manifest_name), transitional_manifest()}));
    for (const ExportedFile& file : files_)
      if (file.name != kernel_manifest_name) TRY(write(file));
    remove_what_is_no_more_written();
    return earlier_ ? write({std::string(kernel_manifest_name), manifest()}) : Status{};
  }

 private:
  const std::string& manifest() const {
    return std::ranges::find(files_, kernel_manifest_name, &ExportedFile::name)->text;
  }

  /** Returns the manifest with the texts of the earlier export beside the new ones. */
  std::string transitional_manifest() const {
    space::Json both = space::parse_json(manifest());
    if (!earlier_ || both.is_discarded()) return manifest();
    for (const auto& [name, hash] : earlier_->written_texts)
      both[written_files_name].push_back({{"name", name}, {"sha256", hash}});
    return both.dump(2, ' ', false, space::Json::error_handler_t::replace) + "\n";
  }

  /** Checks all files before any is changed. */
  Status look() {
    std::vector<std::string> others;
    for (const ExportedFile& file : files_) {
      const std::optional<std::string> text =
          TRY(base::read_beginning_in(folder_, file.name, max_kernel_file_bytes));
      if (!text) continue;
      const bool ours = file.name == kernel_manifest_name || *text == file.text || text->empty() ||
                        (earlier_ && is_from_earlier(*earlier_, file.name, *text));
      if (ours) replaced_[file.name] = *text;
      if (!ours && !force_) others.push_back(file.name);
      if (const Status free = base::check_output_in(folder_, file.name, request_of(file.name));
          !free && free.error().code != ErrorCode::Occupied)
        return free;
    }
    if (!force_) std::ranges::move(TRY(strangers()), std::back_inserter(others));
    if (others.empty()) return {};
    return fail(ErrorCode::Occupied,
                fmt::format("the folder {} has files that no export wrote, or that were changed since: {}",
                            folder_.path().string(), base::join(others, ", ")),
                "name another folder, or replace them with --force");
  }

  /**
   * Returns true for the check program that the README's build leaves beside its source. Another program
   * could be executed in its place.
   */
  bool is_own_check(const std::string& name) const {
    struct stat found{};
    if (name != "check" || fstatat(folder_.descriptor(), "check", &found, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(found.st_mode))
      return false;
    if ((found.st_mode & 0111) == 0) return true;
    const auto source = base::read_beginning_in(folder_, "check.c", max_kernel_file_bytes);
    return source && *source && earlier_ && is_from_earlier(*earlier_, "check.c", **source);
  }

  /**
   * Returns files beside an export that may affect its build, such as a header with a system header's name.
   */
  Result<std::vector<std::string>> strangers() const {
    std::vector<std::string> found;
    // A folder that cannot be listed may contain anything.
    const std::vector<std::string> names = TRY(folder_.names());
    for (const std::string& name : names) {
      if (name == build_folder_name ? is_build_of(folder_, name) : is_let_be(folder_, name)) continue;
      if (is_own_check(name)) continue;
      if (std::ranges::find(files_, name, &ExportedFile::name) != files_.end()) continue;
      const auto text = base::read_beginning_in(folder_, name, max_kernel_file_bytes);
      const bool ours = text && *text && earlier_ && is_from_earlier(*earlier_, name, **text);
      if (!ours) found.push_back(name);
    }
    std::ranges::sort(found);
    constexpr std::size_t max_named = 8;
    if (found.size() > max_named) found.resize(max_named);
    return found;
  }

  /** Allows replacing the checked content only, and not content that appeared since the check. */
  base::OutputRequest request_of(const std::string& name) const {
    const auto recognises_own = [this, name](std::string_view head) {
      if (name == kernel_manifest_name && is_own_kernel_manifest(head)) return true;
      const auto found = replaced_.find(name);
      return found != replaced_.end() && found->second.starts_with(head);
    };
    return {.path = folder_.path_of(name),
            .kind = {.name = "file of an exported kernel", .recognises_own = recognises_own},
            .force = force_,
            .mode = base::ReplacedMode::Closed};
  }

  Status write(const ExportedFile& file) {
    base::OutputFile output = TRY(base::OutputFile::create_in(folder_, file.name, request_of(file.name)));
    TRY(output.write(file.text));
    return output.commit();
  }

  /**
   * Removes files that are not written any more. A file that cannot be removed is kept: the new export is
   * complete without it.
   */
  void remove_what_is_no_more_written() const {
    if (!earlier_) return;
    for (const auto& [name, hash] : earlier_->written_texts) {
      if (std::ranges::find(files_, name, &ExportedFile::name) != files_.end()) continue;
      const auto text = base::read_beginning_in(folder_, name, max_kernel_file_bytes);
      if (text && *text && is_from_earlier(*earlier_, name, **text))
        unlinkat(folder_.descriptor(), name.c_str(), 0);
    }
  }

  base::OpenFolder folder_;
  const std::vector<ExportedFile>& files_;
  std::optional<EarlierExport> earlier_;
  std::map<std::string, std::string> replaced_{};  ///< texts of files that may be replaced, by name
  bool force_;
};

}  // namespace

nlohmann::json written_file(const ExportedFile& file) {
  return {{"name", file.name}, {"sha256", base::sha256(file.text)}};
}

bool is_own_kernel_manifest(std::string_view head) {
  return head.starts_with("{\n  \"files\": [") &&
         head.contains(fmt::format("\n  \"format\": \"{}\",\n", kernel_manifest_format));
}

bool is_own_kernel_file(std::string_view name, std::string_view head) {
  constexpr std::string_view comment_of_kernels = "/*\n * task ";
  const auto contains_soon = [&](std::string_view text) {
    constexpr std::size_t soon_bytes = 4096;
    return head.substr(0, soon_bytes).contains(text);
  };
  if (name == kernel_manifest_name) return is_own_kernel_manifest(head);
  if (head.substr(0, 64).contains("Part of a model's library written by Kernelscape")) return true;
  if (name == "README.md") return head.starts_with("# ") && contains_soon(" found by Kernelscape");
  if (name == "CMakeLists.txt")
    return head.starts_with("cmake_minimum_required(VERSION ") &&
           head.contains("# The flags that each kernel was measured with");
  if (name == "check.c") return head.starts_with("/*\n * Checks the kernels of ");
  if (name.ends_with(".h")) return head.starts_with("/*\n * Kernels found by Kernelscape.");
  if (name == "pass.c") return head.starts_with("/*\n * Runs the kernels of ");
  if (name == "pass_onednn.cpp") return head.starts_with("/*\n * oneDNN's pass over the layers of ");
  if (name.ends_with("_vendor.cpp"))
    return head.starts_with("/*\n * The layers of ") && contains_soon(" that oneDNN computes, where it was ");
  if (name.ends_with("_table.c") && head.starts_with("/* The kernels of ")) return true;
  if (name.ends_with("_conversions.c") && head.starts_with("/* Conversions between the layouts of "))
    return true;
  constexpr std::array<std::string_view, 4> endings{".c", ".cpp", ".cu", ".cl"};
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); }) &&
         head.starts_with("/*") && contains_soon(comment_of_kernels);
}

Status write_kernel_folder(const std::vector<ExportedFile>& files, const fs::path& folder, bool force) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return fail(ErrorCode::Environment,
                fmt::format("cannot make the folder {}: {}", folder.string(), error.message()),
                "choose a place that you may write");
  }
  const base::OpenFolder opened = TRY(base::OpenFolder::open(folder));
  std::optional<EarlierExport> earlier = TRY(earlier_export(opened));
  return FolderWriter(opened, files, std::move(earlier), force).run();
}

Status check_kernel_folder(const fs::path& folder) {
  std::error_code unknown;
  if (!fs::exists(folder, unknown) && !unknown) return {};
  const base::OpenFolder opened = TRY(base::OpenFolder::open(folder));
  std::ignore = TRY(earlier_export(opened));
  return {};
}

}  // namespace kernelscape::exchange
