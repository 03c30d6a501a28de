#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/trial/session_notice.h"
#include "core/trial/speed_track.h"

namespace kernelscape::trial {

/**
 * Returns the text of a session's notice: "trials 48 to 97: the machine ran at 0.28 of its speed for 38 s;
 * meanwhile: steal 31 %, cores at 1.2 of 3.1 GHz".
 * @param machine names the machine
 * @param explanation what the system reported during the phase; empty: nothing is known
 */
std::string slow_phase_notice(const SlowPhase& phase, std::string_view machine, std::string_view explanation);

/**
 * Returns the explanation that the stored notice of a slow phase holds; empty if there is none. The phase can
 * differ by some trials from that of the notice, since later readings change it.
 */
std::string explanation_in(std::span<const SessionNotice> notices, const SlowPhase& phase);

/**
 * Returns true if a later notice is of the same slow phase of the same machine, which had not recovered when
 * the earlier notice was made: a search that is resumed reports it once more.
 */
bool continues_phase(const SessionNotice& later, const SessionNotice& earlier);

}  // namespace kernelscape::trial
