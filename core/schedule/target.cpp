#include "core/schedule/target.h"

#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "core/base/processors.h"
#include "core/base/text.h"
#include "core/space/knob_json.h"

namespace kernelscape::schedule {
namespace {

/** Calls visit(name, field) for every field: one list for both directions. */
template <typename Target, typename Visit>
void visit_fields(Target& target, const Visit& visit) {
  visit("name", target.name);
  visit("device", target.device);
  visit("isa", target.isa);
  visit("vector_bits", target.vector_bits);
  visit("vector_registers", target.vector_registers);
  visit("cores", target.cores);
  visit("l1_bytes", target.l1_bytes);
  visit("l2_bytes", target.l2_bytes);
  visit("l3_bytes", target.l3_bytes);
  visit("compiler", target.compiler);
  visit("compiler_version", target.compiler_version);
  visit("flags", target.flags);
  visit("threads_per_block", target.threads_per_block);
  visit("block_x", target.block_x);
  visit("block_y", target.block_y);
  visit("block_z", target.block_z);
  visit("shared_bytes", target.shared_bytes);
}

/**
 * Calls visit(name, field) for the fields that descriptions of earlier versions do not have, and which keep
 * their defaults then.
 */
template <typename Target, typename Visit>
void visit_later_fields(Target& target, const Visit& visit) {
  visit("grid_x", target.grid_x);
  visit("grid_y", target.grid_y);
  visit("grid_z", target.grid_z);
  visit("warp_threads", target.warp_threads);
  visit("threads_per_multiprocessor", target.threads_per_multiprocessor);
  visit("blocks_per_multiprocessor", target.blocks_per_multiprocessor);
  visit("registers_per_multiprocessor", target.registers_per_multiprocessor);
  visit("registers_per_thread", target.registers_per_thread);
  visit("shared_bytes_per_multiprocessor", target.shared_bytes_per_multiprocessor);
  visit("memory_bytes", target.memory_bytes);
  visit("driver_version", target.driver_version);
  visit("host_device", target.host_device);
  visit("architecture_only", target.architecture_only);
}

/**
 * A CPU's extensions, written only if there are any: descriptions of f32 kernels stay unchanged, byte for
 * byte.
 */
constexpr const char* extensions_field = "extensions";
/** Also written only if present: the class of a fleet's devices. */
constexpr const char* fleet_field = "fleet";

bool read(const space::Json& json, std::string& field) {
  if (json.is_string()) field = json.get<std::string>();
  return json.is_string();
}

bool read(const space::Json& json, std::int64_t& field) {
  const std::optional<std::int64_t> value = space::integer_of(json);
  if (value) field = *value;
  return value.has_value();
}

bool read(const space::Json& json, bool& field) {
  if (json.is_boolean()) field = json.get<bool>();
  return json.is_boolean();
}

bool read(const space::Json& json, std::vector<std::string>& field) {
  if (!json.is_array()) return false;
  for (const space::Json& item : json) {
    field.emplace_back();
    if (!read(item, field.back())) return false;
  }
  return true;
}

/**
 * Returns the name of the first number that no device can have, or an empty string. Schedules divide by these
 * numbers, count up to them and multiply them.
 */
std::string impossible_number(const TargetDescription& target) {
  // Products of two of them fit into 64 bits.
  constexpr std::int64_t widest_vector_bits = 65'536;
  constexpr std::int64_t max_vector_registers = 4096;
  constexpr std::int64_t max_cores = std::int64_t{1} << 20;
  constexpr std::int64_t max_bytes = std::int64_t{1} << 50;
  constexpr std::int64_t max_of_a_kind = std::int64_t{1} << 31;
  const bool vector = target.vector_bits >= 32 && target.vector_bits <= widest_vector_bits &&
                      std::has_single_bit(static_cast<std::uint64_t>(target.vector_bits));
  if (!vector) return "vector_bits";
  if (target.vector_registers < 1 || target.vector_registers > max_vector_registers)
    return "vector_registers";
  if (target.cores < 1 || target.cores > max_cores) return "cores";
  std::string wrong;
  const auto check = [&](const char* name, const auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::int64_t>) {
      const bool bytes = std::string_view(name).contains("bytes");
      if (field < 0 || field > (bytes ? max_bytes : max_of_a_kind)) wrong = name;
    }
  };
  visit_fields(target, check);
  visit_later_fields(target, check);
  return wrong;
}

}  // namespace

std::string_view to_string(TargetKind kind) {
  switch (kind) {
    case TargetKind::Cpu:
      return "cpu";
    case TargetKind::Cuda:
      return "cuda";
    case TargetKind::OpenCl:
      return "opencl";
  }
  return "unknown";
}

std::string TargetDescription::instructions() const {
  std::vector<std::string> names{isa};
  names.insert(names.end(), extensions.begin(), extensions.end());
  std::erase(names, "");
  return base::join(names, ", ");
}

int host_cores(const TargetDescription& target) {
  const std::int64_t cores = target.kind == TargetKind::Cpu ? target.cores : base::usable_cores();
  return static_cast<int>(std::clamp<std::int64_t>(cores, 1, 4096));
}

TargetDescription default_cuda_target() {
  TargetDescription target;
  target.name = "cuda";
  target.kind = TargetKind::Cuda;
  target.device = "any CUDA device";
  target.isa = "sm_61";
  target.vector_bits = 128;
  target.vector_registers = 255;
  target.threads_per_block = 1024;
  target.block_x = 1024;
  target.block_y = 1024;
  target.block_z = 64;
  target.shared_bytes = 48 << 10;
  return target;
}

std::string target_to_json(const TargetDescription& target) {
  space::Json json = {{"kind", static_cast<int>(target.kind)}};
  const auto write = [&](const char* name, const auto& field) { json[name] = field; };
  visit_fields(target, write);
  if (target.kind != TargetKind::Cpu) visit_later_fields(target, write);
  if (!target.extensions.empty()) write(extensions_field, target.extensions);
  if (!target.fleet.empty()) write(fleet_field, target.fleet);
  return space::to_text(json);
}

Result<TargetDescription> target_from_json(std::string_view text) {
  const space::Json json = space::parse_json(text);
  TargetDescription target;
  if (!json.is_object())
    return fail(ErrorCode::Corrupt, "a target description is not a JSON object",
                "restore the session from an unchanged export or a copy of the database");
  std::string wrong;
  visit_fields(target, [&](const char* name, auto& field) {
    if (!json.contains(name) || !read(json[name], field)) wrong = name;
  });
  visit_later_fields(target, [&](const char* name, auto& field) {
    if (json.contains(name) && !read(json[name], field)) wrong = name;
  });
  if (json.contains(extensions_field) && !read(json[extensions_field], target.extensions))
    wrong = extensions_field;
  if (json.contains(fleet_field) && !read(json[fleet_field], target.fleet)) wrong = fleet_field;
  std::int64_t kind = -1;
  if (!json.contains("kind") || !read(json["kind"], kind) || kind < 0 ||
      kind > static_cast<std::int64_t>(TargetKind::OpenCl))
    wrong = "kind";
  if (wrong.empty()) wrong = impossible_number(target);
  if (!wrong.empty())
    return fail(ErrorCode::Corrupt, fmt::format("a target description lacks a usable \"{}\"", wrong),
                "restore the session from an unchanged export or a copy of the database");
  target.kind = static_cast<TargetKind>(kind);
  return target;
}

}  // namespace kernelscape::schedule
