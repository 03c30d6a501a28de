// What a predictor of One-Shot Tuner costs: predictions per second, features included, and an epoch of
// training. What the samples say doesn't matter to either, so they are made up.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_set>

#include "core/base/processors.h"
#include "core/base/quantile.h"
#include "core/predictor/training.h"
#include "core/schedule/template.h"
#include "core/task/catalogue.h"
#include "tests/benchmarks/benchmark_parts.h"
#include "tests/benchmarks/benchmark_support.h"

namespace {

using namespace kernelscape;

constexpr int layers = 11;  ///< of ResNet-18: one validates, the others are learnt from
constexpr std::size_t predicted_members = 8192;
constexpr double min_seconds = 2;
constexpr int timed_epochs = 3;
constexpr int default_epochs = 50;

struct NoOptions {};

/** Sixteen lanes, whatever machine this runs on. */
schedule::TargetDescription wide_cpu() {
  schedule::TargetDescription target;
  target.isa = "avx512";
  target.vector_bits = 512;
  target.vector_registers = 32;
  return target;
}

schedule::ScheduledKernel layer_kernel(const task::Catalogue& catalogue, int layer) {
  const task::Task task = value_or_stop(catalogue.find(fmt::format("resnet18/C{}", layer)));
  return value_or_stop(schedule::apply_template(task, wide_cpu(), "conv2d-packed"));
}

std::vector<space::Configuration> different_members(const space::SearchSpace& space, std::size_t count) {
  base::Random random(1);
  std::unordered_set<space::Configuration> members;
  while (members.size() < count) {
    auto member = space.random_member(random);
    if (!member) stop("a space without members");
    members.insert(*std::move(member));
  }
  return {members.begin(), members.end()};
}

/** Samples whose labels are random and within ten times of each other, so that none is too slow to count. */
predictor::DataSet made_up_data(std::size_t samples_of_task) {
  const task::Catalogue catalogue = value_or_stop(task::Catalogue::load_default());
  base::Random random(2);
  predictor::DataSet data;
  for (int layer = 1; layer <= layers; ++layer) {
    const schedule::ScheduledKernel kernel = layer_kernel(catalogue, layer);
    data.template_name = kernel.template_name();
    data.template_version = kernel.template_version();
    data.target = kernel.target();
    predictor::TaskSamples samples{kernel.task(), different_members(kernel.space(), samples_of_task), {}};
    for (std::size_t i = 0; i < samples_of_task; ++i)
      samples.fitness.push_back(static_cast<float>(1e10 * (1 + 9 * random.uniform())));
    data.tasks.push_back(std::move(samples));
  }
  data.sources = {"made up"};
  return data;
}

std::unique_ptr<predictor::Training> begin_training(const std::string& model, std::size_t samples_of_task) {
  const predictor::TrainingSettings settings = value_or_stop(predictor::parse_training_settings(
      {{"model", model}, {"validation_share", "0.01"}, {"test_share", "0"}}));
  return value_or_stop(predictor::Training::begin(
      {.name = model, .data = made_up_data(samples_of_task), .settings = settings}));
}

void measure_predictions(const std::string& model, const char* goal) {
  // Networks take as long whatever they have learnt; trees are as many and as deep as samples make them.
  const std::size_t samples_of_task = model == "trees" ? 1500 : 32;
  const std::unique_ptr<predictor::Training> training = begin_training(model, samples_of_task);
  value_or_stop(training->run_epoch({}));
  const auto predictor = value_or_stop(training->result());
  const task::Catalogue catalogue = value_or_stop(task::Catalogue::load_default());
  const schedule::ScheduledKernel kernel = layer_kernel(catalogue, 6);
  const auto bound = value_or_stop(predictor->bind(kernel));
  const std::vector<space::Configuration> members = different_members(kernel.space(), predicted_members);
  value_or_stop(bound->predict(std::span(members).first(predicted_members / 8)));
  double seconds = 0;
  std::size_t predicted = 0;
  while (seconds < min_seconds) {
    seconds += seconds_of([&] { value_or_stop(bound->predict(members)); });
    predicted += members.size();
  }
  fmt::print("| {} | {:.0f} | {} | {:.2f} |\n", model, static_cast<double>(predicted) / seconds, goal,
             static_cast<double>(predictor->bytes().size()) / 1e6);
}

void predictions(const NoOptions&) {
  fmt::print(
      "resnet18/C6, `conv2d-packed`, features included, {} cores\n"
      "| model | predictions/s | goal | MB of its file |\n|---|---|---|---|\n",
      base::usable_cores());
  measure_predictions("tokens", "25,000");
  measure_predictions("one-shot", "5,000");
  measure_predictions("perceptron", "");
  measure_predictions("trees", "");
}

void epochs(const NoOptions&) {
  constexpr std::size_t samples_of_task = 1500;
  std::unique_ptr<predictor::Training> training;
  const double preparing = seconds_of([&] { training = begin_training("tokens", samples_of_task); });
  std::vector<double> seconds;
  for (int epoch = 0; epoch < timed_epochs; ++epoch)
    seconds.push_back(seconds_of([&] { value_or_stop(training->run_epoch({})); }));
  const double median = base::quantile(seconds, 0.5);
  fmt::print(
      "`tokens`, its default settings: {} samples to learn from, {} to validate\n"
      "| describing the kernels, s | an epoch, s | {} of them, min | goal |\n|---|---|---|---|\n"
      "| {:.1f} | {:.2f} | {:.1f} | 5.0 |\n",
      (layers - 1) * samples_of_task, samples_of_task, default_epochs, preparing, median,
      default_epochs * median / 60);
}

constexpr std::array<BenchmarkPart<NoOptions>, 2> parts{{{"predictions", predictions}, {"epochs", epochs}}};

}  // namespace

int main(int argc, char** argv) {
  return run_parts<NoOptions>(argc, argv, parts,
                              [](NoOptions&, std::string_view, std::string_view) { return false; });
}
