#include "ui/workspace/network_watch.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/memory.h"
#include "core/study/execution.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::workspace {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds network_poll_interval{1000};
/** The pause is a multiple of the reading time, so that reading takes at most a tenth of a core. */
constexpr int pauses_of_a_look = 10;

bool same_network_study(const store::StudySummary& a, const store::StudySummary& b) {
  return a.record.id == b.record.id && a.record.name == b.record.name && a.done_runs == b.done_runs &&
         a.failed_runs == b.failed_runs && a.owner == b.owner;
}

/**
 * Returns the network of a study: the network of a model is stored with the study, others are looked up in
 * the catalogue.
 */
std::shared_ptr<const task::WholeNetwork> network_of(const study::Definition& study) {
  Result<task::WholeNetwork> network = fail(ErrorCode::NotFound, "the catalogue can't be read");
  if (!study.network_json.empty()) {
    network = task::whole_network_from_json(study.network_json);
  } else if (const Result<task::Catalogue> catalogue = task::Catalogue::load_default()) {
    network = task::find_whole_network(*catalogue, study.network);
  }
  return network ? std::make_shared<const task::WholeNetwork>(std::move(*network)) : nullptr;
}

}  // namespace

NetworkWatch::NetworkWatch(std::filesystem::path database, QObject* parent)
    : QObject(parent), database_(std::move(database)), service_([this] { return look(); }) {}

NetworkWatch::~NetworkWatch() { shutting_down_->store(true); }

bool NetworkWatch::proceed() const { return JobControl(shutting_down_, {}).proceed(); }

void NetworkWatch::set_active(bool active) {
  {
    const std::scoped_lock lock(mutex_);
    active_ = active;
  }
  wake();
}

void NetworkWatch::watch(std::optional<store::StudyId> study) {
  {
    const std::scoped_lock lock(mutex_);
    wanted_ = study;
    asked_ = true;
  }
  wake();
}

/** A window that never shows networks does not start the thread. */
void NetworkWatch::wake() {
  bool active = false;
  {
    const std::scoped_lock lock(mutex_);
    active = active_;
  }
  if (active) service_.wake();
}

Service::Pause NetworkWatch::look() {
  std::optional<store::StudyId> wanted;
  {
    const std::scoped_lock lock(mutex_);
    if (!active_) return {};
    wanted = wanted_;
    if (std::exchange(asked_, false)) {
      notified_mark_.reset();
      notified_error_.clear();
    }
  }
  if (!proceed()) return {};
  const steady_clock::time_point begin = steady_clock::now();
  Status looked = open_to_watch(store_, database_);
  if (looked) looked = base::guarded("reading the networks", [&] { return look_at(wanted); });
  if (looked) {
    notified_error_.clear();
  } else {
    notified_mark_.reset();
    report(looked.error());
  }
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begin);
  return std::max(network_poll_interval, pauses_of_a_look * took);
}

void NetworkWatch::report(const Error& error) {
  const std::string text = describe(error);
  if (std::exchange(notified_error_, text) == text) return;
  service_.deliver([this, text] { emit failed(QString::fromStdString(text)); });
}

Status NetworkWatch::look_at(std::optional<store::StudyId> wanted) {
  TRY(look_at_list());
  if (wanted) return look_at_network(*wanted);
  notified_mark_.reset();
  return {};
}

Status NetworkWatch::look_at_list() {
  std::vector<store::StudySummary> studies = TRY(store_->studies().all());
  std::erase_if(studies, [](const store::StudySummary& study) {
    return study::purpose_of(study.record) != study::Purpose::Network;
  });
  for (store::StudySummary& study : studies)
    if (study.owner && !study.owner->alive()) study.owner.reset();
  if (notified_studies_ && std::ranges::equal(*notified_studies_, studies, same_network_study)) return {};
  notified_studies_ = std::make_shared<const std::vector<store::StudySummary>>(std::move(studies));
  service_.deliver([this, reported = notified_studies_] { emit studies_changed(reported); });
  return {};
}

Result<NetworkWatch::StudyMark> NetworkWatch::mark_of(store::StudyId id) const {
  StudyMark mark;
  mark.study = id;
  const store::StudySummary summary = TRY(store_->studies().get(id));
  mark.owned = summary.owner && summary.owner->alive();
  for (const store::StudyRun& run : TRY(store_->studies().runs(id)))
    mark.runs.push_back(
        {run.session, run.status.state, run.status.trial_count, run.status.session_seconds, run.error});
  return mark;
}

/** Reads the complete network only if a layer has changed. */
Status NetworkWatch::look_at_network(store::StudyId id) {
  StudyMark mark = TRY(mark_of(id));
  if (notified_mark_ == mark) return {};
  auto progress =
      std::make_shared<const study::NetworkProgress>(TRY(study::read_network_progress(*store_, id)));
  const bool known = notified_ && notified_->progress->study == id;
  auto network = known ? notified_->network : network_of(progress->definition);
  notified_ =
      std::make_shared<const NetworkSnapshot>(NetworkSnapshot{std::move(progress), std::move(network)});
  notified_mark_ = std::move(mark);
  service_.deliver([this, reported = notified_] { emit snapshot_changed(reported); });
  return {};
}

}  // namespace kernelscape::workspace
