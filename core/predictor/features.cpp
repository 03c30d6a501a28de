#include "core/predictor/features.h"

#include "core/schedule/one_shot_features.h"

namespace kernelscape::predictor {
namespace {

/** Returns true for the models of the published code. */
bool reads_published_rows(Kind kind) { return kind == Kind::OneShot || kind == Kind::Lstm; }

}  // namespace

std::string_view features_of(Kind kind) { return reads_published_rows(kind) ? "one-shot" : "tokens"; }

int features_version(Kind kind) {
  return reads_published_rows(kind) ? schedule::one_shot_features_version : schedule::token_features_version;
}

Result<std::shared_ptr<const space::FeatureExtractor>> predictor_features(
    Kind kind, const schedule::ScheduledKernel& kernel) {
  if (reads_published_rows(kind)) return schedule::one_shot_features(kernel);
  TRY(schedule::fits_token_row(kernel));
  return schedule::token_features(kernel);
}

surrogate::NetworkShape shape_of_rows(Kind kind) {
  surrogate::NetworkShape shape;
  shape.columns = reads_published_rows(kind) ? schedule::one_shot_columns : schedule::TokenRow::columns;
  switch (kind) {
    case Kind::Tokens:
      shape.kind = surrogate::NetworkKind::Tokens;
      shape.tokens = {schedule::TokenRow::loops, schedule::TokenRow::loop_columns,
                      schedule::TokenRow::task_columns, schedule::TokenRow::knob_columns};
      break;
    case Kind::OneShot:
      shape.kind = surrogate::NetworkKind::OneShot;
      break;
    case Kind::Lstm:
      shape.kind = surrogate::NetworkKind::Lstm;
      break;
    case Kind::Perceptron:
    case Kind::Trees:
      shape.kind = surrogate::NetworkKind::Perceptron;
      break;
  }
  return shape;
}

}  // namespace kernelscape::predictor
