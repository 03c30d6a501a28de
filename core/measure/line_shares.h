#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine_code/machine_code.h"
#include "core/trial/counter_reading.h"

namespace kernelscape::measure {

/** What the shares of a kernel's lines are shares of. */
enum class ShareKind : std::uint8_t {
  None,          ///< nothing is known: the code has no instructions
  Instructions,  ///< executed instructions, estimated from the machine code and how often its loops run
  Time           ///< time, sampled while the kernel ran
};

/** Returns "none", "instructions" or "time", as in JSON. */
std::string_view to_string(ShareKind kind);

/** The shares of a kernel's lines in its time, or in its executed instructions. */
struct LineShares {
  ShareKind kind = ShareKind::None;
  std::vector<double> source;   ///< by line of source - 1; lines beyond its end have 0
  std::vector<double> machine;  ///< by line of the machine code; empty if it is not that of the samples
  /// share outside of the kernel's lines: threads that wait for each other, called functions, the calls
  double outside = 0;
  std::string event{};       ///< Time: what was sampled, "processor cycles"
  std::int64_t samples = 0;  ///< Time: number of samples
  std::int64_t lost = 0;     ///< Time: further samples for which there was no room, as far as they are known

  /** Returns the share of a line of source, from 1. */
  double of_source(int line) const;
  /** Returns what the shares are, for headings and notes: "time, from 2,013 samples of processor cycles". */
  std::string text() const;
};

/**
 * Estimates the share of each line in the executed instructions: an instruction is executed as often as the
 * innermost loop around it has iterations, and once per call outside of loops. Loops whose iterations are not
 * known count as if they ran once. Copies of a loop that count_iterations() attributed no multiply-adds to
 * count as if they never ran. Returns ShareKind::None for a code without instructions.
 */
LineShares estimated_shares(const machine_code::MachineCode& code);

/**
 * Returns the shares of samples. The machine lines are empty if the code has other instructions than the
 * sampled build: another compiler made it.
 */
LineShares sampled_shares(const machine_code::MachineCode& code, const trial::CodeSamples& samples);

/** Returns the sampled shares if there are samples, else the estimated ones. @param reading may be null */
LineShares line_shares(const machine_code::MachineCode& code, const trial::CounterReading* reading);

}  // namespace kernelscape::measure
