#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/store/identifiers.h"
#include "core/store/owner.h"
#include "core/store/records.h"
#include "core/store/repository.h"

namespace kernelscape::store {

/** The studies of a database and their runs. Collections are studies as well, see Collections. */
class Studies : public Repository {
 public:
  using Repository::Repository;

  /**
   * Stores the definition of a study and its number of runs. No run has a session yet, and the study has no
   * owner.
   */
  Result<StudyId> create(const StudyRecord& record);
  /**
   * Takes the ownership of a study that has no owner or whose owner is dead. Returns Refused with the process
   * id of a living owner.
   */
  Status claim(StudyId id, const Owner& owner);
  /** Releases the ownership. Returns Refused if another process owns the study. */
  Status release(StudyId id, const Owner& owner);
  /**
   * Returns the owner of a study, dead or alive, or nullopt if the study has no owner. Returns NotFound if
   * the study does not exist.
   */
  Result<std::optional<Owner>> owner(StudyId id) const;
  /** Returns all studies, newest first, without the trashed ones. @param unreadable as for Sessions::all() */
  Result<std::vector<StudySummary>> all(std::vector<Error>* unreadable = nullptr) const;
  /** Returns a study, including a trashed study, or NotFound if it does not exist. */
  Result<StudySummary> get(StudyId id) const;
  /** Finds a study by id or by name. An ambiguous or unknown name is an error that lists candidates. */
  Result<StudyId> find(std::string_view id_or_name) const;

  /**
   * Returns all runs by number, whether they were started or not. A run whose session is damaged is a failed
   * run with the error.
   */
  Result<std::vector<StudyRun>> runs(StudyId id) const;
  /** Sets why a run has no session or failed; an empty text removes the error. */
  Status set_run_error(StudyId id, std::int64_t run, std::string_view error);
  /**
   * Assigns a session to a run, for Sessions::create(). Returns Refused if the study has no such run, or if
   * the run has a session already.
   */
  Status enter_session(StudyId study, std::int64_t run, SessionId session);

  /**
   * Sets the name, which may be any text and need not be unique. Returns NotFound if the study does not
   * exist.
   */
  Status set_name(StudyId id, const std::string& name);
  /** Replaces the note; an empty text removes it. */
  Status set_note(StudyId id, const std::string& note);
  /** Replaces all tags. Returns InvalidArgument if a tag is empty or has more than one line. */
  Status set_tags(StudyId id, std::span<const std::string> tags);
  /** Hides a study from the lists. Returns Refused while a living process owns it. */
  Status trash(StudyId id);
  /** Shows a trashed study in the lists again. Returns NotFound if it does not exist. */
  Status restore(StudyId id);
  Result<std::vector<StudyId>> trashed() const;  ///< ascending
  Status remove(StudyId id);  ///< deletes the sessions as well; Refused while a living process owns the
                              ///< study or one of its sessions

  /**
   * Returns a stored measurement of a whole study in the format of its creator, or nullopt if the study was
   * not measured or the database is an older one that is open read-only. The measurement is deleted with its
   * study. @param kind "network pass"
   */
  Result<std::optional<std::string>> measure(StudyId id, std::string_view kind) const;
  /**
   * Stores a measurement of a study and replaces the earlier one of the same kind. Returns NotFound if the
   * study does not exist.
   */
  Status save_measure(StudyId id, std::string_view kind, std::string_view json);
};

}  // namespace kernelscape::store
