#include "core/predictor/predictor_features.h"

#include "core/schedule/one_shot_features.h"

namespace kernelscape {

std::string_view features_of(PredictorKind kind) {
  return kind == PredictorKind::OneShot ? "one-shot" : "tokens";
}

int features_version(PredictorKind kind) {
  return kind == PredictorKind::OneShot ? one_shot_features_version : token_features_version;
}

Result<std::shared_ptr<const FeatureExtractor>> predictor_features(PredictorKind kind,
                                                                   const ScheduledKernel& kernel) {
  if (kind == PredictorKind::OneShot) return one_shot_features(kernel);
  TRY(fits_token_row(kernel));
  return token_features(kernel);
}

NetworkShape shape_of_rows(PredictorKind kind) {
  NetworkShape shape;
  shape.columns = kind == PredictorKind::OneShot ? one_shot_columns : TokenRow::columns;
  switch (kind) {
    case PredictorKind::Tokens:
      shape.kind = NetworkKind::Tokens;
      shape.tokens = {TokenRow::loops, TokenRow::loop_columns, TokenRow::task_columns,
                      TokenRow::knob_columns};
      break;
    case PredictorKind::OneShot:
      shape.kind = NetworkKind::OneShot;
      break;
    case PredictorKind::Perceptron:
    case PredictorKind::Trees:
      shape.kind = NetworkKind::Perceptron;
      break;
  }
  return shape;
}

}  // namespace kernelscape
