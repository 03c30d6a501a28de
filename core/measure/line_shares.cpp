#include "core/measure/line_shares.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/numbers.h"
#include "core/machine_code/instruction_table.h"

namespace kernelscape::measure {
namespace {

/** Returns how often an instruction of a loop is executed per call; -1: outside of all loops. */
double executions_in(const machine_code::MachineCode& code, int loop) {
  if (loop < 0 || static_cast<std::size_t>(loop) >= code.loops.size()) return 1;
  const machine_code::MachineLoop& around = code.loops[static_cast<std::size_t>(loop)];
  const bool idle_copy = around.mix.multiply_adds > 0 && !(around.multiply_adds > 0) &&
                         code.hot() != nullptr && code.hot()->multiply_adds > 0;
  return idle_copy ? 0 : std::max(1.0, around.iterations);
}

void add_to_source(LineShares& shares, int source_line, double share) {
  if (source_line <= 0) {
    shares.outside += share;
    return;
  }
  const auto place = static_cast<std::size_t>(source_line) - 1;
  if (shares.source.size() <= place) shares.source.resize(place + 1);
  shares.source[place] += share;
}

/** Returns the machine lines of the instructions, in order. */
std::vector<std::size_t> instruction_lines(const machine_code::MachineCode& code) {
  std::vector<std::size_t> lines;
  for (std::size_t i = 0; i < code.lines.size(); ++i)
    if (code.lines[i].instruction()) lines.push_back(i);
  return lines;
}

}  // namespace

std::string_view to_string(ShareKind kind) {
  switch (kind) {
    case ShareKind::None:
      return "none";
    case ShareKind::Instructions:
      return "instructions";
    case ShareKind::Time:
      break;
  }
  return "time";
}

double LineShares::of_source(int line) const {
  const auto place = static_cast<std::size_t>(std::max(line, 1)) - 1;
  return line >= 1 && place < source.size() ? source[place] : 0;
}

std::string LineShares::text() const {
  switch (kind) {
    case ShareKind::None:
      return "not known";
    case ShareKind::Instructions:
      return "executed instructions, estimated from instructions and iterations; no time was sampled";
    case ShareKind::Time:
      break;
  }
  return fmt::format("time, from {} samples of {}{}{}", base::count_text(samples), event,
                     lost > 0 ? fmt::format("; at least {} lost", base::count_text(lost)) : std::string(),
                     outside >= 0.005
                         ? fmt::format("; {} outside of the kernel's lines", base::percent_text(outside))
                         : std::string());
}

LineShares estimated_shares(const machine_code::MachineCode& code) {
  LineShares shares;
  shares.machine.resize(code.lines.size());
  double all = 0;
  for (std::size_t i = 0; i < code.lines.size(); ++i)
    if (code.lines[i].instruction()) all += shares.machine[i] = executions_in(code, code.lines[i].loop);
  if (!(all > 0)) return {};
  shares.kind = ShareKind::Instructions;
  for (std::size_t i = 0; i < code.lines.size(); ++i) {
    shares.machine[i] /= all;
    if (code.lines[i].instruction()) add_to_source(shares, code.lines[i].source_line, shares.machine[i]);
  }
  return shares;
}

LineShares sampled_shares(const machine_code::MachineCode& code, const trial::CodeSamples& samples) {
  const std::int64_t total = samples.total();
  if (total <= 0) return {};
  const auto all = static_cast<double>(total);
  LineShares shares;
  shares.kind = ShareKind::Time;
  shares.event = samples.event;
  shares.samples = total;
  shares.lost = samples.lost;
  shares.outside = static_cast<double>(samples.outside) / all;
  const std::vector<std::size_t> lines = instruction_lines(code);
  if (static_cast<std::size_t>(samples.instruction_count) == lines.size() &&
      samples.code_hash == machine_code::instructions_hash(code))
    shares.machine.resize(code.lines.size());
  for (const trial::InstructionSamples& at : samples.instructions) {
    const double share = static_cast<double>(at.samples) / all;
    add_to_source(shares, at.source_line, share);
    if (!shares.machine.empty()) shares.machine[lines[static_cast<std::size_t>(at.instruction)]] = share;
  }
  return shares;
}

LineShares line_shares(const machine_code::MachineCode& code, const trial::CounterReading* reading) {
  LineShares shares;
  if (reading != nullptr && reading->samples) shares = sampled_shares(code, *reading->samples);
  return shares.kind == ShareKind::None ? estimated_shares(code) : shares;
}

}  // namespace kernelscape::measure
