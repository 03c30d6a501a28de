#include "core/surrogate/gradient_boosting.h"

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "core/surrogate/column_selection.h"
#include "core/surrogate/recall.h"

namespace kernelscape::surrogate {
namespace {

Status check(int status, const char* what) {
  if (status == 0) return {};
  return fail(ErrorCode::Internal, fmt::format("XGBoost could not {}: {}", what, XGBGetLastError()),
              "choose another tuner, or report this with the session's settings");
}

bool all_finite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

/** Owns a DMatrix: XGBoost's table of rows, labels and margins. */
class DataMatrix {
 public:
  static Result<DataMatrix> make(std::span<const float> features, std::size_t columns,
                                 std::span<const float> base_margins) {
    DMatrixHandle handle = nullptr;
    TRY(check(XGDMatrixCreateFromMat_omp(features.data(), features.size() / columns, columns,
                                         std::numeric_limits<float>::quiet_NaN(), &handle, 1),
              "take the features"));
    DataMatrix matrix(handle);
    if (!base_margins.empty()) TRY(matrix.set("base_margin", base_margins));
    return matrix;
  }

  Status set(const char* field, std::span<const float> values) {
    return check(XGDMatrixSetFloatInfo(handle_.get(), field, values.data(), values.size()),
                 "take labels or margins");
  }

  DMatrixHandle handle() const { return handle_.get(); }

 private:
  explicit DataMatrix(DMatrixHandle handle) : handle_(handle, &XGDMatrixFree) {}
  std::unique_ptr<void, int (*)(DMatrixHandle)> handle_;
};

Result<std::shared_ptr<void>> make_booster(const DataMatrix& data, const BoostingParameters& parameters) {
  BoosterHandle handle = nullptr;
  const DMatrixHandle matrix = data.handle();
  TRY(check(XGBoosterCreate(&matrix, 1, &handle), "create a model"));
  std::shared_ptr<void> booster(handle, &XGBoosterFree);
  const bool rank = parameters.objective == BoostingObjective::PairwiseRank;
  const std::array<std::pair<const char*, std::string>, 12> values{{
      {"nthread", "1"},
      {"verbosity", "0"},
      {"booster", "gbtree"},
      {"tree_method", "exact"},
      {"objective", rank ? "rank:pairwise" : "reg:squarederror"},
      {"max_depth", fmt::to_string(parameters.maximum_depth)},
      {"gamma", fmt::to_string(parameters.minimum_split_loss)},
      {"min_child_weight", fmt::to_string(parameters.minimum_child_weight)},
      {"subsample", fmt::to_string(parameters.subsample)},
      {"eta", fmt::to_string(parameters.learning_rate)},
      {"lambda", fmt::to_string(parameters.l2_regularisation)},
      {"alpha", fmt::to_string(parameters.l1_regularisation)},
  }};
  for (const auto& [name, value] : values)
    TRY(check(XGBoosterSetParam(handle, name, value.c_str()), "take a parameter"));
  const std::string seed = fmt::to_string(parameters.seed);
  TRY(check(XGBoosterSetParam(handle, "seed", seed.c_str()), "take a seed"));
  return booster;
}

/** Returns memory of the library, which is valid until its next prediction. */
Result<std::span<const float>> predict_margins(BoosterHandle booster, const DataMatrix& data) {
  constexpr int output_margin = 1;
  constexpr unsigned all_trees = 0;
  bst_ulong count = 0;
  const float* margins = nullptr;
  TRY(check(XGBoosterPredict(booster, data.handle(), output_margin, all_trees, 0, &count, &margins),
            "predict"));
  return std::span<const float>(margins, count);
}

/** Returns the initial margin of all rows. */
Result<float> base_score_of(BoosterHandle booster) {
  bst_ulong length = 0;
  const char* config = nullptr;
  TRY(check(XGBoosterSaveJsonConfig(booster, &length, &config), "return its configuration"));
  // XGBoost writes it as a text: "5E-1".
  constexpr const char* place = "/learner/learner_model_param/base_score";
  const auto parsed = nlohmann::json::parse(std::string_view(config, length), nullptr, false);
  const nlohmann::json::json_pointer pointer(place);
  float score = 0;
  if (!parsed.is_discarded() && parsed.contains(pointer) && parsed.at(pointer).is_string()) {
    const auto& text = parsed.at(pointer).get_ref<const std::string&>();
    if (std::from_chars(text.data(), text.data() + text.size(), score).ec == std::errc()) return score;
  }
  return fail(ErrorCode::Internal, fmt::format("XGBoost's configuration has no {}", place));
}

Status check_data(const BoostingData& data) {
  const std::size_t rows = data.labels.size();
  if (rows == 0 || data.columns == 0 || data.features.size() != rows * data.columns ||
      (!data.base_margins.empty() && data.base_margins.size() != rows)) {
    return fail(
        ErrorCode::Internal,
        fmt::format("gradient boosting: {} labels do not fit {} features in {} columns and {} margins", rows,
                    data.features.size(), data.columns, data.base_margins.size()));
  }
  if (!all_finite(data.features) || !all_finite(data.labels) || !all_finite(data.base_margins)) {
    return fail(ErrorCode::Internal, "gradient boosting: a feature, label or margin is not a finite number");
  }
  return {};
}

/** Adds trees until the recall has not improved for `patience` rounds; returns their number. */
Result<int> boost(BoosterHandle booster, const DataMatrix& matrix, std::span<const float> labels,
                  const BoostingRounds& rounds) {
  const std::vector<std::size_t> ranks = descending_ranks(labels);
  double best_recall = -1;
  int best_round = 0;
  for (int round = 0; round < rounds.maximum; ++round) {
    TRY(check(XGBoosterUpdateOneIter(booster, round, matrix.handle()), "add a tree"));
    const auto margins = TRY(predict_margins(booster, matrix));
    const double recall = average_recall(margins, ranks, rounds.recall_at);
    if (recall > best_recall) {
      best_recall = recall;
      best_round = round;
    } else if (round - best_round >= rounds.patience) {
      return round + 1;
    }
  }
  return rounds.maximum;
}

}  // namespace

Result<GradientBoosting> GradientBoosting::train(const BoostingData& data,
                                                 const BoostingParameters& parameters,
                                                 const BoostingRounds& rounds) {
  TRY(check_data(data));
  // Most features of a loop nest are constant in a space and would only cost time.
  std::vector<std::size_t> selected = informative_columns(data.features, data.columns);
  auto matrix = TRY(DataMatrix::make(select_columns(data.features, data.columns, selected), selected.size(),
                                     data.base_margins));
  TRY(matrix.set("label", data.labels));
  auto booster = TRY(make_booster(matrix, parameters));
  const int trees = TRY(boost(booster.get(), matrix, data.labels, rounds));
  GradientBoosting model;
  model.booster_ = std::move(booster);
  model.rounds_ = trees;
  model.columns_ = data.columns;
  model.selected_ = std::move(selected);
  return model;
}

Result<std::vector<float>> GradientBoosting::predict(std::span<const float> features,
                                                     std::span<const float> base_margins) const {
  if (features.empty()) return std::vector<float>{};
  const auto matrix =
      TRY(DataMatrix::make(select_columns(features, columns_, selected_), selected_.size(), base_margins));
  const auto margins = TRY(predict_margins(booster_.get(), matrix));
  return std::vector<float>(margins.begin(), margins.end());
}

Result<BoostedTrees> GradientBoosting::trees() const {
  const float base_score = TRY(base_score_of(booster_.get()));
  constexpr int without_statistics = 0;
  bst_ulong count = 0;
  const char** dump = nullptr;
  TRY(check(XGBoosterDumpModelEx(booster_.get(), "", without_statistics, "json", &count, &dump),
            "write its trees"));
  return BoostedTrees::from_dump(std::span<const char* const>(dump, count), base_score, selected_, columns_);
}

std::vector<double> GradientBoosting::column_scores(SplitScore score) const {
  const char* config =
      score == SplitScore::Count ? R"({"importance_type": "weight"})" : R"({"importance_type": "gain"})";
  bst_ulong count = 0;
  bst_ulong dimensions = 0;
  const char** names = nullptr;
  const bst_ulong* shape = nullptr;
  const float* scores = nullptr;
  // The model was trained, so only a broken library can fail here.
  if (XGBoosterFeatureScore(booster_.get(), config, &count, &names, &dimensions, &shape, &scores) != 0)
    throw std::logic_error(fmt::format("XGBoost could not score columns: {}", XGBGetLastError()));
  std::vector<double> by_column(columns_, 0);
  for (bst_ulong i = 0; i < count; ++i) {
    // Without given names, XGBoost calls a column "f" and its number.
    const std::string_view number = std::string_view(names[i]).substr(1);
    std::size_t seen = 0;
    std::from_chars(number.data(), number.data() + number.size(), seen);
    by_column[selected_.at(seen)] = scores[i];
  }
  return by_column;
}

}  // namespace kernelscape::surrogate
