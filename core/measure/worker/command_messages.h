#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/measure/worker/protocol.h"

namespace kernelscape::measure {

/** A command that prints as many bytes to one of its outputs is killed. */
constexpr std::uint64_t max_printed_bytes = 16ULL << 20;

/** Asks for one command of a user's program, which runs in a folder that this program made. */
struct CommandRequest {
  static constexpr MessageType type = MessageType::CommandRequest;
  std::string folder{};                    ///< absolute; the command may change the files in it
  std::vector<std::string> arguments{};    ///< the program first
  std::vector<std::string> environment{};  ///< variables "NAME=value" that take precedence
  std::string input{};                     ///< what its standard input has
  double timeout_seconds = 10;
  std::uint64_t memory_bytes = 0;  ///< address space of a process; 0: not limited
  bool network = false;
  std::vector<std::string> readable{};  ///< files and folders that it may read in addition
  std::vector<std::string> writable{};  ///< files and folders that it may change in addition
};

enum class CommandEnd : std::uint8_t { Exited, Signalled, TimedOut, NotStarted };
template <>
inline constexpr std::uint64_t wire_enumerators<CommandEnd> = 4;

/** How a command ended. Processes that it left behind were killed. */
struct CommandReply {
  static constexpr MessageType type = MessageType::CommandReply;
  CommandEnd end = CommandEnd::NotStarted;
  std::int32_t code = 0;                ///< exit code, signal, or errno of the failed start
  double seconds = 0;                   ///< wall time from the start of the process to its end
  std::uint64_t peak_memory_bytes = 0;  ///< largest resident set of one of its processes
  std::string output{};                 ///< of its standard output
  std::string errors{};                 ///< of its standard error

  /** Returns true if the command ended with exit code 0. */
  bool succeeded() const { return end == CommandEnd::Exited && code == 0; }
};

template <>
struct WireMembers<CommandRequest> {
  using M = CommandRequest;
  static constexpr auto value =
      std::tuple{&M::folder,       &M::arguments, &M::environment, &M::input,   &M::timeout_seconds,
                 &M::memory_bytes, &M::network,   &M::readable,    &M::writable};
};
template <>
struct WireMembers<CommandReply> {
  using M = CommandReply;
  static constexpr auto value =
      std::tuple{&M::end, &M::code, &M::seconds, &M::peak_memory_bytes, &M::output, &M::errors};
};

}  // namespace kernelscape::measure
