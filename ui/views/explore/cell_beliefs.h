#pragma once

#include <QObject>

#include "core/analysis/landscape/believed_cells.h"
#include "ui/figures/shown_trials.h"

namespace kernelscape::views {

/** The predictions of a model for the cells of a heat map, or why there are none. */
struct BeliefOutcome {
  analysis::BelievedCells cells;
  QString notice;  ///< shown in place of the cells
};

/**
 * Predicts the cells of a heat map. For background jobs; the result of a cancelled job must not be used.
 * @param x_column, y_column columns of knobs
 */
BeliefOutcome beliefs_of(const figures::ShownTrials& shown, std::size_t x_column, std::size_t y_column,
                         const workspace::JobControl& control);

/**
 * Predicts the heat map of two columns with a model that is trained in background jobs: once per set of
 * trials, and while a session runs only after the number of trials has grown by a tenth. The last predictions
 * stay until the next ones are ready.
 */
class CellBeliefs : public QObject {
  Q_OBJECT

 public:
  explicit CellBeliefs(QObject* parent = nullptr);

  /**
   * Follows these trials and columns, which must be columns of knobs.
   * @return the trials whose heat map has the cells that are, or will be, predicted
   */
  figures::Shown follow(const figures::Shown& shown, std::size_t x_column, std::size_t y_column);
  /** Cancels the job and discards the predictions. */
  void forget();

  /** Returns the predicted cells; empty if there are none yet or prediction is impossible. */
  const std::vector<analysis::BelievedCell>& cells() const { return learnt_.outcome.cells.cells; }
  /** Returns what the job is doing, or why prediction is impossible; empty if the cells are ready. */
  QString notice() const;
  /**
   * Returns the origin of the predictions, such as "predicted by a Gaussian process from 212 valid trials";
   * empty without predictions.
   */
  QString origin_text() const;

 signals:
  /** Emitted when the cells changed. The heat map that `follow` returns may have changed as well. */
  void changed();
  /** Emitted when only the notice changed. */
  void progressed();

 private:
  /** The trials and columns that cells are predicted for. */
  struct Query {
    figures::Shown shown;
    std::size_t x_column = 0;
    std::size_t y_column = 0;

    bool same_kind(const Query& other) const;
  };
  struct Learnt {
    Query of;
    BeliefOutcome outcome;
  };

  bool is_fresh(const Query& query) const;

  workspace::JobTracker jobs_;
  Query latest_;  ///< the last request whose cells are ready or being computed
  Learnt learnt_;
  double progress_ = 0;  ///< progress of the job, 0 to 1
};

}  // namespace kernelscape::views
