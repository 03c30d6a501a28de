#include "ui/models/session_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QTimeZone>
#include <algorithm>
#include <limits>
#include <string_view>

#include "core/exchange/stored_best.h"
#include "core/session/stop_request.h"
#include "ui/style/numbers.h"
#include "ui/style/plain_texts.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape::models {
namespace {

constexpr qsizetype shown_hash_digits = 8;  // digits of a content hash: enough to distinguish a user's own
                                            // kernels

constexpr double seconds_per_minute = 60;
QString text_of_view(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/** Returns true if the user ended the session in this way. Earlier versions stored a pause as a stop. */
bool ended_by(const store::SessionStatus& status, session::StopReason reason) {
  return status.state == store::SessionState::Interrupted &&
         status.state_reason == session::stop_reason_text(reason);
}

bool is_lost(store::SessionState state, const std::optional<store::Owner>& owner) {
  return state == store::SessionState::Interrupted && owner && !owner->alive();
}

/** Returns an invalid time if the text is not a time. */
QDateTime local_time(const std::string& created_utc) {
  QDateTime time = QDateTime::fromString(QString::fromStdString(created_utc), Qt::ISODate);
  if (!time.isValid()) return {};
  time.setTimeZone(QTimeZone::utc());
  return time.toLocalTime();
}

}  // namespace

QString session_title(const workspace::SessionEntry& session) {
  return session_title(session.summary.record);
}

QString session_title(const store::SessionRecord& record) {
  if (!record.name.empty()) return QString::fromStdString(record.name);
  return QString::fromStdString(record.task_name) + QLatin1Char(' ') + session_tuner_text(record);
}

QString session_task_text(const workspace::SessionEntry& session) {
  const store::SessionRecord& record = session.summary.record;
  // Only for tasks of imported logs the shape is more informative than the name.
  const bool from_log = record.kind == store::SessionKind::Imported && !session.shape.empty();
  return QString::fromStdString(from_log ? session.shape : record.task_name);
}

QString session_search_text(const workspace::SessionEntry& session) {
  const store::SessionRecord& record = session.summary.record;
  const store::SessionAnnotation& annotation = session.summary.annotation;
  return QStringList{session_title(session),
                     QString::fromStdString(record.task_name),
                     QString::fromStdString(session.shape),
                     QString::fromStdString(record.tuner),
                     tags_of(annotation).join(QLatin1Char(' ')),
                     QString::fromStdString(annotation.note)}
      .join(QLatin1Char('\n'));
}

QString collection_title(const workspace::SessionCollection& collection) {
  return QString::fromStdString(collection.summary.name);
}

QString collection_search_text(const workspace::SessionCollection& collection) {
  const store::SessionAnnotation& annotation = collection.summary.annotation;
  return QStringList{collection_title(collection), tags_of(annotation).join(QLatin1Char('\n')),
                     QString::fromStdString(annotation.note)}
      .join(QLatin1Char('\n'));
}

QString collection_count_text(const workspace::SessionCollection& collection) {
  const std::int64_t sessions = collection.summary.sessions;
  return sessions == 1
             ? QCoreApplication::translate("SessionModel", "1 session")
             : QCoreApplication::translate("SessionModel", "%1 sessions").arg(style::format_count(sessions));
}

QString session_speed_text(const workspace::SessionEntry& session) {
  if (session.build_only) return QCoreApplication::translate("SessionModel", "build only");
  const double seconds = session.best.value.seconds;
  if (seconds <= 0) return style::no_number();
  return session.flops > 0 ? style::format_quantity(session.flops / seconds, QStringLiteral("FLOPS"))
                           : style::format_quantity(seconds, QStringLiteral("s"));
}

QString session_best_text(const workspace::SessionEntry& session) {
  QString speed = session_speed_text(session);
  const bool confirmed = session.best.confirmed() && store::measured_here(session.summary.record);
  if (confirmed || session.best.value.seconds <= 0) return speed;
  return QStringLiteral("%1 %2").arg(speed, trust_text(session.summary.record, session.best));
}

double session_best_speed(const workspace::SessionEntry& session) {
  const double seconds = session.best.value.seconds;
  if (seconds <= 0) return 0;
  return session.flops > 0 ? session.flops / seconds / style::giga : 1 / seconds;
}

QString session_state_text(const workspace::SessionEntry& session) {
  return session_state_text(session.summary.status, session.summary.owner);
}

QString session_state_text(const store::SessionStatus& status, const std::optional<store::Owner>& owner) {
  if (status.state != store::SessionState::Interrupted || is_lost(status.state, owner))
    return text_of_view(store::to_string(status.state));
  return ended_by(status, session::StopReason::Stopped)
             ? QCoreApplication::translate("SessionModel", "stopped")
             : QCoreApplication::translate("SessionModel", "paused");
}

QString session_state_and_reason(const store::SessionStatus& status,
                                 const std::optional<store::Owner>& owner) {
  const QString reason = QString::fromStdString(status.state_reason);
  const bool by_user =
      ended_by(status, session::StopReason::Stopped) || ended_by(status, session::StopReason::Paused);
  if (by_user && !is_lost(status.state, owner))
    return QCoreApplication::translate("SessionModel", "%1, can be resumed").arg(reason);
  const QString state = session_state_text(status, owner);
  return reason.isEmpty() || by_user ? state : QStringLiteral("%1: %2").arg(state, reason);
}

QString run_state_text(const workspace::RunView& run) {
  if (run.untrusted != nullptr) return QCoreApplication::translate("SessionModel", "not trusted");
  if (run.state != workspace::RunState::Stopped) return text_of_view(workspace::to_string(run.state));
  return run.session ? QCoreApplication::translate("SessionModel", "stopped")
                     : QCoreApplication::translate("SessionModel", "removed from the queue");
}

double session_progress(const workspace::SessionEntry& session, const trial::Budget& budget) {
  return session_progress(session.summary.status, budget);
}

double session_progress(const store::SessionStatus& status, const trial::Budget& budget) {
  if (status.state == store::SessionState::Done) return 1;
  double share = -1;
  if (budget.trials > 0) share = static_cast<double>(status.trial_count) / static_cast<double>(budget.trials);
  if (budget.minutes > 0)
    share = std::max(share, status.session_seconds / (budget.minutes * seconds_per_minute));
  return std::min(share, 1.0);
}

double session_seconds_left(const store::SessionStatus& status, const trial::Budget& budget) {
  double left = std::numeric_limits<double>::infinity();
  if (budget.minutes > 0) left = budget.minutes * seconds_per_minute - status.session_seconds;
  if (budget.trials > 0 && status.trial_count > 0)
    left = std::min(left, static_cast<double>(budget.trials - status.trial_count) * status.session_seconds /
                              static_cast<double>(status.trial_count));
  return std::max(left, 0.0);
}

QString session_trials_text(const workspace::SessionEntry& session, const trial::Budget& budget) {
  const QString made = style::format_count(session.summary.status.trial_count);
  return budget.trials > 0 ? made + QLatin1Char('/') + style::format_count(budget.trials) : made;
}

QString created_text(const std::string& created_utc) {
  const QDateTime time = local_time(created_utc);
  return time.isValid() ? time.toString(QStringLiteral("yyyy-MM-dd HH:mm"))
                        : QString::fromStdString(created_utc);
}

QString short_created_text(const std::string& created_utc, const QDate& today) {
  const QDateTime time = local_time(created_utc);
  if (!time.isValid()) return QString::fromStdString(created_utc);
  if (time.date() == today) return time.toString(QStringLiteral("HH:mm"));
  if (time.date().year() == today.year()) return QLocale::c().toString(time.date(), QStringLiteral("MMM d"));
  return time.toString(QStringLiteral("yyyy-MM-dd"));
}

QStringList tags_of(const store::SessionAnnotation& annotation) {
  QStringList tags;
  for (const std::string& tag : annotation.tags) tags.append(QString::fromStdString(tag));
  return tags;
}

trial::Budget session_budget(const workspace::SessionEntry& session) {
  const Result<trial::BudgetPlan> plan = trial::budget_plan_from_json(session.summary.record.budget_json);
  return plan ? plan->budget : trial::Budget{.trials = 0};
}

bool session_runs(const workspace::SessionEntry& session) {
  return session.summary.status.state == store::SessionState::Running;
}

bool session_lost_its_owner(const workspace::SessionEntry& session) {
  return is_lost(session.summary.status.state, session.summary.owner);
}

QString speed_or_time_text(const workspace::SourceData& source, double seconds) {
  if (seconds <= 0) return style::no_number();
  return source.flops() > 0 ? style::format_quantity(source.flops() / seconds, QStringLiteral("FLOPS"))
                            : style::format_quantity(seconds, QStringLiteral("s"));
}

QString trust_text(const store::SessionRecord& record, const analysis::BestResult& best) {
  return QString::fromStdString(exchange::result_mark(record, best));
}

QString best_trial_text(const workspace::SourceData& source) {
  return QCoreApplication::translate("SessionModel", "the best trial of the session: %1, %2")
      .arg(speed_or_time_text(source, source.headline.value.seconds),
           trust_text(source.record(), source.headline));
}

std::optional<analysis::BestResult> measured_again(const workspace::SourceData& source, std::int64_t trial) {
  const analysis::BestInput input{
      .measured = {.trial = trial},
      .confirmations = source.confirmations,
      .speeds = source.baselines.confirmation_speeds,
      .usual = source.speeds ? source.speeds->usual : source.record().usual_probe};
  analysis::BestResult again = analysis::trial_result(input);
  return again.confirmed_utc.empty() ? std::nullopt : std::optional(std::move(again));
}

QString measured_again_fact(const workspace::SourceData& source, std::int64_t trial) {
  const std::optional<analysis::BestResult> again = measured_again(source, trial);
  if (!again) return {};
  return QCoreApplication::translate("SessionModel", "measured again: %1 (%2 to %3), %4")
      .arg(style::format_quantity(again->value.seconds, QStringLiteral("s")),
           style::format_quantity(again->value.samples.first, QStringLiteral("s")),
           style::format_quantity(again->value.samples.third, QStringLiteral("s")),
           trust_text(source.record(), *again));
}

QString kernel_maker_text(const store::SessionRecord& record) {
  return kernel_maker_text(record.task_name, record.project_hash, record.template_name,
                           record.template_version);
}

QString kernel_maker_text(const std::string& task_name, const std::string& project_hash,
                          const std::string& template_name, int template_version) {
  if (!project_hash.empty())
    return QCoreApplication::translate("SessionModel", "project %1, content %2…")
        .arg(QString::fromStdString(task_name), QString::fromStdString(project_hash).left(shown_hash_digits));
  if (template_name.empty()) return {};
  return QCoreApplication::translate("SessionModel", "%1, version %2")
      .arg(QString::fromStdString(template_name))
      .arg(template_version);
}

QString short_kernel_maker_text(const store::SessionRecord& record) {
  if (record.project_hash.empty()) return QString::fromStdString(record.template_name);
  return QCoreApplication::translate("SessionModel", "project %1…")
      .arg(QString::fromStdString(record.project_hash).left(shown_hash_digits));
}

QString imported_mark(const store::SessionRecord& record) {
  return record.kind == store::SessionKind::Imported
             ? QCoreApplication::translate("SessionModel", ", imported")
             : QString();
}

QString disturbance_text(std::span<const trial::SessionNotice> notices) {
  constexpr std::size_t max_in_line = 2;
  const std::vector<trial::RepeatedText> all = trial::repeated_texts(trial::disturbances(notices));
  QStringList parts;
  for (std::size_t i = 0; i < std::min(all.size(), max_in_line); ++i)
    parts << QString::fromStdString(all[i].text).simplified();
  if (all.size() > max_in_line)
    parts << QCoreApplication::translate("SessionModel", "and %1 more")
                 .arg(style::format_count(static_cast<std::int64_t>(all.size() - max_in_line)));
  return style::sentence(parts.join(QStringLiteral("; ")));
}

QString notices_tip(std::span<const trial::SessionNotice> notices) {
  QStringList lines;
  for (const trial::SessionNotice& notice : notices) {
    const QString text = QString::fromStdString(notice.text).simplified();
    lines << (notice.session_seconds > 0
                  ? QCoreApplication::translate("SessionModel", "After %1: %2")
                        .arg(style::format_duration(notice.session_seconds), text)
                  : QCoreApplication::translate("SessionModel", "At the start: %1").arg(text));
  }
  return lines.join(QLatin1Char('\n'));
}

QString session_tuner_text(const store::SessionRecord& record) {
  if (!record.tuner.empty() && record.kind != store::SessionKind::Recorded)
    return QString::fromStdString(record.tuner);
  const std::string_view kind = store::to_string(record.kind);
  return QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size()));
}

}  // namespace kernelscape::models
