#include "core/session/advice.h"

#include <algorithm>
#include <array>
#include <functional>

#include "core/session/advice_rules.h"

namespace kernelscape::session {
namespace {

constexpr auto rules = std::to_array<AdviceRule>({
    {"spills", "A. Fog, Optimizing software in C++, Register storage", advise_on_spills},
    {"accumulators",
     "T. M. Low, F. D. Igual, T. M. Smith, E. S. Quintana-Orti, Analytical modeling is enough for "
     "high-performance BLIS, ACM TOMS 43(2), section 4.2",
     advise_on_accumulators},
    {"vector_width", "Intel VTune Profiler user guide, Vector Capacity Usage (FPU)", advise_on_vector_width},
    {"gathers", "A. Fog, Instruction tables, VGATHERDPS", advise_on_gathers},
    {"store_forwarding", "Intel 64 and IA-32 Architectures Optimization Reference Manual, Store Forwarding",
     advise_on_store_forwarding},
    {"code_size",
     "A. Yasin, A top-down method for performance analysis and counters architecture, ISPASS 2014, "
     "Frontend Bound",
     advise_on_code_size},
    {"tails",
     "Intel Advisor user guide, Vectorization Recommendations for C++, Ineffective Peeled/Remainder Loop(s) "
     "Present",
     advise_on_tails},
    {"split_loads", "Intel VTune Profiler user guide, Split Loads", advise_on_split_loads},
    {"aliasing",
     "M. S. Lam, E. E. Rothberg, M. E. Wolf, The cache performance and optimizations of blocked algorithms, "
     "ASPLOS 1991",
     advise_on_aliasing},
    {"l1_misses", "Intel VTune Profiler user guide, L1 Bound and L2 Bound", advise_on_l1_misses},
    {"l2_misses", "Intel VTune Profiler user guide, L3 Bound and DRAM Bound", advise_on_l2_misses},
    {"tlb_misses", "Intel VTune Profiler user guide, DTLB Overhead", advise_on_tlb_misses},
    {"l1_tile",
     "K. Goto, R. A. van de Geijn, Anatomy of high-performance matrix multiplication, ACM TOMS 34(3), "
     "section 4",
     advise_on_l1_tile},
    {"l2_tile",
     "K. Goto, R. A. van de Geijn, Anatomy of high-performance matrix multiplication, ACM TOMS 34(3), "
     "section 4",
     advise_on_l2_tile},
    {"imbalance", "Intel VTune Profiler user guide, Imbalance or Serial Spinning", advise_on_imbalance},
    {"other_loops", "Intel VTune Profiler user guide, Hotspots analysis", advise_on_other_loops},
    {"waiting", "Intel VTune Profiler user guide, Imbalance or Serial Spinning", advise_on_waiting},
});

bool is_advisable(const AdviceFacts& facts) {
  return facts.insight->source.dialect == codegen::Dialect::C && facts.insight->code.hot() != nullptr;
}

}  // namespace

std::span<const AdviceRule> advice_rules() { return rules; }

std::vector<Advice> advise(const AdviceFacts& facts) {
  std::vector<Advice> found;
  if (!is_advisable(facts)) return found;
  for (const AdviceRule& rule : rules) {
    std::optional<Advice> advice = rule.apply(facts);
    if (!advice) continue;
    advice->rule = rule.name;
    advice->source = rule.source;
    advice->effect = std::clamp(advice->effect, 0.0, 1.0);
    found.push_back(std::move(*advice));
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &Advice::effect);
  return found;
}

std::string no_advice_text(const AdviceFacts& facts) {
  if (facts.insight->source.dialect != codegen::Dialect::C)
    return "There is no advice on GPU kernels: use the GPU vendor's profiler.";
  if (!facts.insight->code_problem.empty())
    return "There is no advice, because the instructions are not known.";
  if (!is_advisable(facts)) return "There is no advice, because the code has no loop.";
  std::string text = "No rule found a cause of lost time.";
  if (facts.counters == nullptr)
    text += " Cache misses were not counted.";
  else if (!facts.counters->l1_misses)
    text += " Cache misses could not be counted.";
  return text;
}

}  // namespace kernelscape::session
