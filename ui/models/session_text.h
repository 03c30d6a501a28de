#pragma once

#include <QDate>
#include <QString>
#include <QStringList>
#include <optional>
#include <span>

#include "ui/workspace/session_watch.h"

namespace kernelscape {

struct RunView;

/** What a session is called: its name, else "resnet18/C6 nose". */
QString session_title(const SessionEntry& session);

/** What lists call its task: the name, by its shape where a log called many tasks alike. */
QString session_task_text(const SessionEntry& session);

/** What searches look at, one a line: name, task, shape, tuner, tags, note; a number elsewhere would match by
 * chance. */
QString session_search_text(const SessionEntry& session);

/** What a collection is called. */
QString collection_title(const SessionCollection& collection);

/** What searches look at of the collection itself: name, tags, note. */
QString collection_search_text(const SessionCollection& collection);

/** "1 session", "814 sessions". */
QString collection_count_text(const SessionCollection& collection);

/** "341 GFLOPS", or the time of a call where no FLOPs are known; no_number() where no trial is valid;
 * "build only" where none was run. */
QString session_speed_text(const SessionEntry& session);

/** The same; "unconfirmed" follows until the best trials were measured again, "imported" where none was
 * measured here. */
QString session_best_text(const SessionEntry& session);

/** GFLOP/s of the best, confirmed where it was; calls per second where no FLOPs are known; 0: none. */
double session_best_speed(const SessionEntry& session);

/** The window's one word for it: "running", "paused" (it can go on), "interrupted" (its process died),
 * "done", "failed". */
QString session_state_text(const SessionEntry& session);
/** The same of its parts. @param owner as stored; none: nobody works on it */
QString session_state_text(SessionState state, const std::optional<Owner>& owner);

/** The state, and why where that says more: "paused", "failed: the disk is full". */
QString session_state_and_reason(const SessionStatus& status, const std::optional<Owner>& owner);

/** The same word for a run of this window; "taken out of the queue" where it has no session. */
QString run_state_text(const RunView& run);

/** Done of the budget, 0 to 1: the largest share of its limits; -1 where it has none. */
double session_progress(const SessionEntry& session, const Budget& budget);

/** "312/500" or "312". */
QString session_trials_text(const SessionEntry& session, const Budget& budget);

/** When something was made, in the time of this place: "2026-11-20 17:25". */
QString created_text(const std::string& created_utc);

/** The same, as short as a list needs it: "17:25" of today, "Nov 20" of this year, else "2025-11-20". */
QString short_created_text(const std::string& created_utc, const QDate& today);

/** In their stored order; empty: it has none. */
QStringList tags_of(const SessionAnnotation& annotation);

/** The budget as it is now; without limits where it can't be read. */
Budget session_budget(const SessionEntry& session);

/** A living process works on it. */
bool session_runs(const SessionEntry& session);

/** Its process died while it ran, and nobody has gone on with it or looked away from it since. */
bool session_lost_its_owner(const SessionEntry& session);

/** "341 GFLOPS", or the time per call where no FLOPs are known; a dash without a time. */
QString speed_or_time_text(const SourceData& source, double seconds);

/** "confirmed" or "unconfirmed"; "recorded" and "imported" for what was not measured in this session,
 * whatever a file says of confirmations. */
QString trust_text(const SessionRecord& record, bool confirmed);

/** ", imported" behind the name of a session whose numbers a file brought; else empty. */
QString imported_mark(const SessionRecord& record);

/**
 * What no number of the session should be read without, in one line: "the machine was loaded; timings were
 * unsteady; and 2 more". Empty where nothing disturbed it.
 */
QString disturbance_text(std::span<const SessionNotice> notices);

/** All that a session said, a line each, with when it was said first; empty where it said nothing. */
QString notices_tip(std::span<const SessionNotice> notices);

/**
 * What made the kernels: "conv2d-packed, version 3", or of a user's own "project stencil, content 0123abcd…";
 * empty: nothing that is known.
 */
QString kernel_maker_text(const SessionRecord& record);
/** The same of its parts. @param project_hash empty: a template's */
QString kernel_maker_text(const std::string& task_name, const std::string& project_hash,
                          const std::string& template_name, int template_version);
/** As headings need it: "conv2d-packed", "project 0123abcd…". */
QString short_kernel_maker_text(const SessionRecord& record);

/** The tuner; what the session is where it had none. */
QString session_tuner_text(const SessionRecord& record);

}  // namespace kernelscape
