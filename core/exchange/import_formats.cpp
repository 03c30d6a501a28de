#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/exchange/formats/session_json.h"
#include "core/exchange/importer.h"

namespace kernelscape {
namespace {

/** Whether `"key"` stands somewhere in the text. */
bool has_key(std::string_view head, std::string_view key) {
  return head.contains(fmt::format("\"{}\"", key));
}

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

/** Files of other formats may hold a session too, beside a checksum. */
bool recognises_kernelscape(std::string_view head) {
  return is_object(head) && has_key(head, session_json_format) && !has_key(head, "entries_crc");
}

/** With sorted keys the entries come first. */
bool recognises_kernel_tuner(std::string_view head) {
  if (!is_object(head)) return false;
  const bool entries =
      has_key(head, "cache") && (has_key(head, "kernel_name") || has_key(head, "compile_time"));
  return head.contains("\"tune_params") || entries;
}

bool recognises_t4(std::string_view head) {
  return is_object(head) &&
         (has_key(head, "timeunit") || (has_key(head, "results") && has_key(head, "invalidity")));
}

bool recognises_ktt(std::string_view head) {
  return is_object(head) &&
         (has_key(head, "KttVersion") || (has_key(head, "Results") && has_key(head, "Metadata")));
}

/** Pickled logs and those of TVM's other tuners too: the reader says why it can't read them. */
bool recognises_autotvm(std::string_view head) {
  const std::string_view line = first_line(head);
  if (line.starts_with('[')) return true;
  if (!line.starts_with('{')) return line.contains("\tgA");
  return (has_key(line, "input") && has_key(line, "config")) || (has_key(line, "i") && has_key(line, "r"));
}

}  // namespace

const std::vector<ImportFormat>& import_formats() {
  static const std::vector<ImportFormat> formats = {
      {"kernelscape", "a whole session, as export writes it with --format json", recognises_kernelscape,
       read_kernelscape_json},
      {"kernel-tuner", "a cache of Kernel Tuner, finished or not", recognises_kernel_tuner,
       read_kernel_tuner_cache},
      {"t4", "results in the T4 format of the autotuning methodology", recognises_t4, read_t4_results},
      {"ktt", "results of KTT in JSON", recognises_ktt, read_ktt_results},
      {"autotvm", "a log of AutoTVM 0.1 or 0.2", recognises_autotvm, read_autotvm_log},
  };
  return formats;
}

}  // namespace kernelscape
