#include "ui/models/session_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QTimeZone>
#include <algorithm>
#include <string_view>

#include "ui/style/numbers.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape {
namespace {

constexpr qsizetype shown_hash_digits = 8;  // digits of a content hash: enough to distinguish a user's own
                                            // kernels

constexpr double seconds_per_minute = 60;
/** The stored reason of a session that was ended by Pause, Stop or a signal. */
constexpr std::string_view user_stopped = "stopped by the user";

QString text_of_view(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

bool is_lost(SessionState state, const std::optional<Owner>& owner) {
  return state == SessionState::Interrupted && owner && !owner->alive();
}

/** Returns an invalid time if the text is not a time. */
QDateTime local_time(const std::string& created_utc) {
  QDateTime time = QDateTime::fromString(QString::fromStdString(created_utc), Qt::ISODate);
  if (!time.isValid()) return {};
  time.setTimeZone(QTimeZone::utc());
  return time.toLocalTime();
}

double best_seconds(const SessionEntry& session) {
  if (session.confirmed_seconds) return session.confirmed_seconds->median;
  return session.summary.status.best_trial >= 0 ? session.summary.status.best_seconds : 0;
}

}  // namespace

QString session_title(const SessionEntry& session) {
  const SessionRecord& record = session.summary.record;
  if (!record.name.empty()) return QString::fromStdString(record.name);
  return QString::fromStdString(record.task_name) + QLatin1Char(' ') + session_tuner_text(record);
}

QString session_task_text(const SessionEntry& session) {
  const SessionRecord& record = session.summary.record;
  // Only for tasks of imported logs the shape is more informative than the name.
  const bool from_log = record.kind == SessionKind::Imported && !session.shape.empty();
  return QString::fromStdString(from_log ? session.shape : record.task_name);
}

QString session_search_text(const SessionEntry& session) {
  const SessionRecord& record = session.summary.record;
  const SessionAnnotation& annotation = session.summary.annotation;
  return QStringList{session_title(session),
                     QString::fromStdString(record.task_name),
                     QString::fromStdString(session.shape),
                     QString::fromStdString(record.tuner),
                     tags_of(annotation).join(QLatin1Char(' ')),
                     QString::fromStdString(annotation.note)}
      .join(QLatin1Char('\n'));
}

QString collection_title(const SessionCollection& collection) {
  return QString::fromStdString(collection.summary.name);
}

QString collection_search_text(const SessionCollection& collection) {
  const SessionAnnotation& annotation = collection.summary.annotation;
  return QStringList{collection_title(collection), tags_of(annotation).join(QLatin1Char('\n')),
                     QString::fromStdString(annotation.note)}
      .join(QLatin1Char('\n'));
}

QString collection_count_text(const SessionCollection& collection) {
  const std::int64_t sessions = collection.summary.sessions;
  return sessions == 1
             ? QCoreApplication::translate("SessionModel", "1 session")
             : QCoreApplication::translate("SessionModel", "%1 sessions").arg(format_count(sessions));
}

QString session_speed_text(const SessionEntry& session) {
  if (session.build_only) return QCoreApplication::translate("SessionModel", "build only");
  const double seconds = best_seconds(session);
  if (seconds <= 0) return no_number();
  return session.flops > 0 ? format_quantity(session.flops / seconds, QStringLiteral("FLOPS"))
                           : format_quantity(seconds, QStringLiteral("s"));
}

QString session_best_text(const SessionEntry& session) {
  QString speed = session_speed_text(session);
  const bool confirmed = session.confirmed_seconds && measured_here(session.summary.record);
  if (confirmed || best_seconds(session) <= 0) return speed;
  return QStringLiteral("%1 %2").arg(speed, trust_text(session.summary.record, false));
}

double session_best_speed(const SessionEntry& session) {
  const double seconds = best_seconds(session);
  if (seconds <= 0) return 0;
  return session.flops > 0 ? session.flops / seconds / giga : 1 / seconds;
}

QString session_state_text(const SessionEntry& session) {
  return session_state_text(session.summary.status.state, session.summary.owner);
}

QString session_state_text(SessionState state, const std::optional<Owner>& owner) {
  // Whether it was ended by Pause, Stop or a signal, the session can be resumed.
  if (state == SessionState::Interrupted && !is_lost(state, owner))
    return QCoreApplication::translate("SessionModel", "paused");
  return text_of_view(to_string(state));
}

QString session_state_and_reason(const SessionStatus& status, const std::optional<Owner>& owner) {
  const QString state = session_state_text(status.state, owner);
  const bool says_more = !status.state_reason.empty() &&
                         (status.state != SessionState::Interrupted || status.state_reason != user_stopped);
  return says_more ? QStringLiteral("%1: %2").arg(state, QString::fromStdString(status.state_reason)) : state;
}

QString run_state_text(const RunView& run) {
  if (run.untrusted != nullptr) return QCoreApplication::translate("SessionModel", "not trusted");
  if (run.state != RunState::Stopped) return text_of_view(to_string(run.state));
  return run.session ? QCoreApplication::translate("SessionModel", "paused")
                     : QCoreApplication::translate("SessionModel", "removed from the queue");
}

double session_progress(const SessionEntry& session, const Budget& budget) {
  const SessionStatus& status = session.summary.status;
  if (status.state == SessionState::Done) return 1;
  double share = -1;
  if (budget.trials > 0) share = static_cast<double>(status.trial_count) / static_cast<double>(budget.trials);
  if (budget.minutes > 0)
    share = std::max(share, status.session_seconds / (budget.minutes * seconds_per_minute));
  return std::min(share, 1.0);
}

QString session_trials_text(const SessionEntry& session, const Budget& budget) {
  const QString made = format_count(session.summary.status.trial_count);
  return budget.trials > 0 ? made + QLatin1Char('/') + format_count(budget.trials) : made;
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

QStringList tags_of(const SessionAnnotation& annotation) {
  QStringList tags;
  for (const std::string& tag : annotation.tags) tags.append(QString::fromStdString(tag));
  return tags;
}

Budget session_budget(const SessionEntry& session) {
  const Result<BudgetPlan> plan = budget_plan_from_json(session.summary.record.budget_json);
  return plan ? plan->budget : Budget{.trials = 0};
}

bool session_runs(const SessionEntry& session) {
  return session.summary.status.state == SessionState::Running;
}

bool session_lost_its_owner(const SessionEntry& session) {
  return is_lost(session.summary.status.state, session.summary.owner);
}

QString speed_or_time_text(const SourceData& source, double seconds) {
  if (seconds <= 0) return no_number();
  return source.flops() > 0 ? format_quantity(source.flops() / seconds, QStringLiteral("FLOPS"))
                            : format_quantity(seconds, QStringLiteral("s"));
}

QString trust_text(const SessionRecord& record, bool confirmed) {
  switch (record.kind) {
    case SessionKind::Measured:
      return confirmed ? QCoreApplication::translate("SessionModel", "confirmed")
                       : QCoreApplication::translate("SessionModel", "unconfirmed");
    case SessionKind::Replayed:
    case SessionKind::Recorded:
      return QCoreApplication::translate("SessionModel", "recorded");
    case SessionKind::Imported:
      return QCoreApplication::translate("SessionModel", "imported");
  }
  return {};
}

QString kernel_maker_text(const SessionRecord& record) {
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

QString short_kernel_maker_text(const SessionRecord& record) {
  if (record.project_hash.empty()) return QString::fromStdString(record.template_name);
  return QCoreApplication::translate("SessionModel", "project %1…")
      .arg(QString::fromStdString(record.project_hash).left(shown_hash_digits));
}

QString imported_mark(const SessionRecord& record) {
  return record.kind == SessionKind::Imported ? QCoreApplication::translate("SessionModel", ", imported")
                                              : QString();
}

QString disturbance_text(std::span<const SessionNotice> notices) {
  constexpr std::size_t max_in_line = 2;
  const std::vector<RepeatedText> all = repeated_texts(disturbances(notices));
  QStringList parts;
  for (std::size_t i = 0; i < std::min(all.size(), max_in_line); ++i)
    parts << QString::fromStdString(all[i].text).simplified();
  if (all.size() > max_in_line)
    parts << QCoreApplication::translate("SessionModel", "and %1 more")
                 .arg(format_count(static_cast<std::int64_t>(all.size() - max_in_line)));
  return parts.join(QStringLiteral("; "));
}

QString notices_tip(std::span<const SessionNotice> notices) {
  QStringList lines;
  for (const SessionNotice& notice : notices) {
    const QString text = QString::fromStdString(notice.text).simplified();
    lines << (notice.session_seconds > 0
                  ? QCoreApplication::translate("SessionModel", "After %1: %2")
                        .arg(format_duration(notice.session_seconds), text)
                  : QCoreApplication::translate("SessionModel", "At the start: %1").arg(text));
  }
  return lines.join(QLatin1Char('\n'));
}

QString session_tuner_text(const SessionRecord& record) {
  if (!record.tuner.empty() && record.kind != SessionKind::Recorded)
    return QString::fromStdString(record.tuner);
  const std::string_view kind = to_string(record.kind);
  return QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size()));
}

}  // namespace kernelscape
