#pragma once

#include <QString>
#include <vector>

#include "ui/workspace/kernel_pair.h"

namespace kernelscape {

/** What one number or knob is of both kernels. */
struct PairFact {
  QString what;
  QString a;  ///< a dash where it has none
  QString b;
  QString explanation{};  ///< as a tip
  bool heading = false;   ///< names what follows, and has no values
  /** What stands there for both is not the same; a dash counts too. */
  bool differs() const { return !heading && a != b; }
};

/** Speeds, knobs that differ, numbers of the hot loops, bounds, counters where they are stored; each part
 * below its heading. */
std::vector<PairFact> pair_facts(const KernelPair& pair);

/** "A: trial 12 · B: trial 288, the best". */
QString pair_title(const KernelPair& pair);

/** What has to be known to read the sentences: where samples are from, kernels that could not be built. */
QString pair_notes(const KernelPair& pair);

/** The hot loop as text; empty: it has none, or its code is not known. */
QString hot_loop_text(const PairedKernel& kernel);

}  // namespace kernelscape
