#include "core/session/program_run.h"

#include "core/measure/kernel_measurer.h"
#include "core/measure/program/program_measurer.h"
#include "core/session/remeasure_limits.h"

namespace kernelscape::session {
namespace {

/** Returns the family of a program; null for kernels. */
std::shared_ptr<const kernel::ProjectFamily> program_family(const PreparedTuning& tuning) {
  if (!is_program(tuning.setup)) return nullptr;
  return std::dynamic_pointer_cast<const kernel::ProjectFamily>(tuning.family);
}

}  // namespace

bool is_program(const Setup& setup) { return setup.project && setup.project->program; }

Result<std::unique_ptr<measure::Measurer>> make_measurer_here(const PreparedTuning& tuning) {
  const Setup& setup = tuning.setup;
  if (const auto program = program_family(tuning))
    return measure::make_program_measurer(program, setup.target, setup.options);
  return measure::make_kernel_measurer(tuning.family, setup.target, setup.options);
}

Result<measure::Confirmations> measure_again_here(const PreparedTuning& tuning,
                                                  std::span<const space::Configuration> configurations,
                                                  const std::function<bool()>& stop, double max_seconds,
                                                  const trial::UsualSpeed& usual) {
  const Setup& setup = tuning.setup;
  if (const auto program = program_family(tuning))
    return measure::measure_programs_interleaved(*program, setup.target, setup.options, configurations,
                                                 setup.options.repeats, stop, max_seconds,
                                                 confirmation_machine(setup, usual));
  return measure::measure_interleaved(*tuning.family, setup.target, setup.options, configurations,
                                      setup.options.repeats, stop, max_seconds,
                                      confirmation_machine(setup, usual));
}

}  // namespace kernelscape::session
