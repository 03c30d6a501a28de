#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/store/repository.h"
#include "core/trial/machine_speed.h"

namespace kernelscape::store {

/** What the database knows of machines: measurements of a machine, and the usual times of the speed probe. */
class Machines : public Repository {
 public:
  using Repository::Repository;

  /**
   * Returns a stored measurement of a machine in the format of its creator, or nullopt if the machine was not
   * measured or the database is an older one that is open read-only. @param machine the name of the machine
   * that the creator uses. @param kind "ceilings"
   */
  Result<std::optional<std::string>> measure(std::string_view machine, std::string_view kind) const;
  /** Stores a measurement of a machine and replaces the earlier one of the same machine and kind. */
  Status save_measure(std::string_view machine, std::string_view kind, std::string_view json);

  /**
   * Returns the usual times of a machine: of each part the shortest time that any of its last 20 measured
   * sessions stored with this program's probe_version; nullopt if there is none.
   */
  Result<std::optional<trial::ProbeSeconds>> usual_probe(std::string_view machine) const;
};

}  // namespace kernelscape::store
