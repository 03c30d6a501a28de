#include "core/predictor/predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/file.h"
#include "core/base/foreign_file.h"
#include "core/base/processors.h"
#include "core/base/sha256.h"
#include "core/predictor/features.h"
#include "core/predictor/file.h"
#include "core/surrogate/worker_threads.h"
#include "core/task/data_folder.h"

namespace kernelscape::predictor {
namespace {

constexpr std::size_t hash_digits = 12;
/// Rows per block of one thread: larger blocks do not use all threads better, and smaller ones have more
/// overhead.
constexpr std::size_t block_rows = 256;

std::unexpected<Error> does_not_fit(std::string message, std::string_view template_name) {
  return fail(
      ErrorCode::Refused, std::move(message),
      fmt::format(
          "train a new predictor: `kernelscape dataset` measures tasks of {} here, `kernelscape train` "
          "learns from them",
          template_name));
}

/** The contents of a file, with the model ready for use. */
struct LoadedPredictor {
  File file;  ///< without the model's parameters
  std::string bytes;
  std::string hash;
  std::string text;
  std::shared_ptr<const RegressionModel> model;
};

/** A predictor with the features of a task's kernels. */
class BoundPredictor final : public space::PerformancePredictor {
 public:
  BoundPredictor(std::shared_ptr<const LoadedPredictor> predictor,
                 std::shared_ptr<const space::FeatureExtractor> features)
      : predictor_(std::move(predictor)), features_(std::move(features)), threads_(base::usable_cores()) {}

  const std::string& text() const override { return predictor_->text; }

  Result<std::vector<float>> predict(std::span<const space::Configuration> configurations) const override {
    std::vector<float> values(configurations.size());
    const std::size_t blocks = (configurations.size() + block_rows - 1) / block_rows;
    surrogate::run_parallel(blocks, threads_, [&](std::size_t block) {
      const std::size_t first = block * block_rows;
      const std::size_t count = std::min(block_rows, configurations.size() - first);
      predict_block(configurations.subspan(first, count), std::span(values).subspan(first, count));
      return true;
    });
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) {
      return fail(ErrorCode::Corrupt,
                  fmt::format("the predictor {} returned a prediction that is not a finite number", text()),
                  "train another predictor with `kernelscape train`");
    }
    return values;
  }

 private:
  void predict_block(std::span<const space::Configuration> configurations, std::span<float> values) const {
    const std::size_t columns = predictor_->file.shape.network.columns;
    std::vector<float> rows(configurations.size() * columns);
    for (std::size_t i = 0; i < configurations.size(); ++i)
      features_->write(configurations[i], std::span(rows).subspan(i * columns, columns));
    predictor_->file.row_scale.apply(rows);
    predictor_->model->predict(rows, values);
    for (float& value : values) value = predictor_->file.label_scale.fitness(value);
  }

  std::shared_ptr<const LoadedPredictor> predictor_;
  std::shared_ptr<const space::FeatureExtractor> features_;
  int threads_;
};

class FilePredictor final : public Predictor {
 public:
  explicit FilePredictor(std::shared_ptr<const LoadedPredictor> loaded) : loaded_(std::move(loaded)) {}

  const Description& description() const override { return loaded_->file.description; }
  const std::string& bytes() const override { return loaded_->bytes; }
  const std::string& hash() const override { return loaded_->hash; }

  Status fits(std::string_view template_name, int template_version,
              const schedule::TargetDescription& target) const override {
    const Description& own = description();
    const auto says = [&](const std::string& what) {
      return does_not_fit(fmt::format("the predictor {} {}", loaded_->text, what), template_name);
    };
    const std::vector<TemplateVersion> templates = own.templates();
    const auto known = std::ranges::find(templates, template_name, &TemplateVersion::name);
    if (known == templates.end())
      return says(fmt::format("is for the template {}, not {}", templates_text(templates), template_name));
    if (known->version != template_version) {
      return says(fmt::format("is for version {} of the template {}, which has version {} in this program",
                              known->version, template_name, template_version));
    }
    const int version = features_version(loaded_->file.shape.kind);
    if (own.features_version != version) {
      return says(fmt::format("reads version {} of the features {}, which have version {} in this program",
                              own.features_version, own.features, version));
    }
    if (own.isa != target.instructions())
      return says(
          fmt::format("was trained on kernels of the ISA {}, not {}", own.isa, target.instructions()));
    return {};
  }

  Result<std::shared_ptr<const space::PerformancePredictor>> bind(
      const schedule::ScheduledKernel& kernel) const override {
    TRY(fits(kernel.template_name(), kernel.template_version(), kernel.target()));
    std::shared_ptr<const space::FeatureExtractor> features =
        TRY(predictor_features(loaded_->file.shape.kind, kernel));
    if (features->names().size() != loaded_->file.shape.network.columns ||
        shape_of_rows(loaded_->file.shape.kind).tokens != loaded_->file.shape.network.tokens) {
      return fail(
          ErrorCode::Corrupt,
          fmt::format("the model of the predictor {} does not fit the features that its description names",
                      loaded_->text),
          "restore a copy of it, or train a new predictor with `kernelscape train`");
    }
    return std::make_shared<const BoundPredictor>(loaded_, std::move(features));
  }

 private:
  std::shared_ptr<const LoadedPredictor> loaded_;
};

}  // namespace

Result<std::shared_ptr<const Predictor>> Predictor::open(const std::filesystem::path& path) {
  TRY(base::check_no_foreign_file(path));
  const std::string bytes = TRY(base::read_text_file(path, max_predictor_bytes));
  return from_bytes(bytes, path.string());
}

Result<std::shared_ptr<const Predictor>> Predictor::from_bytes(std::string_view bytes,
                                                               std::string_view name) {
  auto loaded = std::make_shared<LoadedPredictor>();
  loaded->file = TRY(predictor_from_bytes(bytes, name));
  auto model = RegressionModel::from_numbers(loaded->file.shape, loaded->file.numbers);
  if (!model) {
    return fail(ErrorCode::Corrupt,
                fmt::format("the predictor {} is damaged: {}", name, model.error().message),
                "restore a copy of it, or train a new predictor with `kernelscape train`");
  }
  loaded->model = *std::move(model);
  loaded->file.numbers = {};
  loaded->bytes = bytes;
  loaded->hash = base::sha256(bytes).substr(0, hash_digits);
  loaded->text = fmt::format("{} {}", loaded->file.description.name, loaded->hash);
  return std::make_shared<const FilePredictor>(std::move(loaded));
}

std::string predictor_text(const Predictor& predictor) {
  return fmt::format("{} {}", predictor.description().name, predictor.hash());
}

std::vector<std::filesystem::path> bundled_predictors() {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator file(task::data_folder() / "predictors", error), end;
       !error && file != end; file.increment(error)) {
    if (file->path().extension() == ".kspred") files.push_back(file->path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace kernelscape::predictor
