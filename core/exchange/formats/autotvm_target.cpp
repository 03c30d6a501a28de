#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/exchange/formats/autotvm_task.h"

namespace kernelscape::exchange {
namespace {

/** Instruction sets by LLVM's names of processors. */
struct Processor {
  std::string_view name;
  std::string_view isa;
  std::int64_t vector_bits;
};

constexpr std::array processors{
    Processor{"skylake-avx512", "avx512", 512}, Processor{"cascadelake", "avx512", 512},
    Processor{"icelake-server", "avx512", 512}, Processor{"sapphirerapids", "avx512", 512},
    Processor{"znver4", "avx512", 512},         Processor{"core-avx2", "avx2", 256},
    Processor{"haswell", "avx2", 256},          Processor{"broadwell", "avx2", 256},
    Processor{"skylake", "avx2", 256},          Processor{"znver2", "avx2", 256},
    Processor{"znver3", "avx2", 256},
};

/** Returns "titanx" for "-model=titanx"; empty if the option is missing. */
std::string option(const std::vector<std::string>& words, std::string_view name) {
  const std::string prefix = fmt::format("-{}=", name);
  for (const std::string& word : words)
    if (word.starts_with(prefix)) return word.substr(prefix.size());
  return {};
}

/** Maps AutoTVM's kinds of targets to the closest kinds of this program. */
schedule::TargetDescription target_of_kind(const std::string& kind) {
  if (kind == "cuda" || kind == "nvptx") {
    schedule::TargetDescription target = schedule::default_cuda_target();
    target.isa.clear();
    return target;
  }
  if (kind == "llvm" || kind == "c") return {};
  schedule::TargetDescription target = schedule::default_cuda_target();
  target.kind = schedule::TargetKind::OpenCl;
  target.name = kind.empty() ? "opencl" : kind;
  target.isa.clear();
  return target;
}

/** Returns a text as a word that TVM accepts as the value of an option. */
std::string word_of(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == ' ' || c == '=' || c == '"' || c == '\''; }, '-');
  return text;
}

}  // namespace

schedule::TargetDescription autotvm_target(std::string_view text, std::string_view tvm_version) {
  std::vector<std::string> words = base::split_text(text, ' ');
  std::erase(words, std::string());
  const std::string kind = words.empty() ? std::string() : words.front();
  schedule::TargetDescription target = target_of_kind(kind);
  const std::string processor = option(words, "mcpu");
  const auto known = std::ranges::find(processors, processor, &Processor::name);
  if (target.kind == schedule::TargetKind::Cpu && known != processors.end()) {
    target.isa = known->isa;
    target.vector_bits = known->vector_bits;
  }
  if (const std::string arch = option(words, "arch"); !arch.empty()) target.isa = arch;
  target.device = option(words, "model");
  if (target.device.empty() || target.device == "unknown") target.device = processor;
  if (target.device.empty()) target.device = fmt::format("unknown {} device", target.name);
  target.compiler = "tvm";
  target.compiler_version = tvm_version;
  target.flags = std::move(words);
  return target;
}

std::string autotvm_target_text(const schedule::TargetDescription& target) {
  const std::string model = word_of(target.device);
  if (target.kind == schedule::TargetKind::Cpu) {
    const auto known = std::ranges::find(processors, target.isa, &Processor::isa);
    const std::string processor = known == processors.end() ? "" : fmt::format(" -mcpu={}", known->name);
    return fmt::format("llvm -model={}{}", model, processor);
  }
  return fmt::format("{} -model={}", schedule::to_string(target.kind), model);
}

}  // namespace kernelscape::exchange
