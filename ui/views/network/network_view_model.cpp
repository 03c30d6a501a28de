#include <QDateTime>
#include <QTimeZone>

#include "ui/views/export/export_dialog.h"
#include "ui/views/network/network_form.h"
#include "ui/views/network/network_tables.h"
#include "ui/views/network/network_view.h"
#include "ui/views/network/operators_page.h"

// The model of the shown network: its operators and its export.

namespace kernelscape::views {
namespace {

/** Returns the moment at which a study was stored; its stored time is without the fraction of a second. */
QDateTime stored_time(const std::string& created_utc) {
  QDateTime time = QDateTime::fromString(QString::fromStdString(created_utc), Qt::ISODate);
  time.setTimeZone(QTimeZone::utc());
  return time.isValid() ? time.addSecs(1) : QDateTime();
}

}  // namespace

std::optional<study::ModelSource> NetworkView::model() const {
  if (!study_) return form_->network() ? form_->check().model : std::nullopt;
  if (const auto chosen = chosen_models_.find(*study_); chosen != chosen_models_.end()) return chosen->second;
  return snapshot_ ? snapshot_->progress->definition.model_source : std::nullopt;
}

/** Returns true if the shown network was read from a file, which may be a model. */
bool NetworkView::is_of_file() const {
  if (model()) return true;
  return study_ && snapshot_ && !snapshot_->progress->definition.network_json.empty();
}

void NetworkView::show_model() {
  if (!is_of_file()) return tables_->hide_model();
  tables_->show_model(model(), study_ ? stored_time(snapshot_->progress->created_utc) : QDateTime());
}

/** Takes the file that the user chose for a study without one, as long as the window is open. */
void NetworkView::set_model_file(const QString& path) {
  if (!study_ || !snapshot_) return;
  study::ModelSource chosen{path.toStdString()};
  if (const auto& stored = snapshot_->progress->definition.model_source)
    chosen.dimensions = stored->dimensions;
  chosen_models_[*study_] = std::move(chosen);
  show_model();
  show_actions();
}

/** Reads the layers of the set-up again; those of a study are stored. */
void NetworkView::read_changed_model() {
  if (!study_) form_->set_network(QString::fromStdString(form_->setup().network));
}

/** Opens the session of the layer whose kernel an operator of the model uses. */
void NetworkView::open_layer_of_task(const std::string& task) {
  std::optional<store::SessionId> session;
  if (snapshot_)
    for (const study::NetworkLayerOutcome& layer : snapshot_->progress->outcome.layers)
      if (layer.text == task) session = layer.session;
  open_layer(session, QStringLiteral("Tune"));
}

QString NetworkView::model_obstacle() const {
  if (study_ && !snapshot_) return tr("The study is being read.");
  if (is_of_file()) return {};
  return study_ || form_->network() ? tr("This network was not read from an ONNX model.")
                                    : tr("No network is shown.");
}

void NetworkView::export_model() {
  if (const QString obstacle = model_obstacle(); !obstacle.isEmpty()) return emit notified(obstacle);
  if (model()) return open_export_dialog(ExportKind::ModelLibrary);
  tables_->setCurrentWidget(&tables_->operators());
  tables_->operators().choose_file();
}

void NetworkView::open_export_dialog(ExportKind kind) {
  ExportedNetwork network{.study = study_, .name = {}, .kernels = 0, .model = model()};
  if (study_) {
    const study::NetworkOutcome& outcome = snapshot_->progress->outcome;
    network.name = QString::fromStdString(outcome.network);
    network.kernels = static_cast<std::int64_t>(std::ssize(outcome.layers)) - outcome.missing;
  } else {
    network.name = QString::fromStdString(form_->network()->name);
  }
  auto* dialog = new ExportDialog(workspace(), this);
  dialog->set_network(network);
  dialog->choose(kind);
  dialog->show();
}

}  // namespace kernelscape::views
