#include "core/schedule/intrinsic.h"

#include <fmt/format.h>

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

Status has_byte_products(const TargetDescription& target) {
  if (!target.extensions.empty()) return {};
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("{} has no instruction for int8 dot products of four elements", target.instructions()));
}

}  // namespace

std::span<const Intrinsic> intrinsics() {
  static const std::array<Intrinsic, 2> rows{{
      {"vpdpbusd",
       IntrinsicForm::DotProduct,
       TargetKind::Cpu,
       {task::ScalarType::U8, task::ScalarType::I8, task::ScalarType::I32, task::ScalarType::I32},
       {"group"},
       1,
       {},
       has_byte_products},
      {"wmma",
       IntrinsicForm::WarpMatrix,
       TargetKind::Cuda,
       {task::ScalarType::F16, task::ScalarType::F16, task::ScalarType::F32, task::ScalarType::F32},
       {"row", "column", "depth"},
       32,
       {1, 2, 4, 8},
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
