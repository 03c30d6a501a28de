#include "core/tuner/encoded_tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/space/encoding.h"

namespace kernelscape::tuner {
namespace {

using Encoding = std::shared_ptr<const space::EncodedSpace>;

/** Features of the configurations that levels encode; zeros for levels that encode none. */
class DecodedFeatures final : public space::FeatureExtractor {
 public:
  DecodedFeatures(std::shared_ptr<const space::FeatureExtractor> features, Encoding encoding)
      : features_(std::move(features)), encoding_(std::move(encoding)) {}

  std::string name() const override { return features_->name(); }
  int version() const override { return features_->version(); }
  const std::vector<std::string>& names() const override { return features_->names(); }
  void write(const space::Configuration& configuration, std::span<float> row) const override {
    if (const std::optional<space::Configuration> original = encoding_->decode(configuration))
      features_->write(*original, row);
    else
      std::ranges::fill(row, 0.0F);
  }

 private:
  std::shared_ptr<const space::FeatureExtractor> features_;
  Encoding encoding_;
};

std::shared_ptr<const space::FeatureExtractor> decoded(
    const std::shared_ptr<const space::FeatureExtractor>& features, const Encoding& encoding) {
  return features ? std::make_shared<DecodedFeatures>(features, encoding) : nullptr;
}

/** Predictions for the configurations that levels encode; 0 for levels that encode none. */
class DecodedPredictor final : public space::PerformancePredictor {
 public:
  DecodedPredictor(std::shared_ptr<const space::PerformancePredictor> predictor, Encoding encoding)
      : predictor_(std::move(predictor)), encoding_(std::move(encoding)) {}

  Result<std::vector<float>> predict(std::span<const space::Configuration> configurations) const override {
    std::vector<space::Configuration> originals;
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      std::optional<space::Configuration> original = encoding_->decode(configurations[i]);
      if (!original) continue;
      originals.push_back(*std::move(original));
      positions.push_back(i);
    }
    const auto known = TRY(predictor_->predict(originals));
    std::vector<float> predictions(configurations.size(), 0.0F);
    for (std::size_t i = 0; i < positions.size(); ++i) predictions[positions[i]] = known[i];
    return predictions;
  }
  const std::string& text() const override { return predictor_->text(); }

 private:
  std::shared_ptr<const space::PerformancePredictor> predictor_;
  Encoding encoding_;
};

/** Returns the filter for levels that encode a configuration. */
MemberFilter decoded(const MemberFilter& filter, const Encoding& encoding) {
  if (!filter) return {};
  return [filter, encoding](const space::Configuration& levels) {
    const std::optional<space::Configuration> original = encoding->decode(levels);
    return original && filter(*original);
  };
}

/** Wraps a tuner that searches levels as a tuner of factorizations. */
class EncodedTuner final : public Tuner {
 public:
  EncodedTuner(std::unique_ptr<Tuner> own, Encoding encoding)
      : own_(std::move(own)), encoding_(std::move(encoding)) {}

  Result<Proposal> propose(std::size_t n) override {
    Proposal proposal = TRY(own_->propose(n));
    auto* candidates = std::get_if<std::vector<space::Configuration>>(&proposal);
    if (candidates == nullptr) return proposal;
    for (space::Configuration& candidate : *candidates) {
      std::optional<space::Configuration> original = encoding_->decode(candidate);
      if (!original)
        return fail(ErrorCode::Internal,
                    fmt::format("a tuner proposed {}, which is not a feasible configuration",
                                encoding_->space().describe(candidate)),
                    "this is an error in the tuner: choose another tuner");
      candidate = *std::move(original);
    }
    return proposal;
  }

  void observe(std::span<const trial::Observation> observations) override {
    std::vector<trial::Observation> encoded(observations.begin(), observations.end());
    for (trial::Observation& observation : encoded)
      observation.configuration = encoding_->encode(observation.configuration).value();
    own_->observe(encoded);
  }

  std::vector<trial::SeriesValue> series(std::size_t position) const override {
    return own_->series(position);
  }

 private:
  std::unique_ptr<Tuner> own_;
  Encoding encoding_;
};

/** Returns null if the tuner does not need an encoding. */
Result<Encoding> encoding_of(const Context& context) {
  if (!read_settings<EncodingSettings>(context.settings).levels) return nullptr;
  space::EncodedSpace encoded = TRY(space::EncodedSpace::make(context.space));
  if (!encoded.differs()) return nullptr;
  return std::make_shared<const space::EncodedSpace>(std::move(encoded));
}

/** Returns the context of a tuner that searches levels. */
Context in_levels(Context context, const Encoding& encoding) {
  context.space = encoding->space();
  space::FeatureSets features;
  features.itervar = decoded(context.features.itervar, encoding);
  features.curve = decoded(context.features.curve, encoding);
  context.features = std::move(features);
  if (context.predictor)
    context.predictor = std::make_shared<DecodedPredictor>(std::move(context.predictor), encoding);
  context.within_limits = decoded(context.within_limits, encoding);
  // Trials of other spaces keep their position next to their features, and are no members of this space
  // either.
  for (trial::Observation& trial : context.history)
    trial.configuration = encoding->encode(trial.configuration).value_or(space::Configuration());
  return context;
}

/**
 * Returns an error if a tuner does not support levels; if it supports factorizations, the hint names them.
 */
Status check_levels(const std::function<Status(const Context&)>& fits, const Context& context,
                    const Context& levels) {
  if (!context.sources.empty()) {
    return fail(ErrorCode::InvalidArgument, "levels cannot be compared with the knobs of other spaces",
                "set encoding to factorizations, or learn from no other session");
  }
  if (!fits) return {};
  Status fit = fits(levels);
  if (!fit && fits(context)) fit.error().hint = "set encoding to factorizations";
  return fit;
}

}  // namespace

SettingsOf<EncodingSettings> EncodingSettings::table() {
  return SettingsOf<EncodingSettings>().choice(
      std::string(encoding_setting), &EncodingSettings::levels,
      {{std::string(factorization_encoding), false}, {"levels", true}},
      "a factorization is searched as one knob, or as levels: one knob per factor, tied by the constraint on "
      "their product; no difference for spaces without factorizations and for tuners that only sample the "
      "space",
      "Heron, section 5");
}

Declaration with_encodings(Declaration tuner) {
  for (HyperparameterDeclaration& setting : settings_of<EncodingSettings>().declarations())
    tuner.hyperparameters.push_back(std::move(setting));
  if (tuner.sampling != Sampling::Guided) return tuner;
  auto fits = std::move(tuner.fits);
  auto make = std::move(tuner.make);
  tuner.fits = [fits](const Context& context) -> Status {
    const Encoding encoding = TRY(encoding_of(context));
    if (encoding) return check_levels(fits, context, in_levels(context, encoding));
    return fits ? fits(context) : Status();
  };
  tuner.make = [fits, make](Context context) -> Result<std::unique_ptr<Tuner>> {
    const Encoding encoding = TRY(encoding_of(context));
    if (!encoding) return make(std::move(context));
    Context levels = in_levels(context, encoding);
    TRY(check_levels(fits, context, levels));
    return std::make_unique<EncodedTuner>(TRY(make(std::move(levels))), encoding);
  };
  return tuner;
}

}  // namespace kernelscape::tuner
