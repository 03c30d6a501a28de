#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/long_json.h"
#include "core/exchange/chosen_trials.h"
#include "core/exchange/export_formats.h"
#include "core/exchange/formats/session_json.h"
#include "core/exchange/formats/session_key.h"
#include "core/exchange/text_output.h"

namespace kernelscape::exchange {
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
    const store::Store& store = request_.store;
    const store::SessionSummary& summary = session_.summary;
    TRY(text_.add(fmt::format("{{\"format\": \"{}\", \"format_version\": {}", session_json_format,
                              session_json_version)));
    store::SessionRecord record = summary.record;
    if (!record.project_hash.empty())
      record.project_json = TRY(store.sessions().project_json(request_.session));
    TRY(add_member("session", *base::LongJson(session_record_to_json(record, summary.annotation))));
    TRY(add_member("status", session_status_to_json(summary.status)));
    TRY(add_list("confirmations", TRY(store.confirmations().of(request_.session)), confirmation_to_json));
    TRY(add_list("interruptions", TRY(store.interruptions().of(request_.session)), interruption_to_json));
    // Files of sessions without notices are unchanged.
    if (const auto notices = TRY(store.notices().of(request_.session)); !notices.empty())
      TRY(add_list("notices", notices, notice_to_json));
    TRY(add_list("series", TRY(store.series().of(request_.session)), series_to_json));
    TRY(begin_list("trials"));
    TRY(visit_chosen_trials(request_, session_, [&](const trial::Trial& trial) {
      return add_item(trial_to_json(trial, session_.space));
    }));
    TRY(text_.add("\n]}\n"));
    return text_.flush();
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
  Status add_list(const char* name, const std::vector<T>& items,
                  nlohmann::ordered_json (*to_json)(const T&)) {
    TRY(begin_list(name));
    for (const T& item : items) TRY(add_item(to_json(item)));
    return text_.add("]");
  }

  const ExportRequest& request_;
  const ExportedSession& session_;
  TextPieces text_;
  bool first_ = true;
};

bool is_own_session_json(std::string_view head) {
  return head.starts_with(fmt::format("{{\"format\": \"{}\", \"format_version\": ", session_json_format));
}

Status export_session_json(const ExportRequest& request) {
  const ExportedSession session = TRY(read_exported_session(request));
  if (request.notices && session.summary.record.kind == store::SessionKind::Recorded)
    request.notices->emplace_back("the recorded space itself is only in --format recorded");
  return write_text_output(output_of(request),
                           [&](const TextSink& sink) { return write_session_json(request, session, sink); });
}

}  // namespace

Status write_session_json(const ExportRequest& request, const ExportedSession& session,
                          const TextSink& sink) {
  return SessionWriter(request, session, sink).run();
}

ExportFormat session_json_export() {
  return {.name = "json",
          .summary = "the whole session with all trials, for import",
          .to_standard_output = true,
          .recognises_own = is_own_session_json,
          .write = export_session_json};
}

}  // namespace kernelscape::exchange
