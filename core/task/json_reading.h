#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/task/task.h"

namespace kernelscape::task {

/**
 * Returns an error unless `json` is an object with only these members. The error says `what` the object is
 * and what is wrong.
 */
Status check_object(const nlohmann::json& json, std::string_view what,
                    const std::vector<std::string>& members);

/** Returns a text member, or `otherwise` if the member is missing. */
Result<std::string> text_member(const nlohmann::json& object, std::string_view what, const char* member,
                                std::string otherwise = {});

/** Parses the text of a file or a column. The error says `what` was parsed. */
Result<nlohmann::json> parse_json(std::string_view text, std::string_view what);

/** Reads a task in the form of task_from_json(). */
Result<Task> task_from_json_value(const nlohmann::json& json);

}  // namespace kernelscape::task
