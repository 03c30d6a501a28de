#include "core/trial/session_notice.h"

namespace kernelscape {

bool disturbs(const SessionNotice& notice) {
  return notice.kind == machine_notice || notice.kind == process_notice || notice.kind == problem_notice;
}

std::vector<std::string> disturbances(std::span<const SessionNotice> notices) {
  std::vector<std::string> texts;
  for (const SessionNotice& notice : notices)
    if (disturbs(notice)) texts.push_back(notice.text);
  return texts;
}

}  // namespace kernelscape
