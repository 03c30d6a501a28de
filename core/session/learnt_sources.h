#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/session/session.h"

namespace kernelscape::session {

/** Maximum number of sources that a session learns from. */
inline constexpr std::size_t max_sources = 16;

/** The trials of a source in the form that a tuner receives, and their identity. */
struct ReadSource {
  LearntSource source;
  std::shared_ptr<const tuner::SourceTrials> trials;
};

/**
 * Reads what a name stands for: a file with a recorded space, of this program or one that can be imported;
 * the number or the name of a session; or the name of a collection, each of whose sessions is a source.
 */
Result<std::vector<ReadSource>> read_sources(const store::Store& store, const std::string& name);

/**
 * Reads a source as it was when a session stored its identity. Errors: its file or session is missing, or its
 * trials have changed.
 */
Result<ReadSource> read_stored_source(const store::Store& store, const LearntSource& source);

/**
 * Reads the sources that a user named, for a space: sessions of a collection that the space cannot learn from
 * are left out. Errors: there is no such source, the space cannot learn from it (tuner::check_source), or
 * there are more than max_sources.
 */
Result<std::vector<ReadSource>> usable_sources(const store::Store& store,
                                               const std::vector<std::string>& names,
                                               const space::SearchSpace& space);

/**
 * Gives sources to the setup, whose tuner is set. Errors: the tuner learns from no sources
 * (tuner::Declaration::learns_from_sources).
 */
Status take_sources(std::span<const ReadSource> sources, Setup& setup);

/** Gives the setup of a stored session its sources again. */
Status take_stored_sources(const store::Store& store, const std::vector<LearntSource>& sources, Setup& setup);

/** Key of an entry of a stored history that names a related space which the session learns from. */
inline constexpr const char* learn_key = "learn_from";

/** Returns the source as a user names it: a session's number or the path of a file. */
std::string source_name(const LearntSource& source);

}  // namespace kernelscape::session
