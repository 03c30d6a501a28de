#include "ui/workspace/study_watch.h"

#include <utility>

#include "core/study/execution.h"

namespace kernelscape::workspace {

StudyWatch::StudyWatch(std::filesystem::path database, QObject* parent)
    : QObject(parent),
      poller_(
          std::move(database),
          {.work = "reading the database",
           .read = [this](const store::Store& store,
                          const CompareSource& wanted) { return read(store, wanted); },
           .report_again = [this] { forget_runs(); },
           .forget = [this] { forget_runs(); },
           .failed = [this](const Error& error) { emit failed(QString::fromStdString(describe(error))); }}) {}

void StudyWatch::forget_runs() {
  reader_.reset();
  notified_runs_.reset();
}

/** A list that can't be read does not prevent the runs from being read. */
Status StudyWatch::read(const store::Store& store, const CompareSource& wanted) {
  const Status list = read_list(store);
  if (wanted.empty()) return list;
  TRY(read_runs(store, wanted));
  return list;
}

Status StudyWatch::read_list(const store::Store& store) {
  // An imported collection is not a comparison of tuners; its sessions can be compared from the Library view.
  std::vector<store::StudySummary> studies =
      TRY(read_studies(store, [](const store::StudyRecord& study) { return !store::is_collection(study); }));
  if (notified_studies_ && same_studies(*notified_studies_, studies)) return {};
  notified_studies_ = std::make_shared<const std::vector<store::StudySummary>>(std::move(studies));
  poller_.deliver([this, reported = notified_studies_] { emit studies_changed(reported); });
  return {};
}

Status StudyWatch::read_runs(const store::Store& store, const CompareSource& wanted) {
  if (!reader_) {
    baseline_ = 0;
    if (wanted.study) {
      const study::Definition definition = TRY(study::stored_study(store, *wanted.study));
      baseline_ = study::baseline_arm(definition);
      reader_ = std::make_unique<study::ComparisonReader>(store, *wanted.study);
    } else {
      reader_ = std::make_unique<study::ComparisonReader>(store, wanted.sessions);
    }
    reader_->read_member_shares();
  }
  const std::shared_ptr<const analysis::ComparedRuns> runs = TRY(reader_->read());
  std::vector<RunMark> marks;
  for (const analysis::ComparedRun& run : runs->runs)
    marks.push_back({run.session, run.curve.end_trials, run.curve.end_seconds, run.member_share.values.size(),
                     run.finished, run.error});
  if (notified_runs_ == marks) return {};
  notified_runs_ = std::move(marks);
  const auto snapshot = std::make_shared<const StudySnapshot>(StudySnapshot{wanted, runs, baseline_});
  poller_.deliver([this, snapshot] { emit snapshot_changed(snapshot); });
  return {};
}

}  // namespace kernelscape::workspace
