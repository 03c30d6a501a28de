#pragma once

#include <QDate>
#include <QString>
#include <QStringList>
#include <optional>
#include <span>

#include "ui/workspace/session_watch.h"

namespace kernelscape::workspace {
struct RunView;
}  // namespace kernelscape::workspace

namespace kernelscape::models {

/** Returns the title of a session: its name, or "resnet18/C6 nose" if it has none. */
QString session_title(const store::SessionRecord& record);
QString session_title(const workspace::SessionEntry& session);  ///< as session_title() of its record

/**
 * Returns the task of a session as lists show it: its name, or its shape for a session of an imported log,
 * since a log may use one name for several tasks.
 */
QString session_task_text(const workspace::SessionEntry& session);

/**
 * Returns the text that searches examine, one item per line: name, task, shape, tuner, tags, note. Other
 * numbers are left out, since they would match by chance.
 */
QString session_search_text(const workspace::SessionEntry& session);

/** Returns the title of a collection. */
QString collection_title(const workspace::SessionCollection& collection);

/** Returns the text of the collection itself that searches examine: name, tags, note. */
QString collection_search_text(const workspace::SessionCollection& collection);

/** Returns "1 session" or "814 sessions". */
QString collection_count_text(const workspace::SessionCollection& collection);

/**
 * Returns "341 GFLOPS", or the time of a call if the FLOPs are not known; no_number() if no trial is valid;
 * "build only" if no kernel was run.
 */
QString session_speed_text(const workspace::SessionEntry& session);

/**
 * Returns session_speed_text(), followed by "unconfirmed" until the best trials were remeasured, or by
 * "imported" if nothing was measured here.
 */
QString session_best_text(const workspace::SessionEntry& session);

/**
 * Returns GFLOP/s of the best trial, confirmed if possible; calls per second if the FLOPs are not known; 0 if
 * there is no valid trial.
 */
double session_best_speed(const workspace::SessionEntry& session);

/**
 * Returns the state as named throughout the window: "running", "stopped" and "paused" (by the user, or by an
 * error; it can be resumed), "interrupted" (its process died), "done", "failed".
 */
QString session_state_text(const workspace::SessionEntry& session);
/**
 * Returns the state of a session from its stored status and owner.
 * @param owner as stored; nullopt: no process works on it
 */
QString session_state_text(const store::SessionStatus& status, const std::optional<store::Owner>& owner);

/**
 * Returns the state with its reason: "stopped by the user, can be resumed", "failed: the disk is full".
 */
QString session_state_and_reason(const store::SessionStatus& status,
                                 const std::optional<store::Owner>& owner);

/**
 * Returns the state of a run of this window, in the terms of session_state_text(); "removed from the queue"
 * if it has no session.
 */
QString run_state_text(const workspace::RunView& run);

double session_progress(const workspace::SessionEntry& session,
                        const trial::Budget& budget);  ///< as session_progress() of its status

/** Returns the used part of the budget, 0 to 1: the largest over its limits; -1 if it has no limits. */
double session_progress(const store::SessionStatus& status, const trial::Budget& budget);

/**
 * Returns the estimated seconds until a session reaches its first limit of trials or time, at its mean speed
 * so far; infinity if it has no such limit, or no trial yet.
 */
double session_seconds_left(const store::SessionStatus& status, const trial::Budget& budget);

/** Returns "312/500" or "312". */
QString session_trials_text(const workspace::SessionEntry& session, const trial::Budget& budget);

/** Returns the time of creation in the local time zone: "2026-11-20 17:25". */
QString created_text(const std::string& created_utc);

/**
 * Returns the time of creation in short form for lists: "17:25" for today, "Nov 20" for this year, else
 * "2025-11-20".
 */
QString short_created_text(const std::string& created_utc, const QDate& today);

/** Returns the tags in their stored order; empty if there are none. */
QStringList tags_of(const store::SessionAnnotation& annotation);

/** Returns the current budget; without limits if it can't be read. */
trial::Budget session_budget(const workspace::SessionEntry& session);

/** Returns true if a living process works on the session. */
bool session_runs(const workspace::SessionEntry& session);

/**
 * Returns true if the process died while it ran the session, and the session was neither resumed nor
 * acknowledged since.
 */
bool session_lost_its_owner(const workspace::SessionEntry& session);

/** Returns "341 GFLOPS", or the time per call if the FLOPs are not known; a dash without a time. */
QString speed_or_time_text(const workspace::SourceData& source, double seconds);

/** Returns result_mark() as text of the window: "confirmed", "unconfirmed", "recorded", ... */
QString trust_text(const store::SessionRecord& record, const analysis::BestResult& best);

/** Returns "the best trial of the session: 448 GFLOPS, confirmed". */
QString best_trial_text(const workspace::SourceData& source);

/** Returns the result of the trial's confirmation that counts; nullopt if the trial was not measured again.
 */
std::optional<analysis::BestResult> measured_again(const workspace::SourceData& source, std::int64_t trial);

/**
 * Returns the result of the trial's confirmation that counts: "measured again: 1.02 ms (1.01 to 1.03 ms),
 * confirmed"; empty if the trial was not measured again.
 */
QString measured_again_fact(const workspace::SourceData& source, std::int64_t trial);

/** Returns ", imported" to follow the name of a session with imported numbers, otherwise an empty text. */
QString imported_mark(const store::SessionRecord& record);

/**
 * Returns the disturbances of the session in one line, which should be read with each of its numbers: "the
 * machine was loaded; timings were unsteady; and 2 more". Empty if nothing disturbed the session.
 */
QString disturbance_text(std::span<const trial::SessionNotice> notices);

/**
 * Returns all notices of a session, one per line, with the time of their first occurrence; empty if there are
 * none.
 */
QString notices_tip(std::span<const trial::SessionNotice> notices);

/**
 * Returns the template or the project that made the kernels: "conv2d-packed, version 3", or "project stencil,
 * content 0123abcd…" for a user's own kernel; empty if it is not known.
 */
QString kernel_maker_text(const store::SessionRecord& record);
/**
 * Returns kernel_maker_text() from the parts of a record.
 * @param project_hash empty: the kernel is from a template
 */
QString kernel_maker_text(const std::string& task_name, const std::string& project_hash,
                          const std::string& template_name, int template_version);
/** Returns the template or the project in short form for headings: "conv2d-packed", "project 0123abcd…". */
QString short_kernel_maker_text(const store::SessionRecord& record);

/** Returns the name of the tuner, or the kind of the session if it had no tuner. */
QString session_tuner_text(const store::SessionRecord& record);

}  // namespace kernelscape::models
