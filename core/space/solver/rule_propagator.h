#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/space/solver/solver_space.h"
#include "core/space/solver/value_code.h"
#include "core/space/value_range.h"

namespace kernelscape::space {

using IntegerView = Gecode::Int::IntView;

/** Returns the range of a variable's values. */
inline ValueRange range_of_values(const IntegerView& view, const ValueCode& code) {
  return {code.value(view.min()), code.value(view.max())};
}

/** Calls `visit` with every value that a variable can take, ascending. */
template <typename Visit>
void for_each_value(const IntegerView& view, const ValueCode& code, const Visit& visit) {
  for (Gecode::Int::ViewValues<IntegerView> value(view); value(); ++value) visit(code.value(value.val()));
}

/**
 * Reduces a variable's domain to these integers, all of which it contains.
 * @param integers ascending
 */
inline Gecode::ModEvent keep_integers(Gecode::Space& home, IntegerView& view, std::vector<int>& integers) {
  if (integers.size() == view.size()) return Gecode::Int::ME_INT_NONE;
  if (integers.empty()) return Gecode::Int::ME_INT_FAILED;
  Gecode::Iter::Values::Array kept(integers.data(), static_cast<int>(integers.size()));
  return view.narrow_v(home, kept, false);
}

/** Intersects a variable's domain with these integers. @param integers ascending */
inline Gecode::ModEvent intersect_integers(Gecode::Space& home, IntegerView& view,
                                           std::vector<int>& integers) {
  Gecode::Iter::Values::Array common(integers.data(), static_cast<int>(integers.size()));
  return view.inter_v(home, common, false);
}

/** Removes the values outside of a range. */
inline Gecode::ModEvent keep_range(Gecode::Space& home, IntegerView& view, const ValueCode& code,
                                   const ValueRange& range) {
  const Gecode::ModEvent above = view.gq(home, code.at_least(range.low));
  if (Gecode::me_failed(above)) return above;
  const Gecode::ModEvent below = view.lq(home, code.at_most(range.high));
  return below == Gecode::Int::ME_INT_NONE ? above : below;
}

/**
 * A propagator of a rule that outlives all spaces. Any change of a domain schedules it, and then `narrow`
 * propagates.
 */
template <typename Derived, typename Rule>
class RulePropagator : public Gecode::NaryPropagator<IntegerView, Gecode::Int::PC_INT_DOM> {
  using Base = Gecode::NaryPropagator<IntegerView, Gecode::Int::PC_INT_DOM>;

 public:
  /** Adds a propagator to a space, with its variables in the rule's order. */
  static void post(Gecode::Space& home, const Rule& rule, const Gecode::IntVarArgs& variables) {
    if (home.failed()) return;
    Gecode::ViewArray<IntegerView> views(home, variables);
    static_cast<void>(new (home) Derived(home, views, rule));
  }

  // NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility,performance-unnecessary-value-param): Gecode's
  RulePropagator(Gecode::Home home, Gecode::ViewArray<IntegerView>& views, const Rule& rule)
      : Base(home, views), rule_(&rule) {}
  // NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): Gecode's own form
  RulePropagator(Gecode::Space& home, RulePropagator& other) : Base(home, other), rule_(other.rule_) {}

  Gecode::ExecStatus propagate(Gecode::Space& home, const Gecode::ModEventDelta&) override {
    std::uint64_t& left = static_cast<SolverSpace&>(home).propagations;
    // NOLINTNEXTLINE(bugprone-inc-dec-in-conditions): from left to right
    if (left == 0 || --left == 0) return Gecode::ES_FAILED;
    return static_cast<Derived*>(this)->narrow(home);
  }
  Gecode::Propagator* copy(Gecode::Space& home) override {
    return new (home) Derived(home, static_cast<Derived&>(*this));
  }
  std::size_t dispose(Gecode::Space& home) override {
    static_cast<void>(Base::dispose(home));
    return sizeof(Derived);
  }

 protected:
  /** Returns the rule. */
  const Rule& rule() const { return *rule_; }

 private:
  const Rule* rule_;
};

}  // namespace kernelscape::space
