#include "core/study/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <tuple>

#include "core/base/memory.h"
#include "core/base/visible_text.h"
#include "core/exchange/validation_values.h"
#include "core/session/version.h"
#include "core/study/data_set_reader.h"

namespace kernelscape::study {
namespace {

/** The time that a process that dies loses, in addition to an epoch. */
constexpr std::chrono::seconds checkpoint_interval{10};
/** Number of the latest epochs whose mean time predicts that of the next. */
constexpr std::ptrdiff_t timed_epochs = 5;

/** Returns the predictor's name, which is part of its file and of stored sessions. */
Result<std::string> training_name(const TrainingRequest& request, const predictor::DataSet& data) {
  if (request.name.empty()) {
    const bool several = data.templates().size() > 1;
    return fmt::format("{}-{}",
                       several ? predictor::operation_of(data.tasks.front().task) : data.template_name,
                       data.target.isa);
  }
  if (exchange::is_clean_text(request.name, exchange::name_limits) &&
      request.name.find_first_not_of(' ') != std::string::npos)
    return request.name;
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} is not a valid name of a predictor", base::quoted_line(request.name)),
              fmt::format("write one line of at most {} bytes", exchange::name_limits.max_bytes));
}

/** Returns all settings as texts, so that changed defaults of another version have no effect. */
std::map<std::string, std::string> setting_texts(const predictor::TrainingSettings& settings) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : tuner::settings_of<predictor::TrainingSettings>().values_of(settings))
    texts[name] = space::to_string(value);
  return texts;
}

/** Reports errors that training would return at once, before features are computed. */
Status check_trainable(const predictor::DataSet& data, const predictor::SplitShares& shares,
                       std::uint64_t seed) {
  std::ignore = TRY(predictor::split_data_set(data, shares, base::Random(seed)));
  return {};
}

/** Returns Interrupted if the machine is at fault, so that the training can be resumed without the error. */
store::PredictorState state_after(const Error& error) {
  return error.code == ErrorCode::Environment ? store::PredictorState::Interrupted
                                              : store::PredictorState::Failed;
}

/** A training that this process owns; released as interrupted unless its end was reported. */
class OwnedTraining {
 public:
  OwnedTraining(store::Store& store, store::PredictorId id) : store_(store), id_(id) {}
  ~OwnedTraining() {
    if (owned_) std::ignore = store_.predictors().end_training(id_, store::PredictorState::Interrupted, "");
  }
  OwnedTraining(const OwnedTraining&) = delete;
  OwnedTraining& operator=(const OwnedTraining&) = delete;

  store::PredictorId id() const { return id_; }
  store::Store& store() { return store_; }

  Status save(const predictor::Training& training) {
    return store_.predictors().save_epoch(id_, training_epochs_to_json(training.epochs()),
                                          training.checkpoint());
  }

  Status end(store::PredictorState state, const std::string& reason) {
    owned_ = false;
    return store_.predictors().end_training(id_, state, reason);
  }

  /** Stores the predictor and the epochs, of which some may be unsaved, in one transaction. */
  Status finish(const predictor::Training& training, const predictor::Predictor& predictor) {
    store::Store::Transaction transaction = TRY(store_.begin());
    TRY(store_.predictors().save_epoch(id_, training_epochs_to_json(training.epochs()), ""));
    TRY(store_.predictors().finish_training(id_, predictor.bytes(), predictor.hash()));
    TRY(transaction.commit());
    owned_ = false;
    return {};
  }

 private:
  store::Store& store_;
  store::PredictorId id_;
  bool owned_ = true;
};

/** Returns an upper bound: training may end before its last epoch. */
double seconds_left(const predictor::Training& training) {
  const std::vector<predictor::TrainingEpoch>& epochs = training.epochs();
  const auto last = epochs.end() - std::min(timed_epochs, std::ssize(epochs));
  const double seconds =
      std::accumulate(last, epochs.end(), 0.0,
                      [](double sum, const predictor::TrainingEpoch& epoch) { return sum + epoch.seconds; });
  const double mean = seconds / static_cast<double>(std::max<std::ptrdiff_t>(1, epochs.end() - last));
  return training.finished() ? 0 : mean * static_cast<double>(training.max_epochs() - std::ssize(epochs));
}

std::int64_t count_parts(const predictor::Training& training, predictor::DataPart part) {
  return std::ranges::count(training.parts(), part);
}

/** One run of a stored training, from the data set to the predictor. */
class TrainingExecution {
 public:
  TrainingExecution(OwnedTraining& owned, TrainingObserver& observer, const session::StopRequest& stop)
      : owned_(owned), observer_(observer), stop_(stop) {}

  Result<TrainingEnd> run() {
    TRY(begin());
    observer_.begun(facts_);
    while (!training_->finished()) {
      if (stopped()) return interrupted();
      const std::optional<predictor::TrainingEpoch> epoch =
          TRY(training_->run_epoch([this] { return stopped(); }));
      if (!epoch) return interrupted();
      unsaved_ = true;
      observer_.epoch(*epoch, training_->max_epochs(), seconds_left(*training_));
      if (std::chrono::steady_clock::now() - saved_ >= checkpoint_interval) TRY(save());
    }
    observer_.phase("evaluating the predictor");
    const std::shared_ptr<const predictor::Predictor> predictor = TRY(training_->result());
    TRY(owned_.finish(*training_, *predictor));
    return TrainingEnd{owned_.id(), predictor, training_->epochs()};
  }

 private:
  bool stopped() const { return stop_.level() > 0; }

  Status save() {
    TRY(owned_.save(*training_));
    unsaved_ = false;
    saved_ = std::chrono::steady_clock::now();
    return {};
  }

  Status begin() {
    const store::PredictorSummary stored = TRY(owned_.store().predictors().get(owned_.id()));
    const store::PredictorRecord& record = stored.record;
    const TrainingDefinition definition = TRY(training_definition_from_json(record.definition_json));
    observer_.phase("reading the data set");
    predictor::TrainingSetup setup;
    setup.name = record.name;
    setup.data = TRY(read_data_set(owned_.store(), definition.sources, record.template_name));
    setup.settings = TRY(predictor::parse_stored_training_settings(definition.settings));
    setup.seed = definition.seed;
    setup.created_utc = record.created_utc;
    setup.program_version = record.program_version;
    take_facts(record, setup.data);
    observer_.phase("computing the features");
    const std::string checkpoint = TRY(owned_.store().predictors().checkpoint(owned_.id()));
    training_ = TRY(checkpoint.empty() ? predictor::Training::begin(std::move(setup))
                                       : predictor::Training::keep_going(std::move(setup), checkpoint));
    facts_.training_tasks = count_parts(*training_, predictor::DataPart::Training);
    facts_.validation_tasks = count_parts(*training_, predictor::DataPart::Validation);
    facts_.test_tasks = count_parts(*training_, predictor::DataPart::Test);
    facts_.max_epochs = training_->max_epochs();
    facts_.epochs = training_->epochs();
    return {};
  }

  void take_facts(const store::PredictorRecord& record, const predictor::DataSet& data) {
    facts_.id = record.id;
    facts_.name = record.name;
    facts_.template_name = record.template_name;
    facts_.isa = record.isa;
    facts_.sources = data.sources;
    facts_.samples = static_cast<std::int64_t>(data.samples());
  }

  Result<TrainingEnd> interrupted() {
    if (unsaved_) TRY(save());
    TRY(owned_.end(store::PredictorState::Interrupted, "interrupted by the user"));
    return TrainingEnd{owned_.id(), nullptr, training_->epochs()};
  }

  OwnedTraining& owned_;
  TrainingObserver& observer_;
  const session::StopRequest& stop_;
  TrainingFacts facts_;
  std::unique_ptr<predictor::Training> training_;
  bool unsaved_ = false;  ///< there are epochs since the last checkpoint
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<store::PredictorId> create_training(store::Store& store, const TrainingRequest& request) {
  const std::vector<std::string> sources = TRY(resolve_data_sources(store, request.sources));
  const predictor::TrainingSettings settings = TRY(predictor::parse_training_settings(request.settings));
  const predictor::DataSet data = TRY(read_data_set(store, sources, request.template_name));
  TRY(check_trainable(data, settings.shares, request.seed));
  store::PredictorRecord record;
  record.name = TRY(training_name(request, data));
  record.program_version = session::program_version;
  record.template_name = predictor::templates_text(data.templates());
  record.isa = data.target.isa;
  record.definition_json = training_definition_to_json({sources, setting_texts(settings), request.seed});
  store::Store::Transaction transaction = TRY(store.begin());
  const store::PredictorId id = TRY(store.predictors().create_training(record, store::Owner::this_process()));
  TRY(store.predictors().end_training(id, store::PredictorState::Interrupted, "it has not started yet"));
  TRY(transaction.commit());
  return id;
}

Result<TrainingEnd> run_training(const std::filesystem::path& database, store::PredictorId id,
                                 TrainingObserver& observer, const session::StopRequest& stop) {
  store::Store store = TRY(store::Store::open(database, store::OpenMode::Existing));
  TRY(store.predictors().claim_training(id, store::Owner::this_process()));
  OwnedTraining owned(store, id);
  Result<TrainingEnd> end =
      base::guarded("training a predictor", [&] { return TrainingExecution(owned, observer, stop).run(); });
  // If the database itself failed, its state remains "training" until this process ends.
  if (!end) std::ignore = owned.end(state_after(end.error()), describe(end.error()));
  return end;
}

}  // namespace kernelscape::study
