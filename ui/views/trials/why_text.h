#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/measure/kernel_insight.h"
#include "core/trial/counter_reading.h"

namespace kernelscape::views {

/** A number of a loop with its name and explanation. */
struct InsightFact {
  QString name;
  QString value;
  QString explanation;  ///< explanation of the term, shown as a tool tip
  bool warning = false;
};

/** A resource that a loop needs, shown as a bar. */
struct ResourceCycles {
  QString name;
  QString explanation;
  double cycles = 0;    ///< cycles of one iteration
  bool bounds = false;  ///< this resource bounds the iteration
};

/**
 * Returns a sentence that says what bounds the hot loop: "Bound by multiply-add units: 24 cycles for 48
 * multiply-adds (llvm-mca 14.0.6, Zen 3); by own counts 23.2." Without a bound the sentence gives the reason.
 */
QString bound_sentence(const measure::KernelInsight& insight);

/** Returns the bars of a bound, most cycles first. */
std::vector<ResourceCycles> resource_cycles(const machine_code::LoopBound& bound);

/**
 * Returns counts by class, bytes, registers, accumulators and spills of the code's hot loop, or of all code
 * if there is no loop; for a GPU kernel also the compiler's numbers.
 * @param vector_registers of the target; 0: not known
 */
std::vector<InsightFact> mix_facts(const measure::KernelInsight& insight,
                                   const machine_code::MachineCode& code, std::int64_t vector_registers);

/** Returns the processor's counters of a run of the kernel, per call. */
std::vector<InsightFact> counter_facts(const trial::CounterReading& reading);

/**
 * Returns why counters are missing: each reason once, with its counters and a remedy; empty: no counter is
 * missing.
 */
QString missing_counters_text(const trial::CounterReading& reading);

/** Returns the name of an assembly language for choices and titles: "x86 assembly", "PTX". */
QString machine_language_name(machine_code::MachineLanguage language);

/**
 * Returns the machine code as text, each range below the source line that it came from, with a heading. Every
 * line that is not code is a comment of that assembly.
 * @param title names the trial
 */
std::string interleaved_listing(const measure::KernelInsight& insight, const machine_code::MachineCode& code,
                                const std::string& title);

/** Returns the first line of every such listing, without the comment sign. */
std::string_view listing_title();

}  // namespace kernelscape::views
