#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/task/task.h"

namespace kernelscape {

/** An object with none but these members; the error names what it is and what is wrong. */
Status check_object(const nlohmann::json& json, std::string_view what,
                    const std::vector<std::string>& members);

/** A text member, or `otherwise` where it is missing. */
Result<std::string> text_member(const nlohmann::json& object, std::string_view what, const char* member,
                                std::string otherwise = {});

/** Parses a file's or column's text; the error names what it is. */
Result<nlohmann::json> parse_json(std::string_view text, std::string_view what);

/** A task of the form that task_from_json reads. */
Result<Task> task_from_json_value(const nlohmann::json& json);

}  // namespace kernelscape
