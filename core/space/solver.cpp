#include "core/space/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "core/space/condition.h"
#include "core/space/constraint_graph.h"
#include "core/space/value_range.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <gecode/int.hh>
#include <gecode/search.hh>
#pragma GCC diagnostic pop

namespace kernelscape {
namespace {

/** Longer domains are not tried value by value: only ranges then decide. */
constexpr unsigned longest_tried_domain = 8192;
constexpr std::uint64_t first_attempt_nodes = 256;

bool representable(const ValueRange& range) {
  return range.low >= Gecode::Int::Limits::min && range.high <= Gecode::Int::Limits::max;
}

int to_int(std::int64_t value) { return static_cast<int>(value); }

using KnobView = Gecode::Int::IntView;

/** Removes every value of a knob with which the condition is false whatever the others are. */
class ConditionPropagator final : public Gecode::Propagator {
 public:
  static Gecode::ExecStatus post(Gecode::Home home, Gecode::ViewArray<KnobView>& knobs,
                                 const Condition& condition) {
    static_cast<void>(new (home) ConditionPropagator(home, knobs, condition));
    return Gecode::ES_OK;
  }

  ConditionPropagator(Gecode::Home home, Gecode::ViewArray<KnobView>& knobs, const Condition& condition)
      : Propagator(home), knobs_(knobs), condition_(&condition) {
    knobs_.subscribe(home, *this, Gecode::Int::PC_INT_DOM);
  }
  ConditionPropagator(Gecode::Space& home, ConditionPropagator& other)
      : Propagator(home, other), condition_(other.condition_) {
    knobs_.update(home, other.knobs_);
  }

  Gecode::Propagator* copy(Gecode::Space& home) override {
    return new (home) ConditionPropagator(home, *this);
  }
  Gecode::PropCost cost(const Gecode::Space&, const Gecode::ModEventDelta&) const override {
    return Gecode::PropCost::crazy(Gecode::PropCost::LO, knobs_.size());
  }
  void reschedule(Gecode::Space& home) override { knobs_.reschedule(home, *this, Gecode::Int::PC_INT_DOM); }
  std::size_t dispose(Gecode::Space& home) override {
    knobs_.cancel(home, *this, Gecode::Int::PC_INT_DOM);
    static_cast<void>(Propagator::dispose(home));
    return sizeof(*this);
  }

  Gecode::ExecStatus propagate(Gecode::Space& home, const Gecode::ModEventDelta&) override {
    ConditionView view(*condition_);
    for (int i = 0; i < knobs_.size(); ++i) set_domain(view, i);
    const Truth truth = view.truth();
    if (truth == Truth::False) return Gecode::ES_FAILED;
    if (truth == Truth::True) return home.ES_SUBSUMED(*this);
    bool changed = false;
    for (int i = 0; i < knobs_.size(); ++i) {
      if (knobs_[i].assigned() || knobs_[i].size() > longest_tried_domain) continue;
      std::vector<int> refuted = refuted_values(view, i);
      if (!refuted.empty()) {
        Gecode::Iter::Values::Array values(refuted.data(), to_int(static_cast<std::int64_t>(refuted.size())));
        GECODE_ME_CHECK(knobs_[i].minus_v(home, values, false));
        changed = true;
      }
      set_domain(view, i);
    }
    return changed ? Gecode::ES_NOFIX : Gecode::ES_FIX;
  }

 private:
  void set_domain(ConditionView& view, int i) const {
    view.set(static_cast<std::size_t>(i), [&](const auto& visit) {
      for (Gecode::Int::ViewValues<KnobView> value(knobs_[i]); value(); ++value) visit(value.val());
    });
  }

  std::vector<int> refuted_values(ConditionView& view, int i) const {
    const auto position = static_cast<std::size_t>(i);
    const std::vector<std::uint32_t>& classes = condition_->classes(position);
    std::vector<std::int8_t> refuted_class(classes.size(), -1);  // -1: not tried yet
    std::vector<int> refuted;
    for (Gecode::Int::ViewValues<KnobView> value(knobs_[i]); value(); ++value) {
      std::int8_t& verdict = refuted_class[classes[static_cast<std::size_t>(value.val())]];
      if (verdict < 0) {
        view.set(position, [&](const auto& visit) { visit(value.val()); });
        verdict = view.truth() == Truth::False ? 1 : 0;
      }
      if (verdict > 0) refuted.push_back(value.val());
    }
    return refuted;
  }

  Gecode::ViewArray<KnobView> knobs_;
  const Condition* condition_;
};

/** One integer per knob: the index of its value. */
class KnobSpace final : public Gecode::Space {
 public:
  explicit KnobSpace(const std::vector<Knob>& knobs)
      : indices(*this, to_int(static_cast<std::int64_t>(knobs.size())), 0, 0) {
    for (std::size_t i = 0; i < knobs.size(); ++i)
      indices[to_int(static_cast<std::int64_t>(i))] = Gecode::IntVar(*this, 0, to_int(knobs[i].count()) - 1);
  }
  explicit KnobSpace(KnobSpace& other) : Space(other) { indices.update(*this, other.indices); }
  Gecode::Space* copy() override { return new KnobSpace(*this); }

  Gecode::IntVarArray indices;
};

/**
 * Posts a system. A variable becomes a Gecode integer where it fits into one and its definition is posted
 * natively; a constraint on such variables alone is posted natively, every other one as a condition over the
 * knobs.
 */
class Model {
 public:
  Model(KnobSpace& space, const std::vector<Knob>& knobs, const ConstraintSystem& system)
      : space_(space),
        knobs_(knobs),
        system_(system),
        bounds_(bounds_of(knobs, system)),
        checks_(checks_of(system)) {
    variables_.resize(bounds_.size());
    conditions_.reserve(checks_.size());
    auto check = checks_.begin();
    for (std::size_t i = 0; i < system.constraints().size(); ++i) {
      const bool posted = post_natively(i);
      if (check == checks_.end() || check->constraint != i) continue;
      if (!posted) post_condition(*check);
      ++check;
    }
  }

 private:
  /** Makes the integer on its first use; none where a native constraint can't speak of this variable. */
  bool available(VariableId id) {
    if (variables_[id].init) return true;
    const Variable& variable = system_.variables()[id];
    if (variable.derived() || !representable(bounds_[id])) return false;
    variables_[id] = fresh(bounds_[id]);
    if (variable.element) link(*variable.element, variables_[id].value);
    return true;
  }

  struct Integer {
    Gecode::IntVar value;
    bool init = false;
  };

  Integer fresh(const ValueRange& range) {
    return {Gecode::IntVar(space_, to_int(range.low), to_int(range.high)), true};
  }

  void link(const KnobElement& element, const Gecode::IntVar& value) {
    const Knob& knob = knobs_[element.knob];
    Gecode::IntSharedArray table(to_int(knob.count()));
    for (std::uint32_t index = 0; index < knob.count(); ++index)
      table[to_int(index)] = to_int(knob.element(index, element.position));
    Gecode::element(space_, table, space_.indices[to_int(element.knob)], value);
  }

  bool post_natively(std::size_t number) {
    const Constraint& constraint = system_.constraints()[number];
    if (std::holds_alternative<ExpressionConstraint>(constraint.rule)) return false;
    if (!std::ranges::all_of(operands(constraint), [this](VariableId id) { return available(id); }))
      return false;
    if (const auto* prod = std::get_if<ProdConstraint>(&constraint.rule);
        prod && !partial_products_fit(*prod))
      return false;
    if (const auto left = left_side(constraint)) {
      if (system_.defines(number)) {
        const ValueRange range = range_of_left_side(constraint, bounds_);
        if (!representable(range)) return false;
        variables_[*left] = fresh(range);
      } else if (!available(*left)) {
        return false;
      }
    }
    std::visit([this](const auto& rule) { post(rule); }, constraint.rule);
    return true;
  }

  bool partial_products_fit(const ProdConstraint& rule) const {
    const std::span<const VariableId> factors = rule.factors;
    for (std::size_t count = 2; count <= factors.size(); ++count)
      if (!representable(range_of_product(factors.first(count), bounds_))) return false;
    return true;
  }

  void post(const ProdConstraint& rule) {
    const std::span<const VariableId> factors = rule.factors;
    if (factors.empty()) {
      Gecode::rel(space_, integer(rule.result), Gecode::IRT_EQ, 1);
      return;
    }
    Gecode::IntVar product = integer(factors[0]);
    for (std::size_t count = 2; count <= factors.size(); ++count) {
      const Gecode::IntVar longer = fresh(range_of_product(factors.first(count), bounds_)).value;
      Gecode::mult(space_, product, integer(factors[count - 1]), longer);
      product = longer;
    }
    Gecode::rel(space_, product, Gecode::IRT_EQ, integer(rule.result));
  }

  void post(const SumConstraint& rule) {
    if (rule.terms.empty())
      Gecode::rel(space_, integer(rule.result), Gecode::IRT_EQ, 0);
    else
      Gecode::linear(space_, integers(rule.terms), Gecode::IRT_EQ, integer(rule.result));
  }

  void post(const EqConstraint& rule) {
    Gecode::rel(space_, integer(rule.left), Gecode::IRT_EQ, integer(rule.right));
  }

  void post(const LeConstraint& rule) {
    Gecode::rel(space_, integer(rule.left), Gecode::IRT_LQ, integer(rule.right));
  }

  void post(const InConstraint& rule) {
    std::vector<int> values;
    for (const std::int64_t value : rule.values)
      if (representable({value, value})) values.push_back(to_int(value));
    Gecode::dom(space_, integer(rule.variable),
                Gecode::IntSet(values.data(), to_int(static_cast<std::int64_t>(values.size()))));
  }

  void post(const SelectConstraint& rule) {
    if (rule.choices.empty())
      space_.fail();
    else
      Gecode::element(space_, integers(rule.choices), integer(rule.selector), integer(rule.result));
  }

  void post(const ExpressionConstraint&) {}  // never native

  void post_condition(const Check& check) {
    conditions_.emplace_back(knobs_, system_, check);
    Gecode::IntVarArgs indices;
    for (const std::uint32_t knob : check.knobs) indices << space_.indices[to_int(knob)];
    // Without a knob no event would ever wake a propagator.
    if (check.knobs.empty() && ConditionView(conditions_.back()).truth() == Truth::False) space_.fail();
    if (check.knobs.empty() || space_.failed()) return;
    Gecode::ViewArray<KnobView> views(space_, indices);
    static_cast<void>(ConditionPropagator::post(space_, views, conditions_.back()));
  }

  const Gecode::IntVar& integer(VariableId id) const { return variables_[id].value; }

  Gecode::IntVarArgs integers(const std::vector<VariableId>& ids) const {
    Gecode::IntVarArgs all;
    for (const VariableId id : ids) all << integer(id);
    return all;
  }

  KnobSpace& space_;
  const std::vector<Knob>& knobs_;
  const ConstraintSystem& system_;
  std::vector<ValueRange> bounds_;
  std::vector<Check> checks_;
  std::vector<Integer> variables_;
  std::vector<Condition> conditions_;  ///< reserved: propagators point into it
};

/** Hinted knobs first, each part in random order; a hinted value first, then uniformly among those left. */
void post_branching(KnobSpace& space, const SolverHints& hints, Random& random) {
  const auto count = static_cast<std::size_t>(space.indices.size());
  std::vector<int> hinted(count, -1);  // -1 is in no domain
  for (std::size_t i = 0; i < std::min(count, hints.size()); ++i)
    if (hints[i] && representable({*hints[i], *hints[i]})) hinted[i] = to_int(*hints[i]);
  std::vector<std::size_t> shuffled(count);
  std::iota(shuffled.begin(), shuffled.end(), std::size_t{0});
  random.shuffle(std::span(shuffled));
  std::vector<std::size_t> order;
  for (const bool with_hint : {true, false})
    std::ranges::copy_if(shuffled, std::back_inserter(order),
                         [&](std::size_t knob) { return (hinted[knob] >= 0) == with_hint; });
  Gecode::IntVarArgs indices;
  for (const std::size_t knob : order) indices << space.indices[to_int(static_cast<std::int64_t>(knob))];
  const auto choose = [&random, order, hinted](const Gecode::Space&, Gecode::IntVar variable, int position) {
    const int hint = hinted[order[static_cast<std::size_t>(position)]];
    if (variable.in(hint)) return hint;
    auto skipped = static_cast<unsigned>(random.below(variable.size()));
    for (Gecode::IntVarRanges range(variable); range(); ++range) {
      if (skipped < range.width()) return range.min() + to_int(skipped);
      skipped -= range.width();
    }
    return variable.min();
  };
  Gecode::branch(space, indices, Gecode::INT_VAR_NONE(), Gecode::INT_VAL(choose));
}

Configuration configuration_of(const KnobSpace& space) {
  Configuration configuration;
  for (const Gecode::IntVar& index : space.indices)
    configuration.indices.push_back(static_cast<std::uint32_t>(index.val()));
  return configuration;
}

/** Depth-first, begun again in another order after 256, 512, ... nodes: a bad first choice costs little. */
Solution search(KnobSpace& root, const SolverHints& hints, Random& random, std::uint64_t node_limit) {
  if (root.status() == Gecode::SS_FAILED) return NoSolution::Proven;
  std::uint64_t left = node_limit;
  for (std::uint64_t nodes = first_attempt_nodes; left > 0; nodes *= 2) {
    std::unique_ptr<KnobSpace> start(static_cast<KnobSpace*>(root.clone()));
    post_branching(*start, hints, random);
    Gecode::Search::NodeStop stop(std::min(nodes, left));
    Gecode::Search::Options options;
    options.threads = 1;
    options.stop = &stop;
    Gecode::DFS<KnobSpace> engine(start.get(), options);
    const std::unique_ptr<KnobSpace> found(engine.next());
    if (found) return configuration_of(*found);
    if (!engine.stopped()) return NoSolution::Proven;
    left -= std::min(left, static_cast<std::uint64_t>(engine.statistics().node));
  }
  return NoSolution::NodeLimit;
}

}  // namespace

Result<Solution> solve(const std::vector<Knob>& knobs, const ConstraintSystem& constraints,
                       const std::vector<Constraint>& extra, const SolverHints& hints, Random random,
                       const SolverLimits& limits) {
  ConstraintSystem system = constraints;
  for (const Constraint& constraint : extra) system.add(constraint);
  TRY(check_solvable(knobs, system));
  try {
    KnobSpace root(knobs);
    const Model model(root, knobs, system);
    Solution solution = search(root, hints, random, limits.nodes);
    if (const auto* found = std::get_if<Configuration>(&solution); found && !system.satisfied(knobs, *found))
      return fail(ErrorCode::Internal, "the solver returned a configuration that violates a constraint");
    return solution;
  } catch (const Gecode::Exception& error) {
    return fail(ErrorCode::Internal,
                fmt::format("the solver can't represent these constraints: {}", error.what()));
  }
}

Status check_solvable(const std::vector<Knob>& knobs, const ConstraintSystem& constraints) {
  return constraints.validate(knobs);
}

}  // namespace kernelscape
