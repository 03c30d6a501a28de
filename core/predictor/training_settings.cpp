#include "core/predictor/training_settings.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/predictor/predictor_features.h"
#include "core/predictor/training.h"
#include "core/space/knob_json.h"
#include "core/tuner/declaration.h"

namespace kernelscape {
namespace {

const std::string paper = "One-Shot Tuner, section ";
const std::string published = "One-Shot Tuner, its published code";

std::vector<HyperparameterDeclaration> declare_settings() {
  return {
      choice_setting(
          "model", {"tokens", "one-shot", "perceptron", "trees"},
          "What predicts: a transformer over the loops of a kernel, the published code's network, a "
          "network of two hidden layers, or gradient boosting",
          paper + "4.2"),
      choice_setting(
          "label", {"relative_fitness", "log_fitness", "fitness"},
          "What is learnt: the logarithm of performance as a share of the task's best, the logarithm "
          "of performance, or performance; one-shot: performance",
          "ours"),
      integer_setting("width", 64, 4, 1024, "",
                      "Numbers of a token, or units of a hidden layer; perceptron: 256; one-shot: as many as "
                      "it has inputs, whatever is set",
                      "ours"),
      integer_setting("layers", 2, 1, 16, "", "Encoder layers; one-shot: 3", "ours"),
      integer_setting("heads", 4, 1, 32, "", "Heads of attention, which divide the width; one-shot: 4",
                      "ours"),
      integer_setting("feed_forward", 256, 4, 4096, "",
                      "Hidden units of an encoder layer's second half; one-shot: 1024", "ours"),
      real_setting("dropout", 0, 0, 0.9, "",
                   "Share of activations that are zeroed in training; one-shot: 0.25", published),
      integer_setting("epochs", 50, 1, 10'000, "", "Most passes over the samples; one-shot: 200; trees: one",
                      published),
      integer_setting("batch_size", 256, 1, 65'536, "samples", "Samples per step; one-shot: 512",
                      paper + "5"),
      real_setting("learning_rate", 1e-3, 1e-7, 1, "",
                   "Step of Adam, which falls to 0 over all epochs as a cosine does; one-shot: 0.0001",
                   published),
      real_setting("weight_decay", 1e-4, 0, 1, "",
                   "Share of the weights that is taken off each step, times its length; one-shot: 0.00005",
                   published),
      integer_setting("patience", 10, 1, 10'000, "epochs",
                      "Ends after so many epochs without a better Kendall's tau on the validation tasks",
                      "ours"),
      boolean_setting("oversampling", true,
                      "Draw samples by the inverse frequency of their label's bin, with replacement",
                      paper + "4.1.2"),
      integer_setting("oversampling_bins", 100, 1, 10'000, "bins", "Bins of equal width over all labels",
                      published),
      real_setting("slowest_factor", 20, 1, 1e9, "",
                   "Samples that are slower than their task's best by more are not learnt from", paper + "5"),
      real_setting("validation_share", 0.15, 0.01, 0.9, "",
                   "Share of the tasks that say when to end, at least one", "ours"),
      real_setting("test_share", 0.15, 0, 0.9, "",
                   "Share of the tasks that are kept for the end, at least one where it is above 0", "ours"),
      integer_setting("threads", 2, 1, 64, "threads",
                      "Parts into which a step's samples are cut: another number gives another predictor",
                      "ours"),
  };
}

/** Where a model's defaults are not those of the declarations. */
std::map<std::string, std::string> own_defaults(std::string_view model) {
  if (model == "one-shot")
    return {{"label", "fitness"},     {"layers", "3"},           {"heads", "4"},
            {"feed_forward", "1024"}, {"dropout", "0.25"},       {"epochs", "200"},
            {"batch_size", "512"},    {"learning_rate", "1e-4"}, {"weight_decay", "5e-5"}};
  if (model == "perceptron") return {{"width", "256"}};
  return {};
}

Status check_heads(const SettingValues& settings) {
  const ModelShape shape = model_shape(settings);
  if (shape.network.heads == 0 || shape.network.width % shape.network.heads == 0) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} heads do not divide a width of {}", shape.network.heads, shape.network.width),
              "set heads to a number that does");
}

}  // namespace

const std::vector<HyperparameterDeclaration>& training_settings() {
  static const std::vector<HyperparameterDeclaration> declarations = declare_settings();
  return declarations;
}

Result<SettingValues> parse_training_settings(const std::map<std::string, std::string>& texts) {
  const auto model = texts.find("model");
  std::map<std::string, std::string> all = texts;
  if (model != texts.end()) all.merge(own_defaults(model->second));
  SettingValues settings = TRY(parse_settings("training", training_settings(), all));
  TRY(check_heads(settings));
  return settings;
}

std::string training_settings_to_json(const SettingValues& settings) {
  Json object = Json::object();
  for (const auto& [name, value] : settings.all()) object[name] = value_to_json(value);
  return to_text(object);
}

PredictorKind model_kind(const SettingValues& settings) {
  return predictor_kind(settings.text("model")).value_or(PredictorKind::Tokens);
}

ModelShape model_shape(const SettingValues& settings) {
  ModelShape shape;
  shape.kind = model_kind(settings);
  shape.network = shape_of_rows(shape.kind);
  const auto size = [&](const char* name) { return static_cast<std::size_t>(settings.integer(name)); };
  const bool encoder = shape.kind == PredictorKind::Tokens || shape.kind == PredictorKind::OneShot;
  if (shape.kind == PredictorKind::OneShot) shape.network.width = shape.network.columns;
  if (shape.kind == PredictorKind::Tokens || shape.kind == PredictorKind::Perceptron)
    shape.network.width = size("width");
  // Over a sequence of one element heads change nothing: the published network has none here.
  if (shape.kind == PredictorKind::Tokens) shape.network.heads = size("heads");
  if (encoder) {
    shape.network.layers = size("layers");
    shape.network.feed_forward = size("feed_forward");
  }
  return shape;
}

}  // namespace kernelscape
