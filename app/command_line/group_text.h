#pragma once

#include <span>

#include "app/command_line/json_output.h"
#include "core/base/media/terminal.h"
#include "core/study/data_set_plan.h"
#include "core/study/data_set_tasks.h"
#include "core/study/network_run.h"

namespace kernelscape::command_line {

/** Returns a network's pass over all layers, with tuned kernels and with the vendor's library. */
base::TerminalText pass_text(const study::MeasuredPass& pass);
/** Returns the latency of a whole model, and where its time goes. */
base::TerminalText latency_text(const study::ModelLatency& latency);
/** Returns the latency as a member of an event. */
nlohmann::json latency_object(const study::ModelLatency& latency);
/** Returns the latency of a whole model after a round, for an event. */
nlohmann::json latency_point_object(const study::LatencyPoint& point);
/** Returns the pass as a member of an event. */
nlohmann::json pass_object(const study::MeasuredPass& pass);

/** Returns the tasks drawn for a data set, before anything is measured. */
base::TerminalText drawn_text(const study::DataSetPlan& plan);
/** Returns the drawing of the tasks as an object. */
nlohmann::json drawn_event(const study::DataSetPlan& plan);

/** Returns the tasks of a data set with the numbers of their trials, and the sums. */
base::TerminalText data_set_text(std::span<const study::DataSetTask> tasks);
/** Returns one task as an object. */
nlohmann::json data_set_task_event(store::StudyId study, const study::DataSetTask& task);

/** Returns the layers of a network with their kernels, and the sum over them. */
base::TerminalText network_text(const study::NetworkOutcome& outcome);
/** Returns one layer as an object. */
nlohmann::json network_layer_event(store::StudyId study, const study::NetworkLayerOutcome& layer);
/** Returns the sum as an object. */
nlohmann::json network_event(store::StudyId study, const study::NetworkOutcome& outcome);

}  // namespace kernelscape::command_line
