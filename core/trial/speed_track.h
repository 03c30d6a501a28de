#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/trial/machine_speed.h"

namespace kernelscape::trial {

struct Row;

/** The probes around one trial, in the order in which trials arrive. */
struct SpeedReading {
  std::int64_t trial = 0;
  double finished_seconds = 0;      ///< session time
  ProbeSeconds before{};            ///< unknown: not measured, such as for a failed build
  ProbeSeconds after{};             ///< unknown: not measured, or the trial is too short to have its own
  double interrupted_share = 0;     ///< of the time of the trial's samples
  double interrupted_slowdown = 1;  ///< factor by which interruptions slowed the median of the samples
};

/** Returns the reading of a row of a trial table or of the store. */
SpeedReading speed_reading(const Row& row);

/** A time during which the machine was slower than usual. */
struct SlowPhase {
  std::int64_t first_trial = 0;  ///< by number
  std::int64_t last_trial = 0;
  std::int64_t first_row = 0;  ///< by order of arrival
  std::int64_t last_row = 0;   ///< first_row - 1 if the phase has no trial
  double begin_seconds = 0;    ///< session time
  double end_seconds = 0;      ///< of the last reading so far
  MachineSpeed speed{};        ///< mean over the phase
  bool ended = false;          ///< the machine recovered
  std::uint16_t worker = 0;    ///< of a fleet, see Row::worker; 0: this machine

  bool operator==(const SlowPhase&) const = default;
};

/** What is known of the machine while a trial was measured. */
struct Speed {
  MachineSpeed speed{};         ///< mean of the probes around the trial, in a slow phase also of its
                                ///< neighbours; unknown without probes
  bool slow_phase = false;      ///< in a slow phase: its times are corrected
  double correction = 1;        ///< times are multiplied by it: below 1 in a slow phase, else 1
  double correction_error = 0;  ///< relative standard error of the correction

  bool operator==(const Speed&) const = default;
};

/**
 * Finds slow phases in the readings of a session and derives each trial's correction. It is a pure function
 * of the readings in order of arrival: live sessions, resumed ones and readers of stored rows get the same
 * phases. A phase is found by change-point detection (CUSUM on the logarithm of the probe's times), never by
 * a single reading. Because a change is noticed some readings late, the values of earlier trials can change
 * when a later reading is added.
 *
 * A machine can be slow in two ways. At a lower clock every reading is longer; its phases are found by the
 * level of the readings. A hypervisor that takes the processor away for tens of milliseconds hits few
 * readings, and these are many times longer, and is noticed within a trial's samples; such phases are found
 * by how often that happens. Of interruptions that were noticed in a trial it is known by how much they
 * slowed the median of its samples. Shorter ones show in the readings alone, whose mean is the slow-down, but
 * a median of samples is only slowed by interruptions that hit more than half of the samples. It is therefore
 * not corrected for rarer ones.
 *
 * Corrections are never larger than the readings justify, since too much invents fast kernels: while
 * the latest readings look usual, their trials are not corrected, even if the phase may not have ended.
 */
class SpeedTrack {
 public:
  /** @param usual stored with the session; unknown: the fastest readings of the session are the usual ones */
  SpeedTrack(const ProbeSeconds& usual, KernelBound bound);

  /** Adds the readings of the next trial that arrived. */
  void add(const SpeedReading& reading);
  /** Adds a reading between trials, such as those taken while waiting for the machine. */
  void add_idle(double session_seconds, const ProbeSeconds& probe);

  /** Returns the values of a trial by order of arrival. */
  Speed of_row(std::int64_t row) const;
  /** Returns the number of trials that were added. */
  std::int64_t rows() const { return std::ssize(rows_); }
  /** Returns the smoothed speed now; unknown before the first reading. */
  MachineSpeed now() const;
  /** Returns true if a slow phase is in progress. */
  bool slow() const { return slow_; }
  /** Returns the slow phases in order, the last of which may not have ended. */
  std::span<const SlowPhase> phases() const { return phases_; }
  /** Returns the usual times: those given, or better ones that the session had. */
  const ProbeSeconds& usual() const { return usual_; }

 private:
  static constexpr std::size_t parts = 2;
  using Parts = std::array<double, parts>;  ///< compute, memory

  /** One reading of the probe. */
  struct Sample {
    double at_seconds = 0;       ///< session time
    std::int64_t first_row = 0;  ///< the first and the last trial beside which it was taken
    std::int64_t last_row = 0;
    bool after_trial = false;
    double interrupted_share = 0;  ///< of the trial before it
    Parts seconds{};
  };
  struct Row {
    std::int64_t trial = 0;
    std::size_t first_sample = 0;
    std::size_t samples = 0;          ///< 0 to 2, beginning with first_sample
    double interrupted_slowdown = 1;  ///< of the median of its samples
  };
  /** Sums over all samples before one, so that a mean of neighbours takes constant time. */
  struct Sums {
    Parts seconds{};
    Parts squares{};
    double hits = 0;                ///< parts of samples that took several times the usual time
    double interruptions = 0;       ///< samples with a hit, or after an interrupted trial
    double interrupted_shares = 0;  ///< of trials
    double trials = 0;
  };
  /** Samples from `first` to `last`. */
  struct Range {
    std::size_t first = 0;
    std::size_t last = 0;
    double size() const { return static_cast<double>(last - first + 1); }
  };
  /** A CUSUM and the sample at which it left 0. */
  struct Evidence {
    double sum = 0;
    std::size_t begin = 0;
    void add(double value, std::size_t sample);
  };
  /** Mean or median of a part's relative times, and the mean's relative standard error. */
  struct Smoothed {
    Parts slowdown{1, 1};
    Parts error{};
  };

  void add_sample(const ProbeSeconds& probe, const Sample& sample);
  void find_usual();
  void analyse_again();
  void analyse(std::size_t sample);
  void take_noise(std::size_t sample);
  void look_for_begin(std::size_t sample);
  void look_for_end(std::size_t sample);
  void begin_phase(std::size_t first, std::size_t sample);
  void extend_phase(std::size_t last);
  double log_ratio(std::size_t sample, std::size_t part) const;
  double tolerance(std::size_t part) const;
  Parts usual_parts() const { return {usual_.compute, usual_.memory}; }
  Sums sums_of(const Range& range) const;
  bool interrupted(std::size_t sample) const;
  Smoothed mean_of(const Range& range) const;
  Smoothed median_of(const Range& range) const;
  Smoothed smoothed(const Range& phase, std::size_t sample) const;
  bool uneven(const Range& phase) const;
  Smoothed fastest_beside(const Row& row) const;
  Smoothed with_interruptions(const Smoothed& slow, const Range& phase, const Row& trial) const;
  const SlowPhase* phase_of(std::int64_t row) const;

  KernelBound bound_;
  ProbeSeconds usual_;
  std::vector<Sample> samples_;
  std::vector<Row> rows_;
  // Derived from the samples and the usual times.
  std::vector<Sums> sums_;  ///< one more than there are samples
  std::vector<SlowPhase> phases_;
  std::vector<Range> ranges_;                       ///< of the phases
  std::array<std::vector<double>, parts> changes_;  ///< of log times, in quiet readings
  std::array<double, parts> noise_{};
  std::array<Evidence, parts> slower_;
  Evidence interruptions_;
  Evidence recovered_;
  bool slow_ = false;
};

/**
 * Returns "trials 48 to 97: the machine ran at 0.28 of its speed for 38 s".
 * @param machine names the machine
 */
std::string describe(const SlowPhase& phase, std::string_view machine = "the machine");

}  // namespace kernelscape::trial
