#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/text.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"

namespace kernelscape {
namespace {

constexpr std::size_t head_bytes = 64 * 1024;
constexpr std::size_t shown_bytes = 40;

/** Whether `"key"` stands somewhere in the text. */
bool has_key(std::string_view head, std::string_view key) { return head.contains(fmt::format("\"{}\"", key)); }

bool is_object(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{';
}

/** The first line that is neither empty nor a comment. */
std::string_view first_line(std::string_view head) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = head.substr(0, end);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') return line.substr(first);
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return {};
}

bool recognises_kernelscape(std::string_view head) {
  return is_object(head) && head.substr(0, 200).contains("\"kernelscape-session\"");
}

bool recognises_kernel_tuner(std::string_view head) {
  return is_object(head) &&
         (has_key(head, "tune_params_keys") || (has_key(head, "kernel_name") && has_key(head, "cache")));
}

bool recognises_t4(std::string_view head) {
  return is_object(head) && has_key(head, "results") &&
         (has_key(head, "timeunit") || has_key(head, "invalidity"));
}

bool recognises_ktt(std::string_view head) {
  return is_object(head) && (has_key(head, "Results") || has_key(head, "KttVersion"));
}

/** Pickled logs and those of TVM's other tuners too: the reader says why it can't read them. */
bool recognises_autotvm(std::string_view head) {
  const std::string_view line = first_line(head);
  if (line.starts_with('[')) return true;
  if (!line.starts_with('{')) return line.contains("\tgA");
  return (has_key(line, "input") && has_key(line, "result")) || (has_key(line, "i") && has_key(line, "r"));
}

/** The beginning as people can read it: other bytes as \xNN. */
std::string shown_beginning(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, shown_bytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isprint(byte) != 0)
      shown += c;
    else
      shown += fmt::format("\\x{:02x}", static_cast<unsigned>(byte));
  }
  return shown;
}

std::unexpected<Error> unknown_format(const ImportText& file) {
  if (file.text.empty())
    return fail(ErrorCode::InvalidArgument, fmt::format("{} is empty", file.path.string()));
  std::vector<std::string> known;
  for (const ImportFormat& format : import_formats()) known.push_back(format.summary);
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} is in no known format; it begins with \"{}\"", file.path.string(),
                          shown_beginning(file.text)),
              fmt::format("known: {}, and recorded spaces of Kernelscape", join(known, ", ")));
}

}  // namespace

const std::vector<ImportFormat>& import_formats() {
  static const std::vector<ImportFormat> formats = {
      {"kernelscape", "sessions of Kernelscape as JSON", recognises_kernelscape, read_kernelscape_json},
      {"kernel-tuner", "caches of Kernel Tuner", recognises_kernel_tuner, read_kernel_tuner_cache},
      {"t4", "T4 results", recognises_t4, read_t4_results},
      {"ktt", "results of KTT as JSON", recognises_ktt, read_ktt_results},
      {"autotvm", "logs of AutoTVM", recognises_autotvm, read_autotvm_log},
  };
  return formats;
}

Result<ImportedFile> read_import(const std::filesystem::path& path) {
  const Result<ImportText> file = read_import_text(path);
  if (!file) return std::unexpected(file.error());
  const std::string_view head = std::string_view(file->text).substr(0, head_bytes);
  for (const ImportFormat& format : import_formats())
    if (format.recognises(head)) return format.read(*file);
  return unknown_format(*file);
}

}  // namespace kernelscape
