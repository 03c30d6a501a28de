#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/measure/cpu/machine_limits.h"
#include "core/session/kernel_library.h"
#include "ui/figures/headline.h"
#include "ui/models/session_text.h"
#include "ui/report/report.h"
#include "ui/report/reported_session.h"
#include "ui/style/numbers.h"

namespace kernelscape::report {
namespace {

Blocks session_blocks(const ReportedSession& session, const workspace::JobControl& control) {
  const figures::Source source{
      .session = session.source, .shown = session.shown, .database = session.database};
  Blocks blocks;
  append_answer(blocks, session);
  if (session.source->record().kind != store::SessionKind::Recorded)
    append_figures(blocks, QStringLiteral("Progress"), figures::ReportPart::Course, source, control);
  append_figures(blocks, QStringLiteral("What the tuner reported"), figures::ReportPart::Model, source,
                 control);
  if (session.source->trials.size() > 0)
    append_figures(blocks, QStringLiteral("Failures and time breakdown"), figures::ReportPart::Outcomes,
                   source, control);
  append_failures(blocks, session);
  append_resources(blocks, session);
  append_figures(blocks, QStringLiteral("Compute or memory"), figures::ReportPart::Machine, source, control);
  append_best_trials(blocks, session);
  append_space_charts(blocks, source, control);
  append_setup(blocks, session);
  append_reproduction(blocks, session);
  return blocks;
}

/** Returns "confirmed, disturbed"; the disturbances are listed below the number of the session. */
QString trust_and_disturbance(const workspace::SourceData& source) {
  const QString trust = models::trust_text(source.record(), source.headline);
  return std::ranges::any_of(source.notices, trial::disturbs) ? trust + QStringLiteral(", disturbed") : trust;
}

QStringList overview_row(const workspace::SourceData& source) {
  const double best = source.headline.value.seconds;
  return {QString::number(source.id()),
          reported_title(source),
          report_string(source.record().task_name),
          models::session_tuner_text(source.record()),
          style::format_count(source.trials.size()),
          style::format_duration(source.status.session_seconds),
          models::speed_or_time_text(source, best),
          source.headline.trial < 0 ? style::no_number() : trust_and_disturbance(source),
          source.compared.vendor.share > 0 ? style::format_percent(source.compared.vendor.share)
                                           : style::no_number()};
}

Table overview_table() {
  Table table;
  table.columns = {{QStringLiteral("session"), true},  {QStringLiteral("name")},
                   {QStringLiteral("task")},           {QStringLiteral("tuner")},
                   {QStringLiteral("trials"), true},   {QStringLiteral("time"), true},
                   {QStringLiteral("best"), true},     {QStringLiteral("state")},
                   {QStringLiteral("of vendor"), true}};
  return table;
}

/** Appends the parts of a session's report below its own heading. */
void append_below(Blocks& blocks, const workspace::SourceData& source, Blocks parts) {
  blocks.emplace_back(
      Heading{2, QStringLiteral("%1 · %2").arg(QString::number(source.id()), reported_title(source))});
  blocks.emplace_back(Paragraph{reported_subtitle(source), Tone::Muted});
  for (Block& part : parts) {
    if (auto* heading = std::get_if<Heading>(&part)) ++heading->level;
    blocks.push_back(std::move(part));
  }
}

/** Returns the error of a session that can't be read, with the session's name if the name can be read. */
Error left_out_error(const store::Store& store, store::SessionId id, const Error& reason) {
  const Result<store::SessionSummary> session = store.sessions().get(id);
  const std::string name = session ? session->record.name : std::string();
  return {reason.code, session::left_out_text({id, name, reason.message}), reason.hint};
}

Error nothing_readable(const std::vector<Error>& left_out) {
  std::vector<std::string> messages;
  for (const Error& error : left_out) messages.push_back(error.message);
  return {left_out.front().code,
          fmt::format("none of the {} sessions can be read: {}", left_out.size(), base::join(messages, "; ")),
          left_out.front().hint};
}

/** Returns "3 sessions", or "2 of 3 sessions". */
QString sessions_title(std::size_t read, std::size_t left_out) {
  return left_out == 0 ? QStringLiteral("%1 sessions").arg(read)
                       : QStringLiteral("%1 of %2 sessions").arg(read).arg(read + left_out);
}

}  // namespace

Result<Document> session_report_document(const store::Store& store, store::SessionId id,
                                         const workspace::JobControl& control) {
  const ReportedSession session = TRY(read_reported_session(store, id, control));
  return Document{reported_title(*session.source), reported_subtitle(*session.source),
                  session_blocks(session, control)};
}

Result<Document> sessions_report_document(const store::Store& store, std::span<const store::SessionId> ids,
                                          const workspace::JobControl& control, std::vector<Error> left_out) {
  if (ids.size() == 1 && left_out.empty()) return session_report_document(store, ids.front(), control);
  Table overview = overview_table();
  std::vector<workspace::Source> sources;
  Blocks sections;
  for (const store::SessionId id : ids) {
    const Result<ReportedSession> session = read_reported_session(store, id, control);
    if (!session) {
      if (!control.proceed()) return std::unexpected(session.error());
      left_out.push_back(left_out_error(store, id, session.error()));
      continue;
    }
    overview.rows.push_back(overview_row(*session->source));
    sources.push_back(session->source);
    append_below(sections, *session->source, session_blocks(*session, control));
  }
  if (overview.rows.empty()) return std::unexpected(nothing_readable(left_out));
  Document document{sessions_title(overview.rows.size(), left_out.size()), {}, {}};
  for (const Error& error : left_out)
    document.blocks.emplace_back(Paragraph{report_string(error.message), Tone::Notice});
  document.left_out = std::move(left_out);
  document.blocks.emplace_back(std::move(overview));
  if (const QString notice = figures::vendor_difference_text(sources); !notice.isEmpty())
    document.blocks.emplace_back(Paragraph{printable_text(notice), Tone::Notice});
  for (Block& block : sections) document.blocks.push_back(std::move(block));
  return document;
}

}  // namespace kernelscape::report
