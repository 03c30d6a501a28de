#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/base/media/terminal.h"
#include "core/study/planned_comparison.h"

namespace kernelscape::command_line {

/** Lists what a plan can decide, what it cannot decide, and warnings; empty lists are left out. */
base::TerminalText answers_text(const std::vector<analysis::PlannedAnswer>& answers);

/**
 * Describes a definition that was not run: its name and description, what it compares, and what it can
 * decide.
 */
base::TerminalText plan_text(const study::StudyPlan& plan);

/** Returns the plan as an object: "plan", with arms, tasks, tests, answers and the definition. */
nlohmann::json plan_event(const study::StudyPlan& plan);

}  // namespace kernelscape::command_line
