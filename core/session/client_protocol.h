#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/session/session.h"

// The lines that an ask-tell session exchanges with its client: one JSON object each, see README.md.
namespace kernelscape::session {

/** Version of the protocol. A change that a client of an earlier version misunderstands increases it. */
inline constexpr std::int64_t client_protocol_version = 1;

/** The client names the version of the protocol that it speaks. */
struct HelloRequest {
  std::int64_t protocol = 0;
};

/** The client requests configurations to measure. */
struct AskRequest {
  std::size_t count = 1;  ///< at most so many
};

/** What a client measured for one trial. */
struct ClientResult {
  std::int64_t trial = 0;
  trial::Measurement measurement;
};

/** The client reports results, which are stored together or not at all. */
struct TellRequest {
  std::vector<ClientResult> results;  ///< of different trials, at least one
};

using ClientRequest = std::variant<HelloRequest, AskRequest, TellRequest>;

/** Kinds of error lines, on which a client can decide. */
enum class LineError : std::uint8_t {
  BadLine,        ///< not a request of the protocol
  Protocol,       ///< another version of the protocol
  UnknownTrial,   ///< a result of a trial that was never handed out
  AlreadyStored,  ///< a result of a trial that has one
  SessionEnded,   ///< a result that arrives after the end of the session
  Failed          ///< the session cannot continue; the program ends
};

/** Returns "bad_line", "protocol", "unknown_trial", "already_stored", "session_ended" or "failed". */
std::string_view to_string(LineError error);

/** Parses a line of a client. Errors are InvalidArgument and say what is wrong with the line. */
Result<ClientRequest> parse_client_request(std::string_view line);

/** A configuration that is handed out. */
struct HandedOut {
  std::int64_t trial = 0;
  space::Configuration configuration;
};

// The lines of the program, without a line end.

/** Returns the line that begins a conversation. @param earlier state of a resumed session */
std::string hello_line(const store::SessionRecord& record, const Setup& setup, const std::string& database,
                       const store::SessionStatus& earlier, bool resumed);
/** Returns a line with a text for the user, which may stand between any two other lines. */
std::string message_line(std::string_view text);
/** Returns the answer to a HelloRequest of this version. */
std::string welcome_line();
/**
 * Returns the answer to an AskRequest.
 * @param outstanding trials that were handed out, also in earlier answers, and have no result yet
 * @param done_reason why the session gives out no further configurations; empty: it continues
 */
std::string configurations_line(const space::SearchSpace& space, std::span<const HandedOut> configurations,
                                std::size_t outstanding, std::string_view done_reason);
/** Returns the answer to a TellRequest whose results are stored. */
std::string stored_line(std::span<const std::int64_t> trials, const store::SessionStatus& status);
/** Returns the answer to a line that has no effect, and the last line of a session that cannot continue. */
std::string error_line(LineError kind, const Error& error);
/** Returns the last line of a session. @param best the best configuration, or null */
std::string ended_line(const Outcome& outcome, const space::SearchSpace& space,
                       const space::Configuration* best);

}  // namespace kernelscape::session
