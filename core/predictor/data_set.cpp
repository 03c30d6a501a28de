#include "core/predictor/data_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string_view>

namespace kernelscape::predictor {
namespace {

struct PartCounts {
  std::size_t validation = 0;
  std::size_t test = 0;
};

/** Returns how many tasks a share holds out. */
std::size_t held_out(std::size_t tasks, double share) {
  if (share <= 0) return 0;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(share * static_cast<double>(tasks))));
}

PartCounts part_counts(std::size_t tasks, const SplitShares& shares) {
  return {held_out(tasks, shares.validation), held_out(tasks, shares.test)};
}

bool leaves_a_task(std::size_t tasks, const SplitShares& shares) {
  const PartCounts counts = part_counts(tasks, shares);
  return counts.validation + counts.test < tasks;
}

std::string samples_text(const TaskSamples& samples) {
  return fmt::format("task {}, {} configurations with {} fitness values", samples.task.text,
                     samples.configurations.size(), samples.fitness.size());
}

/** Hashes a text preceded by its length, so that consecutive texts do not merge. */
std::uint64_t hash_text(std::string_view text, std::uint64_t start) {
  return base::stable_hash(text, base::stable_hash(fmt::format("{}:", text.size()), start));
}

}  // namespace

std::size_t DataSet::samples() const {
  std::size_t count = 0;
  for (const TaskSamples& task : tasks) count += task.configurations.size();
  return count;
}

TemplateVersion DataSet::template_of(const TaskSamples& samples) const {
  if (!samples.other_template.name.empty()) return samples.other_template;
  return {template_name, template_version};
}

std::vector<TemplateVersion> DataSet::templates() const {
  std::vector<TemplateVersion> all{{template_name, template_version}};
  for (const TaskSamples& samples : tasks) {
    const TemplateVersion own = template_of(samples);
    if (std::ranges::find(all, own) == all.end()) all.push_back(own);
  }
  return all;
}

std::uint64_t DataSet::hash() const {
  std::uint64_t hash =
      hash_text(template_name, base::stable_hash(fmt::format("version {}:", template_version)));
  hash = hash_text(schedule::target_to_json(target), hash);
  for (const TaskSamples& samples : tasks) {
    hash = hash_text(samples.task.text, hash);
    if (const auto& [name, version] = samples.other_template; !name.empty())
      hash = hash_text(name, base::stable_hash(fmt::format("version {}:", version), hash));
    for (std::size_t i = 0; i < samples.configurations.size(); ++i) {
      hash = hash_text(space::to_blob(samples.configurations[i]), hash);
      hash = hash_text(fmt::to_string(std::bit_cast<std::uint32_t>(samples.fitness[i])), hash);
    }
  }
  return hash;
}

std::string operation_of(const task::Task& task) { return task.text.substr(0, task.text.find(' ')); }

Status check_data_set(const DataSet& data) {
  std::vector<std::string> texts;
  for (const TaskSamples& samples : data.tasks) {
    texts.push_back(fmt::format("{} of the template {}", samples.task.text, data.template_of(samples).name));
    if (samples.configurations.size() != samples.fitness.size())
      return fail(ErrorCode::Internal, samples_text(samples));
    const bool valid = std::ranges::all_of(
        samples.fitness, [](float fitness) { return std::isfinite(fitness) && fitness > 0; });
    if (!valid)
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("task {} has an impossible fitness", samples.task.text),
                  "remove the session or recording that it comes from");
  }
  std::ranges::sort(texts);
  if (const auto twice = std::ranges::adjacent_find(texts); twice != texts.end())
    return fail(ErrorCode::Internal, fmt::format("task {} occurs twice in a data set", *twice));
  if (data.samples() == 0)
    return fail(ErrorCode::InvalidArgument, "the data set has no valid trial",
                "name sessions or recordings with valid trials, or tune first");
  return {};
}

Result<std::vector<DataPart>> split_by_task(std::size_t tasks, const SplitShares& shares,
                                            base::Random random) {
  if (!(shares.validation >= 0 && shares.test >= 0 && shares.validation + shares.test < 1))
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("shares of {} and {} of the tasks cannot be held out", shares.validation, shares.test),
        "make their sum less than 1");
  if (!leaves_a_task(tasks, shares)) {
    std::size_t needed = tasks + 1;
    while (!leaves_a_task(needed, shares)) ++needed;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} task{} cannot be split into training, validation and test: {} are needed",
                            tasks, tasks == 1 ? "" : "s", needed),
                "measure more tasks, or hold out a smaller share of them");
  }
  const PartCounts counts = part_counts(tasks, shares);
  std::vector<std::size_t> order(tasks);
  for (std::size_t task = 0; task < tasks; ++task) order[task] = task;
  random.shuffle(std::span(order));
  std::vector<DataPart> parts(tasks, DataPart::Training);
  for (std::size_t i = 0; i < counts.validation; ++i) parts[order[i]] = DataPart::Validation;
  for (std::size_t i = 0; i < counts.test; ++i) parts[order[counts.validation + i]] = DataPart::Test;
  return parts;
}

Result<std::vector<DataPart>> split_data_set(const DataSet& data, const SplitShares& shares,
                                             base::Random random) {
  std::map<std::string_view, std::size_t> places;  // of the tasks with samples, in their order
  for (const TaskSamples& samples : data.tasks)
    if (!samples.fitness.empty()) places.emplace(samples.task.text, places.size());
  const std::vector<DataPart> drawn = TRY(split_by_task(places.size(), shares, std::move(random)));
  std::vector<DataPart> parts;
  for (const TaskSamples& samples : data.tasks) {
    const auto place = places.find(samples.task.text);
    const bool sampled = place != places.end() && !samples.fitness.empty();
    parts.push_back(sampled ? drawn[place->second] : DataPart::Training);
  }
  return parts;
}

std::size_t drop_slow_samples(DataSet& data, double factor) {
  std::size_t dropped = 0;
  for (TaskSamples& samples : data.tasks) {
    if (samples.fitness.empty()) continue;
    const double best = std::ranges::max(samples.fitness);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < samples.fitness.size(); ++i) {
      if (samples.fitness[i] * factor < best) continue;
      if (kept != i) samples.configurations[kept] = std::move(samples.configurations[i]);
      samples.fitness[kept++] = samples.fitness[i];
    }
    dropped += samples.fitness.size() - kept;
    samples.configurations.resize(kept);
    samples.fitness.resize(kept);
  }
  return dropped;
}

std::vector<double> inverse_frequencies(const std::vector<float>& labels, std::size_t bins) {
  if (labels.empty()) return {};
  const auto [lowest, highest] = std::ranges::minmax(labels);
  const double low = lowest;
  const double width = (highest - low) / static_cast<double>(bins);
  std::vector<std::size_t> bin_of(labels.size(), 0);
  std::vector<std::size_t> counts(bins, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    // The last bin includes its upper end.
    if (width > 0) bin_of[i] = std::min(bins - 1, static_cast<std::size_t>((labels[i] - low) / width));
    ++counts[bin_of[i]];
  }
  std::vector<double> weights;
  weights.reserve(labels.size());
  for (const std::size_t bin : bin_of) weights.push_back(1 / static_cast<double>(counts[bin]));
  return weights;
}

}  // namespace kernelscape::predictor
