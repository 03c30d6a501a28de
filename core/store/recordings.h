#pragma once

#include <memory>
#include <optional>

#include "core/base/result.h"
#include "core/store/identifiers.h"
#include "core/store/repository.h"
#include "core/trial/recording.h"

namespace kernelscape::store {

/** The recorded spaces that replayed sessions use. */
class Recordings : public Repository {
 public:
  using Repository::Repository;

  /** Returns the id of the stored recording with the same bytes, or nullopt if it is not stored. */
  Result<std::optional<RecordingId>> find(const trial::Recording& recording) const;
  /**
   * Stores the bytes of a recorded space until the last session that uses it is deleted. Equal recordings are
   * stored once.
   */
  Result<RecordingId> add(const trial::Recording& recording);
  /** Returns a recording. It is read once by each Store and then shared. */
  Result<std::shared_ptr<const trial::Recording>> get(RecordingId id) const;
};

}  // namespace kernelscape::store
