#include "ui/report/reported_session.h"

#include "core/session/report.h"
#include "ui/models/session_text.h"

namespace kernelscape::report {
namespace {

constexpr std::size_t max_messages = 25;

/** Returns the tensor layouts of the best kernel; empty if the kernel can't be regenerated. */
std::string layouts_of(const exchange::MeasuredConfiguration& measured) {
  const Result<exchange::ExportedKernel> kernel = exchange::make_exported_kernel(measured);
  return kernel ? session::layouts_text(kernel->source) : std::string();
}

}  // namespace

Result<ReportedSession> read_reported_session(const store::Store& store, store::SessionId id,
                                              const workspace::JobControl& control) {
  workspace::Source source = TRY(workspace::SourceReader(store, id).read());
  ReportedSession session{source, figures::make_shown(source, {}, std::nullopt, control)};
  session.database = store.path();
  const Error cancelled{ErrorCode::Refused, "the report was cancelled", {}};
  if (!session.shown) return std::unexpected(cancelled);
  session.messages = TRY(figures::frequent_messages(store.path(), *session.shown, max_messages, control));
  const store::SessionRecord& record = source->record();
  if (record.recording != 0) session.recording = TRY(store.recordings().get(record.recording));
  if (source->headline.trial >= 0) {
    session.best = exchange::read_measured_configuration(store, id, source->headline.trial);
    if (session.best) session.layouts = layouts_of(*session.best);
  }
  if (!control.proceed()) return std::unexpected(cancelled);
  return session;
}

QString report_string(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString reported_title(const workspace::SourceData& source) { return models::session_title(source.record()); }

QString reported_subtitle(const workspace::SourceData& source) {
  const store::SessionRecord& record = source.record();
  QStringList parts{report_string(record.task_name), report_string(record.target_name)};
  if (const auto& target = source.origin->target; target && !target->device.empty())
    parts << report_string(target->device);
  parts << models::short_kernel_maker_text(record) << models::session_tuner_text(record)
        << QStringLiteral("session %1 of %2").arg(record.id).arg(report_string(record.created_utc));
  parts.removeAll(QString());
  return parts.join(QStringLiteral(" · "));
}

}  // namespace kernelscape::report
