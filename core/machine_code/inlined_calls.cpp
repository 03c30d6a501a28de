#include "core/machine_code/inlined_calls.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace kernelscape::machine_code {
namespace {

using LabelPair = std::pair<std::string, std::string>;

/** Returns the word after a directive: ".quad .LBE165-.LBB165" gives ".LBE165". */
std::string value_of(std::string_view line) {
  std::size_t at = line.find('.');
  at = at == line.npos ? at : line.find_first_of(" \t", at);
  at = at == line.npos ? at : line.find_first_not_of(" \t", at);
  if (at == line.npos) return {};
  return std::string(line.substr(at, line.find_first_of("- \t#/", at) - at));
}

int number_of(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  return value;
}

/** Reads the lines of .debug_info and .debug_rnglists, whose comments name each value. */
class DebugReader {
 public:
  void line(std::string_view text) {
    const auto says = [text](std::string_view word) { return text.find(word) != text.npos; };
    if (says("(DIE (")) {
      if (inside_) calls_.push_back(call_);
      call_ = {};
      inside_ = says("DW_TAG_inlined_subroutine");
    } else if (inside_ && says("DW_AT_low_pc")) {
      call_.labels.first = value_of(text);
    } else if (inside_ && says("DW_AT_high_pc")) {
      call_.labels.second = value_of(text);
    } else if (inside_ && says("DW_AT_ranges")) {
      call_.ranges = value_of(text);
    } else if (inside_ && says("DW_AT_call_line")) {
      call_.line = number_of(value_of(text));
    } else if (text.starts_with(".LLRL")) {
      list_ = text.substr(0, text.find(':'));
    } else if (says("Range begin address")) {
      ranges_[list_].push_back({value_of(text), {}});
    } else if ((says("Range end address") || says("Range length")) && !ranges_[list_].empty()) {
      ranges_[list_].back().second = value_of(text);
    }
  }

  std::vector<InlinedCall> result() {
    if (inside_) calls_.push_back(call_);
    std::vector<InlinedCall> result;
    for (const Call& call : calls_) {
      if (call.line <= 0) continue;
      if (!call.labels.first.empty()) result.push_back({call.labels.first, call.labels.second, call.line});
      const auto found = ranges_.find(call.ranges);
      if (call.ranges.empty() || found == ranges_.end()) continue;
      for (const LabelPair& labels : found->second)
        result.push_back({labels.first, labels.second, call.line});
    }
    return result;
  }

 private:
  struct Call {
    LabelPair labels;
    std::string ranges;
    int line = 0;
  };

  bool inside_ = false;
  Call call_;
  std::vector<Call> calls_;
  std::string list_;
  std::map<std::string, std::vector<LabelPair>> ranges_;
};

}  // namespace

std::vector<InlinedCall> read_inlined_calls(std::string_view text) {
  DebugReader reader;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.result();
}

}  // namespace kernelscape::machine_code
