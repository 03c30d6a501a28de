#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/base/media/terminal.h"
#include "core/study/planned_comparison.h"

namespace kernelscape {

/** What a plan decides, what it cannot, and what to mind: a list each, of which empty ones are left out. */
TerminalText answers_text(const std::vector<PlannedAnswer>& answers);

/** A definition that was not run: its name and paragraph, what it compares, and what that decides. */
TerminalText plan_text(const StudyPlan& plan);

/** The same as an object: "plan", with arms, tasks, tests, answers and the definition. */
nlohmann::json plan_event(const StudyPlan& plan);

}  // namespace kernelscape
