#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/space/knob_json.h"
#include "core/study/model_latency.h"

namespace kernelscape::study {

/** Reads the member `name`: a number from 0 to 10^9. InvalidArgument names the member. */
Status read_latency_number(const space::Json& json, const std::string& name, double& number);
/** Returns the member `name`: a whole number from 0 to 10^6. InvalidArgument names the member. */
Result<std::int64_t> latency_count(const space::Json& json, const char* name);
/** Returns the text of the member `name`; empty: it is missing, or no text. */
std::string latency_text_member(const space::Json& json, const char* name);

/** Reads the median and the quartiles. @param prefix of the names of the members: "vendor_" */
Status read_latency_times(const space::Json& json, const std::string& prefix, LatencyTimes& times);
/** Adds the members that read_latency_times() reads. */
void write_latency_times(const LatencyTimes& times, const std::string& prefix, space::Json& json);

/** Reads the times of the parts of a run. */
Status read_latency_parts(const space::Json& json, LatencyParts& parts);
/** Adds the members that read_latency_parts() reads. */
void write_latency_parts(const LatencyParts& parts, space::Json& json);

}  // namespace kernelscape::study
