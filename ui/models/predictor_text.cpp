#include "ui/models/predictor_text.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <cmath>

#include "ui/models/session_text.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

using PredictorFacts = std::vector<std::pair<QString, QString>>;

QString translated(const char* text) { return QCoreApplication::translate("PredictorText", text); }

/** Returns settings as text: "batch_size = 256, epochs = 50". */
QString settings_text(const std::string& json) {
  const QJsonObject settings = QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
  QStringList parts;
  for (auto setting = settings.begin(); setting != settings.end(); ++setting)
    parts.append(setting.key() + QStringLiteral(" = ") + setting.value().toVariant().toString());
  return parts.join(QStringLiteral(", "));
}

void append_training(PredictorFacts& facts, const PredictorDescription& description) {
  const auto count = [&](DataPart part) { return format_count(count_tasks(description, part)); };
  facts.emplace_back(translated("Samples"), format_count(description.samples));
  facts.emplace_back(translated("Tasks"),
                     translated("%1 for training, %2 for validation, %3 for test")
                         .arg(count(DataPart::Training), count(DataPart::Validation), count(DataPart::Test)));
  QStringList sources;
  for (const std::string& source : description.sources) sources.append(QString::fromStdString(source));
  facts.emplace_back(translated("Data"), sources.join(QStringLiteral(", ")));
  facts.emplace_back(translated("Settings"), settings_text(description.settings_json));
  facts.emplace_back(translated("Seed"), QString::number(description.seed));
  facts.emplace_back(translated("Weights"), translated("of epoch %1 of %2")
                                                .arg(format_count(description.best_epoch),
                                                     format_count(std::ssize(description.epochs))));
}

}  // namespace

QString stored_predictor_key(PredictorId id) { return QStringLiteral("predictor %1").arg(id); }

QString predictor_key(const KnownPredictor& predictor) {
  return predictor.id ? stored_predictor_key(*predictor.id)
                      : QStringLiteral("file ") + QString::fromStdString(predictor.file.string());
}

QString predictor_title(const KnownPredictor& predictor) {
  return predictor.name.empty() ? predictor_key(predictor) : QString::fromStdString(predictor.name);
}

QString predictor_state_text(const KnownPredictor& predictor) {
  const QString state = QString::fromStdString(predictor.state);
  return predictor.reason.empty() ? state
                                  : state + QStringLiteral(": ") + QString::fromStdString(predictor.reason);
}

QString training_text(const TrainingView& training) {
  if (training.stopping) return translated("stopping");
  if (!training.phase.isEmpty()) return training.phase;
  if (training.max_epochs == 0) return translated("starting");
  const QString epochs =
      translated("epoch %1 of %2")
          .arg(format_count(std::ssize(training.epochs)), format_count(training.max_epochs));
  return training.seconds_left < 0
             ? epochs
             : epochs + QStringLiteral(", ") + format_duration_left(training.seconds_left);
}

QString predictor_origin_text(const KnownPredictor& predictor) {
  if (!predictor.id) return translated("built-in");
  if (predictor.origin.empty()) return translated("trained here");
  return translated("imported from %1").arg(QFileInfo(QString::fromStdString(predictor.origin)).fileName());
}

QString data_part_text(DataPart part) {
  switch (part) {
    case DataPart::Training:
      return translated("training");
    case DataPart::Validation:
      return translated("validation");
    case DataPart::Test:
      return translated("test");
  }
  return {};
}

std::optional<RegretAt> regret_after(std::span<const RegretAt> regret, std::int64_t measurements) {
  const auto found = std::ranges::find(regret, measurements, &RegretAt::measurements);
  return found == regret.end() ? std::nullopt : std::optional(*found);
}

QString regret_text(const std::optional<RegretAt>& regret) {
  if (!regret) return no_number();
  return translated("%1 (random %2)").arg(format_percent(regret->predicted), format_percent(regret->random));
}

std::span<const TaskOutcome> outcomes_of(const KnownPredictor& predictor) {
  return predictor.description ? std::span<const TaskOutcome>(predictor.description->tasks)
                               : std::span<const TaskOutcome>();
}

std::vector<std::pair<QString, QString>> predictor_facts(const KnownPredictor& predictor) {
  PredictorFacts facts{{translated("Name"), predictor_title(predictor)},
                       {translated("State"), predictor_state_text(predictor)},
                       {translated("From"), predictor_origin_text(predictor)}};
  if (!predictor.created_utc.empty())
    facts.emplace_back(translated("Created"), created_text(predictor.created_utc));
  facts.emplace_back(translated("Template"), QString::fromStdString(predictor.template_name));
  facts.emplace_back(translated("ISA"), QString::fromStdString(predictor.isa));
  if (!predictor.hash.empty()) facts.emplace_back(translated("Hash"), QString::fromStdString(predictor.hash));
  if (!predictor.description) return facts;
  const PredictorDescription& description = *predictor.description;
  facts.emplace_back(translated("Template version"), QString::number(description.template_version));
  facts.emplace_back(translated("Device"), QString::fromStdString(description.device));
  facts.emplace_back(translated("Features"), translated("%1, version %2")
                                                 .arg(QString::fromStdString(description.features))
                                                 .arg(description.features_version));
  facts.emplace_back(translated("Program"), QString::fromStdString(description.program_version));
  append_training(facts, description);
  return facts;
}

}  // namespace kernelscape
