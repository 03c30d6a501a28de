#include "core/predictor/model_trainer.h"
#include "core/surrogate/gradient_boosting.h"

namespace kernelscape::predictor {
namespace {

/** Deeper and slower than AutoTVM's trees, which learn one task from few trials. */
constexpr int tree_depth = 6;
constexpr double boosting_rate = 0.1;
constexpr surrogate::BoostingRounds boosting_rounds = {.maximum = 300, .patience = 300};

class TreesTrainer final : public ModelTrainer {
 public:
  TreesTrainer(const TrainingRows& rows, const TrainingSettings& settings, const base::Random& random)
      : rows_(rows), settings_(settings), random_(random) {}

  Result<ModelState> start() const override { return ModelState{}; }

  Status check(const ModelState& state) const override {
    const auto model = RegressionModel::from_numbers(rows_.shape, state.numbers);
    return model ? Status() : Status(std::unexpected(model.error()));
  }

  Result<std::optional<TrainedModel>> train(const ModelState&, std::int64_t,
                                            const std::function<bool()>& stopped) const override {
    if (stopped && stopped()) return std::nullopt;
    const std::size_t columns = rows_.columns();
    std::vector<float> features;
    std::vector<float> labels;
    for (const std::size_t position :
         draw_samples(rows_, settings_, random_.fork("epoch 1").fork("samples"))) {
      const std::span<const float> row = std::span(rows_.rows).subspan(position * columns, columns);
      features.insert(features.end(), row.begin(), row.end());
      labels.push_back(rows_.labels[position]);
    }
    surrogate::BoostingParameters parameters;
    parameters.objective = surrogate::BoostingObjective::Regression;
    parameters.maximum_depth = tree_depth;
    parameters.learning_rate = boosting_rate;
    const surrogate::GradientBoosting boosting =
        TRY(surrogate::GradientBoosting::train({features, columns, labels, {}}, parameters, boosting_rounds));
    const surrogate::BoostedTrees trees = TRY(boosting.trees());
    double squares = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const double error = trees.predict(std::span(features).subspan(i * columns, columns)) - labels[i];
      squares += error * error;
    }
    return TrainedModel{{trees.to_numbers(), {}}, squares / static_cast<double>(labels.size())};
  }

  std::int64_t max_epochs() const override { return 1; }

 private:
  const TrainingRows& rows_;
  TrainingSettings settings_;
  base::Random random_;
};

}  // namespace

std::unique_ptr<ModelTrainer> trees_trainer(const TrainingRows& rows, const TrainingSettings& settings,
                                            const base::Random& random) {
  return std::make_unique<TreesTrainer>(rows, settings, random);
}

}  // namespace kernelscape::predictor
