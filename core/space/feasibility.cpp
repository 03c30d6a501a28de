#include "core/space/feasibility.h"

#include "core/space/contradiction.h"

namespace kernelscape::space {

Error no_feasible_configuration(const SearchSpace& space) {
  const std::vector<std::size_t> contradicting =
      contradicting_constraints(space.knobs(), space.constraints(), brief_proof_limits);
  if (!contradicting.empty())
    return {ErrorCode::InvalidArgument,
            "the space has no feasible configuration, because these conditions contradict each other: " +
                describe_constraints(space.constraints(), contradicting),
            "change one of the conditions, or the values of the parameters"};
  return {
      ErrorCode::InvalidArgument,
      "no feasible configuration was found: the constraint solver gave up, and did not prove that there is "
      "none",
      "loosen a condition, or remove parameter values that no configuration can have"};
}

}  // namespace kernelscape::space
