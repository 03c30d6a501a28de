#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/gpu/child.h"
#include "tests/gpu/parts.h"
#include "tests/gpu/tuning_child.h"

namespace kernelscape::gpu_proof {
namespace {

using nlohmann::json;

constexpr const char* table = "tasks";
constexpr double around_seconds = 10;  // ceilings, references, the confirmation at the end
constexpr double min_seconds = 5;
constexpr double turn_seconds = 40;  // with less for each, the last tasks wait for another visit
constexpr double fake_seconds = 20;

/** A task and whom it is compared with. */
struct VendorTask {
  std::string name;
  std::string group;
  std::string template_name;
};

/** One of each kind first: a visit that ends early has seen all kinds. */
std::vector<VendorTask> vendor_tasks(bool fake) {
  if (fake)
    return {{"conv2d 1x4x16x16 16x4x1x1 stride=1 pad=0 f32", "cuDNN", "conv2d-direct"},
            {"matmul 64x64 64x64 f32", "cuBLAS", "matmul"},
            {"matmul 64x64 64x64 f16", "tensor cores", "matmul-wmma"}};
  std::vector<VendorTask> tasks;
  for (int i = 1; i <= 12; ++i) {
    tasks.push_back({fmt::format("resnet18/C{}", i), "cuDNN", "conv2d-direct"});
    if (i <= 3) tasks.push_back({fmt::format("opevo/MM{}", i), "cuBLAS", "matmul"});
    if (i <= 5) tasks.push_back({fmt::format("heron-f16/G{}", i), "tensor cores", "matmul-wmma"});
  }
  return tasks;
}

bool is_compared(const json& row) { return row.value("ratio", 0.0) > 0; }

/** Tasks that an earlier visit has compared stay as they are. */
std::vector<VendorTask> tasks_left(const Settings& settings, PartResult& result) {
  std::vector<VendorTask> left = vendor_tasks(settings.fake);
  for (const json& row : result.earlier_rows(table)) {
    if (!is_compared(row)) continue;
    const auto same = std::ranges::find(left, row.value("task", ""), &VendorTask::name);
    if (same == left.end()) continue;
    result.add_row(table, row);
    left.erase(same);
  }
  return left;
}

void set_means(PartResult& result) {
  std::map<std::string, std::vector<double>> ratios;
  if (!result.content()["tables"].contains(table)) return;
  for (const json& row : result.content()["tables"][table])
    if (is_compared(row)) ratios[row.value("group", "")].push_back(row.value("ratio", 0.0));
  for (const auto& [group, values] : ratios) {
    double logarithms = 0;
    for (const double value : values) logarithms += std::log(value);
    result.set(fmt::format("best / {}, geometric mean", group),
               std::exp(logarithms / static_cast<double>(values.size())));
    result.set(fmt::format("best / {}, tasks", group), values.size());
  }
}

/** Seconds of the next task. */
double turn(double seconds_left, std::size_t tasks_left) {
  return std::min(seconds_left, std::max(turn_seconds, seconds_left / static_cast<double>(tasks_left)));
}

void tune_task(const Settings& settings, const VendorTask& task, double seconds, PartResult& result) {
  std::vector<std::string> words{"tune",       task.name,
                                 "--target",   settings.device,
                                 "--template", task.template_name,
                                 "--tuner",    "gp",
                                 "--seed",     std::to_string(settings.seed),
                                 "--name",     "vendor " + task.name,
                                 "--db",       settings.kept_file("vendor.db").string(),
                                 "--trials",   settings.fake ? "6" : "0"};
  if (!settings.fake) {
    words.emplace_back("--minutes");
    words.push_back(minutes_text(std::max(min_seconds, seconds - around_seconds)));
  }
  const TuningEnded ended = run_tuning(settings, words, seconds + 2 * around_seconds);
  const double ours = ended.best_gflops();
  const double theirs = ended.vendor_gflops();
  result.add_row(table, {{"task", task.name},
                         {"group", task.group},
                         {"best GFLOP/s", ours},
                         {"vendor GFLOP/s", theirs},
                         {"ratio", theirs > 0 ? ours / theirs : 0},
                         {"trials", ended.trials()},
                         {"categories", ended.categories()},
                         {"seconds", ended.process.seconds},
                         {"vendor", ended.vendor_reason()}});
  if (ours <= 0) result.fail(task.name, ended.problem.empty() ? "no valid trial" : ended.problem);
  if (theirs <= 0)
    result.note(fmt::format("{}: no number of the vendor's: {}", task.name, ended.vendor_reason()));
  const json categories = ended.categories();
  for (const char* wrong : {"WRONG_ANSWER", "COMPILE_DEVICE", "RUNTIME_DEVICE", "UNKNOWN_ERROR"})
    if (categories.contains(wrong))
      result.fail(task.name,
                  fmt::format("{} trials are {}: see vendor.db", categories[wrong].get<int>(), wrong));
}

}  // namespace

void run_vendor(const Settings& settings, PartResult& result) {
  const std::vector<VendorTask> tasks = tasks_left(settings, result);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const double seconds = settings.fake ? fake_seconds : turn(result.seconds_left(), tasks.size() - i);
    if (seconds < around_seconds + min_seconds || stop_asked()) {
      return result.pause(fmt::format("{} tasks are left: out of time", tasks.size() - i));
    }
    tune_task(settings, tasks[i], seconds, result);
    set_means(result);
    result.save();
  }
  result.done();
}

}  // namespace kernelscape::gpu_proof
