// What a visit to a machine with a GPU runs, one program for all of it: gpu/run starts it (README.md).
//   gpu-proof [OPTION...] [PART...]      the visit: its parts, one after the other
//   gpu-proof --part PART [OPTION...]    one part, as the visit starts it
//   gpu-proof --run-kernels [OPTION...]  kernels of every CUDA template in this process
//   gpu-proof --has-library VARIABLE     whether a library of NVIDIA's is found
//   gpu-proof --hello                    whether the program starts here
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <system_error>

#include "tests/gpu/child.h"
#include "tests/gpu/libraries.h"
#include "tests/gpu/parts.h"
#include "tests/gpu/visit.h"

namespace kernelscape::gpu_proof {
namespace {

constexpr std::array parts{
    Part{"devices", "what the machine has, and whether a first kernel runs", 0.8, 15, run_devices},
    Part{"properties", "random tasks and configurations of every template against the reference", 1.4, 30,
         run_properties},
    Part{"vendor", "best / cuDNN, best / cuBLAS, tensor cores / cuBLAS", 3.5, 40, run_vendor},
    Part{"faults", "kernels that do wrong: each costs one trial", 0.8, 30, run_faults},
    Part{"sanitizers", "compute-sanitizer over samples of every CUDA template", 1.4, 60, run_sanitizers},
    Part{"record", "a random sample of resnet18-nose/C5, to replay", 1.1, 40, run_record},
    Part{"search", "gp, xgb, nose, opevo and random on resnet18/C2", 2.2, 150, run_search}};

std::filesystem::path home_of_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().parent_path();
}

int run_part(const Settings& settings) {
  const Part& part = *find_part(settings.parts.front());
  const std::filesystem::path file = settings.result_file(part.name);
  PartResult result(file, part.name, 60 * settings.minutes, read_json(file.string() + ".earlier"));
  result.save();
  try {
    part.run(settings, result);
  } catch (const std::exception& error) {
    result.fail("the part itself", error.what());
  }
  result.save();
  return 0;
}

/** Takes a word away; whether it was there. */
bool take_word(std::vector<std::string>& words, std::string_view word) {
  return std::erase(words, std::string(word)) > 0;
}

int run(std::vector<std::string> words) {
  if (take_word(words, "--hello")) return 0;
  if (take_word(words, "--help")) {
    fmt::print("{}", usage());
    return 0;
  }
  if (take_word(words, "--has-library")) return !words.empty() && has_library(words.front()) ? 0 : 1;
  const bool kernels = take_word(words, "--run-kernels");
  const bool one_part = take_word(words, "--part");
  Result<Settings> settings = parse_settings(words);
  if (!settings) {
    fmt::print(stderr, "{}\n", describe(settings.error()));
    return 2;
  }
  watch_signals();
  settings->home = home_of_program();
  if (kernels) return run_kernels(*settings);
  return one_part ? run_part(*settings) : run_visit(std::move(*settings));
}

}  // namespace

std::span<const Part> all_parts() { return parts; }

const Part* find_part(std::string_view name) {
  const auto found = std::ranges::find(parts, name, &Part::name);
  return found == parts.end() ? nullptr : &*found;
}

}  // namespace kernelscape::gpu_proof

int main(int argc, char** argv) { return kernelscape::gpu_proof::run({argv + 1, argv + argc}); }
