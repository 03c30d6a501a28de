#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/space/constraint.h"

namespace kernelscape {

/**
 * A constraint system made ready for being asked again and again: whether a configuration violates nothing,
 * as ConstraintSystem::evaluate says it, but without an allocation and only up to the first violation.
 * Immutable, and keeps nothing of the system.
 */
class CompiledConstraints {
 public:
  /** Violated by nothing. */
  CompiledConstraints() = default;
  /** The system has to be valid. */
  explicit CompiledConstraints(const ConstraintSystem& system);

  /** @param knobs those that the system speaks of; the configuration has an index for each */
  bool satisfied(const std::vector<Knob>& knobs, const Configuration& configuration) const;

 private:
  friend class ConstraintCompiler;

  enum class Code : std::uint8_t {
    Load,  ///< an element of a knob
    Multiply,
    Add,
    Subtract,
    Divide,
    Modulo,
    Negate,
    Minimum,
    Maximum,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    And,
    Or,
    Not,
    Select,
    // These end the check where they fail; they have no result.
    RequireTrue,
    RequireEqual,
    RequireLessEqual,
    RequireListed
  };

  /** Operands are places among the values, from operands_[first] on. */
  struct Operation {
    Code code = Code::Load;
    std::uint32_t result = 0;
    std::uint32_t first = 0;  ///< of Load: the knob
    std::uint32_t count = 0;  ///< of Load: the element's position
  };

  /** What an operation on values alone gives; of a requirement, whether it holds. */
  static std::int64_t compute(Code code, std::span<const std::uint32_t> operands, const std::int64_t* values);
  /** False where a requirement fails. */
  bool run(const Operation& operation, std::int64_t* values) const;

  std::vector<std::int64_t> constants_;  ///< the first values
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> operands_;
  std::vector<std::int64_t> listed_;  ///< what RequireListed looks through: `count` values from `first` on
  std::size_t places_ = 0;            ///< of all values
};

}  // namespace kernelscape
