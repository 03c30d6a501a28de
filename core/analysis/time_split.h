#pragma once

namespace kernelscape {

/** Where the wall time of a session went; every instant belongs to one phase (wall shares, not work seconds).
 */
struct TimeSplit {
  double session_seconds = 0;  ///< without pauses and interruptions
  double search_seconds = 0;
  double build_seconds = 0;
  double run_seconds = 0;  ///< checking included

  double idle_seconds() const;  ///< the rest; never negative
};

/** Fractions of the session's wall time that sum to 1, or all zero for a session without time. */
struct TimeShares {
  double search = 0;
  double build = 0;
  double run = 0;
  double idle = 0;
};

/** Where clocks disagree so that the phases exceed the session, their sum counts as its time. */
TimeShares time_shares(const TimeSplit& split);

}  // namespace kernelscape
