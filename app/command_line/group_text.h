#pragma once

#include <span>

#include "app/command_line/json_output.h"
#include "core/base/media/terminal.h"
#include "core/study/data_set_plan.h"
#include "core/study/data_set_tasks.h"
#include "core/study/network_run.h"

namespace kernelscape {

/** A network's pass over all layers, ours and the vendor's. */
TerminalText pass_text(const MeasuredPass& pass);
/** The same as a member of an event. */
nlohmann::json pass_object(const MeasuredPass& pass);

/** The tasks drawn for a data set, before anything is measured. */
TerminalText drawn_text(const DataSetPlan& plan);
/** How they were drawn, as an object. */
nlohmann::json drawn_event(const DataSetPlan& plan);

/** The tasks of a data set with what there is of them, and the sums. */
TerminalText data_set_text(std::span<const DataSetTask> tasks);
/** One task as an object. */
nlohmann::json data_set_task_event(StudyId study, const DataSetTask& task);

/** The layers of a network with their kernels, and the sum over them. */
TerminalText network_text(const NetworkOutcome& outcome);
/** One layer as an object. */
nlohmann::json network_layer_event(StudyId study, const NetworkLayerOutcome& layer);
/** The sum as an object. */
nlohmann::json network_event(StudyId study, const NetworkOutcome& outcome);

}  // namespace kernelscape
