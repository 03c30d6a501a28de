#include "core/store/records.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace kernelscape::store {
namespace {

/** The beginning of the definition of every collection, and of no other study: lists search for it. */
constexpr std::string_view collection_beginning = R"({"purpose":"collection",)";

}  // namespace

std::string_view to_string(SessionState state) {
  switch (state) {
    case SessionState::Running:
      return "running";
    case SessionState::Interrupted:
      return "interrupted";
    case SessionState::Done:
      return "done";
    case SessionState::Failed:
      return "failed";
  }
  throw std::invalid_argument("an unknown session state");
}

std::string_view to_string(SessionKind kind) {
  switch (kind) {
    case SessionKind::Measured:
      return "measured";
    case SessionKind::Replayed:
      return "replayed";
    case SessionKind::Recorded:
      return "recorded space";
    case SessionKind::Imported:
      return "imported";
  }
  throw std::invalid_argument("an unknown kind of session");
}

bool measured_here(const SessionRecord& record) { return record.kind == SessionKind::Measured; }

std::string origin_text(const SessionRecord& record) {
  switch (record.kind) {
    case SessionKind::Measured:
      return {};
    case SessionKind::Replayed:
      return record.origin.empty()
                 ? "a replay of a recorded space, not measured here"
                 : fmt::format("a replay of the recorded space {}, not measured here", record.origin);
    case SessionKind::Recorded:
      return record.origin.empty() ? "a recorded space, not measured here"
                                   : fmt::format("a recorded space, {}, not measured here", record.origin);
    case SessionKind::Imported:
      break;
  }
  return record.origin.empty() ? "imported, not measured here"
                               : fmt::format("imported from {}, not measured here", record.origin);
}

std::string collection_to_json(const std::string& name, const std::string& about) {
  using nlohmann::json;
  const auto quoted = [](const std::string& text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
  };
  return fmt::format(R"({}"name":{},"about":{}}})", collection_beginning, quoted(name), quoted(about));
}

bool is_collection(const StudyRecord& study) { return study.study_json.starts_with(collection_beginning); }

}  // namespace kernelscape::store
