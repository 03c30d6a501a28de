#include "ui/models/session_text.h"
#include "ui/report/report.h"
#include "ui/report/reported_session.h"
#include "ui/style/numbers.h"

namespace kernelscape::report {
namespace {

constexpr std::size_t live_messages = 10;

/** Appends how far a running session is, and when it is expected to end. */
void append_progress(Blocks& blocks, const workspace::SourceData& source) {
  if (!source.running()) return;
  const trial::Budget& budget = source.budget.budget;
  const auto of_limit = [](const QString& used, bool limited, const QString& limit) {
    return limited ? QStringLiteral("%1 of %2").arg(used, limit) : used;
  };
  Facts facts;
  facts.facts.emplace_back(QStringLiteral("Trials"),
                           of_limit(style::format_count(source.status.trial_count), budget.trials > 0,
                                    style::format_count(budget.trials)));
  facts.facts.emplace_back(QStringLiteral("Session time"),
                           of_limit(style::format_duration(source.status.session_seconds), budget.minutes > 0,
                                    style::format_duration(trial::budget_seconds(budget))));
  facts.facts.emplace_back(QStringLiteral("Time left"),
                           style::format_duration_left(models::session_seconds_left(source.status, budget)));
  blocks.emplace_back(std::move(facts));
}

}  // namespace

Result<Document> live_session_document(const workspace::Source& source, const std::filesystem::path& database,
                                       const workspace::JobControl& control) {
  ReportedSession session{source, figures::make_shown(source, {}, std::nullopt, control)};
  if (!session.shown) return fail(ErrorCode::Refused, "reading the session was cancelled");
  session.database = database;
  session.messages = TRY(figures::frequent_messages(database, *session.shown, live_messages, control));
  const figures::Source shown{.session = source, .shown = session.shown, .database = database};
  Document document{reported_title(*source), reported_subtitle(*source), {}};
  Blocks& blocks = document.blocks;
  append_answer(blocks, session);
  append_progress(blocks, *source);
  if (source->record().kind != store::SessionKind::Recorded)
    append_figures(blocks, QStringLiteral("Progress"), figures::ReportPart::Course, shown, control);
  if (source->trials.size() > 0)
    append_figures(blocks, QStringLiteral("Failures and time breakdown"), figures::ReportPart::Outcomes,
                   shown, control);
  append_failures(blocks, session);
  append_best_trials(blocks, session);
  append_figures(blocks, QStringLiteral("What the tuner reported"), figures::ReportPart::Model, shown,
                 control);
  if (!control.proceed()) return fail(ErrorCode::Refused, "reading the session was cancelled");
  return document;
}

}  // namespace kernelscape::report
