#include "core/space/solver_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <new>

#include "core/space/compiled_constraints.h"
#include "core/space/constraint_graph.h"
#include "core/space/solver/random_search.h"

namespace kernelscape::space {
namespace {

/** What the extra constraints on variables without an integer refer to. */
struct ExtraConditions {
  std::deque<ConstraintSystem> systems;
  std::deque<KnobCondition> conditions;
};

/** Posts an extra constraint as a condition over the knobs' values. */
void add_condition(SolverSpace& space, const std::vector<Knob>& knobs, const ConstraintSystem& system,
                   const InConstraint& extra, ExtraConditions& added) {
  ConstraintSystem& with_extra = added.systems.emplace_back(system);
  with_extra.add({extra, ""});
  const KnobCondition& condition =
      added.conditions.emplace_back(knobs, with_extra, checks_of(with_extra).back());
  Gecode::IntVarArgs indices;
  for (const std::uint32_t knob : condition.check().knobs) indices << space.knobs[static_cast<int>(knob)];
  post_condition(space, condition, indices);
}

/** A node seldom takes as many. */
constexpr std::uint64_t propagations_of_node = 1000;

std::uint64_t propagations_of(const SolverLimits& limits) {
  return std::min(limits.nodes, std::numeric_limits<std::uint64_t>::max() / propagations_of_node) *
         propagations_of_node;
}

/** Gecode has an exception of its own for what std::bad_alloc says. */
template <typename Work>
auto with_our_exceptions(const Work& work) {
  try {
    return work();
  } catch (const Gecode::MemoryExhausted&) {
    throw std::bad_alloc();
  }
}

}  // namespace

class SolverModel::Posted {
 public:
  Posted(const std::vector<Knob>& knobs, const ConstraintSystem& system)
      : model(knobs, system), compiled(system) {}

  PostedModel model;
  CompiledConstraints compiled;
};

SolverModel::SolverModel(const std::vector<Knob>& knobs, const ConstraintSystem& system)
    : knobs_(knobs), system_(system) {
  posted_ = with_our_exceptions([&] { return std::make_unique<const Posted>(knobs, system); });
}

SolverModel::~SolverModel() = default;

Result<Solution> SolverModel::solve(std::span<const InConstraint> extra, const SolverHints& hints,
                                    base::Random random, const SolverLimits& limits) const {
  for (const InConstraint& constraint : extra)
    if (constraint.variable >= system_.variables().size())
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("there is no variable {} to constrain", constraint.variable));
  return with_our_exceptions([&]() -> Result<Solution> {
    ExtraConditions conditions;
    std::unique_ptr<SolverSpace> start = posted_->model.copy();
    if (!start) return posted_->model.given_up() ? NoSolution::NodeLimit : NoSolution::Proven;
    for (const InConstraint& constraint : extra) {
      if (const auto& integer = posted_->model.integer(constraint.variable)) {
        std::vector<std::int64_t> values = constraint.values;
        std::ranges::sort(values);
        post_values(*start, start->variables[integer->position], integer->code, values);
      } else {
        add_condition(*start, knobs_, system_, constraint, conditions);
      }
    }
    start->propagations = propagations_of(limits);
    if (!start->propagate()) return start->propagations > 0 ? NoSolution::Proven : NoSolution::NodeLimit;
    return checked(RandomSearch(std::move(start), hints, std::move(random)).run(limits.nodes));
  });
}

Result<Solution> SolverModel::first_from(const Configuration& from, SolverLimits& limits) const {
  if (from.indices.size() != knobs_.size())
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} indices for {} knobs", from.indices.size(), knobs_.size()));
  return with_our_exceptions([&]() -> Result<Solution> {
    std::unique_ptr<SolverSpace> start = posted_->model.copy();
    if (!start) return posted_->model.given_up() ? NoSolution::NodeLimit : NoSolution::Proven;
    Gecode::IntVarArgs knobs;
    Gecode::IntArgs lowest;
    for (std::size_t knob = knobs_.size(); knob-- > 0;) {
      knobs << start->knobs[static_cast<int>(knob)];
      lowest << static_cast<int>(from.indices[knob]);
    }
    Gecode::rel(*start, knobs, Gecode::IRT_GQ, lowest);
    start->propagations = propagations_of(limits);
    if (!start->propagate()) return start->propagations > 0 ? NoSolution::Proven : NoSolution::NodeLimit;
    return checked(RandomSearch(std::move(start), {}, base::Random(0)).run_in_order(limits.nodes));
  });
}

/** Passes a solution on. Errors: it violates a constraint, which a solver must not return. */
Result<Solution> SolverModel::checked(Solution solution) const {
  if (const auto* found = std::get_if<Configuration>(&solution);
      found != nullptr && !posted_->compiled.satisfied(knobs_, *found))
    return fail(ErrorCode::Internal, "the solver returned a configuration that violates a constraint");
  return solution;
}

}  // namespace kernelscape::space
