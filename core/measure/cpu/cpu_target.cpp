#include "core/measure/cpu/cpu_target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/processors.h"
#include "core/base/read_file.h"
#include "core/base/text.h"
#include "core/measure/cpu/compiler.h"

namespace kernelscape::measure {
namespace {

/** Returns the value of the first line `name : value`. */
std::string_view cpuinfo_field(std::string_view cpuinfo, std::string_view name) {
  while (!cpuinfo.empty()) {
    const auto end = std::min(cpuinfo.find('\n'), cpuinfo.size());
    const std::string_view line = cpuinfo.substr(0, end);
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && base::trimmed(line.substr(0, colon)) == name)
      return base::trimmed(line.substr(colon + 1));
    cpuinfo.remove_prefix(std::min(end + 1, cpuinfo.size()));
  }
  return {};
}

void describe_caches(schedule::TargetDescription& target) {
  for (int index = 0; index < 8; ++index) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", index);
    const std::string type = base::read_system_file(folder + "type");
    const std::int64_t bytes = parse_cache_size(base::trimmed(base::read_system_file(folder + "size")));
    if (type.starts_with("Instruction")) continue;
    switch (parse_cache_size(base::trimmed(base::read_system_file(folder + "level")))) {
      case 1:
        target.l1_bytes = bytes;
        break;
      case 2:
        target.l2_bytes = bytes;
        break;
      case 3:
        target.l3_bytes = bytes;
        break;
      default:
        break;
    }
  }
  const auto ask = [](int name) { return std::max<std::int64_t>(0, sysconf(name)); };
  if (target.l1_bytes == 0) target.l1_bytes = ask(_SC_LEVEL1_DCACHE_SIZE);
  if (target.l2_bytes == 0) target.l2_bytes = ask(_SC_LEVEL2_CACHE_SIZE);
  if (target.l3_bytes == 0) target.l3_bytes = ask(_SC_LEVEL3_CACHE_SIZE);
}

/** Sets the compiler: $CC, which is used without a search, else the first of cc and gcc that starts. */
Status choose_compiler(schedule::TargetDescription& target) {
  const char* named = std::getenv("CC");
  const std::vector<std::string> candidates = named != nullptr && *named != '\0'
                                                  ? std::vector<std::string>{named}
                                                  : std::vector<std::string>{"cc", "gcc"};
  std::optional<Error> first;
  for (const std::string& candidate : candidates) {
    auto version = compiler_version(candidate);
    if (version) {
      target.compiler = candidate;
      target.compiler_version = *version;
      return {};
    }
    if (!first) first = version.error();
  }
  return std::unexpected(*first);
}

Status test_compiler(const schedule::TargetDescription& target) {
  const auto folder = TRY(base::TemporaryFolder::make());
  return check_self_test(
      target.compiler,
      compile_shared_object(self_test_request(target.compiler, codegen::own_flags(codegen::Dialect::C)),
                            folder));
}

/** Extensions of CPUs with dot products, and the macros by which a compiler says that it supports them. */
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> extension_macros{
    {{"avx512_bf16", "__AVX512BF16__"}, {"avx512_vnni", "__AVX512VNNI__"}, {"avx_vnni", "__AVXVNNI__"}}};

}  // namespace

std::string host_compiler() {
  schedule::TargetDescription target;
  return choose_compiler(target) ? target.compiler : "cc";
}

std::string cpu_model(std::string_view cpuinfo) {
  for (const char* field : {"model name", "Model", "Hardware"}) {
    if (const auto model = cpuinfo_field(cpuinfo, field); !model.empty()) return std::string(model);
  }
  return "CPU";
}

Status check_dot_products(const schedule::TargetDescription& target) {
  if (target.extensions.empty()) return {};
  const auto folder = TRY(base::TemporaryFolder::make());
  BuildRequest request = self_test_request(target.compiler, codegen::own_flags(codegen::Dialect::C));
  std::vector<std::string> missing;
  for (const auto& [extension, macro] : extension_macros)
    if (std::ranges::find(target.extensions, extension) != target.extensions.end())
      missing.push_back(fmt::format("!defined({})", macro));
  if (missing.empty()) return {};
  request.text = fmt::format("#if {}\n#error the instructions are not known\n#endif\n{}",
                             fmt::join(missing, " && "), request.text);
  const BuildReply reply = compile_shared_object(request, folder);
  if (reply.status != BuildStatus::Failed) return check_self_test(target.compiler, reply);
  return fail(ErrorCode::Environment,
              fmt::format("{} has dot products ({}), and the C compiler `{}` does not support them: {}",
                          target.device, base::join(target.extensions, ", "), target.compiler, reply.message),
              "set CC to GCC 11, Clang 12, or a newer compiler");
}

void describe_instruction_set(std::string_view cpuinfo, schedule::TargetDescription& target) {
  const std::vector<std::string> flags = base::split_text(cpuinfo_field(cpuinfo, "flags"), ' ');
  const std::vector<std::string> features = base::split_text(cpuinfo_field(cpuinfo, "Features"), ' ');
  const auto has = [&](const char* flag) { return std::ranges::find(flags, flag) != flags.end(); };
  const auto set = [&](const char* isa, std::int64_t bits, std::int64_t registers) {
    target.isa = isa;
    target.vector_bits = bits;
    target.vector_registers = registers;
  };
  target.extensions.clear();
  for (const char* extension : {"avx512_bf16", "avx512_vnni", "avx_vnni"})
    if (has(extension)) target.extensions.emplace_back(extension);
  if (std::ranges::find(features, "asimd") != features.end()) return set("neon", 128, 32);
  if (has("avx512f")) return set("avx512", 512, 32);
  if (has("avx2")) return set("avx2", 256, 16);
  set("sse2", 128, 16);
}

std::int64_t parse_cache_size(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0 || value > (1LL << 40)) return 0;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit == "K") return value << 10;
  if (unit == "M") return value << 20;
  return unit.empty() ? value : 0;
}

Result<schedule::TargetDescription> describe_cpu_target(CompilerNeed need) {
  schedule::TargetDescription target;
  target.name = "cpu";
  target.kind = schedule::TargetKind::Cpu;
  const std::string cpuinfo = base::read_system_file("/proc/cpuinfo");
  target.device = cpu_model(cpuinfo);
  describe_instruction_set(cpuinfo, target);
  target.cores = base::usable_cores();
  describe_caches(target);
  target.flags = codegen::own_flags(codegen::Dialect::C).words();
  Status works = choose_compiler(target);
  if (works && need == CompilerNeed::Required) works = test_compiler(target);
  if (!works && need == CompilerNeed::Required) return std::unexpected(works.error());
  return target;
}

}  // namespace kernelscape::measure
