#include "app/command_line/json_output.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

namespace kernelscape::command_line {

void print_json_line(const nlohmann::json& object) {
  fmt::print("{}\n", object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  std::fflush(stdout);
}

}  // namespace kernelscape::command_line
