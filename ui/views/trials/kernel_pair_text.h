#pragma once

#include <QString>
#include <vector>

#include "ui/workspace/kernel_pair.h"

namespace kernelscape::views {

/** A number or knob of both kernels. */
struct PairFact {
  QString what;
  QString a;  ///< a dash if the kernel has none
  QString b;
  QString explanation{};  ///< shown as a tool tip
  bool heading = false;   ///< this row is a heading and has no values
  /** Returns true if the values differ; a dash is a value too. */
  bool differs() const { return !heading && a != b; }
};

/**
 * Returns speeds, differing knobs, numbers of the hot loops, bounds, and stored counters, each group below
 * its heading.
 */
std::vector<PairFact> pair_facts(const workspace::KernelPair& pair);

/** Returns "A: trial 12 · B: trial 288, the best". */
QString pair_title(const workspace::KernelPair& pair);

/**
 * Returns the notes needed to read the sentences: the origin of the samples, and kernels that could not be
 * built.
 */
QString pair_notes(const workspace::KernelPair& pair);

/** Returns the hot loop as text; empty: the kernel has no loop, or its code is not known. */
QString hot_loop_text(const workspace::PairedKernel& kernel);

}  // namespace kernelscape::views
