#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/space/knob_json.h"

namespace kernelscape {

/** A value of a project's JSON and where it stands: "KernelSpecification.Arguments[2].Size". */
struct JsonPlace {
  const Json* value = nullptr;  ///< null: it is missing, or null in the file
  std::string path;

  /** Whether the file has it. */
  bool exists() const { return value != nullptr; }
  /** A member of an object; missing where this is none. */
  JsonPlace operator[](std::string_view key) const;
  /** An element of a list. */
  JsonPlace operator[](std::size_t index) const;
  std::size_t size() const { return exists() && value->is_array() ? value->size() : 0; }  ///< of a list
};

/** The text of a project file: its JSON, and on which line each value of it stands. */
class ProjectText {
 public:
  /**
   * Errors name file and line: no JSON, no object, nested deeper than any project.
   * @param name how messages call the file
   */
  static Result<ProjectText> parse(std::string name, std::string_view text);

  /** The file's whole value. */
  JsonPlace root() const { return {&json_, {}}; }
  /** "gemm.json:12: KernelSpecification.LocalSize.X"; of what is missing the line of what it is missing in.
   */
  std::string name_of(const std::string& path) const;
  const std::vector<std::string>& repeated() const { return repeated_; }  ///< paths of members given twice

 private:
  std::string name_;
  Json json_;
  std::map<std::string, std::size_t> lines_;  ///< by path
  std::vector<std::string> repeated_;
};

}  // namespace kernelscape
