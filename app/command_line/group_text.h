#pragma once

#include <span>

#include "app/command_line/json_output.h"
#include "core/base/media/terminal.h"
#include "core/study/data_set_plan.h"
#include "core/study/data_set_tasks.h"
#include "core/study/network_run.h"

namespace kernelscape {

/** Returns a network's pass over all layers, with tuned kernels and with the vendor's library. */
TerminalText pass_text(const MeasuredPass& pass);
/** Returns the pass as a member of an event. */
nlohmann::json pass_object(const MeasuredPass& pass);

/** Returns the tasks drawn for a data set, before anything is measured. */
TerminalText drawn_text(const DataSetPlan& plan);
/** Returns the drawing of the tasks as an object. */
nlohmann::json drawn_event(const DataSetPlan& plan);

/** Returns the tasks of a data set with the numbers of their trials, and the sums. */
TerminalText data_set_text(std::span<const DataSetTask> tasks);
/** Returns one task as an object. */
nlohmann::json data_set_task_event(StudyId study, const DataSetTask& task);

/** Returns the layers of a network with their kernels, and the sum over them. */
TerminalText network_text(const NetworkOutcome& outcome);
/** Returns one layer as an object. */
nlohmann::json network_layer_event(StudyId study, const NetworkLayerOutcome& layer);
/** Returns the sum as an object. */
nlohmann::json network_event(StudyId study, const NetworkOutcome& outcome);

}  // namespace kernelscape
