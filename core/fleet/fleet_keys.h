#pragma once

#include <string>
#include <string_view>

namespace kernelscape {

/**
 * What a fleet keeps in Redis, by name: all of it begins alike, so that a line of an access control list can
 * allow just this.
 *
 *     kernelscape:build:VERSION:TOOLS    stream: kernels to build, one per tool chain
 *     kernelscape:run:VERSION:CLASS      stream: kernels to run, one per class of devices
 *     kernelscape:results:CONTROLLER     stream: what became of a controller's tasks
 *     kernelscape:controller:CONTROLLER  there while somebody waits for these
 *     kernelscape:dead                   stream: tasks that were given up, with the reason
 *     kernelscape:blob:SHA256            bytes: what was built
 *     kernelscape:nonce:NONCE            which entry of a stream it came with
 *     kernelscape:room                   written to see whether Redis has room
 *     kernelscape:workers                set: the numbers of workers
 *     kernelscape:worker:WORKER          hash: who it is and what it does
 *     kernelscape:reference:CLASS        seconds: the reference kernel on the class's first worker
 */
namespace fleet_keys {

inline constexpr std::string_view prefix = "kernelscape:";
inline constexpr const char* dead = "kernelscape:dead";
inline constexpr const char* workers = "kernelscape:workers";
/** The consumer group of all streams of tasks. */
inline constexpr const char* group = "workers";

std::string build_stream(const std::string& tool_chain);  ///< kernels to build with these tools
std::string run_stream(const std::string& device_class);  ///< kernels to run on such a device
std::string results(const std::string& controller);       ///< what became of its tasks
std::string controller(const std::string& controller);    ///< there while it waits
std::string blob(const std::string& sha256);              ///< bytes by their SHA-256
std::string nonce(const std::string& nonce);              ///< with which entry it was seen
std::string worker(const std::string& worker);            ///< who it is and what it does
std::string reference(const std::string& device_class);   ///< of the class's first worker

}  // namespace fleet_keys
}  // namespace kernelscape
