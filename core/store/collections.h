#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/store/identifiers.h"
#include "core/store/records.h"
#include "core/store/repository.h"

namespace kernelscape::store {

/** The collections of a database: studies whose sessions were imported from one file. */
class Collections : public Repository {
 public:
  using Repository::Repository;

  /**
   * Stores a collection with a fixed number of sessions. Sessions::create() adds the sessions as runs,
   * numbered from 0. Returns InvalidArgument for a blank name.
   */
  Result<StudyId> create(const StudyRecord& record, const std::string& about);
  /** Returns all collections, newest first, without the trashed ones. */
  Result<std::vector<CollectionSummary>> all() const;
  /** Finds a collection by id or by name. An ambiguous or unknown name is an error that lists candidates. */
  Result<StudyId> find(std::string_view id_or_name) const;
};

}  // namespace kernelscape::store
