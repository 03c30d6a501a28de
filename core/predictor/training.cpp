#include "core/predictor/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/base/processors.h"
#include "core/predictor/features.h"
#include "core/predictor/file.h"
#include "core/predictor/model_trainer.h"
#include "core/predictor/training_checkpoint.h"
#include "core/predictor/training_rows.h"
#include "core/surrogate/worker_threads.h"

namespace kernelscape::predictor {
namespace {

/// Number of rows that one thread predicts at a time.
constexpr std::size_t predicted_rows = 1024;

/** The constant inputs of a training. */
struct TrainingSubject {
  Description description;  ///< without the results of training
  TrainingSettings settings;
  std::uint64_t data_hash = 0;
  TrainingRows rows;
  int workers = 1;

  bool logarithmic() const { return rows.label_scale.logarithmic; }
};

/** The errors of predictions for some samples. */
struct ValidationLook {
  double loss = 0;
  double tau = 0;
};

class EpochTraining final : public Training {
 public:
  EpochTraining(std::unique_ptr<TrainingSubject> subject, std::unique_ptr<ModelTrainer> trainer,
                TrainingCheckpoint progress)
      : subject_(std::move(subject)), trainer_(std::move(trainer)), progress_(std::move(progress)) {}

  Result<std::optional<TrainingEpoch>> run_epoch(const std::function<bool()>& stopped) override;
  bool finished() const override {
    const auto done = static_cast<std::int64_t>(progress_.epochs.size());
    const std::int64_t patience = subject_->settings.patience;
    return done >= max_epochs() || (patience > 0 && done - progress_.best_epoch >= patience);
  }
  const std::vector<TrainingEpoch>& epochs() const override { return progress_.epochs; }
  std::int64_t max_epochs() const override { return trainer_->max_epochs(); }
  const std::vector<DataPart>& parts() const override { return subject_->rows.parts; }
  std::string checkpoint() const override { return checkpoint_to_bytes(progress_); }
  Result<std::shared_ptr<const Predictor>> result() const override;

 private:
  std::vector<float> predict(const RegressionModel& model, std::size_t first, std::size_t count) const;
  ValidationLook look(const RegressionModel& model) const;
  std::vector<TaskOutcome> outcomes(const RegressionModel& model) const;

  std::unique_ptr<TrainingSubject> subject_;  ///< the trainer keeps a reference to its rows
  std::unique_ptr<ModelTrainer> trainer_;
  TrainingCheckpoint progress_;
};

/** Returns the model's predictions for samples, on the scale of the labels. */
std::vector<float> EpochTraining::predict(const RegressionModel& model, std::size_t first,
                                          std::size_t count) const {
  const std::size_t columns = subject_->rows.columns();
  const std::span<const float> rows =
      std::span(subject_->rows.rows).subspan(first * columns, count * columns);
  std::vector<float> values(count);
  surrogate::run_parallel(
      (count + predicted_rows - 1) / predicted_rows, subject_->workers, [&](std::size_t block) {
        const std::size_t at = block * predicted_rows;
        const std::size_t most = std::min(predicted_rows, count - at);
        model.predict(rows.subspan(at * columns, most * columns), std::span(values).subspan(at, most));
        return true;
      });
  return values;
}

ValidationLook EpochTraining::look(const RegressionModel& model) const {
  const TrainingRows& rows = subject_->rows;
  double squares = 0;
  std::size_t samples = 0;
  std::vector<TaskOutcome> outcomes;
  for (std::size_t task = 0; task < rows.tasks.size(); ++task) {
    const auto [first, count] = rows.tasks[task];
    if (rows.parts[task] != DataPart::Validation) continue;
    const std::vector<float> predicted = predict(model, first, count);
    const std::span<const float> labels = std::span(rows.labels).subspan(first, count);
    for (std::size_t i = 0; i < count; ++i) {
      const double error = static_cast<double>(predicted[i]) - labels[i];
      squares += error * error;
    }
    samples += count;
    TaskOutcome& outcome = outcomes.emplace_back();
    outcome.part = DataPart::Validation;
    outcome.kendall_tau = kendall_tau(predicted, labels);
  }
  return {squares / static_cast<double>(samples), median_tau(outcomes, DataPart::Validation)};
}

Result<std::optional<TrainingEpoch>> EpochTraining::run_epoch(const std::function<bool()>& stopped) {
  const auto start = std::chrono::steady_clock::now();
  TrainingEpoch epoch;
  epoch.epoch = static_cast<std::int64_t>(progress_.epochs.size()) + 1;
  std::optional<TrainedModel> trained = TRY(trainer_->train(progress_.state, epoch.epoch, stopped));
  if (!trained) return std::nullopt;
  const auto model = RegressionModel::from_numbers(subject_->rows.shape, trained->state.numbers);
  const ValidationLook seen = model ? look(**model) : ValidationLook{NAN, NAN};
  if (!std::isfinite(trained->loss) || !std::isfinite(seen.loss)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the loss of epoch {} is not a finite number: training diverged", epoch.epoch),
                "set a lower learning_rate");
  }
  epoch.training_loss = trained->loss;
  epoch.validation_loss = seen.loss;
  epoch.validation_tau = seen.tau;
  epoch.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const bool best =
      progress_.epochs.empty() ||
      seen.tau > progress_.epochs[static_cast<std::size_t>(progress_.best_epoch) - 1].validation_tau;
  if (best) {
    progress_.best_epoch = epoch.epoch;
    progress_.best_numbers = trained->state.numbers;
  }
  progress_.state = std::move(trained->state);
  progress_.epochs.push_back(epoch);
  return epoch;
}

std::vector<TaskOutcome> EpochTraining::outcomes(const RegressionModel& model) const {
  const TrainingRows& rows = subject_->rows;
  std::vector<TaskOutcome> outcomes;
  for (std::size_t task = 0; task < rows.tasks.size(); ++task) {
    const auto [first, count] = rows.tasks[task];
    if (count == 0) continue;
    std::vector<float> predicted = predict(model, first, count);
    for (float& value : predicted) value = rows.label_scale.fitness(value);
    outcomes.push_back(task_outcome(rows.data.tasks[task], rows.parts[task], predicted));
  }
  return outcomes;
}

Result<std::shared_ptr<const Predictor>> EpochTraining::result() const {
  const TrainingRows& rows = subject_->rows;
  const auto model = TRY(RegressionModel::from_numbers(rows.shape, progress_.best_numbers));
  File file;
  file.description = subject_->description;
  file.description.tasks = outcomes(*model);
  file.description.epochs = progress_.epochs;
  for (TrainingEpoch& epoch : file.description.epochs) epoch.seconds = 0;
  file.description.best_epoch = progress_.best_epoch;
  file.shape = rows.shape;
  file.label_scale = rows.label_scale;
  file.row_scale = rows.row_scale;
  file.numbers = progress_.best_numbers;
  return Predictor::from_bytes(predictor_to_bytes(file), file.description.name);
}

Description describe_setup(const TrainingSetup& setup, std::uint64_t data_hash) {
  const Kind kind = setup.settings.model;
  Description description;
  description.name = setup.name;
  description.created_utc = setup.created_utc;
  description.program_version = setup.program_version;
  description.template_name = setup.data.template_name;
  description.template_version = setup.data.template_version;
  const std::vector<TemplateVersion> templates = setup.data.templates();
  description.more_templates.assign(templates.begin() + 1, templates.end());
  description.isa = setup.data.target.instructions();
  description.device = setup.data.target.device;
  description.features = features_of(kind);
  description.features_version = features_version(kind);
  description.settings_json = training_settings_to_json(setup.settings);
  description.seed = setup.seed;
  description.data_hash = data_hash;
  description.sources = setup.data.sources;
  return description;
}

Result<std::unique_ptr<TrainingSubject>> make_subject(TrainingSetup setup) {
  auto subject = std::make_unique<TrainingSubject>();
  subject->description = describe_setup(setup, setup.data.hash());
  subject->settings = setup.settings;
  subject->workers =
      setup.workers > 0 ? setup.workers : std::min(subject->settings.threads, base::usable_cores());
  subject->rows =
      TRY(prepare_rows(std::move(setup.data), subject->settings, base::Random(setup.seed), subject->workers));
  subject->description.samples = static_cast<std::int64_t>(subject->rows.training.size());
  return subject;
}

std::unique_ptr<ModelTrainer> make_trainer(const TrainingSubject& subject) {
  const base::Random random(subject.description.seed);
  if (subject.rows.shape.kind == Kind::Trees) return trees_trainer(subject.rows, subject.settings, random);
  return network_trainer(subject.rows, subject.settings, random, subject.workers);
}

/** Returns Refused if the checkpoint belongs to another training. */
Status check_same(const TrainingCheckpoint& checkpoint, const Description& setup) {
  const auto refuse = [](std::string_view what) {
    return fail(ErrorCode::Refused, fmt::format("the checkpoint belongs to a training {}", what),
                "train again from the beginning, or with the original sources and settings");
  };
  if (checkpoint.data_hash != setup.data_hash) return refuse("on other samples");
  if (checkpoint.seed != setup.seed) return refuse(fmt::format("with the seed {}", checkpoint.seed));
  if (!same_training_settings(checkpoint.settings_json, setup.settings_json))
    return refuse("with other settings");
  return {};
}

/** Returns Corrupt if the checkpoint's numbers do not fit this model. */
Status check_numbers(const TrainingCheckpoint& checkpoint, const ModelTrainer& trainer,
                     const ModelShape& shape) {
  if (checkpoint.epochs.empty()) return {};
  const auto best = RegressionModel::from_numbers(shape, checkpoint.best_numbers);
  const Status checked = best ? trainer.check(checkpoint.state) : std::unexpected(best.error());
  if (checked) return {};
  return fail(ErrorCode::Corrupt,
              fmt::format("the checkpoint of the training is damaged: {}", checked.error().message),
              "train again from the beginning, with the same sources and settings");
}

}  // namespace

Result<std::unique_ptr<Training>> Training::begin(TrainingSetup setup) {
  auto subject = TRY(make_subject(std::move(setup)));
  auto trainer = make_trainer(*subject);
  TrainingCheckpoint progress;
  progress.data_hash = subject->description.data_hash;
  progress.seed = subject->description.seed;
  progress.settings_json = subject->description.settings_json;
  progress.state = TRY(trainer->start());
  return std::make_unique<EpochTraining>(std::move(subject), std::move(trainer), std::move(progress));
}

Result<std::unique_ptr<Training>> Training::keep_going(TrainingSetup setup, std::string_view checkpoint) {
  TrainingCheckpoint progress = TRY(checkpoint_from_bytes(checkpoint));
  TRY(check_same(progress, describe_setup(setup, setup.data.hash())));
  auto subject = TRY(make_subject(std::move(setup)));
  auto trainer = make_trainer(*subject);
  if (progress.epochs.empty()) progress.state = TRY(trainer->start());
  TRY(check_numbers(progress, *trainer, subject->rows.shape));
  return std::make_unique<EpochTraining>(std::move(subject), std::move(trainer), std::move(progress));
}

}  // namespace kernelscape::predictor
