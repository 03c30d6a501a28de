#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/space/knob_json.h"

namespace kernelscape::project {

/** A value of a project's JSON and its path: "KernelSpecification.Arguments[2].Size". */
struct JsonPlace {
  const space::Json* value = nullptr;  ///< null: missing, or null in the file
  std::string path;

  /** Returns true if the file has the value. */
  bool exists() const { return value != nullptr; }
  /** Returns a member of an object; missing if this is no object or has no such member. */
  JsonPlace operator[](std::string_view key) const;
  /** Returns an element of a list. */
  JsonPlace operator[](std::size_t index) const;
  std::size_t size() const { return exists() && value->is_array() ? value->size() : 0; }  ///< size of a list
};

/** The text of a project file: its JSON, and the line of each value. */
class Text {
 public:
  /**
   * Parses a file. Errors name file and line: no JSON, no object, or nested too deeply.
   * @param name name of the file in messages
   */
  static Result<Text> parse(std::string name, std::string_view text);

  /** Returns the root value of the file. */
  JsonPlace root() const { return {&json_, {}}; }
  /**
   * Returns the location of a value: "gemm.json:12: KernelSpecification.LocalSize.X". For a missing value,
   * the line is that of the enclosing value.
   */
  std::string name_of(const std::string& path) const;
  const std::vector<std::string>& repeated() const {
    return repeated_;
  }  ///< paths of members that occur twice

 private:
  std::string name_;
  space::Json json_;
  std::map<std::string, std::size_t> lines_;  ///< lines by path
  std::vector<std::string> repeated_;
};

}  // namespace kernelscape::project
