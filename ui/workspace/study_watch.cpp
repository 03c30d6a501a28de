#include "ui/workspace/study_watch.h"

#include <algorithm>
#include <chrono>

#include "core/study/study_execution.h"

namespace kernelscape {
namespace {

constexpr std::chrono::seconds between_study_looks{1};

bool same_study(const StudySummary& a, const StudySummary& b) {
  return a.record.id == b.record.id && a.record.name == b.record.name && a.done_runs == b.done_runs &&
         a.failed_runs == b.failed_runs && a.owner == b.owner && a.annotation == b.annotation;
}

}  // namespace

StudyWatch::StudyWatch(std::filesystem::path database, QObject* parent)
    : QObject(parent), database_(std::move(database)) {
  qRegisterMetaType<StudySummaries>();
  qRegisterMetaType<StudySnapshotPointer>();
}

StudyWatch::~StudyWatch() {
  {
    const std::scoped_lock lock(mutex_);
    quitting_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void StudyWatch::set_active(bool active) {
  {
    const std::scoped_lock lock(mutex_);
    active_ = active;
  }
  // A window that never compares needs no thread for it.
  if (active && !thread_.joinable()) thread_ = std::thread([this] { serve(); });
  wake_.notify_all();
}

void StudyWatch::watch(const CompareSource& source) {
  {
    const std::scoped_lock lock(mutex_);
    wanted_ = source;
    refresh_ = true;
  }
  wake_.notify_all();
}

void StudyWatch::refresh() {
  {
    const std::scoped_lock lock(mutex_);
    refresh_ = true;
  }
  wake_.notify_all();
}

void StudyWatch::serve() {
  std::optional<Store> store;
  while (true) {
    CompareSource wanted;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return quitting_ || active_; });
      if (quitting_) break;
      wanted = wanted_;
      refresh_ = false;
    }
    if (!store) {
      Result<Store> opened = Store::open(database_);
      if (!opened) opened = Store::open(database_, OpenMode::ReadOnly);
      if (opened) {
        store.emplace(std::move(*opened));
      } else {
        report(opened.error());
      }
    }
    if (store) look(*store, wanted);
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, between_study_looks, [this] { return quitting_ || refresh_; });
  }
  reader_.reset();
}

void StudyWatch::report(const Error& error) {
  const std::string text = describe(error);
  if (std::exchange(told_error_, text) != text) emit failed(QString::fromStdString(text));
}

void StudyWatch::look(Store& store, const CompareSource& wanted) {
  look_at_list(store);
  if (wanted != read_) {
    reader_.reset();
    told_runs_.reset();
    told_error_.clear();
    read_ = wanted;
  }
  if (wanted.empty()) return;
  if (const Status read = look_at_runs(store, wanted); read) {
    told_error_.clear();
  } else {
    reader_.reset();
    told_runs_.reset();
    report(read.error());
  }
}

void StudyWatch::look_at_list(Store& store) {
  Result<std::vector<StudySummary>> studies = store.studies();
  if (!studies) return report(studies.error());
  for (StudySummary& study : *studies)
    if (study.owner && !study.owner->alive()) study.owner.reset();
  if (told_studies_ && std::ranges::equal(*told_studies_, *studies, same_study)) return;
  told_studies_ = std::make_shared<const std::vector<StudySummary>>(*studies);
  emit studies_changed(told_studies_);
}

Status StudyWatch::look_at_runs(Store& store, const CompareSource& wanted) {
  if (!reader_) {
    baseline_ = 0;
    if (wanted.study) {
      const Result<StudyDefinition> definition = stored_study(store, *wanted.study);
      if (!definition) return std::unexpected(definition.error());
      baseline_ = baseline_arm(*definition);
      reader_ = std::make_unique<ComparisonReader>(store, *wanted.study);
    } else {
      reader_ = std::make_unique<ComparisonReader>(store, wanted.sessions);
    }
  }
  const Result<std::shared_ptr<const ComparedRuns>> runs = reader_->read();
  if (!runs) return std::unexpected(runs.error());
  std::vector<RunMark> marks;
  for (const ComparedRun& run : (*runs)->runs)
    marks.push_back({run.session, run.curve.end_trials, run.curve.end_seconds, run.finished, run.error});
  if (told_runs_ == marks) return {};
  told_runs_ = std::move(marks);
  emit snapshot_changed(std::make_shared<const StudySnapshot>(StudySnapshot{wanted, *runs, baseline_}));
  return {};
}

}  // namespace kernelscape
