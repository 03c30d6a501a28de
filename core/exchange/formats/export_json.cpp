#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/exchange/chosen_trials.h"
#include "core/exchange/export_formats.h"
#include "core/exchange/formats/session_json.h"
#include "core/exchange/formats/session_key.h"
#include "core/exchange/text_output.h"

namespace kernelscape {
namespace {

std::string line_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/** Writes an object member by member. */
class SessionWriter {
 public:
  SessionWriter(const ExportRequest& request, const ExportedSession& session, const TextSink& sink)
      : request_(request), session_(session), text_(sink) {}

  Status run() {
    const Store& store = request_.store;
    const SessionSummary& summary = session_.summary;
    Status written = text_.add(fmt::format("{{\"format\": \"{}\", \"format_version\": {}",
                                           session_json_format, session_json_version));
    if (written) written = add_member("session", session_record_to_json(summary.record, summary.annotation));
    if (written) written = add_member("status", session_status_to_json(summary.status));
    if (written)
      written = add_list("confirmations", store.confirmations(request_.session), confirmation_to_json);
    if (written)
      written = add_list("interruptions", store.interruptions(request_.session), interruption_to_json);
    if (written) written = add_list("series", store.series(request_.session), series_to_json);
    if (written) written = begin_list("trials");
    if (written)
      written = visit_chosen_trials(request_, session_, [&](const Trial& trial) {
        return add_item(trial_to_json(trial, session_.space));
      });
    if (written) written = text_.add("\n]}\n");
    return written ? text_.flush() : written;
  }

 private:
  Status add_member(const char* name, const nlohmann::ordered_json& json) {
    return text_.add(fmt::format(",\n\"{}\": {}", name, line_of(json)));
  }

  Status begin_list(const char* name) {
    first_ = true;
    return text_.add(fmt::format(",\n\"{}\": [", name));
  }

  Status add_item(const nlohmann::ordered_json& json) {
    return text_.add((std::exchange(first_, false) ? "\n" : ",\n") + line_of(json));
  }

  template <typename T>
  Status add_list(const char* name, const Result<std::vector<T>>& items,
                  nlohmann::ordered_json (*to_json)(const T&)) {
    if (!items) return std::unexpected(items.error());
    Status written = begin_list(name);
    for (auto item = items->begin(); written && item != items->end(); ++item)
      written = add_item(to_json(*item));
    return written ? text_.add("]") : written;
  }

  const ExportRequest& request_;
  const ExportedSession& session_;
  TextPieces text_;
  bool first_ = true;
};

}  // namespace

Status write_session_json(const ExportRequest& request, const ExportedSession& session,
                          const TextSink& sink) {
  return SessionWriter(request, session, sink).run();
}

Status export_session_json(const ExportRequest& request) {
  const Result<ExportedSession> session = read_exported_session(request);
  if (!session) return std::unexpected(session.error());
  if (request.notices && session->summary.record.kind == SessionKind::Recorded)
    request.notices->emplace_back(
        "columns beside times and the space that was swept are only in --format recorded");
  return write_text_output(request.path,
                           [&](const TextSink& sink) { return write_session_json(request, *session, sink); });
}

}  // namespace kernelscape
