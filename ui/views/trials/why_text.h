#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/measure/kernel_insight.h"
#include "core/trial/counter_reading.h"

namespace kernelscape {

/** A number of a loop with its name and what it means. */
struct InsightFact {
  QString name;
  QString value;
  QString explanation;  ///< of the term, as a tip
  bool warning = false;
};

/** A resource that a loop needs, for a bar. */
struct ResourceCycles {
  QString name;
  QString explanation;
  double cycles = 0;    ///< of one iteration
  bool bounds = false;  ///< the iteration takes as long
};

/**
 * What keeps the hot loop from being faster, in a sentence: "Bound by multiply-add units: 24 cycles for 48
 * multiply-adds (llvm-mca 14.0.6, Zen 3); own counts say 23.2." Where there is no bound it says why.
 */
QString bound_sentence(const KernelInsight& insight);

/** The bars of a bound, most cycles first. */
std::vector<ResourceCycles> resource_cycles(const LoopBound& bound);

/**
 * Counts by class, bytes, registers, accumulators and spills of the hot loop of the code, or of all of it
 * where it has no loop; of a GPU's kernel what its compiler says too.
 * @param vector_registers that the target has; 0: not known
 */
std::vector<InsightFact> mix_facts(const KernelInsight& insight, const MachineCode& code,
                                   std::int64_t vector_registers);

/** What the processor counted while the kernel ran, each per call. */
std::vector<InsightFact> counter_facts(const CounterReading& reading);

/** Why counters are missing, each reason once with the counters that it took and the way out; empty: none is.
 */
QString missing_counters_text(const CounterReading& reading);

/** Of assembly: "X86 assembly", "PTX": for choices and titles. */
QString machine_language_name(MachineLanguage language);

/**
 * The machine code as text, each stretch below the line of source that it came from, with a head that says
 * what it is. Every line that is no code is a comment of that assembly.
 * @param title names the trial
 */
std::string interleaved_listing(const KernelInsight& insight, const MachineCode& code,
                                const std::string& title);

/** With what every such listing begins, behind the sign of a comment. */
std::string_view listing_title();

}  // namespace kernelscape
