#include "ui/models/predictor_text.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <cmath>

#include "ui/models/session_text.h"
#include "ui/style/numbers.h"

namespace kernelscape::models {
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

void append_training(PredictorFacts& facts, const predictor::Description& description) {
  const auto count = [&](predictor::DataPart part) {
    return style::format_count(study::count_tasks(description, part));
  };
  facts.emplace_back(translated("Samples"), style::format_count(description.samples));
  facts.emplace_back(translated("Tasks"),
                     translated("%1 for training, %2 for validation, %3 for test")
                         .arg(count(predictor::DataPart::Training), count(predictor::DataPart::Validation),
                              count(predictor::DataPart::Test)));
  QStringList sources;
  for (const std::string& source : description.sources) sources.append(QString::fromStdString(source));
  facts.emplace_back(translated("Data"), sources.join(QStringLiteral(", ")));
  facts.emplace_back(translated("Settings"), settings_text(description.settings_json));
  facts.emplace_back(translated("Seed"), QString::number(description.seed));
  facts.emplace_back(translated("Weights"), translated("of epoch %1 of %2")
                                                .arg(style::format_count(description.best_epoch),
                                                     style::format_count(std::ssize(description.epochs))));
}

}  // namespace

QString stored_predictor_key(store::PredictorId id) { return QStringLiteral("predictor %1").arg(id); }

QString predictor_key(const study::KnownPredictor& predictor) {
  return predictor.id ? stored_predictor_key(*predictor.id)
                      : QStringLiteral("file ") + QString::fromStdString(predictor.file.string());
}

QString predictor_title(const study::KnownPredictor& predictor) {
  return predictor.name.empty() ? predictor_key(predictor) : QString::fromStdString(predictor.name);
}

QString predictor_state_text(const study::KnownPredictor& predictor) {
  const QString state = QString::fromStdString(predictor.state);
  return predictor.reason.empty() ? state
                                  : state + QStringLiteral(": ") + QString::fromStdString(predictor.reason);
}

QString training_text(const workspace::TrainingView& training) {
  if (training.stopping) return translated("stopping");
  if (!training.phase.isEmpty()) return training.phase;
  if (training.max_epochs == 0) return translated("starting");
  const QString epochs =
      translated("epoch %1 of %2")
          .arg(style::format_count(std::ssize(training.epochs)), style::format_count(training.max_epochs));
  return training.seconds_left < 0
             ? epochs
             : epochs + QStringLiteral(", ") + style::format_duration_left(training.seconds_left);
}

QString predictor_origin_text(const study::KnownPredictor& predictor) {
  if (!predictor.id) return translated("built-in");
  if (predictor.origin.empty()) return translated("trained here");
  return translated("imported from %1").arg(QFileInfo(QString::fromStdString(predictor.origin)).fileName());
}

QString data_part_text(predictor::DataPart part) {
  switch (part) {
    case predictor::DataPart::Training:
      return translated("training");
    case predictor::DataPart::Validation:
      return translated("validation");
    case predictor::DataPart::Test:
      return translated("test");
  }
  return {};
}

std::optional<predictor::RegretAt> regret_after(std::span<const predictor::RegretAt> regret,
                                                std::int64_t measurements) {
  const auto found = std::ranges::find(regret, measurements, &predictor::RegretAt::measurements);
  return found == regret.end() ? std::nullopt : std::optional(*found);
}

QString regret_text(const std::optional<predictor::RegretAt>& regret) {
  if (!regret) return style::no_number();
  return translated("%1 (random %2)")
      .arg(style::format_percent(regret->predicted), style::format_percent(regret->random));
}

std::span<const predictor::TaskOutcome> outcomes_of(const study::KnownPredictor& predictor) {
  return predictor.description ? std::span<const predictor::TaskOutcome>(predictor.description->tasks)
                               : std::span<const predictor::TaskOutcome>();
}

std::vector<std::pair<QString, QString>> predictor_facts(const study::KnownPredictor& predictor) {
  PredictorFacts facts{{translated("Name"), predictor_title(predictor)},
                       {translated("State"), predictor_state_text(predictor)},
                       {translated("From"), predictor_origin_text(predictor)}};
  if (!predictor.created_utc.empty())
    facts.emplace_back(translated("Created"), created_text(predictor.created_utc));
  facts.emplace_back(translated("Template"), QString::fromStdString(predictor.template_name));
  facts.emplace_back(translated("ISA"), QString::fromStdString(predictor.isa));
  if (!predictor.hash.empty()) facts.emplace_back(translated("Hash"), QString::fromStdString(predictor.hash));
  if (!predictor.description) return facts;
  const predictor::Description& description = *predictor.description;
  QStringList versions;
  for (const predictor::TemplateVersion& one : description.templates())
    versions.append(description.more_templates.empty()
                        ? QString::number(one.version)
                        : QStringLiteral("%1: %2").arg(QString::fromStdString(one.name)).arg(one.version));
  facts.emplace_back(translated("Template version"), versions.join(QStringLiteral(", ")));
  facts.emplace_back(translated("Device"), QString::fromStdString(description.device));
  facts.emplace_back(translated("Features"), translated("%1, version %2")
                                                 .arg(QString::fromStdString(description.features))
                                                 .arg(description.features_version));
  facts.emplace_back(translated("Program"), QString::fromStdString(description.program_version));
  append_training(facts, description);
  return facts;
}

}  // namespace kernelscape::models
