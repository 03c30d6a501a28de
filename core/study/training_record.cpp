#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/space/knob_json.h"
#include "core/study/training_run.h"

namespace kernelscape {
namespace {

std::unexpected<Error> damaged_training(std::string_view what) {
  return fail(ErrorCode::Corrupt, fmt::format("{} of the stored training cannot be read", what),
              "train again with `kernelscape train`");
}

std::optional<std::vector<std::string>> texts_of(const Json& object, const char* key) {
  const Json* list = member_of(object, key);
  if (!list || !list->is_array()) return std::nullopt;
  std::vector<std::string> texts;
  for (const Json& text : *list) {
    if (!text.is_string()) return std::nullopt;
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

std::optional<double> finite_member(const Json& object, const char* key) {
  const Json* value = member_of(object, key);
  if (!value || !value->is_number() || !std::isfinite(value->get<double>())) return std::nullopt;
  return value->get<double>();
}

std::optional<TrainingEpoch> epoch_from_json(const Json& object) {
  const Json* number = member_of(object, "epoch");
  const auto epoch = number ? integer_of(*number) : std::nullopt;
  const auto training_loss = finite_member(object, "training_loss");
  const auto validation_loss = finite_member(object, "validation_loss");
  const auto validation_tau = finite_member(object, "validation_tau");
  const auto seconds = finite_member(object, "seconds");
  if (!epoch || !training_loss || !validation_loss || !validation_tau || !seconds) return std::nullopt;
  return TrainingEpoch{*epoch, *training_loss, *validation_loss, *validation_tau, *seconds};
}

}  // namespace

std::string training_definition_to_json(const TrainingDefinition& definition) {
  return to_text(
      {{"sources", definition.sources}, {"settings", definition.settings}, {"seed", definition.seed}});
}

Result<TrainingDefinition> training_definition_from_json(std::string_view text) {
  const Json json = parse_json(text);
  const auto sources = texts_of(json, "sources");
  const Json* settings = member_of(json, "settings");
  const Json* seed = member_of(json, "seed");
  if (!sources || !settings || !settings->is_object() || !seed || !seed->is_number_unsigned())
    return damaged_training("the definition");
  TrainingDefinition definition{*sources, {}, seed->get<std::uint64_t>()};
  for (const auto& [name, value] : settings->items()) {
    if (!value.is_string()) return damaged_training("the definition");
    definition.settings[name] = value.get<std::string>();
  }
  return definition;
}

std::string training_epochs_to_json(std::span<const TrainingEpoch> epochs) {
  Json list = Json::array();
  for (const TrainingEpoch& epoch : epochs) {
    list.push_back({{"epoch", epoch.epoch},
                    {"training_loss", epoch.training_loss},
                    {"validation_loss", epoch.validation_loss},
                    {"validation_tau", epoch.validation_tau},
                    {"seconds", epoch.seconds}});
  }
  return to_text(list);
}

Result<std::vector<TrainingEpoch>> training_epochs_from_json(std::string_view text) {
  std::vector<TrainingEpoch> epochs;
  if (text.empty()) return epochs;
  const Json list = parse_json(text);
  if (!list.is_array()) return damaged_training("the list of epochs");
  for (const Json& object : list) {
    const auto epoch = epoch_from_json(object);
    if (!epoch) return damaged_training("the list of epochs");
    epochs.push_back(*epoch);
  }
  return epochs;
}

}  // namespace kernelscape
