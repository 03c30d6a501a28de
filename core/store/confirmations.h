#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/store/identifiers.h"
#include "core/store/repository.h"
#include "core/trial/confirmation.h"

namespace kernelscape::store {

/** The confirmations: measurements that repeat the best trials of a session at its end. */
class Confirmations : public Repository {
 public:
  using Repository::Repository;

  /**
   * Appends confirmations to those of earlier ends of the session. The last confirmation of a trial is valid.
   */
  Status append(SessionId id, std::span<const trial::Confirmation> confirmations);
  /** Returns the confirmations in the order in which they were appended. */
  Result<std::vector<trial::Confirmation>> of(SessionId id) const;
};

}  // namespace kernelscape::store
