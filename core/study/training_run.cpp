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

namespace kernelscape {
namespace {

/** The time that a process that dies loses, in addition to an epoch. */
constexpr std::chrono::seconds checkpoint_interval{10};
/** Number of the latest epochs whose mean time predicts that of the next. */
constexpr std::ptrdiff_t timed_epochs = 5;

/** Returns the predictor's name, which is part of its file and of stored sessions. */
Result<std::string> training_name(const TrainingRequest& request, const DataSet& data) {
  if (request.name.empty()) return fmt::format("{}-{}", data.template_name, data.target.isa);
  if (is_clean_text(request.name, name_limits) && request.name.find_first_not_of(' ') != std::string::npos)
    return request.name;
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} is not a valid name of a predictor", quoted_line(request.name)),
              fmt::format("write one line of at most {} bytes", name_limits.max_bytes));
}

/** Returns all settings as texts, so that changed defaults of another version have no effect. */
std::map<std::string, std::string> setting_texts(const TrainingSettings& settings) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : settings_of<TrainingSettings>().values_of(settings))
    texts[name] = to_string(value);
  return texts;
}

/** Reports errors that training would return at once, before features are computed. */
Status check_trainable(const DataSet& data, const SplitShares& shares, std::uint64_t seed) {
  std::ignore = TRY(split_by_task(data.tasks.size(), shares, Random(seed)));
  return {};
}

/** Returns Interrupted if the machine is at fault, so that the training can be resumed without the error. */
PredictorState state_after(const Error& error) {
  return error.code == ErrorCode::Environment ? PredictorState::Interrupted : PredictorState::Failed;
}

/** A training that this process owns; released as interrupted unless its end was reported. */
class OwnedTraining {
 public:
  OwnedTraining(Store& store, PredictorId id) : store_(store), id_(id) {}
  ~OwnedTraining() {
    if (owned_) std::ignore = store_.end_training(id_, PredictorState::Interrupted, "");
  }
  OwnedTraining(const OwnedTraining&) = delete;
  OwnedTraining& operator=(const OwnedTraining&) = delete;

  PredictorId id() const { return id_; }
  Store& store() { return store_; }

  Status save(const Training& training) {
    return store_.save_epoch(id_, training_epochs_to_json(training.epochs()), training.checkpoint());
  }

  Status end(PredictorState state, const std::string& reason) {
    owned_ = false;
    return store_.end_training(id_, state, reason);
  }

  /** Stores the predictor and the epochs, of which some may be unsaved, in one transaction. */
  Status finish(const Training& training, const Predictor& predictor) {
    Store::Transaction transaction = TRY(store_.begin());
    TRY(store_.save_epoch(id_, training_epochs_to_json(training.epochs()), ""));
    TRY(store_.finish_training(id_, predictor.bytes(), predictor.hash()));
    TRY(transaction.commit());
    owned_ = false;
    return {};
  }

 private:
  Store& store_;
  PredictorId id_;
  bool owned_ = true;
};

/** Returns an upper bound: training may end before its last epoch. */
double seconds_left(const Training& training) {
  const std::vector<TrainingEpoch>& epochs = training.epochs();
  const auto last = epochs.end() - std::min(timed_epochs, std::ssize(epochs));
  const double seconds = std::accumulate(
      last, epochs.end(), 0.0, [](double sum, const TrainingEpoch& epoch) { return sum + epoch.seconds; });
  const double mean = seconds / static_cast<double>(std::max<std::ptrdiff_t>(1, epochs.end() - last));
  return training.finished() ? 0 : mean * static_cast<double>(training.max_epochs() - std::ssize(epochs));
}

std::int64_t count_parts(const Training& training, DataPart part) {
  return std::ranges::count(training.parts(), part);
}

/** One run of a stored training, from the data set to the predictor. */
class TrainingExecution {
 public:
  TrainingExecution(OwnedTraining& owned, TrainingObserver& observer, const StopRequest& stop)
      : owned_(owned), observer_(observer), stop_(stop) {}

  Result<TrainingEnd> run() {
    TRY(begin());
    observer_.begun(facts_);
    while (!training_->finished()) {
      if (stopped()) return interrupted();
      const std::optional<TrainingEpoch> epoch = TRY(training_->run_epoch([this] { return stopped(); }));
      if (!epoch) return interrupted();
      unsaved_ = true;
      observer_.epoch(*epoch, training_->max_epochs(), seconds_left(*training_));
      if (std::chrono::steady_clock::now() - saved_ >= checkpoint_interval) TRY(save());
    }
    observer_.phase("evaluating the predictor");
    const std::shared_ptr<const Predictor> predictor = TRY(training_->result());
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
    const PredictorSummary stored = TRY(owned_.store().predictor(owned_.id()));
    const PredictorRecord& record = stored.record;
    const TrainingDefinition definition = TRY(training_definition_from_json(record.definition_json));
    observer_.phase("reading the data set");
    TrainingSetup setup;
    setup.name = record.name;
    setup.data = TRY(read_data_set(owned_.store(), definition.sources, record.template_name));
    setup.settings = TRY(parse_training_settings(definition.settings));
    setup.seed = definition.seed;
    setup.created_utc = record.created_utc;
    setup.program_version = record.program_version;
    take_facts(record, setup.data);
    observer_.phase("computing the features");
    const std::string checkpoint = TRY(owned_.store().predictor_checkpoint(owned_.id()));
    training_ = TRY(checkpoint.empty() ? Training::begin(std::move(setup))
                                       : Training::keep_going(std::move(setup), checkpoint));
    facts_.training_tasks = count_parts(*training_, DataPart::Training);
    facts_.validation_tasks = count_parts(*training_, DataPart::Validation);
    facts_.test_tasks = count_parts(*training_, DataPart::Test);
    facts_.max_epochs = training_->max_epochs();
    facts_.epochs = training_->epochs();
    return {};
  }

  void take_facts(const PredictorRecord& record, const DataSet& data) {
    facts_.id = record.id;
    facts_.name = record.name;
    facts_.template_name = record.template_name;
    facts_.isa = record.isa;
    facts_.sources = data.sources;
    facts_.samples = static_cast<std::int64_t>(data.samples());
  }

  Result<TrainingEnd> interrupted() {
    if (unsaved_) TRY(save());
    TRY(owned_.end(PredictorState::Interrupted, "interrupted by the user"));
    return TrainingEnd{owned_.id(), nullptr, training_->epochs()};
  }

  OwnedTraining& owned_;
  TrainingObserver& observer_;
  const StopRequest& stop_;
  TrainingFacts facts_;
  std::unique_ptr<Training> training_;
  bool unsaved_ = false;  ///< there are epochs since the last checkpoint
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<PredictorId> create_training(Store& store, const TrainingRequest& request) {
  const std::vector<std::string> sources = TRY(resolve_data_sources(store, request.sources));
  const TrainingSettings settings = TRY(parse_training_settings(request.settings));
  const DataSet data = TRY(read_data_set(store, sources, request.template_name));
  TRY(check_trainable(data, settings.shares, request.seed));
  PredictorRecord record;
  record.name = TRY(training_name(request, data));
  record.program_version = program_version;
  record.template_name = data.template_name;
  record.isa = data.target.isa;
  record.definition_json = training_definition_to_json({sources, setting_texts(settings), request.seed});
  Store::Transaction transaction = TRY(store.begin());
  const PredictorId id = TRY(store.create_training(record, Owner::this_process()));
  TRY(store.end_training(id, PredictorState::Interrupted, "it has not started yet"));
  TRY(transaction.commit());
  return id;
}

Result<TrainingEnd> run_training(const std::filesystem::path& database, PredictorId id,
                                 TrainingObserver& observer, const StopRequest& stop) {
  Store store = TRY(Store::open(database, OpenMode::Existing));
  TRY(store.claim_training(id, Owner::this_process()));
  OwnedTraining owned(store, id);
  Result<TrainingEnd> end =
      guarded("training a predictor", [&] { return TrainingExecution(owned, observer, stop).run(); });
  // If the database itself failed, its state remains "training" until this process ends.
  if (!end) std::ignore = owned.end(state_after(end.error()), describe(end.error()));
  return end;
}

}  // namespace kernelscape
