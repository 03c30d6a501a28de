#include "ui/workspace/network_watch.h"

#include <utility>

#include "core/study/execution.h"

namespace kernelscape::workspace {
namespace {

/** The pause is a multiple of the reading time, so that reading takes at most a tenth of a core. */
constexpr PollPace network_pace{.duration_factor = 10, .spares_timing = true};

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
    : QObject(parent),
      poller_(
          std::move(database),
          {.work = "reading the networks",
           .pace = network_pace,
           .read = [this](const store::Store& store,
                          std::optional<store::StudyId> wanted) { return read(store, wanted); },
           .report_again = [this] { notified_mark_.reset(); },
           .forget = [this] { notified_mark_.reset(); },
           .failed = [this](const Error& error) { emit failed(QString::fromStdString(describe(error))); }}) {}

Status NetworkWatch::read(const store::Store& store, std::optional<store::StudyId> wanted) {
  TRY(read_list(store));
  if (wanted) return read_network(store, *wanted);
  notified_mark_.reset();
  return {};
}

Status NetworkWatch::read_list(const store::Store& store) {
  std::vector<store::StudySummary> studies = TRY(read_studies(store, [](const store::StudyRecord& study) {
    return study::purpose_of(study) == study::Purpose::Network;
  }));
  if (notified_studies_ && same_studies(*notified_studies_, studies)) return {};
  notified_studies_ = std::make_shared<const std::vector<store::StudySummary>>(std::move(studies));
  poller_.deliver([this, reported = notified_studies_] { emit studies_changed(reported); });
  return {};
}

Result<NetworkWatch::StudyMark> NetworkWatch::mark_of(const store::Store& store, store::StudyId id) {
  StudyMark mark;
  mark.study = id;
  const store::StudySummary summary = TRY(store.studies().get(id));
  mark.owned = summary.owner && summary.owner->alive();
  for (const store::StudyRun& run : TRY(store.studies().runs(id)))
    mark.runs.push_back(
        {run.session, run.status.state, run.status.trial_count, run.status.session_seconds, run.error});
  mark.latencies = TRY(store.studies().measure(id, study::latency_series_kind));
  mark.latency = TRY(store.studies().measure(id, study::model_latency_kind));
  return mark;
}

/** Reads the complete network only if a layer has changed. */
Status NetworkWatch::read_network(const store::Store& store, store::StudyId id) {
  StudyMark mark = TRY(mark_of(store, id));
  if (notified_mark_ == mark) return {};
  auto progress =
      std::make_shared<const study::NetworkProgress>(TRY(study::read_network_progress(store, id)));
  const bool known = notified_ && notified_->progress->study == id;
  auto network = known ? notified_->network : network_of(progress->definition);
  notified_ =
      std::make_shared<const NetworkSnapshot>(NetworkSnapshot{std::move(progress), std::move(network)});
  notified_mark_ = std::move(mark);
  poller_.deliver([this, reported = notified_] { emit snapshot_changed(reported); });
  return {};
}

}  // namespace kernelscape::workspace
