#pragma once

#include <functional>
#include <memory>
#include <span>

#include "core/base/result.h"
#include "core/kernel/project_family.h"
#include "core/measure/confirmation.h"
#include "core/measure/measurer.h"
#include "core/schedule/target.h"

namespace kernelscape::measure {

/**
 * Makes a measurer for a user's program (KernelProject::program). Builds and runs alternate, in waves of as
 * many candidates as there are builders: builds would disturb the times of runs. A machine that is slower
 * than usual is waited for before a run, as SlowPhaseWait does it, if the objective is a time or a rate.
 * Errors: options out of range, a project that is no program, no worker program.
 * @param target the CPU of this machine
 */
Result<std::unique_ptr<Measurer>> make_program_measurer(std::shared_ptr<const kernel::ProjectFamily> family,
                                                        const schedule::TargetDescription& target,
                                                        const trial::MeasureOptions& options);

/**
 * Measures configurations of a program again, interleaved as measure_interleaved() does it: each round gives
 * a sample of each. They are warmed up and checked in the first round only. There are at most 20 rounds,
 * since each run of a program may be long. A slow machine is waited for, and rounds in a slow phase are
 * dropped, as measure_interleaved() does it.
 * @param stop called a few times per second; true stops the measurement; may be empty
 * @param max_seconds time limit, after which the rounds measured so far are the result; 0: no limit
 */
Result<Confirmations> measure_programs_interleaved(
    const kernel::ProjectFamily& family, const schedule::TargetDescription& target,
    const trial::MeasureOptions& options, std::span<const space::Configuration> configurations, int samples,
    const std::function<bool()>& stop = {}, double max_seconds = 0, const ConfirmationMachine& machine = {});

}  // namespace kernelscape::measure
