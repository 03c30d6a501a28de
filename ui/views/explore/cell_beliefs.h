#pragma once

#include <QObject>

#include "core/analysis/landscape/believed_cells.h"
#include "ui/figures/shown_trials.h"

namespace kernelscape {

/** What a model believes of a heat map's cells, or why that cannot be said. */
struct BeliefOutcome {
  BelievedCells cells;
  QString notice;  ///< in place of the cells
};

/** For background jobs; a cancelled one gives what nobody looks at. @param x_column, y_column of knobs */
BeliefOutcome beliefs_of(const ShownTrials& shown, std::size_t x_column, std::size_t y_column,
                         const JobControl& control);

/**
 * Keeps what a model believes of the heat map of two columns, learnt in background jobs: once per set of
 * trials, and while a session runs not again before there are a tenth more of them. What was learnt stays
 * until the next is.
 */
class CellBeliefs : public QObject {
  Q_OBJECT

 public:
  explicit CellBeliefs(QObject* parent = nullptr);

  /**
   * From now on of these trials and columns, which are of knobs.
   * @return the trials whose heat map has the cells that are believed, or will be
   */
  Shown follow(const Shown& shown, std::size_t x_column, std::size_t y_column);
  /** Gives up what is being learnt, and what was. */
  void forget();

  /** By cell; empty: not learnt yet, or nothing can be. */
  const std::vector<BelievedCell>& cells() const { return learnt_.outcome.cells.cells; }
  /** What is being done, or why nothing can be learnt; empty: the cells are there. */
  QString notice() const;
  /** "believed by a Gaussian process from 212 valid trials"; empty where nothing is. */
  QString origin_text() const;

 signals:
  /** The cells are others; `follow` may say that their heat map is. */
  void changed();
  /** Only the notice is another. */
  void progressed();

 private:
  /** What the cells are of. */
  struct Query {
    Shown shown;
    std::size_t x_column = 0;
    std::size_t y_column = 0;

    bool same_kind(const Query& other) const;
  };
  struct Learnt {
    Query of;
    BeliefOutcome outcome;
  };

  bool is_fresh(const Query& query) const;

  JobTracker jobs_;
  Query latest_;  ///< learnt, or being learnt
  Learnt learnt_;
  double progress_ = 0;  ///< of what is being learnt, 0 to 1
};

}  // namespace kernelscape
