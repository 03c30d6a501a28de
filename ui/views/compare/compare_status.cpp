#include "ui/views/compare/compare_status.h"

#include <QObject>
#include <algorithm>

#include "ui/style/numbers.h"

namespace kernelscape::views {
namespace {

/** Returns the notice on runs that were read, of which none may have succeeded. */
std::optional<CompareNotice> notice_of_runs(const analysis::ComparedRuns& runs, bool ours) {
  const bool any =
      std::ranges::any_of(runs.runs, [](const analysis::ComparedRun& run) { return run.error.empty(); });
  if (any) return std::nullopt;
  if (!runs.runs.empty())
    return CompareNotice{
        QObject::tr("Every run failed"),
        QObject::tr("Error of the first run: %1").arg(QString::fromStdString(runs.runs.front().error)),
        ours ? QString() : QObject::tr("Try again")};
  if (ours)
    return CompareNotice{QObject::tr("No run has begun"),
                         QObject::tr("Curves appear as soon as the first run has a valid trial.")};
  return CompareNotice{QObject::tr("No run has begun"),
                       QObject::tr("Press Resume to start the missing runs."), QObject::tr("Resume")};
}

}  // namespace

StudyProgress study_progress(const store::StudySummary& study, const workspace::StudyRunner& runner) {
  StudyProgress progress;
  progress.ours = runner.has(study.record.id);
  const std::optional<workspace::StudyRunView> active = runner.active();
  const bool is_active = active && active->id == study.record.id;
  progress.stopping = progress.ours && is_active && active->stopping;
  progress.resumable = !study.owner && study.done_runs < study.record.run_count;
  QStringList parts{QObject::tr("%1 of %2 runs").arg(study.done_runs).arg(study.record.run_count)};
  if (study.failed_runs > 0) parts.append(QObject::tr("%1 failed").arg(study.failed_runs));
  if (is_active) {
    parts.append(active->stopping ? QObject::tr("stopping") : QObject::tr("running"));
    if (active->progress.seconds_left >= 0 && !active->stopping)
      parts.append(style::format_duration_left(active->progress.seconds_left));
  } else if (study.owner) {
    parts.append(QObject::tr("running elsewhere"));
  } else if (progress.ours) {
    parts.append(QObject::tr("waiting for another study"));
  } else if (study.done_runs + study.failed_runs < study.record.run_count) {
    parts.append(QObject::tr("stopped"));
  }
  progress.text = parts.join(QStringLiteral(", "));
  return progress;
}

std::optional<CompareNotice> compare_notice(const CompareStatus& status) {
  if (!status.chosen)
    return CompareNotice{
        QObject::tr("No study yet"),
        QObject::tr("A study runs tuners on tasks, repeatedly with different seeds, and compares them. "
                    "Run a built-in study on recorded spaces, which measures nothing on this machine, "
                    "or choose sessions in Library and compare them."),
        QObject::tr("Run a built-in study")};
  if (!status.failure.isEmpty())
    return CompareNotice{QObject::tr("The study can't be read"), status.failure, QObject::tr("Try again")};
  if (status.runs == nullptr) return CompareNotice{QObject::tr("Reading ...")};
  if (std::optional<CompareNotice> notice = notice_of_runs(*status.runs, status.ours)) return notice;
  if (status.hidden_arms == status.runs->arms.size())
    return CompareNotice{QObject::tr("Every tuner is hidden"),
                         QObject::tr("Check a tuner in the legend above."), QObject::tr("Show all")};
  if (status.hidden_runs >= status.runs->runs.size())
    return CompareNotice{QObject::tr("Every run is excluded"),
                         QObject::tr("Include a run on the page Runs, or press Show all."),
                         QObject::tr("Show all")};
  if (!status.computed) return CompareNotice{QObject::tr("Computing ...")};
  return std::nullopt;
}

}  // namespace kernelscape::views
