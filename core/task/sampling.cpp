#include "core/task/sampling.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "core/base/numbers.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/task/layer_fields.h"

namespace kernelscape::task {
namespace {

/** Values of fields as numbers: equal values of a field have equal numbers. */
using FieldCodes = std::vector<std::size_t>;

/** The layers of one kind, with their fields as numbers. */
class CodedLayers {
 public:
  CodedLayers(const LayerTable& table, LayerKind kind) : kind_(kind), values_(layer_fields(kind).size()) {
    std::vector<std::map<FieldValue, std::size_t>> numbers(values_.size());
    for (const LayerRow& row : table.rows()) {
      if (row.kind() != kind) continue;
      const std::vector<FieldValue> fields = field_values(row.definition, row.types);
      FieldCodes codes(fields.size());
      for (std::size_t field = 0; field < fields.size(); ++field) {
        const auto [number, added] = numbers[field].try_emplace(fields[field], values_[field].size());
        if (added) values_[field].push_back(fields[field]);
        codes[field] = number->second;
      }
      rows_.push_back(std::move(codes));
      counts_.push_back(row.count);
    }
  }

  LayerKind kind() const { return kind_; }
  std::size_t field_count() const { return values_.size(); }
  std::size_t value_count(std::size_t field) const { return values_[field].size(); }
  const std::vector<FieldCodes>& rows() const { return rows_; }
  const std::vector<double>& counts() const { return counts_; }  ///< one per row

  Result<Task> task(const FieldCodes& codes) const {
    std::vector<FieldValue> fields;
    for (std::size_t field = 0; field < codes.size(); ++field) fields.push_back(values_[field][codes[field]]);
    return task_of_fields(kind_, fields);
  }

 private:
  LayerKind kind_;
  std::vector<std::vector<FieldValue>> values_;  ///< per field, by number
  std::vector<FieldCodes> rows_;
  std::vector<double> counts_;
};

/** Draws the fields of a layer. */
class FieldSampler {
 public:
  virtual ~FieldSampler() = default;
  virtual FieldCodes draw(base::Random& random) const = 0;
  virtual double weight() const = 0;  ///< of this kind of layers relative to the other
};

/** Draws fields under conditions on other fields, which are looked up in a precomputed table. */
class ConditionSampler final : public FieldSampler {
 public:
  /** Creates the sampler. @param by_count a value is drawn in proportion to its count; else uniformly */
  ConditionSampler(const CodedLayers& layers, std::vector<std::vector<std::size_t>> conditions, bool by_count)
      : conditions_(std::move(conditions)), choices_(layers.field_count()) {
    for (std::size_t field = 0; field < choices_.size(); ++field) {
      std::map<FieldCodes, std::map<std::size_t, double>> weights;
      for (std::size_t row = 0; row < layers.rows().size(); ++row) {
        const FieldCodes& codes = layers.rows()[row];
        double& weight = weights[given(field, codes)][codes[field]];
        weight = by_count ? weight + layers.counts()[row] : 1;
      }
      for (const auto& [condition, values] : weights) {
        Choice& choice = choices_[field][condition];
        for (const auto& [value, weight] : values) {
          choice.values.push_back(value);
          choice.weights.push_back(weight);
        }
      }
    }
    for (const double weight : choices_.at(0).at({}).weights) weight_ += weight;
  }

  FieldCodes draw(base::Random& random) const override {
    FieldCodes codes(choices_.size());
    for (std::size_t field = 0; field < codes.size(); ++field) {
      const Choice& choice = choices_[field].at(given(field, codes));
      codes[field] = choice.values[random.weighted(choice.weights)];
    }
    return codes;
  }

  double weight() const override { return weight_; }

 private:
  struct Choice {
    std::vector<std::size_t> values;
    std::vector<double> weights;
  };

  FieldCodes given(std::size_t field, const FieldCodes& codes) const {
    FieldCodes result;
    for (const std::size_t condition : conditions_[field]) result.push_back(codes[condition]);
    return result;
  }

  std::vector<std::vector<std::size_t>> conditions_;
  std::vector<std::map<FieldCodes, Choice>> choices_;  ///< per field
  double weight_ = 0;
};

/** Draws fields in a random order; all fields drawn before are conditions. */
class RowSampler final : public FieldSampler {
 public:
  explicit RowSampler(const CodedLayers& layers) : layers_(layers) {
    for (const double count : layers.counts()) weight_ += count;
  }

  FieldCodes draw(base::Random& random) const override {
    std::vector<std::size_t> order(layers_.field_count());
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(std::span(order));
    std::vector<std::size_t> agreeing(layers_.rows().size());
    std::iota(agreeing.begin(), agreeing.end(), std::size_t{0});
    FieldCodes codes(order.size());
    for (const std::size_t field : order) {
      std::vector<double> weights(layers_.value_count(field));
      for (const std::size_t row : agreeing) weights[layers_.rows()[row][field]] += layers_.counts()[row];
      codes[field] = random.weighted(weights);
      std::erase_if(agreeing, [&](std::size_t row) { return layers_.rows()[row][field] != codes[field]; });
    }
    return codes;
  }

  double weight() const override { return weight_; }

 private:
  const CodedLayers& layers_;
  double weight_ = 0;
};

std::unique_ptr<FieldSampler> make_sampler(const CodedLayers& layers, Sampling method) {
  if (method == Sampling::Rows) return std::make_unique<RowSampler>(layers);
  std::vector<std::vector<std::size_t>> conditions;
  for (const LayerField& field : layer_fields(layers.kind())) conditions.push_back(field.conditions);
  if (method == Sampling::Prior)
    return std::make_unique<ConditionSampler>(layers, std::move(conditions), true);
  // The number of dimensions and the meaning of output channels depend on the operation.
  for (std::size_t field = 1; field < conditions.size(); ++field) conditions[field] = {0};
  return std::make_unique<ConditionSampler>(layers, std::move(conditions), false);
}

/** Draws layers of both kinds. */
class LayerSampler {
 public:
  LayerSampler(const LayerTable& table, Sampling method) {
    for (const LayerKind kind : {LayerKind::Convolution, LayerKind::MatrixMultiplication}) {
      auto layers = std::make_unique<CodedLayers>(table, kind);
      if (layers->rows().empty()) continue;
      samplers_.push_back(make_sampler(*layers, method));
      weights_.push_back(samplers_.back()->weight());
      layers_.push_back(std::move(layers));
    }
  }

  Result<Task> draw(base::Random& random) const {
    const std::size_t kind = random.weighted(weights_);
    return layers_[kind]->task(samplers_[kind]->draw(random));
  }

 private:
  std::vector<std::unique_ptr<CodedLayers>> layers_;  ///< owned here because samplers refer to them
  std::vector<std::unique_ptr<FieldSampler>> samplers_;
  std::vector<double> weights_;
};

Result<std::unordered_set<std::string>> held_out_texts(const std::vector<std::string>& tasks) {
  std::unordered_set<std::string> texts;
  for (const std::string& text : tasks) {
    const Result<Task> task = parse_task(text);
    if (!task) {
      Error error = task.error();
      error.message = fmt::format("the held-out task {}: {}", base::quoted_line(text), error.message);
      return std::unexpected(std::move(error));
    }
    texts.insert(task->text);
  }
  return texts;
}

std::unexpected<Error> too_few(const SampledTasks& sampled, const SamplingRequest& request,
                               const std::optional<Error>& refusal) {
  std::string message = fmt::format(
      "only {} of {} different tasks were found: {} draws in a row gave no new one; of {} draws {} were "
      "held out, {} not accepted, {} impossible",
      sampled.tasks.size(), request.count, base::count_text(max_fruitless_draws),
      base::count_text(sampled.drawn), base::count_text(sampled.refused_held_out),
      base::count_text(sampled.not_accepted), base::count_text(sampled.impossible));
  if (refusal) message += fmt::format(" (the last not accepted: {})", refusal->message);
  return fail(ErrorCode::InvalidArgument, std::move(message),
              request.method == Sampling::Rows
                  ? "ask for fewer, add layers, or sample from the prior: rows gives only layers of the table"
                  : "ask for fewer, or add layers to the table");
}

}  // namespace

std::string to_string(Sampling method) {
  switch (method) {
    case Sampling::Prior:
      return "prior";
    case Sampling::Rows:
      return "rows";
    case Sampling::Uniform:
      return "uniform";
  }
  return {};
}

Result<Sampling> parse_task_sampling(std::string_view text) {
  std::vector<std::string> known;
  for (const Sampling method : {Sampling::Prior, Sampling::Rows, Sampling::Uniform}) {
    known.push_back(to_string(method));
    if (known.back() == text) return method;
  }
  return fail(ErrorCode::NotFound, fmt::format("unknown task sampling {}", base::quoted_line(text)),
              base::suggest(text, known));
}

Result<SampledTasks> sample_tasks(const LayerTable& table, const SamplingRequest& request) {
  if (table.rows().empty())
    return fail(ErrorCode::InvalidArgument, "the table that tasks are sampled from has no layers",
                "name networks, tasks or a file with layers");
  const std::unordered_set<std::string> held_out = TRY(held_out_texts(request.held_out));
  const LayerSampler sampler(table, request.method);
  base::Random random = base::Random(request.seed).fork("task sampling");
  SampledTasks sampled;
  std::unordered_set<std::string> taken;
  std::unordered_set<std::string> refused;
  std::optional<Error> refusal;
  for (std::int64_t fruitless = 0; sampled.tasks.size() < request.count; ++fruitless) {
    if (fruitless == max_fruitless_draws) return too_few(sampled, request, refusal);
    ++sampled.drawn;
    Result<Task> task = sampler.draw(random);
    if (!task) {
      ++sampled.impossible;
    } else if (held_out.contains(task->text)) {
      ++sampled.refused_held_out;
    } else if (taken.contains(task->text)) {
      ++sampled.repeated;
    } else if (refused.contains(task->text)) {
      ++sampled.not_accepted;
    } else if (Status wanted = request.accepts ? request.accepts(*task) : Status(); !wanted) {
      ++sampled.not_accepted;
      refused.insert(task->text);
      refusal = std::move(wanted.error());
    } else {
      if (!table.contains(task->text)) ++sampled.not_in_table;
      taken.insert(task->text);
      sampled.tasks.push_back(std::move(*task));
      fruitless = -1;
    }
  }
  return sampled;
}

}  // namespace kernelscape::task
