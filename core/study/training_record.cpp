#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/space/knob_json.h"
#include "core/study/training_run.h"

namespace kernelscape::study {
namespace {

std::unexpected<Error> damaged_training(std::string_view what) {
  return fail(ErrorCode::Corrupt, fmt::format("{} of the stored training cannot be read", what),
              "train again with `kernelscape train`");
}

std::optional<std::vector<std::string>> texts_of(const space::Json& object, const char* key) {
  const space::Json* list = space::member_of(object, key);
  if (!list || !list->is_array()) return std::nullopt;
  std::vector<std::string> texts;
  for (const space::Json& text : *list) {
    if (!text.is_string()) return std::nullopt;
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

std::optional<double> finite_member(const space::Json& object, const char* key) {
  const space::Json* value = space::member_of(object, key);
  if (!value || !value->is_number() || !std::isfinite(value->get<double>())) return std::nullopt;
  return value->get<double>();
}

std::optional<predictor::TrainingEpoch> epoch_from_json(const space::Json& object) {
  const space::Json* number = space::member_of(object, "epoch");
  const auto epoch = number ? space::integer_of(*number) : std::nullopt;
  const auto training_loss = finite_member(object, "training_loss");
  const auto validation_loss = finite_member(object, "validation_loss");
  const auto validation_tau = finite_member(object, "validation_tau");
  const auto seconds = finite_member(object, "seconds");
  if (!epoch || !training_loss || !validation_loss || !validation_tau || !seconds) return std::nullopt;
  return predictor::TrainingEpoch{*epoch, *training_loss, *validation_loss, *validation_tau, *seconds};
}

}  // namespace

std::string training_definition_to_json(const TrainingDefinition& definition) {
  return space::to_text(
      {{"sources", definition.sources}, {"settings", definition.settings}, {"seed", definition.seed}});
}

Result<TrainingDefinition> training_definition_from_json(std::string_view text) {
  const space::Json json = space::parse_json(text);
  const auto sources = texts_of(json, "sources");
  const space::Json* settings = space::member_of(json, "settings");
  const space::Json* seed = space::member_of(json, "seed");
  if (!sources || !settings || !settings->is_object() || !seed || !seed->is_number_unsigned())
    return damaged_training("the definition");
  TrainingDefinition definition{*sources, {}, seed->get<std::uint64_t>()};
  for (const auto& [name, value] : settings->items()) {
    if (!value.is_string()) return damaged_training("the definition");
    definition.settings[name] = value.get<std::string>();
  }
  return definition;
}

std::string training_epochs_to_json(std::span<const predictor::TrainingEpoch> epochs) {
  space::Json list = space::Json::array();
  for (const predictor::TrainingEpoch& epoch : epochs) {
    list.push_back({{"epoch", epoch.epoch},
                    {"training_loss", epoch.training_loss},
                    {"validation_loss", epoch.validation_loss},
                    {"validation_tau", epoch.validation_tau},
                    {"seconds", epoch.seconds}});
  }
  return space::to_text(list);
}

Result<std::vector<predictor::TrainingEpoch>> training_epochs_from_json(std::string_view text) {
  std::vector<predictor::TrainingEpoch> epochs;
  if (text.empty()) return epochs;
  const space::Json list = space::parse_json(text);
  if (!list.is_array()) return damaged_training("the list of epochs");
  for (const space::Json& object : list) {
    const auto epoch = epoch_from_json(object);
    if (!epoch) return damaged_training("the list of epochs");
    epochs.push_back(*epoch);
  }
  return epochs;
}

}  // namespace kernelscape::study
