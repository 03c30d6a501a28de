#include "ui/workspace/study_watch.h"

#include <algorithm>
#include <chrono>

#include "core/base/memory.h"
#include "core/study/execution.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::workspace {
namespace {

constexpr std::chrono::seconds study_poll_interval{1};

bool same_study(const store::StudySummary& a, const store::StudySummary& b) {
  return a.record.id == b.record.id && a.record.name == b.record.name && a.done_runs == b.done_runs &&
         a.failed_runs == b.failed_runs && a.owner == b.owner && a.annotation == b.annotation;
}

}  // namespace

StudyWatch::StudyWatch(std::filesystem::path database, QObject* parent)
    : QObject(parent), database_(std::move(database)), service_([this] { return look(); }) {}

void StudyWatch::set_active(bool active) {
  {
    const std::scoped_lock lock(mutex_);
    active_ = active;
  }
  wake();
}

void StudyWatch::watch(const CompareSource& source) {
  {
    const std::scoped_lock lock(mutex_);
    wanted_ = source;
    asked_ = true;
  }
  wake();
}

/** A window that never shows comparisons does not start the thread. */
void StudyWatch::wake() {
  bool active = false;
  {
    const std::scoped_lock lock(mutex_);
    active = active_;
  }
  if (active) service_.wake();
}

Service::Pause StudyWatch::look() {
  CompareSource wanted;
  {
    const std::scoped_lock lock(mutex_);
    if (!active_) return {};
    wanted = wanted_;
    // A source that was left and asked for again is reported again: its snapshot was discarded.
    if (std::exchange(asked_, false)) read_ = CompareSource();
  }
  if (const Status opened = open_to_watch(store_, database_); !opened) report(opened.error());
  if (store_) {
    const Status looked = base::guarded("reading the database", [&]() -> Status {
      look_at(wanted);
      return {};
    });
    if (!looked) {
      reader_.reset();
      notified_runs_.reset();
      report(looked.error());
    }
  }
  return study_poll_interval;
}

void StudyWatch::report(const Error& error) {
  const std::string text = describe(error);
  if (std::exchange(notified_error_, text) == text) return;
  service_.deliver([this, text] { emit failed(QString::fromStdString(text)); });
}

void StudyWatch::look_at(const CompareSource& wanted) {
  look_at_list();
  if (wanted != read_) {
    reader_.reset();
    notified_runs_.reset();
    notified_error_.clear();
    read_ = wanted;
  }
  if (wanted.empty()) return;
  if (const Status read = look_at_runs(wanted); read) {
    notified_error_.clear();
  } else {
    reader_.reset();
    notified_runs_.reset();
    report(read.error());
  }
}

void StudyWatch::look_at_list() {
  Result<std::vector<store::StudySummary>> studies = store_->studies().all();
  if (!studies) return report(studies.error());
  // An imported collection is not a comparison of tuners; its sessions can be compared from the Library view.
  std::erase_if(*studies,
                [](const store::StudySummary& study) { return store::is_collection(study.record); });
  for (store::StudySummary& study : *studies)
    if (study.owner && !study.owner->alive()) study.owner.reset();
  if (notified_studies_ && std::ranges::equal(*notified_studies_, *studies, same_study)) return;
  notified_studies_ = std::make_shared<const std::vector<store::StudySummary>>(*studies);
  service_.deliver([this, studies = notified_studies_] { emit studies_changed(studies); });
}

Status StudyWatch::look_at_runs(const CompareSource& wanted) {
  if (!reader_) {
    baseline_ = 0;
    if (wanted.study) {
      const study::Definition definition = TRY(study::stored_study(*store_, *wanted.study));
      baseline_ = study::baseline_arm(definition);
      reader_ = std::make_unique<study::ComparisonReader>(*store_, *wanted.study);
    } else {
      reader_ = std::make_unique<study::ComparisonReader>(*store_, wanted.sessions);
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
  service_.deliver([this, snapshot] { emit snapshot_changed(snapshot); });
  return {};
}

}  // namespace kernelscape::workspace
