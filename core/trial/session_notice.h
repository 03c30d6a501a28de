#pragma once

#include <string>

namespace kernelscape {

/**
 * What a session said beside its trials that whoever reads its numbers has to know: what the machine did
 * meanwhile, what could not be confirmed, what an importer left out.
 */
struct SessionNotice {
  std::string kind;            ///< "machine", "process", "note", "problem" or "import"
  std::string text;            ///< a sentence without its full stop, in the past tense where it tells a state
  double session_seconds = 0;  ///< when it was said first, on the session's clock; 0 before it began

  bool operator==(const SessionNotice&) const = default;
};

}  // namespace kernelscape
