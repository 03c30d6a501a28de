#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/space/constraint.h"

namespace kernelscape::space {

/**
 * A constraint system compiled for repeated checks: decides whether a configuration satisfies all
 * constraints, as ConstraintSystem::evaluate does, but without an allocation and only up to the first
 * violation. Immutable; does not refer to the system.
 */
class CompiledConstraints {
 public:
  /** Makes an empty system, which every configuration satisfies. */
  CompiledConstraints() = default;
  /** Compiles a system, which must be valid. */
  explicit CompiledConstraints(const ConstraintSystem& system);

  /**
   * Returns true if no constraint is violated.
   * @param knobs the knobs of the system; the configuration has an index for each
   */
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
    // These end the check if they fail; they have no result.
    RequireTrue,
    RequireEqual,
    RequireLessEqual,
    RequireListed
  };

  /** Operands are places among the values, from operands_[first] on. */
  struct Operation {
    Code code = Code::Load;
    std::uint32_t result = 0;
    std::uint32_t first = 0;  ///< for Load: the knob
    std::uint32_t count = 0;  ///< for Load: the element's position
  };

  /** Returns the result of an operation on values alone; for a requirement, whether it holds. */
  static std::int64_t compute(Code code, std::span<const std::uint32_t> operands, const std::int64_t* values);
  /** Runs an operation. Returns false if a requirement fails. */
  bool run(const Operation& operation, std::int64_t* values) const;

  std::vector<std::int64_t> constants_;  ///< the first values
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> operands_;
  std::vector<std::int64_t> listed_;  ///< values accepted by RequireListed: `count` values from `first` on
  std::size_t places_ = 0;            ///< number of values
};

}  // namespace kernelscape::space
