#include "core/base/foreign_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/base/open_database.h"
#include "core/base/read_file.h"
#include "core/base/text.h"

namespace kernelscape::base {
namespace {

using std::string_view_literals::operator""sv;

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  ForeignKind kind;
};

constexpr std::string_view unpack = "unpack it, and name the file in it";
constexpr std::string_view name_another = "name the file that you mean";
constexpr ForeignKind zip{
    "a ZIP archive",
    "unpack it, and name the file in it; a model that PyTorch saved is exported with torch.onnx.export"};
constexpr ForeignKind pickle{"a pickle of Python, which would run what is in it when it is loaded",
                             "convert it in Python to JSON, or a model to ONNX"};

constexpr std::array signatures{
    Signature{0,
              "version https://git-lfs.github.com/spec/"sv,
              {"a pointer of Git LFS, not the file itself", "fetch the file with `git lfs pull`"}},
    Signature{0,
              "/annex/objects/"sv,
              {"a pointer of git-annex, not the file itself", "fetch the file with `git annex get`"}},
    Signature{0, "PK\x03\x04"sv, zip},
    Signature{0, "PK\x05\x06"sv, zip},
    Signature{0, "\x1f\x8b"sv, {"packed with gzip", "unpack it with gunzip"}},
    Signature{0, "BZh"sv, {"packed with bzip2", "unpack it with bunzip2"}},
    Signature{0,
              "\xfd"
              "7zXZ\x00"sv,
              {"packed with xz", "unpack it with unxz"}},
    Signature{0, "\x28\xb5\x2f\xfd"sv, {"packed with Zstandard", "unpack it with unzstd"}},
    Signature{0, "7z\xbc\xaf\x27\x1c"sv, {"a 7-Zip archive", unpack}},
    Signature{0, "Rar!\x1a\x07"sv, {"a RAR archive", unpack}},
    Signature{257, "ustar"sv, {"a tar archive", unpack}},
    Signature{0, "\x80\x02"sv, pickle},
    Signature{0, "\x80\x03"sv, pickle},
    Signature{0, "\x80\x04\x95"sv, pickle},
    Signature{0, "\x80\x05\x95"sv, pickle},
    Signature{0, "\x93NUMPY"sv, {"an array of NumPy", name_another}},
    Signature{0, "\x89HDF\r\n"sv, {"an HDF5 file", "export it to the format that is expected, such as ONNX"}},
    Signature{4, "TFL3"sv, {"a model of TensorFlow Lite", "export it to ONNX, for example with tf2onnx"}},
    Signature{0,
              "\x7f"
              "ELF"sv,
              {"a program or a library", name_another}},
    Signature{0, "\x89PNG\r\n"sv, {"an image", name_another}},
    Signature{0, "%PDF-"sv, {"a PDF document", name_another}}};

/** Beginnings of texts in lower case. */
constexpr std::array page_tags{"<!doctype html"sv, "<html"sv, "<head"sv, "<body"sv};

/** Returns true for a page that a server sends in place of a file. */
std::optional<ForeignKind> page_kind(std::string_view head) {
  constexpr std::string_view utf8_mark = "\xef\xbb\xbf";
  if (head.starts_with(utf8_mark)) head.remove_prefix(utf8_mark.size());
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || head[first] != '<') return std::nullopt;
  const std::string tag = lower_case(head.substr(first, 16));
  constexpr std::string_view download =
      "download the file again, with the address of the file itself (\"raw\")";
  if (std::ranges::any_of(page_tags, [&](std::string_view begin) { return tag.starts_with(begin); }))
    return ForeignKind{"a web page (HTML)", download};
  if (tag.starts_with("<?xml"))
    return ForeignKind{"an XML document, such as a server's error message", download};
  return std::nullopt;
}

}  // namespace

std::optional<ForeignKind> foreign_kind(std::string_view head) {
  if (head.empty()) return ForeignKind{"an empty file", "name another file, or copy it again"};
  const auto* const found = std::ranges::find_if(signatures, [&](const Signature& known) {
    return head.size() >= known.offset && head.substr(known.offset).starts_with(known.bytes);
  });
  return found == signatures.end() ? page_kind(head) : std::optional(found->kind);
}

Error foreign_file_error(const std::filesystem::path& path, const ForeignKind& kind) {
  return {ErrorCode::InvalidArgument, fmt::format("{} is {}", path.string(), kind.what),
          std::string(kind.hint)};
}

Status check_no_foreign_file(const std::filesystem::path& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown) || database_use(path) != DatabaseUse::None) return {};
  constexpr std::size_t head_bytes = 512;
  const std::optional<ForeignKind> kind = foreign_kind(TRY(read_file_beginning(path, head_bytes)));
  if (!kind) return {};
  return std::unexpected(foreign_file_error(path, *kind));
}

}  // namespace kernelscape::base
