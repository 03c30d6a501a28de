#include "core/schedule/intrinsic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace kernelscape::schedule {
namespace {

constexpr int first_tensor_cores = 70;  ///< compute capability 7.0, Volta

/** Returns 90 for "sm_90a"; 0 for a text of another form. */
int compute_capability(std::string_view isa) {
  constexpr std::string_view prefix = "sm_";
  int capability = 0;
  if (isa.starts_with(prefix))
    std::from_chars(isa.data() + prefix.size(), isa.data() + isa.size(), capability);
  return capability;
}

Status has_tensor_cores(const TargetDescription& target) {
  if (compute_capability(target.isa) >= first_tensor_cores) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} has no tensor cores: they came with sm_{}", target.isa, first_tensor_cores));
}

Status has_extension_of(std::string_view name, const TargetDescription& target) {
  const Intrinsic& row = intrinsic(name);
  for (const std::string_view extension : row.extensions)
    if (std::ranges::find(target.extensions, extension) != target.extensions.end()) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} lacks {}: it has no {}, which adds up products of groups of {} {} elements",
                          target.instructions(), fmt::join(row.extensions, " and "), row.name, row.group,
                          task::to_string(row.types.activation)));
}

Status has_byte_products(const TargetDescription& target) { return has_extension_of("vpdpbusd", target); }
Status has_bf16_products(const TargetDescription& target) { return has_extension_of("vdpbf16ps", target); }

}  // namespace

std::span<const Intrinsic> intrinsics() {
  static const std::array<Intrinsic, 3> rows{{
      {"vpdpbusd",
       IntrinsicForm::DotProduct,
       TargetKind::Cpu,
       {task::ScalarType::U8, task::ScalarType::I8, task::ScalarType::I32, task::ScalarType::I32},
       {"group"},
       1,
       {},
       4,
       "byte",
       false,
       {"avx512_vnni", "avx_vnni"},
       has_byte_products},
      {"vdpbf16ps",
       IntrinsicForm::DotProduct,
       TargetKind::Cpu,
       {task::ScalarType::BF16, task::ScalarType::BF16, task::ScalarType::F32, task::ScalarType::F32},
       {"group"},
       1,
       {},
       2,
       "element",
       true,
       {"avx512_bf16"},
       has_bf16_products},
      {"wmma",
       IntrinsicForm::WarpMatrix,
       TargetKind::Cuda,
       {task::ScalarType::F16, task::ScalarType::F16, task::ScalarType::F32, task::ScalarType::F32},
       {"row", "column", "depth"},
       32,
       {1, 2, 4, 8},
       1,
       {},
       false,
       {},
       has_tensor_cores},
  }};
  return rows;
}

const Intrinsic& intrinsic(std::string_view name) {
  const std::span<const Intrinsic> rows = intrinsics();
  const auto found = std::ranges::find(rows, name, &Intrinsic::name);
  if (found == rows.end()) throw std::logic_error(fmt::format("there is no intrinsic {}", name));
  return *found;
}

}  // namespace kernelscape::schedule
