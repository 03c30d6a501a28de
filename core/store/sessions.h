#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/store/identifiers.h"
#include "core/store/owner.h"
#include "core/store/records.h"
#include "core/store/repository.h"
#include "core/trial/machine_speed.h"

namespace kernelscape::store {

/** The sessions of a database: their definitions, owners, states, names, notes and tags. */
class Sessions : public Repository {
 public:
  using Repository::Repository;

  /** Creates a session owned by `owner`. */
  Result<SessionId> create(const SessionRecord& record, const Owner& owner);
  /**
   * Creates a session owned by `owner` as run `run` of a study in one transaction: a process that dies leaves
   * no session without its study.
   */
  Result<SessionId> create(const SessionRecord& record, const Owner& owner, StudyId study, std::int64_t run);

  /**
   * Takes the ownership of a session that has no owner or whose owner is dead. Returns Refused with the
   * process id of a living owner, including this process. The state is unchanged until update_status() sets
   * Running.
   */
  Status claim(SessionId id, const Owner& owner);
  /**
   * Releases the ownership. Returns Refused if another process owns the session. A session left in state
   * Running reads as Interrupted from then on.
   */
  Status release(SessionId id, const Owner& owner);

  /**
   * Returns all sessions, newest first, without the trashed ones and those of studies. Sessions of
   * collections are included unless their collection is trashed. A damaged session does not hide others.
   * @param unreadable gets one error for each session that cannot be read; may be null
   */
  Result<std::vector<SessionSummary>> all(std::vector<Error>* unreadable = nullptr) const;
  /**
   * Returns the same sessions as all(), without the texts of their spaces, which may be long: for lists.
   */
  Result<std::vector<SessionSummary>> list(std::vector<Error>* unreadable = nullptr) const;
  /**
   * Returns a session, including a trashed session and a session of a study. Returns NotFound if it does not
   * exist and Corrupt if it is damaged.
   */
  Result<SessionSummary> get(SessionId id) const;
  /**
   * Returns the project of the user's own kernel from which a session was created, or NotFound if the session
   * has no project.
   */
  Result<std::string> project_json(SessionId id) const;
  /**
   * Finds a session by id or by name. An ambiguous or unknown name is an error that lists candidates.
   * Sessions of studies are found by id only, sessions of collections by both.
   */
  Result<SessionId> find(std::string_view id_or_name) const;
  /**
   * Deletes a session together with the messages, the space, the recorded space and the project that no other
   * session uses. Returns Refused while a living process owns the session.
   */
  Status remove(SessionId id);

  /** Replaces the whole status; the owner is unchanged. Returns NotFound if the session does not exist. */
  Status update_status(SessionId id, const SessionStatus& status);
  /** Replaces the budget with which the session was created. */
  Status update_budget(SessionId id, const std::string& budget_json);
  /**
   * Sets the usual times of the speed probe of a session, measured with this program's probe_version.
   * @param machine names the device and the number of threads; not empty
   * @param usual must be known
   */
  Status set_usual_probe(SessionId id, const std::string& machine, const trial::ProbeSeconds& usual);
  /**
   * Sets the name, which may be any text and need not be unique. Returns NotFound if the session does not
   * exist.
   */
  Status set_name(SessionId id, const std::string& name);
  /** Replaces the note; an empty text removes it. Returns NotFound if the session does not exist. */
  Status set_note(SessionId id, const std::string& note);
  /** Replaces all tags. Returns InvalidArgument if a tag is empty or has more than one line. */
  Status set_tags(SessionId id, std::span<const std::string> tags);

  /**
   * Hides a session from the lists until restore() or remove(). Returns Refused while a
   * living process owns the session.
   */
  Status trash(SessionId id);
  /** Shows a trashed session in the lists again; has no effect if the session was not trashed. */
  Status restore(SessionId id);
  Result<std::vector<SessionId>> trashed() const;  ///< ascending
};

}  // namespace kernelscape::store
