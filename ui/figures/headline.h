#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <span>

#include "ui/workspace/run_queue.h"
#include "ui/workspace/source.h"

namespace kernelscape::figures {

/** The parts of the session's headline, as text. */
struct HeadlineText {
  QString what;                 ///< "resnet18/C6 · cpu · conv2d-packed · nose · seed 7"
  QString state;                ///< "running, 14.2 trials/s, 13 s left"
  QString speed;                ///< "341 GFLOPS"
  QString spread;               ///< "0.68 ms (0.67 to 0.69)"
  QStringList comparisons;      ///< "96 % of oneDNN 2.6.3", "97 % of FMA peak"
  QString trust;                ///< "confirmed, trial 288", "imported from ..., not measured here, trial 288"
  QString comparison_tip = {};  ///< details of the comparisons, one per line
  QString warning = {};         ///< disturbances of the session, as sentences in one line; usually empty
  QString warning_tip = {};     ///< all warnings of the session, one per line
};

/**
 * Returns the headline of a session. @param run of this window that belongs to the source; nullopt: the
 * session runs in another process, or has ended
 */
HeadlineText headline_text(const workspace::SourceData& source, const std::optional<workspace::RunView>& run);

/** Inserts a warning, as a sentence, before the existing warnings of the headline. */
void add_warning(HeadlineText& text, const QString& warning);

/** Returns a notice if the sessions were compared with different vendors' libraries; null sources do not
 * count. */
QString vendor_difference_text(std::span<const workspace::Source> sources);

}  // namespace kernelscape::figures
