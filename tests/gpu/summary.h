#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/gpu/settings.h"

namespace kernelscape::gpu_proof {

/** What the machine is: processor, memory, system, C library, GPUs with their clocks as nvidia-smi says. */
nlohmann::json describe_machine(const Settings& settings);

/** Clocks, temperature and power of the GPUs at this moment; null without nvidia-smi. */
nlohmann::json gpu_state();

/** A summary for people, at most 11,000 characters. @param summary what summary.json has */
std::string summary_text(const nlohmann::json& summary);

/** The failures with all their texts. */
std::string failures_text(const nlohmann::json& summary);

}  // namespace kernelscape::gpu_proof
