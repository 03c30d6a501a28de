#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <span>

#include "ui/workspace/run_queue.h"
#include "ui/workspace/source.h"

namespace kernelscape {

/** The parts of the answer, as text. */
struct HeadlineText {
  QString what;              ///< "resnet18/C6 · cpu · conv2d-packed · nose · seed 7"
  QString state;             ///< "running, 14.2 trials/s, 13 s left"
  QString speed;             ///< "341 GFLOPS"
  QString spread;            ///< "0.68 ms (0.67 to 0.69)"
  QStringList comparisons;   ///< "96 % of oneDNN 2.6.3", "97 % of FMA peak"
  QString trust;             ///< "confirmed, trial 288", "imported from ..., not measured here, trial 288"
  QString warning = {};      ///< what disturbed the session, in a line; usually empty
  QString warning_tip = {};  ///< all that it said, a line each
};

/** @param run of this window that belongs to the source; none: another process's, or one that ended */
HeadlineText headline_text(const SourceData& source, const std::optional<RunView>& run);

/** Puts a warning before those that the headline has. */
void add_warning(HeadlineText& text, const QString& warning);

/** Returns a notice if the sessions were compared with different vendors' libraries; null sources do not
 * count. */
QString vendor_difference_text(std::span<const Source> sources);

}  // namespace kernelscape
