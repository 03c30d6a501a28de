#include "ui/views/network/shown_network.h"

#include <QTimeZone>
#include <algorithm>

#include "ui/views/network/network_form.h"

namespace kernelscape::views {

ShownNetwork::ShownNetwork(workspace::Workspace& workspace, const NetworkForm& form)
    : workspace_(workspace), form_(form) {}

void ShownNetwork::choose(std::optional<store::StudyId> study) {
  study_ = study;
  snapshot_.reset();
  read_again();
}

void ShownNetwork::read_again() {
  failure_.clear();
  workspace_.network_watch().watch(study_);
}

void ShownNetwork::set_snapshot(const workspace::NetworkSnapshotPointer& snapshot) {
  snapshot_ = snapshot;
  failure_.clear();
}

void ShownNetwork::set_model_file(const std::string& path) {
  study::ModelSource chosen{path};
  if (const auto& stored = snapshot_->progress->definition.model_source)
    chosen.dimensions = stored->dimensions;
  chosen_models_[*study_] = std::move(chosen);
}

const store::StudySummary* ShownNetwork::summary() const {
  if (!study_ || !studies_) return nullptr;
  const auto found = std::ranges::find_if(
      *studies_, [this](const store::StudySummary& study) { return study.record.id == *study_; });
  return found == studies_->end() ? nullptr : &*found;
}

NetworkRunState ShownNetwork::run_state() const {
  NetworkRunState state;
  if (!study_) return state;
  const workspace::StudyRunner& runner = workspace_.study_runner();
  std::optional<workspace::StudyRunView> active = runner.active();
  if (active && active->id == *study_) {
    state.ours = active;
  } else {
    state.waits = runner.has(*study_);
  }
  const store::StudySummary* study = summary();
  state.elsewhere = !state.ours && !state.waits && study != nullptr && study->owner.has_value();
  return state;
}

std::optional<study::ModelSource> ShownNetwork::model() const {
  if (!study_) return form_.network() ? form_.check().model : std::nullopt;
  if (const auto chosen = chosen_models_.find(*study_); chosen != chosen_models_.end()) return chosen->second;
  return snapshot_ ? snapshot_->progress->definition.model_source : std::nullopt;
}

bool ShownNetwork::is_of_file() const {
  if (model()) return true;
  return study_ && snapshot_ && !snapshot_->progress->definition.network_json.empty();
}

/** Adds a second, because the stored time lacks the fraction of one. */
QDateTime ShownNetwork::stored_time() const {
  if (!study_ || !snapshot_) return {};
  QDateTime time =
      QDateTime::fromString(QString::fromStdString(snapshot_->progress->created_utc), Qt::ISODate);
  time.setTimeZone(QTimeZone::utc());
  return time.isValid() ? time.addSecs(1) : QDateTime();
}

QString ShownNetwork::provenance() const {
  if (!snapshot_) return {};
  const study::NetworkProgress& progress = *snapshot_->progress;
  QStringList parts{QString::fromStdString(progress.definition.network),
                    QString::fromStdString(progress.target_device), tr("study %1").arg(progress.study),
                    QString::fromStdString(progress.created_utc).section(QLatin1Char('T'), 0, 0)};
  parts.removeAll(QString());
  return QStringLiteral("%1 · Kernelscape").arg(parts.join(QStringLiteral(", ")));
}

QString ShownNetwork::run_obstacle() const {
  if (!study_) return tr("No study is shown: Start stores the set-up as one.");
  if (workspace_.study_runner().has(*study_)) return {};
  const store::StudySummary* study = summary();
  if (study == nullptr) return tr("The study is being read.");
  if (study->owner) return tr("Another process runs it.");
  return network_can_resume(*study) ? QString() : tr("Its budget is used up, and its kernels are confirmed.");
}

QString ShownNetwork::report_obstacle() const {
  if (!study_) return tr("No study is shown: start one to get a report.");
  return snapshot_ ? QString() : tr("The study is being read.");
}

QString ShownNetwork::export_obstacle() const {
  if (!study_) return tr("No study is shown: there are no kernels yet.");
  if (!snapshot_) return tr("The study is being read.");
  const study::NetworkOutcome& outcome = snapshot_->progress->outcome;
  return outcome.missing < std::ssize(outcome.layers) ? QString() : tr("No layer has a kernel yet.");
}

QString ShownNetwork::model_obstacle() const {
  if (study_ && !snapshot_) return tr("The study is being read.");
  if (is_of_file()) return {};
  return study_ || form_.network() ? tr("This network was not read from an ONNX model.")
                                   : tr("No network is shown.");
}

QString ShownNetwork::delete_obstacle() const {
  if (!study_) return tr("No study is shown.");
  const NetworkRunState run = run_state();
  if (run.ours || run.waits || run.elsewhere) return tr("The study is running: stop it first.");
  return summary() == nullptr ? tr("The study is being read.") : QString();
}

}  // namespace kernelscape::views
