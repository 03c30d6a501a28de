#include "core/predictor/training_settings.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/predictor/features.h"
#include "core/space/knob_json.h"

namespace kernelscape::predictor {
namespace {

/** Returns the defaults of a model that differ from those of the declarations. */
std::map<std::string, std::string> own_defaults(std::string_view model) {
  if (model == "one-shot")
    return {{"label", "fitness"},      {"layers", "3"},          {"heads", "4"},
            {"feed_forward", "1024"},  {"dropout", "0.25"},      {"attention_dropout", "true"},
            {"epochs", "200"},         {"patience", "0"},        {"batch_size", "512"},
            {"learning_rate", "1e-4"}, {"weight_decay", "5e-5"}, {"weight_decay_form", "l2"}};
  if (model == "lstm")
    return {{"label", "fitness"},       {"layers", "3"},           {"width", "1024"},
            {"dropout", "0.25"},        {"epochs", "200"},         {"patience", "0"},
            {"batch_size", "512"},      {"learning_rate", "1e-4"}, {"weight_decay", "5e-5"},
            {"weight_decay_form", "l2"}};
  if (model == "perceptron") return {{"width", "256"}};
  return {};
}

Status check_heads(const TrainingSettings& settings) {
  const ModelShape shape = model_shape(settings);
  if (shape.network.heads == 0 || shape.network.width % shape.network.heads == 0) return {};
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("the width {1} is not a multiple of {0} heads", shape.network.heads, shape.network.width),
      "set heads to a divisor of the width");
}

Status check_attention_dropout(const TrainingSettings& settings) {
  if (!settings.attention_dropout || settings.model == Kind::OneShot) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("the model {} has no dropout of attention", to_string(settings.model)),
              "set attention_dropout to false, or model to one-shot");
}

/** Adds the values of settings that did not exist when the texts were stored. */
void add_earlier_settings(std::map<std::string, std::string>& texts) {
  for (const tuner::HyperparameterDeclaration& setting :
       tuner::settings_of<TrainingSettings>().declarations())
    if (setting.before) texts.emplace(setting.name, space::to_string(*setting.before));
}

/** Returns the values as texts, with those of the settings that did not exist when `json` was stored. */
std::map<std::string, std::string> all_setting_texts(std::string_view json) {
  std::map<std::string, std::string> texts;
  const space::Json object = space::parse_json(json);
  for (const auto& [name, value] : object.items())
    if (const auto known = space::value_from_json(value)) texts[name] = space::to_string(*known);
  add_earlier_settings(texts);
  return texts;
}

}  // namespace

tuner::SettingsOf<TrainingSettings> TrainingSettings::table() {
  const std::string paper = "One-Shot Tuner, section ";
  const std::string published = "One-Shot Tuner, its published code";
  return tuner::SettingsOf<TrainingSettings>()
      .choice("model", &TrainingSettings::model,
              {{"tokens", Kind::Tokens},
               {"one-shot", Kind::OneShot},
               {"perceptron", Kind::Perceptron},
               {"trees", Kind::Trees},
               {"lstm", Kind::Lstm}},
              "Model: a transformer over the loops of a kernel, the published code's network, a "
              "network of two hidden layers, gradient boosting, or the published code's LSTM",
              paper + "4.2")
      .choice("label", &TrainingSettings::label,
              {{"relative_fitness", LearntLabel::RelativeFitness},
               {"log_fitness", LearntLabel::LogFitness},
               {"fitness", LearntLabel::Fitness}},
              "Label: the logarithm of performance relative to the task's best, the logarithm of "
              "performance, or performance; one-shot and lstm: performance",
              "ours")
      .add("width", &TrainingSettings::width, 4, 1024, "",
           "Width of a token, or units of a hidden layer; perceptron: 256; lstm: 1024; one-shot: always the "
           "number of its inputs",
           "ours")
      .add("layers", &TrainingSettings::layers, 1, 16, "",
           "Encoder layers, or layers of an LSTM; one-shot and lstm: 3", "ours")
      .add("heads", &TrainingSettings::heads, 1, 32, "",
           "Heads of attention, a divisor of the width; one-shot: 4", "ours")
      .add("feed_forward", &TrainingSettings::feed_forward, 4, 4096, "",
           "Hidden units of an encoder layer's second half; one-shot: 1024", "ours")
      .add("dropout", &TrainingSettings::dropout, 0, 0.9, "",
           "Share of activations that are zeroed in training; one-shot and lstm: 0.25", published)
      .add("attention_dropout", &TrainingSettings::attention_dropout,
           "Drop weights of attention too, as PyTorch does: whole heads, since the sequence has one element; "
           "one-shot: true; other models: always false",
           published)
      .before("false")
      .add("epochs", &TrainingSettings::epochs, 1, 10'000, "",
           "Maximum number of passes over the samples; one-shot and lstm: 200; trees: one", published)
      .add("batch_size", &TrainingSettings::batch_size, 1, 65'536, "samples",
           "Samples per step; one-shot and lstm: 512", paper + "5")
      .add("learning_rate", &TrainingSettings::learning_rate, 1e-7, 1, "",
           "Initial step of Adam, which decreases to 0 over all epochs along a cosine; one-shot and lstm: "
           "0.0001",
           published)
      .add("weight_decay", &TrainingSettings::weight_decay, 0, 1, "",
           "Share by which the weights decrease in each step, times its size, or the factor of l2; one-shot "
           "and lstm: 0.00005",
           published)
      .choice("weight_decay_form", &TrainingSettings::decay,
              {{"decoupled", surrogate::WeightDecay::Decoupled}, {"l2", surrogate::WeightDecay::Gradient}},
              "How weights decrease: each step multiplies them (AdamW), or weight_decay times the weights is "
              "added to the gradient (Adam with L2); one-shot and lstm: l2",
              published)
      .before("decoupled")
      .add("patience", &TrainingSettings::patience, 0, 10'000, "epochs",
           "Stop after this number of epochs without a better Kendall's tau on the validation tasks; 0: "
           "never; "
           "one-shot and lstm: 0",
           "ours")
      .add("oversampling", &TrainingSettings::oversampling,
           "Draw samples by the inverse frequency of their label's bin, with replacement", paper + "4.1.2")
      .add("oversampling_bins", &TrainingSettings::oversampling_bins, 1, 10'000, "bins",
           "Bins of equal width over all labels", published)
      .add("slowest_factor", &TrainingSettings::slowest_factor, 1, 1e9, "",
           "Exclude samples from training that are slower than their task's best by more than this factor",
           paper + "5")
      .add("validation_share", tuner::submember(&TrainingSettings::shares, &SplitShares::validation), 0.01,
           0.9, "", "Share of the tasks for validation, which determine the end of training; at least one",
           "ours")
      .add("test_share", tuner::submember(&TrainingSettings::shares, &SplitShares::test), 0, 0.9, "",
           "Share of the tasks for the final test; at least one if it is above 0", "ours")
      .add("threads", &TrainingSettings::threads, 1, 64, "threads",
           "Parts into which a step's samples are divided; another number gives another predictor", "ours");
}

Result<TrainingSettings> parse_training_settings(const std::map<std::string, std::string>& texts) {
  const auto model = texts.find("model");
  std::map<std::string, std::string> all = texts;
  if (model != texts.end()) all.merge(own_defaults(model->second));
  const tuner::SettingsOf<TrainingSettings>& table = tuner::settings_of<TrainingSettings>();
  const TrainingSettings settings =
      table.read(TRY(tuner::parse_settings("training", table.declarations(), all)));
  TRY(check_heads(settings));
  TRY(check_attention_dropout(settings));
  return settings;
}

Result<TrainingSettings> parse_stored_training_settings(std::map<std::string, std::string> texts) {
  add_earlier_settings(texts);
  return parse_training_settings(texts);
}

std::string training_settings_to_json(const TrainingSettings& settings) {
  space::Json object = space::Json::object();
  for (const auto& [name, value] : tuner::settings_of<TrainingSettings>().values_of(settings))
    object[name] = space::value_to_json(value);
  return space::to_text(object);
}

bool same_training_settings(std::string_view first, std::string_view second) {
  return all_setting_texts(first) == all_setting_texts(second);
}

ModelShape model_shape(const TrainingSettings& settings) {
  ModelShape shape;
  shape.kind = settings.model;
  shape.network = shape_of_rows(shape.kind);
  const bool encoder = shape.kind == Kind::Tokens || shape.kind == Kind::OneShot;
  if (shape.kind == Kind::OneShot) shape.network.width = shape.network.columns;
  if (shape.kind == Kind::Tokens || shape.kind == Kind::Perceptron || shape.kind == Kind::Lstm)
    shape.network.width = settings.width;
  // Attention over a single element only depends on heads if it has dropout.
  if (shape.kind == Kind::Tokens || settings.attention_dropout) shape.network.heads = settings.heads;
  if (encoder) shape.network.feed_forward = settings.feed_forward;
  if (encoder || shape.kind == Kind::Lstm) shape.network.layers = settings.layers;
  return shape;
}

}  // namespace kernelscape::predictor
