#include "core/study/known_predictors.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/output_file.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/validation_values.h"
#include "core/schedule/template.h"
#include "core/space/knob_json.h"

namespace kernelscape::study {
namespace {

constexpr std::size_t shortest_hash_beginning = 4;
constexpr std::string_view predictor_file_beginning{"KSPRED\0", 7};

void note_unreadable(std::vector<Error>* unreadable, const Error& error) {
  if (unreadable != nullptr) unreadable->push_back(error);
}

/** Returns the description in the file, or null with the reason stored if it cannot be read. */
std::shared_ptr<const predictor::Description> description_of(
    const Result<std::shared_ptr<const predictor::Predictor>>& predictor, KnownPredictor& known,
    std::vector<Error>* unreadable) {
  if (predictor) {
    known.hash = (*predictor)->hash();
    return std::make_shared<const predictor::Description>((*predictor)->description());
  }
  known.reason = describe(predictor.error());
  note_unreadable(unreadable, predictor.error());
  return nullptr;
}

Result<std::shared_ptr<const predictor::Predictor>> stored_predictor(const store::Store& store,
                                                                     store::PredictorId id) {
  const std::string bytes = TRY(store.predictors().bytes(id));
  return predictor::Predictor::from_bytes(bytes, fmt::format("predictor {}", id));
}

KnownPredictor known_of(const store::Store& store, const store::PredictorSummary& summary,
                        std::vector<Error>* unreadable) {
  const store::PredictorRecord& record = summary.record;
  KnownPredictor known;
  known.id = record.id;
  known.name = record.name;
  known.template_name = record.template_name;
  known.isa = record.isa;
  known.state = store::to_string(summary.state);
  known.reason = summary.state_reason;
  known.origin = record.origin;
  known.created_utc = record.created_utc;
  known.hash = summary.hash;
  if (Result<std::vector<predictor::TrainingEpoch>> epochs = training_epochs_from_json(summary.epochs_json)) {
    known.epochs = std::move(*epochs);
  } else {
    note_unreadable(unreadable, epochs.error());
  }
  if (summary.state != store::PredictorState::Done) return known;
  known.description = description_of(stored_predictor(store, record.id), known, unreadable);
  // For an imported predictor, the database has no epochs of its own.
  if (known.description && known.epochs.empty()) known.epochs = known.description->epochs;
  return known;
}

KnownPredictor known_of(const std::filesystem::path& file, std::vector<Error>* unreadable) {
  KnownPredictor known;
  known.file = file;
  known.name = file.stem().string();
  known.state = "shipped";
  known.description = description_of(predictor::Predictor::open(file), known, unreadable);
  if (!known.description) return known;
  known.template_name = predictor::templates_text(known.description->templates());
  known.isa = known.description->isa;
  known.created_utc = known.description->created_utc;
  known.epochs = known.description->epochs;
  return known;
}

/** Returns the hash of a predictor_text(), or the beginning of a hash; empty if it is neither. */
std::string_view hash_in(std::string_view wanted) {
  const std::string_view last = wanted.substr(wanted.rfind(' ') + 1);
  const bool digits = last.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return digits && last.size() >= shortest_hash_beginning ? last : std::string_view();
}

bool has_hash(const std::string& hash, std::string_view beginning) {
  return !beginning.empty() && hash.starts_with(beginning);
}

/** Returns sources, settings and seed from the file of an imported predictor. */
std::string definition_of(const predictor::Description& description) {
  TrainingDefinition definition{description.sources, {}, description.seed};
  const space::Json settings = space::parse_json(description.settings_json);
  if (settings.is_object()) {
    for (const auto& [name, value] : settings.items())
      definition.settings[name] = value.is_string() ? value.get<std::string>() : space::to_text(value);
  }
  return training_definition_to_json(definition);
}

predictor::DataPart part_of(const predictor::Description& description, const std::string& task) {
  const auto known = std::ranges::find(description.tasks, task, &predictor::TaskOutcome::task);
  return known == description.tasks.end() ? predictor::DataPart::Test : known->part;
}

}  // namespace

std::int64_t count_tasks(const predictor::Description& description, predictor::DataPart part) {
  return std::ranges::count(description.tasks, part, &predictor::TaskOutcome::part);
}

Result<std::vector<KnownPredictor>> known_predictors(const store::Store& store,
                                                     std::vector<Error>* unreadable) {
  std::vector<KnownPredictor> known;
  const std::vector<store::PredictorSummary> stored = TRY(store.predictors().all(unreadable));
  for (const store::PredictorSummary& summary : stored) known.push_back(known_of(store, summary, unreadable));
  const std::vector<std::filesystem::path> bundled = predictor::bundled_predictors();
  for (const std::filesystem::path& file : bundled) known.push_back(known_of(file, unreadable));
  return known;
}

Result<KnownPredictor> find_known_predictor(const store::Store& store, std::string_view wanted) {
  const Result<store::PredictorId> found = store.predictors().find(wanted);
  if (found) return known_of(store, TRY(store.predictors().get(*found)), nullptr);
  const std::string_view hash = hash_in(wanted);
  std::vector<std::string> names;
  const std::vector<store::PredictorSummary> stored = TRY(store.predictors().all());
  for (const store::PredictorSummary& summary : stored) {
    if (has_hash(summary.hash, hash)) return known_of(store, summary, nullptr);
    names.push_back(summary.record.name);
  }
  if (found.error().code != ErrorCode::NotFound) return std::unexpected(found.error());
  const std::vector<std::filesystem::path> bundled = predictor::bundled_predictors();
  for (const std::filesystem::path& file : bundled) {
    KnownPredictor known = known_of(file, nullptr);
    if (known.name == wanted || has_hash(known.hash, hash)) return known;
    names.push_back(known.name);
  }
  return fail(ErrorCode::NotFound,
              fmt::format("neither the database {} nor this program has a predictor {}",
                          store.path().string(), base::quoted_line(wanted)),
              names.empty() ? "train a predictor with `kernelscape train`" : base::suggest(wanted, names));
}

Result<std::shared_ptr<const predictor::Predictor>> open_known_predictor(const store::Store& store,
                                                                         const KnownPredictor& known) {
  if (known.id) return stored_predictor(store, *known.id);
  return predictor::Predictor::open(known.file);
}

Result<ImportedPredictor> import_predictor(store::Store& store, const std::filesystem::path& file) {
  const std::shared_ptr<const predictor::Predictor> predictor = TRY(predictor::Predictor::open(file));
  const predictor::Description& description = predictor->description();
  store::PredictorRecord record;
  record.name = exchange::cleaned_text(description.name, exchange::name_limits);
  record.program_version = description.program_version;
  record.template_name = predictor::templates_text(description.templates());
  record.isa = description.isa;
  record.definition_json = definition_of(description);
  record.origin = exchange::kept_origin(file.filename().string());
  store::Store::Transaction transaction = TRY(store.begin());
  const std::optional<store::PredictorId> known = TRY(store.predictors().with_hash(predictor->hash()));
  if (known) return ImportedPredictor{*known, true};
  const store::PredictorId id = TRY(store.predictors().add(record, predictor->bytes(), predictor->hash()));
  TRY(transaction.commit());
  return ImportedPredictor{id, false};
}

Status export_predictor(const predictor::Predictor& predictor, const std::filesystem::path& file,
                        bool force) {
  base::OutputRequest request;
  request.path = file;
  request.kind.name = "predictor";
  request.kind.recognises_own = [](std::string_view head) {
    return head.starts_with(predictor_file_beginning);
  };
  request.force = force;
  return base::write_output(std::move(request), predictor.bytes());
}

Result<std::vector<predictor::TaskOutcome>> evaluate_predictor(const predictor::Predictor& predictor,
                                                               const predictor::DataSet& data) {
  const std::vector<predictor::TemplateVersion> templates = data.templates();
  for (const predictor::TemplateVersion& one : templates)
    TRY(predictor.fits(one.name, one.version, data.target));
  std::vector<predictor::TaskOutcome> outcomes;
  for (const predictor::TaskSamples& samples : data.tasks) {
    const schedule::ScheduledKernel kernel =
        TRY(schedule::apply_template(samples.task, data.target, data.template_of(samples).name));
    const std::shared_ptr<const space::PerformancePredictor> bound = TRY(predictor.bind(kernel));
    const std::vector<float> predictions = TRY(bound->predict(samples.configurations));
    const predictor::DataPart part = part_of(predictor.description(), samples.task.text);
    outcomes.push_back(predictor::task_outcome(samples, part, predictions));
  }
  return outcomes;
}

}  // namespace kernelscape::study
